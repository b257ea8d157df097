//! One lookup on its way: who asked, for what, inside of what, and what is to be told of it.

use std::sync::Arc;

use kukla_values::{Hash, Str, Value};

use crate::error::{Error, RECURSIVE, Result};
use crate::explain::{Explainer, Outcome, Source, What};
use crate::host::{Host, Strict, Variable};
use crate::session::{Found, Origin, Session};

/// What belongs to a lookup and not to those who answer it.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    pub explainer: Option<Explainer>,
    pub overrides: Hash,
    pub defaults: Hash,
    /// The keys being looked up, to notice when one comes up again.
    pub names: Vec<Str>,
    pub top_key: Str,
    pub module: Option<Str>,
    pub global_only: bool,
    pub origins: Vec<Origin>,
    /// The `lookup_options` of the key that was looked up last.
    pub options: Hash,
}

impl Frame {
    /// A value with what became known of it.
    pub fn found(&mut self, value: Value) -> Found {
        let (origins, options) = (std::mem::take(&mut self.origins), std::mem::take(&mut self.options));
        Found { value, origins, options }
    }
}

/// A variable that a hierarchy was resolved with.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub root: Str,
    pub segments: Vec<Value>,
    pub value: Value,
}

/// What is different while a hierarchy is resolved.
#[derive(Debug, Default)]
pub(crate) struct Resolving {
    pub readings: Vec<(Str, Reading)>,
    /// Whether an undefined variable is a warning at most.
    pub lenient: bool,
    /// A variable of `mapped_paths`.
    pub local: Option<(Str, Value)>,
}

/// A lookup with everything it may ask.
pub(crate) struct Invocation<'a> {
    pub session: &'a Arc<Session>,
    pub host: &'a mut dyn Host,
    pub frame: Frame,
    pub resolving: Option<Resolving>,
}

impl<'a> Invocation<'a> {
    /// Runs something as part of the lookup that is waiting for a host's answer, if one is.
    pub fn nested<T>(
        session: &'a Arc<Session>,
        host: &'a mut dyn Host,
        run: impl FnOnce(&mut Invocation<'_>) -> Result<T>,
    ) -> Result<T> {
        let frame = session.enter();
        let mut invocation = Invocation { session, host, frame, resolving: None };
        let result = run(&mut invocation);
        let frame = std::mem::take(&mut invocation.frame);
        session.leave(frame);
        result
    }

    /// Asks the host something during which it may look things up itself.
    pub fn ask<T>(&mut self, question: impl FnOnce(&mut dyn Host) -> T) -> T {
        self.session.park(std::mem::take(&mut self.frame));
        let answer = question(self.host);
        self.frame = self.session.unpark();
        answer
    }

    /// Runs something as one step of the explanation.
    pub fn step<T>(&mut self, what: impl FnOnce() -> What, run: impl FnOnce(&mut Self) -> T) -> T {
        if self.frame.explainer.is_none() {
            return run(self);
        }
        if let Some(explainer) = &mut self.frame.explainer {
            explainer.push(what());
        }
        let result = run(self);
        if let Some(explainer) = &mut self.frame.explainer {
            explainer.pop();
        }
        result
    }

    pub fn tell(&mut self, tell: impl FnOnce(&mut Explainer)) {
        if let Some(explainer) = &mut self.frame.explainer {
            tell(explainer);
        }
    }

    pub fn not_found(&mut self, key: &str) {
        self.tell(|explainer| explainer.outcome(Outcome::NotFound(key.into())));
    }

    pub fn found(&mut self, key: &str, value: &Value) {
        self.tell(|explainer| explainer.found(key.into(), value, Source::Data, None));
    }

    /// Runs something during which `name` is being looked up.
    pub fn check<T>(&mut self, name: Str, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        const DEEPEST: usize = 200;
        if self.frame.names.contains(&name) || self.frame.names.len() > DEEPEST {
            let names = self.frame.names.join(", ");
            return Err(Error::issue(RECURSIVE, format!("Recursive lookup detected in [{names}]")));
        }
        self.frame.names.push(name);
        let result = run(self);
        self.frame.names.pop();
        result.map_err(Error::leaving_layer)
    }

    /// The value of a variable; nothing if there is none and that is no error.
    pub fn variable(&mut self, name: &str, may_be_missing: bool) -> Result<Option<Value>> {
        if let Some(Resolving { local: Some((local, value)), .. }) = &self.resolving
            && local == name
        {
            return Ok(Some(value.clone()));
        }
        let (name, reason) = match self.host.variable(name) {
            Variable::Found(value) => return Ok(Some(value)),
            Variable::Undefined { .. } if may_be_missing => return Ok(None),
            Variable::Undefined { name, reason } => (name, reason),
        };
        let lenient = self.resolving.as_ref().is_some_and(|resolving| resolving.lenient);
        let message = match self.session.settings().strict {
            Strict::Off => return Ok(None),
            Strict::Error if lenient => {
                format!("Interpolation failed with '{name}', but compilation continuing; {reason}")
            }
            Strict::Error => {
                return Err(Error::caller(
                    "ARGUMENT_ERROR",
                    format!("Undefined variable '{name}'; {reason}"),
                ));
            }
            Strict::Warning => format!("Undefined variable '{name}'; {reason}"),
        };
        self.host.warn_once(&format!("Variable: {name}"), message, None);
        Ok(None)
    }

    /// Follows the parts of a dotted key into a value.
    pub fn dig(&mut self, key: &str, segments: &[Value], value: Value) -> Result<Option<Value>> {
        if segments.is_empty() {
            return Ok(Some(value));
        }
        let path = || segments.iter().map(crate::ruby::to_s).collect::<Vec<_>>().join(".");
        self.step(
            || What::SubKey(path()),
            |this| {
                let mut value = value;
                for segment in segments {
                    match this.step(|| What::Segment, |this| this.dig_once(key, segment, &value))? {
                        Some(next) => value = next,
                        None => return Ok(None),
                    }
                }
                Ok(Some(value))
            },
        )
    }

    fn dig_once(&mut self, key: &str, segment: &Value, value: &Value) -> Result<Option<Value>> {
        let next = match (value, segment) {
            (Value::Undef, _) => None,
            (Value::Array(array), Value::Integer(n)) => usize::try_from(*n).ok().and_then(|n| array.get(n)),
            (Value::Hash(hash), segment) => hash.get(segment),
            (other, segment) => {
                return Err(Error::data(format!(
                    "Data Provider type mismatch: Got {} when a hash-like object was expected to access value using '{}' from key '{key}'",
                    crate::ruby::class_name(other),
                    crate::ruby::to_s(segment),
                )));
            }
        };
        let name = crate::ruby::to_s(segment);
        match next {
            Some(next) => self.found(&name, next),
            None => self.not_found(&name),
        }
        Ok(next.cloned())
    }
}
