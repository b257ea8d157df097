//! Several enumerables as one: `a.each + b`, `a.chain(b, c)`.

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, private};
use crate::error::Result;
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{Object, Value};

/// The class `Enumerator::Chain`.
pub const CHAIN: NativeClass =
    NativeClass { methods: &[METHODS], ..NativeClass::class("Enumerator::Chain", "Enumerator") };

const METHODS: &[Native] = methods![
    private("initialize", 0, ANY, initialize),
    private("initialize_copy", 1, 1, initialize_copy),
    method("each", 0, ANY, each),
    method("size", 0, 0, size),
    method("rewind", 0, 0, rewind),
    method("inspect", 0, 0, inspect).alias("to_s"),
    method("+", 1, 1, plus),
];

/// The enumerables of a chain.
#[derive(Clone)]
struct Links(Vec<Value>);

fn links(ruby: &mut Ruby<'_>, this: &Value) -> Result<Vec<Value>> {
    if let Value::Object(object) = this
        && let Some(links) = object.payload::<Links>()
    {
        return Ok(links.0.clone());
    }
    Err(ruby.argument_error("uninitialized chain"))
}

/// The chain of these enumerables.
pub fn chain(links: Vec<Value>) -> Value {
    Value::Object(Object::with(ClassId::CHAIN, Links(links)))
}

pub(super) fn plus(_: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(chain(vec![this.clone(), args[0].clone()]))
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    ruby.check_frozen(this)?;
    if let Value::Object(object) = this {
        object.set_payload(Links(args.list.to_vec()));
    }
    Ok(this.clone())
}

fn initialize_copy(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = links(ruby, &args[0])?;
    if let Value::Object(object) = this {
        object.set_payload(Links(other));
    }
    Ok(this.clone())
}

fn each(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.block.is_none() {
        return ruby.enumerator(this, args, |ruby, this, _| ruby.send(this, sym::SIZE, &[]));
    }
    for link in links(ruby, this)? {
        ruby.call(&link, sym::EACH, args)?;
    }
    Ok(this.clone())
}

fn size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let mut total = Value::Int(0);
    for link in links(ruby, this)? {
        let size = ruby.send(&link, sym::SIZE, &[])?;
        if !matches!(size, Value::Int(_) | Value::Big(_)) {
            return Ok(size);
        }
        total = ruby.send(&total, sym::PLUS, &[size])?;
    }
    Ok(total)
}

fn rewind(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    for link in links(ruby, this)?.iter().rev() {
        ruby.try_send(link, sym::REWIND, &[])?;
    }
    Ok(this.clone())
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = ruby.class_name_of(this);
    let Ok(links) = links(ruby, this) else {
        return Ok(format!("#<{class}: uninitialized>").into());
    };
    let shown = ruby.guarded(Walk::Inspect, this, &Value::Nil, |ruby| {
        let list = ruby.inspect(&Value::array(links))?;
        Ok(format!("#<{class}: {}>", list.to_str_lossy()))
    })?;
    Ok(shown.unwrap_or_else(|| format!("#<{class}: ...>")).into())
}
