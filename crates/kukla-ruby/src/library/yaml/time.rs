//! Times as YAML writes them.

use num_bigint::BigInt;

use crate::class::ClassId;
use crate::core::numeric::large;
use crate::core::numeric::tower::Ratio;
use crate::core::time::moment::{Moment, Zone};
use crate::core::time::{make, moment_of};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// A time such as `2001-12-14 21:59:43.10 -05:00`; without a zone it is that of the place.
pub fn parse(ruby: &mut Ruby<'_>, text: &str) -> Result {
    let (date, rest) = text.split_once(['T', 't', ' ']).unwrap_or((text, ""));
    let rest = rest.trim();
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.').unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(end);
    let zone = zone.trim();
    let numbers =
        |text: &str, by: char| -> Vec<i64> { text.split(by).map(|part| part.parse().unwrap_or(0)).collect() };
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let (date, clock) = (numbers(date, '-'), numbers(whole, ':'));
    let at = |list: &[i64], index: usize| list.get(index).copied().unwrap_or(0);
    let month = at(&date, 1).clamp(1, 12) as u8;
    let days = kukla_values::time::calendar::days(at(&date, 0), month, 1) + at(&date, 1 + 1) - 1;
    let seconds = days * 86_400 + at(&clock, 0) * 3600 + at(&clock, 1) * 60 + at(&clock, 2);
    let fraction = match fraction {
        "" => Ratio::whole(BigInt::default()),
        digits => Ratio::new(
            large::of_digits(digits.as_bytes(), 10).unwrap_or_default(),
            BigInt::from(10).pow(digits.len().min(100) as u32),
        ),
    };
    let zone = match zone {
        "Z" => Zone::Utc,
        "" => Zone::Local,
        zone => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let (hours, minutes) = zone[1..].split_once(':').unwrap_or((&zone[1..], "0"));
            let number = |text: &str| text.parse::<i32>().unwrap_or(0).min(99);
            Zone::Offset(sign * (number(hours) * 3600 + number(minutes) * 60))
        }
    };
    ruby.charge(1)?;
    let seconds = Ratio::whole(BigInt::from(seconds - i64::from(zone.offset()))).add(&fraction);
    Ok(make(ClassId::TIME, Moment { seconds, zone }))
}

/// How Psych writes a time.
pub fn shown(value: &Value) -> Option<String> {
    let moment = moment_of(value)?;
    let civil = moment.civil();
    let zone = match moment.zone {
        Zone::Utc => "Z".to_owned(),
        zone => {
            let offset = zone.offset();
            let size = offset.unsigned_abs();
            format!("{}{:02}:{:02}", if offset < 0 { '-' } else { '+' }, size / 3600, size / 60 % 60)
        }
    };
    Some(format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:09} {zone}",
        civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second, civil.nanos
    ))
}
