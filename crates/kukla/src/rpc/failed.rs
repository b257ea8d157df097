//! Why a request has no result.

use kukla_eval::messages::Log;
use kukla_syntax::{Diagnostic, Stage, diagnostic};
use serde_json::{Value, json};

use super::shape;
use crate::codes::BAD_REQUEST;

/// One or more errors in the form of the protocol, with the log messages before them.
#[derive(Debug)]
pub(super) struct Failed {
    errors: Vec<Value>,
    logs: Vec<Value>,
}

impl Failed {
    /// A compilation failed.
    pub(super) fn new(failure: &Diagnostic, logs: &[Log]) -> Self {
        Self { errors: shape::errors(failure), logs: logs.iter().map(shape::log).collect() }
    }

    /// The request itself is at fault.
    pub(super) fn request(problem: impl Into<String>) -> Self {
        let problem: String = problem.into();
        Self::new(&diagnostic!(BAD_REQUEST { problem }).in_stage(Stage::Request), &[])
    }

    /// The same, with how data was looked up before it.
    pub(super) fn explained(mut self, explanation: Option<String>) -> Self {
        if let (Some(explanation), Some(error)) = (explanation, self.errors.first_mut()) {
            error["explain"] = explanation.into();
        }
        self
    }

    /// A text with syntax errors.
    pub(super) fn program<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Self {
        Self { errors: diagnostics.into_iter().flat_map(shape::errors).collect(), logs: Vec::new() }
    }

    /// The answer to the request with this id.
    pub(super) fn answer(self, id: &Value) -> Value {
        let mut answer = json!({"id": id, "error": self.errors.first(), "logs": self.logs});
        if self.errors.len() > 1 {
            answer["errors"] = Value::Array(self.errors);
        }
        answer
    }
}

/// A site that cannot be opened.
impl From<Box<Diagnostic>> for Failed {
    fn from(failure: Box<Diagnostic>) -> Self {
        Self::new(&failure, &[])
    }
}
