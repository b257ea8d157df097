//! The output formats of the reports of many nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use clap::ValueEnum;
use indexmap::IndexMap;
use kukla::MissingModule;
use kukla::fleet::FailOn;
use serde_json::json;

use super::report::{self, RenderedMessage, Report, SOME_NODE, outcome, shape};
use crate::render::failure::ErrorFormat;
use crate::render::github;
use crate::render::junit::{self, Case};
use crate::render::position::relative_path;

/// The output format of the reports of many nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FleetFormat {
    /// One line per node; errors and warnings go to standard error, each once for all nodes that have it
    #[default]
    Table,
    /// One JSON document
    Json,
    /// One JSON object per line for each node
    Jsonl,
    /// JUnit XML, one test case for each node
    Junit,
    /// Annotations for GitHub Actions
    Github,
}

/// The output of a command.
#[derive(Debug, Default, PartialEq)]
pub struct Printed {
    /// To standard output.
    pub out: String,
    /// To standard error.
    pub err: String,
}

/// Prints the reports of all nodes.
pub fn render(reports: &[Report], fail_on: FailOn, format: FleetFormat) -> Printed {
    let plain = |out: String| Printed { out, err: String::new() };
    match format {
        FleetFormat::Table => Printed { out: table(reports, fail_on), err: messages(reports) },
        FleetFormat::Json => plain(document(reports, fail_on)),
        FleetFormat::Jsonl => {
            plain(reports.iter().map(|report| format!("{}\n", shape(report, fail_on))).collect())
        }
        FleetFormat::Junit => plain(junit(reports, fail_on)),
        FleetFormat::Github => plain(annotations(reports, fail_on)),
    }
}

fn failures(reports: &[Report], fail_on: FailOn) -> usize {
    reports.iter().filter(|report| report.is_failure(fail_on)).count()
}

fn table(reports: &[Report], fail_on: FailOn) -> String {
    let width = reports.iter().map(|report| report.node.len()).max().unwrap_or(0).max(4);
    let mut out = format!("{:width$}  resources  edges  warnings  outcome\n", "node");
    for report in reports {
        let Report { node, resources, edges, warnings, .. } = report;
        let (warnings, outcome) = (warnings.len(), outcome(report));
        let _ = writeln!(out, "{node:width$}  {resources:9}  {edges:5}  {warnings:8}  {outcome}");
    }
    let failed = failures(reports, fail_on);
    let _ = writeln!(out, "{} compiled, {failed} failed", reports.len() - failed);
    out
}

/// Equal messages, with the nodes that have them, in the order of the first of these.
fn grouped<'r>(
    reports: &'r [Report],
    messages: impl Fn(&'r Report) -> &'r [RenderedMessage],
) -> impl Iterator<Item = (&'r RenderedMessage, Vec<&'r str>)> {
    let mut groups = IndexMap::<String, (&RenderedMessage, Vec<&str>)>::new();
    for report in reports {
        let mut own = BTreeSet::new();
        for message in messages(report) {
            if own.insert(message.key()) {
                let (_, nodes) = groups.entry(message.key()).or_insert_with(|| (message, Vec::new()));
                if nodes.last() != Some(&report.node.as_str()) {
                    nodes.push(&report.node);
                }
            }
        }
    }
    groups.into_values()
}

/// The names of the first nodes, and the number of the others.
pub fn some(nodes: &[&str]) -> String {
    match nodes {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, other] => format!("{one} and {other}"),
        [one, other, rest @ ..] => format!("{one}, {other} and {} more", rest.len()),
    }
}

/// The errors and warnings of nodes, for people.
pub fn messages(reports: &[Report]) -> String {
    let mut out = String::new();
    let mut show = |message: &RenderedMessage, nodes: &[&str]| {
        out += &message.text.replace(SOME_NODE, nodes.first().unwrap_or(&""));
        if nodes.len() > 1 || !message.text.contains(SOME_NODE) {
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
    let mut missing = Vec::new();
    for (message, nodes) in grouped(reports, |report| &report.errors) {
        match &message.missing {
            Some(module) => missing.push((module, message, nodes)),
            None => show(message, &nodes),
        }
    }
    missing_modules(&mut out, missing);
    for (cycle, (nodes, edges)) in cycles(reports) {
        let count = if nodes.len() > 1 { format!("{} nodes: ", nodes.len()) } else { String::new() };
        let nodes = format!("{count}{}", some(&nodes));
        let diagnostic = report::cycle(cycle, &nodes);
        report::render_cycle(&mut out, &diagnostic, cycle, edges, ErrorFormat::Human);
    }
    out
}

/// An error that is due to a module that is not installed, and the nodes that have it.
type MissingError<'r> = (&'r MissingModule, &'r RenderedMessage, Vec<&'r str>);

/// One error about all modules that nodes require and that are not installed.
fn missing_modules(out: &mut String, mut errors: Vec<MissingError<'_>>) {
    if errors.is_empty() {
        return;
    }
    errors.sort_by(|(one, ..), (other, ..)| (one.name.is_empty(), one).cmp(&(other.name.is_empty(), other)));
    let failed: BTreeSet<&str> = errors.iter().flat_map(|(_, _, nodes)| nodes).copied().collect();
    let (nodes, require) = match failed.len() {
        1 => ("1 node".to_owned(), "requires"),
        count => (format!("{count} nodes"), "require"),
    };
    let _ = writeln!(out, "error: {nodes} {require} modules that are not installed");
    let mut names = IndexMap::<&MissingModule, (Vec<&str>, &str)>::new();
    for (module, message, nodes) in &errors {
        let (all, _) = names.entry(*module).or_insert_with(|| (Vec::new(), message.summary.as_str()));
        all.extend(nodes);
    }
    for (module, (mut nodes, message)) in names {
        nodes.sort_unstable();
        nodes.dedup();
        let message = message.split(" for \u{1}").next().unwrap_or(message).trim_end_matches('.');
        let what = match module.name.as_str() {
            "" => message.to_owned(),
            name => format!("{name} ({}): {message}", relative_path(&module.place)),
        };
        let _ = writeln!(out, "  --> {what}, on {}", some(&nodes));
    }
    out.push_str("  = help: install the modules of the Puppetfile with `kukla mod sync`\n\n");
}

fn document(reports: &[Report], fail_on: FailOn) -> String {
    let failed = failures(reports, fail_on);
    let nodes: Vec<_> = reports.iter().map(|report| shape(report, fail_on)).collect();
    format!("{:#}\n", json!({"compiled": reports.len() - failed, "failed": failed, "nodes": nodes}))
}

fn junit(reports: &[Report], fail_on: FailOn) -> String {
    let cases: Vec<Case> = reports.iter().map(|report| case(report, fail_on)).collect();
    junit::document("catalogs", &cases)
}

fn case(report: &Report, fail_on: FailOn) -> Case {
    let text = |message: &RenderedMessage| plain(message, &report.node);
    let warnings = report.warnings.iter().map(text);
    let mut case = Case { class: report.source.clone(), name: report.node.clone(), ..Case::default() };
    if report.is_failure(fail_on) {
        let cycles = report.cycles.iter().map(|cycle| format!("dependency cycle: {}\n", cycle.join(" => ")));
        let all: String = report.errors.iter().map(text).chain(warnings).chain(cycles).collect();
        let first = report
            .errors
            .first()
            .or(report.warnings.first())
            .map_or("dependency cycle", RenderedMessage::message);
        case.failure = Some((first.to_owned(), all));
    } else {
        case.err = warnings.collect();
    }
    case
}

/// A message without colours.
fn plain(message: &RenderedMessage, node: &str) -> String {
    anstream::adapter::strip_str(&message.text.replace(SOME_NODE, node)).to_string()
}

fn annotations(reports: &[Report], fail_on: FailOn) -> String {
    let mut out = String::new();
    let mut show = |level: &str, message: &RenderedMessage, nodes: &[&str]| {
        let text = match nodes {
            [one] => format!("{} (on {one})", message.message()),
            _ => format!("{} (on {} nodes: {})", message.message(), nodes.len(), some(nodes)),
        };
        github::command(&mut out, level, &message.shape, message.code(), &text);
    };
    let fatal = if fail_on.warnings { "error" } else { "warning" };
    grouped(reports, |report| &report.warnings).for_each(|(message, nodes)| show(fatal, message, &nodes));
    grouped(reports, |report| &report.errors).for_each(|(message, nodes)| show("error", message, &nodes));
    for (cycle, (nodes, _)) in cycles(reports) {
        let cycle = report::cycle(cycle, &some(&nodes));
        github::command(&mut out, "error", &json!({}), Some(cycle.code.name), &cycle.message());
    }
    let failed = failures(reports, fail_on);
    let _ = writeln!(out, "{} compiled, {failed} failed", reports.len() - failed);
    out
}

/// The nodes that have a dependency cycle, and the code behind its edges on the first of them.
type CycleNodes<'r> = (Vec<&'r str>, &'r BTreeMap<String, String>);

/// Dependency cycles, with the nodes that have them.
fn cycles(reports: &[Report]) -> IndexMap<&[String], CycleNodes<'_>> {
    let mut cycles = IndexMap::<&[String], CycleNodes<'_>>::new();
    for report in reports {
        for cycle in &report.cycles {
            let (nodes, _) = cycles.entry(cycle).or_insert_with(|| (Vec::new(), &report.cycle_edges));
            nodes.push(&report.node);
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use kukla::syntax::Problem;

    use super::*;

    fn reports() -> Vec<Report> {
        let failed = |node: &str| Report::failed(node, "facts/f.json", &Problem::other("a < b & \"c\""));
        let cycles = vec![vec!["File[a]".to_owned(), "File[b]".to_owned()]];
        let fine = Report { resources: 3, cycles, ..Report::new("fine", "") };
        vec![failed("one"), fine, failed("two"), failed("three")]
    }

    #[test]
    fn equal_errors_are_shown_once() {
        let printed = render(&reports(), FailOn::default(), FleetFormat::Table);
        assert_eq!(printed.err.matches("a < b").count(), 1, "{}", printed.err);
        assert!(printed.err.contains("on 3 nodes: one, two and 1 more"), "{}", printed.err);
        assert!(printed.err.contains("error[CYCLE]: dependency cycle on fine: File[a] => File[b]"));
        assert!(printed.out.ends_with("1 compiled, 3 failed\n"), "{}", printed.out);
    }

    #[test]
    fn every_format_counts_alike() {
        let fail_on = FailOn { cycles: true, ..FailOn::default() };
        let json = render(&reports(), fail_on, FleetFormat::Json).out;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["compiled"], &json["failed"]), (&json!(0), &json!(4)));
        let lines = render(&reports(), fail_on, FleetFormat::Jsonl).out;
        let line: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
        assert_eq!((&line["node"], &line["outcome"]), (&json!("fine"), &json!("failed")));
        let junit = render(&reports(), fail_on, FleetFormat::Junit).out;
        assert_eq!(junit.matches("<failure ").count(), 4);
        assert!(
            junit.contains("a &lt; b &amp; &quot;c&quot;") && junit.contains("failures=\"4\""),
            "{junit}"
        );
        let github = render(&reports(), fail_on, FleetFormat::Github).out;
        assert!(
            github.contains("::error ") && github.contains("(on 3 nodes: one, two and 1 more)"),
            "{github}"
        );
    }
}
