//! Functions and templates that run in another Ruby: one that is played here, and the one of the machine if it has one.

#![allow(clippy::disallowed_methods)] // a test writes files

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use kukla::world::{Conversation, FileError, FileResult};
use kukla::{Compiler, DiskWorld, MemoryWorld, Node, Policy, SiteSpec, World};
use serde_json::{Value as Json, json};

/// The answer of the other Ruby to each message.
type Part = fn(&Json) -> Json;

/// A world in which another Ruby is played.
#[derive(Debug)]
struct Stage {
    files: MemoryWorld,
    part: Part,
    /// The commands that were started.
    started: Arc<Mutex<Vec<String>>>,
}

#[derive(Debug)]
struct Actor(Part);

impl Conversation for Actor {
    fn ask(&mut self, line: &str) -> FileResult<String> {
        let message: Json = serde_json::from_str(line).unwrap();
        match self.0(&message) {
            Json::Null => Err(FileError::Other("it died".into())),
            Json::String(text) => Ok(text),
            answer => Ok(answer.to_string()),
        }
    }

    fn complaints(&mut self) -> Vec<u8> {
        b"a word of complaint\n".to_vec()
    }
}

impl World for Stage {
    fn inner(&self) -> Option<&dyn World> {
        Some(&self.files)
    }

    fn converse(&self, command: &[String]) -> FileResult<Box<dyn Conversation>> {
        self.started.lock().unwrap().push(command[0].clone());
        Ok(Box::new(Actor(self.part)))
    }
}

const FUNCTION: &str = "require 'vault'
Puppet::Functions.create_function(:secret) do
  dispatch(:secret) { param 'String', :path }
  def secret(path) = Vault.read(path)
end
";

fn good(message: &Json) -> Json {
    let dispatch = |key: &str, value: Json| json!([{ "__ptype": "Symbol", "__pvalue": key }, value]);
    match message["do"].as_str() {
        Some("declare") => {
            let signature = [
                dispatch("method", json!("secret")),
                dispatch("types", json!(["String"])),
                dispatch("names", json!(["path"])),
                dispatch("min", json!(1)),
                dispatch("max", json!(1)),
                dispatch("weaving", json!([0])),
                dispatch("injections", json!([])),
            ];
            let signature = json!({ "__ptype": "Hash", "__pvalue": signature });
            json!({ "value": { "dispatches": [signature], "aliases": [], "itself": false } })
        }
        // It asks for the fact and the function's argument in capitals, and answers with the last value it received.
        Some("call") => {
            let class = json!({ "__ptype": "Class", "__pvalue": "Puppet::Parser::Scope" });
            json!({ "ask": "top", "to": class, "args": [] })
        }
        None if message["value"].get("class") == Some(&json!("Puppet::Parser::Scope")) => {
            json!({ "ask": "call_function", "to": message["value"], "args": ["upcase", ["value"]] })
        }
        None if message["value"].is_string() => json!({ "value": [message["value"], null, 1.5] }),
        _ => json!({ "value": null }),
    }
}

fn outcome(part: Part, policy: Policy, code: &str) -> (Result<String, String>, Vec<String>, Vec<String>) {
    let files = MemoryWorld::default()
        .with("/site/modules/m/lib/puppet/functions/secret.rb", FUNCTION)
        .with("/site/modules/m/metadata.json", "{}");
    let started = Arc::<Mutex<Vec<String>>>::default();
    let world = Stage { files, part, started: Arc::clone(&started) };
    let compiler = Compiler::new(world).with_policy(policy);
    let site = compiler.open(&SiteSpec { code: Some(code.into()), ..SiteSpec::at("/site") }).unwrap();
    let outcome = site.eval(&Node::named("n"));
    let result = outcome.result.map(|value| format!("{value:?}")).map_err(|wrong| wrong.message());
    let logs = outcome.logs.into_iter().map(|log| log.message).collect();
    let started = started.lock().unwrap().clone();
    (result, logs, started)
}

fn named() -> Policy {
    Policy { ruby: Some("/opt/ruby".into()), ..Policy::default() }
}

#[test]
fn what_cannot_run_here_runs_there_and_says_so_once() {
    let (result, logs, started) = outcome(good, named(), "[secret('a'), secret('b')]");
    let result = result.unwrap();
    assert_eq!(result.matches("VALUE").count(), 2, "{result}");
    assert_eq!(started, ["/opt/ruby"], "one process does for both");
    let warnings = logs.iter().filter(|log| log.contains("runs in /opt/ruby")).count();
    assert_eq!(warnings, 1, "{logs:?}");
    assert!(logs.iter().any(|log| log == "a word of complaint"), "{logs:?}");
}

#[test]
fn nothing_runs_elsewhere_unless_it_is_asked_for() {
    let (result, _, started) = outcome(good, Policy::default(), "secret('a')");
    assert_eq!(result.unwrap_err(), "cannot load such file -- vault");
    assert!(started.is_empty());
    // What the other Ruby reads cannot be held within bounds, so it is not started where there are any.
    let bounded = Policy { files: "repository".parse().unwrap(), ..named() };
    let (result, _, started) = outcome(good, bounded, "secret('a')");
    assert!(result.unwrap_err().contains("cannot be held to the bounds of `--files`"));
    assert!(started.is_empty());
}

#[test]
fn arguments_are_checked_here() {
    let (result, ..) = outcome(good, named(), "secret(1)");
    assert_eq!(result.unwrap_err(), "'secret' parameter 'path' expects a String value, got Integer");
}

#[test]
fn a_process_that_dies_or_talks_nonsense_is_an_error() {
    let (result, ..) = outcome(|_| Json::Null, named(), "secret('a')");
    assert_eq!(result.unwrap_err(), "/opt/ruby cannot run this: it died");
    let (result, ..) = outcome(|_| json!("hello"), named(), "secret('a')");
    assert_eq!(result.unwrap_err(), "/opt/ruby cannot run this: it answered with an invalid message");
}

const VAULT: &str = "module Vault
  class Closed < StandardError; end
  def self.read(path)
    raise Closed, %(no way to #{path}) if path == 'closed'
    exit!(4) if path == 'dead'
    { 'at' => path, 'numbers' => [1, 2.5, nil, true, 10**30 / 10**28], :symbol => 'key', 3 => /x/i }
  end
end
";

/// A site on disk whose module has a library that only another Ruby can load, since it does not belong to the environment.
fn site(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&root);
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("library/vault.rb", VAULT);
    // What starts the real one, with the library.
    write("ruby", &format!("#!/bin/sh\nexec ruby -I {}/library \"$@\"\n", root.display()));
    let set = Command::new("chmod").arg("+x").arg(root.join("ruby")).status().unwrap();
    assert!(set.success());
    let new = "require 'vault'
Puppet::Functions.create_function(:'m::secret') do
  dispatch :secret do
    param 'String', :path
    optional_block_param
  end
  def secret(path, &block)
    puts 'not in the way'
    found = Vault.read(path)
    found['up'] = call_function('upcase', path)
    found['fact'] = closure_scope['facts']['os']
    found['block'] = block.call(2) if block
    found['doubled'] = call_function('map', [1, 2]) { |x| x * 2 }
    found['hidden'] = Puppet::Pops::Types::PSensitiveType::Sensitive.new('x').unwrap
    found.delete(:symbol)
    found
  end
end
";
    write("site/modules/m/lib/puppet/functions/m/secret.rb", new);
    let old = "Puppet::Parser::Functions.newfunction(:old_secret, type: :rvalue) do |args|
  require 'vault'
  raise Puppet::ParseError, 'refused' if args[0] == 'bad'
  [args, lookupvar('facts')['os'], Vault.read('x')['at'], function_md5(['x']), call_function('m::secret', ['y'])['at']]
end
";
    write("site/modules/m/lib/puppet/parser/functions/old_secret.rb", old);
    let twice = "Puppet::Functions.create_function(:'m::twice') do
  def twice
    call_function('create_resources', 'notify', 'a' => {})
    require 'vault'
  end
end
";
    write("site/modules/m/lib/puppet/functions/m/twice.rb", twice);
    let template = "<% require 'vault' -%>\n<% @list.each do |x| -%>\n<%= Vault.read(x)['at'] %>,<%= scope['facts']['os'] %>\n<% end -%>\n";
    write("site/modules/m/templates/t.erb", template);
    root
}

#[test]
fn a_real_ruby_does_the_same() {
    if Command::new("ruby").arg("-v").output().is_err() {
        return kukla_testing::skip("kukla/external", "no ruby");
    }
    let root = site("external");
    let ruby = root.join("ruby").to_string_lossy().into_owned();
    let run = |code: &str| {
        let policy = Policy { ruby: Some(ruby.clone()), ..Policy::default() };
        let compiler = Compiler::new(DiskWorld::default()).with_policy(policy);
        let spec = SiteSpec { code: Some(code.into()), ..SiteSpec::at(root.join("site")) };
        let mut node = Node::named("n");
        node.facts = [("os", "linux")].into_iter().collect();
        let outcome = compiler.open(&spec).unwrap().eval(&node);
        outcome.result.map(|value| kukla::values::format::inspect(&value))
    };
    let good = [
        (
            "m::secret('p') |$x| { $x + 1 }",
            r#"{"at"=>"p", "numbers"=>[1, 2.5, nil, true, 100], 3=>/x/i, "up"=>"P", "fact"=>"linux", "block"=>3, "doubled"=>[2, 4], "hidden"=>"x"}"#,
        ),
        (
            "old_secret('q', undef, [undef])",
            r#"[["q", "", [nil]], "linux", "x", "9dd4e461268c8034f5c8564e155c67a6", "y"]"#,
        ),
        ("$list = ['a', 'b'] template('m/t.erb')", r#""a,linux\nb,linux\n""#),
        ("inline_template('<%= require %q(vault); Vault.name %>')", r#""Vault""#),
    ];
    for (code, expected) in good {
        assert_eq!(run(code).unwrap(), expected, "{code}");
    }
    let wrong = |code: &str| run(code).unwrap_err();
    let closed = wrong("m::secret('closed')");
    assert_eq!(closed.message(), "no way to closed");
    assert!(format!("{closed:?}").contains("library/vault.rb:4"), "{closed:?}");
    assert_eq!(wrong("old_secret('bad')").message(), "refused");
    let dead = wrong("m::secret('dead')").message();
    assert!(dead.contains("it ended without an answer (exit status: 4)"), "{dead}");
    let twice = wrong("m::twice()");
    assert!(format!("{twice:?}").contains("it has changed the catalog before it failed"), "{twice:?}");
    let template = wrong("$list = ['closed'] template('m/t.erb')").message();
    assert!(template.starts_with("Failed to parse template m/t.erb:"), "{template}");
}
