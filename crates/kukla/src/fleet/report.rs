//! The report of one node of a run: counts, cycles and messages, in the form that the caller wants them.

use std::collections::BTreeMap;

use std::fmt::Debug;

use kukla_eval::error::Diagnostic;
use kukla_eval::messages::Log;
use kukla_eval::settings::LogLevel;
use kukla_syntax::{Problem, Severity};
use serde_json::{Value as Json, json};

use super::compile::NodeCompilation;

/// The result of compiling one node of a fleet. `M` is the form in which the caller keeps messages.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeReport<M> {
    /// The node's name.
    pub node: String,
    /// The fact file or node definition that it comes from.
    pub source: String,
    /// The number of resources in its catalog.
    pub resources: usize,
    /// The number of edges.
    pub edges: usize,
    /// Resources that depend on each other in a cycle.
    pub cycles: Vec<Vec<String>>,
    /// The code behind each edge of the cycles (see [`Cycles`](crate::Cycles)).
    pub cycle_edges: BTreeMap<String, String>,
    /// The reasons that it has no catalog, or that the agent would refuse it.
    pub errors: Vec<M>,
    /// Its warnings.
    pub warnings: Vec<M>,
    /// Its other log messages.
    pub logs: Vec<M>,
}

/// A message about a node, in the form in which the caller of a run keeps it: as data, as text, or as JSON.
pub trait NodeMessage: Clone + Debug + Send + Sync {
    /// The messages of a failed compilation.
    fn of_failure(failure: &Diagnostic, node: &str) -> Vec<Self>;
    /// A log message.
    fn of_log(log: &Log, node: &str) -> Self;
    /// The reason that a node could not be compiled at all.
    fn of_problem(problem: &Problem) -> Self;
    /// The form in which a cache keeps it; a node with a message that has none is not cached.
    fn to_json(&self) -> Option<Json>;
    /// A message from a cache.
    fn from_json(json: &Json) -> Option<Self>;
}

/// A message as data, which no cache can keep.
#[derive(Clone, Debug)]
pub enum Finding {
    /// An error in code or data.
    Failure(Box<Diagnostic>),
    /// A log message.
    Log(Box<Log>),
    /// Facts, settings or files that cannot be used.
    Problem(Problem),
}

impl NodeMessage for Finding {
    fn of_failure(failure: &Diagnostic, _: &str) -> Vec<Finding> {
        let all = std::iter::once(failure).chain(&failure.others);
        all.map(|one| Finding::Failure(Box::new(one.clone()))).collect()
    }

    fn of_log(log: &Log, _: &str) -> Finding {
        Finding::Log(Box::new(log.clone()))
    }

    fn of_problem(problem: &Problem) -> Finding {
        Finding::Problem(problem.clone())
    }

    fn to_json(&self) -> Option<Json> {
        None
    }

    fn from_json(_: &Json) -> Option<Finding> {
        None
    }
}

/// Results that count as failures although a server would accept them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailOn {
    /// Dependency cycles, which an agent refuses to apply.
    pub cycles: bool,
    /// Warnings.
    pub warnings: bool,
}

impl<M> NodeReport<M> {
    /// A report without anything in it.
    pub fn new(node: &str, source: &str) -> NodeReport<M> {
        NodeReport {
            node: node.to_owned(),
            source: source.to_owned(),
            resources: 0,
            edges: 0,
            cycles: Vec::new(),
            cycle_edges: BTreeMap::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            logs: Vec::new(),
        }
    }

    /// Whether the node counts as failed.
    pub fn is_failure(&self, fail_on: FailOn) -> bool {
        !self.errors.is_empty()
            || (!self.cycles.is_empty() && fail_on.cycles)
            || (!self.warnings.is_empty() && fail_on.warnings)
    }
}

impl<M: NodeMessage> NodeReport<M> {
    /// The report of a node that could not be compiled.
    pub fn failed(node: &str, source: &str, problem: &Problem) -> NodeReport<M> {
        NodeReport { errors: vec![M::of_problem(problem)], ..NodeReport::new(node, source) }
    }

    /// The report of a compilation.
    pub fn of_compilation(node: &str, source: &str, compilation: &NodeCompilation) -> NodeReport<M> {
        let mut report = NodeReport::new(node, source);
        for log in &compilation.outcome.logs {
            let message = M::of_log(log, node);
            match log.level {
                LogLevel::Debug | LogLevel::Info | LogLevel::Notice => report.logs.push(message),
                _ => report.warnings.push(message),
            }
        }
        match &compilation.outcome.result {
            Err(failure) => report.errors = M::of_failure(failure, node),
            Ok(compiled) => {
                report.resources = compiled.catalog.resources.len();
                report.edges = compiled.catalog.edges.len();
                report.cycles.clone_from(&compilation.cycles.all);
                report.cycle_edges.clone_from(&compilation.cycles.edges);
                let refused = compilation.refused.iter();
                report.errors = refused.flat_map(|refusal| M::of_failure(refusal, node)).collect();
                for violation in &compilation.violations {
                    let messages = M::of_failure(violation, node);
                    match violation.severity {
                        Severity::Error => report.errors.extend(messages),
                        Severity::Warning => report.warnings.extend(messages),
                        Severity::Deprecation => report.logs.extend(messages),
                    }
                }
            }
        }
        report
    }

    /// The form in which a cache keeps the report of a node that compiled.
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        let all = |messages: &[M]| messages.iter().map(M::to_json).collect::<Option<Vec<Json>>>();
        let (warnings, logs) = (all(&self.warnings)?, all(&self.logs)?);
        let json = json!([self.resources, self.edges, self.cycles, warnings, logs, self.cycle_edges]);
        Some(json.to_string().into_bytes())
    }

    /// A report from a cache.
    pub(super) fn from_bytes(node: &str, source: &str, bytes: &[u8]) -> Option<NodeReport<M>> {
        let cached: Json = serde_json::from_slice(bytes).ok()?;
        let number = |at: usize| usize::try_from(cached.get(at)?.as_u64()?).ok();
        let messages =
            |at: usize| -> Option<Vec<M>> { cached.get(at)?.as_array()?.iter().map(M::from_json).collect() };
        let cycle = |cycle: &Json| -> Option<Vec<String>> {
            cycle.as_array()?.iter().map(|title| Some(title.as_str()?.to_owned())).collect()
        };
        let edge = |(reference, position): (&String, &Json)| {
            Some((reference.clone(), position.as_str()?.to_owned()))
        };
        Some(NodeReport {
            cycle_edges: cached.get(5)?.as_object()?.iter().map(edge).collect::<Option<_>>()?,
            resources: number(0)?,
            edges: number(1)?,
            cycles: cached.get(2)?.as_array()?.iter().map(cycle).collect::<Option<_>>()?,
            warnings: messages(3)?,
            logs: messages(4)?,
            ..NodeReport::new(node, source)
        })
    }
}
