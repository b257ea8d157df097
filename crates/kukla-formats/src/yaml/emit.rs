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
    /// The column where lines are folded; zero means eighty columns, a negative number never.
    pub line_width: i32,
    /// Whether strings longer than a line are folded, and how long a line then is.
    pub fold: Option<usize>,
    /// Whether every string is quoted and every collection in brackets.
    pub canonical: bool,
    /// Whether the YAML version is written first.
    pub header: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { indentation: 2, line_width: 0, fold: None, canonical: false, header: false }
    }
}

/// Writes `value` as one YAML document, laid out as asked.
pub fn emit_with(value: &Value, layout: Layout) -> Result<String, Error> {
    let mut writer = Writer::new(layout);
    push(&mut writer, &mut FxHashMap::default(), value, 0)?;
    writer.finish()
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

/// A document on its way to text: parts are put in one after the other, then it is written.
#[derive(Debug)]
pub struct Writer<'v> {
    layout: Layout,
    parts: Vec<Part<'v>>,
    names: u32,
    /// The characters that stand-ins were put for, in order.
    astral: Vec<char>,
}

/// A part whose anchor may still be asked for.
#[derive(Debug)]
enum Part<'v> {
    Scalar { anchor: Option<u32>, scalar: Piece<'v> },
    Sequence { anchor: Option<u32>, tag: Option<String> },
    Mapping { anchor: Option<u32>, tag: Option<String> },
    EndSequence,
    EndMapping,
    Alias(u32),
}

#[derive(Debug)]
struct Piece<'v> {
    text: Cow<'v, str>,
    tag: Option<Cow<'v, str>>,
    plain: bool,
    quoted: bool,
    style: ScalarStyle,
}

impl From<Part<'_>> for Event {
    fn from(part: Part<'_>) -> Event {
        let name = |anchor: Option<u32>| anchor.map(|n| n.to_string());
        match part {
            Part::Scalar { anchor, scalar: Piece { text, tag, plain, quoted, style } } => {
                Event::scalar(name(anchor).as_deref(), tag.as_deref(), &text, plain, quoted, style)
            }
            Part::Sequence { anchor, tag } => Event::sequence_start(
                name(anchor).as_deref(),
                tag.as_deref(),
                tag.is_none(),
                SequenceStyle::Block,
            ),
            Part::Mapping { anchor, tag } => Event::mapping_start(
                name(anchor).as_deref(),
                tag.as_deref(),
                tag.is_none(),
                MappingStyle::Block,
            ),
            Part::EndSequence => Event::sequence_end(),
            Part::EndMapping => Event::mapping_end(),
            Part::Alias(n) => Event::alias(&n.to_string()),
        }
    }
}

impl<'v> Writer<'v> {
    /// An empty document.
    pub fn new(layout: Layout) -> Writer<'v> {
        Writer { layout, parts: Vec::new(), names: 0, astral: Vec::new() }
    }

    /// The place that the next part will have, to refer to it later.
    pub fn place(&self) -> usize {
        self.parts.len()
    }

    /// Refers to the part at a place, which gets a name.
    pub fn refer(&mut self, place: usize) {
        let next = &mut self.names;
        if let Some(
            Part::Scalar { anchor, .. } | Part::Sequence { anchor, .. } | Part::Mapping { anchor, .. },
        ) = self.parts.get_mut(place)
        {
            let name = *anchor.get_or_insert_with(|| {
                *next += 1;
                *next
            });
            self.parts.push(Part::Alias(name));
        }
    }

    /// Begins a list.
    pub fn start_sequence(&mut self, tag: Option<String>) {
        self.parts.push(Part::Sequence { anchor: None, tag });
    }

    /// Ends a list.
    pub fn end_sequence(&mut self) {
        self.parts.push(Part::EndSequence);
    }

    /// Begins a map; keys and values follow by turns.
    pub fn start_mapping(&mut self, tag: Option<String>) {
        self.parts.push(Part::Mapping { anchor: None, tag });
    }

    /// Ends a map.
    pub fn end_mapping(&mut self) {
        self.parts.push(Part::EndMapping);
    }

    /// Nothing at all.
    pub fn null(&mut self) {
        self.piece("", Some(libyaml_safer::NULL_TAG.into()), true, false, ScalarStyle::Any);
    }

    /// A word that means the same without quotes: a number, a boolean, a symbol.
    pub fn word(&mut self, text: impl Into<Cow<'v, str>>) {
        self.piece(text, None, true, false, ScalarStyle::Any);
    }

    /// A float.
    pub fn float(&mut self, number: f64) {
        self.word(float(number));
    }

    /// A word with a tag that says what it is.
    pub fn tagged(&mut self, text: impl Into<Cow<'v, str>>, tag: impl Into<Cow<'v, str>>) {
        self.piece(text, Some(tag.into()), false, false, ScalarStyle::Any);
    }

    /// A word in single quotes with a tag that says what it is.
    pub fn tagged_in_quotes(&mut self, text: impl Into<Cow<'v, str>>, tag: impl Into<Cow<'v, str>>) {
        self.piece(text, Some(tag.into()), false, false, ScalarStyle::SingleQuoted);
    }

    /// Bytes that are not valid text, in base 64.
    pub fn binary(&mut self, base64: impl Into<Cow<'v, str>>) {
        self.piece(base64, Some("!binary".into()), false, false, ScalarStyle::Literal);
    }

    fn piece(
        &mut self,
        text: impl Into<Cow<'v, str>>,
        tag: Option<Cow<'v, str>>,
        plain: bool,
        quoted: bool,
        style: ScalarStyle,
    ) {
        let scalar = Piece { text: text.into(), tag, plain, quoted, style };
        self.parts.push(Part::Scalar { anchor: None, scalar });
    }

    /// Text, in the style that Psych chooses for it.
    pub fn string(&mut self, text: impl Into<Cow<'v, str>>) {
        self.string_of(text, None);
    }

    /// Text with a tag, such as that of a class of its own.
    pub fn string_of(&mut self, text: impl Into<Cow<'v, str>>, tag: Option<String>) {
        let text = text.into();
        if text == "<<" {
            self.piece(text, Some(libyaml_safer::STR_TAG.into()), false, false, ScalarStyle::SingleQuoted);
            return;
        }
        let style = style(&text, self.layout.fold);
        let implicit = tag.is_none();
        self.astral.extend(text.chars().filter(|c| is_astral(*c)));
        let text = match text {
            Cow::Borrowed(text) => stand_in(text),
            Cow::Owned(text) => Cow::Owned(stand_in(&text).into_owned()),
        };
        self.piece(text, tag.map(Cow::Owned), implicit, implicit, style);
    }

    /// The text of the document.
    pub fn finish(self) -> Result<String, Error> {
        let Writer { layout, parts, astral, .. } = self;
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
            for part in parts {
                emitter.emit(part.into()).map_err(failed)?;
            }
            emitter.emit(Event::document_end(true)).map_err(failed)?;
            emitter.emit(Event::stream_end()).map_err(failed)?;
            emitter.flush().map_err(failed)?;
        }
        let text = astral_escapes(String::from_utf8_lossy(&out).into_owned(), astral);
        Ok(if layout.header { format!("%YAML 1.1\n{text}") } else { text })
    }
}

/// The place of each collection in the document, by its address.
type Seen = FxHashMap<(usize, usize), usize>;

fn push<'v>(writer: &mut Writer<'v>, seen: &mut Seen, value: &'v Value, depth: usize) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(Error::bare(format!("nested deeper than {MAX_DEPTH} levels")));
    }
    match value {
        Value::Undef => writer.null(),
        Value::Default => writer.word(":default"),
        Value::Boolean(b) => writer.word(if *b { "true" } else { "false" }),
        Value::Integer(n) => writer.word(n.to_string()),
        Value::Float(n) => writer.float(*n),
        Value::String(text) => writer.string(&**text),
        Value::Regexp(regexp) => writer.tagged(format!("/{}/", regexp.source()), "!ruby/regexp"),
        Value::Array(array) => {
            let address = (array.as_ptr().addr(), array.len());
            if array.is_empty() || !is_known(writer, seen, address) {
                writer.start_sequence(None);
                for element in array {
                    push(writer, seen, element, depth + 1)?;
                }
                writer.end_sequence();
            }
        }
        Value::Hash(hash) => {
            let address = (std::ptr::from_ref(&**hash).addr(), usize::MAX);
            if hash.is_empty() || !is_known(writer, seen, address) {
                writer.start_mapping(None);
                for (key, value) in hash {
                    push(writer, seen, key, depth + 1)?;
                    push(writer, seen, value, depth + 1)?;
                }
                writer.end_mapping();
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
fn is_known(writer: &mut Writer<'_>, seen: &mut Seen, address: (usize, usize)) -> bool {
    match seen.get(&address) {
        Some(place) => {
            writer.refer(*place);
            true
        }
        None => {
            seen.insert(address, writer.place());
            false
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

/// Some line begins with a character that is not a word character, with no double quote after it. Line breaks can only be
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

/// Ruby's `Float#to_s`, with YAML's words for infinity and NaN.
fn float(n: f64) -> String {
    if n.is_nan() {
        ".nan".into()
    } else if n.is_infinite() {
        if n > 0.0 { ".inf".into() } else { "-.inf".into() }
    } else {
        kukla_values::format::float_text(n)
    }
}
