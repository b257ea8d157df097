//! Compiling all nodes of a fleet.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use kukla_catalog::Catalog;
use kukla_eval::error::Diagnostic;
use kukla_syntax::Problem;
use kukla_world::record::Digest;
use rayon::prelude::*;

use super::members::{Fleet, FleetError, Member, duplicate_nodes};
use super::node::SiteNode;
use super::profile::FleetProfile;
use super::progress::{Cancellation, FleetEvent, Observer};
use super::report::{FailOn, NodeMessage, NodeReport};
use super::run_cache::{CachedNode, RunCache};
use super::source::NodeSource;
use super::store::PackedNode;
use crate::cache::{Cache, Facts, Reason, SecretCatalogs};
use crate::exchange::{Exchange, ExchangeMember};
use crate::pending::{Audience, Pending};
use crate::policies::Policies;
use crate::{CompileOptions, Compiled, Cycles, Outcome, Site};

/// How one node is compiled.
#[derive(Clone, Debug, Default)]
pub struct NodeCompileOptions {
    /// Whether virtual resources that nothing collected stay in the catalog.
    pub keep_virtual: bool,
    /// Whether the catalog is stored, so that its exported resources are wanted.
    pub is_stored: bool,
    /// Whether resources are checked as the agent would check them.
    pub validate: bool,
    /// Whether the origins of attribute values are recorded.
    pub provenance: bool,
    /// Whether the time is profiled.
    pub profile: bool,
    /// The policies to check.
    pub policies: Arc<Policies>,
    /// A token that ends the compilation.
    pub cancellation: Cancellation,
}

/// One compiled node.
#[derive(Debug)]
pub struct NodeCompilation {
    /// The catalog as an agent receives it, or the error.
    pub outcome: Outcome<Compiled>,
    /// The catalog with its exported resources, if it is to be stored.
    pub to_store: Option<Catalog>,
    /// The resources that the agent would refuse, if that was asked for.
    pub refused: Vec<Diagnostic>,
    /// The violations of policies.
    pub violations: Vec<Diagnostic>,
    /// The dependency cycles of the catalog.
    pub cycles: Cycles,
}

impl NodeCompilation {
    /// Compiles a node in its site.
    pub fn new(
        site: &Result<Arc<Site>, Box<Diagnostic>>,
        node: &SiteNode,
        options: &NodeCompileOptions,
    ) -> NodeCompilation {
        let site = match site {
            Ok(site) => site,
            Err(failure) => {
                let outcome = Outcome::from(failure.clone());
                return NodeCompilation {
                    outcome,
                    to_store: None,
                    refused: Vec::new(),
                    violations: Vec::new(),
                    cycles: Cycles::default(),
                };
            }
        };
        let compile = CompileOptions {
            keep_virtual: options.keep_virtual || options.is_stored,
            provenance: options.provenance,
            profile: options.profile,
            ..CompileOptions::default()
        };
        let cancellation = options.cancellation.clone();
        let mut outcome = site.compile_while(&node.node, compile, move || !cancellation.is_cancelled());
        let (mut to_store, mut refused, mut cycles) = (None, Vec::new(), Cycles::default());
        let mut violations = Vec::new();
        if let Ok(compiled) = &mut outcome.result {
            if options.is_stored {
                let agents = match options.keep_virtual {
                    true => compiled.catalog.clone(),
                    false => compiled.catalog.without_virtual(),
                };
                to_store = Some(std::mem::replace(&mut compiled.catalog, agents));
            }
            if options.validate {
                let resources = site.validate(&node.node, &compiled.catalog);
                refused = resources.into_iter().map(|resource| resource.diagnostic).collect();
                if let Some(record) = &mut outcome.record {
                    site.note_validation(record);
                }
            }
        }
        if let Ok(compiled) = &outcome.result {
            cycles = site.cycles(&node.node, &compiled.catalog);
            violations = site.check_policies(&node.node, &compiled.catalog, &options.policies);
        }
        NodeCompilation { outcome, to_store, refused, violations, cycles }
    }
}

/// The directory of a cache, and the build of the program that writes it: the entries of one build are ignored by another.
#[derive(Clone, Debug)]
pub struct CacheOptions {
    /// The directory.
    pub directory: PathBuf,
    /// The name of the build.
    pub build: String,
}

impl CacheOptions {
    /// Opens the cache of a run of one kind; a cache that cannot be used is reported and taken as empty.
    pub(super) fn open(&self, key: Digest, observer: &dyn Observer) -> Cache {
        let (cache, problem) = Cache::open(&self.directory, key, &self.build);
        if let Some(problem) = problem {
            observer.observe(FleetEvent::CacheFailed(&problem));
        }
        cache
    }
}

/// How a fleet is compiled.
#[derive(Clone, Debug, Default)]
pub struct FleetCompileOptions {
    /// Whether virtual resources that nothing collected stay in catalogs.
    pub keep_virtual: bool,
    /// Whether resources are checked as the agent would check them.
    pub validate: bool,
    /// Whether the time is profiled.
    pub profile: bool,
    /// The policies to check. Catalogs are not cached then, because a cache does not know when a policy changes.
    pub policies: Arc<Policies>,
    /// Whether the run ends at the first node that fails.
    pub fail_fast: bool,
    /// The results that count as failures.
    pub fail_on: FailOn,
    /// Where catalogs are cached; the fleet must record inputs.
    pub cache: Option<CacheOptions>,
    /// An existing directory that each catalog is written to as `NODE.json`.
    pub output: Option<PathBuf>,
    /// Whether the run keeps the catalogs of all nodes in memory.
    pub keep_catalogs: bool,
    /// A token that ends the run.
    pub cancellation: Cancellation,
}

impl FleetCompileOptions {
    fn for_node(&self, is_stored: bool) -> NodeCompileOptions {
        NodeCompileOptions {
            keep_virtual: self.keep_virtual,
            is_stored,
            validate: self.validate,
            provenance: false,
            profile: self.profile,
            policies: Arc::clone(&self.policies),
            cancellation: self.cancellation.clone(),
        }
    }
}

/// The result of compiling a fleet.
#[derive(Debug)]
pub struct FleetRun<M> {
    /// The report of each node, in the order of the sources.
    pub reports: Vec<NodeReport<M>>,
    /// The catalogs of the nodes that compiled, if they were to be kept.
    pub catalogs: BTreeMap<String, Catalog>,
    /// The number of nodes that were not compiled because one had failed or the run was cancelled.
    pub skipped: usize,
    /// The time of all nodes that were compiled, if it was profiled.
    pub profile: FleetProfile,
    /// The exported resources that never settled; then nothing was written or stored.
    pub unsettled: Option<Box<Diagnostic>>,
    /// The reasons that nodes were compiled in spite of a cache.
    pub compiled_because: BTreeMap<String, Reason>,
    /// The problem of a cache that could not be written.
    pub cache_problem: Option<Problem>,
}

impl<M> FleetRun<M> {
    /// Whether a node failed, or exported resources did not settle.
    pub fn has_failures(&self, fail_on: FailOn) -> bool {
        self.unsettled.is_some() || self.reports.iter().any(|report| report.is_failure(fail_on))
    }
}

impl Fleet {
    /// Compiles all selected nodes, on all threads of the global pool.
    pub fn compile<M: NodeMessage>(
        &self,
        options: &FleetCompileOptions,
        observer: &dyn Observer,
    ) -> Result<FleetRun<M>, FleetError> {
        let cache = self.open_cache(options, observer)?;
        self.report_notices(observer);
        Ok(Round::compile(self, options, cache.as_ref(), None, observer)?.finish(self))
    }

    /// The cache that the options name.
    pub(super) fn open_cache(
        &self,
        options: &FleetCompileOptions,
        observer: &dyn Observer,
    ) -> Result<Option<Cache>, Problem> {
        let Some(cache) = options.cache.as_ref().filter(|_| options.policies.is_empty()) else {
            return Ok(None);
        };
        let run = format!("{} {}", options.keep_virtual, options.validate);
        let key = [format!("{:?}", self.site_spec()), self.options().cache_key()?, run];
        Ok(Some(cache.open(Digest::of(key), observer)))
    }
}

/// A compiled node before the results of all nodes are known.
#[derive(Debug)]
struct NodeResult<M> {
    report: NodeReport<M>,
    /// The catalog as a file without its final name.
    file: Option<Pending>,
    /// The catalog, if it is to be kept.
    catalog: Option<Catalog>,
    /// The digest of the cached catalog.
    digest: Option<Digest>,
    to_store: Option<PackedNode>,
}

impl<M> From<NodeReport<M>> for NodeResult<M> {
    fn from(report: NodeReport<M>) -> NodeResult<M> {
        NodeResult { report, file: None, catalog: None, digest: None, to_store: None }
    }
}

/// One run over all nodes whose cache is not saved yet.
pub(super) struct Round<'c, M> {
    pub run: FleetRun<M>,
    cache: Option<RunCache<'c>>,
    duplicates: BTreeMap<String, Problem>,
}

impl<'c, M: NodeMessage> Round<'c, M> {
    pub fn compile(
        fleet: &'c Fleet,
        options: &FleetCompileOptions,
        cache: Option<&'c Cache>,
        secrets: Option<&'c SecretCatalogs>,
        observer: &dyn Observer,
    ) -> Result<Round<'c, M>, FleetError> {
        let cache = cache.map(|cache| RunCache::new(cache, secrets, fleet));
        let (exchange, store) = (fleet.exchange(), fleet.options().store.as_ref());
        let pass = Pass {
            fleet,
            options,
            node_options: options.for_node(store.is_some()),
            cache: cache.as_ref(),
            observer,
            has_failed: AtomicBool::new(false),
            skipped: AtomicUsize::new(0),
            profile: Mutex::default(),
        };
        observer.observe(FleetEvent::Started { sources: fleet.sources().len() });
        let Compilations { mut nodes, sources, unsettled } = match exchange {
            Some(exchange) => pass.compile_until_settled(exchange)?,
            None => {
                let nodes = pass.compile(None)?;
                Compilations { sources: node_sources(&nodes), nodes, unsettled: None }
            }
        };
        observer.observe(FleetEvent::Finished);
        let skipped = pass.skipped.into_inner();
        let profile = pass.profile.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Exported resources of nodes that were skipped are not known.
        let is_settled = unsettled.is_none() && (exchange.is_none() || skipped == 0);
        let pairs = sources.iter().map(|(node, source)| (node.as_str(), source.as_str()));
        let duplicates = duplicate_nodes(pairs);
        let mut catalogs = BTreeMap::new();
        for one in &mut nodes {
            if let Some(problem) = duplicates.get(&one.report.node) {
                *one = NodeResult::from(NodeReport::failed(&one.report.node, &one.report.source, problem));
            }
            catalogs.extend(one.catalog.take().map(|catalog| (one.report.node.clone(), catalog)));
            // Files get their names when all nodes are known to be right.
            let Some(file) = one.file.take().filter(|_| is_settled) else { continue };
            let path = file.path().to_owned();
            file.finish().map_err(|error| Problem::io("write", &path, &error))?;
            if let (Some(cache), Some(digest)) = (&cache, one.digest) {
                cache.note_written(path, digest);
            }
        }
        if let Some(store) = store.filter(|_| is_settled) {
            let passed = nodes.iter().filter(|one| !one.report.is_failure(options.fail_on));
            passed.filter_map(|one| one.to_store.as_ref()).try_for_each(|node| node.store(&**store))?;
        }
        let mut reports: Vec<NodeReport<M>> = nodes.into_iter().map(|one| one.report).collect();
        let selection = &fleet.options().selection;
        if skipped == 0 {
            let problem = Problem::not_found("no facts found for this node");
            let missing = selection.missing(reports.iter().map(|report| report.node.as_str()));
            reports.extend(missing.iter().map(|name| NodeReport::failed(name, "", &problem)));
        }
        selection.require_match(reports.len() + skipped)?;
        let compiled_because = cache.as_ref().map(RunCache::reasons).unwrap_or_default();
        let run = FleetRun {
            reports,
            catalogs,
            skipped,
            profile,
            unsettled,
            compiled_because,
            cache_problem: None,
        };
        Ok(Round { run, cache, duplicates })
    }

    /// The digests of the cached catalogs of all nodes that have one.
    pub fn cached_catalogs(&self) -> BTreeMap<String, Digest> {
        self.cache.as_ref().map(RunCache::catalogs).unwrap_or_default()
    }

    /// Saves the cache.
    pub fn finish(mut self, fleet: &Fleet) -> FleetRun<M> {
        if let Some(cache) = self.cache {
            self.run.cache_problem = cache.save(fleet, &self.duplicates).err();
        }
        self.run
    }
}

/// The nodes of a run, their sources, and the exported resources that never settled.
struct Compilations<M> {
    nodes: Vec<NodeResult<M>>,
    sources: Vec<(String, String)>,
    unsettled: Option<Box<Diagnostic>>,
}

/// A pass over the nodes, as every thread sees it.
struct Pass<'r> {
    fleet: &'r Fleet,
    options: &'r FleetCompileOptions,
    node_options: NodeCompileOptions,
    cache: Option<&'r RunCache<'r>>,
    observer: &'r dyn Observer,
    has_failed: AtomicBool,
    skipped: AtomicUsize,
    profile: Mutex<FleetProfile>,
}

/// The nodes to compile again, and their sources.
struct DueNodes {
    names: BTreeSet<String>,
    sources: BTreeSet<String>,
}

impl Pass<'_> {
    /// Compiles all nodes, or those that are due.
    fn compile<M: NodeMessage>(&self, due: Option<&DueNodes>) -> Result<Vec<NodeResult<M>>, Problem> {
        let sources = self.fleet.sources().par_iter();
        let sources =
            sources.filter(|source| due.is_none_or(|due| due.sources.contains(&source.to_string())));
        sources.flat_map(|source| self.compile_source(source, due)).collect()
    }

    /// Compiles all nodes, and again those that find other exported resources than before, until nothing changes.
    fn compile_until_settled<M: NodeMessage>(&self, exchange: &Exchange) -> Result<Compilations<M>, Problem> {
        let mut sources = Vec::new();
        let settlement = exchange.settle(|due| {
            let due = due.map(|names| {
                let due = sources.iter().filter(|(node, _): &&(String, String)| names.contains(node));
                DueNodes { names: names.clone(), sources: due.map(|(_, source)| source.clone()).collect() }
            });
            let nodes = self.compile(due.as_ref())?;
            if sources.is_empty() {
                sources = node_sources(&nodes);
            }
            let offer = |mut one: NodeResult<M>| ExchangeMember {
                node: one.report.node.clone(),
                exports: one.to_store.as_mut().map(|node| std::mem::take(&mut node.exports)),
                outcome: one,
            };
            Ok::<_, Problem>(nodes.into_iter().map(offer).collect())
        })?;
        let nodes = settlement.outcomes.into_values().collect();
        Ok(Compilations { nodes, sources, unsettled: settlement.unsettled })
    }

    /// The nodes of one source: those that are cached, and those that are compiled.
    fn compile_source<M: NodeMessage>(
        &self,
        source: &NodeSource,
        due: Option<&DueNodes>,
    ) -> Vec<Result<NodeResult<M>, Problem>> {
        if let Some(cache) = self.cache
            && let Some(names) = cache.unchanged(source)
            && let Some(nodes) = self.restore_source::<M>(cache, source, names)
        {
            self.observer.observe(FleetEvent::SourceRead { nodes: nodes.len() });
            nodes.iter().for_each(|one| self.observe_done(&one.report.node));
            return nodes.into_iter().map(Ok).collect();
        }
        let mut read = self.fleet.read(source);
        let (stamp, content) = (read.stamp, read.content.take());
        let members = self.fleet.members_of(source, read);
        if let (Some(cache), Some(content)) = (self.cache, content) {
            let names = members.iter().map(|member| member.name.clone()).collect();
            cache.note_source(source, stamp, &content, names);
        }
        let selection = &self.fleet.options().selection;
        let is_due = |member: &Member| {
            selection.includes(&member.name) && due.is_none_or(|due| due.names.contains(&member.name))
        };
        let members: Vec<Member> = members.into_iter().filter(is_due).collect();
        self.observer.observe(FleetEvent::SourceRead { nodes: members.len() });
        members.into_par_iter().filter_map(|member| self.compile_member(member)).collect()
    }

    /// The nodes of a fact file that has not changed, if all of them are cached.
    fn restore_source<M: NodeMessage>(
        &self,
        cache: &RunCache<'_>,
        source: &NodeSource,
        names: &[String],
    ) -> Option<Vec<NodeResult<M>>> {
        let names = names.iter().filter(|name| self.fleet.options().selection.includes(name));
        names
            .map(|name| {
                let node = self.fleet.without_facts(name).ok()?;
                let cached = cache.find(&node, Facts::Same)?;
                self.restore(cached, name, &source.to_string())
            })
            .collect()
    }

    fn compile_member<M: NodeMessage>(
        &self,
        Member { name, source, node }: Member,
    ) -> Option<Result<NodeResult<M>, Problem>> {
        let is_stopped = self.options.cancellation.is_cancelled()
            || self.options.fail_fast && self.has_failed.load(Ordering::Relaxed);
        if is_stopped {
            self.skipped.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let result = match node {
            Ok(node) => self.compile_node(&source, &node),
            Err(problem) => Ok(NodeReport::failed(&name, &source, &problem).into()),
        };
        // A node that collects may yet succeed, when it finds what others export.
        let is_final = self.fleet.exchange().is_none_or(|exchange| !exchange.collects(&name));
        if is_final
            && result.as_ref().is_ok_and(|one: &NodeResult<M>| one.report.is_failure(self.options.fail_on))
        {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        self.observe_done(&name);
        Some(result)
    }

    fn observe_done(&self, node: &str) {
        self.observer.observe(FleetEvent::NodeDone { node });
    }

    fn compile_node<M: NodeMessage>(&self, source: &str, node: &SiteNode) -> Result<NodeResult<M>, Problem> {
        let name = node.node.name.as_str();
        let cached = self.cache.and_then(|cache| cache.find(node, Facts::Are(&node.node.facts)));
        if let Some(result) = cached.and_then(|cached| self.restore(cached, name, source)) {
            return Ok(result);
        }
        let site = self.fleet.site(node);
        let compilation = NodeCompilation::new(&site, node, &self.node_options);
        let report = NodeReport::of_compilation(name, source, &compilation);
        let mut result = NodeResult::from(report);
        if !result.report.errors.is_empty() {
            return Ok(result);
        }
        let NodeCompilation { outcome: Outcome { result: Ok(compiled), record, .. }, to_store, .. } =
            compilation
        else {
            return Ok(result);
        };
        result.to_store = to_store.map(|catalog| PackedNode::pack(node, &catalog));
        if let Some(profile) = &compiled.profile {
            self.profile.lock().unwrap_or_else(PoisonError::into_inner).add(name, profile);
        }
        if self.options.output.is_some() || self.cache.is_some() {
            let text = compiled.catalog.to_json();
            if let (Some(cache), Some(record)) = (self.cache, &record) {
                result.digest = cache.add(node, record, &result.report, &text, compiled.holds_secret())?;
            }
            result.file = self.write(name, &text)?;
        }
        result.catalog = self.options.keep_catalogs.then_some(compiled.catalog);
        Ok(result)
    }

    /// A cached node, with its catalog where that is needed; `None` if it is gone.
    fn restore<M: NodeMessage>(
        &self,
        cached: CachedNode<'_>,
        name: &str,
        source: &str,
    ) -> Option<NodeResult<M>> {
        let reason = cached.reason();
        let mut result = NodeResult::from(cached.report(name, source)?);
        result.digest = Some(cached.digest);
        self.cache.inspect(|cache| cache.note_catalog(name, cached.digest));
        let needs_file = self
            .options
            .output
            .as_ref()
            .is_some_and(|output| !cached.is_written_to(&catalog_path(output, name)));
        if needs_file || self.options.keep_catalogs {
            let restored = cached.catalog().and_then(|text| {
                if self.options.keep_catalogs {
                    result.catalog = Some(Catalog::from_json(text.as_bytes()).ok()?);
                }
                if needs_file {
                    result.file = self.write(name, &text).ok()?;
                }
                Some(result)
            });
            if restored.is_none() {
                self.cache.inspect(|cache| cache.note_unusable(name, reason));
            }
            return restored;
        }
        Some(result)
    }

    /// Writes a catalog to a file without its final name, if it is to be one.
    fn write(&self, node: &str, text: &str) -> Result<Option<Pending>, Problem> {
        let write = |directory: &PathBuf| {
            let path = catalog_path(directory, node);
            Pending::write(&path, text.as_bytes(), Audience::Anyone)
                .map_err(|error| Problem::io("write", &path, &error))
        };
        self.options.output.as_ref().map(write).transpose()
    }
}

fn node_sources<M>(nodes: &[NodeResult<M>]) -> Vec<(String, String)> {
    nodes.iter().map(|one| (one.report.node.clone(), one.report.source.clone())).collect()
}

/// The file that the catalog of a node is written to.
fn catalog_path(directory: &Path, node: &str) -> PathBuf {
    directory.join(format!("{node}.json"))
}
