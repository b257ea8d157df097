//! The implementation that answers for a chapter: Kukla on a project, or another program with the same protocol.

use kukla::Diagnostic;
use serde_json::{Map, Value};

use super::tally::Mismatch;

/// An implementation of Puppet.
pub trait Engine: Sync {
    /// The version of the reference implementation, if this is not Kukla.
    fn reference(&self) -> Option<&str> {
        None
    }
    /// Puts the files of a section of the chapter `file` where the implementation finds them. `params` are those of every request.
    fn open(
        &self,
        file: &str,
        files: &[(String, String)],
        params: Map<String, Value>,
    ) -> Result<Box<dyn Session + '_>, String>;
    /// The full rendering of the errors in a text; none if the implementation has none of its own.
    fn render(&self, _diagnostics: Vec<Diagnostic>) -> Option<String> {
        None
    }
}

/// The environment of one section, ready to answer.
pub trait Session {
    /// Asks one question; `params` are added to those of the section.
    fn ask(&self, method: &str, params: Map<String, Value>) -> Answer;
    /// A check has looked at a resource of a catalog.
    fn look_at(&self, _resource: &Value) {}
    /// Compares a catalog with the one of this name that was accepted before.
    fn compare(&self, _name: &str, _catalog: &Value) -> Result<(), Mismatch> {
        Err("snapshots are for projects only".into())
    }
}

/// An answer in the shape of the machine interface: an object with `result` or `error`.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The object.
    pub json: Value,
    /// The error, if the implementation is Kukla.
    pub diagnostic: Option<Box<Diagnostic>>,
}

impl From<Value> for Answer {
    fn from(json: Value) -> Answer {
        Answer { json, diagnostic: None }
    }
}

impl std::ops::Deref for Answer {
    type Target = Value;
    fn deref(&self) -> &Value {
        &self.json
    }
}
