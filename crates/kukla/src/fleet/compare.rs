//! Comparing the nodes of two sides: two directories, two revisions, or two ways to compile the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kukla_catalog::Catalog;
use kukla_syntax::Problem;
use kukla_world::record::Digest;
use rayon::prelude::*;

use super::compile::CacheOptions;
use super::members::{Fleet, FleetCompiler, FleetError, Member, SourceFacts, duplicate_nodes};
use super::options::FleetOptions;
use super::progress::{Cancellation, FleetEvent, Observer};
use super::setup::FleetSetup;
use super::source::NodeSource;
use super::violations::new_violations;
use crate::cache::Cache;
use crate::diff::{
    Compared, Comparison, DiffCache, Evidence, Failure, FileStatus, Files, FleetDifference, Outcome, Rules,
    Sides, Subject, Surroundings, Tree,
};
use crate::exchange::{Exchange, ExchangeMember, Settlement, exported_resources};
use crate::policies::Policies;

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct FleetSide {
    /// Its name in the report.
    pub name: String,
    /// Its control repository, facts and settings.
    pub options: FleetOptions,
}

impl FleetSide {
    /// A side with a name.
    pub fn new(name: impl Into<String>, options: FleetOptions) -> FleetSide {
        FleetSide { name: name.into(), options }
    }
}

/// The files in which two revisions of a repository differ.
#[derive(Clone, Debug, Default)]
pub struct ChangedFiles {
    /// The root of the repository.
    pub root: PathBuf,
    /// The files, from the root, each with its status.
    pub files: BTreeMap<PathBuf, FileStatus>,
    /// Whether there are symbolic links, so that a file can have several paths.
    pub has_links: bool,
}

/// The cache of a comparison.
#[derive(Clone, Debug)]
pub struct CompareCache {
    /// Its directory.
    pub cache: CacheOptions,
    /// Whether the user asked for it: then it keeps catalogs too, and a cache that cannot be used is a problem.
    pub is_explicit: bool,
}

/// How two sides are compared.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// The changes to report.
    pub rules: Rules,
    /// The files in which the sides differ, if they are known; otherwise all files are compared.
    pub changed_files: Option<ChangedFiles>,
    /// Whether the sides differ in more than files: in facts, environments or settings.
    pub differ_in_options: bool,
    /// Whether both sides see the modules of their own Puppetfile, so that the effect of other versions is in the report.
    pub has_modules_of_both: bool,
    /// The cache of earlier comparisons.
    pub cache: Option<CompareCache>,
    /// The policies that no catalog may begin to violate.
    pub policies: Policies,
    /// A token that ends the comparison.
    pub cancellation: Cancellation,
}

/// Two sides, each with its compiler.
#[derive(Debug)]
pub struct FleetComparison {
    before: OpenSide,
    after: OpenSide,
}

#[derive(Debug)]
struct OpenSide {
    side: FleetSide,
    compiler: FleetCompiler,
}

impl OpenSide {
    fn open(side: &FleetSide, other: Option<&OpenSide>) -> Result<OpenSide, Problem> {
        let mut side = side.clone();
        side.options.record_inputs = true;
        // Problems of a side are reported where its nodes are compiled.
        side.options.exchanges = side.options.node.is_none()
            && FleetSetup::read(&side.options).is_ok_and(|setup| setup.site().settings.storeconfigs);
        let other = other.map(|other| &*other.compiler.compiler);
        let compiler = FleetCompiler::sharing(&side.options, other)?;
        Ok(OpenSide { side, compiler })
    }

    fn fleet(&self) -> Result<Fleet, FleetError> {
        Fleet::with_compiler(&self.side.options, &self.compiler)
    }

    fn tree(&self) -> Tree<'_> {
        Tree { world: self.compiler.compiler.world(), root: &self.side.options.control.path }
    }

    /// The one node that the options choose.
    fn chosen(&self) -> Result<Subject, Failure> {
        let chosen = FleetSetup::read(&self.side.options).and_then(|setup| setup.choose());
        let node = chosen.map_err(Failure::Problem)?.node;
        let site = self.compiler.compiler.open(&node.site);
        Ok(Subject { node: node.node, site })
    }
}

impl FleetComparison {
    /// Opens both sides. The paths of their control repositories are absolute and without links.
    pub fn open(before: &FleetSide, after: &FleetSide) -> Result<FleetComparison, Problem> {
        let before = OpenSide::open(before, None)?;
        let after = OpenSide::open(after, Some(&before))?;
        Ok(FleetComparison { before, after })
    }

    /// Compares the nodes of both sides.
    pub fn compare(
        &self,
        options: &CompareOptions,
        observer: &dyn Observer,
    ) -> Result<FleetDifference, FleetError> {
        let (before, after) = (&self.before, &self.after);
        let files = self.files(options);
        let differing = (!options.differ_in_options).then_some(&files);
        let cache;
        let mut comparison = Comparison::new(differing, options.rules.clone());
        comparison.cancellation = options.cancellation.clone();
        let exchanges = before.compiler.exchange.clone().zip(after.compiler.exchange.clone());
        comparison.exports = exchanges.map(|(before, after)| Sides { before, after });
        let subjects = Subjects::default();
        let mut notes = Vec::new();
        let nodes = match &before.side.options.node {
            Some(node) => {
                let compared = subjects.compare(&comparison, node, before.chosen(), after.chosen());
                vec![(node.clone(), compared)]
            }
            None => {
                let (old, new) = (before.fleet()?, after.fleet()?);
                new.report_notices(observer);
                cache = open_cache(options, &old, observer)?;
                comparison.cache = differing.zip(cache.as_ref()).map(|(files, cache)| {
                    let keeps_catalogs = options.cache.as_ref().is_some_and(|cache| cache.is_explicit);
                    DiffCache::new(cache, before.compiler.compiler.world(), files, keeps_catalogs)
                });
                let pairs = NodePairs {
                    old: &old,
                    new: &new,
                    comparison: &comparison,
                    subjects: &subjects,
                    keeps_unpaired: !options.policies.is_empty(),
                    observer,
                };
                let mut nodes = pairs.compare_all();
                old.options().selection.require_match(nodes.len())?;
                notes.extend(subjects.settle_exports(&mut nodes, &comparison));
                if let Some(cache) = comparison.cache.take()
                    && let Err(problem) = cache.save(&old.opened_sites())
                {
                    observer.observe(FleetEvent::CacheFailed(&problem));
                }
                nodes
            }
        };
        if options.cancellation.is_cancelled() {
            return Err(FleetError::Cancelled);
        }
        let mut report = FleetDifference::new(&before.side.name, &after.side.name, nodes);
        report.notes = notes;
        let surroundings = Surroundings { files: differing, exports: comparison.exports.as_ref() };
        report.explain(&subjects.evidence(&report, differing), surroundings);
        report.deny(&comparison.rules);
        if !options.policies.is_empty() {
            let nodes = subjects.nodes.lock().unwrap_or_else(PoisonError::into_inner);
            report.denied.extend(new_violations(&nodes, &comparison, &options.policies));
        }
        report.notes.extend(comparison.rules.problems());
        if !options.differ_in_options {
            report.blame(files.differences());
            if !options.has_modules_of_both {
                report.warn_of_puppetfiles();
            }
        }
        Ok(report)
    }

    /// The files in which the sides differ.
    fn files<'s>(&'s self, options: &'s CompareOptions) -> Files<'s> {
        let (before, after) = (self.before.tree(), self.after.tree());
        match &options.changed_files {
            Some(ChangedFiles { root, files, has_links }) => {
                let root: &Path = root;
                Files::new(Tree { root, ..before }, Tree { root, ..after }, files.clone(), *has_links)
            }
            None => Files::compare(before, after),
        }
    }
}

/// The cache of earlier comparisons, if there is to be one and the options allow it.
fn open_cache(
    options: &CompareOptions,
    fleet: &Fleet,
    observer: &dyn Observer,
) -> Result<Option<Cache>, Problem> {
    let Some(CompareCache { cache, is_explicit }) = &options.cache else { return Ok(None) };
    let key = match fleet.options().cache_key() {
        Ok(key) => key,
        Err(problem) if *is_explicit => return Err(problem),
        // A cache that nobody asked for is left out silently.
        Err(_) => return Ok(None),
    };
    let key = Digest::of(["diff".to_owned(), format!("{:?}", fleet.site_spec()), key]);
    let observer: &dyn Observer = if *is_explicit { observer } else { &() };
    Ok(Some(cache.open(key, observer)))
}

/// Nodes whose catalogs differ, or that collect exported resources, by name.
#[derive(Debug, Default)]
struct Subjects {
    nodes: Mutex<BTreeMap<String, SubjectPair>>,
}

/// A node on the sides that have it.
#[derive(Clone, Debug, Default)]
pub(super) struct SubjectPair {
    pub(super) before: Option<Subject>,
    pub(super) after: Option<Subject>,
}

impl Subjects {
    /// Compares a node, and keeps it if there is a change to explain.
    fn compare(
        &self,
        comparison: &Comparison<'_>,
        name: &str,
        before: Result<Subject, Failure>,
        after: Result<Subject, Failure>,
    ) -> Compared {
        let both = before.as_ref().ok().cloned().zip(after.as_ref().ok().cloned());
        let compared = comparison.node(before, after);
        if let Some((before, after)) = both
            && (collects(comparison, name) || matches!(compared, Compared::Changed(_)))
        {
            self.add(name, SubjectPair { before: Some(before), after: Some(after) });
        }
        compared
    }

    fn add(&self, name: &str, pair: SubjectPair) {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), pair);
    }

    /// Compares nodes again that collect exported resources, now that those are known. Returns notes for the report.
    fn settle_exports(&self, nodes: &mut [(String, Compared)], comparison: &Comparison<'_>) -> Vec<String> {
        let Some(exports) = &comparison.exports else { return Vec::new() };
        let subjects = self.nodes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut old = settle(comparison, &exports.before, &subjects, |pair| pair.before.as_ref());
        let mut new = settle(comparison, &exports.after, &subjects, |pair| pair.after.as_ref());
        for (name, compared) in nodes {
            let Some(pair) = subjects.get(name.as_str()) else { continue };
            let (one, other) = (old.outcomes.remove(name.as_str()), new.outcomes.remove(name.as_str()));
            if one.is_none() && other.is_none() {
                continue;
            }
            *compared = match (&pair.before, &pair.after) {
                (Some(before), Some(after)) => {
                    let one = one.unwrap_or_else(|| comparison.compile(before, Some(&exports.before)));
                    let other = other.unwrap_or_else(|| comparison.compile(after, Some(&exports.after)));
                    comparison.subjects((before, one), (after, other))
                }
                _ => match (one, other) {
                    (Some(before), _) => Comparison::removed(before),
                    (None, Some(after)) => Comparison::added(after),
                    (None, None) => continue,
                },
            };
        }
        let unsettled = [old.unsettled, new.unsettled].into_iter().flatten();
        let mut notes: Vec<String> = unsettled.map(|failure| failure.to_string()).collect();
        notes.dedup();
        notes
    }

    /// The evidence for the changes of the first node of each group.
    fn evidence(&self, report: &FleetDifference, files: Option<&Files<'_>>) -> BTreeMap<String, Evidence> {
        let nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let first: BTreeSet<&String> = report.groups.iter().filter_map(|group| group.nodes.first()).collect();
        let pairs: Vec<(&String, &Subject, &Subject)> = first
            .into_iter()
            .filter_map(|node| match nodes.get(node)? {
                SubjectPair { before: Some(before), after: Some(after) } => Some((node, before, after)),
                _ => None,
            })
            .collect();
        let evidence = pairs.into_par_iter();
        evidence.map(|(node, before, after)| (node.clone(), Evidence::of(before, after, files))).collect()
    }
}

fn collects(comparison: &Comparison<'_>, name: &str) -> bool {
    comparison.exports.iter().any(|sides| sides.before.collects(name) || sides.after.collects(name))
}

/// Compiles the nodes of a side again until all of them find what the others export.
fn settle(
    comparison: &Comparison<'_>,
    exchange: &Exchange,
    subjects: &BTreeMap<String, SubjectPair>,
    subject: fn(&SubjectPair) -> Option<&Subject>,
) -> Settlement<Result<Catalog, Failure>> {
    let compile = |name: &String| {
        let outcome = comparison.compile(subject(subjects.get(name)?)?, Some(exchange));
        let exports = outcome.as_ref().ok().map(exported_resources);
        Some(ExchangeMember { node: name.clone(), exports, outcome })
    };
    let pass = |due: Option<&BTreeSet<String>>| {
        let due: Vec<&String> = due.into_iter().flatten().collect();
        Ok::<_, Infallible>(due.into_par_iter().filter_map(compile).collect())
    };
    match exchange.settle(pass) {
        Ok(settlement) => settlement,
    }
}

/// The nodes of two fleets, paired by name.
struct NodePairs<'n> {
    old: &'n Fleet,
    new: &'n Fleet,
    comparison: &'n Comparison<'n>,
    subjects: &'n Subjects,
    /// Whether nodes that one side has are looked at later, too.
    keeps_unpaired: bool,
    observer: &'n dyn Observer,
}

/// A compared node, and its source.
struct ComparedNode {
    name: String,
    source: String,
    compared: Compared,
}

/// A node that a source has on one side only.
struct UnpairedNode {
    member: Member,
    is_after: bool,
}

impl NodePairs<'_> {
    fn compare_all(&self) -> Vec<(String, Compared)> {
        self.observer.observe(FleetEvent::Started { sources: self.old.sources().len() });
        let mut sources = BTreeMap::<String, (Option<&NodeSource>, Option<&NodeSource>)>::new();
        self.old.sources().iter().for_each(|source| sources.entry(key(source)).or_default().0 = Some(source));
        self.new.sources().iter().for_each(|source| sources.entry(key(source)).or_default().1 = Some(source));
        let sources: Vec<_> = sources.into_values().collect();
        let (mut nodes, mut unpaired) = (Vec::new(), Vec::new());
        let compared: Vec<_> =
            sources.into_par_iter().map(|(old, new)| self.compare_source(old, new)).collect();
        for (done, left) in compared {
            nodes.extend(done);
            unpaired.extend(left);
        }
        nodes.extend(self.compare_unpaired(unpaired));
        self.observer.observe(FleetEvent::Finished);
        let duplicates = duplicate_nodes(nodes.iter().map(|one| (one.name.as_str(), one.source.as_str())));
        let mut nodes: Vec<(String, Compared)> =
            nodes.into_iter().map(|one| (one.name, one.compared)).collect();
        nodes.retain(|(node, _)| !duplicates.contains_key(node));
        let known: BTreeSet<&str> = nodes.iter().map(|(node, _)| node.as_str()).collect();
        let known = known.into_iter().chain(duplicates.keys().map(String::as_str));
        let missing = self.old.options().selection.missing(known);
        let failed = |node: String, problem: Problem| {
            let failure = Failure::Problem(problem);
            (node, Compared::Otherwise(Outcome::Fails(failure.clone(), failure)))
        };
        let without_facts = Problem::not_found("no facts found for this node");
        nodes.extend(missing.into_iter().map(|node| failed(node, without_facts.clone())));
        nodes.extend(duplicates.into_iter().map(|(node, problem)| failed(node, problem)));
        nodes
    }

    /// Compares the nodes that both sides have in a source, and returns the nodes that one side has there.
    fn compare_source(
        &self,
        old: Option<&NodeSource>,
        new: Option<&NodeSource>,
    ) -> (Vec<ComparedNode>, Vec<UnpairedNode>) {
        let members = |fleet: &Fleet, read: Option<(&NodeSource, SourceFacts)>| -> Vec<Member> {
            let all = read.into_iter().flat_map(|(source, read)| fleet.members_of(source, read));
            all.filter(|member| fleet.options().selection.includes(&member.name)).collect()
        };
        let before = old.map(|source| (source, self.old.read(source)));
        let other = before.as_ref().map(|(_, read)| read);
        let after = new.map(|source| (source, self.new.read_beside(source, other)));
        let (mut pairs, mut unpaired) = (Vec::new(), Vec::new());
        let mut after = members(self.new, after);
        for member in members(self.old, before) {
            match after.iter().position(|other| other.name == member.name) {
                Some(at) => pairs.push((member, after.swap_remove(at))),
                None => unpaired.push(UnpairedNode { member, is_after: false }),
            }
        }
        unpaired.extend(after.into_iter().map(|member| UnpairedNode { member, is_after: true }));
        self.observer.observe(FleetEvent::SourceRead { nodes: pairs.len() });
        (pairs.into_par_iter().map(|(old, new)| self.compare_pair(old, new)).collect(), unpaired)
    }

    /// Compares nodes that are in different sources on the two sides, or on one side only.
    fn compare_unpaired(&self, unpaired: Vec<UnpairedNode>) -> Vec<ComparedNode> {
        let (after, before): (Vec<UnpairedNode>, Vec<UnpairedNode>) =
            unpaired.into_iter().partition(|one| one.is_after);
        let mut after: BTreeMap<String, Member> =
            after.into_iter().map(|one| (one.member.name.clone(), one.member)).collect();
        let mut work: Vec<(Option<Member>, Option<Member>)> = Vec::new();
        for UnpairedNode { member, .. } in before {
            let other = after.remove(&member.name);
            work.push((Some(member), other));
        }
        work.extend(after.into_values().map(|member| (None, Some(member))));
        let compare = |(old, new): (Option<Member>, Option<Member>)| match (old, new) {
            (Some(old), Some(new)) => Some(self.compare_pair(old, new)),
            (Some(old), None) => {
                let exports = self.comparison.exports.as_ref().map(|sides| &*sides.before);
                let pair = |before| SubjectPair { before: Some(before), after: None };
                Some(self.compile_one_sided(self.old, old, exports, pair, Comparison::removed))
            }
            (None, Some(new)) => {
                let exports = self.comparison.exports.as_ref().map(|sides| &*sides.after);
                let pair = |after| SubjectPair { before: None, after: Some(after) };
                Some(self.compile_one_sided(self.new, new, exports, pair, Comparison::added))
            }
            (None, None) => None,
        };
        work.into_par_iter().filter_map(compare).collect()
    }

    /// Compiles a node that only one side has.
    fn compile_one_sided(
        &self,
        fleet: &Fleet,
        member: Member,
        exports: Option<&Exchange>,
        pair: impl FnOnce(Subject) -> SubjectPair,
        outcome: fn(Result<Catalog, Failure>) -> Compared,
    ) -> ComparedNode {
        let (name, source) = (member.name.clone(), member.source.clone());
        let compared = match subject(fleet, member) {
            Ok(subject) => {
                let catalog = self.comparison.compile(&subject, exports);
                if self.keeps_unpaired || collects(self.comparison, &name) {
                    self.subjects.add(&name, pair(subject));
                }
                outcome(catalog)
            }
            Err(failure) => outcome(Err(failure)),
        };
        ComparedNode { name, source, compared }
    }

    fn compare_pair(&self, old: Member, new: Member) -> ComparedNode {
        let (name, source) = (old.name.clone(), old.source.clone());
        let (old, new) = (subject(self.old, old), subject(self.new, new));
        let compared = self.subjects.compare(self.comparison, &name, old, new);
        self.observer.observe(FleetEvent::NodeDone { node: &name });
        ComparedNode { name, source, compared }
    }
}

/// The name of a source on both sides.
fn key(source: &NodeSource) -> String {
    match source {
        NodeSource::File(file) => file.file_name().map(|name| name.to_string_lossy().into_owned()),
        NodeSource::Store { node: name, .. } | NodeSource::Name(name) => Some(name.clone()),
    }
    .unwrap_or_default()
}

fn subject(fleet: &Fleet, member: Member) -> Result<Subject, Failure> {
    let node = member.node.map_err(Failure::Problem)?;
    let site = fleet.site(&node);
    Ok(Subject { node: node.node, site })
}
