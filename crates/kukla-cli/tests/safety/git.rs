//! Repositories that are small on disk and without end to walk through.

use std::io::Write;
use std::process::{Command, Stdio};

use super::Scratch;

/// Runs git in the directory with an input, for its output.
fn git(scratch: &Scratch, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(arguments)
        .current_dir(&scratch.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository with a commit.
fn repository(name: &str) -> Scratch {
    let scratch = Scratch::new(name).with("manifests/site.pp", "notify { a: }").with("facts/n.json", "{}");
    git(&scratch, &["init", "-q", "-b", "main", "."], "");
    git(&scratch, &["add", "-A"], "");
    git(&scratch, &["commit", "-q", "-m", "first"], "");
    scratch
}

/// A commit of the tree whose entries are listed, after the first one.
fn commit(scratch: &Scratch, tree: &str) -> String {
    let tree = git(scratch, &["mktree"], tree);
    git(scratch, &["commit-tree", &tree, "-p", "main", "-m", "next"], "")
}

#[test]
fn directories_without_end_are_refused() {
    let scratch = repository("bombs");
    let blob = git(&scratch, &["hash-object", "-w", "--stdin"], "notify { b: }");
    let mut tree = git(&scratch, &["mktree"], &format!("100644 blob {blob}\tf.pp\n"));
    for _ in 0..40 {
        tree = git(&scratch, &["mktree"], &format!("040000 tree {tree}\ta\n040000 tree {tree}\tb\n"));
    }
    let wide = commit(&scratch, &format!("040000 tree {tree}\tmanifests\n"));
    let path = "d/".repeat(3000);
    let import = format!(
        "commit refs/heads/deep\ncommitter a <a@b> 0 +0000\ndata 1\nx\nM 100644 {blob} {path}f.pp\n\n"
    );
    git(&scratch, &["-c", "core.maxTreeDepth=10000", "fast-import", "--quiet"], &import);
    for (revision, why) in
        [(&*wide, "it has more than 2000000 files"), ("deep", "nested more than 2048 levels deep")]
    {
        let output = scratch.run(&["diff", "main", revision]);
        assert!(output.code == Some(2) && output.err.contains(why), "{output:?}");
    }
}

#[test]
fn the_size_of_an_object_is_known_before_it_is_read() {
    let scratch = repository("blobs");
    let length = 129 << 20;
    std::fs::File::create(scratch.root.join("large")).unwrap().set_len(length).unwrap();
    let large = git(&scratch, &["hash-object", "-w", "large"], "");
    let manifests = git(&scratch, &["mktree"], &format!("100644 blob {large}\tsite.pp\n"));
    let next = commit(&scratch, &format!("040000 tree {manifests}\tmanifests\n"));
    let output = scratch.run(&["diff", "main", &next]);
    assert!(output.code == Some(2), "{output:?}");
    assert!(output.out.contains(&format!("it has {length} bytes, more than the")), "{output:?}");
}

#[test]
fn pipes_among_the_files_of_git_are_named() {
    let scratch = repository("pipes").with("manifests/site.pp", "notify { b: }");
    let pipe = |path: &str| {
        assert!(Command::new("mkfifo").arg(scratch.root.join(path)).status().unwrap().success());
    };
    pipe(".git/other");
    let output = scratch.run(&["diff", "main"]);
    assert!(
        output.out.contains("skipped, because they are pipes") && output.out.contains(".git/other"),
        "{output:?}"
    );
    for path in [".git/refs/heads/x", ".git/objects/pack/x.pack", ".git/packed-refs"] {
        pipe(path);
        let output = scratch.run(&["diff", "main"]);
        assert!(output.code == Some(2) && output.err.contains(path), "{output:?}");
        std::fs::remove_file(scratch.root.join(path)).unwrap();
    }
}
