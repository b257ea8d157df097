//! Data files, read and understood once for as many nodes as share a cache.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use kukla_formats::{eyaml, hocon, json, yaml};
use kukla_syntax::diagnostic;
use kukla_values::{Hash, Str, Value, format};
use kukla_world::glob;
use kukla_world::record::{Digest, InputSet, tracked};
use kukla_world::{FileError, World};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::answers::Shared;
use crate::codes::{MISSING_DATA_FILE, UNPARSEABLE_DATA, UNREADABLE_DATA_FILE};
use crate::config::{Config, LayerKind};
use crate::error::{Error, Result};
use crate::host::Settings;
use crate::key::LOOKUP_OPTIONS;
use crate::parts::FileParts;
use crate::template::Template;

/// The formats of data files Hiera reads itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataFormat {
    /// `yaml_data`, and what `eyaml_lookup_key` reads.
    Yaml,
    /// `json_data`.
    Json,
    /// `hocon_data`.
    Hocon,
}

/// Something shared that is mostly read.
type Table<K, V> = RwLock<FxHashMap<K, V>>;

/// A data file that is read once, however many want it at the same time.
type Reading = OnceLock<CacheEntry<Result<Arc<DataFile>>>>;

/// A private key, or what it opened.
type Decryption<T> = CacheEntry<Result<T, kukla_formats::Error>>;

/// Something that is kept, and what it was made from.
#[derive(Clone, Debug)]
pub(crate) struct CacheEntry<T> {
    value: T,
    inputs: InputSet,
}

impl<T> CacheEntry<T> {
    fn make(world: &dyn World, make: impl FnOnce(&dyn World) -> T) -> CacheEntry<T> {
        let (value, inputs) = tracked(world, make);
        CacheEntry { value, inputs }
    }

    /// The value; its inputs are added to those of the user.
    fn using(self, used: &mut InputSet) -> T {
        used.extend(&self.inputs);
        self.value
    }
}

/// The data files as they were first read: which exist, their contents, their encrypted values. Shared by all nodes of a fleet;
/// make a new one when files change.
#[derive(Default)]
pub struct DataCache {
    files: Table<(Str, DataFormat), Arc<Reading>>,
    readings: AtomicUsize,
    openings: AtomicUsize,
    exists: Table<Str, CacheEntry<bool>>,
    configs: Table<(Str, LayerKind), CacheEntry<Result<Arc<Config>>>>,
    globs: Table<Str, CacheEntry<Arc<[Str]>>>,
    /// Answers of compilations, by the settings they have in common.
    shared: Mutex<Vec<(Settings, Arc<Shared>)>>,
    keys: Mutex<FxHashMap<Str, Decryption<Arc<eyaml::Key>>>>,
    opened: Mutex<FxHashMap<(Str, Str), Decryption<Str>>>,
}

impl std::fmt::Debug for DataCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DataCache").field("files", &self.files_read()).finish_non_exhaustive()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The value under a key of a shared table, made by `make` the first time. Two threads may both make it; one is kept.
fn remember<K: std::hash::Hash + Eq + Clone, V: Clone>(
    table: &Table<K, V>,
    key: &K,
    make: impl FnOnce() -> V,
) -> V {
    if let Some(known) = table.read().unwrap_or_else(PoisonError::into_inner).get(key) {
        return known.clone();
    }
    let value = make();
    table.write().unwrap_or_else(PoisonError::into_inner).entry(key.clone()).or_insert(value).clone()
}

impl DataCache {
    /// An empty cache.
    pub fn new() -> DataCache {
        DataCache::default()
    }

    /// How many data files are known.
    pub fn files_read(&self) -> usize {
        self.files.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// How often a data file was read; a file that several threads want at once is read by one of them.
    pub fn readings(&self) -> usize {
        self.readings.load(Ordering::Relaxed)
    }

    /// How often an encrypted block was opened.
    pub fn openings(&self) -> usize {
        self.openings.load(Ordering::Relaxed)
    }

    /// The answers that compilations with these settings share.
    pub(crate) fn shared(&self, settings: &Settings) -> Arc<Shared> {
        let mut all = lock(&self.shared);
        if let Some((_, known)) = all.iter().find(|(known, _)| known == settings) {
            return Arc::clone(known);
        }
        let fresh = Arc::<Shared>::default();
        all.push((settings.clone(), Arc::clone(&fresh)));
        fresh
    }

    /// Whether there is something at a path. That it may not be read is an error.
    pub(crate) fn exists(&self, world: &dyn World, path: &Str, used: &mut InputSet) -> Result<bool> {
        let ask = |world: &dyn World| world.exists(Path::new(path.as_str()));
        let exists = remember(&self.exists, path, || CacheEntry::make(world, ask)).using(used);
        if !exists {
            readable(world, path)?;
        }
        Ok(exists)
    }

    /// The configuration at a path.
    pub(crate) fn config(
        &self,
        world: &dyn World,
        path: &Str,
        place: LayerKind,
        used: &mut InputSet,
    ) -> Result<Arc<Config>> {
        let read = |world: &dyn World| Config::read(world, path, place).map(Arc::new);
        remember(&self.configs, &(path.clone(), place), || CacheEntry::make(world, read)).using(used)
    }

    /// The paths that match a pattern.
    pub(crate) fn glob(&self, world: &dyn World, pattern: &Str, used: &mut InputSet) -> Result<Arc<[Str]>> {
        let plain = pattern.find(['*', '?', '[', '{']).map_or(pattern.as_str(), |at| &pattern[..at]);
        readable(world, plain.rsplit_once('/').map_or("", |(directory, _)| directory))?;
        let find = |world: &dyn World| glob::files(world, pattern).into_iter().map(Str::from).collect();
        Ok(remember(&self.globs, pattern, || CacheEntry::make(world, find)).using(used))
    }

    /// A data file.
    pub(crate) fn file(
        &self,
        world: &dyn World,
        path: &Str,
        format: DataFormat,
        used: &mut InputSet,
    ) -> Result<Arc<DataFile>> {
        let known = remember(&self.files, &(path.clone(), format), Arc::default);
        let read = || {
            self.readings.fetch_add(1, Ordering::Relaxed);
            let (mut read, mut inputs) = tracked(world, |world| DataFile::read(world, path, format));
            // Everything matters of a file that nothing can be found in.
            if let (Ok(file), Some(ledger)) = (&mut read, world.ledger()) {
                inputs = ledger.in_parts(&inputs);
                file.inputs = inputs.clone();
            }
            CacheEntry { value: read.map(Arc::new), inputs }
        };
        let known = known.get_or_init(read);
        used.extend(&known.inputs);
        known.value.clone()
    }

    /// A data file that was read before.
    pub(crate) fn known_file(&self, path: &Str, format: DataFormat) -> Option<Arc<DataFile>> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        files.get(&(path.clone(), format))?.get()?.value.as_ref().ok().cloned()
    }

    /// The keys of all data files that were read so far, for suggestions.
    pub(crate) fn known_keys(&self) -> BTreeSet<Str> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let read = files.values().filter_map(|reading| reading.get()?.value.as_ref().ok());
        read.flat_map(|file| file.entries.keys().filter(|key| **key != LOOKUP_OPTIONS).cloned()).collect()
    }

    /// The contents of each readable data file, key by key.
    pub fn parts(&self) -> Vec<(Str, FileParts)> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let read = files.values().filter_map(|reading| reading.get()?.value.as_ref().ok());
        read.map(|file| (file.path.clone(), file.parts())).collect()
    }

    /// Opens an encrypted block with the key in PEM that `pem` gives; `name` tells keys apart.
    pub(crate) fn open(
        &self,
        world: &dyn World,
        name: &Str,
        block: &str,
        pem: impl FnOnce(&dyn World) -> Result<String, kukla_formats::Error>,
        used: &mut InputSet,
    ) -> Result<Str, kukla_formats::Error> {
        let what = (name.clone(), Str::from(block));
        if let Some(known) = lock(&self.opened).get(&what) {
            return known.clone().using(used);
        }
        let read = |world: &dyn World| pem(world).and_then(|pem| eyaml::Key::from_pem(&pem)).map(Arc::new);
        let CacheEntry { value: key, inputs } =
            lock(&self.keys).entry(name.clone()).or_insert_with(|| CacheEntry::make(world, read)).clone();
        self.openings.fetch_add(1, Ordering::Relaxed);
        let opened = CacheEntry { value: key.and_then(|key| key.open(block)).map(Str::from), inputs };
        lock(&self.opened).insert(what, opened.clone());
        opened.using(used)
    }
}

/// Whether policy lets a path be read.
fn readable(world: &dyn World, path: &str) -> Result<()> {
    match world.refusal(Path::new(path)) {
        Some(refusal) => Err(Error::caller(refusal.diagnostic())),
        None => Ok(()),
    }
}

/// The text of a file, or an error that says which file and why.
pub(crate) fn read_text(world: &dyn World, path: &str) -> Result<Vec<u8>> {
    world.read(Path::new(path)).map_err(|error| match error {
        FileError::NotFound => Error::caller(diagnostic!(MISSING_DATA_FILE { file: path })),
        FileError::Other(reason) => Error::caller(diagnostic!(UNREADABLE_DATA_FILE { reason, file: path })),
        FileError::Refused(refusal) => Error::caller(refusal.diagnostic()),
    })
}

/// One value of a data file and what is known of it.
#[derive(Clone, Debug)]
pub struct DataEntry {
    /// The value, not yet interpolated.
    pub value: Value,
    /// The same, taken apart where it has interpolations.
    pub(crate) template: Template,
    /// Whether something inside is not valid data for Puppet: a symbol, or a key that is neither a string nor a number.
    pub(crate) invalid: bool,
    line: u32,
}

/// A data file as a table.
#[derive(Debug)]
pub struct DataFile {
    /// Where it is.
    pub path: Str,
    format: DataFormat,
    /// Its inputs.
    pub(crate) inputs: InputSet,
    entries: FxHashMap<Str, DataEntry>,
    /// All of it.
    pub hash: Hash,
    /// Whether it is empty of any document, which Puppet warns about.
    pub(crate) blank: bool,
    /// The value of the file, if that is not a hash.
    pub(crate) odd: Option<Value>,
    symbolic: FxHashSet<Str>,
    foreign: OnceLock<(Str, Vec<Str>)>,
    places: OnceLock<yaml::Lines>,
}

impl DataFile {
    pub(crate) fn read(world: &dyn World, path: &Str, format: DataFormat) -> Result<DataFile> {
        let bytes = read_text(world, path)?;
        let unable = |error: kukla_formats::Error| {
            let mut wrong = diagnostic!(UNPARSEABLE_DATA { reason: error.without_text().message(path) });
            let mistake = match format {
                DataFormat::Yaml => yaml::mistake(&bytes, &error).map(|found| (found.line, found.advice)),
                DataFormat::Json => json::mistake(&String::from_utf8_lossy(&bytes)),
                DataFormat::Hocon => None,
            };
            let line = mistake.as_ref().map_or(error.line, |(line, _)| Some(*line));
            wrong.hints.extend(mistake.map(|(_, advice)| advice));
            Error::data(wrong.focus_on(kukla_syntax::SourcePosition::line_of(path.as_str(), line), ""))
        };
        let text = || String::from_utf8_lossy(&bytes);
        let mut lines = Vec::new();
        let mut symbolic = FxHashSet::default();
        let value = match format {
            DataFormat::Yaml => {
                let document = yaml::read(&bytes, yaml::Options::HIERA).map_err(unable)?;
                lines = document.lines;
                symbolic = document.symbolic;
                document.value
            }
            DataFormat::Json => {
                let document = json::read(&text()).map_err(unable)?;
                lines = document.lines;
                document.value
            }
            DataFormat::Hocon => {
                let variable = |name: &str| {
                    world.env(name).map_err(|refused| kukla_formats::Error::bare(refused.to_string()))
                };
                hocon::read(&text(), &variable).map_err(unable)?
            }
        };
        let (hash, blank, odd) = match value {
            Value::Hash(hash) => (hash, false, None),
            Value::Undef | Value::Boolean(false) if format == DataFormat::Yaml => (Hash::new(), true, None),
            other => (Hash::new(), false, Some(other)),
        };
        let mut entries = FxHashMap::default();
        entries.reserve(hash.len());
        for (at, (key, value)) in hash.iter().enumerate() {
            let Value::String(key) = key else { continue };
            let entry = DataEntry {
                value: value.clone(),
                template: Template::new(value),
                invalid: symbolic.contains(key) || !is_data(value),
                line: lines.get(at).copied().unwrap_or(0),
            };
            entries.insert(key.clone(), entry);
        }
        Ok(DataFile {
            path: path.clone(),
            format,
            inputs: InputSet::default(),
            entries,
            hash,
            blank,
            odd,
            symbolic,
            foreign: OnceLock::new(),
            places: OnceLock::new(),
        })
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&DataEntry> {
        self.entries.get(key)
    }

    /// Its contents, key by key.
    pub(crate) fn parts(&self) -> FileParts {
        let foreign = self.foreign.get();
        let digest = |entry: &DataEntry| {
            Digest::of([format::inspect(&entry.value).as_str(), if entry.invalid { "invalid" } else { "" }])
        };
        let keys = self.entries.iter().map(|(key, entry)| (key.clone(), digest(entry))).collect();
        let odd = self.odd.as_ref().map(|odd| format::inspect(odd).to_string());
        let foreign_keys = foreign.iter().flat_map(|(_, keys)| keys).map(|key| key.to_string());
        let rest = [self.blank.to_string(), odd.unwrap_or_default()].into_iter().chain(foreign_keys);
        FileParts {
            format: self.format,
            module: foreign.map(|(module, _)| module.clone()),
            keys,
            rest: Digest::of(rest),
        }
    }

    /// Whether what is wrong with an invalid value is a symbol.
    pub(crate) fn is_symbolic(&self, key: &str) -> bool {
        self.symbolic.contains(key)
    }

    /// The line of a key, from one, if known.
    pub fn line(&self, key: &str) -> Option<u32> {
        self.entries.get(key).map(|entry| entry.line).filter(|line| *line > 0)
    }

    /// The line of what `path` leads to, from the outermost key on.
    pub fn line_of(&self, world: &dyn World, path: &[Value]) -> Option<u32> {
        if self.format == DataFormat::Yaml && path.len() > 1 {
            let places = self.places.get_or_init(|| {
                world.read(Path::new(self.path.as_str())).map(|t| yaml::lines(&t)).unwrap_or_default()
            });
            return Some(places.at(path)).filter(|line| *line > 0);
        }
        self.line(path.first()?.as_str()?)
    }

    /// The keys that do not belong to the module whose data this is.
    pub(crate) fn foreign_keys(&self, module: &str) -> Vec<Str> {
        let find = || {
            let own = |key: &str| {
                key == LOOKUP_OPTIONS || key.strip_prefix(module).is_some_and(|k| k.starts_with("::"))
            };
            let texts = self.hash.keys().filter_map(|key| match key {
                Value::String(text) => Some(text.clone()),
                _ => None,
            });
            texts.filter(|key| !own(key)).collect::<Vec<_>>()
        };
        let (known, keys) = self.foreign.get_or_init(|| (module.into(), find()));
        if known == module { keys.clone() } else { find() }
    }
}

/// Whether everything inside is what data may be: keys are text or numbers.
fn is_data(value: &Value) -> bool {
    match value {
        Value::Array(array) => array.iter().all(is_data),
        Value::Hash(hash) => hash.iter().all(|(key, value)| {
            matches!(key, Value::String(_) | Value::Integer(_) | Value::Float(_)) && is_data(value)
        }),
        _ => true,
    }
}
