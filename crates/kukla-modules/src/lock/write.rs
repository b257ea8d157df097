//! The text of a lock file: TOML in a fixed order, one key per line, so that version control merges it well.

use std::fmt::Write as _;

use super::{Lock, LockedModule, Origin};

const HEAD: &str = "# The exact version of every module. `kukla mod lock` writes this file; do not edit it by hand.\nversion = 1\n";

pub fn text(lock: &Lock) -> String {
    let mut modules: Vec<&LockedModule> = lock.modules.iter().collect();
    modules.sort_by(|a, b| (&a.name, &a.title).cmp(&(&b.name, &b.title)));
    let mut text = format!("{HEAD}forge = {}\n", quoted(&lock.forge));
    for module in modules {
        text.push_str("\n[[module]]\n");
        let mut field = |key: &str, value: &str| {
            let _ = writeln!(text, "{key} = {}", quoted(value));
        };
        field("name", &module.title);
        if let Some(version) = &module.version {
            field("version", version);
        }
        match &module.origin {
            Origin::Forge { .. } => field("source", "forge"),
            Origin::Git { url, reference, commit } => {
                field("source", "git");
                field("url", url);
                field("reference", reference);
                field("commit", commit);
            }
            Origin::Tarball { url } => {
                field("source", "tarball");
                field("url", url);
            }
            Origin::Local => field("source", "local"),
        }
        if let Some(archive) = &module.archive {
            field("archive", &archive.to_string());
        }
        if let Some(content) = &module.content {
            field("content", &content.to_string());
        }
        field("directory", &module.directory.display().to_string());
        if let Some(declared) = &module.declared {
            field("declared", declared);
        }
        if module.keep_spec {
            text.push_str("spec = true\n");
        }
        if !module.dependencies.is_empty() {
            let mut names: Vec<String> = module.dependencies.iter().map(ToString::to_string).collect();
            names.sort();
            text.push_str("dependencies = [\n");
            for name in names {
                let _ = writeln!(text, "  {},", quoted(&name));
            }
            text.push_str("]\n");
        }
    }
    text
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
