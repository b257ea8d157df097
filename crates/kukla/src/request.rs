//! What a compilation is asked for: the parameters of `kukla rpc`, which the command line fills in from its own options.

use std::path::PathBuf;

use kukla_eval::environment::Node;
use kukla_eval::settings::Settings;
use kukla_values::{Array, Hash, Value};
use serde_json::Map;

use crate::classify::class_list;
use crate::control::BASE_MODULEPATH;

/// Everything that decides the outcome of a compilation, apart from the files it names.
#[derive(Clone, Debug)]
pub struct Request {
    /// Text of the site manifest.
    pub code: Option<String>,
    /// Text to compile to completion before `code` is evaluated in its top scope.
    pub prelude: Option<String>,
    /// A manifest file, or a directory of them.
    pub manifest: Option<PathBuf>,
    /// The node: its name, facts, trusted data, classes.
    pub node: Node,
    /// The environment's name.
    pub environment: String,
    /// The directory of environments.
    pub environmentpath: Option<PathBuf>,
    /// The environment's directory, where it is not one of `environmentpath`.
    pub environment_root: Option<PathBuf>,
    /// What `$basemodulepath` stands for in `environment.conf`.
    pub basemodulepath: String,
    /// Where modules lie.
    pub modulepath: Option<Vec<PathBuf>>,
    /// The global layer's `hiera.yaml`.
    pub hiera_config: Option<PathBuf>,
    /// Settings that differ from their defaults.
    pub settings: Settings,
    /// Whether uncollected virtual resources stay in the catalog.
    pub keep_virtual: bool,
    /// Whether to tell how data was looked up.
    pub explain: bool,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            code: None,
            prelude: None,
            manifest: None,
            node: Node { name: "localhost".into(), ..Node::default() },
            environment: "production".into(),
            environmentpath: None,
            environment_root: None,
            basemodulepath: BASE_MODULEPATH.into(),
            modulepath: None,
            hiera_config: None,
            settings: Settings::default(),
            keep_virtual: false,
            explain: false,
        }
    }
}

/// Parameters that belong to a method and not to what is compiled.
const OF_OTHERS: [&str; 9] =
    ["default", "epp", "file", "filename", "key", "manifest_setting", "merge", "trace", "type"];

impl Request {
    /// Reads the parameters of a request; the error says which one is wrong and how.
    pub fn from_json(params: &Map<String, serde_json::Value>) -> Result<Request, String> {
        // What lies on the machine is no part of a request.
        let mut request = Request { basemodulepath: String::new(), ..Request::default() };
        let (mut trusted, mut server_facts) = (None, None);
        for (name, value) in params {
            if value.is_null() {
                continue;
            }
            match name.as_str() {
                "code" => request.code = Some(text(name, value)?),
                "prelude" => request.prelude = Some(text(name, value)?),
                "manifest" => request.manifest = Some(text(name, value)?.into()),
                "node" => request.node.name = text(name, value)?,
                "facts" => request.node.facts = crate::facts::without_nulls(&hash(name, value)?),
                "trusted" => trusted = Some(hash(name, value)?),
                "server_facts" => server_facts = Some(hash(name, value)?),
                "variables" => request.node.variables = hash(name, value)?,
                "classes" => {
                    request.node.classes = class_list(&from_json(value))
                        .ok_or("classes is an array of names, or a hash of names to parameters")?;
                }
                "environment" => request.environment = text(name, value)?,
                "environmentpath" => request.environmentpath = Some(text(name, value)?.into()),
                "modulepath" => request.modulepath = Some(paths(name, value)?),
                "hiera_config" => request.hiera_config = Some(text(name, value)?.into()),
                "settings" => {
                    for (setting, value) in &hash(name, value)? {
                        let setting = setting.as_str().unwrap_or_default();
                        if !Settings::is_known(setting) {
                            return Err(format!("unknown setting {setting}"));
                        }
                        request.settings.set(setting, value.clone())?;
                    }
                }
                "keep_virtual" => request.keep_virtual = flag(name, value)?,
                "explain" => request.explain = flag(name, value)?,
                other if OF_OTHERS.contains(&other) => {}
                other => return Err(format!("unknown parameter \"{other}\"")),
            }
        }
        request.node.trusted = trusted.unwrap_or_else(|| trusted_data(&request.node.name));
        request.node.server_facts = server_facts.unwrap_or_default();
        request.node.server_facts.insert("environment", request.environment.as_str());
        Ok(request)
    }
}

impl Request {
    /// The environment's directory, if it has one.
    pub fn root(&self) -> Option<PathBuf> {
        let in_path = || self.environmentpath.as_ref().map(|path| path.join(&self.environment));
        self.environment_root.clone().or_else(in_path)
    }
}

/// `$trusted` for a node that a server has authenticated under this name.
pub fn trusted_data(node: &str) -> Hash {
    let (hostname, domain) = match node.split_once('.') {
        Some((hostname, domain)) => (hostname, Value::from(domain)),
        None => (node, Value::Undef),
    };
    let mut trusted = Hash::new();
    trusted.insert("authenticated", "remote");
    trusted.insert("certname", node);
    trusted.insert("domain", domain);
    trusted.insert("extensions", Hash::new());
    trusted.insert("external", Hash::new());
    trusted.insert("hostname", hostname);
    trusted
}

/// Plain JSON as a value.
pub fn from_json(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Undef,
        serde_json::Value::Bool(flag) => Value::Boolean(*flag),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::Float(number.as_f64().unwrap_or_default()),
        },
        serde_json::Value::String(text) => Value::from(text.as_str()),
        serde_json::Value::Array(values) => Value::Array(values.iter().map(from_json).collect::<Array>()),
        serde_json::Value::Object(entries) => {
            Value::Hash(entries.iter().map(|(key, value)| (key.as_str(), from_json(value))).collect())
        }
    }
}

fn text(name: &str, value: &serde_json::Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("{name} is a string"))
}

fn flag(name: &str, value: &serde_json::Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("{name} is true or false"))
}

fn hash(name: &str, value: &serde_json::Value) -> Result<Hash, String> {
    match from_json(value) {
        Value::Hash(hash) => Ok(hash),
        _ => Err(format!("{name} is an object")),
    }
}

fn paths(name: &str, value: &serde_json::Value) -> Result<Vec<PathBuf>, String> {
    let entries = value.as_array().ok_or_else(|| format!("{name} is an array of directories"))?;
    entries.iter().map(|entry| text(name, entry).map(PathBuf::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(params: serde_json::Value) -> Result<Request, String> {
        Request::from_json(params.as_object().expect("an object"))
    }

    #[test]
    fn defaults_follow_the_node_and_environment() {
        let request = request(json!({"node": "web.example.com", "environment": "test"})).unwrap();
        assert_eq!(request.node.trusted.get("domain"), Some(&Value::from("example.com")));
        assert_eq!(request.node.server_facts.get("environment"), Some(&Value::from("test")));
    }

    #[test]
    fn a_wrong_parameter_is_named() {
        assert_eq!(request(json!({"facts": 1})).unwrap_err(), "facts is an object");
        assert!(request(json!({"settings": {"strict": "maybe"}})).unwrap_err().contains("'maybe'"));
        assert!(request(json!({"classes": [1]})).unwrap_err().contains("classes"));
        assert_eq!(request(json!({"codde": "1"})).unwrap_err(), "unknown parameter \"codde\"");
        assert_eq!(request(json!({"settings": {"strickt": "off"}})).unwrap_err(), "unknown setting strickt");
    }
}
