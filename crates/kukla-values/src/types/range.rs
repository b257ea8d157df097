//! Ranges of integers and sizes.

use std::fmt;

/// An inclusive range of integers or sizes, either end of which may be open. `Integer[0]` is open above, which
/// `Integer[0, 9223372036854775807]` is not: the latter can be gone through.
///
/// Types have many of them, so an open end takes no room: where it is open the ends are the wrong way round.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Range {
    low: i64,
    high: i64,
}

impl Range {
    /// All integers.
    pub const ANY: Range = Range { low: i64::MAX, high: i64::MIN };
    /// No word about size at all: zero or more. `String` has it; `String[0]` means the same, but prints its zero.
    pub const ANY_SIZE: Range = Range::ANY;

    // Ranges with one open end have `MAX` as their low or `MIN` as their high end. Those whose other end is `MAX` or `MIN` itself
    // would look like others, so four pairs that no other range uses mean them.
    const FROM_MIN: Range = Range { low: 1, high: 0 };
    const FROM_MAX: Range = Range { low: 2, high: 0 };
    const TO_MIN: Range = Range { low: 3, high: 0 };
    const TO_MAX: Range = Range { low: 4, high: 0 };

    /// Exactly one member.
    pub const fn exactly(n: i64) -> Range {
        Range { low: n, high: n }
    }

    /// `min` and above.
    pub const fn at_least(min: i64) -> Range {
        match min {
            i64::MIN => Range::FROM_MIN,
            i64::MAX => Range::FROM_MAX,
            min => Range { low: min, high: i64::MIN },
        }
    }

    /// `max` and below.
    pub const fn at_most(max: i64) -> Range {
        match max {
            i64::MAX => Range::TO_MAX,
            i64::MIN => Range::TO_MIN,
            max => Range { low: i64::MAX, high: max },
        }
    }

    /// From `min` to `max`, both included; `min` is not the greater one.
    pub const fn new(min: i64, max: i64) -> Range {
        Range { low: min, high: max }
    }

    /// From one end to the other, either of which may be open.
    pub const fn between(from: Option<i64>, to: Option<i64>) -> Range {
        match (from, to) {
            (Some(min), Some(max)) => Range::new(min, max),
            (Some(min), None) => Range::at_least(min),
            (None, Some(max)) => Range::at_most(max),
            (None, None) => Range::ANY,
        }
    }

    /// Both ends, unless they are open.
    const fn ends(self) -> (Option<i64>, Option<i64>) {
        match self {
            Range { low, high } if low <= high => (Some(low), Some(high)),
            Range::ANY => (None, None),
            Range::FROM_MIN => (Some(i64::MIN), None),
            Range::FROM_MAX => (Some(i64::MAX), None),
            Range::TO_MIN => (None, Some(i64::MIN)),
            Range::TO_MAX => (None, Some(i64::MAX)),
            Range { low: i64::MAX, high } => (None, Some(high)),
            Range { low, .. } => (Some(low), None),
        }
    }

    /// The lower end, unless it is open.
    pub const fn from(self) -> Option<i64> {
        self.ends().0
    }

    /// The upper end, unless it is open.
    pub const fn to(self) -> Option<i64> {
        self.ends().1
    }

    /// The smallest member.
    pub const fn min(self) -> i64 {
        match self.from() {
            Some(min) => min,
            None => i64::MIN,
        }
    }

    /// The largest member.
    pub const fn max(self) -> i64 {
        match self.to() {
            Some(max) => max,
            None => i64::MAX,
        }
    }

    /// Whether `n` is within.
    pub const fn contains(self, n: i64) -> bool {
        self.min() <= n && n <= self.max()
    }

    /// Whether all of `other` is within.
    pub const fn covers(self, other: Range) -> bool {
        let below = match (self.from(), other.from()) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(mine), Some(yours)) => mine <= yours,
        };
        let above = match (self.to(), other.to()) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(mine), Some(yours)) => yours <= mine,
        };
        below && above
    }

    /// Whether it leaves out nothing.
    pub const fn is_any(self) -> bool {
        self.from().is_none() && self.to().is_none()
    }

    /// Whether both ends were given.
    pub const fn is_finite(self) -> bool {
        self.from().is_some() && self.to().is_some()
    }

    /// As a size: never below zero.
    pub const fn as_size(self) -> Range {
        let min = if self.min() < 0 { 0 } else { self.min() };
        match self.to() {
            Some(max) if max < 0 => Range::new(min, 0),
            Some(max) => Range::new(min, max),
            None => Range::at_least(min),
        }
    }

    /// The smallest range that covers both.
    pub fn unite(self, other: Range) -> Range {
        let from = self.from().zip(other.from()).map(|(a, b)| a.min(b));
        let to = self.to().zip(other.to()).map(|(a, b)| a.max(b));
        Range::between(from, to)
    }

    /// Whether there is nothing between the two.
    pub fn touches(self, other: Range) -> bool {
        self.max().saturating_add(1) >= other.min() && other.max().saturating_add(1) >= self.min()
    }

    /// How many there are if both say how many: counts add up.
    #[must_use]
    pub fn plus(self, other: Range) -> Range {
        let to = self.to().zip(other.to()).map(|(a, b)| a.saturating_add(b));
        Range::between(Some(self.min().saturating_add(other.min())), to)
    }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |end: Option<i64>| end.map_or_else(|| "default".into(), |end| end.to_string());
        write!(f, "[{}, {}]", end(self.from()), end(self.to()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_ends_are_no_numbers() {
        let numbers = [i64::MIN, i64::MIN + 1, -1, 0, 1, 2, 3, 4, 5, i64::MAX - 1, i64::MAX];
        let ends: Vec<Option<i64>> = [None].into_iter().chain(numbers.map(Some)).collect();
        for &from in &ends {
            for &to in &ends {
                if let (Some(from), Some(to)) = (from, to)
                    && from > to
                {
                    continue;
                }
                let range = Range::between(from, to);
                assert_eq!((range.from(), range.to()), (from, to), "{range:?}");
                assert!(range.covers(range) && Range::ANY.covers(range));
            }
        }
        assert_ne!(Range::at_least(0), Range::new(0, i64::MAX));
        assert!(Range::at_least(0).covers(Range::new(0, i64::MAX)));
        assert!(!Range::new(0, i64::MAX).covers(Range::at_least(0)));
        assert!(Range::new(i64::MAX - 1, i64::MAX).is_finite());
    }
}
