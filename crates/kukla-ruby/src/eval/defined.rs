//! `defined?`

use super::Frame;
use crate::class::ClassId;
use crate::error::{Result, Unwind};
use crate::method::Visibility;
use crate::program::Defined;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

impl Ruby<'_> {
    pub(super) fn defined_node(&mut self, f: &Frame<'_>, what: &Defined) -> Result {
        match self.defined(f, what)? {
            Some(word) => {
                let word = Value::str(word);
                if let Some(head) = word.head() {
                    head.freeze();
                }
                Ok(word)
            }
            None => Ok(Value::Nil),
        }
    }

    fn defined(&mut self, f: &Frame<'_>, what: &Defined) -> Result<Option<&'static str>> {
        Ok(match what {
            Defined::Always(word) => Some(word),
            Defined::Ivar(name) => {
                let name = f.unit.symbol(*name);
                let is_set = match f.this {
                    Value::Class(class) => self.class(*class).head.variable(name).is_some(),
                    this => this.head().is_some_and(|head| head.variable(name).is_some()),
                };
                is_set.then_some("instance-variable")
            }
            Defined::Gvar(name) => self.is_global_defined(f.unit.symbol(*name)).then_some("global-variable"),
            Defined::Cvar(name) => {
                self.find_class_variable(f.unit.symbol(*name)).is_some().then_some("class variable")
            }
            Defined::Const(name) => {
                let found = self.quietly(|ruby| ruby.find_lexical_constant(f.unit.symbol(*name)))?;
                found.flatten().is_some().then_some("constant")
            }
            Defined::ConstPath(parent, name) => {
                let module = match parent {
                    None => ClassId::OBJECT,
                    Some((inner, node)) => {
                        if self.defined(f, inner)?.is_none() {
                            return Ok(None);
                        }
                        match self.quietly(|ruby| ruby.eval(f, node))? {
                            Some(Value::Class(module)) => module,
                            _ => return Ok(None),
                        }
                    }
                };
                let name = f.unit.symbol(*name);
                let found = self.find_constant_in(module, name, false)?.is_some();
                (found && !self.is_private_constant(module, name)).then_some("constant")
            }
            Defined::Call(receiver, name, args, own) => {
                for arg in args {
                    if self.defined(f, arg)?.is_none() {
                        return Ok(None);
                    }
                }
                let this = match receiver {
                    None => f.this.clone(),
                    Some((inner, node)) => {
                        if self.defined(f, inner)?.is_none() {
                            return Ok(None);
                        }
                        match self.quietly(|ruby| ruby.eval(f, node))? {
                            Some(value) => value,
                            None => return Ok(None),
                        }
                    }
                };
                let name = f.unit.symbol(*name);
                let class = self.class_of(&this);
                match self.find_method(class, name) {
                    Some(method) => {
                        let visible = *own
                            || method.visibility == Visibility::Public
                            || self.forbidden(&method, f.this).is_none();
                        visible.then_some("method")
                    }
                    None => self.responds_to(&this, name, *own)?.then_some("method"),
                }
            }
            Defined::Yield => {
                self.run.frames.last().is_some_and(|at| at.block().is_some()).then_some("yield")
            }
            Defined::Super => {
                let method = self.run.frames.last().and_then(|at| at.method().cloned());
                let Some(method) = method else { return Ok(None) };
                let class = self.class_of(f.this);
                self.find_method_after(class, method.name, Some(method.owner)).is_some().then_some("super")
            }
            Defined::Group(number) => (!self.match_group(*number)?.is_nil()).then_some("global-variable"),
            Defined::BackReference(which) => {
                (!self.back_reference(*which)?.is_nil()).then_some("global-variable")
            }
            Defined::All(parts, word) => {
                for part in parts {
                    if self.defined(f, part)?.is_none() {
                        return Ok(None);
                    }
                }
                Some(*word)
            }
        })
    }

    /// The result of an evaluation, or `None` if it raises.
    fn quietly<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        let height = self.run.stack.len();
        match run(self) {
            Ok(value) => Ok(Some(value)),
            Err(unwind) if matches!(*unwind, Unwind::Raise(_)) => {
                self.run.stack.truncate(height);
                Ok(None)
            }
            Err(unwind) => Err(unwind),
        }
    }

    /// `$1`
    pub(super) fn match_group(&mut self, number: u32) -> Result {
        match self.last_match() {
            Value::Nil => Ok(Value::Nil),
            found => self.send(&found, sym::INDEX, &[Value::Int(i64::from(number))]),
        }
    }

    /// `` $& $` $' $+ ``
    pub(super) fn back_reference(&mut self, which: u8) -> Result {
        let found = self.last_match();
        if found.is_nil() {
            return Ok(Value::Nil);
        }
        let name = match which {
            b'`' => self.symbols.intern("pre_match"),
            b'\'' => self.symbols.intern("post_match"),
            b'+' => {
                let captures = self.symbols.intern("captures");
                let all = self.send(&found, captures, &[])?;
                let Value::Array(all) = all else { return Ok(Value::Nil) };
                return Ok(all.to_vec().into_iter().rev().find(|group| !group.is_nil()).unwrap_or_default());
            }
            _ => return self.send(&found, sym::INDEX, &[Value::Int(0)]),
        };
        self.send(&found, name, &[])
    }
}
