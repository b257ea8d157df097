//! Why a text is not what its format asks for.

use std::fmt;
use std::sync::Arc;

/// An error in a text, with its position. It has no file name: the caller that read a file adds it with [`Error::message`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The message, in the words of the library that Puppet uses for the format.
    pub what: Arc<str>,
    /// The line, from one, where known.
    pub line: Option<u32>,
    /// The column, from one, where known.
    pub column: Option<u32>,
    wording: Wording,
}

/// How Puppet joins what is wrong with its place, which differs from library to library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wording {
    /// Only what is wrong.
    Bare,
    /// The file, and what is wrong.
    Named,
    /// The file, what is wrong, and its place.
    Placed,
    /// The file, the line, and what is wrong.
    Hocon,
}

impl Error {
    /// An error reported without its position.
    pub fn bare(what: impl Into<Arc<str>>) -> Error {
        Error { what: what.into(), line: None, column: None, wording: Wording::Bare }
    }

    /// An error reported with its file.
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
    }

    /// An error reported with its file, line and column.
    pub(crate) fn placed(what: impl Into<Arc<str>>, line: u32, column: u32) -> Error {
        Error { wording: Wording::Placed, ..Error::bare(what) }.at(line, column)
    }

    /// An error in HOCON.
    pub(crate) fn hocon(what: impl Into<Arc<str>>, line: u32) -> Error {
        Error { wording: Wording::Hocon, line: Some(line), ..Error::bare(what) }
    }

    /// The same, at a place.
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

    fn in_file(&self, file: &str) -> String {
        let (line, column) = (self.line.unwrap_or(1), self.column.unwrap_or(1));
        format!("({file}): {} at line {line} column {column}", self.what)
    }
}

/// The message in Puppet's form for a text that does not come from a file.
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
}
