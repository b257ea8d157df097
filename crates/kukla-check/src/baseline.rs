//! Baselines: findings that are known, so that an old repository can begin with what is new.
//!
//! A line of a baseline names a rule, a file and a message, not a place: code above may come and go. So often as a line is there,
//! so many findings are known.

use rustc_hash::FxHashMap;

use crate::finding::Finding;

/// The findings that are known, and how many of each.
#[derive(Clone, Debug, Default)]
pub struct Baseline(FxHashMap<String, usize>);

impl Baseline {
    /// Reads a baseline.
    pub fn read(text: &str) -> Baseline {
        let mut known = FxHashMap::default();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            *known.entry(line.to_owned()).or_default() += 1;
        }
        Baseline(known)
    }

    /// Whether a finding is known; each known one covers one.
    pub fn covers(&mut self, finding: &Finding, path: &str) -> bool {
        match self.0.get_mut(&line(finding, path)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}

/// The line of a finding in a baseline.
pub fn line(finding: &Finding, path: &str) -> String {
    let message = finding.diagnostic.message().replace(['\n', '\t'], " ");
    format!("{}\t{path}\t{message}", finding.diagnostic.code.name)
}

/// A baseline of findings, each with the path of its file from the root.
pub fn write<'f>(findings: impl Iterator<Item = (&'f Finding, String)>) -> String {
    let mut lines: Vec<String> = findings.map(|(finding, path)| line(finding, &path)).collect();
    lines.sort();
    let mut text =
        String::from("# Findings that `kukla check` does not report. Made with --write-baseline.\n");
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    text
}
