//! Templates of modules against real Puppet: what they render with made-up variables must be the same to the byte.
//!
//! The variables that a template asks for are found in its text and given values at random, plausible ones first; where Puppet cannot
//! render it with them, Kukla must not either.
//!
//! * `KUKLA_REFERENCE=command` names a command that, given the argument `rpc`, answers as Puppet does; without it nothing is compared.
//! * `KUKLA_MODULES=directory:directory` names directories of modules.
//! * `KUKLA_SEED` picks other values, `KUKLA_ROUNDS` more of them for each template.
//! * `KUKLA_ONLY=part,part` chooses templates by a part of their name.

#![allow(clippy::disallowed_methods)] // a test runner reads the disk

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kukla_tests::subject::{Subject, chosen, compared};
use serde_json::{Value, json};

use super::chance::Chance;

/// What a variable may be.
const VALUES: [&str; 18] = [
    "'text'",
    "'two words'",
    "''",
    "42",
    "0",
    "true",
    "false",
    "['a', 'b']",
    "[]",
    "{'k' => 'v', 'n' => 1}",
    "[{'a' => 'x'}, {'a' => 'y', 'b' => ['c']}]",
    "undef",
    "'/etc/x'",
    "['one']",
    "{}",
    "1.5",
    "'80'",
    "{'k' => ['a', 'b'], 'l' => {'m' => 'n'}}",
];

/// What a variable that is used like a list, like a hash, or otherwise, may well be.
const LISTS: [&str; 3] = ["['a', 'b']", "[]", "['x y']"];
const HASHES: [&str; 2] = ["{'k' => 'v', 'n' => 1}", "{}"];
const SCALARS: [&str; 6] = ["'text'", "42", "true", "false", "undef", "'80'"];

/// Variables that are there or may not be set.
const RESERVED: [&str; 10] = [
    "facts",
    "trusted",
    "server_facts",
    "title",
    "name",
    "module_name",
    "environment",
    "caller_module_name",
    "main",
    "string",
];

#[test]
fn templates_render_as_in_puppet() {
    compared("kukla-tests/templates", run);
}

fn run() -> Result<bool, String> {
    let setting =
        |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (mut chance, rounds) = (Chance::new(setting("KUKLA_SEED", 1)), setting("KUKLA_ROUNDS", 2));
    let modules = std::env::var("KUKLA_MODULES").unwrap_or_default();
    let modulepath: Vec<PathBuf> =
        modules.split(':').filter(|path| !path.is_empty()).map(PathBuf::from).collect();
    let wanted = chosen();
    let ours = Subject::Kukla(Box::default());
    let theirs = Subject::from_environment()?;
    let (mut same, mut failed, mut different) = (0, 0, 0);
    for (name, text) in templates(&modulepath) {
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part)) {
            continue;
        }
        for round in 0..rounds {
            let code = program(&mut chance, &name, &text, round % 3 == 0);
            let params = json!({
                "code": code, "modulepath": modulepath,
                "settings": {"strict_variables": false, "log_level": "crit"},
            });
            let (mine, other) = (ours.ask("eval", params.clone()), theirs.ask("eval", params));
            match (mine["error"].is_object(), other["error"].is_object()) {
                (true, true) => failed += 1,
                (false, false) if mine["result"]["string"] == other["result"]["string"] => same += 1,
                _ => {
                    different += 1;
                    println!("{code}\n  ours   {}\n  theirs {}", answer_of(&mine), answer_of(&other));
                }
            }
        }
    }
    println!("{} rendered alike, {failed} by neither, {different} differ", same);
    Ok(different == 0)
}

fn answer_of(answer: &Value) -> &Value {
    if answer["error"].is_object() { &answer["error"]["message"] } else { &answer["result"]["string"] }
}

/// The templates of all modules, as `template` names them, with their text.
fn templates(modulepath: &[PathBuf]) -> Vec<(String, String)> {
    let entries = |path: &Path| {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let mut found = Vec::new();
    for module in modulepath.iter().flat_map(|path| entries(path)) {
        let top = module.join("templates");
        let Some(module) = module.file_name().and_then(|name| name.to_str()) else { continue };
        let mut open = vec![top.clone()];
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(entries(&path).into_iter().rev());
            } else if path.extension().is_some_and(|extension| extension == "erb")
                && let (Ok(inner), Ok(text)) = (path.strip_prefix(&top), std::fs::read(&path))
            {
                let text = String::from_utf8_lossy(&text).into_owned();
                found.push((format!("{module}/{}", inner.display()), text));
            }
        }
    }
    found
}

/// Puppet code that renders a template with a value for each variable it names.
fn program(chance: &mut Chance, name: &str, text: &str, plausible: bool) -> String {
    let mut code = String::new();
    for variable in variables(text) {
        let plausible = plausible || chance.one_in(4);
        let value = if plausible { likely(chance, text, &variable) } else { chance.pick(&VALUES) };
        code.push_str(&format!("${variable} = {value}\n"));
    }
    code + &format!("template('{name}')")
}

fn likely(chance: &mut Chance, text: &str, variable: &str) -> &'static str {
    let used = |methods: &[&str]| methods.iter().any(|name| text.contains(&format!("@{variable}.{name}")));
    if used(&["each_pair", "keys", "to_a", "sort_by", "key?", "sort.each", "each do |k"]) {
        chance.pick(&HASHES)
    } else if used(&[
        "each", "map", "join", "sort", "flatten", "select", "collect", "size", "empty", "include",
    ]) {
        chance.pick(&LISTS)
    } else {
        chance.pick(&SCALARS)
    }
}

/// The variables that a template names: `@x`, `scope['x']`, `scope.lookupvar('x')`, `has_variable?('x')`.
fn variables(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for opening in
        ["@", "scope['", "scope[\"", "lookupvar('", "lookupvar(\"", "has_variable?('", "has_variable?(\""]
    {
        for (at, _) in text.match_indices(opening) {
            let rest = text[at + opening.len()..].trim_start_matches("::");
            let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let own = !rest[name.len()..].starts_with("::");
            if own && name.starts_with(|c: char| c.is_ascii_lowercase()) && !RESERVED.contains(&&*name) {
                names.insert(name);
            }
        }
    }
    names
}
