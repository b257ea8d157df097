//! The search itself: layers, their levels, their locations.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use kukla_formats::eyaml;
use kukla_syntax::{Strict, diagnostic};
use kukla_values::types::mismatch;
use kukla_values::{Hash, Str, Type, Value};
use kukla_world::record::tracked;
use kukla_world::{FileError, World};

use crate::answers::{Answer, LookupMode};
use crate::backend::Context;
use crate::cache::{DataFile, DataFormat, lock};
use crate::codes::{
    DATA_HASH_WITHOUT_PATH, DATA_NO_HASH, DECRYPTION_FAILED, EYAML_WITHOUT_PATH,
    HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND, MERGED_DOTTED_KEY, NO_LOOKUP_VALUE,
};
use crate::config::{Backend, LayerKind};
use crate::error::{Error, Result};
use crate::explain::{Action, Outcome, Source};
use crate::host::{BackendAnswer, BackendQuestion, FunctionKind};
use crate::invocation::Invocation;
use crate::key::{Key, LOOKUP_OPTIONS};
use crate::layer::{Layer, Level, Location};
use crate::merge::{Merge, Strategy, type_error};
use crate::options;
use crate::session::ValueOrigin;

impl Invocation<'_> {
    /// The first of several keys that has a value, as `lookup` asks; a default if none has.
    pub fn find(
        &mut self,
        names: &[Str],
        value_type: Option<&Type>,
        merge: Option<&Value>,
        default: Option<&Value>,
    ) -> Result<Option<Value>> {
        let checked = |subject: &dyn Fn() -> String, value: Value| -> Result<Option<Value>> {
            if let Some(ty) = value_type.filter(|ty| !ty.contains(&value)) {
                mismatch::assert(&subject(), ty, &value).map_err(type_error)?;
            }
            Ok(Some(value))
        };
        for name in names {
            if let Some(value) = self.frame.overriding(name).cloned() {
                return checked(&|| format!("Value found for key '{name}' in override hash"), value);
            }
            if let Some(value) = self.lookup(name, merge)? {
                return checked(&|| "Found value".into(), value).map_err(|error| self.at_origin(error));
            }
        }
        for name in names {
            if let Some(value) = self.frame.defaulting(name).cloned() {
                return checked(&|| format!("Value found for key '{name}' in default values hash"), value);
            }
        }
        match default {
            Some(default) => checked(&|| "Default value".into(), default.clone()),
            None => Ok(None),
        }
    }

    /// An error about a value that was found, with the place it was found at.
    fn at_origin(&self, error: Error) -> Error {
        let Some(origin) = self.frame.origins.first() else { return error };
        let Some(file) = &origin.location else { return error };
        let error = error.in_data(&origin.key, file, origin.line);
        let conversion = self.frame.options.as_ref().and_then(|options| options.get("convert_to"));
        if conversion.is_some_and(options::hides) { error.without_excerpt() } else { error }
    }

    /// One key in all layers, merged and converted as asked or as `lookup_options` say.
    pub fn lookup(&mut self, name: &str, merge: Option<&Value>) -> Result<Option<Value>> {
        match self.known(name, merge) {
            Some(answer) => Ok(self.take(&answer)),
            None => self.lookup_anew(&Key::new(name)?, merge),
        }
    }

    /// The same for a key that is known to be one.
    pub fn lookup_key(&mut self, key: &Key, merge: Option<&Value>) -> Result<Option<Value>> {
        match self.known(key.text(), merge) {
            Some(answer) => Ok(self.take(&answer)),
            None => self.lookup_anew(key, merge),
        }
    }

    /// Whether answers can be kept and used again: nobody wants to know how they are found, and the call itself has no part
    /// in them.
    fn may_keep(&self) -> bool {
        let frame = &self.frame;
        frame.explainer.is_none() && frame.overrides.is_none() && frame.defaults.is_none()
    }

    fn known(&mut self, name: &str, merge: Option<&Value>) -> Option<Arc<Answer>> {
        if !self.may_keep() {
            return None;
        }
        self.session.known_answer(self.host, name, merge, self.frame.global_only)
    }

    /// Uses an answer that was found before.
    fn take(&mut self, answer: &Answer) -> Option<Value> {
        self.frame.needs.absorb(&answer.needs);
        self.frame.origins.extend_from_slice(&answer.origins);
        self.frame.options = answer.options.clone();
        answer.value.clone()
    }

    fn lookup_anew(&mut self, key: &Key, merge: Option<&Value>) -> Result<Option<Value>> {
        if !self.may_keep() {
            return self.search(key, merge);
        }
        let before = self.frame.origins.len();
        let (found, needs) = self.needing(|this| this.search(key, merge));
        let value = found?;
        if !needs.fickle {
            let how = LookupMode { merge: merge.cloned(), global_only: self.frame.global_only };
            let origins = self.frame.origins[before..].to_vec();
            let options = self.frame.options.clone();
            self.session.keep_answer(
                key.text(),
                how,
                Answer { value: value.clone(), origins, options, needs },
            );
        }
        Ok(value)
    }

    fn search(&mut self, key: &Key, merge: Option<&Value>) -> Result<Option<Value>> {
        if key
            .text()
            .strip_prefix(LOOKUP_OPTIONS)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        {
            self.step(|| Action::Reserved(LOOKUP_OPTIONS.into()), |_| ());
            return Ok(None);
        }
        self.frame.top_key = key.text().clone();
        self.frame.module = key.module().cloned();
        let all_options = self.lookup_options(key.module().map(Str::as_str))?;
        let own = all_options.of(key.root());
        let option = |name: &str| own.and_then(|own| own.get(name));
        let merge = match merge {
            Some(merge) if merge.is_true() => Some(merge),
            _ => {
                let merge = option("merge").filter(|merge| !merge.is_undef());
                if merge.is_some() {
                    self.step(|| Action::MergeOptions, |_| ());
                }
                merge
            }
        };
        let hidden = u32::from(option("convert_to").is_some_and(options::hides));
        self.tell(|explainer| explainer.hidden += hidden);
        let found = self.step(
            || Action::Search(key.text().clone()),
            |this| {
                let value = this.all_layers(key, merge)?;
                if value.is_some() || this.frame.global_only {
                    return Ok(value);
                }
                match this.default_hierarchy(key)? {
                    Some(value) => this.dig(key.text(), key.segments(), value),
                    None => Ok(None),
                }
            },
        );
        self.tell(|explainer| explainer.hidden -= hidden);
        self.frame.options = own.cloned();
        let found = found.map_err(|error| if hidden > 0 { error.without_excerpt() } else { error });
        match (found?, option("convert_to")) {
            (Some(value), Some(wanted)) => self.converted(key, wanted, value).map(Some),
            (found, _) => Ok(found),
        }
    }

    fn all_layers(&mut self, key: &Key, merge: Option<&Value>) -> Result<Option<Value>> {
        let merge = Merge::parse(merge).map_err(|error| {
            let strategies = "the strategies are first, unique, hash and deep";
            error.with_hint(format!("{strategies}; set it in the call or in lookup_options of the data"))
        })?;
        let found = if self.frame.global_only {
            self.search_global(key, &merge)?
        } else {
            const LAYERS: [LayerKind; 3] = [LayerKind::Global, LayerKind::Environment, LayerKind::Module];
            self.merged(&merge, &LAYERS, |this, place| match place {
                LayerKind::Global => this.search_global(key, &merge),
                LayerKind::Environment => this.search_environment(key, &merge),
                LayerKind::Module => this.search_module(key, &merge),
            })?
        };
        match found {
            Some(value) => self.dig(key.text(), key.segments(), value),
            None => Ok(None),
        }
    }

    /// The merged values of several locations.
    pub fn merged<V>(
        &mut self,
        merge: &Merge,
        places: &[V],
        mut search: impl FnMut(&mut Self, &V) -> Result<Option<Value>>,
    ) -> Result<Option<Value>> {
        if merge.is_first() {
            for place in places {
                let found = search(self, place)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            return Ok(None);
        }
        if let [only] = places {
            return Ok(search(self, only)?.map(|value| merge.single(value)));
        }
        if places.is_empty() {
            return Ok(None);
        }
        self.step(
            || Action::Merge(merge.strategy.name(), merge.options.clone()),
            |this| {
                let mut all = None;
                for place in places {
                    let Some(value) = search(this, place)? else { continue };
                    all = Some(match all {
                        None => merge.begin(value),
                        Some(all) => merge.join(all, value)?,
                    });
                }
                if let Some(value) = &all {
                    this.tell(|explainer| explainer.merged(value));
                }
                Ok(all)
            },
        )
    }

    pub fn search_global(&mut self, key: &Key, merge: &Merge) -> Result<Option<Value>> {
        let found = self.check(key.text().clone(), |this| {
            let layer = this.session.global_layer(this.host, &mut this.frame.needs.inputs)?;
            match layer.config.version {
                3 => this.search_version_3(key, merge, &layer),
                _ => this.search_layer(key, merge, &layer),
            }
        });
        let top_key = &self.frame.top_key;
        found.map_err(|error| error.leaving_global(top_key))
    }

    /// Searches a global layer of version 3, which sees other variables and stays among itself unless the environment has
    /// data of its own.
    fn search_version_3(&mut self, key: &Key, merge: &Merge, layer: &Layer) -> Result<Option<Value>> {
        let outer = (self.frame.version_3, self.frame.global_only);
        self.frame.needs.fickle = true;
        self.frame.version_3 = true;
        self.frame.global_only |=
            !self.session.environment_has_data(self.host, &mut self.frame.needs.inputs)?;
        let own = match (&layer.config.hash_merge, merge.strategy) {
            (Some(own), Strategy::Hash) if self.frame.hiera_function => Some(Merge::parse(Some(own))?),
            _ => None,
        };
        let merge = own.as_ref().unwrap_or(merge);
        let found = self.search_layer(key, merge, layer);
        (self.frame.version_3, self.frame.global_only) = outer;
        let Some(value) = found? else { return Ok(None) };
        let hashes = !merge.is_first() && merge.strategy != Strategy::Unique;
        if self.frame.hiera_function && hashes {
            mismatch::assert("value", &Type::any_hash(), &value).map_err(type_error)?;
        }
        let strategy = match merge.strategy {
            Strategy::Hash => "hash",
            Strategy::Unique => "array",
            _ => return Ok(Some(value)),
        };
        if self.frame.hiera_function && !key.segments().is_empty() {
            return Err(Error::data(diagnostic!(MERGED_DOTTED_KEY { strategy, key: key.text() })));
        }
        Ok(Some(value))
    }

    pub fn search_environment(&mut self, key: &Key, merge: &Merge) -> Result<Option<Value>> {
        match self.session.environment_layer(self.host, &mut self.frame.needs.inputs)? {
            Some(layer) => self.check(key.text().clone(), |this| this.search_layer(key, merge, &layer)),
            None => Ok(None),
        }
    }

    pub fn search_module(&mut self, key: &Key, merge: &Merge) -> Result<Option<Value>> {
        let Some(module) = self.frame.module.clone() else { return Ok(None) };
        match self.session.module_layer(self.host, &module, &mut self.frame.needs.inputs)? {
            Some(layer) => self.check(key.text().clone(), |this| this.search_layer(key, merge, &layer)),
            None => {
                if self.frame.explainer.is_some() {
                    let outcome = match self.host.module_root(&module) {
                        Some(_) => Outcome::ModuleWithoutData,
                        None => Outcome::ModuleNotFound,
                    };
                    self.step(
                        || Action::Module(module),
                        |this| this.tell(|explainer| explainer.outcome(outcome)),
                    );
                }
                Ok(None)
            }
        }
    }

    fn default_hierarchy(&mut self, key: &Key) -> Result<Option<Value>> {
        let Some(module) = self.frame.module.clone() else { return Ok(None) };
        let layer = self.session.module_layer(self.host, &module, &mut self.frame.needs.inputs)?;
        let Some(layer) = layer.filter(|layer| layer.config.default_hierarchy.is_some()) else {
            return Ok(None);
        };
        self.step(
            || Action::Scope(format!("Searching default_hierarchy of module \"{module}\"")),
            |this| {
                let merge = this.default_merge(key, &module, &layer)?;
                let merge = Merge::parse(merge.as_ref())?;
                this.step(
                    || Action::Scope(format!("Searching for \"{}\"", key.text())),
                    |this| this.search_default(key, &merge, &layer),
                )
            },
        )
    }

    pub fn search_default(&mut self, key: &Key, merge: &Merge, layer: &Layer) -> Result<Option<Value>> {
        let resolved = layer.resolve(self)?;
        if resolved.default_levels.is_empty() {
            self.not_found(key.text());
            return Ok(None);
        }
        let config = layer.config.path.clone();
        self.check(key.text().clone(), |this| {
            this.step(
                || Action::Layer { name: layer.name(), config },
                |this| {
                    this.merged(merge, &resolved.default_levels, |this, level| {
                        this.search_level(key, merge, layer, level)
                    })
                },
            )
        })
    }

    fn search_layer(&mut self, key: &Key, merge: &Merge, layer: &Layer) -> Result<Option<Value>> {
        self.step(
            || Action::Layer { name: layer.name(), config: layer.config.path.clone() },
            |this| {
                let resolved = layer.resolve(this)?;
                if resolved.levels.is_empty() {
                    this.not_found(key.text());
                    return Ok(None);
                }
                this.merged(merge, &resolved.levels, |this, level| {
                    this.search_level(key, merge, layer, level)
                })
            },
        )
    }

    fn search_level(
        &mut self,
        key: &Key,
        merge: &Merge,
        layer: &Layer,
        level: &Level,
    ) -> Result<Option<Value>> {
        self.step(
            || Action::Level(level.title()),
            |this| {
                let mut locations = Cow::Borrowed(&level.locations[..]);
                if level.datadir.is_some() && !this.frame.extra_paths.is_empty() {
                    let mut all = level.extra(&this.frame.extra_paths.clone(), this)?;
                    all.extend_from_slice(&level.locations);
                    locations = Cow::Owned(all);
                }
                this.merged(merge, &locations, |this, location| match &location.place {
                    None => this.search_location(key, merge, layer, level, location),
                    Some((original, path)) => {
                        let (original, path, is_uri) = (original.clone(), path.clone(), location.is_uri);
                        this.step(
                            || Action::Location { original, location: path, is_uri },
                            |this| {
                                if location.exists || matches!(level.backend, Backend::Hiera3(_)) {
                                    return this.search_location(key, merge, layer, level, location);
                                }
                                this.tell(|explainer| explainer.outcome(Outcome::LocationNotFound));
                                Ok(None)
                            },
                        )
                    }
                })
            },
        )
    }

    fn search_location(
        &mut self,
        key: &Key,
        merge: &Merge,
        layer: &Layer,
        level: &Level,
        location: &Location,
    ) -> Result<Option<Value>> {
        self.frame.interpolated.clear();
        let (name, found) = match &level.backend {
            Backend::File(format) => (key.root(), self.in_file(key.root(), *format, layer, level, location)?),
            Backend::Eyaml => (key.root(), self.in_eyaml(key.root(), layer, level, location)?),
            Backend::Function(FunctionKind::DataHash, name) => {
                (key.root(), self.in_data_hash(key.root(), name, layer, level, location)?)
            }
            Backend::Function(FunctionKind::LookupKey, name) => (
                key.root(),
                self.by_key(key.root(), key.root().clone().into(), name, layer, level, location)?,
            ),
            Backend::Function(FunctionKind::DataDig, name) => {
                let mut segments = vec![Value::String(key.root().clone())];
                segments.extend_from_slice(key.segments());
                (key.text(), self.by_key(key.text(), segments.into(), name, layer, level, location)?)
            }
            Backend::Legacy(name) => {
                (key.root(), self.in_data_hash(key.root(), name, layer, level, location)?)
            }
            Backend::Hiera3(name) => match self.in_hiera_3(key, merge, name, layer, level)? {
                BackendAnswer::Found(value) => (key.text(), Some(value)),
                BackendAnswer::NotFound => (key.text(), None),
                BackendAnswer::Unusable(reason) => {
                    if self.session.first_time(&reason.as_str().into()) {
                        self.warned();
                        let message = format!("{reason}. It is skipped");
                        self.host.warn_once(name, message, layer.config.path.as_deref());
                    }
                    self.tell(|explainer| explainer.remark(reason));
                    return Ok(None);
                }
            },
        };
        let Some(value) = found else {
            self.not_found(name);
            return Ok(None);
        };
        let file = match (location.file.get(), location.path(), level.backend.format()) {
            (Some(file), ..) => Some(Arc::clone(file)),
            (None, Some(path), Some(format)) => self.session.cache().known_file(path, format),
            _ => None,
        };
        let line = file.as_ref().and_then(|file| file.line(key.root()));
        self.tell(|explainer| explainer.found(name.clone(), &value, Source::Data, line));
        self.frame.origins.push(Arc::new(ValueOrigin {
            layer: layer.kind,
            module: layer.module.clone(),
            level: level.name.clone(),
            location: location.path().cloned(),
            line,
            key: key.root().clone(),
            encrypted: level.backend == Backend::Eyaml
                && file
                    .and_then(|file| file.get(key.root()).cloned())
                    .is_some_and(|e| is_encrypted(&e.value)),
            interpolated: std::mem::take(&mut self.frame.interpolated),
        }));
        Ok(Some(match &level.backend {
            Backend::Function(FunctionKind::DataDig, _) | Backend::Hiera3(_) => key.undig(value),
            _ => value,
        }))
    }

    /// Asks a backend for Hiera 3, which walks the hierarchy itself.
    fn in_hiera_3(
        &mut self,
        key: &Key,
        merge: &Merge,
        name: &str,
        layer: &Layer,
        level: &Level,
    ) -> Result<BackendAnswer> {
        // The inputs of its answer are unknown.
        self.frame.needs.fickle = true;
        let as_configured = layer.config.hash_merge.is_some()
            && self.frame.hiera_function
            && matches!(merge.strategy, Strategy::UnconstrainedDeep | Strategy::ReverseDeep);
        let merge = if as_configured { Value::Default } else { merge.as_value() };
        let overrides = self.frame.extra_paths.clone();
        let question = BackendQuestion {
            name,
            config: &level.options,
            key: key.text(),
            overrides: &overrides,
            merge: &merge,
        };
        self.host.ask_backend(self.session, &question)
    }

    fn in_file(
        &mut self,
        key: &Str,
        format: DataFormat,
        layer: &Layer,
        level: &Level,
        location: &Location,
    ) -> Result<Option<Value>> {
        let file = self.file(format, layer, level, location)?;
        self.asked_for(key);
        let Some(entry) = file.get(key) else { return Ok(None) };
        if entry.invalid {
            let actual = if file.is_symbolic(key) {
                "Runtime[ruby, 'Symbol']".into()
            } else {
                Type::of(&entry.value).short()
            };
            let source = format!("Value for key '{key}', in hash returned from {}", level.describe());
            return Err(wrong_value(&source, location, &actual));
        }
        let rendered = self.render(&entry.template, true);
        rendered.map(Some).map_err(|error| error.in_data(key, &file.path, file.line(key)))
    }

    /// Notes which part of data files matters.
    fn asked_for(&mut self, key: &str) {
        if let Some(ledger) = self.host.world().ledger() {
            self.frame.needs.inputs.insert(ledger.key(key));
        }
    }

    /// The file of a location.
    fn file(
        &mut self,
        format: DataFormat,
        layer: &Layer,
        level: &Level,
        location: &Location,
    ) -> Result<Arc<DataFile>> {
        match location.file.get() {
            Some(file) => {
                self.frame.needs.inputs.extend(&file.inputs);
                Ok(Arc::clone(file))
            }
            None => self.load_file(format, layer, level, location),
        }
    }

    /// Reads the file of a location the first time it is asked, with the warnings that come with it.
    pub fn load_file(
        &mut self,
        format: DataFormat,
        layer: &Layer,
        level: &Level,
        location: &Location,
    ) -> Result<Arc<DataFile>> {
        let Some(path) =
            location.path().filter(|_| level.options.is_empty() || level.backend == Backend::Eyaml)
        else {
            let name = match format {
                DataFormat::Yaml => "yaml_data",
                DataFormat::Json => "json_data",
                DataFormat::Hocon => "hocon_data",
            };
            return Err(Error::caller(diagnostic!(DATA_HASH_WITHOUT_PATH { function: name })));
        };
        let used = &mut self.frame.needs.inputs;
        let file = self.session.cache().file(self.host.world(), path, format, used)?;
        if let Some(odd) = file.odd.as_ref().filter(|_| format != DataFormat::Yaml) {
            let source = located(&format!("Value returned from {}", level.describe()), location);
            mismatch::assert(&source, &Type::any_hash(), odd).map_err(type_error)?;
        }
        // Warnings, each with the subject about which it is given once: the file, or the level that uses it.
        let mut warnings = Vec::new();
        if file.blank || file.odd.is_some() {
            let wrong = diagnostic!(DATA_NO_HASH { file: path });
            if file.odd.is_some() && self.session.settings().strict == Strict::Error {
                return Err(Error::data(wrong));
            }
            warnings.push((path.clone(), wrong.message()));
        }
        if let (LayerKind::Module, Some(module)) = (layer.kind, &layer.module)
            && level.backend != Backend::Eyaml
        {
            let use_site = Str::from(format!("{location:p}"));
            for key in file.foreign_keys(module) {
                let source = located(&format!("Value returned from {}", level.describe()), location);
                let warning = format!(
                    "Module '{module}': {source} must use keys qualified with the name of the module; got {key}"
                );
                warnings.push((use_site.clone(), warning));
            }
        }
        // A hierarchy may be shared with other compilations, each of which gives the warnings once.
        if warnings.is_empty() {
            location.file.set(Arc::clone(&file)).ok();
        } else {
            self.warned();
            for (subject, warning) in warnings {
                if self.session.first_time(&format!("{subject} {warning}").into()) {
                    self.host.warn(warning);
                }
            }
        }
        Ok(file)
    }

    pub fn in_eyaml(
        &mut self,
        key: &Str,
        layer: &Layer,
        level: &Level,
        location: &Location,
    ) -> Result<Option<Value>> {
        if location.place.is_none() || location.is_uri {
            return Err(Error::caller(diagnostic!(EYAML_WITHOUT_PATH)));
        }
        let file = self.file(DataFormat::Yaml, layer, level, location)?;
        self.asked_for(key);
        let Some(entry) = file.get(key) else { return Ok(None) };
        if entry.invalid {
            let source = format!("Value for key '{key}', returned from {}", level.describe());
            return Err(wrong_value(&source, location, "Runtime[ruby, 'Symbol']"));
        }
        let plain = self.decrypted(key, &entry.value, level, location);
        plain.map(Some).map_err(|error| error.in_data(key, &file.path, file.line(key)))
    }

    fn decrypted(&mut self, key: &Str, value: &Value, level: &Level, location: &Location) -> Result<Value> {
        Ok(match value {
            Value::String(text) if eyaml::is_encrypted(text) => {
                let plain = self.open_blocks(key, text, level, location)?;
                self.interpolate(&plain.into(), true)?
            }
            Value::String(_) => self.interpolate(value, true)?,
            Value::Array(array) => {
                let mut out = Vec::with_capacity(array.len());
                for element in array {
                    out.push(self.decrypted(key, element, level, location)?);
                }
                out.into()
            }
            Value::Hash(hash) => {
                let mut out = Hash::new();
                for (name, value) in hash {
                    let name = self.interpolate(name, true)?;
                    let value = self.decrypted(key, value, level, location)?;
                    out.insert(name, value);
                }
                out.into()
            }
            other => other.clone(),
        })
    }

    fn open_blocks(&mut self, key: &Str, text: &str, level: &Level, location: &Location) -> Result<String> {
        let world = self.host.world();
        let used = &mut self.frame.needs.inputs;
        let mut is_set = |variable: &str| {
            let (value, inputs) = tracked(world, |world| world.env(variable));
            used.extend(&inputs);
            // One that may not be seen is one to complain of.
            !matches!(value, Ok(None))
        };
        let option = |name: &str| level.options.get(name).and_then(Value::as_str);
        let (name, from_env) = match (option("pkcs7_private_key_env_var"), option("pkcs7_private_key")) {
            (Some(variable), _) if is_set(variable) => (variable, true),
            (_, Some(path)) => (path, false),
            _ => ("./keys/private_key.pkcs7.pem", false),
        };
        let pem = |world: &dyn World| match from_env {
            true => match world.env(name) {
                Ok(Some(pem)) => Ok(pem),
                Ok(None) => {
                    Err(kukla_formats::Error::bare(format!("environment variable {name} is not set")))
                }
                Err(refused) => Err(kukla_formats::Error::bare(refused.to_string())),
            },
            false => match world.read(Path::new(name)) {
                Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
                Err(FileError::Refused(refusal)) => Err(kukla_formats::Error::bare(refusal.to_string())),
                Err(_) => Err(kukla_formats::Error::bare(format!(
                    "the private key {name} cannot be read; set pkcs7_private_key under 'options' of this level"
                ))),
            },
        };
        let mut out = String::new();
        let mut secrets = Vec::new();
        for piece in eyaml::pieces(text) {
            let opened = match piece {
                eyaml::Piece::Plain(text) => {
                    out.push_str(text);
                    continue;
                }
                eyaml::Piece::Encrypted(None | Some("PKCS7"), block) => {
                    self.session.cache().open(world, &name.into(), block, pem, used)
                }
                eyaml::Piece::Encrypted(Some(method), _) => Err(kukla_formats::Error::bare(format!(
                    "encryption method {method} is not known, only PKCS7 is"
                ))),
            };
            match opened {
                Ok(text) => {
                    out.push_str(&text);
                    secrets.push(text);
                }
                Err(error) => {
                    let path = location.path().map_or("", Str::as_str);
                    let wrong = diagnostic!(DECRYPTION_FAILED { key, file: path, reason: error });
                    return Err(Error::data(wrong));
                }
            }
        }
        self.frame.needs.private = true;
        for secret in secrets {
            self.session.keep_secret(&secret);
            self.tell(|explainer| explainer.keep_secret(&secret));
        }
        if out.ends_with('\n') {
            out.pop();
            if out.ends_with('\r') {
                out.pop();
            }
        }
        Ok(out)
    }

    fn in_data_hash(
        &mut self,
        key: &Str,
        name: &Str,
        layer: &Layer,
        level: &Level,
        location: &Location,
    ) -> Result<Option<Value>> {
        self.frame.needs.fickle = true;
        let known = lock(&location.memory.data).clone();
        let hash = match known {
            Some(hash) => hash,
            None => {
                let given = match &level.backend {
                    Backend::Legacy(_) => {
                        self.known_function(FunctionKind::DataHash, name, layer)?;
                        self.ask(|host, session| host.call(session, name, Vec::new(), None))?
                    }
                    _ => self.call(FunctionKind::DataHash, name, Vec::new(), layer, level, location)?,
                };
                let source = located(&format!("Value returned from {}", level.describe()), location);
                let Some(given) = given else { return Ok(None) };
                mismatch::assert(&source, &Type::any_hash(), &given).map_err(type_error)?;
                let mut hash = given.as_hash().cloned().unwrap_or_default();
                if let (LayerKind::Module, Some(module)) = (layer.kind, &layer.module) {
                    let own = |key: &str| {
                        key == LOOKUP_OPTIONS
                            || key.strip_prefix(module.as_str()).is_some_and(|k| k.starts_with("::"))
                    };
                    for key in hash.keys().filter_map(Value::as_str).filter(|key| !own(key)) {
                        self.warned();
                        self.host.warn(format!(
                            "Module '{module}': {source} must use keys qualified with the name of the module; got {key}"
                        ));
                    }
                    hash = hash
                        .iter()
                        .filter(|(key, _)| key.as_str().is_some_and(own))
                        .map(|(k, v)| (k.clone(), v.clone()))
                        .collect();
                }
                *lock(&location.memory.data) = Some(hash.clone());
                hash
            }
        };
        let Some(value) = hash.get(key.as_str()) else { return Ok(None) };
        let source = || format!("Value for key '{key}', in hash returned from {}", level.describe());
        check_value(value, source, location)?;
        self.interpolate(value, true).map(Some)
    }

    /// Asks a `lookup_key` or `data_dig` function, which keeps what it once gave.
    fn by_key(
        &mut self,
        key: &Str,
        argument: Value,
        name: &Str,
        layer: &Layer,
        level: &Level,
        location: &Location,
    ) -> Result<Option<Value>> {
        self.frame.needs.fickle = true;
        if let Some(known) = lock(&location.memory.values).get(key) {
            return Ok(Some(known.clone()));
        }
        let kind =
            if matches!(argument, Value::Array(_)) { FunctionKind::DataDig } else { FunctionKind::LookupKey };
        let given = self.call(kind, name, vec![argument], layer, level, location)?;
        let Some(value) = given else { return Ok(None) };
        let source = || format!("Value for key '{key}', returned from {}", level.describe());
        check_value(&value, source, location)?;
        lock(&location.memory.values).insert(key.clone(), value.clone());
        Ok(Some(value))
    }

    fn call(
        &mut self,
        kind: FunctionKind,
        name: &Str,
        mut arguments: Vec<Value>,
        layer: &Layer,
        level: &Level,
        location: &Location,
    ) -> Result<Option<Value>> {
        self.known_function(kind, name, layer)?;
        let mut options = level.options.clone();
        if let Some(path) = location.path() {
            options.insert(if location.is_uri { "uri" } else { "path" }, path.clone());
        }
        arguments.push(options.into());
        self.frame.needs.fickle = true;
        let context = Context::new(self.session, location.memory.clone());
        self.ask(|host, session| host.call(session, name, arguments, Some(&context)))
    }

    fn known_function(&mut self, kind: FunctionKind, name: &str, layer: &Layer) -> Result<()> {
        if self.host.has_function(name) {
            let Some(returns) = self.host.return_type(name) else { return Ok(()) };
            let wanted = match kind {
                FunctionKind::DataHash => Type::hash(Type::Any, Type::RichData),
                FunctionKind::LookupKey | FunctionKind::DataDig => Type::RichData,
            };
            let subject = format!("Return type of '{}' function named '{name}'", kind.name());
            return mismatch::assert_covered(&subject, &wanted, &returns).map_err(type_error);
        }
        let wrong = diagnostic!(HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND { kind: kind.name(), name });
        let error = layer.config.wrong(wrong, None);
        Err(match self.host.foreign_function(name) {
            Some(file) => error.with_hint(format!(
                "{file} is written in Ruby, which cannot be called here; a function written in Puppet can"
            )),
            None => error,
        })
    }
}

/// Whether something inside is encrypted.
fn is_encrypted(value: &Value) -> bool {
    match value {
        Value::String(text) => eyaml::is_encrypted(text),
        Value::Array(array) => array.iter().any(is_encrypted),
        Value::Hash(hash) => hash.iter().any(|(_, value)| is_encrypted(value)),
        _ => false,
    }
}

fn located(source: &str, location: &Location) -> String {
    match location.path() {
        Some(path) => format!("{source}, when using location '{path}',"),
        None => source.to_owned(),
    }
}

fn wrong_value(source: &str, location: &Location, actual: &str) -> Error {
    let source = located(source, location);
    Error::plain(diagnostic!(NO_LOOKUP_VALUE { source, actual }))
}

fn check_value(value: &Value, source: impl FnOnce() -> String, location: &Location) -> Result<()> {
    if Type::RichData.contains(value) {
        return Ok(());
    }
    Err(wrong_value(&source(), location, &Type::of(value).short()))
}
