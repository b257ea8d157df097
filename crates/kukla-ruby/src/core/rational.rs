//! Rational numbers.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::args::Args;
use crate::class::{Native, NativeClass, method};
use crate::core::numeric::arithmetic::ARITHMETIC;
use crate::core::numeric::compare::COMPARE;
use crate::core::numeric::large;
use crate::core::numeric::round::ROUND;
use crate::core::numeric::tower::{Parts, Ratio, as_big, as_parts, as_ratio, is_exact_zero};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::Value;

/// The class `Rational`.
pub const RATIONAL: NativeClass = NativeClass {
    methods: &[ARITHMETIC, COMPARE, ROUND, METHODS],
    ..NativeClass::class("Rational", "Numeric")
};

const METHODS: &[Native] = &[
    method("numerator", 0, 0, |_, this, _| Ok(Value::integer(ratio(this).numerator))),
    method("denominator", 0, 0, |_, this, _| Ok(Value::integer(ratio(this).denominator))),
    method("to_s", 0, 0, |_, this, _| Ok(ascii(shown(&ratio(this))))),
    method("inspect", 0, 0, |_, this, _| Ok(ascii(format!("({})", shown(&ratio(this)))))),
    method("to_i", 0, 0, |_, this, _| {
        let ratio = ratio(this);
        Ok(Value::integer(ratio.numerator / ratio.denominator))
    }),
    method("to_f", 0, 0, |_, this, _| Ok(Value::Float(ratio(this).to_f64()))),
    method("to_r", 0, 0, |_, this, _| Ok(this.clone())),
    method("rationalize", 0, 1, rationalize),
    method("zero?", 0, 0, |_, this, _| Ok(ratio(this).numerator.is_zero().into())),
    method("positive?", 0, 0, |_, this, _| Ok(ratio(this).numerator.is_positive().into())),
    method("negative?", 0, 0, |_, this, _| Ok(ratio(this).numerator.is_negative().into())),
    method("eql?", 1, 1, |_, this, args| {
        Ok(as_ratio(&args[0]).is_some_and(|other| *other == ratio(this)).into())
    }),
    method("hash", 0, 0, |ruby, this, _| {
        let ratio = ratio(this);
        let above = ruby.hash_code(&Value::integer(ratio.numerator))?;
        let below = ruby.hash_code(&Value::integer(ratio.denominator))?;
        Ok(Value::Int((above.rotate_left(7) ^ below.wrapping_mul(31)) as i64 >> 2))
    }),
    method("coerce", 1, 1, coerce),
];

fn ratio(this: &Value) -> Ratio {
    as_ratio(this).map_or_else(|| Ratio::whole(BigInt::zero()), |ratio| (*ratio).clone())
}

fn ascii(text: String) -> Value {
    Value::str(Text::new(text.into_bytes(), Encoding::Ascii))
}

/// `numerator/denominator`
pub fn shown(ratio: &Ratio) -> String {
    format!("{}/{}", large::digits(&ratio.numerator, 10), large::digits(&ratio.denominator, 10))
}

/// An argument that must be a real number, exactly.
pub fn ratio_argument(ruby: &mut Ruby<'_>, value: &Value) -> Result<Ratio> {
    if let Some(ratio) = as_ratio(value) {
        return Ok((*ratio).clone());
    }
    match value {
        Value::Float(number) if number.is_finite() => Ok(Ratio::of_float(*number)),
        Value::Float(number) => ruby.float_to_integer(*number).map(|_| Ratio::whole(BigInt::zero())),
        value => match as_big(value) {
            Some(number) => Ok(Ratio::whole(number)),
            None => {
                let answer = ruby.send(value, sym::TO_R, &[])?;
                match as_ratio(&answer) {
                    Some(ratio) => Ok((*ratio).clone()),
                    None => Err(ruby.no_conversion(value, "Rational")),
                }
            }
        },
    }
}

impl Ratio {
    /// Without its sign.
    pub fn abs(self) -> Ratio {
        Ratio { numerator: self.numerator.abs(), ..self }
    }
}

/// The fraction with the smallest denominator from one number to another, found in the tree of all fractions.
pub fn simplest_between(low: &Ratio, high: &Ratio) -> Ratio {
    let (mut low, mut high) = (low.clone(), high.clone());
    let (mut p0, mut p1, mut q0, mut q1) = (BigInt::zero(), BigInt::one(), BigInt::one(), BigInt::zero());
    loop {
        let whole = low.numerator.div_ceil(&low.denominator);
        if Ratio::whole(whole.clone()) < high {
            return Ratio::new(&whole * &p1 + p0, whole * &q1 + q0);
        }
        let step = whole - 1;
        (p0, p1) = (p1.clone(), &step * &p1 + p0);
        (q0, q1) = (q1.clone(), &step * &q1 + q0);
        let one = Ratio::whole(BigInt::one());
        let step = Ratio::whole(step);
        (low, high) = (one.divide(&high.subtract(&step)), one.divide(&low.subtract(&step)));
    }
}

fn rationalize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(distance) = args.get(0) else { return Ok(this.clone()) };
    let distance = ratio_argument(ruby, distance)?.abs();
    let negative = ratio(this).numerator.is_negative();
    let exact = ratio(this).abs();
    let (low, high) = (exact.subtract(&distance), exact.add(&distance));
    let found = if low == high { exact } else { simplest_between(&low, &high) };
    Ok(if negative { Ratio { numerator: -found.numerator, ..found } } else { found }.into_value())
}

fn coerce(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = &args[0];
    if let Some(number) = as_big(other) {
        return Ok(Value::array(vec![Ratio::whole(number).into_value(), this.clone()]));
    }
    if as_ratio(other).is_some() {
        return Ok(Value::array(vec![other.clone(), this.clone()]));
    }
    if let Value::Float(_) = other {
        return Ok(Value::array(vec![other.clone(), Value::Float(ratio(this).to_f64())]));
    }
    if let Some(parts) = as_parts(other) {
        if is_exact_zero(&parts.imaginary) {
            let real = ratio_argument(ruby, &parts.real)?;
            return Ok(Value::array(vec![real.into_value(), this.clone()]));
        }
        let own = Parts { real: this.clone(), imaginary: Value::Int(0) };
        return Ok(Value::array(vec![other.clone(), own.into_value()]));
    }
    let class = ruby.class_name_of(other);
    Err(ruby.type_error(format!("{class} can't be coerced into Rational")))
}
