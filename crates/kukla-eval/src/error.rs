//! Why an evaluation stopped before its end: an error, or `next`, `break` and `return` on their way to where they lead.

use kukla_syntax::diagnostic;
pub use kukla_syntax::{Diagnostic, ForeignException, Frame, Location, SourcePosition, Stage, Trace};
use kukla_values::{Error, Value};

use crate::codes::{ILLEGAL_JUMP, STRAY_NOT_FOUND};

/// Why an evaluation stopped before its end. One pointer wide, so that a [`Flow`] is as small as a value.
#[derive(Debug)]
pub struct Raise(Box<Raised>);

/// The reasons for which an evaluation stops before its end.
#[derive(Debug)]
pub enum Raised {
    /// Something is wrong.
    Error(Box<Diagnostic>),
    /// `next(value)`: the lambda or function gives this value.
    Next(Value, Option<Location>),
    /// `break()`: the iteration ends.
    Break(Option<Location>),
    /// `return(value)`: the function, class or define ends.
    Return(Value, Option<Location>),
    /// `not_found()`: the function that serves as a source of data has nothing to give.
    NotFound,
}

/// The result of evaluating something.
pub type Flow<T = Value> = Result<T, Raise>;

/// The issue under which Puppet reports what goes wrong outside of any expression.
pub(crate) const PARSE_ERROR: &str = "PARSE_ERROR";

impl Raised {
    /// The error at a place that `next`, `break`, `return` and `not_found` cannot leave: there they are errors themselves.
    pub fn into_diagnostic(self) -> Box<Diagnostic> {
        let (word, location) = match self {
            Raised::Error(wrong) => return wrong,
            Raised::Next(_, location) => ("next", location),
            Raised::Break(location) => ("break", location),
            Raised::Return(_, location) => ("return", location),
            Raised::NotFound => return Box::new(diagnostic!(STRAY_NOT_FOUND)),
        };
        Box::new(diagnostic!(ILLEGAL_JUMP { word }).on_line_of(location))
    }
}

impl Raise {
    /// `next(value)`.
    pub fn next(value: Value, location: Option<Location>) -> Raise {
        Raise(Box::new(Raised::Next(value, location)))
    }

    /// `not_found()`.
    pub fn not_found() -> Raise {
        Raise(Box::new(Raised::NotFound))
    }

    /// `break()`.
    pub fn stop(location: Option<Location>) -> Raise {
        Raise(Box::new(Raised::Break(location)))
    }

    /// `return(value)`.
    pub fn give(value: Value, location: Option<Location>) -> Raise {
        Raise(Box::new(Raised::Return(value, location)))
    }

    /// The reason.
    pub fn reason(&self) -> &Raised {
        &self.0
    }

    /// The reason, mutable.
    pub fn reason_mut(&mut self) -> &mut Raised {
        &mut self.0
    }

    /// The same as an error, at a place that `next`, `break` and `return` cannot leave.
    pub fn illegal(self) -> Raise {
        self.into_diagnostic().into()
    }

    /// The reason.
    pub fn into_reason(self) -> Raised {
        *self.0
    }

    /// The error at a place that `next`, `break`, `return` and `not_found` cannot leave: there they are errors themselves.
    pub fn into_diagnostic(self) -> Box<Diagnostic> {
        self.0.into_diagnostic()
    }

    /// The error, if it is one.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match &*self.0 {
            Raised::Error(diagnostic) => Some(diagnostic),
            _ => None,
        }
    }
}

impl From<Raised> for Raise {
    fn from(reason: Raised) -> Raise {
        Raise(Box::new(reason))
    }
}

impl From<Diagnostic> for Raise {
    fn from(diagnostic: Diagnostic) -> Raise {
        Box::new(diagnostic).into()
    }
}

impl From<Box<Diagnostic>> for Raise {
    fn from(diagnostic: Box<Diagnostic>) -> Raise {
        Raise(Box::new(Raised::Error(diagnostic)))
    }
}

impl From<Error> for Raise {
    fn from(error: Error) -> Raise {
        error.into_diagnostic().into()
    }
}
