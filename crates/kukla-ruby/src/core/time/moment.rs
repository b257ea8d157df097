//! A point in time and the zone it is shown in.

pub use kukla_values::time::calendar::{Civil, Zone};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

use crate::core::numeric::tower::Ratio;

/// An exact point in time, and the zone it is shown in.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Seconds since 1970 in UTC.
    pub seconds: Ratio,
    /// The zone.
    pub zone: Zone,
}

/// Times further away than this are shown as this one: some ten billion years.
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
        Civil::new(epoch, self.fraction_in(1_000_000_000), self.zone)
    }
}
