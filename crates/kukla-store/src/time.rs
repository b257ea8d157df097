//! Moments, as PuppetDB writes them: `2026-11-16T06:08:01.216Z`.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use kukla_values::time::calendar;

/// A moment, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

const DAY: i64 = 86_400_000;

impl Timestamp {
    /// This moment.
    pub fn now() -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// The moment this number of milliseconds earlier.
    #[must_use]
    pub fn minus(self, milliseconds: i64) -> Timestamp {
        Timestamp(self.0.saturating_sub(milliseconds))
    }

    /// Reads a date (`2026-11-16`), or a date and a time with or without a zone, which is then UTC.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let (date, time) = text.trim().split_once(['T', ' ']).unwrap_or((text.trim(), "00:00"));
        let mut parts = date.splitn(3, '-');
        let (year, month, day) =
            (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        if !(0..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let zone_at = time.find(['Z', '+', '-']).unwrap_or(time.len());
        let (clock, zone) = time.split_at(zone_at);
        let mut parts = clock.splitn(3, ':');
        let (hour, minute) = (number(parts.next()?, 24)?, number(parts.next()?, 59)?);
        let (second, fraction) = parts.next().map_or(("0", ""), |s| s.split_once('.').unwrap_or((s, "")));
        let milliseconds = match fraction.get(..3).unwrap_or(fraction) {
            "" => 0,
            digits => number(digits, 999)? * 10_i64.pow(3 - digits.len() as u32),
        };
        let of_day = (hour * 60 + minute) * 60_000 + number(second, 60)? * 1000 + milliseconds;
        Some(Timestamp(calendar::days(year, month, day) * DAY + of_day - offset(zone)?))
    }
}

fn number(text: &str, limit: i64) -> Option<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?.filter(|number| *number <= limit)
}

/// How far a zone is ahead of UTC, in milliseconds.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.as_bytes().first() {
        None | Some(b'Z') => return Some(0),
        Some(b'-') => -1,
        Some(_) => 1,
    };
    let digits = zone[1..].replace(':', "");
    let hours = number(digits.get(..2)?, 14)?;
    let minutes = digits.get(2..).filter(|rest| !rest.is_empty()).map_or(Some(0), |rest| number(rest, 59))?;
    Some(sign * (hours * 60 + minutes) * 60_000)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (day, of_day) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        let (year, month, day) = calendar::date(day);
        let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
        let (second, millisecond) = (of_day / 1000 % 60, of_day % 1000);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_they_are_written() {
        for text in ["1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "2026-11-16T06:08:01.216Z"] {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        }
        let moment = Timestamp::parse("2026-11-16T06:08:01.216Z");
        assert_eq!(moment, Some(Timestamp(1_794_809_281_216)));
        assert_eq!(Timestamp::parse("2026-11-16T08:38:01.216+02:30"), moment);
        assert_eq!(Timestamp::parse("2026-11-16 06:08:01.2169"), moment);
        assert_eq!(Timestamp::parse("2026-11-16").unwrap().to_string(), "2026-11-16T00:00:00.000Z");
        for wrong in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-11-16T25:00",
            "2026-11-16T06:xx",
            "2026-11-16T06:08+x",
            "2026-11-16T06:0é",
        ] {
            assert_eq!(Timestamp::parse(wrong), None, "{wrong}");
        }
    }
}
