//! Operations on large integers whose time grows with the square of their size or faster.
//!
//! Nothing can interrupt them, so each counts its time before it begins, and does not begin if it would pass the deadline.

use kukla_values::meter;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Zero;

/// Words that the search for a common divisor shifts and subtracts in the time of a step.
const SHIFTED_PER_STEP: u64 = 2048;
/// Products of two words in the time of a step, within a power that is reduced at once.
const PRODUCTS_PER_STEP: u64 = 256;
/// Words that a conversion from or to digits goes through in the time of a step.
const CONVERTED_PER_STEP: u64 = 1024;

fn words(number: &BigInt) -> u64 {
    number.bits().div_ceil(64)
}

/// The greatest common divisor.
pub fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    let (small, large) = if a.bits() < b.bits() { (a, b) } else { (b, a) };
    if small.is_zero() {
        return large.gcd(small);
    }
    meter::ahead(words(small).saturating_mul(words(large)) / SHIFTED_PER_STEP);
    // The search takes a time in proportion to the bits of both, so one division saves much if one of them is larger by far.
    let rest = large % small;
    meter::ahead(small.bits().saturating_mul(words(small)) / SHIFTED_PER_STEP);
    small.gcd(&rest)
}

/// The least common multiple.
pub fn lcm(a: &BigInt, b: &BigInt) -> BigInt {
    if a.is_zero() && b.is_zero() {
        return BigInt::ZERO;
    }
    let common = gcd(a, b);
    BigInt::from((a / common * b).magnitude().clone())
}

/// The remainder of a power; the exponent is not negative, and the modulus is not zero.
pub fn power_modulo(base: &BigInt, exponent: &BigInt, modulus: &BigInt) -> BigInt {
    let product = words(modulus).saturating_mul(words(modulus));
    meter::ahead(exponent.bits().saturating_mul(product) / PRODUCTS_PER_STEP);
    base.modpow(exponent, modulus)
}

/// The number that digits in a base stand for; `None` if they are not digits of that base.
pub fn of_digits(digits: &[u8], base: u32) -> Option<BigInt> {
    meter::ahead(conversion(digits.len() as u64 * u64::from(base.ilog2() + 1) / 64, base));
    BigInt::parse_bytes(digits, base)
}

/// The digits of a number in a base, behind its sign.
pub fn digits(number: &BigInt, base: u32) -> String {
    meter::ahead(conversion(words(number), base));
    number.to_str_radix(base)
}

/// The steps of a conversion of this number of words.
fn conversion(words: u64, base: u32) -> u64 {
    if base.is_power_of_two() { words / 64 } else { words.saturating_mul(words) / CONVERTED_PER_STEP }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::time::Duration;

    use kukla_values::{Budget, Limits};

    use super::*;

    fn power(base: u32, exponent: u32) -> BigInt {
        BigInt::from(base).pow(exponent)
    }

    #[test]
    fn results_are_those_of_arithmetic() {
        let numbers = [0, 1, -1, 6, -4, 100, i64::MAX, i64::MIN].map(BigInt::from);
        for a in &numbers {
            for b in &numbers {
                assert_eq!((gcd(a, b), lcm(a, b)), (a.gcd(b), a.lcm(b)), "{a} {b}");
            }
        }
        assert_eq!(gcd(&power(6, 3000), &power(10, 20)), power(2, 20));
        assert_eq!(power_modulo(&BigInt::from(3), &BigInt::from(5), &BigInt::from(-7)), BigInt::from(-2));
        assert_eq!(of_digits(digits(&power(7, 500), 36).as_bytes(), 36), Some(power(7, 500)));
        assert_eq!(of_digits(b"12x", 10), None);
    }

    #[test]
    fn nothing_begins_that_would_pass_the_deadline() {
        let limits = Limits { deadline: Some(Duration::from_millis(100)), ..Limits::default() };
        // A new one for each, because they count all the same.
        let budget = || Rc::new(Budget::new(limits).by_clock(|| Duration::ZERO));
        let (a, b) = (power(7, 1_000_000), power(5, 1_000_000));
        let (exponent, modulus) = (power(5, 10_000), power(7, 10_000));
        let long = "1".repeat(2_000_000);
        let operations: [(&str, &dyn Fn()); 5] = [
            ("gcd", &|| drop(gcd(&a, &b))),
            ("lcm", &|| drop(lcm(&a, &b))),
            ("power", &|| drop(power_modulo(&a, &exponent, &modulus))),
            ("of_digits", &|| drop(of_digits(long.as_bytes(), 10))),
            ("digits", &|| drop(digits(&a, 10))),
        ];
        for (name, operation) in operations {
            let ended = meter::metered(&budget(), operation);
            assert_eq!(ended.map_err(|error| error.code.name), Err("DEADLINE_PASSED"), "{name}");
        }
        assert!(meter::metered(&budget(), || digits(&power(7, 10_000), 10)).is_ok());
    }
}
