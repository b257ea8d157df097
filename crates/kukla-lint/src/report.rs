//! Findings, as rules report them.

use kukla_syntax::{Code, Severity};

use crate::manifest::Manifest;
use crate::token::{At, Token};

/// A change of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The offset of the first byte that is replaced.
    pub start: usize,
    /// The offset after the last one.
    pub end: usize,
    /// The replacement.
    pub text: String,
}

/// A finding of a rule.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule, with the message.
    pub code: &'static Code,
    /// Its severity here.
    pub severity: Severity,
    /// Values that the message names.
    pub facts: Vec<(&'static str, String)>,
    /// Its line, counted from one.
    pub line: u32,
    /// Its column, counted from one.
    pub column: u32,
    /// The offsets of the text at fault.
    pub start: u32,
    /// The offset after it.
    pub end: u32,
    /// The changes that fix it, which belong together; none if there is no fix here.
    pub fix: Vec<Edit>,
    /// The reason of the comment that suppresses it.
    pub ignored: Option<String>,
}

impl Finding {
    /// Its message.
    pub fn message(&self) -> String {
        let mut message = self.code.message.to_owned();
        for (name, value) in &self.facts {
            message = message.replace(&format!("{{{name}}}"), value);
        }
        message
    }

    /// Adds a value that the message names.
    pub fn fact(&mut self, name: &'static str, value: impl ToString) -> &mut Finding {
        self.facts.push((name, value.to_string()));
        self
    }

    /// Sets the severity.
    pub fn severity(&mut self, severity: Severity) -> &mut Finding {
        self.severity = severity;
        self
    }

    /// Sets the changes that fix it.
    pub fn fixed_by(&mut self, edits: impl IntoIterator<Item = Edit>) -> &mut Finding {
        self.fix = edits.into_iter().collect();
        self
    }
}

impl Edit {
    /// Replaces a token.
    pub fn replace(token: &Token<'_>, text: impl Into<String>) -> Edit {
        Edit { start: token.start(), end: token.end(), text: text.into() }
    }

    /// Removes a token.
    pub fn remove(token: &Token<'_>) -> Edit {
        Edit::replace(token, "")
    }

    /// Inserts text before a token.
    pub fn before(token: &Token<'_>, text: impl Into<String>) -> Edit {
        Edit { start: token.start(), end: token.start(), text: text.into() }
    }

    /// Inserts text after a token.
    pub fn after(token: &Token<'_>, text: impl Into<String>) -> Edit {
        Edit { start: token.end(), end: token.end(), text: text.into() }
    }

    /// Replaces the text between two offsets.
    pub fn between(start: usize, end: usize, text: impl Into<String>) -> Edit {
        Edit { start, end, text: text.into() }
    }
}

/// The findings of one text.
#[derive(Debug, Default)]
pub struct Report {
    /// The findings, in the order of the rules.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Reports a token.
    pub fn at(&mut self, manifest: &Manifest<'_>, at: At, code: &'static Code) -> &mut Finding {
        let token = manifest.get(at);
        self.push(code, token.line, token.column, token.start, token.end)
    }

    /// Reports a position.
    pub fn push(
        &mut self,
        code: &'static Code,
        line: u32,
        column: u32,
        start: u32,
        end: u32,
    ) -> &mut Finding {
        self.findings.push(Finding {
            code,
            severity: code.severity,
            facts: Vec::new(),
            line,
            column,
            start,
            end,
            fix: Vec::new(),
            ignored: None,
        });
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }
}
