//! A compilation held in memory, for tests.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use kukla_syntax::diagnostic;
use kukla_values::{Hash, Value};
use kukla_world::{MemoryWorld, World};

use crate::backend::Context;
use crate::error::Result;
use crate::host::{Conversion, Host, Variable};
use crate::session::Session;

kukla_syntax::codes! {
    CODES;

    /// A text does not spell an integer.
    NO_INTEGER as RUNTIME_ERROR: Error, "'new' The string '{text}' cannot be converted to Integer";

    /// A compilation held in memory knows two types.
    UNKNOWN_TYPE as RUNTIME_ERROR: Error, "unknown type {name}";
}

/// A backend function: the lookups it is part of, its arguments but the context, and the context.
pub type Function =
    Arc<dyn Fn(&mut Session, &mut MemoryHost, Vec<Value>, &Context) -> Result<Option<Value>> + Send + Sync>;

/// A compilation that is only what was put into it.
#[derive(Clone, Default)]
pub struct MemoryHost {
    /// Its files.
    pub world: MemoryWorld,
    /// Its variables, by name without leading colons.
    pub variables: Hash,
    /// Its functions.
    pub functions: BTreeMap<String, Function>,
    /// The directory of its modules.
    pub modules: String,
    /// The warnings.
    pub warnings: Vec<String>,
}

impl Host for MemoryHost {
    fn world(&self) -> &dyn World {
        &self.world
    }

    fn variable(&mut self, name: &str) -> Variable {
        match self.variables.get(name.strip_prefix("::").unwrap_or(name)) {
            Some(value) => Variable::Found(value.clone()),
            None => Variable::Undefined { name: name.into(), reason: String::new() },
        }
    }

    fn module_root(&mut self, name: &str) -> Option<String> {
        let root = format!("{}/{name}", self.modules);
        self.world.exists(Path::new(&root)).then_some(root)
    }

    fn has_function(&mut self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    fn call(
        &mut self,
        session: &mut Session,
        name: &str,
        arguments: Vec<Value>,
        context: Option<&Context>,
    ) -> Result<Option<Value>> {
        match (self.functions.get(name).cloned(), context) {
            (Some(function), Some(context)) => function(session, self, arguments, context),
            _ => Ok(None),
        }
    }

    /// Knows how to make something sensitive, and how to read an integer.
    fn convert(
        &mut self,
        _: &mut Session,
        type_name: &Value,
        value: Value,
        _: &[Value],
    ) -> Result<Value, Conversion> {
        match (type_name.as_str().unwrap_or_default(), value) {
            ("Sensitive", value) => Ok(Value::Sensitive(Arc::new(value))),
            ("Integer", Value::Integer(n)) => Ok(n.into()),
            ("Integer", Value::Boolean(b)) => Ok(i64::from(b).into()),
            ("Integer", Value::Float(n)) => Ok((n as i64).into()),
            ("Integer", value) => {
                let text = kukla_values::format::to_s(&value);
                text.parse()
                    .map(Value::Integer)
                    .map_err(|_| Conversion::Failed(Box::new(diagnostic!(NO_INTEGER { text }))))
            }
            (other, _) => Err(Conversion::BadType(Box::new(diagnostic!(UNKNOWN_TYPE { name: other })))),
        }
    }

    fn warn(&mut self, message: String) {
        self.warnings.push(message);
    }

    fn warn_once(&mut self, _: &str, message: String, file: Option<&str>) {
        let place = file.map_or_else(|| "file & line not available".into(), |file| format!("file: {file}"));
        let message = format!("{message}\n   ({place})");
        if !self.warnings.contains(&message) {
            self.warnings.push(message);
        }
    }
}
