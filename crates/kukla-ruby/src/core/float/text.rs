//! Floats as text: the shortest digits that read back as the same float, in Ruby's form.

/// The text of `to_s`.
pub fn to_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number == 0.0 {
        return format!("{sign}0.0");
    }
    let shortest = format!("{:e}", number.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let mut digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    // Of two texts equally short and equally near, Ruby takes the one that ends in an even digit.
    let even = format!("{:.*e}", digits.len() - 1, number.abs());
    if even != shortest && even.parse() == Ok(number.abs()) && even.ends_with(&format!("e{exponent}")) {
        digits = even.chars().take_while(|c| *c != 'e').filter(|c| *c != '.').collect();
    }
    // The position of the point, counted from the first digit.
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let count = digits.len() as i32;
    if (1..=15).contains(&point) || (point == 16 && count > point) {
        if point >= count {
            format!("{sign}{digits}{}.0", "0".repeat((point - count) as usize))
        } else {
            let (whole, fraction) = digits.split_at(point as usize);
            format!("{sign}{whole}.{fraction}")
        }
    } else if (-3..=0).contains(&point) {
        format!("{sign}0.{}{digits}", "0".repeat(point.unsigned_abs() as usize))
    } else {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let exponent = point - 1;
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        format!("{sign}{first}.{rest}e{exponent_sign}{:02}", exponent.unsigned_abs())
    }
}
