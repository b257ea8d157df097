//! From text to values, as Psych's `safe_load` goes.

use kukla_values::binary::Binary;
use kukla_values::{Array, Hash, Str, Value};
use libyaml_safer::{Event, EventData, Parser, ScalarStyle};
use rustc_hash::{FxHashMap, FxHashSet};

use super::scalar::{self, Scalar};
use super::tags::spaced;
use crate::Error;

/// What a reader lets through beyond plain data.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether `*name` may refer to an earlier `&name`.
    pub aliases: bool,
    /// Whether symbols may occur; they become text.
    pub symbols: bool,
    /// Whether dates and times may occur; they become text as written.
    pub times: bool,
}

impl Options {
    /// What Hiera allows in its configuration and data: aliases and symbols.
    pub const HIERA: Options = Options { aliases: true, symbols: true, times: false };
}

/// The first document of a YAML text.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its value; `undef` if there is no document at all.
    pub value: Value,
    /// If it is a hash: the line, from one, where each text key stands.
    pub lines: FxHashMap<Str, u32>,
    /// If it is a hash: the keys whose values hold a symbol, which is text to us but no data to Puppet.
    pub symbolic: FxHashSet<Str>,
}

/// Deeper than any data, shallower than any stack.
const MAX_DEPTH: usize = 500;
/// Aliases let a few lines stand for more values than fit a machine; this many is where we stop believing the author.
const MAX_NODES: u64 = 20_000_000;

/// Reads the first document of `text`, as Psych would.
pub fn read(text: &[u8], options: Options) -> Result<Document, Error> {
    let spaced = spaced(text);
    let text = &*spaced;
    let completed = completed(text);
    let mut input = completed.as_deref().unwrap_or(text);
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    let mut builder = Builder {
        options,
        stack: Vec::new(),
        anchors: FxHashMap::default(),
        opened: 0,
        document: Document::default(),
    };
    // Psych reads the whole document before it makes values of it, so a syntax error anywhere comes before a complaint
    // about a value.
    let mut complaint = None;
    loop {
        let mut event = parser.parse().map_err(|error| syntax_error(&error))?;
        if completed.is_some() && event.end_mark.index > text.len() as u64 {
            without_break(&mut event.data, text);
        }
        match &complaint {
            None => match builder.take(event) {
                Ok(false) => {}
                Ok(true) => return Ok(builder.document),
                // What is nested too deep is not looked at any further.
                Err(error) if builder.stack.len() >= MAX_DEPTH => return Err(error),
                Err(error) => complaint = Some(error),
            },
            Some(error) if matches!(event.data, EventData::DocumentEnd { .. } | EventData::StreamEnd) => {
                return Err(error.clone());
            }
            Some(_) => {}
        }
    }
}

/// The text with a line break at its end, if it has none: the scanner needs one behind a block of text and behind a backslash.
pub(super) fn completed(text: &[u8]) -> Option<Vec<u8>> {
    let may_hold_block = || text.iter().any(|byte| matches!(byte, b'|' | b'>'));
    let needs_one = match text.last() {
        None | Some(b'\n' | b'\r') => false,
        Some(b'\\') => true,
        Some(_) => may_hold_block(),
    };
    needs_one.then(|| [text, b"\n"].concat())
}

/// Takes back what the added line break did to a block that ends with the text.
pub(super) fn without_break(data: &mut EventData, text: &[u8]) {
    let EventData::Scalar { value, style: ScalarStyle::Literal | ScalarStyle::Folded, .. } = data else {
        return;
    };
    let last = text.rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let is_blank = last.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    if let Some(line) = value.strip_suffix('\n')
        && (!is_blank || line.ends_with([' ', '\t']))
    {
        value.truncate(line.len());
    }
}

/// A finished node on its way into its parent.
#[derive(Clone, Debug)]
struct Node {
    value: Value,
    kind: Kind,
    /// Whether a symbol is somewhere inside.
    symbolic: bool,
    /// How many values it stands for once aliases are followed.
    size: u64,
    /// Where it began, from one.
    line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Scalar,
    /// A scalar tagged `!!str`, which is never a merge key.
    Text,
    Sequence,
    Mapping,
    Alias,
}

/// What an anchor names: a finished node, or the collection still being read that was opened as the n-th.
enum Anchored {
    Open(u32),
    Done(Node),
}

struct Frame {
    anchor: Option<(String, u32)>,
    line: u32,
    symbolic: bool,
    size: u64,
    what: Container,
}

enum Container {
    Sequence(Array, SequenceTag),
    Mapping { hash: Hash, key: Option<Node>, tag: MappingTag },
}

#[derive(Clone, Copy, PartialEq)]
enum SequenceTag {
    Plain,
    /// `!omap`: a list of one-entry maps that is a map.
    Ordered,
}

#[derive(Clone, Copy, PartialEq)]
enum MappingTag {
    /// Merge keys are followed.
    Plain,
    /// `!str {str: …}`: the text under `str`.
    Text,
    /// `!ruby/hash-with-ivars`: the map under `elements`.
    Elements,
}

struct Builder {
    options: Options,
    stack: Vec<Frame>,
    anchors: FxHashMap<String, Anchored>,
    opened: u32,
    document: Document,
}

impl Builder {
    /// Takes one event; true when the first document is complete.
    fn take(&mut self, event: Event) -> Result<bool, Error> {
        let line = u32::try_from(event.start_mark.line + 1).unwrap_or(u32::MAX);
        match event.data {
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => {}
            EventData::StreamEnd | EventData::DocumentEnd { .. } => return Ok(true),
            EventData::Alias { anchor } => {
                if !self.options.aliases {
                    return Err(Error::bare(format!("Unknown alias: {anchor}")));
                }
                let node = match self.anchors.get(&anchor) {
                    Some(Anchored::Done(node)) => Node { kind: Kind::Alias, line, ..node.clone() },
                    Some(Anchored::Open(_)) => {
                        return Err(Error::bare(format!("Alias '{anchor}' refers to what it is part of")));
                    }
                    None => return Err(Error::bare(format!("Unknown alias: {anchor}"))),
                };
                self.add(node)?;
            }
            EventData::Scalar { anchor, tag, value, quoted_implicit, .. } => {
                let (value, symbolic) = self.scalar(tag.as_deref(), value, quoted_implicit)?;
                let kind =
                    if tag.as_deref() == Some(libyaml_safer::STR_TAG) { Kind::Text } else { Kind::Scalar };
                let node = Node { value, kind, symbolic, size: 1, line };
                if let Some(anchor) = anchor {
                    self.anchors.insert(anchor, Anchored::Done(node.clone()));
                }
                self.add(node)?;
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                let tag = sequence_tag(tag.as_deref())?;
                self.open(anchor, line, Container::Sequence(Array::new(), tag))?;
            }
            EventData::MappingStart { anchor, tag, .. } => {
                let tag = mapping_tag(tag.as_deref())?;
                self.open(anchor, line, Container::Mapping { hash: Hash::new(), key: None, tag })?;
            }
            EventData::SequenceEnd | EventData::MappingEnd => self.close()?,
        }
        Ok(false)
    }

    fn open(&mut self, anchor: Option<String>, line: u32, what: Container) -> Result<(), Error> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(Error::bare(format!("nested deeper than {MAX_DEPTH} levels at line {line}")));
        }
        let anchor = anchor.map(|name| {
            self.opened += 1;
            self.anchors.insert(name.clone(), Anchored::Open(self.opened));
            (name, self.opened)
        });
        self.stack.push(Frame { anchor, line, symbolic: false, size: 1, what });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let (value, kind) = match frame.what {
            Container::Sequence(array, SequenceTag::Plain) => (Value::Array(array), Kind::Sequence),
            Container::Sequence(array, SequenceTag::Ordered) => {
                let entries = array.iter().filter_map(Value::as_hash).flatten();
                (entries.map(|(k, v)| (k.clone(), v.clone())).collect::<Hash>().into(), Kind::Sequence)
            }
            Container::Mapping { hash, tag: MappingTag::Plain, .. } => (Value::Hash(hash), Kind::Mapping),
            Container::Mapping { hash, tag: MappingTag::Text, .. } => {
                (hash.get("str").cloned().unwrap_or_default(), Kind::Mapping)
            }
            Container::Mapping { hash, tag: MappingTag::Elements, .. } => {
                (hash.get("elements").cloned().unwrap_or_else(|| Hash::new().into()), Kind::Mapping)
            }
        };
        let node = Node { value, kind, symbolic: frame.symbolic, size: frame.size, line: frame.line };
        // The name may have been given anew inside; then it stays with what is inside.
        if let Some((name, opened)) = frame.anchor
            && matches!(self.anchors.get(&name), Some(Anchored::Open(n)) if *n == opened)
        {
            self.anchors.insert(name, Anchored::Done(node.clone()));
        }
        self.add(node)
    }

    /// Puts a finished node where it belongs.
    fn add(&mut self, node: Node) -> Result<(), Error> {
        let top_level = self.stack.len() == 1;
        let Some(frame) = self.stack.last_mut() else {
            self.document.value = node.value;
            return Ok(());
        };
        // A symbol is as good a key as text.
        let is_name =
            matches!(frame.what, Container::Mapping { key: None, .. }) && node.value.as_str().is_some();
        frame.symbolic |= node.symbolic && !is_name;
        frame.size = frame.size.saturating_add(node.size);
        if frame.size > MAX_NODES {
            return Err(Error::bare(format!(
                "aliases expand to more than {MAX_NODES} values at line {}",
                node.line
            )));
        }
        let (hash, key, tag) = match &mut frame.what {
            Container::Sequence(array, _) => {
                array.push(node.value);
                return Ok(());
            }
            Container::Mapping { hash, key, tag } => match key.take() {
                None => {
                    *key = Some(node);
                    return Ok(());
                }
                Some(name) => (hash, name, *tag),
            },
        };
        if tag == MappingTag::Plain
            && key.kind != Kind::Text
            && key.value.as_str() == Some("<<")
            && let Some(merged) = merged(&node)
        {
            if top_level {
                for name in merged.keys().filter_map(Value::as_str) {
                    self.document.lines.insert(name.into(), key.line);
                    if node.symbolic {
                        self.document.symbolic.insert(name.into());
                    }
                }
            }
            hash.make_mut().extend(merged.iter().map(|(k, v)| (k.clone(), v.clone())));
            return Ok(());
        }
        if top_level && let Value::String(name) = &key.value {
            self.document.lines.insert(name.clone(), key.line);
            if node.symbolic {
                self.document.symbolic.insert(name.clone());
            } else {
                self.document.symbolic.remove(name);
            }
        }
        hash.insert(key.value, node.value);
        Ok(())
    }

    /// The value of a scalar and whether it is a symbol.
    fn scalar(&self, tag: Option<&str>, text: String, quoted: bool) -> Result<(Value, bool), Error> {
        if quoted {
            return Ok((text.into(), false));
        }
        let Some(tag) = tag else { return self.plain(text) };
        let ruby = tag.strip_prefix("!ruby/");
        match tag {
            "!binary" | "tag:yaml.org,2002:binary" => {
                let bytes = Binary::from_relaxed(&text);
                Ok((String::from_utf8_lossy(&bytes.0).into_owned().into(), false))
            }
            "!str" | "!ruby/string" | "tag:yaml.org,2002:str" => Ok((text.into(), false)),
            "tag:yaml.org,2002:float" | "!float" => match self.plain(text)?.0 {
                Value::Float(number) => Ok((number.into(), false)),
                Value::Integer(number) => Ok(((number as f64).into(), false)),
                other => match other.as_str().and_then(|text| text.trim().parse::<f64>().ok()) {
                    Some(number) => Ok((number.into(), false)),
                    None => Err(Error::bare(format!(
                        "invalid value for Float(): {:?}",
                        other.as_str().unwrap_or_default()
                    ))),
                },
            },
            "!ruby/regexp" => Err(class_error("Regexp")),
            "!ruby/range" => Err(class_error("Range")),
            "!ruby/class" | "!ruby/module" => Err(class_error(&text)),
            "!ruby/encoding" => Ok((text.into(), true)),
            _ if tag.starts_with("!str:") || tag.starts_with("!ruby/string:") => {
                Err(class_error(tag.split_once(':').map_or("", |(_, class)| class)))
            }
            _ if ruby.is_some_and(|r| {
                matches!(r, "object:BigDecimal" | "object:DateTime" | "object:Complex" | "object:Rational")
            }) =>
            {
                Err(class_error(tag.split_once(':').map_or("", |(_, class)| class)))
            }
            _ if ruby.is_some_and(|r| r.starts_with("sym")) => self.symbol(&text),
            _ => self.plain(text),
        }
    }

    fn plain(&self, text: String) -> Result<(Value, bool), Error> {
        let value = match scalar::resolve(&text) {
            Scalar::Null => Value::Undef,
            Scalar::Boolean(b) => b.into(),
            Scalar::Integer(n) => n.into(),
            Scalar::Float(n) => n.into(),
            // Ruby's integers have no limit, Puppet's have.
            Scalar::Big => return Err(Error::outside(&text)),
            Scalar::Symbol(name) => return self.symbol(name),
            Scalar::Date if !self.options.times => return Err(class_error("Date")),
            Scalar::Time if !self.options.times => return Err(class_error("Time")),
            Scalar::Text | Scalar::Date | Scalar::Time => text.into(),
            Scalar::Refused(message) => return Err(Error::bare(message)),
        };
        Ok((value, false))
    }

    /// Puppet takes two symbols for values of its own; the others are no data.
    fn symbol(&self, name: &str) -> Result<(Value, bool), Error> {
        match name {
            _ if !self.options.symbols => Err(class_error("Symbol")),
            "default" => Ok((Value::Default, false)),
            "undef" => Ok((Value::Undef, false)),
            _ => Ok((name.into(), true)),
        }
    }
}

/// What `<<: node` brings in, if it is a map or a list of maps; earlier maps of a list win.
fn merged(node: &Node) -> Option<Hash> {
    match (&node.value, node.kind) {
        (Value::Hash(hash), Kind::Alias | Kind::Mapping) => Some(hash.clone()),
        (Value::Array(maps), Kind::Sequence) => {
            let mut all = Hash::new();
            for map in maps.iter().rev() {
                let map = map.as_hash()?;
                all.make_mut().extend(map.iter().map(|(k, v)| (k.clone(), v.clone())));
            }
            Some(all)
        }
        _ => None,
    }
}

fn sequence_tag(tag: Option<&str>) -> Result<SequenceTag, Error> {
    match tag {
        Some("!omap" | "tag:yaml.org,2002:omap") => Ok(SequenceTag::Ordered),
        Some(tag) => match tag.strip_prefix("!seq:").or_else(|| tag.strip_prefix("!ruby/array:")) {
            Some(class) if !class.is_empty() => Err(class_error(class)),
            _ => Ok(SequenceTag::Plain),
        },
        None => Ok(SequenceTag::Plain),
    }
}

fn mapping_tag(tag: Option<&str>) -> Result<MappingTag, Error> {
    let Some(tag) = tag else { return Ok(MappingTag::Plain) };
    match tag {
        "!str" | "!ruby/string" | "tag:yaml.org,2002:str" => return Ok(MappingTag::Text),
        "!set" | "tag:yaml.org,2002:set" => return Err(class_error("Psych::Set")),
        "!omap" | "tag:yaml.org,2002:omap" => return Err(class_error("Psych::Omap")),
        "!ruby/range" => return Err(class_error("Range")),
        "!ruby/hash-with-ivars" => return Ok(MappingTag::Elements),
        _ => {}
    }
    if let Some(class) = tag.strip_prefix("!map:").or_else(|| tag.strip_prefix("!str:")) {
        return Err(class_error(class));
    }
    let Some(ruby) = tag.strip_prefix("!ruby/") else { return Ok(MappingTag::Plain) };
    let (kind, class) = ruby.split_once(':').unwrap_or((ruby, ""));
    match kind {
        "struct" if class.is_empty() => Err(class_error("Struct")),
        "exception" if class.is_empty() => Err(class_error("Exception")),
        "object" if class.is_empty() => Err(class_error("Object")),
        "object" if class == "Hash" => Ok(MappingTag::Plain),
        "struct" | "exception" | "object" | "string" | "array" | "hash" | "marshalable"
        | "hash-with-ivars"
            if !class.is_empty() =>
        {
            Err(class_error(class))
        }
        _ => Ok(MappingTag::Plain),
    }
}

pub(super) fn syntax_error(error: &libyaml_safer::Error) -> Error {
    let mark = error.context_mark().or(error.problem_mark()).unwrap_or_default();
    let problem = match error.context() {
        Some(context) => format!("{} {context}", error.problem()),
        None => error.problem().to_owned(),
    };
    Error::placed(problem, mark.line.saturating_add(1) as u32, mark.column.saturating_add(1) as u32)
}

fn class_error(name: &str) -> Error {
    Error::named(format!("Tried to load unspecified class: {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_before_commas() {
        for (text, expected) in [
            ("[!t, a]", r#"[nil, "a"]"#),
            ("{k: !<x>, l: !, m: 'n !o, p'}", r#"{"k"=>nil, "l"=>nil, "m"=>"n !o, p"}"#),
            ("\u{feff}[&a !t, *a]", "[nil, nil]"),
            (
                "- a !t, b\n- [!t,\n   c !t, !!str, d]\n# [!t, x]\n- |\n  [!t, x]",
                r#"["a !t, b", [nil, "c !t", "", "d"], "[!t, x]"]"#,
            ),
        ] {
            let read = read(text.as_bytes(), Options::HIERA).map(|document| document.value);
            let shown = read.map(|value| kukla_values::format::to_s(&value));
            assert_eq!(shown.as_deref(), Ok(expected), "{text}");
        }
        assert!(read(b"[a, b!t, !t,,", Options::HIERA).is_err());
    }

    #[test]
    fn blocks_at_the_end_of_the_text() {
        for (text, expected) in [
            ("|\n  foo", "foo"),
            ("|+\n  foo", "foo"),
            ("|-\n  foo", "foo"),
            (">\n  foo\n  bar", "foo bar"),
            ("|\n  foo\n  ", "foo\n"),
            ("|\n  foo\n    ", "foo\n  "),
            ("|", ""),
            ("|\n  foo\r", "foo\n"),
        ] {
            assert_eq!(read(text.as_bytes(), Options::HIERA).unwrap().value, expected.into(), "{text:?}");
        }
    }
}
