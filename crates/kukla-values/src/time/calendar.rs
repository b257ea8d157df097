//! Days and dates, in the Gregorian calendar for all years.

/// A date and the time of day in some zone.
#[derive(Clone, Debug)]
pub struct Civil {
    /// The year.
    pub year: i64,
    /// The month, January being 1.
    pub month: u8,
    /// The day of the month.
    pub day: u8,
    /// The hour.
    pub hour: u8,
    /// The minute.
    pub minute: u8,
    /// The second.
    pub second: u8,
    /// The fraction of a second in nanoseconds.
    pub nanos: u32,
    /// Days since 1970-01-01.
    pub days: i64,
    /// Seconds since 1970 in UTC.
    pub epoch: i64,
    /// The zone.
    pub zone: Zone,
}

/// The zone in which a time is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// UTC, by name.
    Utc,
    /// The machine's zone. It is UTC everywhere, since a catalog must not depend on the machine that compiles it.
    Local,
    /// Seconds east of UTC.
    Offset(i32),
}

impl Zone {
    /// Seconds east of UTC.
    pub fn offset(self) -> i32 {
        match self {
            Zone::Utc | Zone::Local => 0,
            Zone::Offset(seconds) => seconds,
        }
    }

    /// Its name, if it has one.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Zone::Utc | Zone::Local => Some("UTC"),
            Zone::Offset(_) => None,
        }
    }
}

/// The number of days from 1970-01-01 to a date.
pub fn days(year: i64, month: u8, day: u8) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = i64::from(month);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date a number of days after 1970-01-01.
pub fn date(days: i64) -> (i64, u8, u8) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = (of_year - (153 * shifted + 2) / 5 + 1) as u8;
    let month = (if shifted < 10 { shifted + 3 } else { shifted - 9 }) as u8;
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// The day of the week, Sunday being 0.
pub fn weekday(days: i64) -> u8 {
    (days + 4).rem_euclid(7) as u8
}

/// The days from 1970-01-01 to the Monday that starts ISO week 1 of a year.
pub(super) fn iso_year_start(year: i64) -> i64 {
    let fourth = days(year, 1, 4);
    fourth - (fourth + 3).rem_euclid(7)
}

impl Civil {
    /// A point in time, in seconds since 1970 in UTC, as a zone shows it.
    pub fn new(epoch: i64, nanos: u32, zone: Zone) -> Civil {
        let local = epoch.saturating_add(i64::from(zone.offset()));
        let days = local.div_euclid(86_400);
        let of_day = local.rem_euclid(86_400);
        let (year, month, day) = date(days);
        Civil {
            year,
            month,
            day,
            hour: (of_day / 3600) as u8,
            minute: (of_day / 60 % 60) as u8,
            second: (of_day % 60) as u8,
            nanos,
            days,
            epoch,
            zone,
        }
    }
}

impl strftime::Time for Civil {
    fn year(&self) -> i32 {
        i32::try_from(self.year).unwrap_or(if self.year < 0 { i32::MIN } else { i32::MAX })
    }
    fn month(&self) -> u8 {
        self.month
    }
    fn day(&self) -> u8 {
        self.day
    }
    fn hour(&self) -> u8 {
        self.hour
    }
    fn minute(&self) -> u8 {
        self.minute
    }
    fn second(&self) -> u8 {
        self.second
    }
    fn nanoseconds(&self) -> u32 {
        self.nanos
    }
    fn day_of_week(&self) -> u8 {
        weekday(self.days)
    }
    fn day_of_year(&self) -> u16 {
        (self.days - days(self.year, 1, 1) + 1) as u16
    }
    fn to_int(&self) -> i64 {
        self.epoch
    }
    fn is_utc(&self) -> bool {
        self.zone == Zone::Utc
    }
    fn utc_offset(&self) -> i32 {
        self.zone.offset()
    }
    fn time_zone(&self) -> &str {
        self.zone.name().unwrap_or("")
    }
}

/// A format with the offset spelled out where the formatter would write one digit too many: ten hours and more west of UTC.
pub fn with_offset(format: &[u8], offset: i32) -> std::borrow::Cow<'_, [u8]> {
    if offset > -36_000 {
        return format.into();
    }
    let (hours, minutes, seconds) = (-offset / 3600, -offset / 60 % 60, -offset % 60);
    let mut out = Vec::with_capacity(format.len());
    let mut rest = format;
    while let [first, behind @ ..] = rest {
        let spelled = match rest {
            [b'%', b'z', ..] => Some((2, format!("-{hours:02}{minutes:02}"))),
            [b'%', b':', b'z', ..] => Some((3, format!("-{hours:02}:{minutes:02}"))),
            [b'%', b':', b':', b'z', ..] => Some((4, format!("-{hours:02}:{minutes:02}:{seconds:02}"))),
            _ => None,
        };
        rest = match spelled {
            Some((length, text)) => {
                out.extend_from_slice(text.as_bytes());
                &rest[length..]
            }
            None if *first == b'%' && !behind.is_empty() => {
                out.extend_from_slice(&rest[..2]);
                &rest[2..]
            }
            None => {
                out.push(*first);
                behind
            }
        };
    }
    out.into()
}
