//! The first minutes with a repository: nodes without facts, modules that are not installed, a module's own directory, and the commands
//! that explain a catalog.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use kukla_testing::skip;

use crate::common::Directory;

/// The exit code, standard output and standard error of a command.
struct Run {
    code: i32,
    out: String,
    err: String,
}

fn kukla(root: &Path, line: &str) -> Run {
    let arguments = line.split(' ').map(|word| word.replace('+', " "));
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_kukla")).args(arguments).current_dir(root).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Run { code: status.code().unwrap(), out: text(stdout), err: text(stderr) }
}

fn assert_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn nodes_without_facts_are_reported_before_anything_else() {
    let directory = Directory::new("first-facts");
    directory.put("manifests/site.pp", "node a { fail('x') }\nnode b { }\nnode /^web/ { }\n");
    let run = kukla(&directory.root, "compile --all");
    assert_eq!(run.code, 1);
    assert_all(
        &run.err,
        &["no facts found for 2 nodes", "`--facts debian-12`", "kukla facts pull", "--facts FILE"],
    );
    assert_all(&run.err, &["the node definition /^web/ matches none of the names", "[nodes] samples"]);
    assert!(run.err.find("no facts found") < run.err.find("error["), "{}", run.err);
    let run = kukla(&directory.root, "compile --all --facts debian-12 --samples web1");
    assert!(!run.err.contains("no facts") && !run.err.contains("matches none"), "{}", run.err);
}

#[test]
fn names_come_from_data_or_from_the_fact_set() {
    let directory = Directory::new("first-names");
    directory.put("manifests/site.pp", "node default { }\n");
    let run = kukla(&directory.root, "compile --all --facts rocky-9");
    assert_all(&run.out, &["rocky-9.example.com", "1 compiled, 0 failed"]);
    assert_eq!(kukla(&directory.root, "compile --all").code, 2);
    let levels = "- name: Node\n  paths: ['nodes/%{trusted.certname}.yaml', '%{facts.role}.yaml', 'nodes/%{trusted.certname}-%{environment}.yaml', common.yaml]\n";
    directory.put("hiera.yaml", &format!("version: 5\nhierarchy:\n{levels}"));
    directory.put("data/nodes/web1.example.com.yaml", "a: 1\n");
    directory.put("data/nodes/web2.example.com copy.yaml", "a: 1\n");
    directory.put("data/common.yaml", "a: 1\n");
    let run = kukla(&directory.root, "compile --all --facts rocky-9");
    assert_all(&run.out, &["web1.example.com", "1 compiled, 0 failed"]);
}

#[test]
fn data_of_a_deployed_environment_is_that_of_the_checkout() {
    let directory = Directory::new("first-deployed");
    directory.put("manifests/site.pp", "node default { notify { lookup('text'): } }\n");
    let level = "- name: All\n  datadir: /no/such/code/environments/%{environment}/hieradata\n  paths: ['node/%{fqdn}.yaml', common.yaml]\n";
    directory.put("hiera.yaml", &format!("version: 5\nhierarchy:\n{level}"));
    directory.put("hieradata/common.yaml", "text: found here\n");
    directory.put("hieradata/node/web7.example.com.yaml", "other: 1\n");
    let run = kukla(&directory.root, "compile --all --facts debian-12 --output out");
    assert_all(&run.out, &["web7.example.com", "1 compiled, 0 failed"]);
    let catalog = std::fs::read_to_string(directory.root.join("out/web7.example.com.json")).unwrap();
    assert!(catalog.contains("found here"), "{catalog}");
}

#[test]
fn modules_that_are_not_installed_are_one_error() {
    let directory = Directory::new("first-modules");
    directory.put(
        "Puppetfile",
        "forge 'https://example.com'\n\nmod 'puppetlabs/apt', '9.0.0'\nmod 'puppetlabs-ntp'\n",
    );
    directory.put("environment.conf", "modulepath = site:modules\n");
    directory.put("site/profile/manifests/base.pp", "class profile::base { include apt::backports }\n");
    directory.put("site/profile/manifests/time.pp", "class profile::time { ntp::server { 'a': } }\n");
    directory.put(
        "manifests/site.pp",
        "node a, b { include profile::base }\nnode c { include profile::time }\nnode d { ensure_things() }\n",
    );
    let run = kukla(&directory.root, "compile --all --facts debian-12");
    assert_eq!(run.code, 1);
    let expected = [
        "error: 4 nodes require modules that are not installed",
        "apt (Puppetfile:3): Could not find class ::apt::backports, on a and b",
        "ntp (Puppetfile:4)",
        "Unknown function: 'ensure_things', on d",
        "kukla mod sync",
    ];
    assert_all(&run.err, &expected);
    assert!(!run.err.contains("error[UNKNOWN_CLASS]"), "{}", run.err);
    assert_all(&run.out, &["failed, requires module apt", "failed, requires module ntp"]);
    let run = kukla(&directory.root, "compile --node a --facts debian-12");
    assert_all(&run.err, &["the module 'apt' is not installed; Puppetfile:3 names it"]);
    // A module that is there, but not in the module path.
    directory.put("extra/tools/manifests/init.pp", "class tools { }\n");
    let run = kukla(&directory.root, "compile -e include+tools::x --node a --facts debian-12");
    assert_all(&run.err, &["the module 'tools' is in extra, which is not in the module path"]);
    // An installed module does not hide a wrong name.
    directory.put("modules/apt/manifests/init.pp", "class apt { }\n");
    let run = kukla(&directory.root, "compile --node a --facts debian-12");
    assert!(!run.err.contains("not installed; Puppetfile:3"), "{}", run.err);
}

#[test]
fn code_can_use_the_module_of_the_directory() {
    let directory = Directory::new("first-module");
    directory.put("metadata.json", r#"{"name": "puppetlabs-apt", "version": "1.0.0", "author": "a", "license": "l", "summary": "s", "source": "s", "dependencies": []}"#);
    directory.put("manifests/init.pp", "class apt(String $text = 'default') { include other\n file { '/a': content => template('apt/a.erb') } }\n");
    directory.put("manifests/source.pp", "define apt::source { notify { $title: } }\n");
    directory.put("templates/a.erb", "<%= @text %>");
    directory.put("hiera.yaml", "version: 5\nhierarchy:\n- name: c\n  path: common.yaml\n");
    directory.put("data/common.yaml", "apt::text: from the data of the module\n");
    directory.put(
        "spec/fixtures/modules/other/manifests/init.pp",
        "class other { notify { 'from a fixture': } }\n",
    );
    let run = kukla(&directory.root, "compile -e include+apt+apt::source{x:} --node n --facts debian-12");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_all(&run.out, &["from the data of the module", "from a fixture", "Apt::Source"]);
    let run = kukla(&directory.root, "eval -e lookup('apt::text') --facts debian-12");
    assert_eq!(run.out, "'from the data of the module'\n", "{}", run.err);
}

#[test]
fn a_module_need_not_have_the_name_of_its_directory() {
    let directory = Directory::new("first-checkout");
    directory.put("paths/metadata.json", r#"{"name": "acme-paths", "version": "1.0.0", "author": "a", "license": "l", "summary": "s", "source": "s", "dependencies": []}"#);
    directory.put("paths/types/unix.pp", "type Paths::Unix = Pattern[/^\\//]\n");
    for name in ["puppetlabs-ntp", "ntp", "ntp_fork"] {
        let root = directory.root.join(name);
        let put = |path: &str, text: &str| directory.put(&format!("{name}/{path}"), text);
        put(
            "metadata.json",
            r#"{"name": "puppetlabs-ntp", "version": "1.0.0", "author": "a", "license": "l", "summary": "s", "source": "s", "dependencies": [{"name": "acme/paths"}]}"#,
        );
        put(
            "manifests/init.pp",
            "class ntp(Paths::Unix $path = ntp::default(), Ntp::Size $size = 1) { include ntp::service\n file { $path: content => template('ntp/a.erb') } }\n",
        );
        put("manifests/service.pp", "class ntp::service { service { 'ntp': } }\n");
        put("functions/default.pp", "function ntp::default() { '/etc/ntp.conf' }\n");
        put("types/size.pp", "type Ntp::Size = Integer[1]\n");
        put("templates/a.erb", "<%= scope['module_name'] %> <%= @size %>");
        put("spec/spec_helper.rb", "require 'puppetlabs_spec_helper/module_spec_helper'\n");
        put(
            "spec/classes/ntp_spec.rb",
            "require 'spec_helper'\ndescribe 'ntp' do\n  it { is_expected.to compile.with_all_deps }\n  it { is_expected.to contain_file('/etc/ntp.conf').with_content('ntp 1') }\nend\n",
        );
        put("tests/ntp.md", "# ntp\n\n```puppet\ninclude ntp\n```\n\n```catalog\nService['ntp']\n```\n");
        let fixtures = root.join("spec/fixtures/modules");
        std::fs::create_dir_all(&fixtures).unwrap();
        for has_link in [false, true] {
            if has_link {
                std::os::unix::fs::symlink("../../..", fixtures.join("ntp")).unwrap();
            }
            let parent = directory.root.display();
            let expected = [
                (format!("compile -e include+ntp --facts debian-12 --modulepath {parent}"), "\"ntp 1\""),
                (format!("check --modulepath {parent}:{}", fixtures.display()), "nothing found"),
                ("check".to_owned(), "nothing found"),
                ("test spec".to_owned(), "2 passed"),
                ("test tests".to_owned(), "1 passed"),
                (format!("test . --modulepath {parent}"), "3 passed"),
            ];
            for (line, part) in expected {
                let run = kukla(&root, &line);
                let output = run.out + &run.err;
                assert!(run.code == 0 && output.contains(part), "{name} {has_link} {line}: {output}");
            }
        }
        // A name that is not in the module's namespace is refused, whatever the directory is called.
        put("manifests/service.pp", "class other { }\n");
        let run = kukla(
            &root,
            &format!("compile -e include+ntp --facts debian-12 --modulepath {}", directory.root.display()),
        );
        assert_all(&run.err, &["ILLEGAL_DEFINITION_LOCATION", "write `class ntp::service` here"]);
        std::fs::remove_dir_all(&root).unwrap();
    }
}

#[test]
fn a_change_is_denied_for_policies_that_it_begins_to_violate() {
    let directory = Directory::new("first-policies");
    let site = |mode: &str, extra: &str| {
        format!("file {{ '/old': mode => '0666' }}\nfile {{ '/new': mode => '{mode}' }}\n{extra}")
    };
    directory.put("before/manifests/site.pp", &site("0644", ""));
    let policy = "policy('not for everybody', File) |$file| { $file['mode'] !~ /[2367]$/ }\n";
    for side in ["before", "after"] {
        directory.put(&format!("{side}/facts/web1.yaml"), "os: {family: Debian}\n");
    }
    directory.put("policies/files.pp", policy);
    let line = "diff before after --no-cache --policy policies";
    directory.put("after/manifests/site.pp", &site("0666", ""));
    let run = kukla(&directory.root, line);
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    assert_all(&run.out, &["denied by policy: File[/new]: not for everybody on web1"]);
    assert!(!run.out.contains("File[/old]: not"), "{}", run.out);
    directory.put("after/manifests/site.pp", &site("0600", "notify { 'x': }"));
    let run = kukla(&directory.root, line);
    assert!(run.code == 1 && !run.out.contains("denied"), "{}: {}{}", run.code, run.out, run.err);
    assert_eq!(kukla(&directory.root, "diff before after --policy nowhere").code, 2);
}

#[test]
fn why_follows_interpolation_to_key_and_line() {
    let directory = Directory::new("first-why");
    directory.put("hiera.yaml", "version: 5\nhierarchy:\n- name: c\n  path: common.yaml\n");
    directory.put(
        "data/common.yaml",
        "app::text: \"%{alias('deep')}\"\ndeep: \"hello %{lookup('name')}\"\nname: world\n",
    );
    directory.put(
        "manifests/site.pp",
        "class app($text) { file { '/etc/motd': content => $text } }\ninclude app\n",
    );
    let run = kukla(&directory.root, "why File[/etc/motd] content --node n --facts debian-12");
    let expected = [
        "set at manifests/site.pp:1",
        "data: key app::text in data/common.yaml:1 (level \"c\")",
        "    data: interpolated key deep in data/common.yaml:2",
        "      data: interpolated key name in data/common.yaml:3",
    ];
    assert_all(&run.out, &expected);
    let run = kukla(&directory.root, "why File[motd] --node n --facts debian-12");
    assert_all(&run.err, &["did you mean File[/etc/motd]?"]);
    let run = kukla(&directory.root, "why Fil[/etc/motd] --node n --facts debian-12");
    assert_all(&run.err, &["it has resources of the type File"]);
}

#[test]
fn a_cycle_is_an_error_with_the_line_of_each_edge() {
    let directory = Directory::new("first-cycle");
    let site = "file { '/a':\n  require => File['/b'],\n}\nfile { '/b': }\nclass c {\n  file { '/c': }\n}\ninclude c\nFile['/a'] -> Class['c']\nFile <| title == '/c' |>\n-> File['/b']\n";
    directory.put("manifests/site.pp", site);
    let lines = [
        "manifests/site.pp:9: File[/a] -> Class[C]",
        "manifests/site.pp:6: Class[C] contains File[/c]",
        "manifests/site.pp:11: File[/c] -> File[/b]",
        "manifests/site.pp:2: require => File[/b] in File[/a]",
    ];
    for command in ["compile --node n", "compile --all --samples n", "compile --node n --validate"] {
        let run = kukla(&directory.root, &format!("{command} --facts debian-12"));
        assert_eq!(run.code, 1, "{command}");
        assert_all(&run.err, &lines);
    }
    let run = kukla(&directory.root, "compile --node n --facts debian-12 --format dot");
    assert_eq!(run.code, 1);
    assert_all(&run.out, &["\"File[/a]\" -> \"Class[C]\" [color=red]"]);
    assert!(!run.out.contains("Stage"), "{}", run.out);
    let run = kukla(&directory.root, "compile --node n --facts debian-12 --format svg");
    assert_all(&run.out, &["<svg", "class=\"before cycle\"", "File[/a]"]);
    directory.put("manifests/site.pp", "file { '/a': } -> file { '/b': }\n");
    let run = kukla(&directory.root, "compile --node n --facts debian-12 --format svg");
    assert_eq!(run.code, 0);
    assert_all(&run.out, &["Stage[main]", "class=\"contains\"", "class=\"before\""]);
}

#[test]
fn a_comparison_names_the_include_and_the_interpolated_key() {
    let directory = Directory::new("first-diff");
    for side in ["old", "new"] {
        directory
            .put(&format!("{side}/hiera.yaml"), "version: 5\nhierarchy:\n- name: c\n  path: common.yaml\n");
        directory.put(
            &format!("{side}/modules/app/manifests/init.pp"),
            "class app($text) { file { '/motd': content => $text } }\n",
        );
        directory
            .put(&format!("{side}/modules/more/manifests/init.pp"), "class more { notify { 'more': } }\n");
        directory.put(
            &format!("{side}/modules/unrelated/manifests/init.pp"),
            &format!("class unrelated {{ notify {{ 'un': }} }} # {side}\n"),
        );
    }
    let data = |name: &str| {
        format!(
            "app::text: \"%{{alias('deep')}}\"\ndeep: \"hello %{{lookup('name')}}\"\nname: {name}\nother: {name}\n"
        )
    };
    directory.put("old/data/common.yaml", &data("world"));
    directory.put("new/data/common.yaml", &data("moon"));
    directory.put("old/manifests/site.pp", "include app\ninclude unrelated\n");
    directory.put("new/manifests/site.pp", "include app\ninclude unrelated\ninclude more\n");
    let run = kukla(&directory.root, "diff old new --facts debian-12 --node n --color never");
    assert_eq!(run.code, 1, "{}", run.err);
    assert_all(&run.out, &["because of data/common.yaml:3 name", "because of manifests/site.pp:3"]);
    assert!(!run.out.contains("because of modules"), "{}", run.out);
}

#[test]
fn nodes_that_never_compiled_have_a_line_and_an_exit_code_of_their_own() {
    let directory = Directory::new("first-broken");
    for side in ["old", "new"] {
        directory.put(&format!("{side}/manifests/site.pp"), "class deep { include missing }\nnode a { include deep }\nnode b { include missing }\nnode c { }\n");
        directory.put(&format!("{side}/Puppetfile"), &format!("mod 'x/y', '{side}'\n"));
    }
    let run = kukla(&directory.root, "diff old new --facts debian-12 --color never");
    assert_eq!(run.code, 4, "{} {}", run.out, run.err);
    assert_all(&run.out, &["compile on neither side: Could not find class ::missing", "manifests/site.pp"]);
    assert_all(
        &run.out,
        &[
            "warning: Puppetfile is changed, but both sides were compiled with the modules that are installed now",
        ],
    );
    directory.put("new/manifests/site.pp", "class deep { include missing }\nnode a { include deep }\nnode b { include missing }\nnode c { include missing }\n");
    let run = kukla(&directory.root, "diff old new --facts debian-12");
    assert_eq!(run.code, 2, "{}", run.out);
}

#[test]
fn equal_failures_are_one_although_other_classes_lead_there() {
    let directory = Directory::new("first-grouped");
    directory.put("modules/base/manifests/init.pp", "class base {\n  fail('not here')\n}\n");
    directory.put("manifests/site.pp", "class one { include base }\nclass two { include base }\nnode a { include one }\nnode b { include two }\n");
    let run = kukla(&directory.root, "compile --all --facts debian-12");
    assert_eq!(run.err.matches("not here").count(), 2, "the message and its excerpt: {}", run.err);
    assert_all(&run.err, &["on 2 nodes: a and b"]);
}

#[test]
fn profiles_have_the_formats_of_other_viewers() {
    let directory = Directory::new("first-profile");
    directory.put(
        "manifests/site.pp",
        "class app { notify { lookup('x', default_value => 'y'): } }\nnode a, b { include app }\n",
    );
    let profile = |name: &str| {
        let run = kukla(&directory.root, &format!("compile --all --facts debian-12 --profile={name}"));
        assert_eq!(run.code, 0, "{}", run.err);
        std::fs::read_to_string(directory.root.join(name)).unwrap()
    };
    assert_all(&profile("p.html"), &["Time of 2 catalogs", "\"all nodes\"", "prefers-color-scheme"]);
    assert_all(
        &profile("p.folded"),
        &["a;include (function);app (class) ", "b;include (function);app (class) "],
    );
    let speedscope: serde_json::Value = serde_json::from_str(&profile("p.speedscope.json")).unwrap();
    assert_eq!(speedscope["profiles"].as_array().unwrap().len(), 2);
    assert_all(&profile("p.svg"), &["<svg", "app (class)"]);
}

#[test]
fn colours_follow_the_option() {
    let directory = Directory::new("first-colour");
    directory.put("manifests/site.pp", "fail('x')\n");
    let line = "compile --node n --facts debian-12";
    assert!(!kukla(&directory.root, line).err.contains('\u{1b}'));
    assert!(kukla(&directory.root, &format!("--color always {line}")).err.contains('\u{1b}'));
    assert!(kukla(&directory.root, &format!("{line} --color=always")).err.contains('\u{1b}'));
    assert!(kukla(&directory.root, "compile --color=always --no-such").err.contains('\u{1b}'));
    assert_eq!(kukla(&directory.root, "compile --color=sometimes").code, 2);
}

#[test]
fn scripts_pages_and_versions_are_printed() {
    let directory = Directory::new("first-pages");
    assert_all(&kukla(&directory.root, "completions bash").out, &["_kukla()", "--node-facts"]);
    assert_all(&kukla(&directory.root, "man facts pull").out, &[".TH", "exclude"]);
    let run = kukla(&directory.root, "man compil");
    assert_all(&run.err, &["unknown command 'compil'", "did you mean 'compile'?"]);
    assert_eq!(kukla(&directory.root, "man --output pages").code, 0);
    assert!(directory.root.join("pages/kukla-facts-pull.1").is_file());
    assert_all(
        &kukla(&directory.root, "--version --verbose").out,
        &["kukla ", "commit: ", "features: ", "puppet: "],
    );
}

/// The output of a terminal when these lines are typed into `kukla repl`, one after the other.
fn typed(root: &Path, lines: &[&str]) -> Option<String> {
    let command = format!("{} repl . --node web1 --facts debian-12", env!("CARGO_BIN_EXE_kukla"));
    let spawned = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(root)
        .env("TERM", "xterm")
        .env("XDG_STATE_HOME", root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut terminal = spawned.ok()?;
    let (mut keyboard, mut screen) = (terminal.stdin.take().unwrap(), terminal.stdout.take().unwrap());
    let (sender, shown) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(length @ 1..) = screen.read(&mut part) {
            let _ = sender.send(String::from_utf8_lossy(&part[..length]).into_owned());
        }
    });
    let mut text = String::new();
    for line in lines {
        // A prompt reads what is typed after it has been shown.
        let (began, prompts) = (Instant::now(), text.matches("puppet>").count());
        while began.elapsed() < Duration::from_secs(20) {
            match shown.recv_timeout(Duration::from_millis(300)) {
                Ok(part) => text += &part,
                Err(_) if text.matches("puppet>").count() > prompts => break,
                Err(_) => {}
            }
        }
        keyboard.write_all(format!("{line}\r").as_bytes()).unwrap();
    }
    terminal.wait().unwrap();
    reader.join().unwrap();
    text.extend(shown.try_iter());
    Some(text)
}

#[test]
fn the_prompt_works_in_a_terminal() {
    let directory = Directory::new("first-repl");
    directory.put("modules/ntp/manifests/init.pp", "class ntp { package { 'chrony': } }\n");
    directory.put("own.pp", "function own($x) { $x * 7 }\n");
    let lines = [
        ":help",
        ":facts os.family",
        ":load own.pp",
        "own(6)",
        // The tab key completes the only class that starts like this.
        "include nt\t",
        ":resources package",
        ":doc flatten",
        ":doc flaten",
        ":type [1]",
        ":node web2",
        "$facts['networking']['hostn\t",
        ":nod",
        "exit",
    ];
    let Some(shown) = typed(&directory.root, &lines) else {
        return skip("kukla-cli/terminal", "no `script` for a terminal");
    };
    let expected = [
        "node web1. :help lists the commands",
        ":resources [TYPE]",
        "Debian",
        "42",
        "Package[chrony]",
        "flatten(",
        "did you mean 'flatten'?",
        "Tuple[Integer[1, 1]]",
        "web2 in production",
        "'web2'",
        "did you mean :node?",
    ];
    assert_all(&shown, &expected);
}
