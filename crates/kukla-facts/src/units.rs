//! Numbers as people read them.

/// A number of bytes: `1.51 GiB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut exponent = (bytes as f64).log2() as usize / 10;
    let mut number = (100.0 * (bytes as f64 / 1024f64.powi(exponent as i32))).round() / 100.0;
    if number == 1024.0 {
        exponent += 1;
        number = 1.0;
    }
    match UNITS.get(exponent - 1) {
        Some(unit) => format!("{number:.2} {unit}"),
        None => format!("{bytes} bytes"),
    }
}

/// A frequency: `2.45 GHz`.
pub fn hertz(speed: u64) -> Option<String> {
    const PREFIXES: [&str; 5] = ["", "k", "M", "G", "T"];
    let power = speed.checked_ilog10()?;
    let prefix = PREFIXES.get(power as usize / 3)?;
    let number = speed as f64 / 10f64.powi((power / 3 * 3) as i32);
    Some(format!("{:.2} {prefix}Hz", rounded(number)))
}

/// Rounds to hundredths as Ruby does: what reads as a half goes up, even if the float is a little less.
fn rounded(number: f64) -> f64 {
    let hundredths = (number * 100.0).round();
    let is_half = (hundredths + 0.5) / 100.0 <= number;
    (hundredths + f64::from(u8::from(is_half))) / 100.0
}

/// How much of something is used: `6.41%`.
pub fn share(used: u64, total: u64) -> String {
    format!("{:.2}%", used as f64 / total as f64 * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_in_the_largest_unit_that_fits() {
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1024), "1.00 KiB");
        assert_eq!(bytes(274_877_906_944), "256.00 GiB");
        assert_eq!(bytes(1_619_759_104), "1.51 GiB");
        assert_eq!(bytes((1 << 20) - 1), "1.00 MiB");
        assert_eq!(hertz(2_450_000_000).as_deref(), Some("2.45 GHz"));
        assert_eq!(hertz(2_445_000_000).as_deref(), Some("2.45 GHz"));
        assert_eq!(hertz(1_005_000_000).as_deref(), Some("1.01 GHz"));
        assert_eq!(hertz(0), None);
        assert_eq!(share(1, 3), "33.33%");
    }
}
