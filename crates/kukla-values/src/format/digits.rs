//! Decimal digits of a float, rounded as Ruby rounds them.
//!
//! C rounds the exact value. So does Ruby, but it first tries ordinary floating point arithmetic with a bound on the error, and
//! where that leaves open on which side of a half the rest lies, it takes the number for a tie and rounds to the even digit:
//! 2.675 is a little less than that, and yet `%.2f` gives 2.68. An idle zero may remain at the end of such a number, which `%g`
//! then shows. Being exact here therefore means to take the same steps in the same order.

use std::cmp::Ordering;

/// Where to round.
#[derive(Clone, Copy)]
pub(super) enum Keep {
    /// This number of significant digits, at least one.
    Digits(usize),
    /// This number of digits after the point.
    Decimals(usize),
}

/// The digits of a positive number without idle zeros at the end, and how many of them stand before the point.
pub(super) fn rounded(number: f64, keep: Keep) -> (String, i32) {
    let scale = Scale::of(number);
    let kept = match keep {
        Keep::Digits(count) => count as i64,
        Keep::Decimals(count) => count as i64 + i64::from(scale.power) + 1,
    };
    match usize::try_from(kept) {
        Ok(kept @ 1..=MAX_ESTIMATED) => {
            estimated(number, scale, kept, keep).unwrap_or_else(|| exact(number, keep))
        }
        _ => exact(number, keep),
    }
}

/// More digits than this are not left to floating point arithmetic.
const MAX_ESTIMATED: usize = 14;

/// The largest power of ten that a number is not less than, or one more if `unsure`.
#[derive(Clone, Copy)]
struct Scale {
    power: i32,
    unsure: bool,
}

impl Scale {
    /// From the binary exponent and a line that touches the logarithm, to just as many places as Ruby has them.
    #[allow(clippy::approx_constant)]
    fn of(number: f64) -> Scale {
        let normal = if number < f64::MIN_POSITIVE { number * 2f64.powi(64) } else { number };
        let shift = if number < f64::MIN_POSITIVE { 64 } else { 0 };
        let exponent = ((normal.to_bits() >> 52) & 0x7ff) as i32 - 1023 - shift;
        let mantissa = f64::from_bits(normal.to_bits() & 0xf_ffff_ffff_ffff | 1023 << 52);
        let line = (mantissa - 1.5) * 0.289_529_654_602_168
            + 0.176_091_259_055_8
            + f64::from(exponent) * 0.301_029_995_663_981;
        let power = line.floor() as i32;
        match power {
            0..=22 => Scale { power: power - i32::from(number < TENS[power as usize]), unsure: false },
            _ => Scale { power, unsure: true },
        }
    }
}

const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
const BIG_TENS: [f64; 5] = [1e16, 1e32, 1e64, 1e128, 1e256];

/// A number brought between 1 and 10, with the count of roundings that took.
fn scaled(number: f64, power: i32) -> (f64, f64) {
    let mut roundings = 2.0;
    let mut number = number;
    let steps = power.unsigned_abs();
    let mut big = steps >> 4;
    if power > 0 {
        let mut divisor = TENS[(steps & 15) as usize];
        if big & 16 != 0 {
            big &= 15;
            number /= BIG_TENS[4];
            roundings += 1.0;
        }
        for (_, ten) in BIG_TENS.iter().enumerate().filter(|(bit, _)| big >> bit & 1 == 1) {
            roundings += 1.0;
            divisor *= ten;
        }
        number /= divisor;
    } else if power < 0 {
        number *= TENS[(steps & 15) as usize];
        for (_, ten) in BIG_TENS.iter().enumerate().filter(|(bit, _)| big >> bit & 1 == 1) {
            roundings += 1.0;
            number *= ten;
        }
    }
    (number, roundings)
}

/// The digits by floating point arithmetic; nothing where they come out the same as the exact ones or must be those.
fn estimated(number: f64, scale: Scale, kept: usize, keep: Keep) -> Option<(String, i32)> {
    let Scale { mut power, unsure } = scale;
    let mut kept = kept;
    let (mut rest, mut roundings) = scaled(number, power);
    if unsure && rest < 1.0 {
        if matches!(keep, Keep::Decimals(_)) {
            kept = kept.checked_sub(1).filter(|kept| *kept > 0)?;
        }
        power -= 1;
        rest *= 10.0;
        roundings += 1.0;
    }
    let bound = (roundings * rest + 7.0) / 2f64.powi(52) * TENS[kept - 1];
    let mut digits = Vec::with_capacity(kept);
    loop {
        let digit = rest as u8;
        rest -= f64::from(digit);
        digits.push(b'0' + digit);
        if rest == 0.0 || digits.len() == kept {
            break;
        }
        rest *= 10.0;
    }
    if rest > 0.5 + bound || rest < 0.5 - bound {
        return None;
    }
    // Treated as a tie.
    if digits.last().is_some_and(|digit| digit % 2 == 1) {
        return Some(up(digits, power + 1));
    }
    let whole = number.fract() == 0.0 && number < 1e15;
    match (beyond_half(number, digits.len()), whole) {
        (Ordering::Greater, true) => return Some(up(digits, power + 1)),
        (Ordering::Greater, false) | (_, true) => {}
        (_, false) => digits.truncate(digits.len() - digits.iter().rev().take_while(|d| **d == b'0').count()),
    }
    Some((text(digits), power + 1))
}

fn text(digits: Vec<u8>) -> String {
    digits.into_iter().map(char::from).collect()
}

/// One more in the last place.
fn up(mut digits: Vec<u8>, point: i32) -> (String, i32) {
    while digits.last() == Some(&b'9') {
        digits.pop();
    }
    match digits.last_mut() {
        Some(last) => {
            *last += 1;
            (text(digits), point)
        }
        None => ("1".into(), point + 1),
    }
}

/// Compares the rest after this number of exact digits with half a unit of the last one.
fn beyond_half(number: f64, count: usize) -> Ordering {
    // No float has more significant digits than that.
    let all = format!("{number:.770e}");
    let mut rest = all.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).skip(count);
    match rest.next().unwrap_or(b'0').cmp(&b'5') {
        Ordering::Equal if rest.any(|digit| digit != b'0') => Ordering::Greater,
        order => order,
    }
}

/// No float has more digits than that, in all or after the point: what is asked beyond is zeros.
const MOST_DIGITS: usize = 1_100;

/// The digits of the exact value, a true tie to the even digit.
fn exact(number: f64, keep: Keep) -> (String, i32) {
    let (digits, point) = match keep {
        Keep::Digits(count) => {
            let written = format!("{number:.*e}", count.clamp(1, MOST_DIGITS) - 1);
            let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
            (digits.replace('.', ""), exponent.parse().unwrap_or(0) + 1)
        }
        Keep::Decimals(count) => {
            let written = format!("{number:.*}", count.min(MOST_DIGITS));
            let point = written.find('.').unwrap_or(written.len()) as i32;
            let digits = written.replace('.', "");
            let idle = digits.bytes().take_while(|digit| *digit == b'0').count();
            (digits[idle..].to_owned(), point - idle as i32)
        }
    };
    (digits.trim_end_matches('0').to_owned(), point)
}
