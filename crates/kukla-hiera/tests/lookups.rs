//! Generated hierarchies against real Puppet: set `KUKLA_REFERENCE` to a command that speaks the machine interface when
//! given the argument `rpc`. Compares values, errors, warnings and explanations.
#![allow(clippy::disallowed_methods, reason = "the reference reads its files from disk")]

use std::collections::BTreeMap;
use std::sync::Arc;

use kukla_hiera::memory::MemoryHost;
use kukla_hiera::{DataCache, ErrorKind, LookupHit, LookupRequest, Session, Settings};
use kukla_syntax::Strict;
use kukla_values::{Hash, Str, Value};
use kukla_world::MemoryWorld;
use serde_json::{Value as Json, json};

use crate::support::{Dice, Reference, number};
use crate::values::{from_json, to_json};

const KEYS: [&str; 8] = ["alpha", "beta", "gamma", "delta", "list", "hash", "deep", "text"];
const MODULE_KEYS: [&str; 6] = ["one::p", "one::q", "one::r", "two::p", "two::q", "three::p"];
const VARIABLES: [&str; 7] =
    ["role", "::role", "facts.os.family", "os.release.major", "trusted.certname", "tier", "'role'"];

fn scalar(dice: &mut Dice) -> Json {
    match dice.roll(9) {
        0 => json!(dice.roll(50)),
        1 => json!(dice.one_in(2)),
        2 => Json::Null,
        3 => json!(1.5),
        4 => json!(format!("--{}", dice.pick(&["a", "b", "c"]))),
        _ => json!(dice.pick(&["a", "b", "c", "d", "red", "green"])),
    }
}

/// A value, often with interpolations.
fn value(dice: &mut Dice, depth: usize) -> Json {
    match dice.roll(if depth == 0 { 9 } else { 16 }) {
        0 => json!(format!("x%{{{}}}y", dice.pick(&VARIABLES))),
        1 => json!(format!("%{{lookup('{}')}}", dice.pick(&KEYS))),
        2 => match dice.roll(6) {
            0 => json!(format!("%{{alias('{}')}}", dice.pick(&KEYS))),
            1 => json!(format!(
                "%{{hiera(\"{}\")}} and %{{ {} }}",
                dice.pick(&MODULE_KEYS),
                dice.pick(&VARIABLES)
            )),
            2 => json!("%{literal('%')}{role} %{} %{::} %{''}"),
            3 => json!(format!("%{{lookup('{}.{}')}}", dice.pick(&KEYS), dice.pick(&["a", "b", "0", "'a'"]))),
            4 => json!(format!(
                "%{{scope('{}')}}%{{facts.{}}}",
                dice.pick(&VARIABLES),
                dice.pick(&["nothing", "list", "os"])
            )),
            _ if !dice.one_in(12) => json!("plain"),
            _ => json!(dice.pick(&[
                "%{nowhere}",
                "a %{alias('text')}",
                "%{lookup('a..b')}",
                "%{what('x')}",
                "%{unclosed",
                "%{role.x}",
                "%{::nowhere}"
            ])),
        },
        3..=8 => scalar(dice),
        9..=11 => (0..dice.roll(4)).map(|_| value(dice, depth - 1)).collect(),
        _ => {
            let mut map = serde_json::Map::new();
            for _ in 0..dice.roll(4) {
                let key = match dice.roll(12) {
                    0 => "%{role}".to_owned(),
                    _ => dice.pick(&["a", "b", "c", "d"]).to_owned(),
                };
                map.insert(key, value(dice, depth - 1));
            }
            map.into()
        }
    }
}

fn merge_option(dice: &mut Dice) -> Json {
    match dice.roll(8) {
        0 | 1 => json!("unique"),
        2 | 3 => json!("hash"),
        4 | 5 => json!("deep"),
        6 => json!({"strategy": "deep", "knockout_prefix": "--", "sort_merged_arrays": dice.one_in(2)}),
        _ => json!({"strategy": "deep", "merge_hash_arrays": true}),
    }
}

fn lookup_options(dice: &mut Dice, keys: &[&str]) -> Json {
    let mut map = serde_json::Map::new();
    for _ in 0..1 + dice.roll(4) {
        let key = match dice.pick(keys) {
            key if dice.one_in(4) => format!("^{}.*", &key[..key.len() - 1]),
            key => key.to_owned(),
        };
        let mut options = serde_json::Map::new();
        if !dice.one_in(5) {
            options.insert("merge".into(), merge_option(dice));
        }
        if dice.one_in(8) {
            options.insert("convert_to".into(), json!(dice.pick(&["Sensitive", "Integer"])));
        }
        map.insert(key, options.into());
    }
    map.into()
}

fn data(dice: &mut Dice, keys: &[&str], own: bool) -> String {
    match dice.roll(40) {
        0 => return String::new(),
        1 => return "# nothing\n".into(),
        2 if dice.one_in(6) => return "- a\n".into(),
        3 if dice.one_in(6) => return "a: [b\n".into(),
        4 if dice.one_in(6) => return "text: :symbol\nalpha: 2001-01-01\n".into(),
        _ => {}
    }
    let mut map = serde_json::Map::new();
    for _ in 0..1 + dice.roll(8) {
        let key = match dice.roll(20) {
            0 if own => "foreign",
            _ => dice.pick(keys),
        };
        let value = match key {
            "list" => (0..dice.roll(4)).map(|_| value(dice, 1)).collect(),
            "hash" | "deep" => {
                let names: Vec<&str> = (0..dice.roll(5)).map(|_| dice.pick(&["a", "b", "c", "d"])).collect();
                names
                    .into_iter()
                    .map(|name| (name.to_owned(), value(dice, 2)))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }
            _ => value(dice, 2),
        };
        map.insert(key.into(), value);
    }
    if dice.one_in(3) {
        map.insert("lookup_options".into(), lookup_options(dice, keys));
    }
    // JSON is YAML, and says exactly what it means.
    Json::from(map).to_string()
}

/// A hierarchy of some levels, with the data files it may read.
fn hierarchy(dice: &mut Dice, root: &str, keys: &[&str], module: bool, files: &mut BTreeMap<String, String>) {
    let mut text = String::from("version: 5\n");
    let datadir = dice.pick(&["data", "data", "hieradata", "d/%{role}"]);
    if dice.one_in(2) || datadir != "data" {
        text += &format!("defaults:\n  datadir: \"{datadir}\"\n  data_hash: yaml_data\n");
    }
    let datadir = format!("{root}/{}", datadir.replace("%{role}", "web"));
    let mut level = |dice: &mut Dice, name: &str| {
        let mut text = format!("- name: {name}\n");
        let json = dice.one_in(6);
        if json {
            text += "  data_hash: json_data\n";
        }
        let extension = if json { "json" } else { "yaml" };
        let paths = [
            "common",
            "%{role}",
            "os/%{facts.os.family}",
            "%{::tier}",
            "node/%{trusted.certname}",
            "other",
            "%{absent}",
        ];
        let path = |dice: &mut Dice| format!("{}.{extension}", dice.pick(&paths));
        match dice.roll(8) {
            0 => text += &format!("  paths: [\"{}\", \"{}\"]\n", path(dice), path(dice)),
            1 => {
                text += &format!(
                    "  glob: \"{}.{extension}\"\n",
                    dice.pick(&["*", "**/*", "{common,web}", "os/*"])
                )
            }
            2 => {
                text += &format!(
                    "  mapped_paths: [{}, item, \"m/%{{item}}.{extension}\"]\n",
                    dice.pick(&["facts.list", "list", "role", "tier.x"])
                )
            }
            _ => text += &format!("  path: \"{}\"\n", path(dice)),
        }
        for name in ["common", "web", "os/Debian", "gold", "node/node1", "other", "m/x", "m/y"] {
            if !dice.one_in(3) {
                let mut text = data(dice, keys, module);
                if json && !text.starts_with('{') {
                    text = "{}".into();
                }
                files.insert(format!("{datadir}/{name}.{extension}"), text);
            }
        }
        text
    };
    text += "hierarchy:\n";
    for n in 0..1 + dice.roll(4) {
        text += &level(dice, &format!("level {n}"));
    }
    if module && dice.one_in(2) {
        text += "default_hierarchy:\n";
        for n in 0..1 + dice.roll(2) {
            text += &level(dice, &format!("default {n}"));
        }
    }
    files.insert(format!("{root}/hiera.yaml"), text);
}

fn trusted() -> Hash {
    let mut trusted: Hash = [("authenticated", "remote"), ("certname", "node1")].into_iter().collect();
    trusted.insert("domain", Value::Undef);
    trusted.insert("extensions", Hash::new());
    trusted.insert("external", Hash::new());
    trusted.insert("hostname", "node1");
    trusted
}

struct Question {
    host: MemoryHost,
    settings: Settings,
    key: Str,
    merge: Option<Value>,
    default: Option<Value>,
    params: Json,
}

fn questions(base: &str, worlds: u64, lookups: usize) -> (BTreeMap<String, String>, Vec<Question>) {
    let mut all = BTreeMap::new();
    let mut questions = Vec::new();
    for world in 0..worlds {
        let mut dice = Dice::new(world);
        let root = format!("{base}/{world}");
        let environment = format!("{root}/environments/production");
        let mut files = BTreeMap::new();
        files.insert(format!("{environment}/environment.conf"), String::new());
        if !dice.one_in(3) {
            hierarchy(&mut dice, &format!("{root}/global"), &KEYS, false, &mut files);
        }
        if !dice.one_in(6) {
            let keys: Vec<&str> = KEYS.iter().chain(&MODULE_KEYS).copied().collect();
            hierarchy(&mut dice, &environment, &keys, false, &mut files);
        }
        for (module, keys) in [("one", &MODULE_KEYS[..3]), ("two", &MODULE_KEYS[3..5])] {
            files.insert(format!("{environment}/modules/{module}/manifests/init.pp"), String::new());
            if !dice.one_in(4) {
                hierarchy(&mut dice, &format!("{environment}/modules/{module}"), keys, true, &mut files);
            }
        }
        let facts = json!({"role": "web", "tier": "gold", "list": ["x", "y"],
            "os": {"family": "Debian", "release": {"major": "12"}}});
        let mut variables: Hash = match from_json(&facts) {
            Value::Hash(hash) => hash,
            _ => Hash::new(),
        };
        variables.insert("facts", from_json(&facts));
        variables.insert("trusted", trusted());
        let host = MemoryHost {
            world: files
                .iter()
                .fold(MemoryWorld::default(), |world, (path, text)| world.with(path, text.as_str())),
            variables,
            modules: format!("{environment}/modules"),
            ..MemoryHost::default()
        };
        let settings = Settings {
            global_config: Some(format!("{root}/global/hiera.yaml")),
            environment: "production".into(),
            environment_root: Some(environment.clone()),
            strict: Strict::Error,
            ..Settings::default()
        };
        all.extend(files.clone());
        for _ in 0..lookups {
            let mut key = match dice.roll(3) {
                0 => dice.pick(&MODULE_KEYS).to_owned(),
                _ => dice.pick(&KEYS).to_owned(),
            };
            if dice.one_in(5) {
                key += dice.pick(&[".a", ".b.c", ".0", ".a.0", ".'b'", "..x", ".nothing"]);
            }
            let (mut merge_by, mut default) = (None, None);
            let mut params = json!({
                "key": key, "node": "node1", "facts": facts, "explain": true,
                "environmentpath": format!("{root}/environments"), "modulepath": [format!("{environment}/modules")],
            });
            if files.contains_key(&format!("{root}/global/hiera.yaml")) {
                params["hiera_config"] = json!(format!("{root}/global/hiera.yaml"));
            }
            if dice.one_in(3) {
                let merge = match dice.roll(12) {
                    0 => json!({"strategy": "first"}),
                    1 => json!({"strategy": "nonsense"}),
                    2 => json!({"strategy": "hash", "knockout_prefix": "x"}),
                    3 => json!({"strategy": "reverse_deep"}),
                    _ => match merge_option(&mut dice) {
                        Json::String(name) => json!({"strategy": name}),
                        other => other,
                    },
                };
                merge_by = Some(from_json(&merge));
                params["merge"] = merge;
            }
            if !dice.one_in(6) {
                default = Some("fallback".into());
                params["default"] = json!("fallback");
            }
            let (host, settings, key) = (host.clone(), settings.clone(), key.into());
            questions.push(Question { host, settings, key, merge: merge_by, default, params });
        }
    }
    (all, questions)
}

fn ours(question: &Question) -> Json {
    let mut session = Session::new(Arc::new(DataCache::new()), question.settings.clone());
    let mut host = question.host.clone();
    let request = LookupRequest {
        merge: question.merge.clone(),
        default: question.default.clone(),
        ..LookupRequest::key(question.key.clone())
    };
    let (found, explanation) = session.explain(&mut host, &request);
    // Cached answers, of this compilation and of others, are the same.
    let describe = |found: &kukla_hiera::Result<LookupHit>| match found {
        Ok(found) => format!("{:?} {:?}", found.value, found.origins),
        Err(error) => error.message().to_owned(),
    };
    let mut other = Session::new(session.cache().clone(), question.settings.clone());
    for session in [&mut session, &mut other] {
        for _ in 0..2 {
            let again = session.lookup(&mut question.host.clone(), &request);
            assert_eq!(describe(&again), describe(&found), "{}", question.params);
        }
    }
    match found {
        Ok(found) => json!({
            "value": to_json(&found.value), "warnings": host.warnings, "explain": explanation.puppet_text(),
        }),
        Err(error) => {
            let issue = match error.kind() {
                ErrorKind::Data => error.diagnostic().issue,
                ErrorKind::Plain if error.message().starts_with("Lookup of key") => "ERROR",
                ErrorKind::Plain | ErrorKind::Caller => error.diagnostic().issue,
            };
            json!({"message": error.message(), "issue": issue, "warnings": host.warnings})
        }
    }
}

fn theirs(answer: &Json) -> Json {
    let logs = answer["result"]["logs"].as_array().or(answer["logs"].as_array());
    let warnings: Vec<&Json> = logs.into_iter().flatten().map(|log| &log["message"]).collect();
    match answer.get("error") {
        Some(error) => json!({"message": error["message"], "issue": error["issue"], "warnings": warnings}),
        None => json!({
            "value": answer["result"]["value"], "warnings": warnings, "explain": answer["result"]["explain"],
        }),
    }
}

/// Differences that are meant, made equal.
fn settle(ours: &mut Json, theirs: &mut Json) {
    // What becomes sensitive is never shown.
    if ours["explain"].as_str().is_some_and(|text| text.contains("Sensitive")) {
        ours["explain"] = Json::Null;
        theirs["explain"] = Json::Null;
    }
    // A message of Ruby's that differs from version to version.
    for side in [ours, theirs] {
        let Some(message) = side["message"].as_str() else { continue };
        // Ruby's integers answer `[]` and nothing else a hash does; we say what is wrong.
        if message.contains("undefined method `include?'") || message.contains("Got Integer when a hash-like")
        {
            side["issue"] = Json::Null;
            side["message"] = json!("no hash");
            continue;
        }
        if message.contains("comparison of ") {
            side["message"] = json!("comparison failed");
        } else if let Some((start, _)) = message.split_once("raised error: ") {
            // Conversions are the host's.
            side["message"] = json!(start);
        }
    }
}

#[test]
fn generated_hierarchies() {
    let Some(mut reference) = Reference::start() else { return };
    let version = reference.ask("version", &json!({}));
    let release = version["result"]["version"].as_str().and_then(|text| text.split('.').next()?.parse().ok());
    if release.is_none_or(|release: u32| release < 8) {
        kukla_testing::skip("kukla-hiera/lookups", "the reference is not Puppet 8 or newer");
        return;
    }
    let base = std::env::temp_dir().join(format!("kukla-lookups-{}", std::process::id()));
    let base_text = base.to_string_lossy().into_owned();
    let (files, questions) =
        questions(&base_text, number("KUKLA_WORLDS", 60), number("KUKLA_LOOKUPS", 50) as usize);
    for (path, text) in &files {
        let path = std::path::Path::new(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let mut wrong = Vec::new();
    let mut errors = 0;
    for question in &questions {
        let answer = reference.ask("lookup", &question.params);
        let (mut ours, mut theirs) = (ours(question), theirs(&answer));
        errors += usize::from(theirs.get("message").is_some());
        settle(&mut ours, &mut theirs);
        // Puppet merges in place: what its explanation shows as found may since have been sorted, or knocked out.
        let merge = &question.params["merge"];
        let in_place = merge["sort_merged_arrays"] == true || merge["knockout_prefix"].is_string();
        if in_place && ours["value"] == theirs["value"] {
            ours["explain"] = Json::Null;
            theirs["explain"] = Json::Null;
        }
        // As text, because the order of keys matters.
        if format!("{ours}") != format!("{theirs}") {
            let world = question.params["environmentpath"].as_str().unwrap_or_default();
            let mut report = format!(
                "{world} {} {} {}\n",
                question.params["key"], question.params["merge"], question.params["default"]
            );
            for part in ["value", "message", "issue", "warnings", "explain"] {
                if ours[part] != theirs[part] {
                    let show = |side: &Json| {
                        side[part].as_str().map_or_else(|| side[part].to_string(), str::to_owned)
                    };
                    let (left, right) = (show(&ours), show(&theirs));
                    let same = left.lines().zip(right.lines()).take_while(|(a, b)| a == b).count();
                    let near = |text: &str| {
                        text.lines()
                            .skip(same.saturating_sub(4))
                            .take(9)
                            .collect::<Vec<_>>()
                            .join("\n          ")
                    };
                    report += &format!(" {part}\n  ours:   {}\n  Puppet: {}\n", near(&left), near(&right));
                }
            }
            wrong.push(report);
        }
    }
    eprintln!("{} lookups, {errors} of them errors, {} differ", questions.len(), wrong.len());
    if std::env::var_os("KUKLA_KEEP").is_none() {
        std::fs::remove_dir_all(&base).ok();
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
}
