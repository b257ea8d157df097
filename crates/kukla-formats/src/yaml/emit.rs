//! From values to text, byte for byte as Psych's `to_yaml` writes.
//!
//! Psych chooses the style of each string by the rules in [`style`]; libyaml then decides whether that style can carry
//! the text and folds lines at eighty columns.

use std::borrow::Cow;

use kukla_values::Value;
use libyaml_safer::{Emitter, Event, MappingStyle, ScalarStyle, SequenceStyle};
use rustc_hash::FxHashMap;

use crate::Error;

use super::scalar::{Scalar, resolve};

/// Writes `value` as one YAML document. A collection that occurs more than once (the same one, not an equal one) is
/// written once and referred to after that, as Psych does.
pub fn emit(value: &Value) -> Result<String, Error> {
    emit_with(value, Layout::default())
}

/// How a document is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// How far each level is indented.
    pub indentation: i32,
    /// Where lines are folded; zero stands for eighty columns, less for never.
    pub line_width: i32,
    /// Whether strings longer than a line are folded, and how long a line then is.
    pub fold: Option<usize>,
    /// Whether every string is quoted and every collection in brackets.
    pub canonical: bool,
    /// Whether the version of YAML is said first.
    pub header: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { indentation: 2, line_width: 0, fold: None, canonical: false, header: false }
    }
}

/// Writes `value` as one YAML document, laid out as asked.
pub fn emit_with(value: &Value, layout: Layout) -> Result<String, Error> {
    let mut writer = Writer {
        events: Vec::new(),
        seen: FxHashMap::default(),
        names: 0,
        astral: Vec::new(),
        fold: layout.fold,
    };
    writer.push(value, 0)?;
    let Writer { events, astral, .. } = writer;
    let mut out = Vec::new();
    let failed = |error: libyaml_safer::Error| Error::bare(error.to_string());
    {
        let mut emitter = Emitter::new();
        emitter.set_output_string(&mut out);
        emitter.set_unicode(true);
        emitter.set_canonical(layout.canonical);
        emitter.set_indent(layout.indentation);
        emitter.set_width(layout.line_width);
        emitter.emit(Event::stream_start(libyaml_safer::Encoding::Utf8)).map_err(failed)?;
        emitter.emit(Event::document_start(None, &[], false)).map_err(failed)?;
        for event in events {
            emitter.emit(event.into()).map_err(failed)?;
        }
        emitter.emit(Event::document_end(true)).map_err(failed)?;
        emitter.emit(Event::stream_end()).map_err(failed)?;
        emitter.flush().map_err(failed)?;
    }
    let text = astral_escapes(String::from_utf8_lossy(&out).into_owned(), astral);
    Ok(if layout.header { format!("%YAML 1.1\n{text}") } else { text })
}

/// libyaml escapes every character beyond U+FFFF, our emitter none. Each is therefore emitted as two characters whose
/// escapes are together as wide, so that lines fold at the same place, and put back afterwards.
const STAND_IN: &str = "\u{feff}\u{80}";
const STAND_IN_ESCAPED: &str = "\\uFEFF\\x80";

fn is_astral(c: char) -> bool {
    c > '\u{ffff}'
}

fn stand_in(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_astral) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_astral(c) { out.push_str(STAND_IN) } else { out.push(c) }
    }
    out.into()
}

fn astral_escapes(out: String, originals: Vec<char>) -> String {
    if !out.contains(STAND_IN_ESCAPED) {
        return out;
    }
    let mut originals = originals.into_iter();
    let mut pieces = out.split(STAND_IN_ESCAPED);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match originals.next() {
            Some(c) => text.push_str(&format!("\\U{:08X}", c as u32)),
            None => text.push_str(STAND_IN_ESCAPED),
        }
        text.push_str(piece);
    }
    text
}

const MAX_DEPTH: usize = 500;

struct Writer<'v> {
    events: Vec<Pending<'v>>,
    /// The place of each collection in `events`, by its address.
    seen: FxHashMap<(usize, usize), usize>,
    names: u32,
    /// The characters that stand-ins were put for, in order.
    astral: Vec<char>,
    /// How long a string may be before it is folded.
    fold: Option<usize>,
}

/// An event whose anchor may still be asked for.
enum Pending<'v> {
    Scalar { text: Cow<'v, str>, tag: Option<&'static str>, plain: bool, quoted: bool, style: ScalarStyle },
    Sequence { anchor: Option<u32> },
    Mapping { anchor: Option<u32> },
    EndSequence,
    EndMapping,
    Alias(u32),
}

impl From<Pending<'_>> for Event {
    fn from(pending: Pending<'_>) -> Event {
        let name = |anchor: Option<u32>| anchor.map(|n| n.to_string());
        match pending {
            Pending::Scalar { text, tag, plain, quoted, style } => {
                Event::scalar(None, tag, &text, plain, quoted, style)
            }
            Pending::Sequence { anchor } => {
                Event::sequence_start(name(anchor).as_deref(), None, true, SequenceStyle::Block)
            }
            Pending::Mapping { anchor } => {
                Event::mapping_start(name(anchor).as_deref(), None, true, MappingStyle::Block)
            }
            Pending::EndSequence => Event::sequence_end(),
            Pending::EndMapping => Event::mapping_end(),
            Pending::Alias(n) => Event::alias(&n.to_string()),
        }
    }
}

impl<'v> Writer<'v> {
    fn push(&mut self, value: &'v Value, depth: usize) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(Error::bare(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        match value {
            Value::Undef => self.scalar("", Some(libyaml_safer::NULL_TAG), true, false, ScalarStyle::Any),
            Value::Default => self.scalar(":default", None, true, false, ScalarStyle::Any),
            Value::Boolean(b) => {
                self.scalar(if *b { "true" } else { "false" }, None, true, false, ScalarStyle::Any)
            }
            Value::Integer(n) => self.scalar(n.to_string(), None, true, false, ScalarStyle::Any),
            Value::Float(n) => self.scalar(float(*n), None, true, false, ScalarStyle::Any),
            Value::String(text) => self.string(text),
            Value::Regexp(regexp) => self.scalar(
                format!("/{}/", regexp.source()),
                Some("!ruby/regexp"),
                false,
                false,
                ScalarStyle::Any,
            ),
            Value::Array(array) => {
                let address = (array.as_ptr().addr(), array.len());
                if array.is_empty() || !self.refer(address) {
                    self.events.push(Pending::Sequence { anchor: None });
                    for element in array {
                        self.push(element, depth + 1)?;
                    }
                    self.events.push(Pending::EndSequence);
                }
            }
            Value::Hash(hash) => {
                let address = (std::ptr::from_ref(&**hash).addr(), usize::MAX);
                if hash.is_empty() || !self.refer(address) {
                    self.events.push(Pending::Mapping { anchor: None });
                    for (key, value) in hash {
                        self.push(key, depth + 1)?;
                        self.push(value, depth + 1)?;
                    }
                    self.events.push(Pending::EndMapping);
                }
            }
            other => {
                return Err(Error::bare(format!(
                    "a {} has no YAML form",
                    kukla_values::format::class_name(other)
                )));
            }
        }
        Ok(())
    }

    /// Writes a reference to a collection already written; otherwise remembers where it is about to be written.
    fn refer(&mut self, address: (usize, usize)) -> bool {
        let Some(&place) = self.seen.get(&address) else {
            self.seen.insert(address, self.events.len());
            return false;
        };
        let next = &mut self.names;
        if let Some(Pending::Sequence { anchor } | Pending::Mapping { anchor }) = self.events.get_mut(place) {
            let name = *anchor.get_or_insert_with(|| {
                *next += 1;
                *next
            });
            self.events.push(Pending::Alias(name));
        }
        true
    }

    fn scalar(
        &mut self,
        text: impl Into<Cow<'v, str>>,
        tag: Option<&'static str>,
        plain: bool,
        quoted: bool,
        style: ScalarStyle,
    ) {
        self.events.push(Pending::Scalar { text: text.into(), tag, plain, quoted, style });
    }

    fn string(&mut self, text: &'v str) {
        if text == "<<" {
            self.scalar(text, Some(libyaml_safer::STR_TAG), false, false, ScalarStyle::SingleQuoted);
        } else {
            self.astral.extend(text.chars().filter(|c| is_astral(*c)));
            self.scalar(stand_in(text), None, true, true, style(text, self.fold));
        }
    }
}

/// The style Psych asks for.
fn style(text: &str, fold: Option<usize>) -> ScalarStyle {
    // A line break other than one at the very end.
    if text.bytes().enumerate().any(|(at, b)| b == b'\n' && !matches!(&text[at + 1..], "" | "\n")) {
        ScalarStyle::Literal
    } else if text == "y" || text == "n" {
        ScalarStyle::DoubleQuoted
    } else if fold.is_some_and(|width| text.chars().count() > width) {
        ScalarStyle::Folded
    } else if odd_start(text) {
        ScalarStyle::DoubleQuoted
    } else if resolve(text) != Scalar::Text || misleading_octal(text) {
        ScalarStyle::SingleQuoted
    } else {
        ScalarStyle::Plain
    }
}

/// Some line begins with something that is no word character, with no double quote after it. Line breaks can only be
/// at the end here, and two of them make a line that begins with one.
fn odd_start(text: &str) -> bool {
    let mut chars = text.lines().next().unwrap_or_default().chars();
    text == "\n"
        || text.ends_with("\n\n")
        || chars
            .next()
            .is_some_and(|first| !regex_syntax::is_word_character(first) && !chars.as_str().contains('"'))
}

/// `0[0-7]*[89]`: other readers might take it for an octal number.
fn misleading_octal(text: &str) -> bool {
    let digits =
        text.strip_prefix('0').map(|rest| rest.trim_start_matches(|c: char| ('0'..='7').contains(&c)));
    digits.is_some_and(|rest| rest.starts_with(['8', '9']))
}

/// Ruby's `Float#to_s`, with YAML's words for what is no number.
fn float(n: f64) -> String {
    if n.is_nan() {
        ".nan".into()
    } else if n.is_infinite() {
        if n > 0.0 { ".inf".into() } else { "-.inf".into() }
    } else {
        kukla_values::format::float_text(n)
    }
}
