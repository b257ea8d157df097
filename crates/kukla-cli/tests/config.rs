//! Options from `kukla.toml`.

use std::process::Command;

use crate::common::Directory;

/// Whether `kukla` succeeds, and its messages, in a repository whose `kukla.toml` has this text.
fn run(name: &str, config: &str, arguments: &[&str]) -> (bool, String) {
    let directory = Directory::new(name);
    for (file, text) in [
        ("kukla.toml", config),
        (
            "manifests/site.pp",
            "notice($settings::strict_variables, $facts['a'], inline_template('<%= Time.now.year %>'))",
        ),
        ("facts/n.json", r#"{"name": "n", "values": {"a": "default"}}"#),
        ("others/n.json", r#"{"name": "n", "values": {"a": "others"}}"#),
    ] {
        directory.put(file, text);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
        .args(["compile", "--node", "n", "--format", "summary"])
        .args(arguments)
        .arg(&directory.root)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn every_table_sets_options_and_the_command_line_wins() {
    let config = "[compile]\nset = { strict_variables = false }\n[facts]\npath = 'others'\n[policy]\nclock = 'fixed:2001-02-03'\n";
    let (_, printed) = run("config-tables", config, &[]);
    assert!(printed.contains("false others 2001"), "{printed}");
    let own = ["--clock", "fixed:1999-01-01", "--set", "strict_variables=true"];
    let (_, printed) = run("config-command-line", config, &own);
    assert!(printed.contains("true others 1999"), "{printed}");
    let (_, printed) = run("config-absent", "", &["--clock", "fixed:1999-01-01"]);
    assert!(printed.contains("default 1999"), "{printed}");
}

#[test]
fn a_wrong_key_or_value_names_its_line_and_the_nearest_key() {
    for (config, expected) in [
        ("[policy]\nclokc = 'on'\n", "line 2: unknown key `clokc` in [policy]"),
        ("[policy]\nclokc = 'on'\n", "did you mean `clock`?"),
        ("[compile]\nclock = 'on'\n", "unknown key `clock` in [compile]"),
        ("[compile]\nexecute = 'x'\n", "unknown key `execute`"),
        ("[policy]\nclock = 'soon'\n", "expected start, fixed:TIME, on or off, got 'soon'"),
        ("[policy]\nclock = [[1]]\n", "`clock` requires a string or a list of strings"),
        ("[compile]\nkeep-virtual = 'yes'\n", "`keep-virtual` requires true or false"),
        ("policy = 1\n", "line 1: expected a table"),
        ("[policy\n", "invalid configuration in"),
    ] {
        let (succeeds, printed) = run("config-wrong", config, &[]);
        assert!(!succeeds && printed.contains(expected), "{config}\n{printed}");
    }
}

#[test]
fn every_command_knows_the_tables_of_the_others() {
    let directory = Directory::new("config-all");
    directory.put("manifests/init.pp", "class config { }\n");
    directory.put("metadata.json", r#"{"name": "example-config", "version": "1.0.0"}"#);
    let config = "[fmt]\nwidth = 100\n[policy]\nclock = 'on'\n[compile]\nstrict = 'warning'\n[facts]\npath = 'facts'\n[nodes]\nsamples = ['a']\n[check]\nstrict = true\n";
    directory.put("kukla.toml", config);
    for command in [["check"], ["fmt"]] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_kukla")).args(command).arg(&directory.root).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {printed}");
    }
}
