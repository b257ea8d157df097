//! The reports of many nodes, as people and programs want them.

use std::collections::BTreeSet;
use std::fmt::Write;

use clap::ValueEnum;
use indexmap::IndexMap;
use serde_json::json;

use super::FailOn;
use super::report::{Message, Report, SOME_NODE};
use crate::render::github;
use crate::render::junit::{self, Case};

/// How the reports of many nodes are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FleetFormat {
    /// One line a node; what is wrong with them stands on standard error, once for all nodes that it is wrong with
    #[default]
    Table,
    /// One JSON document
    Json,
    /// One JSON object a line for each node
    Jsonl,
    /// JUnit XML, a test case for each node
    Junit,
    /// Annotations for GitHub Actions
    Github,
}

/// What is printed.
#[derive(Debug, Default, PartialEq)]
pub struct Printed {
    /// To standard output.
    pub out: String,
    /// To standard error.
    pub err: String,
}

/// Prints the reports of all nodes.
pub fn render(reports: &[Report], fail_on: &[FailOn], format: FleetFormat) -> Printed {
    let plain = |out: String| Printed { out, err: String::new() };
    match format {
        FleetFormat::Table => Printed { out: table(reports, fail_on), err: pictures(reports, fail_on) },
        FleetFormat::Json => plain(document(reports, fail_on)),
        FleetFormat::Jsonl => {
            plain(reports.iter().map(|report| format!("{}\n", report.shape(fail_on))).collect())
        }
        FleetFormat::Junit => plain(junit(reports, fail_on)),
        FleetFormat::Github => plain(annotations(reports, fail_on)),
    }
}

fn failures(reports: &[Report], fail_on: &[FailOn]) -> usize {
    reports.iter().filter(|report| report.is_failure(fail_on)).count()
}

fn table(reports: &[Report], fail_on: &[FailOn]) -> String {
    let width = reports.iter().map(|report| report.node.len()).max().unwrap_or(0).max(4);
    let mut out = format!("{:width$}  resources  edges  warnings  outcome\n", "node");
    for report in reports {
        let Report { node, resources, edges, warnings, .. } = report;
        let (warnings, outcome) = (warnings.len(), report.outcome());
        let _ = writeln!(out, "{node:width$}  {resources:9}  {edges:5}  {warnings:8}  {outcome}");
    }
    let failed = failures(reports, fail_on);
    let _ = writeln!(out, "{} compiled, {failed} failed", reports.len() - failed);
    out
}

/// Equal messages, with the nodes that have them, in the order of the first of these.
fn grouped<'r>(
    reports: &'r [Report],
    messages: impl Fn(&'r Report) -> &'r [Message],
) -> impl Iterator<Item = (&'r Message, Vec<&'r str>)> {
    let mut groups = IndexMap::<&str, (&Message, Vec<&str>)>::new();
    for report in reports {
        let mut own = BTreeSet::new();
        for message in messages(report) {
            if own.insert(&message.picture) {
                let (_, nodes) = groups.entry(&message.picture).or_insert_with(|| (message, Vec::new()));
                if nodes.last() != Some(&report.node.as_str()) {
                    nodes.push(&report.node);
                }
            }
        }
    }
    groups.into_values()
}

/// Nodes by name, as many as one wants to read.
pub fn some(nodes: &[&str]) -> String {
    match nodes {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, other] => format!("{one} and {other}"),
        [one, other, rest @ ..] => format!("{one}, {other} and {} more", rest.len()),
    }
}

/// What is wrong with nodes, as people see it.
pub fn pictures(reports: &[Report], fail_on: &[FailOn]) -> String {
    let mut out = String::new();
    let mut show = |message: &Message, nodes: &[&str]| {
        out += &message.picture.replace(SOME_NODE, nodes.first().unwrap_or(&""));
        if nodes.len() > 1 || !message.picture.contains(SOME_NODE) {
            while out.ends_with("\n\n") {
                out.pop();
            }
            let _ = match nodes {
                [one] => writeln!(out, "  = on {one}\n"),
                _ => writeln!(out, "  = on {} nodes: {}\n", nodes.len(), some(nodes)),
            };
        }
    };
    grouped(reports, |report| &report.warnings).for_each(|(message, nodes)| show(message, &nodes));
    grouped(reports, |report| &report.errors).for_each(|(message, nodes)| show(message, &nodes));
    let level = if fail_on.contains(&FailOn::Cycles) { "error" } else { "warning" };
    for (cycle, nodes) in cycles(reports) {
        let on = if nodes.len() > 1 { format!("{} nodes: ", nodes.len()) } else { String::new() };
        let _ =
            writeln!(out, "{level}[CYCLE]: dependency cycle on {on}{}: {}", some(&nodes), cycle.join(" => "));
    }
    out
}

fn document(reports: &[Report], fail_on: &[FailOn]) -> String {
    let failed = failures(reports, fail_on);
    let nodes: Vec<_> = reports.iter().map(|report| report.shape(fail_on)).collect();
    format!("{:#}\n", json!({"compiled": reports.len() - failed, "failed": failed, "nodes": nodes}))
}

fn junit(reports: &[Report], fail_on: &[FailOn]) -> String {
    let cases: Vec<Case> = reports.iter().map(|report| case(report, fail_on)).collect();
    junit::document("catalogs", &cases)
}

fn case(report: &Report, fail_on: &[FailOn]) -> Case {
    let text = |message: &Message| plain(message, &report.node);
    let warnings = report.warnings.iter().map(text);
    let mut case = Case { class: report.source.clone(), name: report.node.clone(), ..Case::default() };
    if report.is_failure(fail_on) {
        let cycles = report.cycles.iter().map(|cycle| format!("dependency cycle: {}\n", cycle.join(" => ")));
        let all: String = report.errors.iter().map(text).chain(warnings).chain(cycles).collect();
        let first =
            report.errors.first().or(report.warnings.first()).map_or("dependency cycle", Message::text);
        case.failure = Some((first.to_owned(), all));
    } else {
        case.err = warnings.collect();
    }
    case
}

/// A picture without colours.
fn plain(message: &Message, node: &str) -> String {
    anstream::adapter::strip_str(&message.picture.replace(SOME_NODE, node)).to_string()
}

fn annotations(reports: &[Report], fail_on: &[FailOn]) -> String {
    let mut out = String::new();
    let mut show = |level: &str, message: &Message, nodes: &[&str]| {
        let text = match nodes {
            [one] => format!("{} (on {one})", message.text()),
            _ => format!("{} (on {} nodes: {})", message.text(), nodes.len(), some(nodes)),
        };
        github::command(&mut out, level, &message.shape, message.code(), &text);
    };
    let fatal = if fail_on.contains(&FailOn::Warnings) { "error" } else { "warning" };
    grouped(reports, |report| &report.warnings).for_each(|(message, nodes)| show(fatal, message, &nodes));
    grouped(reports, |report| &report.errors).for_each(|(message, nodes)| show("error", message, &nodes));
    let fatal = if fail_on.contains(&FailOn::Cycles) { "error" } else { "warning" };
    for (cycle, nodes) in cycles(reports) {
        let text = format!("dependency cycle on {}: {}", some(&nodes), cycle.join(" => "));
        github::command(&mut out, fatal, &json!({}), Some("CYCLE"), &text);
    }
    let failed = failures(reports, fail_on);
    let _ = writeln!(out, "{} compiled, {failed} failed", reports.len() - failed);
    out
}

/// Dependency cycles, with the nodes that have them.
fn cycles(reports: &[Report]) -> IndexMap<&[String], Vec<&str>> {
    let mut cycles = IndexMap::<&[String], Vec<&str>>::new();
    for report in reports {
        report.cycles.iter().for_each(|cycle| cycles.entry(cycle).or_default().push(&report.node));
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports() -> Vec<Report> {
        let failed = |node: &str| Report::failed(node, "facts/f.json", "a < b & \"c\"");
        let cycles = vec![vec!["File[a]".to_owned(), "File[b]".to_owned()]];
        let fine = Report { node: "fine".into(), resources: 3, cycles, ..Report::default() };
        vec![failed("one"), fine, failed("two"), failed("three")]
    }

    #[test]
    fn equal_errors_are_shown_once() {
        let printed = render(&reports(), &[], FleetFormat::Table);
        assert_eq!(printed.err.matches("a < b").count(), 1, "{}", printed.err);
        assert!(printed.err.contains("on 3 nodes: one, two and 1 more"), "{}", printed.err);
        assert!(printed.err.contains("warning[CYCLE]: dependency cycle on fine: File[a] => File[b]"));
        assert!(printed.out.ends_with("1 compiled, 3 failed\n"), "{}", printed.out);
    }

    #[test]
    fn every_format_counts_alike() {
        let fail_on = [FailOn::Cycles];
        let json = render(&reports(), &fail_on, FleetFormat::Json).out;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["compiled"], &json["failed"]), (&json!(0), &json!(4)));
        let lines = render(&reports(), &fail_on, FleetFormat::Jsonl).out;
        let line: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
        assert_eq!((&line["node"], &line["outcome"]), (&json!("fine"), &json!("failed")));
        let junit = render(&reports(), &fail_on, FleetFormat::Junit).out;
        assert_eq!(junit.matches("<failure ").count(), 4);
        assert!(
            junit.contains("a &lt; b &amp; &quot;c&quot;") && junit.contains("failures=\"4\""),
            "{junit}"
        );
        let github = render(&reports(), &fail_on, FleetFormat::Github).out;
        assert!(
            github.contains("::error ") && github.contains("(on 3 nodes: one, two and 1 more)"),
            "{github}"
        );
    }

    #[test]
    fn a_report_survives_being_kept() {
        let mut report = reports().remove(1);
        report.warnings.push(Message::plain("x"));
        let read = Report::from_bytes("fine", "", &report.to_bytes());
        assert_eq!(read, Some(report));
    }
}
