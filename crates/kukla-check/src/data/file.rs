//! Data files: their keys with their lines, and what is wrong with them by themselves.

use std::path::Path;
use std::sync::Arc;

use kukla::formats::{json, yaml};
use kukla::syntax::{Source, Span, diagnostic};
use kukla::values::types::StructField;
use kukla::values::{Str, Type, Value};
use kukla::world::{Stamp, World};
use rustc_hash::FxHashMap;

use crate::finding::Finding;
use crate::ignore::Ignore;
use crate::rules::data::{DATA_SYNTAX, DUPLICATE_DATA_KEY};

/// A data file.
#[derive(Clone, Debug)]
pub struct DataFile {
    /// Its path.
    pub path: String,
    /// The module whose data it is; none for that of the environment.
    pub module: Option<String>,
    /// Its text.
    pub source: Source,
    /// Its keys.
    pub entries: Vec<Entry>,
    /// What `lookup_options` says.
    pub options: Vec<(String, Value)>,
    /// Why it cannot be read.
    pub problem: Option<Finding>,
    /// Keys that are there twice.
    pub duplicates: Vec<Finding>,
    /// The comments that ask not to be told something.
    pub ignores: Vec<Ignore>,
    /// What it was read from.
    pub stamp: Option<Stamp>,
}

/// A key of a data file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Str,
    /// What it is set to.
    pub value: Value,
    /// Where the key stands.
    pub span: Span,
}

impl DataFile {
    /// Whether a file is data in a format of ours, by its name.
    pub fn is_data(path: &str) -> bool {
        [".yaml", ".yml", ".eyaml", ".json"].iter().any(|ending| path.ends_with(ending))
    }

    /// Reads a data file, unless it is known and has not changed. What is no data in a format of ours is nothing.
    pub fn read(
        world: &dyn World,
        path: &str,
        module: Option<&str>,
        known: &FxHashMap<String, Arc<DataFile>>,
    ) -> Option<Arc<DataFile>> {
        if !DataFile::is_data(path) {
            return None;
        }
        let is_json = path.ends_with(".json");
        let stamp = world.stamp(Path::new(path));
        if let Some(known) = known.get(path)
            && known.stamp == stamp
            && stamp.is_some()
        {
            return Some(Arc::clone(known));
        }
        let bytes = world.read(Path::new(path)).ok()?;
        let source = Source::new(path, String::from_utf8_lossy(&bytes).into_owned());
        let mut file = DataFile {
            path: path.into(),
            module: module.map(str::to_owned),
            ignores: Ignore::in_data(source.text()),
            source,
            entries: Vec::new(),
            options: Vec::new(),
            problem: None,
            duplicates: Vec::new(),
            stamp,
        };
        let read = if is_json {
            json::read(file.source.text()).map(|document| (document.value, document.lines))
        } else {
            yaml::read(&bytes, yaml::Options::HIERA).map(|document| (document.value, document.lines))
        };
        match read {
            Ok((Value::Hash(hash), lines)) => file.take(&hash, &lines),
            // An empty file is no mistake.
            Ok((Value::Undef, _)) => {}
            Ok(_) => {
                file.problem =
                    Some(file.wrong(1, 1, "data is a hash of keys and values, this is something else"))
            }
            Err(error) => {
                file.problem =
                    Some(file.wrong(error.line.unwrap_or(1), error.column.unwrap_or(1), &error.what));
            }
        }
        if !is_json {
            file.duplicates = file.find_duplicates();
        }
        Some(Arc::new(file))
    }

    fn take(&mut self, hash: &kukla::values::Hash, lines: &FxHashMap<Str, u32>) {
        for (key, value) in hash {
            let Some(key) = key.as_str() else { continue };
            if key == "lookup_options" {
                let options = value.as_hash().into_iter().flat_map(|options| options.iter());
                self.options = options
                    .filter_map(|(key, value)| Some((key.as_str()?.to_owned(), value.clone())))
                    .collect();
                continue;
            }
            let span = line_span(&self.source, lines.get(key).copied().unwrap_or(1), key);
            self.entries.push(Entry { key: key.into(), value: value.clone(), span });
        }
    }

    fn wrong(&self, line: u32, column: u32, problem: &str) -> Finding {
        let start = self.source.lines().line_start(line).unwrap_or(0);
        let start = start.saturating_add(column.saturating_sub(1)).min(self.source.text().len() as u32);
        let end = self.source.text()[start as usize..]
            .find('\n')
            .map_or(self.source.text().len() as u32, |at| start + at as u32);
        let span = Span::new(start, end.max(start));
        Finding::from(diagnostic!(span, DATA_SYNTAX { problem }).in_source(&self.source))
    }

    /// Keys at the beginning of a line that are there twice. What is indented belongs to something else.
    fn find_duplicates(&self) -> Vec<Finding> {
        let mut first: FxHashMap<&str, u32> = FxHashMap::default();
        let mut findings = Vec::new();
        for (line, number) in self.source.text().lines().zip(1u32..) {
            if line.starts_with("---") || line.starts_with("...") {
                first.clear();
            }
            let Some(key) = plain_key(line) else { continue };
            match first.get(key) {
                Some(earlier) => {
                    let span = line_span(&self.source, number, key);
                    let wrong = diagnostic!(span, DUPLICATE_DATA_KEY { key });
                    let label = line_span(&self.source, *earlier, key);
                    findings.push(Finding::from(
                        wrong.label(label, "its first value, which does not count").in_source(&self.source),
                    ));
                }
                None => {
                    first.insert(key, number);
                }
            }
        }
        findings
    }
}

/// The key that a line begins with.
fn plain_key(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t', '#', '-', '{', '[', '<']) {
        return None;
    }
    let (key, rest) = match line.strip_prefix(['"', '\'']) {
        Some(inside) => {
            let end = inside.find(['"', '\''])?;
            (&inside[..end], inside[end + 1..].trim_start().strip_prefix(':')?)
        }
        None => {
            let end = line
                .match_indices(':')
                .map(|(at, _)| at)
                .find(|at| line[at + 1..].is_empty() || line[at + 1..].starts_with([' ', '\t', '\r']))?;
            (line[..end].trim_end(), &line[end + 1..])
        }
    };
    let is_word = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:.-".contains(&byte));
    (is_word && !key.is_empty() && (rest.is_empty() || rest.starts_with([' ', '\t', '\r']))).then_some(key)
}

/// Where a word stands in a line; the whole line, if it does not.
pub fn line_span(source: &Source, line: u32, word: &str) -> Span {
    let start = source.lines().line_start(line).unwrap_or(0);
    let text = source.text()[start as usize..].lines().next().unwrap_or_default();
    match text.find(word).filter(|_| !word.is_empty()) {
        Some(at) => Span::new(start + at as u32, start + (at + word.len()) as u32),
        None => {
            let indent = text.len() - text.trim_start().len();
            Span::new(start + indent as u32, start + text.trim_end().len().max(indent) as u32)
        }
    }
}

/// What a value of data is, as far as it is known before interpolation and decryption.
pub fn type_of(value: &Value) -> Type {
    match value {
        Value::String(text) if text.contains("%{alias(") => Type::Any,
        Value::String(text) if text.contains("%{") || text.contains("ENC[") => Type::STRING,
        Value::Array(values) if !values.is_empty() => kukla::syntax::deep(|| {
            let types: Vec<Type> = values.iter().map(type_of).collect();
            Type::tuple(types, None)
        }),
        Value::Hash(hash) if !hash.is_empty() => kukla::syntax::deep(|| {
            let is_plain =
                hash.keys().all(|key| key.as_str().is_some_and(|key| !key.is_empty() && !key.contains("%{")));
            if !is_plain {
                return Type::any_hash();
            }
            let fields = hash.iter();
            Type::structure(
                fields.map(|(key, value)| {
                    StructField::required(key.as_str().unwrap_or_default(), type_of(value))
                }),
            )
        }),
        other => Type::of(other),
    }
}
