//! Compilations that examples ask for.

use std::fmt::Write;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use kukla::eval::settings::Settings;
use kukla::values::{Hash, Str, Value};
use kukla::{CompileOptions, Diagnostic, Node, Site};
use kukla_ruby::{Result as RubyResult, Ruby, Value as RubyValue};

use crate::rspec::bench::{Bench, CatalogOrError};
use crate::rspec::catalog::CompiledCatalog;

/// The inputs of a compilation.
#[derive(Debug)]
pub struct Request {
    code: String,
    node: Node,
    settings: Hash,
    modulepath: Vec<PathBuf>,
    hiera_config: Option<PathBuf>,
    /// Whether exported resources are wanted, not those that the node itself applies.
    is_exported: bool,
}

fn text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str)
}

fn hash(value: Option<&Value>) -> Hash {
    value.and_then(Value::as_hash).cloned().unwrap_or_default()
}

impl Request {
    /// Reads the hash that the helpers in Ruby make.
    pub fn from_ruby(ruby: &mut Ruby<'_>, value: &RubyValue) -> RubyResult<Request> {
        let all = plain(ruby, value)?;
        let all = hash(Some(&all));
        let name = text(all.get("node")).unwrap_or("rspec.example.com").to_owned();
        let mut node = Node::named(name);
        node.facts = hash(all.get("facts"));
        node.variables = hash(all.get("variables"));
        node.server_facts = hash(all.get("server_facts"));
        node.trusted.insert("extensions", hash(all.get("trusted")));
        node.trusted.insert("external", hash(all.get("external")));
        let paths = all.get("modulepath").and_then(Value::as_array);
        let paths =
            paths.iter().flat_map(|paths| paths.iter()).filter_map(|path| path.as_str().map(PathBuf::from));
        Ok(Request {
            code: text(all.get("code")).unwrap_or_default().to_owned(),
            settings: hash(all.get("settings")),
            modulepath: paths.collect(),
            hiera_config: text(all.get("hiera_config")).map(PathBuf::from),
            is_exported: all.get("exported") == Some(&Value::Boolean(true)),
            node,
        })
    }

    /// The node.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The site, opened once for all requests with the same code and settings.
    pub fn site(&self, bench: &Bench) -> Result<Arc<Site>, Box<Diagnostic>> {
        let mut key = self.code.clone();
        let _ = write!(key, "\0{:?}\0{:?}\0{:?}", self.settings, self.hiera_config, self.modulepath);
        bench.site(key, || {
            let mut settings = Settings::default();
            for (name, value) in &self.settings {
                // A setting that Kukla does not have changes nothing.
                let _ = settings.set(name.as_str().unwrap_or_default(), value.clone());
            }
            settings.limits = bench.limits();
            let mut spec = bench.spec(self.code.clone(), settings, &self.modulepath);
            spec.hiera_config =
                self.hiera_config.clone().filter(|path| bench.compiler().world().exists(path));
            spec
        })
    }

    fn key(&self) -> String {
        let Node { name, facts, trusted, variables, server_facts, .. } = &self.node;
        format!(
            "{}\0{}\0{name}\0{facts:?}\0{trusted:?}\0{variables:?}\0{server_facts:?}\0{:?}\0{:?}\0{:?}",
            self.code, self.is_exported, self.settings, self.hiera_config, self.modulepath
        )
    }

    /// The catalog; equal requests get the same one.
    pub fn compile(&self, bench: &Bench) -> CatalogOrError {
        let key = self.key();
        if let Some(known) = bench.known_catalog(&key) {
            return known;
        }
        let compiled = self.site(bench).map(|site| {
            bench.count();
            let result = site.compile_with(&self.node, self.options()).result;
            result.map(|compiled| self.finished(bench, compiled.catalog, site))
        });
        let catalog = self.described(compiled.and_then(|result| result));
        bench.keep_catalog(key, catalog.clone());
        catalog
    }

    /// The catalog, compiled with the interpreter of the suite: what it has defined or replaced counts, so nothing is kept.
    pub fn compile_with(&self, bench: &Bench, ruby: &mut Ruby<'_>) -> CatalogOrError {
        let site = match self.site(bench) {
            Ok(site) => site,
            Err(failure) => return self.described(Err(failure)),
        };
        bench.count();
        let result = ruby.lend(|state| {
            let (outcome, state) = site.compile_with_ruby(&self.node, self.options(), state);
            (outcome.result, state)
        });
        self.described(result.map(|compiled| self.finished(bench, compiled.catalog, site)))
    }

    fn options(&self) -> CompileOptions {
        CompileOptions { keep_virtual: self.is_exported, ..CompileOptions::default() }
    }

    fn finished(&self, bench: &Bench, mut catalog: kukla::Catalog, site: Arc<Site>) -> CompiledCatalog {
        if self.is_exported {
            catalog.resources.iter_mut().for_each(|resource| resource.is_virtual = !resource.exported);
            catalog = catalog.without_virtual();
        }
        CompiledCatalog::new(catalog, site, self.node.clone(), bench.judge())
    }

    fn described(&self, result: Result<CompiledCatalog, Box<Diagnostic>>) -> CatalogOrError {
        result.map(Rc::new).map_err(|failure| message(&failure, &self.node.name).into())
    }
}

/// The message of a failed compilation, as Puppet words it.
pub fn message(failure: &Diagnostic, node: &str) -> String {
    let place = failure.position.as_ref();
    let mut parts = Vec::new();
    if let Some(place) = place {
        parts.extend(place.file().map(|file| format!("file: {file}")));
        parts.extend(place.line().map(|line| format!("line: {line}")));
        if !failure.line_only {
            parts.extend(place.column().map(|column| format!("column: {column}")));
        }
    }
    let place = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    format!("{}{place} on node {node}", failure.puppet_message())
}

/// A Ruby value as facts and settings have it: text in place of symbols, keys that are text.
pub fn plain(ruby: &mut Ruby<'_>, value: &RubyValue) -> RubyResult<Value> {
    Ok(match value {
        RubyValue::Nil => Value::Undef,
        RubyValue::Bool(truth) => Value::Boolean(*truth),
        RubyValue::Int(number) => Value::Integer(*number),
        RubyValue::Float(number) => Value::Float(*number),
        RubyValue::String(string) => match string.text().to_shared() {
            Some(text) => Value::String(text),
            None => Value::from(string.text().to_str_lossy().as_ref()),
        },
        RubyValue::Array(array) => {
            let items: RubyResult<Vec<Value>> = array.to_vec().iter().map(|item| plain(ruby, item)).collect();
            Value::Array(items?.into())
        }
        RubyValue::Hash(table) => {
            let entries: Vec<(RubyValue, RubyValue)> =
                table.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
            let mut hash = Hash::new();
            for (key, value) in entries {
                let key: Str = ruby.display(&key)?.to_str_lossy().as_ref().into();
                let value = plain(ruby, &value)?;
                hash.insert(key, value);
            }
            Value::Hash(hash)
        }
        other => match ruby.display(other)?.to_str_lossy().as_ref() {
            "undef" => Value::Undef,
            text => Value::from(text),
        },
    })
}
