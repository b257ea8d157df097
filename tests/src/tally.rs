//! Tallies: how many claims of a section held, and the story of each that did not.

/// The outcome of running a section.
#[derive(Debug, Default)]
pub struct Tally {
    /// Claims that held.
    pub held: usize,
    /// What to print for each claim that did not.
    pub broken: Vec<String>,
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
