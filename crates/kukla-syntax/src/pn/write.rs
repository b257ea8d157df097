//! PN as text and as JSON.

use serde_json::{Value, json};

use crate::deep;

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
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write_json(self, None, &mut out);
        out
    }

    /// The notation's JSON form with every element on a line of its own.
    pub fn to_pretty_json(&self) -> String {
        let mut out = String::new();
        write_json(self, Some(0), &mut out);
        out
    }
}

/// An element of a list in the JSON form.
enum Item<'a, 't> {
    Name(&'a str),
    Pn(&'a Pn<'t>),
}

fn write_json(pn: &Pn<'_>, indent: Option<usize>, out: &mut String) {
    let leaf = match pn {
        Pn::Nil => Value::Null,
        Pn::Boolean(value) => json!(value),
        Pn::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
            (Ok(value), _) => json!(value),
            (_, Ok(value)) => json!(value),
            _ => json!(*value as f64),
        },
        Pn::Float(value) => json!(value),
        Pn::String(text) => json!(text),
        Pn::List(elements) => return write_json_list(elements.iter().map(Item::Pn), indent, out),
        Pn::Map(entries) => {
            let flat = entries.iter().flat_map(|(key, value)| [Item::Name(key), Item::Pn(value)]);
            return write_json_object("#", flat, indent, out);
        }
        Pn::Call(name, elements) => {
            let all = std::iter::once(Item::Name(name)).chain(elements.iter().map(Item::Pn));
            return write_json_object("^", all, indent, out);
        }
    };
    out.push_str(&leaf.to_string());
}

/// An object whose one key says what the list under it is.
fn write_json_object<'a, 't: 'a>(
    key: &str,
    items: impl Iterator<Item = Item<'a, 't>>,
    indent: Option<usize>,
    out: &mut String,
) {
    let deeper = indent.map(|indent| indent + 1);
    out.push('{');
    new_line(deeper, out);
    out.push_str(&json!(key).to_string());
    out.push_str(if indent.is_some() { ": " } else { ":" });
    write_json_list(items, deeper, out);
    new_line(indent, out);
    out.push('}');
}

fn write_json_list<'a, 't: 'a>(
    items: impl Iterator<Item = Item<'a, 't>>,
    indent: Option<usize>,
    out: &mut String,
) {
    let deeper = indent.map(|indent| indent + 1);
    out.push('[');
    let mut is_empty = true;
    for item in items {
        if !is_empty {
            out.push(',');
        }
        is_empty = false;
        new_line(deeper, out);
        match item {
            Item::Name(name) => out.push_str(&json!(name).to_string()),
            Item::Pn(pn) => deep(|| write_json(pn, deeper, out)),
        }
    }
    if !is_empty {
        new_line(indent, out);
    }
    out.push(']');
}

/// Begins a line, where there are lines.
fn new_line(indent: Option<usize>, out: &mut String) {
    if let Some(indent) = indent {
        out.push('\n');
        out.push_str(&"  ".repeat(indent));
    }
}

fn write(pn: &Pn<'_>, indent: Option<usize>, out: &mut String) {
    let deeper = indent.map(|indent| indent + 1);
    deep(|| match pn {
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
