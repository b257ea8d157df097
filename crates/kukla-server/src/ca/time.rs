//! Times as certificates, inventories and HTTP have them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use der::DateTime;
use der::asn1::{GeneralizedTime, UtcTime};
use kukla::syntax::Problem;
use x509_cert::time::Time;

use super::unencodable;

/// A day.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The present, in whole seconds.
pub fn now() -> SystemTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

/// A time as certificates have it: in two digits of the year up to 2049.
pub fn to_x509(time: SystemTime) -> Result<Time, Problem> {
    let date = DateTime::from_system_time(time).map_err(unencodable)?;
    if date.year() < 2050 {
        UtcTime::from_date_time(date).map(Time::UtcTime).map_err(unencodable)
    } else {
        Ok(Time::GeneralTime(GeneralizedTime::from_date_time(date)))
    }
}

/// A time of a certificate.
pub fn from_x509(time: Time) -> SystemTime {
    UNIX_EPOCH + time.to_unix_duration()
}

/// `2026-11-15T05:27:16UTC`: as inventories have it.
pub fn in_inventory(time: SystemTime) -> String {
    let date = date(time);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}UTC",
        date.year(),
        date.month(),
        date.day(),
        date.hour(),
        date.minutes(),
        date.seconds()
    )
}

/// The present to the millisecond, as logs have it.
pub fn precise() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let whole = in_inventory(UNIX_EPOCH + Duration::from_secs(since.as_secs()));
    format!("{}.{:03}Z", whole.trim_end_matches("UTC"), since.subsec_millis())
}

/// Reads a time of an inventory.
pub fn from_inventory(text: &str) -> Option<SystemTime> {
    let text = text.strip_suffix("UTC")?;
    let (day, clock) = text.split_once('T')?;
    let mut day = day.splitn(3, '-');
    let mut clock = clock.splitn(3, ':');
    let date = DateTime::new(
        day.next()?.parse().ok()?,
        day.next()?.parse().ok()?,
        day.next()?.parse().ok()?,
        clock.next()?.parse().ok()?,
        clock.next()?.parse().ok()?,
        clock.next()?.parse().ok()?,
    );
    date.ok().map(|date| UNIX_EPOCH + date.unix_duration())
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Reads a time of an HTTP header: `Mon, 16 Nov 2026 05:57:48 GMT`.
pub fn from_http(text: &str) -> Option<SystemTime> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [_, day, month, year, clock, "GMT"] = words[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let mut clock = clock.splitn(3, ':').map(str::parse);
    let date = DateTime::new(
        year.parse().ok()?,
        u8::try_from(month).ok()?,
        day.parse().ok()?,
        clock.next()?.ok()?,
        clock.next()?.ok()?,
        clock.next()?.ok()?,
    );
    date.ok().map(|date| UNIX_EPOCH + date.unix_duration())
}

fn date(time: SystemTime) -> DateTime {
    DateTime::from_system_time(time).unwrap_or(DateTime::INFINITY)
}

/// How long it is until a time, in words for people.
pub fn until(time: SystemTime) -> String {
    match time.duration_since(now()) {
        Ok(left) if left >= DAY * 2 => format!("in {} days", left.as_secs() / DAY.as_secs()),
        Ok(left) => format!("in {} hours", left.as_secs() / 3600),
        Err(_) => "already".to_owned(),
    }
}

/// Reads a duration as settings have it: seconds, or a number with a unit (`5y`, `90d`, `12h`, `30m`, `10s`), or several of them.
pub fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let mut total = 0_u64;
    let mut number = None::<u64>;
    for c in text.chars() {
        match (c, number) {
            (digit @ '0'..='9', so_far) => {
                number =
                    Some(so_far.unwrap_or(0).checked_mul(10)?.checked_add(u64::from(digit.to_digit(10)?))?);
            }
            (' ', None) => {}
            (unit, Some(count)) => {
                let seconds = match unit {
                    'y' => 365 * 24 * 60 * 60,
                    'd' => 24 * 60 * 60,
                    'h' => 60 * 60,
                    'm' => 60,
                    's' => 1,
                    _ => return None,
                };
                total = total.checked_add(count.checked_mul(seconds)?)?;
                number = None;
            }
            _ => return None,
        }
    }
    (number.is_none() && total > 0).then(|| Duration::from_secs(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back_as_they_were_written() {
        let time = UNIX_EPOCH + Duration::from_secs(1_794_806_836);
        assert_eq!(in_inventory(time), "2026-11-16T05:27:16UTC");
        assert_eq!(from_inventory("2026-11-16T05:27:16UTC"), Some(time));
        assert_eq!(from_http("Mon, 16 Nov 2026 05:27:16 GMT"), Some(time));
        assert_eq!((from_inventory("soon"), from_http("yesterday")), (None, None));
        for years in [1, 100] {
            let time = time + DAY * 365 * years;
            assert_eq!(from_x509(to_x509(time).unwrap()), time);
        }
    }

    #[test]
    fn durations_have_units() {
        let seconds = |text: &str| duration(text).map(|time| time.as_secs());
        assert_eq!(
            ["60", "5y", "90d", "1d12h", "2h 30m"].map(seconds),
            [60, 157_680_000, 7_776_000, 129_600, 9_000].map(Some)
        );
        assert_eq!(
            ["", "x", "5", "1w", "99999999999999999999d"].map(seconds),
            [None, None, Some(5), None, None]
        );
    }
}
