//! The phrases that all formats of the report share.

use kukla::diff::{Changes, Failure, FileDifference, FleetDifference, Kind, Outcome};

use crate::render::failure::{self, ErrorFormat};
use crate::render::position::relative_path;

/// The number of nodes to list by name.
pub const NAMED: usize = 4;

/// The number of nodes, and the first of their names.
pub fn nodes<S: AsRef<str>>(names: &[S]) -> String {
    match names.len() {
        1 => first_names(names),
        n => format!("{n} nodes: {}", first_names(names)),
    }
}

/// The first names of nodes, and the number of the others.
pub fn first_names<S: AsRef<str>>(names: &[S]) -> String {
    let all = |names: &[S]| names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match names.len() {
        n if n <= NAMED => all(names),
        n => format!("{} and {} more", all(&names[..NAMED - 1]), n - NAMED + 1),
    }
}

/// A number with the singular or plural of a noun.
pub fn count(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The numbers of changes, in words.
pub fn numbers(changes: &Changes) -> String {
    let (added, removed, changed) = changes.counts();
    let all = [
        (added, "resource added", "resources added"),
        (removed, "resource removed", "resources removed"),
        (changed, "resource changed", "resources changed"),
        (changes.classes_added.len() + changes.classes_removed.len(), "class", "classes"),
        (changes.relations_added.len() + changes.relations_removed.len(), "relation", "relations"),
        (changes.cycles_added.len() + changes.cycles_removed.len(), "dependency cycle", "dependency cycles"),
    ];
    let counts = all.into_iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| count(n, one, many));
    counts.collect::<Vec<_>>().join(", ")
}

/// The phrase for nodes without a catalog before (`false`) or after (`true`).
pub const fn failure_phrase(after: bool) -> &'static str {
    if after { "cannot be compiled after" } else { "could not be compiled before" }
}

/// The error of a node without a catalog, with its source excerpt and colours.
pub fn failure_excerpt(failure: &Failure, node: &str) -> String {
    match failure {
        Failure::Compile(wrong) => {
            let mut out = String::new();
            failure::render(&mut out, wrong, node, ErrorFormat::Human);
            out
        }
        Failure::Problem(problem) => format!("  {problem}\n"),
    }
}

/// The error of a node without a catalog, on one line.
pub fn failure_line(failure: &Failure) -> String {
    match failure {
        Failure::Compile(wrong) => {
            let root = wrong.root();
            let place = root.position.as_ref().or(wrong.position.as_ref());
            let place = place.and_then(|place| Some((relative_path(place.file()?), place.line())));
            let place = match place {
                Some((file, Some(line))) => format!(" ({file}:{line})"),
                Some((file, None)) => format!(" ({file})"),
                None => String::new(),
            };
            format!("{}{place}", root.message())
        }
        Failure::Problem(problem) => problem.to_string(),
    }
}

/// Nodes that exist only before or only after, and compile there.
pub fn one_sided_nodes(report: &FleetDifference) -> Vec<(Vec<&str>, &'static str)> {
    let which = |is: fn(&Outcome) -> bool| -> Vec<&str> {
        let nodes = report.nodes.iter().filter(|node| is(&node.outcome));
        nodes.map(|node| node.node.as_str()).collect()
    };
    let all = [
        (which(|outcome| matches!(outcome, Outcome::Added(Ok(_)))), "only after"),
        (which(|outcome| matches!(outcome, Outcome::Removed(Ok(_)))), "only before"),
    ];
    all.into_iter().filter(|(names, _)| !names.is_empty()).collect()
}

/// The files that differ, those that affect most nodes first.
pub fn files(report: &FleetDifference) -> Vec<&FileDifference> {
    let mut files: Vec<_> = report.files.iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.nodes.len()));
    files
}

/// The effect of a changed file on nodes.
pub fn effect(file: &FileDifference) -> String {
    match file.nodes.len() {
        _ if !file.is_significant => "says the same as before".to_owned(),
        0 => "no change is traced to it".to_owned(),
        n => format!("changes {}", count(n, "node", "nodes")),
    }
}

/// The numbers of nodes by outcome, in a sentence.
pub fn summary(report: &FleetDifference) -> String {
    let counts = report.counts();
    let count_of = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let unchanged = match counts.same_inputs {
        0 => format!("{} unchanged", counts.unchanged),
        all if all == counts.unchanged => format!("{all} unchanged, as none of their inputs differs"),
        some => format!("{} unchanged, {some} of them as none of their inputs differs", counts.unchanged),
    };
    let all = [
        count_of(counts.changed, "changed"),
        count_of(counts.added, "only after"),
        count_of(counts.removed, "only before"),
        count_of(counts.breaks, "no longer compile"),
        count_of(counts.repaired, "compile again"),
        count_of(counts.fails, "compile on neither side"),
        Some(unchanged),
    ];
    let outcomes = all.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let verdict = if report.is_empty() { "nothing changes; " } else { "" };
    format!("{verdict}{}: {outcomes}", count(counts.nodes, "node", "nodes"))
}

/// The sign of an added, removed or changed resource.
pub const fn sign(kind: Kind) -> char {
    match kind {
        Kind::Added => '+',
        Kind::Removed => '-',
        Kind::Changed => '~',
    }
}
