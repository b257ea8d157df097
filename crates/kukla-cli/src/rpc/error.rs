//! Why a request has no result.

use kukla_syntax::Diagnostic;
use serde_json::{Value, json};

use crate::render::json_value;

/// One or more errors, in the shape the protocol gives them.
#[derive(Debug)]
pub struct Failure {
    errors: Vec<Value>,
    logs: Vec<Value>,
}

impl Failure {
    /// Errors that already have their shape.
    pub fn new(errors: Vec<Value>, logs: Vec<Value>) -> Self {
        Self { errors, logs }
    }

    /// The request itself is at fault.
    pub fn request(message: impl Into<String>) -> Self {
        Self::one("request", "BAD_REQUEST", message.into())
    }

    /// Kukla is at fault.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::one("evaluation", "INTERNAL_ERROR", format!("Kukla failed: {}", message.into()))
    }

    /// A program is at fault.
    pub fn diagnostics<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Self {
        let error = |diagnostic: &Diagnostic| {
            let mut error = json!({"kind": diagnostic.stage.name()});
            if let (Value::Object(error), Value::Object(mut fields)) = (&mut error, json_value(diagnostic)) {
                fields.shift_remove("severity");
                error.append(&mut fields);
            }
            error
        };
        Self { errors: diagnostics.into_iter().map(error).collect(), logs: Vec::new() }
    }

    fn one(kind: &str, issue: &str, message: String) -> Self {
        let error = json!({"kind": kind, "issue": issue, "message": message, "file": null, "line": null, "column": null});
        Self { errors: vec![error], logs: Vec::new() }
    }

    /// The answer to the request with this id.
    pub fn answer(self, id: &Value) -> Value {
        let mut answer = json!({"id": id, "error": self.errors.first(), "logs": self.logs});
        if self.errors.len() > 1 {
            answer["errors"] = Value::Array(self.errors);
        }
        answer
    }
}
