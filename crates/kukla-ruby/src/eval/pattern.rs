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
        // The reason for a mismatch is recorded only for a single pattern.
        let explains = node.arms.len() == 1 && node.otherwise.is_none();
        for (at, arm) in node.arms.iter().enumerate() {
            if !self.matches_first(f, &arm.pattern, &subject, explains, at == 0)? {
                continue;
            }
            if let Some((guard, unless)) = &arm.guard
                && self.test(f, guard)? == *unless
            {
                if explains {
                    self.run.mismatch = Some(("guard clause does not return true".to_owned(), None));
                }
                continue;
            }
            return self.eval(f, &arm.code);
        }
        match &node.otherwise {
            Some(otherwise) => self.eval(f, otherwise),
            None => {
                self.run.line = node.line;
                Err(self.no_pattern(&subject)?)
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
        let fits = self.matches_first(f, pattern, &value, required, true)?;
        if !required {
            return Ok(Value::Bool(fits));
        }
        if fits {
            return Ok(Value::Nil);
        }
        self.run.line = line;
        Err(self.no_pattern(&value)?)
    }

    /// Says why a pattern does not fit, if anyone will want to know.
    fn mismatch(&mut self, why: impl FnOnce(&mut Self) -> Result<String>) -> Result<bool> {
        if self.run.explains {
            let why = why(self)?;
            self.run.mismatch = Some((why, None));
        }
        Ok(false)
    }

    fn shown(&mut self, value: &Value) -> Result<String> {
        Ok(self.inspect(value)?.to_str_lossy().into_owned())
    }

    /// `expected === value`
    fn is_it(&mut self, expected: &Value, value: &Value) -> Result<bool> {
        if self.case_eq(expected, value)? {
            return Ok(true);
        }
        self.mismatch(|ruby| {
            Ok(format!("{} === {} does not return true", ruby.shown(expected)?, ruby.shown(value)?))
        })
    }

    #[cold]
    fn no_pattern(&mut self, value: &Value) -> Result<Box<Unwind>> {
        let shown = self.shown(value)?;
        let (why, key) = match self.run.mismatch.take() {
            Some(why) => why,
            None => return Ok(self.error(ClassId::NO_MATCHING_PATTERN_ERROR, shown)),
        };
        let message = format!("{shown}: {why}");
        let Some((key, hash)) = key else {
            return Ok(self.error(ClassId::NO_MATCHING_PATTERN_ERROR, message));
        };
        let message = Value::str(message);
        let error = crate::core::exception::make(self, ClassId::NO_MATCHING_PATTERN_KEY_ERROR, message);
        crate::core::exception::set_detail(&error, |details| {
            details.name = key;
            details.receiver = Some(hash);
        });
        Ok(Box::new(Unwind::Raise(error)))
    }

    /// Whether the pattern of an arm fits; patterns inside of methods that this calls are on their own.
    fn matches_first(
        &mut self,
        f: &Frame<'_>,
        pattern: &Pattern,
        value: &Value,
        explains: bool,
        fresh: bool,
    ) -> Result<bool> {
        if fresh {
            self.run.deconstructed = None;
            self.run.mismatch = None;
        }
        let outer = std::mem::replace(&mut self.run.explains, explains);
        let fits = self.matches(f, pattern, value);
        self.run.explains = outer;
        fits
    }

    fn matches(&mut self, f: &Frame<'_>, pattern: &Pattern, value: &Value) -> Result<bool> {
        match pattern {
            Pattern::Value(node) => {
                let expected = self.eval(f, node)?;
                self.is_it(&expected, value)
            }
            Pattern::Bind(target) => {
                self.assign(f, target, value.clone())?;
                Ok(true)
            }
            Pattern::Capture(inner, target) => {
                if !kukla_syntax::deep(|| self.matches(f, inner, value))? {
                    return Ok(false);
                }
                self.assign(f, target, value.clone())?;
                Ok(true)
            }
            Pattern::Alternatives(all) => {
                for one in all {
                    if kukla_syntax::deep(|| self.matches(f, one, value))? {
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
                self.is_it(&constant, value)
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
            self.mismatch(|ruby| Ok(format!("{} does not respond to #deconstruct", ruby.shown(value)?)))?;
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
            let more = if pattern.rest.is_some() { "+" } else { "" };
            return self.mismatch(|ruby| {
                let list = ruby.shown(&Value::array(&*items))?;
                Ok(format!("{list} length mismatch (given {}, expected {}{more})", items.len(), pre + post))
            });
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
        self.mismatch(|ruby| {
            Ok(format!("{} does not match to find pattern", ruby.shown(&Value::array(&*items))?))
        })
    }

    fn matches_hash(&mut self, f: &Frame<'_>, pattern: &HashPattern, value: &Value) -> Result<bool> {
        if !self.is_of(f, &pattern.constant, value)? {
            return Ok(false);
        }
        let hash = match value {
            Value::Hash(hash) if hash.head.class() == ClassId::HASH => hash.clone(),
            value => {
                if !self.responds_to(value, sym::DECONSTRUCT_KEYS, true)? {
                    return self.mismatch(|ruby| {
                        Ok(format!("{} does not respond to #deconstruct_keys", ruby.shown(value)?))
                    });
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
            if hash.table().is_empty() {
                return Ok(true);
            }
            return self
                .mismatch(|ruby| Ok(format!("{} is not empty", ruby.shown(&Value::Hash(hash.clone()))?)));
        }
        for (name, part) in &pattern.pairs {
            let key = Value::Symbol(f.unit.symbol(*name));
            let Some(item) = self.hash_get(&hash, &key)? else {
                self.mismatch(|ruby| Ok(format!("key not found: {}", ruby.shown(&key)?)))?;
                if let Some((_, missing)) = &mut self.run.mismatch {
                    *missing = Some((key, Value::Hash(hash)));
                }
                return Ok(false);
            };
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
            HashRest::Closed if others.is_empty() => Ok(true),
            HashRest::Closed => {
                let rest = self.make_hash(others)?;
                self.mismatch(|ruby| Ok(format!("rest of {} is not empty", ruby.shown(&rest)?)))
            }
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
