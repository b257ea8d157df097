//! Remarks about a file or a module: every compilation that uses it logs them once, when it first does.

use std::sync::Arc;

use kukla_syntax::Source;
use kukla_values::Name;
use kukla_world::record::InputSet;
use rustc_hash::FxHashMap;

use crate::error::Flow;
use crate::program::Program;
use crate::vm::Vm;

/// A remark about something that a compilation uses.
#[derive(Debug)]
pub enum Remark {
    /// Warnings about a text.
    Text {
        /// The text, under its name.
        source: Source,
        /// The program, which has the warnings.
        program: Arc<Program>,
    },
    /// The reason why a directory does not count as a module.
    Module(String),
    /// A parameter of a class or defined type has the name of a metaparameter.
    Metaparameter {
        /// The parameter.
        name: Name,
        /// The class or defined type.
        owner: Name,
    },
    /// The inputs of a text, for the record of the compilation; only if the world is recorded.
    Read(InputSet),
}

/// Remarks in the order in which they are made; usually there are none.
#[derive(Clone, Debug, Default)]
pub struct Remarks(Option<Arc<[Arc<Remark>]>>);

impl Remarks {
    fn as_slice(&self) -> &[Arc<Remark>] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Adds one at the end.
    pub(crate) fn add(&mut self, remark: Arc<Remark>) {
        self.0 = Some(self.as_slice().iter().cloned().chain([remark]).collect());
    }

    /// Adds others at the end; one that is made twice is heard once.
    pub(crate) fn extend(&mut self, others: &Remarks) {
        if others.0.is_none() {
            return;
        }
        if self.0.is_none() {
            self.clone_from(others);
            return;
        }
        for other in others.as_slice() {
            if !self.as_slice().iter().any(|known| Arc::ptr_eq(known, other)) {
                self.add(Arc::clone(other));
            }
        }
    }

    /// All that texts were read from.
    pub(crate) fn inputs(&self) -> InputSet {
        let mut all = InputSet::default();
        for remark in self.as_slice() {
            if let Remark::Read(inputs) = &**remark {
                all.extend(inputs);
            }
        }
        all
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// The remarks that a compilation has made so far.
#[derive(Debug, Default)]
pub(crate) struct RemarksMade {
    /// The remarks made, by address.
    made: FxHashMap<usize, Arc<Remark>>,
    /// For each cached answer in progress, the remarks that it needs, innermost last.
    asked: Vec<Remarks>,
}

impl RemarksMade {
    /// Those of some remarks that were not made yet; from now on they are.
    pub fn take_new(&mut self, remarks: &Remarks) -> Vec<Arc<Remark>> {
        if let Some(asked) = self.asked.last_mut() {
            asked.extend(remarks);
        }
        let is_new = |remark: &&Arc<Remark>| {
            self.made.insert(Arc::as_ptr(remark) as usize, Arc::clone(remark)).is_none()
        };
        remarks.as_slice().iter().filter(is_new).cloned().collect()
    }

    /// Begins to find an answer.
    pub fn begin(&mut self) {
        self.asked.push(Remarks::default());
    }

    /// Ends what [`RemarksMade::begin`] began; returns the remarks since then, made or already made before.
    pub fn finish(&mut self) -> Remarks {
        let remarks = self.asked.pop().unwrap_or_default();
        if let Some(outer) = self.asked.last_mut() {
            outer.extend(&remarks);
        }
        remarks
    }
}

impl Vm<'_> {
    /// Says what there is to say about something that is being used, unless that was done.
    #[inline]
    pub fn remark(&mut self, remarks: &Remarks) {
        if !remarks.is_empty() {
            self.compilation.remark(remarks);
        }
    }

    /// Finds an answer that is kept for later compilations, which then have to make the same remarks.
    pub(crate) fn answer<T>(&mut self, find: impl FnOnce(&mut Self) -> Flow<T>) -> Flow<(T, Remarks)> {
        self.compilation.remarks_made_mut().begin();
        let result = find(self);
        let remarks = self.compilation.remarks_made_mut().finish();
        Ok((result?, remarks))
    }
}
