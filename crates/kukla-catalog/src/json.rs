//! The catalog document of Puppet's HTTP interface, written straight into a buffer.
//!
//! No intermediate tree: a large catalog is megabytes, and building one only to print it costs more than printing.

use std::fmt::Write;
use std::ops::Range;

use kukla_syntax::deep;
use kukla_values::format::float_text;
use kukla_values::json::escape;
pub use kukla_values::json::string;
use kukla_values::{Str, Value, uuid};
use rustc_hash::FxHashMap;

use crate::{Catalog, Resource};

/// A placeholder for the identifier, until the content it derives from is known.
const NO_UUID: &str = "00000000-0000-0000-0000-000000000000";

/// The size of the document is estimated after this number of resources.
const SAMPLE: usize = 64;

impl Catalog {
    /// The document an agent receives.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    /// Appends the document an agent receives.
    pub fn write_json(&self, out: &mut String) {
        let start = out.len();
        out.push_str("{\"tags\":");
        strings(out, &self.tags);
        out.push_str(",\"name\":");
        string(out, &self.name);
        out.push_str(",\"version\":");
        let mut written = Written::default();
        written.value(out, &self.version);
        out.push_str(",\"code_id\":");
        match &self.code_id {
            Some(id) => string(out, id),
            None => out.push_str("null"),
        }
        out.push_str(",\"catalog_uuid\":\"");
        let uuid_at = out.len();
        out.push_str(self.uuid.as_deref().unwrap_or(NO_UUID));
        let _ = write!(out, "\",\"catalog_format\":{},\"environment\":", Catalog::FORMAT);
        string(out, &self.environment);
        out.push_str(",\"resources\":[");
        for (i, each) in self.resources.iter().enumerate() {
            comma(out, i);
            // The first resources tell how much room the others will need.
            if i == SAMPLE {
                let left = self.resources.len() + self.edges.len() / 4 - i;
                out.reserve((out.len() - start) / SAMPLE * left);
            }
            resource(out, each, &mut written);
        }
        out.push_str("],\"edges\":[");
        self.write_edges(out);
        out.push_str("],\"classes\":");
        strings(out, &self.classes);
        out.push('}');
        if self.uuid.is_none() {
            let uuid = uuid_of(&out.as_bytes()[start..]);
            out.replace_range(uuid_at..uuid_at + NO_UUID.len(), &uuid);
        }
    }

    fn write_edges(&self, out: &mut String) {
        // What contains much is the source of many edges in a row: it is spelled once and copied.
        let mut before: Option<(u32, Range<usize>)> = None;
        for edge in &self.edges {
            let ends = (self.resources.get(edge.source as usize), self.resources.get(edge.target as usize));
            let (Some(source), Some(target)) = ends else { continue };
            out.push_str(if before.is_some() { ",{\"source\":\"" } else { "{\"source\":\"" });
            let start = out.len();
            match before {
                Some((same, range)) if same == edge.source => out.extend_from_within(range),
                _ => reference(out, source),
            }
            before = Some((edge.source, start..out.len()));
            out.push_str("\",\"target\":\"");
            reference(out, target);
            out.push_str("\"}");
        }
    }
}

/// An identifier that the same content always gets, in the layout of a custom (version 8) UUID.
fn uuid_of(content: &[u8]) -> String {
    uuid::text(8, fingerprint(content).to_be_bytes())
}

/// Thirty-two bytes at a time through two lanes of folded multiplications. It tells catalogs apart and guards nothing, so it
/// need not be a cryptographic digest, which would cost as much as writing the document.
fn fingerprint(content: &[u8]) -> u128 {
    // The fractional parts of the square roots of 2, 3, 5 and 7.
    const KEYS: [u64; 4] =
        [0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1];
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product as u64) ^ ((product >> 64) as u64)
    };
    let (mut left, mut right) = (KEYS[0] ^ content.len() as u64, KEYS[1]);
    let mut absorb = |block: &[u8; 32]| {
        let (words, _) = block.as_chunks::<8>();
        let word = |at: usize| u64::from_le_bytes(words[at]);
        left = fold(left ^ word(0), KEYS[2] ^ word(1));
        right = fold(right ^ word(2), KEYS[3] ^ word(3));
    };
    let (blocks, rest) = content.as_chunks::<32>();
    blocks.iter().for_each(&mut absorb);
    let mut last = [0; 32];
    last[..rest.len()].copy_from_slice(rest);
    absorb(&last);
    u128::from(fold(left, KEYS[1] ^ right)) << 64 | u128::from(fold(right, KEYS[0] ^ left))
}

fn resource(out: &mut String, resource: &Resource, written: &mut Written) {
    out.push_str("{\"type\":\"");
    escape(out, &resource.type_name);
    out.push_str("\",\"title\":\"");
    escape(out, &resource.title);
    out.push_str("\",\"tags\":");
    strings(out, &resource.tags);
    if let Some(file) = &resource.file {
        out.push_str(",\"file\":\"");
        escape(out, file);
        out.push('"');
    }
    if let Some(line) = resource.line {
        let _ = write!(out, ",\"line\":{line}");
    }
    out.push_str(if resource.exported { ",\"exported\":true" } else { ",\"exported\":false" });
    if resource.is_virtual {
        out.push_str(",\"virtual\":true");
    }
    out.push_str(",\"kind\":\"");
    out.push_str(resource.kind.name());
    out.push('"');
    if !resource.parameters.is_empty() {
        let mut before = ",\"parameters\":{\"";
        for (name, each) in &resource.parameters {
            out.push_str(before);
            before = ",\"";
            escape(out, name);
            out.push_str("\":");
            written.value(out, each);
        }
        out.push('}');
    }
    if !resource.sensitive_parameters.is_empty() {
        out.push_str(",\"sensitive_parameters\":");
        strings(out, &resource.sensitive_parameters);
    }
    out.push('}');
}

fn reference(out: &mut String, resource: &Resource) {
    escape(out, &resource.type_name);
    out.push('[');
    escape(out, &resource.title);
    out.push(']');
}

/// Appends a list of texts as JSON.
pub fn strings(out: &mut String, all: &[Str]) {
    let mut before = "[\"";
    for each in all {
        out.push_str(before);
        before = "\",\"";
        escape(out, each);
    }
    out.push_str(if all.is_empty() { "[]" } else { "\"]" });
}

fn comma(out: &mut String, i: usize) {
    if i > 0 {
        out.push(',');
    }
}

/// Appends plain data as JSON. What JSON has no notation for has been turned into data before a catalog exists; should any
/// be met here all the same, it is `null`.
pub fn value(out: &mut String, data: &Value) {
    Written::default().value(out, data);
}

/// Where large values of a document stand, by their addresses. Classes and defines hand their parameters on, so that the same
/// list or hash is the value of many; it is taken apart once and copied from then on.
#[derive(Default)]
struct Written(FxHashMap<(usize, usize), Range<usize>>);

/// The number of members from which a value counts as large.
const LARGE: usize = 8;

impl Written {
    fn value(&mut self, out: &mut String, data: &Value) {
        match data {
            Value::Boolean(b) => out.push_str(if *b { "true" } else { "false" }),
            Value::Integer(n) => {
                let _ = write!(out, "{n}");
            }
            Value::Float(n) => float(out, *n),
            Value::String(text) => string(out, text),
            Value::Array(values) => self.once(out, values.as_ptr() as usize, values.len(), |written, out| {
                out.push('[');
                for (i, each) in values.iter().enumerate() {
                    comma(out, i);
                    deep(|| written.value(out, each));
                }
                out.push(']');
            }),
            Value::Hash(hash) => {
                let first = hash.get_index(0).map_or(0, |(key, _)| std::ptr::from_ref(key) as usize);
                self.once(out, first, hash.len(), |written, out| {
                    out.push('{');
                    for (i, (key, each)) in hash.iter().enumerate() {
                        comma(out, i);
                        match key {
                            Value::String(key) => string(out, key),
                            other => {
                                let mut text = String::new();
                                value(&mut text, other);
                                string(out, &text);
                            }
                        }
                        out.push(':');
                        deep(|| written.value(out, each));
                    }
                    out.push('}');
                });
            }
            _ => out.push_str("null"),
        }
    }

    /// Appends a value with this number of members, unless it was written before and can be copied.
    fn once(
        &mut self,
        out: &mut String,
        address: usize,
        length: usize,
        write: impl FnOnce(&mut Self, &mut String),
    ) {
        if length < LARGE {
            return write(self, out);
        }
        if let Some(range) = self.0.get(&(address, length)) {
            return out.extend_from_within(range.clone());
        }
        let start = out.len();
        write(self, out);
        self.0.insert((address, length), start..out.len());
    }
}

/// A float always shows that it is one: `1.0`, `1.0e+20`.
fn float(out: &mut String, n: f64) {
    if n.is_finite() { out.push_str(&float_text(n)) } else { out.push_str("null") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_ruby_writes_them() {
        for (n, text) in [
            (1.0, "1.0"),
            (0.0001, "0.0001"),
            (0.00001, "1.0e-05"),
            (1e15, "1.0e+15"),
            (1.5e16, "1.5e+16"),
            (1e100, "1.0e+100"),
        ] {
            let mut out = String::new();
            float(&mut out, n);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn what_is_shared_is_written_alike() {
        let list: Value = (0..20).map(Value::Integer).collect::<Vec<_>>().into();
        let hash: kukla_values::Hash = (0..20).map(|n| (n.to_string(), list.clone())).collect();
        let (mut once, mut twice) = (String::new(), String::new());
        value(&mut once, &hash.clone().into());
        value(&mut twice, &vec![list.clone(), hash.clone().into(), hash.into(), list.clone()].into());
        let mut element = String::new();
        value(&mut element, &list);
        assert_eq!(twice, format!("[{element},{once},{once},{element}]"));
    }
}
