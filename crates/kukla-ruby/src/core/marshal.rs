//! `Marshal`, which is not there: what it reads could be an object of any class.

use crate::args::Args;
use crate::class::{ANY, ClassId, NativeClass, method};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// The module `Marshal`.
pub const MARSHAL: NativeClass = NativeClass {
    singleton: &[&[method("load", 0, ANY, refuse), method("dump", 0, ANY, refuse)]],
    ..NativeClass::module("Marshal")
};

fn refuse(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    let message = format!("Marshal.{} is not there: JSON and YAML keep data", ruby.called);
    Err(ruby.error(ClassId::NOT_IMPLEMENTED_ERROR, message))
}
