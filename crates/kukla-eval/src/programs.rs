//! The programs of a process, by what they were read from.
//!
//! Two environments, or two revisions of one, are mostly the same files. A text is read once for all of them; what its names stand
//! for is another matter, see [`Unit`](crate::unit::Unit).

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kukla_syntax::validate::{FileNamespace, Rules};
use kukla_syntax::{Source, Strict};
use rustc_hash::{FxHashMap, FxHasher};

use crate::coverage::Coverage;
use crate::error::Diagnostic;
use crate::lower::{lower_epp, lower_marking};
use crate::program::Program;

/// So much text is kept for programs that nobody uses at the moment: a site that is opened again after a change finds the rest of
/// itself here.
const IDLE_BYTES: usize = 1 << 20;

/// The cost of a program however short its text is, in bytes of text.
const EACH: usize = 512;

/// The programs that were read so far and are in use, or were not long ago.
#[derive(Debug)]
pub struct Programs {
    stock: Mutex<Stock>,
    lowered: AtomicU64,
    /// Counts what runs, if that is asked for.
    coverage: Option<Arc<Coverage>>,
}

impl Default for Programs {
    fn default() -> Programs {
        Programs::keeping(IDLE_BYTES)
    }
}

/// The dialect of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// A manifest.
    Manifest,
    /// A template.
    Epp,
}

/// The circumstances that decide the outcome besides the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Circumstances {
    dialect: Dialect,
    strict: Strict,
    tasks: bool,
    /// The names that the file may define. Which file it is matters only for messages about invalid texts.
    namespace: Namespace,
    /// The file, where it is measured on its own.
    file: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Namespace {
    Any,
    Below(String),
    None,
}

#[derive(Debug)]
struct Stock {
    by_hash: FxHashMap<u64, Vec<Entry>>,
    /// The weight of all programs.
    bytes: usize,
    /// How much of that may be idle.
    idle: usize,
    /// How much there may be before idle programs are looked for.
    limit: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    circumstances: Circumstances,
    program: Arc<Program>,
    /// When it was last asked for.
    used: u64,
}

impl Programs {
    /// A store that retains this number of bytes of text for programs that are not in use.
    pub fn keeping(idle: usize) -> Programs {
        let stock = Stock { by_hash: FxHashMap::default(), bytes: 0, idle, limit: idle, clock: 0 };
        Programs { stock: Mutex::new(stock), lowered: AtomicU64::new(0), coverage: None }
    }

    /// A store of programs that count what runs.
    pub fn measuring(coverage: Arc<Coverage>) -> Programs {
        Programs { coverage: Some(coverage), ..Programs::keeping(usize::MAX / 4) }
    }

    /// The program of a text, read unless an equal one is known.
    pub fn read(
        &self,
        source: &Source,
        dialect: Dialect,
        rules: &Rules<'_>,
    ) -> Result<Arc<Program>, Box<Diagnostic>> {
        let mut circumstances = Circumstances::new(dialect, rules);
        let measured = self.coverage.as_deref().zip(source.name());
        circumstances.file = measured.map(|(_, file)| file.to_owned());
        let mut hasher = FxHasher::default();
        (source.text(), &circumstances).hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(known) = self.lock().find(hash, source.text(), &circumstances) {
            return Ok(known);
        }
        self.lowered.fetch_add(1, Ordering::Relaxed);
        let mut marks = Vec::new();
        let marking = measured.map(|_| &mut marks);
        let program = match dialect {
            Dialect::Manifest => lower_marking(source, rules, marking),
            Dialect::Epp => lower_epp(source, rules, marking),
        }?;
        if let Some((coverage, file)) = measured {
            coverage.add(file, &program.text, marks);
        }
        Ok(self.lock().add(hash, circumstances, Arc::new(program)))
    }

    /// How many texts were read so far because no equal one was known.
    pub fn lowered(&self) -> u64 {
        self.lowered.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Stock> {
        self.stock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Circumstances {
    fn new(dialect: Dialect, rules: &Rules<'_>) -> Circumstances {
        let namespace = match &rules.namespace {
            FileNamespace::Unrestricted => Namespace::Any,
            FileNamespace::Module { namespace, .. } => Namespace::Below(namespace.clone()),
            FileNamespace::Nowhere { .. } => Namespace::None,
        };
        Circumstances { dialect, strict: rules.strict, tasks: rules.tasks, namespace, file: None }
    }
}

/// The cost of retaining a program, in bytes of text.
fn weight(program: &Program) -> usize {
    program.text.len() + EACH
}

impl Stock {
    fn find(&mut self, hash: u64, text: &str, circumstances: &Circumstances) -> Option<Arc<Program>> {
        self.clock += 1;
        let entry = self.by_hash.get_mut(&hash)?.iter_mut().find(|entry| entry.is_of(text, circumstances))?;
        entry.used = self.clock;
        Some(Arc::clone(&entry.program))
    }

    /// Keeps a program, unless another thread was first with the same.
    fn add(&mut self, hash: u64, circumstances: Circumstances, program: Arc<Program>) -> Arc<Program> {
        if let Some(known) = self.find(hash, &program.text, &circumstances) {
            return known;
        }
        self.bytes += weight(&program);
        let entry = Entry { circumstances, program: Arc::clone(&program), used: self.clock };
        // Texts that are different have different hashes, so there is hardly ever a second one.
        self.by_hash.entry(hash).or_insert_with(|| Vec::with_capacity(1)).push(entry);
        if self.bytes > self.limit {
            self.drop_idle();
        }
        program
    }

    /// Forgets those among the programs nobody uses that were not asked for the longest, until what is left of them is half of
    /// what is allowed. What is in use stays, and is not looked at again before there is twice as much of it.
    fn drop_idle(&mut self) {
        let idle = |entry: &Entry| Arc::strong_count(&entry.program) == 1;
        let mut ages: Vec<(u64, usize)> = self
            .by_hash
            .values()
            .flatten()
            .filter(|entry| idle(entry))
            .map(|entry| (entry.used, weight(&entry.program)))
            .collect();
        ages.sort_unstable_by_key(|(used, _)| std::cmp::Reverse(*used));
        let mut allowed = self.idle / 2;
        let too_old = ages.iter().find(|(_, size)| match allowed.checked_sub(*size) {
            Some(left) => {
                allowed = left;
                false
            }
            None => true,
        });
        if let Some(&(too_old, _)) = too_old {
            let bytes = &mut self.bytes;
            self.by_hash.retain(|_, entries| {
                entries.retain(|entry| {
                    let stays = !idle(entry) || entry.used > too_old;
                    *bytes -= if stays { 0 } else { weight(&entry.program) };
                    stays
                });
                !entries.is_empty()
            });
        }
        self.limit = self.idle.max(self.bytes * 2);
    }
}

impl Entry {
    fn is_of(&self, text: &str, circumstances: &Circumstances) -> bool {
        *self.program.text == *text && self.circumstances == *circumstances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(programs: &Programs, text: &str) -> Arc<Program> {
        programs.read(&Source::unnamed(text), Dialect::Manifest, &Rules::default()).expect("it parses")
    }

    #[test]
    fn equal_texts_are_one_program() {
        let programs = Programs::default();
        let one = read(&programs, "$a = 1");
        assert!(Arc::ptr_eq(&one, &read(&programs, "$a = 1")));
        let strict = Rules { strict: Strict::Off, ..Rules::default() };
        let other = programs.read(&Source::unnamed("$a = 1"), Dialect::Manifest, &strict).expect("it parses");
        assert!(!Arc::ptr_eq(&one, &other));
        assert_eq!(programs.lowered(), 2);
    }

    #[test]
    fn what_nobody_uses_is_forgotten_in_the_end() {
        let programs = Programs::keeping(50_000);
        let used = read(&programs, "$used = 1");
        for n in 0..500 {
            drop(read(&programs, &format!("$idle = {}", 1000 + n)));
        }
        assert!(programs.lock().bytes <= 50_000 + weight(&used), "{}", programs.lock().bytes);
        let lowered = programs.lowered();
        assert!(Arc::ptr_eq(&used, &read(&programs, "$used = 1")));
        read(&programs, "$idle = 1499");
        assert_eq!(programs.lowered(), lowered);
        read(&programs, "$idle = 1000");
        assert_eq!(programs.lowered(), lowered + 1);
    }
}
