//! Arithmetic sequences: `1.step(10, 3)`, `(1..10) % 3`.

use std::cmp::Ordering;

use crate::args::Args;
use crate::class::{ClassId, Native, NativeClass, method, methods};
use crate::core::enumerator::{Size, Source, show_args};
use crate::core::numeric::step::float_steps;
use crate::error::Result;
use crate::iterate::Flow;
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::{Object, Value};

/// The class `Enumerator::ArithmeticSequence`.
pub const ARITHMETIC_SEQUENCE: NativeClass = NativeClass {
    methods: &[METHODS],
    singleton: &[&[method("allocate", 0, 0, no_allocate), method("new", 0, crate::class::ANY, no_new)]],
    ..NativeClass::class("Enumerator::ArithmeticSequence", "Enumerator")
};

const METHODS: &[Native] = methods![
    method("begin", 0, 0, |ruby, this, _| Ok(of(ruby, this)?.begin)),
    method("end", 0, 0, |ruby, this, _| Ok(of(ruby, this)?.end)),
    method("step", 0, 0, |ruby, this, _| Ok(of(ruby, this)?.step)),
    method("exclude_end?", 0, 0, |ruby, this, _| Ok(of(ruby, this)?.exclusive.into())),
    method("each", 0, 0, each),
    method("size", 0, 0, size),
    method("first", 0, 1, first),
    method("last", 0, 1, last),
    method("==", 1, 1, equal).alias("===").alias("eql?"),
    method("hash", 0, 0, hash),
    method("inspect", 0, 0, inspect),
];

/// Numbers at equal distances.
#[derive(Clone)]
pub struct Sequence {
    /// The first number.
    pub begin: Value,
    /// Where it ends, `nil` if it does not.
    pub end: Value,
    /// The distance.
    pub step: Value,
    /// Whether the end is left out.
    pub exclusive: bool,
    /// The receiver of the call: a number or a range.
    receiver: Value,
    method: Symbol,
    args: Vec<Value>,
    has_keywords: bool,
}

/// The sequence that a method of a number or range returns without a block; it shows as that call.
pub fn sequence(
    ruby: &mut Ruby<'_>,
    receiver: &Value,
    args: &Args<'_>,
    (begin, end, step): (Value, Value, Value),
    exclusive: bool,
) -> Value {
    let sequence = Sequence {
        begin,
        end,
        step,
        exclusive,
        receiver: receiver.clone(),
        method: ruby.called_symbol(),
        args: args.list.to_vec(),
        has_keywords: args.has_keywords,
    };
    Value::Object(Object::with(ClassId::ARITHMETIC_SEQUENCE, sequence))
}

/// The sequence that a value is, if it is one.
pub fn as_sequence(value: &Value) -> Option<Sequence> {
    match value {
        Value::Object(object) => object.payload::<Sequence>().map(|sequence| sequence.clone()),
        _ => None,
    }
}

fn of(ruby: &mut Ruby<'_>, this: &Value) -> Result<Sequence> {
    match as_sequence(this) {
        Some(sequence) => Ok(sequence),
        None => Err(ruby.type_error("uninitialized arithmetic sequence")),
    }
}

fn no_allocate(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let shown = ruby.inspect(this)?;
    Err(ruby.type_error(format!("allocator undefined for {}", shown.to_str_lossy())))
}

fn no_new(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let shown = ruby.inspect(this)?;
    let message = format!("undefined method `new' for {}:Class", shown.to_str_lossy());
    Err(ruby.error(ClassId::NO_METHOD_ERROR, message))
}

impl Sequence {
    /// The call that the sequence represents.
    pub(super) fn source(&self) -> Source {
        Source {
            receiver: self.receiver.clone(),
            method: self.method,
            args: self.args.clone(),
            has_keywords: self.has_keywords,
            size: Size::Value(Value::Nil),
        }
    }

    fn has_floats(&self) -> bool {
        [&self.begin, &self.end, &self.step].iter().any(|value| matches!(value, Value::Float(_)))
    }

    fn floats(&self, ruby: &mut Ruby<'_>) -> Result<(f64, f64, f64)> {
        let (begin, step) = (ruby.to_float(&self.begin)?, ruby.to_float(&self.step)?);
        let end = match &self.end {
            Value::Nil if step < 0.0 => f64::NEG_INFINITY,
            Value::Nil => f64::INFINITY,
            end => ruby.to_float(end)?,
        };
        Ok((begin, end, step))
    }

    /// Gives every number to `go`.
    pub fn walk(
        &self,
        ruby: &mut Ruby<'_>,
        mut go: impl FnMut(&mut Ruby<'_>, Value) -> Result<Flow>,
    ) -> Result<Flow> {
        if self.has_floats() {
            let (begin, end, step) = self.floats(ruby)?;
            let count = float_steps(begin, end, step, self.exclusive);
            let mut at = 0.0;
            while at < count {
                ruby.charge(1)?;
                let number = if step.is_infinite() { begin } else { at * step + begin };
                let number = if step >= 0.0 { number.min(end) } else { number.max(end) };
                if go(ruby, Value::Float(number))? == Flow::Done {
                    return Ok(Flow::Done);
                }
                at += 1.0;
            }
            return Ok(Flow::More);
        }
        let down = self.goes_down(ruby)?;
        let mut number = self.begin.clone();
        loop {
            if !self.end.is_nil() {
                let order = ruby.must_compare(&number, &self.end)?;
                let past = if down { order == Ordering::Less } else { order == Ordering::Greater };
                if past || (self.exclusive && order == Ordering::Equal) {
                    return Ok(Flow::More);
                }
            }
            ruby.charge(1)?;
            if go(ruby, number.clone())? == Flow::Done {
                return Ok(Flow::Done);
            }
            number = plus(ruby, &number, &self.step)?;
        }
    }

    fn goes_down(&self, ruby: &mut Ruby<'_>) -> Result<bool> {
        if self.begin.is_nil() {
            let class = ruby.class_name_of(&self.end);
            return Err(ruby.type_error(format!("nil can't be coerced into {class}")));
        }
        match &self.step {
            Value::Int(step) => Ok(*step < 0),
            step => Ok(ruby.must_compare(step, &Value::Int(0))? == Ordering::Less),
        }
    }

    fn all(&self, ruby: &mut Ruby<'_>, most: usize) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        if most > 0 {
            self.walk(ruby, |_, number| {
                all.push(number);
                Ok(if all.len() >= most { Flow::Done } else { Flow::More })
            })?;
        }
        Ok(all)
    }
}

fn plus(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    if let (Value::Int(a), Value::Int(b)) = (a, b)
        && let Some(sum) = a.checked_add(*b)
    {
        return Ok(Value::Int(sum));
    }
    ruby.send(a, sym::PLUS, std::slice::from_ref(b))
}

fn each(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else { return Ok(this.clone()) };
    let sequence = of(ruby, this)?;
    sequence.walk(ruby, |ruby, number| ruby.yield_to(block, &[number]).map(|_| Flow::More))?;
    Ok(this.clone())
}

fn size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let sequence = of(ruby, this)?;
    if sequence.has_floats() {
        let (begin, end, step) = sequence.floats(ruby)?;
        let count = float_steps(begin, end, step, sequence.exclusive);
        return if count.is_infinite() { Ok(count.into()) } else { ruby.float_to_integer(count) };
    }
    if sequence.end.is_nil() {
        return Ok(f64::INFINITY.into());
    }
    let down = sequence.goes_down(ruby)?;
    let order = ruby.must_compare(&sequence.begin, &sequence.end)?;
    if order == if down { Ordering::Less } else { Ordering::Greater } {
        return Ok(Value::Int(0));
    }
    let distance = ruby.send(&sequence.end, sym::MINUS, std::slice::from_ref(&sequence.begin))?;
    let div = ruby.symbols.intern("div");
    let count = ruby.send(&distance, div, std::slice::from_ref(&sequence.step))?;
    if sequence.exclusive {
        let covered = ruby.send(&count, sym::TIMES, std::slice::from_ref(&sequence.step))?;
        if ruby.eq(&covered, &distance)? {
            return Ok(count);
        }
    }
    plus(ruby, &count, &Value::Int(1))
}

fn first(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let sequence = of(ruby, this)?;
    let Some(count) = args.get(0) else {
        return Ok(sequence.all(ruby, 1)?.pop().unwrap_or_default());
    };
    let count = ruby.to_int(count)?;
    match usize::try_from(count) {
        Ok(count) => Ok(Value::array(sequence.all(ruby, count)?)),
        Err(_) => Err(ruby.argument_error("attempt to take negative size")),
    }
}

fn last(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let sequence = of(ruby, this)?;
    if sequence.end.is_nil() {
        return Err(ruby.range_error("cannot get the last element of endless arithmetic sequence"));
    }
    let mut all = sequence.all(ruby, usize::MAX)?;
    let Some(count) = args.get(0) else {
        return Ok(all.pop().unwrap_or_default());
    };
    let count = ruby.to_int(count)?;
    let Ok(count) = usize::try_from(count) else {
        return Err(ruby.argument_error("negative array size"));
    };
    Ok(Value::array(all.split_off(all.len().saturating_sub(count))))
}

fn equal(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (sequence, Some(other)) = (of(ruby, this)?, as_sequence(&args[0])) else {
        return Ok(false.into());
    };
    let same = sequence.exclusive == other.exclusive
        && ruby.eq(&sequence.begin, &other.begin)?
        && ruby.eq(&sequence.end, &other.end)?
        && ruby.eq(&sequence.step, &other.step)?;
    Ok(same.into())
}

fn hash(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let sequence = of(ruby, this)?;
    let key = vec![sequence.exclusive.into(), sequence.begin, sequence.end, sequence.step];
    ruby.send(&Value::array(key), sym::HASH, &[])
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let sequence = of(ruby, this)?;
    let receiver = match &sequence.receiver {
        range @ Value::Range(_) => format!("({})", ruby.display(range)?.to_str_lossy()),
        number => ruby.display(number)?.to_str_lossy().into_owned(),
    };
    let args = show_args(ruby, &sequence.args, sequence.has_keywords)?;
    Ok(format!("({receiver}.{}{args})", ruby.name(sequence.method)).into())
}
