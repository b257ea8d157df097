//! Files that have no end, and directories that lead in circles.

use std::io::Write;

use super::{CommandOutput, Scratch};

#[test]
fn links_that_lead_in_circles_end() {
    let mut scratch = Scratch::new("circles")
        .with("manifests/site.pp", "include m::sub::a\nnotice(lookup('k'))")
        .with("modules/m/manifests/sub/a.pp", "class m::sub::a { }")
        .with("hiera.yaml", "{version: 5, hierarchy: [{name: g, globs: ['**/*.yaml', '*/*/*/*.yaml']}]}")
        .with("data/a.yaml", "k: found")
        .with("facts/n.json", "{}");
    for directory in ["manifests", "modules/m/manifests", "modules/m/manifests/sub", "data"] {
        for (link, target) in [("one", "."), ("two", ".."), ("three", "one"), ("none", "nowhere")] {
            scratch = scratch.link(&format!("{directory}/{link}"), target);
        }
    }
    let output = scratch.run(&["compile", "--node", "n", "--format", "summary"]);
    assert!(output.code == Some(0) && output.err.contains("found"), "{output:?}");
    assert_eq!(scratch.run(&["check", "manifests"]).code, Some(0));
}

#[test]
fn a_link_to_another_directory_is_followed_as_puppet_does() {
    let scratch = Scratch::new("links")
        .with("manifests/site.pp", "include m::there::a")
        .with("facts/n.json", "{}")
        .with("elsewhere/a.pp", "class m::there::a { notify { there: } }")
        .with("modules/m/readme", "")
        .link("modules/m/manifests/there", "../../../elsewhere")
        // A pattern with two stars passes over these.
        .with("more/b.pp", "fail('not to be read')")
        .link("manifests/more", "../more");
    let output = scratch.run(&["compile", "--node", "n", "--format", "summary"]);
    assert!(output.code == Some(0) && output.out.contains("Notify"), "{output:?}");
}

#[test]
fn requests_are_not_read_as_files() {
    let scratch = Scratch::new("stdin");
    let mut child = scratch
        .command(&["rpc"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for path in ["/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "/dev/zero", "/dev/random"] {
        let request =
            serde_json::json!({"id": path, "method": "eval", "params": {"code": format!("file('{path}')")}});
        writeln!(input, "{request}").unwrap();
    }
    writeln!(input, "{}", serde_json::json!({"id": "null", "method": "eval", "params": {"code": "file('/no/such', '/dev/null')"}})).unwrap();
    drop(input);
    let output: CommandOutput = child.wait_with_output().unwrap().into();
    let answers: Vec<&str> = output.out.lines().collect();
    assert_eq!(answers.len(), 6, "{output:?}");
    assert!(
        answers[..5].iter().all(|answer| answer.contains("a device or a pipe and not a file")),
        "{output:?}"
    );
    assert!(answers[5].contains(r#""value":"""#), "{output:?}");
}

#[test]
fn commands_end() {
    let scratch = Scratch::new("commands");
    let output = scratch.run(&["eval", "-e", "generate('/usr/bin/yes')", "--commands", "/usr/bin/yes"]);
    assert!(
        output.code == Some(1) && output.err.contains("it was stopped because it wrote more than"),
        "{output:?}"
    );
}

#[test]
fn what_a_failing_command_says_is_told_without_blanks_around_it() {
    let scratch = Scratch::new("failing-commands");
    let code = "generate('/bin/sh', '-c', 'echo; echo reason; exit 3')";
    let output = scratch.run(&["eval", "-e", code, "--commands", "/bin/sh"]);
    assert!(output.code == Some(1) && output.err.contains("returned 3: reason"), "{output:?}");
}

#[test]
fn pipes_and_devices_in_a_repository_are_named_and_skipped() {
    let pipes = [
        "manifests/z.pp",
        "modules/m/manifests/x.pp",
        "modules/m/templates/t.epp",
        "modules/m/files/f",
        "modules/m/lib/puppet/functions/g.rb",
        "data/web.yaml",
        "anywhere",
    ];
    let scratch = Scratch::new("pipes")
        .with("manifests/site.pp", "notify { a: }\n")
        .with("modules/m/manifests/init.pp", "# @summary m\nclass m { }\n")
        .with(
            "hiera.yaml",
            "{version: 5, hierarchy: [{name: a, paths: ['%{facts.role}.yaml', common.yaml]}]}",
        )
        .with("data/common.yaml", "{}\n")
        .link("manifests/device.pp", "/dev/zero");
    for pipe in pipes {
        let path = scratch.root.join(pipe);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }
    let output = scratch.run(&["check"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    for path in pipes.iter().chain(&["manifests/device.pp"]) {
        let named = |line: &&str| line.contains("skipped") && line.contains(path);
        assert_eq!(output.err.lines().filter(named).count(), 1, "{path}: {output:?}");
    }
    for command in [
        &["compile", "--node", "n"][..],
        &["compile", "--all", "--samples", "n"],
        &["diff", ".", ".", "--node", "n"],
    ] {
        let output = scratch.run(&[command, &["--facts", "debian-12"]].concat());
        assert!(!output.err.contains("cannot read") && output.code != Some(101), "{command:?}: {output:?}");
        if command[0] == "compile" {
            for path in ["manifests/z.pp", "manifests/device.pp"] {
                assert!(
                    output.err.contains("Skipped") && output.err.contains(path),
                    "{command:?}: {output:?}"
                );
            }
        }
    }
}

#[test]
fn files_without_end_are_refused() {
    let scratch = Scratch::new("endless").with("manifests/site.pp", "notify { a: }");
    assert!(std::process::Command::new("mkfifo").arg(scratch.path("pipe")).status().unwrap().success());
    for command in [&["compile", "--node", "n"][..], &["check"], &["eval", "-e", "1"]] {
        let path = scratch.root.join("kukla.toml");
        std::os::unix::fs::symlink("pipe", &path).unwrap();
        let output = scratch.run(command);
        assert!(output.code == Some(2) && output.err.contains("cannot read"), "{command:?}: {output:?}");
        std::fs::remove_file(path).unwrap();
    }
    for target in ["/dev/zero", "/dev/tty", "/"] {
        let path = scratch.root.join("kukla.toml");
        std::os::unix::fs::symlink(target, &path).unwrap();
        let output = scratch.run(&["check"]);
        assert!(output.code == Some(2) && output.err.contains("cannot read"), "{output:?}");
        std::fs::remove_file(path).unwrap();
    }
    for option in ["--facts", "--trusted", "--server-facts"] {
        let output = scratch.run(&["compile", "--node", "n", option, "/dev/zero"]);
        assert!(
            output.code == Some(2) && output.err.contains("it has more than 134217728 bytes"),
            "{output:?}"
        );
    }
    let output = scratch.run(&["eval", "/dev/zero"]);
    assert!(output.code == Some(2) && output.err.contains("it has more than"), "{output:?}");
}
