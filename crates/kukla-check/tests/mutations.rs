//! No misses: working code is broken in one place after the other, and what makes a compilation fail must be reported without compiling, in
//! the statement that was changed, or where what was changed is used.
//!
//! This does so to the example site; `cargo run --profile quick -p kukla-check --example mutations` to a repository of one's own.

#![allow(clippy::disallowed_methods)] // a test reads what it is told to

use std::path::Path;

use crate::breaking::bench::{Bench, Verdict};

/// How many of a hundred mutations that fail are reported at the right place. It only goes up.
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
            let said = format!(
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
                    wrong.push(said);
                }
                return;
            }
            failed += 1;
            if matches!(outcome.verdict, Verdict::Line | Verdict::Statement | Verdict::Use) {
                right += 1;
            } else {
                missed.push(format!("{:?} {said}", outcome.verdict));
            }
        });
    }
    println!("{right} of {failed}\n{}\n\nno error:\n{}", missed.join("\n"), wrong.join("\n"));
    assert!(failed >= 180, "only {failed} mutations fail");
    assert!(right * 100 >= failed * RIGHT, "{right} of {failed}\n{}", missed.join("\n"));
}
