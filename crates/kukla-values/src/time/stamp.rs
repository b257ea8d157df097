//! Points in time as text.

use std::fmt;

use kukla_syntax::{bail, diagnostic};

use super::calendar::{self, Civil, Zone};
use super::{Timestamp, strptime, zones};
use crate::codes::{
    ILLEGAL_TIME_FORMAT, TIME_IN_NO_FORMAT, TIME_NOT_IN_FORMAT, TIMEZONE_GIVEN_TWICE, ZONE_OUT_OF_RANGE,
};
use crate::{Result, Str};

/// Tried in this order when no format is given and no zone either.
const WITH_ZONE: [&str; 5] = ["%FT%T.%N %Z", "%FT%T %Z", "%F %T.%N %Z", "%F %T %Z", "%F %Z"];
/// Tried after those, or alone when a zone is given.
const WITHOUT_ZONE: [&str; 5] = ["%FT%T.%N", "%FT%T", "%F %T.%N", "%F %T", "%F"];

impl Timestamp {
    /// Reads a text with the default formats.
    pub fn parse(text: &str, zone: Option<&str>) -> Result<Timestamp> {
        let formats = if zone.is_some_and(|zone| !zone.is_empty()) {
            WITHOUT_ZONE.to_vec()
        } else {
            [WITH_ZONE, WITHOUT_ZONE].concat()
        };
        Timestamp::parse_any(text, &formats, zone)
    }

    /// Reads a text with the first format that fits.
    pub fn parse_any(text: &str, formats: &[&str], zone: Option<&str>) -> Result<Timestamp> {
        let zone = zone.filter(|zone| !zone.is_empty());
        for format in formats {
            if let Some(parsed) = strptime::parse(text, format)
                && !(zone.is_some() && parsed.zone.is_some())
            {
                return resolve(&parsed, zone);
            }
        }
        bail!(TIME_IN_NO_FORMAT { text, formats: formats.join(", ") })
    }

    /// Reads a text with one format.
    pub fn parse_with(text: &str, format: &str, zone: Option<&str>) -> Result<Timestamp> {
        let zone = zone.filter(|zone| !zone.is_empty());
        let Some(parsed) = strptime::parse(text, format) else {
            bail!(TIME_NOT_IN_FORMAT { text, format });
        };
        if zone.is_some() && parsed.zone.is_some() {
            bail!(TIMEZONE_GIVEN_TWICE);
        }
        resolve(&parsed, zone)
    }

    /// Writes it in a format of `strftime`, in UTC or in a zone.
    pub fn format(self, format: &str, zone: Option<&str>) -> Result<Str> {
        super::check_widths(format)?;
        let zone = match zone.filter(|zone| !zone.is_empty()) {
            Some(zone) if zone.eq_ignore_ascii_case("current") => Zone::Offset(0),
            Some(zone) => match zones::offset(zone)? {
                offset if offset.abs() < DAY => Zone::Offset(offset),
                _ => bail!(ZONE_OUT_OF_RANGE),
            },
            None => Zone::Utc,
        };
        let civil = Civil::new(self.seconds, self.nanos, zone);
        let spelled = calendar::with_offset(format.as_bytes(), zone.offset());
        strftime::string::strftime(&civil, &String::from_utf8_lossy(&spelled))
            .map(Str::from)
            .map_err(|reason| diagnostic!(ILLEGAL_TIME_FORMAT { format, reason }).into())
    }
}

/// A zone that times are written in is less than a day from UTC.
const DAY: i32 = 86_400;

fn resolve(parsed: &strptime::Parsed, zone: Option<&str>) -> Result<Timestamp> {
    let seconds = parsed.seconds()?;
    let offset = match zone.or(parsed.zone.as_deref()) {
        Some(zone) if zone.eq_ignore_ascii_case("current") => 0,
        Some(zone) => zones::offset(zone)?,
        None => 0,
    };
    let seconds = i128::from(seconds) - i128::from(offset);
    Timestamp::from_nanos(seconds * super::NANOS + i128::from(parsed.nanos))
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = Civil::new(self.seconds, self.nanos, Zone::Utc);
        let sign = if civil.year < 0 { "-" } else { "" };
        write!(
            f,
            "{sign}{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09} UTC",
            civil.year.unsigned_abs(),
            civil.month,
            civil.day,
            civil.hour,
            civil.minute,
            civil.second,
            civil.nanos
        )
    }
}
