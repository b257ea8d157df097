//! `nil`.

use crate::args::Args;
use crate::class::{Native, NativeClass, method, methods, quick};
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
    quick("to_a", 0, 0, |_, _, _| Ok(Value::array(Vec::new()))),
    quick("to_h", 0, 0, |_, _, _| Ok(Value::hash(Table::new()))),
    quick("to_s", 0, 0, |_, _, _| Ok(constant(""))),
    quick("inspect", 0, 0, |_, _, _| Ok(Value::str(Text::from("nil").narrowed()))),
    quick("to_i", 0, 0, |_, _, _| Ok(Value::Int(0))),
    quick("to_f", 0, 0, |_, _, _| Ok(Value::Float(0.0))),
    quick("to_r", 0, 0, zero_as_rational),
    method("rationalize", 0, 1, zero_as_rational),
    method("to_c", 0, 0, |ruby, _, _| ruby.send(&Value::Int(0), sym::TO_C, &[])),
    quick("nil?", 0, 0, |_, _, _| Ok(true.into())),
    quick("=~", 1, 1, |_, _, _| Ok(Value::Nil)),
    quick("&", 1, 1, |_, _, _| Ok(false.into())),
    quick("|", 1, 1, boolean::truth_of).alias("^"),
    quick("==", 1, 1, |_, _, args| Ok(args[0].is_nil().into())),
    quick("===", 1, 1, |_, _, args| Ok(args[0].is_nil().into())),
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
