//! Floating point numbers as Ruby prints them, which Puppet shows in text, in catalogs and in PN.

/// The number as Ruby prints it: the shortest digits that read back, plain from 0.0001 on and while no zero must be
/// added beyond the fifteenth digit.
pub fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-Infinity".into() } else { "Infinity".into() };
    }
    if number == 0.0 {
        return if number.is_sign_negative() { "-0.0".into() } else { "0.0".into() };
    }
    let shortest = format!("{:e}", number.abs());
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let digits = digits.replace('.', "");
    let digits = even_of_two(digits, exponent, number.abs());
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let count = digits.len() as i32;
    let sign = if number < 0.0 { "-" } else { "" };
    if point > 0 && count > point {
        let (whole, fraction) = digits.split_at(point as usize);
        format!("{sign}{whole}.{fraction}")
    } else if point > 0 && point <= 15 {
        format!("{sign}{digits}{}.0", "0".repeat((point - count) as usize))
    } else if point <= 0 && point > -4 {
        format!("{sign}0.{}{digits}", "0".repeat(-point as usize))
    } else {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let exponent = point - 1;
        let direction = if exponent < 0 { '-' } else { '+' };
        format!("{sign}{first}.{rest}e{direction}{:02}", exponent.abs())
    }
}

/// Of two shortest spellings that are equally near, the one that ends in an even digit.
fn even_of_two(digits: String, exponent: &str, number: f64) -> String {
    let (kept, last) = digits.split_at(digits.len() - 1);
    let last: u8 = last.parse().unwrap_or(0);
    let (first, rest) = kept.split_at(kept.len().min(1));
    if last.is_multiple_of(2) || kept.is_empty() {
        return digits;
    }
    let below = format!("{first}.{rest}{}e{exponent}", last - 1);
    if below.parse() != Ok(number) {
        return digits;
    }
    // Many more digits than tell numbers apart: were it no tie, one of them would not be zero.
    let exact = format!("{number:.*e}", digits.len() + 60);
    let tail = exact.split_once('e').map_or("", |(exact, _)| &exact[digits.len() + 1..]);
    match tail.strip_prefix('5') {
        Some(zeros) if zeros.bytes().all(|byte| byte == b'0') => format!("{kept}{}", last - 1),
        _ => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_ruby_prints_them() {
        for (number, expected) in [
            (1e14, "100000000000000.0"),
            (1e15, "1.0e+15"),
            (1_234_567_890_123_456.8, "1234567890123456.8"),
            (1e-4, "0.0001"),
            (1.5e-5, "1.5e-05"),
            (5e-324, "5.0e-324"),
            (-0.0, "-0.0"),
        ] {
            assert_eq!(float_text(number), expected);
        }
    }

    #[test]
    fn of_two_equally_near_texts_the_even_one_is_printed() {
        for (written, expected) in [
            ("700000000000000.25", "700000000000000.2"),
            ("900719925474099.75", "900719925474099.8"),
            ("450359962737049.125", "450359962737049.1"),
        ] {
            assert_eq!(float_text(written.parse().unwrap()), expected);
        }
    }
}
