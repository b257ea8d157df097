//! Errors of the readers: a text that its format does not allow.

use std::fmt;
use std::sync::Arc;

/// An error in a text, with its position. It does not know the file: the caller adds it with [`Error::message`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The problem, as the library words it with which Puppet reads the format.
    pub what: Arc<str>,
    /// The construct that was being read, such as `while parsing a block mapping`; only YAML's library reports it.
    pub context: Option<Arc<str>>,
    /// The line, from one, where known.
    pub line: Option<u32>,
    /// The column, from one, where known.
    pub column: Option<u32>,
    /// The problem without the parts of the text that `what` quotes, if it does.
    kind: Option<Arc<str>>,
    wording: Wording,
}

/// How Puppet joins a problem with its position, which differs from library to library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wording {
    /// Only the problem.
    Bare,
    /// The file, and the problem.
    Named,
    /// The file, the problem, and its position.
    Placed,
    /// The file, the line, and the problem.
    Hocon,
}

impl Error {
    /// An error that is reported without its position.
    pub fn bare(what: impl Into<Arc<str>>) -> Error {
        Error {
            what: what.into(),
            context: None,
            line: None,
            column: None,
            kind: None,
            wording: Wording::Bare,
        }
    }

    /// An error that is reported with its file.
    pub(crate) fn named(what: impl Into<Arc<str>>) -> Error {
        Error { wording: Wording::Named, ..Error::bare(what) }
    }

    /// The error for an integer that needs more than 64 bits.
    pub(crate) fn outside(digits: &str) -> Error {
        let shown: String = digits.chars().take(40).collect();
        let rest = if shown.len() < digits.len() { "..." } else { "" };
        Error::named(format!(
            "The value {shown}{rest} is outside of Puppet Integer range; as text it needs quotes"
        ))
        .quoting("A value is outside of Puppet Integer range; as text it needs quotes")
    }

    /// An error that is reported with its file, line and column.
    pub(crate) fn placed(what: &str, context: Option<&str>, line: u32, column: u32) -> Error {
        let context = context.map(Arc::from);
        Error { context, wording: Wording::Placed, ..Error::bare(what) }.at(line, column)
    }

    /// An error in HOCON.
    pub(crate) fn hocon(what: impl Into<Arc<str>>, line: u32) -> Error {
        Error { wording: Wording::Hocon, line: Some(line), ..Error::bare(what) }
    }

    /// The same, with its wording for readers who must not see the text, which `what` quotes.
    pub(crate) fn quoting(self, kind: &str) -> Error {
        Error { kind: Some(kind.into()), ..self }
    }

    /// The error without any part of the text, which can be a secret: its kind and its position.
    #[must_use]
    pub fn without_text(&self) -> Error {
        let what: Arc<str> = match (&self.kind, self.wording) {
            (Some(kind), _) => Arc::clone(kind),
            // All that HOCON's library quotes comes after one of these.
            (None, Wording::Hocon) => {
                let end = [": ", ", got", " ("].iter().filter_map(|mark| self.what.find(mark)).min();
                let kind = &self.what[..end.unwrap_or(self.what.len())];
                // Names of keys are in quotes, so every other piece between quotes is one.
                kind.split('\'').step_by(2).map(str::trim).collect::<Vec<_>>().join(" ").into()
            }
            (None, _) => return self.clone(),
        };
        let place = match (self.line, self.column, self.wording) {
            (Some(line), Some(column), Wording::Named | Wording::Bare) => {
                format!(" at line {line} column {column}")
            }
            (Some(line), None, Wording::Named | Wording::Bare) => format!(" at line {line}"),
            _ => String::new(),
        };
        Error { what: format!("{what}{place}").into(), kind: None, ..self.clone() }
    }

    /// The same, at a position.
    pub(crate) fn at(self, line: u32, column: u32) -> Error {
        Error { line: Some(line), column: Some(column), ..self }
    }

    /// The message in Puppet's shape for a text out of a file.
    pub fn message(&self, file: &str) -> String {
        match self.wording {
            Wording::Bare => self.to_string(),
            Wording::Placed => self.in_file(file),
            Wording::Named | Wording::Hocon => format!("({file}): {self}"),
        }
    }

    /// The problem with its context, without the position.
    pub fn problem(&self) -> String {
        match &self.context {
            Some(context) => format!("{} {context}", self.what),
            None => self.what.to_string(),
        }
    }

    fn in_file(&self, file: &str) -> String {
        let (line, column) = (self.line.unwrap_or(1), self.column.unwrap_or(1));
        format!("({file}): {} at line {line} column {column}", self.problem())
    }
}

/// The message in Puppet's shape for a text without a file.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.wording {
            Wording::Bare | Wording::Named => f.write_str(&self.what),
            Wording::Placed => f.write_str(&self.in_file("<unknown>")),
            Wording::Hocon => write!(f, "String: {}: {}", self.line.unwrap_or(1), self.what),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use crate::{hocon, json, yaml};

    #[test]
    fn each_format_tells_its_place_in_its_own_way() {
        let error = yaml::read(b"a: [1\nb: 2", yaml::Options::HIERA).unwrap_err();
        assert_eq!((error.line, error.column), (Some(1), Some(4)));
        assert!(error.message("f.yaml").starts_with("(f.yaml): did not find expected"), "{error}");
        assert!(error.to_string().starts_with("(<unknown>): did not find expected"), "{error}");
        let error = json::read("{\"a\": 1,\n  ?}").unwrap_err();
        assert_eq!(error.message("f.json"), format!("(f.json): {}", error.what));
        assert_eq!(error.line, Some(1));
        assert_eq!(json::read("[1,\n  ?]").unwrap_err().line, Some(2));
        let error = hocon::read("a = 1\nb", &|_| Ok(None)).unwrap_err();
        assert_eq!(error.message("f.conf"), format!("(f.conf): String: 2: {}", error.what));
    }

    #[test]
    fn an_error_without_text_quotes_nothing() {
        for text in [
            "a: *hunter2",
            "a: !ruby/object:Hunter2 {}",
            "a: !float hunter2",
            "a: \"hunter2",
            "a: [hunter2\nb: 2",
            "a: 98765432109876543210",
            "hunter2: 1\n - hunter2",
        ] {
            let Err(error) = yaml::read(text.as_bytes(), yaml::Options::HIERA) else { continue };
            let message = error.without_text().message("f.yaml").to_lowercase();
            assert!(!message.contains("hunter2") && !message.contains("98765"), "{message}");
        }
        for text in ["hunter2", "{\"a\": hunter2", "{\"hunter2\"", "[1] hunter2", "{\"a\": \"hunter2"] {
            let message = json::read(text).unwrap_err().without_text().message("f.json");
            assert!(!message.contains("hunter2") && message.contains("at line 1 column"), "{message}");
        }
        for text in [
            "a = [hunter2 hunter2 } hunter2",
            "a = \"hunter2",
            "a = ${hunter2}",
            "hunter2",
            "a = 1 } hunter2",
            "a += {hunter2",
            "\"hunter2\" hunter2 =",
        ] {
            let Err(error) = hocon::read(text, &|_| Ok(None)) else { continue };
            let message = error.without_text().message("f.conf");
            assert!(
                !message.contains("hunter2") && message.starts_with("(f.conf): String: 1: "),
                "{message}"
            );
        }
    }
}
