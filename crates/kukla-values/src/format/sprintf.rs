//! Puppet's `sprintf`: directives and arguments; [`FormatField`] lays out what they show.

use std::borrow::Cow;
use std::fmt::Write as _;

use kukla_syntax::{bail, diagnostic};
use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, ToPrimitive};

use super::class::operand_name as name;
use super::{FormatField, float, inspect, inspect_text, number, old_argument, to_s};
use crate::codes::{
    FLAGGED_PERCENT_SIGN, FLOAT_AS_CHARACTER, FORMAT_HASH_REQUIRED, FORMAT_KEY_NOT_FOUND,
    FORMAT_PART_GIVEN_TWICE, FORMAT_PART_TOO_BIG, FORMAT_VALUE_GIVEN_TWICE, INCOMPLETE_FORMAT,
    INTEGER_AS_CHARACTER, INVALID_CHARACTER, LATE_FORMAT_FLAG, LATE_FORMAT_WIDTH, MALFORMED_FORMAT,
    MIXED_FORMAT_ARGUMENTS, NO_CHARACTER, NO_FLOAT, NO_IMPLICIT_CONVERSION, NO_INTEGER, NOT_CONVERTIBLE,
    NOT_FINITE, NUMBER_TOO_BIG, TEXT_TOO_LONG, TOO_FEW_FORMAT_ARGUMENTS, UNCLOSED_FORMAT_NAME,
    UNDEF_AS_CHARACTER,
};
use crate::{Error, Result, Str, Type, Value};

/// The widest field allowed; Ruby's own limit would let a format ask for gigabytes.
const MAX_WIDTH: usize = 1 << 24;

/// The longest result; values can be named again and again.
const MAX_TEXT: usize = 1 << 26;

const WIDTH: &str = "width";
const PRECISION: &str = "precision";

/// Formats values by a Ruby format string: `%5.1f`, `%-10s`, `%<name>d`, `%{name}`, `%1$s`, `%*d`.
pub fn sprintf(format: &str, args: &[Value]) -> Result<Str> {
    let mut out = String::with_capacity(format.len() + 16);
    let mut printer = Printer { args, next: 0, numbered: None, named: None };
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = printer.directive(&rest[at + 1..], &mut out)?;
        if out.len() > MAX_TEXT {
            bail!(TEXT_TOO_LONG { count: out.len(), limit: MAX_TEXT }; hint: "no setting raises this limit");
        }
    }
    out.push_str(rest);
    Ok(out.into())
}

struct Printer<'a> {
    args: &'a [Value],
    next: usize,
    numbered: Option<usize>,
    named: Option<String>,
}

impl<'a> Printer<'a> {
    /// Reads one directive from after its percent sign and gives what follows it.
    fn directive<'f>(&mut self, text: &'f str, out: &mut String) -> Result<&'f str> {
        let mut field = FormatField::default();
        let mut value: Option<&'a Value> = None;
        let mut rest = text;
        let mut first = true;
        loop {
            let Some(c) = rest.chars().next() else {
                bail!(INCOMPLETE_FORMAT);
            };
            let after = &rest[c.len_utf8()..];
            match c {
                ' ' | '#' | '+' | '-' | '0' => {
                    if field.width.is_some() || field.precision.is_some() {
                        let part = if field.precision.is_some() { PRECISION } else { WIDTH };
                        bail!(LATE_FORMAT_FLAG { part });
                    }
                    field.set_flag(c);
                    rest = after;
                }
                '1'..='9' => {
                    let (digits, after) = digits(rest);
                    if after.is_empty() {
                        bail!(MALFORMED_FORMAT { rest: "*[0-9]" });
                    }
                    let Some(count) = digits.parse().ok().filter(|count| *count <= MAX_WIDTH) else {
                        bail!(FORMAT_PART_TOO_BIG { part: WIDTH });
                    };
                    if let Some(after) = after.strip_prefix('$') {
                        if value.is_some() {
                            bail!(FORMAT_VALUE_GIVEN_TWICE { number: count });
                        }
                        value = Some(self.position(count)?);
                        rest = after;
                    } else {
                        if field.width.is_some() {
                            bail!(FORMAT_PART_GIVEN_TWICE { part: WIDTH });
                        }
                        if field.precision.is_some() {
                            bail!(LATE_FORMAT_WIDTH);
                        }
                        field.width = Some(count);
                        rest = after;
                    }
                }
                '<' | '{' => {
                    let close = if c == '<' { '>' } else { '}' };
                    let Some((name, after)) = after.split_once(close) else {
                        bail!(UNCLOSED_FORMAT_NAME);
                    };
                    let found = self.name(name, c, close)?;
                    rest = after;
                    if c == '{' {
                        text_field(&to_s(found), &field, out);
                        return Ok(rest);
                    }
                    value = Some(found);
                }
                '*' => {
                    if field.width.is_some() {
                        bail!(FORMAT_PART_GIVEN_TWICE { part: WIDTH });
                    }
                    let (width, after) = self.star(after)?;
                    if width < 0 {
                        field.minus = true;
                    }
                    let width = usize::try_from(width.unsigned_abs()).ok();
                    let Some(width) = width.filter(|width| *width <= MAX_WIDTH) else {
                        bail!(FORMAT_PART_TOO_BIG { part: WIDTH });
                    };
                    field.width = Some(width);
                    rest = after;
                }
                '.' => {
                    if field.precision.is_some() {
                        bail!(FORMAT_PART_GIVEN_TWICE { part: PRECISION });
                    }
                    field.precision = Some(0);
                    if let Some(after) = after.strip_prefix('*') {
                        let (precision, after) = self.star(after)?;
                        field.precision = usize::try_from(precision).ok().filter(|width| *width <= MAX_WIDTH);
                        rest = after;
                    } else {
                        let (digits, after) = digits(after);
                        if !digits.is_empty() {
                            field.precision = digits.parse().ok().filter(|count| *count <= MAX_WIDTH);
                            if field.precision.is_none() {
                                bail!(FORMAT_PART_TOO_BIG { part: PRECISION });
                            }
                        }
                        rest = after;
                    }
                }
                '\n' | '\0' if first => {
                    out.push('%');
                    return Ok(rest);
                }
                '%' if first => {
                    out.push('%');
                    return Ok(after);
                }
                '%' | '\n' | '\0' => bail!(FLAGGED_PERCENT_SIGN),
                'c' => {
                    character(self.take(value)?, &field, out)?;
                    return Ok(after);
                }
                's' | 'p' => {
                    let value = self.take(value)?;
                    let text = match value {
                        Value::Type(_) if c == 's' => to_s(&old_argument(value)),
                        value if c == 's' => to_s(value),
                        value => inspect(value),
                    };
                    text_field(&text, &field, out);
                    return Ok(after);
                }
                'd' | 'i' | 'u' | 'o' | 'x' | 'X' | 'b' | 'B' => {
                    integer(c, self.take(value)?, &field, out)?;
                    return Ok(after);
                }
                'f' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => {
                    floating(c, self.take(value)?, &field, out)?;
                    return Ok(after);
                }
                c => bail!(MALFORMED_FORMAT { rest: c }),
            }
            first = false;
        }
    }

    fn take(&mut self, given: Option<&'a Value>) -> Result<&'a Value> {
        match given {
            Some(value) => Ok(value),
            None => self.following(),
        }
    }

    fn following(&mut self) -> Result<&'a Value> {
        let number = self.next + 1;
        let this = || format!("unnumbered({number})");
        if self.numbered.is_some() {
            return Err(mixed(this(), "mixed with", "numbered"));
        }
        if self.named.is_some() {
            return Err(mixed(this(), "mixed with", "named"));
        }
        self.next = number;
        self.argument(number)
    }

    fn position(&mut self, number: usize) -> Result<&'a Value> {
        let this = || format!("numbered({number})");
        if self.next > 0 {
            return Err(mixed(this(), "after", &format!("unnumbered({})", self.next)));
        }
        if self.named.is_some() {
            return Err(mixed(this(), "after", "named"));
        }
        self.numbered = Some(number);
        self.argument(number)
    }

    fn argument(&self, number: usize) -> Result<&'a Value> {
        self.args.get(number - 1).ok_or_else(|| diagnostic!(TOO_FEW_FORMAT_ARGUMENTS).into())
    }

    fn name(&mut self, name: &str, open: char, close: char) -> Result<&'a Value> {
        let this = || format!("named{open}{name}{close}");
        if self.next > 0 {
            return Err(mixed(this(), "after", &format!("unnumbered({})", self.next)));
        }
        if self.numbered.is_some() {
            return Err(mixed(this(), "after", "numbered"));
        }
        self.named = Some(name.into());
        let [Value::Hash(hash)] = self.args else { bail!(FORMAT_HASH_REQUIRED) };
        let Some(value) = hash.get(name) else {
            bail!(FORMAT_KEY_NOT_FOUND { name: format!("{open}{name}{close}") });
        };
        Ok(value)
    }

    /// A width or precision that is an argument itself: `*` or `*1$`.
    fn star<'f>(&mut self, rest: &'f str) -> Result<(i64, &'f str)> {
        let (digits, after) = digits(rest);
        let (value, after) = match (digits.parse::<usize>(), after.strip_prefix('$')) {
            (Ok(number), Some(after)) if number > 0 => (self.position(number)?, after),
            _ => (self.following()?, rest),
        };
        let number = integer_of(value)?;
        let beyond = if number.sign() == Sign::Minus { i64::MIN } else { i64::MAX };
        Ok((number.to_i64().unwrap_or(beyond), after))
    }
}

fn mixed(this: String, relation: &str, other: &str) -> Error {
    diagnostic!(MIXED_FORMAT_ARGUMENTS { this, relation, other }).into()
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

fn text_field(text: &str, field: &FormatField, out: &mut String) {
    let end = field
        .precision
        .and_then(|precision| text.char_indices().nth(precision))
        .map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    let length = if field.width.is_some() { text.chars().count() } else { 0 };
    field.push_text(text, length, out);
}

fn character(value: &Value, field: &FormatField, out: &mut String) -> Result<()> {
    let code = match value {
        Value::String(text) => {
            let mut chars = text.chars();
            let (Some(c), None) = (chars.next(), chars.next()) else {
                bail!(NO_CHARACTER);
            };
            i64::from(u32::from(c))
        }
        Value::Undef => bail!(UNDEF_AS_CHARACTER),
        Value::Integer(number) => *number,
        Value::Float(number) if !number.is_finite() => integer_of(value).map(|_| 0)?,
        Value::Float(number) if !(-TWO_TO_63..TWO_TO_63).contains(number) => {
            let sign = if *number < 0.0 { "-" } else { "" };
            let shown = float::general(number.abs(), 10, false);
            bail!(FLOAT_AS_CHARACTER { number: format!("{sign}{shown}") });
        }
        Value::Float(number) => *number as i64,
        value => bail!(NO_IMPLICIT_CONVERSION { operand: operand_name(value), target: "Integer" }),
    };
    let size = if code < 0 { "small" } else { "big" };
    if i32::try_from(code).is_err() {
        bail!(INTEGER_AS_CHARACTER { number: code, size });
    }
    let Some(c) = u32::try_from(code).ok().and_then(char::from_u32) else {
        bail!(INVALID_CHARACTER);
    };
    field.push_text(c.encode_utf8(&mut [0; 4]), 1, out);
    Ok(())
}

const TWO_TO_63: f64 = (1u64 << 63) as f64;

/// Ruby's name for a value that it rejects: references to resources appear as resources.
fn operand_name(value: &Value) -> Cow<'static, str> {
    match value {
        Value::Type(ty) if matches!(**ty, Type::Resource(Some(_)) | Type::Class(Some(_))) => {
            "Puppet::Resource".into()
        }
        value => name(value),
    }
}

fn refused(value: &Value, target: &str) -> Error {
    diagnostic!(NOT_CONVERTIBLE { operand: operand_name(value), target }).into()
}

/// Ruby's `sprintf` reads text as `Integer(text)` does.
const INTEGER_RULES: number::IntegerRules = number::IntegerRules { radix: None, underscore_after_zero: true };

fn integer_of(value: &Value) -> Result<BigInt> {
    Ok(match value {
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => match BigInt::from_f64(number.trunc()) {
            Some(number) => number,
            None if number.is_nan() => bail!(NOT_FINITE { number: "NaN" }),
            None => bail!(NOT_FINITE { number: if *number < 0.0 { "-Infinity" } else { "Infinity" } }),
        },
        Value::Timestamp(stamp) => stamp.seconds().into(),
        Value::Timespan(span) => span.whole_seconds()?.into(),
        Value::String(text) => match number::parse_integer(text, INTEGER_RULES) {
            number::IntegerText::Fits(number) => number.into(),
            number::IntegerText::TooLarge => {
                number::parse_large_integer(text, INTEGER_RULES).ok_or_else(|| diagnostic!(NUMBER_TOO_BIG))?
            }
            number::IntegerText::Not => {
                bail!(NO_INTEGER { text: inspect_text(text) });
            }
        },
        value => return Err(refused(value, "Integer")),
    })
}

fn integer(directive: char, value: &Value, field: &FormatField, out: &mut String) -> Result<()> {
    if let Value::Integer(number) = value
        && matches!(directive, 'd' | 'i' | 'u')
        && field.precision.is_none()
        && !field.plus
        && !field.space
    {
        plain_integer(*number, field, out);
        return Ok(());
    }
    field.push_integer(directive, &integer_of(value)?, out);
    Ok(())
}

/// A decimal number with at most zeros or blanks around it, as nearly all are.
fn plain_integer(number: i64, field: &FormatField, out: &mut String) {
    let width = field.width.unwrap_or(0);
    let written = match () {
        () if field.minus => write!(out, "{number:<width$}"),
        () if field.zero => write!(out, "{number:0width$}"),
        () => write!(out, "{number:width$}"),
    };
    debug_assert!(written.is_ok(), "text takes everything");
}

fn floating(directive: char, value: &Value, field: &FormatField, out: &mut String) -> Result<()> {
    let number = match value {
        Value::Integer(number) if directive == 'f' => {
            // Exact, however large.
            let zeros = "0".repeat(field.precision.unwrap_or(6));
            let point = if zeros.is_empty() { "" } else { "." };
            let digits = format!("{}{point}{zeros}", number.unsigned_abs());
            field.push_decimal(*number < 0, &digits, out);
            return Ok(());
        }
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        Value::Timestamp(stamp) => stamp.to_f64(),
        Value::Timespan(span) => span.to_f64(),
        Value::String(text) => match number::parse_float(text) {
            Some(number) => number,
            None => {
                let shown = super::ruby::inspect_bytes(text.as_bytes());
                bail!(NO_FLOAT { text: shown });
            }
        },
        value => return Err(refused(value, "Float")),
    };
    field.push_float(directive, number, out);
    Ok(())
}
