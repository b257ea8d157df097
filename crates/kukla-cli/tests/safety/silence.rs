//! Work that is skipped is reported, and an option without effect is refused.

use super::Scratch;

fn site(name: &str) -> Scratch {
    Scratch::new(name).with("site/manifests/site.pp", "node a { notify { a: } }").with("t.epp", "text")
}

#[test]
fn options_without_effect_are_refused() {
    let scratch = site("options");
    for command in [
        &["epp", "render", "t.epp", "-e", "1"][..],
        &["compile", "site", "--node", "a", "--output", "out"],
        &["lookup", "k", "--in", "site", "--all", "--node", "a"],
        &["compile", "site", "--node", "a", "--commands", "bin/version"],
        &["compile", "site", "--all", "--errors", "json"],
        &["compile", "site", "--all", "--format", "yaml"],
        &["parse", "-e", "1", "--format", "tokens", "--pretty"],
        &["eval", "t.epp", "-e", "1"],
        &["repl", "-e", "1"],
        &["compile", "site", "--node", "a", "--modulepath", "no-such-directory"],
        &["compile", "site", "--node", "a", "--files", "modules,relative"],
    ] {
        let output = scratch.run(command);
        assert!(output.code == Some(2) && !output.err.is_empty(), "{command:?}: {output:?}");
    }
}

#[test]
fn nothing_is_not_a_success() {
    let scratch = site("nothing").with("empty/readme.txt", "");
    let output = scratch.run(&["compile", "empty", "--node", "a"]);
    assert!(output.code == Some(2) && output.err.contains("no Puppet code in empty"), "{output:?}");
    let output = scratch.run(&["check", "empty"]);
    assert!(output.code == Some(2) && output.err.contains("nothing to check"), "{output:?}");
    let output = scratch.run(&["compile", "empty", "--node", "a", "-e", "notify { a: }"]);
    assert_eq!(output.code, Some(0), "{output:?}");
}

#[test]
fn a_node_without_facts_is_said_to_have_none() {
    let scratch = site("facts");
    let output = scratch.run(&["compile", "site", "--node", "a"]);
    assert!(output.code == Some(0) && output.err.contains("no facts found for 'a'"), "{output:?}");
    let scratch = scratch.with("site/facts/a.json", "{}");
    let output = scratch.run(&["compile", "site", "--node", "a"]);
    assert!(output.code == Some(0) && output.err.is_empty(), "{output:?}");
}

#[test]
fn a_manifest_that_cannot_be_read_is_an_error() {
    let scratch = site("manifests");
    std::fs::write(scratch.path("site/manifests/b.pp"), b"notify { b: message => '\xff' }").unwrap();
    for command in [&["compile", "site", "--node", "a"][..], &["check", "site"]] {
        let output = scratch.run(command);
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(
            format!("{}{}", output.out, output.err).contains("invalid byte sequence in UTF-8"),
            "{output:?}"
        );
    }
    let odd = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"b\xff.pp");
    std::fs::rename(scratch.path("site/manifests/b.pp"), scratch.path("site/manifests").join(odd)).unwrap();
    let output = scratch.run(&["compile", "site", "--node", "a"]);
    assert!(output.code == Some(1) && output.err.contains("FILE_NOT_READABLE"), "{output:?}");
    let scratch = site("pipe");
    let output = scratch.run(&["compile", "/dev/zero", "--node", "a"]);
    assert!(output.code == Some(1) && output.err.contains("a device or a pipe and not a file"), "{output:?}");
}

#[test]
fn a_broken_manifest_is_shown_when_all_nodes_are_wanted() {
    let scratch = site("broken").with("site/manifests/site.pp", "node a {\n");
    for command in [&["compile", "site", "--all"][..], &["lookup", "k", "--in", "site", "--all"]] {
        let output = scratch.run(command);
        assert!(output.code == Some(1) && output.err.contains("this `{` is not closed"), "{output:?}");
    }
}

#[test]
fn hocon_does_not_leave_out_what_it_should_include() {
    let scratch = site("hocon")
        .with("site/hiera.yaml", "{version: 5, hierarchy: [{name: h, data_hash: hocon_data, path: a.conf}]}")
        .with("site/data/a.conf", "include \"b.conf\"\nk = 1");
    let output = scratch.run(&["lookup", "k", "--in", "site", "--node", "a"]);
    assert!(output.code == Some(1) && output.err.contains("include is not supported"), "{output:?}");
}
