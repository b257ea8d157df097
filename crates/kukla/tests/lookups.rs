//! Calls of `lookup` and its older kin in generated environments, against real Puppet: set `KUKLA_REFERENCE` to a command that
//! speaks the machine interface when given the argument `rpc`. Compares values, types, errors and logs.
#![allow(clippy::disallowed_methods, reason = "the reference reads its files from disk")]

use std::fmt::Write as _;
use std::path::Path;

use kukla::rpc::Server;
use serde_json::{Value as Json, json};

use crate::common::write as put;
use crate::support::{Dice, Reference, number};

const KEYS: [&str; 7] = ["alpha", "beta", "list", "hash", "one::p", "one::q", "two::p"];
const TYPES: [&str; 7] = ["String", "Integer", "Array", "Hash", "Any", "Optional[Integer]", "Enum['a', 'b']"];

/// A value in Puppet notation, which JSON and YAML can read too.
fn value(dice: &mut Dice, depth: usize) -> Json {
    match dice.roll(if depth == 0 { 6 } else { 10 }) {
        0 => json!(dice.roll(9)),
        1 => json!("x %{tier}"),
        2 => json!(format!("%{{lookup('{}')}}", dice.pick(&KEYS))),
        3 => Json::Null,
        4 | 5 => json!(dice.pick(&["a", "b", "c"])),
        6 | 7 => (0..dice.roll(4)).map(|_| value(dice, depth - 1)).collect(),
        _ => (0..dice.roll(4))
            .map(|_| (dice.pick(&["a", "b", "c"]).to_owned(), value(dice, depth - 1)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

fn table(dice: &mut Dice, keys: &[&str]) -> Json {
    let mut map = serde_json::Map::new();
    for _ in 0..1 + dice.roll(4) {
        map.insert(dice.pick(keys).to_owned(), value(dice, 2));
    }
    if dice.one_in(3) {
        let merge = dice.pick(&["unique", "hash", "deep", "first"]);
        map.insert("lookup_options".into(), json!({dice.pick(keys): {"merge": merge}}));
    }
    map.into()
}

/// A value as Puppet code.
fn code(value: &Json) -> String {
    match value {
        Json::Null => "undef".into(),
        Json::String(text) => format!("'{}'", text.replace('\'', "\\'")),
        Json::Array(list) => format!("[{}]", list.iter().map(code).collect::<Vec<_>>().join(", ")),
        Json::Object(map) => {
            let entry = |(key, value): (&String, &Json)| format!("'{key}' => {}", code(value));
            format!("{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Writes a backend function of some kind.
fn function(dice: &mut Dice, root: &Path, kind: &str, name: &str, keys: &[&str]) {
    let table = code(&table(dice, keys));
    let body = match kind {
        "data_hash" => "$all".to_owned(),
        "lookup_key" => match dice.roll(3) {
            0 => "if $all[$key] =~ Undef { $context.not_found } else { $all[$key] }".into(),
            1 => "if $key in $all { $context.interpolate($all[$key]) } else { $context.not_found }".into(),
            _ => "if $context.cache_has_key($key) { $context.cached_value($key) } elsif $key in $all { $context.cache($key, $all[$key]) } else { $context.not_found }".into(),
        },
        _ => "$found = $all.dig(*$key)\n  if $found =~ Undef { $context.not_found } else { $found }".to_owned(),
    };
    let first = match kind {
        "data_hash" => "",
        "lookup_key" => "Variant[String, Numeric] $key, ",
        _ => "Array[Variant[String, Numeric]] $key, ",
    };
    let leaf = name.rsplit("::").next().unwrap_or(name);
    put(
        &root.join(format!("functions/{leaf}.pp")),
        &format!(
            "function {name}({first}Hash $options, Puppet::LookupContext $context) {{\n  $all = {table}\n  {body}\n}}\n"
        ),
    );
}

fn hierarchy(dice: &mut Dice, root: &Path, functions: &Path, module: &str, keys: &[&str]) {
    let mut text = String::from("version: 5\nhierarchy:\n");
    for level in 0..1 + dice.roll(4) {
        let _ = writeln!(text, "- name: level {level}");
        match dice.roll(6) {
            0..=2 => {
                let _ = writeln!(text, "  path: \"{level}-%{{tier}}.yaml\"");
                put(&root.join(format!("data/{level}-gold.yaml")), &table(dice, keys).to_string());
            }
            kind => {
                let kind = ["data_hash", "lookup_key", "data_dig"][kind - 3];
                let name = format!("{module}::{kind}{level}");
                let _ = writeln!(text, "  {kind}: {name}\n  options: {{a: \"%{{tier}}\"}}");
                function(dice, functions, kind, &name, keys);
            }
        }
    }
    put(&root.join("hiera.yaml"), &text);
}

/// A call in one of its many forms.
fn call(dice: &mut Dice) -> String {
    let mut key = dice.pick(&KEYS).to_owned();
    if dice.one_in(5) {
        key += dice.pick(&[".a", ".0", ".b.c"]);
    }
    if dice.one_in(5) {
        let function = dice.pick(&["hiera", "hiera_array", "hiera_hash"]);
        return match dice.roll(3) {
            0 => format!("{function}('{key}')"),
            1 => format!("{function}('{key}', {})", code(&value(dice, 1))),
            _ => format!("{function}('{key}') |$k| {{ \"no ${{k}}\" }}"),
        };
    }
    let name = match dice.roll(4) {
        0 => format!("['{}', '{key}']", dice.pick(&["nowhere", "alpha", "one::p"])),
        _ => format!("'{key}'"),
    };
    let ty = dice.pick(&TYPES);
    let merge = match dice.roll(6) {
        0 => "{strategy => deep, knockout_prefix => '--'}".to_owned(),
        1 => "{strategy => deep, merge_hash_arrays => true}".to_owned(),
        _ => format!("'{}'", dice.pick(&["first", "unique", "hash", "deep", "deep", "sideways"])),
    };
    let block = match dice.roll(6) {
        0 => " |$k| { \"no ${k}\" }",
        1 => " |$k| { 1 }",
        _ => "",
    };
    match dice.roll(6) {
        0 => format!("lookup({name}){block}"),
        1 => format!("lookup({name}, {ty}){block}"),
        2 => format!("lookup({name}, {ty}, {merge}){block}"),
        3 => format!("lookup({name}, {ty}, {merge}, {})", code(&value(dice, 1))),
        _ => {
            let mut options = Vec::new();
            if dice.one_in(3) {
                options.push(format!("value_type => {ty}"));
            }
            if dice.one_in(3) {
                options.push(format!("merge => {merge}"));
            }
            if dice.one_in(3) {
                options.push(format!("default_value => {}", code(&value(dice, 1))));
            }
            if dice.one_in(3) {
                options.push(format!("override => {{'{}' => {}}}", dice.pick(&KEYS), code(&value(dice, 1))));
            }
            if dice.one_in(3) {
                let entry = format!("'{}' => {}", dice.pick(&KEYS), code(&value(dice, 1)));
                options.push(format!("default_values_hash => {{{entry}}}"));
            }
            if dice.one_in(2) {
                options.insert(0, format!("name => {name}"));
                format!("lookup({{{}}}){block}", options.join(", "))
            } else {
                format!("lookup({name}, {{{}}}){block}", options.join(", "))
            }
        }
    }
}

fn world(dice: &mut Dice, root: &Path) -> Json {
    let environment = root.join("environments/production");
    put(&environment.join("environment.conf"), "");
    hierarchy(dice, &environment, &environment.join("modules/site"), "site", &KEYS);
    for (module, keys) in [("one", &KEYS[4..6]), ("two", &KEYS[6..])] {
        let home = environment.join("modules").join(module);
        put(&home.join("manifests/init.pp"), &format!("class {module} {{ }}\n"));
        if !dice.one_in(3) {
            hierarchy(dice, &home, &home, module, keys);
        }
    }
    let mut params = json!({
        "node": "node1", "facts": {"tier": "gold"},
        "environmentpath": root.join("environments"), "modulepath": [environment.join("modules")],
    });
    if dice.one_in(3) {
        put(&root.join("global/hiera.yaml"), "version: 5\nhierarchy:\n- {name: global, path: g.yaml}\n");
        put(&root.join("global/data/g.yaml"), &table(dice, &KEYS).to_string());
        params["hiera_config"] = json!(root.join("global/hiera.yaml"));
    }
    params
}

/// A message without the release of Puppet whose documentation it links to.
fn without_release(message: &str) -> String {
    const LINK: &str = "https://puppet.com/docs/puppet/";
    match message.split_once(LINK) {
        Some((before, after)) => {
            let page = after.split_once('/').map_or(after, |(_, page)| page);
            format!("{before}{LINK}{page}")
        }
        None => message.to_owned(),
    }
}

/// The compared part of an answer.
fn essence(answer: &Json) -> Json {
    let logs = answer["result"]["logs"].as_array().or(answer["logs"].as_array());
    let logs: Vec<Json> = logs
        .into_iter()
        .flatten()
        .map(|log| json!([log["level"], without_release(log["message"].as_str().unwrap_or_default())]))
        .collect();
    match answer.get("error") {
        Some(error) => json!({
            "kind": error["kind"], "issue": error["issue"], "message": error["message"],
            "file": error["file"], "line": error["line"], "logs": logs,
        }),
        None => {
            let result = &answer["result"];
            json!({"value": result["value"], "type": result["type"], "string": result["string"], "logs": logs})
        }
    }
}

fn ours(server: &Server, params: &Json) -> Json {
    let answer = server.answer(&json!({"method": "eval", "params": params}).to_string());
    essence(&serde_json::from_str(&answer).expect("JSON"))
}

/// Puppet breaks instead of saying what is wrong, or says it in Ruby's words.
fn is_accident(theirs: &Json) -> bool {
    theirs["message"].as_str().is_some_and(|message| {
        message.contains("undefined method") || message.contains("no implicit conversion")
    })
}

#[test]
fn calls_like_puppet() {
    let Some(mut reference) = Reference::start() else { return };
    let worlds = number("KUKLA_WORLDS", 60);
    let base = std::env::temp_dir().join(format!("kukla-calls-{}", std::process::id()));
    let server = Server::default();
    let (mut asked, mut accidents, mut wrong) = (0, 0, Vec::new());
    for nth in 0..worlds {
        let mut dice = Dice::new(nth);
        let params = world(&mut dice, &base.join(nth.to_string()));
        for _ in 0..40 {
            let mut params = params.clone();
            params["code"] = call(&mut dice).into();
            params["settings"] = json!({"strict": dice.pick(&["error", "error", "warning", "off"])});
            let theirs = essence(&reference.ask("eval", &params));
            asked += 1;
            if is_accident(&theirs) {
                accidents += 1;
                continue;
            }
            let ours = ours(&server, &params);
            if ours != theirs {
                wrong.push(format!(
                    "world {nth}: {}\n  {}\n  ours   {ours}\n  theirs {theirs}",
                    params["code"], params["settings"]
                ));
            }
        }
    }
    eprintln!("{asked} calls, {accidents} accidents, {} differ", wrong.len());
    if std::env::var_os("KUKLA_KEEP").is_none() {
        std::fs::remove_dir_all(&base).ok();
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}
