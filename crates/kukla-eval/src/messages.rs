//! Messages of a compilation: those of logging functions, warnings, deprecations.

use std::rc::Rc;

use kukla_syntax::{Diagnostic, Severity, Source};
use kukla_values::Budget;
use rustc_hash::FxHashSet;

use crate::error::Location;
use crate::settings::LogLevel;

/// The source of what Puppet says itself.
const PUPPET: &str = "Puppet";

/// A message from a logging function, a warning or a deprecation.
#[derive(Clone, Debug)]
pub struct Log {
    /// How urgent it is.
    pub level: LogLevel,
    /// The text.
    pub message: String,
    /// Where it comes from in Puppet's words: `Scope(Class[main])`, or `Puppet` for warnings.
    pub source: String,
    /// Where it comes from in the text, if that is part of the message.
    pub location: Option<Location>,
    /// The code of the rule, if it is a warning about one.
    pub issue: Option<&'static str>,
    /// The diagnostic itself, for source excerpts.
    pub rule: Option<Box<Diagnostic>>,
}

/// The messages of one compilation, as far as their levels are wanted.
#[derive(Debug)]
pub(crate) struct Messages {
    /// The lowest level that is kept.
    wanted: LogLevel,
    logs: Vec<Log>,
    /// The budget that messages are charged to.
    budget: Rc<Budget>,
    /// The keys of messages that are logged once.
    once: FxHashSet<String>,
}

/// The messages up to a moment.
#[derive(Debug)]
pub(crate) struct Mark {
    logs: usize,
    once: FxHashSet<String>,
}

impl Messages {
    pub fn new(wanted: LogLevel, budget: Rc<Budget>) -> Messages {
        Messages { wanted, logs: Vec::new(), budget, once: FxHashSet::default() }
    }

    /// All messages, in order.
    pub fn all(&self) -> &[Log] {
        &self.logs
    }

    /// Removes all messages and returns them, in order.
    pub fn take(&mut self) -> Vec<Log> {
        std::mem::take(&mut self.logs)
    }

    /// The messages so far.
    pub fn mark(&self) -> Mark {
        Mark { logs: self.logs.len(), once: self.once.clone() }
    }

    /// Drops the messages since then.
    pub fn return_to(&mut self, mark: Mark) {
        self.logs.truncate(mark.logs);
        self.once = mark.once;
    }

    /// Whether messages of a level are kept.
    pub fn wants(&self, level: LogLevel) -> bool {
        level >= self.wanted
    }

    /// Keeps a message if its level is wanted. One too many is not kept, and the evaluation ends with its next step.
    pub fn push(&mut self, log: Log) {
        if self.wants(log.level) && self.budget.note_log(log.message.len() + log.source.len()) {
            self.logs.push(log);
        }
    }

    /// Says something that has no place in the program.
    pub fn say(&mut self, level: LogLevel, message: String) {
        self.push(Log { level, message, source: PUPPET.into(), location: None, issue: None, rule: None });
    }

    /// Warns that a rule is broken at a place.
    pub fn warn_at(&mut self, location: Location, wrong: &Diagnostic) {
        let (level, source) = (LogLevel::Warning, PUPPET.into());
        let (message, issue) = (wrong.message(), Some(wrong.issue));
        let mut rule = Box::new(wrong.clone().in_source(&location.source).at(location.clone()));
        if rule.is_error() {
            rule.severity = Severity::Warning;
        }
        self.push(Log { level, message, source, location: Some(location), issue, rule: Some(rule) });
    }

    /// Warns of what is questionable in a text, though not wrong.
    pub fn warn_of(&mut self, source: &Source, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            let location = Location { source: source.clone(), span: diagnostic.span() };
            self.warn_at(location, &diagnostic);
        }
    }

    /// Whether no message was logged under this key yet; the next call returns `false`.
    pub fn is_first(&mut self, key: &str) -> bool {
        !self.once.contains(key) && self.once.insert(key.to_owned())
    }
}
