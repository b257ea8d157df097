//! `Thread` and `Mutex`, as far as code that runs alone needs them.

use std::rc::Rc;

use crate::args::Args;
use crate::backtrace::BacktraceLine;
use crate::class::{ANY, Class, ClassId, ClassKind, Native, NativeClass, method, quick};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// The class `Thread`.
pub const THREAD: NativeClass = NativeClass {
    singleton: &[&[
        method("new", 0, ANY, refuse),
        method("start", 0, ANY, refuse),
        method("fork", 0, ANY, refuse),
        method("current", 0, 0, current),
        method("main", 0, 0, current),
        method("pass", 0, 0, |_, _, _| Ok(Value::Nil)),
    ]],
    methods: &[&[
        quick("[]", 1, 1, |ruby, this, args| {
            let name = local(ruby, &args[0])?;
            Ok(ruby.instance_variable(this, name))
        }),
        quick("[]=", 2, 2, |ruby, this, args| {
            let name = local(ruby, &args[0])?;
            ruby.set_instance_variable(this, name, args[1].clone())?;
            Ok(args[1].clone())
        }),
        quick("key?", 1, 1, |ruby, this, args| {
            let name = local(ruby, &args[0])?;
            Ok(Value::Bool(!ruby.instance_variable(this, name).is_nil()))
        }),
        method("thread_variable_get", 1, 1, |ruby, this, args| {
            let name = local(ruby, &args[0])?;
            Ok(ruby.instance_variable(this, name))
        }),
        method("thread_variable_set", 2, 2, |ruby, this, args| {
            let name = local(ruby, &args[0])?;
            ruby.set_instance_variable(this, name, args[1].clone())?;
            Ok(args[1].clone())
        }),
        method("alive?", 0, 0, |_, _, _| Ok(Value::Bool(true))),
        method("abort_on_exception=", 1, 1, |_, _, args| Ok(args[0].clone())),
        method("report_on_exception=", 1, 1, |_, _, args| Ok(args[0].clone())),
    ]],
    ..NativeClass::class("Thread", "Object")
};

/// The class `Thread::Mutex`.
pub const MUTEX: NativeClass = NativeClass {
    methods: &[&[
        method("synchronize", 0, 0, |ruby, _, args| {
            let block = ruby.need_block(args)?;
            ruby.yield_to(block, &[])
        }),
        method("lock", 0, 0, |_, this, _| Ok(this.clone())),
        method("unlock", 0, 0, |_, this, _| Ok(this.clone())),
        method("try_lock", 0, 0, |_, _, _| Ok(Value::Bool(true))),
        method("locked?", 0, 0, |_, _, _| Ok(Value::Bool(false))),
        method("owned?", 0, 0, |_, _, _| Ok(Value::Bool(false))),
    ]],
    setup: Some(|ruby, class| ruby.set_constant(ClassId::OBJECT, "Mutex", Value::Class(class))),
    ..NativeClass::class("Thread::Mutex", "Object")
};

fn refuse(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Err(ruby.error(
        ClassId::NOT_IMPLEMENTED_ERROR,
        "threads are not supported: a catalog is compiled by one thread",
    ))
}

fn local(ruby: &mut Ruby<'_>, name: &Value) -> Result<crate::Symbol> {
    let name = ruby.to_symbol(name)?;
    let spelled = format!("@{}", ruby.name(name));
    Ok(ruby.symbols.intern(&spelled))
}

fn current(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    if ruby.run.thread.is_nil() {
        ruby.run.thread = Value::Object(crate::value::Object::new(ClassId::THREAD));
    }
    Ok(ruby.run.thread.clone())
}

/// The class `Thread::Backtrace::Location`, made when it is first needed.
pub(crate) fn location_class(ruby: &mut Ruby<'_>) -> ClassId {
    let name = ruby.symbols.intern("Location");
    let backtrace = ruby.symbols.intern("Backtrace");
    let outer =
        match ruby.class(ClassId::THREAD).constants.get(&backtrace).map(|constant| constant.value.clone()) {
            Some(Value::Class(class)) => class,
            _ => {
                let mut class = Class::new(ClassKind::Class, Some(ClassId::OBJECT));
                class.name = Some("Thread::Backtrace".into());
                let class = ruby.add_class(class);
                ruby.make_singleton_of_class(class);
                ruby.set_constant(ClassId::THREAD, "Backtrace", Value::Class(class));
                class
            }
        };
    if let Some(Value::Class(class)) =
        ruby.class(outer).constants.get(&name).map(|constant| constant.value.clone())
    {
        return class;
    }
    let mut class = Class::new(ClassKind::Class, Some(ClassId::OBJECT));
    class.name = Some("Thread::Backtrace::Location".into());
    let class = ruby.add_class(class);
    ruby.make_singleton_of_class(class);
    for native in LOCATION {
        let symbol = ruby.symbols.intern(native.name);
        let body = crate::method::MethodBody::Native(native);
        ruby.put_method(class, symbol, crate::method::Visibility::Public, body);
    }
    ruby.set_constant(outer, "Location", Value::Class(class));
    class
}

static LOCATION: &[Native] = &[
    method("path", 0, 0, |_, this, _| Ok(at(this, |place| Value::str(place.file())))),
    method("absolute_path", 0, 0, |_, this, _| Ok(at(this, |place| Value::str(place.file())))),
    method("lineno", 0, 0, |_, this, _| Ok(at(this, |place| Value::Int(i64::from(place.line))))),
    method("label", 0, 0, |_, this, _| Ok(at(this, |place| Value::str(place.label())))),
    method("base_label", 0, 0, |_, this, _| {
        Ok(at(this, |place| {
            let label = place.label();
            Value::str(label.rsplit_once(" in ").map_or(label, |(_, base)| base))
        }))
    }),
    method("to_s", 0, 0, |_, this, _| Ok(at(this, |place| Value::str(place.to_string())))),
    method("inspect", 0, 0, |_, this, _| {
        Ok(at(this, |place| Value::str(format!("{:?}", place.to_string()))))
    }),
];

fn at(this: &Value, show: impl FnOnce(&BacktraceLine) -> Value) -> Value {
    match this {
        Value::Object(object) => {
            object.payload::<Rc<BacktraceLine>>().map_or(Value::Nil, |place| show(&place))
        }
        _ => Value::Nil,
    }
}
