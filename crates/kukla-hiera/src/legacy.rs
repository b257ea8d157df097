//! Older ways to have data: `hiera.yaml` version 3 in the global layer, and the providers that `environment.conf` and
//! `metadata.json` could name before there was a `hiera.yaml` for environments and modules.

use std::sync::Arc;

use kukla_syntax::{Strict, diagnostic};
use kukla_values::types::{Range, StructField};
use kukla_values::{Hash, Str, Type, Value};

use crate::cache::DataFormat;
use crate::codes::{HIERA_BACKEND_MULTIPLY_DEFINED, UNKNOWN_DATA_PROVIDER};
use crate::config::{Backend, CONFIG_FILE, Config, LevelEntry, Locations, Reader};
use crate::error::{Error, Result};
use crate::host::Host;
use crate::layer::{Level, Location, join};
use crate::session::Session;

/// The configuration of a backend for Hiera 3 from a level of version 5.
pub(crate) fn hiera_3_config(name: &str, datadir: &Str, locations: &[Location], options: &Hash) -> Hash {
    let ending = format!(".{name}");
    let sources = locations.iter().filter_map(|location| location.place.as_ref());
    let sources: Vec<Value> = sources
        .map(|(original, _)| Value::from(original.strip_suffix(ending.as_str()).unwrap_or(original)))
        .collect();
    let mut own: Hash = [("datadir", Value::from(datadir.clone()))].into_iter().collect();
    for (key, value) in options {
        own.insert(key.clone(), value.clone());
    }
    let mut config = Hash::new();
    config.insert("hierarchy", sources);
    config.insert(name, own);
    config.insert("backends", vec![Value::from(name)]);
    config.insert("logger", "puppet");
    config
}

/// Merges the options of all backends for Hiera 3, which share one configuration there.
pub(crate) fn share_hiera_3_config(levels: &mut [Level]) {
    let is_one = |level: &&mut Level| matches!(level.backend, Backend::Hiera3(_));
    let mut all = Hash::new();
    for level in levels.iter_mut().filter(is_one) {
        for (key, value) in &level.options {
            let joined = match (all.get(key), value) {
                (None, value) => value.clone(),
                (Some(Value::Array(before)), Value::Array(more)) => {
                    let new = more.iter().filter(|value| !before.contains(value));
                    before.iter().chain(new).cloned().collect::<Vec<_>>().into()
                }
                (Some(before), _) => before.clone(),
            };
            all.insert(key.clone(), joined);
        }
    }
    levels.iter_mut().filter(is_one).for_each(|level| level.options = all.clone());
}

impl Reader<'_> {
    /// Reads version 3: every backend is a level, the hierarchy its paths.
    pub(crate) fn version_3(&self, mut hash: Hash, config: &mut Config) -> Result<()> {
        let missing = |hash: &Hash, key: &str| !hash.get(key).is_some_and(Value::is_true);
        if missing(&hash, "version") {
            hash.insert("version", 3);
        }
        for (key, default) in
            [("backends", &["yaml"][..]), ("hierarchy", &["nodes/%{::trusted.certname}", "common"])]
        {
            if missing(&hash, key) {
                hash.insert(key, default.iter().map(|text| Value::from(*text)).collect::<Vec<_>>());
            }
        }
        let list = |key: &str| -> Vec<Str> {
            match hash.get(key) {
                Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(Str::from).collect(),
                other => other.and_then(Value::as_str).map(Str::from).into_iter().collect(),
            }
        };
        let (backends, paths) = (list("backends"), list("hierarchy"));
        self.assert(&version_3_type(&backends), &hash)?;
        for backend in &backends {
            self.check_backend(&config.hierarchy, backend)?;
            let own = hash.get(backend.as_str()).and_then(Value::as_hash).cloned().unwrap_or_default();
            let text = |key: &str| own.get(key).and_then(Value::as_str).map(Str::from);
            let (kind, extension) = match backend.as_str() {
                "yaml" => (Backend::File(DataFormat::Yaml), ".yaml"),
                "json" => (Backend::File(DataFormat::Json), ".json"),
                "hocon" => (Backend::File(DataFormat::Hocon), ".conf"),
                "eyaml" => (Backend::Eyaml, ".eyaml"),
                other => (Backend::Hiera3(other.into()), ""),
            };
            let extension = text("extension")
                .map_or_else(|| extension.into(), |extension| format!(".{extension}").into());
            let mut options = own.clone();
            options.make_mut().shift_remove("datadir");
            config.hierarchy.push(LevelEntry {
                name: backend.clone(),
                options: match kind {
                    Backend::Eyaml => options,
                    // A backend in Ruby is given all that the file says.
                    Backend::Hiera3(_) => hash.clone(),
                    _ => Hash::new(),
                },
                backend: kind,
                datadir: text("datadir").unwrap_or_default(),
                locations: Some(Locations::Extended(paths.clone(), extension)),
            });
        }
        config.hash_merge = match hash.get("merge_behavior").and_then(Value::as_str) {
            Some("deep") => Some("reverse_deep"),
            Some("deeper") => Some("unconstrained_deep"),
            _ => None,
        }
        .map(|strategy| {
            let mut merge =
                hash.get("deep_merge_options").and_then(Value::as_hash).cloned().unwrap_or_default();
            merge.insert("strategy", strategy);
            merge.into()
        });
        Ok(())
    }

    fn check_backend(&self, levels: &[LevelEntry], backend: &str) -> Result<()> {
        if levels.iter().all(|level| level.name != backend) {
            return Ok(());
        }
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let names = |line: &str| {
            line.match_indices(backend).any(|(at, _)| {
                line[..at].chars().next_back().is_some_and(|c| !word(c))
                    && !line[at + backend.len()..].starts_with(word)
            })
        };
        Err(self.defined_twice(&HIERA_BACKEND_MULTIPLY_DEFINED, backend, names))
    }
}

fn version_3_type(backends: &[Str]) -> Type {
    let some_text = || Type::String(Range::at_least(1));
    let texts = || Type::variant([some_text(), Type::array(some_text())]);
    let any_text = || Type::String(Range::ANY_SIZE);
    let names = |names: &[&str]| Type::enumeration(names.iter().map(|name| Str::from(*name)), false);
    let mut fields = vec![
        StructField::optional("version", Type::Integer(Range::exactly(3))),
        StructField::optional("backends", texts()),
        StructField::optional("logger", some_text()),
        StructField::optional("merge_behavior", names(&["deep", "deeper", "native"])),
        StructField::optional(
            "deep_merge_options",
            Type::hash(some_text(), Type::variant([any_text(), Type::Boolean(None)])),
        ),
        StructField::optional("hierarchy", texts()),
    ];
    for backend in backends {
        if fields.iter().all(|field| field.name != *backend) {
            fields.push(StructField::optional(backend, Type::hash(some_text(), Type::Any)));
        }
    }
    Type::structure(fields)
}

/// A data provider that `environment.conf` or `metadata.json` names.
pub(crate) struct Provider<'a> {
    pub name: &'a str,
    pub module: Option<&'a Str>,
    /// The directory of the environment or module.
    pub root: &'a str,
}

impl Provider<'_> {
    /// The configuration it means, given the one that a `hiera.yaml` has, which wins if it is of version 5.
    pub fn configuration(
        &self,
        session: &mut Session,
        host: &mut dyn Host,
        configured: Option<Arc<Config>>,
    ) -> Result<Option<Arc<Config>>> {
        if let Some(config) = configured.as_ref().filter(|config| config.version >= 5) {
            self.warn_ignored(session, host, config);
            return Ok(configured);
        }
        let mut message = match self.module {
            Some(_) => {
                format!("Defining \"data_provider\": \"{}\" in metadata.json is deprecated.", self.name)
            }
            None => {
                format!(
                    "Defining environment_data_provider='{}' in environment.conf is deprecated.",
                    self.name
                )
            }
        };
        if configured.is_none() {
            message.push_str(&format!(" A '{CONFIG_FILE}' file should be used instead"));
        }
        self.warn(session, host, "data_provider", message);
        match self.name {
            "none" => Ok(None),
            "hiera" => Ok(Some(configured.unwrap_or_else(|| Arc::new(Config::unwritten(self.root.into()))))),
            "function" => {
                let function = format!("{}::data", self.module.map_or("environment", Str::as_str));
                if session.settings().strict != Strict::Off {
                    session.mark_noisy();
                    let message = format!(
                        "Using of legacy data provider function '{function}'. Please convert to a 'data_hash' function"
                    );
                    host.warn_once("legacy_provider_function", message, None);
                }
                Ok(Some(Arc::new(Config::of_function(self.root.into(), function.into()))))
            }
            name => {
                let environment = &session.settings().environment;
                let setting = match self.module {
                    Some(_) => "module_data_provider",
                    None => "environment_data_provider",
                };
                Err(Error::caller(diagnostic!(UNKNOWN_DATA_PROVIDER { environment, setting, name })))
            }
        }
    }

    fn warn_ignored(&self, session: &mut Session, host: &mut dyn Host, config: &Config) {
        let name = self.name;
        if self.module.is_some() {
            let message = format!(
                "Defining \"data_provider\": \"{name}\" in metadata.json is deprecated. It is ignored since a '{CONFIG_FILE}' with version >= 5 is present"
            );
            self.warn(session, host, "data_provider", message);
            return;
        }
        let message =
            format!("Defining environment_data_provider='{name}' in environment.conf is deprecated");
        self.warn(session, host, "data_provider", message);
        if name != "hiera" {
            let path = config.path.as_deref().unwrap_or_default();
            let message = format!(
                "The environment_data_provider='{name}' setting is ignored since '{path}' version >= 5"
            );
            self.warn(session, host, "data_provider_overridden", message);
        }
    }

    fn warn(&self, session: &mut Session, host: &mut dyn Host, what: &str, message: String) {
        if session.settings().strict == Strict::Off {
            return;
        }
        session.mark_noisy();
        let (key, file) = match self.module {
            Some(module) => (format!("metadata.json#{what}-{module}"), "metadata.json"),
            None => (format!("environment.conf#{what}"), "environment.conf"),
        };
        host.warn_once(&key, message, Some(&join(self.root, file)));
    }
}

impl Config {
    /// The default configuration: a `common.yaml` in `data`.
    pub(crate) fn unwritten(root: Str) -> Config {
        let common = LevelEntry {
            name: "Common".into(),
            backend: Backend::File(DataFormat::Yaml),
            datadir: "data".into(),
            locations: Some(Locations::Paths(vec!["common.yaml".into()])),
            options: Hash::new(),
        };
        Config { root, hierarchy: vec![common], ..Config::empty() }
    }

    /// The configuration whose only level is a function without arguments.
    fn of_function(root: Str, function: Str) -> Config {
        let level = LevelEntry {
            name: function.clone(),
            backend: Backend::Legacy(function),
            datadir: "data".into(),
            locations: None,
            options: Hash::new(),
        };
        Config { root, hierarchy: vec![level], ..Config::empty() }
    }
}
