//! What came of one node of many, in a form that can be kept and printed in every format.

use std::borrow::Cow;

use kukla::eval::settings::LogLevel;
use kukla::{Compiled, Diagnostic, Outcome as Compilation};
use serde_json::{Value as Json, json};

use super::FailOn;
use crate::render::failure::{self, ErrorFormat};

/// What came of one node of many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Its name.
    pub node: String,
    /// Where its facts are, or what else named it.
    pub source: String,
    /// How many resources its catalog has.
    pub resources: usize,
    /// How many edges.
    pub edges: usize,
    /// Resources that depend on each other in a circle.
    pub cycles: Vec<Vec<String>>,
    /// Why there is no catalog, or why the agent would refuse it.
    pub errors: Vec<Message>,
    /// What was warned about.
    pub warnings: Vec<Message>,
    /// What else was logged.
    pub logs: Vec<Message>,
}

/// An error, a warning or what was logged.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// In the shape of the machine interface.
    pub shape: Json,
    /// As people see it, with [`SOME_NODE`] in place of the node's name.
    pub picture: String,
}

/// What stands in a picture for the name of the node, so that the same picture serves for all that have it.
pub const SOME_NODE: &str = "\u{1}";

/// A text in which the name of the node, where it stands for itself, is that of some node.
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

impl Message {
    fn failure(failure: &Diagnostic, node: &str) -> Vec<Message> {
        std::iter::once(failure)
            .chain(&failure.others)
            .zip(kukla::rpc::errors(failure))
            .map(|(one, shape)| {
                let mut picture = String::new();
                failure::render_one(&mut picture, one, node, ErrorFormat::Human);
                Message { shape, picture: of_some_node(&picture, node) }
            })
            .collect()
    }

    /// An error of which there is no picture.
    pub fn plain(problem: &str) -> Message {
        let shape = json!({"kind": "node", "message": problem});
        Message { shape, picture: format!("error: {problem}\n  --> {SOME_NODE}\n\n") }
    }

    /// Its code, if it has one.
    pub fn code(&self) -> Option<&str> {
        self.shape["code"].as_str().or_else(|| self.shape["issue"].as_str())
    }

    /// What it says.
    pub fn text(&self) -> &str {
        self.shape["message"].as_str().unwrap_or_default()
    }

    fn to_json(&self) -> Json {
        json!([self.shape, self.picture])
    }

    fn from_json(json: &Json) -> Option<Message> {
        Some(Message { shape: json.get(0)?.clone(), picture: json.get(1)?.as_str()?.to_owned() })
    }
}

impl Report {
    /// A node of which nothing could be compiled.
    pub fn failed(node: &str, source: &str, problem: &str) -> Report {
        let (node, source) = (node.to_owned(), source.to_owned());
        Report { node, source, errors: vec![Message::plain(problem)], ..Report::default() }
    }

    /// What came of a compilation, and what the agent would refuse of it.
    pub fn new(
        node: &str,
        source: &str,
        compilation: &Compilation<Compiled>,
        refused: &[Diagnostic],
    ) -> Report {
        let mut report = Report { node: node.to_owned(), source: source.to_owned(), ..Report::default() };
        for log in &compilation.logs {
            let mut picture = String::new();
            failure::log(&mut picture, log, ErrorFormat::Human);
            let message = Message { shape: kukla::rpc::log(log), picture: of_some_node(&picture, node) };
            match log.level {
                LogLevel::Debug | LogLevel::Info | LogLevel::Notice => report.logs.push(message),
                _ => report.warnings.push(message),
            }
        }
        match &compilation.result {
            Err(failure) => report.errors = Message::failure(failure, node),
            Ok(Compiled { catalog, .. }) => {
                report.resources = catalog.resources.len();
                report.edges = catalog.edges.len();
                report.cycles = catalog.cycles();
                report.errors = refused.iter().flat_map(|wrong| Message::failure(wrong, node)).collect();
            }
        }
        report
    }

    /// Whether it counts as a failure.
    pub fn is_failure(&self, fail_on: &[FailOn]) -> bool {
        !self.errors.is_empty()
            || (!self.cycles.is_empty() && fail_on.contains(&FailOn::Cycles))
            || (!self.warnings.is_empty() && fail_on.contains(&FailOn::Warnings))
    }

    /// What became of it, in a few words.
    pub fn outcome(&self) -> Cow<'static, str> {
        if let Some(error) = self.errors.first() {
            return match error.code() {
                Some(code) => format!("failed [{code}]").into(),
                None => "failed".into(),
            };
        }
        match self.cycles.len() {
            0 => "compiled".into(),
            1 => "compiled, 1 dependency cycle".into(),
            n => format!("compiled, {n} dependency cycles").into(),
        }
    }

    /// What is printed of it as JSON.
    pub fn shape(&self, fail_on: &[FailOn]) -> Json {
        let shapes =
            |messages: &[Message]| messages.iter().map(|message| message.shape.clone()).collect::<Json>();
        json!({
            "node": self.node,
            "source": self.source,
            "outcome": if self.is_failure(fail_on) { "failed" } else { "compiled" },
            "resources": self.resources,
            "edges": self.edges,
            "cycles": self.cycles,
            "errors": shapes(&self.errors),
            "warnings": shapes(&self.warnings),
            "logs": shapes(&self.logs),
        })
    }

    /// What is kept of it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let all = |messages: &[Message]| messages.iter().map(Message::to_json).collect::<Json>();
        json!([self.resources, self.edges, self.cycles, all(&self.warnings), all(&self.logs)])
            .to_string()
            .into_bytes()
    }

    /// What was kept of a node.
    pub fn from_bytes(node: &str, source: &str, bytes: &[u8]) -> Option<Report> {
        let kept: Json = serde_json::from_slice(bytes).ok()?;
        let number = |at: usize| usize::try_from(kept.get(at)?.as_u64()?).ok();
        let messages = |at: usize| -> Option<Vec<Message>> {
            kept.get(at)?.as_array()?.iter().map(Message::from_json).collect()
        };
        let cycle = |cycle: &Json| -> Option<Vec<String>> {
            cycle.as_array()?.iter().map(|title| Some(title.as_str()?.to_owned())).collect()
        };
        Some(Report {
            node: node.to_owned(),
            source: source.to_owned(),
            resources: number(0)?,
            edges: number(1)?,
            cycles: kept.get(2)?.as_array()?.iter().map(cycle).collect::<Option<_>>()?,
            errors: Vec::new(),
            warnings: messages(3)?,
            logs: messages(4)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_some_node() {
        let told = of_some_node("a cat on a: nodes/a.yaml, a-b, Node[a] of a.", "a");
        assert_eq!(told.replace(SOME_NODE, "*"), "* cat on *: nodes/*.yaml, a-b, Node[*] of *.");
    }
}
