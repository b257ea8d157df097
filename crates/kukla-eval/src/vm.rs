//! The state of one compilation.

use std::borrow::Cow;
use std::sync::Arc;

use kukla_syntax::{Diagnostic, Source, Span, diagnostic};
use kukla_values::{Name, Type, Value};
use kukla_world::World;
use kukla_world::record::{Record, Tracker};
use rustc_hash::FxHashSet;

use crate::annotations::Annotations;
use crate::catalog::{CatalogBuilder, Recorder};
use crate::codes::EVALUATION_LIMIT;
use crate::data::Data;
use crate::environment::{Environment, Node};
use crate::error::{Flow, Frame, Location, Raise, Raised, Stage, Trace};
use crate::remark::Said;
use crate::scope::{Position, ScopeId, ScopeKind, Scopes};
use crate::settings::{Limits, LogLevel};
use crate::unit::Unit;
use crate::variable::Defaulting;

/// A message from a logging function, a warning or a deprecation.
#[derive(Clone, Debug)]
pub struct Log {
    /// How urgent it is.
    pub level: LogLevel,
    /// What it says.
    pub message: String,
    /// Where it comes from in Puppet's words: `Scope(Class[main])`, or `Puppet` for warnings.
    pub source: String,
    /// Where it comes from in the text, if that is part of the message.
    pub location: Option<Location>,
    /// The code of the rule, if it is a warning about one.
    pub issue: Option<&'static str>,
}

/// One call that is going on.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub name: Name,
    /// Where it is called from.
    pub location: Location,
}

/// The state of one compilation.
#[derive(Debug)]
pub struct Vm<'e> {
    /// What is shared with other compilations.
    pub environment: &'e Environment,
    /// The node the catalog is for.
    pub node: &'e Node,
    /// Notes what the compilation rests on, if the world is recorded.
    pub tracker: Option<Tracker<'e>>,
    /// The data, if there is any.
    pub data: Option<Box<dyn Data>>,
    /// The catalog being built.
    pub catalog: CatalogBuilder,
    /// Keeps how attributes get their values, if someone wants to know.
    pub recorder: Option<Box<Recorder>>,
    /// All scopes.
    pub scopes: Scopes,
    /// Where evaluation stands.
    pub at: Position,
    /// The unit being evaluated.
    pub unit: Arc<Unit>,
    /// The calls that are going on, outermost first.
    pub calls: Vec<Call>,
    /// Where the calls that are going on were made, those of built-in functions that run code included, outermost first.
    pub(crate) frames: Vec<Location>,
    /// The manifest whose own code is being evaluated.
    pub(crate) manifest: Option<Source>,
    /// What was logged.
    pub logs: Vec<Log>,
    /// How much may be used.
    pub limits: Limits,
    /// The text of templates being rendered, innermost last.
    pub(crate) output: Vec<Vec<Value>>,
    /// The place of the call being made.
    pub(crate) call_span: Span,
    /// The parameter whose default is being evaluated.
    pub(crate) defaulting: Option<Defaulting>,
    /// The type aliases being resolved.
    pub(crate) resolving: Vec<Name>,
    /// What is attached to values.
    pub annotations: Annotations,
    /// Members of the sets of types that are being read, under their short names in lower case.
    pub(crate) members: Vec<(Name, Type)>,
    pub(crate) depth: u32,
    /// How deep expressions are nested at this point.
    pub(crate) nesting: u32,
    /// Decides when the nesting of a value is looked at.
    pub(crate) chance: u64,
    /// Memory for putting text together.
    pub(crate) scratch: String,
    pub(crate) steps: u64,
    warned: FxHashSet<String>,
    pub(crate) said: Said,
}

impl<'e> Vm<'e> {
    /// The state at the start of a compilation.
    pub fn new(environment: &'e Environment, node: &'e Node) -> Vm<'e> {
        let mut scopes = Scopes::new();
        // The top scope is that of the class `main`.
        let top = &mut scopes.get_mut(ScopeId::TOP).variables;
        for name in ["title", "name"] {
            top.set(Name::new(name), "main".into());
        }
        Vm {
            environment,
            node,
            tracker: Tracker::new(&*environment.world),
            data: None,
            catalog: CatalogBuilder::default(),
            recorder: None,
            scopes,
            at: Position::named(ScopeId::TOP),
            unit: Arc::clone(&environment.nowhere),
            calls: Vec::new(),
            frames: Vec::new(),
            manifest: None,
            logs: Vec::new(),
            limits: environment.settings.limits,
            output: Vec::new(),
            call_span: Span::default(),
            defaulting: None,
            resolving: Vec::new(),
            annotations: Annotations::default(),
            members: Vec::new(),
            depth: 0,
            nesting: 0,
            chance: 1,
            scratch: String::new(),
            steps: 0,
            warned: FxHashSet::default(),
            said: Said::default(),
        }
    }

    /// Files, the clock and the like, for what this compilation alone asks of them.
    pub fn world(&self) -> &dyn World {
        match &self.tracker {
            Some(tracker) => tracker,
            None => &*self.environment.world,
        }
    }

    /// What the compilation rests on so far; `None` unless the world is recorded.
    pub fn take_record(&mut self) -> Option<Record> {
        let tracker = self.tracker.take()?;
        tracker.used(&self.environment.inputs());
        Some(tracker.into_record())
    }

    /// The file and line one call further out than the one being made, as Puppet's own stack has it: what is evaluated after the
    /// manifests has nothing around it.
    pub fn outer_call(&self) -> Option<(Option<&str>, u32)> {
        let around = match self.frames.split_last() {
            // A function that was given a block stands there itself.
            Some((own, around))
                if own.span == self.call_span && own.source.name() == self.unit.source.name() =>
            {
                around.last()
            }
            last => last.map(|(frame, _)| frame),
        };
        match (around, &self.manifest) {
            (Some(frame), _) => Some((frame.file(), frame.line())),
            (None, Some(manifest)) => Some((manifest.name(), 0)),
            (None, None) => None,
        }
    }

    /// The place of a span in the text being evaluated.
    pub fn location(&self, span: Span) -> Location {
        self.unit.location(span)
    }

    /// The place of the call being made.
    pub fn call_location(&self) -> Location {
        self.location(self.call_span)
    }

    /// The error for a rule broken at a place of the text being evaluated.
    #[cold]
    pub fn fail(&self, span: Span, wrong: Diagnostic) -> Raise {
        self.located(wrong, span).into()
    }

    /// A failure at a place of the text being evaluated, with the calls that led there.
    #[cold]
    pub(crate) fn located(&self, failure: Diagnostic, span: Span) -> Diagnostic {
        // What is wrong with data has no place in the program.
        self.framed(failure, span, Frame::Rule)
    }

    fn framed(&self, mut failure: Diagnostic, span: Span, frame: Frame) -> Diagnostic {
        if failure.place.is_some() || failure.stage == Stage::Data {
            return failure;
        }
        failure.frame = frame;
        failure.trace = self.trace();
        failure.within = self.containers();
        failure.at(self.location(span))
    }

    fn trace(&self) -> Vec<Trace> {
        let of = |call: &Call| Trace {
            what: format!("while calling {}", call.name),
            location: call.location.clone(),
        };
        self.calls.iter().rev().map(of).collect()
    }

    /// Gives an error without a place the place of a rule: its message is final.
    #[cold]
    pub(crate) fn at(&self, raise: impl Into<Raise>, span: Span) -> Raise {
        match raise.into().into_reason() {
            Raised::Error(failure) => self.located(*failure, span).into(),
            other => other.into(),
        }
    }

    /// Gives an error without a place that of the construct being evaluated, in Puppet's words: "Error while evaluating a
    /// Function Call, ...".
    #[cold]
    pub(crate) fn while_evaluating(
        &self,
        raise: impl Into<Raise>,
        span: Span,
        construct: impl Into<Cow<'static, str>>,
    ) -> Raise {
        match raise.into().into_reason() {
            Raised::Error(failure) => self.framed(*failure, span, Frame::Construct(construct.into())).into(),
            other => other.into(),
        }
    }

    /// Logs a message as coming from the scope where evaluation stands.
    pub fn log(&mut self, level: LogLevel, message: impl Into<String>) {
        let source = self.scope_label();
        self.push_log(Log { level, message: message.into(), source, location: None, issue: None });
    }

    /// Warns about something at a place, as Puppet itself does.
    pub fn warn_at(&mut self, span: Span, wrong: &Diagnostic) {
        let log = Log {
            level: LogLevel::Warning,
            message: wrong.message(),
            source: "Puppet".into(),
            location: Some(self.location(span)),
            issue: Some(wrong.issue),
        };
        self.push_log(log);
    }

    /// Warns about something that has no place in the program.
    pub fn warn(&mut self, message: impl Into<String>) {
        self.say(LogLevel::Warning, message.into());
    }

    /// Reports an error that does not end the compilation.
    pub fn complain(&mut self, message: impl Into<String>) {
        self.say(LogLevel::Err, message.into());
    }

    fn say(&mut self, level: LogLevel, message: String) {
        self.push_log(Log { level, message, source: "Puppet".into(), location: None, issue: None });
    }

    /// Warns once per compilation about the same thing.
    pub fn warn_once(&mut self, key: &str, message: impl Into<String>) {
        if self.is_first(key) {
            self.warn(message);
        }
    }

    /// Whether nothing was said yet under this key, which now counts as said.
    pub fn is_first(&mut self, key: &str) -> bool {
        !self.warned.contains(key) && self.warned.insert(key.to_owned())
    }

    /// Logs what was questionable in a text, though not wrong.
    pub fn log_diagnostics(&mut self, source: &Source, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            let location = Some(Location { source: source.clone(), span: diagnostic.span() });
            let (level, issue) = (LogLevel::Warning, Some(diagnostic.issue));
            let message = diagnostic.message();
            self.push_log(Log { level, message, source: "Puppet".into(), location, issue });
        }
    }

    /// Logs what was questionable in a text that could not be read.
    pub fn log_warnings_of(&mut self, failure: &Diagnostic) {
        if let Some(location) = failure.location() {
            let source = location.source.clone();
            self.log_diagnostics(&source, failure.warnings.iter().cloned());
        }
    }

    /// Does something elsewhere: at a position, in a unit.
    #[inline]
    pub(crate) fn inside<T>(
        &mut self,
        unit: &Arc<Unit>,
        at: Position,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outside =
            (std::mem::replace(&mut self.at, at), std::mem::replace(&mut self.unit, Arc::clone(unit)));
        let result = body(self);
        (self.at, self.unit) = outside;
        result
    }

    /// Keeps a message if its level is wanted.
    pub fn push_log(&mut self, log: Log) {
        if log.level >= self.environment.settings.log_level {
            self.logs.push(log);
        }
    }

    /// The scope where evaluation stands, as logs name it: `Scope(Class[main])`.
    pub fn scope_label(&self) -> String {
        let scope = self.scopes.get(self.at.scope);
        match (&scope.label, scope.kind) {
            (Some(label), _) => format!("Scope({label})"),
            (None, ScopeKind::Class(name)) => {
                format!("Scope(Class[{}])", kukla_values::types::capitalize(&name))
            }
            (None, ScopeKind::Node) => format!("Scope(Node[{}])", self.node.name),
            (None, _) => "Scope(Class[main])".to_owned(),
        }
    }

    /// Counts work done; an error once there was too much of it.
    #[inline]
    pub fn charge(&mut self, steps: u64) -> Flow<()> {
        self.steps += steps;
        if self.limits.steps != 0 && self.steps > self.limits.steps {
            return Err(self.exhausted());
        }
        Ok(())
    }

    #[cold]
    fn exhausted(&self) -> Raise {
        let limit = self.limits.steps;
        diagnostic!(EVALUATION_LIMIT { limit }; hint: "the setting limit_steps raises it").into()
    }
}
