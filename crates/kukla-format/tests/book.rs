//! The book of the formatter: each section of `tests/book` has a text and its formatted form; a single block is formatted already.

use std::path::Path;

use kukla_format::{Language, Options, format};

#[test]
fn book() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/book");
    let mut chapters: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    chapters.sort();
    let mut failures = Vec::new();
    let mut sections = 0;
    for chapter in &chapters {
        let name = chapter.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(chapter).unwrap();
        for section in text.split("\n## ").skip(1) {
            sections += 1;
            let title = section.lines().next().unwrap_or_default();
            let (language, blocks) = blocks(section);
            let (before, after) = match &blocks[..] {
                [formatted] => (formatted, formatted),
                [before, after] => (before, after),
                _ => panic!("{name}: {title}: expected one block or two"),
            };
            for (text, which) in [(before, "before"), (after, "after")] {
                match format(text, language, &Options::default()) {
                    Ok(actual) if actual == *after => {}
                    Ok(actual) => failures.push(format!("{name}: {title}: {which}, formatted:\n{actual}")),
                    Err(error) => failures.push(format!("{name}: {title}: {which}: {error}")),
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(sections > 40, "only {sections} sections");
}

/// The code blocks of a section.
fn blocks(section: &str) -> (Language, Vec<String>) {
    let mut language = Language::Manifest;
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in section.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(tag)) => {
                language = match tag {
                    "epp" => Language::Template,
                    "plan" => Language::Plan,
                    _ => Language::Manifest,
                };
                open = Some(String::new());
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(text), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    (language, blocks)
}
