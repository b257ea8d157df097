//! The report as one HTML page. It is complete without scripts; the script only hides and shows. Untrusted text is escaped, and the
//! page forbids every other script.

use std::fmt::Write;

use anstream::adapter::strip_str;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kukla::diff::{Failure, FleetDifference, NodeDifference, Outcome};
use sha2::{Digest, Sha256};

use super::{Extent, words};
use crate::render::markup::escape;
use crate::render::visible::visible;

mod changes;
mod moves;
mod sides;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The page.
pub fn text(report: &FleetDifference, extent: Extent) -> String {
    filled(PAGE, |name| match name {
        "script hash" => script_hash(),
        "title" => html(&format!("{} to {}", report.from, report.to)),
        "style" => STYLE.to_owned(),
        "sides" => format!("{} → {}", html(&report.from), html(&report.to)),
        "summary" => html(&words::summary(report)),
        "notes" => {
            report.notes.iter().map(|note| format!("<p class=\"note\">{}</p>\n", html(note))).collect()
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

/// The template with a value for each name.
fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut parts = template.split("{{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or(("", part));
        out += &value(name);
        out += rest;
    }
    out
}

/// The digest of the script, which the browser verifies before it runs it: of everything between the tags.
fn script_hash() -> String {
    let digest = Sha256::digest(format!("\n{SCRIPT}"));
    format!("sha256-{}", STANDARD.encode(digest))
}

/// The checkboxes that show and hide the kinds of changes in the report.
fn kinds(report: &FleetDifference, extent: Extent) -> String {
    let mut found: Vec<&str> = Vec::new();
    if !extent.only_numbers {
        report.groups.iter().for_each(|group| found.extend(changes::kinds(&group.changes)));
    }
    if [true, false].iter().any(|after| !report.failures(*after).is_empty()) {
        found.push("failure");
    }
    let all = ["added", "removed", "changed", "class", "relation", "cycle", "failure"];
    let checkbox = |kind: &&str| {
        format!("<label><input type=\"checkbox\" name=\"kind\" value=\"{kind}\" checked> {kind}</label>\n")
    };
    all.iter().filter(|kind| found.contains(kind)).map(checkbox).collect()
}

/// The number of groups that are unfolded at first.
const OPEN: usize = 3;

fn body(report: &FleetDifference, extent: Extent) -> String {
    let mut out = String::new();
    denied(&mut out, report);
    failures(&mut out, report);
    if !report.groups.is_empty() {
        out += "<h2>Changes</h2>\n";
    }
    for (number, group) in report.groups.iter().enumerate() {
        let title = format!("{}: {}", titled(&group.nodes), words::numbers(&group.changes));
        let open = if number < OPEN { " open" } else { "" };
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
    nodes(&mut out, report);
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

/// All nodes and their outcomes.
fn nodes(out: &mut String, report: &FleetDifference) {
    *out += "<h2>Nodes</h2>\n<table class=\"list\"><thead><tr><th>node</th><th>outcome</th><th>changes</th></tr></thead><tbody>\n";
    for NodeDifference { node, outcome } in &report.nodes {
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
            _ => String::new(),
        };
        let _ =
            writeln!(out, "<tr><td>{}</td><td>{}</td><td>{changes}</td></tr>", html(node), outcome.name());
    }
    *out += "</tbody></table>\n";
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
