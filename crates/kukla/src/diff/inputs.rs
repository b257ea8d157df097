//! Whether what a catalog of the side before rests on is the same on the side after.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use kukla_world::record::{InputId, InputSet, Ledger, Question};
use rustc_hash::FxHashMap;

use super::Files;
use super::files::Holds;

/// What is known of the inputs of the side before, each looked at once.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// How many inputs were looked at.
    looked_at: usize,
    /// Inputs that are others on the side after.
    others: InputSet,
    /// Data files that say something else under some keys.
    partly: Vec<(InputId, BTreeSet<String>)>,
    /// The inputs that stand for keys.
    keys: FxHashMap<String, InputId>,
}

impl Inputs {
    /// Whether all of some inputs are the same on the side after.
    pub fn hold(&self, ledger: &Ledger, files: &Files<'_>, inputs: &InputSet) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if known.looked_at >= ledger.len() {
            return known.hold(inputs);
        }
        drop(known);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for (id, input) in ledger.since(known.looked_at) {
            known.looked_at += 1;
            if let Question::Key(key) = &input.question {
                known.keys.insert(key.clone(), id);
            }
            match files.holds(&input.question) {
                Holds::Yes => {}
                Holds::No => known.others.insert(id),
                Holds::UnlessAsked(keys) => known.partly.push((id, keys)),
            }
        }
        known.hold(inputs)
    }
}

impl Known {
    fn hold(&self, inputs: &InputSet) -> bool {
        let asked = |key: &String| self.keys.get(key).is_some_and(|id| inputs.contains(*id));
        let is_stale =
            |(id, keys): &(InputId, BTreeSet<String>)| inputs.contains(*id) && keys.iter().any(asked);
        !inputs.intersects(&self.others) && !self.partly.iter().any(is_stale)
    }
}
