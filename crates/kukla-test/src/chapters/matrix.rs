//! The matrix of a section: the combinations of fact sets, nodes, parameters and data that it runs in.
//!
//! ```yaml
//! os: supported              # or names and patterns of fact sets
//! node: [web1.example.com]   # or `all`
//! parameters:
//!   ensure: [present, absent]
//! data:
//!   plain: {}
//!   secure: {'web::tls': true}
//! exclude:
//!   - {os: 'ubuntu-*', ensure: absent}
//! ```

use kukla::facts::machine::{FactSet, dig};
use kukla::formats::yaml;
use kukla::rpc;
use kukla::world::glob;
use serde_json::{Map, Value, json};

use super::options::merge;
use super::read::MatrixText;
use crate::project::Project;

/// One combination.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// The values that tell it from the others; empty if there is only one.
    pub name: String,
    /// Request parameters, over those of the section.
    pub params: Map<String, Value>,
    /// Files besides those of the section.
    pub files: Vec<(String, String)>,
    /// The values by axis.
    values: Vec<(String, String)>,
    /// Why it cannot run.
    pub missing: Option<String>,
}

impl Case {
    fn and(&self, axis: &str, value: &Case) -> Case {
        let mut all = self.clone();
        let mut params = Value::Object(std::mem::take(&mut all.params));
        merge(&mut params, &Value::Object(value.params.clone()));
        if let Value::Object(params) = params {
            all.params = params;
        }
        all.files.extend(value.files.clone());
        all.values.push((axis.to_owned(), value.name.clone()));
        all.missing = all.missing.or_else(|| value.missing.clone());
        let label = if matches!(axis, "os" | "node" | "data") {
            value.name.clone()
        } else {
            format!("{axis}={}", value.name)
        };
        all.name = if all.name.is_empty() { label } else { format!("{}, {label}", all.name) };
        all
    }
}

/// The cases of a section: all combinations of its matrices, or the one without any.
pub fn cases(project: &Project, matrices: &[MatrixText]) -> Result<Vec<Case>, String> {
    let mut cases = vec![Case::default()];
    let mut axes: Vec<(String, Vec<Case>)> = Vec::new();
    let mut excluded = Vec::new();
    for matrix in matrices {
        let options = yaml::Options { aliases: true, symbols: false, times: false };
        let document =
            yaml::read(matrix.text.as_bytes(), options).map_err(|error| error.message("matrix"))?;
        let Value::Object(entries) = rpc::rich(&document.value) else {
            return Err("a matrix is a hash of axes".into());
        };
        for (name, value) in entries {
            if name == "exclude" {
                excluded.extend(rules(&value)?);
                continue;
            }
            for (name, values) in axis(project, &name, &value)? {
                // An inner section replaces the axis of an outer one.
                match axes.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) => *known = values,
                    None => axes.push((name, values)),
                }
            }
        }
    }
    for (name, values) in &axes {
        cases = cases.iter().flat_map(|case| values.iter().map(|value| case.and(name, value))).collect();
    }
    cases.retain(|case| !excluded.iter().any(|rule| excludes(rule, case)));
    Ok(cases)
}

type Rule = Vec<(String, String)>;

fn rules(value: &Value) -> Result<Vec<Rule>, String> {
    let list = value.as_array().ok_or("exclude is an array of hashes")?;
    let rule = |rule: &Value| {
        let entries = rule.as_object().ok_or("exclude is an array of hashes")?;
        Ok(entries.iter().map(|(axis, value)| (axis.clone(), label(value))).collect())
    };
    list.iter().map(rule).collect()
}

fn excludes(rule: &Rule, case: &Case) -> bool {
    rule.iter().all(|(axis, pattern)| {
        case.values.iter().any(|(own, value)| own == axis && glob::fits(pattern, value))
    })
}

fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn list(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values.clone(),
        one => vec![one.clone()],
    }
}

/// The axes of a key of a matrix, each with its values.
fn axis(project: &Project, name: &str, value: &Value) -> Result<Vec<(String, Vec<Case>)>, String> {
    let hash = || value.as_object().ok_or_else(|| format!("`{name}` is a hash"));
    let named = |label: &str, params: Value| Case {
        name: label.to_owned(),
        params: params.as_object().cloned().unwrap_or_default(),
        ..Case::default()
    };
    match name {
        "os" => Ok(vec![("os".into(), systems(project, value)?)]),
        "node" | "nodes" => {
            let nodes = nodes(project, value)?;
            Ok(vec![("node".into(), nodes.iter().map(|node| named(node, json!({"node": node}))).collect())])
        }
        "facts" => {
            let sets = hash()?.iter().map(|(label, facts)| named(label, json!({"facts": facts})));
            Ok(vec![("facts".into(), sets.collect())])
        }
        "parameters" => {
            let axes = hash()?.iter().map(|(parameter, values)| {
                let values = list(values);
                let cases =
                    values.iter().map(|value| named(&label(value), json!({"variables": {parameter: value}})));
                (parameter.clone(), cases.collect())
            });
            Ok(axes.collect())
        }
        "data" => {
            let layers = hash()?.iter().map(|(label, data)| {
                let hierarchy = "{version: 5, hierarchy: [{name: matrix, path: matrix.yaml}]}";
                let files = [
                    ("global/hiera.yaml", hierarchy.to_owned()),
                    ("global/data/matrix.yaml", data.to_string()),
                ];
                let files = files.into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
                Case { name: label.clone(), files, ..Case::default() }
            });
            Ok(vec![("data".into(), layers.collect())])
        }
        other => {
            Err(format!("unknown axis `{other}`; there are os, node, facts, parameters, data and exclude"))
        }
    }
}

/// The nodes with facts in the control repository, or those that are named.
fn nodes(project: &Project, value: &Value) -> Result<Vec<String>, String> {
    let known = || {
        let entries = project.world.list(&project.root.join("facts"));
        let names = entries.iter().filter(|entry| !entry.is_directory);
        let names = names.filter_map(|entry| Some(entry.name.rsplit_once('.')?.0.to_owned()));
        names.collect::<Vec<_>>()
    };
    let mut nodes = Vec::new();
    for pattern in list(value) {
        let pattern = pattern.as_str().ok_or("`node` has names")?.to_owned();
        match pattern.as_str() {
            "all" => nodes.extend(known()),
            pattern if pattern.contains(['*', '?']) => {
                nodes.extend(known().into_iter().filter(|node| glob::fits(pattern, node)))
            }
            _ => nodes.push(pattern),
        }
    }
    if nodes.is_empty() { Err("no node has facts in the directory `facts`".into()) } else { Ok(nodes) }
}

fn systems(project: &Project, value: &Value) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    for pattern in list(value) {
        let pattern = pattern.as_str().ok_or("`os` has names of fact sets")?.to_owned();
        let sets: Vec<Case> = match pattern.as_str() {
            "supported" => supported(project)?,
            pattern if pattern.contains(['*', '?', '{']) => {
                let fits = |set: &FactSet| is_default(set) && glob::fits(pattern, &set.name());
                FactSet::all().filter(fits).map(|set| of_set(&set)).collect()
            }
            pattern => vec![of_set(&FactSet::require(pattern).map_err(|problem| problem.with_help())?)],
        };
        if sets.is_empty() {
            return Err(format!("no fact set matches `{pattern}`; `kukla facts list` lists all sets"));
        }
        for case in sets {
            if !cases.iter().any(|known| known.name == case.name) {
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

fn of_set(set: &FactSet) -> Case {
    let params = Map::from_iter([("fact_set".to_owned(), Value::from(set.name()))]);
    Case { name: set.name(), params, ..Case::default() }
}

/// Whether it is the set of the first architecture of its system.
fn is_default(set: &FactSet) -> bool {
    !set.name().ends_with(&format!("-{}", set.architecture()))
}

/// The fact sets of the operating systems that `metadata.json` names, in its order. One without a fact set is a case that cannot run.
pub fn supported(project: &Project) -> Result<Vec<Case>, String> {
    let metadata = project.metadata().ok_or("`os: supported` requires a module with a metadata.json")?;
    let systems = metadata["operatingsystem_support"].as_array().map(Vec::as_slice).unwrap_or_default();
    let known: Vec<(FactSet, String, String, String)> = FactSet::all()
        .filter(is_default)
        .map(|set| {
            let facts = set.facts("supported.example.com");
            let text = |path: &str| {
                dig(&facts, path)
                    .map(|value| kukla::values::format::to_s(&value).to_string())
                    .unwrap_or_default()
            };
            (set, text("os.name"), text("os.release.major"), text("os.release.full"))
        })
        .collect();
    let mut cases = Vec::new();
    for system in systems {
        let name = system["operatingsystem"].as_str().unwrap_or_default();
        let of_name = |own: &str| own.eq_ignore_ascii_case(name);
        let Some(releases) = system["operatingsystemrelease"].as_array() else {
            cases.extend(known.iter().filter(|(_, own, ..)| of_name(own)).map(|(set, ..)| of_set(set)));
            continue;
        };
        for release in releases.iter().filter_map(Value::as_str) {
            let found = known
                .iter()
                .find(|(_, own, major, full)| of_name(own) && (major == release || full == release));
            cases.push(match found {
                Some((set, ..)) => of_set(set),
                None => Case {
                    name: format!("{name}-{release}").to_lowercase(),
                    missing: Some(format!("no fact set for {name} {release}")),
                    ..Case::default()
                },
            });
        }
    }
    if cases.is_empty() { Err("metadata.json names no operating systems".into()) } else { Ok(cases) }
}
