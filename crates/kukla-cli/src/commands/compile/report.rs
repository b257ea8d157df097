//! The report of one node of many, with its messages rendered so that they can be cached and grouped.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use kukla::eval::messages::Log;
use kukla::fleet::{FailOn, NodeMessage, NodeReport};
use kukla::syntax::{Problem, Severity};
use kukla::{Cycles, Diagnostic, MissingModule};
use serde_json::{Value as Json, json};

use crate::render::failure::{self, ErrorFormat};
use crate::render::position::relative_path;

/// The report of one node.
pub type Report = NodeReport<RenderedMessage>;

/// An error, a warning or a log message, rendered for people and for programs.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderedMessage {
    /// The form of the machine interface.
    pub shape: Json,
    /// The text for people, with [`SOME_NODE`] in place of the node's name.
    pub text: String,
    /// The innermost message, with [`SOME_NODE`] in place of the node's name.
    pub summary: String,
    /// The module whose absence is the reason of an error. Failed nodes are not cached, so it need not be.
    pub missing: Option<MissingModule>,
}

/// The placeholder for the name of the node, so that nodes with the same message have the same text.
pub const SOME_NODE: &str = "\u{1}";

/// Replaces the name of the node, where it is a whole word, with the placeholder.
fn of_some_node(text: &str, node: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(node).filter(|_| !node.is_empty()) {
        let (before, after) = (&rest[..at], &rest[at + node.len()..]);
        let joined = before.ends_with(is_part) || after.starts_with(|c| is_part(c) && c != '.');
        out += before;
        out += if joined { node } else { SOME_NODE };
        rest = after;
    }
    out + rest
}

impl NodeMessage for RenderedMessage {
    fn of_failure(failure: &Diagnostic, node: &str) -> Vec<RenderedMessage> {
        std::iter::once(failure)
            .chain(&failure.others)
            .zip(kukla::rpc::errors(failure))
            .map(|(one, shape)| {
                let mut text = String::new();
                failure::render_one(&mut text, one, node, ErrorFormat::Human);
                RenderedMessage {
                    shape,
                    text: of_some_node(&text, node),
                    summary: of_some_node(&one.root().message(), node),
                    missing: kukla::missing_module(one),
                }
            })
            .collect()
    }

    fn of_log(log: &Log, node: &str) -> RenderedMessage {
        let mut text = String::new();
        failure::log(&mut text, log, ErrorFormat::Human);
        let summary = of_some_node(&log.message, node);
        RenderedMessage {
            shape: kukla::rpc::log(log),
            text: of_some_node(&text, node),
            summary,
            missing: None,
        }
    }

    fn of_problem(problem: &Problem) -> RenderedMessage {
        let shape = json!({"kind": "node", "message": problem.to_string()});
        let text = format!("error: {}\n  --> {SOME_NODE}\n\n", problem.with_help());
        RenderedMessage { shape, text, summary: problem.to_string(), missing: None }
    }

    fn to_json(&self) -> Option<Json> {
        Some(json!([self.shape, self.text, self.summary]))
    }

    fn from_json(json: &Json) -> Option<RenderedMessage> {
        let text = |at: usize| Some(json.get(at)?.as_str()?.to_owned());
        Some(RenderedMessage {
            shape: json.get(0)?.clone(),
            text: text(1)?,
            summary: text(2)?,
            missing: None,
        })
    }
}

impl RenderedMessage {
    /// Its code, if it has one.
    pub fn code(&self) -> Option<&str> {
        self.shape["code"].as_str().or_else(|| self.shape["issue"].as_str())
    }

    /// Equal for messages that say the same about the same place, whatever classes lead there.
    pub fn key(&self) -> String {
        let part = |name: &str| self.shape[name].to_string();
        match self.shape["line"].is_null() {
            true => self.text.clone(),
            false => {
                [part("code"), self.summary.clone(), part("file"), part("line"), part("column")].join(" ")
            }
        }
    }

    /// The message alone.
    pub fn message(&self) -> &str {
        self.shape["message"].as_str().unwrap_or_default()
    }
}

/// The diagnostic of a dependency cycle on some nodes.
pub fn cycle(cycle: &[String], nodes: &str) -> Diagnostic {
    kukla::cycle_diagnostic(cycle, nodes, Severity::Error)
}

/// Renders the diagnostic of a dependency cycle, with the code behind its edges.
pub fn render_cycle(
    out: &mut String,
    cycle: &Diagnostic,
    members: &[String],
    edges: &BTreeMap<String, String>,
    format: ErrorFormat,
) {
    let message = cycle.message();
    let _ = match (format, cycle.is_error()) {
        (ErrorFormat::Human, true) => writeln!(out, "error[{}]: {message}", cycle.code.name),
        (ErrorFormat::Human, false) => writeln!(out, "warning[{}]: {message}", cycle.code.name),
        (ErrorFormat::Puppet, true) => writeln!(out, "Error: {message}"),
        (ErrorFormat::Puppet, false) => writeln!(out, "Warning: {message}"),
        (ErrorFormat::Json, _) => {
            kukla::rpc::errors(cycle).iter().try_for_each(|error| writeln!(out, "{error}"))
        }
    };
    if format == ErrorFormat::Human {
        for position in Cycles::positions(edges, members) {
            let _ = writeln!(out, "  --> {}", relative_path(position));
        }
    }
}

/// The outcome of a node in a few words.
pub fn outcome(report: &Report) -> Cow<'static, str> {
    if let Some(error) = report.errors.first() {
        if let Some(missing) = error.missing.as_ref().filter(|missing| !missing.name.is_empty()) {
            return format!("failed, requires module {}", missing.name).into();
        }
        return match error.code() {
            Some(code) => format!("failed [{code}]").into(),
            None => "failed".into(),
        };
    }
    match report.cycles.len() {
        0 => "compiled".into(),
        1 => "compiled, 1 dependency cycle".into(),
        n => format!("compiled, {n} dependency cycles").into(),
    }
}

/// The report of a node as JSON.
pub fn shape(report: &Report, fail_on: FailOn) -> Json {
    let shapes =
        |messages: &[RenderedMessage]| messages.iter().map(|message| message.shape.clone()).collect::<Json>();
    json!({
        "node": report.node,
        "source": report.source,
        "outcome": if report.is_failure(fail_on) { "failed" } else { "compiled" },
        "resources": report.resources,
        "edges": report.edges,
        "cycles": report.cycles,
        "errors": shapes(&report.errors),
        "warnings": shapes(&report.warnings),
        "logs": shapes(&report.logs),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_replaced() {
        let text = of_some_node("a cat on a: nodes/a.yaml, a-b, Node[a] of a.", "a");
        assert_eq!(text.replace(SOME_NODE, "*"), "* cat on *: nodes/*.yaml, a-b, Node[*] of *.");
    }
}
