//! The report as one HTML page. It is complete without scripts; the script only hides and shows. Untrusted text is escaped, and the
//! page forbids every other script.

use std::fmt::Write;

use anstream::adapter::strip_str;
use kukla::diff::{Failure, FleetDifference, NodeDifference, Outcome};

use super::{Extent, words};
use crate::render::markup::{escape, fill, script_hash};
use crate::render::visible::visible;

mod changes;
mod moves;
mod sides;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The page.
pub fn text(report: &FleetDifference, extent: Extent) -> String {
    fill(PAGE, |name| match name {
        "script hash" => script_hash(SCRIPT),
        "title" => html(&format!("{} to {}", report.from, report.to)),
        "style" => STYLE.to_owned(),
        "sides" => format!("{} → {}", html(&report.from), html(&report.to)),
        "summary" => html(&words::summary(report)),
        "notes" => {
            let warning = |text: &String| format!("<p class=\"warning\">{}</p>\n", html(text));
            let note = |text: &String| format!("<p class=\"note\">{}</p>\n", html(text));
            report.warnings.iter().map(warning).chain(report.notes.iter().map(note)).collect()
        }
        "kinds" => kinds(report, extent),
        "script" => SCRIPT.to_owned(),
        _ => body(report, extent),
    })
}

/// Untrusted text as HTML.
fn html(text: &str) -> String {
    escape(&visible(text))
}

/// The checkboxes that show and hide the kinds of changes in the report.
fn kinds(report: &FleetDifference, extent: Extent) -> String {
    let mut found: Vec<&str> = Vec::new();
    if !extent.only_numbers {
        report.groups.iter().for_each(|group| found.extend(changes::kinds(&group.changes)));
    }
    let has_failures = [true, false].iter().any(|after| !report.failures(*after).is_empty());
    if has_failures || report.has_failures_on_both_sides() {
        found.push("failure");
    }
    let all = ["added", "removed", "changed", "class", "relation", "cycle", "failure"];
    let checkbox = |kind: &&str| {
        format!("<label><input type=\"checkbox\" name=\"kind\" value=\"{kind}\" checked> {kind}</label>\n")
    };
    all.iter().filter(|kind| found.contains(kind)).map(checkbox).collect()
}

/// The number of groups that are unfolded at first, and the most resources that such a group has.
const OPEN: usize = 3;
const OPEN_RESOURCES: usize = 10;

fn body(report: &FleetDifference, extent: Extent) -> String {
    let mut out = String::new();
    nodes(&mut out, report);
    denied(&mut out, report);
    failures(&mut out, report);
    failures_on_both_sides(&mut out, report);
    if !report.groups.is_empty() {
        out += "<h2>Changes</h2>\n";
    }
    for (number, group) in report.groups.iter().enumerate() {
        let title = format!("{}: {}", titled(&group.nodes), words::numbers(&group.changes));
        let is_short = group.changes.resources.len() <= OPEN_RESOURCES;
        let open = if number < OPEN && is_short { " open" } else { "" };
        let _ = writeln!(
            out,
            "<details class=\"group\" id=\"group-{}\"{open}><summary>{title}</summary>",
            number + 1
        );
        nodes_of(&mut out, &group.nodes);
        if !extent.only_numbers {
            changes::write(&mut out, &group.changes);
        }
        out += "</details>\n";
    }
    if !extent.only_numbers {
        moves::graph(&mut out, report);
    }
    files(&mut out, report);
    out
}

fn denied(out: &mut String, report: &FleetDifference) {
    if report.denied.is_empty() {
        return;
    }
    *out += "<h2>Denied</h2>\n<table class=\"list denied\"><thead><tr><th>resource</th><th>rule</th><th>nodes</th></tr></thead><tbody>\n";
    for denied in &report.denied {
        let (resource, rule) = (html(&denied.resource), html(&denied.rule));
        let nodes = html(&denied.nodes.join(", "));
        let _ = writeln!(
            out,
            "<tr><td><code>{resource}</code></td><td><code>{rule}</code></td><td>{nodes}</td></tr>"
        );
    }
    *out += "</tbody></table>\n";
}

fn failures(out: &mut String, report: &FleetDifference) {
    for (after, title) in [(true, "Without a catalog after"), (false, "Without a catalog before")] {
        let failures = report.failures(after);
        if !failures.is_empty() {
            let _ = writeln!(out, "<h2>{title}</h2>");
        }
        for (failure, nodes) in failures {
            let title = format!("{}: {}", titled(&nodes), words::failure_phrase(after));
            let _ = writeln!(out, "<details class=\"group failure\" open><summary>{title}</summary>");
            nodes_of(out, &nodes);
            let excerpt = excerpt(failure, nodes.first().copied().unwrap_or_default());
            let _ = writeln!(
                out,
                "<div class=\"change\" data-kind=\"failure\"><pre class=\"excerpt\">{excerpt}</pre></div>\n</details>"
            );
        }
    }
}

fn failures_on_both_sides(out: &mut String, report: &FleetDifference) {
    let failures = report.failures_on_both_sides();
    if failures.is_empty() {
        return;
    }
    *out += "<h2>Without a catalog on either side</h2>\n";
    for (failure, nodes) in failures {
        let (title, line) = (titled(&nodes), html(&words::failure_line(failure)));
        let _ = writeln!(out, "<details class=\"group failure before\"><summary>{title}: {line}</summary>");
        nodes_of(out, &nodes);
        let excerpt = excerpt(failure, nodes.first().copied().unwrap_or_default());
        let _ = writeln!(
            out,
            "<div class=\"change\" data-kind=\"failure\"><pre class=\"excerpt\">{excerpt}</pre></div>\n</details>"
        );
    }
}

fn excerpt(failure: &Failure, node: &str) -> String {
    let excerpt = strip_str(&words::failure_excerpt(failure, node)).to_string();
    excerpt.trim_end().lines().map(html).collect::<Vec<_>>().join("\n")
}

/// The nodes of a title.
fn titled<S: AsRef<str>>(nodes: &[S]) -> String {
    match nodes {
        [one] => format!("<b>{}</b>", html(one.as_ref())),
        _ => format!("<b>{} nodes</b>", nodes.len()),
    }
}

/// All nodes, by name, where there is more than the one of the title.
fn nodes_of<S: AsRef<str>>(out: &mut String, nodes: &[S]) {
    if nodes.len() > 1 {
        let names: String = nodes.iter().map(|node| format!("<li>{}</li>", html(node.as_ref()))).collect();
        let _ = writeln!(out, "<details><summary>Nodes</summary><ul class=\"nodes\">{names}</ul></details>");
    }
}

/// The number of nodes up to which the overview is unfolded at first.
const OPEN_NODES: usize = 40;

/// All nodes and their outcomes: failures first, then changes.
fn nodes(out: &mut String, report: &FleetDifference) {
    let mut nodes: Vec<&NodeDifference> = report.nodes.iter().collect();
    nodes.sort_by_key(|node| match &node.outcome {
        outcome if outcome.is_failure() => 0,
        Outcome::Fails(..) => 2,
        outcome if outcome.is_unchanged() => 3,
        _ => 1,
    });
    let open = if nodes.len() <= OPEN_NODES { " open" } else { "" };
    let count = words::count(nodes.len(), "node", "nodes");
    let _ = writeln!(out, "<details class=\"overview\"{open}><summary><h2>{count}</h2></summary>");
    *out += "<table class=\"list\"><thead><tr><th>node</th><th>outcome</th><th>changes</th></tr></thead><tbody>\n";
    for NodeDifference { node, outcome } in nodes {
        let link = |group: &usize| {
            let number = group + 1;
            let numbers = report.groups.get(*group).map(|group| words::numbers(&group.changes));
            let text = numbers.unwrap_or_default();
            format!("<a href=\"#group-{number}\">{text}</a>")
        };
        let changes = match outcome {
            Outcome::Changed(groups) => groups.iter().map(link).collect::<Vec<_>>().join("; "),
            Outcome::Added(Ok(resources)) | Outcome::Removed(Ok(resources)) => {
                words::count(*resources, "resource", "resources")
            }
            _ => match outcome.failures() {
                (_, Some(failure)) | (Some(failure), None) => html(&words::failure_line(failure)),
                (None, None) => String::new(),
            },
        };
        let class = if outcome.is_failure() { " class=\"failed\"" } else { "" };
        let _ = writeln!(
            out,
            "<tr{class}><td>{}</td><td>{}</td><td>{changes}</td></tr>",
            html(node),
            outcome.name()
        );
    }
    *out += "</tbody></table>\n</details>\n";
}

fn files(out: &mut String, report: &FleetDifference) {
    if report.files.is_empty() {
        return;
    }
    *out += "<h2>Files</h2>\n<table class=\"list\"><thead><tr><th>file</th><th>is</th><th>what it does</th></tr></thead><tbody>\n";
    for file in words::files(report) {
        let path = html(&file.path.to_string_lossy());
        let (status, does) = (file.status.name(), words::effect(file));
        let _ = writeln!(out, "<tr><td><code>{path}</code></td><td>{status}</td><td>{does}</td></tr>");
    }
    *out += "</tbody></table>\n";
}
