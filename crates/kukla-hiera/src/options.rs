//! `lookup_options`: what data says about how other keys are looked up.

use std::sync::Arc;

use kukla_syntax::diagnostic;
use kukla_values::regexp::Regexp;
use kukla_values::{Hash, Str, Value};
use rustc_hash::FxHashMap;

use crate::codes::{
    CONVERT_TO_FAILED, CONVERT_TO_NO_TYPE, LOOKUP_OPTIONS_NO_HASH, LOOKUP_OPTIONS_OF_OTHERS,
    LOOKUP_OPTIONS_PATTERN,
};
use crate::error::{Error, Result};
use crate::explain::Action;
use crate::host::Conversion;
use crate::invocation::Invocation;
use crate::key::{Key, LOOKUP_OPTIONS};
use crate::merge::{Merge, Strategy};
use crate::reads::Needs;

/// The options of keys, and of patterns that keys may match.
#[derive(Debug, Default)]
pub(crate) struct LookupOptions {
    keys: FxHashMap<Str, Hash>,
    patterns: Vec<(Arc<Regexp>, Hash)>,
    /// Their dependencies.
    needs: Needs,
}

impl LookupOptions {
    fn new(options: &Hash, needs: Needs) -> Result<LookupOptions> {
        let mut compiled = LookupOptions { needs, ..LookupOptions::default() };
        for (key, value) in options {
            let (Value::String(key), value) = (key, value.as_hash().cloned().unwrap_or_default()) else {
                continue;
            };
            if key.starts_with('^') {
                let pattern = Regexp::new(key)
                    .map_err(|error| Error::caller(diagnostic!(LOOKUP_OPTIONS_PATTERN).because(error)))?;
                compiled.patterns.push((pattern, value));
            } else {
                compiled.keys.insert(key.clone(), value);
            }
        }
        Ok(compiled)
    }

    /// The options for a key: its own, or those of the first pattern it matches.
    pub fn of(&self, key: &str) -> Option<&Hash> {
        self.keys.get(key).or_else(|| {
            self.patterns.iter().find(|(pattern, _)| pattern.is_match(key)).map(|(_, options)| options)
        })
    }
}

/// Refuses options that are not a hash, and those of a module for keys that are not its own.
fn validated(options: Value, module: Option<&str>) -> Result<Option<Hash>> {
    if options.is_undef() {
        return Ok(None);
    }
    let Value::Hash(options) = options else {
        return Err(Error::data(diagnostic!(LOOKUP_OPTIONS_NO_HASH)));
    };
    if let Some(module) = module {
        for key in options.keys().filter_map(Value::as_str) {
            let (kind, name) = match key.strip_prefix('^') {
                Some(pattern) => ("patterns must match a key starting with", pattern),
                None => ("keys must start with", key),
            };
            if !name.strip_prefix(module).is_some_and(|rest| rest.starts_with("::")) {
                return Err(Error::data(diagnostic!(LOOKUP_OPTIONS_OF_OTHERS { kind, module })));
            }
        }
    }
    Ok(Some(options))
}

impl Invocation<'_> {
    /// The options for keys of a module, or of none.
    pub fn lookup_options(&mut self, module: Option<&str>) -> Result<Arc<LookupOptions>> {
        if let Some(known) = self.session.known_options(module, self.frame.global_only) {
            self.frame.needs.absorb(&known.needs);
            return Ok(known);
        }
        let (options, needs) = self.needing(|this| {
            // This is a lookup of its own: what the call overrides or defaults has no part in it.
            let overrides = std::mem::take(&mut this.frame.overrides);
            let defaults = std::mem::take(&mut this.frame.defaults);
            let top_key = std::mem::replace(&mut this.frame.top_key, LOOKUP_OPTIONS.into());
            let origins = std::mem::take(&mut this.frame.origins);
            let options = this.step(
                || Action::Search(LOOKUP_OPTIONS.into()),
                |this| match this.frame.global_only {
                    true => this.global_options(),
                    false => this.all_options(module),
                },
            );
            this.frame.overrides = overrides;
            this.frame.defaults = defaults;
            this.frame.top_key = top_key;
            this.frame.origins = origins;
            options
        });
        let compiled = Arc::new(LookupOptions::new(&options?.unwrap_or_default(), needs)?);
        self.session.keep_options(module, self.frame.global_only, compiled.clone());
        Ok(compiled)
    }

    fn all_options(&mut self, module: Option<&str>) -> Result<Option<Hash>> {
        let options = self.environment_options()?;
        let Some(module) = module else { return Ok(options) };
        if self.session.known_options(None, false).is_none() {
            let needs = self.frame.needs.clone().with_own_reads();
            let compiled = LookupOptions::new(&options.clone().unwrap_or_default(), needs)?;
            self.session.keep_options(None, false, Arc::new(compiled));
        }
        let merge = Merge::plain(Strategy::Hash);
        let Some(own) = self.search_module(&Key::lookup_options(), &merge)? else { return Ok(options) };
        let Some(own) = validated(own, Some(module))? else { return Ok(options) };
        let Some(options) = options else { return Ok(Some(own)) };
        let sources = [("Global and Environment".to_owned(), options), (format!("Module {module}"), own)];
        let joined = self.merged(&merge, &sources, |this, (name, options)| {
            this.step(
                || Action::Scope(name.clone()),
                |this| {
                    let value = Value::from(options.clone());
                    this.found(LOOKUP_OPTIONS, &value);
                    Ok(Some(value))
                },
            )
        })?;
        Ok(joined.and_then(|value| value.as_hash().cloned()))
    }

    fn global_options(&mut self) -> Result<Option<Hash>> {
        if let Some((known, needs)) = self.session.known_global_options() {
            self.frame.needs.absorb(&needs);
            return Ok(known);
        }
        let (options, needs) = self.needing(|this| {
            let found = this.search_global(&Key::lookup_options(), &Merge::plain(Strategy::Hash))?;
            found.map_or(Ok(None), |options| validated(options, None))
        });
        let options = options?;
        self.session.keep_global_options(options.clone(), needs);
        Ok(options)
    }

    /// The options of the global layer and the environment.
    fn environment_options(&mut self) -> Result<Option<Hash>> {
        if let Some((known, needs)) = self.session.known_environment_options() {
            self.frame.needs.absorb(&needs);
            return Ok(known);
        }
        let (options, needs) = self.needing(|this| -> Result<Option<Hash>> {
            let global = this.global_options()?;
            let merge = Merge::plain(Strategy::Hash);
            let found = this.search_environment(&Key::lookup_options(), &merge)?;
            let own = found.map_or(Ok(None), |options| validated(options, None))?;
            Ok(match (global, own) {
                (Some(global), Some(own)) => merge.join(global.into(), own.into())?.as_hash().cloned(),
                (global, own) => global.or(own),
            })
        });
        let options = options?;
        self.session.keep_environment_options(options.clone(), needs);
        Ok(options)
    }

    /// The way to merge that a module's default hierarchy asks for.
    pub fn default_merge(
        &mut self,
        key: &Key,
        module: &str,
        layer: &crate::layer::Layer,
    ) -> Result<Option<Value>> {
        let options = match self.session.known_default_options(module) {
            Some(known) => {
                self.frame.needs.absorb(&known.needs);
                known
            }
            None => {
                let (options, needs) = self.needing(|this| {
                    this.step(
                        || Action::Scope(format!("Searching for \"{LOOKUP_OPTIONS}\"")),
                        |this| {
                            let origins = std::mem::take(&mut this.frame.origins);
                            let merge = Merge::plain(Strategy::Hash);
                            let found = this.search_default(&Key::lookup_options(), &merge, layer);
                            this.frame.origins = origins;
                            found?.map_or(Ok(None), |options| validated(options, Some(module)))
                        },
                    )
                });
                let compiled = Arc::new(LookupOptions::new(&options?.unwrap_or_default(), needs)?);
                self.session.keep_default_options(module, compiled.clone());
                compiled
            }
        };
        Ok(options.of(key.root()).and_then(|options| options.get("merge")).cloned())
    }

    /// Converts a found value as `convert_to` asks.
    pub fn converted(&mut self, key: &Key, wanted: &Value, value: Value) -> Result<Value> {
        let wanted = match wanted {
            Value::Undef => return Ok(value),
            Value::Array(wanted) => wanted.to_vec(),
            wanted => vec![wanted.clone()],
        };
        let Some((type_name, arguments)) = wanted.split_first() else { return Ok(value) };
        let converted = self
            .ask(|host, session| host.convert(session, type_name, value, arguments))
            .map_err(|error| {
                let key = key.text();
                let wrong = match error {
                    Conversion::BadType(cause) => {
                        let name = kukla_values::format::to_s(type_name);
                        diagnostic!(CONVERT_TO_NO_TYPE { key, name }).because(cause)
                    }
                    Conversion::Failed(cause) => diagnostic!(CONVERT_TO_FAILED { key }).because(cause),
                };
                Error::data(wrong.hint(format!("see lookup_options for '{key}' in the data")))
            })?;
        self.tell(|explainer| {
            let mut shown = vec![kukla_values::format::to_s(type_name).to_string()];
            shown.extend(arguments.iter().map(kukla_values::types::write::literal));
            explainer
                .remark(format!("Applying convert_to lookup_option with arguments [{}]", shown.join(", ")));
        });
        Ok(converted)
    }
}

/// Whether `convert_to` makes the value sensitive, so that it must not be shown.
pub(crate) fn hides(wanted: &Value) -> bool {
    let wanted = match wanted {
        Value::Array(wanted) => wanted.first(),
        other => Some(other),
    };
    wanted.and_then(Value::as_str).is_some_and(|name| name.trim_start().starts_with("Sensitive"))
}
