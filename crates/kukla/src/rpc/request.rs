//! The parameters of a request.

use std::path::PathBuf;

use kukla_eval::environment::Node;
use kukla_eval::settings::Settings;
use kukla_syntax::Problem;
use kukla_values::{Array, Hash, Value};
use serde_json::Map;

use crate::classify::class_list;
use crate::compile::CompileOptions;
use crate::spec::SiteSpec;

/// The parameters of a request: a site, a node, options.
#[derive(Clone, Debug)]
pub struct Request {
    /// The site.
    pub site: SiteSpec,
    /// The node: its name, facts, trusted data, classes.
    pub node: Node,
    /// The results besides the catalog.
    pub options: CompileOptions,
}

/// Parameters of methods, which do not concern the site or the node.
const OF_OTHERS: [&str; 10] =
    ["default", "epp", "file", "filename", "key", "manifest_setting", "merge", "sensitive", "trace", "type"];

impl Request {
    /// Reads the parameters of a request; the problem names the first invalid one.
    pub fn from_json(params: &Map<String, serde_json::Value>) -> Result<Request, Problem> {
        // Modules installed on the machine are not part of a site.
        let mut site = SiteSpec { basemodulepath: String::new(), ..SiteSpec::default() };
        let (mut node, mut options) =
            (Node { name: "localhost".into(), ..Node::default() }, CompileOptions::default());
        let (mut trusted, mut keeps_nulls) = (None, false);
        for (name, value) in params {
            if value.is_null() {
                continue;
            }
            match name.as_str() {
                "code" => site.code = Some(text(name, value)?),
                "prelude" => site.prelude = Some(text(name, value)?),
                "manifest" => site.manifest = Some(text(name, value)?.into()),
                "node" => node.name = text(name, value)?,
                "facts" => node.facts = hash(name, value)?,
                "keep_nulls" => keeps_nulls = flag(name, value)?,
                "trusted" => trusted = Some(hash(name, value)?),
                "server_facts" => node.server_facts = hash(name, value)?,
                "variables" => node.variables = hash(name, value)?,
                "classes" => {
                    node.classes = class_list(&from_json(value)).ok_or_else(|| {
                        Problem::invalid("classes is an array of names, or a hash of names to parameters")
                    })?;
                }
                "environment" => site.environment = text(name, value)?,
                "environmentpath" => site.environmentpath = Some(text(name, value)?.into()),
                "modulepath" => site.modulepath = Some(paths(name, value)?),
                "hiera_config" => site.hiera_config = Some(text(name, value)?.into()),
                "settings" => {
                    for (setting, value) in &hash(name, value)? {
                        let setting = setting.as_str().unwrap_or_default();
                        if !Settings::is_known(setting) {
                            return Err(Problem::not_found("unknown setting").on(setting));
                        }
                        site.settings.set(setting, value.clone())?;
                    }
                }
                "deadline" => site.settings.set("deadline", from_json(value))?,
                "keep_virtual" => options.keep_virtual = flag(name, value)?,
                "explain" => options.explain = flag(name, value)?,
                other if OF_OTHERS.contains(&other) => {}
                other => {
                    return Err(Problem::not_found("unknown parameter").on(format!("\"{other}\"")));
                }
            }
        }
        if !keeps_nulls {
            node.facts = crate::facts::without_nulls(&node.facts);
        }
        node.trusted = trusted.unwrap_or_else(|| Node::named(node.name.as_str()).trusted);
        node.server_facts.insert("environment", site.environment.as_str());
        Ok(Request { site, node, options })
    }
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

fn invalid(why: impl std::fmt::Display) -> Problem {
    Problem::invalid(why.to_string())
}

fn text(name: &str, value: &serde_json::Value) -> Result<String, Problem> {
    value.as_str().map(str::to_owned).ok_or_else(|| invalid(format_args!("{name} is a string")))
}

fn flag(name: &str, value: &serde_json::Value) -> Result<bool, Problem> {
    value.as_bool().ok_or_else(|| invalid(format_args!("{name} is true or false")))
}

fn hash(name: &str, value: &serde_json::Value) -> Result<Hash, Problem> {
    match from_json(value) {
        Value::Hash(hash) => Ok(hash),
        _ => Err(invalid(format_args!("{name} is an object"))),
    }
}

fn paths(name: &str, value: &serde_json::Value) -> Result<Vec<PathBuf>, Problem> {
    let entries =
        value.as_array().ok_or_else(|| invalid(format_args!("{name} is an array of directories")))?;
    entries.iter().map(|entry| text(name, entry).map(PathBuf::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(params: serde_json::Value) -> Result<Request, Problem> {
        Request::from_json(params.as_object().expect("an object"))
    }

    #[test]
    fn defaults_follow_the_node_and_environment() {
        let request = request(json!({"node": "web.example.com", "environment": "test"})).unwrap();
        assert_eq!(request.node.trusted.get("domain"), Some(&Value::from("example.com")));
        assert_eq!(request.node.server_facts.get("environment"), Some(&Value::from("test")));
    }

    #[test]
    fn facts_without_values_are_empty_unless_kept() {
        let fact = |params| request(params).unwrap().node.facts.get("a").cloned();
        assert_eq!(fact(json!({"facts": {"a": null}})), Some("".into()));
        assert_eq!(fact(json!({"facts": {"a": null}, "keep_nulls": true})), Some(Value::Undef));
    }

    #[test]
    fn a_wrong_parameter_is_named() {
        assert_eq!(request(json!({"facts": 1})).unwrap_err().to_string(), "facts is an object");
        assert!(
            request(json!({"settings": {"strict": "maybe"}})).unwrap_err().to_string().contains("'maybe'")
        );
        assert!(request(json!({"classes": [1]})).unwrap_err().to_string().contains("classes"));
        assert_eq!(request(json!({"codde": "1"})).unwrap_err().to_string(), "unknown parameter \"codde\"");
        assert_eq!(
            request(json!({"settings": {"strickt": "off"}})).unwrap_err().to_string(),
            "unknown setting strickt"
        );
    }
}
