//! Why a request has no result.

use serde_json::{Value, json};

/// One or more errors, in the shape the protocol gives them.
#[derive(Debug)]
pub struct Failure {
    errors: Vec<Value>,
    logs: Vec<Value>,
}

impl Failure {
    /// The request itself is at fault.
    pub fn request(message: impl Into<String>) -> Self {
        Self::one("request", "BAD_REQUEST", message.into())
    }

    /// Kukla is at fault.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::one("evaluation", "INTERNAL_ERROR", format!("Kukla failed: {}", message.into()))
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
