//! Every write is checked, and files appear whole.

use std::fs::File;

use super::{CommandOutput, Scratch};

fn site(name: &str) -> Scratch {
    Scratch::new(name)
        .with("manifests/site.pp", "notify { a: message => 'b' }\nnotice('text')")
        .with("facts/n.json", "{}")
        .with("t.epp", "text")
}

#[test]
fn a_full_disk_is_an_error() {
    let scratch = site("full");
    for command in [
        &["compile", "--node", "n"][..],
        &["compile", "--node", "n", "--format", "summary"],
        &["compile", "--node", "n", "--provenance", "-"],
        &["compile", "--all"],
        &["eval", "-e", "1"],
        &["check", "--format", "json", "manifests"],
        &["doc", "codes"],
        &["epp", "render", "t.epp"],
        &["explain", "--list"],
        &["explain", "SYNTAX_ERROR"],
        &["lookup", "k", "--default", "1", "--node", "n"],
        &["lookup", "k", "--default", "1", "--all"],
        &["parse", "manifests/site.pp"],
        &["why", "Notify[a]", "--node", "n"],
        &["--help"],
        &["--version"],
    ] {
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let output: CommandOutput = scratch.command(command).stdout(full()).output().unwrap().into();
        assert_eq!(output.code, Some(2), "{command:?}: {output:?}");
        assert!(
            output.err.contains("kukla: cannot write the output: No space left"),
            "{command:?}: {output:?}"
        );
        let silent = scratch.command(command).stderr(full()).output().unwrap();
        assert_ne!(silent.status.code(), Some(101), "{command:?} panicked");
    }
    let output = scratch.run(&["compile", "--node", "n", "--provenance", "/dev/full"]);
    assert!(output.code == Some(2) && output.err.contains("/dev/full: No space left"), "{output:?}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let scratch = site("pipe");
    let mut child = scratch.command(&["doc", "codes"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_cannot_be_written_leaves_what_was_there() {
    let scratch = site("whole").with("out/n.json", "old").with("file", "");
    let output = scratch.run(&["compile", "--all", "--output", "file"]);
    assert!(output.code == Some(2) && output.err.contains("file"), "{output:?}");
    // A directory of this name cannot be replaced by the catalog.
    let scratch = scratch.with("blocked/n.json/x", "");
    let output = scratch.run(&["compile", "--all", "--output", "blocked"]);
    assert!(output.code == Some(2), "{output:?}");
    assert_eq!(scratch.names("blocked"), ["n.json"]);
    let output = scratch.run(&["compile", "--all", "--output", "out"]);
    assert_eq!((output.code, scratch.names("out")), (Some(0), vec!["n.json".to_owned()]));
    assert!(std::fs::read_to_string(scratch.path("out/n.json")).unwrap().contains("Notify"));
}
