//! Findings of one compilation that others may use, if they see the same variables.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use kukla_values::Str;
use rustc_hash::FxHashMap;

/// The maximal number of findings about one subject.
const KEPT: usize = 4;

/// After this number of findings without a user, no more are stored. Where each node has data of its own, an answer fits no other
/// node, and keeping it would only make compilations wait for each other.
const IN_VAIN: u32 = 32;

/// Findings by what they are about. No lock is held while someone looks whether one fits.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    findings: RwLock<FxHashMap<Str, Arc<Findings<T>>>>,
}

/// The findings about one thing, the newest last.
#[derive(Debug)]
pub(crate) struct Findings<T> {
    kept: Vec<T>,
    /// How many were kept since one was last of use.
    in_vain: AtomicU32,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool { findings: RwLock::default() }
    }
}

impl<T: Clone> Pool<T> {
    /// The findings about a subject, if they were ever used.
    pub fn get(&self, key: &str) -> Option<(Str, Arc<Findings<T>>)> {
        let findings = self.findings.read().unwrap_or_else(PoisonError::into_inner);
        let (key, found) = findings.get_key_value(key)?;
        (!found.is_given_up()).then(|| (key.clone(), Arc::clone(found)))
    }

    /// Keeps a finding, unless earlier ones were of no use.
    pub fn keep(&self, key: &Str, finding: impl FnOnce() -> T) {
        let is_given_up = {
            let findings = self.findings.read().unwrap_or_else(PoisonError::into_inner);
            findings.get(key).is_some_and(|found| found.is_given_up())
        };
        if is_given_up {
            return;
        }
        let mut findings = self.findings.write().unwrap_or_else(PoisonError::into_inner);
        let (mut kept, mut in_vain) = (Vec::with_capacity(KEPT), 0);
        if let Some(earlier) = findings.get(key) {
            in_vain = earlier.in_vain.load(Ordering::Relaxed);
            let newest = earlier.kept.len().saturating_sub(KEPT - 1);
            kept.extend_from_slice(&earlier.kept[newest..]);
        }
        kept.push(finding());
        let found = Findings { kept, in_vain: AtomicU32::new(in_vain + 1) };
        findings.insert(key.clone(), Arc::new(found));
    }
}

impl<T> Findings<T> {
    /// The newest that fits.
    pub fn find(&self, fits: impl FnMut(&&T) -> bool) -> Option<&T> {
        let found = self.kept.iter().rev().find(fits)?;
        // Written once, not by every compilation.
        if self.in_vain.load(Ordering::Relaxed) != 0 {
            self.in_vain.store(0, Ordering::Relaxed);
        }
        Some(found)
    }

    fn is_given_up(&self) -> bool {
        self.in_vain.load(Ordering::Relaxed) >= IN_VAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_no_use_is_not_kept() {
        let pool = Pool::default();
        let key = Str::from("key");
        for n in 0..100 {
            pool.keep(&key, || n);
            let found = pool.get("key").and_then(|(_, findings)| findings.find(|_| n % 10 == 0).copied());
            assert_eq!(found, (n % 10 == 0).then_some(n), "one use in ten keeps it going");
        }
        for n in 0..IN_VAIN {
            pool.keep(&key, || n);
        }
        assert!(pool.get("key").is_none());
        pool.keep(&key, || panic!("asked for what is not kept"));
    }

    #[test]
    fn the_newest_are_kept() {
        let pool = Pool::default();
        (0..10).for_each(|n| pool.keep(&"key".into(), || n));
        let (_, findings) = pool.get("key").expect("kept");
        assert_eq!(findings.find(|n| **n <= 7), Some(&7));
        assert_eq!(findings.find(|n| **n < 6), None);
    }
}
