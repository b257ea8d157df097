//! Why a request has no result.

use kukla_eval::messages::Log;
use kukla_syntax::Diagnostic;
use serde_json::{Value, json};

use super::shape;

/// One or more errors in the shape of the protocol, and what was logged before.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) errors: Vec<Value>,
    logs: Vec<Value>,
}

impl Failed {
    /// A compilation failed.
    pub(super) fn new(failure: &Diagnostic, logs: &[Log]) -> Self {
        Self { errors: shape::errors(failure), logs: logs.iter().map(shape::log).collect() }
    }

    /// The request itself is at fault.
    pub(super) fn request(message: impl Into<String>) -> Self {
        Self::one("request", "BAD_REQUEST", message.into())
    }

    /// Kukla is at fault.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::one("evaluation", "INTERNAL_ERROR", format!("Kukla failed: {}", message.into()))
    }

    /// A text is no program.
    pub(super) fn program<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Self {
        Self { errors: diagnostics.into_iter().flat_map(shape::errors).collect(), logs: Vec::new() }
    }

    fn one(kind: &str, issue: &str, message: String) -> Self {
        let error = json!({"kind": kind, "issue": issue, "message": message, "file": null, "line": null, "column": null});
        Self { errors: vec![error], logs: Vec::new() }
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
