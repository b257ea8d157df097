//! Catalogs of earlier compilations with their inputs, so that only nodes whose inputs changed are compiled again.
//!
//! A cache is a directory. For each way of compiling (a site, its settings, a policy) it has a directory of its own, with
//!
//! - `index`: all questions that compilations asked of the world, each once, with its answer; and for each node which of them it
//!   asked, which facts, and its report,
//! - `catalogs`: the catalogs, compressed, by the digest of their text, if the caller adds them. A catalog with a secret is never added.
//!
//! The file `key` of the cache hides all digests (module `seal`).
//!
//! Nothing in it is believed: the index carries a digest of itself and the name of the build that wrote it, a catalog is
//! compared with its digest. Files are written under other names and renamed, so that several processes can share a cache;
//! the one that ends last is the one whose index stays.

mod check;
mod encode;
mod packed;
mod seal;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use indexmap::IndexMap;
use kukla_catalog::Catalog;
use kukla_hiera::DataFormat;
use kukla_hiera::parts::FileParts;
use kukla_syntax::Problem;
use kukla_values::Str;
use kukla_world::record::{Answer, Digest, Input, InputId, InputSet, Question};
use kukla_world::{Stamp, World};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::Site;
use crate::basis::Basis;
use crate::disk::{self, DiskWorld};
pub use check::{Check, Facts, Reason};
use encode::{Reader, Writer};
use seal::Seal;

/// The cache of runs with one key.
#[derive(Debug, Default)]
pub struct Cache {
    directory: PathBuf,
    build: String,
    seal: Seal,
    /// The problem of a key that can be neither read nor written; then nothing is written.
    without_key: Option<Problem>,
    inputs: Vec<CachedInput>,
    parts: BTreeMap<Str, FileParts>,
    sources: BTreeMap<PathBuf, FactSource>,
    nodes: BTreeMap<String, Entry>,
    /// Files that catalogs were written to.
    written: BTreeMap<PathBuf, (Stamp, Digest)>,
}

/// An input, and the stamp of its file.
#[derive(Clone, Debug)]
struct CachedInput {
    input: Input,
    stamp: Option<Stamp>,
}

/// A file of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactSource {
    /// The digest of its contents.
    pub content: Digest,
    /// Its stamp; none if the file was too young for the stamp to be reliable.
    pub stamp: Option<Stamp>,
    /// The nodes whose facts are in it.
    pub nodes: Vec<String>,
}

/// The entry of a node.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its inputs, by their numbers in the table of the owner of the entry.
    pub basis: Basis,
    /// The report of the caller.
    pub report: Vec<u8>,
    /// The digest of its catalog, if that is cached or cannot be because it has secrets.
    pub catalog: Option<Digest>,
    /// Whether the catalog has secrets, so that only its digest is in the cache.
    pub is_secret: bool,
}

/// Catalogs with secrets, in memory: they are not written to a cache, and a process that watches for changes compares them.
#[derive(Debug, Default)]
pub struct SecretCatalogs(Mutex<BTreeMap<Digest, Vec<u8>>>);

impl SecretCatalogs {
    /// Adds the text of a catalog.
    pub fn add(&self, digest: Digest, text: &str) {
        self.lock().entry(digest).or_insert_with(|| lz4_flex::compress_prepend_size(text.as_bytes()));
    }

    /// The text of a catalog.
    pub fn get(&self, digest: Digest) -> Option<String> {
        let bytes = lz4_flex::decompress_size_prepended(self.lock().get(&digest)?).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Whether there is a catalog.
    pub fn has(&self, digest: Digest) -> bool {
        self.lock().contains_key(&digest)
    }

    /// Removes all but some catalogs.
    pub fn retain(&self, is_wanted: impl Fn(&Digest) -> bool) {
        self.lock().retain(|digest, _| is_wanted(digest));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Digest, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The additions of a run.
#[derive(Debug, Default)]
pub struct Additions {
    /// All inputs of this run, by number, each with the stamp that a file had before it was read.
    pub inputs: Vec<(Input, Option<Stamp>)>,
    /// The data files of this run.
    pub parts: Vec<(Str, FileParts)>,
    /// The files of facts that were read.
    pub sources: BTreeMap<PathBuf, FactSource>,
    /// The nodes that were compiled.
    pub nodes: BTreeMap<String, Entry>,
    /// The files that catalogs were written to, each with the digest of the catalog.
    pub written: BTreeMap<PathBuf, Digest>,
}

impl Additions {
    /// Takes over the inputs of the sites of a run since a time by the clock of the disk. The sites share one world, so that inputs have
    /// the same numbers for all of them.
    pub fn take_inputs<'s>(&mut self, sites: impl IntoIterator<Item = &'s Site>, began: u64) {
        for site in sites {
            self.parts.extend(site.data.parts());
            let inputs = site.inputs(began);
            for (known, (_, stamp)) in self.inputs.iter_mut().zip(&inputs) {
                known.1 = known.1.or(*stamp);
            }
            let known = self.inputs.len();
            self.inputs.extend(inputs.into_iter().skip(known));
        }
    }
}

/// Files that changed so shortly before they were read may change again and look the same, since clocks of file systems tick
/// slowly.
const TOO_YOUNG: u64 = 1_000_000_000;

/// The stamp of a file, if it was taken of something that had been the same for a while at a time in nanoseconds.
pub fn lasting(stamp: Option<Stamp>, began: u64) -> Option<Stamp> {
    stamp.filter(|stamp| stamp.version.saturating_add(TOO_YOUNG) < began)
}

const MAGIC: &[u8] = b"kukla cache 5\n";

impl Cache {
    /// Opens the cache in a directory for runs with a key, and reports why its entries cannot be used if so.
    pub fn open(directory: &Path, key: Digest, build: &str) -> (Cache, Option<Problem>) {
        let unusable =
            |why: &str| Problem::invalid("ignoring the cache in").on(directory.display()).because(why);
        let seal = match Seal::of(directory) {
            Ok(seal) => seal,
            // It is reported when the cache is to be written.
            Err(problem) => return (Cache { without_key: Some(problem), ..Cache::default() }, None),
        };
        let directory = directory.join(hex(seal.close(&key)));
        let empty = || Cache {
            directory: directory.clone(),
            build: build.to_owned(),
            seal: seal.clone(),
            ..Cache::default()
        };
        let Ok(bytes) = disk::read_own(&directory.join("index")) else { return (empty(), None) };
        match read_index(&bytes, build, &seal) {
            Ok(cache) => (Cache { directory, build: build.to_owned(), seal, ..cache }, None),
            Err(why) => (empty(), Some(unusable(why))),
        }
    }

    /// Adds the text of a catalog, which must not have secrets, and returns its digest.
    pub fn add_catalog(&self, text: &str) -> Result<Digest, Problem> {
        self.add(text.as_bytes())
    }

    /// The digest of a catalog that is not added.
    pub fn digest_of_catalog(text: &str) -> Digest {
        Digest::of([text])
    }

    /// The text of a catalog, if it is complete.
    pub fn catalog(&self, digest: Digest) -> Option<String> {
        String::from_utf8(self.read(digest)?).ok()
    }

    /// Adds a catalog in a compact format; nothing if it holds values that are not plain data.
    pub fn add_packed(&self, catalog: &Catalog) -> Result<Option<Digest>, Problem> {
        packed::pack(catalog).map(|bytes| self.add(&bytes)).transpose()
    }

    /// A catalog in the compact format, if it is complete.
    pub fn packed(&self, digest: Digest) -> Option<Catalog> {
        packed::unpack(&self.read(digest)?)
    }

    fn add(&self, bytes: &[u8]) -> Result<Digest, Problem> {
        self.require_key()?;
        let digest = Digest::of([bytes]);
        let place = self.catalog_place(digest);
        if !place.is_file() {
            disk::write_own(&place, &lz4_flex::compress_prepend_size(bytes))?;
        }
        Ok(digest)
    }

    fn require_key(&self) -> Result<(), Problem> {
        self.without_key.clone().map_or(Ok(()), Err)
    }

    fn read(&self, digest: Digest) -> Option<Vec<u8>> {
        let packed = disk::read_own(&self.catalog_place(digest)).ok()?;
        let bytes = lz4_flex::decompress_size_prepended(&packed).ok()?;
        (Digest::of([&bytes]) == digest).then_some(bytes)
    }

    /// Whether there is a catalog, complete or not.
    pub fn has_catalog(&self, digest: Digest) -> bool {
        self.catalog_place(digest).is_file()
    }

    fn catalog_place(&self, digest: Digest) -> PathBuf {
        let name = hex(self.seal.close(&digest));
        self.directory.join("catalogs").join(&name[..2]).join(&name[2..])
    }

    /// Whether a file has not changed since a catalog was written to it.
    pub fn is_written_to(&self, place: &Path, catalog: Digest) -> bool {
        let known = self.written.get(place);
        known.is_some_and(|(stamp, digest)| {
            *digest == catalog && DiskWorld::default().stamp(place) == Some(*stamp)
        })
    }

    /// All questions in it, by the numbers that the entries have for them.
    pub fn questions(&self) -> impl Iterator<Item = (InputId, &Question)> {
        let questions = self.inputs.iter().map(|kept| &kept.input.question);
        (0..).map(InputId).zip(questions)
    }

    /// Checks the inputs against the world, each when it is needed.
    pub fn check<'c>(&'c self, world: &'c dyn World) -> Check<'c> {
        Check::new(self, world)
    }

    /// Writes the additions of a run and all earlier entries that still hold.
    pub fn save(&self, check: &Check<'_>, added: Additions) -> Result<(), Problem> {
        if check.is_unchanged() && self.has_all_of(&added) {
            return Ok(());
        }
        self.require_key()?;
        let mut table = Table::default();
        let mut nodes = BTreeMap::new();
        let mut parts: BTreeMap<Str, FileParts> = added.parts.into_iter().collect();
        let mut numbers = Numbers::default();
        for (name, entry) in added.nodes {
            let input = |InputId(id)| {
                let (input, stamp) = added.inputs.get(id as usize)?;
                is_lasting(input).then(|| (input.clone(), *stamp))
            };
            if let Some(inputs) = numbers.of(&entry.basis.inputs, &mut table, input) {
                nodes.insert(name, entry.with_inputs(inputs));
            }
        }
        let mut numbers = Numbers::default();
        for (name, entry) in &self.nodes {
            if nodes.contains_key(name) || check.stale_input(&entry.basis.inputs).is_some() {
                continue;
            }
            let Some(inputs) = numbers.of(&entry.basis.inputs, &mut table, |id| check.as_it_is(id)) else {
                continue;
            };
            nodes.insert(name.clone(), entry.clone().with_inputs(inputs));
        }
        for input in table.inputs.keys() {
            if let Question::Data(path) = &input.question
                && let Some(path) = path.to_str().map(Str::from)
                && let Some(known) = self.parts.get(&path)
            {
                parts
                    .entry(path.clone())
                    .or_insert_with(|| check.parts(&path).unwrap_or_else(|| known.clone()));
            }
        }
        let mut sources = added.sources;
        for (path, source) in &self.sources {
            if !sources.contains_key(path) && source.nodes.iter().any(|node| nodes.contains_key(node)) {
                sources.insert(path.clone(), source.clone());
            }
        }
        let mut written = self.written.clone();
        for (place, digest) in added.written {
            match DiskWorld::default().stamp(&place) {
                Some(stamp) => written.insert(place, (stamp, digest)),
                None => written.remove(&place),
            };
        }
        let index = index(&self.build, &self.seal, &table, &parts, &sources, &nodes, &written);
        disk::write_own(&self.directory.join("index"), &index)?;
        self.forget_catalogs(&nodes);
        Ok(())
    }

    /// Whether the additions of a run are all in the cache.
    fn has_all_of(&self, added: &Additions) -> bool {
        let is_known = |(path, source): (&PathBuf, &FactSource)| self.sources.get(path) == Some(source);
        added.nodes.is_empty() && added.written.is_empty() && added.sources.iter().all(is_known)
    }

    /// Removes catalogs that were replaced.
    fn forget_catalogs(&self, nodes: &BTreeMap<String, Entry>) {
        let wanted: std::collections::BTreeSet<Digest> =
            nodes.values().filter_map(|entry| entry.catalog).collect();
        let known = self.nodes.values().filter_map(|entry| entry.catalog);
        known.filter(|digest| !wanted.contains(digest)).for_each(|digest| {
            // It may be gone already.
            let _ = disk::remove_own(&self.catalog_place(digest));
        });
    }
}

impl Entry {
    fn with_inputs(mut self, inputs: InputSet) -> Entry {
        self.basis.inputs = inputs;
        self
    }
}

/// The inputs of a new index.
#[derive(Debug, Default)]
struct Table {
    inputs: IndexMap<Input, Option<Stamp>, FxBuildHasher>,
}

impl Table {
    /// The number of an input, which gets one if it has none.
    fn number(&mut self, input: Input, stamp: Option<Stamp>) -> Option<InputId> {
        let entry = self.inputs.entry(input);
        let number = entry.index();
        let known = entry.or_insert(stamp);
        *known = known.or(stamp);
        Some(InputId(u32::try_from(number).ok()?))
    }
}

/// The numbers of inputs of another table in this one. Most nodes share their inputs, so each is looked up once.
#[derive(Debug, Default)]
struct Numbers {
    found: FxHashMap<InputId, Option<InputId>>,
}

impl Numbers {
    /// A set with the numbers of `table`; `None` if one of the inputs cannot be cached.
    fn of(
        &mut self,
        set: &InputSet,
        table: &mut Table,
        input: impl Fn(InputId) -> Option<(Input, Option<Stamp>)>,
    ) -> Option<InputSet> {
        let mut renumbered = InputSet::default();
        for id in set.iter() {
            let number = self.found.entry(id).or_insert_with(|| {
                let (input, stamp) = input(id)?;
                table.number(input, stamp)
            });
            renumbered.insert((*number)?);
        }
        Some(renumbered)
    }
}

/// Whether an input can be checked later.
fn is_lasting(input: &Input) -> bool {
    let is_text = match &input.question {
        Question::Read(path) | Question::Data(path) | Question::Exists(path) | Question::List(path) => {
            path.to_str().is_some()
        }
        _ => true,
    };
    is_text && !matches!(input.answer, Answer::Passing | Answer::Refused)
}

fn hex(digest: Digest) -> String {
    digest.0[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

const FORMATS: [DataFormat; 3] = [DataFormat::Yaml, DataFormat::Json, DataFormat::Hocon];

fn index(
    build: &str,
    seal: &Seal,
    table: &Table,
    parts: &BTreeMap<Str, FileParts>,
    sources: &BTreeMap<PathBuf, FactSource>,
    nodes: &BTreeMap<String, Entry>,
    written: &BTreeMap<PathBuf, (Stamp, Digest)>,
) -> Vec<u8> {
    let mut out = Writer { seal: seal.clone(), ..Writer::default() };
    out.text(build);
    out.list(table.inputs.iter(), |out, (input, stamp)| {
        out.input(input);
        out.optional(*stamp, Writer::stamp);
    });
    out.list(parts.iter(), |out, (path, parts)| {
        out.text(path);
        out.number(FORMATS.iter().position(|format| *format == parts.format).unwrap_or(0) as u64);
        out.optional(parts.module.as_ref(), |out, module| out.text(module));
        out.list(parts.keys.iter(), |out, (key, digest)| {
            out.text(key);
            out.digest(digest);
        });
        out.digest(&parts.rest);
    });
    out.list(sources.iter(), |out, (path, source)| {
        out.text(&path.to_string_lossy());
        out.digest(&source.content);
        out.optional(source.stamp, Writer::stamp);
        out.list(source.nodes.iter(), |out, node| out.text(node));
    });
    out.list(nodes.iter(), |out, (name, entry)| {
        out.text(name);
        out.digest(&entry.basis.node);
        out.list(entry.basis.facts.iter(), |out, (fact, digest)| {
            out.text(fact);
            out.digest(digest);
        });
        out.set(&entry.basis.inputs);
        out.block(&entry.report);
        out.optional(entry.catalog.as_ref(), Writer::digest);
        out.number(u64::from(entry.is_secret));
    });
    out.list(written.iter(), |out, (place, (stamp, digest))| {
        out.text(&place.to_string_lossy());
        out.stamp(*stamp);
        out.digest(digest);
    });
    let body = out.bytes;
    [MAGIC, &Digest::of([&body]).0, &body].concat()
}

fn read_index(bytes: &[u8], build: &str, seal: &Seal) -> Result<Cache, &'static str> {
    let foreign = "it has another format";
    let damaged = "it is damaged";
    let (digest, body) =
        bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_at_checked(32)).ok_or(foreign)?;
    if Digest::of([body]).0 != digest {
        return Err(damaged);
    }
    let mut reader = Reader::with_seal(body, seal.clone());
    if reader.text() != Some(build) {
        return Err("another build of Kukla wrote it");
    }
    read_body(&mut reader).filter(|_| reader.is_at_end()).ok_or(damaged)
}

fn read_body(reader: &mut Reader<'_>) -> Option<Cache> {
    let fact = |reader: &mut Reader<'_>| Some((reader.text()?.to_owned(), reader.digest()?));
    Some(Cache {
        inputs: reader.list(|reader| {
            Some(CachedInput { input: reader.input()?, stamp: reader.optional(Reader::stamp)? })
        })?,
        parts: reader
            .list(|reader| {
                let path = Str::from(reader.text()?);
                let format = *FORMATS.get(usize::try_from(reader.number()?).ok()?)?;
                let module = reader.optional(|reader| Some(Str::from(reader.text()?)))?;
                let keys = reader.list(|reader| Some((Str::from(reader.text()?), reader.digest()?)))?;
                let rest = reader.digest()?;
                Some((path, FileParts { format, module, keys: keys.into_iter().collect(), rest }))
            })?
            .into_iter()
            .collect(),
        sources: reader
            .list(|reader| {
                let path = PathBuf::from(reader.text()?);
                let (content, stamp) = (reader.digest()?, reader.optional(Reader::stamp)?);
                let nodes = reader.list(|reader| Some(reader.text()?.to_owned()))?;
                Some((path, FactSource { content, stamp, nodes }))
            })?
            .into_iter()
            .collect(),
        nodes: reader
            .list(|reader| {
                let name = reader.text()?.to_owned();
                let node = reader.digest()?;
                let basis = Basis { node, facts: reader.list(fact)?, inputs: reader.set()? };
                let (report, catalog) = (reader.block()?.to_vec(), reader.optional(Reader::digest)?);
                let is_secret = reader.number()? != 0;
                Some((name, Entry { basis, report, catalog, is_secret }))
            })?
            .into_iter()
            .collect(),
        written: reader
            .list(|reader| Some((PathBuf::from(reader.text()?), (reader.stamp()?, reader.digest()?))))?
            .into_iter()
            .collect(),
        ..Cache::default()
    })
}
