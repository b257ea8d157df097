//! Numbers of findings, and the limit of excerpts per rule.

use std::collections::BTreeMap;
use std::fmt::Write;

use kukla::syntax::Diagnostic;

use crate::render::relative_path;

/// Removes the findings of each rule beyond the first `most`. Returns the rules and the numbers of findings removed.
pub fn cap(diagnostics: &mut Vec<Diagnostic>, most: usize) -> Vec<(&'static str, usize)> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    diagnostics.retain(|diagnostic| {
        let count = counts.entry(diagnostic.code.name).or_default();
        *count += 1;
        *count <= most
    });
    let more = counts.into_iter().filter(|(_, count)| *count > most);
    more.map(|(rule, count)| (rule, count - most)).collect()
}

/// The numbers of errors and warnings by rule and by directory.
pub fn table(diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    let rule = |diagnostic: &Diagnostic| diagnostic.code.name.to_owned();
    write_table(&mut out, "rule", diagnostics, rule);
    if !diagnostics.is_empty() {
        out.push('\n');
    }
    write_table(&mut out, "directory", diagnostics, directory);
    out
}

/// The first three names of the path of a finding, without the file.
fn directory(diagnostic: &Diagnostic) -> String {
    let file = diagnostic.position.as_ref().and_then(|place| place.file()).unwrap_or_default();
    let path = relative_path(file);
    let above = path.rsplit_once('/').map_or(".", |(above, _)| above);
    let end = above.match_indices('/').filter(|(at, _)| *at > 0).nth(2).map_or(above.len(), |(at, _)| at);
    above[..end].to_owned()
}

fn write_table(
    out: &mut String,
    name: &str,
    diagnostics: &[Diagnostic],
    key: impl Fn(&Diagnostic) -> String,
) {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for diagnostic in diagnostics {
        let (errors, warnings) = counts.entry(key(diagnostic)).or_default();
        *if diagnostic.is_error() { errors } else { warnings } += 1;
    }
    if counts.is_empty() {
        return;
    }
    let mut counts: Vec<(String, (usize, usize))> = counts.into_iter().collect();
    counts.sort_by_key(|(_, (errors, warnings))| std::cmp::Reverse(errors + warnings));
    let _ = writeln!(out, "{:>7} {:>8}  {name}", "errors", "warnings");
    for (key, (errors, warnings)) in counts {
        let _ = writeln!(out, "{errors:>7} {warnings:>8}  {key}");
    }
}
