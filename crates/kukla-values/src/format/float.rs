//! Floating point numbers as text: Ruby's own form and the `%e %f %g %a` of `sprintf`.

/// The number as Ruby prints it: the shortest digits that read back, plain between 0.0001 and 10^16.
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

/// Ruby rounds the shortest digits that read back, a final 5 to the even neighbour, where C rounds the exact value: 2.675
/// is a little less than that, and yet `%.2f` gives 2.68. Moving the number to the right side of such a tie makes exact
/// rounding agree. `kept` says how many digits remain of a number with that exponent; where none do, Ruby is exact too.
fn off_the_tie(number: f64, kept: impl Fn(i32) -> i32) -> f64 {
    let shortest = format!("{number:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let kept = kept(exponent.parse().unwrap_or(0));
    let mut digits =
        digits.bytes().filter(u8::is_ascii_digit).skip(usize::try_from(kept - 1).unwrap_or(usize::MAX));
    match (digits.next(), digits.next(), digits.next()) {
        (Some(last), Some(b'5'), None) if kept > 0 => {
            if last % 2 == 0 {
                number.next_down()
            } else {
                number.next_up()
            }
        }
        _ => number,
    }
}

/// `%f` of a magnitude.
pub(super) fn fixed(number: f64, precision: usize, alternate: bool) -> String {
    let number = off_the_tie(number, |exponent| exponent.saturating_add(1).saturating_add(precision as i32));
    let text = format!("{number:.precision$}");
    if alternate && precision == 0 { text + "." } else { text }
}

/// `%e` of a magnitude.
pub(super) fn scientific(number: f64, precision: usize, alternate: bool) -> String {
    let number = off_the_tie(number, |_| (precision as i32).saturating_add(1));
    let text = format!("{number:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if alternate && precision == 0 { "." } else { "" };
    let direction = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{point}e{direction}{:02}", exponent.abs())
}

/// `%g` of a magnitude: whichever of the two is shorter, without idle zeros.
pub(super) fn general(number: f64, precision: usize, alternate: bool) -> String {
    let precision = precision.max(1);
    let settled = off_the_tie(number, |_| precision as i32);
    let text = format!("{settled:.*e}", precision - 1);
    let exponent: i32 = text.split_once('e').map_or(0, |(_, exponent)| exponent.parse().unwrap_or(0));
    let plain = exponent >= -4 && exponent < precision as i32;
    let text = if plain {
        fixed(number, (precision as i32 - 1 - exponent) as usize, alternate)
    } else {
        scientific(number, precision - 1, alternate)
    };
    if alternate {
        return text;
    }
    let (digits, exponent) = text.find('e').map_or((text.as_str(), ""), |at| text.split_at(at));
    if !digits.contains('.') {
        return text;
    }
    format!("{}{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// `%a` of a magnitude, without its `0x`.
pub(super) fn hexadecimal(number: f64, precision: Option<usize>, alternate: bool) -> String {
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
