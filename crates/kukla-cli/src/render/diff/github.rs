//! The report as workflow commands of GitHub Actions, which appear at the lines that cause the changes.

use std::collections::{BTreeMap, BTreeSet};

use kukla::diff::{Failure, FleetDifference, Kind, Reason, ResourceChange};
use kukla::rpc;
use serde_json::{Value, json};

use super::words;
use crate::render::difference;
use crate::render::github::command;

/// Failures and denied changes as errors, new cycles as warnings, the causes of changes as notices. GitHub shows ten of each kind, so
/// there is one notice for each line, and those for most nodes come first.
pub fn text(report: &FleetDifference) -> String {
    let mut out = String::new();
    failures(&mut out, report);
    for denied in &report.denied {
        let at = declaration(report, &denied.resource);
        let text = format!("{} changes on {}", denied.resource, words::nodes(&denied.nodes));
        command(&mut out, "error", &at, Some(&format!("denied by {}", denied.rule)), &text);
    }
    for group in &report.groups {
        for cycle in &group.changes.cycles_added {
            let text = format!("{} on {}", difference::cycle(cycle), words::nodes(&group.nodes));
            command(&mut out, "warning", &json!({}), Some("new dependency cycle"), &text);
        }
    }
    for cause in causes(report) {
        let nodes: Vec<&str> = cause.nodes.into_iter().collect();
        let title = format!("changes {}", words::count(nodes.len(), "node", "nodes"));
        let text = format!("{}\non {}", list(&cause.changes), words::nodes(&nodes));
        command(&mut out, "notice", &cause.at, Some(&title), &text);
    }
    for (failure, nodes) in report.failures_on_both_sides() {
        let text =
            format!("{} (on {}, before and after)", words::failure_line(failure), words::nodes(&nodes));
        command(&mut out, "warning", &json!({}), Some("compiles on neither side"), &text);
    }
    for warning in &report.warnings {
        command(&mut out, "warning", &json!({}), Some("kukla diff"), warning);
    }
    for note in &report.notes {
        command(&mut out, "notice", &json!({}), Some("kukla diff"), note);
    }
    let text = format!("{} to {}: {}", report.from, report.to, words::summary(report));
    command(&mut out, "notice", &json!({}), Some("kukla diff"), &text);
    out
}

fn failures(out: &mut String, report: &FleetDifference) {
    for (failure, nodes) in report.failures(true) {
        let on = words::nodes(&nodes);
        match failure {
            Failure::Compile(wrong) => {
                for error in rpc::errors(wrong) {
                    let message = error["message"].as_str().unwrap_or_default();
                    command(out, "error", &error, error["code"].as_str(), &format!("{message} (on {on})"));
                }
            }
            Failure::Problem(problem) => {
                command(out, "error", &json!({}), None, &format!("{problem} (on {on})"));
            }
        }
    }
}

/// The position of a resource after the change, in the shape of the machine interface.
fn declaration(report: &FleetDifference, name: &str) -> Value {
    let mut changes = report.groups.iter().flat_map(|group| &group.changes.resources);
    let position = changes.find(|change| change.name.to_string() == name).and_then(|change| {
        let reason = all_reasons(change).find(|reason| reason.is_after);
        let declared = change.place_after.as_ref().map(|place| (place.file.as_str(), place.line));
        reason.map(|reason| (reason.file.as_str(), reason.line)).or(declared)
    });
    position.map_or_else(|| json!({}), |(file, line)| json!({"file": file, "line": line}))
}

/// A line that causes changes.
struct Cause<'r> {
    at: Value,
    nodes: BTreeSet<&'r str>,
    changes: BTreeSet<String>,
}

/// The lines that cause changes, those that affect most nodes first. GitHub can only show lines of the files after the change.
fn causes(report: &FleetDifference) -> Vec<Cause<'_>> {
    let mut causes = BTreeMap::<(&str, Option<u32>), Cause<'_>>::new();
    for group in &report.groups {
        for change in &group.changes.resources {
            for reason in all_reasons(change).filter(|reason| reason.is_after) {
                let at = json!({"file": reason.file.as_str(), "line": reason.line});
                let new = || Cause { at, nodes: BTreeSet::new(), changes: BTreeSet::new() };
                let cause = causes.entry((&reason.file, reason.line)).or_insert_with(new);
                cause.nodes.extend(group.nodes.iter().map(String::as_str));
                cause.changes.insert(describe(change, reason));
            }
        }
    }
    let mut causes: Vec<_> = causes.into_values().collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.nodes.len()));
    causes
}

fn all_reasons(change: &ResourceChange) -> impl Iterator<Item = &Reason> {
    change.reasons.iter().chain(change.attributes.iter().flat_map(|attribute| &attribute.reasons))
}

/// The change of a resource for a reason, in words.
fn describe(change: &ResourceChange, reason: &Reason) -> String {
    let name = &change.name;
    match change.kind {
        Kind::Added => format!("{name} is added"),
        Kind::Removed => format!("{name} is removed"),
        Kind::Changed => {
            let attributes = change.attributes.iter().filter(|one| one.reasons.contains(reason));
            let names: Vec<&str> = attributes.map(|attribute| attribute.name.as_str()).collect();
            if names.is_empty() { format!("{name}") } else { format!("{name}: {}", names.join(", ")) }
        }
    }
}

/// The number of changes to list for one line.
const NAMED: usize = 10;

fn list(changes: &BTreeSet<String>) -> String {
    let mut named: Vec<&str> = changes.iter().take(NAMED).map(String::as_str).collect();
    let more = format!("and {} more", changes.len().saturating_sub(NAMED));
    if changes.len() > NAMED {
        named.push(&more);
    }
    named.join("\n")
}
