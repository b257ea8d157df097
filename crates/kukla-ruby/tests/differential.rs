//! Tables of calls, printed by `ruby` and by the interpreter: where `ruby` is at hand both must print the same.
#![allow(clippy::disallowed_methods, reason = "the reference is another process")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Differences that are known and explained.
const EXPLAINED: &[(&str, &str)] = &[
    ("UTF-16LE", "text that is not compatible with ASCII is only stored and converted"),
    ("UTF-32LE", "text that is not compatible with ASCII is only stored and converted"),
    ("grapheme_clusters() [", "Ruby drops what is not valid"),
    ("tr_s", "Ruby mixes up what is left alone when the set is inverted"),
    ("tr:set,set(\"^", "Ruby writes bytes that are not valid when the set is inverted"),
    ("Windows-1252", "Ruby names the way of the conversion"),
    ("/US-ASCII", "a byte beyond ASCII in US-ASCII"),
    ("/ISO-8859-1", "which of two complaints comes first"),
    ("ASCII-8BIT", "which of two complaints comes first; symbols are text"),
    ("\\xFF", "which of two complaints comes first"),
    ("broken", "which of two complaints comes first"),
    ("clamp:", "the words for limits in the wrong order differ between versions of Ruby"),
];

fn interpreter() -> Option<PathBuf> {
    let test = std::env::current_exe().ok()?;
    let example = test.parent()?.parent()?.join("examples/ruby");
    example.exists().then_some(example)
}

fn run(interpreter: &Path, script: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new(interpreter).arg(script).args(args).env("RUBYOPT", "-W0").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn text_is_what_ruby_makes_of_it() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/text.rb");
    for seed in ["1", "2"] {
        let args = [seed, "10"];
        let Some(expected) = run(Path::new("ruby"), &script, &args).filter(|output| !output.is_empty())
        else {
            return;
        };
        let Some(interpreter) = interpreter() else { return };
        let actual = run(&interpreter, &script, &args).unwrap_or_default();
        assert_eq!(actual.lines().count(), expected.lines().count(), "the interpreter ended early");
        let different: Vec<String> = actual
            .lines()
            .zip(expected.lines())
            .filter(|(ours, theirs)| ours != theirs)
            .filter(|(ours, theirs)| {
                !EXPLAINED.iter().any(|(sign, _)| ours.contains(sign) || theirs.contains(sign))
            })
            .map(|(ours, theirs)| format!("kukla: {ours}\n ruby: {theirs}"))
            .collect();
        assert!(different.is_empty(), "seed {seed}:\n{}", different.join("\n"));
    }
}
