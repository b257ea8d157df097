//! Complex numbers.

use std::rc::Rc;

use num_traits::One;

use crate::args::Args;
use crate::class::{ClassId, Native, NativeClass, method, methods};
use crate::core::numeric::arithmetic as real;
use crate::core::numeric::compare::equal;
use crate::core::numeric::tower::{self, Parts, as_big, as_parts, as_ratio, is_exact_zero, is_real};
use crate::core::numeric::{named, power};
use crate::error::Result;
use crate::method::{Method, MethodBody, Visibility};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::Value;

/// The class `Complex`.
pub const COMPLEX: NativeClass = NativeClass {
    methods: &[METHODS],
    singleton: &[SINGLETON],
    setup: Some(|ruby, class| {
        ruby.set_constant(class, "I", Parts { real: Value::Int(0), imaginary: Value::Int(1) }.into_value());
        undefine(ruby, class);
    }),
    ..NativeClass::class("Complex", "Numeric")
};

/// Methods that real numbers have and complex ones do not.
fn undefine(ruby: &mut Ruby<'_>, class: ClassId) {
    for name in [
        "%",
        "div",
        "divmod",
        "modulo",
        "remainder",
        "floor",
        "ceil",
        "round",
        "truncate",
        "step",
        "<",
        "<=",
        ">",
        ">=",
        "between?",
        "clamp",
        "positive?",
        "negative?",
        "i",
    ] {
        let name = ruby.symbols.intern(name);
        let method =
            Method { name, owner: class, visibility: Visibility::Public, body: MethodBody::Undefined };
        ruby.class_mut(class).methods.insert(name, Rc::new(method));
    }
    ruby.changed();
}

const SINGLETON: &[Native] = methods![
    method("rectangular", 1, 2, rectangular).alias("rect"),
    method("polar", 1, 2, |ruby, _, args| {
        let size = real_part(ruby, &args[0])?;
        match args.get(1) {
            Some(angle) => {
                let angle = real_part(ruby, angle)?;
                polar(ruby, &size, &angle)
            }
            None => Ok(Parts { real: size, imaginary: Value::Int(0) }.into_value()),
        }
    }),
];

const METHODS: &[Native] = methods![
    method("real", 0, 0, |_, this, _| Ok(parts(this).real)),
    method("imaginary", 0, 0, |_, this, _| Ok(parts(this).imaginary)),
    method("imag", 0, 0, |_, this, _| Ok(parts(this).imaginary)),
    method("real?", 0, 0, |_, _, _| Ok(false.into())),
    method("+", 1, 1, |ruby, this, args| real::add(ruby, this, &args[0])),
    method("-", 1, 1, |ruby, this, args| real::subtract(ruby, this, &args[0])),
    method("*", 1, 1, |ruby, this, args| real::multiply(ruby, this, &args[0])),
    method("/", 1, 1, |ruby, this, args| real::divide(ruby, this, &args[0])),
    method("quo", 1, 1, |ruby, this, args| real::divide(ruby, this, &args[0])),
    method("fdiv", 1, 1, |ruby, this, args| {
        let own = parts(this);
        if let Some(other) = as_parts(&args[0]) {
            let divide =
                |ruby: &mut Ruby<'_>, a: &Value, b: &Value| named(ruby, a, "fdiv", std::slice::from_ref(b));
            return scaled_quotient(ruby, &own, &other, divide);
        }
        let real = named(ruby, &own.real, "fdiv", args.list)?;
        Ok(Parts { real, imaginary: named(ruby, &own.imaginary, "fdiv", args.list)? }.into_value())
    }),
    method("**", 1, 1, |ruby, this, args| power::power(ruby, this, &args[0])),
    method("-@", 0, 0, |ruby, this, _| negate(ruby, &parts(this))),
    method("==", 1, 1, |ruby, this, args| {
        let own = parts(this);
        match as_parts(&args[0]) {
            Some(other) => {
                Ok((ruby.eq(&own.real, &other.real)? && ruby.eq(&own.imaginary, &other.imaginary)?).into())
            }
            None if is_real(&args[0]) => {
                Ok((equal(ruby, &own.imaginary, &Value::Int(0))? && equal(ruby, &own.real, &args[0])?).into())
            }
            None if is_numeric_real(ruby, &args[0])? => {
                Ok((ruby.eq(&own.real, &args[0])? && is_zero(ruby, &own.imaginary)?).into())
            }
            None => Ok(ruby.eq(&args[0], this)?.into()),
        }
    }),
    method("===", 1, 1, |ruby, this, args| Ok(ruby.eq(this, &args[0])?.into())),
    method("<=>", 1, 1, |ruby, this, args| {
        let own = parts(this);
        if tower::sign(&own.imaginary) != Some(0) {
            return Ok(Value::Nil);
        }
        match as_parts(&args[0]) {
            Some(other) if tower::sign(&other.imaginary) == Some(0) => {
                ruby.send(&own.real, sym::CMP, std::slice::from_ref(&other.real))
            }
            None if is_real(&args[0]) => ruby.send(&own.real, sym::CMP, args.list),
            _ => Ok(Value::Nil),
        }
    }),
    method("eql?", 1, 1, |ruby, this, args| {
        let Some(other) = as_parts(&args[0]) else { return Ok(false.into()) };
        let own = parts(this);
        let same_kind = |a: &Value, b: &Value| std::mem::discriminant(a) == std::mem::discriminant(b);
        let same = same_kind(&own.real, &other.real) && same_kind(&own.imaginary, &other.imaginary);
        Ok((same && ruby.eq(&own.real, &other.real)? && ruby.eq(&own.imaginary, &other.imaginary)?).into())
    }),
    method("hash", 0, 0, |ruby, this, _| {
        let own = parts(this);
        let (a, b) = (ruby.hash_code(&own.real)?, ruby.hash_code(&own.imaginary)?);
        Ok(Value::Int((a.rotate_left(11) ^ b.wrapping_mul(131)) as i64 >> 2))
    }),
    method("coerce", 1, 1, |ruby, this, args| {
        if as_parts(&args[0]).is_some() {
            return Ok(Value::array(vec![args[0].clone(), this.clone()]));
        }
        if is_real(&args[0]) || is_numeric_real(ruby, &args[0])? {
            let other = Parts { real: args[0].clone(), imaginary: Value::Int(0) }.into_value();
            return Ok(Value::array(vec![other, this.clone()]));
        }
        let class = ruby.class_name_of(&args[0]);
        Err(ruby.type_error(format!("{class} can't be coerced into Complex")))
    }),
    method("abs", 0, 0, |ruby, this, _| size(ruby, &parts(this))),
    method("magnitude", 0, 0, |ruby, this, _| size(ruby, &parts(this))),
    method("abs2", 0, 0, |ruby, this, _| {
        let own = parts(this);
        let (a, b) = (
            real::multiply(ruby, &own.real, &own.real)?,
            real::multiply(ruby, &own.imaginary, &own.imaginary)?,
        );
        real::add(ruby, &a, &b)
    }),
    method("arg", 0, 0, |ruby, this, _| angle(ruby, &parts(this)).map(Value::Float)),
    method("angle", 0, 0, |ruby, this, _| angle(ruby, &parts(this)).map(Value::Float)),
    method("phase", 0, 0, |ruby, this, _| angle(ruby, &parts(this)).map(Value::Float)),
    method("polar", 0, 0, |ruby, this, _| {
        let own = parts(this);
        Ok(Value::array(vec![size(ruby, &own)?, Value::Float(angle(ruby, &own)?)]))
    }),
    method("rectangular", 0, 0, |_, this, _| Ok(Value::array(vec![parts(this).real, parts(this).imaginary]))),
    method("rect", 0, 0, |_, this, _| Ok(Value::array(vec![parts(this).real, parts(this).imaginary]))),
    method("conj", 0, 0, conjugate).alias("conjugate"),
    method("finite?", 0, 0, |ruby, this, _| {
        let own = parts(this);
        Ok((is_finite(ruby, &own.real)? && is_finite(ruby, &own.imaginary)?).into())
    }),
    method("infinite?", 0, 0, |_, this, _| {
        let own = parts(this);
        let infinite = |part: &Value| matches!(part, Value::Float(number) if number.is_infinite());
        Ok((infinite(&own.real) || infinite(&own.imaginary)).then_some(1).into())
    }),
    method("to_s", 0, 0, |ruby, this, _| Ok(ascii(shown(ruby, &parts(this), false)?))),
    method("inspect", 0, 0, |ruby, this, _| Ok(ascii(format!("({})", shown(ruby, &parts(this), true)?)))),
    method("to_c", 0, 0, |_, this, _| Ok(this.clone())),
    method("to_i", 0, 0, |ruby, this, _| converted(ruby, this, "to_i", "Integer")),
    method("to_f", 0, 0, |ruby, this, _| converted(ruby, this, "to_f", "Float")),
    method("to_r", 0, 0, |ruby, this, _| converted(ruby, this, "to_r", "Rational")),
    method("rationalize", 0, 1, |ruby, this, args| {
        let own = parts(this);
        if !is_exact_zero(&own.imaginary) {
            return Err(no_real(ruby, &own, "Rational"));
        }
        named(ruby, &own.real, "rationalize", args.list)
    }),
    method("numerator", 0, 0, |ruby, this, _| {
        let own = parts(this);
        let common = denominator(ruby, &own)?;
        let mut scaled = Vec::new();
        for part in [&own.real, &own.imaginary] {
            let (above, below) =
                (named(ruby, part, "numerator", &[])?, named(ruby, part, "denominator", &[])?);
            let factor = real::floor_divide(ruby, &common, &below)?;
            scaled.push(real::multiply(ruby, &above, &factor)?);
        }
        let imaginary = scaled.pop().unwrap_or_default();
        Ok(Parts { real: scaled.pop().unwrap_or_default(), imaginary }.into_value())
    }),
    method("denominator", 0, 0, |ruby, this, _| denominator(ruby, &parts(this))),
];

fn denominator(ruby: &mut Ruby<'_>, own: &Parts) -> Result {
    let below = named(ruby, &own.imaginary, "denominator", &[])?;
    let above = named(ruby, &own.real, "denominator", &[])?;
    named(ruby, &above, "lcm", &[below])
}

fn parts(this: &Value) -> Parts {
    as_parts(this).map_or(Parts { real: Value::Int(0), imaginary: Value::Int(0) }, |parts| (*parts).clone())
}

fn ascii(text: String) -> Value {
    Value::str(Text::new(text.into_bytes(), Encoding::Ascii))
}

fn is_finite(ruby: &mut Ruby<'_>, part: &Value) -> Result<bool> {
    Ok(named(ruby, part, "finite?", &[])?.is_true())
}

/// A number that is not complex and answers that it is real.
fn is_numeric_real(ruby: &mut Ruby<'_>, part: &Value) -> Result<bool> {
    let numeric = as_parts(part).is_none() && ruby.is_a(part, ClassId::NUMERIC);
    Ok(numeric && named(ruby, part, "real?", &[])?.is_true())
}

fn is_zero(ruby: &mut Ruby<'_>, part: &Value) -> Result<bool> {
    if is_real(part) { Ok(tower::sign(part) == Some(0)) } else { ruby.eq(part, &Value::Int(0)) }
}

/// A real number, or the real part of a complex one that has no other.
fn real_part(ruby: &mut Ruby<'_>, part: &Value) -> Result {
    if is_real(part) || is_numeric_real(ruby, part)? {
        return Ok(part.clone());
    }
    if let Some(own) = as_parts(part)
        && is_zero(ruby, &own.imaginary)?
    {
        return Ok(own.real.clone());
    }
    Err(ruby.type_error("not a real"))
}

fn rectangular(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let real = real_part(ruby, &args[0])?;
    let imaginary = match args.get(1) {
        Some(part) => real_part(ruby, part)?,
        None => Value::Int(0),
    };
    Ok(Parts { real, imaginary }.into_value())
}

/// The number with a magnitude and an angle, without the errors of sine and cosine at the turns that people name.
pub fn polar(ruby: &mut Ruby<'_>, size: &Value, angle: &Value) -> Result {
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4, PI};
    if is_zero(ruby, size)? || is_zero(ruby, angle)? {
        return Ok(Parts { real: size.clone(), imaginary: Value::Float(0.0) }.into_value());
    }
    let exact = !matches!(angle, Value::Float(_));
    let angle = ruby.to_float(angle)?;
    let (real, imaginary) = if !exact && angle == PI {
        (real::negate(ruby, size)?, Value::Float(0.0))
    } else if !exact && angle == FRAC_PI_2 {
        (Value::Float(0.0), size.clone())
    } else if !exact && angle == FRAC_PI_4 {
        let part = real::multiply(ruby, size, &Value::Float(FRAC_1_SQRT_2))?;
        (part.clone(), part)
    } else {
        let real = real::multiply(ruby, size, &Value::Float(angle.cos()))?;
        (real, real::multiply(ruby, size, &Value::Float(angle.sin()))?)
    };
    Ok(Parts { real, imaginary }.into_value())
}

/// The magnitude; on one of the axes it is that of the other part, exactly.
fn size(ruby: &mut Ruby<'_>, own: &Parts) -> Result {
    let (on_axis, other) = match (tower::sign(&own.real), tower::sign(&own.imaginary)) {
        (Some(0), _) => (&own.imaginary, &own.real),
        (_, Some(0)) => (&own.real, &own.imaginary),
        _ => return magnitude(ruby, own).map(Value::Float),
    };
    let size = real::magnitude(ruby, on_axis)?;
    Ok(if matches!(other, Value::Float(_)) { Value::Float(ruby.to_float(&size)?) } else { size })
}

/// A magnitude at a number of half turns, without the errors of sine and cosine on the axes.
pub fn turned(size: f64, halves: f64) -> Value {
    let cosine = |x: f64| {
        let x = x.abs() % 2.0;
        let pi = std::f64::consts::PI;
        match x {
            x if x < 0.25 => (pi * x).cos(),
            x if x < 0.75 => (pi * (0.5 - x)).sin(),
            x if x < 1.25 => -(pi * (1.0 - x)).cos(),
            x if x < 1.75 => (pi * (x - 1.5)).sin(),
            x => (pi * (2.0 - x)).cos(),
        }
    };
    if halves.fract().abs() == 0.5 {
        let up = (halves - 0.5).rem_euclid(2.0) == 0.0;
        return Parts { real: Value::Float(0.0), imaginary: Value::Float(if up { size } else { -size }) }
            .into_value();
    }
    let (real, imaginary) = (size * cosine(halves), size * cosine(halves - 0.5));
    Parts { real: Value::Float(real), imaginary: Value::Float(imaginary) }.into_value()
}

/// The exact quotient, as an integer if it is one.
fn exact_quotient(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    real::quotient(ruby, a, b).map(whole)
}

/// A fraction by one as the integer that it is.
fn whole(value: Value) -> Value {
    match as_ratio(&value) {
        Some(ratio) if ratio.denominator.is_one() => Value::integer(ratio.numerator.clone()),
        _ => value,
    }
}

fn magnitude(ruby: &mut Ruby<'_>, own: &Parts) -> Result<f64> {
    let (a, b) = (ruby.to_float(&own.real)?, ruby.to_float(&own.imaginary)?);
    Ok(if matches!(own.imaginary, Value::Int(0)) { a.abs() } else { a.hypot(b) })
}

fn angle(ruby: &mut Ruby<'_>, own: &Parts) -> Result<f64> {
    let (a, b) = (ruby.to_float(&own.real)?, ruby.to_float(&own.imaginary)?);
    Ok(b.atan2(a))
}

fn conjugate(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let own = parts(this);
    let imaginary = real::negate(ruby, &own.imaginary)?;
    Ok(Parts { real: own.real, imaginary }.into_value())
}

/// `1+2i`; a part that is not finite is followed by a star.
fn shown(ruby: &mut Ruby<'_>, own: &Parts, inspect: bool) -> Result<String> {
    let negative = match &own.imaginary {
        Value::Float(number) => number.is_sign_negative() && !number.is_nan(),
        part => tower::sign(part) == Some(-1),
    };
    let size = real::magnitude(ruby, &own.imaginary)?;
    let mut text = |value: &Value| -> Result<String> {
        let text = if inspect { ruby.inspect(value)? } else { ruby.display(value)? };
        Ok(text.to_str_lossy().into_owned())
    };
    let (a, b) = (text(&own.real)?, text(&size)?);
    let star = if b.ends_with(|c: char| c.is_ascii_digit()) { "" } else { "*" };
    Ok(format!("{a}{}{b}{star}i", if negative { '-' } else { '+' }))
}

fn no_real(ruby: &mut Ruby<'_>, own: &Parts, into: &str) -> Box<crate::error::Unwind> {
    match shown(ruby, own, false) {
        Ok(shown) => ruby.range_error(format!("can't convert {shown} into {into}")),
        Err(unwind) => unwind,
    }
}

fn converted(ruby: &mut Ruby<'_>, this: &Value, name: &str, into: &str) -> Result {
    let own = parts(this);
    if !matches!(own.imaginary, Value::Float(_)) && is_zero(ruby, &own.imaginary)? {
        named(ruby, &own.real, name, &[])
    } else {
        Err(no_real(ruby, &own, into))
    }
}

/// `-a`
pub fn negate(ruby: &mut Ruby<'_>, own: &Parts) -> Result {
    let real = real::negate(ruby, &own.real)?;
    Ok(Parts { real, imaginary: real::negate(ruby, &own.imaginary)? }.into_value())
}

/// The parts of a number that may be real.
fn either(ruby: &mut Ruby<'_>, value: &Value) -> Result<Option<Parts>> {
    Ok(match as_parts(value) {
        Some(parts) => Some((*parts).clone()),
        None if is_real(value) || is_numeric_real(ruby, value)? => {
            Some(Parts { real: value.clone(), imaginary: Value::Int(0) })
        }
        None => None,
    })
}

/// Both numbers by their parts, or nothing if one of them knows better.
fn both(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result<Option<(Parts, Parts)>> {
    let Some(x) = either(ruby, a)? else { return Ok(None) };
    Ok(either(ruby, b)?.map(|y| (x, y)))
}

/// The sum of two parts; a part that is not there leaves the sign of a zero alone.
fn sum(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    match (a, b) {
        (_, Value::Int(0)) => Ok(a.clone()),
        (Value::Int(0), _) => Ok(b.clone()),
        _ => real::add(ruby, a, b),
    }
}

/// The difference of two parts.
fn difference(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    if matches!(b, Value::Int(0)) { Ok(a.clone()) } else { real::subtract(ruby, a, b) }
}

/// `a + b`, one of them complex.
pub fn add(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    let Some((x, y)) = both(ruby, a, b)? else { return ruby.coerce_binary(a, b, sym::PLUS) };
    let real = sum(ruby, &x.real, &y.real)?;
    Ok(Parts { real, imaginary: sum(ruby, &x.imaginary, &y.imaginary)? }.into_value())
}

/// `a - b`, one of them complex.
pub fn subtract(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    let Some((x, y)) = both(ruby, a, b)? else { return ruby.coerce_binary(a, b, sym::MINUS) };
    let real = difference(ruby, &x.real, &y.real)?;
    Ok(Parts { real, imaginary: difference(ruby, &x.imaginary, &y.imaginary)? }.into_value())
}

/// An integer that Ruby keeps in a word; only these are multiplied part by part.
pub fn is_small(value: &Value) -> bool {
    matches!(value, Value::Int(number) if (-(1 << 62)..1 << 62).contains(number))
}

/// `a * b`, one of them complex.
pub fn multiply(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    let Some((x, y)) = both(ruby, a, b)? else { return ruby.coerce_binary(a, b, sym::TIMES) };
    if as_parts(b).is_none() || is_small(a) {
        let (number, factor) = if as_parts(b).is_none() { (x, y.real) } else { (y, x.real) };
        let real = real::multiply(ruby, &number.real, &factor)?;
        return Ok(Parts { real, imaginary: real::multiply(ruby, &number.imaginary, &factor)? }.into_value());
    }
    product(ruby, &x, &y).map(Parts::into_value)
}

fn product(ruby: &mut Ruby<'_>, x: &Parts, y: &Parts) -> Result<Parts> {
    let rr = part_product(ruby, &x.real, &y.real)?;
    let ii = part_product(ruby, &x.imaginary, &y.imaginary)?;
    let ri = part_product(ruby, &x.real, &y.imaginary)?;
    let ir = part_product(ruby, &x.imaginary, &y.real)?;
    Ok(Parts { real: difference(ruby, &rr, &ii)?, imaginary: sum(ruby, &ri, &ir)? })
}

/// Nothing times something is nothing, even if that is infinite; its sign counts.
fn part_product(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    let unit = |value: &Value| match value {
        Value::Float(number) if !number.is_nan() => Value::Float(1f64.copysign(*number)),
        value => value.clone(),
    };
    match (is_zero(ruby, a)?, is_zero(ruby, b)?) {
        (false, true) => real::multiply(ruby, &unit(a), b),
        (true, false) => real::multiply(ruby, a, &unit(b)),
        _ => real::multiply(ruby, a, b),
    }
}

/// `a / b`, one of them complex.
pub fn divide(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    let Some((x, y)) = both(ruby, a, b)? else { return ruby.coerce_binary(a, b, sym::DIVIDE) };
    if as_parts(b).is_none() {
        let real = exact_quotient(ruby, &x.real, &y.real)?;
        return Ok(Parts { real, imaginary: exact_quotient(ruby, &x.imaginary, &y.real)? }.into_value());
    }
    let quotient = scaled_quotient(ruby, &x, &y, real::quotient)?;
    let floats =
        [&x.real, &x.imaginary, &y.real, &y.imaginary].iter().any(|part| matches!(part, Value::Float(_)));
    if floats {
        return Ok(quotient);
    }
    let own = parts(&quotient);
    Ok(Parts { real: whole(own.real), imaginary: whole(own.imaginary) }.into_value())
}

/// The quotient by way of the larger part below, so that nothing overflows.
fn scaled_quotient(
    ruby: &mut Ruby<'_>,
    x: &Parts,
    y: &Parts,
    divide: impl Fn(&mut Ruby<'_>, &Value, &Value) -> Result,
) -> Result {
    let larger_real = {
        let (a, b) = (real::magnitude(ruby, &y.real)?, real::magnitude(ruby, &y.imaginary)?);
        ruby.to_float(&a)? > ruby.to_float(&b)?
    };
    let (large, small) = if larger_real { (&y.real, &y.imaginary) } else { (&y.imaginary, &y.real) };
    let ratio = divide(ruby, small, large)?;
    let square = real::multiply(ruby, &ratio, &ratio)?;
    let one_more = real::add(ruby, &square, &Value::Int(1))?;
    let scale = real::multiply(ruby, large, &one_more)?;
    let (above_real, above_imaginary) = if larger_real {
        let (p, q) = (real::multiply(ruby, &x.imaginary, &ratio)?, real::multiply(ruby, &x.real, &ratio)?);
        (sum(ruby, &x.real, &p)?, difference(ruby, &x.imaginary, &q)?)
    } else {
        let (p, q) = (real::multiply(ruby, &x.real, &ratio)?, real::multiply(ruby, &x.imaginary, &ratio)?);
        (sum(ruby, &p, &x.imaginary)?, difference(ruby, &q, &x.real)?)
    };
    let real = divide(ruby, &above_real, &scale)?;
    Ok(Parts { real, imaginary: divide(ruby, &above_imaginary, &scale)? }.into_value())
}

/// `a ** b`, one of them complex, or a negative number to a fraction.
pub fn power(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    let Some((base, exponent)) = both(ruby, a, b)? else { return ruby.coerce_binary(a, b, sym::POWER) };
    if is_exact_zero(&exponent.real) && is_exact_zero(&exponent.imaginary) {
        return Ok(Parts { real: Value::Int(1), imaginary: Value::Int(0) }.into_value());
    }
    if is_exact_zero(&exponent.imaginary) && as_parts(b).is_some() {
        return power(ruby, a, &exponent.real);
    }
    let b = &whole(b.clone());
    if let Some(exponent) = as_big(b)
        && let Ok(exponent) = i64::try_from(&exponent)
    {
        return integer_power(ruby, &base, exponent);
    }
    if as_parts(a)
        .is_some_and(|own| tower::sign(&own.real) == Some(0) && tower::sign(&own.imaginary) == Some(0))
    {
        return Ok(Parts { real: Value::Int(0), imaginary: Value::Int(0) }.into_value());
    }
    let size = magnitude(ruby, &base)?;
    let theta = angle(ruby, &base)?;
    if as_parts(b).is_some() {
        let (re, im) = (ruby.to_float(&exponent.real)?, ruby.to_float(&exponent.imaginary)?);
        let new_size = (re * size.ln() - im * theta).exp();
        let new_angle = theta * re + im * size.ln();
        return polar(ruby, &Value::Float(new_size), &Value::Float(new_angle));
    }
    let by = ruby.to_float(b)?;
    polar(ruby, &Value::Float(size.powf(by)), &Value::Float(theta * by))
}

/// By squaring, so that exact parts stay exact.
fn integer_power(ruby: &mut Ruby<'_>, base: &Parts, exponent: i64) -> Result {
    let base = if exponent < 0 {
        parts(&divide(
            ruby,
            &Parts { real: Value::Int(1), imaginary: Value::Int(0) }.into_value(),
            &base.clone().into_value(),
        )?)
    } else {
        base.clone()
    };
    let mut left = exponent.unsigned_abs();
    if is_zero(ruby, &base.imaginary)? {
        let exponent = Value::integer(num_bigint::BigInt::from(left));
        return Ok(Parts { real: power::power(ruby, &base.real, &exponent)?, ..base }.into_value());
    }
    if is_zero(ruby, &base.real)? {
        let exponent = Value::integer(num_bigint::BigInt::from(left));
        let mut turned = power::power(ruby, &base.imaginary, &exponent)?;
        if left & 2 != 0 {
            turned = real::negate(ruby, &turned)?;
        }
        let (real, imaginary) = if left & 1 == 0 { (turned, base.real) } else { (base.real, turned) };
        return Ok(Parts { real, imaginary }.into_value());
    }
    let (mut square, mut result) = (base.clone(), base);
    left = left.saturating_sub(1);
    while left > 0 {
        while left.is_multiple_of(2) {
            ruby.charge(1)?;
            let (rr, ii) = (
                real::multiply(ruby, &square.real, &square.real)?,
                real::multiply(ruby, &square.imaginary, &square.imaginary)?,
            );
            let twice = real::multiply(ruby, &Value::Int(2), &square.real)?;
            let imaginary = real::multiply(ruby, &twice, &square.imaginary)?;
            square = Parts { real: difference(ruby, &rr, &ii)?, imaginary };
            left /= 2;
        }
        result = product(ruby, &result, &square)?;
        left -= 1;
    }
    Ok(result.into_value())
}
