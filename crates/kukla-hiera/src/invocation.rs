//! A lookup in progress: its keys, the lookups around it, and its explanation.

use std::sync::Arc;

use kukla_syntax::{Strict, diagnostic};
use kukla_values::{Hash, Str, Value};

use crate::codes::{KEY_INTO_SCALAR, RECURSIVE_LOOKUP, UNDEFINED_DATA_VARIABLE};
use crate::error::{Error, Result};
use crate::explain::{Action, Explainer, Outcome, Source};
use crate::host::{Host, Variable};
use crate::reads::{Needs, Reads};
use crate::session::{LookupHit, Session, ValueOrigin};

/// The state of one lookup.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    pub explainer: Option<Explainer>,
    pub overrides: Option<Hash>,
    pub defaults: Option<Hash>,
    /// The keys being looked up, to notice when one comes up again.
    pub names: Vec<Str>,
    pub top_key: Str,
    pub module: Option<Str>,
    pub global_only: bool,
    /// Whether one of the old functions asks.
    pub hiera_function: bool,
    /// The paths that it searches before the hierarchy of version 3.
    pub extra_paths: Vec<Str>,
    /// Whether a configuration of version 3 is being searched, which sees variables in a way of its own.
    pub version_3: bool,
    pub origins: Vec<Arc<ValueOrigin>>,
    /// The origins of what was interpolated into the value that is being read.
    pub interpolated: Vec<Arc<ValueOrigin>>,
    /// The dependencies of the answer.
    pub needs: Needs,
    /// The `lookup_options` of the key that was looked up last.
    pub options: Option<Hash>,
}

impl Frame {
    /// The value that wins over all data for a name.
    pub fn overriding(&self, name: &str) -> Option<&Value> {
        self.overrides.as_ref()?.get(name)
    }

    /// The default for a name that is not found.
    pub fn defaulting(&self, name: &str) -> Option<&Value> {
        self.defaults.as_ref()?.get(name)
    }

    /// A value with what became known of it.
    pub fn found(&mut self, value: Value) -> LookupHit {
        let (origins, options) = (std::mem::take(&mut self.origins), std::mem::take(&mut self.options));
        LookupHit { value, origins, options }
    }
}

/// The additional state while a hierarchy is resolved.
#[derive(Debug, Default)]
pub(crate) struct Resolving {
    pub reads: Reads,
    /// Whether an undefined variable is a warning at most.
    pub lenient: bool,
    /// A variable of `mapped_paths`.
    pub local: Option<(Str, Value)>,
}

/// A lookup with everything it may ask.
pub(crate) struct Invocation<'a> {
    pub session: &'a mut Session,
    pub host: &'a mut dyn Host,
    pub frame: Frame,
    pub resolving: Option<Resolving>,
}

impl<'a> Invocation<'a> {
    /// Runs something as part of the lookup that is waiting for a host's answer, if one is.
    pub fn nested<T>(
        session: &'a mut Session,
        host: &'a mut dyn Host,
        run: impl FnOnce(&mut Invocation<'_>) -> Result<T>,
    ) -> Result<T> {
        let frame = session.enter();
        let mut invocation = Invocation { session, host, frame, resolving: None };
        let result = run(&mut invocation);
        let frame = std::mem::take(&mut invocation.frame);
        invocation.session.leave(frame);
        result
    }

    /// Asks the host something during which it may look things up itself.
    pub fn ask<T>(&mut self, question: impl FnOnce(&mut dyn Host, &mut Session) -> T) -> T {
        self.session.park(std::mem::take(&mut self.frame));
        let answer = question(self.host, self.session);
        self.frame = self.session.unpark();
        answer
    }

    /// Runs something as one step of the explanation.
    pub fn step<T>(&mut self, what: impl FnOnce() -> Action, run: impl FnOnce(&mut Self) -> T) -> T {
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
            return Err(Error::data(diagnostic!(RECURSIVE_LOOKUP { names })));
        }
        self.frame.names.push(name);
        let result = run(self);
        self.frame.names.pop();
        result.map_err(Error::leaving_layer)
    }

    /// Runs something and says what its result depends on.
    pub fn needing<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, Needs) {
        let outer = std::mem::take(&mut self.frame.needs);
        let result = run(self);
        let needs = std::mem::replace(&mut self.frame.needs, outer).with_own_reads();
        self.frame.needs.absorb(&needs);
        (result, needs)
    }

    /// Says that a warning is given: what is found is not for other compilations, which must warn as well.
    pub fn warned(&mut self) {
        self.frame.needs.fickle = true;
        self.session.mark_noisy();
    }

    /// The value of a variable, of which the part under `segments` is needed; nothing if it is undefined and that is allowed.
    pub fn variable(
        &mut self,
        name: &str,
        segments: &[Value],
        may_be_missing: bool,
    ) -> Result<Option<Value>> {
        if let Some(Resolving { local: Some((local, value)), .. }) = &self.resolving
            && local == name
        {
            return Ok(Some(value.clone()));
        }
        let is_old = self.frame.version_3;
        if is_old && let "calling_class" | "calling_class_path" = name {
            let class = self.host.calling_class();
            let separator = if name == "calling_class" { "::" } else { "/" };
            return Ok(class.map(|class| class.replace("::", separator).into()));
        }
        let asked = if is_old && name == "calling_module" { "module_name" } else { name };
        let (name, reason) = match self.host.variable_part(asked, segments) {
            Variable::Found(Value::String(text)) if is_old && text.is_empty() => return Ok(None),
            Variable::Found(value) => return Ok(Some(value)),
            Variable::Undefined { .. } if may_be_missing => return Ok(None),
            Variable::Undefined { name, reason } => (name, reason),
        };
        let lenient = !is_old && self.resolving.as_ref().is_some_and(|resolving| resolving.lenient);
        let message = match self.session.settings().strict {
            Strict::Off => return Ok(None),
            Strict::Error if lenient => {
                format!("Interpolation failed with '{name}', but compilation continuing; {reason}")
            }
            Strict::Error => {
                let mut wrong = diagnostic!(UNDEFINED_DATA_VARIABLE { name, reason });
                if let Some((method, key)) = name.trim_end_matches(')').split_once('(') {
                    let key = key.trim_matches(['\'', '"']);
                    wrong
                        .hints
                        .push(format!("the key of a method is quoted: write `%{{{method}('{key}')}}`"));
                }
                return Err(Error::caller(wrong));
            }
            Strict::Warning => format!("Undefined variable '{name}'; {reason}"),
        };
        self.warned();
        self.host.warn_once(&format!("Variable: {name}"), message, None);
        Ok(None)
    }

    /// Follows the parts of a dotted key into a value.
    pub fn dig(&mut self, key: &str, segments: &[Value], value: Value) -> Result<Option<Value>> {
        if segments.is_empty() {
            return Ok(Some(value));
        }
        let path = || segments.iter().map(kukla_values::format::to_s).collect::<Vec<_>>().join(".");
        self.step(
            || Action::SubKey(path()),
            |this| {
                let mut value = value;
                for segment in segments {
                    match this.step(|| Action::Segment, |this| this.dig_once(key, segment, &value))? {
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
                let actual = kukla_values::format::class_name(other);
                let segment = kukla_values::format::to_s(segment);
                return Err(Error::data(diagnostic!(KEY_INTO_SCALAR { actual, segment, key })));
            }
        };
        let name = kukla_values::format::to_s(segment);
        match next {
            Some(next) => self.found(&name, next),
            None => self.not_found(&name),
        }
        Ok(next.cloned())
    }
}
