//! The report: the outcome of each node, groups of equal changes, the effect of each changed file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use kukla_eval::error::Diagnostic;
use kukla_syntax::Problem;
use kukla_values::Str;

use super::groups::{Group, groups, memberships};
use super::{Changes, Evidence, Rules, Surroundings};

/// The effect of a change on every node.
#[derive(Clone, Debug, Default)]
pub struct FleetDifference {
    /// The name of the old side.
    pub from: String,
    /// The name of the new side.
    pub to: String,
    /// The outcome of each node, by name.
    pub nodes: Vec<NodeDifference>,
    /// The changes, each once, with the nodes that have it; those of most nodes first.
    pub groups: Vec<Group>,
    /// The files in which the sides differ, by path, each with its effect; none if the sides are not files.
    pub files: Vec<FileDifference>,
    /// Warnings about the limits of the comparison, such as a changed Puppetfile.
    pub warnings: Vec<String>,
    /// Notes for the reader, such as files that could not be read.
    pub notes: Vec<String>,
    /// Changes of resources that rules protect: the rule, the resource and the nodes.
    pub denied: Vec<Denied>,
}

/// A change that a rule forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The rule, as it was written.
    pub rule: String,
    /// The resource that changes.
    pub resource: String,
    /// The nodes on which it does.
    pub nodes: Vec<String>,
}

/// The outcome of one node.
#[derive(Clone, Debug)]
pub struct NodeDifference {
    /// Its name.
    pub node: String,
    /// Its outcome.
    pub outcome: Outcome,
}

/// The outcome of one node.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The inputs of its catalog are the same on both sides, so its catalogs were not compared.
    SameInputs,
    /// Its catalogs are the same.
    Same,
    /// Its catalogs differ; what changes is in these of the report's groups.
    Changed(Vec<usize>),
    /// Only the new side has it; how many resources it has there.
    Added(Result<usize, Failure>),
    /// Only the old side has it; how many resources it had there.
    Removed(Result<usize, Failure>),
    /// It compiled before, and no longer does.
    Breaks(Failure),
    /// It did not compile before, and now does.
    Repaired(Failure),
    /// It compiles on neither side: the errors before and after.
    Fails(Failure, Failure),
}

/// The reason that a node has no catalog.
#[derive(Clone, Debug)]
pub enum Failure {
    /// It does not compile.
    Compile(Box<Diagnostic>),
    /// There was nothing to compile: its facts cannot be read, or its environment does not exist.
    Problem(Problem),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Compile(failure) => write!(f, "{failure}"),
            Failure::Problem(problem) => write!(f, "{problem}"),
        }
    }
}

impl Failure {
    /// The place and the message of the error, without the name of the node: equal for nodes that fail for the same reason, whatever
    /// classes lead there.
    fn key(&self, node: &str) -> String {
        let text = match self {
            Failure::Compile(failure) => {
                let root = failure.root();
                let place = root.position.as_ref().or(failure.position.as_ref());
                let at = place.map(|place| (place.file(), place.line(), place.column()));
                format!("{at:?} {} {}", root.code.name, root.message())
            }
            Failure::Problem(problem) => problem.to_string(),
        };
        if node.is_empty() { text } else { text.replace(node, "\u{1}") }
    }
}

impl From<Box<Diagnostic>> for Failure {
    fn from(failure: Box<Diagnostic>) -> Failure {
        Failure::Compile(failure)
    }
}

/// The reason of a change: a line of code, or a key of a data file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason {
    /// The file.
    pub file: Str,
    /// The line, from one, where known.
    pub line: Option<u32>,
    /// The key, if the file holds data.
    pub key: Option<Str>,
    /// Whether the place is of the new side.
    pub is_after: bool,
    /// Whether the line is one in which the sides differ.
    pub is_touched: bool,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        match &self.key {
            Some(key) => write!(f, " {key}"),
            None => Ok(()),
        }
    }
}

/// A file in which the sides differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDifference {
    /// The file, from where the sides begin.
    pub path: PathBuf,
    /// Its status.
    pub status: FileStatus,
    /// Whether the difference is significant: other comments or blanks in code and data are not.
    pub is_significant: bool,
    /// The nodes with a change that this file is a reason of, in order.
    pub nodes: Vec<String>,
}

/// The status of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileStatus {
    /// Only the new side has it.
    Added,
    /// Only the old side has it.
    Removed,
    /// Both have it, and not the same.
    Modified,
}

impl FileStatus {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            FileStatus::Added => "added",
            FileStatus::Removed => "removed",
            FileStatus::Modified => "modified",
        }
    }
}

/// The number of nodes with each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub nodes: usize,
    /// Nodes whose catalogs are the same, or need not be compared.
    pub unchanged: usize,
    /// Of these, the ones that were not compared because their inputs are the same.
    pub same_inputs: usize,
    /// Nodes whose catalogs differ.
    pub changed: usize,
    /// Nodes that only the new side has.
    pub added: usize,
    /// Nodes that only the old side has.
    pub removed: usize,
    /// Nodes that no longer compile.
    pub breaks: usize,
    /// Nodes that compile again.
    pub repaired: usize,
    /// Nodes that compile on neither side.
    pub fails: usize,
}

impl Outcome {
    /// The word for it.
    pub const fn name(&self) -> &'static str {
        match self {
            Outcome::SameInputs => "same inputs",
            Outcome::Same => "unchanged",
            Outcome::Changed(_) => "changed",
            Outcome::Added(_) => "added",
            Outcome::Removed(_) => "removed",
            Outcome::Breaks(_) => "breaks",
            Outcome::Repaired(_) => "repaired",
            Outcome::Fails(..) => "fails",
        }
    }

    /// Whether nothing changes for the node.
    pub const fn is_unchanged(&self) -> bool {
        matches!(self, Outcome::SameInputs | Outcome::Same)
    }

    /// Whether the node has no catalog on the new side, and the change is to blame.
    pub const fn is_failure(&self) -> bool {
        matches!(
            self,
            // A node that was asked for and cannot be compiled at all, such as one without facts, is a mistake on either side.
            Outcome::Breaks(_) | Outcome::Added(Err(_)) | Outcome::Fails(_, Failure::Problem(_))
        )
    }

    /// Whether it fails on one side because of something in a file, given by the end of its path.
    fn is_due_to(&self, file: &Path) -> bool {
        let failure = match self {
            Outcome::Breaks(failure) | Outcome::Repaired(failure) => failure,
            _ => return false,
        };
        match failure {
            Failure::Compile(wrong) => wrong
                .location()
                .and_then(|location| location.file())
                .is_some_and(|place| Path::new(place).ends_with(file)),
            Failure::Problem(problem) => {
                problem.subject().is_some_and(|subject| Path::new(subject).ends_with(file))
            }
        }
    }

    /// The failures before and after.
    pub fn failures(&self) -> (Option<&Failure>, Option<&Failure>) {
        match self {
            Outcome::Breaks(after) | Outcome::Added(Err(after)) => (None, Some(after)),
            Outcome::Repaired(before) | Outcome::Removed(Err(before)) => (Some(before), None),
            Outcome::Fails(before, after) => (Some(before), Some(after)),
            _ => (None, None),
        }
    }
}

/// The outcome of one node, before changes are grouped.
#[derive(Clone, Debug)]
pub enum Compared {
    /// Its catalogs differ.
    Changed(Box<Changes>),
    /// Anything else.
    Otherwise(Outcome),
}

impl FleetDifference {
    /// Groups the outcomes of nodes.
    pub fn new(
        from: impl Into<String>,
        to: impl Into<String>,
        mut compared: Vec<(String, Compared)>,
    ) -> FleetDifference {
        compared.sort_by(|(a, _), (b, _)| a.cmp(b));
        let (mut changed, mut nodes) = (Vec::new(), Vec::new());
        for (node, compared) in compared {
            let outcome = match compared {
                Compared::Otherwise(outcome) => outcome,
                Compared::Changed(changes) => {
                    changed.push((node.clone(), *changes));
                    Outcome::Changed(Vec::new())
                }
            };
            nodes.push(NodeDifference { node, outcome });
        }
        let groups = groups(changed);
        let mut memberships = memberships(&groups);
        for node in &mut nodes {
            if let Outcome::Changed(of) = &mut node.outcome {
                *of = memberships.remove(node.node.as_str()).unwrap_or_default();
            }
        }
        FleetDifference { from: from.into(), to: to.into(), nodes, groups, ..FleetDifference::default() }
    }

    /// The number of nodes with each outcome.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { nodes: self.nodes.len(), ..Counts::default() };
        for node in &self.nodes {
            let count = match node.outcome {
                Outcome::SameInputs => {
                    counts.same_inputs += 1;
                    &mut counts.unchanged
                }
                Outcome::Same => &mut counts.unchanged,
                Outcome::Changed(_) => &mut counts.changed,
                Outcome::Added(_) => &mut counts.added,
                Outcome::Removed(_) => &mut counts.removed,
                Outcome::Breaks(_) => &mut counts.breaks,
                Outcome::Repaired(_) => &mut counts.repaired,
                Outcome::Fails(..) => &mut counts.fails,
            };
            *count += 1;
        }
        counts
    }

    /// Whether nothing changes for any node.
    pub fn is_empty(&self) -> bool {
        self.nodes.iter().all(|node| node.outcome.is_unchanged())
    }

    /// Whether a node has no catalog on the new side, and the change is to blame.
    pub fn has_failures(&self) -> bool {
        self.nodes.iter().any(|node| node.outcome.is_failure())
    }

    /// Whether a node compiles on neither side.
    pub fn has_failures_on_both_sides(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.outcome, Outcome::Fails(..)))
    }

    /// Failures of one side, before (`false`) or after, with the nodes that have them, those of most nodes first.
    pub fn failures(&self, after: bool) -> Vec<(&Failure, Vec<&str>)> {
        self.grouped_failures(|outcome| match outcome {
            Outcome::Fails(..) => None,
            outcome if after => outcome.failures().1,
            outcome => outcome.failures().0,
        })
    }

    /// The failures after the change of nodes that compile on neither side.
    pub fn failures_on_both_sides(&self) -> Vec<(&Failure, Vec<&str>)> {
        self.grouped_failures(|outcome| match outcome {
            Outcome::Fails(_, after) => Some(after),
            _ => None,
        })
    }

    fn grouped_failures(&self, failure: impl Fn(&Outcome) -> Option<&Failure>) -> Vec<(&Failure, Vec<&str>)> {
        let mut failures = IndexMap::<String, (&Failure, Vec<&str>)>::new();
        for node in &self.nodes {
            if let Some(failure) = failure(&node.outcome) {
                let key = failure.key(&node.node);
                failures.entry(key).or_insert_with(|| (failure, Vec::new())).1.push(&node.node);
            }
        }
        let mut failures: Vec<_> = failures.into_values().collect();
        failures.sort_by_key(|(_, nodes)| std::cmp::Reverse(nodes.len()));
        failures
    }

    /// Adds reasons to each change, from the evidence of the first node that has it, and hides values that turn out to be secret.
    pub fn explain(&mut self, evidence: &BTreeMap<String, Evidence>, surroundings: Surroundings<'_>) {
        for group in &mut self.groups {
            if let Some(evidence) = group.nodes.first().and_then(|node| evidence.get(node)) {
                evidence.explain(&mut group.changes, surroundings);
            }
        }
    }

    /// Records the changes that rules deny.
    pub fn deny(&mut self, rules: &Rules) {
        let mut denied = BTreeMap::<(String, String), BTreeSet<&String>>::new();
        for group in &self.groups {
            for broken in rules.broken(&group.changes) {
                denied.entry(broken).or_default().extend(&group.nodes);
            }
        }
        let denied = denied.into_iter().map(|((rule, resource), nodes)| Denied {
            rule,
            resource,
            nodes: nodes.into_iter().cloned().collect(),
        });
        self.denied = denied.collect();
    }

    /// Records for each file the nodes with a change that it is a reason of.
    pub fn blame(&mut self, mut files: Vec<FileDifference>) {
        let mut touched = BTreeMap::<&str, BTreeSet<&String>>::new();
        for group in &self.groups {
            for reason in group.changes.reasons() {
                touched.entry(reason.file.as_str()).or_default().extend(&group.nodes);
            }
        }
        for file in &mut files {
            let nodes = file.path.to_str().and_then(|path| touched.get(path));
            let mut nodes: BTreeSet<&String> = nodes.cloned().unwrap_or_default();
            // The error of a node that no longer compiles has a position too.
            nodes.extend(
                self.nodes.iter().filter(|node| node.outcome.is_due_to(&file.path)).map(|node| &node.node),
            );
            file.nodes = nodes.into_iter().cloned().collect();
        }
        self.files = files;
    }

    /// Warns of changed Puppetfiles, whose effect is not in the report.
    pub fn warn_of_puppetfiles(&mut self) {
        let is_puppetfile = |file: &&FileDifference| {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            file.is_significant && name.starts_with("Puppetfile") && !name.ends_with(".lock")
        };
        let warnings = self.files.iter().filter(is_puppetfile).map(|file| {
            format!(
                "{} is {}, but both sides were compiled with the modules that are installed now: the effect of other module versions is not in this report",
                file.path.display(),
                match file.status {
                    FileStatus::Modified => "changed",
                    status => status.name(),
                }
            )
        });
        self.warnings.extend(warnings);
    }
}

impl Changes {
    /// All reasons in it.
    pub fn reasons(&self) -> impl Iterator<Item = &Reason> {
        self.resources.iter().flat_map(|resource| {
            let of_attributes = resource.attributes.iter().flat_map(|attribute| &attribute.reasons);
            resource.reasons.iter().chain(of_attributes)
        })
    }
}
