//! Interpolation and regular expressions that are made while the program runs.

use super::Frame;
use crate::class::ClassId;
use crate::core::{regexp, string};
use crate::error::Result;
use crate::program::{Node, Regex};
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::{StringObject, Value};

impl Ruby<'_> {
    pub(super) fn interpolated(&mut self, f: &Frame<'_>, parts: &[Node]) -> Result {
        let text = self.interpolate(f, parts)?;
        Ok(Value::String(StringObject::new(ClassId::STRING, text)))
    }

    pub(super) fn interpolate(&mut self, f: &Frame<'_>, parts: &[Node]) -> Result<Text> {
        let mut bytes = Vec::new();
        // What begins with a value begins with an empty literal.
        let mut encoding =
            if let Some(Node::Literal(_)) = parts.first() { None } else { Some(Encoding::Utf8) };
        for part in parts {
            let value = self.eval(f, part)?;
            match &value {
                Value::String(string) => self.append(&mut bytes, &mut encoding, &string.text())?,
                Value::Int(number) if !self.run.redefined => {
                    encoding.get_or_insert(Encoding::Ascii);
                    use std::io::Write;
                    // Writing to a vector cannot fail.
                    let _ = write!(bytes, "{number}");
                }
                value => {
                    let text = self.display(value)?;
                    self.append(&mut bytes, &mut encoding, &text)?;
                }
            }
            self.grown(bytes.len())?;
        }
        let encoding = encoding.unwrap_or_default();
        self.charge((bytes.len() / 64) as u64)?;
        Ok(Text::new(bytes, encoding))
    }

    /// Appends a text. The first one that is not US-ASCII says what the encoding is, until one comes whose characters are not ASCII.
    fn append(&mut self, bytes: &mut Vec<u8>, encoding: &mut Option<Encoding>, text: &Text) -> Result<()> {
        let mut known = *encoding.get_or_insert(text.encoding());
        if known == Encoding::Ascii && bytes.is_ascii() {
            known = text.encoding();
            *encoding = Some(known);
        }
        if known != text.encoding() && !text.is_ascii() {
            if !bytes.is_ascii() {
                let message = format!(
                    "incompatible character encodings: {} and {}",
                    known.name(),
                    text.encoding().name()
                );
                return Err(self.error(ClassId::COMPATIBILITY_ERROR, message));
            }
            *encoding = Some(text.encoding());
        }
        bytes.extend_from_slice(text.as_bytes());
        Ok(())
    }

    pub(super) fn regexp_node(&mut self, f: &Frame<'_>, node: &Regex) -> Result {
        if let Some(once) = node.once {
            let cache = &f.unit.constants[once as usize];
            if cache.generation.get() != 0 {
                return Ok(cache.value.borrow().clone());
            }
        }
        let mut source = Text::from("");
        for part in &node.parts {
            // A regular expression inside of another keeps its own options.
            let value = self.eval(f, part)?;
            let text = self.display(&value)?;
            let encoding = string::common_encoding(self, &source, &text)?;
            source.push_text(&text);
            source.set_encoding(encoding);
        }
        self.run.line = node.line;
        let value = self.make_regexp(&source, node.options)?;
        if let Some(once) = node.once {
            let cache = &f.unit.constants[once as usize];
            cache.generation.set(1);
            *cache.value.borrow_mut() = value.clone();
        }
        Ok(value)
    }

    /// A regular expression, or Ruby's complaint about it. Options are Ruby's numbers.
    pub fn make_regexp(&mut self, source: &Text, options: u8) -> Result {
        regexp::compile(self, ClassId::REGEXP, source, i64::from(options))
    }
}
