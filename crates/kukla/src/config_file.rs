//! `kukla.toml`, the configuration file of all commands, read with the line of each entry for messages.
//!
//! Each command reads the tables that belong to it: `check` its own, `serve` those of the server.
//!
//! ```
//! use std::path::Path;
//! use kukla::config_file::ConfigFile;
//!
//! let file = ConfigFile::parse(Path::new("kukla.toml"), "[check]\nstrict = 'very'\n")?;
//! let entry = &file.table("check")?[0];
//! assert_eq!((entry.key.as_str(), entry.line, entry.as_bool()), ("strict", 2, None));
//! let problem = file.invalid(entry, "expected true or false");
//! assert_eq!(problem.to_string(), "invalid configuration in kukla.toml, line 2: expected true or false");
//! # Ok::<(), kukla::syntax::Problem>(())
//! ```

use std::path::{Path, PathBuf};

use kukla_syntax::Problem;
use kukla_values::Value;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A configuration file: its tables with their lines.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    path: PathBuf,
    entries: Vec<ConfigEntry>,
}

/// A key of a table with its line and value.
#[derive(Clone, Debug)]
pub struct ConfigEntry {
    /// The key.
    pub key: String,
    /// The line of the key, from one.
    pub line: usize,
    value: ConfigValue,
}

#[derive(Clone, Debug)]
enum ConfigValue {
    Table(Vec<ConfigEntry>),
    Data(Value),
}

impl ConfigFile {
    /// Parses the text of a file.
    pub fn parse(path: &Path, text: &str) -> Result<ConfigFile, Problem> {
        let table = DeTable::parse(text).map_err(|error| {
            invalid(path, line(text, error.span().unwrap_or_default().start), error.message())
        })?;
        Ok(ConfigFile { path: path.to_owned(), entries: entries(text, table.get_ref()) })
    }

    /// The entries of a table; none if the file does not have it.
    pub fn table(&self, name: &str) -> Result<&[ConfigEntry], Problem> {
        match self.entries.iter().find(|entry| entry.key == name) {
            Some(entry) => entry.entries().ok_or_else(|| self.invalid(entry, "expected a table")),
            None => Ok(&[]),
        }
    }

    /// The tables of the file.
    pub(crate) fn tables(&self) -> &[ConfigEntry] {
        &self.entries
    }

    /// The whole file as a hash; times are strings.
    pub fn to_value(&self) -> Value {
        to_hash(&self.entries)
    }

    /// The problem of an entry whose key or value is invalid.
    pub fn invalid(&self, entry: &ConfigEntry, reason: &str) -> Problem {
        invalid(&self.path, entry.line, reason)
    }
}

impl ConfigEntry {
    /// The entries of a table.
    pub fn entries(&self) -> Option<&[ConfigEntry]> {
        match &self.value {
            ConfigValue::Table(entries) => Some(entries),
            ConfigValue::Data(_) => None,
        }
    }

    /// The value, unless it is a table.
    pub fn value(&self) -> Option<&Value> {
        match &self.value {
            ConfigValue::Data(value) => Some(value),
            ConfigValue::Table(_) => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            ConfigValue::Data(value) => value.as_str(),
            ConfigValue::Table(_) => None,
        }
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match &self.value {
            ConfigValue::Data(Value::Boolean(flag)) => Some(*flag),
            _ => None,
        }
    }

    /// The value; a table is a hash.
    pub fn to_value(&self) -> Value {
        match &self.value {
            ConfigValue::Table(entries) => to_hash(entries),
            ConfigValue::Data(value) => value.clone(),
        }
    }

    /// An integer.
    pub fn as_integer(&self) -> Option<i64> {
        match &self.value {
            ConfigValue::Data(Value::Integer(number)) => Some(*number),
            _ => None,
        }
    }

    /// The strings of an array that holds nothing else.
    pub fn as_strings(&self) -> Option<Vec<String>> {
        let ConfigValue::Data(Value::Array(values)) = &self.value else { return None };
        values.iter().map(|value| Some(value.as_str()?.to_owned())).collect()
    }
}

fn invalid(path: &Path, line: usize, reason: &str) -> Problem {
    Problem::invalid("invalid configuration in")
        .on(format_args!("{}, line {line}", path.display()))
        .because(reason)
}

fn line(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

fn entries(text: &str, table: &DeTable<'_>) -> Vec<ConfigEntry> {
    let entry = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| ConfigEntry {
        key: key.get_ref().to_string(),
        line: line(text, key.span().start),
        value: match value.get_ref() {
            DeValue::Table(table) => ConfigValue::Table(entries(text, table)),
            other => ConfigValue::Data(to_value(other)),
        },
    };
    table.iter().map(entry).collect()
}

fn to_hash(entries: &[ConfigEntry]) -> Value {
    let pair = |entry: &ConfigEntry| (Value::from(entry.key.as_str()), entry.to_value());
    Value::Hash(entries.iter().map(pair).collect())
}

fn to_value(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        // The parser has checked the digits; a number that is too large stays the text it is.
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.to_string().as_str().into(), Value::from),
        DeValue::Float(number) => {
            number.as_str().parse::<f64>().map_or_else(|_| number.as_str().into(), Value::from)
        }
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Datetime(time) => time.to_string().as_str().into(),
        DeValue::Array(values) => {
            values.iter().map(|value| to_value(value.get_ref())).collect::<Vec<_>>().into()
        }
        DeValue::Table(table) => Value::Hash(
            table.iter().map(|(key, value)| (key.get_ref().as_ref(), to_value(value.get_ref()))).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_types_and_errors_their_lines() {
        let text = "a = 0x1F\nb = 1_000\nc = 1.5\nd = [1, 'x']\ne = 2026-11-16\n[f.g]\nh = true\n";
        let file = ConfigFile::parse(Path::new("kukla.toml"), text).unwrap();
        let value = file.to_value();
        let all = value.as_hash().unwrap();
        assert_eq!((all.get("a"), all.get("b")), (Some(&Value::from(31)), Some(&Value::from(1000))));
        assert_eq!((all.get("c"), all.get("e")), (Some(&Value::from(1.5)), Some(&Value::from("2026-11-16"))));
        assert_eq!(all.get("d"), Some(&vec![Value::from(1), Value::from("x")].into()));
        assert_eq!(file.table("f").unwrap()[0].entries().unwrap()[0].as_bool(), Some(true));
        assert!(file.table("none").unwrap().is_empty());
        let not_a_table = file.table("c").unwrap_err();
        assert_eq!(not_a_table.to_string(), "invalid configuration in kukla.toml, line 3: expected a table");
        let unclosed = ConfigFile::parse(Path::new("kukla.toml"), "[a]\nb = [").unwrap_err().to_string();
        assert!(unclosed.starts_with("invalid configuration in kukla.toml, line 2: "), "{unclosed}");
    }
}
