//! All combinations of the elements of several enumerables: `Enumerator.product(a, b)`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, private};
use crate::error::Result;
use crate::iterate::pack;
use crate::proc::ProcObject;
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{Object, Value};

/// The class `Enumerator::Product`.
pub const PRODUCT: NativeClass =
    NativeClass { methods: &[METHODS], ..NativeClass::class("Enumerator::Product", "Enumerator") };

const METHODS: &[Native] = methods![
    private("initialize", 0, ANY, initialize),
    private("initialize_copy", 1, 1, initialize_copy),
    method("each", 0, 0, each),
    method("size", 0, 0, size),
    method("rewind", 0, 0, rewind),
    method("inspect", 0, 0, inspect).alias("to_s"),
];

struct Factors(Vec<Value>);

fn factors(ruby: &mut Ruby<'_>, this: &Value) -> Result<Vec<Value>> {
    if let Value::Object(object) = this
        && let Some(factors) = object.payload::<Factors>()
    {
        return Ok(factors.0.clone());
    }
    Err(ruby.argument_error("uninitialized product"))
}

/// `Enumerator.product(a, b)`
pub(super) fn product(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    if let (_, Some(keywords)) = args.split() {
        let mut shown = Vec::new();
        for (key, _) in crate::core::hash::entries(keywords) {
            shown.push(ruby.inspect(&key)?.to_str_lossy().into_owned());
        }
        let plural = if shown.len() == 1 { "" } else { "s" };
        return Err(ruby.argument_error(format!("unknown keyword{plural}: {}", shown.join(", "))));
    }
    let product = Value::Object(Object::with(ClassId::PRODUCT, Factors(args.list.to_vec())));
    match args.block {
        Some(_) => ruby.call(&product, sym::EACH, &Args { list: &[], ..*args }).map(|_| Value::Nil),
        None => Ok(product),
    }
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    ruby.check_frozen(this)?;
    if let Value::Object(object) = this {
        object.set_payload(Factors(args.list.to_vec()));
    }
    Ok(this.clone())
}

fn initialize_copy(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if this.is_same(&args[0]) {
        return Ok(this.clone());
    }
    ruby.check_frozen(this)?;
    if ruby.real_class_of(this) != ruby.real_class_of(&args[0]) {
        return Err(ruby.type_error("initialize_copy should take same class object"));
    }
    let other = factors(ruby, &args[0])?;
    initialize(ruby, this, &Args::new(&other))
}

fn each(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else { return Ok(this.clone()) };
    let factors: Rc<[Value]> = factors(ruby, this)?.into();
    combine(ruby, &factors, Vec::new(), block)?;
    Ok(this.clone())
}

/// Goes through the factor after those that have a value already.
fn combine(
    ruby: &mut Ruby<'_>,
    factors: &Rc<[Value]>,
    row: Vec<Value>,
    block: &Rc<ProcObject>,
) -> Result<()> {
    let Some(factor) = factors.get(row.len()).cloned() else {
        ruby.yield_to(block, &[Value::array(row)])?;
        return Ok(());
    };
    let (factors, block) = (factors.clone(), block.clone());
    let inner = ruby.block(-1, move |ruby, args| {
        ruby.charge(1)?;
        let mut row = row.clone();
        row.push(pack(args.list));
        kukla_syntax::deep(|| combine(ruby, &factors, row, &block))?;
        Ok(Value::Nil)
    });
    let each_entry = ruby.symbols.intern("each_entry");
    ruby.call(&factor, each_entry, &Args::with_block(&[], &inner))?;
    Ok(())
}

fn size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let mut total = Value::Int(1);
    for factor in factors(ruby, this)? {
        let size = match ruby.responds_to(&factor, sym::SIZE, false)? {
            true => ruby.send(&factor, sym::SIZE, &[])?,
            false => Value::Nil,
        };
        match &size {
            Value::Int(_) | Value::Big(_) => {}
            Value::Float(number) if number.is_infinite() => {}
            _ => return Ok(Value::Nil),
        }
        total = ruby.send(&total, sym::TIMES, &[size])?;
    }
    Ok(total)
}

fn rewind(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    for factor in factors(ruby, this)? {
        ruby.try_send(&factor, sym::REWIND, &[])?;
    }
    Ok(this.clone())
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = ruby.class_name_of(this);
    let Ok(factors) = factors(ruby, this) else {
        return Ok(format!("#<{class}: uninitialized>").into());
    };
    let shown = ruby.guarded(Walk::Inspect, this, &Value::Nil, |ruby| {
        let list = ruby.inspect(&Value::array(factors))?;
        Ok(format!("#<{class}: {}>", list.to_str_lossy()))
    })?;
    Ok(shown.unwrap_or_else(|| format!("#<{class}: ...>")).into())
}
