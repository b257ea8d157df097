//! The result of a check.

use std::path::{Path, PathBuf};

use kukla::syntax::Problem;
use rustc_hash::FxHashMap;

use super::CheckedText;
use crate::finding::Finding;

/// The result of a check.
#[derive(Debug, Default)]
pub struct Report {
    /// The findings, by file and line.
    pub findings: Vec<Finding>,
    /// The number of files that were checked.
    pub files: usize,
    /// Files that could not be read, and why.
    pub unreadable: Vec<Problem>,
    /// Pipes, sockets and devices, which are not read.
    pub special: Vec<PathBuf>,
    /// The parts of the repository that are not checked, and why.
    pub notes: Vec<String>,
}

/// The file of a finding.
pub(super) fn file_of(finding: &Finding) -> &Path {
    let file = finding.diagnostic.position.as_ref().and_then(|place| place.file());
    Path::new(file.unwrap_or_default())
}

impl Report {
    /// Removes suppressed findings and sorts the others, files with syntax errors first.
    pub(super) fn suppress_and_sort(&mut self, texts: &FxHashMap<PathBuf, CheckedText>) {
        self.findings.retain(|finding| {
            let Some(place) = &finding.diagnostic.position else { return true };
            let text = place.file().and_then(|file| texts.get(Path::new(file)));
            let line = place.line().unwrap_or(0);
            let ignores = text.map(|checked| &checked.text.ignores[..]).unwrap_or_default();
            !ignores.iter().any(|ignore| ignore.covers(finding.diagnostic.code.name, line))
        });
        self.findings.sort_by_cached_key(|finding| {
            let place = finding.diagnostic.position.as_ref();
            let file = place.and_then(|place| place.file()).unwrap_or_default().to_owned();
            let is_broken = texts.get(Path::new(&file)).is_some_and(|checked| checked.text.is_broken);
            (
                !is_broken,
                file,
                place.and_then(|place| place.line()),
                finding.diagnostic.span().start,
                finding.diagnostic.code.name,
            )
        });
    }
}
