//! Rich data back into values.

use std::sync::Arc;

use kukla_syntax::bail;
use serde_json::{Map, Value as Json};

use super::{TYPE_KEY, VALUE_KEY, types};
use crate::codes::{INVALID_LOCAL_REFERENCE, NO_DESCRIBED_TYPE, READ_TOO_DEEP, UNKNOWN_DATA_TYPE};
use crate::convert::{self, ConversionContext};
use crate::types::object::Object;
use crate::{Array, Hash, Result, Str, Type, Value};

/// How deep data may nest; what parses JSON text allows less.
const MAX_DEPTH: usize = 200;

/// The value of a JSON document. Types by name are resolved by the surroundings.
pub fn from_json(json: &Json, around: &dyn ConversionContext) -> Result<Value> {
    Reader { root: json, around, depth: 0 }.value(json)
}

struct Reader<'a> {
    root: &'a Json,
    around: &'a dyn ConversionContext,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, json: &'a Json) -> Result<Value> {
        if self.depth > MAX_DEPTH {
            bail!(READ_TOO_DEEP);
        }
        self.depth += 1;
        let value = self.inner(json);
        self.depth -= 1;
        value
    }

    fn inner(&mut self, json: &'a Json) -> Result<Value> {
        Ok(match json {
            Json::Null => Value::Undef,
            Json::Bool(flag) => Value::Boolean(*flag),
            Json::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(number), _) => Value::Integer(number),
                (None, Some(number)) => Value::Float(number),
                (None, None) => Value::Undef,
            },
            Json::String(text) => Value::from(text.as_str()),
            Json::Array(values) => {
                Value::Array(values.iter().map(|value| self.value(value)).collect::<Result<Array>>()?)
            }
            Json::Object(map) => match map.get(TYPE_KEY) {
                Some(Json::String(name)) => return self.typed(name, map),
                Some(described @ Json::Object(_)) => {
                    let Value::Type(ty) = self.value(described)? else {
                        bail!(NO_DESCRIBED_TYPE { description: described });
                    };
                    return self.made(&ty, map);
                }
                _ => Value::Hash(self.fields(map)?),
            },
        })
    }

    fn fields(&mut self, map: &'a Map<String, Json>) -> Result<Hash> {
        let mut hash = Hash::new();
        for (key, value) in map.iter().filter(|(key, value)| *key != TYPE_KEY || !value.is_string()) {
            let value = self.value(value)?;
            hash.insert(key.as_str(), value);
        }
        Ok(hash)
    }

    fn typed(&mut self, name: &str, map: &'a Map<String, Json>) -> Result<Value> {
        let value = map.get(VALUE_KEY).unwrap_or(&Json::Null);
        match name {
            "Hash" => {
                let mut hash = Hash::new();
                for pair in value.as_array().map(Vec::as_slice).unwrap_or_default().chunks(2) {
                    let key = self.value(&pair[0])?;
                    let value = pair.get(1).map_or(Ok(Value::Undef), |value| self.value(value))?;
                    hash.insert(key, value);
                }
                Ok(Value::Hash(hash))
            }
            "Sensitive" => Ok(Value::Sensitive(Arc::new(self.value(value)?))),
            "Default" => Ok(Value::Default),
            "Symbol" => self.value(value),
            "LocalRef" => {
                let path = value.as_str().unwrap_or_default();
                let Some(target) = resolve(self.root, path) else { bail!(INVALID_LOCAL_REFERENCE { path }) };
                self.value(target)
            }
            "Pcore::StructElement" => Ok(Value::Hash(self.fields(map)?)),
            name if name.starts_with("Pcore::") => {
                let fields = self.fields(map)?;
                types::undescribed(name, &fields).map(Value::of_type)
            }
            name => {
                let ty = match Type::builtin(name) {
                    Some(ty) => ty,
                    None => self.around.read_type(name)?,
                };
                if matches!(ty, Type::Reference(_)) {
                    bail!(UNKNOWN_DATA_TYPE { name });
                }
                self.made(&ty, map)
            }
        }
    }

    /// A value of a type: from one value, or from its attributes.
    fn made(&mut self, ty: &Type, map: &'a Map<String, Json>) -> Result<Value> {
        match (map.get(VALUE_KEY), ty.unaliased()) {
            (None, Type::Object(object)) => {
                let fields: Hash =
                    self.fields(map)?.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
                Ok(Value::Object(Arc::new(Object::new(object, &[fields.into()])?)))
            }
            (Some(value), _) => {
                let value = self.value(value)?;
                // A string in strict base64 or a text is what `new` takes; types are read as text.
                convert::new_instance(ty, &[value], self.around)
            }
            (None, _) => {
                let fields = self.fields(map)?;
                convert::new_instance(ty, &[fields.into()], self.around)
            }
        }
    }
}

/// Follows a path such as `$['a'][0]` into the data.
fn resolve<'a>(root: &'a Json, path: &str) -> Option<&'a Json> {
    let mut at = root;
    let mut rest = path.strip_prefix('$')?;
    while !rest.is_empty() {
        let (key, after) = step(rest.strip_prefix('[')?)?;
        at = enter(at, &key)?;
        rest = after.strip_prefix(']')?;
    }
    Some(at)
}

/// Reads one key, up to the bracket that closes it.
fn step(text: &str) -> Option<(Json, &str)> {
    let quote = text.chars().next()?;
    if quote != '\'' && quote != '"' {
        let end = text.find(']')?;
        return serde_json::from_str(&text[..end]).ok().map(|key| (key, &text[end..]));
    }
    let mut key = Str::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Some((Json::from(key.as_str()), &text[at + 1..])),
            '\\' => match (quote, chars.next()?.1) {
                ('\'', c @ ('\'' | '\\')) => key.push(c),
                ('\'', c) => {
                    key.push('\\');
                    key.push(c);
                }
                (_, 'n') => key.push('\n'),
                (_, 't') => key.push('\t'),
                (_, 'r') => key.push('\r'),
                (_, c) => key.push(c),
            },
            c => key.push(c),
        }
    }
    None
}

fn enter<'a>(at: &'a Json, key: &Json) -> Option<&'a Json> {
    match at {
        Json::Array(values) => values.get(usize::try_from(key.as_u64()?).ok()?),
        Json::Object(map) if map.get(TYPE_KEY).and_then(Json::as_str) == Some("Hash") => {
            let pairs = map.get(VALUE_KEY)?.as_array()?;
            pairs.chunks(2).find(|pair| pair[0] == *key).and_then(|pair| pair.get(1))
        }
        Json::Object(map) => map.get(key.as_str()?),
        _ => None,
    }
}
