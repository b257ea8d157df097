//! One format of `String.new`: `%#-10.2f`, and for containers also separators and the formats of what is inside.

use std::sync::LazyLock;

use kukla_syntax::bail;
use regex::Regex;

use super::string::Formats;
use crate::codes::{INVALID_STRING_FORMAT, REPEATED_FORMAT_FLAG, SEVERAL_FORMAT_DELIMITERS};
use crate::{Result, Str};

/// A format as written, taken apart.
#[derive(Clone, Debug)]
pub struct Format {
    /// As written.
    pub text: Str,
    /// The letter at its end.
    pub letter: char,
    /// The flag `#`.
    pub alternate: bool,
    /// The flag `-`.
    pub left: bool,
    /// The flag blank, which for containers means no delimiters.
    pub space: bool,
    /// The delimiter flag: one of `[ { ( < |`.
    pub delimiter: Option<char>,
    /// The least width.
    pub width: Option<usize>,
    /// The precision.
    pub precision: Option<usize>,
    /// What stands between elements.
    pub separator: Option<Str>,
    /// What stands between a key and its value.
    pub separator2: Option<Str>,
    /// The formats of what is inside.
    pub inside: Option<Formats>,
}

static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^%([ \t\r\n\f\v\[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$")
        .expect("a valid pattern")
});

impl Format {
    /// Whether a text has the shape of a format.
    pub fn is_like(text: &str) -> bool {
        PATTERN.is_match(text)
    }

    /// Reads a format.
    pub fn parse(text: &str) -> Result<Format> {
        let Some(found) = PATTERN.captures(text) else {
            bail!(INVALID_STRING_FORMAT { format: text });
        };
        let flags = &found[1];
        if flags.chars().enumerate().any(|(at, flag)| flags.chars().skip(at + 1).any(|other| other == flag)) {
            bail!(REPEATED_FORMAT_FLAG { format: text });
        }
        let mut delimiters = flags.chars().filter(|flag| "[{(<|".contains(*flag));
        let delimiter = delimiters.next();
        if delimiters.next().is_some() {
            bail!(SEVERAL_FORMAT_DELIMITERS { format: text });
        }
        let number =
            |group: usize| found.get(group).map(|digits| digits.as_str().parse().unwrap_or(usize::MAX));
        Ok(Format {
            text: text.into(),
            letter: found[4].chars().next().unwrap_or('s'),
            alternate: flags.contains('#'),
            left: flags.contains('-'),
            space: flags.contains(' '),
            delimiter,
            width: number(2),
            precision: number(3),
            separator: None,
            separator2: None,
            inside: None,
        })
    }

    /// What this format becomes when a more specific one is laid over it.
    pub(super) fn merge(&self, over: &Format) -> Format {
        Format {
            separator: over.separator.clone().or_else(|| self.separator.clone()),
            separator2: over.separator2.clone().or_else(|| self.separator2.clone()),
            inside: match (&self.inside, &over.inside) {
                (Some(lower), Some(higher)) => Some(lower.merge(higher)),
                (lower, higher) => higher.clone().or_else(|| lower.clone()),
            },
            ..over.clone()
        }
    }

    /// What opens and closes a container.
    pub(super) fn delimiters(&self, usual: (&'static str, &'static str)) -> (&'static str, &'static str) {
        match self.delimiter {
            Some('[') => ("[", "]"),
            Some('{') => ("{", "}"),
            Some('(') => ("(", ")"),
            Some('<') => ("<", ">"),
            Some(_) => ("|", "|"),
            None if self.space => ("", ""),
            None => usual,
        }
    }

    /// The format as `sprintf` takes it, with another letter.
    pub(super) fn with_letter(&self, letter: char) -> String {
        self.text.chars().map(|c| if c == self.letter { letter } else { c }).collect()
    }
}
