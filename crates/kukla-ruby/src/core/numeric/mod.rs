//! Methods that all numbers have in common.

pub mod arithmetic;
pub mod compare;
pub mod large;
pub mod parse;
pub mod power;
pub mod round;
pub mod step;
pub mod tower;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, quick};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::{HashObject, Value};
use tower::Parts;

/// The class `Numeric`.
pub const NUMERIC: NativeClass = NativeClass {
    includes: &["Comparable"],
    methods: &[METHODS, step::STEP],
    ..NativeClass::class("Numeric", "Object")
};

/// Everything here goes by the operators of the number, which a program may have defined.
const METHODS: &[Native] = methods![
    quick("+@", 0, 0, |_, this, _| Ok(this.clone())),
    method("-@", 0, 0, negate),
    method("<=>", 1, 1, |ruby, this, args| {
        let same = this.is_same(&args[0]) || ruby.eql(this, &args[0])?;
        Ok(if same { Value::Int(0) } else { Value::Nil })
    }),
    method("coerce", 1, 1, coerce),
    method("eql?", 1, 1, |ruby, this, args| {
        let same = ruby.real_class_of(this) == ruby.real_class_of(&args[0]);
        Ok((same && ruby.eq(this, &args[0])?).into())
    }),
    quick("integer?", 0, 0, |_, _, _| Ok(false.into())),
    quick("real?", 0, 0, |_, _, _| Ok(true.into())),
    quick("real", 0, 0, |_, this, _| Ok(this.clone())),
    quick("imaginary", 0, 0, |_, _, _| Ok(Value::Int(0))),
    quick("imag", 0, 0, |_, _, _| Ok(Value::Int(0))),
    method("conj", 0, 0, |_, this, _| Ok(this.clone())),
    method("conjugate", 0, 0, |_, this, _| Ok(this.clone())),
    method("abs2", 0, 0, |ruby, this, _| ruby.send(this, sym::TIMES, std::slice::from_ref(this))),
    method("arg", 0, 0, argument).alias("angle").alias("phase"),
    method("rectangular", 0, 0, |_, this, _| Ok(Value::array(vec![this.clone(), Value::Int(0)]))),
    method("rect", 0, 0, |_, this, _| Ok(Value::array(vec![this.clone(), Value::Int(0)]))),
    method("polar", 0, 0, |ruby, this, args| {
        let size = named(ruby, this, "abs", &[])?;
        Ok(Value::array(vec![size, argument(ruby, this, args)?]))
    }),
    method("i", 0, 0, |_, this, _| Ok(Parts { real: Value::Int(0), imaginary: this.clone() }.into_value())),
    method(
        "to_c",
        0,
        0,
        |_, this, _| Ok(Parts { real: this.clone(), imaginary: Value::Int(0) }.into_value()),
    ),
    quick("to_int", 0, 0, |ruby, this, _| ruby.send(this, sym::TO_I, &[])),
    quick("zero?", 0, 0, |ruby, this, _| Ok(ruby.eq(this, &Value::Int(0))?.into())),
    quick("nonzero?", 0, 0, |ruby, this, _| {
        let zero = named(ruby, this, "zero?", &[])?;
        Ok(if zero.is_true() { Value::Nil } else { this.clone() })
    }),
    quick("positive?", 0, 0, |ruby, this, _| sign_test(ruby, this, sym::GT)),
    quick("negative?", 0, 0, |ruby, this, _| sign_test(ruby, this, sym::LT)),
    quick("finite?", 0, 0, |_, _, _| Ok(true.into())),
    quick("infinite?", 0, 0, |_, _, _| Ok(Value::Nil)),
    method("abs", 0, 0, magnitude).alias("magnitude"),
    method("div", 1, 1, |ruby, this, args| {
        if ruby.eq(&args[0], &Value::Int(0))? {
            return Err(ruby.divided_by_zero());
        }
        let quotient = ruby.send(this, sym::DIVIDE, args.list)?;
        named(ruby, &quotient, "floor", &[])
    }),
    method("%", 1, 1, modulo).alias("modulo"),
    method("divmod", 1, 1, |ruby, this, args| {
        let quotient = named(ruby, this, "div", args.list)?;
        let left = ruby.send(this, sym::MODULO, args.list)?;
        Ok(Value::array(vec![quotient, left]))
    }),
    method("remainder", 1, 1, |ruby, this, args| {
        let left = ruby.send(this, sym::MODULO, args.list)?;
        let zero = [Value::Int(0)];
        if !ruby.eq(&left, &zero[0])? {
            let this_below = ruby.send(this, sym::LT, &zero)?.is_true();
            let other_below = ruby.send(&args[0], sym::LT, &zero)?.is_true();
            let other_above = ruby.send(&args[0], sym::GT, &zero)?.is_true();
            if (this_below && other_above) || (!this_below && other_below) {
                return ruby.send(&left, sym::MINUS, args.list);
            }
        }
        Ok(left)
    }),
    method("fdiv", 1, 1, |ruby, this, args| {
        let number = ruby.to_float(this)?;
        ruby.send(&Value::Float(number), sym::DIVIDE, args.list)
    }),
    method("quo", 1, 1, |ruby, this, args| {
        if matches!(args[0], Value::Float(_)) {
            return named(ruby, this, "fdiv", args.list);
        }
        let exact = ruby.send(this, sym::TO_R, &[])?;
        ruby.send(&exact, sym::DIVIDE, args.list)
    }),
    method("floor", 0, ANY, |ruby, this, args| as_float(ruby, this, "floor", args)),
    method("ceil", 0, ANY, |ruby, this, args| as_float(ruby, this, "ceil", args)),
    method("round", 0, ANY, |ruby, this, args| as_float(ruby, this, "round", args)),
    method("truncate", 0, ANY, |ruby, this, args| as_float(ruby, this, "truncate", args)),
    method("numerator", 0, 0, |ruby, this, _| {
        let exact = ruby.send(this, sym::TO_R, &[])?;
        named(ruby, &exact, "numerator", &[])
    }),
    method("denominator", 0, 0, |ruby, this, _| {
        let exact = ruby.send(this, sym::TO_R, &[])?;
        named(ruby, &exact, "denominator", &[])
    }),
    quick("dup", 0, 0, |_, this, _| Ok(this.clone())),
    quick("clone", 0, 1, clone),
];

/// Calls a method by its name.
pub fn named(ruby: &mut Ruby<'_>, this: &Value, name: &str, args: &[Value]) -> Result {
    let name = ruby.symbols.intern(name);
    ruby.send(this, name, args)
}

fn as_float(ruby: &mut Ruby<'_>, this: &Value, name: &str, args: &Args<'_>) -> Result {
    let number = ruby.to_float(this)?;
    let name = ruby.symbols.intern(name);
    ruby.call(&Value::Float(number), name, args)
}

fn sign_test(ruby: &mut Ruby<'_>, this: &Value, operator: Symbol) -> Result {
    Ok(ruby.send(this, operator, &[Value::Int(0)])?.is_true().into())
}

fn negate(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    match ruby.coerced(&Value::Int(0), this)? {
        Some((zero, this)) => ruby.send(&zero, sym::MINUS, &[this]),
        None => Err(ruby.cannot_coerce(&Value::Int(0), this)),
    }
}

fn magnitude(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    if ruby.send(this, sym::LT, &[Value::Int(0)])?.is_true() {
        ruby.send(this, sym::UMINUS, &[])
    } else {
        Ok(this.clone())
    }
}

fn modulo(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let whole = named(ruby, this, "div", args.list)?;
    let product = ruby.send(&args[0], sym::TIMES, &[whole])?;
    ruby.send(this, sym::MINUS, &[product])
}

/// The angle of a real number in the complex plane: 0 or π.
fn argument(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    match this {
        Value::Float(number) if number.is_nan() => Ok(this.clone()),
        Value::Float(number) if number.is_sign_positive() => Ok(Value::Int(0)),
        Value::Float(_) => Ok(Value::Float(std::f64::consts::PI)),
        _ if named(ruby, this, "negative?", &[])?.is_true() => Ok(Value::Float(std::f64::consts::PI)),
        _ => Ok(Value::Int(0)),
    }
}

fn coerce(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = &args[0];
    if ruby.real_class_of(this) == ruby.real_class_of(other) {
        return Ok(Value::array(vec![other.clone(), this.clone()]));
    }
    let other = parse::to_float(ruby, other)?;
    let this = parse::to_float(ruby, this)?;
    Ok(Value::array(vec![Value::Float(other), Value::Float(this)]))
}

fn clone(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    if !rest.is_empty() {
        return Err(ruby.wrong_number_of_arguments(rest.len(), 0));
    }
    match keywords.and_then(|keywords| ruby.keyword(keywords, "freeze")) {
        Some(Value::Bool(false)) => {
            let class = ruby.class_name_of(this);
            Err(ruby.argument_error(format!("can't unfreeze {class}")))
        }
        Some(Value::Bool(true) | Value::Nil) | None => Ok(this.clone()),
        Some(other) => {
            let class = ruby.class_name_of(&other);
            Err(ruby.argument_error(format!("unexpected value for freeze: {class}")))
        }
    }
}

impl Ruby<'_> {
    /// `ArgumentError` if there are keywords other than these.
    pub fn refuse_keywords_except(&mut self, keywords: &HashObject, known: &[&str]) -> Result<()> {
        let keys: Vec<Value> = keywords.table().iter().map(|entry| entry.key.clone()).collect();
        let mut unknown = Vec::new();
        for key in keys {
            if !matches!(&key, Value::Symbol(symbol) if known.contains(&self.name(*symbol))) {
                unknown.push(self.inspect(&key)?.to_str_lossy().into_owned());
            }
        }
        match unknown.len() {
            0 => Ok(()),
            1 => Err(self.argument_error(format!("unknown keyword: {}", unknown[0]))),
            _ => Err(self.argument_error(format!("unknown keywords: {}", unknown.join(", ")))),
        }
    }

    /// Sets a constant of a class or module.
    pub fn set_constant(&mut self, class: ClassId, name: &str, value: Value) {
        let name = self.symbols.intern(name);
        self.class_mut(class).constants.insert(name, crate::class::Constant { value, private: false });
    }
}
