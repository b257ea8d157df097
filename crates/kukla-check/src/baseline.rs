//! Baselines: findings that are already known, so that an old repository can start by reporting only new ones.
//!
//! A line of a baseline names a rule, a file and a message, but no line number, since code above may change. A line that occurs
//! twice covers two findings.

use rustc_hash::FxHashMap;

use crate::finding::Finding;

/// The known findings, and the number of each.
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

    /// Whether the baseline covers a finding; each of its lines covers one.
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
        String::from("# Findings that `kukla check` does not report. Written by --write-baseline.\n");
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    text
}
