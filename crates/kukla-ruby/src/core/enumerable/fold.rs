//! One value of all elements: `inject`, `sum`, `tally`.

use num_bigint::BigInt;

use crate::args::Args;
use crate::class::{ClassId, Native, method, methods};
use crate::error::Result;
use crate::hash::Table;
use crate::iterate::{Flow, pack};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::{HashObject, Value};

pub(super) const METHODS: &[Native] = methods![
    method("inject", 0, 2, inject).alias("reduce"),
    method("sum", 0, 1, sum),
    method("tally", 0, 1, tally),
];

/// How `inject` combines.
#[derive(Clone)]
enum Combine {
    Operator(Symbol),
    Block(std::rc::Rc<crate::proc::ProcObject>),
    /// No operation was given, which matters only once there are two elements.
    Unsaid,
}

impl Combine {
    fn apply(&self, ruby: &mut Ruby<'_>, memo: &Value, value: Value) -> Result {
        match self {
            Combine::Operator(sym::PLUS) => {
                if let (Value::Int(a), Value::Int(b)) = (memo, &value)
                    && let Some(sum) = a.checked_add(*b)
                {
                    return Ok(Value::Int(sum));
                }
                ruby.send(memo, sym::PLUS, &[value])
            }
            Combine::Operator(name) => ruby.call(memo, *name, &Args::new(&[value])),
            Combine::Block(block) => ruby.yield_to(block, &[memo.clone(), value]),
            Combine::Unsaid => Err(ruby.error(ClassId::LOCAL_JUMP_ERROR, "no block given")),
        }
    }
}

/// The first value and the way to combine that the arguments of `inject` ask for.
fn instructions(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<(Option<Value>, Combine)> {
    match (args.list, args.block) {
        ([], Some(block)) => Ok((None, Combine::Block(block.clone()))),
        ([first], Some(block)) => Ok((Some(first.clone()), Combine::Block(block.clone()))),
        ([], None) => Ok((None, Combine::Unsaid)),
        ([name], None) => Ok((None, Combine::Operator(ruby.to_symbol(name)?))),
        ([first, name, ..], block) => {
            if block.is_some() {
                ruby.warn("given block not used")?;
            }
            Ok((Some(first.clone()), Combine::Operator(ruby.to_symbol(name)?)))
        }
    }
}

fn inject(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (first, combine) = instructions(ruby, args)?;
    let memo = ruby.walk(this, first, move |ruby, memo, values| {
        let value = pack(values);
        *memo = Some(match memo.take() {
            None => value,
            Some(memo) => combine.apply(ruby, &memo, value)?,
        });
        Ok(Flow::More)
    })?;
    Ok(memo.unwrap_or_default())
}

/// A sum as Ruby computes it: integers exactly, floats with Kahan's and Babuška's correction, anything else with `+`.
pub(crate) enum Total {
    /// Integers so far.
    Int(BigInt, i64),
    /// Floats from some point on: the sum, the correction.
    Float(f64, f64),
    /// Anything else.
    Any(Value),
    /// Integers that come before all else in an array are added up first, and then to what the sum began with.
    Before(BigInt, Value),
}

impl Total {
    /// A sum that begins with a value.
    pub(crate) fn new(first: Value) -> Total {
        match first {
            Value::Int(number) => Total::Int(BigInt::ZERO, number),
            Value::Float(number) => Total::Float(number, 0.0),
            other => Total::Any(other),
        }
    }

    /// A sum over an array that begins with a value.
    pub(crate) fn of_array(first: Value) -> Total {
        match first {
            Value::Int(_) => Total::new(first),
            other => Total::Before(BigInt::ZERO, other),
        }
    }

    /// Adds a value.
    pub(crate) fn add(&mut self, ruby: &mut Ruby<'_>, value: &Value) -> Result<()> {
        if let Total::Before(sum, _) = self {
            match value {
                Value::Int(number) => {
                    *sum += *number;
                    return Ok(());
                }
                Value::Big(big) => {
                    *sum += &big.number;
                    return Ok(());
                }
                _ => {
                    let so_far = std::mem::replace(self, Total::Any(Value::Nil)).finish(ruby)?;
                    *self = match value {
                        Value::Float(_) => Total::Float(ruby.to_float(&so_far)?, 0.0),
                        _ => Total::new(so_far),
                    };
                }
            }
        }
        match (&mut *self, value) {
            (Total::Int(large, small), Value::Int(number)) => match small.checked_add(*number) {
                Some(sum) => *small = sum,
                None => {
                    *large += *small;
                    *small = *number;
                }
            },
            (Total::Int(large, _), Value::Big(big)) => *large += &big.number,
            (Total::Int(..), Value::Float(number)) => {
                let so_far = std::mem::replace(self, Total::Any(Value::Nil)).finish(ruby)?;
                *self = Total::Float(ruby.to_float(&so_far)?, 0.0);
                self.add_float(*number);
            }
            (Total::Float(..), Value::Float(number)) => self.add_float(*number),
            (Total::Float(..), Value::Int(_) | Value::Big(_)) => {
                let number = ruby.to_float(value)?;
                self.add_float(number);
            }
            (Total::Float(..), other) if ruby.is_a(other, ClassId::RATIONAL) => {
                let number = ruby.to_float(other)?;
                self.add_float(number);
            }
            _ => {
                let so_far = std::mem::replace(self, Total::Any(Value::Nil)).finish(ruby)?;
                let sum = ruby.send(&so_far, sym::PLUS, std::slice::from_ref(value))?;
                // A sum of rationals may turn into floats, which are corrected again.
                let again = matches!(sum, Value::Float(_)) && ruby.is_a(&so_far, ClassId::RATIONAL);
                *self = if again { Total::new(sum) } else { Total::Any(sum) };
            }
        }
        Ok(())
    }

    fn add_float(&mut self, number: f64) {
        let Total::Float(sum, correction) = self else { return };
        if number.is_nan() || sum.is_nan() {
            *sum += number;
        } else if number.is_infinite() {
            *sum = if sum.is_infinite() && number.signum() != sum.signum() { f64::NAN } else { number };
        } else if sum.is_finite() {
            let total = *sum + number;
            if sum.abs() >= number.abs() {
                *correction += (*sum - total) + number;
            } else {
                *correction += (number - total) + *sum;
            }
            *sum = total;
        }
    }

    /// The sum.
    pub(crate) fn finish(self, ruby: &mut Ruby<'_>) -> Result {
        Ok(match self {
            Total::Int(large, small) => Value::integer(large + small),
            Total::Float(sum, correction) => Value::Float(sum + correction),
            Total::Any(value) => value,
            Total::Before(sum, first) if sum == BigInt::ZERO => first,
            Total::Before(sum, first) => ruby.send(&Value::integer(sum), sym::PLUS, &[first])?,
        })
    }
}

fn sum(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let first = args.get(0).cloned().unwrap_or(Value::Int(0));
    let block = args.block.cloned();
    let total = ruby.walk(this, Total::new(first), move |ruby, total, values| {
        let value = match &block {
            Some(block) => ruby.yield_packed(block, values)?,
            None => pack(values),
        };
        total.add(ruby, &value)?;
        Ok(Flow::More)
    })?;
    total.finish(ruby)
}

fn tally_into(ruby: &mut Ruby<'_>, hash: &HashObject, key: Value) -> Result<()> {
    let count = match ruby.hash_get(hash, &key)? {
        None => Value::Int(1),
        Some(Value::Int(count)) if count < i64::MAX => Value::Int(count + 1),
        Some(count @ (Value::Int(_) | Value::Big(_))) => ruby.send(&count, sym::PLUS, &[Value::Int(1)])?,
        Some(other) => {
            let word = ruby.class_name_of(&other);
            return Err(ruby.type_error(format!("wrong argument type {word} (expected Integer)")));
        }
    };
    ruby.hash_set(hash, key, count)
}

fn tally_hash(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<std::rc::Rc<HashObject>> {
    match args.get(0) {
        Some(hash) => {
            let hash = ruby.to_hash(hash)?;
            ruby.check_frozen(&Value::Hash(hash.clone()))?;
            Ok(hash)
        }
        None => Ok(HashObject::new(ClassId::HASH, Table::new())),
    }
}

fn tally(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = tally_hash(ruby, args)?;
    let hash = ruby.walk(this, hash, |ruby, hash, values| {
        tally_into(ruby, hash, pack(values))?;
        Ok(Flow::More)
    })?;
    Ok(Value::Hash(hash))
}
