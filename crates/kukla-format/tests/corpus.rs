//! The guarantees over directories of code: `KUKLA_FORMAT_CORPUS=dir:dir cargo test -p kukla-format --test all corpus`. Without the
//! variable, over the code of this repository.

use std::path::{Path, PathBuf};

use kukla_format::{FormatError, Language, Options, format};

fn find(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() && !path.is_symlink() {
            find(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "pp" || extension == "epp") {
            files.push(path);
        }
    }
}

#[test]
fn corpus() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let directories = match std::env::var_os("KUKLA_FORMAT_CORPUS") {
        Some(list) => std::env::split_paths(&list).collect(),
        None => vec![own],
    };
    let mut files = Vec::new();
    directories.iter().for_each(|directory| find(directory, &mut files));
    assert!(!files.is_empty());
    let variants = [Options::default(), Options { width: 60, indent: 4, ..Options::default() }];
    let mut failures = Vec::new();
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let language = Language::of_path(path);
        for options in &variants {
            let formatted = match format(&text, language, options) {
                Ok(formatted) => formatted,
                Err(FormatError::Syntax(_)) => continue,
                Err(error) => {
                    failures.push(format!("{}: {error}", path.display()));
                    continue;
                }
            };
            if format(&formatted, language, options).ok().as_ref() != Some(&formatted) {
                failures.push(format!("{}: changes again with width {}", path.display(), options.width));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The example that people copy is formatted.
#[test]
fn the_example_is_formatted() {
    let mut files = Vec::new();
    find(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/site"), &mut files);
    assert!(!files.is_empty());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let formatted = format(&text, Language::of_path(&path), &Options::default()).unwrap();
        assert_eq!(formatted, text, "{}", path.display());
    }
}
