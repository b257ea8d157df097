//! The language server in real editors, without a screen: they attach to it, show diagnostics, complete, rename and format. Where an editor
//! is missing, this says so and does nothing.

use std::path::Path;
use std::process::{Command, Output};

use kukla_testing::skip;

use crate::common::Directory;

/// The exit code of a script whose editor lacks a package.
const ABSENT: i32 = 77;

#[test]
fn neovim() {
    let script = ["--headless", "-u", "NONE", "-c", "luafile neovim/test.lua"];
    run("kukla-cli/neovim", "nvim", &script);
}

#[test]
fn emacs() {
    run("kukla-cli/emacs", "emacs", &["--batch", "-l", "emacs/test.el"]);
}

/// Runs a script of an editor on a copy of the example site.
fn run(name: &str, editor: &str, arguments: &[&str]) {
    if Command::new(editor).arg("--version").output().is_err() {
        return skip(name, &format!("no {editor}"));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let directory = Directory::new(editor);
    copy(&root.join("examples/site"), &directory.root.join("site"));
    let editors = root.join("editors").canonicalize().unwrap();
    let output = Command::new(editor)
        .args(arguments)
        .current_dir(&editors)
        .env("HOME", &directory.root)
        .env("KUKLA", env!("CARGO_BIN_EXE_kukla"))
        .env("KUKLA_SITE", directory.root.join("site"))
        .env("KUKLA_EDITORS", &editors)
        .output()
        .unwrap();
    let Output { status, stdout, stderr } = output;
    if status.code() == Some(ABSENT) {
        return skip(name, &format!("{editor} lacks a package for language servers"));
    }
    let stdout = String::from_utf8_lossy(&stdout);
    let is_done = stdout.contains("attached, diagnostics, completion, rename, formatting");
    assert!(status.success() && is_done, "{status}\n{stdout}\n{}", String::from_utf8_lossy(&stderr));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(std::fs::copy(&from, &to).unwrap()),
        }
    }
}
