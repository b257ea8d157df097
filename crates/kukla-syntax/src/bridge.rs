//! Errors that were not given a code of their own yet: their message is one fact.

use crate::diagnostic::{Diagnostic, Error};
use crate::{codes, diagnostic};

codes! {
    pub TABLE;

    /// An error that has no code of its own yet.
    UNSORTED: Error, "{message}";
}

impl Diagnostic {
    /// An error with a name that Puppet knows, in words.
    pub fn said(issue: &'static str, message: impl Into<String>) -> Diagnostic {
        let message: String = message.into();
        diagnostic!(UNSORTED { message }).reported_as(issue)
    }

    /// The name under which it is shown: the code's, or Puppet's where there is no code yet.
    pub fn name(&self) -> &'static str {
        if self.is(&UNSORTED) { self.issue } else { self.code.name }
    }
}

impl Error {
    /// An error with a name that Puppet knows, in words.
    pub fn new(issue: &'static str, message: impl Into<String>) -> Error {
        Diagnostic::said(issue, message).into()
    }

    /// An error Puppet has no name for, in words.
    pub fn runtime(message: impl Into<String>) -> Error {
        Error::new("RUNTIME_ERROR", message)
    }
}
