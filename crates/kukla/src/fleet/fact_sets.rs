//! Fact sets for nodes whose own facts are not at hand.

use kukla_facts::FactSet;
use kukla_syntax::Problem;
use kukla_world::glob;

use crate::facts::FactFile;

/// The fact sets of a fleet.
#[derive(Clone, Debug, Default)]
pub struct FactSets {
    /// The set of every node, in place of fact files.
    pub all: Option<FactSet>,
    /// Sets of nodes without facts, by patterns of their names; the first that matches counts.
    pub by_name: Vec<(String, FactSet)>,
}

impl FactSets {
    /// Adds the set of nodes whose name matches a pattern.
    pub fn add(&mut self, pattern: &str, set: &str) -> Result<(), Problem> {
        self.by_name.push((pattern.to_owned(), FactSet::require(set)?));
        Ok(())
    }

    /// The facts that a node of this name has if there are none of its own.
    pub fn facts(&self, node: &str) -> Option<FactFile> {
        let by_name = || self.by_name.iter().find(|(pattern, _)| glob::fits(pattern, node));
        let set = self.all.or_else(|| by_name().map(|(_, set)| *set))?;
        Some(FactFile { node: Some(node.to_owned()), facts: set.facts(node) })
    }
}
