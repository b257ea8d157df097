//! The dependencies of a hierarchy or an answer, which is cached for as long as they stay the same.

use std::sync::Arc;

use kukla_values::{Str, Value};
use kukla_world::record::InputSet;

use crate::host::{Host, Variable, Watch};

/// A variable, or something inside it, and the value it had; `undef` if it had none.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub root: Str,
    pub segments: Vec<Value>,
    pub value: Value,
}

impl Reading {
    fn is_current(&self, host: &mut dyn Host) -> bool {
        let Variable::Found(value) = host.variable_part(&self.root, &self.segments) else {
            return self.value.is_undef();
        };
        let mut value = &value;
        for segment in &self.segments {
            let next = match (value, segment) {
                (Value::Array(array), Value::Integer(n)) => {
                    usize::try_from(*n).ok().and_then(|n| array.get(n))
                }
                (Value::Hash(hash), segment) => hash.get(segment),
                _ => None,
            };
            value = match next {
                Some(next) => next,
                None => return self.value.is_undef(),
            };
        }
        *value == self.value
    }
}

/// The variables that one thing was made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    readings: Vec<Reading>,
    /// The variables as the host can watch them.
    pub watch: Watch,
}

impl Reads {
    pub fn is_empty(&self) -> bool {
        self.readings.is_empty()
    }

    /// Notes a reading, unless it is known.
    pub fn note(&mut self, host: &dyn Host, reading: Reading) {
        let same = |known: &Reading| known.root == reading.root && known.segments == reading.segments;
        if !self.readings.iter().any(same) {
            match host.watch(&reading.root) {
                Some(name) => {
                    self.watch.names.push(name);
                    self.watch.marks |= name.mark();
                }
                None => self.watch.blind = true,
            }
            self.readings.push(reading);
        }
    }

    /// Takes back what was noted since there were `count` readings if it is about a variable of that name.
    pub fn forget(&mut self, count: usize, root: &str) {
        let mut n = 0;
        self.readings.retain(|reading| {
            n += 1;
            n <= count || reading.root != root
        });
    }

    /// How many readings there are.
    pub fn count(&self) -> usize {
        self.readings.len()
    }

    /// Whether all variables still have the values they had.
    pub fn is_current(&self, host: &mut dyn Host) -> bool {
        self.readings.iter().all(|reading| reading.is_current(host))
    }
}

/// All that an answer depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// The variables behind the hierarchies and other answers that it was found in.
    pub reads: Vec<Arc<Reads>>,
    /// The variables it read itself.
    pub own: Reads,
    /// The files that it was found in or searched for in.
    pub inputs: InputSet,
    /// Whether the next answer may be another one, or asking has effects: a function was called, a warning given.
    pub fickle: bool,
    /// Whether it is for one compilation only: something was decrypted, which that compilation must know.
    pub private: bool,
}

impl Needs {
    /// Adds what was needed to resolve a hierarchy.
    pub fn add(&mut self, reads: &Arc<Reads>) {
        if !reads.is_empty() && !self.reads.iter().any(|known| Arc::ptr_eq(known, reads)) {
            self.reads.push(Arc::clone(reads));
        }
    }

    /// Adds what something else needed.
    pub fn absorb(&mut self, other: &Needs) {
        other.reads.iter().for_each(|reads| self.add(reads));
        if !other.own.is_empty() {
            self.add(&Arc::new(other.own.clone()));
        }
        self.inputs.extend(&other.inputs);
        self.fickle |= other.fickle;
        self.private |= other.private;
    }

    /// The same, with what was read itself among the rest.
    pub fn with_own_reads(mut self) -> Needs {
        if !self.own.is_empty() {
            self.reads.push(Arc::new(std::mem::take(&mut self.own)));
        }
        self
    }
}
