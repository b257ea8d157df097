//! The names of nodes without facts: those in node definitions, samples, and data files that are named after a node.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kukla_eval::program::NodeMatch;
use kukla_formats::yaml;
use kukla_syntax::Problem;
use kukla_values::{Hash, Value};

use super::members::{Fleet, FleetError};
use super::source::NodeSource;
use crate::certname;
use crate::facts::FactFile;
use crate::site::Site;

/// The ways to get facts, as a line of help.
pub const FACTS_HELP: &str = "use a fact set (`--facts debian-12`, or `--facts this-machine` for the system of this machine), your nodes' facts (`kukla facts pull`) or a file (`--facts FILE`)";

/// The interpolated variables that are the name of a node, in the paths of a hierarchy.
const NODE_VARIABLES: [&str; 9] = [
    "trusted.certname",
    "trusted.hostname",
    "clientcert",
    "fqdn",
    "hostname",
    "facts.fqdn",
    "facts.hostname",
    "facts.networking.fqdn",
    "facts.networking.hostname",
];

/// The number of names that a notice lists.
const LISTED: usize = 5;

impl Fleet {
    /// The names in node definitions, and the samples. If there are none, the names of data files that are for one node; if there are none
    /// either, a fact set for all nodes has a node of its own.
    pub(super) fn names_without_facts(&mut self) -> Result<Vec<String>, FleetError> {
        let node = self.setup().assign(FactFile::default())?;
        let site = self.site(&node).map_err(FleetError::Manifest)?;
        if let Some(broken) = &site.broken_manifest {
            return Err(FleetError::Manifest(Box::new((**broken).clone())));
        }
        let nodes = site.environment.nodes();
        let named = nodes.iter().flat_map(|node| &node.matches).filter_map(NodeMatch::name);
        let mut names: BTreeSet<String> = named.map(str::to_owned).collect();
        names.extend(self.options().samples.iter().cloned());
        if names.is_empty() {
            names = names_in_data(&site);
        }
        if let (true, Some(set)) = (names.is_empty(), self.options().fact_sets.all) {
            names.insert(set.default_node());
        }
        if names.is_empty() {
            let problem = Problem::not_found("no nodes found")
                .because("there are neither facts nor node definitions with names");
            return Err(problem
                .help(FACTS_HELP)
                .help("list names in kukla.toml, as in `[nodes] samples = [\"web1.example.com\"]`")
                .into());
        }
        self.notices.extend(unmatched(&site, &names));
        Ok(names.into_iter().collect())
    }

    /// The notice about nodes that are compiled without facts, if there are some.
    pub(super) fn notice_of_missing_facts(&self) -> Option<Problem> {
        let has_none = |source: &&NodeSource| matches!(source, NodeSource::Name(name) if self.options().fact_sets.facts(name).is_none());
        let names: Vec<String> = self.sources().iter().filter(has_none).map(NodeSource::node_name).collect();
        let what = match &names[..] {
            [] => return None,
            [one] => format!("no facts found for '{one}'; compiling without facts"),
            many => format!("no facts found for {} nodes; compiling without facts", many.len()),
        };
        Some(Problem::not_found(what).help(FACTS_HELP))
    }
}

/// The notice about node definitions with regular expressions that match no node.
fn unmatched(site: &Site, names: &BTreeSet<String>) -> Option<Problem> {
    let mut patterns = Vec::new();
    for node in site.environment.nodes() {
        for each in &node.matches {
            if let NodeMatch::Regexp(regexp) = each
                && !names.iter().any(|name| regexp.captures(name).is_ok_and(|found| found.is_some()))
            {
                patterns.push(regexp.to_literal());
            }
        }
    }
    let shown = patterns.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    let what = match patterns.len() {
        0 => return None,
        1 => format!("the node definition {shown} matches none of the names and is not compiled"),
        count if count <= LISTED => {
            format!("{count} node definitions match none of the names and are not compiled: {shown}")
        }
        count => format!(
            "{count} node definitions match none of the names and are not compiled: {shown} and {} more",
            count - LISTED
        ),
    };
    let help = "list names that they match in kukla.toml, as in `[nodes] samples = [\"web1.example.com\"]`";
    Some(Problem::not_found(what).help(help))
}

/// The names of nodes that have data files of their own, such as `nodes/web1.example.com.yaml`.
fn names_in_data(site: &Site) -> BTreeSet<String> {
    let Some(root) = site.layout.as_ref().map(|layout| &layout.root) else { return BTreeSet::new() };
    let text = site.environment.reading(|world| world.read(&root.join("hiera.yaml"))).unwrap_or_default();
    let Ok(document) = yaml::read(&text, yaml::Options::HIERA) else { return BTreeSet::new() };
    let Value::Hash(config) = &document.value else { return BTreeSet::new() };
    let datadir_of = |table: &Hash| table.get("datadir").and_then(Value::as_str).map(str::to_owned);
    let defaults = match config.get("defaults") {
        Some(Value::Hash(defaults)) => datadir_of(defaults),
        _ => None,
    };
    let mut names = BTreeSet::new();
    let Some(Value::Array(levels)) = config.get("hierarchy") else { return names };
    for level in levels.iter() {
        let Value::Hash(level) = level else { continue };
        let datadir = datadir_of(level).or_else(|| defaults.clone()).unwrap_or_else(|| "data".to_owned());
        let paths = match (level.get("paths"), level.get("path")) {
            (Some(Value::Array(paths)), _) => paths.iter().cloned().collect(),
            (_, Some(path)) => vec![path.clone()],
            _ => Vec::new(),
        };
        let directory = root.join(in_checkout(&datadir));
        for path in paths.iter().filter_map(Value::as_str) {
            names.extend(names_of(site, &directory.join(path)));
        }
    }
    names
}

/// A data directory in the checkout, if it names the place where the environment is deployed.
fn in_checkout(datadir: &str) -> &str {
    let place = datadir.rsplit_once("/environments/").and_then(|(_, place)| place.split_once('/'));
    place.map_or(datadir, |(_, inside)| inside)
}

/// The names that the one variable in the last part of a path can have, so that there is a file.
fn names_of(site: &Site, path: &Path) -> Vec<String> {
    let (Some(directory), Some(pattern)) = (path.parent(), path.file_name().and_then(|name| name.to_str()))
    else {
        return Vec::new();
    };
    let Some((prefix, rest)) = pattern.split_once("%{") else { return Vec::new() };
    let Some((variable, suffix)) = rest.split_once('}') else { return Vec::new() };
    let is_of_node = NODE_VARIABLES.contains(&variable.trim().trim_start_matches("::"));
    let is_fixed = |path: &Path| !path.to_string_lossy().contains("%{");
    if !is_of_node || !is_fixed(directory) || !is_fixed(Path::new(suffix)) {
        return Vec::new();
    }
    let entries = site.environment.reading(|world| world.list(&PathBuf::from(directory)));
    let name = |file: String| {
        let name = file.strip_prefix(prefix)?.strip_suffix(suffix)?.to_owned();
        (certname::check(&name).is_ok() && !name.contains(char::is_whitespace)).then_some(name)
    };
    entries.into_iter().filter(|entry| !entry.is_directory).filter_map(|entry| name(entry.name)).collect()
}
