//! The report as JUnit XML: a test case for each node. A node that changes has passed; a node without a catalog, or with a change
//! that a rule forbids, has failed.

use anstream::adapter::strip_str;
use kukla::diff::{Changes, FleetDifference, NodeDifference, Outcome};

use super::words;
use crate::render::junit::{Case, document};

/// The document.
pub fn text(report: &FleetDifference) -> String {
    let cases: Vec<Case> = report.nodes.iter().map(|node| case(report, node)).collect();
    document(&format!("{} to {}", report.from, report.to), &cases)
}

fn case(report: &FleetDifference, NodeDifference { node, outcome }: &NodeDifference) -> Case {
    let (before, after) = outcome.failures();
    let failed = after.filter(|_| outcome.is_failure());
    let excerpt = failed
        .map(|failure| (failure.to_string(), strip_str(&words::failure_excerpt(failure, node)).to_string()));
    let denied: Vec<String> = report
        .denied
        .iter()
        .filter(|denied| denied.nodes.contains(node))
        .map(|denied| format!("{} is protected by {}", denied.resource, denied.rule))
        .collect();
    let denied = denied.first().map(|first| (first.clone(), denied.join("\n")));
    // A node that did not compile before either does not fail the change, and its error is text.
    let before = before.or(after);
    let err = before.filter(|_| failed.is_none()).map(|failure| {
        format!("{}:\n{}", words::failure_phrase(false), strip_str(&words::failure_excerpt(failure, node)))
    });
    let out = match outcome {
        Outcome::Changed(groups) => {
            let groups = groups.iter().filter_map(|group| report.groups.get(*group));
            groups.map(|group| changed(&group.changes)).collect()
        }
        _ => String::new(),
    };
    Case {
        class: outcome.name().to_owned(),
        name: node.clone(),
        failure: excerpt.or(denied),
        out,
        err: err.unwrap_or_default(),
    }
}

/// The numbers of changes and the resources, without values: they would be repeated for each node.
fn changed(changes: &Changes) -> String {
    let resources = changes.resources.iter();
    let resources = resources.map(|change| format!("  {} {}\n", words::sign(change.kind), change.name));
    format!("{}\n{}", words::numbers(changes), resources.collect::<String>())
}
