//! Data files: their keys with their lines, and the errors that need no other file.

use std::path::Path;
use std::sync::Arc;

use kukla::formats::{hocon, json, yaml};
use kukla::syntax::{Source, Span, deep, diagnostic};
use kukla::values::types::StructField;
use kukla::values::{Str, Type, Value};
use kukla::world::{Stamp, World};
use kukla_lint::suppression::Ignore;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::Finding;
use crate::rules::data::{DATA_SYNTAX, DUPLICATE_DATA_KEY};

/// A data file.
#[derive(Clone, Debug)]
pub struct DataFile {
    /// Its path.
    pub path: String,
    /// The module that the data belongs to; `None` for the environment.
    pub module: Option<String>,
    /// Its text.
    pub source: Source,
    /// Its keys.
    pub entries: Vec<Entry>,
    /// The contents of `lookup_options`.
    pub options: Vec<(String, Value)>,
    /// The error, if the file cannot be read.
    pub problem: Option<Finding>,
    /// The duplicate keys.
    pub duplicates: Vec<Finding>,
    /// The suppression comments.
    pub ignores: Vec<Ignore>,
    /// The stamp of the file when it was read.
    pub stamp: Option<Stamp>,
}

/// A key of a data file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Str,
    /// Its value.
    pub value: Value,
    /// The span of the key.
    pub span: Span,
}

impl DataFile {
    /// Whether a file is in a supported data format, judged by its name.
    pub fn is_data(path: &str) -> bool {
        [".yaml", ".yml", ".eyaml", ".json"].iter().any(|ending| path.ends_with(ending))
    }

    /// Reads a data file, or takes it from the cache if it has not changed. `None` if its format is not supported.
    pub fn read(
        world: &dyn World,
        path: &str,
        module: Option<&str>,
        known: &FxHashMap<String, Arc<DataFile>>,
    ) -> Option<Arc<DataFile>> {
        // Only a hierarchy makes a `.conf` file data.
        if !DataFile::is_data(path) && !path.ends_with(".conf") {
            return None;
        }
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
        let is_hocon = path.ends_with(".conf");
        let read = if path.ends_with(".json") {
            json::read(file.source.text()).map(|document| (document.value, document.lines))
        } else if is_hocon {
            // A value taken from the server's environment is always a string.
            let environment = |_: &str| Ok(Some(String::new()));
            hocon::read(file.source.text(), &environment).map(|value| {
                let lines = hocon_lines(&value, file.source.text());
                (value, lines)
            })
        } else {
            yaml::read(&bytes, yaml::Options::HIERA).map(|document| (document.value, document.lines))
        };
        match read {
            Ok((Value::Hash(hash), lines)) => file.take(&hash, &lines),
            // An empty file is valid.
            Ok((Value::Undef, _)) => {}
            Ok(_) => file.problem = Some(file.wrong(1, 1, "expected a hash of keys and values")),
            Err(error) => {
                let problem = error.without_text().problem();
                let mistake = match path {
                    _ if is_hocon => None,
                    path if path.ends_with(".json") => json::mistake(file.source.text()),
                    _ => yaml::mistake(&bytes, &error).map(|mistake| (mistake.line, mistake.advice)),
                };
                let (line, column) = match &mistake {
                    Some((line, _)) if Some(*line) != error.line => (*line, 1),
                    _ => (error.line.unwrap_or(1), error.column.unwrap_or(1)),
                };
                let mut wrong = file.wrong(line, column, &problem);
                wrong.diagnostic.hints.extend(mistake.map(|(_, advice)| advice));
                file.problem = Some(wrong);
            }
        }
        // HOCON merges duplicate keys; JSON is read as YAML, of which it is a subset.
        if !is_hocon {
            file.duplicates = file.find_duplicates();
        }
        Some(Arc::new(file))
    }

    fn take(&mut self, hash: &kukla::values::Hash, lines: &[u32]) {
        for (at, (key, value)) in hash.iter().enumerate() {
            let Some(key) = key.as_str() else { continue };
            if key == "lookup_options" {
                let options = value.as_hash().into_iter().flat_map(|options| options.iter());
                self.options = options
                    .filter_map(|(key, value)| Some((key.as_str()?.to_owned(), value.clone())))
                    .collect();
                continue;
            }
            let span = line_span(&self.source, lines.get(at).copied().unwrap_or(1), key);
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

    /// Duplicate keys, at any depth.
    fn find_duplicates(&self) -> Vec<Finding> {
        let text = self.source.text().as_bytes();
        let mut repeated = Vec::new();
        for tree in yaml::trees(text, 1).unwrap_or_default() {
            repetitions(&tree, &mut Vec::new(), &mut repeated);
        }
        if repeated.is_empty() {
            return Vec::new();
        }
        // A duplicate key has the line of its last occurrence.
        let lines = yaml::lines(text);
        let finding = |path: &Vec<Value>| {
            let key = path.last().and_then(Value::as_str).unwrap_or_default();
            let line = lines.at(path);
            let mut wrong = diagnostic!(line_span(&self.source, line, key), DUPLICATE_DATA_KEY { key });
            if let Some(earlier) = self.line_like(line, key) {
                let label = line_span(&self.source, earlier, key);
                wrong = wrong.label(label, "the first value, which has no effect");
            }
            Finding::from(wrong.in_source(&self.source))
        };
        repeated.iter().map(finding).collect()
    }

    /// The nearest earlier line that begins with the same key at the same indentation.
    fn line_like(&self, line: u32, key: &str) -> Option<u32> {
        let indent = |text: &str| {
            text.find(key).filter(|at| text[..*at].trim_matches([' ', '-', '"', '\'']).is_empty())
        };
        let lines: Vec<&str> = self.source.text().lines().take(line as usize).collect();
        let (last, before) = lines.split_last()?;
        let wanted = indent(last)?;
        let found = before.iter().rposition(|text| {
            indent(text) == Some(wanted)
                && text[wanted + key.len()..].trim_start_matches(['"', '\'']).trim_start().starts_with(':')
        });
        found.map(|at| at as u32 + 1)
    }
}

/// The paths of duplicate keys.
fn repetitions(node: &yaml::Node, path: &mut Vec<Value>, found: &mut Vec<Vec<Value>>) {
    match &node.part {
        yaml::Part::Mapping(entries) => {
            let mut seen = FxHashSet::default();
            for (key, value) in entries {
                // Several hashes may be merged in.
                let name = match &key.part {
                    yaml::Part::Scalar(name, _) if name != "<<" => name.as_str(),
                    _ => continue,
                };
                path.push(Value::from(name));
                if !seen.insert(name) && !found.contains(path) {
                    found.push(path.clone());
                }
                deep(|| repetitions(value, path, found));
                path.pop();
            }
        }
        yaml::Part::Sequence(elements) => {
            for (element, at) in elements.iter().zip(0i64..) {
                path.push(Value::Integer(at));
                deep(|| repetitions(element, path, found));
                path.pop();
            }
        }
        yaml::Part::Scalar(..) | yaml::Part::Alias(_) => {}
    }
}

/// The first lines that begin with the keys of a HOCON text.
fn hocon_lines(value: &Value, text: &str) -> Vec<u32> {
    let keys = value.as_hash().into_iter().flat_map(|hash| hash.keys());
    let line_of = |key: &str| {
        let begins = |line: &str| line.trim_start_matches([' ', '\t', '"', '{']).starts_with(key);
        text.lines().position(begins).map_or(1, |at| at as u32 + 1)
    };
    keys.map(|key| key.as_str().map_or(1, line_of)).collect()
}

/// The span of a word in a line, or of the whole line if the word is not in it.
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

/// The type of a data value, as far as it is known before interpolation and decryption.
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
