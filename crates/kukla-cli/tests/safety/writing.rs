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
        &["pages", "codes"],
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
    let mut child =
        scratch.command(&["pages", "codes"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
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

/// A module with one fixable finding, the type of a variable that is misspelt.
fn fixable(name: &str) -> Scratch {
    Scratch::new(name)
        .with("repo/metadata.json", r#"{"name": "a-m"}"#)
        .with("repo/manifests/init.pp", FIXABLE)
}

const FIXABLE: &str = "class m (String $colour) {\n  notify { $colour: mesage => 'x' }\n}\n";
const FIXED: &str = "class m (String $colour) {\n  notify { $colour: message => 'x' }\n}\n";
const FIX: [&str; 4] = ["check", "--fix", "--unsafe-fixes", "repo"];

#[test]
fn a_fix_keeps_mode_and_owner() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let scratch = fixable("fix-mode");
    let path = scratch.path("repo/manifests/init.pp");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let before = std::fs::metadata(&path).unwrap();
    let output = scratch.run(&FIX);
    assert_eq!(output.code, Some(0), "{output:?}");
    let after = std::fs::metadata(&path).unwrap();
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), FIXED);
    assert_eq!(scratch.names("repo/manifests"), ["init.pp"]);
}

#[test]
fn a_file_with_two_names_is_fixed_once() {
    for (link, target) in
        [("repo/manifests/other.pp", "init.pp"), ("repo/manifests/sub", "."), ("repo/types", "manifests")]
    {
        let scratch = fixable("fix-twice").link(link, target);
        let output = scratch.run(&FIX);
        let text = std::fs::read_to_string(scratch.path("repo/manifests/init.pp")).unwrap();
        assert_eq!(text, FIXED, "{link}: {output:?}");
        assert!(scratch.path(link).is_symlink());
    }
}

#[test]
fn a_fix_leads_nowhere_outside_of_the_repository() {
    for (link, target) in
        [("repo/manifests/init.pp", "../../elsewhere/init.pp"), ("repo/manifests", "../elsewhere")]
    {
        let scratch = Scratch::new("fix-outside")
            .with("repo/metadata.json", r#"{"name": "a-m"}"#)
            .with("elsewhere/init.pp", FIXABLE)
            .link(link, target);
        let output = scratch.run(&FIX);
        assert_eq!(std::fs::read_to_string(scratch.path("elsewhere/init.pp")).unwrap(), FIXABLE);
        assert!(output.code == Some(1) && output.out.contains("mesage"), "{link}: {output:?}");
        assert!(output.err.contains("lies outside of"), "{link}: {output:?}");
    }
}

#[test]
fn every_command_that_rewrites_keeps_to_the_repository_and_to_one_name() {
    const UNTIDY: &str = "class m {\n  notify { \"x\": }   \n}\n";
    for (command, code) in [(&["fmt", "repo"][..], Some(0)), (&["lint", "--fix", "repo"], None)] {
        for (link, target) in
            [("repo/manifests/init.pp", "../../elsewhere/init.pp"), ("repo/manifests", "../elsewhere")]
        {
            let scratch = Scratch::new("rewrite-outside")
                .with("repo/metadata.json", r#"{"name": "a-m"}"#)
                .with("elsewhere/init.pp", UNTIDY)
                .link(link, target);
            let output = scratch.run(command);
            assert_eq!(
                std::fs::read_to_string(scratch.path("elsewhere/init.pp")).unwrap(),
                UNTIDY,
                "{command:?} {link}: {output:?}"
            );
        }
        for (link, target) in [("repo/manifests/other.pp", "init.pp"), ("repo/types", "manifests")] {
            let scratch = Scratch::new("rewrite-twice")
                .with("repo/metadata.json", r#"{"name": "a-m"}"#)
                .with("repo/manifests/init.pp", UNTIDY)
                .link(link, target);
            let output = scratch.run(command);
            assert!(code.is_none() || output.code == code, "{command:?} {link}: {output:?}");
            assert!(!output.err.contains("cannot rewrite"), "{command:?} {link}: {output:?}");
            assert!(
                !std::fs::read_to_string(scratch.path("repo/manifests/init.pp")).unwrap().contains("   \n"),
                "{command:?} {link}: {output:?}"
            );
            assert!(scratch.path(link).is_symlink());
        }
    }
}

#[test]
fn a_full_disk_leaves_the_original() {
    let scratch = fixable("fix-full");
    // A file of more than no blocks cannot be written, as on a full disk.
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
    let mut command = std::process::Command::new("/bin/sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_kukla")]).args(FIX).current_dir(&scratch.root);
    let output: CommandOutput = command.output().unwrap().into();
    assert!(output.code == Some(2) && output.err.contains("cannot rewrite"), "{output:?}");
    assert!(output.out.contains("mesage"), "the finding is still there: {output:?}");
    assert_eq!(std::fs::read_to_string(scratch.path("repo/manifests/init.pp")).unwrap(), FIXABLE);
    assert_eq!(scratch.names("repo/manifests"), ["init.pp"]);
}
