//! Numbers read from text, and the functions `Integer()`, `Float()`, `Rational()` and `Complex()`.

use kukla_values::format::{digit_run, prefix_base};
use num_bigint::BigInt;
use num_traits::{Pow, Zero};

use super::tower::{self, Parts, Ratio, as_parts, as_ratio, scale};
use crate::args::Args;
use crate::class::{ClassId, Native, method, private};
use crate::core::complex;
use crate::core::numeric::large;
use crate::error::{Result, Unwind};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// Functions of `Kernel` that make numbers.
pub const CONVERSIONS: &[Native] = &[
    private("Integer", 1, 3, integer_function),
    private("Float", 1, 2, float_function),
    private("Rational", 1, 3, rational_function),
    private("Complex", 1, 3, complex_function),
];

/// The same for `Kernel` itself: `Kernel.Integer('1')`.
pub const KERNEL_CONVERSIONS: &[Native] = &[
    method("Integer", 1, 3, integer_function),
    method("Float", 1, 2, float_function),
    method("Rational", 1, 3, rational_function),
    method("Complex", 1, 3, complex_function),
];

/// Bytes that are read from the front.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte that is not white space.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        let mut reader = Reader { bytes, at: 0 };
        reader.skip_space();
        reader
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn ahead(&self, by: usize) -> Option<u8> {
        self.bytes.get(self.at + by).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace() || byte == 0x0b) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Whether nothing but white space is left.
    fn is_done(mut self) -> bool {
        self.skip_space();
        self.at == self.bytes.len()
    }

    /// Takes a sign; whether it is a minus.
    fn sign(&mut self) -> bool {
        if self.take(b'-') {
            return true;
        }
        self.take(b'+');
        false
    }

    /// Digits of a base, with single underscores between them.
    fn digits(&mut self, base: u32) -> Vec<u8> {
        let rest = self.rest();
        let run = &rest[..digit_run(rest, base)];
        self.at += run.len();
        run.iter().copied().filter(|byte| *byte != b'_').collect()
    }

    /// `e10`, `E-3`; nothing is taken if there are no digits.
    fn exponent(&mut self, letters: [u8; 2]) -> Option<i64> {
        if !self.peek().is_some_and(|byte| letters.contains(&byte)) {
            return None;
        }
        let start = self.at;
        self.at += 1;
        let negative = self.sign();
        let digits = self.digits(10);
        if digits.is_empty() {
            self.at = start;
            return None;
        }
        let size =
            digits.iter().fold(0i64, |sum, digit| (sum * 10 + i64::from(digit - b'0')).min(1_000_000_000));
        Some(if negative { -size } else { size })
    }
}

/// The integer at the beginning of a text, in a base from 2 to 36 or, if that is 0, the one its prefix says.
/// `None` if there is none; with `strict` also if anything follows it.
pub fn integer(bytes: &[u8], base: u32, strict: bool) -> Option<BigInt> {
    let mut reader = Reader::new(bytes);
    let negative = reader.sign();
    let mut base_found = if base == 0 { 10 } else { base };
    let mut seen_zero = false;
    if reader.peek() == Some(b'0') {
        let prefix = prefix_base(reader.rest()).filter(|found| base == 0 || base == *found);
        match prefix {
            Some(found) if reader.ahead(2).is_some_and(|byte| (byte as char).is_digit(found)) => {
                base_found = found;
                reader.at += 2;
            }
            Some(_) if strict => return None,
            _ if base == 0 => {
                base_found = 8;
                seen_zero = true;
            }
            _ => {}
        }
    }
    let digits = reader.digits(base_found);
    if digits.is_empty() && !seen_zero {
        return None;
    }
    if strict && !reader.is_done() {
        return None;
    }
    let number = large::of_digits(&digits, base_found).unwrap_or_else(BigInt::zero);
    Some(if negative { -number } else { number })
}

/// The float at the beginning of a text; `None` if there is none, with `strict` also if anything follows it.
pub fn float(bytes: &[u8], strict: bool) -> Option<f64> {
    let mut reader = Reader::new(bytes);
    let negative = reader.sign();
    let signed = |number: f64| if negative { -number } else { number };
    if reader.peek() == Some(b'0') && matches!(reader.ahead(1), Some(b'x' | b'X')) {
        return if strict { hexadecimal(&mut reader).map(signed) } else { Some(signed(0.0)) };
    }
    let mut text = reader.digits(10);
    let whole = !text.is_empty();
    if reader.peek() == Some(b'.') && reader.ahead(1).is_some_and(|byte| byte.is_ascii_digit()) {
        if !whole {
            text.push(b'0');
        }
        reader.at += 1;
        text.push(b'.');
        text.append(&mut reader.digits(10));
    }
    if text.is_empty() {
        return None;
    }
    if let Some(exponent) = reader.exponent([b'e', b'E']) {
        text.extend_from_slice(format!("e{exponent}").as_bytes());
    }
    if strict && !reader.is_done() {
        return None;
    }
    std::str::from_utf8(&text).ok()?.parse().ok().map(signed)
}

/// `0x1.8p3`
fn hexadecimal(reader: &mut Reader<'_>) -> Option<f64> {
    reader.at += 2;
    let mut digits = reader.digits(16);
    if digits.is_empty() {
        return None;
    }
    let mut exponent = 0;
    if reader.peek() == Some(b'.') && reader.ahead(1).is_some_and(|byte| byte.is_ascii_hexdigit()) {
        reader.at += 1;
        let mut fraction = reader.digits(16);
        exponent = -4 * fraction.len() as i64;
        digits.append(&mut fraction);
    }
    exponent += reader.exponent([b'p', b'P']).unwrap_or(0);
    let number = large::of_digits(&digits, 16)?;
    reader.is_done().then(|| scale(tower::big_to_f64(&number), exponent))
}

/// An unsigned decimal number with fraction and exponent, exactly.
fn decimal(reader: &mut Reader<'_>) -> Option<Ratio> {
    let mut digits = reader.digits(10);
    let mut places = 0i64;
    let fraction = reader.peek() == Some(b'.') && reader.ahead(1).is_some_and(|byte| byte.is_ascii_digit());
    if fraction {
        reader.at += 1;
        let mut more = reader.digits(10);
        places = more.len() as i64;
        digits.append(&mut more);
    }
    if digits.is_empty() {
        return None;
    }
    let number = large::of_digits(&digits, 10)?;
    let exponent = reader.exponent([b'e', b'E']).unwrap_or(0).clamp(-100_000, 100_000) - places;
    let unit: BigInt = Pow::pow(BigInt::from(10u8), exponent.unsigned_abs());
    Some(if exponent < 0 { Ratio::new(number, unit) } else { Ratio::whole(number * unit) })
}

/// A fraction whose denominator is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DividedByZero;

/// The fraction at the beginning of a text; `None` if there is none.
pub fn rational(bytes: &[u8], strict: bool) -> std::result::Result<Option<Ratio>, DividedByZero> {
    let mut reader = Reader::new(bytes);
    let negative = reader.sign();
    let Some(mut ratio) = decimal(&mut reader) else { return Ok(None) };
    if reader.peek() == Some(b'/') && reader.ahead(1).is_some_and(|byte| byte.is_ascii_digit()) {
        reader.at += 1;
        if let Some(denominator) = decimal(&mut reader) {
            if denominator.numerator.is_zero() {
                return Err(DividedByZero);
            }
            ratio = ratio.divide(&denominator);
        }
    }
    if strict && !reader.is_done() {
        return Ok(None);
    }
    if negative {
        ratio.numerator = -ratio.numerator;
    }
    Ok(Some(ratio))
}

/// A real number in a complex one: `1`, `1.5`, `2/3`.
fn real_part(reader: &mut Reader<'_>) -> std::result::Result<Option<Value>, DividedByZero> {
    let start = reader.at;
    let negative = reader.sign();
    let body = reader.at;
    let point = reader.peek() == Some(b'.') && reader.ahead(1).is_some_and(|byte| byte.is_ascii_digit());
    if !point && !reader.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        reader.at = start;
        return Ok(None);
    }
    let Some(ratio) = decimal(reader) else { return Ok(None) };
    let text = &reader.bytes[body..reader.at];
    let is_float = text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    if reader.peek() == Some(b'/') && reader.ahead(1).is_some_and(|byte| byte.is_ascii_digit()) {
        reader.at += 1;
        let Some(below) = decimal(reader) else { return Ok(None) };
        if below.numerator.is_zero() {
            return Err(DividedByZero);
        }
        let ratio = ratio.divide(&below);
        let ratio = if negative { Ratio { numerator: -ratio.numerator, ..ratio } } else { ratio };
        return Ok(Some(ratio.into_value()));
    }
    Ok(if is_float {
        float(text, false).map(|number| Value::Float(if negative { -number } else { number }))
    } else {
        Some(Value::integer(if negative { -ratio.numerator } else { ratio.numerator }))
    })
}

/// The complex number at the beginning of a text; `None` if there is none, with `strict` also if anything follows it.
pub fn complex(ruby: &mut Ruby<'_>, bytes: &[u8], strict: bool) -> Result<Option<Value>> {
    let mut reader = Reader::new(bytes);
    let is_unit = |byte: Option<u8>| matches!(byte, Some(b'i' | b'I' | b'j' | b'J'));
    let lone_unit = |reader: &mut Reader<'_>| -> Option<Value> {
        let mut ahead = *reader;
        let negative = ahead.sign();
        if !is_unit(ahead.peek()) {
            return None;
        }
        ahead.at += 1;
        *reader = ahead;
        Some(Value::Int(if negative { -1 } else { 1 }))
    };
    let zero = Value::Int(0);
    let found = if let Some(imaginary) = lone_unit(&mut reader) {
        Parts { real: zero, imaginary }.into_value()
    } else {
        let part = |ruby: &mut Ruby<'_>, reader: &mut Reader<'_>| {
            real_part(reader).map_err(|DividedByZero| ruby.divided_by_zero())
        };
        let Some(real) = part(ruby, &mut reader)? else { return Ok(None) };
        if is_unit(reader.peek()) {
            reader.at += 1;
            Parts { real: zero, imaginary: real }.into_value()
        } else if reader.take(b'@') {
            match part(ruby, &mut reader)? {
                Some(angle) => complex::polar(ruby, &real, &angle)?,
                None if strict => return Ok(None),
                None => Parts { real, imaginary: zero }.into_value(),
            }
        } else if matches!(reader.peek(), Some(b'+' | b'-')) {
            let before = reader;
            match lone_unit(&mut reader) {
                Some(imaginary) => Parts { real, imaginary }.into_value(),
                None => match part(ruby, &mut reader)? {
                    Some(imaginary) if is_unit(reader.peek()) => {
                        reader.at += 1;
                        Parts { real, imaginary }.into_value()
                    }
                    _ => {
                        reader = before;
                        Parts { real, imaginary: zero }.into_value()
                    }
                },
            }
        } else {
            Parts { real, imaginary: zero }.into_value()
        }
    };
    Ok(if strict && !reader.is_done() { None } else { Some(found) })
}

/// Whether exceptions are wanted: `exception: false` says no.
fn wants_exception(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<bool> {
    let Some(keywords) = args.split().1 else { return Ok(true) };
    ruby.refuse_keywords_except(keywords, &["exception"])?;
    match ruby.keyword(keywords, "exception") {
        None | Some(Value::Bool(true)) => Ok(true),
        Some(Value::Bool(false)) => Ok(false),
        Some(other) => {
            let shown = ruby.inspect(&other)?;
            let message = format!("expected true or false as exception: {}", shown.to_str_lossy());
            Err(ruby.argument_error(message))
        }
    }
}

/// The result, or `nil` instead of an exception if none are wanted.
fn unless_refused(result: Result, exception: bool) -> Result {
    match result {
        Err(unwind) if !exception && matches!(*unwind, Unwind::Raise(_)) => Ok(Value::Nil),
        result => result,
    }
}

fn cannot_convert(ruby: &mut Ruby<'_>, value: &Value, into: &str) -> Box<Unwind> {
    let word = ruby.word_for(value);
    ruby.type_error(format!("can't convert {word} into {into}"))
}

fn invalid_value(ruby: &mut Ruby<'_>, function: &str, value: &Value) -> Box<Unwind> {
    match ruby.inspect(value) {
        Ok(shown) => ruby.argument_error(format!("invalid value for {function}: {}", shown.to_str_lossy())),
        Err(unwind) => unwind,
    }
}

fn check_no_null(ruby: &mut Ruby<'_>, bytes: &[u8]) -> Result<()> {
    if bytes.contains(&0) { Err(ruby.argument_error("string contains null byte")) } else { Ok(()) }
}

/// Whether a text ends after its blanks and its sign, before Ruby looks at the base; one with nothing in it does not get that far.
pub fn has_no_digits(bytes: &[u8]) -> bool {
    let rest = bytes.trim_ascii_start();
    !bytes.is_empty() && matches!(rest, [] | [b'+' | b'-'])
}

/// Whether a text begins as integers do that tell their base: `0x`, `0b`, `0o`, `0d` or just `0`.
fn says_base(bytes: &[u8]) -> bool {
    let rest = bytes.trim_ascii_start();
    let digits = rest.strip_prefix(b"-").or(rest.strip_prefix(b"+")).unwrap_or(rest);
    prefix_base(digits).is_some() || matches!(digits, [b'0', b'0'..=b'9' | b'_', ..])
}

fn integer_function(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let exception = wants_exception(ruby, args)?;
    let rest = args.split().0;
    if rest.is_empty() {
        return Err(ruby.wrong_number_of_arguments(0, "1..2"));
    }
    if rest.is_empty() || rest.len() > 2 {
        return Err(ruby.wrong_number_of_arguments(rest.len(), "1..2"));
    }
    let base = rest.get(1).filter(|base| !base.is_nil());
    unless_refused(to_integer(ruby, &rest[0], base), exception)
}

fn to_integer(ruby: &mut Ruby<'_>, value: &Value, base: Option<&Value>) -> Result {
    let base = match base {
        None => None,
        Some(Value::String(_) | Value::Symbol(_)) => None,
        Some(base) => Some(ruby.to_int(base)?),
    };
    let text = match value {
        Value::String(_) => Some(value.clone()),
        _ if base.is_some() => match ruby.maybe_string(value)? {
            Some(string) => Some(Value::String(string)),
            None => return Err(ruby.argument_error("base specified for non string value")),
        },
        _ => None,
    };
    if let Some(Value::String(string)) = &text {
        let bytes = string.text().as_bytes().to_vec();
        let base = match base.unwrap_or(0) {
            // A base below zero is for texts that do not say theirs.
            base if base < 0 && says_base(&bytes) => 0,
            base => base.abs(),
        };
        if (base == 1 || base > 36) && !has_no_digits(&bytes) {
            return Err(ruby.argument_error(format!("invalid radix {base}")));
        }
        let number = if has_no_digits(&bytes) { None } else { integer(&bytes, base as u32, true) };
        return match number {
            Some(number) => Ok(Value::integer(number)),
            None => Err(invalid_value(ruby, "Integer()", value)),
        };
    }
    match value {
        Value::Int(_) | Value::Big(_) => Ok(value.clone()),
        Value::Float(number) => ruby.float_to_integer(*number),
        Value::Nil => Err(ruby.type_error("can't convert nil into Integer")),
        _ => {
            if let Some(answer) = ruby.try_send(value, sym::TO_INT, &[])?
                && matches!(answer, Value::Int(_) | Value::Big(_))
            {
                return Ok(answer);
            }
            if let Some(string) = ruby.maybe_string(value)? {
                return to_integer(ruby, &Value::String(string), None);
            }
            match ruby.try_send(value, sym::TO_I, &[])? {
                Some(answer @ (Value::Int(_) | Value::Big(_))) => Ok(answer),
                Some(answer) => {
                    let (own, other) = (ruby.class_name_of(value), ruby.class_name_of(&answer));
                    Err(ruby.type_error(format!("can't convert {own} to Integer ({own}#to_i gives {other})")))
                }
                None => Err(cannot_convert(ruby, value, "Integer")),
            }
        }
    }
}

fn float_function(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let exception = wants_exception(ruby, args)?;
    let rest = args.split().0;
    if rest.is_empty() {
        return Err(ruby.wrong_number_of_arguments(0, "1"));
    }
    if rest.len() != 1 {
        return Err(ruby.wrong_number_of_arguments(rest.len(), 1));
    }
    let result = to_float(ruby, &rest[0]).map(Value::Float);
    unless_refused(result, exception)
}

/// The result of `Float()` for a value: a number, or a text that is a number throughout.
pub fn to_float(ruby: &mut Ruby<'_>, value: &Value) -> Result<f64> {
    match value {
        Value::String(string) => {
            let bytes = string.text().as_bytes().to_vec();
            if bytes.contains(&0) {
                return Err(ruby.argument_error("string for Float contains null byte"));
            }
            match float(&bytes, true) {
                Some(number) => Ok(number),
                None => Err(invalid_value(ruby, "Float()", value)),
            }
        }
        Value::Object(_) if as_ratio(value).is_none() => match ruby.try_send(value, sym::TO_F, &[])? {
            Some(Value::Float(number)) => Ok(number),
            Some(answer) => {
                let (own, other) = (ruby.class_name_of(value), ruby.class_name_of(&answer));
                Err(ruby.type_error(format!("can't convert {own} to Float ({own}#to_f gives {other})")))
            }
            None => Err(cannot_convert(ruby, value, "Float")),
        },
        value => ruby.to_float(value),
    }
}

fn rational_function(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let exception = wants_exception(ruby, args)?;
    let rest = args.split().0;
    if rest.is_empty() {
        return Err(ruby.wrong_number_of_arguments(0, "1..2"));
    }
    if rest.is_empty() || rest.len() > 2 {
        return Err(ruby.wrong_number_of_arguments(rest.len(), "1..2"));
    }
    let result = make_rational(ruby, &rest[0], rest.get(1));
    unless_refused(result, exception)
}

/// A value as an exact number: strings and floats too. What cannot be made exact stays as it is.
fn exact(ruby: &mut Ruby<'_>, value: &Value) -> Result {
    match value {
        Value::Nil => Err(ruby.type_error("can't convert nil into Rational")),
        Value::Int(_) | Value::Big(_) => Ok(value.clone()),
        Value::Float(number) if number.is_finite() => Ok(Ratio::of_float(*number).into_value()),
        Value::Float(number) => ruby.float_to_integer(*number),
        Value::String(string) => {
            let bytes = string.text().as_bytes().to_vec();
            match rational(&bytes, true) {
                Ok(Some(ratio)) => Ok(ratio.into_value()),
                Ok(None) => {
                    let shown = ruby.inspect(value)?;
                    let message = format!("invalid value for convert(): {}", shown.to_str_lossy());
                    Err(ruby.argument_error(message))
                }
                Err(DividedByZero) => Err(ruby.divided_by_zero()),
            }
        }
        Value::Object(_) => {
            if let Some(parts) = as_parts(value) {
                return if tower::is_exact_zero(&parts.imaginary) {
                    exact(ruby, &parts.real)
                } else {
                    Ok(value.clone())
                };
            }
            if as_ratio(value).is_some() {
                return Ok(value.clone());
            }
            if let Some(answer) = ruby.try_send(value, sym::TO_R, &[])?
                && as_ratio(&answer).is_some()
            {
                return Ok(answer);
            }
            if let Some(answer) = ruby.try_send(value, sym::TO_INT, &[])?
                && matches!(answer, Value::Int(_) | Value::Big(_))
            {
                return Ok(answer);
            }
            if ruby.is_a(value, ClassId::NUMERIC) {
                return Ok(value.clone());
            }
            Err(cannot_convert(ruby, value, "Rational"))
        }
        _ => Err(cannot_convert(ruby, value, "Rational")),
    }
}

/// One of the two parts of a fraction, which need not be exact but a number.
fn rational_part(ruby: &mut Ruby<'_>, value: &Value) -> Result {
    match value {
        Value::Nil | Value::String(_) | Value::Int(_) | Value::Float(_) | Value::Big(_) => exact(ruby, value),
        Value::Object(_) => exact(ruby, value).map_err(|_| ruby.type_error("not an integer")),
        _ => Err(ruby.type_error("not an integer")),
    }
}

fn make_rational(ruby: &mut Ruby<'_>, first: &Value, second: Option<&Value>) -> Result {
    if first.is_nil() || second.is_some_and(Value::is_nil) {
        return Err(ruby.type_error("can't convert nil into Rational"));
    }
    let (above, below) = match second {
        Some(second) => {
            // Texts and floats are read first.
            let (mut above, mut below) = (first.clone(), second.clone());
            for part in [&mut above, &mut below] {
                if let Value::String(_) | Value::Float(_) = part {
                    *part = exact(ruby, part)?;
                }
            }
            let below = rational_part(ruby, &below)?;
            (rational_part(ruby, &above)?, below)
        }
        None => (exact(ruby, first)?, Value::Int(1)),
    };
    match tower::pair(&above, &below) {
        Some(tower::Pair::Integers(_, below)) if below.is_zero() => Err(ruby.divided_by_zero()),
        Some(tower::Pair::Integers(above, below)) => Ok(Ratio::new(above, below).into_value()),
        Some(tower::Pair::Rationals(_, below)) if below.numerator.is_zero() => Err(ruby.divided_by_zero()),
        Some(tower::Pair::Rationals(above, below)) => Ok(above.divide(&below).into_value()),
        _ if second.is_none() => match ruby.try_send(&above, sym::TO_R, &[])? {
            Some(ratio) => Ok(ratio),
            None => Err(cannot_convert(ruby, first, "Rational")),
        },
        _ => ruby.send(&above, sym::DIVIDE, &[below]),
    }
}

fn complex_function(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let exception = wants_exception(ruby, args)?;
    let rest = args.split().0;
    if rest.is_empty() {
        return Err(ruby.wrong_number_of_arguments(0, "1..2"));
    }
    if rest.is_empty() || rest.len() > 2 {
        return Err(ruby.wrong_number_of_arguments(rest.len(), "1..2"));
    }
    let result = make_complex(ruby, &rest[0], rest.get(1));
    unless_refused(result, exception)
}

/// A value as a part of a complex number.
fn complex_part(ruby: &mut Ruby<'_>, value: &Value) -> Result {
    match value {
        Value::Nil => Err(ruby.type_error("can't convert nil into Complex")),
        Value::String(string) => {
            let bytes = string.text().as_bytes().to_vec();
            check_no_null(ruby, &bytes)?;
            match complex(ruby, &bytes, true)? {
                Some(number) => Ok(simplified(&number)),
                None => {
                    let shown = ruby.inspect(value)?;
                    let message = format!("invalid value for convert(): {}", shown.to_str_lossy());
                    Err(ruby.argument_error(message))
                }
            }
        }
        value => Ok(simplified(value)),
    }
}

/// A complex number whose imaginary part is exactly zero as the real number it is.
fn simplified(value: &Value) -> Value {
    match as_parts(value) {
        Some(parts) if tower::is_exact_zero(&parts.imaginary) => parts.real.clone(),
        _ => value.clone(),
    }
}

fn make_complex(ruby: &mut Ruby<'_>, first: &Value, second: Option<&Value>) -> Result {
    if second.is_none() && as_parts(first).is_some() {
        return Ok(first.clone());
    }
    if second.is_none()
        && let Value::String(_) = first
    {
        let part = complex_part(ruby, first)?;
        return Ok(match as_parts(&part) {
            Some(_) => part,
            None => Parts { real: part, imaginary: Value::Int(0) }.into_value(),
        });
    }
    let real = complex_part(ruby, first)?;
    let Some(second) = second else {
        if !ruby.is_a(&real, ClassId::NUMERIC) {
            return match ruby.try_send(&real, sym::TO_C, &[])? {
                Some(number) => Ok(number),
                None => Err(cannot_convert(ruby, &real, "Complex")),
            };
        }
        return Ok(Parts { real, imaginary: Value::Int(0) }.into_value());
    };
    let imaginary = complex_part(ruby, second)?;
    for part in [&real, &imaginary] {
        if !ruby.is_a(part, ClassId::NUMERIC) {
            return Err(ruby.type_error("not a real"));
        }
    }
    if as_parts(&real).is_none() && as_parts(&imaginary).is_none() {
        return Ok(Parts { real, imaginary }.into_value());
    }
    // real + imaginary * i, where one of them is complex itself
    let unit = Parts { real: Value::Int(0), imaginary: Value::Int(1) }.into_value();
    let product = complex::multiply(ruby, &imaginary, &unit)?;
    complex::add(ruby, &real, &product)
}
