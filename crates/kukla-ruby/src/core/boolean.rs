//! `true` and `false`.

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, quick};
use crate::core::nil::constant;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// The class `TrueClass`.
pub const TRUE_CLASS: NativeClass = NativeClass {
    methods: &[
        METHODS,
        &[
            quick("|", 1, 1, |_, _, _| Ok(true.into())),
            quick("^", 1, 1, |_, _, args| Ok((!args[0].is_true()).into())),
        ],
    ],
    singleton: &[NO_INSTANCES],
    ..NativeClass::class("TrueClass", "Object")
};

/// The class `FalseClass`.
pub const FALSE_CLASS: NativeClass = NativeClass {
    methods: &[METHODS, &[quick("|", 1, 1, truth_of), quick("^", 1, 1, truth_of)]],
    singleton: &[NO_INSTANCES],
    ..NativeClass::class("FalseClass", "Object")
};

const METHODS: &[Native] = methods![
    quick("to_s", 0, 0, to_s).alias("inspect"),
    quick("&", 1, 1, |_, this, args| Ok((this.is_true() && args[0].is_true()).into())),
    quick("!", 0, 0, |_, this, _| Ok((!this.is_true()).into())),
    quick("==", 1, 1, |_, this, args| Ok(this.is_same(&args[0]).into())),
    quick("===", 1, 1, |_, this, args| Ok(this.is_same(&args[0]).into())),
];

/// `false | x`, `nil ^ x`: whether the argument counts as true.
pub(super) fn truth_of(_: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    Ok(args[0].is_true().into())
}

fn to_s(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(constant(if this.is_true() { "true" } else { "false" }))
}

/// Classes whose only instances are there from the start.
pub(super) const NO_INSTANCES: &[Native] =
    &[method("new", 0, ANY, no_new), method("allocate", 0, 0, no_allocate)];

fn no_new(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let name = ruby.inspect(this)?;
    let message = format!("undefined method `new' for {}:Class", name.to_str_lossy());
    Err(ruby.error(ClassId::NO_METHOD_ERROR, message))
}

fn no_allocate(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let name = ruby.inspect(this)?;
    Err(ruby.type_error(format!("allocator undefined for {}", name.to_str_lossy())))
}
