//! The manual runs: every `console` block of docs/manual is a session, and what it shows must be what happens.
//!
//! A line that begins with `$ kukla` is a command; the lines below it are all it prints, and `(exit status N)` if that is not
//! zero. A file name in backticks with a colon places the next block as a file. Sessions of a page share a directory, which also
//! holds `examples`. `KUKLA_UPDATE=1` rewrites the pages.

#![allow(clippy::disallowed_methods)] // a test reads the disk

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn manual() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages: Vec<PathBuf> =
        std::fs::read_dir(root.join("docs/manual")).unwrap().map(|entry| entry.unwrap().path()).collect();
    // Pages have pictures.
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    let mut stale = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        if text.contains("--ruby ruby") && Command::new("ruby").arg("-v").output().is_err() {
            eprintln!("SKIPPED: {} needs a ruby, and there is none here", page.display());
            continue;
        }
        let actual = replay(&root, &page, &text);
        if actual == text {
            continue;
        }
        if std::env::var_os("KUKLA_UPDATE").is_some() {
            std::fs::write(&page, actual).unwrap();
        } else {
            stale.push(format!("{}\n{}", page.display(), difference(&text, &actual)));
        }
    }
    assert!(stale.is_empty(), "the manual shows something else than happens:\n{}", stale.join("\n"));
}

/// The page with what the commands print now.
fn replay(root: &Path, page: &Path, text: &str) -> String {
    let name = page.file_stem().unwrap().to_string_lossy();
    let scratch = std::env::temp_dir().join(format!("kukla-manual-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    copy(&root.join("examples"), &scratch.join("examples"));
    let mut out = String::new();
    let mut pending_file: Option<String> = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if let Some(file) = line.strip_prefix('`').and_then(|l| l.strip_suffix("`:")) {
            pending_file = Some(file.to_owned());
        }
        let Some(language) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        if language == "console" {
            for command in block.iter().filter_map(|l| l.strip_prefix("$ ")) {
                out.push_str(&format!("$ {command}\n{}", session(&scratch, command)));
            }
        } else {
            let content = block.join("\n") + "\n";
            if let Some(file) = pending_file.take() {
                let path = scratch.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, &content).unwrap();
            }
            out.push_str(&content);
        }
        out.push_str("```\n");
    }
    std::fs::remove_dir_all(&scratch).unwrap();
    out
}

fn session(directory: &Path, command: &str) -> String {
    let words = words(command);
    assert_eq!(words[0], "kukla", "the manual only shows kukla: {command}");
    let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
        .args(&words[1..])
        .current_dir(directory)
        .env("SOURCE_DATE_EPOCH", "1700000000")
        .env("XDG_CACHE_HOME", std::env::temp_dir().join(format!("kukla-manual-{}", std::process::id())))
        .output()
        .unwrap();
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    // Where a page happens to run is nobody's business.
    let here = format!("{}/", directory.canonicalize().unwrap().display());
    let text = text.replace(&here, "");
    let mut text: String = text.lines().map(|l| format!("{}\n", l.trim_end())).collect();
    match output.status.code() {
        Some(0) => {}
        code => text.push_str(&format!("(exit status {})\n", code.map_or("?".into(), |c| c.to_string()))),
    }
    text
}

/// Splits a command line at blanks; quotes keep words together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn difference(expected: &str, actual: &str) -> String {
    let at = expected.lines().zip(actual.lines()).position(|(e, a)| e != a).unwrap_or_default();
    let part = |text: &str| text.lines().skip(at).take(8).collect::<Vec<_>>().join("\n  ");
    format!("line {}: shows\n  {}\nhappens\n  {}", at + 1, part(expected), part(actual))
}
