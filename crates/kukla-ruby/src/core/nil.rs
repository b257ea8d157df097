//! `nil`.

use crate::args::Args;
use crate::class::{Native, NativeClass, method, methods};
use crate::core::boolean;
use crate::error::Result;
use crate::hash::Table;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{StringObject, Value};

/// The class `NilClass`.
pub const NIL_CLASS: NativeClass = NativeClass {
    methods: &[METHODS],
    singleton: &[boolean::NO_INSTANCES],
    ..NativeClass::class("NilClass", "Object")
};

const METHODS: &[Native] = methods![
    method("to_a", 0, 0, |_, _, _| Ok(Value::array(Vec::new()))),
    method("to_h", 0, 0, |_, _, _| Ok(Value::hash(Table::new()))),
    method("to_s", 0, 0, |_, _, _| Ok(constant(""))),
    method("inspect", 0, 0, |_, _, _| Ok(Value::str(Text::from("nil").narrowed()))),
    method("to_i", 0, 0, |_, _, _| Ok(Value::Int(0))),
    method("to_f", 0, 0, |_, _, _| Ok(Value::Float(0.0))),
    method("to_r", 0, 0, zero_as_rational),
    method("rationalize", 0, 1, zero_as_rational),
    method("to_c", 0, 0, |ruby, _, _| ruby.send(&Value::Int(0), sym::TO_C, &[])),
    method("nil?", 0, 0, |_, _, _| Ok(true.into())),
    method("=~", 1, 1, |_, _, _| Ok(Value::Nil)),
    method("&", 1, 1, |_, _, _| Ok(false.into())),
    method("|", 1, 1, boolean::truth_of).alias("^"),
    method("==", 1, 1, |_, _, args| Ok(args[0].is_nil().into())),
    method("===", 1, 1, |_, _, args| Ok(args[0].is_nil().into())),
];

fn zero_as_rational(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    ruby.send(&Value::Int(0), sym::TO_R, &[])
}

/// A frozen string of ASCII, as `to_s` of `nil`, `true` and `false` is.
pub(super) fn constant(text: &str) -> Value {
    let text = Text::new(text.as_bytes().to_vec(), Encoding::Ascii);
    let string = StringObject::new(crate::class::ClassId::STRING, text);
    string.head.freeze();
    Value::String(string)
}
