//! `case/in`, `=>` and `in`.

use std::rc::Rc;

use super::Frame;
use crate::class::ClassId;
use crate::error::{Result, Unwind};
use crate::hash::Table;
use crate::program::{ArrayPattern, CaseIn, FindPattern, HashPattern, HashRest, Node, Pattern};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{ArrayObject, HashObject, Value};

impl Ruby<'_> {
    pub(super) fn case_in_node(&mut self, f: &Frame<'_>, node: &CaseIn) -> Result {
        let subject = self.eval(f, &node.subject)?;
        self.run.deconstructed = None;
        for arm in &node.arms {
            if !self.matches(f, &arm.pattern, &subject)? {
                continue;
            }
            if let Some((guard, unless)) = &arm.guard
                && self.test(f, guard)? == *unless
            {
                continue;
            }
            return self.eval(f, &arm.code);
        }
        match &node.otherwise {
            Some(otherwise) => self.eval(f, otherwise),
            None => {
                self.run.line = node.line;
                let missing = match &*node.arms {
                    [only] => self.missing_key(f, &only.pattern, &subject)?,
                    _ => None,
                };
                Err(self.no_pattern(&subject, missing)?)
            }
        }
    }

    pub(super) fn match_node(
        &mut self,
        f: &Frame<'_>,
        value: &Node,
        pattern: &Pattern,
        required: bool,
        line: u32,
    ) -> Result {
        let value = self.eval(f, value)?;
        self.run.deconstructed = None;
        let fits = self.matches(f, pattern, &value)?;
        if !required {
            return Ok(Value::Bool(fits));
        }
        if fits {
            return Ok(Value::Nil);
        }
        self.run.line = line;
        let missing = self.missing_key(f, pattern, &value)?;
        Err(self.no_pattern(&value, missing)?)
    }

    /// The key that a hash lacks, if that alone is why a pattern does not fit.
    fn missing_key(&mut self, f: &Frame<'_>, pattern: &Pattern, value: &Value) -> Result<Option<Value>> {
        let (Pattern::Hash(pattern), Value::Hash(hash)) = (pattern, value) else { return Ok(None) };
        for (name, _) in &pattern.pairs {
            let key = Value::Symbol(f.unit.symbol(*name));
            if self.hash_get(hash, &key)?.is_none() {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    #[cold]
    fn no_pattern(&mut self, value: &Value, missing: Option<Value>) -> Result<Box<Unwind>> {
        let shown = self.inspect(value)?.to_str_lossy().into_owned();
        let Some(key) = missing else {
            return Ok(self.error(ClassId::NO_MATCHING_PATTERN_ERROR, shown));
        };
        let key_shown = self.inspect(&key)?.to_str_lossy().into_owned();
        let message = Value::str(format!("{shown}: key not found: {key_shown}"));
        let error = crate::core::exception::make(self, ClassId::NO_MATCHING_PATTERN_KEY_ERROR, message);
        crate::core::exception::set_detail(&error, |details| {
            details.name = key;
            details.receiver = Some(value.clone());
        });
        Ok(Box::new(Unwind::Raise(error)))
    }

    fn matches(&mut self, f: &Frame<'_>, pattern: &Pattern, value: &Value) -> Result<bool> {
        match pattern {
            Pattern::Value(node) => {
                let expected = self.eval(f, node)?;
                self.case_eq(&expected, value)
            }
            Pattern::Bind(target) => {
                self.assign(f, target, value.clone())?;
                Ok(true)
            }
            Pattern::Capture(inner, target) => {
                if !self.matches(f, inner, value)? {
                    return Ok(false);
                }
                self.assign(f, target, value.clone())?;
                Ok(true)
            }
            Pattern::Alternatives(all) => {
                for one in all {
                    if self.matches(f, one, value)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Pattern::Array(array) => kukla_syntax::deep(|| self.matches_array(f, array, value)),
            Pattern::Find(find) => kukla_syntax::deep(|| self.matches_find(f, find, value)),
            Pattern::Hash(hash) => kukla_syntax::deep(|| self.matches_hash(f, hash, value)),
        }
    }

    fn is_of(&mut self, f: &Frame<'_>, constant: &Option<Node>, value: &Value) -> Result<bool> {
        match constant {
            Some(node) => {
                let constant = self.eval(f, node)?;
                self.case_eq(&constant, value)
            }
            None => Ok(true),
        }
    }

    /// `deconstruct`
    fn deconstruct(&mut self, value: &Value) -> Result<Option<Rc<ArrayObject>>> {
        if let Value::Array(array) = value
            && array.head.class() == ClassId::ARRAY
        {
            return Ok(Some(array.clone()));
        }
        // Asked once for all patterns of a `case`.
        if let Some((known, items)) = &self.run.deconstructed
            && known.is_same(value)
        {
            return Ok(Some(items.clone()));
        }
        if !self.responds_to(value, sym::DECONSTRUCT, true)? {
            return Ok(None);
        }
        match self.send(value, sym::DECONSTRUCT, &[])? {
            Value::Array(array) => {
                self.run.deconstructed = Some((value.clone(), array.clone()));
                Ok(Some(array))
            }
            _ => Err(self.type_error("deconstruct must return Array")),
        }
    }

    fn matches_array(&mut self, f: &Frame<'_>, pattern: &ArrayPattern, value: &Value) -> Result<bool> {
        if !self.is_of(f, &pattern.constant, value)? {
            return Ok(false);
        }
        let Some(items) = self.deconstruct(value)? else { return Ok(false) };
        let items = items.to_vec();
        let (pre, post) = (pattern.pre.len(), pattern.post.len());
        if items.len() < pre + post || (pattern.rest.is_none() && items.len() != pre + post) {
            return Ok(false);
        }
        for (part, item) in pattern.pre.iter().zip(&items) {
            if !self.matches(f, part, item)? {
                return Ok(false);
            }
        }
        if let Some(Some(rest)) = &pattern.rest {
            let middle = Value::array(&items[pre..items.len() - post]);
            self.assign(f, rest, middle)?;
        }
        for (part, item) in pattern.post.iter().zip(&items[items.len() - post..]) {
            if !self.matches(f, part, item)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn matches_find(&mut self, f: &Frame<'_>, pattern: &FindPattern, value: &Value) -> Result<bool> {
        if !self.is_of(f, &pattern.constant, value)? {
            return Ok(false);
        }
        let Some(items) = self.deconstruct(value)? else { return Ok(false) };
        let items = items.to_vec();
        let width = pattern.middle.len();
        for start in 0..=items.len().saturating_sub(width) {
            self.step()?;
            let mut fits = items.len() >= width;
            for (part, item) in pattern.middle.iter().zip(&items[start..]) {
                if !self.matches(f, part, item)? {
                    fits = false;
                    break;
                }
            }
            if fits {
                if let Some(left) = &pattern.left {
                    self.assign(f, left, Value::array(&items[..start]))?;
                }
                if let Some(right) = &pattern.right {
                    self.assign(f, right, Value::array(&items[start + width..]))?;
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn matches_hash(&mut self, f: &Frame<'_>, pattern: &HashPattern, value: &Value) -> Result<bool> {
        if !self.is_of(f, &pattern.constant, value)? {
            return Ok(false);
        }
        let hash = match value {
            Value::Hash(hash) if hash.head.class() == ClassId::HASH => hash.clone(),
            value => {
                if !self.responds_to(value, sym::DECONSTRUCT_KEYS, true)? {
                    return Ok(false);
                }
                let wanted = match pattern.rest {
                    HashRest::Bind(_) => Value::Nil,
                    _ => Value::array(
                        pattern
                            .pairs
                            .iter()
                            .map(|(name, _)| Value::Symbol(f.unit.symbol(*name)))
                            .collect::<Vec<_>>(),
                    ),
                };
                match self.send(value, sym::DECONSTRUCT_KEYS, &[wanted])? {
                    Value::Hash(hash) => hash,
                    _ => return Err(self.type_error("deconstruct_keys must return Hash")),
                }
            }
        };
        if pattern.pairs.is_empty() && matches!(pattern.rest, HashRest::Open) && pattern.empty {
            return Ok(hash.table().is_empty());
        }
        for (name, part) in &pattern.pairs {
            let key = Value::Symbol(f.unit.symbol(*name));
            let Some(item) = self.hash_get(&hash, &key)? else { return Ok(false) };
            if let Some(part) = part
                && !self.matches(f, part, &item)?
            {
                return Ok(false);
            }
        }
        let others: Vec<(Value, Value)> = {
            let table = hash.table();
            let others = table.iter().filter(|entry| match &entry.key {
                Value::Symbol(symbol) => {
                    !pattern.pairs.iter().any(|(name, _)| f.unit.symbol(*name) == *symbol)
                }
                _ => true,
            });
            others.map(|entry| (entry.key.clone(), entry.value.clone())).collect()
        };
        match &pattern.rest {
            HashRest::Open => Ok(true),
            HashRest::Closed => Ok(others.is_empty()),
            HashRest::Bind(target) => {
                let rest = HashObject::new(ClassId::HASH, Table::new());
                for (key, value) in others {
                    self.hash_set(&rest, key, value)?;
                }
                self.assign(f, target, Value::Hash(rest))?;
                Ok(true)
            }
        }
    }
}
