//! Tallies: how many claims of a section held, and the story of each that did not.

use kukla::Diagnostic;

use crate::model::Failure;

/// The actual outcome where a claim does not hold.
#[derive(Clone, Debug, Default)]
pub struct Mismatch {
    /// The outcome, in one line.
    pub got: String,
    /// The error in the code under test, if that is the outcome.
    pub diagnostic: Option<Box<Diagnostic>>,
    /// The part of the catalog that the claim is about.
    pub catalog: Option<String>,
    /// The resource most like the one that is missing.
    pub nearest: Option<String>,
}

impl From<String> for Mismatch {
    fn from(got: String) -> Mismatch {
        Mismatch { got, ..Mismatch::default() }
    }
}

impl From<&str> for Mismatch {
    fn from(got: &str) -> Mismatch {
        got.to_owned().into()
    }
}

/// The outcome of running a section.
#[derive(Debug, Default)]
pub struct Tally {
    /// Claims that held.
    pub held: usize,
    /// The claims that did not.
    pub broken: Vec<Failure>,
    /// Blocks of the chapter that show something else now.
    pub rewrites: Vec<Rewrite>,
}

/// New text for a block of a chapter.
#[derive(Debug)]
pub struct Rewrite {
    /// The block's first line in the chapter, counted from one.
    pub line: usize,
    /// How many lines it has now.
    pub lines: usize,
    /// The expected text.
    pub text: String,
}

/// The chapter with its blocks rewritten.
pub fn rewrite(chapter: &str, rewrites: &[Rewrite]) -> String {
    let mut lines: Vec<&str> = chapter.lines().collect();
    let mut order: Vec<&Rewrite> = rewrites.iter().collect();
    // From the end, so that the numbers of earlier lines stay true.
    order.sort_by_key(|r| std::cmp::Reverse(r.line));
    for Rewrite { line, lines: count, text } in order {
        lines.splice(line - 1..line - 1 + count, text.lines());
    }
    lines.join("\n") + "\n"
}

impl Tally {
    /// Counts one claim on a line of the chapter: `Ok` when it held, else the actual outcome.
    pub fn count(&mut self, line: usize, source: &str, claimed: &str, outcome: Result<(), Mismatch>) {
        match outcome {
            Ok(()) => self.held += 1,
            Err(mismatch) => self.broken.push(Failure {
                message: "a claim does not hold".into(),
                line: Some(line),
                source: Some(source.to_owned()).filter(|source| !source.is_empty()),
                expected: Some(claimed.to_owned()),
                got: Some(mismatch.got),
                diagnostic: mismatch.diagnostic,
                catalog: mismatch.catalog,
                nearest: mismatch.nearest,
                ..Failure::default()
            }),
        }
    }

    /// All claims that did not hold, in words.
    pub fn describe(&self) -> String {
        let describe = |failure: &Failure| {
            let line = failure.line.unwrap_or_default();
            format!("{line}: {}: {failure}", failure.source.as_deref().unwrap_or_default())
        };
        self.broken.iter().map(describe).collect::<Vec<_>>().join("\n")
    }

    /// All claims.
    pub fn total(&self) -> usize {
        self.held + self.broken.len()
    }
}
