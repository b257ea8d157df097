//! The progress of a long run, on one line of the terminal.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kukla::fleet::{FleetEvent, Observer};

use crate::output::{self, err};

/// The progress of a run over a fleet, shown if standard error is a terminal.
#[derive(Debug)]
pub struct ProgressLine {
    total: AtomicUsize,
    done: AtomicUsize,
    is_shown: bool,
    started: Instant,
    /// The time of the last drawing, in milliseconds since the start.
    drawn: AtomicU64,
}

/// The least time between two drawings, in milliseconds.
const PAUSE: u64 = 50;

impl Default for ProgressLine {
    fn default() -> ProgressLine {
        ProgressLine {
            total: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            is_shown: std::io::stderr().is_terminal(),
            started: Instant::now(),
            drawn: AtomicU64::new(0),
        }
    }
}

impl Observer for ProgressLine {
    fn observe(&self, event: FleetEvent<'_>) {
        match event {
            FleetEvent::Started { sources } => self.total.store(sources, Ordering::Relaxed),
            FleetEvent::SourceRead { nodes } => {
                self.total.fetch_add(nodes, Ordering::Relaxed);
                self.total.fetch_sub(1, Ordering::Relaxed);
            }
            FleetEvent::NodeDone { node } => self.step(node),
            FleetEvent::Finished if self.is_shown => err!("\r\x1b[2K"),
            FleetEvent::Notice(problem) | FleetEvent::CacheFailed(problem) => output::report(problem),
            _ => {}
        }
    }
}

impl ProgressLine {
    fn step(&self, node: &str) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.is_shown {
            return;
        }
        let elapsed = self.started.elapsed();
        let now = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let drawn = self.drawn.load(Ordering::Relaxed);
        let is_time = now >= drawn + PAUSE
            && self.drawn.compare_exchange(drawn, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_time {
            let total = self.total.load(Ordering::Relaxed);
            err!("\r\x1b[2K{} {node}", line(done, total, elapsed));
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
    fn the_line_shows_rate_and_time_left() {
        let text = line(50, 200, Duration::from_secs(5));
        assert_eq!(text, "[#####               ] 50/200, 10 nodes/s, 15 s left,");
        assert!(line(1, 100_000, Duration::from_secs(1)).contains("1666 min left"));
        assert!(line(3, 2, Duration::ZERO).contains("3/3"), "a source with more nodes than expected");
    }
}
