//! One node, assembled from its facts, its classification, its trusted data and the server's settings.

use std::path::PathBuf;
use std::sync::Arc;

use kukla_eval::environment::Node;
use kukla_syntax::Problem;
use kukla_values::Hash;
use kukla_world::{Guarded, Policy, World};

use crate::classify::Classification;
use crate::puppet_conf::PuppetConf;
use crate::{SiteSpec, certname};

/// A source of classifications: the classes, variables and environment of nodes.
#[derive(Clone, Debug)]
pub enum Classifier {
    /// A command that gets the node's name and prints its classification.
    Command(String),
    /// A command that `puppet.conf` names, which runs as far as the policy allows it.
    ConfiguredCommand(String, Box<Policy>),
    /// A file with the classification of every node.
    File(PathBuf),
}

impl Classifier {
    /// The classification of a node.
    pub fn classify(&self, world: &Arc<dyn World>, node: &str) -> Result<Classification, Problem> {
        match self {
            Classifier::Command(command) => Classification::ask(world, command, node),
            Classifier::File(file) => Classification::read(world, file),
            Classifier::ConfiguredCommand(command, policy) => {
                let guarded = Guarded::new(Arc::clone(world), (**policy).clone());
                Classification::ask(&guarded, command, node).map_err(|problem| {
                    Problem::other("cannot run the node classifier that puppet.conf names:")
                        .on(format!("'{command}'"))
                        .caused_by(problem)
                        .help("allow it with --commands, or replace it with --enc or --classification FILE")
                })
            }
        }
    }
}

/// The parts that a node is assembled from.
#[derive(Clone, Debug, Default)]
pub struct NodeParts<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its facts.
    pub facts: Hash,
    /// Trusted data besides its name, such as the extensions of its certificate.
    pub trusted: Hash,
    /// The facts that the server adds.
    pub server_facts: Hash,
    /// The classifier, if there is one.
    pub classifier: Option<&'p Classifier>,
    /// The server's settings, which name extensions.
    pub puppet_conf: Option<&'p PuppetConf>,
}

/// A node, and the environment that its classifier assigns it to.
#[derive(Clone, Debug)]
pub struct AssembledNode {
    /// The node.
    pub node: Node,
    /// The environment of its classification.
    pub environment: Option<String>,
}

/// A node and the site that it belongs to.
#[derive(Clone, Debug)]
pub struct SiteNode {
    /// The site.
    pub site: SiteSpec,
    /// The node.
    pub node: Node,
}

impl NodeParts<'_> {
    /// Assembles the node; `world` runs the classifier and holds its files.
    pub fn assemble(self, world: &Arc<dyn World>) -> Result<AssembledNode, Problem> {
        certname::check(self.name)?;
        let mut node = Node::named(self.name);
        node.facts = self.facts;
        node.server_facts = self.server_facts;
        add_trusted(&mut node, self.trusted, self.puppet_conf, &**world)?;
        let mut environment = None;
        if let Some(classifier) = self.classifier {
            let classification = classifier.classify(world, self.name)?;
            node.classes = classification.classes;
            node.variables = classification.parameters;
            environment = classification.environment;
        }
        Ok(AssembledNode { node, environment })
    }

    /// The trusted data of the node alone.
    pub fn trusted_data(self, world: &Arc<dyn World>) -> Result<Hash, Problem> {
        let mut node = Node::named(self.name);
        add_trusted(&mut node, self.trusted, self.puppet_conf, &**world)?;
        Ok(node.trusted)
    }
}

/// Adds to the trusted data of a node, with extensions under their names.
fn add_trusted(
    node: &mut Node,
    more: Hash,
    puppet_conf: Option<&PuppetConf>,
    world: &dyn World,
) -> Result<(), Problem> {
    for (key, value) in &more {
        node.trusted.insert(key.clone(), value.clone());
    }
    match puppet_conf {
        Some(conf) => conf.name_extensions(world, &mut node.trusted),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kukla_values::Value;
    use kukla_world::MemoryWorld;
    use std::path::Path;

    #[test]
    fn a_node_has_its_classes_trusted_data_and_facts() {
        let world = MemoryWorld::default()
            .with("/class.yaml", "{classes: [base], parameters: {role: web}, environment: test}")
            .with("/etc/puppet/puppet.conf", "")
            .with("/etc/puppet/custom_trusted_oid_mapping.yaml", "oid_mapping: {'1.2.3': {shortname: rack}}");
        let conf = PuppetConf::read(&world, Path::new("/etc/puppet/puppet.conf")).unwrap();
        let world: Arc<dyn World> = Arc::new(world);
        let extensions: Hash = [("1.2.3", Value::from("r7"))].into_iter().collect();
        let classifier = Classifier::File("/class.yaml".into());
        let parts = NodeParts {
            name: "web1",
            facts: [("kernel", Value::from("Linux"))].into_iter().collect(),
            trusted: [("extensions", Value::Hash(extensions))].into_iter().collect(),
            classifier: Some(&classifier),
            puppet_conf: Some(&conf),
            ..NodeParts::default()
        };
        let AssembledNode { node, environment } = parts.clone().assemble(&world).unwrap();
        assert_eq!(environment.as_deref(), Some("test"));
        assert_eq!(node.classes, [("base".to_owned(), None)]);
        assert_eq!(node.variables.get("role"), Some(&"web".into()));
        let rack = |trusted: &Hash| trusted.get("extensions")?.as_hash()?.get("rack").cloned();
        assert_eq!(rack(&node.trusted), Some("r7".into()));
        assert_eq!(rack(&parts.clone().trusted_data(&world).unwrap()), Some("r7".into()));
        let misnamed = NodeParts { name: "../web1", ..parts };
        assert!(misnamed.assemble(&world).is_err());
    }
}
