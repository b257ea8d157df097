//! Options of a section: the small part of TOML that chapters need, turned into request parameters.

use serde_json::{Map, Value};

/// Request parameters that a `toml` block may set by name; every other key is a Puppet setting.
const PARAMETERS: [&str; 10] = [
    "node",
    "environment",
    "classes",
    "facts",
    "fact_set",
    "trusted",
    "server_facts",
    "variables",
    "clock",
    "randomness",
];

/// The parameters of requests of a section, besides the code.
#[derive(Clone, Debug, Default)]
pub struct Options {
    params: Map<String, Value>,
}

impl Options {
    /// Reads `key = value` lines and `[table]` headings; a value is written as in JSON.
    pub fn read(&mut self, text: &str) -> Result<(), String> {
        let mut table: Vec<String> = Vec::new();
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            if let Some(heading) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                table = heading.split('.').map(|k| k.trim().to_owned()).collect();
                continue;
            }
            let (key, value) =
                line.split_once('=').ok_or_else(|| format!("`{line}` is not `key = value`"))?;
            let value = serde_json::from_str(value.trim())
                .map_err(|e| format!("the value of `{}` is not written as JSON: {e}", key.trim()))?;
            let mut path = table.clone();
            path.extend(key.split('.').map(|k| k.trim().trim_matches('"').to_owned()));
            self.set(&path, value);
        }
        Ok(())
    }

    /// Sets one option by its path, e.g. `facts`, `os`, `family`.
    pub fn set(&mut self, path: &[String], value: Value) {
        let setting = !path.first().is_some_and(|p| PARAMETERS.contains(&p.as_str()));
        let mut at = &mut self.params;
        let full = setting.then(|| "settings".to_owned());
        let steps: Vec<&String> = full.iter().chain(path).collect();
        let Some((last, outer)) = steps.split_last() else { return };
        for step in outer {
            let entry = at.entry(step.as_str()).or_insert_with(|| Value::Object(Map::new()));
            if !entry.is_object() {
                *entry = Value::Object(Map::new());
            }
            let Value::Object(inner) = entry else { return };
            at = inner;
        }
        at.insert((*last).clone(), value);
    }

    /// The parameters with those of a case over them, to be completed with the code and the place of the files.
    pub fn params(&self, case: &Map<String, Value>) -> Map<String, Value> {
        let mut params = Value::Object(self.params.clone());
        merge(&mut params, &Value::Object(case.clone()));
        match params {
            Value::Object(params) => params,
            _ => Map::new(),
        }
    }
}

/// Adds the entries of one object to another, hashes within hashes too.
pub fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key.as_str()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tables_and_settings() {
        let mut options = Options::default();
        options.read("strict = \"warning\"\nnode = \"a.b\"\n[facts.os]\nfamily = \"Debian\"\n").unwrap();
        let expected =
            json!({"settings": {"strict": "warning"}, "node": "a.b", "facts": {"os": {"family": "Debian"}}});
        assert_eq!(Value::Object(options.params(&Map::new())), expected);
    }

    #[test]
    fn not_toml() {
        assert!(Options::default().read("strict").is_err());
        assert!(Options::default().read("strict = warning").is_err());
    }
}
