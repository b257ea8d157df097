//! How far a long run has come, on one line of the terminal.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::output::err;

/// How far a long run has come.
#[derive(Debug)]
pub struct Progress {
    total: AtomicUsize,
    done: AtomicUsize,
    shown: bool,
    began: Instant,
    /// When the line was last drawn, in milliseconds since the beginning.
    drawn: AtomicU64,
}

/// The line is drawn so often and no oftener.
const PAUSE: u64 = 50;

impl Progress {
    /// Begins with one node for each source.
    pub fn new(sources: usize) -> Progress {
        Progress {
            total: sources.into(),
            done: AtomicUsize::new(0),
            shown: std::io::stderr().is_terminal(),
            began: Instant::now(),
            drawn: AtomicU64::new(0),
        }
    }

    /// Takes note of how many nodes a source has.
    pub fn expect(&self, nodes: usize) {
        self.total.fetch_add(nodes, Ordering::Relaxed);
        self.total.fetch_sub(1, Ordering::Relaxed);
    }

    /// One more node is done.
    pub fn step(&self, node: &str) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.shown {
            return;
        }
        let elapsed = self.began.elapsed();
        let now = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let drawn = self.drawn.load(Ordering::Relaxed);
        let is_time = now >= drawn + PAUSE
            && self.drawn.compare_exchange(drawn, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_time {
            let total = self.total.load(Ordering::Relaxed);
            err!("\r\x1b[2K{} {node}", line(done, total, elapsed));
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.shown {
            err!("\r\x1b[2K");
        }
    }
}

/// The bar, the numbers, the rate and the time left.
fn line(done: usize, total: usize, elapsed: Duration) -> String {
    let total = total.max(done).max(1);
    let rate = done as f64 / elapsed.as_secs_f64().max(0.001);
    let left = (total - done) as f64 / rate.max(0.001);
    let left = match left as u64 {
        0..100 => format!("{left:.0} s"),
        seconds => format!("{} min", seconds / 60),
    };
    format!("[{:20}] {done}/{total}, {rate:.0} nodes/s, {left} left,", "#".repeat(done * 20 / total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_rate_and_time_left() {
        let text = line(50, 200, Duration::from_secs(5));
        assert_eq!(text, "[#####               ] 50/200, 10 nodes/s, 15 s left,");
        assert!(line(1, 100_000, Duration::from_secs(1)).contains("1666 min left"));
        assert!(line(3, 2, Duration::ZERO).contains("3/3"), "a source with more nodes than expected");
    }
}
