//! The pace of a client: it may be slow, but not so slow that what it occupies is lost to others.

use std::time::Duration;

use tokio::time::Instant;

use crate::limits::Limits;

/// The deadline of a transfer. Every byte moves it, at the slowest rate that is allowed, and never further away than the longest stall.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    rate: u64,
    stall: Duration,
    deadline: Instant,
}

impl Pace {
    /// A transfer that begins now.
    pub fn new(limits: &Limits, now: Instant) -> Pace {
        Pace { rate: limits.rate.max(1), stall: limits.stall, deadline: now + limits.stall }
    }

    /// The time at which the client is too slow, unless more bytes are transferred until then.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Counts bytes that were transferred.
    pub fn count(&mut self, bytes: usize, now: Instant) {
        let earned = Duration::from_secs_f64(bytes as f64 / self.rate as f64);
        self.deadline = (self.deadline + earned).min(now + self.stall);
    }

    /// Adds a time in which the client was not waited for.
    pub fn excuse(&mut self, time: Duration) {
        self.deadline += time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_earn_time_up_to_the_longest_stall() {
        let limits = Limits { rate: 100, stall: Duration::from_secs(10), ..Limits::default() };
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut pace = Pace::new(&limits, start);
        assert_eq!(pace.deadline(), at(10));
        // A byte every nine seconds is not enough, although the client is never silent for ten.
        pace.count(1, at(9));
        assert!(pace.deadline() < at(11));
        // The slowest rate holds for ever, and a fast beginning does not pay for a stall.
        let mut steady = Pace::new(&limits, start);
        for second in 1..1000 {
            assert!(steady.deadline() > at(second));
            steady.count(100, at(second));
        }
        let mut fast = Pace::new(&limits, start);
        fast.count(1_000_000, at(1));
        assert_eq!(fast.deadline(), at(11));
        fast.excuse(Duration::from_secs(40));
        assert_eq!(fast.deadline(), at(51));
    }
}
