//! Functions as backends, and the context they are called with.

use std::sync::{Arc, Mutex};

use indexmap::IndexMap;
use kukla_values::{Hash, Str, Value};
use kukla_world::record::tracked;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::cache::{lock, read_text};
use crate::config::{Backend, Config, LayerKind};
use crate::error::Result;
use crate::host::{FunctionKind, Host};
use crate::invocation::Invocation;
use crate::layer::{Layer, Level, Location};
use crate::session::Session;

/// The cache of a backend function between calls, one for each level and location; it lives as long as the resolved
/// hierarchy does.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) module: Option<Str>,
    cache: Mutex<IndexMap<Value, Value, FxBuildHasher>>,
    /// The result of a `data_hash` function.
    pub(crate) data: Mutex<Option<Hash>>,
    /// The results of `lookup_key` and `data_dig` functions, by key.
    pub(crate) values: Mutex<FxHashMap<Str, Value>>,
}

impl Memory {
    /// The memory of a function that gives data of a module, or of none.
    pub(crate) fn new(module: Option<Str>) -> Memory {
        Memory { module, ..Memory::default() }
    }
}

/// The `Puppet::LookupContext` a backend function is called with. `not_found` is not here: it ends the call, so the host
/// answers it by giving nothing.
#[derive(Clone, Debug)]
pub struct Context {
    environment: Str,
    memory: Arc<Memory>,
}

impl Context {
    pub(crate) fn new(session: &Session, memory: Arc<Memory>) -> Context {
        Context { environment: session.settings().environment.as_str().into(), memory }
    }

    /// `environment_name`.
    pub fn environment_name(&self) -> &str {
        &self.environment
    }

    /// `module_name`: the module whose data this is, if it is a module's.
    pub fn module_name(&self) -> Option<&str> {
        self.memory.module.as_deref()
    }

    /// `cache`: remembers a value and gives it back.
    pub fn cache(&self, key: Value, value: Value) -> Value {
        lock(&self.memory.cache).insert(key, value.clone());
        value
    }

    /// `cache_all`.
    pub fn cache_all(&self, values: &Hash) {
        lock(&self.memory.cache).extend(values.iter().map(|(k, v)| (k.clone(), v.clone())));
    }

    /// `cache_has_key`.
    pub fn cache_has_key(&self, key: &Value) -> bool {
        lock(&self.memory.cache).contains_key(key)
    }

    /// `cached_value`; `undef` if there is none.
    pub fn cached_value(&self, key: &Value) -> Value {
        lock(&self.memory.cache).get(key).cloned().unwrap_or_default()
    }

    /// `cached_entries`, as a hash.
    pub fn cached_entries(&self) -> Hash {
        lock(&self.memory.cache).iter().map(|(k, v)| (k.clone(), v.clone())).collect()
    }

    /// `interpolate`.
    pub fn interpolate(&self, session: &mut Session, host: &mut dyn Host, value: &Value) -> Result<Value> {
        Invocation::nested(session, host, |invocation| invocation.interpolate(value, true))
    }

    /// Runs a built-in data function that another function calls with its own options: `yaml_data` and its like return all data,
    /// `eyaml_lookup_key` the value of a key.
    pub fn built_in(
        &self,
        session: &mut Session,
        host: &mut dyn Host,
        name: &str,
        key: Option<&Str>,
        mut options: Hash,
    ) -> Result<Option<Value>> {
        let kind = if key.is_some() { FunctionKind::LookupKey } else { FunctionKind::DataHash };
        let path = options.make_mut().shift_remove("path").and_then(|path| path.as_str().map(Str::from));
        let place = path.map(|path| (path.clone(), path));
        let location = Location { place, exists: true, ..Location::default() };
        let level = Level {
            name: name.into(),
            backend: Backend::new(kind, name),
            options,
            locations: Vec::new(),
            datadir: None,
        };
        let layer = Layer::new(LayerKind::Environment, None, Arc::new(Config::empty()), None);
        Invocation::nested(session, host, |invocation| match (key, level.backend.format()) {
            (Some(key), _) => invocation.in_eyaml(key, &layer, &level, &location),
            (None, Some(format)) => {
                let file = invocation.load_file(format, &layer, &level, &location)?;
                if let Some(ledger) = invocation.host.world().ledger() {
                    invocation.frame.needs.inputs.extend(&ledger.as_a_whole(&file.inputs));
                }
                Ok(Some(file.hash.clone().into()))
            }
            (None, None) => Ok(None),
        })
    }

    /// `cached_file_data`: what some function has made of a file, or its text for this one to make something of.
    pub fn file_data(&self, session: &mut Session, host: &dyn Host, path: &str) -> Result<FileData> {
        if let Some(known) = session.known_file_data(path) {
            return Ok(FileData::Cached(known));
        }
        let (bytes, inputs) = tracked(host.world(), |world| read_text(world, path));
        session.use_inputs(&inputs);
        let text = String::from_utf8_lossy(&bytes?).into_owned();
        Ok(FileData::Text(text.into()))
    }
}

/// A file, for `cached_file_data`.
#[derive(Debug)]
pub enum FileData {
    /// The result that a function cached for it.
    Cached(Value),
    /// Its text.
    Text(Value),
}
