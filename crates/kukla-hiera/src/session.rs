//! The lookups of one compilation.

use std::sync::Arc;

use kukla_syntax::suggest::nearest;
use kukla_syntax::{Strict, diagnostic};
use kukla_values::{Hash, Str, Value};
use kukla_world::record::InputSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::answers::{Answer, Answers, LookupMode, Shared};
use crate::backend::{Context, Memory};
use crate::cache::DataCache;
use crate::codes::HIERA_VERSION_3_NOT_GLOBAL;
use crate::config::{CONFIG_FILE, Config, LayerKind};
use crate::error::{Error, Result};
use crate::explain::{Explainer, Explanation};
use crate::host::{Host, LookupRequest, Settings};
use crate::invocation::{Frame, Invocation};
use crate::layer::{Layer, Resolved, join};
use crate::legacy::Provider;
use crate::options::LookupOptions;
use crate::reads::{Needs, Reads};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueOrigin {
    /// The layer.
    pub layer: LayerKind,
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
    /// The origins of the values that are interpolated into it with `lookup`, `hiera` or `alias`.
    pub interpolated: Vec<Arc<ValueOrigin>>,
}

impl ValueOrigin {
    /// Whether the value, or one interpolated into it, was encrypted.
    pub fn is_secret(&self) -> bool {
        self.encrypted || self.interpolated.iter().any(|origin| origin.is_secret())
    }
}

/// A value that a lookup found, and where it came from.
#[derive(Clone, Debug)]
pub struct LookupHit {
    /// The value.
    pub value: Value,
    /// Every place that contributed, highest first; none if the value is a default or an override.
    pub origins: Vec<Arc<ValueOrigin>>,
    /// The `lookup_options` in force for the key.
    pub options: Option<Hash>,
}

/// The lookups of one compilation: the hierarchies as resolved for it, the `lookup_options` in force. The
/// compilation owns it; while a function serves as a backend, it is lent to the code that runs the function.
#[derive(Debug, Default)]
pub struct Session {
    cache: Arc<DataCache>,
    settings: Settings,
    shared: Arc<Shared>,
    answers: Answers,
    noisy: bool,
    global: Option<(Arc<Layer>, InputSet)>,
    environment: Option<(Option<Arc<Layer>>, InputSet)>,
    modules: FxHashMap<Str, (Option<Arc<Layer>>, InputSet)>,
    /// The inputs of all answers so far.
    used: InputSet,
    /// The hierarchies of the layers, as they were last resolved.
    hierarchies: Vec<Option<Arc<Resolved>>>,
    options: FxHashMap<Str, Arc<LookupOptions>>,
    global_only_options: Option<Arc<LookupOptions>>,
    global_options: Option<(Option<Hash>, Needs)>,
    environment_options: Option<(Option<Hash>, Needs)>,
    default_options: FxHashMap<Str, Arc<LookupOptions>>,
    warned: FxHashSet<Str>,
    /// The results of `cached_file_data`, by path; all functions share them.
    file_data: FxHashMap<Str, Value>,
    /// Decrypted values, which no message may show.
    secrets: FxHashSet<Str>,
    /// Lookups that wait while the host does something for them, innermost last.
    parked: Vec<Frame>,
    /// The explanations of all lookups so far, if they are logged.
    explanations: Option<String>,
}

impl Session {
    /// Begins the lookups of a compilation.
    pub fn new(cache: Arc<DataCache>, settings: Settings) -> Session {
        let shared = cache.shared(&settings);
        Session { cache, settings, shared, ..Session::default() }
    }

    /// The settings of all lookups.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The answers that other compilations share.
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Whether no warning was given so far.
    pub(crate) fn is_quiet(&self) -> bool {
        !self.noisy
    }

    /// Says that a warning is given.
    pub(crate) fn mark_noisy(&mut self) {
        self.noisy = true;
    }

    /// Whether what was read of variables still holds.
    pub(crate) fn holds(&mut self, host: &mut dyn Host, reads: &Arc<Reads>) -> bool {
        self.answers.holds(host, reads)
    }

    /// The answer to a question, if it is known.
    pub(crate) fn known_answer(
        &mut self,
        host: &mut dyn Host,
        key: &str,
        merge: Option<&Value>,
        global_only: bool,
    ) -> Option<Arc<Answer>> {
        self.answers.known(&self.shared, host, key, merge, global_only)
    }

    /// Keeps an answer.
    pub(crate) fn keep_answer(&mut self, key: &Str, how: LookupMode, answer: Answer) {
        let shared = self.is_quiet().then_some(&*self.shared);
        self.answers.keep(shared, key, how, answer);
    }

    /// The inputs of all answers so far, files searched without success included; empty unless the world is recorded.
    pub fn used(&self) -> &InputSet {
        &self.used
    }

    pub(crate) fn use_inputs(&mut self, inputs: &InputSet) {
        self.used.extend(inputs);
    }

    pub(crate) fn known_file_data(&self, path: &str) -> Option<Value> {
        self.file_data.get(path).cloned()
    }

    /// Keeps what a function has made of a file for all that ask for it until the compilation ends.
    pub fn keep_file_data(&mut self, path: Str, data: Value) {
        self.file_data.insert(path, data);
    }

    /// The cache shared with other compilations.
    pub fn cache(&self) -> &Arc<DataCache> {
        &self.cache
    }

    /// Answers a request. Nothing is found: the default if there is one, else an error that names the keys.
    pub fn lookup(&mut self, host: &mut dyn Host, request: &LookupRequest) -> Result<LookupHit> {
        match self.try_lookup(host, request)? {
            Some(found) => Ok(found),
            None => {
                let near = request.keys.first().and_then(|key| self.near_key(host, key));
                Err(not_found(&request.keys, near, self.is_explaining()))
            }
        }
    }

    /// The key nearest to one that has no value, of those that have one for this compilation, whatever others have read.
    #[cold]
    pub fn near_key(&mut self, host: &mut dyn Host, name: &str) -> Option<Str> {
        let mut known = self.cache.known_keys();
        loop {
            let near = Str::from(nearest(name, known.iter().map(Str::as_str))?);
            if matches!(self.try_lookup(host, &LookupRequest::key(near.clone())), Ok(Some(_))) {
                return Some(near);
            }
            known.remove(&near);
        }
    }

    /// Answers a request; nothing if nothing is found and there is no default, for callers with a default of their own.
    pub fn try_lookup(&mut self, host: &mut dyn Host, request: &LookupRequest) -> Result<Option<LookupHit>> {
        if let Some(answer) = self.answer_again(host, request) {
            return Ok(Some(answer));
        }
        Invocation::nested(self, host, |invocation| {
            invocation.frame.overrides = request.overrides.clone();
            invocation.frame.defaults = request.defaults.clone();
            if request.hiera_function {
                invocation.frame.hiera_function = true;
                invocation.frame.extra_paths = request.extra_paths.clone();
                invocation.frame.global_only |= !invocation
                    .session
                    .environment_has_data(invocation.host, &mut invocation.frame.needs.inputs)?;
            }
            let LookupRequest { keys, value_type, merge, default, .. } = request;
            let value = invocation.find(keys, value_type.as_ref(), merge.as_ref(), default.as_ref())?;
            Ok(value.map(|value| invocation.frame.found(value)))
        })
    }

    /// Answers a plain request as before, if everything is still as it was.
    fn answer_again(&mut self, host: &mut dyn Host, request: &LookupRequest) -> Option<LookupHit> {
        let [name] = &request.keys[..] else { return None };
        let plain = request.overrides.is_none() && request.defaults.is_none();
        if !plain || !self.parked.is_empty() {
            return None;
        }
        let mut used = InputSet::default();
        let global_only = request.hiera_function && !self.environment_has_data(host, &mut used).ok()?;
        let answer = self.answers.known(&self.shared, host, name, request.merge.as_ref(), global_only)?;
        let value = answer.value.clone()?;
        self.used.extend(&used);
        self.used.extend(&answer.needs.inputs);
        let fits = request.value_type.as_ref().is_none_or(|ty| ty.contains(&value));
        fits.then(|| LookupHit { value, origins: answer.origins.clone(), options: answer.options.clone() })
    }

    /// Whether the environment has data in a way that old functions and old configurations may see.
    pub(crate) fn environment_has_data(&mut self, host: &mut dyn Host, used: &mut InputSet) -> Result<bool> {
        Ok(self.environment_layer(host, used)?.is_some_and(|layer| layer.config.version >= 5))
    }

    /// The value that data has for a parameter of a class, under `class::parameter`.
    pub fn class_parameter(&mut self, host: &mut dyn Host, name: &str) -> Result<Option<LookupHit>> {
        if self.parked.is_empty()
            && let Some(answer) = self.answers.known(&self.shared, host, name, None, false)
        {
            self.used.extend(&answer.needs.inputs);
            let Answer { value, origins, options, .. } = &*answer;
            let found = |value| LookupHit { value, origins: origins.clone(), options: options.clone() };
            return Ok(value.clone().map(found));
        }
        Invocation::nested(self, host, |invocation| {
            let value = invocation.lookup(name, None)?;
            Ok(value.map(|value| invocation.frame.found(value)))
        })
    }

    /// A context for a function, with a memory of its own.
    pub fn context(&self, module: Option<Str>) -> Context {
        Context::new(self, Arc::new(Memory::new(module)))
    }

    /// Answers a request and explains the answer, whatever it is.
    pub fn explain(
        &mut self,
        host: &mut dyn Host,
        request: &LookupRequest,
    ) -> (Result<LookupHit>, Explanation) {
        self.explained(|session| session.lookup(host, request))
    }

    /// Does something and explains the lookups in it.
    pub fn explained<T>(&mut self, run: impl FnOnce(&mut Session) -> T) -> (T, Explanation) {
        let outer = self.parked.len();
        self.parked.push(Frame { explainer: Some(Explainer::default()), ..Frame::default() });
        let found = run(self);
        let explainer = self.parked.get_mut(outer).and_then(|frame| frame.explainer.take());
        self.parked.truncate(outer);
        (found, explainer.unwrap_or_default().finish())
    }

    /// Logs the explanations of all lookups from now on.
    #[must_use]
    pub fn explaining(self) -> Session {
        Session { explanations: Some(String::new()), ..self }
    }

    /// The explanations of all lookups so far, one after the other, if they are logged.
    pub fn explanations(&self) -> Option<&str> {
        self.explanations.as_deref()
    }

    /// Runs a lookup and logs its explanation under a title, if explanations are logged. A lookup inside another one is part of
    /// the explanation of that one.
    pub fn logged<T>(&mut self, title: impl FnOnce() -> String, run: impl FnOnce(&mut Session) -> T) -> T {
        if !self.parked.is_empty() {
            return run(self);
        }
        let Some(mut log) = self.explanations.take() else { return run(self) };
        let (result, explanation) = self.explained(run);
        log.push_str(&title());
        log.push('\n');
        log.extend(explanation.puppet_text().lines().flat_map(|line| ["  ", line, "\n"]));
        self.explanations = Some(log);
        result
    }

    /// A frame for a lookup inside the one that waits, if one does.
    pub(crate) fn enter(&mut self) -> Frame {
        match self.parked.last_mut() {
            None => Frame::default(),
            Some(outer) => Frame {
                explainer: outer.explainer.take(),
                names: outer.names.clone(),
                global_only: outer.global_only,
                hiera_function: outer.hiera_function,
                extra_paths: outer.extra_paths.clone(),
                version_3: outer.version_3,
                overrides: outer.overrides.clone(),
                defaults: outer.defaults.clone(),
                top_key: outer.top_key.clone(),
                module: outer.module.clone(),
                ..Frame::default()
            },
        }
    }

    /// Gives back what was lent to the inner lookup.
    pub(crate) fn leave(&mut self, frame: Frame) {
        self.used.extend(&frame.needs.inputs);
        if let Some(outer) = self.parked.last_mut() {
            outer.explainer = frame.explainer;
        }
    }

    pub(crate) fn park(&mut self, frame: Frame) {
        self.parked.push(frame);
    }

    pub(crate) fn unpark(&mut self) -> Frame {
        self.parked.pop().unwrap_or_default()
    }

    /// Whether a lookup waits that is being explained.
    pub fn is_explaining(&self) -> bool {
        self.parked.last().is_some_and(|frame| frame.explainer.is_some())
    }

    /// Adds the text of a context's `explain` to the explanation of the lookup that waits.
    pub fn remark(&mut self, text: String) {
        if let Some(Frame { explainer: Some(explainer), .. }) = self.parked.last_mut() {
            explainer.remark(text);
        }
    }

    /// Whether a warning is given for the first time in this compilation.
    pub(crate) fn first_time(&mut self, what: &Str) -> bool {
        self.warned.insert(what.clone())
    }

    /// Remembers something decrypted.
    pub(crate) fn keep_secret(&mut self, text: &Str) {
        if !text.trim().is_empty() {
            self.secrets.insert(text.clone());
        }
    }

    /// The decrypted values so far, without those too short to be distinguished from other words.
    pub fn secrets(&self) -> impl Iterator<Item = &Str> {
        const SHORTEST: usize = 4;
        self.secrets.iter().filter(|secret| secret.len() >= SHORTEST)
    }

    /// Replaces decrypted values in a text, unless they are too short to be distinguished from other words.
    pub fn redact(&self, text: &mut String) {
        let mut leaked: Vec<&Str> = self.secrets().filter(|secret| text.contains(secret.as_str())).collect();
        leaked.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        for secret in leaked {
            *text = text.replace(secret.as_str(), "[value redacted]");
        }
    }

    fn config(
        &mut self,
        host: &mut dyn Host,
        path: &Str,
        place: LayerKind,
        used: &mut InputSet,
    ) -> Result<Arc<Config>> {
        let config = self.cache.config(host.world(), path, place, used)?;
        if let Some(warning) = &config.warning {
            self.mark_noisy();
            host.warn(warning.clone());
        }
        if config.deprecated && self.settings.strict != Strict::Off {
            let version = config.version;
            let message = format!(
                "{path}: Use of 'hiera.yaml' version {version} is deprecated. It should be converted to version 5"
            );
            self.mark_noisy();
            host.warn_once("hiera.yaml", message, Some(path));
        }
        Ok(config)
    }

    pub(crate) fn global_layer(&mut self, host: &mut dyn Host, used: &mut InputSet) -> Result<Arc<Layer>> {
        if let Some((known, inputs)) = &self.global {
            used.extend(inputs);
            return Ok(known.clone());
        }
        let mut inputs = InputSet::default();
        // There always is a global layer, and explanations mention it.
        let config = match self.settings.global_config.as_deref().map(Str::from) {
            None => Ok(Arc::new(Config::empty())),
            Some(path) => self.config(host, &path, LayerKind::Global, &mut inputs),
        };
        used.extend(&inputs);
        let layer = self.add_layer(LayerKind::Global, None, config?);
        self.global = Some((layer.clone(), inputs));
        Ok(layer)
    }

    pub(crate) fn environment_layer(
        &mut self,
        host: &mut dyn Host,
        used: &mut InputSet,
    ) -> Result<Option<Arc<Layer>>> {
        if let Some((known, inputs)) = &self.environment {
            used.extend(inputs);
            return Ok(known.clone());
        }
        let mut inputs = InputSet::default();
        let layer = match self.settings.environment_root.clone() {
            Some(root) => {
                let provider = self.settings.environment_provider.clone();
                self.layer(host, &root, provider.as_deref(), None, &mut inputs)
            }
            None => Ok(None),
        };
        used.extend(&inputs);
        let layer = layer?;
        self.environment = Some((layer.clone(), inputs));
        Ok(layer)
    }

    pub(crate) fn module_layer(
        &mut self,
        host: &mut dyn Host,
        module: &Str,
        used: &mut InputSet,
    ) -> Result<Option<Arc<Layer>>> {
        if let Some((known, inputs)) = self.modules.get(module) {
            used.extend(inputs);
            return Ok(known.clone());
        }
        let mut inputs = InputSet::default();
        let layer = match host.module_root(module) {
            Some(root) => {
                let provider = host.module_provider(module);
                self.layer(host, &root, provider.as_deref(), Some(module), &mut inputs)
            }
            None => Ok(None),
        };
        used.extend(&inputs);
        let layer = layer?;
        self.modules.insert(module.clone(), (layer.clone(), inputs));
        Ok(layer)
    }

    fn add_layer(&mut self, place: LayerKind, module: Option<Str>, config: Arc<Config>) -> Arc<Layer> {
        self.hierarchies.push(None);
        Arc::new(Layer::new(place, module, config, Some(self.hierarchies.len() - 1)))
    }

    /// The hierarchy of a layer, as it was last resolved.
    pub(crate) fn hierarchy(&self, slot: usize) -> Option<Arc<Resolved>> {
        self.hierarchies.get(slot)?.clone()
    }

    pub(crate) fn keep_hierarchy(&mut self, slot: usize, resolved: Arc<Resolved>) {
        if let Some(known) = self.hierarchies.get_mut(slot) {
            *known = Some(resolved);
        }
    }

    /// The layer of an environment or module, if it has data.
    fn layer(
        &mut self,
        host: &mut dyn Host,
        root: &str,
        provider: Option<&str>,
        module: Option<&Str>,
        used: &mut InputSet,
    ) -> Result<Option<Arc<Layer>>> {
        let place = if module.is_some() { LayerKind::Module } else { LayerKind::Environment };
        let path = Str::from(join(root, CONFIG_FILE));
        let mut config = match self.cache.exists(host.world(), &path, used)? {
            true => self.usable(host, &path, place, used)?,
            false => None,
        };
        if let Some(name) = provider {
            config = Provider { name, module, root }.configuration(self, host, config)?;
        }
        Ok(config.map(|config| self.add_layer(place, module.cloned(), config)))
    }

    /// The configuration of an environment or module, unless it is of a version that cannot be used there.
    fn usable(
        &mut self,
        host: &mut dyn Host,
        path: &Str,
        place: LayerKind,
        used: &mut InputSet,
    ) -> Result<Option<Arc<Config>>> {
        let config = self.config(host, path, place, used)?;
        if config.version > 3 {
            return Ok(Some(config));
        }
        let (scope, root) = match place {
            LayerKind::Module => ("a module", "module root"),
            _ => ("an environment", "the environment root"),
        };
        if self.settings.strict == Strict::Error {
            return Err(config.wrong(diagnostic!(HIERA_VERSION_3_NOT_GLOBAL { place: scope }), None));
        }
        self.mark_noisy();
        host.warn_once(path, format!("hiera.yaml version 3 found at {root} was ignored"), Some(path));
        Ok(None)
    }

    pub(crate) fn known_options(
        &self,
        module: Option<&str>,
        global_only: bool,
    ) -> Option<Arc<LookupOptions>> {
        if global_only {
            self.global_only_options.clone()
        } else {
            self.options.get(module.unwrap_or_default()).cloned()
        }
    }

    pub(crate) fn keep_options(
        &mut self,
        module: Option<&str>,
        global_only: bool,
        options: Arc<LookupOptions>,
    ) {
        if global_only {
            self.global_only_options = Some(options);
        } else {
            self.options.insert(module.unwrap_or_default().into(), options);
        }
    }

    pub(crate) fn known_global_options(&self) -> Option<(Option<Hash>, Needs)> {
        self.global_options.clone()
    }

    pub(crate) fn keep_global_options(&mut self, options: Option<Hash>, needs: Needs) {
        self.global_options = Some((options, needs));
    }

    pub(crate) fn known_environment_options(&self) -> Option<(Option<Hash>, Needs)> {
        self.environment_options.clone()
    }

    pub(crate) fn keep_environment_options(&mut self, options: Option<Hash>, needs: Needs) {
        self.environment_options = Some((options, needs));
    }

    pub(crate) fn known_default_options(&self, module: &str) -> Option<Arc<LookupOptions>> {
        self.default_options.get(module).cloned()
    }

    pub(crate) fn keep_default_options(&mut self, module: &str, options: Arc<LookupOptions>) {
        self.default_options.insert(module.into(), options);
    }
}

/// The error of a request that found nothing.
fn not_found(names: &[Str], near: Option<Str>, is_explained: bool) -> Error {
    let name = names.first().map(Str::as_str).unwrap_or_default();
    let mut wrong = kukla_values::codes::missing(names);
    wrong.hints.extend(near.map(|near| format!("there is a key '{near}'")));
    if !is_explained {
        wrong = wrong.hint(format!("`kukla lookup {name} --explain` shows every place it was looked for"));
    }
    Error::data(wrong)
}
