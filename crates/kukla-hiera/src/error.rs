//! Why a lookup failed.

use std::fmt;

use kukla_syntax::{Diagnostic, Label, SourcePosition, Stage, diagnostic};

use crate::codes::{GLOBAL_LOOKUP_FAILED, RECURSIVE_LOOKUP};

/// The result of something that may fail as a lookup does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a lookup failed: what is wrong, and how far it has come.
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    diagnostic: Box<Diagnostic>,
}

/// How far an error has come. Puppet turns some into others on their way out, which decides how they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An error of the data or its configuration; reported as it is.
    Data,
    /// An error that becomes one of the data when it leaves a layer; outside of all layers it belongs to the caller.
    Plain,
    /// An error of the caller, whatever it passes through: an undefined variable, a bad argument.
    Caller,
}

impl Error {
    /// An error that has come this far.
    pub fn new(kind: ErrorKind, diagnostic: impl Into<Box<Diagnostic>>) -> Error {
        Error { kind, diagnostic: diagnostic.into() }
    }

    /// An error of the data.
    pub fn data(diagnostic: Diagnostic) -> Error {
        Error::new(ErrorKind::Data, diagnostic)
    }

    /// An error that becomes one of the data on its way out.
    pub fn plain(diagnostic: Diagnostic) -> Error {
        Error::new(ErrorKind::Plain, diagnostic)
    }

    /// An error of the caller.
    pub fn caller(diagnostic: Diagnostic) -> Error {
        Error::new(ErrorKind::Caller, diagnostic)
    }

    /// Names the file at fault, and the line if known.
    #[must_use]
    pub fn at(mut self, file: &str, line: Option<u32>) -> Error {
        self.diagnostic.position = Some(SourcePosition::line_of(file, line));
        self
    }

    /// Adds something that might help.
    #[must_use]
    pub fn with_hint(mut self, hint: String) -> Error {
        self.diagnostic.hints.push(hint);
        self
    }

    /// Adds where in data the mistake is, unless something is known that is nearer to it.
    #[must_use]
    pub(crate) fn in_data(mut self, key: &str, file: &str, line: Option<u32>) -> Error {
        let known = &self.diagnostic;
        if known.shown_position().is_none() && known.labels.is_empty() {
            let label = Label {
                position: SourcePosition::line_of(file, line),
                message: format!("the value of '{key}'"),
            };
            self.diagnostic.labels.push(label);
        }
        self
    }

    /// Names the position of the mistake in a hint instead of a label, because a source excerpt would show a secret.
    #[must_use]
    pub(crate) fn without_excerpt(mut self) -> Error {
        for Label { position: place, message } in std::mem::take(&mut self.diagnostic.labels) {
            let line = place.line().map(|line| format!(", line {line}")).unwrap_or_default();
            self.diagnostic
                .hints
                .push(format!("{message} is in {}{line}", place.file().unwrap_or("the data")));
        }
        self
    }

    /// How far the error has come.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether Puppet has no name for the issue.
    pub fn is_nameless(&self) -> bool {
        self.diagnostic.issue == LOOKUP_ERROR
    }

    /// The diagnostic.
    pub fn diagnostic(&self) -> &Diagnostic {
        &self.diagnostic
    }

    /// The diagnostic, as an error of the stage where it comes out.
    pub fn into_diagnostic(mut self) -> Box<Diagnostic> {
        if self.kind == ErrorKind::Data {
            self.diagnostic.stage = Stage::Data;
        } else {
            // The file at fault is not the place that the caller's error is reported at.
            let place = self.diagnostic.position.take();
            let label = |place| Label { position: place, message: String::new() };
            self.diagnostic.labels.extend(place.map(label));
        }
        self.diagnostic
    }

    /// The message, without its place.
    pub fn message(&self) -> String {
        self.diagnostic.message()
    }

    /// The error as it leaves a layer.
    pub(crate) fn leaving_layer(mut self) -> Error {
        if self.kind == ErrorKind::Plain {
            self.kind = ErrorKind::Data;
            self.diagnostic.issue = LOOKUP_ERROR;
        }
        self
    }

    /// The error as it leaves the global layer.
    pub(crate) fn leaving_global(self, key: &str) -> Error {
        if self.kind != ErrorKind::Data || !(self.is_nameless() || self.diagnostic.is(&RECURSIVE_LOOKUP)) {
            return self;
        }
        Error::new(ErrorKind::Plain, diagnostic!(GLOBAL_LOOKUP_FAILED { key }).because(self.diagnostic))
    }
}

/// The issue under which Puppet reports everything about data that it has no name for.
const LOOKUP_ERROR: &str = "LOOKUP_ERROR";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}: {}", self.kind, self.diagnostic.issue, self.diagnostic)
    }
}

impl std::error::Error for Error {}

impl From<kukla_values::Error> for Error {
    fn from(error: kukla_values::Error) -> Error {
        Error::new(ErrorKind::Plain, error.into_diagnostic())
    }
}
