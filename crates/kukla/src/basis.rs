//! The inputs of a catalog, in a form that outlives its compilation.

use kukla_eval::environment::Node;
use kukla_values::{Hash, format};
use kukla_world::record::{Digest, InputSet, Record};

/// The inputs of a catalog, in a form that outlives its compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    /// The digest of the node without its facts.
    pub node: Digest,
    /// The facts that were asked for, each with the digest of its value.
    pub facts: Vec<(String, Digest)>,
    /// The files and other inputs from the world.
    pub inputs: InputSet,
}

impl Basis {
    /// The inputs of a node in an environment, from the record of its compilation.
    pub fn new(node: &Node, environment: &str, record: &Record) -> Basis {
        let mut inputs = record.code.clone();
        inputs.extend(&record.data);
        let asked = record.facts.iter().filter(|name| !BEYOND_FACTS.contains(&name.as_str()));
        let facts = asked.map(|name| (name.clone(), fact_digest(&node.facts, name))).collect();
        Basis { node: node_digest(node, environment), facts, inputs }
    }

    /// The first fact among the inputs whose value has changed.
    pub fn changed_fact(&self, facts: &Hash) -> Option<&str> {
        let changed = self.facts.iter().find(|(name, digest)| fact_digest(facts, name) != *digest);
        changed.map(|(name, _)| name.as_str())
    }
}

/// The parts of a node besides facts, as the record names them.
const BEYOND_FACTS: [&str; 3] = ["trusted", "server_facts", "environment"];

/// The digest of everything about a node in an environment but its facts.
pub fn node_digest(node: &Node, environment: &str) -> Digest {
    let hashes = [&node.trusted, &node.server_facts, &node.variables];
    let mut parts = vec![node.name.clone(), environment.to_owned()];
    parts.extend(hashes.map(text));
    for (class, parameters) in &node.classes {
        parts.extend([class.clone(), parameters.as_ref().map_or_else(String::new, text)]);
    }
    Digest::of(parts)
}

/// The digest of a fact by the name that the record has for it.
fn fact_digest(facts: &Hash, name: &str) -> Digest {
    match name {
        "facts" => Digest::of([text(facts)]),
        name => {
            let fact = facts.get(name.strip_prefix("facts.").unwrap_or(name));
            Digest::of(fact.map(|value| format::inspect(value).to_string()))
        }
    }
}

fn text(hash: &Hash) -> String {
    format::inspect(&hash.clone().into()).to_string()
}
