//! The state of one compilation: what runs the program and what functions are given.
//!
//! It has four parts. `Compilation` is the state that the whole compilation shares: environment, node, data, messages, the budget.
//! `Standpoint` is the current point of evaluation, which changes for the time of a closure only. [`Scopes`] has the variables.
//! [`CatalogBuilder`] has the catalog, and all of its logic that evaluates no code.
//!
//! # What a function may do
//!
//! A function written in Rust gets a `&mut Vm` and its arguments. Through it, it may
//!
//! - ask: [`Vm::environment`] (settings, modules), [`Vm::node`] (facts), [`Vm::world`] (files, the clock), [`Vm::variable`],
//!   [`Vm::parse_type`], [`Vm::lookup`], [`Vm::module`], [`Vm::calling_class`], [`Vm::caller`];
//! - call: [`Vm::call`] a function by name, [`Vm::call_block`] and [`Vm::try_block`] a block, [`Vm::render_epp`] a template;
//! - speak: [`Vm::log`], [`Vm::warn`], [`Vm::warn_at`], [`Vm::warn_once`], [`Vm::push_log`];
//! - change the catalog: [`Vm::include`], [`Vm::require`], [`Vm::contain`], [`Vm::create_resources`], [`Vm::realize`],
//!   [`Vm::tag`]; and look into it: [`Vm::defined`], [`Vm::declared`], [`Vm::declared_attribute`], [`Vm::tagged`];
//! - account for what it does: [`Vm::charge`] for steps, [`Vm::budget`] for all else. What a function gives is counted by the call;
//!   what can be far larger than what it was given, or takes long, it charges itself, before it begins.
//!
//! It returns errors without a position: the call that is being evaluated adds its own.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use kukla_syntax::{Diagnostic, Span};
use kukla_values::{Budget, Name, Value};
use kukla_world::World;
use kukla_world::record::{Record, Tracker};

use crate::annotations::Annotations;
use crate::catalog::{CatalogBuilder, Recorder};
use crate::compilation::Compilation;
use crate::environment::{Environment, Node};
use crate::error::{ForeignException, Frame, Location, Raise, Raised, Stage};
use crate::foreign::Guest;
use crate::messages::{Log, Mark};
use crate::scope::{ScopeId, ScopeKind, Scopes};
use crate::settings::LogLevel;
use crate::standpoint::Standpoint;
use crate::types::OpenTypes;

/// The state of one compilation.
#[derive(Debug)]
pub struct Vm<'e> {
    /// The state that the whole compilation shares.
    pub(crate) compilation: Compilation<'e>,
    /// The current point of evaluation.
    pub(crate) standpoint: Standpoint,
    /// All scopes.
    pub(crate) scopes: Scopes,
    /// The catalog being built.
    pub(crate) catalog: CatalogBuilder,
    /// Keeps how attributes get their values, if someone wants to know.
    pub(crate) recorder: Option<Box<Recorder>>,
    /// Where the time goes, if that is wanted.
    pub(crate) profile: Option<Box<crate::profile::Profile>>,
    /// The types that are being found out.
    pub(crate) open_types: OpenTypes,
    /// The text of templates being rendered, innermost last.
    pub(crate) output: Vec<Vec<Value>>,
    /// The state of another language's interpreter.
    pub(crate) guest: Guest,
    /// Memory for putting text together.
    pub(crate) scratch: String,
}

impl<'e> Vm<'e> {
    /// The state at the start of a compilation.
    pub fn new(environment: &'e Environment, node: &'e Node) -> Vm<'e> {
        Vm::with_budget(environment, node, Budget::new(environment.settings.limits))
    }

    /// The state at the start of a compilation that may use so much.
    pub fn with_budget(environment: &'e Environment, node: &'e Node, budget: Budget) -> Vm<'e> {
        let budget = Rc::new(budget);
        let mut scopes = Scopes::new();
        // The top scope is that of the class `main`.
        let top = &mut scopes.get_mut(ScopeId::TOP).variables;
        for (name, value) in [("module_name", ""), ("title", "main"), ("name", "main")] {
            top.set(Name::new(name), value.into());
        }
        Vm {
            compilation: Compilation::new(environment, node, Rc::clone(&budget)),
            standpoint: Standpoint::top(Arc::clone(&environment.empty_unit)),
            scopes,
            catalog: CatalogBuilder::new(budget),
            recorder: None,
            profile: None,
            open_types: OpenTypes::default(),
            output: Vec::new(),
            guest: Guest::default(),
            scratch: String::new(),
        }
    }

    /// The environment, shared with other compilations.
    #[inline]
    pub fn environment(&self) -> &'e Environment {
        self.compilation.environment()
    }

    /// The node the catalog is for.
    #[inline]
    pub fn node(&self) -> &'e Node {
        self.compilation.node()
    }

    /// Files, the clock and the like, for what this compilation alone asks of them.
    pub fn world(&self) -> &dyn World {
        self.compilation.world()
    }

    /// Records the inputs of the compilation, if the world is recorded.
    pub fn tracker(&self) -> Option<&Tracker<'e>> {
        self.compilation.tracker()
    }

    /// Does something that wants to know no more of `$facts` than one of them, if one is named.
    pub fn wanting_fact<T>(&mut self, fact: Option<&str>, ask: impl FnOnce(&mut Self) -> T) -> T {
        let Some(tracker) = self.tracker().filter(|_| fact.is_some()) else { return ask(self) };
        tracker.want_fact(fact);
        let answer = ask(self);
        if let Some(tracker) = self.tracker() {
            tracker.want_fact(None);
        }
        answer
    }

    /// The inputs of the compilation so far; `None` unless the world is recorded.
    pub fn take_record(&mut self) -> Option<Record> {
        self.compilation.take_record()
    }

    /// The annotations of values.
    pub fn annotations(&self) -> &Annotations {
        self.compilation.annotations()
    }

    /// The annotations of values, mutable.
    pub fn annotations_mut(&mut self) -> &mut Annotations {
        self.compilation.annotations_mut()
    }

    /// The module whose code is being evaluated.
    pub fn module(&self) -> Option<Name> {
        self.scopes.get(self.scope()).module
    }

    /// Whether code outside of classes, defines and node definitions is being evaluated.
    pub fn is_at_top(&self) -> bool {
        self.scope() == ScopeId::TOP
    }

    /// The files and lines of the calls that are going on, the one being made first, as Puppet's own stack has them: what is evaluated
    /// after the manifests has nothing around it.
    pub fn stack(&self) -> impl Iterator<Item = (Option<&str>, u32)> {
        self.standpoint.stack()
    }

    /// The place of a span in the text being evaluated.
    pub fn location(&self, span: Span) -> Location {
        self.unit().location(span)
    }

    /// The place of the call being made.
    pub fn call_location(&self) -> Location {
        self.location(self.call_span())
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
        if failure.position.is_some() || failure.stage == Stage::Data {
            return failure;
        }
        if failure.stage != Stage::Foreign(ForeignException::Fatal) {
            failure.frame = frame;
        }
        failure.trace = self.standpoint.trace();
        failure.within = self.catalog.containers(self.scope());
        failure.at(self.location(span))
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

    /// Logs a message with the current scope as its source.
    pub fn log(&mut self, level: LogLevel, message: impl Into<String>) {
        // Most messages of functions are for a debugging that is off.
        if !self.compilation.messages().wants(level) {
            return;
        }
        let source = self.scope_label();
        self.push_log(Log {
            level,
            message: message.into(),
            source,
            location: None,
            issue: None,
            rule: None,
        });
    }

    /// Warns about something at a place, as Puppet itself does.
    pub fn warn_at(&mut self, span: Span, wrong: &Diagnostic) {
        let location = self.location(span);
        self.compilation.messages_mut().warn_at(location, wrong);
    }

    /// Warns about something that has no place in the program.
    pub fn warn(&mut self, message: impl Into<String>) {
        self.compilation.messages_mut().say(LogLevel::Warning, message.into());
    }

    /// Reports an error that does not end the compilation.
    pub fn complain(&mut self, message: impl Into<String>) {
        self.compilation.messages_mut().say(LogLevel::Err, message.into());
    }

    /// Warns once per compilation about the same thing.
    pub fn warn_once(&mut self, key: &str, message: impl Into<String>) {
        if self.is_first(key) {
            self.warn(message);
        }
    }

    /// Whether no message was logged under this key yet; the next call returns `false`.
    pub fn is_first(&mut self, key: &str) -> bool {
        self.compilation.messages_mut().is_first(key)
    }

    /// Logs what was questionable in a text that could not be read.
    pub fn log_warnings_of(&mut self, failure: &Diagnostic) {
        if let Some(location) = failure.location() {
            self.compilation.messages_mut().warn_of(&location.source, failure.warnings.iter().cloned());
        }
    }

    /// Keeps a message if its level is wanted.
    pub fn push_log(&mut self, log: Log) {
        self.compilation.messages_mut().push(log);
    }

    pub(crate) fn messages_mark(&self) -> Mark {
        self.compilation.messages().mark()
    }

    pub(crate) fn unsay(&mut self, mark: Mark) {
        self.compilation.messages_mut().return_to(mark);
    }

    /// The messages so far.
    pub fn logs(&self) -> &[Log] {
        self.compilation.messages().all()
    }

    /// The messages so far, without the secrets they may mention, which are then forgotten.
    pub fn take_logs(&mut self) -> Vec<Log> {
        self.compilation.take_logs()
    }

    /// Takes secrets that the data gave out of a text.
    pub fn redact(&self, text: &mut String) {
        self.compilation.redact(text);
    }

    /// The current scope, as logs name it: `Scope(Class[main])`.
    pub fn scope_label(&self) -> String {
        let scope = self.scopes.get(self.scope());
        match (&scope.label, scope.kind) {
            (Some(label), _) => format!("Scope({label})"),
            (None, ScopeKind::Class(name)) => {
                format!("Scope(Class[{}])", kukla_values::types::capitalize(&name))
            }
            (None, ScopeKind::Node) => format!("Scope(Node[{}])", self.node().name),
            (None, _) => "Scope(Class[main])".to_owned(),
        }
    }
}
