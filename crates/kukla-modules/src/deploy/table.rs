//! YAML files of settings: values with their lines, wrong types as errors, unknown names as notes.

use std::path::{Path, PathBuf};

use kukla_formats::yaml::{self, Lines};
use kukla_syntax::{Problem, suggest};
use kukla_values::{Hash, Value};

/// A YAML file of settings.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    lines: Lines,
    value: Value,
}

/// A hash of a file of settings.
#[derive(Clone, Debug)]
pub struct Table<'f> {
    file: &'f SettingsFile,
    place: Vec<Value>,
    hash: &'f Hash,
}

impl SettingsFile {
    /// Reads a text. Old files write their names as symbols.
    pub fn parse(path: &Path, text: &[u8]) -> Result<SettingsFile, Problem> {
        let options = yaml::Options { aliases: true, symbols: true, times: true };
        let document = yaml::read(text, options).map_err(|error| {
            let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
            invalid(format!("{}{line}", path.display()), error.problem())
        })?;
        Ok(SettingsFile { path: path.to_owned(), lines: yaml::lines(text), value: document.value })
    }

    /// The hash that the file is.
    pub fn table(&self) -> Result<Table<'_>, Problem> {
        match &self.value {
            Value::Hash(hash) => Ok(Table { file: self, place: Vec::new(), hash }),
            Value::Undef => Err(invalid(self.path.display(), "the file is empty")),
            _ => Err(invalid(format!("{}:1", self.path.display()), "expected a mapping of settings")),
        }
    }
}

fn invalid(place: impl std::fmt::Display, why: impl std::fmt::Display) -> Problem {
    Problem::invalid("invalid settings").on(place).because(why)
}

impl<'f> Table<'f> {
    /// The value of a setting, unless it is absent or null.
    pub fn get(&self, name: &str) -> Option<&'f Value> {
        self.hash.get(&Value::from(name)).filter(|value| !value.is_undef())
    }

    /// The names and values in order.
    pub fn entries(&self) -> Vec<(&'f str, &'f Value)> {
        self.hash.iter().filter_map(|(name, value)| Some((name.as_str()?, value))).collect()
    }

    /// The file and line of a setting.
    pub fn position(&self, name: &str) -> String {
        let line = |name: &str| {
            let mut place = self.place.clone();
            place.push(Value::from(name));
            self.file.lines.at(&place)
        };
        // The line of a name that is not there is that of the table around it.
        let line = line(name).max(line(&format!(":{name}"))).max(1);
        format!("{}:{line}", self.file.path.display())
    }

    /// The error of a value that is not what it should be.
    pub fn wrong(&self, name: &str, why: &str) -> Problem {
        invalid(self.position(name), format!("{name}: {why}"))
    }

    fn expected(&self, name: &str, expected: &str) -> Problem {
        let kind = match self.get(name) {
            Some(Value::Hash(_)) => "a mapping",
            Some(Value::Array(_)) => "a list",
            Some(Value::String(_)) => "a string",
            Some(Value::Boolean(_)) => "a boolean",
            Some(Value::Integer(_) | Value::Float(_)) => "a number",
            _ => "nothing",
        };
        self.wrong(name, &format!("expected {expected}, got {kind}"))
    }

    /// A string.
    pub fn text(&self, name: &str) -> Result<Option<String>, Problem> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.to_string())),
            // A branch such as 2024 needs no quotes.
            Some(Value::Integer(number)) => Ok(Some(number.to_string())),
            Some(_) => Err(self.expected(name, "a string")),
        }
    }

    /// A string that must be there.
    pub fn required(&self, name: &str) -> Result<String, Problem> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "expected a string, but the setting is missing"))
    }

    /// A boolean.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, Problem> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Boolean(flag)) => Ok(*flag),
            Some(Value::String(text)) if text.as_str() == "true" => Ok(true),
            Some(Value::String(text)) if text.as_str() == "false" => Ok(false),
            Some(_) => Err(self.expected(name, "a boolean")),
        }
    }

    /// A list of strings; a single string is a list of one if `single` allows it.
    pub fn list(&self, name: &str, single: bool) -> Result<Option<Vec<String>>, Problem> {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.to_string()),
            Value::Integer(number) => Some(number.to_string()),
            _ => None,
        };
        match self.get(name) {
            None => Ok(None),
            Some(Value::Array(values)) => {
                let texts: Option<Vec<String>> = values.iter().map(text).collect();
                texts.map(Some).ok_or_else(|| self.wrong(name, "expected a list of strings"))
            }
            Some(value) if single && text(value).is_some() => Ok(text(value).map(|text| vec![text])),
            Some(_) => Err(self.expected(name, "a list of strings")),
        }
    }

    /// A mapping.
    pub fn inner(&self, name: &str) -> Result<Option<Table<'f>>, Problem> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Hash(hash)) => {
                let mut place = self.place.clone();
                let spelled = Value::from(format!(":{name}"));
                // Where the name is a symbol, its lines are found with its colon.
                let probe: Vec<Value> = place.iter().cloned().chain([spelled.clone()]).collect();
                let is_symbol = self.file.lines.at(&probe) != self.file.lines.at(&place);
                place.push(if is_symbol { spelled } else { Value::from(name) });
                Ok(Some(Table { file: self.file, place, hash }))
            }
            Some(_) => Err(self.expected(name, "a mapping")),
        }
    }

    /// A list of mappings.
    pub fn tables(&self, name: &str) -> Result<Vec<Table<'f>>, Problem> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let Value::Array(values) = value else { return Err(self.expected(name, "a list of mappings")) };
        let table = |(at, value): (usize, &'f Value)| match value {
            Value::Hash(hash) => {
                let mut place = self.place.clone();
                place.extend([Value::from(name), Value::Integer(at as i64)]);
                Ok(Table { file: self.file, place, hash })
            }
            _ => Err(self.expected(name, "a list of mappings")),
        };
        values.iter().enumerate().map(table).collect()
    }

    /// One of several words.
    pub fn word<T: Copy>(&self, name: &str, words: &[(&str, T)], default: T) -> Result<T, Problem> {
        match self.text(name)? {
            None => Ok(default),
            Some(word) => self.word_of(name, &word, words),
        }
    }

    /// The meaning of a word.
    pub fn word_of<T: Copy>(&self, name: &str, word: &str, words: &[(&str, T)]) -> Result<T, Problem> {
        if let Some((_, meaning)) = words.iter().find(|(known, _)| *known == word) {
            return Ok(*meaning);
        }
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        let problem = self.wrong(name, &format!("expected {}, got '{word}'", known.join(" or ")));
        Err(match suggest::nearest(word, known) {
            Some(near) => problem.help(format!("did you mean '{near}'?")),
            None => problem,
        })
    }

    /// Notes about names that mean nothing, which the tools ignore as well.
    pub fn note_unknown(&self, known: &[&str], notes: &mut Vec<String>) {
        for (name, _) in self.entries() {
            if known.contains(&name) {
                continue;
            }
            let near = suggest::nearest(name, known.iter().copied());
            let near = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
            notes.push(format!("{}: unknown setting '{name}' is ignored{near}", self.position(name)));
        }
    }
}
