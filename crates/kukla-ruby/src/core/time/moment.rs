//! A point in time and the zone it is told in.

use kukla_values::time::calendar;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

use crate::core::numeric::tower::Ratio;

/// The zone a time is told in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// UTC, by name.
    Utc,
    /// The zone of the place, which is UTC for everybody: what a catalog says must not depend on where it is compiled.
    Local,
    /// So many seconds east of UTC.
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

/// A point in time, exactly, and the zone it is told in.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Seconds since 1970 in UTC.
    pub seconds: Ratio,
    /// The zone.
    pub zone: Zone,
}

/// A moment as calendars and clocks show it.
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
    /// The fraction of a second in nanoseconds, cut off.
    pub nanos: u32,
    /// Days since 1970-01-01.
    pub days: i64,
    /// Whole seconds since 1970 in UTC.
    pub epoch: i64,
    /// The zone.
    pub zone: Zone,
}

/// Times further away than this are not told: some ten billion years.
const FARTHEST: i64 = 1 << 58;

impl Moment {
    /// Whole seconds since 1970, rounded down.
    pub fn whole(&self) -> BigInt {
        self.seconds.floor()
    }

    /// The fraction of a second.
    pub fn fraction(&self) -> Ratio {
        self.seconds.subtract(&Ratio::whole(self.whole()))
    }

    /// The fraction of a second in some unit, cut off.
    pub fn fraction_in(&self, per_second: u32) -> u32 {
        let fraction = self.fraction();
        let scaled: BigInt = fraction.numerator * per_second;
        scaled.div_floor(&fraction.denominator).to_u32().unwrap_or(0)
    }

    /// As calendars and clocks show it.
    pub fn civil(&self) -> Civil {
        let epoch = self.whole().to_i64().unwrap_or(if self.seconds.numerator < BigInt::zero() {
            -FARTHEST
        } else {
            FARTHEST
        });
        let epoch = epoch.clamp(-FARTHEST, FARTHEST);
        let local = epoch + i64::from(self.zone.offset());
        let days = local.div_euclid(86_400);
        let of_day = local.rem_euclid(86_400);
        let (year, month, day) = calendar::date(days);
        Civil {
            year,
            month,
            day,
            hour: (of_day / 3600) as u8,
            minute: (of_day / 60 % 60) as u8,
            second: (of_day % 60) as u8,
            nanos: self.fraction_in(1_000_000_000),
            days,
            epoch,
            zone: self.zone,
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
        calendar::weekday(self.days)
    }
    fn day_of_year(&self) -> u16 {
        (self.days - calendar::days(self.year, 1, 1) + 1) as u16
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
