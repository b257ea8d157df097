//! Node definitions: exact names first, then regular expressions in the order of the text, then `default`, which as a name of
//! its own may match a regular expression too.

use std::sync::Arc;

use kukla_catalog::ResourceKind;
use kukla_syntax::{bail, diagnostic};
use kukla_values::regexp::Regexp;
use kukla_values::{Name, Value};

use super::builder::{CodeOrigin, ResourceId};
use super::kind::{Resolved, ResourceDefinition};
use super::resource::Declaration;
use crate::codes::{ILLEGAL_REASSIGNMENT, NO_NODE_DEFINITION, RESERVED_VARIABLE};
use crate::error::{Flow, PARSE_ERROR};
use crate::program::{NodeDefinition, NodeMatch, ResourceForm};
use crate::scope::{Captures, Position, ScopeId, ScopeKind};
use crate::unit::Defined;
use crate::vm::Vm;

/// The name of the definition for nodes without one of their own.
const DEFAULT: &str = "default";

impl Vm<'_> {
    /// Top-scope variables come from the classifier, the facts and the server, in that order; a later one with the same name is an error.
    pub(super) fn check_node(&mut self) -> Flow<()> {
        let node = self.node();
        let environment = Value::from(self.environment().name.as_str());
        let mut clashes: Vec<(&Value, &Value, &Value)> = Vec::new();
        for (name, value) in &node.facts {
            match name.as_str() {
                Some("environment") => clashes.push((name, &environment, value)),
                _ => clashes.extend(node.variables.get(name).map(|earlier| (name, earlier, value))),
            }
        }
        for (name, value) in &node.server_facts {
            let earlier = node.variables.get(name).or_else(|| node.facts.get(name));
            match name.as_str() {
                Some("environment") if *value == environment => {}
                Some("environment") => clashes.push((name, &environment, value)),
                _ => clashes.extend(earlier.map(|earlier| (name, earlier, value))),
            }
        }
        let clashes: Vec<String> = clashes
            .into_iter()
            .map(|(name, earlier, value)| {
                let [name, earlier, value] = [name, earlier, value].map(kukla_values::format::to_s);
                let node = &node.name;
                format!(
                    "The node parameter '{name}' for node '{node}' was already set to '{earlier}'. It could not be set to '{value}'"
                )
            })
            .collect();
        clashes.into_iter().for_each(|message| self.warn(message));
        let is_set = |name: &str| {
            node.variables.contains_key(name)
                || node.facts.contains_key(name)
                || node.server_facts.contains_key(name)
        };
        if let Some(name) = ["facts", "server_facts"].into_iter().find(|name| is_set(name)) {
            return Err(diagnostic!(RESERVED_VARIABLE { name }).reported_as(PARSE_ERROR).into());
        }
        if let Some(name) = ["title", "module_name"].into_iter().find(|name| is_set(name)) {
            return Err(diagnostic!(ILLEGAL_REASSIGNMENT { name }).reported_as(PARSE_ERROR).into());
        }
        Ok(())
    }

    /// Evaluates the node definition that applies. If there are any, one has to.
    pub(super) fn evaluate_node_definition(&mut self) -> Flow<()> {
        let nodes = self.environment().nodes();
        if nodes.is_empty() {
            return Ok(());
        }
        let name = self.node().name.to_lowercase();
        let found = match find(&nodes, &name)? {
            None => find(&nodes, DEFAULT)?,
            found => found,
        };
        let Some((node, title)) = found else {
            bail!(NO_NODE_DEFINITION { name: self.node().name });
        };
        let resolved = Resolved { definition: ResourceDefinition::Node(node), type_name: Name::new("Node") };
        let declaration = Declaration {
            form: ResourceForm::Regular,
            location: None,
            kind: ResourceKind::Unknown,
            origin: CodeOrigin::Node,
            scope: ScopeId::TOP,
            given: None,
        };
        let resource = self.catalog.prepare(&resolved, title.into(), Vec::new(), &declaration, true)?;
        self.catalog.tag_catalog(&resource);
        let id = self.catalog.add_resource(resource, ScopeId::TOP)?;
        self.evaluate(id)
    }

    pub(super) fn evaluate_node(&mut self, id: ResourceId, node: &Arc<Defined<NodeDefinition>>) -> Flow<()> {
        let title = self.catalog.get(id).title.clone();
        let scope = self.open_scope(ScopeKind::Node, ScopeId::TOP, id, CodeOrigin::Node);
        let opened = self.scopes.get_mut(scope);
        opened.label = Some(format!("Node[{title}]").into());
        for variable in ["module_name", "caller_module_name"] {
            opened.variables.bind(Name::new(variable), "".into());
        }
        for variable in ["title", "name"] {
            opened.variables.bind(Name::new(variable), title.clone().into());
        }
        self.catalog.add_class(&title);
        let name = self.node().name.to_lowercase();
        let captures = node.matches.iter().find_map(|each| match each {
            NodeMatch::Regexp(regexp) => captures(regexp, &name).or_else(|| captures(regexp, DEFAULT)),
            _ => None,
        });
        self.scopes.set_captures(Position::named(scope), captures);
        self.inside(&node.unit, Position::named(scope), |vm| vm.eval(&node.body).map(drop))
    }
}

/// The definition that applies to a node, and the title of its resource.
fn find(
    nodes: &[Arc<Defined<NodeDefinition>>],
    name: &str,
) -> Flow<Option<(Arc<Defined<NodeDefinition>>, String)>> {
    let every = || nodes.iter().flat_map(|node| node.matches.iter().map(move |each| (node, each)));
    let is = |each: &NodeMatch| match each {
        NodeMatch::Name(known) => known.as_str() == name,
        NodeMatch::Default => name == DEFAULT,
        NodeMatch::Regexp(_) => false,
    };
    if let Some((node, _)) = every().find(|(_, each)| is(each)) {
        return Ok(Some((Arc::clone(node), name.to_owned())));
    }
    for (node, each) in every() {
        if let NodeMatch::Regexp(regexp) = each
            && regexp.try_is_match(name)?
        {
            return Ok(Some((Arc::clone(node), each.title())));
        }
    }
    Ok(None)
}

fn captures(regexp: &Regexp, name: &str) -> Option<Captures> {
    let found = regexp.captures(name).ok().flatten()?;
    let group = |at: usize| found.get(at).map_or(Value::Undef, Value::from);
    Some((0..found.len()).map(group).collect())
}
