//! One format of `String.new`: `%#-10.2f`, and for containers also separators and the formats of what is inside.

use kukla_syntax::bail;

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
    /// The separator of elements.
    pub separator: Option<Str>,
    /// The separator of a key and its value.
    pub separator2: Option<Str>,
    /// The formats of what is inside.
    pub inside: Option<Formats>,
}

/// The parts of a format as they are written. Each run of `kukla` reads a few formats, and making an automaton for them took a third of it.
struct Parts<'a> {
    flags: &'a str,
    width: &'a str,
    precision: Option<&'a str>,
    letter: char,
}

impl<'a> Parts<'a> {
    /// The first format that fills a line; its flags, line breaks among them, may go on into the next.
    fn find(text: &'a str) -> Option<Parts<'a>> {
        let begins = |at: usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
        text.match_indices('%').filter(|(at, _)| begins(*at)).find_map(|(at, _)| Parts::read(&text[at + 1..]))
    }

    fn read(text: &'a str) -> Option<Parts<'a>> {
        let span = |text: &'a str, belongs: fn(char) -> bool| {
            text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
        };
        let digits = |c: char| c.is_ascii_digit();
        let (flags, rest) = span(text, |c| " \t\r\n\x0c\x0b[+#0{<(|-".contains(c));
        let (width, mut rest) = span(rest, digits);
        let mut precision = None;
        if let Some(behind) = rest.strip_prefix('.') {
            let (number, behind) = span(behind, digits);
            precision = Some(number).filter(|number| !number.is_empty());
            precision?;
            rest = behind;
        }
        let letter = rest.chars().next().filter(char::is_ascii_alphabetic)?;
        let ends = matches!(rest.as_bytes().get(1), None | Some(b'\n'));
        ends.then_some(Parts { flags, width, precision, letter })
    }
}

impl Format {
    /// Whether a text has the shape of a format.
    pub fn is_like(text: &str) -> bool {
        Parts::find(text).is_some()
    }

    /// Reads a format.
    pub fn parse(text: &str) -> Result<Format> {
        let Some(Parts { flags, width, precision, letter }) = Parts::find(text) else {
            bail!(INVALID_STRING_FORMAT { format: text });
        };
        if flags.chars().enumerate().any(|(at, flag)| flags.chars().skip(at + 1).any(|other| other == flag)) {
            bail!(REPEATED_FORMAT_FLAG { format: text });
        }
        let mut delimiters = flags.chars().filter(|flag| "[{(<|".contains(*flag));
        let delimiter = delimiters.next();
        if delimiters.next().is_some() {
            bail!(SEVERAL_FORMAT_DELIMITERS { format: text });
        }
        let number = |digits: &str| digits.parse().unwrap_or(usize::MAX);
        Ok(Format {
            text: text.into(),
            letter,
            alternate: flags.contains('#'),
            left: flags.contains('-'),
            space: flags.contains(' '),
            delimiter,
            width: (!width.is_empty()).then(|| number(width)),
            precision: precision.map(number),
            separator: None,
            separator2: None,
            inside: None,
        })
    }

    /// This format, overridden by a more specific one.
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

    /// The delimiters of a container.
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
