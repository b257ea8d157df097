//! The report as workflow commands of GitHub Actions, which appear beside the lines that are the reasons.

use std::collections::{BTreeMap, BTreeSet};

use kukla::diff::{Failure, FleetDifference, Kind, Reason, ResourceChange};
use kukla::rpc;
use serde_json::{Value, json};

use super::words;
use crate::render::difference;
use crate::render::github::command;

/// Failures and denied changes as errors, new cycles as warnings, the lines that change something as notices. GitHub shows ten
/// of each kind, so what is said about one line is said at once, and what concerns most nodes comes first.
pub fn text(report: &FleetDifference) -> String {
    let mut out = String::new();
    failures(&mut out, report);
    for denied in &report.denied {
        let at = declared(report, &denied.resource);
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
        let text = format!("{}\non {}", listed(&cause.changes), words::nodes(&nodes));
        command(&mut out, "notice", &cause.at, Some(&title), &text);
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
                    let said = error["message"].as_str().unwrap_or_default();
                    command(out, "error", &error, error["code"].as_str(), &format!("{said} (on {on})"));
                }
            }
            Failure::Problem(problem) => {
                command(out, "error", &json!({}), None, &format!("{problem} (on {on})"));
            }
        }
    }
}

/// Where a resource is declared on the side after.
fn declared(report: &FleetDifference, name: &str) -> Value {
    let mut changes = report.groups.iter().flat_map(|group| &group.changes.resources);
    let place = changes.find(|change| change.name.to_string() == name).and_then(|change| {
        let reason = all_reasons(change).find(|reason| reason.is_after);
        let declared = change.place_after.as_ref().map(|place| (place.file.as_str(), place.line));
        reason.map(|reason| (reason.file.as_str(), reason.line)).or(declared)
    });
    place.map_or_else(|| json!({}), |(file, line)| json!({"file": file, "line": line}))
}

/// A line, and what it changes.
struct Cause<'r> {
    at: Value,
    nodes: BTreeSet<&'r str>,
    changes: BTreeSet<String>,
}

/// The lines of the side after that are reasons, those that change most nodes first. The side before has no lines that could be
/// shown.
fn causes(report: &FleetDifference) -> Vec<Cause<'_>> {
    let mut causes = BTreeMap::<(&str, Option<u32>), Cause<'_>>::new();
    for group in &report.groups {
        for change in &group.changes.resources {
            for reason in all_reasons(change).filter(|reason| reason.is_after) {
                let at = json!({"file": reason.file.as_str(), "line": reason.line});
                let new = || Cause { at, nodes: BTreeSet::new(), changes: BTreeSet::new() };
                let cause = causes.entry((&reason.file, reason.line)).or_insert_with(new);
                cause.nodes.extend(group.nodes.iter().map(String::as_str));
                cause.changes.insert(told(change, reason));
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

/// What changes about a resource for this reason.
fn told(change: &ResourceChange, reason: &Reason) -> String {
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

/// So many changes of one line are named.
const NAMED: usize = 10;

fn listed(changes: &BTreeSet<String>) -> String {
    let mut named: Vec<&str> = changes.iter().take(NAMED).map(String::as_str).collect();
    let more = format!("and {} more", changes.len().saturating_sub(NAMED));
    if changes.len() > NAMED {
        named.push(&more);
    }
    named.join("\n")
}
