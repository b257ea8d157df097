//! Fact files, in any of the shapes they come in.
//!
//! | shape | made by |
//! | --- | --- |
//! | `{"os": {...}, ...}` as JSON or YAML | `facter --json`, `facter --yaml` |
//! | `{"name": node, "values": {...}}` as JSON or YAML, with or without a Ruby tag | `puppet facts`, an agent's cached facts |
//! | `{"certname": node, "facts": {"data": [{"name", "value"}, ...]}}`, or an array of one | PuppetDB's `factsets` |
//! | `[{"certname", "name", "value"}, ...]` | PuppetDB's `facts` |

use kukla_hiera::yaml;
use kukla_values::{Hash, Value};

/// The facts of a file and, where it says so, whose they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactFile {
    /// The node's name.
    pub node: Option<String>,
    /// The facts by name.
    pub facts: Hash,
}

impl FactFile {
    /// Reads a fact file. JSON is YAML, so one reader serves both.
    pub fn parse(bytes: &[u8], file: &str) -> Result<FactFile, String> {
        let options = yaml::Options { aliases: true, symbols: true, times: true };
        let document = yaml::read(&without_tag(bytes), options).map_err(|error| error.message(file))?;
        from_value(&document.value)
            .map(|file| FactFile { facts: without_nulls(&file.facts), ..file })
            .ok_or_else(|| format!("({file}): facts are a hash of names and values, this is something else"))
    }

    /// The node's name: what the file says, else what its facts say.
    pub fn node_name(&self) -> Option<&str> {
        let networking = self.facts.get("networking").and_then(Value::as_hash);
        self.node
            .as_deref()
            .or_else(|| self.facts.get("clientcert")?.as_str())
            .or_else(|| networking?.get("fqdn")?.as_str())
            .or_else(|| self.facts.get("fqdn")?.as_str())
    }
}

/// The facts with the empty text wherever there is no value: that is what Puppet makes of those it receives.
pub(crate) fn without_nulls(facts: &Hash) -> Hash {
    facts.iter().map(|(name, value)| (filled(name), filled(value))).collect()
}

fn filled(value: &Value) -> Value {
    match value {
        Value::Undef => "".into(),
        Value::Array(values) => values.iter().map(filled).collect::<Vec<_>>().into(),
        Value::Hash(entries) => without_nulls(entries).into(),
        other => other.clone(),
    }
}

/// An agent's cached facts say that they are a Ruby object; the tag goes, its fields stay.
fn without_tag(bytes: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match bytes.strip_prefix(b"--- !ruby/object:Puppet::Node::Facts") {
        Some(rest) => [b"---", rest].concat().into(),
        None => bytes.into(),
    }
}

fn from_value(value: &Value) -> Option<FactFile> {
    match value {
        Value::Hash(hash) => Some(from_hash(hash)),
        Value::Array(rows) => match &rows[..] {
            [Value::Hash(only)] if only.contains_key("facts") => Some(from_hash(only)),
            rows => from_rows(rows),
        },
        Value::Undef => Some(FactFile::default()),
        _ => None,
    }
}

fn from_hash(hash: &Hash) -> FactFile {
    let text = |key: &str| hash.get(key).and_then(Value::as_str).map(str::to_owned);
    if let Some(Value::Hash(values)) = hash.get("values") {
        return FactFile { node: text("name"), facts: values.clone() };
    }
    if let Some(Value::Hash(facts)) = hash.get("facts") {
        let facts = match facts.get("data") {
            Some(Value::Array(rows)) => from_rows(rows).unwrap_or_default().facts,
            _ => facts.clone(),
        };
        return FactFile { node: text("certname"), facts };
    }
    FactFile { node: None, facts: hash.clone() }
}

fn from_rows(rows: &[Value]) -> Option<FactFile> {
    let mut file = FactFile::default();
    for row in rows {
        let row = row.as_hash()?;
        let name = row.get("name")?.as_str()?;
        file.facts.insert(name, row.get("value")?.clone());
        if file.node.is_none() {
            file.node = row.get("certname").and_then(Value::as_str).map(str::to_owned);
        }
    }
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_gives_the_same_facts() {
        let shapes = [
            r#"{"kernel": "Linux", "fqdn": "web.example.com"}"#,
            "---\nkernel: Linux\nfqdn: web.example.com\n",
            r#"{"name": "web.example.com", "values": {"kernel": "Linux", "fqdn": "web.example.com"}}"#,
            "--- !ruby/object:Puppet::Node::Facts\nname: web.example.com\nvalues:\n  kernel: Linux\n  fqdn: web.example.com\n",
            r#"[{"certname": "web.example.com", "facts": {"href": "x", "data": [{"name": "kernel", "value": "Linux"}, {"name": "fqdn", "value": "web.example.com"}]}}]"#,
            r#"[{"certname": "web.example.com", "name": "kernel", "value": "Linux"}, {"certname": "web.example.com", "name": "fqdn", "value": "web.example.com"}]"#,
        ];
        for shape in shapes {
            let file = FactFile::parse(shape.as_bytes(), "facts").expect(shape);
            assert_eq!(file.node_name(), Some("web.example.com"), "{shape}");
            assert_eq!(file.facts.get("kernel"), Some(&Value::from("Linux")), "{shape}");
            assert_eq!(file.facts.len(), 2, "{shape}");
        }
        assert!(FactFile::parse(b"just text", "f").is_err());
    }
}
