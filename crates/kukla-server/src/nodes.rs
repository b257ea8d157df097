//! Nodes as the server knows them: what they say about themselves, what their certificates say, what the classifier says.

use std::path::Path;
use std::time::Duration;

use kukla::classify::Classification;
use kukla::facts::without_nulls;
use kukla::rpc::from_json;
use kukla::syntax::Problem;
use kukla::values::Hash;
use kukla::{DiskWorld, Node, Value};
use serde_json::{Map, Value as Json, json};

use crate::answer::{Answer, Issue};
use crate::call::{Call, decoded};
use crate::command;
use crate::server::Server;

/// What an agent says about itself.
#[derive(Clone, Debug)]
pub struct Facts {
    /// All of it.
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
    let facts: Json = serde_json::from_str(&text)
        .map_err(|error| Problem::invalid("invalid JSON in the facts").because(error))?;
    facts_in(&facts, node).map(Some)
}

/// The facts of a document (`{"name": …, "values": {…}}`), which must be those of the node.
pub fn facts_in(document: &Json, node: &str) -> Result<Facts, Problem> {
    let name = document.get("name").and_then(Json::as_str).unwrap_or_default();
    if name != node {
        return Err(Problem::invalid(format!(
            "Catalog for {node:?} was requested with fact definition for the wrong node ({name:?})."
        )));
    }
    match document.get("values").map(from_json) {
        Some(Value::Hash(values)) => Ok(Facts { values: without_nulls(&values) }),
        _ => Err(Problem::invalid("the facts have no values")),
    }
}

/// A node and the environment that the classifier puts it in, if it does.
#[derive(Debug)]
pub struct Known {
    /// The node.
    pub node: Node,
    /// The environment of the classifier.
    pub environment: Option<String>,
}

impl Server {
    /// All that is known of a node.
    pub fn node(&self, name: &str, facts: Option<&Facts>, call: &Call) -> Result<Known, Problem> {
        let mut node = Node::named(name);
        node.facts = match facts {
            Some(facts) => facts.values.clone(),
            // A node that says nothing is as it was.
            None => self.last_facts(name)?.unwrap_or_default(),
        };
        node.server_facts = self.server_facts();
        self.trust(&mut node, name, call)?;
        let mut environment = None;
        if let Some(classifier) = &self.settings.classifier {
            let said = Classification::ask(&DiskWorld::default(), classifier, name).map_err(|problem| {
                Problem::other(format!("Failed when searching for node {name}")).because(problem)
            })?;
            node.classes = said.classes;
            node.variables = said.parameters;
            environment = said.environment;
        }
        Ok(Known { node, environment })
    }

    /// What is known of a node that it does not say itself.
    pub fn trusted(&self, name: &str, call: &Call) -> Result<Hash, Problem> {
        let mut node = Node::named(name);
        self.trust(&mut node, name, call)?;
        Ok(node.trusted)
    }

    /// What the certificate says, and what a command knows besides.
    fn trust(&self, node: &mut Node, name: &str, call: &Call) -> Result<(), Problem> {
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
        node.trusted.insert("extensions", extensions);
        self.settings
            .puppet
            .name_extensions(&DiskWorld::default(), &mut node.trusted)
            .map_err(Problem::invalid)?;
        if let Some(command) = &self.settings.trusted_external {
            node.trusted.insert("external", external(command, name)?);
        }
        Ok(())
    }

    /// What the server says about itself.
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

/// What `trusted_external_command` knows about a node: a command prints it, or each of those in a directory a part of it.
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

/// Answers which environment a node is in, and what the classifier says about it.
pub fn answer(server: &Server, call: &Call, name: &str) -> Answer {
    let known = match server.node(name, None, call) {
        Ok(known) => known,
        Err(problem) => return Answer::error(Issue::Runtime, &problem),
    };
    let asked =
        call.parameter("configured_environment").or(call.parameter("environment")).unwrap_or_default();
    let environment = known.environment.unwrap_or_else(|| server.environment_or_default(asked));
    let mut all = Map::new();
    all.insert("name".into(), name.into());
    all.insert("environment".into(), environment.into());
    if !known.node.classes.is_empty() {
        let classes = known.node.classes.iter();
        let classes: Map<String, Json> = classes
            .map(|(class, parameters)| {
                let parameters = parameters.as_ref().map(|all| kukla::rpc::rich(&Value::Hash(all.clone())));
                (class.clone(), parameters.unwrap_or_else(|| json!({})))
            })
            .collect();
        all.insert("classes".into(), classes.into());
    }
    if !known.node.variables.is_empty() {
        all.insert("parameters".into(), kukla::rpc::rich(&Value::Hash(known.node.variables.clone())));
    }
    Answer::json(&all.into())
}
