//! Every command, with every format and every flag that it has, on a site with secrets at every depth: the secret is in no output, and in no
//! file but the catalogs for agents.
//!
//! Commands, flags and formats come from the description of the command line, so that a new command without a row in [`calls`] fails.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, Command};

use super::{CommandOutput, Scratch};

const SECRET: &str = "treasure-7261";

/// Secrets at every depth. The code does not contain the secret itself, so a source excerpt cannot show it.
const SITE: &str = r#"
$s = Sensitive("treasure${'-7261'}")
type Thing = Object[{attributes => {a => Any}}]
include m
notify { 'plain': message => $s }
notify { 'array': message => [1, [$s]] }
notify { 'hash': message => {a => {b => $s}} }
notify { 'nested': message => Sensitive([Sensitive({a => $s})]) }
notify { 'deferred': message => Deferred('join', [[$s, {a => $s}]]) }
notify { 'looked up': message => lookup('data::deep') }
m::d { 'one': x => {a => [$s]} }
m::d { 'object': x => Thing($s) }
class { 'm::c': p => [$s] }
@@notify { 'exported': message => [$s], tag => 'x' }
@@user { 'exported': password => $s }
@notify { 'virtual': message => 'x' }
Notify <| title == 'virtual' |> { message => $s }
User { password => $s }
user { 'by default': }
file { '/epp': content => Sensitive(inline_epp('<%= $x %>', {x => $s.unwrap})) }
file { '/erb': content => Sensitive(inline_template('<%= scope["s"].unwrap %>')) }
notice($s, [$s], {a => $s})
warning("${s} ${[$s]}")
"#;

/// Sites that fail where a secret is at hand.
const FAILURES: [&str; 12] = [
    "class { 'm': password => [$s] }",
    "class { 'm::e': p => {a => $s} }",
    "m::d { 'a': x => $s, y => $s }",
    "notify { 'a': message => $s } notify { 'a': message => [$s] }",
    "notify { 'a': no_such => [$s] }",
    "notify { $s: }",
    "fail([$s])",
    "m::raises([$s])",
    "m::raises($s)",
    "lookup('data::deep', Integer)",
    "Integer($s) + [$s]",
    "file { '/a': mode => $s, ensure => [$s] }",
];

fn site(scratch: Scratch, root: &str) -> Scratch {
    let file = |path: &str| format!("{root}/{path}");
    scratch
        .with(&file("environment.conf"), "modulepath = modules\n")
        .with(&file("manifests/site.pp"), SITE)
        .with(&file("hiera.yaml"), "{version: 5, hierarchy: [{name: c, path: c.yaml}]}")
        .with(
            &file("data/c.yaml"),
            &format!("lookup_options: {{'^(m|data)::.*': {{convert_to: Sensitive}}}}\nm::password: {SECRET}\ndata::deep: {{a: [{SECRET}]}}\nplain: hello\n"),
        )
        .with(
            &file("modules/m/manifests/init.pp"),
            "# @summary m\nclass m(Sensitive[String] $password) {\n  user { 'm': password => $password }\n}\n",
        )
        .with(&file("modules/m/manifests/c.pp"), "# @summary c\nclass m::c($p) {\n  notify { 'c': message => $p }\n}\n")
        .with(&file("modules/m/manifests/e.pp"), "# @summary e\nclass m::e(Hash[String, Integer] $p) { }\n")
        .with(&file("modules/m/manifests/d.pp"), "# @summary d\ndefine m::d($x) {\n  notify { \"d ${title}\": message => $x }\n}\n")
        .with(
            &file("modules/m/lib/puppet/functions/m/raises.rb"),
            "Puppet::Functions.create_function(:'m::raises') do\n  dispatch(:raises) { param 'Any', :value }\n  def raises(value)\n    raise ArgumentError, \"not #{value} #{value.inspect}\"\n  end\nend\n",
        )
        .with(&file("facts/n.json"), r#"{"name": "n", "values": {"kernel": "Linux"}}"#)
        .with(&file("t.epp"), "<%- | Any $x = lookup('data::deep') | -%>\n<%= $x %>\n")
}

fn scratch() -> Scratch {
    let scratch = site(site(Scratch::new("exits"), "repo"), "other");
    let scratch = scratch.with("other/data/c.yaml", &format!("lookup_options: {{'^(m|data)::.*': {{convert_to: Sensitive}}}}\nm::password: {SECRET}-new\ndata::deep: {{a: [{SECRET}-new]}}\nplain: hello\n"));
    let stored =
        scratch.run(&["compile", "repo", "--all", "--store", "sqlite:store.db", "--output", "agents"]);
    assert_eq!(stored.code, Some(0), "{stored:?}");
    assert!(holds_secret(&scratch.path("agents")), "the catalogs for agents have the secret");
    scratch
}

/// Calls of a command that must not show the secret; `None` for a command that nobody has thought of. A call that begins with `!` may print a
/// catalog or a value for its receiver, so that only its standard error counts.
fn calls(command: &str) -> Option<Vec<&'static str>> {
    Some(match command {
        "check" => vec!["check repo"],
        "compile" => vec![
            "!compile repo --node n",
            "compile repo --node n --format summary",
            "compile repo --node n --format dot",
            "compile repo --all",
            "compile repo --all --cache cache",
            "compile repo --all --cache cache --output agents",
            "compile repo --node n --format summary --provenance -",
        ],
        "diff" => vec!["diff repo other", "diff repo other --cache cache", "diff repo other --node n"],
        "lookup" => vec![
            "lookup data::deep --in repo --node n",
            "lookup data::deep.a --in repo --node n",
            "lookup m::password --in repo --all",
            "lookup m::password --in repo --node n --type Integer",
        ],
        "why" => vec![
            "why Notify[hash] --in repo --node n",
            "why Notify[deferred] message --in repo --node n",
            "why User[m] --in repo --node n",
            "why Class[m] --in repo --node n",
        ],
        "eval" => vec![
            "eval --in repo --node n -e lookup('data::deep')",
            "eval --in repo --node n -e [lookup('m::password')]",
        ],
        "repl" => vec!["repl repo --node n"],
        "epp render" => vec!["epp render repo/t.epp --in repo --node n"],
        "epp validate" => vec!["epp validate repo/t.epp"],
        "store nodes" => vec!["store nodes --store sqlite:store.db", STORE_PASSWORD],
        "store facts" => vec!["store facts n --store sqlite:store.db"],
        "store resources" => vec![
            "store resources --store sqlite:store.db",
            "store resources --type Notify --store sqlite:store.db",
        ],
        "store query" => vec![
            "store query resources{} --store sqlite:store.db",
            "store query catalogs{} --store sqlite:store.db",
            "store query resources{parameters.message~'treas'} --store sqlite:store.db",
        ],
        // It writes exported resources as the store has them, for another store.
        "store export" => vec!["store export exported --store sqlite:store.db"],
        "store import" => vec!["store import exported --store sqlite:imported.db"],
        "store deactivate" => vec!["store deactivate n --store sqlite:imported.db"],
        "store purge" => vec!["store purge --store sqlite:imported.db"],
        "facts" => vec!["facts kernel --in repo"],
        "facts pull" => vec!["facts pull --store sqlite:store.db --in pulled"],
        "facts list" | "facts show" | "facts export" => vec![],
        "rpc" => vec!["rpc"],
        "test" => vec!["test repo --verbose"],
        "fmt" => vec!["fmt repo/manifests --check"],
        "doctor" => vec!["doctor repo"],
        "parse" => vec!["parse repo/manifests/site.pp"],
        "ruby" => vec!["ruby -e 1"],
        "serve" => vec!["serve --check --confdir conf --store postgres://kukla:treasure-7261@127.0.0.1:1/db"],
        "lsp" => vec!["lsp"],
        "deploy" => vec!["deploy --config repo/r10k.yaml --dry-run"],
        // They read Puppetfiles, which see no data.
        "mod lock" => vec!["mod lock --offline --check --puppetfile repo/Puppetfile"],
        "mod tree" => vec!["mod tree --offline --puppetfile repo/Puppetfile"],
        command if command.starts_with("mod ") => vec![],
        // No value of code or data reaches these.
        "ruby coverage" | "explain" | "doc" | "lint" | "new" | "pages" | "man" | "completions" | "init"
        | "self" => {
            vec![]
        }
        command if command.starts_with("ca ") => vec![],
        _ => return None,
    })
}

/// A password of a store that nobody answers for.
const STORE_PASSWORD: &str = "store nodes --store postgres://kukla:treasure-7261@127.0.0.1:1/db";

/// The commands without subcommands, by their full names.
pub fn leaves<'c>(above: &str, command: &'c Command, found: &mut Vec<(String, &'c Command)>) {
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let name = format!("{above} {}", sub.get_name()).trim().to_owned();
        let is_group = sub.get_subcommands().any(|sub| sub.get_name() != "help");
        if !is_group || sub.get_arguments().any(|argument| argument.is_positional()) {
            found.push((name.clone(), sub));
        }
        leaves(&name, sub, found);
    }
}

/// Flags that end a command at once, or never let it end, or that ask for what cannot be parsed.
const OTHER_FLAGS: [&str; 4] = ["help", "version", "watch", "show_data"];

/// All ways to add one flag, or one value of an option with a list of them.
fn variations(command: &Command) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    for argument in
        command.get_arguments().filter(|argument| !OTHER_FLAGS.contains(&argument.get_id().as_str()))
    {
        let Some(long) = argument.get_long().map(|long| format!("--{long}")) else { continue };
        let values = |argument: &Arg| {
            argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect::<Vec<_>>()
        };
        match argument.get_action() {
            ArgAction::SetTrue | ArgAction::Count => all.push(vec![long]),
            ArgAction::Set => {
                all.extend(values(argument).into_iter().map(|value| vec![format!("{long}={value}")]))
            }
            _ => {}
        }
    }
    all
}

/// Lines for commands that read standard input.
fn input(command: &str) -> String {
    match command {
        "repl" => "$s = lookup('data::deep')\n$s\n[$s]\n:vars\nInteger($s)\n".to_owned(),
        "rpc" => {
            let code = "$s = Sensitive(\"treasure${'-7261'}\") notice($s) [$s, {$s => 1}]";
            let params = serde_json::json!({"code": code, "sensitive": false, "explain": true});
            serde_json::json!({"method": "eval", "params": params}).to_string() + "\n"
        }
        _ => String::new(),
    }
}

pub fn run(scratch: &Scratch, command: &str, arguments: &[String]) -> CommandOutput {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command_line = scratch.command(&arguments);
    command_line.env("HOME", &scratch.root);
    command_line.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command_line.spawn().unwrap();
    // A command that reads no input may have ended.
    let _ = child.stdin.take().unwrap().write_all(input(command).as_bytes());
    child.wait_with_output().unwrap().into()
}

/// Whether a file at or below a path contains the secret.
fn holds_secret(path: &Path) -> bool {
    files(path).iter().any(|path| contains(&std::fs::read(path).unwrap_or_default(), SECRET.as_bytes()))
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn files(path: &Path) -> Vec<std::path::PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| files(&path)).collect()
}

/// The files that a command leaves, apart from the sources and the catalogs for agents.
fn left(scratch: &Scratch) -> Vec<std::path::PathBuf> {
    let is_left = |path: &std::path::PathBuf| {
        let inside = path.strip_prefix(&scratch.root).unwrap();
        // A store and its export hold exported resources for the nodes that collect them.
        ![
            "repo",
            "other",
            "agents",
            "store.db",
            "store.db-wal",
            "store.db-shm",
            "imported.db",
            "imported.db-wal",
            "imported.db-shm",
            "exported",
        ]
        .iter()
        .any(|known| inside.starts_with(known))
    };
    files(&scratch.root).into_iter().filter(is_left).collect()
}

#[test]
fn no_command_shows_a_secret_in_any_format() {
    let scratch = scratch().with("conf/puppet.conf", "");
    let root = kukla_cli::command();
    let mut commands = Vec::new();
    leaves("", &root, &mut commands);
    assert!(commands.len() > 20, "{commands:?}");
    let mut count = 0;
    for (name, command) in commands {
        let calls =
            calls(&name).unwrap_or_else(|| panic!("`kukla {name}` is new: add a row for it to `calls`"));
        for call in calls {
            let (is_for_receiver, call) = call.strip_prefix('!').map_or((false, call), |call| (true, call));
            for more in variations(command) {
                let arguments: Vec<String> = call.split(' ').map(str::to_owned).chain(more.clone()).collect();
                // The catalog for its agent.
                let is_for_receiver = is_for_receiver
                    || name == "compile"
                        && more.iter().any(|text| text.ends_with("=json") || text.ends_with("=yaml"))
                        && !call.contains("--format")
                        && !call.contains("--all");
                let output = run(&scratch, &name, &arguments);
                count += 1;
                assert_ne!(output.code, Some(101), "{arguments:?}: {output:?}");
                let out = if is_for_receiver { "" } else { &output.out };
                assert!(
                    !out.contains(SECRET) && !output.err.contains(SECRET),
                    "{arguments:?}:\n{out}\n{}",
                    output.err
                );
            }
        }
    }
    assert!(count > 150, "{count} calls");
    let leaks: Vec<_> = left(&scratch).into_iter().filter(|path| holds_secret(path)).collect();
    assert!(leaks.is_empty(), "{leaks:?}");
    assert!(scratch.path("cache/key").is_file() && scratch.path("caches/kukla/key").is_file());
}

#[test]
fn no_failure_shows_a_secret() {
    let scratch = site(Scratch::new("failures"), "repo");
    for failure in FAILURES {
        let code = format!("$s = Sensitive(\"treasure${{'-7261'}}\")\n{failure}\n");
        std::fs::write(scratch.path("repo/manifests/site.pp"), &code).unwrap();
        for call in [
            "compile repo --node n",
            "compile repo --node n --errors json",
            "compile repo --node n --errors puppet",
            "compile repo --node n --validate",
            "compile repo --all --format json --cache cache",
            "check repo --format json",
            "diff repo repo --node n --format json",
            "why Notify[a] --in repo --node n",
            "lookup data::deep --in repo --node n --compile --explain",
        ] {
            let arguments: Vec<String> = call.split(' ').map(str::to_owned).collect();
            let output = run(&scratch, "", &arguments);
            // A catalog that compiles goes to its agent.
            let out = if output.code == Some(0) && call.starts_with("compile repo --node") {
                ""
            } else {
                &output.out
            };
            assert!(!out.contains(SECRET) && !output.err.contains(SECRET), "{failure}: {call}:\n{output:?}");
        }
    }
    assert!(!holds_secret(&scratch.path("cache")));
}

#[test]
fn watching_shows_no_secret_and_caches_none() {
    let scratch = site(Scratch::new("watching"), "repo");
    let mut command = scratch.command(&["compile", "repo", "--all", "--watch", "--cache", "cache"]);
    let printed = scratch.path("printed");
    let output = std::fs::File::create(&printed).unwrap();
    command.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output);
    let mut child = command.spawn().unwrap();
    let wait_for = |what: &dyn Fn(&str) -> bool| {
        let end = Instant::now() + Duration::from_secs(20);
        while !what(&std::fs::read_to_string(&printed).unwrap()) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait_for(&|text| text.contains("watching") || text.contains("1 node"));
    std::thread::sleep(Duration::from_millis(300));
    let data = std::fs::read_to_string(scratch.path("repo/data/c.yaml")).unwrap();
    std::fs::write(scratch.path("repo/data/c.yaml"), data.replace(SECRET, &format!("{SECRET}-new"))).unwrap();
    wait_for(&|text| text.contains("User[m]"));
    child.kill().unwrap();
    child.wait().unwrap();
    let text = std::fs::read_to_string(&printed).unwrap();
    // The change is seen, although no catalog is on the disk.
    assert!(text.contains("User[m]") && !text.contains(SECRET), "{text}");
    assert!(!holds_secret(&scratch.path("cache")));
}
