//! The lookups of one compilation.

use std::sync::{Arc, Mutex};

use kukla_values::{Hash, Str, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cache::{DataCache, lock, remember};
use crate::config::{CONFIG_FILE, Config, Place};
use crate::error::{Error, Result};
use crate::explain::{Explainer, Explanation};
use crate::host::{Host, Lookup, Settings, Strict};
use crate::invocation::{Frame, Invocation};
use crate::layer::{Layer, join};
use crate::options::LookupOptions;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The layer.
    pub place: Place,
    /// The module, in the module layer.
    pub module: Option<Str>,
    /// The level of that layer's hierarchy.
    pub level: Str,
    /// The file or URI, if the level has any.
    pub location: Option<Str>,
    /// The line of the key in the file, from one, where known.
    pub line: Option<u32>,
    /// The key as the data has it.
    pub key: Str,
    /// Whether the value was encrypted there.
    pub encrypted: bool,
}

/// A value and where it came from.
#[derive(Clone, Debug)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// Every place that contributed, highest first; none if the value is a default or an override.
    pub origins: Vec<Origin>,
    /// The `lookup_options` in force for the key.
    pub options: Hash,
}

/// The lookups of one compilation: the hierarchies as resolved for it, the `lookup_options` in force.
#[derive(Debug)]
pub struct Session {
    cache: Arc<DataCache>,
    settings: Settings,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    global: Option<Arc<Layer>>,
    environment: Option<Option<Arc<Layer>>>,
    modules: FxHashMap<Str, Option<Arc<Layer>>>,
    options: FxHashMap<Str, Arc<LookupOptions>>,
    global_only_options: Option<Arc<LookupOptions>>,
    global_options: Option<Option<Hash>>,
    environment_options: Option<Option<Hash>>,
    default_options: FxHashMap<Str, Arc<LookupOptions>>,
    warned: FxHashSet<Str>,
    /// What was decrypted, which no message may show.
    secrets: FxHashSet<Str>,
    /// Lookups that wait while the host does something for them, innermost last.
    parked: Vec<Frame>,
}

impl Session {
    /// Begins the lookups of a compilation.
    pub fn new(cache: Arc<DataCache>, settings: Settings) -> Arc<Session> {
        Arc::new(Session { cache, settings, state: Mutex::default() })
    }

    /// What applies to all lookups.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The cache shared with other compilations.
    pub fn cache(&self) -> &Arc<DataCache> {
        &self.cache
    }

    /// Answers a request. Nothing is found: the default if there is one, else an error that names the keys.
    pub fn lookup(self: &Arc<Self>, host: &mut dyn Host, request: &Lookup) -> Result<Found> {
        self.try_lookup(host, request)?.ok_or_else(|| not_found(&request.names))
    }

    /// Answers a request; nothing if nothing is found and there is no default, for callers with a default of their own.
    pub fn try_lookup(self: &Arc<Self>, host: &mut dyn Host, request: &Lookup) -> Result<Option<Found>> {
        Invocation::nested(self, host, |invocation| {
            invocation.frame.overrides = request.override_hash.clone();
            invocation.frame.defaults = request.default_values_hash.clone();
            if request.hiera_function {
                let environment = self.environment_layer(invocation.host)?;
                invocation.frame.global_only |= environment.is_none_or(|layer| layer.config.version < 5);
            }
            let names: Vec<&str> = request.names.iter().map(String::as_str).collect();
            let value = invocation.find(
                &names,
                request.value_type.as_ref(),
                request.merge.as_ref(),
                request.default.as_ref(),
            )?;
            Ok(value.map(|value| invocation.frame.found(value)))
        })
    }

    /// The value that data has for a parameter of a class, under `class::parameter`.
    pub fn class_parameter(self: &Arc<Self>, host: &mut dyn Host, name: &str) -> Result<Option<Found>> {
        Invocation::nested(self, host, |invocation| {
            let value = invocation.lookup(name, None)?;
            Ok(value.map(|value| invocation.frame.found(value)))
        })
    }

    /// Answers a request and explains the answer, whatever it is.
    pub fn explain(self: &Arc<Self>, host: &mut dyn Host, request: &Lookup) -> (Result<Found>, Explanation) {
        let outer = lock(&self.state).parked.len();
        let frame = Frame { explainer: Some(Explainer::default()), ..Frame::default() };
        lock(&self.state).parked.push(frame);
        let found = self.lookup(host, request);
        let mut state = lock(&self.state);
        let explainer = state.parked.get_mut(outer).and_then(|frame| frame.explainer.take());
        state.parked.truncate(outer);
        (found, explainer.unwrap_or_default().finish())
    }

    /// A frame for a lookup inside the one that waits, if one does.
    pub(crate) fn enter(&self) -> Frame {
        match lock(&self.state).parked.last_mut() {
            None => Frame::default(),
            Some(outer) => Frame {
                explainer: outer.explainer.take(),
                names: outer.names.clone(),
                global_only: outer.global_only,
                overrides: outer.overrides.clone(),
                defaults: outer.defaults.clone(),
                top_key: outer.top_key.clone(),
                module: outer.module.clone(),
                origins: Vec::new(),
                options: Hash::new(),
            },
        }
    }

    /// Gives back what was lent to the inner lookup.
    pub(crate) fn leave(&self, frame: Frame) {
        if let Some(outer) = lock(&self.state).parked.last_mut() {
            outer.explainer = frame.explainer;
        }
    }

    pub(crate) fn park(&self, frame: Frame) {
        lock(&self.state).parked.push(frame);
    }

    pub(crate) fn unpark(&self) -> Frame {
        lock(&self.state).parked.pop().unwrap_or_default()
    }

    pub(crate) fn is_explaining(&self) -> bool {
        lock(&self.state).parked.last().is_some_and(|frame| frame.explainer.is_some())
    }

    pub(crate) fn remark(&self, text: String) {
        if let Some(Frame { explainer: Some(explainer), .. }) = lock(&self.state).parked.last_mut() {
            explainer.remark(text);
        }
    }

    /// Whether something is to be said for the first time in this compilation.
    pub(crate) fn first_time(&self, what: &Str) -> bool {
        lock(&self.state).warned.insert(what.clone())
    }

    /// Remembers something decrypted.
    pub(crate) fn keep_secret(&self, text: &Str) {
        if !text.trim().is_empty() {
            lock(&self.state).secrets.insert(text.clone());
        }
    }

    /// A message without what was decrypted, unless that is too short to be told from other words.
    pub fn redact(&self, message: &str) -> Option<String> {
        const SHORTEST: usize = 4;
        let state = lock(&self.state);
        let mut told: Vec<&Str> =
            state.secrets.iter().filter(|secret| message.contains(secret.as_str())).collect();
        told.retain(|secret| secret.len() >= SHORTEST);
        told.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        (!told.is_empty()).then(|| {
            told.iter()
                .fold(message.to_owned(), |text, secret| text.replace(secret.as_str(), "[value redacted]"))
        })
    }

    fn config(&self, host: &mut dyn Host, path: &Str, place: Place) -> Result<Arc<Config>> {
        let files = host.files();
        let config = remember(&self.cache.configs, &(path.clone(), place), || {
            Config::read(files, path, place).map(Arc::new)
        })?;
        if let Some(warning) = &config.warning {
            host.warn(warning.clone());
        }
        if config.deprecated && self.settings.strict != Strict::Off {
            let version = config.version;
            let message = format!(
                "{path}: Use of 'hiera.yaml' version {version} is deprecated. It should be converted to version 5"
            );
            host.warn_once("hiera.yaml", message, Some(path));
        }
        Ok(config)
    }

    pub(crate) fn global_layer(&self, host: &mut dyn Host) -> Result<Arc<Layer>> {
        if let Some(known) = &lock(&self.state).global {
            return Ok(known.clone());
        }
        // There always is a global layer, and explanations mention it.
        let config = match &self.settings.global_config {
            None => Arc::new(Config::empty()),
            Some(path) => self.config(host, &path.as_str().into(), Place::Global)?,
        };
        let layer = Arc::new(Layer::new(Place::Global, None, config));
        lock(&self.state).global = Some(layer.clone());
        Ok(layer)
    }

    pub(crate) fn environment_layer(&self, host: &mut dyn Host) -> Result<Option<Arc<Layer>>> {
        if let Some(known) = &lock(&self.state).environment {
            return Ok(known.clone());
        }
        let path = self.settings.environment_root.as_ref().map(|root| Str::from(join(root, CONFIG_FILE)));
        let layer = self.layer(host, path, Place::Environment, None)?;
        lock(&self.state).environment = Some(layer.clone());
        Ok(layer)
    }

    pub(crate) fn module_layer(&self, host: &mut dyn Host, module: &Str) -> Result<Option<Arc<Layer>>> {
        if let Some(known) = lock(&self.state).modules.get(module) {
            return Ok(known.clone());
        }
        let path = host.module_root(module).map(|root| Str::from(join(&root, CONFIG_FILE)));
        let layer = self.layer(host, path, Place::Module, Some(module.clone()))?;
        lock(&self.state).modules.insert(module.clone(), layer.clone());
        Ok(layer)
    }

    /// The layer of a configuration file, if there is that file.
    fn layer(
        &self,
        host: &mut dyn Host,
        path: Option<Str>,
        place: Place,
        module: Option<Str>,
    ) -> Result<Option<Arc<Layer>>> {
        match path.filter(|path| self.cache.exists(host.files(), path)) {
            None => Ok(None),
            Some(path) => {
                let config = self.config(host, &path, place)?;
                if config.version > 3 {
                    return Ok(Some(Arc::new(Layer::new(place, module, config))));
                }
                let (scope, root) = match place {
                    Place::Module => ("a module", "module root"),
                    _ => ("an environment", "the environment root"),
                };
                if self.settings.strict == Strict::Error {
                    let message = format!("hiera.yaml version 3 cannot be used in {scope}");
                    return Err(config.issue("HIERA_VERSION_3_NOT_GLOBAL", message, None));
                }
                host.warn_once(
                    &path,
                    format!("hiera.yaml version 3 found at {root} was ignored"),
                    Some(&path),
                );
                Ok(None)
            }
        }
    }

    pub(crate) fn known_options(
        &self,
        module: Option<&str>,
        global_only: bool,
    ) -> Option<Arc<LookupOptions>> {
        let state = lock(&self.state);
        if global_only {
            state.global_only_options.clone()
        } else {
            state.options.get(module.unwrap_or_default()).cloned()
        }
    }

    pub(crate) fn keep_options(&self, module: Option<&str>, global_only: bool, options: Arc<LookupOptions>) {
        let mut state = lock(&self.state);
        if global_only {
            state.global_only_options = Some(options);
        } else {
            state.options.insert(module.unwrap_or_default().into(), options);
        }
    }

    pub(crate) fn known_global_options(&self) -> Option<Option<Hash>> {
        lock(&self.state).global_options.clone()
    }

    pub(crate) fn keep_global_options(&self, options: Option<Hash>) {
        lock(&self.state).global_options = Some(options);
    }

    pub(crate) fn known_environment_options(&self) -> Option<Option<Hash>> {
        lock(&self.state).environment_options.clone()
    }

    pub(crate) fn keep_environment_options(&self, options: Option<Hash>) {
        lock(&self.state).environment_options = Some(options);
    }

    pub(crate) fn known_default_options(&self, module: &str) -> Option<Arc<LookupOptions>> {
        lock(&self.state).default_options.get(module).cloned()
    }

    pub(crate) fn keep_default_options(&self, module: &str, options: Arc<LookupOptions>) {
        lock(&self.state).default_options.insert(module.into(), options);
    }
}

/// The error of a request that found nothing.
fn not_found(names: &[String]) -> Error {
    Error::data(match names {
        [name] => format!("Function lookup() did not find a value for the name '{name}'"),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            format!("Function lookup() did not find a value for any of the names [{}]", names.join(", "))
        }
    })
}
