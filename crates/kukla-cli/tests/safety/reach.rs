//! Code reads, runs and sees what policy allows and nothing else, whichever way it asks.

use super::Scratch;
use super::exits::{leaves, run};

fn site(name: &str) -> Scratch {
    Scratch::new(name)
        .with("outside/secret", "hunter2")
        .with("outside/secret.epp", "hunter2")
        .with("outside/secret.yaml", "k: hunter2")
        .with("outside/secret.json", r#"{"k": "hunter2"}"#)
        .with("outside/m/manifests/init.pp", "class m { notice('hunter2') }")
        .with("site/manifests/site.pp", "")
        .with("site/modules/own/files/own", "own")
        .link("site/modules/own/files/link", "../../../../outside/secret")
        .link("site/modules/own/templates", "../../../outside")
        .link("site/modules/linked", "../../outside/m")
        .link("site/data", "../outside")
        .with("site/facts/n.json", r#"{"up": "../../outside/secret"}"#)
}

/// Code, and what the environment has to be for it.
fn attempts(scratch: &Scratch) -> Vec<(String, &'static str)> {
    let outside = scratch.path("outside").display().to_string();
    let plain = [
        format!("notice(file('{outside}/secret'))"),
        "notice(file('own/../../../../outside/secret'))".to_owned(),
        "notice(file('own/link'))".to_owned(),
        format!("notice(binary_file('{outside}/secret'))"),
        format!("notice(find_file('{outside}/secret'))"),
        format!("notice(find_template('{outside}/secret.epp'))"),
        format!("notice(epp('{outside}/secret'))"),
        "notice(epp('own/secret'))".to_owned(),
        format!("notice(template('{outside}/secret'))"),
        format!("notice(loadyaml('{outside}/secret.yaml'))"),
        format!("notice(loadjson('{outside}/secret.json'))"),
        "include linked".to_owned(),
        "notice(file('/proc/self/environ'))".to_owned(),
        "notice(generate('/bin/cat', '/etc/hostname'))".to_owned(),
        "notice(parsehocon('a = ${PATH}'))".to_owned(),
        "notice(loadjson('http://localhost/x'))".to_owned(),
    ];
    let with = |hierarchy: &'static str| ("notice(lookup('k'))".to_owned(), hierarchy);
    plain
        .into_iter()
        .map(|code| (code, ""))
        .chain([
            with("{name: a, path: secret.yaml}"),
            with("{name: a, path: '../../outside/secret.yaml'}"),
            with("{name: a, path: '%{facts.up}.yaml'}"),
            with("{name: a, glob: '*.yaml'}"),
            with("{name: a, datadir: '../outside', path: secret.yaml}"),
            with("{name: a, datadir: '../outside', glob: '*.yaml'}"),
            with("{name: a, mapped_paths: [facts.up, x, '%{x}.yaml']}"),
        ])
        .collect()
}

#[test]
fn nothing_is_read_outside_the_repository() {
    let scratch = site("outside");
    for (code, hierarchy) in attempts(&scratch) {
        let hiera = format!("{{version: 5, hierarchy: [{hierarchy}]}}");
        std::fs::write(scratch.path("site/hiera.yaml"), hiera).unwrap();
        std::fs::write(scratch.path("site/manifests/site.pp"), &code).unwrap();
        let output = scratch.run(&["compile", "site", "--node", "n", "--files", "repository"]);
        let printed = format!("{}{}", output.out, output.err);
        assert!(!printed.contains("hunter2") && output.code == Some(1), "{code} {hierarchy}: {output:?}");
        if code != "include linked" {
            assert!(printed.contains("is not allowed; `--"), "{code} {hierarchy}: {output:?}");
        }
    }
    let output = scratch.run(&["eval", "-e", "file('own/own')", "--in", "site", "--files", "repository"]);
    assert!(output.code == Some(0) && output.out.contains("own"), "{output:?}");
}

#[test]
fn what_is_allowed_by_name_can_be_read() {
    let scratch = site("allowed");
    let outside = scratch.path("outside").display().to_string();
    let code = format!("file('{outside}/secret')");
    let files = format!("repository,{outside}");
    let output = scratch.run(&["eval", "-e", &code, "--in", "site", "--files", &files]);
    assert!(output.code == Some(0) && output.out.contains("hunter2"), "{output:?}");
    let output =
        scratch.run(&["eval", "-e", "parsehocon('a = ${PATH}')", "--files", "repository", "--env", "PATH"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let output =
        scratch.run(&["epp", "render", "outside/secret.epp", "--in", "site", "--files", "repository"]);
    assert!(output.code == Some(0) && output.out.contains("hunter2"), "{output:?}");
    // Without bounds all is as in Puppet.
    let output = scratch.run(&["eval", "-e", &code]);
    assert!(output.code == Some(0) && output.out.contains("hunter2"), "{output:?}");
    let output = scratch.run(&["eval", "-e", "parsehocon('a = ${PATH}')"]);
    assert_eq!(output.code, Some(0), "{output:?}");
}

/// A control repository whose code reads a file beside it in every way that code has, each in a class of its own name.
fn pull_request(name: &str) -> Scratch {
    Scratch::new(name)
        .with("outside", "treasure-7261")
        .with("repo/environment.conf", "modulepath = modules\n")
        .with("repo/facts/n.json", "{}")
        .with(
            "repo/manifests/site.pp",
            "shelf { 'left': material => 'steel' }\nnotice(m::reads())\nnotice(lookup('k'))\nnotice(template('m/t.erb'))\n",
        )
        .with(
            "repo/modules/m/lib/puppet/type/shelf.rb",
            "Puppet::Type.newtype(:shelf) do\n  newparam(:name, namevar: true)\n  newproperty(:material) do\n    validate { |value| raise ArgumentError, File.read('OUTSIDE') }\n  end\nend\n",
        )
        .with(
            "repo/modules/m/lib/puppet/functions/m/reads.rb",
            "Puppet::Functions.create_function(:'m::reads') do\n  dispatch(:reads) {}\n  def reads\n    File.read('OUTSIDE')\n  end\nend\n",
        )
        .with(
            "repo/modules/m/lib/puppet/functions/m/backend.rb",
            "Puppet::Functions.create_function(:'m::backend') do\n  dispatch(:look) { param 'String', :key; param 'Hash', :options; param 'Puppet::LookupContext', :context }\n  def look(key, options, context)\n    File.read('OUTSIDE')\n  end\nend\n",
        )
        .with("repo/modules/m/lib/facter/treasure.rb", "Facter.add(:treasure) { setcode { File.read('OUTSIDE') } }\n")
        .with("repo/modules/m/templates/t.erb", "<%= File.read('OUTSIDE') %>")
        .with("repo/hiera.yaml", "{version: 5, hierarchy: [{name: b, lookup_key: 'm::backend'}]}")
}

#[test]
fn a_pull_request_reads_nothing_outside_of_the_repository() {
    let scratch = pull_request("pull-request");
    let outside = scratch.path("outside").canonicalize().unwrap();
    // The code names the file by its absolute path.
    for file in [
        "repo/modules/m/lib/puppet/type/shelf.rb",
        "repo/modules/m/lib/puppet/functions/m/reads.rb",
        "repo/modules/m/lib/puppet/functions/m/backend.rb",
        "repo/modules/m/lib/facter/treasure.rb",
        "repo/modules/m/templates/t.erb",
    ] {
        let text = std::fs::read_to_string(scratch.path(file)).unwrap();
        std::fs::write(scratch.path(file), text.replace("OUTSIDE", outside.to_str().unwrap())).unwrap();
    }
    let shows = |arguments: &[&str]| {
        let output = scratch.run(arguments);
        format!("{}{}", output.out, output.err)
    };
    for command in [
        &["check", "repo"][..],
        &["compile", "repo", "--node", "n", "--validate", "--files", "repository"],
        &["compile", "repo", "--all", "--validate", "--files", "repository"],
        &[
            "compile",
            "repo",
            "--node",
            "n",
            "-e",
            "shelf { a: material => b }",
            "--validate",
            "--files",
            "repository",
        ],
        &["compile", "repo", "--node", "n", "-e", "notice(template('m/t.erb'))", "--files", "repository"],
        &["lookup", "k", "--in", "repo", "--node", "n", "--files", "repository"],
        &["eval", "--in", "repo", "--node", "n", "-e", "m::reads()", "--files", "repository"],
        &["why", "Shelf[left]", "--in", "repo", "--node", "n", "--files", "repository"],
    ] {
        let printed = shows(command);
        assert!(!printed.contains("treasure-7261"), "{command:?}: {printed}");
    }
    // Links in place of manifests lead to a file that is shown as soon as it cannot be parsed.
    let link = |name: &str| std::os::unix::fs::symlink(&outside, scratch.path(name)).unwrap();
    link("repo/manifests/link.pp");
    link("repo/modules/m/manifests.pp");
    std::fs::write(&outside, "a: treasure-7261\n").unwrap();
    for command in [
        &["check", "repo"][..],
        &["check", "repo", "--format", "json"],
        &["check", "repo", "--format", "github"],
        &["check", "repo", "--format", "sarif"],
        &["fmt", "repo", "--check"],
        &["fmt", "repo", "--diff"],
        &["lint", "repo"],
        &["doc", "repo", "--format", "json"],
    ] {
        let printed = shows(command);
        assert!(!printed.contains("treasure-7261"), "{command:?}: {printed}");
    }
    assert!(shows(&["check", "repo", "--files", "any"]).contains("treasure-7261"));
    ["repo/manifests/link.pp", "repo/modules/m/manifests.pp"]
        .iter()
        .for_each(|name| std::fs::remove_file(scratch.path(name)).unwrap());
    std::fs::write(&outside, "treasure-7261").unwrap();
    // The file is there to be read, where it is allowed.
    for command in [
        &["check", "repo", "--files", "any"][..],
        &["eval", "--in", "repo", "--node", "n", "-e", "m::reads()", "--files", "any"],
    ] {
        let printed = shows(command);
        assert!(printed.contains("treasure-7261"), "{command:?}: {printed}");
    }
}

#[test]
fn kukla_toml_names_nothing_outside_of_the_repository() {
    for (file, text) in [("repo/kukla.toml", "[check]\nbaseline = '../outside'\n"), ("other", "")] {
        let scratch = pull_request("kukla-toml").with(file, text);
        if file == "other" {
            std::os::unix::fs::symlink("../outside", scratch.path("repo/kukla.toml")).unwrap();
        }
        let output = scratch.run(&["check", "repo"]);
        assert!(output.code == Some(2) && output.err.contains("lies outside of"), "{output:?}");
        assert!(!format!("{output:?}").contains("treasure-7261"), "{output:?}");
    }
}

/// The calls of a command on the repository of a pull request, with the options that restrict it; `None` for a command that nobody has thought of.
fn restricted(command: &str) -> Option<Vec<&'static str>> {
    Some(match command {
        "check" => vec!["check repo"],
        "compile" => vec![
            "compile repo --node n --validate --files repository",
            "compile repo --all --validate --files repository",
        ],
        "diff" => vec!["diff repo repo --exact --node n --files repository"],
        "lookup" => vec![
            "lookup k --in repo --node n --explain --files repository",
            "lookup k --in repo --node n --compile --files repository",
        ],
        "why" => vec!["why Shelf[left] --in repo --node n --files repository"],
        "eval" => vec![
            "eval --in repo --node n -e m::reads() --files repository",
            "eval --in repo --node n -e lookup('k') --files repository",
        ],
        "repl" => vec!["repl repo --node n --files repository"],
        "epp render" => vec!["epp render repo/t.epp --in repo --node n --files repository"],
        "facts" => vec!["facts treasure --in repo --files repository"],
        "rpc" => vec!["rpc --files repository"],
        "test" => vec!["test repo --files repository"],
        // A script is named by the user; it has the same policy.
        "ruby" => vec!["ruby --files repository repo/script.rb"],
        // Its policy is the one that all requests have (`kukla-server`); no code runs here.
        "serve" => vec!["serve --check --confdir repo --files repository"],
        "lsp" => vec!["lsp"],
        "mod lock" => vec!["mod lock --offline --check --puppetfile repo/Puppetfile"],
        "mod tree" => vec!["mod tree --offline --puppetfile repo/Puppetfile"],
        // The same reader of Puppetfiles; it sees no other code.
        command if command.starts_with("mod ") => vec![],
        // Its settings name the repositories, and belong to the user.
        "deploy" => vec![],
        // These run no code, and read only files that the user names.
        "fmt" => vec!["fmt --check repo"],
        "doctor" => vec!["doctor repo --files repository"],
        "parse" => vec!["parse repo/manifests"],
        "epp validate" => vec!["epp validate repo/t.epp"],
        "facts list" | "facts show" | "facts export" | "facts pull" | "ruby coverage" | "explain" | "doc"
        | "lint" | "new" | "pages" | "man" | "completions" | "init" | "self" => vec![],
        command if command.starts_with("store ") || command.starts_with("ca ") => vec![],
        _ => return None,
    })
}

/// One way in which a pull request tries to read a file outside of the repository: files with their texts, in which OUTSIDE is the path of
/// that file, and links.
type Attempt =
    (&'static str, &'static [(&'static str, &'static str)], &'static [(&'static str, &'static str)]);

const ATTEMPTS: [Attempt; 15] = [
    ("code", &[], &[]),
    ("manifest", &[("manifests/site.pp", "notice(file('OUTSIDE'))")], &[]),
    ("EPP", &[("manifests/site.pp", "notice(epp('OUTSIDE'))"), ("t.epp", "<%= file('OUTSIDE') %>")], &[]),
    ("data path", &[("hiera.yaml", "{version: 5, hierarchy: [{name: a, path: 'OUTSIDE.yaml'}]}")], &[]),
    (
        "data path up",
        &[("hiera.yaml", "{version: 5, hierarchy: [{name: a, path: '../../outside.yaml'}]}")],
        &[],
    ),
    (
        "datadir",
        &[("hiera.yaml", "{version: 5, hierarchy: [{name: a, datadir: '..', path: outside.yaml}]}")],
        &[],
    ),
    (
        "module path",
        &[("environment.conf", "modulepath = ../outer:modules\n"), ("manifests/site.pp", "include outer")],
        &[],
    ),
    ("manifest setting", &[("environment.conf", "manifest = ../outer/outer/manifests/init.pp\n")], &[]),
    ("linked module", &[("manifests/site.pp", "include outer")], &[("modules/outer", "../../outer/outer")]),
    (
        "linked data",
        &[("hiera.yaml", "{version: 5, hierarchy: [{name: a, path: outside.yaml}]}")],
        &[("data", "..")],
    ),
    (
        "linked template",
        &[("manifests/site.pp", "notice(template('m/l.erb'))")],
        &[("modules/m/templates/l.erb", "../../../../outside")],
    ),
    ("linked fixtures", &[(".fixtures.yml", "fixtures: {symlinks: {outer: '../outer/outer'}}")], &[]),
    (
        "Puppetfile",
        &[("Puppetfile", "moduledir '../outer'\nmod 'a/outer', local: true\neval(File.read('OUTSIDE'))\n")],
        &[],
    ),
    (
        "configuration",
        &[(
            "kukla.toml",
            "[compile]\nhiera-config = '../outer/hiera.yaml'\n[check]\nbaseline = '../outside'\n",
        )],
        &[],
    ),
    ("linked configuration", &[], &[("kukla.toml", "../outside")]),
];

#[test]
fn no_command_reads_outside_of_a_restricted_repository() {
    let root = kukla_cli::command();
    let mut commands = Vec::new();
    leaves("", &root, &mut commands);
    for (attempt, files, links) in ATTEMPTS {
        let mut scratch = pull_request("restricted")
            .with("outside.yaml", "k: treasure-7261\n")
            .with(
                "outer/outer/manifests/init.pp",
                "class outer { notice('treasure-7261') }\nnotice('treasure-7261')\n",
            )
            .with(
                "outer/hiera.yaml",
                "{version: 5, hierarchy: [{name: a, datadir: '..', path: outside.yaml}]}",
            )
            .with("repo/t.epp", "<%= m::reads() %>")
            .with("repo/script.rb", "puts File.read('OUTSIDE')");
        let outside = scratch.path("outside").canonicalize().unwrap();
        for (path, text) in files {
            scratch = scratch.with(&format!("repo/{path}"), text);
        }
        for (path, target) in links {
            scratch = scratch.link(&format!("repo/{path}"), target);
        }
        let code = std::process::Command::new("grep")
            .args(["-rl", "OUTSIDE", "repo"])
            .current_dir(&scratch.root)
            .output();
        for file in String::from_utf8(code.unwrap().stdout).unwrap().lines() {
            let text = std::fs::read_to_string(scratch.path(file)).unwrap();
            std::fs::write(scratch.path(file), text.replace("OUTSIDE", outside.to_str().unwrap())).unwrap();
        }
        for (name, _) in &commands {
            let calls = restricted(name)
                .unwrap_or_else(|| panic!("`kukla {name}` is new: add a row for it to `restricted`"));
            // A check parses the manifests of all modules, wherever `environment.conf` and links say that they are.
            let is_parsed =
                name == "check" && matches!(attempt, "module path" | "manifest setting" | "linked module");
            for call in calls.into_iter().filter(|_| !is_parsed) {
                let output = run(&scratch, name, &call.split(' ').map(str::to_owned).collect::<Vec<_>>());
                let printed = format!("{}{}", output.out, output.err);
                assert!(!printed.contains("treasure-7261"), "{attempt}: {call}:\n{printed}");
                assert_ne!(output.code, Some(101), "{attempt}: {call}:\n{printed}");
            }
        }
    }
}

#[test]
fn kukla_toml_gives_no_permission_to_a_restricted_repository() {
    for config in [
        "[policy]\ncommands = 'on'\n",
        "[policy]\nwrites = 'on'\n",
        "[policy]\nenv = 'on'\n",
        "[policy]\nruby = '/usr/bin/ruby'\n",
        "[policy]\nanswers = '..'\n",
        "[compile]\nenc = '/bin/cat'\n",
        "[compile]\nstore = 'sqlite:../store.db'\n",
        "[compile]\nmodulepath = ['modules', '../outer']\n",
        "[compile]\noutput = '/tmp'\n",
        "[facts]\npath = '../outside'\n",
    ] {
        let scratch = pull_request("permissions").with("repo/kukla.toml", config);
        let output = scratch.run(&["compile", "repo", "--node", "n", "-e", "1", "--files", "repository"]);
        // The options of `--all` have no effect on one node.
        let is_other = config.contains("output");
        assert!(
            is_other || output.code == Some(2) && output.err.contains("is refused"),
            "{config}: {output:?}"
        );
    }
    let harmless =
        "[policy]\nclock = 'fixed:2001-01-01'\ncommands = 'off'\n[compile]\nmodulepath = ['modules']\n";
    let scratch = pull_request("harmless").with("repo/kukla.toml", harmless);
    let output = scratch.run(&["compile", "repo", "--node", "n", "-e", "1", "--files", "repository"]);
    assert!(!output.err.contains("is refused"), "{output:?}");
}
