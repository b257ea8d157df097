//! `kukla check --fix`: applies the fixes of findings to the source files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kukla::rewrite::{Rewriter, Rewritten};
use kukla::syntax::{Problem, Source};
use kukla_check::{Finding, Report, fix};

use super::count;
use crate::output::{self, errln};

/// The fixable findings of one file, which may have several names.
struct FixableFile {
    source: Source,
    /// Their positions in the report.
    findings: Vec<usize>,
}

/// Applies the fixes of the findings that `is_fixable` accepts, and removes the fixed findings from the report. Reports whether a file
/// could not be rewritten.
pub fn apply(
    root: &Path,
    report: &mut Report,
    is_fixable: impl Fn(&Finding) -> bool,
) -> Result<bool, Problem> {
    let mut rewriter = Rewriter::within(root)?;
    let mut files: BTreeMap<PathBuf, FixableFile> = BTreeMap::new();
    let mut refused: BTreeSet<String> = BTreeSet::new();
    let mut failed = false;
    for (at, finding) in report.findings.iter().enumerate().filter(|(_, finding)| is_fixable(finding)) {
        let Some(source) = finding.diagnostic.location().map(|location| location.source.clone()) else {
            continue;
        };
        let Some(name) = source.name().map(str::to_owned).filter(|name| !refused.contains(name)) else {
            continue;
        };
        match rewriter.real_path(Path::new(&name)) {
            Ok(real) => {
                files
                    .entry(real)
                    .or_insert_with(|| FixableFile { source, findings: Vec::new() })
                    .findings
                    .push(at);
            }
            Err(problem) => {
                output::report(&problem);
                refused.insert(name);
            }
        }
    }
    let (mut changes, mut changed) = (0, 0);
    let mut fixed: BTreeSet<usize> = BTreeSet::new();
    for (path, file) in &files {
        let fixes: Vec<_> = file.findings.iter().filter_map(|at| report.findings[*at].fix.as_ref()).collect();
        let (text, made) = fix::apply(file.source.text(), &fixes);
        match rewriter.replace(path, file.source.text(), &text) {
            Ok(result) => {
                let is_fixed =
                    |at: &&usize| report.findings[**at].fix.as_ref().is_some_and(|fix| made.contains(&fix));
                fixed.extend(file.findings.iter().filter(is_fixed));
                if result == Rewritten::Changed {
                    changes += made.len();
                    changed += 1;
                }
            }
            Err(problem) => {
                output::report(&problem);
                failed = true;
            }
        }
    }
    let mut at = 0..;
    report.findings.retain(|_| at.next().is_some_and(|at| !fixed.contains(&at)));
    if changed > 0 {
        errln!("{} made in {}", count(changes, "change"), count(changed, "file"));
    }
    Ok(failed)
}
