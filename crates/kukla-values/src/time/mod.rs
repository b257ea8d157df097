//! Points and lengths of time, with nanoseconds.

pub mod calendar;
mod hash;
mod span;
mod stamp;
mod strptime;
mod zones;

use kukla_syntax::{bail, diagnostic};

use crate::Result;
use crate::codes::{OUTSIDE_INTEGER_RANGE, TEXT_TOO_LONG, TIME_OUTSIDE_RANGE};
pub use span::SpanFormat;

const NANOS: i128 = 1_000_000_000;

/// How wide a field of a format may be, and all of them together.
const WIDEST: usize = 1 << 24;

/// An error if the fields of a format are so wide together that only someone who means harm can mean it.
fn check_widths(format: &str) -> Result<()> {
    let width = |field: &str| {
        let from = field.trim_start_matches(|c: char| c == '0' || !c.is_ascii_alphanumeric());
        let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        // One that is too wide by itself is refused in other words.
        from[..end].parse().unwrap_or(0).min(WIDEST)
    };
    let count = format.split('%').skip(1).map(width).fold(0, usize::saturating_add);
    if count > WIDEST {
        bail!(TEXT_TOO_LONG { count, limit: WIDEST }; hint: "no setting raises this limit");
    }
    Ok(())
}

/// A point in time: whole seconds and the nanoseconds after them; small enough to sit in a value, wide enough for any year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp {
    seconds: i64,
    nanos: u32,
}

/// A length of time: nanoseconds in 128 bits, in two halves so that it fits into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timespan {
    high: i64,
    low: u64,
}

impl Timestamp {
    /// Before all others; `default` as a lower bound.
    pub const MIN: Timestamp = Timestamp { seconds: i64::MIN, nanos: 0 };
    /// After all others; `default` as an upper bound.
    pub const MAX: Timestamp = Timestamp { seconds: i64::MAX, nanos: 999_999_999 };

    /// From the time since 1970-01-01 UTC in nanoseconds; beyond what a timestamp holds is an error.
    pub fn from_nanos(nanos: i128) -> Result<Timestamp> {
        match i64::try_from(nanos.div_euclid(NANOS)) {
            Ok(seconds) => Ok(Timestamp { seconds, nanos: nanos.rem_euclid(NANOS) as u32 }),
            Err(_) => bail!(TIME_OUTSIDE_RANGE { kind: "Timestamp" }),
        }
    }

    /// From what a clock tells: the time since 1970-01-01 UTC in nanoseconds, up to the year 2262.
    pub fn from_clock(nanos: i64) -> Timestamp {
        let second = NANOS as i64;
        Timestamp { seconds: nanos.div_euclid(second), nanos: nanos.rem_euclid(second) as u32 }
    }

    /// From the time since 1970-01-01 UTC in seconds.
    pub fn from_seconds(seconds: i64) -> Timestamp {
        Timestamp { seconds, nanos: 0 }
    }

    /// From the time since 1970-01-01 UTC in seconds with a fraction.
    pub fn from_f64(seconds: f64) -> Result<Timestamp> {
        match nanos_of(seconds) {
            Some(nanos) => Timestamp::from_nanos(nanos),
            None => bail!(TIME_OUTSIDE_RANGE { kind: "Timestamp" }),
        }
    }

    /// The time since 1970-01-01 UTC in nanoseconds.
    pub fn nanos(self) -> i128 {
        i128::from(self.seconds) * NANOS + i128::from(self.nanos)
    }

    /// The time since 1970-01-01 UTC in whole seconds, rounded down.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// The time since 1970-01-01 UTC in seconds with a fraction.
    pub fn to_f64(self) -> f64 {
        seconds_of(self.nanos())
    }
}

impl Timespan {
    /// Shorter than all others; `default` as a lower bound.
    pub const MIN: Timespan = Timespan { high: i64::MIN, low: 0 };
    /// Longer than all others; `default` as an upper bound.
    pub const MAX: Timespan = Timespan { high: i64::MAX, low: u64::MAX };

    /// From the length in nanoseconds.
    pub const fn from_nanos(nanos: i128) -> Timespan {
        Timespan { high: (nanos >> 64) as i64, low: nanos as u64 }
    }

    /// From the length in seconds.
    pub fn from_seconds(seconds: i64) -> Timespan {
        Timespan::from_nanos(i128::from(seconds) * NANOS)
    }

    /// From the length in seconds with a fraction; beyond what a timespan holds is an error.
    pub fn from_f64(seconds: f64) -> Result<Timespan> {
        Timespan::within(nanos_of(seconds))
    }

    /// From the result of a calculation; none means that it is beyond what a timespan holds, which is an error.
    pub fn within(nanos: Option<i128>) -> Result<Timespan> {
        match nanos {
            Some(nanos) => Ok(Timespan::from_nanos(nanos)),
            None => bail!(TIME_OUTSIDE_RANGE { kind: "Timespan" }),
        }
    }

    /// The length in nanoseconds.
    pub const fn nanos(self) -> i128 {
        (self.high as i128) << 64 | self.low as i128
    }

    /// The length in whole seconds, rounded down; beyond what an Integer holds is an error.
    pub fn whole_seconds(self) -> Result<i64> {
        let seconds = self.nanos().div_euclid(NANOS);
        i64::try_from(seconds).map_err(|_| diagnostic!(OUTSIDE_INTEGER_RANGE { value: seconds }).into())
    }

    /// The length in seconds with a fraction.
    pub fn to_f64(self) -> f64 {
        seconds_of(self.nanos())
    }
}

/// Rounded once, from the exact decimal.
fn seconds_of(nanos: i128) -> f64 {
    let sign = if nanos < 0 { "-" } else { "" };
    let magnitude = nanos.unsigned_abs();
    format!("{sign}{}.{:09}", magnitude / NANOS as u128, magnitude % NANOS as u128).parse().unwrap_or(0.0)
}

/// The nanoseconds in a number of seconds, if 128 bits hold them.
pub fn nanos_of(seconds: f64) -> Option<i128> {
    let product = seconds * 1e9;
    if product.abs() < 9e15 {
        return Some(product as i128);
    }
    // Beyond 53 bits the product would lose digits that the number was written with.
    let written = seconds.abs().to_string();
    let (whole, digits) = written.split_once('.').unwrap_or((&written, ""));
    let fraction = format!("{digits:0<9}").get(..9).and_then(|digits| digits.parse().ok()).unwrap_or(0i128);
    let nanos = whole.parse::<i128>().ok()?.checked_mul(NANOS)?.checked_add(fraction)?;
    Some(if seconds < 0.0 { -nanos } else { nanos })
}

#[cfg(test)]
mod tests;
