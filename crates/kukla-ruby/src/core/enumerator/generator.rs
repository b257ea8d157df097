//! Enumerators from blocks: `Enumerator.new { |y| … }`, `Enumerator.produce`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, NativeClass, private, quick};
use crate::core::enumerator::{Size, Source};
use crate::error::{Result, Unwind};
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{Object, Value};

/// The class `Enumerator::Yielder`.
pub const YIELDER: NativeClass = NativeClass {
    methods: &[&[
        private("initialize", 0, 0, initialize_yielder),
        quick("<<", 1, 1, push),
        quick("yield", 0, ANY, give),
        quick("to_proc", 0, 0, to_proc),
    ]],
    ..NativeClass::class("Enumerator::Yielder", "Object")
};

/// The class `Enumerator::Generator`.
pub const GENERATOR: NativeClass = NativeClass {
    includes: &["Enumerable"],
    methods: &[&[private("initialize", 0, 1, initialize), quick("each", 0, ANY, each)]],
    ..NativeClass::class("Enumerator::Generator", "Object")
};

/// The class `Enumerator::Producer`.
pub const PRODUCER: NativeClass = NativeClass {
    includes: &["Enumerable"],
    methods: &[&[quick("each", 0, 0, each_produced)]],
    ..NativeClass::class("Enumerator::Producer", "Object")
};

/// The block that a yielder passes values to.
struct Target(Rc<ProcObject>);

/// The block that yields to a yielder.
struct Body(Rc<ProcObject>);

struct Produced {
    first: Option<Value>,
    block: Rc<ProcObject>,
}

/// A yielder that passes values on to a block.
pub fn yielder(target: Rc<ProcObject>) -> Value {
    Value::Object(Object::with(ClassId::YIELDER, Target(target)))
}

/// The generator of a block that takes a yielder.
pub fn generator(block: Rc<ProcObject>) -> Value {
    Value::Object(Object::with(ClassId::GENERATOR, Body(block)))
}

fn initialize_yielder(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let block = ruby.need_block(args)?;
    if let Value::Object(object) = this {
        object.set_payload(Target(block.clone()));
    }
    Ok(Value::Nil)
}

fn target(ruby: &mut Ruby<'_>, this: &Value) -> Result<Rc<ProcObject>> {
    if let Value::Object(object) = this
        && let Some(target) = object.payload::<Target>()
    {
        return Ok(target.0.clone());
    }
    Err(ruby.argument_error("uninitialized yielder"))
}

fn push(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let target = target(ruby, this)?;
    ruby.yield_to(&target, args.list)?;
    Ok(this.clone())
}

fn give(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let target = target(ruby, this)?;
    ruby.yield_to(&target, args.list)
}

fn to_proc(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let target = target(ruby, this)?;
    let proc = ruby.block(-1, move |ruby, args| ruby.call_block(&target, args));
    proc.lambda.set(true);
    Ok(Value::Proc(proc))
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let block = match (&args[0], args.block) {
        (Value::Proc(proc), _) => proc.clone(),
        (Value::Nil, Some(block)) => block.clone(),
        (Value::Nil, None) => return Err(ruby.error(ClassId::LOCAL_JUMP_ERROR, "no block given")),
        (other, _) => {
            let word = ruby.class_name_of(other);
            return Err(ruby.type_error(format!("wrong argument type {word} (expected Proc)")));
        }
    };
    if let Value::Object(object) = this {
        object.set_payload(Body(block));
    }
    Ok(Value::Nil)
}

fn each(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let body = match this {
        Value::Object(object) => object.payload::<Body>().map(|body| body.0.clone()),
        _ => None,
    };
    let Some(body) = body else {
        return Err(ruby.argument_error("uninitialized generator"));
    };
    let Some(block) = args.block else { return Ok(this.clone()) };
    let mut list = vec![yielder(block.clone())];
    list.extend_from_slice(args.list);
    ruby.call_block(&body, &Args { list: &list, has_keywords: args.has_keywords, block: None })
}

/// `Enumerator.produce(initial = none) { |previous| … }`
pub(super) fn produce(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else {
        return Err(ruby.argument_error("no block given"));
    };
    let produced = Produced { first: args.get(0).cloned(), block: block.clone() };
    let producer = Value::Object(Object::with(ClassId::PRODUCER, produced));
    let source = Source::new(producer, sym::EACH, Size::Value(Value::Float(f64::INFINITY)));
    Ok(Value::Object(Object::with(ClassId::ENUMERATOR, source)))
}

fn each_produced(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let produced = match this {
        Value::Object(object) => {
            object.payload::<Produced>().map(|produced| (produced.first.clone(), produced.block.clone()))
        }
        _ => None,
    };
    let (Some((first, block)), Some(target)) = (produced, args.block) else { return Ok(this.clone()) };
    let go_on = |ruby: &mut Ruby<'_>| -> Result<()> {
        let mut value = match first {
            Some(first) => first,
            None => ruby.yield_to(&block, &[])?,
        };
        loop {
            ruby.charge(1)?;
            ruby.yield_to(target, std::slice::from_ref(&value))?;
            value = ruby.yield_to(&block, std::slice::from_ref(&value))?;
        }
    };
    match go_on(ruby) {
        Ok(()) => Ok(this.clone()),
        Err(unwind) => match *unwind {
            Unwind::Raise(exception) if ruby.is_a(&exception, ClassId::STOP_ITERATION) => {
                ruby.send(&exception, sym::RESULT, &[])
            }
            other => Err(Box::new(other)),
        },
    }
}
