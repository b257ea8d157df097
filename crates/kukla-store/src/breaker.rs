//! A store that may be down: after it has not answered several times, calls fail at once for a while instead of waiting for it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kukla_catalog::{Catalog, ExportQuery, ExportedResource};
use kukla_syntax::diagnostic;
use kukla_values::Hash;
use serde_json::Value as Json;

use crate::codes::{STORE_LOCKED, STORE_UNREACHABLE};
use crate::{Question, Report, Result, Store, Timestamp, Update, UpdateOutcome};

/// The number of calls in a row that must fail.
const PATIENCE: u32 = 3;
/// The time until the next call is passed on.
const PAUSE: Duration = Duration::from_secs(10);

/// A store behind a circuit breaker. One call after each pause tries whether the store answers again.
#[derive(Debug)]
pub struct Breaker {
    store: Arc<dyn Store>,
    state: Mutex<State>,
    failures: AtomicU64,
    pause: Duration,
}

#[derive(Debug, Default)]
struct State {
    /// Failures in a row.
    failed: u32,
    /// The time of the next attempt, while the store does not answer.
    retry: Option<Instant>,
}

impl Breaker {
    /// A store that answers, as far as is known.
    pub fn new(store: Arc<dyn Store>) -> Breaker {
        Breaker::with_pause(store, PAUSE)
    }

    /// The same with another pause.
    pub fn with_pause(store: Arc<dyn Store>, pause: Duration) -> Breaker {
        Breaker { store, state: Mutex::default(), failures: AtomicU64::new(0), pause }
    }

    /// The number of calls that the store has not answered.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Whether calls fail without being passed on.
    pub fn is_open(&self) -> bool {
        self.state().retry.is_some()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call<T>(&self, work: impl FnOnce(&dyn Store) -> Result<T>) -> Result<T> {
        self.admit()?;
        let done = work(&*self.store);
        let has_failed =
            done.as_ref().is_err_and(|failure| failure.is(&STORE_UNREACHABLE) || failure.is(&STORE_LOCKED));
        let mut state = self.state();
        if has_failed {
            self.failures.fetch_add(1, Ordering::Relaxed);
            state.failed += 1;
            if state.failed >= PATIENCE {
                state.retry = Some(Instant::now() + self.pause);
            }
        } else {
            *state = State::default();
        }
        done
    }

    /// Lets a call through, unless the store has not answered lately.
    fn admit(&self) -> Result<()> {
        let mut state = self.state();
        let Some(retry) = state.retry else { return Ok(()) };
        let now = Instant::now();
        if now >= retry {
            // This call tries; the others go on to fail at once until it is back.
            state.retry = Some(now + self.pause);
            return Ok(());
        }
        let seconds = (retry - now).as_secs() + 1;
        let problem = format!("it has not answered {} times", state.failed);
        Err(Box::new(diagnostic!(STORE_UNREACHABLE { url: self.store.url(), problem };
            hint: "the next attempt is in {seconds} seconds")))
    }
}

impl Store for Breaker {
    fn url(&self) -> &str {
        self.store.url()
    }

    fn update(&self, update: &Update<'_>) -> Result<UpdateOutcome> {
        self.call(|store| store.update(update))
    }

    fn add_report(&self, report: &Report) -> Result<()> {
        self.call(|store| store.add_report(report))
    }

    fn exported(&self, wanted: &ExportQuery) -> Result<Vec<Arc<ExportedResource>>> {
        self.call(|store| store.exported(wanted))
    }

    fn query(&self, question: &Question) -> Result<Vec<Json>> {
        self.call(|store| store.query(question))
    }

    fn facts(&self, node: &str) -> Result<Option<Hash>> {
        self.call(|store| store.facts(node))
    }

    fn catalog(&self, node: &str) -> Result<Option<Catalog>> {
        self.call(|store| store.catalog(node))
    }

    fn deactivate(&self, node: &str, time: Timestamp) -> Result<bool> {
        self.call(|store| store.deactivate(node, time))
    }

    fn expire(&self, silent_since: Timestamp, now: Timestamp) -> Result<Vec<String>> {
        self.call(|store| store.expire(silent_since, now))
    }

    fn purge_nodes(&self, until: Timestamp) -> Result<Vec<String>> {
        self.call(|store| store.purge_nodes(until))
    }

    fn purge_reports(&self, before: Timestamp) -> Result<u64> {
        self.call(|store| store.purge_reports(before))
    }
}
