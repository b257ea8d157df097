//! Objects that live in Rust: an object type to the program, code of ours behind its functions.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use kukla_syntax::diagnostic;
use kukla_values::types::object::ObjectType;
use kukla_values::value::HostObject;
use kukla_values::{Name, Str, Type, Value};

use crate::codes::UNKNOWN_FUNCTION;
use crate::error::Flow;
use crate::lambda::Block;
use crate::vm::Vm;

/// An object whose functions are written in Rust.
pub trait Native: Send + Sync + Debug {
    /// The class it has in Puppet.
    fn class_name(&self) -> &'static str;
    /// Its type.
    fn object_type(&self) -> &Arc<ObjectType>;
    /// Calls one of its functions; `None` if it has none that takes these arguments.
    fn call(&self, vm: &mut Vm<'_>, method: &str, args: &[Value], block: Option<&Block>) -> Option<Flow>;
}

/// A [`Native`] as a value.
#[derive(Debug)]
pub struct NativeObject(Arc<dyn Native>);

impl NativeObject {
    /// The object as a value.
    pub fn value(native: Arc<dyn Native>) -> Value {
        Value::Host(Arc::new(NativeObject(native)))
    }

    /// The object behind a value, if it is one.
    pub fn of(value: &Value) -> Option<Arc<dyn Native>> {
        let Value::Host(host) = value else { return None };
        host.as_any().downcast_ref::<NativeObject>().map(|object| Arc::clone(&object.0))
    }
}

impl HostObject for NativeObject {
    fn class_name(&self) -> Cow<'static, str> {
        Cow::Borrowed(self.0.class_name())
    }

    fn object_type(&self) -> Type {
        Type::Object(Arc::clone(self.0.object_type()))
    }

    fn text(&self) -> Str {
        ecow::eco_format!("#<{}>", self.0.class_name())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Vm<'_> {
    /// Calls a function of an object.
    pub(crate) fn call_native(
        &mut self,
        native: &dyn Native,
        method: Name,
        args: &[Value],
        block: Option<&Block>,
    ) -> Flow {
        native.call(self, method.as_str(), args, block).unwrap_or_else(|| {
            Err(self.fail(self.call_span(), diagnostic!(UNKNOWN_FUNCTION { name: method })))
        })
    }
}
