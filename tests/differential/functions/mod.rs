//! Every function against real Puppet: the same calls, asked of both, must give the same values, messages and logs.
//!
//! `core.txt`, `stdlib.txt` (both versions, and what only version 8 has) and `stdlib9.txt` list calls, one a line, under a heading for each
//! function. Each function is also called with the same thirty-odd argument lists, so that what it says of wrong arguments is compared too;
//! `## name as expression` compares an expression around each of those calls, in place of the `_`, where the value itself is random.
//! `explained.txt` lists the calls whose answers differ and must, each with the reason.
//!
//! * `KUKLA_REFERENCE=command` names a command that, given the argument `rpc`, answers as Puppet does; without it nothing is compared.
//! * `KUKLA_MODULES=directory` names a directory with puppetlabs-stdlib; without it only Puppet's own functions are compared. With
//!   Puppet 7 only those of stdlib are: its own differ from Puppet 8's.
//! * `KUKLA_ONLY=name,name` chooses functions. Without it, every function that the module or Puppet has must be called often enough.

#![allow(clippy::disallowed_methods)] // a test runner reads the disk

mod answer;
mod coverage;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use answer::Answer;
use kukla::rpc::Server;
use kukla::world::policy::Commands;
use kukla::{DiskWorld, Policy};
use kukla_tests::subject::{Subject, chosen, compared};
use serde_json::{Value, json};

/// Functions that need a library: Kukla answers as a machine without it does, and the reference may have it.
const NEEDS_LIBRARY: [&str; 1] = ["validate_augeas"];

/// Arguments that every function is called with.
const ARGUMENTS: [&str; 37] = [
    "()",
    "(undef)",
    "(true)",
    "(0)",
    "(-3)",
    "(2.5)",
    "('')",
    "('abc')",
    "(\"a b\\n\")",
    "(['b','a',1])",
    "([])",
    "({a=>1})",
    "({})",
    "(Integer)",
    "(/a/)",
    "(default)",
    "(Sensitive('s'))",
    "('a','b')",
    "(['a','b'],'a')",
    "({a=>1},'a')",
    "('abc',1)",
    "(1,2)",
    "([1,2],[2])",
    "({a=>1},{b=>2})",
    "('a',undef)",
    "([3,1],true)",
    "('a','b','c')",
    "(['a'],'b','c')",
    "(1,2,3)",
    "('a',[1],{b=>2})",
    "('10','16')",
    "('a',Integer)",
    "([1,2]) |$x| {$x}",
    "({a=>1,b=>2}) |$k,$v| {$v}",
    "('ab') |$x| {$x}",
    "([2,1]) |$a,$b| {$a}",
    "(5) |$x| {$x}",
];

/// Differences shown in full.
const SHOWN: usize = 200;

/// The fewest calls that a function may have.
const FEWEST: usize = 30;

#[test]
fn functions_answer_as_in_puppet() {
    compared("kukla-tests/functions", run);
}

fn run() -> Result<bool, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("differential/functions");
    let modules = std::env::var("KUKLA_MODULES").ok();
    let policy = Policy { commands: Commands::On, ..Policy::default() };
    let (ours, theirs) = (
        Subject::Kukla(Box::new(Server::new(DiskWorld::default()).with_policy(policy))),
        Subject::from_environment()?,
    );
    let with_core = theirs.reference().is_none_or(|version| !version.starts_with("7."));
    let mut calls = if with_core { calls(&folder, "core.txt")? } else { Vec::new() };
    let version = modules.as_deref().map(coverage::version).transpose()?;
    if let Some(version) = version {
        calls.extend(self::calls(&folder, "stdlib.txt")?);
        calls.extend(self::calls(&folder, "stdlib9.txt")?);
        calls.retain(|(function, _)| version.has(function) != Some(false));
    }
    let wanted = chosen();
    calls.retain(|(function, _)| wanted.is_empty() || wanted.contains(function));
    let explained = explained(&folder)?;
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let ask = || {
        while let Some((function, code)) = calls.get(next.fetch_add(1, Ordering::Relaxed)) {
            let params = params(code, modules.as_deref());
            let (our, their) =
                (Answer::of(&ours.ask("eval", params.clone())), Answer::of(&theirs.ask("eval", params)));
            let difference = our.difference(&their).map(|kind| (kind, our, their));
            outcomes
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .push((function, code, difference));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(ask);
        }
    });
    let outcomes = outcomes.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut good = report(&outcomes, &explained);
    if wanted.is_empty() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (function, _) in &calls {
            *counts.entry(function).or_default() += 1;
        }
        let mut expected = if with_core { coverage::core() } else { Vec::new() };
        if let (Some(version), Some(modules)) = (version, &modules) {
            let found = coverage::functions(Path::new(modules));
            good &= coverage::agrees(version, &found);
            expected.extend(found.into_iter().filter(|name| with_core || !coverage::is_core(name)));
        }
        for name in expected {
            let count = counts.get(name.as_str()).copied().unwrap_or_default();
            if count < FEWEST {
                println!("{name}: {count} calls are too few");
                good = false;
            }
        }
    }
    Ok(good)
}

/// One call and how its answers differ, if they do.
type Outcome<'c> = (&'c String, &'c String, Option<(answer::Difference, Answer, Answer)>);

fn report(outcomes: &[Outcome<'_>], explained: &BTreeMap<String, String>) -> bool {
    let mut functions: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut known, mut shown) = (0, 0);
    for (function, code, difference) in outcomes {
        *functions.entry(function.as_str()).or_default() += 1;
        let Some((kind, ours, theirs)) = difference else { continue };
        let needs_library = NEEDS_LIBRARY.contains(&function.as_str());
        if kind.is_explained() || needs_library || explained.contains_key(code.as_str()) {
            known += 1;
            continue;
        }
        shown += 1;
        if shown <= SHOWN {
            println!("{code}\n  ours   {ours}\n  theirs {theirs}");
        }
    }
    functions.retain(|name, _| !name.contains(' '));
    let fewest = functions.values().min().copied().unwrap_or_default();
    println!(
        "{} calls of {} functions, at least {fewest} each: {shown} unexplained differences, {known} explained",
        outcomes.len(),
        functions.len()
    );
    shown == 0
}

/// The facts and modules that calls find.
fn params(code: &str, modules: Option<&str>) -> Value {
    let mut params = json!({
        "code": code,
        "facts": {
            "fqdn": "node.example.com",
            "interfaces": "lo,eth0",
            "ipaddress": "10.0.0.5",
            "ipaddress_eth0": "10.0.0.5",
            "list": [1, {"a.b": 2}],
            "network_lo": "127.0.0.0",
            "networking": {
                "fqdn": "node.example.com",
                "interfaces": {
                    "eth0": {"ip": "10.0.0.5"},
                    "lo": {"ip": "127.0.0.1", "mac": "00:00:00:00:00:00", "netmask": "255.0.0.0", "network": "127.0.0.0"},
                },
            },
            "operatingsystem": "Debian",
            "operatingsystemmajrelease": "12",
            "os": {"name": "Debian", "release": {"major": "12"}},
        },
    });
    if let Some(modules) = modules {
        params["modulepath"] = json!([modules]);
    }
    params
}

/// The calls of a list, each with the function it is about: those listed, and the function with every argument list.
fn calls(folder: &Path, file: &str) -> Result<Vec<(String, String)>, String> {
    let text = std::fs::read_to_string(folder.join(file)).map_err(|error| format!("{file}: {error}"))?;
    let mut calls = Vec::new();
    let mut function = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(heading) = line.strip_prefix("## ") {
            let (name, shape) = heading.split_once(" as ").unwrap_or((heading, "_"));
            function = name.to_owned();
            if !name.contains(' ') {
                let call = |arguments| shape.replacen('_', &format!("{name}{arguments}"), 1);
                calls.extend(ARGUMENTS.iter().map(|arguments| (function.clone(), call(arguments))));
            }
        } else if !line.starts_with("# ") {
            calls.push((function.clone(), line.to_owned()));
        }
    }
    Ok(calls)
}

/// Calls whose answers differ for a reason: a line says why, those below it are the calls.
fn explained(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let text = std::fs::read_to_string(folder.join("explained.txt"))
        .map_err(|error| format!("explained.txt: {error}"))?;
    let mut explained = BTreeMap::new();
    let mut why = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.strip_prefix("## ") {
            Some(reason) => why = reason.to_owned(),
            None if line.starts_with("# ") => {}
            None => {
                explained.insert(line.to_owned(), why.clone());
            }
        }
    }
    Ok(explained)
}
