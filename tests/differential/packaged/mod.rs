//! Functions that modules write in Ruby, called with generated arguments: Kukla and real Puppet must answer alike.
//!
//! `KUKLA_REFERENCE` names the command that answers as Puppet does, `KUKLA_MODULES` the directory of modules, `KUKLA_SEED` other arguments.
#![allow(clippy::disallowed_methods, reason = "settings of a test come from the environment")]

use std::fs;
use std::path::{Path, PathBuf};

use kukla_tests::subject::{Subject, compared};
use serde_json::{Value, json};

use super::chance::Chance;

/// Calls of each function.
const CALLS: usize = 20;

/// What arguments are drawn from.
const ARGUMENTS: &[&str] = &[
    "''",
    "'a'",
    "'Hello World'",
    "'10'",
    "'-3'",
    "'true'",
    "'/tmp/x'",
    "'a,b,c'",
    "'192.168.0.1'",
    "'10.0.0.0/8'",
    "'fe80::1'",
    "'example.com'",
    "'http://user@example.com:8080/p?q=1'",
    "'key=value'",
    "'ünï'",
    "'1.2.3'",
    "'md5'",
    "'foo::bar'",
    "0",
    "1",
    "-1",
    "80",
    "1.5",
    "true",
    "false",
    "undef",
    "default",
    "[]",
    "['a']",
    "['b', 'a', 'b']",
    "[1, [2, 3]]",
    "[undef, 'a']",
    "{}",
    "{'a' => 1}",
    "{'a' => {'b' => [1, 2]}, 'c' => undef}",
    "{1 => 2}",
    "/a+/",
    "Sensitive('secret')",
];

/// Functions whose answers are none of ours: they draw random numbers, ask the clock or a database, run commands, or need a gem.
const BEYOND: &[&str] = &[
    "augeas",
    "cert_date_valid",
    "fqdn_rand_string",
    "fqdn_rotate",
    "go_md5",
    "parsehocon",
    "parsepson",
    "redisget",
    "seeded_rand",
    "shuffle",
    "str2saltedsha512",
    "time",
    "validate_augeas",
    "validate_cmd",
];

#[test]
fn functions_of_modules_answer_as_in_puppet() {
    compared("kukla-tests/packaged", run);
}

fn run() -> Result<bool, String> {
    let modules = std::env::var("KUKLA_MODULES").unwrap_or_else(|_| "/usr/share/puppet/modules".into());
    let seed = std::env::var("KUKLA_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (ours, theirs) = (Subject::Kukla(Box::default()), Subject::from_environment()?);
    let mut chance = Chance::new(seed);
    let (mut calls, mut differences) = (0, 0);
    for name in functions(Path::new(&modules)) {
        for _ in 0..CALLS {
            let count = if chance.one_in(8) { 0 } else { 1 + chance.roll(3) };
            let args: Vec<&str> = (0..count).map(|_| chance.pick(ARGUMENTS)).collect();
            let code = format!("{name}({})", args.join(", "));
            let params = json!({"code": code, "modulepath": [modules], "settings": {"log_level": "notice"}});
            let (mine, other) =
                (answer(&ours.ask("eval", params.clone())), answer(&theirs.ask("eval", params)));
            calls += 1;
            if mine == other {
                continue;
            }
            differences += 1;
            println!("---\n{code}\n  ours   {mine}\n  theirs {other}");
        }
    }
    println!("{calls} calls, {differences} unlike Puppet");
    Ok(differences == 0)
}

/// What must agree.
fn answer(answer: &Value) -> Value {
    match answer["error"].is_object() {
        true => json!({"message": plain(answer["error"]["message"].as_str().unwrap_or_default())}),
        false => json!({"value": answer["result"]["value"], "type": answer["result"]["type"]}),
    }
}

/// A message without what Ruby itself adds below it, its line and names that are alike, and without the addresses of objects. The frame below
/// the first call has no line where a piece of text is evaluated.
fn plain(message: &str) -> String {
    let said = message.split("\n\n").next().unwrap_or_default();
    let said =
        said.split("\nDid you mean?").next().unwrap_or_default().replace("\"unknown\", 0", "\"unknown\", 1");
    let mut parts = said.split("0x");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str("0x");
        plain.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    plain
}

/// The functions in Ruby of all modules but stdlib, whose functions are built in and have a test of their own.
fn functions(modules: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for module in entries(modules).into_iter().filter(|module| !module.ends_with("stdlib")) {
        for directory in ["lib/puppet/functions", "lib/puppet/parser/functions"] {
            let root = module.join(directory);
            let mut open = vec![root.clone()];
            while let Some(path) = open.pop() {
                if path.is_dir() {
                    open.extend(entries(&path));
                } else if let Ok(inside) = path.strip_prefix(&root)
                    && let Some(name) = inside.to_string_lossy().strip_suffix(".rb")
                {
                    names.push(name.replace('/', "::"));
                }
            }
        }
    }
    names.sort();
    names.dedup();
    names.retain(|name| !BEYOND.contains(&name.as_str()));
    names
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(directory).into_iter().flatten().flatten();
    listed.map(|entry| entry.path()).collect()
}
