//! The record of inputs: the questions to the world that a result depends on, and their answers.
//!
//! Everything that is cached from answers of the world (a program, a data file, the answer to a lookup) carries the
//! [`InputSet`] it was made from; [`tracked`] returns one. Users of a cached value add its set to their own. So the
//! record of a compilation is complete although most of its inputs were read for others before it.
//!
//! Inputs are numbers into the [`Ledger`] of a [`Recorded`] world, which has each question with its answer once. A world without a ledger is
//! not recorded, and all sets stay empty.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use indexmap::IndexSet;
use kukla_values::time::Timestamp;
use rustc_hash::FxBuildHasher;
use sha2::{Digest as _, Sha256};

use crate::policy::{Clock, Randomness};
use crate::{CommandOutput, Conversation, DirectoryEntry, FileError, FileResult, Ownership, Stamp, World};

/// A question to the world.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    /// The content of a file.
    Read(PathBuf),
    /// The content of a data file, of which only the keys matter that were looked up.
    Data(PathBuf),
    /// The value of a key in data files. The answer is in the files.
    Key(String),
    /// Whether something is at a path.
    Exists(PathBuf),
    /// The entries of a directory.
    List(PathBuf),
    /// The value of an environment variable.
    Env(String),
    /// The output of a command.
    Run(Vec<String>),
    /// The present time.
    Now,
}

/// The answer of the world, with enough detail to test whether it would be the same again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// There is nothing of that name.
    Absent,
    /// There is something of that name.
    Present,
    /// It exists, but cannot be read.
    Refused,
    /// It is this.
    Is(Digest),
    /// It is never the same.
    Passing,
}

/// The SHA-256 digest of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of several parts; where one ends and the next begins makes a difference.
    pub fn of<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Digest {
        let mut hasher = Sha256::new();
        for part in parts {
            let part = part.as_ref();
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Digest(hasher.finalize().into())
    }
}

impl Question {
    /// Asks it.
    pub fn ask(&self, world: &dyn World) -> Answer {
        match self {
            Question::Read(path) | Question::Data(path) => Answer::read(&world.read(path)),
            Question::Key(_) => Answer::Present,
            Question::Exists(path) => Answer::exists(world.exists(path)),
            Question::List(path) => Answer::list(&world.list(path)),
            Question::Env(name) => Answer::env(&world.env(name)),
            Question::Run(command) => Answer::run(&world.run(command)),
            Question::Now => Answer::Passing,
        }
    }
}

impl Answer {
    fn read(found: &FileResult<Vec<u8>>) -> Answer {
        Answer::file(found, |bytes| Digest::of([bytes]))
    }

    fn exists(there: bool) -> Answer {
        if there { Answer::Present } else { Answer::Absent }
    }

    fn list(entries: &[DirectoryEntry]) -> Answer {
        let kind = |entry: &DirectoryEntry| [u8::from(entry.is_directory), u8::from(entry.is_link)];
        Answer::Is(Digest::of(
            entries.iter().flat_map(|entry| [entry.name.as_bytes().to_vec(), kind(entry).to_vec()]),
        ))
    }

    fn env(value: &FileResult<Option<String>>) -> Answer {
        match value {
            Ok(Some(value)) => Answer::Is(Digest::of([value])),
            Ok(None) => Answer::Absent,
            Err(_) => Answer::Refused,
        }
    }

    fn run(output: &FileResult<CommandOutput>) -> Answer {
        Answer::file(output, |output| {
            let code = format!("{:?}", output.code);
            Digest::of([code.as_bytes(), &output.stdout, &output.stderr])
        })
    }

    fn file<T>(found: &FileResult<T>, digest: impl FnOnce(&T) -> Digest) -> Answer {
        match found {
            Ok(found) => Answer::Is(digest(found)),
            Err(FileError::NotFound) => Answer::Absent,
            Err(FileError::Other(_) | FileError::Refused(_)) => Answer::Refused,
        }
    }
}

/// A question and its answer: one dependency of a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Input {
    /// The question.
    pub question: Question,
    /// The answer.
    pub answer: Answer,
}

impl Input {
    /// Whether the world still answers the same. To find out about a command it is run.
    pub fn holds(&self, world: &dyn World) -> bool {
        self.answer != Answer::Passing && self.question.ask(world) == self.answer
    }
}

/// The number of an input in a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InputId(pub u32);

/// All inputs of a world. It is written when something is read for the first time, and hardly ever after that.
#[derive(Debug, Default)]
pub struct Ledger {
    inputs: RwLock<IndexSet<Input, FxBuildHasher>>,
}

impl Ledger {
    fn id(&self, question: Question, answer: Answer) -> InputId {
        let input = Input { question, answer };
        let number = |at: usize| InputId(u32::try_from(at).unwrap_or(u32::MAX));
        let known = self.inputs.read().unwrap_or_else(PoisonError::into_inner).get_index_of(&input);
        number(known.unwrap_or_else(|| {
            self.inputs.write().unwrap_or_else(PoisonError::into_inner).insert_full(input).0
        }))
    }

    /// Notes that data files were asked for a key.
    pub fn key(&self, key: &str) -> InputId {
        self.id(Question::Key(key.to_owned()), Answer::Present)
    }

    /// The same inputs, where what was read is a data file, of which not every key matters.
    pub fn in_parts(&self, set: &InputSet) -> InputSet {
        self.renamed(set, |question| match question {
            Question::Read(path) => Question::Data(path),
            other => other,
        })
    }

    /// The same inputs, where all of every data file matters.
    pub fn as_a_whole(&self, set: &InputSet) -> InputSet {
        self.renamed(set, |question| match question {
            Question::Data(path) => Question::Read(path),
            other => other,
        })
    }

    fn renamed(&self, set: &InputSet, rename: impl Fn(Question) -> Question) -> InputSet {
        let mut renamed = InputSet::default();
        for Input { question, answer } in self.inputs(set) {
            renamed.insert(self.id(rename(question), answer));
        }
        renamed
    }

    /// How many inputs there are.
    pub fn len(&self) -> usize {
        self.inputs.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The inputs from some number on, each with its own.
    pub fn since(&self, first: usize) -> Vec<(InputId, Input)> {
        let inputs = self.inputs.read().unwrap_or_else(PoisonError::into_inner);
        let numbered = inputs.iter().enumerate().skip(first);
        numbered.filter_map(|(at, input)| Some((InputId(u32::try_from(at).ok()?), input.clone()))).collect()
    }

    /// All inputs, each at the place of its number.
    pub fn all(&self) -> Vec<Input> {
        self.inputs.read().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The inputs of a set, in the order in which they were first read.
    pub fn inputs(&self, set: &InputSet) -> Vec<Input> {
        let inputs = self.inputs.read().unwrap_or_else(PoisonError::into_inner);
        set.iter().filter_map(|InputId(id)| inputs.get_index(id as usize).cloned()).collect()
    }
}

/// Inputs of one ledger; empty ones cost nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputSet {
    /// A bit for each input of the ledger, as far as it is needed.
    bits: Vec<u64>,
}

impl InputSet {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Adds one.
    pub fn insert(&mut self, InputId(id): InputId) {
        let (word, bit) = (id as usize / 64, id % 64);
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << bit;
    }

    /// Adds all of another set.
    pub fn extend(&mut self, other: &InputSet) {
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        self.bits.iter_mut().zip(&other.bits).for_each(|(own, others)| *own |= others);
    }

    /// Whether an input is among them.
    pub fn contains(&self, InputId(id): InputId) -> bool {
        self.bits.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    /// Whether an input of another set is among them.
    pub fn intersects(&self, other: &InputSet) -> bool {
        self.bits.iter().zip(&other.bits).any(|(own, others)| own & others != 0)
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = InputId> {
        // The lowest bit is returned and cleared until there is none.
        let words = |word: u64| std::iter::successors(Some(word), |left| Some(left & left.wrapping_sub(1)));
        let set = move |word: u64| words(word).take_while(|left| *left != 0).map(u64::trailing_zeros);
        (0u32..).zip(&self.bits).flat_map(move |(at, word)| set(*word).map(move |bit| InputId(at * 64 + bit)))
    }
}

/// The inputs of one compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The inputs of its code, and what the code read itself: manifests, templates, commands.
    pub code: InputSet,
    /// The data files that were found, and the keys that were looked up.
    pub data: InputSet,
    /// The variables of the node that were used: the name of a fact or of another variable that it may set, whether it does or not; `facts.NAME`
    /// for one of `$facts`, or `facts` for all of them.
    pub facts: BTreeSet<String>,
    /// The types whose exported resources were collected.
    pub collected: BTreeSet<String>,
}

/// A world that keeps a ledger. Reading from it directly records nothing: [`tracked`] and [`Tracker`] do that.
#[derive(Debug, Default)]
pub struct Recorded<W> {
    world: W,
    ledger: Ledger,
}

impl<W: World> Recorded<W> {
    /// A world whose answers can be recorded.
    pub fn new(world: W) -> Recorded<W> {
        Recorded { world, ledger: Ledger::default() }
    }
}

impl<W: World> World for Recorded<W> {
    fn inner(&self) -> Option<&dyn World> {
        Some(&self.world)
    }

    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        self.world.read_stamped(path)
    }

    fn ledger(&self) -> Option<&Ledger> {
        Some(&self.ledger)
    }
}

/// A world for making one thing: it records every question.
#[derive(Debug)]
pub struct Tracker<'w> {
    world: &'w dyn World,
    ledger: &'w Ledger,
    record: Mutex<Record>,
    /// The one of `$facts` that is used, if only one is.
    single_fact: Mutex<Option<String>>,
}

impl<'w> Tracker<'w> {
    /// Tracks the questions to a world, if it keeps a ledger.
    pub fn new(world: &'w dyn World) -> Option<Tracker<'w>> {
        let ledger = world.ledger()?;
        Some(Tracker { world, ledger, record: Mutex::default(), single_fact: Mutex::default() })
    }

    fn note(&self, question: Question, answer: Answer) {
        let id = self.ledger.id(question, answer);
        self.with(|record| record.code.insert(id));
    }

    fn with<T>(&self, change: impl FnOnce(&mut Record) -> T) -> T {
        change(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that something was used that code was made from.
    pub fn used(&self, inputs: &InputSet) {
        self.with(|record| record.code.extend(inputs));
    }

    /// Notes that the node was asked something.
    pub fn fact(&self, name: &str) {
        let wanted = match name {
            "facts" => self.single_fact().as_ref().map(|part| format!("facts.{part}")),
            _ => None,
        };
        let name = wanted.as_deref().unwrap_or(name);
        self.with(|record| {
            if !record.facts.contains(name) {
                record.facts.insert(name.to_owned());
            }
        });
    }

    /// Sets the fact that the next use of `$facts` is about, if it is only one.
    pub fn want_fact(&self, name: Option<&str>) {
        *self.single_fact() = name.map(str::to_owned);
    }

    fn single_fact(&self) -> MutexGuard<'_, Option<String>> {
        self.single_fact.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the exported resources of a type were collected.
    pub fn collected(&self, type_name: &str) {
        self.with(|record| record.collected.insert(type_name.to_owned()));
    }

    /// The recorded inputs.
    pub fn into_record(self) -> Record {
        self.record.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl World for Tracker<'_> {
    fn inner(&self) -> Option<&dyn World> {
        Some(self.world)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        let content = self.world.read(path);
        self.note(Question::Read(path.to_owned()), Answer::read(&content));
        content
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        let entries = self.world.list(path);
        self.note(Question::List(path.to_owned()), Answer::list(&entries));
        entries
    }

    fn now(&self) -> Timestamp {
        // A time that the policy fixes is as constant as the policy.
        if !matches!(self.world.policy().clock, Clock::Fixed(_)) {
            self.note(Question::Now, Answer::Passing);
        }
        self.world.now()
    }

    fn seed(&self) -> Digest {
        if self.world.policy().randomness == Randomness::On {
            self.note(Question::Now, Answer::Passing);
        }
        self.world.seed()
    }

    fn ownership(&self, path: Option<&Path>) -> FileResult<Ownership> {
        // Owners and times of files are not recorded, so nothing shows whether they are still the same.
        self.note(Question::Now, Answer::Passing);
        self.world.ownership(path)
    }

    fn env(&self, name: &str) -> FileResult<Option<String>> {
        let value = self.world.env(name);
        self.note(Question::Env(name.to_owned()), Answer::env(&value));
        value
    }

    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
        let output = self.world.run(command);
        self.note(Question::Run(command.to_vec()), Answer::run(&output));
        output
    }

    fn converse(&self, command: &[String]) -> FileResult<Box<dyn Conversation>> {
        self.note(Question::Run(command.to_vec()), Answer::Passing);
        self.world.converse(command)
    }

    fn exists(&self, path: &Path) -> bool {
        let exists = self.world.exists(path);
        self.note(Question::Exists(path.to_owned()), Answer::exists(exists));
        exists
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        // Callers compare stamps to learn whether the content is another one.
        self.note(Question::Read(path.to_owned()), Answer::read(&self.world.read(path)));
        self.world.stamp(path)
    }

    fn ledger(&self) -> Option<&Ledger> {
        Some(self.ledger)
    }
}

/// Makes something and gives its inputs; none if the world keeps no ledger.
pub fn tracked<T>(world: &dyn World, make: impl FnOnce(&dyn World) -> T) -> (T, InputSet) {
    match Tracker::new(world) {
        Some(tracker) => {
            let made = make(&tracker);
            (made, tracker.into_record().code)
        }
        None => (make(world), InputSet::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryWorld;

    fn ask_everything(world: &dyn World) {
        let _ = world.read(Path::new("/a/x"));
        let _ = world.read(Path::new("/a/none"));
        world.exists(Path::new("/a"));
        world.list(Path::new("/a"));
        let _ = world.env("HOME");
    }

    #[test]
    fn inputs_hold_until_their_answer_changes() {
        let world = MemoryWorld::default().with("/a/x", "1");
        let recorded = Recorded::new(world.clone());
        let ((), inputs) = tracked(&recorded, ask_everything);
        let inputs = recorded.ledger.inputs(&inputs);
        assert_eq!(inputs.len(), 5);
        let stale = |world: &MemoryWorld| {
            let stale = inputs.iter().filter(|input| !input.holds(world));
            stale.map(|input| format!("{:?}", input.question)).collect::<Vec<_>>()
        };
        assert!(stale(&world).is_empty());
        assert_eq!(stale(&world.clone().with("/a/x", "2")), ["Read(\"/a/x\")"]);
        assert_eq!(stale(&world.clone().with("/a/y", "")), ["List(\"/a\")"]);
        assert_eq!(stale(&world.clone().with("/a/none", "")), ["Read(\"/a/none\")", "List(\"/a\")"]);
        let mut other = world.clone();
        other.env.insert("HOME".into(), "/root".into());
        assert_eq!(stale(&other), ["Env(\"HOME\")"]);
    }

    #[test]
    fn what_was_made_for_others_counts_as_read() {
        let world = Recorded::new(MemoryWorld::default().with("/a/x", "1"));
        let ((), made_before) = tracked(&world, ask_everything);
        let tracker = Tracker::new(&world).expect("a ledger");
        tracker.used(&made_before);
        tracker.now();
        let record = tracker.into_record();
        assert!(made_before.iter().all(|id| record.code.contains(id)));
        assert_eq!(record.code.iter().count(), 6);
        let inputs = world.ledger.inputs(&record.code);
        assert!(inputs.iter().any(|input| input.question == Question::Now && !input.holds(&world)));
    }

    #[test]
    fn every_way_to_read_a_file_is_recorded() {
        let world = Recorded::new(MemoryWorld::default().with("/a/x", "1"));
        let path = Path::new("/a/x");
        let ways: [fn(&dyn World, &Path); 3] = [
            |world, path| drop(world.read(path)),
            |world, path| drop(world.read_stamped(path)),
            |world, path| assert!(world.stamp(path).is_some()),
        ];
        for (at, way) in ways.into_iter().enumerate() {
            let ((), inputs) = tracked(&world, |world| way(world, path));
            let questions = world.ledger.inputs(&inputs).into_iter().map(|input| input.question);
            assert_eq!(questions.collect::<Vec<_>>(), [Question::Read(path.to_owned())], "way {at}");
        }
    }

    #[test]
    fn a_world_without_a_ledger_is_not_recorded() {
        let world = MemoryWorld::default();
        let ((), inputs) = tracked(&world, ask_everything);
        assert!(inputs.is_empty() && Tracker::new(&world).is_none());
    }

    #[test]
    fn the_parts_of_a_digest_do_not_run_together() {
        assert_ne!(Digest::of(["ab", "c"]), Digest::of(["a", "bc"]));
    }
}
