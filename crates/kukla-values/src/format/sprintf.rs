//! Ruby's `sprintf`.

use std::borrow::Cow;
use std::fmt::Write as _;

use kukla_syntax::{bail, diagnostic};
use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, ToPrimitive};

use super::class::operand_name as name;
use super::{float, inspect, inspect_text, number, old_argument, to_s};
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

#[derive(Clone, Debug, Default)]
struct Spec {
    space: bool,
    alternate: bool,
    plus: bool,
    minus: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
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
        let mut spec = Spec::default();
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
                    if spec.width.is_some() || spec.precision.is_some() {
                        let part = if spec.precision.is_some() { PRECISION } else { WIDTH };
                        bail!(LATE_FORMAT_FLAG { part });
                    }
                    match c {
                        ' ' => spec.space = true,
                        '#' => spec.alternate = true,
                        '+' => spec.plus = true,
                        '-' => spec.minus = true,
                        _ => spec.zero = true,
                    }
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
                        if spec.width.is_some() {
                            bail!(FORMAT_PART_GIVEN_TWICE { part: WIDTH });
                        }
                        if spec.precision.is_some() {
                            bail!(LATE_FORMAT_WIDTH);
                        }
                        spec.width = Some(count);
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
                        text_field(&to_s(found), &spec, out);
                        return Ok(rest);
                    }
                    value = Some(found);
                }
                '*' => {
                    if spec.width.is_some() {
                        bail!(FORMAT_PART_GIVEN_TWICE { part: WIDTH });
                    }
                    let (width, after) = self.star(after)?;
                    if width < 0 {
                        spec.minus = true;
                    }
                    let width = usize::try_from(width.unsigned_abs()).ok();
                    let Some(width) = width.filter(|width| *width <= MAX_WIDTH) else {
                        bail!(FORMAT_PART_TOO_BIG { part: WIDTH });
                    };
                    spec.width = Some(width);
                    rest = after;
                }
                '.' => {
                    if spec.precision.is_some() {
                        bail!(FORMAT_PART_GIVEN_TWICE { part: PRECISION });
                    }
                    spec.precision = Some(0);
                    if let Some(after) = after.strip_prefix('*') {
                        let (precision, after) = self.star(after)?;
                        spec.precision = usize::try_from(precision).ok().filter(|width| *width <= MAX_WIDTH);
                        rest = after;
                    } else {
                        let (digits, after) = digits(after);
                        if !digits.is_empty() {
                            spec.precision = digits.parse().ok().filter(|count| *count <= MAX_WIDTH);
                            if spec.precision.is_none() {
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
                    character(self.take(value)?, &spec, out)?;
                    return Ok(after);
                }
                's' | 'p' => {
                    let value = self.take(value)?;
                    let text = match value {
                        Value::Type(_) if c == 's' => to_s(&old_argument(value)),
                        value if c == 's' => to_s(value),
                        value => inspect(value),
                    };
                    text_field(&text, &spec, out);
                    return Ok(after);
                }
                'd' | 'i' | 'u' | 'o' | 'x' | 'X' | 'b' | 'B' => {
                    integer(c, self.take(value)?, &spec, out)?;
                    return Ok(after);
                }
                'f' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => {
                    floating(c, self.take(value)?, &spec, out)?;
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

fn padded(text: &str, length: usize, spec: &Spec, out: &mut String) {
    let fill = spec.width.unwrap_or(0).saturating_sub(length);
    if !spec.minus {
        out.extend(std::iter::repeat_n(' ', fill));
    }
    out.push_str(text);
    if spec.minus {
        out.extend(std::iter::repeat_n(' ', fill));
    }
}

fn text_field(text: &str, spec: &Spec, out: &mut String) {
    let end = spec
        .precision
        .and_then(|precision| text.char_indices().nth(precision))
        .map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    let length = if spec.width.is_some() { text.chars().count() } else { 0 };
    padded(text, length, spec, out);
}

fn character(value: &Value, spec: &Spec, out: &mut String) -> Result<()> {
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
    padded(c.encode_utf8(&mut [0; 4]), 1, spec, out);
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
        Value::String(text) => match number::parse_integer(text, None) {
            number::IntegerText::Fits(number) => number.into(),
            number::IntegerText::TooLarge => {
                number::parse_large_integer(text).ok_or_else(|| diagnostic!(NUMBER_TOO_BIG))?
            }
            number::IntegerText::Not => {
                bail!(NO_INTEGER { text: inspect_text(text) });
            }
        },
        value => return Err(refused(value, "Integer")),
    })
}

fn integer(directive: char, value: &Value, spec: &Spec, out: &mut String) -> Result<()> {
    let (base, prefix) = match directive {
        'o' => (8, "0"),
        'x' => (16, "0x"),
        'X' => (16, "0X"),
        'b' => (2, "0b"),
        'B' => (2, "0B"),
        _ => (10, ""),
    };
    if let Value::Integer(number) = value
        && base == 10
        && spec.precision.is_none()
        && !spec.plus
        && !spec.space
    {
        plain_integer(*number, spec, out);
        return Ok(());
    }
    let number = integer_of(value)?;
    let negative = number.sign() == Sign::Minus;
    // Without a sign flag a negative number in another base is its two's complement, sign digits going on for ever.
    let endless = negative && base != 10 && !spec.plus && !spec.space;
    let mut digits = if endless { complement(&number, base) } else { number.magnitude().to_str_radix(base) };
    if directive == 'X' {
        digits.make_ascii_uppercase();
    }
    let sign = match () {
        () if negative && !endless => "-",
        () if spec.plus && !negative => "+",
        () if spec.space && !negative => " ",
        () => "",
    };
    let mut prefix = if spec.alternate { prefix } else { "" };
    let mut precision = spec.precision;
    let is_zero = digits == "0";
    if prefix == "0" {
        if endless {
            prefix = "";
        } else if is_zero {
            digits.clear();
            precision = precision.map(|precision| precision.saturating_sub(1));
        } else if precision.is_some_and(|precision| precision > digits.len()) {
            prefix = "";
        }
    } else if is_zero {
        prefix = "";
    }
    let dots = if endless { ".." } else { "" };
    let lead = sign.len() + prefix.len();
    let width = spec.width.unwrap_or(0);
    let wanted = match precision {
        // The dots count as digits here.
        Some(precision) => precision.saturating_sub(dots.len()),
        None if spec.zero && !spec.minus => width.saturating_sub(lead + dots.len()),
        None => 0,
    };
    if precision == Some(0) && is_zero && prefix.is_empty() {
        digits.clear();
    }
    let fill = match (endless, base) {
        (true, 16) if directive == 'X' => 'F',
        (true, 16) => 'f',
        (true, 8) => '7',
        (true, _) => '1',
        (false, _) => '0',
    };
    let zeros: String = std::iter::repeat_n(fill, wanted.saturating_sub(digits.len())).collect();
    let text = format!("{sign}{prefix}{dots}{zeros}{digits}");
    padded(&text, text.len(), spec, out);
    Ok(())
}

/// A decimal number with at most zeros or blanks around it, as nearly all are.
fn plain_integer(number: i64, spec: &Spec, out: &mut String) {
    let width = spec.width.unwrap_or(0);
    let written = match () {
        () if spec.minus => write!(out, "{number:<width$}"),
        () if spec.zero => write!(out, "{number:0width$}"),
        () => write!(out, "{number:width$}"),
    };
    debug_assert!(written.is_ok(), "text takes everything");
}

/// The two's complement of a negative number with one leading sign digit.
fn complement(number: &BigInt, base: u32) -> String {
    let bits = u64::from(base.trailing_zeros());
    let places = number.bits() / bits + 1;
    let digits = ((BigInt::from(1) << (places * bits)) + number).to_str_radix(base);
    let top = char::from_digit(base - 1, base).unwrap_or('f');
    format!("{top}{}", digits.trim_start_matches(top))
}

fn floating(directive: char, value: &Value, spec: &Spec, out: &mut String) -> Result<()> {
    let number = match value {
        Value::Integer(number) if directive == 'f' => {
            // Exact, however large.
            let zeros = "0".repeat(spec.precision.unwrap_or(6));
            let point = if zeros.is_empty() { "" } else { "." };
            signed(*number < 0, "", &format!("{}{point}{zeros}", number.unsigned_abs()), spec, true, out);
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
    if !number.is_finite() {
        let text = if number.is_nan() { "NaN" } else { "Inf" };
        signed(number < 0.0, "", text, spec, false, out);
        return Ok(());
    }
    let magnitude = number.abs();
    let precision = spec.precision.unwrap_or(6);
    let (prefix, mut text) = match directive.to_ascii_lowercase() {
        'f' => ("", float::fixed(magnitude, precision, spec.alternate)),
        'e' => ("", float::scientific(magnitude, precision, spec.alternate)),
        'g' => ("", float::general(magnitude, precision, spec.alternate)),
        _ => ("0x", float::hexadecimal(magnitude, spec.precision, spec.alternate)),
    };
    let mut prefix = prefix.to_owned();
    if directive.is_ascii_uppercase() {
        text.make_ascii_uppercase();
        prefix.make_ascii_uppercase();
    }
    signed(number.is_sign_negative(), &prefix, &text, spec, true, out);
    Ok(())
}

fn signed(negative: bool, prefix: &str, text: &str, spec: &Spec, zeros: bool, out: &mut String) {
    let sign = match () {
        () if negative => "-",
        () if spec.plus => "+",
        () if spec.space => " ",
        () => "",
    };
    let lead = sign.len() + prefix.len();
    let fill = if spec.zero && !spec.minus && zeros {
        spec.width.unwrap_or(0).saturating_sub(lead + text.len())
    } else {
        0
    };
    let text = format!("{sign}{prefix}{}{text}", "0".repeat(fill));
    padded(&text, text.len(), spec, out);
}
