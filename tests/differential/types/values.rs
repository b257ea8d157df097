//! Values that types take and refuse, against real Puppet: the same verdict with the same words.

use std::path::PathBuf;

use kukla::catalog::types::NativeType;
use kukla::eval::foreign::{ResourceValues, Verdict};
use kukla::rpc::from_json;
use kukla::values::Name;
use kukla::{Node, Site};
use kukla_tests::subject::Subject;
use serde_json::{Value, json};

/// What Puppet says of resources: one line of JSON for each, `[null]` or `[message]`.
const QUESTION: &str = r#"
  inline_template(@(END))
    <%- require 'json'
    lines = JSON.parse(@cases).map do |type, title, attributes|
      begin
        attributes = attributes.map { |name, value| [name.to_sym, value] }.to_h
        Puppet::Resource.new(Puppet::Type.type(type.to_sym), title, :parameters => attributes).to_ral
        nil
      rescue Exception => e
        e.message
      end
    end -%>
    <%= lines.map { |line| JSON.generate([line]) }.join("\n") %>
    | END
"#;

/// Cases asked for at once.
const BATCH: usize = 2000;

/// Differences shown in full.
const SHOWN: usize = 60;

/// Values of every sort, good ones of some attributes among them.
fn values() -> Vec<Value> {
    let texts = [
        "",
        "x",
        "true",
        "false",
        "present",
        "absent",
        "10",
        "0644",
        "99999",
        "/abs/path",
        "relative/path",
        "a b",
        "a,b",
        "a:b",
        "key=value",
        "puppet:///modules/x/y",
        "http://h/p",
        "ftp://h/p",
        "2020-01-01",
        "10.0.0.1",
        "running",
        "latest",
        "directory",
        "link",
        "daily",
        "2 - 4",
        "30-99",
        "Monday",
        "*/5",
        "u=rwx",
        "md5",
        "5d",
        "7k",
        "unlimited",
        "yes",
        "inclusive",
        "first",
        "all",
        "posix",
        "a\nb",
    ];
    let others = [
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(12345),
        json!(3.5),
        json!([]),
        json!(["a", "b"]),
        json!(["/a", "/b"]),
        json!({"a": "b"}),
    ];
    texts.into_iter().map(Value::from).chain(others).collect()
}

/// The title under which a resource of a type can be.
fn title(name: &str) -> &'static str {
    match name {
        "file" | "tidy" => "/tmp/x",
        "exec" => "/bin/x",
        "mount" => "/mnt/x",
        "resources" => "file",
        _ => "x",
    }
}

/// What happened.
#[derive(Default)]
pub struct Tally {
    /// Verdicts that agree.
    pub same: usize,
    /// Verdicts that do not.
    pub different: usize,
    /// Verdicts that depend on the machine.
    pub open: usize,
}

/// Tries all values on all attributes of some types.
pub fn compare(
    site: &Site,
    reference: &Subject,
    modulepath: &[PathBuf],
    types: &[NativeType],
    tally: &mut Tally,
) -> Result<(), String> {
    let node = Node::default();
    let mut cases: Vec<(String, &'static str, String, Value)> = Vec::new();
    // What no manifest can name is not tried.
    for ty in types.iter().filter(|ty| !matches!(ty.name, "component" | "whit")) {
        let attributes = ty.attributes().chain(["loglevel", "noop", "audit"]);
        for (attribute, value) in
            attributes.flat_map(|name| values().into_iter().map(move |value| (name, value)))
        {
            cases.push((ty.name.to_owned(), title(ty.name), attribute.to_owned(), value));
        }
    }
    let Some(extensions) = &site.environment.extensions else { return Ok(()) };
    for batch in cases.chunks(BATCH) {
        let resources: Vec<ResourceValues> = batch
            .iter()
            .map(|(ty, title, attribute, value)| ResourceValues {
                type_name: ty.clone(),
                title: (*title).into(),
                attributes: vec![(Name::new(attribute), from_json(value))],
            })
            .collect();
        let ours = extensions.judge(&site.environment, &node.facts, &resources);
        let theirs = ask(reference, modulepath, batch)?;
        for ((case, ours), theirs) in batch.iter().zip(ours).zip(theirs) {
            let ours = match ours {
                Verdict::Accepted => None,
                Verdict::Refused(refusal) => Some(refusal.message),
                Verdict::Unknown => {
                    tally.open += 1;
                    continue;
                }
            };
            match &theirs {
                theirs if *theirs == ours => tally.same += 1,
                Some(theirs) if is_of_this_machine(theirs) => tally.open += 1,
                theirs => {
                    tally.different += 1;
                    if tally.different <= SHOWN {
                        let (ty, _, attribute, value) = case;
                        println!("{ty} {{ {attribute} => {value} }}\n  ours   {ours:?}\n  theirs {theirs:?}");
                    }
                }
            }
        }
    }
    Ok(())
}

/// What depends on the provider that Puppet has found here, shows the insides of one of its objects, or comes of a Ruby that does not name
/// the address that is wrong.
fn is_of_this_machine(message: &str) -> bool {
    message.starts_with("Provider ")
        || message.contains(": Provider ")
        || message.contains("#<")
        || message.ends_with("invalid address: ")
}

fn ask(
    reference: &Subject,
    modulepath: &[PathBuf],
    batch: &[(String, &'static str, String, Value)],
) -> Result<Vec<Option<String>>, String> {
    let cases: Vec<Value> =
        batch.iter().map(|(ty, title, attribute, value)| json!([ty, title, {attribute: value}])).collect();
    let code = format!("$cases = @(CASES)\n{}\n| CASES\n{QUESTION}", json!(cases));
    let answer = reference.ask("eval", json!({"code": code, "modulepath": modulepath}));
    let text = answer["result"]["value"].as_str().ok_or_else(|| answer["error"]["message"].to_string())?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            serde_json::from_str::<(Option<String>,)>(line).map_err(|error| format!("{line}: {error}"))
        })
        .map(|line| line.map(|(message,)| message))
        .collect()
}
