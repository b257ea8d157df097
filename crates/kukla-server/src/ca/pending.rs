//! Pending requests: from which address each came, how far its judgement is, and how many there may be.
//!
//! A small file beside each request tells what its own text does not. It is written before the request and removed after it, so a
//! judgement that a crash interrupted can be resumed.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use kukla::syntax::{Problem, ProblemKind};
use serde_json::{Value, json};

use super::audit::Actor;
use super::{Authority, Refusal};
use crate::files::{make_directory, read_directory, read_if_there, remove, write_whole};
use crate::log;

/// The limits on requests for certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// Requests of one address within a minute.
    pub per_minute: usize,
    /// Pending requests of one address.
    pub pending_per_peer: usize,
    /// Pending requests of all addresses.
    pub pending: usize,
}

impl Default for RequestLimits {
    fn default() -> RequestLimits {
        RequestLimits { per_minute: 600, pending_per_peer: 1_000, pending: 10_000 }
    }
}

/// The times of recent requests, by address.
#[derive(Debug, Default)]
pub struct RecentRequests(Mutex<HashMap<IpAddr, VecDeque<Instant>>>);

/// The window in which requests are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// Addresses that are remembered; when there are more, those without recent requests are forgotten.
const MOST_ADDRESSES: usize = 4_096;

impl RecentRequests {
    /// Counts a request of an address; whether it is within the limit.
    fn admit(&self, address: IpAddr, limit: usize, now: Instant) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |time: &Instant| now.saturating_duration_since(*time) < WINDOW;
        if all.len() >= MOST_ADDRESSES {
            all.retain(|_, times| times.back().is_some_and(is_recent));
        }
        // If that leaves no room, a new address has to wait.
        if all.len() >= MOST_ADDRESSES && !all.contains_key(&address) {
            return false;
        }
        let times = all.entry(address).or_default();
        while times.front().is_some_and(|time| !is_recent(time)) {
            times.pop_front();
        }
        let is_admitted = times.len() < limit;
        if is_admitted {
            times.push_back(now);
        }
        is_admitted
    }
}

/// The address by which requests are counted: one network of IPv6 counts as one address, since one client has all of it.
fn counted(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        v4 => v4,
    }
}

impl Authority {
    fn pending_directory(&self) -> PathBuf {
        self.layout.directory.join("pending")
    }

    fn pending_file(&self, name: &str) -> PathBuf {
        self.pending_directory().join(format!("{name}.json"))
    }

    /// Checks the limits on requests, while the lock is held.
    pub(super) fn check_limits(&self, name: &str, by: &Actor) -> Result<(), Refusal> {
        let limits = &self.practice.limits;
        let exceeded = |what: &str, setting: &str| {
            Err(Refusal::Busy(
                Problem::new(ProblemKind::LimitExceeded, format!("too many {what}"))
                    .help(format!("the limit is `{setting}` in [ca] of kukla.toml")),
            ))
        };
        if let Some(address) = by.address
            && !self.recent.admit(counted(address), limits.per_minute, Instant::now())
        {
            return exceeded("certificate requests from this address within a minute", "requests-per-minute");
        }
        if self.layout.request_of(name).exists() {
            return Ok(());
        }
        let waiting = self.requested()?;
        if waiting.len() >= limits.pending {
            return exceeded("pending certificate requests", "pending");
        }
        // Only when one address could have that many do their files have to be read.
        if let Some(address) = by.address.filter(|_| waiting.len() >= limits.pending_per_peer) {
            let own = counted(address).to_string();
            let is_own = |name: &&String| self.pending_client(name).as_deref() == Some(own.as_str());
            if waiting.iter().filter(is_own).count() >= limits.pending_per_peer {
                return exceeded("pending certificate requests from this address", "pending-per-peer");
            }
        }
        Ok(())
    }

    fn pending_record(&self, name: &str) -> Option<Value> {
        let bytes = read_if_there(&self.pending_file(name)).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    fn pending_client(&self, name: &str) -> Option<String> {
        Some(self.pending_record(name)?["client"].as_str()?.to_owned())
    }

    /// Notes a request that is about to be judged.
    pub(super) fn note_pending(&self, name: &str, is_judged: bool, by: &Actor) -> Result<(), Problem> {
        make_directory(&self.pending_directory(), 0o750)?;
        let client = by.address.map(|address| counted(address).to_string());
        let content = json!({"client": client, "judged": is_judged});
        write_whole(&self.pending_file(name), content.to_string().as_bytes(), 0o640)
    }

    /// Removes the note of a request that is not pending any more.
    pub(super) fn forget_pending(&self, name: &str) -> Result<(), Problem> {
        remove(&self.pending_file(name)).map(|_| ())
    }

    /// Resumes the judgement of requests that a crash interrupted; how many were signed. Notes without a request go.
    pub fn resume_judgements(&self) -> Result<usize, Refusal> {
        if !self.pending_directory().is_dir() {
            return Ok(0);
        }
        let mut signed = 0;
        for entry in read_directory(&self.pending_directory())? {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(name) = name.strip_suffix(".json") else { continue };
            if super::request::check_name(name).is_err() || !self.layout.request_of(name).exists() {
                let _lock = self.lock()?;
                if !self.layout.request_of(name).exists() {
                    remove(&entry.path())?;
                }
                continue;
            }
            let Some(record) = self.pending_record(name) else { continue };
            if record["judged"] == Value::Bool(true) {
                continue;
            }
            let address = record["client"].as_str().and_then(|text| text.parse().ok());
            let by = Actor { address, ..Actor::default() };
            let judged = self.request(name).and_then(|request| self.judge_and_sign(name, &request, &by));
            match judged {
                Ok(was_signed) => signed += usize::from(was_signed),
                Err(problem) => log::warning(&format!("the request of {name} was not signed: {problem}")),
            }
        }
        Ok(signed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_address_and_minute() {
        let recent = RecentRequests::default();
        let (now, one) = (Instant::now(), IpAddr::from([10, 0, 0, 1]));
        assert!((0..3).all(|_| recent.admit(one, 3, now)));
        assert!(!recent.admit(one, 3, now) && recent.admit([10, 0, 0, 2].into(), 3, now));
        assert!(recent.admit(one, 3, now + WINDOW));
        let network = |last: u16| counted([0x2001, 0xdb8, 1, 2, 3, 4, 5, last].into());
        assert_eq!(network(1), network(2));
        assert_eq!(counted("::ffff:10.0.0.1".parse().unwrap()), one);
    }
}
