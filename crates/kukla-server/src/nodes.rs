//! Nodes as the server knows them: their facts, their certificates, their classification.

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use kukla::facts::without_nulls;
use kukla::fleet::{AssembledNode, Classifier, NodeParts};
use kukla::rpc::from_json;
use kukla::syntax::Problem;
use kukla::values::{Hash, Shown};
use kukla::{DiskWorld, Value, World};
use serde_json::{Map, Value as Json, json};

use crate::answer::Answer;
use crate::call::{Call, decoded};
use crate::command;
use crate::json::FactDocument;
use crate::server::Server;

/// The facts of a request.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The facts by name.
    pub values: Hash,
}

/// The facts of a catalog request, if it has any: JSON that was encoded twice.
pub fn facts_of(call: &Call, node: &str) -> Result<Option<Facts>, Problem> {
    let Some(text) = call.parameter("facts") else { return Ok(None) };
    match call.parameter("facts_format") {
        None => return Err(Problem::invalid(format!("Facts but no fact format provided for {node}"))),
        Some("application/json" | "pson" | "text/pson" | "json") => {}
        Some(_) => return Err(Problem::invalid("Unsupported facts format")),
    }
    let text = if text.trim_start().starts_with('{') {
        text.to_owned()
    } else {
        decoded(text, true).ok_or_else(|| Problem::invalid("the facts are not valid UTF-8"))?
    };
    read_facts(text.as_bytes(), node).map(Some)
}

/// The facts of a text of JSON, which must be those of the node.
pub fn read_facts(text: &[u8], node: &str) -> Result<Facts, Problem> {
    let document = FactDocument::read(text)
        .map_err(|error| Problem::invalid("invalid JSON in the facts").because(error))?;
    check_owner(&document.name, node)?;
    let values = document.into_values().ok_or_else(|| Problem::invalid("the facts have no values"))?;
    Ok(Facts { values })
}

fn check_owner(name: &str, node: &str) -> Result<(), Problem> {
    if name == node {
        return Ok(());
    }
    Err(Problem::invalid(format!(
        "Catalog for {node:?} was requested with fact definition for the wrong node ({name:?})."
    )))
}

/// The facts of a document (`{"name": …, "values": {…}}`), which must be those of the node.
pub fn facts_in(document: &Json, node: &str) -> Result<Facts, Problem> {
    let name = document.get("name").and_then(Json::as_str).unwrap_or_default();
    check_owner(name, node)?;
    match document.get("values").map(from_json) {
        Some(Value::Hash(values)) => Ok(Facts { values: without_nulls(&values) }),
        _ => Err(Problem::invalid("the facts have no values")),
    }
}

/// The world that classifiers run in.
static DISK: LazyLock<Arc<dyn World>> = LazyLock::new(|| Arc::new(DiskWorld::default()));

impl Server {
    /// A node with the given facts, or with those that the store has; and the environment that its classifier assigns.
    pub fn node(&self, name: &str, facts: Option<&Facts>, call: &Call) -> Result<AssembledNode, Problem> {
        let facts = match facts {
            Some(facts) => facts.values.clone(),
            // A node that sends no facts has those of its last request.
            None => self.last_facts(name)?.unwrap_or_default(),
        };
        let classifier = self.settings.classifier.clone().map(Classifier::Command);
        let parts = NodeParts {
            facts,
            server_facts: self.server_facts(),
            classifier: classifier.as_ref(),
            ..self.parts(name, call)?
        };
        parts.assemble(&DISK).map_err(|problem| {
            Problem::other(format!("Failed when searching for node {name}")).caused_by(problem)
        })
    }

    /// The trusted data of a node.
    pub fn trusted(&self, name: &str, call: &Call) -> Result<Hash, Problem> {
        self.parts(name, call)?.trusted_data(&DISK)
    }

    /// A node with the extensions of its certificate, and the data of a trusted external command.
    fn parts<'p>(&'p self, name: &'p str, call: &Call) -> Result<NodeParts<'p>, Problem> {
        let is_own = call.peer.name.as_deref() == Some(name);
        let extensions: Hash = if is_own {
            call.peer
                .extensions
                .iter()
                .map(|(name, value)| (name.as_str(), Value::from(value.as_str())))
                .collect()
        } else {
            Hash::new()
        };
        let mut trusted = Hash::new();
        trusted.insert("extensions", extensions);
        if let Some(command) = &self.settings.trusted_external {
            trusted.insert("external", external(command, name)?);
        }
        Ok(NodeParts { name, trusted, puppet_conf: Some(&self.settings.puppet), ..NodeParts::default() })
    }

    /// The facts that the server adds to every node.
    fn server_facts(&self) -> Hash {
        let mut facts = Hash::new();
        facts.insert("serverversion", crate::PUPPET_VERSION);
        facts.insert("servername", self.settings.host.certname.as_str());
        if let Some(address) = self.address {
            facts.insert(
                if address.is_ipv4() { "serverip" } else { "serverip6" },
                address.to_string().as_str(),
            );
        }
        facts
    }
}

/// The data that `trusted_external_command` prints about a node, or that each command of a directory prints as a part of it.
fn external(command: &Path, name: &str) -> Result<Value, Problem> {
    if !command.is_dir() {
        return ask(command, name);
    }
    let mut all = Hash::new();
    let entries = crate::files::read_directory(command)?;
    let mut paths: Vec<_> =
        entries.iter().map(std::fs::DirEntry::path).filter(|path| path.is_file()).collect();
    paths.sort();
    for path in paths {
        let key = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        all.insert(key.as_str(), ask(&path, name)?);
    }
    Ok(Value::Hash(all))
}

fn ask(command: &Path, name: &str) -> Result<Value, Problem> {
    let program = command.display().to_string();
    let json: Json = serde_json::from_slice(&command::output_of(&program, name, Duration::from_secs(60))?)
        .map_err(|error| {
            Problem::invalid("invalid JSON from the trusted external command")
                .on(format_args!("'{program}'"))
                .because(error)
        })?;
    Ok(from_json(&json))
}

/// Answers with the environment and the classification of a node.
pub fn answer(server: &Server, call: &Call, name: &str) -> Answer {
    let assembled = match server.node(name, None, call) {
        Ok(assembled) => assembled,
        Err(problem) => return server.failure(&problem),
    };
    let asked =
        call.parameter("configured_environment").or(call.parameter("environment")).unwrap_or_default();
    let environment = assembled.environment.unwrap_or_else(|| server.environment_or_default(asked));
    let mut all = Map::new();
    all.insert("name".into(), name.into());
    all.insert("environment".into(), environment.into());
    if !assembled.node.classes.is_empty() {
        let classes = assembled.node.classes.iter();
        let classes: Map<String, Json> = classes
            .map(|(class, parameters)| {
                let parameters =
                    parameters.as_ref().map(|all| Shown::of(&Value::Hash(all.clone())).to_json());
                (class.clone(), parameters.unwrap_or_else(|| json!({})))
            })
            .collect();
        all.insert("classes".into(), classes.into());
    }
    if !assembled.node.variables.is_empty() {
        all.insert("parameters".into(), Shown::of(&Value::Hash(assembled.node.variables.clone())).to_json());
    }
    Answer::json(&all.into())
}
