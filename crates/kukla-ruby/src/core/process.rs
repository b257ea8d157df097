//! `Process`, `ObjectSpace`, `GC` and `Signal`, as far as programs ask them.

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, private};
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
pub const OBJECT_SPACE: NativeClass = NativeClass {
    singleton: &[&[
        method("garbage_collect", 0, ANY, |_, _, _| Ok(Value::Nil)),
        method("each_object", 0, ANY, refuse_objects),
        method("count_objects", 0, ANY, refuse_objects),
        method("_id2ref", 0, ANY, refuse_objects),
    ]],
    ..NativeClass::module("ObjectSpace")
};

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
pub const SIGNAL: NativeClass = NativeClass {
    singleton: &[&[method("trap", 1, 2, super::exception::trap)], super::exception::SIGNAL_LISTS],
    ..NativeClass::module("Signal")
};

/// Functions of `Kernel` that would reach into the process.
pub const FUNCTIONS: &[Native] = methods![
    private("trap", 1, 2, super::exception::trap),
    private("syscall", 0, ANY, refuse),
    private("set_trace_func", 1, 1, refuse_objects),
];

/// Methods of `IO` that would use descriptors of the process.
pub const IO: &[Native] = methods![
    method("pipe", 0, ANY, refuse).alias("select").alias("sysopen").alias("for_fd").alias("copy_stream"),
];

const METHODS: &[Native] = methods![
    method("clock_gettime", 1, 2, clock_gettime),
    method("pid", 0, 0, refuse).alias("ppid"),
    method("uid", 0, 0, user).alias("euid"),
    method("gid", 0, 0, group).alias("egid"),
    method("spawn", 0, ANY, refuse)
        .alias("fork")
        .alias("wait")
        .alias("waitpid")
        .alias("kill")
        .alias("exec")
        .alias("daemon")
        .alias("detach")
        .alias("times")
        .alias("getrlimit")
        .alias("setrlimit")
        .alias("setproctitle"),
];

fn user(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(ruby.ownership(None)?.user.into()))
}

fn group(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(ruby.ownership(None)?.group.into()))
}

fn refuse(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let name = named(ruby, this);
    let message = format!(
        "{name} is not allowed: Ruby code does not reach into the process; backticks and system run what --commands allows"
    );
    Err(ruby.error(ClassId::SECURITY_ERROR, message))
}

fn refuse_objects(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let name = named(ruby, this);
    let message = format!("{name} is not allowed: objects are not listed, and code is not traced");
    Err(ruby.error(ClassId::SECURITY_ERROR, message))
}

/// How the method that was called is written.
fn named(ruby: &mut Ruby<'_>, this: &Value) -> String {
    let called = ruby.called;
    match this {
        Value::Class(class) if *class != ClassId::KERNEL => format!("{}.{called}", ruby.class_name(*class)),
        _ => called.to_owned(),
    }
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
