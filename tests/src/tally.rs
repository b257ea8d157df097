//! Tallies: how many claims of a section held, and the story of each that did not.

/// The outcome of running a section.
#[derive(Debug, Default)]
pub struct Tally {
    /// Claims that held.
    pub held: usize,
    /// The output for each claim that did not.
    pub broken: Vec<String>,
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
    /// Counts one claim: `Ok` when it held, else what came instead.
    pub fn count(&mut self, place: &str, subject: &str, claimed: &str, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.held += 1,
            Err(got) => {
                self.broken.push(format!("{place}: {subject}\n    claimed {claimed}\n    got     {got}"))
            }
        }
    }

    /// All claims.
    pub fn total(&self) -> usize {
        self.held + self.broken.len()
    }
}
