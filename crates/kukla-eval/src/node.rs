//! Nodes: whom a catalog is for.

use kukla_values::{Hash, Value};

/// The node a catalog is compiled for.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Its certificate name.
    pub name: String,
    /// `$facts`.
    pub facts: Hash,
    /// `$trusted`.
    pub trusted: Hash,
    /// `$server_facts`; the name of the environment is always among them.
    pub server_facts: Hash,
    /// Further top-scope variables, as a node classifier sets them.
    pub variables: Hash,
    /// The classes a node classifier assigns, with their parameters.
    pub classes: Vec<(String, Option<Hash>)>,
}

impl Node {
    /// A node without facts that a server has authenticated under this name.
    pub fn named(name: impl Into<String>) -> Node {
        let name = name.into();
        Node { trusted: trusted(&name), name, ..Node::default() }
    }
}

/// `$trusted` for a node that a server has authenticated under this name.
fn trusted(node: &str) -> Hash {
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
