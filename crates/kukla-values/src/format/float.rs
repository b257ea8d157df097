//! Floating point numbers in the `%e %f %g %a` of `sprintf`; Ruby's own form is [`kukla_syntax::float_text`].

use super::digits::{self, Keep};

/// Digits with a point among them, and as many zeros as either side needs.
fn pointed(digits: &str, point: i32, decimals: usize, alternate: bool) -> String {
    let before = usize::try_from(point).unwrap_or(0).min(digits.len());
    let (whole, fraction) = digits.split_at(before);
    let mut text = whole.to_owned();
    text.extend(std::iter::repeat_n('0', usize::try_from(point).unwrap_or(0) - before));
    if text.is_empty() {
        text.push('0');
    }
    if decimals > 0 || alternate {
        text.push('.');
        let zeros = usize::try_from(-point).unwrap_or(0).min(decimals);
        text.extend(std::iter::repeat_n('0', zeros));
        text.push_str(fraction);
        text.extend(std::iter::repeat_n('0', decimals.saturating_sub(zeros + fraction.len())));
    }
    text
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    let direction = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{direction}{:02}", exponent.abs())
}

/// `%f` of a magnitude.
pub fn fixed(number: f64, precision: usize, alternate: bool) -> String {
    let (digits, point) = digits_of(number, Keep::Decimals(precision));
    pointed(&digits, point, precision, alternate)
}

/// `%e` of a magnitude.
pub fn scientific(number: f64, precision: usize, alternate: bool) -> String {
    let (digits, point) = digits_of(number, Keep::Digits(precision + 1));
    with_exponent(&pointed(&digits, 1, precision, alternate), point - 1)
}

/// `%g` of a magnitude: whichever of the two is shorter, without idle zeros.
pub fn general(number: f64, precision: usize, alternate: bool) -> String {
    let precision = precision.max(1);
    let (digits, point) = digits_of(number, Keep::Digits(precision));
    let plain = point > -4 && (point <= precision as i32 || point <= 1);
    let whole = if plain { point } else { 1 };
    let shown = if alternate { precision } else { digits.len() } as i32;
    let decimals = usize::try_from(shown - whole).unwrap_or(0);
    let text = pointed(&digits, whole, decimals, alternate);
    if plain { text } else { with_exponent(&text, point - 1) }
}

fn digits_of(number: f64, keep: Keep) -> (String, i32) {
    if number == 0.0 { ("0".into(), 1) } else { digits::rounded(number, keep) }
}

/// `%a` of a magnitude, without its `0x`.
pub fn hexadecimal(number: f64, precision: Option<usize>, alternate: bool) -> String {
    if number == 0.0 {
        let zeros = "0".repeat(precision.unwrap_or(0));
        let point = if zeros.is_empty() && !alternate { "" } else { "." };
        return format!("0{point}{zeros}p+0");
    }
    let bits = number.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    let mut fraction = bits & 0xf_ffff_ffff_ffff;
    if exponent == -1023 {
        // Subnormal: shift until the leading one is there.
        let shift = fraction.leading_zeros() - 11;
        fraction = (fraction << shift) & 0xf_ffff_ffff_ffff;
        exponent = -1022 - shift as i32;
    }
    let mut lead = 1;
    let digits = match precision {
        Some(precision) if precision < 13 => {
            let dropped = 4 * (13 - precision as u32);
            let whole = (1u64 << 52) | fraction;
            let (kept, rest, half) = (whole >> dropped, whole & ((1 << dropped) - 1), 1u64 << (dropped - 1));
            let up = rest > half || (rest == half && kept & 1 == 1);
            let kept = kept + u64::from(up);
            lead = kept >> (4 * precision);
            if lead > 1 {
                lead = 1;
                exponent += 1;
            }
            let mask = (1u64 << (4 * precision)) - 1;
            if precision == 0 { String::new() } else { format!("{:0precision$x}", kept & mask) }
        }
        Some(precision) => format!("{fraction:013x}{}", "0".repeat(precision - 13)),
        None => format!("{fraction:013x}").trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() && !alternate { "" } else { "." };
    let direction = if exponent < 0 { '-' } else { '+' };
    format!("{lead}{point}{digits}p{direction}{}", exponent.abs())
}
