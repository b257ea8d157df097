//! External node classifiers: they print the classes, variables and environment of a node.

use std::path::Path;

use kukla_formats::yaml;
use kukla_syntax::{Problem, ProblemKind};
use kukla_values::{Hash, Value};
use kukla_world::{FileError, World};

use crate::problems::cannot_read;

/// The classification of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Classification {
    /// Classes, with parameters where given.
    pub classes: Vec<(String, Option<Hash>)>,
    /// Top-scope variables.
    pub parameters: Hash,
    /// The environment the node belongs to.
    pub environment: Option<String>,
}

impl Classification {
    /// Asks a classifier command about a node: the command gets the node's name as its last argument.
    pub fn ask(world: &dyn World, command: &str, node: &str) -> Result<Classification, Problem> {
        let words: Vec<String> =
            command.split_whitespace().map(str::to_owned).chain([node.to_owned()]).collect();
        let output = world.run(&words).map_err(|error| {
            let kind = match error {
                FileError::NotFound => ProblemKind::NotFound,
                FileError::Refused(_) => ProblemKind::Denied,
                FileError::Other(_) => ProblemKind::Other,
            };
            Problem::new(kind, "the node classifier failed").because(error)
        })?;
        if output.code != Some(0) {
            let code = output.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
            let stderr = String::from_utf8_lossy(&output.stderr);
            let what = format!("the node classifier '{command}' ended with {code}");
            return Err(Problem::other(what).because(stderr.trim()));
        }
        Classification::parse(&output.stdout, command)
    }

    /// Reads a classification from a file.
    pub fn read(world: &dyn World, path: &Path) -> Result<Classification, Problem> {
        let name = path.display().to_string();
        let bytes = world.read(path).map_err(|error| cannot_read(path, &error))?;
        Classification::parse(&bytes, &name)
    }

    /// Parses the output of a classifier: YAML with `classes`, `parameters` and `environment`.
    pub fn parse(bytes: &[u8], from: &str) -> Result<Classification, Problem> {
        let invalid = |why: String| Problem::invalid("").because(why);
        let options = yaml::Options { aliases: true, symbols: true, times: true };
        let document = yaml::read(bytes, options).map_err(|error| invalid(error.message(from)))?;
        let hash = match &document.value {
            Value::Undef => return Ok(Classification::default()),
            Value::Hash(hash) => hash,
            other => {
                return Err(invalid(format!("({from}): a classification is a hash, got {}", kind(other))));
            }
        };
        let parameters = match hash.get("parameters") {
            None | Some(Value::Undef) => Hash::new(),
            Some(Value::Hash(parameters)) => parameters.clone(),
            Some(other) => {
                return Err(invalid(format!("({from}): 'parameters' is a hash, got {}", kind(other))));
            }
        };
        let classes = match hash.get("classes") {
            Some(classes) => class_list(classes).ok_or_else(|| {
                invalid(format!("({from}): 'classes' is an array of names or a hash, got {}", kind(classes)))
            })?,
            None => Vec::new(),
        };
        let environment = hash.get("environment").and_then(Value::as_str).map(str::to_owned);
        Ok(Classification { classes, parameters, environment })
    }
}

/// Classes as classifiers and requests give them: a name, names, or a hash from name to parameters.
pub fn class_list(value: &Value) -> Option<Vec<(String, Option<Hash>)>> {
    match value {
        Value::Undef => Some(Vec::new()),
        Value::String(name) => Some(vec![(name.to_string(), None)]),
        Value::Array(names) => names.iter().map(|name| Some((name.as_str()?.to_owned(), None))).collect(),
        Value::Hash(classes) => classes
            .iter()
            .map(|(name, parameters)| {
                let parameters = match parameters {
                    Value::Hash(hash) => Some(hash.clone()),
                    Value::Undef => None,
                    _ => return None,
                };
                Some((name.as_str()?.to_owned(), parameters))
            })
            .collect(),
        _ => None,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Integer(_) | Value::Float(_) => "a number",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_as_names_or_with_parameters() {
        let text =
            b"classes:\n  ntp:\n    servers: [a]\n  base:\nparameters:\n  role: web\nenvironment: test\n";
        let classification = Classification::parse(text, "enc").unwrap();
        assert_eq!(classification.classes.len(), 2);
        assert!(classification.classes[0].1.is_some() && classification.classes[1].1.is_none());
        assert_eq!(classification.environment.as_deref(), Some("test"));
        let classification = Classification::parse(b"classes: [ntp, base]", "enc").unwrap();
        assert_eq!(classification.classes, [("ntp".to_owned(), None), ("base".to_owned(), None)]);
        assert!(Classification::parse(b"classes: 1", "enc").unwrap_err().to_string().contains("'classes'"));
    }
}
