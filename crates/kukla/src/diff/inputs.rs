//! Compares the inputs of catalogs of the old side with the new side.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use kukla_world::record::{InputId, InputSet, Ledger, Question};
use rustc_hash::FxHashMap;

use super::Files;
use super::files::SameAnswer;

/// The inputs of the old side that differ on the new side.
#[derive(Debug, Default)]
pub(super) struct Differing {
    /// The number of inputs compared so far.
    looked_at: usize,
    /// Inputs that differ.
    others: InputSet,
    /// Data files that have other values for some keys.
    partly: Vec<(InputId, BTreeSet<String>)>,
    /// The inputs that are keys.
    keys: FxHashMap<String, InputId>,
}

impl Differing {
    /// Compares one more input.
    pub fn look_at(&mut self, id: InputId, question: &Question, files: &Files<'_>) {
        self.looked_at += 1;
        if let Question::Key(key) = question {
            self.keys.insert(key.clone(), id);
        }
        match files.holds(question) {
            SameAnswer::Yes => {}
            SameAnswer::No => self.others.insert(id),
            SameAnswer::UnlessLookedUp(keys) => self.partly.push((id, keys)),
        }
    }

    /// Whether all of some inputs are the same on the new side.
    pub fn hold(&self, inputs: &InputSet) -> bool {
        let asked = |key: &String| self.keys.get(key).is_some_and(|id| inputs.contains(*id));
        let is_stale =
            |(id, keys): &(InputId, BTreeSet<String>)| inputs.contains(*id) && keys.iter().any(asked);
        !inputs.intersects(&self.others) && !self.partly.iter().any(is_stale)
    }
}

/// The inputs of a side as it is compiled, each compared once.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    differing: RwLock<Differing>,
}

impl Inputs {
    /// Whether all of some inputs are the same on the new side.
    pub fn hold(&self, ledger: &Ledger, files: &Files<'_>, inputs: &InputSet) -> bool {
        let differing = self.differing.read().unwrap_or_else(PoisonError::into_inner);
        if differing.looked_at >= ledger.len() {
            return differing.hold(inputs);
        }
        drop(differing);
        let mut differing = self.differing.write().unwrap_or_else(PoisonError::into_inner);
        for (id, input) in ledger.since(differing.looked_at) {
            differing.look_at(id, &input.question, files);
        }
        differing.hold(inputs)
    }
}
