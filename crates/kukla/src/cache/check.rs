//! Checks whether the entries of a cache still hold.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use kukla_eval::environment::Node;
use kukla_hiera::parts::{Difference, FileParts};
use kukla_values::{Hash, Str};
use kukla_world::record::{Answer, Digest, Input, InputId, InputSet, Question};
use kukla_world::{Stamp, World};
use rustc_hash::FxHashMap;

use super::{Cache, Entry, FactSource, lasting};
use crate::basis::node_digest;
use crate::disk;

/// The state of the inputs of a cache; each is checked once, when it is needed.
#[derive(Debug)]
pub struct Check<'c> {
    cache: &'c Cache,
    world: &'c dyn World,
    began: u64,
    states: Vec<OnceLock<State>>,
    /// The inputs that are keys of data files.
    keys: FxHashMap<&'c str, InputId>,
    /// Data files of which a part has changed, as they are now.
    parts: Mutex<FxHashMap<Str, FileParts>>,
}

/// The state of an input.
#[derive(Clone, Debug)]
enum State {
    /// The answer is the same.
    Holds(Option<Stamp>),
    /// The data file has other values for these keys, of those that a node looked up.
    InParts { keys: Vec<InputId>, content: Digest, stamp: Option<Stamp> },
    /// The input has changed.
    Changed,
}

/// The facts of a node.
#[derive(Clone, Copy, Debug)]
pub enum Facts<'f> {
    /// The same as in the run before.
    Same,
    /// These.
    Are(&'f Hash),
}

/// The reason that a node is compiled in spite of a cache.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It is not in the cache.
    Unknown,
    /// Its name, trusted data, variables or classes have changed.
    Node,
    /// A fact among its inputs has changed.
    Fact(String),
    /// A data file has another value for a key that it looked up.
    Data(PathBuf, String),
    /// Another input has changed.
    Input(Question),
    /// Its catalog is missing or damaged.
    Lost,
    /// Its catalog has secrets, so it is not in the cache, and the file it was written to has changed.
    Secret,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Unknown => f.write_str("it is not in the cache"),
            Reason::Node => f.write_str("its trusted data, variables or classes have changed"),
            Reason::Fact(name) if name == "facts" => f.write_str("its facts have changed"),
            Reason::Fact(name) => {
                write!(f, "the fact '{}' has changed", name.strip_prefix("facts.").unwrap_or(name))
            }
            Reason::Data(path, key) => write!(f, "{} has another value of '{key}'", path.display()),
            Reason::Input(Question::Read(path) | Question::Data(path) | Question::Exists(path)) => {
                write!(f, "{} has changed", path.display())
            }
            Reason::Input(Question::List(path)) => {
                write!(f, "there are other files in {}", path.display())
            }
            Reason::Input(Question::Env(name)) => write!(f, "the environment variable {name} has changed"),
            Reason::Input(Question::Run(command)) => {
                write!(f, "'{}' prints something else", command.join(" "))
            }
            Reason::Input(Question::Now | Question::Key(_)) => f.write_str("it depends on the time"),
            Reason::Secret => f.write_str("its catalog has secrets, which are not cached"),
            Reason::Lost => f.write_str("its catalog is not in the cache any more"),
        }
    }
}

impl<'c> Check<'c> {
    pub(super) fn new(cache: &'c Cache, world: &'c dyn World) -> Check<'c> {
        let key = |(at, kept): (usize, &'c super::CachedInput)| match &kept.input.question {
            Question::Key(key) => Some((key.as_str(), InputId(u32::try_from(at).ok()?))),
            _ => None,
        };
        Check {
            cache,
            world,
            began: disk::clock(),
            states: cache.inputs.iter().map(|_| OnceLock::new()).collect(),
            keys: cache.inputs.iter().enumerate().filter_map(key).collect(),
            parts: Mutex::default(),
        }
    }

    /// When the first question could have been asked, by the clock of the disk.
    pub fn began(&self) -> u64 {
        self.began
    }

    /// The nodes whose facts a file has, if it is as it was.
    pub fn source(&self, path: &Path) -> Option<&'c [String]> {
        let source = self.cache.sources.get(path)?;
        let stamp = self.world.stamp(path);
        let same = (source.stamp.is_some() && stamp == source.stamp)
            || self.world.read(path).is_ok_and(|bytes| Digest::of([bytes]) == source.content);
        same.then_some(&source.nodes)
    }

    /// The entry of a fact file.
    pub fn new_source(&self, stamp: Option<Stamp>, content: &[u8], nodes: Vec<String>) -> FactSource {
        FactSource { content: Digest::of([content]), stamp: lasting(stamp, self.began), nodes }
    }

    /// The entry of a node, if its inputs are the same; otherwise the first difference.
    pub fn node(&self, node: &Node, environment: &str, facts: Facts<'_>) -> Result<&'c Entry, Reason> {
        let entry = self.cache.nodes.get(&node.name).ok_or(Reason::Unknown)?;
        if entry.basis.node != node_digest(node, environment) {
            return Err(Reason::Node);
        }
        if let Facts::Are(facts) = facts
            && let Some(fact) = entry.basis.changed_fact(facts)
        {
            return Err(Reason::Fact(fact.to_owned()));
        }
        match self.stale_input(&entry.basis.inputs) {
            Some(reason) => Err(reason),
            None if !entry.is_secret
                && entry.catalog.is_some_and(|catalog| !self.cache.has_catalog(catalog)) =>
            {
                Err(Reason::Lost)
            }
            None => Ok(entry),
        }
    }

    /// The first of these inputs that has changed.
    pub(super) fn stale_input(&self, inputs: &InputSet) -> Option<Reason> {
        inputs.iter().find_map(|id| {
            let question = || self.cache.inputs.get(id.0 as usize).map(|kept| kept.input.question.clone());
            match self.state(id) {
                State::Holds(_) => None,
                State::Changed => Some(Reason::Input(question().unwrap_or(Question::Now))),
                State::InParts { keys, .. } => {
                    let key = keys.iter().find(|key| inputs.contains(**key))?;
                    let named = self.cache.inputs.get(key.0 as usize).map(|kept| &kept.input.question);
                    match (question(), named) {
                        (Some(Question::Data(path)), Some(Question::Key(key))) => {
                            Some(Reason::Data(path, key.clone()))
                        }
                        (other, _) => Some(Reason::Input(other.unwrap_or(Question::Now))),
                    }
                }
            }
        })
    }

    /// Whether no input that was checked has changed, stamps included, so that the index need not be written.
    pub(super) fn is_unchanged(&self) -> bool {
        self.states.iter().zip(&self.cache.inputs).all(|(state, kept)| match state.get() {
            None => true,
            Some(State::Holds(stamp)) => *stamp == kept.stamp,
            Some(State::InParts { .. } | State::Changed) => false,
        })
    }

    /// An input that may have changed in parts, with the answer of today.
    pub(super) fn as_it_is(&self, id: InputId) -> Option<(Input, Option<Stamp>)> {
        let question = self.cache.inputs.get(id.0 as usize)?.input.question.clone();
        let answer = self.cache.inputs.get(id.0 as usize)?.input.answer;
        match self.state(id) {
            State::Holds(stamp) => Some((Input { question, answer }, *stamp)),
            State::InParts { content, stamp, .. } => {
                Some((Input { question, answer: Answer::Is(*content) }, *stamp))
            }
            State::Changed => None,
        }
    }

    /// A data file as it is now, if a part of it has changed.
    pub(super) fn parts(&self, path: &Str) -> Option<FileParts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    fn state(&self, id: InputId) -> &State {
        match self.states.get(id.0 as usize) {
            Some(state) => state.get_or_init(|| self.ask(id)),
            None => &State::Changed,
        }
    }

    fn ask(&self, id: InputId) -> State {
        let Some(kept) = self.cache.inputs.get(id.0 as usize) else { return State::Changed };
        let path = match &kept.input.question {
            Question::Read(path) | Question::Data(path) => path,
            _ if kept.input.holds(self.world) => return State::Holds(None),
            _ => return State::Changed,
        };
        let stamp = self.world.stamp(path);
        if kept.stamp.is_some() && kept.stamp == stamp {
            return State::Holds(stamp);
        }
        let stamp = lasting(stamp, self.began);
        let answer = kept.input.question.ask(self.world);
        if answer == kept.input.answer {
            return State::Holds(stamp);
        }
        match (&kept.input.question, answer, path.to_str().map(Str::from)) {
            (Question::Data(_), Answer::Is(content), Some(path)) => self.compare(&path, content, stamp),
            _ => State::Changed,
        }
    }

    /// Finds the keys for which a data file has other values.
    fn compare(&self, path: &Str, content: Digest, stamp: Option<Stamp>) -> State {
        let Some(known) = self.cache.parts.get(path) else { return State::Changed };
        let Some(now) = known.read_again(self.world, path) else { return State::Changed };
        let keys = match known.difference(&now) {
            Difference::Everything => return State::Changed,
            Difference::Keys(keys) => keys,
        };
        let keys = keys.iter().filter_map(|key| self.keys.get(key.as_str()).copied()).collect();
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone(), now);
        State::InParts { keys, content, stamp }
    }
}
