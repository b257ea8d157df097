//! The nodes of a fleet to compile, chosen by name.

use std::collections::BTreeSet;

use kukla_syntax::Problem;
use kukla_world::glob;

use crate::certname;

/// The nodes of a fleet to compile; all of them unless there are patterns or names.
#[derive(Clone, Debug, Default)]
pub struct NodeSelection {
    /// Patterns, one of which a name must match.
    pub patterns: Vec<String>,
    /// The only names to compile.
    pub names: Option<BTreeSet<String>>,
}

impl NodeSelection {
    /// Whether a node is selected.
    pub fn includes(&self, name: &str) -> bool {
        let fits = self.patterns.is_empty() || self.patterns.iter().any(|pattern| glob::fits(pattern, name));
        fits && self.names.as_ref().is_none_or(|names| names.contains(name))
    }

    /// Reads a list of names, one per line, with comments after `#`.
    pub fn parse_names(text: &str) -> Result<BTreeSet<String>, Problem> {
        let lines = text.lines().map(|line| line.split_once('#').map_or(line, |(name, _)| name).trim());
        let names: BTreeSet<String> = lines
            .filter(|name| !name.is_empty())
            .map(|name| Ok(certname::check(name).map(|()| name.to_owned())?))
            .collect::<Result<_, Problem>>()?;
        match names.is_empty() {
            true => Err(Problem::invalid("the list of nodes is empty")),
            false => Ok(names),
        }
    }

    /// It is a problem if patterns matched none of the nodes: a misspelt one would otherwise pass for a fleet without failures.
    pub(super) fn require_match(&self, matched: usize) -> Result<(), Problem> {
        if matched > 0 || self.patterns.is_empty() {
            return Ok(());
        }
        Err(Problem::not_found("no node matches")
            .on(format!("'{}'", self.patterns.join(", ")))
            .help("* matches any part of a name, as in 'web*'"))
    }

    /// Selected names that are not among these.
    pub(super) fn missing<'n>(&self, known: impl Iterator<Item = &'n str>) -> Vec<String> {
        let names = self.names.iter().flatten().map(String::as_str);
        let mut missing: BTreeSet<&str> = names.filter(|name| self.includes(name)).collect();
        known.for_each(|name| {
            missing.remove(name);
        });
        missing.into_iter().map(str::to_owned).collect()
    }
}
