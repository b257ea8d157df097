//! Hierarchies: the `hiera.yaml` of an environment or a module, and the files that its levels can find.

use std::path::{Path, PathBuf};

use kukla::formats::yaml;
use kukla::hiera::LayerKind;
use kukla::hiera::config::{Backend, Config, Locations};
use kukla::syntax::{Location, Source, SourcePosition, diagnostic};
use kukla::values::{Str, Value};
use kukla::world::{World, is_directory};

use crate::finding::Finding;
use crate::repository::survey::below;
use crate::rules::hiera::{HIERA_CONFIG, HIERA_PATH_WITHOUT_FILE, UNKNOWN_HIERA_KEY};
use crate::suggest;

use super::file::line_span;

/// A hierarchy and the files that it can find.
#[derive(Debug)]
pub struct Hierarchy {
    /// The directory of its configuration.
    pub root: PathBuf,
    /// The module that it belongs to; `None` for the environment.
    pub module: Option<String>,
    /// The files that its levels can find.
    pub files: Vec<String>,
    /// Pipes, sockets and devices among the files of its directories.
    pub special: Vec<PathBuf>,
    /// The paths of its levels, highest first, each with its data directory.
    pub paths: Vec<(PathBuf, String)>,
    /// Data directories that are outside of the repository or computed, as written.
    pub unread: Vec<String>,
    /// Whether the data of some level does not come from files.
    pub is_open: bool,
    /// The text of its configuration.
    pub source: Source,
    /// The version of its format; `None` without a configuration.
    pub version: Option<i64>,
}

impl Hierarchy {
    /// Reads the hierarchy of a directory, and the findings in its configuration.
    pub fn read(world: &dyn World, root: &Path, module: Option<String>) -> (Option<Hierarchy>, Vec<Finding>) {
        let path = root.join("hiera.yaml");
        let name = path.to_string_lossy().into_owned();
        let text =
            world.read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let source = Source::new(name.as_str(), text);
        let mut findings = unknown_keys(&source);
        let kind = if module.is_some() { LayerKind::Module } else { LayerKind::Environment };
        let config = match Config::read(world, &Str::from(name.as_str()), kind) {
            Ok(config) => config,
            Err(error) => {
                if findings.is_empty() {
                    findings.push(refused_configuration(&source, &error.into_diagnostic()));
                }
                return (None, findings);
            }
        };
        // Without a configuration, the data is elsewhere or does not exist.
        let is_open = config.version < 4 || config.path.is_none();
        let levels = || config.hierarchy.iter().chain(config.default_hierarchy.iter().flatten());
        let mut hierarchy = Hierarchy {
            root: root.to_owned(),
            module,
            files: Vec::new(),
            special: Vec::new(),
            paths: Vec::new(),
            unread: Vec::new(),
            is_open,
            source,
            version: config.path.is_some().then_some(config.version),
        };
        for level in levels() {
            if !matches!(level.backend, Backend::File(_) | Backend::Eyaml) {
                hierarchy.is_open = true;
                continue;
            }
            let Some(datadir) = local_directory(world, root, &level.datadir) else {
                hierarchy.is_open = true;
                hierarchy.unread.push(level.datadir.to_string());
                continue;
            };
            let mut there = Vec::new();
            below(world, &datadir, "", &mut hierarchy.special, &mut |path, is_directory| {
                if !is_directory {
                    there.push(path.to_owned());
                }
            });
            for pattern in patterns(level.locations.as_ref(), &mut hierarchy.is_open) {
                hierarchy.paths.push((datadir.clone(), pattern.clone()));
                let found: Vec<&String> = there.iter().filter(|path| finds(&pattern, path)).collect();
                // A missing file may exist where the repository is deployed; modules have levels for files that they may get later.
                hierarchy.is_open |= found.is_empty() && hierarchy.module.is_none();
                if found.is_empty()
                    && hierarchy.module.is_none()
                    && config.path.is_some()
                    && !pattern.contains("%{")
                    && !pattern.contains('*')
                {
                    findings.extend(without_file(&hierarchy.source, &pattern, &there));
                }
                hierarchy
                    .files
                    .extend(found.into_iter().map(|path| datadir.join(path).to_string_lossy().into_owned()));
            }
        }
        (Some(hierarchy), findings)
    }
}

/// The directory of a repository that a data directory names. An absolute one names the place where the repository is deployed: the
/// directory of its environment, or that of its module.
fn local_directory(world: &dyn World, root: &Path, datadir: &str) -> Option<PathBuf> {
    if !datadir.contains("%{") && !datadir.starts_with('/') {
        return Some(root.join(datadir));
    }
    let deployed =
        ["%{environment}", "%{::environment}", "%{server_facts.environment}", "/environments/production"];
    let inside = deployed.iter().find_map(|mark| datadir.rsplit_once(mark)).map(|(_, inside)| inside)?;
    let inside = inside.trim_start_matches('/');
    let directory = root.join(inside);
    let is_here = !inside.is_empty() && !inside.contains("%{") && is_directory(world, &directory);
    is_here.then_some(directory)
}

/// The paths of a level, with their interpolations and wildcards.
fn patterns(locations: Option<&Locations>, is_open: &mut bool) -> Vec<String> {
    match locations {
        Some(Locations::Paths(paths) | Locations::Globs(paths)) => {
            paths.iter().map(|path| path.to_string()).collect()
        }
        Some(Locations::Mapped([_, name, path])) => {
            vec![path.replace(&format!("%{{{name}}}"), "%{mapped}").to_string()]
        }
        Some(Locations::Extended(paths, ending)) => {
            paths
                .iter()
                .map(|path| {
                    if path.ends_with(ending.as_str()) { path.to_string() } else { format!("{path}{ending}") }
                })
                .collect()
        }
        Some(Locations::Uris(_)) => {
            *is_open = true;
            Vec::new()
        }
        None => Vec::new(),
    }
}

/// Whether a path with interpolations can match that of a file; an interpolation matches anything.
pub fn finds(pattern: &str, path: &str) -> bool {
    // The literal parts between interpolations, which must occur in this order.
    let mut parts: Vec<String> = vec![String::new()];
    let mut rest = pattern.strip_prefix("./").unwrap_or(pattern);
    while let Some(letter) = rest.chars().next() {
        if rest.starts_with("%{") {
            rest = rest.split_once('}').map_or("", |(_, after)| after);
            parts.push(String::new());
        } else if letter == '*' || letter == '?' {
            rest = rest.trim_start_matches(['*', '?']);
            parts.push(String::new());
        } else if letter == '{' || letter == '[' {
            let close = if letter == '{' { '}' } else { ']' };
            rest = rest.split_once(close).map_or("", |(_, after)| after);
            parts.push(String::new());
        } else {
            if let Some(last) = parts.last_mut() {
                last.push(letter);
            }
            rest = &rest[letter.len_utf8()..];
        }
    }
    let (first, last) = (&parts[0], &parts[parts.len() - 1]);
    if parts.len() == 1 {
        return path == first;
    }
    let Some(mut middle) =
        path.strip_prefix(first.as_str()).and_then(|path| path.strip_suffix(last.as_str()))
    else {
        return false;
    };
    parts[1..parts.len() - 1].iter().all(|part| match middle.find(part.as_str()) {
        Some(at) => {
            middle = &middle[at + part.len()..];
            true
        }
        None => false,
    })
}

const TOP: &[&str] = &["version", "defaults", "hierarchy", "default_hierarchy", "plan_hierarchy"];
const LEVEL: &[&str] = &[
    "name",
    "options",
    "data_hash",
    "lookup_key",
    "hiera3_backend",
    "v4_data_hash",
    "data_dig",
    "path",
    "paths",
    "glob",
    "globs",
    "uri",
    "uris",
    "mapped_paths",
    "datadir",
];
const DEFAULTS: &[&str] = &["options", "data_hash", "lookup_key", "data_dig", "datadir"];

/// Unknown keys in a configuration of version 5.
fn unknown_keys(source: &Source) -> Vec<Finding> {
    let Ok(document) = yaml::read(source.text().as_bytes(), yaml::Options::HIERA) else { return Vec::new() };
    let Some(hash) = document.value.as_hash() else { return Vec::new() };
    // Levels of older versions have no keys: a configuration without a version whose levels have some is of version 5.
    let levels = hash.get("hierarchy").and_then(Value::as_array);
    let has_keys = levels.is_some_and(|levels| levels.iter().all(|level| level.as_hash().is_some()));
    let is_five = hash.get("version").map_or(has_keys, |version| *version == Value::Integer(5));
    if !is_five {
        return Vec::new();
    }
    let lines = yaml::lines(source.text().as_bytes());
    let mut findings = Vec::new();
    let mut check = |value: &Value, path: &[Value], known: &[&str]| {
        let keys = value.as_hash().into_iter().flat_map(|hash| hash.keys()).filter_map(Value::as_str);
        for key in keys.filter(|key| !known.contains(key)) {
            let mut full = path.to_vec();
            full.push(Value::from(key));
            let span = line_span(source, lines.at(&full), key);
            let mut wrong = diagnostic!(span, UNKNOWN_HIERA_KEY { key });
            wrong.hints.extend(suggest::hint(key, known.iter().copied()));
            findings.push(Finding::from(wrong.in_source(source)));
        }
    };
    check(&document.value, &[], TOP);
    if let Some(defaults) = hash.get("defaults") {
        check(defaults, &["defaults".into()], DEFAULTS);
    }
    for name in ["hierarchy", "default_hierarchy"] {
        let levels = hash.get(name).and_then(Value::as_array).into_iter().flat_map(|levels| levels.iter());
        for (level, at) in levels.zip(0i64..) {
            check(level, &[name.into(), at.into()], LEVEL);
        }
    }
    findings
}

/// The finding of a path without a file whose name is a typo of a file that is there. Any other file may be put in place when the
/// repository is deployed.
fn without_file(source: &Source, pattern: &str, there: &[String]) -> Option<Finding> {
    let near = suggest::nearest(pattern, there.iter().map(String::as_str))?;
    if !suggest::is_typo(pattern, near) {
        return None;
    }
    let line = source.text().lines().position(|line| line.contains(pattern)).map_or(1, |at| at as u32 + 1);
    let span = line_span(source, line, pattern);
    let wrong = diagnostic!(span, HIERA_PATH_WITHOUT_FILE { path: pattern });
    Some(Finding::from(wrong.hint(format!("did you mean `{near}`?")).in_source(source)))
}

/// A configuration that Puppet refuses, at the line of the error or of the entry that the message names.
fn refused_configuration(source: &Source, wrong: &kukla::Diagnostic) -> Finding {
    let line = wrong.shown_position().and_then(SourcePosition::line);
    let line = line.unwrap_or_else(|| yaml::lines(source.text().as_bytes()).at(&entry(&wrong.message())));
    let span = line_span(source, line, "");
    let place = Location { source: source.clone(), span };
    let mut found = diagnostic!(HIERA_CONFIG { problem: wrong.message() }).at(place);
    found.hints.extend(wrong.hints.iter().cloned());
    Finding::from(found)
}

/// The path of the entry that a message is about: `entry 'hierarchy' index 0 entry 'path' expects …`.
fn entry(message: &str) -> Vec<Value> {
    let words: Vec<&str> = message.split_whitespace().collect();
    let step = |pair: &[&str]| match pair {
        ["entry", name] => Some(Value::from(name.trim_matches('\''))),
        ["index", number] => Some(Value::Integer(number.parse().ok()?)),
        _ => None,
    };
    words.windows(2).filter_map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_messages_name() {
        let path = entry(
            "'/hiera.yaml' has wrong type, entry 'hierarchy' index 0 entry 'path' expects a String value",
        );
        assert_eq!(path, ["hierarchy".into(), 0i64.into(), "path".into()]);
    }

    #[test]
    fn paths_with_interpolations() {
        assert!(finds("nodes/%{trusted.certname}.yaml", "nodes/a.example.com.yaml"));
        assert!(finds("os/%{facts.os.name}/%{facts.os.release.major}.yaml", "os/Debian/12.yaml"));
        assert!(!finds("os/%{x}.yaml", "nodes/a.yaml") && !finds("common.yaml", "commons.yaml"));
        assert!(finds("*.yaml", "a.yaml") && finds("common.yaml", "common.yaml"));
    }
}
