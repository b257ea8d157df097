//! Calls made up from tables (`differential/*.table`): what `ruby` answers, the interpreter must answer, where `ruby` is at hand.
//!
//! `KUKLA_RUBY_CALLS=N` draws the arguments of each call N times, from several seeds.
#![allow(clippy::disallowed_methods, reason = "the reference is another process")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreter as the example that Cargo builds beside the tests.
fn interpreter() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a place");
    let example = test.ancestors().nth(2).expect("tests lie in deps").join("examples/ruby");
    assert!(example.exists(), "cargo build --example ruby makes {}", example.display());
    example
}

#[test]
fn calls_are_answered_as_by_ruby() {
    let interpreter = interpreter();
    let has_ruby = Command::new("ruby").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_ruby {
        return kukla_testing::skip("kukla-ruby/differential", "no ruby");
    }
    let times = std::env::var("KUKLA_RUBY_CALLS").ok();
    let seeds: &[&str] = if times.is_some() { &["1", "2", "3"] } else { &["1"] };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/run.rb");
    for seed in seeds {
        let output = Command::new("ruby")
            .arg(&script)
            .args(["--seed", seed, "--times", times.as_deref().unwrap_or("1")])
            .arg(&interpreter)
            .output();
        let output = output.unwrap_or_else(|error| panic!("ruby: {error}"));
        let printed = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "seed {seed}:\n{printed}{complained}");
    }
}
