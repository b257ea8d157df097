//! `a[b, c]`: elements of arrays, hashes, strings and binaries, types with parameters, attributes of resources.

use std::sync::Arc;

use kukla_syntax::{Span, diagnostic};
use kukla_values::{Array, Type, Value, format};

use crate::codes::{BAD_ARRAY_SLICE_ARITY, BAD_SLICE_KEY_TYPE, BAD_STRING_SLICE_KEY_TYPE};
use crate::error::Flow;
use crate::label;
use crate::program::{Access, Expr, Kind, VariableTarget};
use crate::vm::Vm;
use kukla_values::codes::{BAD_STRING_SLICE_ARITY, OPERATOR_NOT_APPLICABLE, UNKNOWN_RESOURCE_TYPE};

impl Vm<'_> {
    pub(crate) fn eval_access(&mut self, access: &Access, span: Span) -> Flow {
        let left = self.eval_accessed(access)?;
        // The common case: one key, no list of keys to make.
        let keys = match (&left, &*access.keys) {
            (Value::Hash(_) | Value::Array(_), [key]) => {
                let key = self.eval(key)?;
                match (&left, &key) {
                    (Value::Hash(hash), key) => return Ok(hash.get(key).cloned().unwrap_or_default()),
                    (Value::Array(array), Value::Integer(index)) => return Ok(element(array, *index)),
                    _ => vec![key],
                }
            }
            _ => self.eval_keys(access, &left)?,
        };
        match &left {
            Value::Array(array) => self.access_array(array, keys, access),
            Value::Hash(hash) => match keys.as_slice() {
                [key] => Ok(hash.get(key).cloned().unwrap_or_default()),
                keys => {
                    let found = keys.iter().filter_map(|key| hash.get(key)).filter(|value| !value.is_undef());
                    Ok(Value::Array(found.cloned().collect()))
                }
            },
            Value::String(text) => {
                self.budget().charge_work(&left)?;
                let (from, count) = self.substring(keys, access, text.chars().count())?;
                self.made(Value::String(text.chars().skip(from).take(count).collect()))
            }
            Value::Binary(bytes) => {
                let (from, count) = self.substring(keys, access, bytes.0.len())?;
                let part: Vec<u8> = bytes.0.iter().skip(from).take(count).copied().collect();
                self.made(Value::Binary(kukla_values::binary::Binary(part.into())))
            }
            Value::Type(ty) => self.access_type(ty, keys, access, span),
            other => {
                let operand = label::a_an(&label::of_value(other));
                let mut wrong = diagnostic!(OPERATOR_NOT_APPLICABLE { operator: "[]", operand });
                if other.is_undef() {
                    wrong.hints.extend(self.missing_key(&access.left));
                }
                Err(self.fail(access.left.span, wrong))
            }
        }
    }

    /// Which key was not there, and the one that is nearest, if an expression that gave nothing asked a hash for it.
    #[cold]
    pub(crate) fn missing_key(&mut self, expr: &Expr) -> Option<String> {
        let Kind::Access(inner) = &expr.unwrapped().kind else { return None };
        let (path, left) = self.path_to(&inner.left)?;
        let [key] = &*inner.keys else { return None };
        let (Value::Hash(hash), key) = (left, self.eval(key).ok()?) else {
            return self.missing_key(&inner.left);
        };
        let shown = key.as_str()?;
        let missing = format!("{path} has no '{shown}'");
        Some(match crate::suggest::near_key(&hash, &key) {
            Some(near) => format!("{missing}; there is '{near}'"),
            None => missing,
        })
    }

    /// How a variable, or something inside of it, is written, and its value. Nothing is evaluated that may have effects.
    fn path_to(&mut self, expr: &Expr) -> Option<(String, Value)> {
        match &expr.unwrapped().kind {
            Kind::Variable(variable) => Some((format!("${}", variable.name), self.eval(expr).ok()?)),
            Kind::Access(access) => {
                let (path, left) = self.path_to(&access.left)?;
                let [key] = &*access.keys else { return None };
                let (Kind::Literal(key), Value::Hash(hash)) = (&key.unwrapped().kind, left) else {
                    return None;
                };
                let value = hash.get(key).cloned().unwrap_or_default();
                Some((format!("{path}['{}']", key.as_str()?), value))
            }
            _ => None,
        }
    }

    /// The accessed value. Of `$facts` only the accessed fact is recorded.
    fn eval_accessed(&mut self, access: &Access) -> Flow {
        if self.tracker().is_some()
            && let Kind::Variable(variable) = &access.left.unwrapped().kind
            && matches!(variable.target, VariableTarget::Local(name) | VariableTarget::Top(name) if name.as_str() == "facts")
            && let [key] = &*access.keys
            && let Kind::Literal(Value::String(text)) | Kind::Name(text) = &key.unwrapped().kind
        {
            return self.wanting_fact(Some(text), |vm| vm.eval(&access.left));
        }
        self.eval(&access.left)
    }

    /// In `Class[Foo]` an undefined name means a class.
    fn eval_keys(&mut self, access: &Access, left: &Value) -> Flow<Vec<Value>> {
        let class = matches!(left, Value::Type(ty) if matches!(**ty, Type::Class(None)));
        let mut keys = Vec::with_capacity(access.keys.len());
        for key in &access.keys {
            match &key.unwrapped().kind {
                Kind::TypeName(name) if class => {
                    let unknown = |raise: &crate::error::Raise| {
                        raise.diagnostic().is_some_and(|failure| failure.is(&UNKNOWN_RESOURCE_TYPE))
                    };
                    keys.push(match self.eval(key) {
                        Err(raise) if unknown(&raise) => Value::String(name.lower.as_str().into()),
                        known => known?,
                    });
                }
                _ => keys.push(self.eval(key)?),
            }
        }
        Ok(keys)
    }

    fn access_array(&mut self, array: &Array, keys: Vec<Value>, access: &Access) -> Flow {
        let keys = flatten(keys);
        if keys.is_empty() || keys.len() > 2 {
            let wrong = diagnostic!(BAD_ARRAY_SLICE_ARITY { count: keys.len() });
            return Err(self.fail(access.left.span, wrong));
        }
        let mut indices = [0; 2];
        for (at, key) in keys.iter().enumerate() {
            let blamed = access.keys.get(at).unwrap_or(&access.left).span;
            match self.coerce(key, blamed)? {
                Value::Integer(index) => indices[at] = index,
                other => {
                    let wrong = diagnostic!(BAD_SLICE_KEY_TYPE { actual: key_type(&other) });
                    return Err(self.fail(blamed, wrong));
                }
            }
        }
        if keys.len() == 1 {
            return Ok(element(array, indices[0]));
        }
        let (from, count) = slice(indices[0], indices[1], array.len());
        self.made(Value::Array(array.iter().skip(from).take(count).cloned().collect()))
    }

    /// Where a part of a string begins and how long it is; out of range is nothing.
    fn substring(&mut self, keys: Vec<Value>, access: &Access, length: usize) -> Flow<(usize, usize)> {
        let keys = flatten(keys);
        if keys.is_empty() || keys.len() > 2 {
            let wrong = diagnostic!(BAD_STRING_SLICE_ARITY { count: keys.len() });
            return Err(self.fail(access.left.span, wrong));
        }
        let mut indices = [0; 2];
        for (at, key) in keys.iter().enumerate() {
            let number = match key {
                Value::String(text) => format::parse_number(text)?.unwrap_or_else(|| key.clone()),
                key => key.clone(),
            };
            match number {
                Value::Integer(index) => indices[at] = index,
                other => {
                    let blamed = access.keys.get(at).unwrap_or(&access.left).span;
                    let actual = label::a_an(&key_type(&other));
                    let wrong = diagnostic!(BAD_STRING_SLICE_KEY_TYPE { actual });
                    let wrong = match &access.left.unwrapped().kind {
                        Kind::Name(name) => {
                            let reference = kukla_values::types::capitalize(name);
                            let wrong =
                                wrong.focus_on(self.location(access.left.span), "this is text, not a type");
                            wrong.hint(format!(
                                "a reference begins with an upper-case letter: write `{reference}[{}]`",
                                self.unit().source.text().get(blamed.range()).unwrap_or("…")
                            ))
                        }
                        _ => wrong,
                    };
                    return Err(self.fail(blamed, wrong));
                }
            }
        }
        if keys.len() == 1 {
            let index = if indices[0] < 0 { indices[0].saturating_add(length as i64) } else { indices[0] };
            return Ok(usize::try_from(index).map_or((0, 0), |index| (index, 1)));
        }
        Ok(slice(indices[0], indices[1], length))
    }

    fn access_type(&mut self, ty: &Arc<Type>, keys: Vec<Value>, access: &Access, span: Span) -> Flow {
        match &**ty {
            Type::Resource(Some(resource)) if resource.title.is_some() => {
                let title = resource.title.clone().unwrap_or_default();
                self.attributes_of(&resource.name, &title, keys, span)
            }
            Type::Class(Some(class)) => self.attributes_of("Class", class, keys, span),
            ty @ Type::Alias(_) => {
                let operand = label::a_an(&format!("{ty}-Type"));
                let wrong = diagnostic!(OPERATOR_NOT_APPLICABLE { operator: "[]", operand });
                Err(self.fail(access.left.span, wrong))
            }
            ty => ty
                .with_brackets(&keys)
                .map_err(|wrong| {
                    let blamed = wrong.key.and_then(|key| access.keys.get(key)).map_or(span, |key| key.span);
                    // Puppet has rules for these; whatever else goes wrong is the fault of the whole expression.
                    if wrong.is_rule { self.at(wrong.error, blamed) } else { wrong.error.into() }
                })
                .and_then(|made| self.made(made)),
        }
    }

    /// `File['a']['mode']`, `Class['a']['x', 'y']`.
    fn attributes_of(&mut self, name: &str, title: &str, keys: Vec<Value>, span: Span) -> Flow {
        let several = keys.len() > 1 || matches!(keys.first(), Some(Value::Array(_)));
        let mut values = Array::with_capacity(keys.len());
        for key in flatten(keys).iter().filter(|key| !key.is_undef()) {
            values.push(self.resource_attribute(name, title, key, span)?);
        }
        Ok(if several { Value::Array(values) } else { values.into_iter().next_back().unwrap_or_default() })
    }
}

fn element(array: &Array, index: i64) -> Value {
    let at = if index < 0 { index.saturating_add(array.len() as i64) } else { index };
    usize::try_from(at).ok().and_then(|at| array.get(at)).cloned().unwrap_or_default()
}

/// `[from, count]`: a negative start counts from the end, a negative count is the last element wanted.
fn slice(from: i64, count: i64, length: usize) -> (usize, usize) {
    let length = length as i64;
    let mut from = if from < 0 { from.saturating_add(length) } else { from };
    let mut count =
        if count < 0 { length.saturating_sub(from).saturating_add(count).saturating_add(1) } else { count };
    if from < 0 {
        count = count.saturating_add(from);
        from = 0;
    }
    (usize::try_from(from).unwrap_or(usize::MAX), usize::try_from(count).unwrap_or(0))
}

/// All values of nested arrays in a row.
pub(crate) fn flatten(values: Vec<Value>) -> Vec<Value> {
    if !values.iter().any(|value| matches!(value, Value::Array(_))) {
        return values;
    }
    let mut flat = Vec::with_capacity(values.len());
    let mut open: Vec<Value> = values.into_iter().rev().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(inner) => open.extend(inner.iter().rev().cloned()),
            other => flat.push(other),
        }
    }
    flat
}

/// The description of a key of the wrong kind in messages.
pub(crate) fn key_type(value: &Value) -> String {
    match value {
        Value::Undef => "Undef".to_owned(),
        Value::Default => "Default".to_owned(),
        other => Type::of_generalized(other).to_string(),
    }
}
