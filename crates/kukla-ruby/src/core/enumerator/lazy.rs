//! Lazy enumerators: a source and stages that every element goes through, one element at a time.

use std::cell::RefCell;
use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, private};
use crate::core::enumerator::{Size, Source, generator, run, show_args};
use crate::error::{Result, Unwind};
use crate::hash::Table;
use crate::iterate::{Flow, pack};
use crate::proc::ProcObject;
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::{HashObject, Object, Value};

/// The class `Enumerator::Lazy`.
pub const LAZY: NativeClass =
    NativeClass { methods: &[METHODS], ..NativeClass::class("Enumerator::Lazy", "Enumerator") };

const METHODS: &[Native] = methods![
    private("initialize", 0, 2, initialize),
    method("map", 0, 0, map).alias("collect"),
    method("flat_map", 0, 0, flat_map).alias("collect_concat"),
    method("select", 0, 0, select).alias("filter").alias("find_all"),
    method("filter_map", 0, 0, |ruby, this, args| with_block(ruby, this, args, Stage::FilterMap)),
    method("reject", 0, 0, |ruby, this, args| with_block(ruby, this, args, Stage::Reject)),
    method("take_while", 0, 0, |ruby, this, args| with_block(ruby, this, args, Stage::TakeWhile)),
    method("drop_while", 0, 0, |ruby, this, args| with_block(ruby, this, args, Stage::DropWhile)),
    method("grep", 1, 1, |ruby, this, args| grep(ruby, this, args, true)),
    method("grep_v", 1, 1, |ruby, this, args| grep(ruby, this, args, false)),
    method("zip", 0, ANY, zip),
    method("take", 1, 1, take),
    method("drop", 1, 1, drop_first),
    method("uniq", 0, 0, |ruby, this, args| derive(ruby, this, args, Stage::Uniq(args.block.cloned()))),
    method("compact", 0, 0, |ruby, this, args| derive(ruby, this, args, Stage::Compact)),
    method("with_index", 0, 1, with_index),
    method("each_with_index", 0, 0, with_index),
    method("chunk_while", 0, 0, eager_then_lazy).alias("slice_when"),
    method("slice_before", 0, 1, eager_then_lazy).alias("slice_after"),
    method("chunk", 0, 0, eager_then_lazy),
    method("to_enum", 0, ANY, to_enum).alias("enum_for"),
    method("each", 0, ANY, each),
    method("size", 0, 0, size),
    method("first", 0, 1, first),
    method("force", 0, ANY, force).alias("to_a"),
    method("eager", 0, 0, eager),
    method("lazy", 0, 0, |_, this, _| Ok(this.clone())),
    method("inspect", 0, 0, inspect).alias("to_s"),
];

type Block = Rc<ProcObject>;

/// The operation on every element.
#[derive(Clone)]
enum Stage {
    Map(Block),
    FlatMap(Block),
    Select(Block),
    Reject(Block),
    FilterMap(Block),
    TakeWhile(Block),
    DropWhile(Block),
    Grep(Value, bool, Option<Block>),
    Zip(Vec<Value>),
    Take(i64),
    Drop(i64),
    Uniq(Option<Block>),
    Compact,
    WithIndex(i64, Option<Block>),
    /// `Lazy.new(source) { |yielder, *values| … }`
    Custom(Block),
}

/// A lazy enumerator.
#[derive(Clone)]
enum Lazy {
    /// The beginning.
    Root(Source),
    /// One stage after another lazy enumerator.
    Stage { parent: Value, stage: Stage, method: Symbol, args: Vec<Value>, size: Value },
}

/// The state of a stage while elements pass through.
enum Memory {
    Nothing,
    Count(i64),
    Seen(Rc<HashObject>),
    Others(Vec<Value>),
}

/// Elements on their way through the stages.
struct Flowing {
    stages: Vec<Stage>,
    memory: RefCell<Vec<Memory>>,
    sink: Block,
}

/// The lazy enumerator over what a source gives.
pub(super) fn over(source: Source) -> Value {
    Value::Object(Object::with(ClassId::LAZY, Lazy::Root(source)))
}

/// The lazy enumerator over an enumerable (`lazy`).
pub fn lazy(this: &Value) -> Value {
    let source = Source::new(this.clone(), sym::EACH, Size::Asked(super::as_many));
    over(source)
}

fn of(ruby: &mut Ruby<'_>, this: &Value) -> Result<Lazy> {
    if let Value::Object(object) = this
        && let Some(lazy) = object.payload::<Lazy>()
    {
        return Ok(lazy.clone());
    }
    Err(ruby.argument_error("uninitialized lazy enumerator"))
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else {
        return Err(ruby.argument_error("tried to call lazy new without a block"));
    };
    if args.is_empty() {
        return Err(ruby.wrong_number_of_arguments(0, "1..2"));
    }
    ruby.check_frozen(this)?;
    let parent = lazy(&args[0]);
    if let Value::Object(object) = this {
        object.set_payload(Lazy::Stage {
            parent,
            stage: Stage::Custom(block.clone()),
            method: sym::EACH,
            args: Vec::new(),
            size: args[1].clone(),
        });
    }
    Ok(this.clone())
}

fn with_block(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, stage: fn(Block) -> Stage) -> Result {
    match args.block {
        Some(block) => derive(ruby, this, args, stage(block.clone())),
        None => {
            let message = format!("tried to call lazy {} without a block", ruby.called);
            Err(ruby.argument_error(message))
        }
    }
}

fn map(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    with_block(ruby, this, args, Stage::Map)
}

fn flat_map(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    with_block(ruby, this, args, Stage::FlatMap)
}

fn select(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    with_block(ruby, this, args, Stage::Select)
}

fn derive(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, stage: Stage) -> Result {
    let name = ruby.called_symbol();
    let before = match stage {
        Stage::Map(_) | Stage::Zip(_) | Stage::Take(_) | Stage::Drop(_) | Stage::WithIndex(..) => {
            ruby.send(this, sym::SIZE, &[])?
        }
        _ => Value::Nil,
    };
    let size = match (&stage, before) {
        (Stage::Take(count), Value::Int(size)) => Value::Int(size.min(*count)),
        (Stage::Take(count), Value::Float(_)) => Value::Int(*count),
        (Stage::Drop(count), Value::Int(size)) => Value::Int((size - count).max(0)),
        (_, size) => size,
    };
    let lazy = Lazy::Stage { parent: this.clone(), stage, method: name, args: args.list.to_vec(), size };
    Ok(Value::Object(Object::with(ClassId::LAZY, lazy)))
}

fn grep(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, wanted: bool) -> Result {
    derive(ruby, this, args, Stage::Grep(args[0].clone(), wanted, args.block.cloned()))
}

fn take(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let name = ruby.called;
    let count = ruby.to_int(&args[0])?;
    if count < 0 {
        return Err(ruby.argument_error("attempt to take negative size"));
    }
    ruby.called = name;
    derive(ruby, this, args, Stage::Take(count))
}

fn drop_first(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let name = ruby.called;
    let count = ruby.to_int(&args[0])?;
    if count < 0 {
        return Err(ruby.argument_error("attempt to drop negative size"));
    }
    ruby.called = name;
    derive(ruby, this, args, Stage::Drop(count))
}

fn with_index(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let name = ruby.called;
    let offset = match &args[0] {
        Value::Nil => 0,
        offset => ruby.to_int(offset)?,
    };
    ruby.called = name;
    derive(ruby, this, args, Stage::WithIndex(offset, args.block.cloned()))
}

fn zip(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let name = ruby.called;
    if args.block.is_some() {
        return crate::core::enumerable::call(ruby, this, "zip", args);
    }
    for other in args.list {
        if !matches!(other, Value::Array(_)) && !ruby.responds_to(other, sym::EACH, false)? {
            let word = ruby.class_name_of(other);
            return Err(ruby.type_error(format!("wrong argument type {word} (must respond to :each)")));
        }
    }
    ruby.called = name;
    derive(ruby, this, args, Stage::Zip(args.list.to_vec()))
}

fn eager_then_lazy(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let name = ruby.called;
    let eager = crate::core::enumerable::call(ruby, this, name, args)?;
    Ok(lazy(&eager))
}

fn to_enum(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (name, rest) = match args.list.split_first() {
        Some((name, rest)) => (ruby.to_symbol(name)?, rest),
        None => (sym::EACH, args.list),
    };
    let size = match args.block {
        Some(block) => Size::Value(Value::Proc(block.clone())),
        None => Size::Value(Value::Nil),
    };
    let mut source = Source::new(this.clone(), name, size);
    source.args = rest.to_vec();
    source.has_keywords = args.has_keywords;
    Ok(over(source))
}

fn eager(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let source = Source::new(this.clone(), sym::EACH, Size::Asked(super::own_size));
    Ok(Value::Object(Object::with(ClassId::ENUMERATOR, source)))
}

fn size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    match of(ruby, this)? {
        Lazy::Stage { size: Value::Proc(proc), .. } => ruby.yield_to(&proc, &[]),
        Lazy::Stage { size, .. } => Ok(size),
        Lazy::Root(source) => match source.size {
            Size::Asked(size) => size(ruby, &source.receiver, &source.args),
            Size::Value(Value::Proc(proc)) => ruby.yield_to(&proc, &source.args),
            Size::Value(size) => Ok(size),
        },
    }
}

fn each(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else { return Ok(this.clone()) };
    let mut stages = Vec::new();
    let mut at = of(ruby, this)?;
    let mut source = loop {
        match at {
            Lazy::Root(source) => break source,
            Lazy::Stage { parent, stage, .. } => {
                stages.push(stage);
                at = of(ruby, &parent)?;
            }
        }
    };
    source.args.extend_from_slice(args.list);
    stages.reverse();
    if stages.iter().any(|stage| matches!(stage, Stage::Take(0))) {
        return Ok(this.clone());
    }
    let mut memory = Vec::new();
    for stage in &stages {
        memory.push(match stage {
            Stage::Take(_) | Stage::Drop(_) | Stage::DropWhile(_) => Memory::Count(0),
            Stage::WithIndex(offset, _) => Memory::Count(*offset),
            Stage::Uniq(_) => Memory::Seen(HashObject::new(ClassId::HASH, Table::new())),
            Stage::Zip(others) => {
                let mut enumerators = Vec::new();
                for other in others {
                    enumerators.push(ruby.enumerator_for(
                        other,
                        sym::EACH,
                        &Args::default(),
                        Size::Value(Value::Nil),
                    )?);
                }
                Memory::Others(enumerators)
            }
            _ => Memory::Nothing,
        });
    }
    let flowing = Rc::new(Flowing { stages, memory: RefCell::new(memory), sink: block.clone() });
    let number = ruby.next_number();
    let entrance = ruby.block(-1, move |ruby, args| match feed(ruby, &flowing, 0, args.list)? {
        Flow::More => Ok(Value::Nil),
        Flow::Done => Err(Box::new(Unwind::Break(number, Value::Nil))),
    });
    match run(ruby, &source, &entrance) {
        Ok(_) => Ok(this.clone()),
        Err(unwind) => super::broken(unwind, number).map(|_| this.clone()),
    }
}

impl Flowing {
    /// Counts one more; what it was before.
    fn count(&self, at: usize) -> i64 {
        match self.memory.borrow_mut().get_mut(at) {
            Some(Memory::Count(count)) => {
                *count += 1;
                *count - 1
            }
            _ => 0,
        }
    }

    fn counted(&self, at: usize) -> i64 {
        match self.memory.borrow().get(at) {
            Some(Memory::Count(count)) => *count,
            _ => 0,
        }
    }
}

/// Sends an element through the stages from `at` on. Each stage calls the next, so they count as levels of calls.
fn feed(ruby: &mut Ruby<'_>, flowing: &Rc<Flowing>, at: usize, values: &[Value]) -> Result<Flow> {
    ruby.nested(|ruby| feed_stage(ruby, flowing, at, values))
}

fn feed_stage(ruby: &mut Ruby<'_>, flowing: &Rc<Flowing>, at: usize, values: &[Value]) -> Result<Flow> {
    let Some(stage) = flowing.stages.get(at) else {
        // What came out of a stage is one value.
        if at == 0 {
            ruby.yield_to(&flowing.sink, values)?;
        } else {
            ruby.yield_to(&flowing.sink, &[pack(values)])?;
        }
        return Ok(Flow::More);
    };
    let next = at + 1;
    match stage {
        Stage::Map(block) => {
            let value = ruby.yield_to(block, values)?;
            feed(ruby, flowing, next, &[value])
        }
        Stage::FilterMap(block) => {
            let value = ruby.yield_to(block, values)?;
            if value.is_true() { feed(ruby, flowing, next, &[value]) } else { Ok(Flow::More) }
        }
        Stage::FlatMap(block) => {
            let value = ruby.yield_to(block, values)?;
            let list = match &value {
                Value::Array(array) => Some(array.clone()),
                other
                    if ruby.responds_to(other, sym::FORCE, false)?
                        && ruby.responds_to(other, sym::EACH, false)? =>
                {
                    let all = ruby.collect(other, &Args::default())?;
                    ruby.maybe_array(&Value::array(all))?
                }
                other => ruby.maybe_array(other)?,
            };
            let Some(list) = list else { return feed(ruby, flowing, next, &[value]) };
            ruby.walk_array(&list, |ruby, item| feed(ruby, flowing, next, std::slice::from_ref(item)))
        }
        Stage::Select(block) => {
            if ruby.yield_packed(block, values)?.is_true() {
                feed(ruby, flowing, next, values)
            } else {
                Ok(Flow::More)
            }
        }
        Stage::Reject(block) => {
            if ruby.yield_packed(block, values)?.is_true() {
                Ok(Flow::More)
            } else {
                feed(ruby, flowing, next, values)
            }
        }
        Stage::TakeWhile(block) => {
            if ruby.yield_to(block, values)?.is_true() {
                feed(ruby, flowing, next, values)
            } else {
                Ok(Flow::Done)
            }
        }
        Stage::DropWhile(block) => {
            if flowing.counted(at) == 0 {
                if ruby.yield_to(block, values)?.is_true() {
                    return Ok(Flow::More);
                }
                flowing.count(at);
            }
            feed(ruby, flowing, next, values)
        }
        Stage::Grep(pattern, wanted, block) => {
            let value = pack(values);
            if ruby.case_eq(pattern, &value)? != *wanted {
                return Ok(Flow::More);
            }
            match block {
                Some(block) => {
                    let value = ruby.yield_to(block, &[value])?;
                    feed(ruby, flowing, next, &[value])
                }
                None => feed(ruby, flowing, next, &[value]),
            }
        }
        Stage::Zip(_) => {
            let others = match flowing.memory.borrow().get(at) {
                Some(Memory::Others(others)) => others.clone(),
                _ => Vec::new(),
            };
            let mut row = vec![pack(values)];
            for other in others {
                row.push(next_or_nil(ruby, &other)?);
            }
            feed(ruby, flowing, next, &[Value::array(row)])
        }
        Stage::Take(count) => {
            let taken = flowing.count(at) + 1;
            let flow = feed(ruby, flowing, next, values)?;
            Ok(if taken >= *count { Flow::Done } else { flow })
        }
        Stage::Drop(count) => {
            if flowing.counted(at) < *count {
                flowing.count(at);
                return Ok(Flow::More);
            }
            feed(ruby, flowing, next, values)
        }
        Stage::Uniq(block) => {
            let key = match block {
                Some(block) => ruby.yield_to(block, values)?,
                None => pack(values),
            };
            let seen = match flowing.memory.borrow().get(at) {
                Some(Memory::Seen(seen)) => seen.clone(),
                _ => return Ok(Flow::More),
            };
            if ruby.hash_find(&seen, &key)?.is_some() {
                return Ok(Flow::More);
            }
            ruby.hash_set(&seen, key, Value::Nil)?;
            feed(ruby, flowing, next, values)
        }
        Stage::Compact => {
            if pack(values).is_nil() {
                return Ok(Flow::More);
            }
            feed(ruby, flowing, next, values)
        }
        Stage::WithIndex(_, block) => {
            let index = Value::Int(flowing.count(at));
            match block {
                Some(block) => {
                    ruby.yield_to(block, &[pack(values), index])?;
                    feed(ruby, flowing, next, values)
                }
                None => feed(ruby, flowing, next, &[Value::array(vec![pack(values), index])]),
            }
        }
        Stage::Custom(block) => {
            let number = ruby.next_number();
            let onward = flowing.clone();
            let target = ruby.block(-1, move |ruby, args| match feed(ruby, &onward, next, args.list)? {
                Flow::More => Ok(Value::Nil),
                Flow::Done => Err(Box::new(Unwind::Break(number, Value::Nil))),
            });
            let mut list = vec![generator::yielder(target)];
            list.extend_from_slice(values);
            match ruby.yield_to(block, &list) {
                Ok(_) => Ok(Flow::More),
                Err(unwind) => super::broken(unwind, number).map(|_| Flow::Done),
            }
        }
    }
}

/// The next value of an enumerator, `nil` once it has no more.
pub(crate) fn next_or_nil(ruby: &mut Ruby<'_>, enumerator: &Value) -> Result {
    match ruby.send(enumerator, sym::NEXT, &[]) {
        Err(unwind) => match *unwind {
            Unwind::Raise(exception) if ruby.is_a(&exception, ClassId::STOP_ITERATION) => Ok(Value::Nil),
            other => Err(Box::new(other)),
        },
        done => done,
    }
}

fn first(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    crate::core::enumerable::call(ruby, this, "first", args)
}

fn force(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(Value::array(ruby.collect(this, args)?))
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = ruby.class_name_of(this);
    let Ok(lazy) = of(ruby, this) else {
        return Ok(format!("#<{class}: uninitialized>").into());
    };
    let shown = ruby.guarded(Walk::Inspect, this, &Value::Nil, |ruby| {
        let (inner, method, args) = match &lazy {
            Lazy::Root(source) => (source.receiver.clone(), source.method, source.args.clone()),
            Lazy::Stage { parent, stage: Stage::Custom(_), method, args, .. } => match of(ruby, parent)? {
                Lazy::Root(source) => (source.receiver, *method, args.clone()),
                Lazy::Stage { .. } => (parent.clone(), *method, args.clone()),
            },
            Lazy::Stage { parent, method, args, .. } => (parent.clone(), *method, args.clone()),
        };
        let inner = ruby.inspect(&inner)?.to_str_lossy().into_owned();
        if matches!(lazy, Lazy::Root(_)) && method == sym::EACH && args.is_empty() {
            return Ok(format!("#<{class}: {inner}>"));
        }
        let args = show_args(ruby, &args, false)?;
        Ok(format!("#<{class}: {inner}:{}{args}>", ruby.name(method)))
    })?;
    Ok(shown.unwrap_or_else(|| format!("#<{class}: ...>")).into())
}
