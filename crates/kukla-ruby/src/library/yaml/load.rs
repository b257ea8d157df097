//! From YAML to Ruby's values, as Psych goes about it.

use kukla_formats::yaml::{Node, Part, Scalar, resolve, trees};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::class_named;
use crate::class::ClassId;
use crate::core::numeric::large;
use crate::core::numeric::tower::{Parts, Ratio, as_big};
use crate::core::numeric::{named, parse};
use crate::error::{Result, Unwind};
use crate::hash::Table;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{ArrayObject, HashObject, StringObject, Value};

/// The options of reading.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The names of classes that may be made; `None` for all.
    pub classes: Option<Vec<String>>,
    /// The symbols that may be made; `None` for all, if symbols may be made at all.
    pub symbols: Option<Vec<String>>,
    /// Whether `*name` may be used.
    pub aliases: bool,
    /// Whether keys that are text become symbols.
    pub symbolize_names: bool,
    /// Whether what is read is frozen.
    pub freeze: bool,
    /// The name of the file, for complaints.
    pub file: Option<String>,
}

/// The documents of a text, that many at most.
pub fn documents(ruby: &mut Ruby<'_>, text: &[u8], options: &Options, most: usize) -> Result<Vec<Value>> {
    ruby.charge(text.len() as u64 / 4)?;
    let nodes = match trees(text, most) {
        Ok(nodes) => nodes,
        Err(error) => return Err(syntax_error(ruby, &error, options)),
    };
    let mut found = Vec::new();
    for node in &nodes {
        let mut loader = Loader { options, anchors: FxHashMap::default() };
        let value = loader.value(ruby, node)?;
        found.push(if options.symbolize_names { symbolized(ruby, value)? } else { value });
    }
    Ok(found)
}

#[cold]
fn syntax_error(ruby: &mut Ruby<'_>, error: &kukla_formats::Error, options: &Options) -> Box<Unwind> {
    let file = options.file.as_deref().unwrap_or("<unknown>");
    let unwind = ruby.error(ClassId::PSYCH_SYNTAX_ERROR, error.message(file));
    if let Unwind::Raise(exception) = &*unwind
        && let Some(head) = exception.head()
    {
        for (name, value) in [
            ("@file", options.file.clone().into()),
            ("@line", error.line.map(i64::from).into()),
            ("@column", error.column.map(i64::from).into()),
            ("@offset", Value::Int(0)),
            ("@problem", Value::from(&*error.what)),
            ("@context", error.context.as_deref().map(Value::from).into()),
        ] {
            let name = ruby.symbols.intern(name);
            head.set_variable(name, value);
        }
    }
    unwind
}

struct Loader<'o> {
    options: &'o Options,
    anchors: FxHashMap<String, Value>,
}

#[cold]
fn disallowed(ruby: &mut Ruby<'_>, name: &str) -> Box<Unwind> {
    ruby.error(ClassId::PSYCH_DISALLOWED_CLASS, format!("Tried to load unspecified class: {name}"))
}

impl Loader<'_> {
    fn permit(&self, ruby: &mut Ruby<'_>, class: &str) -> Result<()> {
        match &self.options.classes {
            Some(known) if !known.iter().any(|known| known == class) => Err(disallowed(ruby, class)),
            _ => Ok(()),
        }
    }

    /// A class that a tag names, if it may be made.
    fn class(&self, ruby: &mut Ruby<'_>, name: &str) -> Result<ClassId> {
        self.permit(ruby, name)?;
        match class_named(ruby, name)? {
            Some(class) => Ok(class),
            None => Err(ruby.argument_error(format!("undefined class/module {name}"))),
        }
    }

    fn symbol(&self, ruby: &mut Ruby<'_>, name: &str) -> Result {
        self.permit(ruby, "Symbol")?;
        if let Some(known) = &self.options.symbols
            && !known.is_empty()
            && !known.iter().any(|known| known == name)
        {
            return Err(disallowed(ruby, "Symbol"));
        }
        Ok(ruby.symbol(name))
    }

    fn remember(&mut self, node: &Node, value: &Value) {
        if let Some(anchor) = &node.anchor {
            self.anchors.insert(anchor.clone(), value.clone());
        }
    }

    fn finished(&self, value: Value) -> Value {
        if self.options.freeze
            && let Some(head) = value.head()
        {
            head.freeze();
        }
        value
    }

    fn value(&mut self, ruby: &mut Ruby<'_>, node: &Node) -> Result {
        ruby.charge(1)?;
        let value = match &node.part {
            Part::Alias(name) => {
                return match self.anchors.get(name) {
                    Some(value) if self.options.aliases => Ok(value.clone()),
                    _ => Err(ruby.error(ClassId::PSYCH_BAD_ALIAS, format!("Unknown alias: {name}"))),
                };
            }
            Part::Scalar(text, quoted) => {
                let value = self.scalar(ruby, text, *quoted, node.tag.as_deref())?;
                self.remember(node, &value);
                value
            }
            Part::Sequence(items) => kukla_syntax::deep(|| self.sequence(ruby, node, items))?,
            Part::Mapping(pairs) => kukla_syntax::deep(|| self.mapping(ruby, node, pairs))?,
        };
        Ok(self.finished(value))
    }

    fn plain(&self, ruby: &mut Ruby<'_>, text: &str) -> Result {
        Ok(match resolve(text) {
            Scalar::Null => Value::Nil,
            Scalar::Boolean(truth) => truth.into(),
            Scalar::Integer(number) => Value::Int(number),
            Scalar::Big => big(text),
            Scalar::Float(number) => Value::Float(number),
            Scalar::Symbol(name) => self.symbol(ruby, name)?,
            Scalar::Date => {
                self.permit(ruby, "Date")?;
                self.date(ruby, "Date", text)?
            }
            Scalar::Time => {
                self.permit(ruby, "Time")?;
                super::time::parse(ruby, text)?
            }
            Scalar::Text => Value::str(text),
            Scalar::Refused(message) => return Err(ruby.argument_error(message)),
        })
    }

    fn date(&self, ruby: &mut Ruby<'_>, class: &str, text: &str) -> Result {
        let kernel = Value::Class(ClassId::KERNEL);
        named(ruby, &kernel, "require", &["date".into()])?;
        match class_named(ruby, class)? {
            Some(class) => named(ruby, &Value::Class(class), "parse", &[text.into()]),
            None => Ok(Value::str(text)),
        }
    }

    fn scalar(&self, ruby: &mut Ruby<'_>, text: &str, quoted: bool, tag: Option<&str>) -> Result {
        let Some(tag) = tag else {
            return if quoted { Ok(Value::str(text)) } else { self.plain(ruby, text) };
        };
        match tag {
            "!binary" | "tag:yaml.org,2002:binary" => {
                let bytes = kukla_values::binary::Binary::from_relaxed(text);
                return Ok(Value::str(Text::binary(bytes.0.to_vec())));
            }
            "!str" | "!ruby/string" | "tag:yaml.org,2002:str" => return Ok(Value::str(text)),
            "!float" | "tag:yaml.org,2002:float" => {
                let value = self.plain(ruby, text)?;
                return parse::to_float(ruby, &value).map(Value::Float);
            }
            "!ruby/regexp" => {
                self.permit(ruby, "Regexp")?;
                return regexp(ruby, text);
            }
            "!ruby/range" => {
                self.permit(ruby, "Range")?;
                let (begin, end, exclusive) = match text.split_once("...") {
                    Some((begin, end)) => (begin, end, true),
                    None => {
                        let (begin, end) = text.split_once("..").unwrap_or((text, ""));
                        (begin, end, false)
                    }
                };
                let ends = [self.plain(ruby, begin)?, self.plain(ruby, end)?, exclusive.into()];
                return ruby.send(&Value::Class(ClassId::RANGE), sym::NEW, &ends);
            }
            "!ruby/class" | "!ruby/module" => return self.class(ruby, text).map(Value::Class),
            "!ruby/encoding" => {
                let encoding = Value::Class(ClassId::ENCODING);
                return named(ruby, &encoding, "find", &[text.into()]);
            }
            "!ruby/object:DateTime" => {
                self.permit(ruby, "DateTime")?;
                return self.date(ruby, "DateTime", text);
            }
            "!ruby/object:Complex" | "!ruby/object:Rational" => {
                let name = tag.trim_start_matches("!ruby/object:");
                self.permit(ruby, name)?;
                let kernel = Value::Class(ClassId::KERNEL);
                return named(ruby, &kernel, name, &[text.into()]);
            }
            _ => {}
        }
        if let Some(class) = tag.strip_prefix("!str:").or_else(|| tag.strip_prefix("!ruby/string:")) {
            let class = self.class(ruby, class)?;
            return Ok(Value::String(StringObject::new(class, text.into())));
        }
        if tag.starts_with("!ruby/sym") {
            return self.symbol(ruby, text);
        }
        if quoted { Ok(Value::str(text)) } else { self.plain(ruby, text) }
    }

    fn sequence(&mut self, ruby: &mut Ruby<'_>, node: &Node, items: &[Node]) -> Result {
        let tag = node.tag.as_deref().unwrap_or("");
        if matches!(tag, "!omap" | "tag:yaml.org,2002:omap") {
            let hash = HashObject::new(ClassId::HASH, Table::new());
            self.remember(node, &Value::Hash(hash.clone()));
            for item in items {
                if let Part::Mapping(pairs) = &item.part {
                    self.fill(ruby, &hash, pairs)?;
                }
            }
            return Ok(Value::Hash(hash));
        }
        let class = match tag.strip_prefix("!ruby/array:").or_else(|| tag.strip_prefix("!seq:")) {
            Some(class) => self.class(ruby, class)?,
            None => ClassId::ARRAY,
        };
        let array = ArrayObject::new(class, Vec::new());
        let value = Value::Array(array.clone());
        self.remember(node, &value);
        for item in items {
            let item = self.value(ruby, item)?;
            array.items_mut().push(item);
        }
        Ok(value)
    }

    /// Puts entries into a hash; `<<` brings in those of another one.
    fn fill(&mut self, ruby: &mut Ruby<'_>, hash: &HashObject, pairs: &[(Node, Node)]) -> Result<()> {
        for (key_node, value_node) in pairs {
            let is_merge = matches!(&key_node.part, Part::Scalar(text, _) if text == "<<")
                && key_node.tag.as_deref() != Some("tag:yaml.org,2002:str");
            let key = self.value(ruby, key_node)?;
            let value = self.value(ruby, value_node)?;
            if is_merge && let Some(others) = merged(&value, &value_node.part) {
                for other in others {
                    let entries: Vec<_> =
                        other.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
                    for (key, value) in entries {
                        ruby.hash_set(hash, key, value)?;
                    }
                }
                continue;
            }
            ruby.hash_set(hash, key, value)?;
        }
        Ok(())
    }

    /// The entries of an object under their names.
    fn members(&mut self, ruby: &mut Ruby<'_>, pairs: &[(Node, Node)]) -> Result<Vec<(String, Value)>> {
        let mut found = Vec::new();
        for (key, value) in pairs {
            let key = self.value(ruby, key)?;
            let name = ruby.display(&key)?.to_str_lossy().into_owned();
            found.push((name, self.value(ruby, value)?));
        }
        Ok(found)
    }

    fn mapping(&mut self, ruby: &mut Ruby<'_>, node: &Node, pairs: &[(Node, Node)]) -> Result {
        let tag = node.tag.as_deref().unwrap_or("");
        let (kind, class) = match tag.strip_prefix("!ruby/") {
            Some(rest) => rest.split_once(':').unwrap_or((rest, "")),
            None => match tag.strip_prefix("!map:") {
                Some(class) => ("hash", class),
                None => ("", ""),
            },
        };
        match (kind, class) {
            ("object", "Hash") | ("", _) => {}
            ("hash", class) if !class.is_empty() => {
                let class = self.class(ruby, class)?;
                let hash = HashObject::new(class, Table::new());
                self.remember(node, &Value::Hash(hash.clone()));
                self.fill(ruby, &hash, pairs)?;
                return Ok(Value::Hash(hash));
            }
            ("range", _) => {
                self.permit(ruby, "Range")?;
                let members = self.members(ruby, pairs)?;
                let of = |name: &str| find(&members, name);
                let ends = [of("begin"), of("end"), of("excl").is_true().into()];
                return ruby.send(&Value::Class(ClassId::RANGE), sym::NEW, &ends);
            }
            ("object", "Rational") => {
                self.permit(ruby, "Rational")?;
                let members = self.members(ruby, pairs)?;
                let of = |name: &str| as_big(&find(&members, name)).unwrap_or_default();
                let below = of("denominator");
                if below == BigInt::default() {
                    return Err(ruby.divided_by_zero());
                }
                return Ok(Ratio::new(of("numerator"), below).into_value());
            }
            ("object", "Complex") => {
                self.permit(ruby, "Complex")?;
                let members = self.members(ruby, pairs)?;
                let parts = Parts { real: find(&members, "real"), imaginary: find(&members, "image") };
                return Ok(parts.into_value());
            }
            ("object", "Set") => {
                self.permit(ruby, "Set")?;
                let members = self.members(ruby, pairs)?;
                let keys = named(ruby, &find(&members, "hash"), "keys", &[])?;
                let class = self.class(ruby, "Set")?;
                return ruby.send(&Value::Class(class), sym::NEW, &[keys]);
            }
            ("exception", class) => {
                let class = self.class(ruby, if class.is_empty() { "Exception" } else { class })?;
                let members = self.members(ruby, pairs)?;
                return ruby.send(&Value::Class(class), sym::NEW, &[find(&members, "message")]);
            }
            ("struct", class) => {
                let class = self.class(ruby, if class.is_empty() { "Struct" } else { class })?;
                let made = ruby.send(&Value::Class(class), sym::ALLOCATE, &[])?;
                self.remember(node, &made);
                for (name, value) in self.members(ruby, pairs)? {
                    named(ruby, &made, &format!("{name}="), &[value])?;
                }
                return Ok(made);
            }
            ("object", class) => {
                let class = self.class(ruby, if class.is_empty() { "Object" } else { class })?;
                let made = ruby.send(&Value::Class(class), sym::ALLOCATE, &[])?;
                self.remember(node, &made);
                let members = self.members(ruby, pairs)?;
                let init = ruby.symbols.intern("init_with");
                if ruby.responds_to(&made, init, true)? {
                    let entries = members.into_iter().map(|(name, value)| (Value::from(name), value));
                    let coder = ruby.make_hash(entries)?;
                    ruby.send(&made, init, &[coder])?;
                    return Ok(made);
                }
                for (name, value) in members {
                    let name = ruby.symbols.intern(&format!("@{name}"));
                    if let Some(head) = made.head() {
                        head.set_variable(name, value);
                    }
                }
                return Ok(made);
            }
            ("string", class) => {
                let class = if class.is_empty() { ClassId::STRING } else { self.class(ruby, class)? };
                let members = self.members(ruby, pairs)?;
                let text = ruby.display(&find(&members, "str"))?;
                return Ok(Value::String(StringObject::new(class, text)));
            }
            _ => {}
        }
        let hash = HashObject::new(ClassId::HASH, Table::new());
        self.remember(node, &Value::Hash(hash.clone()));
        self.fill(ruby, &hash, pairs)?;
        Ok(Value::Hash(hash))
    }
}

fn find(members: &[(String, Value)], name: &str) -> Value {
    members.iter().find(|(known, _)| known == name).map_or(Value::Nil, |(_, value)| value.clone())
}

/// The hashes that `<<: value` merges: a hash, or a list of hashes of which the first one wins.
fn merged(value: &Value, part: &Part) -> Option<Vec<std::rc::Rc<HashObject>>> {
    match (value, part) {
        (Value::Hash(hash), Part::Alias(_) | Part::Mapping(_)) => Some(vec![hash.clone()]),
        (Value::Array(items), Part::Sequence(_)) => items
            .to_vec()
            .into_iter()
            .rev()
            .map(|item| match item {
                Value::Hash(hash) => Some(hash),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}

/// `/source/options`
fn regexp(ruby: &mut Ruby<'_>, text: &str) -> Result {
    let body = text.strip_prefix('/').unwrap_or(text);
    let (source, letters) = body.rsplit_once('/').unwrap_or((body, ""));
    let flags = letters.chars().fold(0, |flags, letter| {
        flags
            | match letter {
                'i' => 1,
                'x' => 2,
                'm' => 4,
                _ => 0,
            }
    });
    ruby.send(&Value::Class(ClassId::REGEXP), sym::NEW, &[source.into(), Value::Int(flags)])
}

/// The same with symbols instead of text for keys.
fn symbolized(ruby: &mut Ruby<'_>, value: Value) -> Result {
    match &value {
        Value::Array(items) => {
            for at in 0..items.len() {
                let item = items.get(at).unwrap_or_default();
                let item = kukla_syntax::deep(|| symbolized(ruby, item))?;
                if let Some(place) = items.items_mut().get_mut(at) {
                    *place = item;
                }
            }
            Ok(value)
        }
        Value::Hash(hash) => {
            let entries: Vec<_> =
                hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
            let made = HashObject::new(hash.head.class(), Table::new());
            for (key, value) in entries {
                let key = match &key {
                    Value::String(name) => {
                        let name = name.text().to_str_lossy().into_owned();
                        ruby.symbol(&name)
                    }
                    _ => key,
                };
                let value = kukla_syntax::deep(|| symbolized(ruby, value))?;
                ruby.hash_set(&made, key, value)?;
            }
            Ok(Value::Hash(made))
        }
        _ => Ok(value),
    }
}

/// An integer beyond 64 bit, as YAML writes it: with `_` and `,` between digits, in base ten or another.
fn big(text: &str) -> Value {
    let plain: String = text.chars().filter(|c| !matches!(c, '_' | ',' | '+')).collect();
    let (negative, digits) = plain.strip_prefix('-').map_or((false, plain.as_str()), |digits| (true, digits));
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', ..] => (digits, 8),
        _ => (digits, 10),
    };
    let number = large::of_digits(digits.as_bytes(), radix).unwrap_or_default();
    Value::integer(if negative { -number } else { number })
}
