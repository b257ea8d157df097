//! PN as text and as JSON.

use serde_json::{Value, json};

use super::Pn;

impl Pn<'_> {
    /// The notation on one line.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        write(self, None, &mut out);
        out
    }

    /// The notation with every element on a line of its own.
    pub fn to_pretty_text(&self) -> String {
        let mut out = String::new();
        write(self, Some(0), &mut out);
        out
    }

    /// The notation's JSON form.
    pub fn to_json(&self) -> Value {
        guarded(|| match self {
            Pn::Nil => Value::Null,
            Pn::Boolean(value) => json!(value),
            Pn::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => json!(value),
                (_, Ok(value)) => json!(value),
                _ => json!(*value as f64),
            },
            Pn::Float(value) => json!(value),
            Pn::String(text) => json!(text),
            Pn::List(elements) => Value::Array(elements.iter().map(Pn::to_json).collect()),
            Pn::Map(entries) => {
                let flat = entries.iter().flat_map(|(key, value)| [json!(key), value.to_json()]);
                json!({ "#": flat.collect::<Vec<_>>() })
            }
            Pn::Call(name, elements) => {
                let all = std::iter::once(json!(name)).chain(elements.iter().map(Pn::to_json));
                json!({ "^": all.collect::<Vec<_>>() })
            }
        })
    }
}

/// Trees can be deep.
pub(super) fn guarded<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 1024 * 1024, run)
}

fn write(pn: &Pn<'_>, indent: Option<usize>, out: &mut String) {
    let deeper = indent.map(|indent| indent + 1);
    guarded(|| match pn {
        Pn::Nil => out.push_str("nil"),
        Pn::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Pn::Integer(value) => out.push_str(&value.to_string()),
        Pn::Float(value) => out.push_str(&crate::float_text(*value)),
        Pn::String(text) => quote(text, out),
        Pn::List(elements) => {
            out.push('[');
            write_elements(elements, deeper, out);
            out.push(']');
        }
        Pn::Call(name, elements) => {
            out.push('(');
            out.push_str(name);
            if !elements.is_empty() && indent.is_none() {
                out.push(' ');
            }
            write_elements(elements, deeper, out);
            out.push(')');
        }
        Pn::Map(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                separate(index, deeper, out);
                out.push(':');
                out.push_str(key);
                out.push(' ');
                write(value, deeper, out);
            }
            out.push('}');
        }
    });
}

fn write_elements(elements: &[Pn<'_>], indent: Option<usize>, out: &mut String) {
    for (index, element) in elements.iter().enumerate() {
        separate(index, indent, out);
        write(element, indent, out);
    }
}

fn separate(index: usize, indent: Option<usize>, out: &mut String) {
    match indent {
        Some(indent) => {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", indent));
        }
        None if index > 0 => out.push(' '),
        None => {}
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0'..='\x1f' => out.push_str(&format!("\\o{:03o}", c as u32)),
            _ => out.push(c),
        }
    }
    out.push('"');
}
