//! Data keys that a higher level overrides for every node.

use kukla::Value;
use kukla::facts::FactFile;
use kukla::syntax::{Location, diagnostic};
use kukla::world::World;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::data::{Data, DataFile, Hierarchy, hierarchy};
use crate::finding::Finding;
use crate::repository::Index;
use crate::rule::rules;

rules! {
    RULES;

    /// A data key has no effect: a higher level overrides it for every node that reads its file. The nodes are those whose facts are in the
    /// directory `facts` of the repository. Keys with `lookup_options` are not reported, since their values may be merged.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Families
    ///     path: "%{facts.os.family}.yaml"
    ///   - name: Common
    ///     path: common.yaml
    /// ```
    ///
    /// ```json
    /// # facts/web1.json
    /// { "os": { "family": "Debian" } }
    /// ```
    ///
    /// ```yaml
    /// # data/Debian.yaml
    /// greeting: hello
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// greeting: good morning
    /// ```
    ///
    /// ```puppet
    /// notice(lookup('greeting'))
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Families
    ///     path: "%{facts.os.family}.yaml"
    ///   - name: Common
    ///     path: common.yaml
    /// ```
    ///
    /// ```json
    /// # facts/web1.json
    /// { "os": { "family": "Debian" } }
    /// ```
    ///
    /// ```json
    /// # facts/web2.json
    /// { "os": { "family": "RedHat" } }
    /// ```
    ///
    /// ```yaml
    /// # data/Debian.yaml
    /// greeting: hello
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// greeting: good morning
    /// ```
    ///
    /// ```puppet
    /// notice(lookup('greeting'))
    /// ```
    DEAD_DATA_KEY = "dead-data-key": Warning Unused, "`{key}` has no effect: a higher level overrides it for every node";
}

/// Keys that a higher level overrides for every node whose facts are known.
pub fn check(world: &dyn World, data: &Data, index: &Index) -> Vec<Finding> {
    let Some(hierarchy) = data.hierarchies.iter().find(|hierarchy| hierarchy.module.is_none()) else {
        return Vec::new();
    };
    let files: FxHashMap<&str, &DataFile> =
        data.files.iter().map(|file| (file.path.as_str(), &**file)).collect();
    // Files that some node may read.
    let mut unknown: FxHashSet<&str> = FxHashSet::default();
    let nodes: Vec<Vec<&DataFile>> = fact_sets(world, index)
        .iter()
        .map(|facts| files_read_by(hierarchy, facts, &files, &mut unknown))
        .collect();
    let merged: FxHashSet<&str> =
        data.files.iter().flat_map(|file| file.options.iter().map(|(key, _)| key.as_str())).collect();
    let has = |file: &DataFile, key: &str| file.entries.iter().any(|entry| entry.key == key);
    let mut findings = Vec::new();
    for file in
        data.files.iter().filter(|file| file.module.is_none() && !unknown.contains(file.path.as_str()))
    {
        let readers: Vec<&[&DataFile]> = nodes
            .iter()
            .filter_map(|read| read.iter().position(|one| one.path == file.path).map(|at| &read[..at]))
            .collect();
        for entry in &file.entries {
            let key = entry.key.as_str();
            if merged.contains(key) || merged.iter().any(|name| name.starts_with('^')) {
                continue;
            }
            let above: Option<Vec<&DataFile>> =
                readers.iter().map(|above| above.iter().copied().find(|file| has(file, key))).collect();
            let Some(first) = above.as_ref().and_then(|above| above.first()) else { continue };
            let wrong = diagnostic!(entry.span, DEAD_DATA_KEY { key }).in_source(&file.source);
            let higher = first.entries.iter().find(|entry| entry.key == key).map(|entry| entry.span);
            let place = Location { source: first.source.clone(), span: higher.unwrap_or_default() };
            findings.push(Finding::from(wrong.label(place, "the value in effect")));
        }
    }
    findings
}

fn fact_sets(world: &dyn World, index: &Index) -> Vec<FactFile> {
    let root = index.survey.root.join("facts");
    let read = |name: &str| FactFile::parse(&world.read(&root.join(name)).unwrap_or_default(), name);
    world.list(&root).iter().flat_map(|entry| read(&entry.name).unwrap_or_default()).collect()
}

/// The data files that a node reads, highest first.
fn files_read_by<'d>(
    hierarchy: &Hierarchy,
    node: &FactFile,
    files: &FxHashMap<&'d str, &'d DataFile>,
    unknown: &mut FxHashSet<&'d str>,
) -> Vec<&'d DataFile> {
    let mut read: Vec<&DataFile> = Vec::new();
    for (datadir, pattern) in &hierarchy.paths {
        let path = (!pattern.contains(['*', '?', '['])).then(|| interpolate(pattern, node)).flatten();
        match path {
            Some(path) => {
                let path = datadir.join(path).to_string_lossy().into_owned();
                read.extend(files.get(path.as_str()).copied());
            }
            None => unknown.extend(files.keys().copied().filter(|path| {
                let inside = std::path::Path::new(path).strip_prefix(datadir).ok();
                inside.is_some_and(|inside| hierarchy::finds(pattern, &inside.to_string_lossy()))
            })),
        }
    }
    read
}

/// A path with its interpolations replaced by the facts of a node, if all of them are known.
fn interpolate(pattern: &str, node: &FactFile) -> Option<String> {
    let mut path = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once("%{") {
        let (expression, after) = after.split_once('}')?;
        path.push_str(before);
        let name = expression.trim().trim_start_matches("::");
        if matches!(name, "trusted.certname" | "clientcert") {
            path.push_str(node.node_name()?);
        } else {
            let mut steps = name.strip_prefix("facts.").unwrap_or(name).split('.');
            let mut value = node.facts.get(steps.next()?)?;
            for step in steps {
                value = value.as_hash()?.get(step)?;
            }
            match value {
                Value::String(text) => path.push_str(text),
                Value::Integer(number) => path.push_str(&number.to_string()),
                Value::Boolean(truth) => path.push_str(&truth.to_string()),
                _ => return None,
            }
        }
        rest = after;
    }
    path.push_str(rest);
    Some(path)
}
