//! Cached answers: of one compilation, and of all compilations of a fleet that see the same variables.

use std::sync::Arc;

use kukla_values::{Hash, Str, Value};
use rustc_hash::FxHashMap;

use crate::host::Host;
use crate::layer::Resolved;
use crate::pool::Pool;
use crate::reads::{Needs, Reads};
use crate::session::ValueOrigin;

/// The cached outcome of a search for a key.
#[derive(Debug)]
pub(crate) struct Answer {
    pub value: Option<Value>,
    pub origins: Vec<Arc<ValueOrigin>>,
    pub options: Option<Hash>,
    pub needs: Needs,
}

/// The parts of a question besides the key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LookupMode {
    pub merge: Option<Value>,
    pub global_only: bool,
}

impl LookupMode {
    fn is(&self, merge: Option<&Value>, global_only: bool) -> bool {
        self.global_only == global_only && self.merge.as_ref() == merge
    }
}

type Table = FxHashMap<Str, Vec<(LookupMode, Arc<Answer>)>>;

/// The answers of one compilation.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    own: Table,
    /// The readings that are known to hold or not, and as long as what; each is kept alive so that its address stays its own.
    checked: FxHashMap<usize, (u64, bool, Arc<Reads>)>,
}

impl Answers {
    fn candidate(&self, key: &str, merge: Option<&Value>, global_only: bool) -> Option<Arc<Answer>> {
        let (_, answer) = self.own.get(key)?.iter().find(|(known, _)| known.is(merge, global_only))?;
        Some(Arc::clone(answer))
    }

    fn own(&mut self, key: &Str, how: LookupMode, answer: Arc<Answer>) {
        let known = self.own.entry(key.clone()).or_default();
        known.retain(|(other, _)| *other != how);
        known.push((how, answer));
    }

    /// Whether readings still hold; the host is asked for every variable only if it cannot tell otherwise.
    pub fn holds(&mut self, host: &mut dyn Host, reads: &Arc<Reads>) -> bool {
        let token = if reads.watch.blind { None } else { host.token(&reads.watch) };
        let address = Arc::as_ptr(reads).addr();
        if let Some(token) = token
            && let Some((known, holds, _)) = self.checked.get(&address)
            && *known == token
        {
            return *holds;
        }
        let holds = reads.is_current(host);
        if let Some(token) = token {
            self.checked.insert(address, (token, holds, Arc::clone(reads)));
        }
        holds
    }

    fn is_valid(&mut self, host: &mut dyn Host, answer: &Answer) -> bool {
        answer.needs.reads.iter().all(|reads| self.holds(host, reads))
    }

    /// The answer to a question that is known, or that others have.
    pub fn known(
        &mut self,
        shared: &Shared,
        host: &mut dyn Host,
        key: &str,
        merge: Option<&Value>,
        global_only: bool,
    ) -> Option<Arc<Answer>> {
        if let Some(own) = self.candidate(key, merge, global_only)
            && self.is_valid(host, &own)
        {
            return Some(own);
        }
        let (key, others) = shared.answers.get(key)?;
        let fits = |(how, answer): &&(LookupMode, Arc<Answer>)| {
            how.is(merge, global_only) && self.is_valid(host, answer)
        };
        let (_, found) = others.find(fits)?;
        // An answer that depends on no variable holds for as long as it is shared.
        if found.needs.reads.is_empty() {
            return Some(Arc::clone(found));
        }
        self.own(&key, LookupMode { merge: merge.cloned(), global_only }, Arc::clone(found));
        Some(Arc::clone(found))
    }

    /// Keeps an answer, also for others if they may have it.
    pub fn keep(&mut self, shared: Option<&Shared>, key: &Str, how: LookupMode, answer: Answer) {
        let answer = Arc::new(answer);
        if let Some(shared) = shared.filter(|_| !answer.needs.private) {
            shared.answers.keep(key, || (how.clone(), Arc::clone(&answer)));
        }
        self.own(key, how, answer);
    }
}

/// Answers and hierarchies that compilations with the same settings share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    answers: Pool<(LookupMode, Arc<Answer>)>,
    layers: Pool<Arc<Resolved>>,
}

impl Shared {
    /// A hierarchy that another compilation resolved with the same variables.
    pub fn resolved(&self, config: &Str, host: &mut dyn Host) -> Option<Arc<Resolved>> {
        let (_, known) = self.layers.get(config)?;
        known.find(|known| known.reads.is_current(host)).cloned()
    }

    /// Keeps a hierarchy for other compilations.
    pub fn keep_resolved(&self, config: &Str, resolved: &Arc<Resolved>) {
        self.layers.keep(config, || Arc::clone(resolved));
    }
}
