//! Reading ahead: while a compilation evaluates a text, another thread reads those that it names.
//!
//! Both read the same files in the same way, so all that changes is when. A text counts, with what it defines and what it was made
//! from, when the compilation asks for it; one that nobody asks for is forgotten when the compilation ends.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use kukla_syntax::roomy;
use kukla_values::Name;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::environment::{CodeKind, Environment, ReadText};
use crate::program::{Mention, Program};
use crate::remark::Remarks;

/// The texts that were read ahead of a compilation, and the mentions still to be followed.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    is_on: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Texts that were read, each with which of its mentions have not been looked at. What the compilation uses comes first.
    programs: VecDeque<(Arc<Program>, Range<usize>)>,
    texts: FxHashMap<OsString, Text>,
    /// Whether the compilation has just asked for what was being read.
    is_caught_up: bool,
    /// How many threads wait for something to change.
    waiting: u32,
    is_over: bool,
}

/// How often a thread looks again before it lies down to wait: most files are read sooner than a thread wakes up.
const LOOKS: u32 = 100;

/// How far a text has come.
#[derive(Debug)]
enum Text {
    Reading,
    Read(Box<ReadText>),
    /// The compilation has it, or reads it itself.
    Taken,
}

impl ReadAhead {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text of a file, if it was read ahead or is being read just now. From then on it is the compilation's.
    pub fn take(&self, path: &OsStr) -> Option<ReadText> {
        if !self.is_on.load(Ordering::Relaxed) {
            return None;
        }
        let mut state = self.state();
        let mut looks = 0;
        while let Some(Text::Reading) = state.texts.get(path) {
            state.is_caught_up = true;
            looks += 1;
            if looks < LOOKS {
                drop(state);
                thread::yield_now();
                state = self.state();
            } else {
                state = self.wait(state);
            }
        }
        let Some(text) = state.texts.get_mut(path) else {
            state.texts.insert(path.into(), Text::Taken);
            return None;
        };
        match std::mem::replace(text, Text::Taken) {
            Text::Read(read) => Some(*read),
            Text::Reading | Text::Taken => None,
        }
    }

    /// Announces a program that the compilation is about to use.
    pub fn announce(&self, program: &Arc<Program>) {
        if self.is_on.load(Ordering::Relaxed) && !program.mentions.is_empty() {
            let mut state = self.state();
            state.programs.push_front((Arc::clone(program), 0..program.mentions.len()));
            self.tell(&state);
        }
    }

    /// Forgets all that was read for a compilation that is over.
    fn forget(&self) {
        let mut state = self.state();
        *state = State { waiting: state.waiting, ..State::default() };
    }

    /// Waits until something changes.
    fn wait<'s>(&self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.waiting += 1;
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Wakes the threads that wait.
    fn tell(&self, state: &State) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// The next thing that a text mentions; waits for one, and gives none when the compilation is over.
    fn next(&self) -> Option<Mention> {
        let mut state = self.state();
        while !state.is_over {
            // Where the compilation has caught up, working next to it gains nothing: the other end is further ahead.
            let is_caught_up = std::mem::take(&mut state.is_caught_up);
            let Some((program, left)) = state.programs.front_mut() else {
                state = self.wait(state);
                continue;
            };
            match if is_caught_up { left.next_back() } else { left.next() } {
                Some(next) => return program.mentions.get(next).copied(),
                None => drop(state.programs.pop_front()),
            }
        }
        None
    }

    /// Begins to read a file, unless someone has.
    fn begin(&self, path: &OsStr) -> bool {
        let texts = &mut self.state().texts;
        let is_new = !texts.contains_key(path);
        if is_new {
            texts.insert(path.into(), Text::Reading);
        }
        is_new
    }

    /// Keeps what a file reads as; nothing if that could not be found out.
    fn finish(&self, path: &OsStr, read: Option<ReadText>) {
        let mut state = self.state();
        if let Some(ReadText { read: Ok((_, program)), .. }) = &read {
            state.programs.push_back((Arc::clone(program), 0..program.mentions.len()));
        }
        if let Some(text) = state.texts.get_mut(path) {
            *text = read.map_or(Text::Taken, |read| Text::Read(Box::new(read)));
        }
        self.tell(&state);
    }
}

/// Ends reading ahead, however the compilation ends.
struct UntilDropped<'a>(&'a ReadAhead);

impl Drop for UntilDropped<'_> {
    fn drop(&mut self) {
        self.0.is_on.store(false, Ordering::Relaxed);
        let mut state = self.0.state();
        state.is_over = true;
        self.0.tell(&state);
    }
}

impl Environment {
    /// Runs `work`, which begins with these programs, while another thread reads the files that they and later ones mention.
    ///
    /// Not where inputs are recorded: directories that are listed ahead become inputs of all compilations.
    pub fn reading_ahead<'p, T>(
        &self,
        programs: impl Iterator<Item = &'p Arc<Program>>,
        work: impl FnOnce() -> T,
    ) -> T {
        let is_pointless = self.modules().is_empty() || self.world.ledger().is_some();
        if is_pointless || self.ahead.is_on.swap(true, Ordering::Relaxed) {
            return work();
        }
        programs.for_each(|program| self.ahead.announce(program));
        let done = thread::scope(|scope| {
            let _until = UntilDropped(&self.ahead);
            // Without a thread everything is read when it is needed.
            let _ = thread::Builder::new().spawn_scoped(scope, || roomy(|| self.read_ahead()));
            work()
        });
        self.ahead.forget();
        done
    }

    fn read_ahead(&self) {
        let mut seen = FxHashSet::default();
        while let Some(mention) = self.ahead.next() {
            if seen.insert(mention) {
                // What goes wrong here goes wrong again where someone wants to know.
                let _ = catch_unwind(AssertUnwindSafe(|| self.read_mentioned(mention, &mut seen)));
            }
        }
    }

    fn read_mentioned(&self, mention: Mention, seen: &mut FxHashSet<Mention>) {
        match mention {
            Mention::Declared(name) => {
                if !self.read_manifests_of(name, seen) {
                    self.read_type(name.as_str());
                }
            }
            Mention::Function(name) if self.registry.get(name).is_some() => {}
            Mention::Function(name) => {
                if !self.read_file_of(CodeKind::Function, name)
                    && let Some(path) = self.ruby_function(None, name.as_str())
                {
                    self.read_foreign(&path);
                }
            }
            Mention::Type(name) => {
                self.read_file_of(CodeKind::Type, name);
            }
            Mention::Template(name) => self.read_template(name.as_str()),
        }
    }

    fn read_template(&self, name: &str) {
        let Some((first, rest)) = name.split_once('/') else { return };
        let Some(module) = self.module(first) else { return };
        let path = module.root.join("templates").join(rest);
        if name.ends_with(".epp") {
            self.read_file(Some(path));
        } else {
            self.read_foreign(&path);
        }
    }

    fn read_foreign(&self, path: &Path) {
        if let Some(extensions) = &self.extensions {
            extensions.read_ahead(self, path);
        }
    }

    /// Reads the manifest of a class or defined type, and that of its module before it. Gives whether there is one.
    fn read_manifests_of(&self, name: Name, seen: &mut FxHashSet<Mention>) -> bool {
        let (first, rest) = name.as_str().split_once("::").unwrap_or((name.as_str(), "init"));
        let Some(module) = self.module(first) else { return false };
        let file = |name: &str| self.module_file(module, CodeKind::Manifest, name.split("::"));
        if rest != "init" && seen.insert(Mention::Declared(module.name)) {
            self.read_file(file("init"));
        }
        self.read_file(file(rest))
    }

    fn read_file_of(&self, kind: CodeKind, name: Name) -> bool {
        self.read_file(self.path_of(kind, name.as_str(), &mut Remarks::default()))
    }

    fn read_file(&self, path: Option<PathBuf>) -> bool {
        let Some(path) = path else { return false };
        if !self.has_loaded(&path) && self.ahead.begin(path.as_os_str()) {
            // The compilation may be waiting for it.
            let read = catch_unwind(AssertUnwindSafe(|| self.read_text(&path)));
            self.ahead.finish(path.as_os_str(), read.ok());
        }
        true
    }
}
