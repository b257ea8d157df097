//! `Process`, `ObjectSpace`, `GC` and `Signal`, as far as programs ask them.

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// The module `Process`.
pub const PROCESS: NativeClass = NativeClass {
    singleton: &[METHODS],
    setup: Some(|ruby, class| {
        for (name, number) in [
            ("CLOCK_REALTIME", 0),
            ("CLOCK_MONOTONIC", 1),
            ("CLOCK_PROCESS_CPUTIME_ID", 2),
            ("CLOCK_THREAD_CPUTIME_ID", 3),
        ] {
            ruby.set_constant(class, name, Value::Int(number));
        }
    }),
    ..NativeClass::module("Process")
};

/// The module `ObjectSpace`.
pub const OBJECT_SPACE: NativeClass = NativeClass::module("ObjectSpace");

/// The module `GC`.
pub const GC: NativeClass = NativeClass {
    singleton: &[&[
        method("start", 0, ANY, |_, _, _| Ok(Value::Nil)),
        method("enable", 0, 0, |_, _, _| Ok(false.into())),
        method("disable", 0, 0, |_, _, _| Ok(false.into())),
    ]],
    ..NativeClass::module("GC")
};

/// The module `Signal`.
pub const SIGNAL: NativeClass = NativeClass::module("Signal");

const METHODS: &[Native] = &[
    method("clock_gettime", 1, 2, clock_gettime),
    method("pid", 0, 0, refuse),
    method("ppid", 0, 0, refuse),
    method("uid", 0, 0, refuse),
    method("euid", 0, 0, refuse),
    method("gid", 0, 0, refuse),
    method("egid", 0, 0, refuse),
    method("spawn", 0, ANY, refuse),
    method("fork", 0, ANY, refuse),
    method("wait", 0, ANY, refuse),
    method("kill", 0, ANY, refuse),
];

fn refuse(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Err(ruby.error(ClassId::SECURITY_ERROR, "asking about processes, and making them, is not allowed"))
}

fn clock_gettime(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let nanos = ruby.now()?;
    let unit = match args.get(1) {
        Some(Value::Symbol(unit)) => ruby.name(*unit).to_owned(),
        _ => "float_second".to_owned(),
    };
    Ok(match unit.as_str() {
        "nanosecond" => Value::integer(nanos),
        "microsecond" => Value::integer(nanos / 1000),
        "millisecond" => Value::integer(nanos / 1_000_000),
        "second" => Value::integer(nanos / 1_000_000_000),
        "float_millisecond" => Value::Float(nanos as f64 / 1e6),
        "float_microsecond" => Value::Float(nanos as f64 / 1e3),
        "float_second" => Value::Float(nanos as f64 / 1e9),
        _ => return Err(ruby.argument_error(format!("unexpected unit: {unit}"))),
    })
}
