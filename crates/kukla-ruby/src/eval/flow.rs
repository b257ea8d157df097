//! Loops, `case`, `begin`.

use super::Frame;
use crate::args::Args;
use crate::class::ClassId;
use crate::error::{Result, Unwind};
use crate::program::{Arg, Begin, BodyId, Case, FlipFlop, Node, Rescue, While};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

impl Ruby<'_> {
    pub(super) fn while_node(&mut self, f: &Frame<'_>, node: &While) -> Result {
        let height = self.run.stack.len();
        let mut first = node.body_first;
        loop {
            let again = if std::mem::take(&mut first) {
                Ok(true)
            } else {
                self.test(f, &node.condition).map(|truth| truth != node.until)
            };
            match again {
                Ok(false) => return Ok(Value::Nil),
                Ok(true) => {}
                Err(unwind) => match *unwind {
                    Unwind::Break(0, value) => return Ok(value),
                    Unwind::Next(_) => continue,
                    other => return Err(Box::new(other)),
                },
            }
            loop {
                self.step()?;
                match self.run(f, &node.code) {
                    Ok(()) => break,
                    Err(unwind) => {
                        self.run.stack.truncate(height);
                        match *unwind {
                            Unwind::Break(0, value) => return Ok(value),
                            Unwind::Next(_) => break,
                            Unwind::Redo => {}
                            other => return Err(Box::new(other)),
                        }
                    }
                }
            }
        }
    }

    pub(super) fn for_node(&mut self, f: &Frame<'_>, collection: &Node, body: BodyId, line: u32) -> Result {
        let collection = self.eval(f, collection)?;
        let block = self.closure(f, body, false);
        self.run.line = line;
        let result = self.call(&collection, sym::EACH, &Args::with_block(&[], &block));
        self.after_block(&block, result)
    }

    pub(super) fn case_node(&mut self, f: &Frame<'_>, case: &Case) -> Result {
        let subject = match &case.subject {
            Some(subject) => Some(self.eval(f, subject)?),
            None => None,
        };
        for (conditions, code) in &case.whens {
            for condition in conditions {
                if self.fits(f, condition, subject.as_ref(), case.line)? {
                    return self.eval(f, code);
                }
            }
        }
        self.eval(f, &case.otherwise)
    }

    fn fits(&mut self, f: &Frame<'_>, condition: &Arg, subject: Option<&Value>, line: u32) -> Result<bool> {
        match condition {
            Arg::One(node) => {
                let value = self.eval(f, node)?;
                self.run.line = line;
                self.is_case(&value, subject)
            }
            Arg::Splat(node) => {
                let value = self.eval(f, node)?;
                self.run.line = line;
                let items = self.splat(&value)?.to_vec();
                for item in items {
                    if self.is_case(&item, subject)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Arg::Keywords(_) => Ok(false),
        }
    }

    fn is_case(&mut self, value: &Value, subject: Option<&Value>) -> Result<bool> {
        let Some(subject) = subject else { return Ok(value.is_true()) };
        if !self.run.redefined {
            match (value, subject) {
                (Value::Int(a), Value::Int(b)) => return Ok(a == b),
                (Value::Symbol(a), Value::Symbol(b)) => return Ok(a == b),
                (Value::Nil, _) => return Ok(subject.is_nil()),
                _ => {}
            }
        }
        self.case_eq(value, subject)
    }

    pub(super) fn flip_flop(&mut self, f: &Frame<'_>, node: &FlipFlop) -> Result {
        if !self.fetch(f, node.state).is_true() {
            if !self.test(f, &node.begin)? {
                return Ok(Value::Bool(false));
            }
            self.store(f, node.state, Value::Bool(true));
            if node.exclusive {
                return Ok(Value::Bool(true));
            }
        }
        if self.test(f, &node.end)? {
            self.store(f, node.state, Value::Bool(false));
        }
        Ok(Value::Bool(true))
    }

    pub(super) fn begin_node(&mut self, f: &Frame<'_>, node: &Begin) -> Result {
        let height = self.run.stack.len();
        let result = self.begin_without_ensure(f, node);
        let Some(ensure) = &node.ensure else { return result };
        self.run.stack.truncate(height);
        let saved = self.run.exception.clone();
        if let Err(unwind) = &result {
            match &**unwind {
                // Nothing more runs once a limit is reached.
                Unwind::Stop(_) => return result,
                Unwind::Raise(exception) => self.run.exception = exception.clone(),
                _ => {}
            }
        }
        let ensured = self.eval(f, ensure);
        self.run.exception = saved;
        ensured?;
        result
    }

    fn begin_without_ensure(&mut self, f: &Frame<'_>, node: &Begin) -> Result {
        let height = self.run.stack.len();
        let depth = self.depth;
        loop {
            let exception = match self.eval(f, &node.code) {
                Ok(value) => {
                    return match &node.otherwise {
                        Some(otherwise) => self.eval(f, otherwise),
                        None => Ok(value),
                    };
                }
                Err(unwind) => {
                    self.run.stack.truncate(height);
                    match *unwind {
                        Unwind::Raise(exception) if !node.rescues.is_empty() => exception,
                        other => return Err(Box::new(other)),
                    }
                }
            };
            debug_assert_eq!(depth, self.depth);
            let previous = std::mem::replace(&mut self.run.exception, exception.clone());
            let handled = self.rescue(f, &node.rescues, &exception);
            match handled {
                Ok(None) => {
                    self.run.exception = previous;
                    return Err(Box::new(Unwind::Raise(exception)));
                }
                Ok(Some(value)) => {
                    self.run.exception = previous;
                    return Ok(value);
                }
                Err(unwind) => {
                    self.run.exception = previous;
                    match *unwind {
                        Unwind::Retry => {
                            self.run.stack.truncate(height);
                            self.step()?;
                        }
                        other => return Err(Box::new(other)),
                    }
                }
            }
        }
    }

    fn rescue(&mut self, f: &Frame<'_>, rescues: &[Rescue], exception: &Value) -> Result<Option<Value>> {
        for rescue in rescues {
            if self.is_rescued(f, &rescue.classes, exception)? {
                if let Some(target) = &rescue.target {
                    self.assign(f, target, exception.clone())?;
                }
                return self.eval(f, &rescue.code).map(Some);
            }
        }
        Ok(None)
    }

    fn is_rescued(&mut self, f: &Frame<'_>, classes: &[Arg], exception: &Value) -> Result<bool> {
        if classes.is_empty() {
            return Ok(self.is_a(exception, ClassId::STANDARD_ERROR));
        }
        for class in classes {
            let candidates = match class {
                Arg::One(node) => vec![self.eval(f, node)?],
                Arg::Splat(node) => {
                    let value = self.eval(f, node)?;
                    self.splat(&value)?.to_vec()
                }
                Arg::Keywords(_) => Vec::new(),
            };
            for candidate in candidates {
                if !matches!(candidate, Value::Class(_)) {
                    return Err(self.type_error("class or module required for rescue clause"));
                }
                if self.case_eq(&candidate, exception)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
