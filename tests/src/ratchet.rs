//! The ratchet: what held before must hold again.
//!
//! `tests/ratchet.txt` lists the sections in which not every claim holds yet, with how many do. A section that is not listed
//! must hold completely. `KUKLA_RATCHET=1` raises the numbers to what was just seen; `KUKLA_RATCHET=add` also lists sections that are new.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kukla_test::chapters::tally::Tally;

/// The numbers of the committed file, and those of this run.
#[derive(Debug)]
pub struct Ratchet {
    path: PathBuf,
    least: BTreeMap<String, usize>,
    seen: BTreeMap<String, (usize, usize)>,
}

impl Ratchet {
    /// Reads the file; a missing one lists nothing.
    pub fn load(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let least = text.lines().filter_map(|l| l.rsplit_once(' ')).filter_map(|(name, score)| {
            let held = score.split('/').next()?.parse().ok()?;
            Some((name.trim().to_owned(), held))
        });
        Self { least: least.collect(), path, seen: BTreeMap::new() }
    }

    /// Takes note of a section's tally and says what is wrong with it, if something is.
    pub fn record(&mut self, name: &str, tally: &Tally) -> Result<(), String> {
        self.seen.insert(name.to_owned(), (tally.held, tally.total()));
        let least = self.least.get(name).copied().unwrap_or(tally.total());
        if tally.held >= least {
            return Ok(());
        }
        let fallen = match self.least.get(name) {
            Some(least) => format!("\n{} of {} claims hold, {least} did before", tally.held, tally.total()),
            None => String::new(),
        };
        Err(tally.describe() + &fallen)
    }

    /// Sections that hold better than the file says.
    pub fn risen(&self) -> usize {
        let better = |(name, (held, total)): (&String, &(usize, usize))| {
            self.least.get(name).is_some_and(|least| held > least || held == total)
        };
        self.seen.iter().filter(|s| better(*s)).count()
    }

    /// Claims that held and claims in all, of what ran.
    pub fn score(&self) -> (usize, usize) {
        self.seen.values().fold((0, 0), |(h, t), (held, total)| (h + held, t + total))
    }

    /// Rewrites the file: raises numbers, adds new incomplete sections with `add`, removes complete sections and those that no longer exist.
    pub fn save(&self, exists: impl Fn(&str) -> bool, add: bool) -> std::io::Result<()> {
        let mut lines: BTreeMap<String, String> = BTreeMap::new();
        for (name, least) in self.least.iter().filter(|(name, _)| exists(name)) {
            lines.insert(name.clone(), format!("{least}"));
        }
        for (name, (held, total)) in &self.seen {
            let least = self.least.get(name).copied().unwrap_or(0).max(*held);
            let listed = self.least.contains_key(name);
            if least < *total && (listed || add) {
                lines.insert(name.clone(), format!("{least}/{total}"));
            } else if least >= *total {
                lines.remove(name);
            }
        }
        let text: String = lines.iter().map(|(name, score)| format!("{name} {score}\n")).collect();
        std::fs::write(&self.path, text)
    }
}
