//! Fact files, in any of the shapes they come in.
//!
//! | shape | made by |
//! | --- | --- |
//! | `{"os": {...}, ...}` as JSON or YAML | `facter --json`, `facter --yaml` |
//! | `{"name": node, "values": {...}}` as JSON or YAML, with or without a Ruby tag | `puppet facts`, an agent's cached facts |
//! | `{"certname": node, "values": {...}}` | `puppet db export`, in its directory `facts` |
//! | `{"certname": node, "facts": {"data": [{"name", "value"}, ...]}}`, or an array of such | PuppetDB's `factsets` |
//! | `[{"certname", "name", "value"}, ...]` | PuppetDB's `facts` |

pub use kukla_facts as machine;
use kukla_formats::{json, yaml};
use kukla_syntax::Problem;
use kukla_values::{Hash, Value};

/// The facts of a file and the node's name, if the file has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactFile {
    /// The node's name.
    pub node: Option<String>,
    /// The facts by name.
    pub facts: Hash,
}

impl FactFile {
    /// Reads a fact file, which may hold the facts of several nodes. Text that looks like JSON but is invalid is read as YAML.
    pub fn parse(bytes: &[u8], file: &str) -> Result<Vec<FactFile>, Problem> {
        let value = match from_json(bytes) {
            Some(value) => value,
            None => {
                let options = yaml::Options { aliases: true, symbols: true, times: true };
                let document = yaml::read(&without_tag(bytes), options);
                document.map_err(|error| invalid(file, &error.message(file)))?.value
            }
        };
        from_value(&value).ok_or_else(|| invalid(file, "expected a hash of names and values"))
    }

    /// The node's name: that of the file, else that in its facts.
    pub fn node_name(&self) -> Option<&str> {
        let networking = self.facts.get("networking").and_then(Value::as_hash);
        self.node
            .as_deref()
            .or_else(|| self.facts.get("clientcert")?.as_str())
            .or_else(|| networking?.get("fqdn")?.as_str())
            .or_else(|| self.facts.get("fqdn")?.as_str())
    }
}

fn invalid(file: &str, why: &str) -> Problem {
    Problem::invalid("invalid facts in").on(file).because(why)
}

/// The facts with empty strings in place of missing values, as Puppet converts facts that it receives.
pub fn without_nulls(facts: &Hash) -> Hash {
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

fn from_json(bytes: &[u8]) -> Option<Value> {
    bytes.trim_ascii_start().first().filter(|first| matches!(first, b'{' | b'['))?;
    json::read(std::str::from_utf8(bytes).ok()?).ok().map(|document| document.value)
}

/// Removes the tag of a Ruby object, which an agent's cached facts have.
fn without_tag(bytes: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match bytes.strip_prefix(b"--- !ruby/object:Puppet::Node::Facts") {
        Some(rest) => [b"---", rest].concat().into(),
        None => bytes.into(),
    }
}

fn from_value(value: &Value) -> Option<Vec<FactFile>> {
    match value {
        Value::Hash(hash) => Some(vec![from_hash(hash)]),
        Value::Array(rows) if rows.iter().all(is_factset) => {
            rows.iter().map(|row| row.as_hash().map(from_hash)).collect()
        }
        Value::Array(rows) => from_rows(rows),
        Value::Undef => Some(vec![FactFile::default()]),
        _ => None,
    }
}

fn is_factset(row: &Value) -> bool {
    row.as_hash().is_some_and(|row| row.contains_key("facts"))
}

fn from_hash(hash: &Hash) -> FactFile {
    let text = |key: &str| hash.get(key).and_then(Value::as_str).map(str::to_owned);
    if let Some(Value::Hash(values)) = hash.get("values") {
        return FactFile { node: text("name").or_else(|| text("certname")), facts: values.clone() };
    }
    if let Some(Value::Hash(facts)) = hash.get("facts") {
        let facts = match facts.get("data") {
            Some(Value::Array(rows)) => {
                from_rows(rows).and_then(|files| Some(files.into_iter().next()?.facts)).unwrap_or_default()
            }
            _ => facts.clone(),
        };
        return FactFile { node: text("certname"), facts };
    }
    FactFile { node: None, facts: hash.clone() }
}

/// Rows of one fact each, in any order.
fn from_rows(rows: &[Value]) -> Option<Vec<FactFile>> {
    let mut files: Vec<FactFile> = Vec::new();
    for row in rows {
        let row = row.as_hash()?;
        let name = row.get("name")?.as_str()?;
        let node = row.get("certname").and_then(Value::as_str);
        let at = files.iter().rposition(|file| file.node.as_deref() == node).unwrap_or(files.len());
        if at == files.len() {
            files.push(FactFile { node: node.map(str::to_owned), facts: Hash::new() });
        }
        files[at].facts.insert(name, row.get("value")?.clone());
    }
    Some(files)
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
            r#"{"certname": "web.example.com", "environment": "production", "values": {"kernel": "Linux", "fqdn": "web.example.com"}}"#,
            "--- !ruby/object:Puppet::Node::Facts\nname: web.example.com\nvalues:\n  kernel: Linux\n  fqdn: web.example.com\n",
            r#"[{"certname": "web.example.com", "facts": {"href": "x", "data": [{"name": "kernel", "value": "Linux"}, {"name": "fqdn", "value": "web.example.com"}]}}]"#,
            r#"[{"certname": "web.example.com", "name": "kernel", "value": "Linux"}, {"certname": "web.example.com", "name": "fqdn", "value": "web.example.com"}]"#,
        ];
        for shape in shapes {
            let files = FactFile::parse(shape.as_bytes(), "facts").expect(shape);
            let [file] = &files[..] else { panic!("{} nodes: {shape}", files.len()) };
            assert_eq!(file.node_name(), Some("web.example.com"), "{shape}");
            assert_eq!(file.facts.get("kernel"), Some(&Value::from("Linux")), "{shape}");
            assert_eq!(file.facts.len(), 2, "{shape}");
        }
        assert!(FactFile::parse(b"just text", "f").is_err());
    }

    #[test]
    fn json_is_read_as_json_and_flow_style_as_yaml() {
        let json = FactFile::parse(br#"{"load": 1e2, "path": "a\/b", "year": "2001-01-01"}"#, "f").unwrap();
        assert_eq!(json[0].facts.get("load"), Some(&Value::from(100.0)));
        assert_eq!(json[0].facts.get("path"), Some(&Value::from("a/b")));
        assert_eq!(json[0].facts.get("year"), Some(&Value::from("2001-01-01")));
        let yaml = FactFile::parse(b"{kernel: Linux, cores: 2}", "f").unwrap();
        assert_eq!(yaml[0].facts.get("kernel"), Some(&Value::from("Linux")));
        assert!(FactFile::parse(b"{\"kernel\": ", "f").is_err());
    }

    #[test]
    fn facts_of_several_nodes() {
        let shapes = [
            r#"[{"certname": "a", "facts": {"data": [{"name": "k", "value": 1}]}}, {"certname": "b", "facts": {"data": [{"name": "k", "value": 2}]}}]"#,
            r#"[{"certname": "a", "name": "k", "value": 1}, {"certname": "b", "name": "k", "value": 2}, {"certname": "a", "name": "l", "value": 3}]"#,
        ];
        for shape in shapes {
            let files = FactFile::parse(shape.as_bytes(), "facts").expect(shape);
            let nodes: Vec<_> = files.iter().filter_map(FactFile::node_name).collect();
            assert_eq!(nodes, ["a", "b"], "{shape}");
            assert_eq!(files[1].facts.get("k"), Some(&Value::from(2)), "{shape}");
        }
    }
}
