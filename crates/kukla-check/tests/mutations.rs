//! The recall of the checker: working code is broken in one place after the other, and each change that makes a compilation fail must be
//! reported without compiling, in the changed statement or where the changed name is used.
//!
//! This test breaks the example site; `cargo run --profile quick -p kukla-check --example mutations` breaks any repository.

#![allow(clippy::disallowed_methods)] // the test reads files of the repository

use std::path::Path;

use crate::breaking::bench::{Bench, Verdict};

/// The percentage of failing mutations that are reported at the right place. It only goes up.
const RIGHT: usize = 97;

#[test]
fn the_example_site() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/site").canonicalize().unwrap();
    let mut bench = Bench::new(&root, None, &root.join("facts/web1.example.com.json"));
    let files = bench.files().expect("it compiles");
    let (mut failed, mut right, mut missed, mut wrong) = (0, 0, Vec::new(), Vec::new());
    for file in files.iter().filter(|file| file.starts_with(&root)) {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !matches!(ending, "pp" | "epp" | "yaml") || file.ends_with("hiera.yaml") {
            continue;
        }
        bench.break_file(file, usize::MAX, 0, &mut |outcome| {
            let description = format!(
                "{}:{}: {} `{}` to `{}`: {:?} {:?}",
                outcome.file.display(),
                outcome.line,
                outcome.mutation.kind,
                outcome.was,
                outcome.mutation.text,
                outcome.error,
                outcome.reports,
            );
            if outcome.error.is_none() {
                if outcome.is_reached == Some(true) {
                    wrong.push(description);
                }
                return;
            }
            failed += 1;
            if matches!(outcome.verdict, Verdict::Line | Verdict::Statement | Verdict::Use) {
                right += 1;
            } else {
                missed.push(format!("{:?} {description}", outcome.verdict));
            }
        });
    }
    println!("{right} of {failed}\n{}\n\nno error:\n{}", missed.join("\n"), wrong.join("\n"));
    assert!(failed >= 180, "only {failed} mutations fail");
    assert!(right * 100 >= failed * RIGHT, "{right} of {failed}\n{}", missed.join("\n"));
}
