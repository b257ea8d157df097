//! `Math`.

use num_traits::Signed;

use crate::args::Args;
use crate::class::{ClassId, Native, NativeClass, method};
use crate::core::numeric::named;
use crate::core::numeric::tower::{Parts, as_parts, big_to_f64, float_parts, scale};
use crate::error::{Result, Unwind};
use crate::method::{MethodBody, Visibility};
use crate::ruby::Ruby;
use crate::value::Value;

/// The module `Math`.
pub const MATH: NativeClass =
    NativeClass { singleton: &[METHODS], setup: Some(setup), ..NativeClass::module("Math") };

/// The class `Math::DomainError`.
pub const DOMAIN_ERROR: NativeClass = NativeClass::class("Math::DomainError", "ArgumentError");

fn setup(ruby: &mut Ruby<'_>, class: ClassId) {
    ruby.set_constant(class, "PI", Value::Float(std::f64::consts::PI));
    ruby.set_constant(class, "E", Value::Float(std::f64::consts::E));
    for native in METHODS {
        let name = ruby.symbols.intern(native.name);
        ruby.put_method(class, name, Visibility::Private, MethodBody::Native(native));
    }
}

/// `Math::DomainError` about a function.
#[cold]
pub fn domain_error(ruby: &mut Ruby<'_>, function: &str) -> Box<Unwind> {
    domain_error_of(ruby, &format!("Numerical argument is out of domain - {function}"))
}

/// `Math::DomainError` with words of its own.
#[cold]
pub fn domain_error_of(ruby: &mut Ruby<'_>, message: &str) -> Box<Unwind> {
    ruby.error(ClassId::DOMAIN_ERROR, message)
}

macro_rules! functions {
    ($($name:literal $run:expr),* $(,)?) => {
        const METHODS: &[Native] = &[$(method($name, 1, 1, |ruby, _, args| {
            let run: fn(f64) -> Option<f64> = $run;
            if $name == "sqrt" && let Some(own) = as_parts(&args[0]) {
                return complex_root(ruby, &args[0], &own);
            }
            let number = ruby.to_float(&args[0])?;
            match run(number) {
                Some(result) => Ok(Value::Float(result)),
                None => Err(domain_error(ruby, $name)),
            }
        }),)*
            method("atan2", 2, 2, |ruby, _, args| {
                let (y, x) = (ruby.to_float(&args[0])?, ruby.to_float(&args[1])?);
                Ok(Value::Float(y.atan2(x)))
            }),
            method("hypot", 2, 2, |ruby, _, args| {
                let (y, x) = (ruby.to_float(&args[1])?, ruby.to_float(&args[0])?);
                Ok(Value::Float(x.hypot(y)))
            }),
            method("log", 1, 2, log),
            method("log2", 1, 1, |ruby, _, args| logarithm(ruby, &args[0], "log2").map(Value::Float)),
            method("log10", 1, 1, |ruby, _, args| logarithm(ruby, &args[0], "log10").map(Value::Float)),
            method("frexp", 1, 1, frexp),
            method("ldexp", 2, 2, ldexp),
            method("gamma", 1, 1, gamma),
            method("lgamma", 1, 1, lgamma),
        ];
    };
}

functions! {
    "sin" |x| Some(x.sin()),
    "cos" |x| Some(x.cos()),
    "tan" |x| Some(x.tan()),
    "asin" |x| (x.is_nan() || x.abs() <= 1.0).then(|| x.asin()),
    "acos" |x| (x.is_nan() || x.abs() <= 1.0).then(|| x.acos()),
    "atan" |x| Some(x.atan()),
    "sinh" |x| Some(x.sinh()),
    "cosh" |x| Some(x.cosh()),
    "tanh" |x| Some(x.tanh()),
    "asinh" |x| Some(libm::asinh(x)),
    "acosh" |x| (x.is_nan() || x >= 1.0).then(|| libm::acosh(x)),
    "atanh" |x| (x.is_nan() || x.abs() <= 1.0).then(|| if x.abs() == 1.0 { x * f64::INFINITY } else { libm::atanh(x) }),
    "exp" |x| Some(x.exp()),
    "sqrt" |x| (x.is_nan() || x >= 0.0).then(|| if x == 0.0 { 0.0 } else { x.sqrt() }),
    "cbrt" |x| Some(cube_root(x)),
    "erf" |x| Some(libm::erf(x)),
    "erfc" |x| Some(libm::erfc(x)),
}

/// The logarithm of a number, integers beyond any float too.
fn logarithm(ruby: &mut Ruby<'_>, value: &Value, name: &str) -> Result<f64> {
    // What a float cannot hold is halved as often as needed, which is added again in the end.
    let (number, halved) = match value {
        Value::Big(big) if !big.number.is_negative() && big.number.bits() > 1000 => {
            let spare = big.number.bits() - 64;
            (big_to_f64(&(&big.number >> spare)), spare as f64)
        }
        value => (ruby.to_float(value)?, 0.0),
    };
    if number < 0.0 {
        return Err(domain_error(ruby, name));
    }
    Ok(match name {
        "log2" => number.log2() + halved,
        "log10" => number.log10() + halved * std::f64::consts::LOG10_2,
        _ => number.ln() + halved * std::f64::consts::LN_2,
    })
}

fn log(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let number = logarithm(ruby, &args[0], "log")?;
    match args.get(1) {
        None => Ok(Value::Float(number)),
        Some(base) => Ok(Value::Float(number / logarithm(ruby, base, "log")?)),
    }
}

/// A float as a fraction of at least a half and less than one, and a power of two.
fn frexp(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let number = ruby.to_float(&args[0])?;
    if number == 0.0 || !number.is_finite() {
        return Ok(Value::array(vec![Value::Float(number), Value::Int(0)]));
    }
    let (mantissa, exponent) = float_parts(number);
    let bits = 64 - mantissa.unsigned_abs().leading_zeros() as i32;
    let fraction = mantissa as f64 / 2f64.powi(bits);
    Ok(Value::array(vec![Value::Float(fraction), Value::Int(i64::from(exponent + bits))]))
}

fn ldexp(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let fraction = ruby.to_float(&args[0])?;
    let exponent = ruby.to_int(&args[1])?;
    Ok(Value::Float(scale(fraction, exponent)))
}

fn gamma(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let x = ruby.to_float(&args[0])?;
    if x == f64::NEG_INFINITY || (x < 0.0 && x == x.floor()) {
        return Err(domain_error(ruby, "gamma"));
    }
    Ok(Value::Float(gamma_of(x)))
}

/// Factorials are exact as long as floats are.
fn gamma_of(x: f64) -> f64 {
    if x == x.floor() && (1.0..=23.0).contains(&x) {
        return (1..x as u64).fold(1.0, |product, factor| product * factor as f64);
    }
    libm::tgamma(x)
}

fn lgamma(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let x = ruby.to_float(&args[0])?;
    if x == f64::NEG_INFINITY {
        return Err(domain_error(ruby, "lgamma"));
    }
    let (logarithm, sign) = libm::lgamma_r(x);
    let sign = if x == 0.0 && x.is_sign_negative() || sign < 0 { -1 } else { 1 };
    Ok(Value::array(vec![Value::Float(logarithm), Value::Int(sign)]))
}

/// One step of Newton's method makes the library's answer the one that Ruby gives.
fn cube_root(x: f64) -> f64 {
    let root = x.cbrt();
    if root == 0.0 || !root.is_finite() { root } else { (2.0 * root + x / root / root) / 3.0 }
}

/// The root of a complex number in the right half of the plane.
fn complex_root(ruby: &mut Ruby<'_>, number: &Value, own: &Parts) -> Result {
    let size = named(ruby, number, "abs", &[])?;
    let (size, real) = (ruby.to_float(&size)?, ruby.to_float(&own.real)?);
    let below = ruby.to_float(&own.imaginary)?.is_sign_negative();
    let imaginary = ((size - real) / 2.0).sqrt();
    let imaginary = Value::Float(if below { -imaginary } else { imaginary });
    Ok(Parts { real: Value::Float(((size + real) / 2.0).sqrt()), imaginary }.into_value())
}
