//! Numbers written as text, read as Ruby's `Integer()` and `Float()` and as Puppet's own rule.

use std::sync::LazyLock;

use kukla_syntax::bail;
use num_bigint::BigInt;
use regex::Regex;

use crate::codes::OUTSIDE_INTEGER_RANGE;
use crate::{Result, Value};

/// The most digits of an integer that is only written again; the work grows with their square.
const LARGEST: usize = 10_000;

/// The result of reading an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerText {
    /// An integer that fits.
    Fits(i64),
    /// An integer that does not fit into 64 bits.
    TooLarge,
    /// Not an integer.
    Not,
}

/// The rules for reading an integer, where its readers differ.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegerRules {
    /// The base; without one a prefix (`0x`, `0b`, `0o`, `0d`, `0`) tells it.
    pub radix: Option<u32>,
    /// Whether an underscore may follow the zero of an octal number: `0_7`. Ruby allows it, the conversions of Puppet do not.
    pub underscore_after_zero: bool,
}

/// The length of the digits that a text begins with, including single underscores between two of them, as Ruby allows.
pub fn digit_run(text: &[u8], base: u32) -> usize {
    let is_digit = |at: usize| text.get(at).is_some_and(|byte| char::from(*byte).is_digit(base));
    let mut end = 0;
    while is_digit(end) || end > 0 && text.get(end) == Some(&b'_') && is_digit(end + 1) {
        end += 1;
    }
    end
}

/// The base that a prefix of two letters tells: `0x`, `0b`, `0o` or `0d`.
pub fn prefix_base(text: &[u8]) -> Option<u32> {
    match text {
        [b'0', b'x' | b'X', ..] => Some(16),
        [b'0', b'b' | b'B', ..] => Some(2),
        [b'0', b'o' | b'O', ..] => Some(8),
        [b'0', b'd' | b'D', ..] => Some(10),
        _ => None,
    }
}

/// Reads an integer as Ruby's `Integer(text, radix)`.
pub fn parse_integer(text: &str, rules: IntegerRules) -> IntegerText {
    let Some((negative, base, digits)) = sign_base_and_digits(text, rules) else { return IntegerText::Not };
    let total = digits.chars().filter(|c| *c != '_').try_fold(0i128, |total, c| {
        total.checked_mul(i128::from(base))?.checked_add(i128::from(c.to_digit(base)?))
    });
    match total.and_then(|total| i64::try_from(if negative { -total } else { total }).ok()) {
        Some(number) => IntegerText::Fits(number),
        None => IntegerText::TooLarge,
    }
}

/// Reads an integer of any size as Ruby's `Integer(text)`; nothing for text that is none, or longer than anyone can mean.
pub fn parse_large_integer(text: &str, rules: IntegerRules) -> Option<BigInt> {
    let (negative, base, digits) = sign_base_and_digits(text, rules)?;
    let digits: Vec<u8> = digits.bytes().filter(|byte| *byte != b'_').take(LARGEST + 1).collect();
    let number = BigInt::parse_bytes(&digits, base).filter(|_| digits.len() <= LARGEST)?;
    Some(if negative { -number } else { number })
}

/// The sign, the base and the digits of an integer, which are nothing but digits and underscores between them.
fn sign_base_and_digits(text: &str, rules: IntegerRules) -> Option<(bool, u32, &str)> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let (negative, body) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixed = prefix_base(body.as_bytes()).filter(|base| rules.radix.is_none_or(|radix| radix == *base));
    let (base, digits) = match (prefixed, rules.radix, body.strip_prefix('0')) {
        (Some(base), ..) => (base, &body[2..]),
        (None, Some(radix), _) => (radix, body),
        (None, None, Some(octal)) if !octal.is_empty() => match octal.strip_prefix('_') {
            Some(digits) if rules.underscore_after_zero => (8, digits),
            _ => (8, octal),
        },
        (None, None, _) => (10, body),
    };
    let is_valid = !digits.is_empty() && digit_run(digits.as_bytes(), base) == digits.len();
    is_valid.then_some((negative, base, digits))
}

static FLOAT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\A[+-]?(?:[0-9]+(?:_[0-9]+)*)?(?:\.[0-9]+(?:_[0-9]+)*)?(?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?\z")
        .expect("a valid pattern")
});
static HEX_FLOAT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\A([+-]?)0[xX]([0-9A-Fa-f]+)(?:\.([0-9A-Fa-f]+))?(?:[pP]([+-]?[0-9]+))?\z")
        .expect("a valid pattern")
});

/// Reads a number as Ruby's `Float(text)`.
///
/// Three readers of floats remain, since they accept different texts: this one has underscores in hexadecimal digits only without a
/// fraction; that of the functions has them, without hexadecimal fractions, and allows an underscore next to the letter of an exponent; that of Ruby code
/// also reads the number at the beginning of a longer text.
pub fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let joined = without_hex_underscores(text);
    let text = joined.as_deref().unwrap_or(text);
    if let Some(found) = HEX_FLOAT.captures(text) {
        let fraction = found.get(3).map_or("", |digits| digits.as_str());
        let digits = found[2].chars().chain(fraction.chars());
        let magnitude =
            digits.fold(0.0, |total: f64, c| total.mul_add(16.0, f64::from(c.to_digit(16).unwrap_or(0))));
        let exponent: i32 = found.get(4).map_or(0, |digits| digits.as_str().parse().unwrap_or(0));
        let number = magnitude * 2f64.powi(exponent - 4 * fraction.len() as i32);
        return Some(if &found[1] == "-" { -number } else { number });
    }
    if !FLOAT.is_match(text) || !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    if unsigned.starts_with(['e', 'E']) {
        return None;
    }
    text.replace('_', "").parse().ok()
}

/// A whole hexadecimal number without the single underscores between its digits; in one with a fraction there may be none.
fn without_hex_underscores(text: &str) -> Option<String> {
    let (_, digits) = text.split_once(['x', 'X']).filter(|(_, digits)| digits.contains('_'))?;
    (digit_run(digits.as_bytes(), 16) == digits.len()).then(|| text.replace('_', ""))
}

static NUMERIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\A[\t\p{Zs}]*([-+]?)[\t\p{Zs}]*((0[xX][0-9A-Fa-f]+)|(0?[0-9]+)((?:\.[0-9]+)?(?:[eE]-?[0-9]+)?))[\t\p{Zs}]*\z")
        .expect("a valid pattern")
});

/// Reads a number as Puppet's arithmetic does: decimal, hexadecimal, octal or floating point, perhaps signed.
///
/// An integer of more than 64 bits is an error.
pub fn parse_number(text: &str) -> Result<Option<Value>> {
    let text = text.strip_prefix("::").unwrap_or(text);
    // Most strings are not numbers; find out without the pattern.
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    let Some(found) = NUMERIC.captures(text) else { return Ok(None) };
    let negative = &found[1] == "-";
    let tail = found.get(5).map_or("", |tail| tail.as_str());
    if tail.is_empty() {
        let signed = format!("{}{}", &found[1], &found[2]);
        return match parse_integer(&signed, IntegerRules::default()) {
            IntegerText::Fits(number) => Ok(Some(Value::Integer(number))),
            IntegerText::TooLarge => bail!(OUTSIDE_INTEGER_RANGE { value: text }),
            IntegerText::Not => Ok(None),
        };
    }
    // Zero with an exponent is not a number to Puppet, nor is an octal with a fraction that is not octal.
    let whole = parse_integer(&found[4], IntegerRules::default());
    let zeros =
        tail.split_once(['e', 'E']).is_some_and(|(fraction, _)| fraction.trim_matches(['.', '0']).is_empty());
    if whole == IntegerText::Not || whole == IntegerText::Fits(0) && zeros {
        return Ok(None);
    }
    let number = parse_float(&found[2]).filter(|number| number.is_finite());
    Ok(number.map(|number| Value::Float(if negative { -number } else { number })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_as_ruby_reads_them() {
        let read = |text| parse_integer(text, IntegerRules::default());
        assert_eq!(read(" 12 "), IntegerText::Fits(12));
        assert_eq!(read("017"), IntegerText::Fits(15));
        assert_eq!(read("-0x1F_f"), IntegerText::Fits(-511));
        assert_eq!(read("9223372036854775808"), IntegerText::TooLarge);
        for bad in
            ["08", "1__2", "_1", "1_", "0x", "- 5", "1e3", "", "0 1", "0_7", "0x_1", "99999999999999999999z"]
        {
            assert_eq!(read(bad), IntegerText::Not, "{bad}");
        }
        let in_base =
            |text, radix| parse_integer(text, IntegerRules { radix: Some(radix), ..IntegerRules::default() });
        assert_eq!(in_base("FF", 16), IntegerText::Fits(255));
        assert_eq!(in_base("0xFF", 16), IntegerText::Fits(255));
        assert_eq!(in_base("0x11", 8), IntegerText::Not);
        let ruby = |text| {
            parse_integer(text, IntegerRules { underscore_after_zero: true, ..IntegerRules::default() })
        };
        assert_eq!(ruby("0_7"), IntegerText::Fits(7));
        assert_eq!(ruby("0_"), IntegerText::Not);
        assert_eq!(ruby("0__7"), IntegerText::Not);
    }

    #[test]
    fn digits_end_at_anything_but_a_single_underscore() {
        for (text, base, length) in [
            ("12a", 10, 2),
            ("1_2", 10, 3),
            ("1__2", 10, 1),
            ("_1", 10, 0),
            ("1_", 10, 1),
            ("f_Fg", 16, 3),
            ("1_8", 8, 1),
        ] {
            assert_eq!(digit_run(text.as_bytes(), base), length, "{text} {base}");
        }
    }

    #[test]
    fn floats_as_ruby_reads_them() {
        assert_eq!(parse_float(" .5 "), Some(0.5));
        assert_eq!(parse_float("0x1.8p1"), Some(3.0));
        assert_eq!(parse_float("1_0.5"), Some(10.5));
        for bad in ["1.", "1e", "1.e5", "1__0", "NaN", "", "0b1", "e5"] {
            assert_eq!(parse_float(bad), None, "{bad}");
        }
    }

    #[test]
    fn numbers_as_puppet_reads_them() {
        assert_eq!(parse_number(" - 5").unwrap(), Some(Value::Integer(-5)));
        assert_eq!(parse_number("0x1f").unwrap(), Some(Value::Integer(31)));
        assert_eq!(parse_number("1.5e3").unwrap(), Some(Value::Float(1500.0)));
        assert_eq!(parse_number("0e5").unwrap(), None);
        assert_eq!(parse_number("1e+5").unwrap(), None);
        assert_eq!(parse_number("08").unwrap(), None);
    }
}
