//! Reading files into units, and checking the signatures in them.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::thread::{self, ThreadId};

use kukla_syntax::{Diagnostic, Source, diagnostic};
use kukla_world::record::{InputSet, tracked};
use kukla_world::{FileError, FileResult};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::definitions::Definitions;
use super::{Environment, Node, read, write};
use crate::codes::{FILE_NOT_READABLE, FILE_NOT_UTF8};
use crate::error::{Raised, Stage};
use crate::program::{Program, TypeExpr};
use crate::programs::Dialect;
use crate::remark::Remarks;
use crate::unit::{Defined, Unit};
use crate::vm::Vm;

/// The outcome of loading a file.
pub type Loaded = Result<Arc<Unit>, Arc<Diagnostic>>;

/// The files that were loaded so far, and the definitions in them.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// By the text of the path, which is quicker to compare than its parts.
    by_path: RwLock<FxHashMap<OsString, Loaded>>,
    pub definitions: RwLock<Definitions>,
}

/// A file as it was read.
#[derive(Debug)]
pub(crate) struct ReadText {
    inputs: InputSet,
    pub(crate) read: Result<(Source, Arc<Program>), Arc<Diagnostic>>,
}

/// Nearly always one thread.
type Threads = SmallVec<[ThreadId; 1]>;

/// How far the check of a unit's signatures has come.
///
/// Definitions can be found before their signatures are checked, since types may refer to each other. A thread that finds one
/// checks its unit first; one that comes back to a unit which it is itself checking has followed a circle, and goes on.
#[derive(Debug, Default)]
pub(crate) struct SignatureCheck {
    result: OnceLock<Result<(), Arc<Diagnostic>>>,
    /// The threads that are checking the unit. They do not wait for each other: each may hold what the other needs.
    in_progress: Mutex<Threads>,
}

impl SignatureCheck {
    /// Begins a check on this thread; `None` if it is already going on here.
    fn begin(&self) -> Option<CheckInProgress<'_>> {
        let thread = thread::current().id();
        let mut threads = self.threads();
        if threads.contains(&thread) {
            return None;
        }
        threads.push(thread);
        Some(CheckInProgress { check: self, thread })
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.in_progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A check that goes on until this is dropped, however it ends.
struct CheckInProgress<'c> {
    check: &'c SignatureCheck,
    thread: ThreadId,
}

impl Drop for CheckInProgress<'_> {
    fn drop(&mut self) {
        self.check.threads().retain(|other| *other != self.thread);
    }
}

impl Environment {
    /// A manifest or template, read when first asked for. Its definitions can be found from then on.
    pub fn load(&self, path: &Path) -> Loaded {
        if let Some(loaded) = read(&self.units.by_path).get(path.as_os_str()) {
            return loaded.clone();
        }
        self.register(path, self.read_unit(&Remarks::default(), path))
    }

    /// Reads a text without a file, and registers its definitions.
    pub fn load_text(&self, text: &str) -> Loaded {
        let source = Source::unnamed(text);
        let program = self.programs.read(&source, Dialect::Manifest, &self.rules(None)).map_err(Arc::from)?;
        let unit = Arc::new(Unit::new(source, None, program));
        self.define_all(&unit).map_err(Arc::from)?;
        self.check_signatures(&unit)?;
        Ok(unit)
    }

    /// Whether a file was loaded, successfully or not.
    pub(crate) fn has_loaded(&self, path: &Path) -> bool {
        read(&self.units.by_path).contains_key(path.as_os_str())
    }

    /// The number of files that were loaded so far.
    pub(crate) fn loaded_count(&self) -> usize {
        read(&self.units.by_path).len()
    }

    /// The unit of a file that was loaded, or else the file as it reads now.
    pub(super) fn unit_of(&self, others: &Remarks, path: &Path) -> Loaded {
        let loaded = read(&self.units.by_path).get(path.as_os_str()).cloned();
        loaded.unwrap_or_else(|| self.read_unit(others, path))
    }

    /// Registers a file that was read and its definitions, unless it was loaded meanwhile.
    pub(super) fn register(&self, path: &Path, loaded: Loaded) -> Loaded {
        let unit = {
            let mut units = write(&self.units.by_path);
            if let Some(earlier) = units.get(path.as_os_str()).cloned() {
                drop(units);
                return earlier.and_then(|unit| self.check_signatures(&unit).map(|()| unit));
            }
            let loaded = loaded.and_then(|unit| match self.define_all(&unit) {
                Ok(()) => Ok(unit),
                Err(failure) => {
                    self.depend_on(&unit.remarks.inputs());
                    Err(Arc::from(failure))
                }
            });
            units.insert(path.into(), loaded.clone());
            loaded?
        };
        self.check_signatures(&unit).inspect_err(|failure| {
            self.depend_on(&unit.remarks.inputs());
            write(&self.units.definitions).remove(&unit.program);
            write(&self.units.by_path).insert(path.into(), Err(Arc::clone(failure)));
        })?;
        Ok(unit)
    }

    /// Adds the definitions of a unit to the table.
    fn define_all(&self, unit: &Arc<Unit>) -> Result<(), Box<Diagnostic>> {
        let mut definitions = write(&self.units.definitions);
        unit.program.definitions.iter().try_for_each(|definition| definitions.add(unit, definition))
    }

    /// Checks that the parameter types of a unit's classes and defined types exist, used or not; once per unit.
    fn check_signatures(&self, unit: &Arc<Unit>) -> Result<(), Arc<Diagnostic>> {
        let check = &unit.signature_check;
        if let Some(result) = check.result.get() {
            return result.clone();
        }
        let mut types = unit.program.parameter_types().peekable();
        let result = match types.peek() {
            None => Ok(()),
            Some(_) => {
                let Some(_in_progress) = check.begin() else { return Ok(()) };
                self.resolve_types(unit, types)
            }
        };
        check.result.get_or_init(|| result).clone()
    }

    /// A definition that was found, if the signatures of its unit are good.
    pub(super) fn with_checked_signatures<T>(
        &self,
        found: Option<Arc<Defined<T>>>,
    ) -> Result<Option<Arc<Defined<T>>>, Arc<Diagnostic>> {
        found.as_ref().map_or(Ok(()), |definition| self.check_signatures(&definition.unit))?;
        Ok(found)
    }

    fn resolve_types<'u>(
        &self,
        unit: &'u Arc<Unit>,
        types: impl Iterator<Item = &'u TypeExpr>,
    ) -> Result<(), Arc<Diagnostic>> {
        let node = Node::default();
        let mut vm = Vm::new(self, &node);
        vm.in_unit(unit, |vm| {
            for ty in types {
                if let Err(raise) = vm.eval_type_expr(ty)
                    && let Raised::Error(failure) = raise.into_reason()
                {
                    return Err(Arc::from(failure));
                }
            }
            Ok(())
        })
    }

    fn read_unit(&self, others: &Remarks, path: &Path) -> Loaded {
        let ReadText { inputs, read } =
            self.ahead.take(path.as_os_str()).unwrap_or_else(|| self.read_text(path));
        // A file that cannot be used has no remarks that would name its inputs to its users.
        let (source, program) = read.inspect_err(|_| self.depend_on(&inputs))?;
        self.ahead.announce(&program);
        Ok(Arc::new(Unit::after(others, inputs, source, self.module_of(path), program)))
    }

    /// Reads and parses a file, for whatever use.
    pub(crate) fn read_text(&self, path: &Path) -> ReadText {
        let (bytes, inputs) = tracked(&*self.world, |world| world.read(path));
        ReadText { inputs, read: self.parse(path, bytes) }
    }

    fn parse(
        &self,
        path: &Path,
        bytes: FileResult<Vec<u8>>,
    ) -> Result<(Source, Arc<Program>), Arc<Diagnostic>> {
        let name = path.to_str().map_or_else(|| path.to_string_lossy(), Cow::Borrowed);
        let bytes = bytes.map_err(|error| {
            let why = match error {
                FileError::NotFound => "No such file or directory".to_owned(),
                FileError::Other(why) => why,
                FileError::Refused(refusal) => return Arc::new(refusal.diagnostic()),
            };
            Arc::new(diagnostic!(FILE_NOT_READABLE { file: name, reason: why }))
        })?;
        let source = Source::from_bytes(&*name, bytes).map_err(|error| {
            Arc::new(diagnostic!(FILE_NOT_UTF8 { file: name, reason: error }).in_stage(Stage::Syntax))
        })?;
        let dialect = if name.ends_with(".epp") { Dialect::Epp } else { Dialect::Manifest };
        let program = self.programs.read(&source, dialect, &self.rules(source.name())).map_err(Arc::from)?;
        // Equal texts are stored once.
        let source = match Arc::ptr_eq(&program.text, &source.shared_text()) {
            true => source,
            false => Source::new(&*name, Arc::clone(&program.text)),
        };
        Ok((source, program))
    }
}
