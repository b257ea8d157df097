//! The manual runs: every `console` block of docs/manual, docs/guide and the README is a session, and what it shows must be what happens.
//!
//! A line that begins with `$ kukla` is a command; the lines below it are all it prints, and `(exit code N)` if that is not
//! zero. A file name in backticks with a colon places the next block as a file. Sessions of a page share a directory, which also
//! holds `examples`. `KUKLA_UPDATE=1` rewrites the pages.

#![allow(clippy::disallowed_methods)] // a test reads the disk

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sessions::{self, Sessions};

#[test]
fn manual() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages: Vec<PathBuf> = ["docs/manual", "docs/guide"]
        .into_iter()
        .flat_map(|part| std::fs::read_dir(root.join(part)).unwrap().map(|entry| entry.unwrap().path()))
        .collect();
    pages.push(root.join("README.md"));
    // The directory also holds images.
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    // Their sessions need a Forge, or repositories.
    pages.retain(|page| !page.ends_with("modules.md") && !page.ends_with("deploy.md"));
    let mut stale = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        if text.contains("--ruby ruby") && Command::new("ruby").arg("-v").output().is_err() {
            kukla_testing::skip("kukla-cli/manual", &format!("no ruby for {}", page.display()));
            continue;
        }
        let actual = Sessions::default().replay(&root, &page, &text);
        if actual == text {
            continue;
        }
        if std::env::var_os("KUKLA_UPDATE").is_some() {
            std::fs::write(&page, actual).unwrap();
        } else {
            stale.push(format!("{}\n{}", page.display(), sessions::difference(&text, &actual)));
        }
    }
    assert!(stale.is_empty(), "the manual shows something else than happens:\n{}", stale.join("\n"));
}
