//! From what a scanner finds to values, as Psych builds them.

use kukla_values::binary::Binary;
use kukla_values::{Array, Hash, Str, Value};
use libyaml_safer::{Event, EventData};
use rustc_hash::FxHashMap;

use super::read::{Document, Options};
use super::scalar::{self, Scalar};
use crate::Error;

/// Deeper than any data, shallower than any stack.
const MAX_DEPTH: usize = 500;
/// Aliases let a few lines stand for more values than fit a machine; this many is where we stop believing the author.
const MAX_NODES: u64 = 20_000_000;

/// The number of entries of one map that may be pending.
const MANY: usize = 1 << 16;

/// A finished node on its way into its parent.
#[derive(Clone, Debug)]
struct Node {
    value: Value,
    kind: Kind,
    /// Whether a symbol is somewhere inside.
    symbolic: bool,
    /// The number of values it has once aliases are expanded.
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

/// The target of an anchor: a finished node, or the collection still being read that was opened as the n-th.
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

/// A list or map that is being read, and where its members begin among those that wait to be put into one.
enum Container {
    Sequence { start: usize, tag: SequenceTag },
    Mapping { start: usize, key: Option<Key>, tag: MappingTag },
}

/// The state of a key that waits for its value; the key itself is the last of the entries.
#[derive(Clone, Copy)]
struct Key {
    /// Whether it is text by its tag, and so no merge key.
    is_text: bool,
    line: u32,
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

/// The document under construction.
pub(super) struct Builder {
    options: Options,
    stack: Vec<Frame>,
    /// Members of the lists that are being read, the innermost last: how many there are is only known at the end.
    items: Vec<Value>,
    /// Entries of the maps that are being read.
    entries: Vec<(Value, Value)>,
    anchors: FxHashMap<String, Anchored>,
    opened: u32,
    pub(super) document: Document,
}

impl Builder {
    pub(super) fn new(options: Options) -> Builder {
        Builder {
            options,
            stack: Vec::new(),
            items: Vec::new(),
            entries: Vec::new(),
            anchors: FxHashMap::default(),
            opened: 0,
            document: Document::default(),
        }
    }

    /// Makes room for what a text of that many bytes is likely to hold.
    pub(super) fn expect(&mut self, bytes: usize) {
        self.stack.reserve(8);
        self.entries.reserve((bytes / 32).min(MANY));
    }

    /// Whether nothing can be nested any deeper.
    pub(super) fn is_full(&self) -> bool {
        self.stack.len() >= MAX_DEPTH
    }

    /// Adds a scalar without a tag; a quoted one is text whatever it looks like.
    pub(super) fn add_text(
        &mut self,
        anchor: Option<&str>,
        text: &str,
        quoted: bool,
        line: u32,
    ) -> Result<(), Error> {
        let is_text = quoted || scalar::is_surely_text(text);
        let (value, symbolic) = if is_text { (text.into(), false) } else { self.plain(text)? };
        let node = Node { value, kind: Kind::Scalar, symbolic, size: 1, line };
        match anchor {
            None => self.add(node),
            Some(anchor) => self.add_scalar(Some(anchor.to_owned()), node),
        }
    }

    /// Adds once more what `anchor` names.
    pub(super) fn add_alias(&mut self, anchor: &str, line: u32) -> Result<(), Error> {
        if !self.options.aliases {
            return Err(unknown_alias(anchor, line));
        }
        let node = match self.anchors.get(anchor) {
            Some(Anchored::Done(node)) => Node { kind: Kind::Alias, line, ..node.clone() },
            Some(Anchored::Open(_)) => {
                let what = format!("Alias '{anchor}' refers to what it is part of");
                return Err(Error::bare(what).quoting("An alias refers to what it is part of"));
            }
            None => return Err(unknown_alias(anchor, line)),
        };
        self.add(node)
    }

    /// Begins a list without a tag.
    pub(super) fn open_sequence(&mut self, anchor: Option<&str>, line: u32) -> Result<(), Error> {
        let what = Container::Sequence { start: self.items.len(), tag: SequenceTag::Plain };
        self.open(anchor.map(str::to_owned), line, what)
    }

    /// Begins a map without a tag.
    pub(super) fn open_mapping(&mut self, anchor: Option<&str>, line: u32) -> Result<(), Error> {
        let what = Container::Mapping { start: self.entries.len(), key: None, tag: MappingTag::Plain };
        self.open(anchor.map(str::to_owned), line, what)
    }

    /// Takes one event; true when the first document is complete.
    pub(super) fn take(&mut self, event: Event) -> Result<bool, Error> {
        let line = u32::try_from(event.start_mark.line + 1).unwrap_or(u32::MAX);
        match event.data {
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => {}
            EventData::StreamEnd | EventData::DocumentEnd { .. } => return Ok(true),
            EventData::Alias { anchor } => self.add_alias(&anchor, line)?,
            EventData::Scalar { anchor, tag, value, quoted_implicit, .. } => {
                let (value, symbolic) = self.scalar(tag.as_deref(), &value, quoted_implicit)?;
                let kind =
                    if tag.as_deref() == Some(libyaml_safer::STR_TAG) { Kind::Text } else { Kind::Scalar };
                let node = Node { value, kind, symbolic, size: 1, line };
                self.add_scalar(anchor, node)?;
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                let tag = sequence_tag(tag.as_deref())?;
                self.open(anchor, line, Container::Sequence { start: self.items.len(), tag })?;
            }
            EventData::MappingStart { anchor, tag, .. } => {
                let tag = mapping_tag(tag.as_deref())?;
                let start = self.entries.len();
                self.open(anchor, line, Container::Mapping { start, key: None, tag })?;
            }
            EventData::SequenceEnd | EventData::MappingEnd => self.close()?,
        }
        Ok(false)
    }

    fn add_scalar(&mut self, anchor: Option<String>, node: Node) -> Result<(), Error> {
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, Anchored::Done(node.clone()));
        }
        self.add(node)
    }

    fn open(&mut self, anchor: Option<String>, line: u32, what: Container) -> Result<(), Error> {
        if self.is_full() {
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

    /// Ends the list or map that was begun last.
    pub(super) fn close(&mut self) -> Result<(), Error> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let (value, kind) = match frame.what {
            Container::Sequence { start, tag } => {
                let array: Array = self.items.drain(start..).collect();
                let value = match tag {
                    SequenceTag::Plain => array.into(),
                    SequenceTag::Ordered => {
                        let entries = array.iter().filter_map(Value::as_hash).flatten();
                        entries.map(|(k, v)| (k.clone(), v.clone())).collect::<Hash>().into()
                    }
                };
                (value, Kind::Sequence)
            }
            Container::Mapping { start, tag, .. } => {
                let is_outermost = self.stack.is_empty();
                let hash = self.gathered(start, is_outermost);
                if is_outermost && tag != MappingTag::Plain {
                    self.document.lines.clear();
                }
                let value = match tag {
                    MappingTag::Plain => hash.into(),
                    MappingTag::Text => hash.get("str").cloned().unwrap_or_default(),
                    MappingTag::Elements => {
                        hash.get("elements").cloned().unwrap_or_else(|| Hash::new().into())
                    }
                };
                (value, Kind::Mapping)
            }
        };
        let node = Node { value, kind, symbolic: frame.symbolic, size: frame.size, line: frame.line };
        // The name may have been redefined inside; then it stays with the inner node.
        if let Some((name, opened)) = frame.anchor
            && matches!(self.anchors.get(&name), Some(Anchored::Open(n)) if *n == opened)
        {
            self.anchors.insert(name, Anchored::Done(node.clone()));
        }
        self.add(node)
    }

    /// The map of the entries from `start` on. What is there twice has the place of the first and the value of the last, and in the
    /// outermost map its line.
    fn gathered(&mut self, start: usize, is_outermost: bool) -> Hash {
        let entries = self.entries.drain(start..);
        if !is_outermost {
            return entries.collect();
        }
        let mut hash = Hash::new();
        let map = hash.make_mut();
        map.reserve(entries.len());
        let lines = &mut self.document.lines;
        for (at, (key, value)) in entries.enumerate() {
            let (place, _) = map.insert_full(key, value);
            lines[place] = lines[at];
        }
        lines.truncate(map.len());
        hash
    }

    /// Puts a finished node where it belongs.
    #[inline]
    fn add(&mut self, node: Node) -> Result<(), Error> {
        let top_level = self.stack.len() == 1;
        let Some(frame) = self.stack.last_mut() else {
            self.document.value = node.value;
            return Ok(());
        };
        frame.size = frame.size.saturating_add(node.size);
        if frame.size > MAX_NODES {
            return Err(too_many(node.line));
        }
        let (start, key, tag) = match &mut frame.what {
            Container::Sequence { .. } => {
                frame.symbolic |= node.symbolic;
                self.items.push(node.value);
                return Ok(());
            }
            Container::Mapping { start, key, tag } => match key.take() {
                None => {
                    // A symbol is as good a key as text.
                    frame.symbolic |= node.symbolic && node.value.as_str().is_none();
                    *key = Some(Key { is_text: node.kind == Kind::Text, line: node.line });
                    self.entries.push((node.value, Value::Undef));
                    return Ok(());
                }
                Some(key) => (*start, key, *tag),
            },
        };
        frame.symbolic |= node.symbolic;
        let Some((name, value)) = self.entries.last_mut() else { return Ok(()) };
        if tag == MappingTag::Plain
            && !key.is_text
            && name.as_str() == Some("<<")
            && let Some(merged) = merged(&node)
        {
            self.entries.pop();
            if top_level {
                self.document.lines.extend(std::iter::repeat_n(key.line, merged.len()));
                if node.symbolic {
                    self.document.symbolic.extend(merged.keys().filter_map(Value::as_str).map(Str::from));
                }
            }
            self.entries.extend(merged.iter().map(|(k, v)| (k.clone(), v.clone())));
            // What is brought in again and again counts once.
            if self.entries.len() - start > MANY {
                let hash = self.gathered(start, top_level);
                self.entries.extend(hash.iter().map(|(k, v)| (k.clone(), v.clone())));
            }
            return Ok(());
        }
        if top_level {
            self.document.lines.push(key.line);
            if let Value::String(name) = name {
                if node.symbolic {
                    self.document.symbolic.insert(name.clone());
                } else if !self.document.symbolic.is_empty() {
                    self.document.symbolic.remove(name);
                }
            }
        }
        *value = node.value;
        Ok(())
    }

    /// The value of a scalar and whether it is a symbol.
    fn scalar(&self, tag: Option<&str>, text: &str, quoted: bool) -> Result<(Value, bool), Error> {
        if quoted {
            return Ok((text.into(), false));
        }
        let Some(tag) = tag else { return self.plain(text) };
        let ruby = tag.strip_prefix("!ruby/");
        match tag {
            "!binary" | "tag:yaml.org,2002:binary" => {
                let bytes = Binary::from_relaxed(text);
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
                    ))
                    .quoting("invalid value for Float()")),
                },
            },
            "!ruby/regexp" => Err(class_error("Regexp")),
            "!ruby/range" => Err(class_error("Range")),
            "!ruby/class" | "!ruby/module" => Err(class_error(text)),
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
            _ if ruby.is_some_and(|r| r.starts_with("sym")) => self.symbol(text),
            _ => self.plain(text),
        }
    }

    fn plain(&self, text: &str) -> Result<(Value, bool), Error> {
        let value = match scalar::resolve(text) {
            Scalar::Null => Value::Undef,
            Scalar::Boolean(b) => b.into(),
            Scalar::Integer(n) => n.into(),
            Scalar::Float(n) => n.into(),
            // Ruby's integers have no limit, Puppet's have.
            Scalar::Big => return Err(Error::outside(text)),
            Scalar::Symbol(name) => return self.symbol(name),
            Scalar::Date if !self.options.times => return Err(class_error("Date")),
            Scalar::Time if !self.options.times => return Err(class_error("Time")),
            Scalar::Text | Scalar::Date | Scalar::Time => text.into(),
            Scalar::Refused(message) => return Err(Error::bare(message)),
        };
        Ok((value, false))
    }

    /// Puppet reads two symbols as values of its own; the others are not data.
    fn symbol(&self, name: &str) -> Result<(Value, bool), Error> {
        match name {
            _ if !self.options.symbols => Err(class_error("Symbol")),
            "default" => Ok((Value::Default, false)),
            "undef" => Ok((Value::Undef, false)),
            _ => Ok((name.into(), true)),
        }
    }
}

#[cold]
fn too_many(line: u32) -> Error {
    Error::bare(format!("aliases expand to more than {MAX_NODES} values at line {line}"))
}

/// The entries that `<<: node` adds, if it is a map or a list of maps; earlier maps of a list win.
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

fn unknown_alias(anchor: &str, line: u32) -> Error {
    let mut error = Error::bare(format!("Unknown alias: {anchor}")).quoting("Unknown alias");
    error.line = Some(line);
    error
}

fn class_error(name: &str) -> Error {
    Error::named(format!("Tried to load unspecified class: {name}"))
        .quoting("Tried to load unspecified class")
}
