//! The JSON that commands print is valid under docs/schemas: real outputs are validated, and wrong ones are refused.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::Directory;

/// The problems of a value under a schema, for the keywords that our schemas use; another keyword is a problem, too.
fn problems(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let Some(keywords) = schema.as_object() else {
        return vec![format!("{path}: the schema is not an object")];
    };
    let mut all = Vec::new();
    for (keyword, rule) in keywords {
        let list = || rule.as_array().into_iter().flatten();
        let is_valid = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "type" => has_type(rule.as_str().unwrap_or_default(), value),
            "enum" => list().any(|one| one == value),
            "const" => rule == value,
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "required" => list().all(|name| value.get(name.as_str().unwrap()).is_some()),
            "anyOf" => list().any(|one| problems(root, one, value, path).is_empty()),
            "$ref" => {
                let pointer = rule.as_str().unwrap().trim_start_matches('#');
                all.extend(problems(root, root.pointer(pointer).unwrap(), value, path));
                true
            }
            "items" => {
                for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                    all.extend(problems(root, rule, item, &format!("{path}[{at}]")));
                }
                true
            }
            "properties" => {
                for (name, rule) in rule.as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        all.extend(problems(root, rule, value, &format!("{path}.{name}")));
                    }
                }
                true
            }
            "additionalProperties" => {
                let known =
                    |name: &str| keywords.get("properties").is_some_and(|all| all.get(name).is_some());
                for (name, value) in value.as_object().into_iter().flatten().filter(|(name, _)| !known(name))
                {
                    match rule {
                        Value::Bool(false) => all.push(format!("{path}.{name}: not in the schema")),
                        rule => all.extend(problems(root, rule, value, &format!("{path}.{name}"))),
                    }
                }
                true
            }
            other => {
                all.push(format!(
                    "{path}: the schema has the keyword {other}, which this test does not know"
                ));
                true
            }
        };
        if !is_valid {
            all.push(format!("{path}: {value} is against {keyword} {rule}"));
        }
    }
    all
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas").join(format!("{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs a command and validates each document that it prints.
fn validate(root: &Path, name: &str, line: &str) -> Value {
    let output =
        Command::new(env!("CARGO_BIN_EXE_kukla")).args(line.split(' ')).current_dir(root).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{line}: {error}: {}", String::from_utf8_lossy(&output.stderr)));
    let schema = schema(name);
    let problems = problems(&schema, &schema, &document, "$");
    assert!(problems.is_empty(), "{line}: {problems:#?}");
    document
}

/// Two versions of a site: everything that a report can have differs between them.
fn sites(directory: &Directory) {
    let before = "class a { file { '/a': content => 'one', mode => '0644', tag => 'x' } }\nclass gone { }\ninclude a\ninclude gone\nnotify { 'old': before => File['/a'] }\n@@notify { 'exported': }\nuser { 'u': password => Sensitive('x') }\nif $facts['role'] == 'db' { fail('no') }\n";
    let after = "class a { file { '/a': content => 'two', mode => '0600', tag => 'y' } }\nclass new { notify { 'moved': } }\ninclude a\ninclude new\nnotify { 'c': require => Notify['d'] }\nnotify { 'd': require => Notify['c'] }\nnotify { 'exported': }\nuser { 'u': password => Sensitive('y') }\nif $facts['role'] == 'web' { include nowhere }\n";
    for (side, code) in [("before", before), ("after", after)] {
        directory.put(&format!("{side}/environment.conf"), "");
        directory.put(&format!("{side}/manifests/site.pp"), code);
    }
    for role in ["db", "web", "mail"] {
        directory.put(&format!("facts/{role}.json"), &format!("{{\"role\": \"{role}\"}}"));
    }
}

#[test]
fn documents_are_as_their_schemas_say() {
    let directory = Directory::new("schemas");
    sites(&directory);
    let root = &directory.root;
    directory.put("wrong.pp", "$x = \"1\"\nfile { '/x': contents => $prot }\n");
    directory.put("shop/environment.conf", "");
    directory.put("shop/manifests/site.pp", "class { 'web': port => 'x' }\nnotice($prot)\ninclude nope\n");
    directory.put("shop/modules/web/manifests/init.pp", "class web(Integer $port) { }\n");
    let findings = validate(root, "diagnostics", "check shop --format json");
    assert!(findings.as_array().unwrap().iter().any(|one| !one["labels"].as_array().unwrap().is_empty()));
    validate(root, "diagnostics", "check wrong.pp --format json");
    validate(root, "diagnostics", "lint wrong.pp --format json");
    let diff = validate(root, "diff", "diff before after --facts facts --format json --no-cache");
    let outcomes: Vec<&str> =
        diff["nodes"].as_array().unwrap().iter().map(|node| node["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["repaired", "changed", "breaks"], "{outcomes:?}");
    validate(root, "fleet", "compile --all after --facts facts --format json");
    validate(root, "doctor", "doctor after --format json");
    validate(root, "doctor", "doctor shop --facts debian-12 --format json");
}

#[test]
fn answers_are_as_their_schema_says() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kukla"))
        .arg("rpc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let requests = [
        json!({"id": 1, "method": "eval", "params": {"code": "1 + 1"}}),
        json!({"id": "two", "method": "eval", "params": {"code": "1 +"}}),
        json!({"id": null, "method": "nothing"}),
        json!({"id": 4, "method": "compile", "params": {"code": "fail('x')"}}),
    ];
    {
        use std::io::Write;
        let mut input = child.stdin.take().unwrap();
        requests.iter().for_each(|request| writeln!(input, "{request}").unwrap());
    }
    let output = child.wait_with_output().unwrap();
    let schema = schema("rpc-answer");
    let answers: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(answers.len(), requests.len());
    for answer in &answers {
        let problems = problems(&schema, &schema, answer, "$");
        assert!(problems.is_empty(), "{answer}: {problems:#?}");
    }
}

#[test]
fn the_validation_refuses_what_is_wrong() {
    let schema = schema("doctor");
    let part = json!({"name": "git", "state": "ok", "finding": "x", "help": null, "affects": ["diff"]});
    let good = json!({"root": "/", "kind": "module", "parts": [part], "commands": {"check": "ok"}});
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut document = good.clone();
        change(&mut document);
        !problems(&schema, &schema, &document, "$").is_empty()
    };
    assert!(!wrong(&|_| {}));
    assert!(wrong(&|document| document["parts"][0]["state"] = json!("fine")));
    assert!(wrong(&|document| document["parts"][0]["help"] = json!(1)));
    assert!(wrong(&|document| document["commands"]["check"] = json!("bad")));
    assert!(wrong(&|document| document["more"] = json!(1)));
    assert!(wrong(&|document| drop(document.as_object_mut().unwrap().remove("root"))));
}
