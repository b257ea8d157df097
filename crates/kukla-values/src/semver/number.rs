//! The numbers of versions, which may have any number of digits.

use std::fmt;

use crate::Str;

/// A number of a version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Number {
    /// One that fits, as nearly all do.
    Small(u64),
    /// One that does not: how many digits it has, and the digits.
    Large(usize, Str),
    /// Greater than all others.
    Infinite,
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number::Small(0);

    /// Reads decimal digits without idle zeroes.
    pub(super) fn parse(digits: &str) -> Number {
        match digits.parse() {
            Ok(number) => Number::Small(number),
            Err(_) => Number::Large(digits.len(), digits.into()),
        }
    }

    /// The number after it.
    pub(super) fn next(&self) -> Number {
        match self {
            Number::Small(number) => match number.checked_add(1) {
                Some(next) => Number::Small(next),
                None => Number::parse(&(u128::from(*number) + 1).to_string()),
            },
            Number::Large(_, digits) => {
                let kept = digits.trim_end_matches('9');
                let (head, last) = kept.split_at(kept.len().saturating_sub(1));
                let last: u8 = last.parse().unwrap_or(0);
                let zeroes = "0".repeat(digits.len() - kept.len());
                Number::parse(&format!("{head}{}{zeroes}", last + 1))
            }
            Number::Infinite => Number::Infinite,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Small(number) => write!(f, "{number}"),
            Number::Large(_, digits) => f.write_str(digits),
            Number::Infinite => f.write_str("Infinity"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_have_an_order_and_a_next() {
        let number = Number::parse;
        assert!(number("99999999999999999998") < number("99999999999999999999"));
        assert!(number("99999999999999999999") < number("100000000000000000000"));
        assert!(number("18446744073709551615") < number("18446744073709551616"));
        assert!(number("100000000000000000000") < Number::Infinite);
        for (one, next) in [
            ("9", "10"),
            ("18446744073709551615", "18446744073709551616"),
            ("99999999999999999999", "100000000000000000000"),
            ("18446744073709551699", "18446744073709551700"),
        ] {
            assert_eq!(number(one).next(), number(next));
            assert_eq!(number(one).next().to_string(), next);
        }
    }
}
