//! Points and lengths of time, with nanoseconds.

pub mod calendar;
mod hash;
mod span;
mod stamp;
mod strptime;
mod zones;

pub use span::SpanFormat;

const NANOS: i128 = 1_000_000_000;

/// Whole seconds and the nanoseconds after them; small enough to sit in a value, wide enough for any year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Instant {
    seconds: i64,
    nanos: u32,
}

impl Instant {
    const MIN: Instant = Instant { seconds: i64::MIN, nanos: 0 };
    const MAX: Instant = Instant { seconds: i64::MAX, nanos: 999_999_999 };

    fn new(nanos: i128) -> Instant {
        match i64::try_from(nanos.div_euclid(NANOS)) {
            Ok(seconds) => Instant { seconds, nanos: nanos.rem_euclid(NANOS) as u32 },
            Err(_) if nanos < 0 => Instant::MIN,
            Err(_) => Instant::MAX,
        }
    }

    fn total(self) -> i128 {
        i128::from(self.seconds) * NANOS + i128::from(self.nanos)
    }

    /// Rounded once, from the exact decimal.
    fn to_f64(self) -> f64 {
        let total = self.total();
        let sign = if total < 0 { "-" } else { "" };
        let magnitude = total.unsigned_abs();
        format!("{sign}{}.{:09}", magnitude / NANOS as u128, magnitude % NANOS as u128).parse().unwrap_or(0.0)
    }
}

/// The nanoseconds in a number of seconds.
pub fn nanos_of(seconds: f64) -> i128 {
    let product = seconds * 1e9;
    if product.abs() < 9e15 {
        return product as i128;
    }
    // Beyond 53 bits the product would lose digits that the number was written with.
    let written = seconds.abs().to_string();
    let digits = written.split_once('.').map_or("", |(_, digits)| digits);
    let fraction = format!("{digits:0<9}").get(..9).and_then(|digits| digits.parse().ok()).unwrap_or(0i128);
    // Far beyond what a time can be, and still safe to add.
    let nanos = (seconds.abs() as i128).saturating_mul(NANOS).saturating_add(fraction).min(1 << 120);
    if seconds < 0.0 { -nanos } else { nanos }
}

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(Instant);

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timespan(Instant);

macro_rules! nanoseconds {
    ($kind:ident, $what:literal) => {
        impl $kind {
            /// Before all others; stands for `default` as a lower bound.
            pub const MIN: $kind = $kind(Instant::MIN);
            /// After all others; stands for `default` as an upper bound.
            pub const MAX: $kind = $kind(Instant::MAX);

            #[doc = concat!("From ", $what, " in nanoseconds.")]
            pub fn from_nanos(nanos: i128) -> $kind {
                $kind(Instant::new(nanos))
            }

            #[doc = concat!("From ", $what, " in seconds.")]
            pub fn from_seconds(seconds: i64) -> $kind {
                $kind(Instant { seconds, nanos: 0 })
            }

            #[doc = concat!("From ", $what, " in seconds with a fraction.")]
            pub fn from_f64(seconds: f64) -> $kind {
                $kind::from_nanos(nanos_of(seconds))
            }

            #[doc = concat!("The ", $what, " in nanoseconds.")]
            pub fn nanos(self) -> i128 {
                self.0.total()
            }

            #[doc = concat!("The ", $what, " in whole seconds, rounded down.")]
            pub fn seconds(self) -> i64 {
                self.0.seconds
            }

            #[doc = concat!("The ", $what, " in seconds with a fraction.")]
            pub fn to_f64(self) -> f64 {
                self.0.to_f64()
            }
        }
    };
}

nanoseconds!(Timestamp, "the time since 1970-01-01 UTC");
nanoseconds!(Timespan, "the length");

#[cfg(test)]
mod tests;
