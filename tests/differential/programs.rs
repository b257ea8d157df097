//! Generated programs against real Puppet: values, types, texts, catalogs, logs, messages and their places must agree.
//!
//! `KUKLA_REFERENCE` names a command that, given the argument `rpc`, answers as Puppet does; without it the programs only
//! have to be answered. `KUKLA_SEED` picks other programs, `KUKLA_ROUNDS` more of them.
#![allow(clippy::disallowed_methods, reason = "settings of a test come from the environment")]

use kukla_tests::subject::{Subject, WITHOUT_REFERENCE};
use serde_json::{Value, json};

use super::catalogs;
use super::chance::Chance;
use super::generate::Generator;

/// Differences shown in full.
const SHOWN: usize = 40;

/// What a fault in the reference itself looks like.
const CRASHED: [&str; 11] = [
    "undefined method",
    "undefined local variable",
    "uninitialized constant",
    "the oracle process died",
    "Infinity not allowed",
    "Endless recursion",
    "comparison of",
    "does not match any of the attributes",
    "failed to allocate",
    "no answer within",
    "#<",
];

/// What conversions say about numbers that are too large.
const TOO_LARGE: [&str; 3] = [
    "outside the range of an Integer",
    "is outside of Puppet Integer range",
    "outside the range of a Timespan",
];

/// What Puppet answers when it is asked whether something belongs to an `Init` of a type that nothing can be made of; ours says no, or yes.
const NOT_MADE: &str = "Creation of new instance of type";

/// How Ruby shows what is no value of Puppet: an object by its address, a resource by its name.
const RUBY_OBJECTS: [&str; 3] = ["#<Puppet", "]{:name=>", "]{:path=>"];

/// The formats that text is tried as a Timespan in: ours have one more, so that `Timespan('13:20')` is what its manual says.
const TIMESPANS: [&str; 2] = ["%D-%H:%M, %S, %H:%M", "%D-%H:%M, %S"];

/// Why two answers that differ are both right.
fn explanation(version: &str, ours: &Value, theirs: &Value) -> Option<&'static str> {
    let message = |answer: &Value| answer["message"].as_str().unwrap_or_default().to_owned();
    let (mine, other) = (message(ours), message(theirs));
    let signature = "The function 'regsubst' was called with arguments it does not accept.";
    if version.starts_with("7.") && mine.contains(signature) && other.contains(signature) {
        return Some("Puppet 8 accepts Sensitive values here, and the message lists what is accepted");
    }
    let is_redefinition = mine == other && mine.starts_with("Attempt to redefine entity");
    let warning = "noop is a metaparam; this value will inherit to all contained resources";
    let adds = |log: &Value| log[1].as_str().is_some_and(|text| text.starts_with(warning));
    if is_redefinition && theirs["logs"].as_array().is_some_and(|logs| logs.iter().all(adds)) {
        return Some("Puppet warns of a parameter before it sees that a later definition fails");
    }
    None
}

#[test]
fn programs_are_answered_as_by_puppet() {
    let setting =
        |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (seed, rounds) = (setting("KUKLA_SEED", 1), setting("KUKLA_ROUNDS", 300));
    let ours = Subject::Kukla(Box::default());
    let theirs = Subject::from_environment().unwrap_or_else(|error| panic!("{error}"));
    let mut generator = Generator::new(seed);
    let mut chance = Chance::new(seed);
    let (mut differences, mut failures, mut crashed) = (0, 0, 0);
    for round in 0..rounds {
        // Every fifth is for its catalog.
        let (method, program) = match round % 5 {
            4 => ("compile", catalogs::manifest(&mut chance)),
            _ => ("eval", generator.program()),
        };
        let params = json!({"code": program, "settings": {"log_level": "notice"}});
        let mine = ours.ask(method, params.clone());
        assert_ne!(mine["error"]["issue"], "INTERNAL_ERROR", "{program}");
        if theirs.reference().is_none() {
            continue;
        }
        let other = theirs.ask(method, params);
        let message = other["error"]["message"].as_str().unwrap_or_default();
        let shown = other["result"].to_string();
        let is_ruby = RUBY_OBJECTS.iter().any(|sign| shown.contains(sign));
        // Conversions make integers and spans of any size there, which no other operation then accepts; ours have 64 and 128 bits.
        let ours = mine["error"]["message"].as_str().unwrap_or_default();
        let is_too_large = TOO_LARGE.iter().any(|fault| ours.contains(fault));
        let is_not_made = message.contains(NOT_MADE) && program.contains("Init[") && !ours.contains(NOT_MADE);
        if is_ruby || is_too_large || is_not_made || CRASHED.iter().any(|fault| message.contains(fault)) {
            crashed += 1;
            continue;
        }
        failures += usize::from(other["error"].is_object());
        let (mut mine, other) = (facts(&mine), facts(&other));
        if let Some(message) = mine["message"].as_str() {
            mine["message"] = message.replace(TIMESPANS[0], TIMESPANS[1]).into();
        }
        // Ours has a place even where Puppet has none.
        if other["line"].is_null() && other["message"].is_string() {
            mine["line"] = Value::Null;
            mine["column"] = Value::Null;
        }
        if mine != other && explanation(theirs.reference().unwrap_or_default(), &mine, &other).is_none() {
            differences += 1;
            if differences <= SHOWN {
                println!("---\n{program}\n  ours   {mine}\n  theirs {other}");
            }
        }
    }
    match theirs.reference() {
        None => kukla_testing::skip("kukla-tests/programs", WITHOUT_REFERENCE),
        Some(version) => {
            println!(
                "{rounds} programs, {failures} of them wrong, {crashed} beyond the reference; {differences} answered unlike Puppet {version}"
            );
            assert_eq!(differences, 0, "some programs are answered unlike Puppet");
        }
    }
}

/// What must agree. Puppet has one code for most of what goes wrong; ours are finer, so codes are not compared.
fn facts(answer: &Value) -> Value {
    let error = &answer["error"];
    let logs = if error.is_object() { &answer["logs"] } else { &answer["result"]["logs"] };
    let logs: Vec<Value> = logs
        .as_array()
        .into_iter()
        .flatten()
        .filter(|log| !matches!(log["level"].as_str(), Some("debug" | "info" | "err")))
        .map(|log| json!([log["level"], log["message"], log["line"], log["column"]]))
        .collect();
    match error.is_object() {
        true => {
            json!({"message": error["message"], "line": error["line"], "column": error["column"], "logs": logs})
        }
        false => {
            let result = &answer["result"];
            if let Some(catalog) = result.get("catalog") {
                return json!({"catalog": document(catalog), "logs": logs});
            }
            json!({"value": result["value"], "string": result["string"], "type": result["type"], "logs": logs})
        }
    }
}

/// What must agree of a catalog: its resources in their order, and what contains what.
fn document(catalog: &Value) -> Value {
    let resource = |resource: &Value| {
        let mut tags: Vec<&str> =
            resource["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        tags.sort_unstable();
        json!([
            resource["type"],
            resource["title"],
            resource["parameters"],
            tags,
            resource["line"],
            resource["kind"]
        ])
    };
    let listed = |key: &str| catalog[key].as_array().into_iter().flatten();
    let mut edges: Vec<String> =
        listed("edges").map(|edge| format!("{} {}", edge["source"], edge["target"])).collect();
    edges.sort();
    json!({"resources": listed("resources").map(resource).collect::<Vec<_>>(), "edges": edges, "classes": catalog["classes"]})
}
