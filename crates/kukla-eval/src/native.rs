//! Objects that live in Rust: an object type to the program, code of ours behind its functions.

use kukla_syntax::diagnostic;
use std::any::Any;
use std::fmt::Debug;
use std::sync::{Arc, LazyLock};

use kukla_values::types::Range;
use kukla_values::types::callable::CallableType;
use kukla_values::types::object::ObjectType;
use kukla_values::value::Callable;
use kukla_values::{Name, Value};

use crate::codes::UNKNOWN_FUNCTION;
use crate::error::Flow;
use crate::lambda::Block;
use crate::vm::Vm;

/// An object whose functions are written in Rust.
pub trait Native: Send + Sync + Debug {
    /// Its type.
    fn object_type(&self) -> &Arc<ObjectType>;
    /// Calls one of its functions; `None` if it has none that takes these arguments.
    fn call(&self, vm: &mut Vm<'_>, method: &str, args: &[Value], block: Option<&Block>) -> Option<Flow>;
}

/// A [`Native`] as a value.
#[derive(Debug)]
pub struct NativeObject(Arc<dyn Native>);

/// Nothing calls the object itself.
static UNCALLABLE: LazyLock<CallableType> = LazyLock::new(|| CallableType {
    params: Vec::new(),
    size: Some(Range::exactly(0)),
    block: None,
    returns: None,
});

impl NativeObject {
    /// The object as a value.
    pub fn value(native: Arc<dyn Native>) -> Value {
        Value::Callable(Arc::new(NativeObject(native)))
    }

    /// The object behind a value, if it is one.
    pub fn of(value: &Value) -> Option<Arc<dyn Native>> {
        let Value::Callable(callable) = value else { return None };
        callable.as_any().downcast_ref::<NativeObject>().map(|object| Arc::clone(&object.0))
    }
}

impl Callable for NativeObject {
    fn signature(&self) -> &CallableType {
        &UNCALLABLE
    }

    fn object_type(&self) -> Option<&Arc<ObjectType>> {
        Some(self.0.object_type())
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
        native
            .call(self, method.as_str(), args, block)
            .unwrap_or_else(|| Err(self.fail(self.call_span, diagnostic!(UNKNOWN_FUNCTION { name: method }))))
    }
}
