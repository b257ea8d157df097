//! The tower of numbers: integers, rationals, floats and complex numbers, and how two of them meet.

use std::rc::Rc;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{FromPrimitive, One, Signed, ToPrimitive, Zero};

use crate::class::ClassId;
use crate::core::numeric::large;
use crate::error::{Result, Unwind};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::{Object, Value};

/// A fraction in lowest terms; the denominator is positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The part above the line.
    pub numerator: BigInt,
    /// The part below it.
    pub denominator: BigInt,
}

impl Ratio {
    /// The fraction in lowest terms. The denominator is not zero; who divides checks that.
    pub fn new(numerator: BigInt, denominator: BigInt) -> Ratio {
        let common = large::gcd(&numerator, &denominator);
        let (mut numerator, mut denominator) = if common.is_one() {
            (numerator, denominator)
        } else {
            (numerator / &common, denominator / &common)
        };
        if denominator.is_negative() {
            (numerator, denominator) = (-numerator, -denominator);
        }
        Ratio { numerator, denominator }
    }

    /// An integer as a fraction.
    pub fn whole(number: BigInt) -> Ratio {
        Ratio { numerator: number, denominator: BigInt::one() }
    }

    /// Exactly the number that a finite float is.
    pub fn of_float(number: f64) -> Ratio {
        let (mantissa, exponent) = float_parts(number);
        let mantissa = BigInt::from(mantissa);
        if exponent >= 0 {
            Ratio::whole(mantissa << exponent as usize)
        } else {
            Ratio::new(mantissa, BigInt::one() << exponent.unsigned_abs() as usize)
        }
    }

    /// The nearest float, as Ruby finds it.
    pub fn to_f64(&self) -> f64 {
        divide_as_floats(&self.numerator, &self.denominator)
    }

    /// As a value of class `Rational`.
    pub fn into_value(self) -> Value {
        let object = Object::with(ClassId::RATIONAL, Rc::new(self));
        object.head.freeze();
        Value::Object(object)
    }

    /// The sum.
    pub fn add(&self, other: &Ratio) -> Ratio {
        let numerator = &self.numerator * &other.denominator + &other.numerator * &self.denominator;
        Ratio::new(numerator, &self.denominator * &other.denominator)
    }

    /// The difference.
    pub fn subtract(&self, other: &Ratio) -> Ratio {
        let numerator = &self.numerator * &other.denominator - &other.numerator * &self.denominator;
        Ratio::new(numerator, &self.denominator * &other.denominator)
    }

    /// The product.
    pub fn multiply(&self, other: &Ratio) -> Ratio {
        Ratio::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }

    /// The quotient; the divisor is not zero.
    pub fn divide(&self, other: &Ratio) -> Ratio {
        Ratio::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator)
    }

    /// The largest integer that is not larger.
    pub fn floor(&self) -> BigInt {
        self.numerator.div_floor(&self.denominator)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> std::cmp::Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

/// A complex number; its parts are real numbers of any kind.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The real part.
    pub real: Value,
    /// The imaginary part.
    pub imaginary: Value,
}

impl Parts {
    /// As a value of class `Complex`.
    pub fn into_value(self) -> Value {
        let object = Object::with(ClassId::COMPLEX, Rc::new(self));
        object.head.freeze();
        Value::Object(object)
    }
}

/// A number of the tower.
#[derive(Clone, Debug)]
pub enum Number {
    /// An integer.
    Integer(BigInt),
    /// A fraction.
    Rational(Rc<Ratio>),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(Rc<Parts>),
}

/// Two real numbers of the same kind: of the wider one of the two.
#[derive(Debug)]
pub enum Pair {
    /// Two integers.
    Integers(BigInt, BigInt),
    /// Two fractions.
    Rationals(Ratio, Ratio),
    /// Two floats.
    Floats(f64, f64),
}

/// The fraction that a value is, if it is a `Rational`.
pub fn as_ratio(value: &Value) -> Option<Rc<Ratio>> {
    let Value::Object(object) = value else { return None };
    object.payload::<Rc<Ratio>>().map(|ratio| ratio.clone())
}

/// The parts of a value, if it is a `Complex`.
pub fn as_parts(value: &Value) -> Option<Rc<Parts>> {
    let Value::Object(object) = value else { return None };
    object.payload::<Rc<Parts>>().map(|parts| parts.clone())
}

/// The integer that a value is, if it is one.
pub fn as_big(value: &Value) -> Option<BigInt> {
    match value {
        Value::Int(number) => Some(BigInt::from(*number)),
        Value::Big(big) => Some(big.number.clone()),
        _ => None,
    }
}

/// The number that a value is, if its class is one of the tower's.
pub fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Float(number) => Some(Number::Float(*number)),
        Value::Object(_) => {
            as_ratio(value).map(Number::Rational).or_else(|| as_parts(value).map(Number::Complex))
        }
        value => as_big(value).map(Number::Integer),
    }
}

/// Whether a value is an integer, a rational or a float.
pub fn is_real(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Big(_) | Value::Float(_)) || as_ratio(value).is_some()
}

/// Two real numbers as the wider kind of the two; `None` if one is complex or no number.
pub fn pair(a: &Value, b: &Value) -> Option<Pair> {
    Some(match (number(a)?, number(b)?) {
        (Number::Complex(_), _) | (_, Number::Complex(_)) => return None,
        (Number::Float(a), b) => Pair::Floats(a, b.to_f64()),
        (a, Number::Float(b)) => Pair::Floats(a.to_f64(), b),
        (Number::Integer(a), Number::Integer(b)) => Pair::Integers(a, b),
        (a, b) => Pair::Rationals(a.to_ratio(), b.to_ratio()),
    })
}

impl Number {
    /// The nearest float; of a complex number that of nothing.
    pub fn to_f64(&self) -> f64 {
        match self {
            Number::Integer(number) => big_to_f64(number),
            Number::Rational(ratio) => ratio.to_f64(),
            Number::Float(number) => *number,
            Number::Complex(_) => f64::NAN,
        }
    }

    fn to_ratio(&self) -> Ratio {
        match self {
            Number::Integer(number) => Ratio::whole(number.clone()),
            Number::Rational(ratio) => (**ratio).clone(),
            Number::Float(number) if number.is_finite() => Ratio::of_float(*number),
            Number::Float(_) | Number::Complex(_) => Ratio::whole(BigInt::zero()),
        }
    }
}

/// The nearest float of an integer; infinite if there is none.
pub fn big_to_f64(number: &BigInt) -> f64 {
    number.to_f64().unwrap_or(if number.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY })
}

/// A finite float as an integer times a power of two.
pub fn float_parts(number: f64) -> (i64, i32) {
    let bits = number.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & 0x000f_ffff_ffff_ffff) as i64;
    let (mut mantissa, mut exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    if mantissa != 0 {
        let spare = mantissa.trailing_zeros() as i32;
        mantissa >>= spare;
        exponent += spare;
    } else {
        exponent = 0;
    }
    (if number < 0.0 { -mantissa } else { mantissa }, exponent)
}

/// `a / b` in floats, also where one of them alone is too large for a float.
pub fn divide_as_floats(a: &BigInt, b: &BigInt) -> f64 {
    let common = large::gcd(a, b);
    if common.is_zero() {
        return f64::NAN;
    }
    let (a, b) = (a / &common, b / &common);
    let (x, y) = (big_to_f64(&a), big_to_f64(&b));
    if x.is_finite() && y.is_finite() && b.bits() <= 62 {
        return x / y;
    }
    let negative = a.is_negative() != b.is_negative();
    let shift = |number: BigInt, by: i64| -> BigInt {
        if by >= 0 { number >> by as usize } else { number << by.unsigned_abs() as usize }
    };
    let below = b.bits() as i64 - 64;
    let mut above = a.bits() as i64 - 128;
    if above > 64 {
        above -= 64;
    } else if above > 0 {
        above = 0;
    }
    let quotient = shift(a.abs(), above) / shift(b.abs(), below);
    let result = scale(big_to_f64(&quotient), above - below);
    if negative { -result } else { result }
}

/// `number * 2**exponent` without an overflow on the way.
pub fn scale(mut number: f64, exponent: i64) -> f64 {
    let mut left = exponent.clamp(-5000, 5000);
    while left != 0 && number != 0.0 && number.is_finite() {
        let step = left.clamp(-1000, 1000);
        number *= 2f64.powi(step as i32);
        left -= step;
    }
    number
}

/// The integer that a finite float is when its fraction is cut off.
pub fn truncated(number: f64) -> Option<Value> {
    if number.abs() < 9.0e18 {
        return Some(Value::Int(number as i64));
    }
    BigInt::from_f64(number).map(Value::integer)
}

/// Whether an integer is even.
pub fn is_even(value: &Value) -> bool {
    match value {
        Value::Int(number) => number % 2 == 0,
        Value::Big(big) => big.number.is_even(),
        _ => false,
    }
}

/// Whether a value is zero and no float.
pub fn is_exact_zero(value: &Value) -> bool {
    matches!(value, Value::Int(0)) || as_ratio(value).is_some_and(|ratio| ratio.numerator.is_zero())
}

/// The sign of a real number: -1, 0 or 1; `None` for what is none, and for NaN.
pub fn sign(value: &Value) -> Option<i32> {
    match value {
        Value::Int(number) => Some(number.signum() as i32),
        Value::Float(number) if number.is_nan() => None,
        Value::Float(number) => Some(if *number > 0.0 { 1 } else { -i32::from(*number < 0.0) }),
        value => {
            let sign = match value {
                Value::Big(big) => big.number.sign(),
                value => as_ratio(value)?.numerator.sign(),
            };
            Some(match sign {
                Sign::Minus => -1,
                Sign::NoSign => 0,
                Sign::Plus => 1,
            })
        }
    }
}

impl Ruby<'_> {
    /// The word for a value in complaints about numbers: small things as `inspect` shows them, others by their class.
    pub fn coerce_word(&mut self, value: &Value) -> Result<String> {
        match value {
            Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Symbol(_) => {
                Ok(self.inspect(value)?.to_str_lossy().into_owned())
            }
            value => Ok(self.class_name_of(value)),
        }
    }

    /// `TypeError`: X can't be coerced into Y
    #[cold]
    pub fn cannot_coerce(&mut self, from: &Value, into: &Value) -> Box<Unwind> {
        match self.coerce_word(from) {
            Ok(word) => {
                let class = self.class_name_of(into);
                self.type_error(format!("{word} can't be coerced into {class}"))
            }
            Err(unwind) => unwind,
        }
    }

    /// The result of `b.coerce(a)`; `None` if `b` cannot coerce.
    pub fn coerced(&mut self, a: &Value, b: &Value) -> Result<Option<(Value, Value)>> {
        let Some(answer) = self.try_send(b, sym::COERCE, std::slice::from_ref(a))? else { return Ok(None) };
        match &answer {
            Value::Nil => Ok(None),
            Value::Array(array) if array.len() == 2 => {
                Ok(Some((array.get(0).unwrap_or_default(), array.get(1).unwrap_or_default())))
            }
            _ => Err(self.type_error("coerce must return [x, y]")),
        }
    }

    /// `a op b` by way of `b.coerce(a)`.
    pub fn coerce_binary(&mut self, a: &Value, b: &Value, operator: Symbol) -> Result {
        match self.coerced(a, b)? {
            Some((x, y)) => self.send(&x, operator, &[y]),
            None => Err(self.cannot_coerce(b, a)),
        }
    }

    /// `a op b` for operators that compare, by way of `b.coerce(a)`.
    pub fn coerce_relation(&mut self, a: &Value, b: &Value, operator: Symbol) -> Result {
        if let Some((x, y)) = self.coerced(a, b)? {
            let answer = self.send(&x, operator, &[y])?;
            if !answer.is_nil() {
                return Ok(answer);
            }
        }
        Err(self.cannot_compare(a, b)?)
    }

    /// `a <=> b` by way of `b.coerce(a)`; `nil` if that is not possible.
    pub fn coerce_compare(&mut self, a: &Value, b: &Value) -> Result {
        if !self.responds_to(b, sym::COERCE, true)? {
            return Ok(Value::Nil);
        }
        match self.coerced(a, b)? {
            Some((x, y)) => self.send(&x, sym::CMP, &[y]),
            None => Ok(Value::Nil),
        }
    }
}
