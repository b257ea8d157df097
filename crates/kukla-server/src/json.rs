//! JSON that strangers send: read without more memory than its size justifies.
//!
//! A value takes far more memory than its text if the text is short: `[0,0,0]` has two bytes for each, and a tree dozens. Text of clients is therefore
//! weighed before a tree is made of it, and refused if the tree would be out of proportion. Facts and reports of agents are not.

use std::fmt;

use kukla::Value;
use kukla::syntax::Problem;
use kukla::values::{Array, Hash};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;
use serde_json::value::RawValue;

/// The memory of a tree, as a multiple of its text, and in addition to it.
const MULTIPLE: usize = 8;
const ALLOWANCE: usize = 1 << 20;

/// Why a text is refused.
#[derive(Debug)]
pub enum InvalidJson {
    /// It is malformed.
    Malformed(serde_json::Error),
    /// It has too many values for its size.
    TooDense,
}

impl fmt::Display for InvalidJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidJson::Malformed(error) => error.fmt(f),
            InvalidJson::TooDense => f.write_str("too many values for its size"),
        }
    }
}

/// The number of values of a text: those with a name, and others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Density {
    entries: usize,
    elements: usize,
}

impl Density {
    /// Counts without reading: a text that is malformed has some number as well.
    fn of(text: &[u8]) -> Density {
        let mut density = Density { entries: 0, elements: 1 };
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => {
                    while let Some(byte) = bytes.next() {
                        match byte {
                            b'\\' => drop(bytes.next()),
                            b'"' => break,
                            _ => {}
                        }
                    }
                }
                b':' => density.entries += 1,
                b',' | b'[' | b'{' => density.elements += 1,
                _ => {}
            }
        }
        // Every entry but the first of an object has a comma, which was counted as one of an element.
        density.elements = density.elements.saturating_sub(density.entries);
        density
    }

    /// Refuses a text whose tree, with these sizes of entries and elements, would be out of proportion.
    fn check(self, text: &[u8], entry: usize, element: usize) -> Result<(), InvalidJson> {
        let tree = self.entries.saturating_mul(entry).saturating_add(self.elements.saturating_mul(element));
        let most = text.len().saturating_mul(MULTIPLE).saturating_add(ALLOWANCE);
        if tree <= most { Ok(()) } else { Err(InvalidJson::TooDense) }
    }
}

/// The memory of an entry and of an element in a tree of JSON, with what growing leaves unused.
const TREE: (usize, usize) = (160, 100);
/// The same for values of the compiler.
const VALUES: (usize, usize) = (110, 36);

/// Reads a tree, whose memory is in proportion to the text.
pub fn read(text: &[u8]) -> Result<Json, InvalidJson> {
    Density::of(text).check(text, TREE.0, TREE.1)?;
    serde_json::from_slice(text).map_err(InvalidJson::Malformed)
}

/// Refuses a text with far more values than documents have, if it is read piece by piece: each piece is work, however small it is.
pub fn check_pieces(text: &[u8]) -> Result<(), InvalidJson> {
    Density::of(text).check(text, TREE.0 / 2, TREE.1 / 2)
}

/// The facts of a document: `{"name": …, "values": {…}}`.
#[derive(Debug, serde::Deserialize)]
pub struct FactDocument {
    /// The node.
    #[serde(default)]
    pub name: String,
    /// The facts; without any, the document is not one of facts.
    #[serde(default)]
    values: Option<FactValue>,
}

impl FactDocument {
    /// Reads facts as the compiler has them, without a tree of JSON in between.
    pub fn read(text: &[u8]) -> Result<FactDocument, InvalidJson> {
        Density::of(text).check(text, VALUES.0, VALUES.1)?;
        serde_json::from_slice(text).map_err(InvalidJson::Malformed)
    }

    /// The facts by name.
    pub fn into_values(self) -> Option<Hash> {
        match self.values {
            Some(FactValue(Value::Hash(values))) => Some(values),
            _ => None,
        }
    }
}

/// A value of a fact. Like Puppet, null becomes an empty string.
#[derive(Debug)]
struct FactValue(Value);

impl<'de> Deserialize<'de> for FactValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<FactValue, D::Error> {
        from.deserialize_any(FactVisitor).map(FactValue)
    }
}

struct FactVisitor;

impl<'de> Visitor<'de> for FactVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok("".into())
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(i64::try_from(number).map_or(Value::Float(number as f64), Value::Integer))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(FactValue(value)) = from.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values.into_iter().collect::<Array>()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut entries = Hash::new();
        while let Some((name, FactValue(value))) = from.next_entry::<String, FactValue>()? {
            entries.insert(name.as_str(), value);
        }
        Ok(Value::Hash(entries))
    }
}

/// Visits the entries of an object as text, one at a time.
pub fn each_entry<'t>(
    text: &'t str,
    visit: &mut dyn FnMut(&str, &'t str) -> Result<(), Problem>,
) -> Result<(), Problem> {
    each(text, &mut |name, value| visit(name.unwrap_or_default(), value))
}

/// Visits the elements of a list, or the values of an object, as text, one at a time.
pub fn each_member<'t>(
    text: &'t str,
    visit: &mut dyn FnMut(&'t str) -> Result<(), Problem>,
) -> Result<(), Problem> {
    each(text, &mut |_, value| visit(value))
}

type Visit<'v, 't> = &'v mut dyn FnMut(Option<&str>, &'t str) -> Result<(), Problem>;

/// Visits the members of a list or an object; anything else has none.
fn each<'t>(text: &'t str, visit: Visit<'_, 't>) -> Result<(), Problem> {
    let mut failure = None;
    let members = Members { visit, failure: &mut failure };
    let mut from = serde_json::Deserializer::from_str(text);
    let read = from.deserialize_any(members).and_then(|()| from.end());
    match failure {
        Some(problem) => Err(problem),
        None => read.map_err(|error| Problem::invalid("invalid JSON").because(error)),
    }
}

struct Members<'m, 'v, 't> {
    visit: Visit<'v, 't>,
    failure: &'m mut Option<Problem>,
}

impl<'t> Members<'_, '_, 't> {
    fn member<E: Error>(&mut self, name: Option<&str>, value: &'t RawValue) -> Result<(), E> {
        (self.visit)(name, value.get()).map_err(|problem| {
            let error = E::custom(&problem);
            *self.failure = Some(problem);
            error
        })
    }
}

impl<'t> Visitor<'t> for Members<'_, '_, 't> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'t>>(mut self, mut from: A) -> Result<(), A::Error> {
        while let Some(value) = from.next_element::<&RawValue>()? {
            self.member(None, value)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'t>>(mut self, mut from: A) -> Result<(), A::Error> {
        while let Some(name) = from.next_key::<String>()? {
            let value = from.next_value::<&RawValue>()?;
            self.member(Some(&name), value)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_whose_tree_would_be_out_of_proportion_is_refused() {
        let dense = |unit: &str| format!("[{}0]", unit.repeat((8 << 20) / unit.len()));
        for unit in ["0,", "[],", "{},", "\"\",", "{\"\":0},", "[[[[0]]]],", "{\"a\":[0,0]},"] {
            let text = dense(unit);
            assert!(matches!(read(text.as_bytes()), Err(InvalidJson::TooDense)), "{unit}");
            let facts = format!("{{\"name\": \"a\", \"values\": {{\"a\": {text}}}}}");
            assert!(matches!(FactDocument::read(facts.as_bytes()), Err(InvalidJson::TooDense)), "{unit}");
        }
        // Long texts, and documents as agents send them, are not.
        let fact = r#""interface":{"ip":"192.0.2.1","mac":"00:00:5e:00:53:01","mtu":1500,"netmask":"255.255.255.0"},"#;
        let entries: String =
            (0..80_000).map(|n| fact.replacen("interface", &format!("interface{n}"), 1)).collect();
        let facts = format!("{{\"name\":\"a\",\"values\":{{{entries}\"kernel\":\"Linux\"}}}}");
        let values = FactDocument::read(facts.as_bytes()).unwrap().into_values().unwrap();
        assert_eq!(values.len(), 80_001);
        assert!(read(format!("\"{}\"", "[,:".repeat(1 << 20)).as_bytes()).is_ok());
        assert!(matches!(read(b"[0,"), Err(InvalidJson::Malformed(_))));
    }

    #[test]
    fn facts_are_read_as_from_a_tree() {
        let text = r#"{"name": "a", "ignored": [1], "values": {"b": [null, true, -1, 2.5, "x\n", {"n": null}], "big": 18446744073709551615, "z": "é"}}"#;
        let document = FactDocument::read(text.as_bytes()).unwrap();
        assert_eq!(document.name, "a");
        let tree: Json = serde_json::from_str(text).unwrap();
        let Value::Hash(expected) = kukla::rpc::from_json(&tree["values"]) else { panic!("no hash") };
        assert_eq!(document.into_values(), Some(kukla::facts::without_nulls(&expected)));
        assert!(FactDocument::read(b"{\"values\": 1}").unwrap().into_values().is_none());
        assert!(FactDocument::read(b"{\"values\": {}").is_err());
    }

    #[test]
    fn members_are_visited_one_by_one() {
        let mut seen = Vec::new();
        each_entry(r#"{"a": [1, 2], "b\n": {"c": 3}}"#, &mut |name, value| {
            seen.push((name.to_owned(), value.to_owned()));
            Ok(())
        })
        .unwrap();
        assert_eq!(
            seen,
            [("a".to_owned(), "[1, 2]".to_owned()), ("b\n".to_owned(), r#"{"c": 3}"#.to_owned())]
        );
        let stopped = each_member("[1, 2]", &mut |_| Err(Problem::other("enough"))).unwrap_err();
        assert_eq!(stopped.to_string(), "enough");
        assert!(each_member("[1, 2", &mut |_| Ok(())).is_err());
    }
}
