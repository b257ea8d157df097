//! Writing JSON, byte for byte as json 2.6 does.

use std::fmt::Write;

use kukla_values::json;

use crate::args::Args;
use crate::class::ClassId;
use crate::core::float;
use crate::core::numeric::large;
use crate::error::{Result, Unwind};
use crate::memory::Output;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{HashObject, Object, Value};

/// How to write, and how deep the writing is.
#[derive(Clone, Debug)]
pub struct Style {
    /// The indentation of each level.
    pub indent: String,
    /// The text after the colon.
    pub space: String,
    /// The text before the colon.
    pub space_before: String,
    /// The text after each entry of an object.
    pub object_nl: String,
    /// The text after each element of an array.
    pub array_nl: String,
    /// How deep it may nest; 0 for any depth.
    pub max_nesting: usize,
    /// Whether `NaN` and `Infinity` may be written.
    pub allow_nan: bool,
    /// Whether everything beyond ASCII is escaped.
    pub ascii_only: bool,
    /// Whether `/` is escaped.
    pub escape_slash: bool,
    /// How deep the writing is.
    pub depth: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            indent: String::new(),
            space: String::new(),
            space_before: String::new(),
            object_nl: String::new(),
            array_nl: String::new(),
            max_nesting: 100,
            allow_nan: false,
            ascii_only: false,
            escape_slash: false,
            depth: 0,
        }
    }
}

impl Style {
    /// As `pretty_generate` writes.
    pub fn pretty() -> Style {
        Style {
            indent: "  ".into(),
            space: " ".into(),
            object_nl: "\n".into(),
            array_nl: "\n".into(),
            ..Style::default()
        }
    }

    /// Applies keywords or a hash of options.
    pub fn read(&mut self, ruby: &mut Ruby<'_>, given: &HashObject) -> Result<()> {
        for (name, text) in [
            ("indent", &mut self.indent),
            ("space", &mut self.space),
            ("space_before", &mut self.space_before),
            ("object_nl", &mut self.object_nl),
            ("array_nl", &mut self.array_nl),
        ] {
            if let Some(value) = ruby.keyword(given, name) {
                *text = ruby.to_text(&value)?.to_str_lossy().into_owned();
            }
        }
        for (name, flag) in [
            ("allow_nan", &mut self.allow_nan),
            ("ascii_only", &mut self.ascii_only),
            ("escape_slash", &mut self.escape_slash),
        ] {
            if let Some(value) = ruby.keyword(given, name) {
                *flag = value.is_true();
            }
        }
        match ruby.keyword(given, "max_nesting") {
            None => {}
            Some(Value::Nil | Value::Bool(false)) => self.max_nesting = 0,
            Some(depth) => self.max_nesting = ruby.to_int(&depth)?.max(0) as usize,
        }
        Ok(())
    }

    /// As a value to hand to the `to_json` of programs.
    fn into_value(self) -> Value {
        Value::Object(Object::with(ClassId::JSON_STATE, self))
    }

    /// The style that `to_json` was given: a state, a hash of options, or nothing.
    pub fn of(ruby: &mut Ruby<'_>, given: Option<&Value>) -> Result<Style> {
        let mut style = Style::default();
        match given {
            Some(Value::Object(object)) => {
                if let Some(state) = object.payload::<Style>() {
                    return Ok(state.clone());
                }
            }
            Some(Value::Hash(options)) => style.read(ruby, options)?,
            _ => {}
        }
        Ok(style)
    }
}

/// The text of a value.
pub fn generate(ruby: &mut Ruby<'_>, value: &Value, style: &mut Style) -> Result<Vec<u8>> {
    let mut out = Output::default();
    write(ruby, value, style, &mut out)?;
    Ok(out.into_vec())
}

#[cold]
fn error(ruby: &mut Ruby<'_>, message: &str) -> Box<Unwind> {
    ruby.error(ClassId::JSON_GENERATOR_ERROR, message)
}

fn write(ruby: &mut Ruby<'_>, value: &Value, style: &mut Style, out: &mut Output) -> Result<()> {
    ruby.charge(1)?;
    match value {
        Value::Nil => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Int(number) => {
            let _ = write!(out, "{number}");
        }
        Value::Big(big) => {
            ruby.charge(big.number.bits() / 64)?;
            out.push_str(&large::digits(&big.number, 10));
        }
        Value::Float(number) => {
            let text = float::to_text(*number);
            if !number.is_finite() && !style.allow_nan {
                let place = if number.is_nan() { 1003 } else { 1000 };
                return Err(error(ruby, &format!("{place}: {text} not allowed in JSON")));
            }
            out.push_str(&text);
        }
        Value::String(string) if !is_changed(ruby, value) => {
            let text = string.text().clone();
            write_text(ruby, &text, style, out)?;
        }
        Value::Array(array) if !is_changed(ruby, value) => {
            let items = array.to_vec();
            enter(ruby, style)?;
            out.push(b'[');
            out.push_str(&style.array_nl);
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                    out.push_str(&style.array_nl);
                }
                indent(ruby, style, out)?;
                kukla_syntax::deep(|| write(ruby, item, style, out))?;
            }
            style.depth -= 1;
            if !style.array_nl.is_empty() {
                out.push_str(&style.array_nl);
                indent(ruby, style, out)?;
            }
            out.push(b']');
        }
        Value::Hash(hash) if !is_changed(ruby, value) => {
            let entries: Vec<_> =
                hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
            enter(ruby, style)?;
            out.push(b'{');
            for (at, (key, value)) in entries.into_iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                out.push_str(&style.object_nl);
                indent(ruby, style, out)?;
                let name = ruby.display(&key)?;
                write_text(ruby, &name, style, out)?;
                ruby.charge_bytes(style.space_before.len() + style.space.len() + style.object_nl.len())?;
                out.push_str(&style.space_before);
                out.push(b':');
                out.push_str(&style.space);
                kukla_syntax::deep(|| write(ruby, &value, style, out))?;
            }
            style.depth -= 1;
            if !style.object_nl.is_empty() {
                out.push_str(&style.object_nl);
                indent(ruby, style, out)?;
            }
            out.push(b'}');
        }
        value if is_changed(ruby, value) => {
            let state = style.clone().into_value();
            let text = kukla_syntax::deep(|| ruby.call(value, sym::TO_JSON, &Args::new(&[state])))?;
            out.push_str(&ruby.to_text(&text)?.to_str_lossy());
        }
        value => {
            let text = ruby.display(value)?;
            write_text(ruby, &text, style, out)?;
        }
    }
    Ok(())
}

/// Whether the program gave a class a `to_json` of its own.
fn is_changed(ruby: &mut Ruby<'_>, value: &Value) -> bool {
    let class = ruby.class_of(value);
    let method = ruby.find_method(class, sym::TO_JSON);
    !matches!(method.map(|method| method.body.clone()), Some(crate::method::MethodBody::Native(_)) | None)
}

fn enter(ruby: &mut Ruby<'_>, style: &mut Style) -> Result<()> {
    style.depth += 1;
    let most = if style.max_nesting == 0 { 10_000 } else { style.max_nesting };
    if style.depth > most {
        style.depth -= 1;
        let message = format!("nesting of {} is too deep", style.depth);
        return Err(ruby.error(ClassId::JSON_NESTING_ERROR, message));
    }
    Ok(())
}

fn indent(ruby: &mut Ruby<'_>, style: &Style, out: &mut Output) -> Result<()> {
    ruby.charge_bytes(style.depth.saturating_mul(style.indent.len()))?;
    for _ in 0..style.depth {
        out.push_str(&style.indent);
    }
    Ok(())
}

fn escape(out: &mut Output, text: &str) {
    let mut escaped = String::new();
    json::escape(&mut escaped, text);
    out.push_str(&escaped);
}

fn write_text(ruby: &mut Ruby<'_>, text: &Text, style: &Style, out: &mut Output) -> Result<()> {
    ruby.charge(text.len() as u64 / 32)?;
    let Ok(text) = std::str::from_utf8(text) else {
        // A truncated character is distinguished from an invalid one.
        let bytes = text.as_bytes();
        let bad = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
        let wanted = match bytes.get(bad) {
            Some(0xc2..=0xdf) => 2,
            Some(0xe0..=0xef) => 3,
            Some(0xf0..) => {
                if bytes.get(bad).is_some_and(|byte| *byte >= 0xf8) {
                    6
                } else {
                    4
                }
            }
            _ => 1,
        };
        let message = if bad + wanted > bytes.len() {
            "partial character in source, but hit end"
        } else {
            "source sequence is illegal/malformed utf-8"
        };
        return Err(error(ruby, message));
    };
    out.push(b'"');
    let is_optional = |c: char| (style.escape_slash && c == '/') || (style.ascii_only && !c.is_ascii());
    let mut rest = text;
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_optional(*c)) {
        escape(out, &rest[..at]);
        if c == '/' {
            out.push_str("\\/");
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
        rest = &rest[at + c.len_utf8()..];
    }
    escape(out, rest);
    out.push(b'"');
    Ok(())
}
