//! Enumerators: a receiver and the iterating method that was called without a block.

pub mod arithmetic;
mod chain;
mod external;
mod generator;
mod lazy;
mod product;

use std::rc::Rc;

pub use arithmetic::{ARITHMETIC_SEQUENCE, Sequence, as_sequence, sequence};
pub use chain::{CHAIN, chain as chain_of};
pub use generator::{GENERATOR, PRODUCER, YIELDER, generator as generator_of};
pub(crate) use lazy::next_or_nil;
pub use lazy::{LAZY, lazy as lazy_over};
pub use product::PRODUCT;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, iterator, method, methods, private, quick};
use crate::error::{Result, Unwind};
use crate::iterate::pack;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::{Object, Value};

/// The class `Enumerator`.
pub const ENUMERATOR: NativeClass = NativeClass {
    includes: &["Enumerable"],
    methods: &[METHODS, external::METHODS],
    singleton: &[SINGLETON],
    ..NativeClass::class("Enumerator", "Object")
};

const METHODS: &[Native] = methods![
    private("initialize", 0, 1, initialize),
    private("initialize_copy", 1, 1, initialize_copy),
    quick("each", 0, ANY, each),
    quick("size", 0, 0, size),
    iterator("with_index", 0, 1, with_index, own_size),
    iterator("each_with_index", 0, 0, each_with_index, own_size),
    iterator("with_object", 1, 1, with_object, own_size).alias("each_with_object"),
    method("inspect", 0, 0, inspect).alias("to_s"),
    method("+", 1, 1, chain::plus),
];

const SINGLETON: &[Native] = &[
    method("allocate", 0, 0, allocate),
    method("produce", 0, 1, generator::produce),
    method("product", 0, ANY, product::product),
];

/// Tells how many elements there will be: of the receiver, with the arguments.
pub type SizeFn = fn(&mut Ruby<'_>, &Value, &[Value]) -> Result;

/// How many elements an enumerator has.
#[derive(Clone)]
pub enum Size {
    /// A number, infinity, or `nil` for nobody knows; a proc is asked.
    Value(Value),
    /// Computed from the receiver and the arguments.
    Asked(SizeFn),
}

/// The call that an enumerator iterates with.
#[derive(Clone)]
pub struct Source {
    /// The receiver.
    pub receiver: Value,
    /// The method that iterates.
    pub method: Symbol,
    /// Its arguments.
    pub args: Vec<Value>,
    /// Whether the last argument holds keywords.
    pub has_keywords: bool,
    /// How many elements there are.
    pub size: Size,
}

impl Source {
    /// A method of a receiver without arguments.
    pub fn new(receiver: Value, method: Symbol, size: Size) -> Source {
        Source { receiver, method, args: Vec::new(), has_keywords: false, size }
    }
}

/// Nobody knows how many.
pub fn unknown(_: &mut Ruby<'_>, _: &Value, _: &[Value]) -> Result {
    Ok(Value::Nil)
}

/// As many as `size` of the receiver says, if it says something.
pub fn as_many(ruby: &mut Ruby<'_>, this: &Value, _: &[Value]) -> Result {
    match this {
        Value::Array(array) => Ok(Value::Int(array.len() as i64)),
        Value::Hash(hash) => Ok(Value::Int(hash.table().len() as i64)),
        _ => Ok(ruby.try_send(this, sym::SIZE, &[])?.unwrap_or_default()),
    }
}

impl Ruby<'_> {
    /// The enumerator that an iterating method returns when it is called without a block.
    pub fn enumerator(&mut self, this: &Value, args: &Args<'_>, size: SizeFn) -> Result {
        let name = self.called_symbol();
        self.enumerator_for(this, name, args, Size::Asked(size))
    }

    /// The symbol of the native method that was called last.
    pub(crate) fn called_symbol(&mut self) -> Symbol {
        let name = self.called;
        self.symbols.intern(name)
    }

    /// The enumerator of a method that cannot tell how many elements there will be.
    pub fn make_enumerator(&mut self, receiver: &Value, method: Symbol, args: &Args<'_>) -> Result {
        self.enumerator_for(receiver, method, args, Size::Value(Value::Nil))
    }

    /// An enumerator for a method of a receiver.
    pub fn enumerator_for(&mut self, this: &Value, name: Symbol, args: &Args<'_>, size: Size) -> Result {
        let mut source = Source::new(this.clone(), name, size);
        source.args = args.list.to_vec();
        source.has_keywords = args.has_keywords;
        if matches!(this, Value::Object(_)) && self.is_a(this, ClassId::LAZY) {
            return Ok(lazy::over(source));
        }
        Ok(Value::Object(Object::with(ClassId::ENUMERATOR, source)))
    }
}

/// The call that an enumerator iterates with.
pub(super) fn source(ruby: &mut Ruby<'_>, this: &Value) -> Result<Source> {
    if let Value::Object(object) = this
        && let Some(source) = object.payload::<Source>()
    {
        return Ok(source.clone());
    }
    if let Some(sequence) = as_sequence(this) {
        return Ok(sequence.source());
    }
    // Chains and lazy enumerators have an `each` of their own.
    if [ClassId::CHAIN, ClassId::LAZY, ClassId::PRODUCT].iter().any(|class| ruby.is_a(this, *class)) {
        return Ok(Source::new(this.clone(), sym::EACH, Size::Asked(own_size)));
    }
    Err(ruby.argument_error("uninitialized enumerator"))
}

fn allocate(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let Value::Class(class) = this else { return Ok(Value::Nil) };
    Ok(Value::Object(Object::new(*class)))
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else {
        return Err(ruby.argument_error("tried to create Proc object without a block"));
    };
    ruby.check_frozen(this)?;
    let size = match &args[0] {
        Value::Nil => Value::Nil,
        Value::Float(number) if number.is_infinite() => Value::Float(*number),
        size @ Value::Proc(_) => size.clone(),
        size if ruby.responds_to(size, sym::CALL, false)? => size.clone(),
        size => ruby.to_integer(size)?,
    };
    let generator = generator::generator(block.clone());
    if let Value::Object(object) = this {
        object.set_payload(Source::new(generator, sym::EACH, Size::Value(size)));
    }
    Ok(this.clone())
}

fn initialize_copy(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = source(ruby, &args[0])?;
    if external::started(&args[0]) {
        return Err(ruby.type_error("can't copy execution context"));
    }
    if let Value::Object(object) = this {
        object.set_payload(other);
    }
    Ok(this.clone())
}

/// Goes through all elements with a block.
pub(super) fn run(ruby: &mut Ruby<'_>, source: &Source, block: &Rc<ProcObject>) -> Result {
    let args = Args { list: &source.args, has_keywords: source.has_keywords, block: Some(block) };
    ruby.call(&source.receiver, source.method, &args)
}

fn each(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut source = source(ruby, this)?;
    if args.is_empty() {
        return match args.block {
            Some(block) => run(ruby, &source, block),
            None => Ok(this.clone()),
        };
    }
    source.args.extend_from_slice(args.list);
    source.has_keywords = args.has_keywords;
    match args.block {
        Some(block) => run(ruby, &source, block),
        None => {
            source.size = Size::Value(Value::Nil);
            Ok(Value::Object(Object::with(ruby.real_class_of(this), source)))
        }
    }
}

fn size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let source = source(ruby, this)?;
    match source.size {
        Size::Asked(size) => size(ruby, &source.receiver, &source.args),
        Size::Value(Value::Proc(proc)) => ruby.yield_to(&proc, &source.args),
        Size::Value(size) => match &size {
            Value::Nil | Value::Int(_) | Value::Big(_) | Value::Float(_) => Ok(size),
            _ => ruby.send(&size, sym::CALL, &source.args),
        },
    }
}

fn own_size(ruby: &mut Ruby<'_>, this: &Value, _: &[Value]) -> Result {
    ruby.send(this, sym::SIZE, &[])
}

fn with_index(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let offset = match &args[0] {
        Value::Nil => Value::Int(0),
        offset => ruby.to_integer(offset)?,
    };
    count_from(ruby, this, offset, block.clone())
}

fn each_with_index(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    count_from(ruby, this, Value::Int(0), block.clone())
}

fn count_from(ruby: &mut Ruby<'_>, this: &Value, offset: Value, block: Rc<ProcObject>) -> Result {
    let source = source(ruby, this)?;
    let index = std::cell::RefCell::new(offset);
    let counting = ruby.block(-1, move |ruby, args| {
        let at = index.borrow().clone();
        let next = ruby.send_plus_one(&at)?;
        *index.borrow_mut() = next;
        ruby.yield_to(&block, &[pack(args.list), at])
    });
    run(ruby, &source, &counting)
}

impl Ruby<'_> {
    /// The integer after an integer.
    pub(crate) fn send_plus_one(&mut self, number: &Value) -> Result {
        match number {
            Value::Int(small) if *small < i64::MAX => Ok(Value::Int(small + 1)),
            other => self.send(other, sym::PLUS, &[Value::Int(1)]),
        }
    }
}

fn with_object(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let source = source(ruby, this)?;
    let (block, memo) = (block.clone(), args[0].clone());
    let passing = ruby.block(-1, move |ruby, args| ruby.yield_to(&block, &[pack(args.list), memo.clone()]));
    run(ruby, &source, &passing)?;
    Ok(args[0].clone())
}

/// `(1, a: 2)`, as `inspect` shows the arguments of the method; nothing if there are none.
pub(super) fn show_args(ruby: &mut Ruby<'_>, args: &[Value], has_keywords: bool) -> Result<String> {
    if args.is_empty() {
        return Ok(String::new());
    }
    let mut shown = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        match arg {
            Value::Hash(hash) if has_keywords && at + 1 == args.len() => {
                let entries: Vec<_> =
                    hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
                for (key, value) in entries {
                    let (key, value) = (ruby.display(&key)?, ruby.inspect(&value)?);
                    shown.push(format!("{}: {}", key.to_str_lossy(), value.to_str_lossy()));
                }
            }
            arg => shown.push(ruby.inspect(arg)?.to_str_lossy().into_owned()),
        }
    }
    Ok(format!("({})", shown.join(", ")))
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = ruby.class_name_of(this);
    let Ok(source) = source(ruby, this) else {
        return Ok(format!("#<{class}: uninitialized>").into());
    };
    let shown = ruby.guarded(crate::recursion::Walk::Inspect, this, &Value::Nil, |ruby| {
        let receiver = ruby.inspect(&source.receiver)?.to_str_lossy().into_owned();
        let args = show_args(ruby, &source.args, source.has_keywords)?;
        Ok(format!("#<{class}: {receiver}:{}{args}>", ruby.name(source.method)))
    })?;
    Ok(shown.unwrap_or_else(|| format!("#<{class}: ...>")).into())
}

/// Whether something ended because of `break` out of the call with this number, and with which value.
#[expect(clippy::boxed_local, reason = "an unwind travels in its box")]
pub(super) fn broken(unwind: Box<Unwind>, number: u64) -> Result {
    match *unwind {
        Unwind::Break(at, value) if at == number => Ok(value),
        other => Err(Box::new(other)),
    }
}
