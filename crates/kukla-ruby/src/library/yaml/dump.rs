//! From Ruby's values to YAML, byte for byte as Psych writes.

use kukla_formats::yaml::{Layout, Writer};

use super::time;
use crate::class::ClassId;
use crate::core::exception;
use crate::core::numeric::named;
use crate::core::numeric::tower::{as_parts, as_ratio};
use crate::error::{Result, Unwind};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Encoding;
use crate::value::Value;

/// One document.
pub fn document(
    ruby: &mut Ruby<'_>,
    value: &Value,
    layout: Layout,
    safe: Option<&[String]>,
    aliases: bool,
) -> Result<String> {
    let mut dumper = Dumper { writer: Writer::new(layout), seen: Vec::new(), referred: false, made: 0, safe };
    dumper.push(ruby, value)?;
    if dumper.referred && !aliases {
        return Err(ruby.error(ClassId::PSYCH_BAD_ALIAS, "Tried to dump an aliased object"));
    }
    match dumper.writer.finish() {
        Ok(text) => Ok(text),
        Err(error) => Err(ruby.runtime_error(error.what.to_string())),
    }
}

struct Dumper<'s> {
    writer: Writer<'static>,
    /// The values written so far that can be referred to, with their anchors.
    seen: Vec<(Value, usize)>,
    /// Whether anything was referred to.
    referred: bool,
    /// The bytes of the texts so far.
    made: usize,
    /// The classes besides plain data that may be written; `None` for all.
    safe: Option<&'s [String]>,
}

impl Dumper<'_> {
    #[cold]
    fn disallowed(&self, ruby: &mut Ruby<'_>, name: &str) -> Box<Unwind> {
        ruby.error(ClassId::PSYCH_DISALLOWED_CLASS, format!("Tried to dump unspecified class: {name}"))
    }

    fn permit(&self, ruby: &mut Ruby<'_>, value: &Value) -> Result<()> {
        let Some(known) = self.safe else { return Ok(()) };
        let name = ruby.class_name_of(value);
        if known.contains(&name) { Ok(()) } else { Err(self.disallowed(ruby, &name)) }
    }

    /// Writes a reference if the object was written before; otherwise remembers where it will be.
    fn is_known(&mut self, value: &Value) -> bool {
        match self.seen.iter().find(|(known, _)| known.is_same(value)) {
            Some((_, place)) => {
                self.writer.refer(*place);
                self.referred = true;
                true
            }
            None => {
                self.seen.push((value.clone(), self.writer.place()));
                false
            }
        }
    }

    fn push(&mut self, ruby: &mut Ruby<'_>, value: &Value) -> Result<()> {
        ruby.charge(1 + self.seen.len() as u64 / 64)?;
        match value {
            Value::Nil => self.writer.null(),
            Value::Bool(truth) => self.writer.word(if *truth { "true" } else { "false" }),
            Value::Int(number) => self.writer.word(number.to_string()),
            Value::Big(big) => self.writer.word(big.number.to_string()),
            Value::Float(number) => self.writer.float(*number),
            Value::Symbol(symbol) => {
                self.permit(ruby, value)?;
                match ruby.name(*symbol).to_owned() {
                    name if name.is_empty() => self.writer.tagged("", "!ruby/symbol"),
                    name => self.writer.word(format!(":{name}")),
                }
            }
            Value::String(string) => {
                let class = ruby.real_class_of(value);
                let text = string.text().clone();
                // Once as it is given to the writer, and once as it is written.
                self.made += 2 * text.len();
                ruby.grown(self.made)?;
                let tag =
                    (class != ClassId::STRING).then(|| format!("!ruby/string:{}", ruby.class_name(class)));
                if text.encoding() == Encoding::Binary && !text.is_ascii() {
                    self.writer.binary(base64(&text));
                    return Ok(());
                }
                match text.as_str() {
                    Some(text) => self.writer.string_of(text.to_owned(), tag),
                    None => return Err(ruby.argument_error("invalid byte sequence in UTF-8")),
                }
            }
            Value::Array(array) => {
                if self.is_known(value) {
                    return Ok(());
                }
                let class = ruby.real_class_of(value);
                let tag =
                    (class != ClassId::ARRAY).then(|| format!("!ruby/array:{}", ruby.class_name(class)));
                self.writer.start_sequence(tag);
                for item in array.to_vec() {
                    kukla_syntax::deep(|| self.push(ruby, &item))?;
                }
                self.writer.end_sequence();
            }
            Value::Hash(hash) => {
                if self.is_known(value) {
                    return Ok(());
                }
                let class = ruby.real_class_of(value);
                let tag = (class != ClassId::HASH).then(|| format!("!ruby/hash:{}", ruby.class_name(class)));
                let entries: Vec<_> =
                    hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
                self.writer.start_mapping(tag);
                for (key, value) in entries {
                    kukla_syntax::deep(|| self.push(ruby, &key))?;
                    kukla_syntax::deep(|| self.push(ruby, &value))?;
                }
                self.writer.end_mapping();
            }
            Value::Range(range) => {
                self.permit(ruby, value)?;
                if !self.is_known(value) {
                    let members = [
                        ("begin", range.begin.clone()),
                        ("end", range.end.clone()),
                        ("excl", range.exclusive.into()),
                    ];
                    self.members(
                        ruby,
                        "!ruby/range".into(),
                        members.map(|(name, value)| (name.to_owned(), value)),
                    )?;
                }
            }
            Value::Regexp(_) => {
                self.permit(ruby, value)?;
                if !self.is_known(value) {
                    let shown = ruby.inspect(value)?.to_str_lossy().into_owned();
                    self.writer.tagged(shown, "!ruby/regexp");
                }
            }
            Value::Class(class) => {
                self.permit(ruby, value)?;
                if ruby.class(*class).name.is_none() {
                    let shown = ruby.class_name(*class);
                    return Err(ruby.type_error(format!("can't dump anonymous class: {shown}")));
                }
                if !self.is_known(value) {
                    let tag = if ruby.class(*class).is_module() { "!ruby/module" } else { "!ruby/class" };
                    let name = ruby.class_name(*class);
                    self.writer.tagged_in_quotes(name, tag);
                }
            }
            Value::Proc(_) => {
                self.permit(ruby, value)?;
                self.members(ruby, "!ruby/object:Proc".into(), [])?;
            }
            Value::Object(_) => self.object(ruby, value)?,
        }
        Ok(())
    }

    fn members(
        &mut self,
        ruby: &mut Ruby<'_>,
        tag: String,
        members: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<()> {
        self.writer.start_mapping(Some(tag));
        for (name, value) in members {
            self.writer.word(name);
            kukla_syntax::deep(|| self.push(ruby, &value))?;
        }
        self.writer.end_mapping();
        Ok(())
    }

    fn object(&mut self, ruby: &mut Ruby<'_>, value: &Value) -> Result<()> {
        self.permit(ruby, value)?;
        if self.is_known(value) {
            return Ok(());
        }
        let class = ruby.class_name_of(value);
        if let Some(text) = time::shown(value) {
            self.writer.word(text);
            return Ok(());
        }
        if let Some(ratio) = as_ratio(value) {
            let members = [
                ("denominator".to_owned(), Value::integer(ratio.denominator.clone())),
                ("numerator".to_owned(), Value::integer(ratio.numerator.clone())),
            ];
            return self.members(ruby, "!ruby/object:Rational".into(), members);
        }
        if let Some(parts) = as_parts(value) {
            let members =
                [("real".to_owned(), parts.real.clone()), ("image".to_owned(), parts.imaginary.clone())];
            return self.members(ruby, "!ruby/object:Complex".into(), members);
        }
        match class.as_str() {
            "Date" => {
                let text = ruby.display(value)?.to_str_lossy().into_owned();
                self.writer.word(text);
                return Ok(());
            }
            "DateTime" => {
                let format = "%Y-%m-%d %H:%M:%S.%9N ";
                let text = named(ruby, value, "strftime", &[format.into()])?;
                let zone = named(ruby, value, "zone", &[])?;
                let (text, zone) = (ruby.display(&text)?, ruby.display(&zone)?);
                let zone = if &*zone == b"+00:00" { "Z".into() } else { zone.to_str_lossy() };
                self.writer.tagged(format!("{}{zone}", text.to_str_lossy()), "!ruby/object:DateTime");
                return Ok(());
            }
            "Set" => {
                let mut entries = Vec::new();
                let items = ruby.send(value, sym::TO_A, &[])?;
                for item in ruby.to_array(&items)?.to_vec() {
                    entries.push((item, Value::Bool(true)));
                }
                let hash = ruby.make_hash(entries)?;
                return self.members(ruby, "!ruby/object:Set".into(), [("hash".to_owned(), hash)]);
            }
            "Encoding" => {
                let name = ruby.display(value)?.to_str_lossy().into_owned();
                self.writer.tagged(name, "!ruby/encoding");
                return Ok(());
            }
            "OpenStruct" => {
                let hash = ruby.send(value, sym::TO_H, &[])?;
                let members = self.named_entries(ruby, &hash)?;
                return self.members(ruby, "!ruby/object:OpenStruct".into(), members);
            }
            _ => {}
        }
        let encode = ruby.symbols.intern("encode_with");
        if ruby.responds_to(value, encode, true)? {
            let coder = ruby.make_hash([])?;
            ruby.send(value, encode, std::slice::from_ref(&coder))?;
            let members = self.named_entries(ruby, &coder)?;
            return self.members(ruby, format!("!ruby/object:{class}"), members);
        }
        if ruby.is_a(value, ClassId::STRUCT) {
            let hash = ruby.send(value, sym::TO_H, &[])?;
            let members = self.named_entries(ruby, &hash)?;
            return self.members(ruby, format!("!ruby/struct:{class}"), members);
        }
        let mut members = Vec::new();
        let is_exception =
            matches!(value, Value::Object(object) if object.payload::<exception::Details>().is_some());
        if is_exception {
            members.push(("message".to_owned(), ruby.send(value, sym::MESSAGE, &[])?));
            members.push(("backtrace".to_owned(), ruby.send(value, sym::BACKTRACE, &[])?));
        }
        if let Some(head) = value.head() {
            for name in head.variable_names() {
                let shown = ruby.name(name).trim_start_matches('@').to_owned();
                members.push((shown, head.variable(name).unwrap_or_default()));
            }
        }
        let tag = match class.as_str() {
            "Object" => "!ruby/object".to_owned(),
            class if is_exception => format!("!ruby/exception:{class}"),
            class => format!("!ruby/object:{class}"),
        };
        self.members(ruby, tag, members)
    }

    fn named_entries(&self, ruby: &mut Ruby<'_>, hash: &Value) -> Result<Vec<(String, Value)>> {
        let hash = ruby.to_hash(hash)?;
        let entries: Vec<_> =
            hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
        let mut named = Vec::new();
        for (key, value) in entries {
            named.push((ruby.display(&key)?.to_str_lossy().into_owned(), value));
        }
        Ok(named)
    }
}

fn base64(bytes: &[u8]) -> String {
    kukla_values::binary::Binary(bytes.to_vec().into()).to_base64()
}
