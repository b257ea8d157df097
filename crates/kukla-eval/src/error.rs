//! Why an evaluation stopped before its end: an error, or `next`, `break` and `return` on their way to where they lead.

use std::fmt;

use kukla_syntax::{Diagnostic, Source, Span};
use kukla_values::Value;

/// Why an evaluation stopped before its end. One pointer wide, so that a [`Flow`] is as small as a value.
#[derive(Debug)]
pub struct Raise(Box<Raised>);

/// The reasons for which an evaluation stops before its end.
#[derive(Debug)]
pub enum Raised {
    /// Something is wrong.
    Error(Failure),
    /// `next(value)`: the lambda or function gives this value.
    Next(Value, Option<Location>),
    /// `break()`: the iteration ends.
    Break(Option<Location>),
    /// `return(value)`: the function, class or define ends.
    Return(Value, Option<Location>),
}

/// The result of evaluating something.
pub type Flow<T = Value> = Result<T, Raise>;

/// A place in a source text.
#[derive(Clone, Debug)]
pub struct Location {
    /// The text.
    pub source: Source,
    /// The place in it.
    pub span: Span,
}

impl Location {
    /// The line, counted from one.
    pub fn line(&self) -> u32 {
        self.source.line_column(self.span.point).line
    }

    /// The name of the file, if it is one.
    pub fn file(&self) -> Option<&str> {
        self.source.name()
    }
}

impl Raised {
    /// The error for `next`, `break` or `return` where there is nothing to leave; other reasons stay what they are.
    pub fn illegal(self) -> Raised {
        let (word, location) = match self {
            Raised::Error(_) => return self,
            Raised::Next(_, location) => ("next", location),
            Raised::Break(location) => ("break", location),
            Raised::Return(_, location) => ("return", location),
        };
        let mut failure = Failure::new("PARSE_ERROR", format!("{word}() from context where this is illegal"));
        failure.location = location;
        failure.no_column = true;
        Raised::Error(failure)
    }
}

/// In which stage something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Reading tokens and the tree.
    Syntax,
    /// A well-formed tree that breaks a static rule.
    Validation,
    /// Evaluating.
    Evaluation,
    /// Looking up data.
    Data,
}

impl FailureKind {
    /// Its name in the machine interface.
    pub const fn name(self) -> &'static str {
        match self {
            FailureKind::Syntax => "syntax",
            FailureKind::Validation => "validation",
            FailureKind::Evaluation => "evaluation",
            FailureKind::Data => "data",
        }
    }
}

/// What was going on when something went wrong.
#[derive(Clone, Debug)]
pub struct Trace {
    /// In words: "while calling f", "while declaring `Ntp::Server[a]`".
    pub what: String,
    /// Where.
    pub location: Location,
}

/// Something that is wrong: which rule, where, in which words, what might help, and what was going on.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Puppet's issue code, or a finer one of ours.
    pub code: &'static str,
    /// The stage.
    pub kind: FailureKind,
    /// The message as Puppet words it, without file and line. Once located it begins with "Evaluation Error: ".
    pub message: String,
    /// Where; set when the failure leaves the expression that is at fault.
    pub location: Option<Location>,
    /// The configuration of data that is at fault, or the class whose parameter asks for what is not there; the file and the line
    /// where known.
    pub data_file: Option<Box<(Option<String>, Option<u32>)>>,
    /// Only the line is known, as for what Puppet raises with a line but no column.
    pub no_column: bool,
    /// What might help.
    pub hints: Vec<String>,
    /// What was going on, innermost first.
    pub trace: Vec<Trace>,
    /// The resources whose code this is, innermost first: a define, the class it stands in, the class that includes that one.
    pub within: Vec<String>,
    /// Further failures reported together with this one.
    pub others: Vec<Failure>,
    /// What was questionable in the text that is at fault, to be logged before.
    pub warnings: Vec<Diagnostic>,
}

impl Failure {
    /// A failure whose place is not known yet.
    pub fn new(code: &'static str, message: impl Into<String>) -> Failure {
        Failure {
            code,
            kind: FailureKind::Evaluation,
            message: message.into(),
            location: None,
            data_file: None,
            no_column: false,
            hints: Vec::new(),
            trace: Vec::new(),
            within: Vec::new(),
            others: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds something that might help.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hints.push(hint.into());
        self
    }

    /// A rule broken at a known place: the message is final.
    #[must_use]
    pub fn located(mut self, location: Location) -> Failure {
        if self.location.is_none() {
            if self.kind == FailureKind::Evaluation {
                self.message.insert_str(0, "Evaluation Error: ");
            }
            self.location = Some(location);
        }
        self
    }
}

impl fmt::Display for Failure {
    /// Puppet's one line: `message (file: x, line: 1, column: 2)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.data_file.as_deref() {
            Some((Some(file), Some(line))) => return write!(f, " (file: {file}, line: {line})"),
            Some((Some(file), None)) => return write!(f, " (file: {file})"),
            Some((None, Some(line))) => return write!(f, " (line: {line})"),
            _ => {}
        }
        // Where data was asked for is not the place of what is wrong with it.
        let Some(location) = self.location.as_ref().filter(|_| self.kind != FailureKind::Data) else {
            return Ok(());
        };
        let at = location.source.line_column(location.span.point);
        f.write_str(" (")?;
        if let Some(file) = location.file() {
            write!(f, "file: {file}, ")?;
        }
        write!(f, "line: {}", at.line)?;
        if !self.no_column {
            write!(f, ", column: {}", at.column)?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for Failure {}

impl Raise {
    /// `next(value)`.
    pub fn next(value: Value, location: Option<Location>) -> Raise {
        Raise(Box::new(Raised::Next(value, location)))
    }

    /// `break()`.
    pub fn stop(location: Option<Location>) -> Raise {
        Raise(Box::new(Raised::Break(location)))
    }

    /// `return(value)`.
    pub fn give(value: Value, location: Option<Location>) -> Raise {
        Raise(Box::new(Raised::Return(value, location)))
    }

    /// A failure whose place is not known yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Raise {
        Failure::new(code, message).into()
    }

    /// A failure Puppet has no code for, whose place is not known yet: it will be reported as "Error while evaluating
    /// a ..., message" at the expression being evaluated.
    pub fn runtime(message: impl Into<String>) -> Raise {
        Raise::error("RUNTIME_ERROR", message)
    }

    /// What it is.
    pub fn reason(&self) -> &Raised {
        &self.0
    }

    /// What it is, to change.
    pub fn reason_mut(&mut self) -> &mut Raised {
        &mut self.0
    }

    /// What it is at a place that `next`, `break` and `return` cannot leave.
    pub fn illegal(self) -> Raise {
        Raise(Box::new(self.0.illegal()))
    }

    /// What it is.
    pub fn into_reason(self) -> Raised {
        *self.0
    }

    /// The failure, if it is one.
    pub fn failure(&self) -> Option<&Failure> {
        match &*self.0 {
            Raised::Error(failure) => Some(failure),
            _ => None,
        }
    }
}

impl From<Raised> for Raise {
    fn from(reason: Raised) -> Raise {
        Raise(Box::new(reason))
    }
}

impl From<Failure> for Raise {
    fn from(failure: Failure) -> Raise {
        Raise(Box::new(Raised::Error(failure)))
    }
}

impl From<kukla_values::Error> for Raise {
    fn from(error: kukla_values::Error) -> Raise {
        Failure::new(error.code, error.message).into()
    }
}
