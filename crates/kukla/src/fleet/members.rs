//! The nodes of a fleet: their sources, and the sites they belong to, each opened once.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kukla_catalog::Exports;
use kukla_eval::error::Diagnostic;
use kukla_syntax::{Problem, ProblemKind};
use kukla_world::record::Recorded;
use kukla_world::{Stamp, World};

use super::node::SiteNode;
use super::options::FleetOptions;
use super::progress::{FleetEvent, Observer};
use super::setup::FleetSetup;
use super::source::{NodeSource, sources_with_facts};
use super::store::{NodeStore, stored_facts};
use crate::caught::caught;
use crate::certname;
use crate::compiler::Compiler;
use crate::exchange::Exchange;
use crate::exports::CatalogExports;
use crate::facts::FactFile;
use crate::problems::cannot_read;
use crate::site::Site;
use crate::spec::SiteSpec;

/// All nodes of a control repository. Their facts are read when they are compiled, so a large fleet needs no more memory than a small one.
#[derive(Debug)]
pub struct Fleet {
    setup: FleetSetup,
    compiler: FleetCompiler,
    facts_world: Arc<dyn World>,
    /// Fact files, nodes of a store or named nodes, in the order of the results.
    sources: Vec<NodeSource>,
    /// By the name of the environment, in which alone the sites of a fleet differ.
    sites: Mutex<BTreeMap<String, SiteOnce>>,
    /// Remarks about the nodes and their facts.
    pub(super) notices: Vec<Problem>,
}

/// A site that is opened by the first thread that needs it, while others wait for it alone.
type SiteOnce = Arc<OnceLock<Result<Arc<Site>, Box<Diagnostic>>>>;

/// The compiler of a fleet, and the exchange of exported resources between its nodes.
#[derive(Clone, Debug)]
pub struct FleetCompiler {
    /// The compiler.
    pub compiler: Arc<Compiler>,
    /// The exported resources of the nodes, if they collect from each other.
    pub exchange: Option<Arc<Exchange>>,
}

impl FleetCompiler {
    /// The compiler that options describe.
    pub fn new(options: &FleetOptions) -> Result<FleetCompiler, Problem> {
        FleetCompiler::sharing(options, None)
    }

    /// The same, with the programs of another compiler: files that both read are parsed once.
    pub(super) fn sharing(
        options: &FleetOptions,
        other: Option<&Compiler>,
    ) -> Result<FleetCompiler, Problem> {
        let world: Arc<dyn World> = match options.record_inputs {
            true => Arc::new(Recorded::new(Arc::clone(&options.control.repository))),
            false => Arc::clone(&options.control.repository),
        };
        let others: Option<Arc<dyn Exports>> = match (&options.store, &options.exported) {
            (Some(store), _) => Some(store.exports()),
            (None, Some(path)) => Some(Arc::new(CatalogExports::read(&*world, path)?)),
            (None, None) => None,
        };
        let mut compiler = Compiler::over(world).with_policy(options.policy.clone());
        if let Some(other) = other {
            compiler = compiler.sharing(other);
        }
        if options.exchanges {
            let exchange = Arc::new(Exchange::new(others));
            let compiler = compiler.with_exports(Arc::clone(&exchange) as Arc<dyn Exports>);
            return Ok(FleetCompiler { compiler: Arc::new(compiler), exchange: Some(exchange) });
        }
        let compiler = match others {
            Some(exports) => compiler.with_exports(exports),
            None => compiler,
        };
        Ok(FleetCompiler { compiler: Arc::new(compiler), exchange: None })
    }
}

/// The facts that were read from a source.
#[derive(Debug)]
pub(super) struct SourceFacts {
    /// The stamp of the file before it was read.
    pub stamp: Option<Stamp>,
    /// Its contents.
    pub content: Option<Vec<u8>>,
    /// The store that has the facts, if it is not a file.
    store: Option<Arc<dyn NodeStore>>,
    facts: Result<Vec<FactFile>, Problem>,
}

/// A node of a fleet.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The fact file or node definition that it comes from.
    pub source: String,
    /// The node and its site, or the reason that it has none.
    pub node: Result<SiteNode, Problem>,
}

/// The reason that a fleet cannot be compiled or compared.
#[derive(Debug)]
pub enum FleetError {
    /// The options, a file or a setting are at fault.
    Problem(Problem),
    /// The site manifest, whose node definitions name the nodes, is at fault.
    Manifest(Box<Diagnostic>),
    /// The run was cancelled before it had a result.
    Cancelled,
}

impl From<Problem> for FleetError {
    fn from(problem: Problem) -> FleetError {
        FleetError::Problem(problem)
    }
}

impl fmt::Display for FleetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FleetError::Problem(problem) => write!(f, "{problem}"),
            FleetError::Manifest(failure) => write!(f, "{failure}"),
            FleetError::Cancelled => f.write_str("the run was cancelled"),
        }
    }
}

impl std::error::Error for FleetError {}

impl Fleet {
    /// Opens the fleet that options describe: the nodes there are facts of, in files or in a store, else those that node definitions
    /// name. Without facts, the names of the selection are enough.
    pub fn open(options: &FleetOptions) -> Result<Fleet, FleetError> {
        Fleet::with_compiler(options, &FleetCompiler::new(options)?)
    }

    /// The same, with a compiler that knows sites from an earlier run.
    pub fn with_compiler(options: &FleetOptions, compiler: &FleetCompiler) -> Result<Fleet, FleetError> {
        let setup = FleetSetup::read(options)?;
        let facts_world = Arc::clone(options.facts_world());
        let with_facts = sources_with_facts(options, &*facts_world)?;
        let mut fleet = Fleet {
            setup,
            compiler: compiler.clone(),
            facts_world,
            sources: Vec::new(),
            sites: Mutex::default(),
            notices: Vec::new(),
        };
        fleet.sources = match with_facts {
            Some(sources) => sources,
            None => {
                let names = match &options.selection.names {
                    Some(names) => names.iter().cloned().collect(),
                    None => fleet.names_without_facts()?,
                };
                let names = names.into_iter().filter(|name| options.selection.includes(name));
                names.map(NodeSource::Name).collect()
            }
        };
        let notice = fleet.notice_of_missing_facts();
        fleet.notices.splice(0..0, notice);
        Ok(fleet)
    }

    /// The options of the fleet.
    pub fn options(&self) -> &FleetOptions {
        self.setup.options()
    }

    /// The settings that all nodes share.
    pub(super) fn setup(&self) -> &FleetSetup {
        &self.setup
    }

    /// Reports the remarks about the nodes and their facts.
    pub(super) fn report_notices(&self, observer: &dyn Observer) {
        self.notices.iter().for_each(|notice| observer.observe(FleetEvent::Notice(notice)));
    }

    /// The compiler.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler.compiler
    }

    /// The exchange of exported resources, if nodes collect from each other.
    pub(super) fn exchange(&self) -> Option<&Arc<Exchange>> {
        self.compiler.exchange.as_ref()
    }

    /// The sources of nodes, in the order of the results.
    pub fn sources(&self) -> &[NodeSource] {
        &self.sources
    }

    /// The site of every node, apart from the environment that a classifier assigns.
    pub fn site_spec(&self) -> &SiteSpec {
        self.setup.site()
    }

    /// The sites that were opened so far.
    pub fn opened_sites(&self) -> Vec<Arc<Site>> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        sites.values().filter_map(|site| site.get()?.as_ref().ok().cloned()).collect()
    }

    /// A node without its facts.
    pub(super) fn without_facts(&self, name: &str) -> Result<SiteNode, Problem> {
        self.setup.assign(FactFile { node: Some(name.to_owned()), ..FactFile::default() })
    }

    /// Reads the facts of a source; nodes that are only named have none.
    pub(super) fn read(&self, source: &NodeSource) -> SourceFacts {
        self.read_beside(source, None)
    }

    /// Reads the facts of a source on one side of a comparison; those of the other side are reused if the file or the store is the same.
    pub(super) fn read_beside(&self, source: &NodeSource, other: Option<&SourceFacts>) -> SourceFacts {
        match source {
            NodeSource::Name(name) => {
                let of_set = self.options().fact_sets.facts(name);
                let facts =
                    of_set.unwrap_or_else(|| FactFile { node: Some(name.clone()), ..FactFile::default() });
                SourceFacts { stamp: None, content: None, store: None, facts: Ok(vec![facts]) }
            }
            NodeSource::Store { store, node } => {
                let facts = match other {
                    // The facts may have changed in between, and that is not a difference of the sides.
                    Some(SourceFacts { store: Some(other), facts: Ok(facts), .. })
                        if Arc::ptr_eq(store, other) =>
                    {
                        Ok(facts.clone())
                    }
                    _ => stored_facts(&**store, node).map(|facts| vec![facts]),
                };
                SourceFacts { stamp: None, content: None, store: Some(Arc::clone(store)), facts }
            }
            NodeSource::File(file) => {
                // The stamp is taken before the file is read, so that a write in between counts as a change.
                let stamp = self.compiler().world().stamp(file);
                let mut content = None;
                let read = || {
                    let bytes = self.facts_world.read(file).map_err(|error| cannot_read(file, &error))?;
                    let facts = match other {
                        Some(SourceFacts { content: Some(text), facts: Ok(facts), .. }) if *text == bytes => {
                            Ok(facts.clone())
                        }
                        _ => FactFile::parse(&bytes, &file.display().to_string()),
                    };
                    content = Some(bytes);
                    facts
                };
                let facts = caught(read).unwrap_or_else(|failure| Err(failure.into()));
                SourceFacts { stamp, content, store: None, facts }
            }
        }
    }

    /// The nodes of one source.
    pub(super) fn members_of(&self, source: &NodeSource, read: SourceFacts) -> Vec<Member> {
        let source_name = source.to_string();
        // A file that does not name its node is named after it.
        let own_name = || match source {
            NodeSource::Store { node: name, .. } | NodeSource::Name(name) => Some(name.clone()),
            NodeSource::File(file) => file.file_stem().map(|stem| stem.to_string_lossy().into_owned()),
        };
        match read.facts {
            Ok(nodes) => {
                let member = |mut facts: FactFile| {
                    if facts.node_name().is_none() {
                        facts.node = own_name();
                    }
                    let mut name = facts.node_name().unwrap_or_default().to_owned();
                    // An invalid name is not shown as one.
                    if certname::check(&name).is_err() {
                        name = own_name().unwrap_or_default();
                    }
                    let node = match source {
                        NodeSource::Store { .. } => self.setup.assign_stored(facts),
                        NodeSource::File(_) | NodeSource::Name(_) => self.setup.assign(facts),
                    };
                    Member { name, source: source_name.clone(), node }
                };
                nodes.into_iter().map(member).collect()
            }
            // A file that cannot be read fails one node, not the run.
            Err(problem) => {
                vec![Member { name: own_name().unwrap_or_default(), source: source_name, node: Err(problem) }]
            }
        }
    }

    /// All selected nodes, one after the other.
    pub fn members(&self) -> impl Iterator<Item = Member> {
        let members = self.sources.iter().flat_map(|source| self.members_of(source, self.read(source)));
        members.filter(|member| self.options().selection.includes(&member.name))
    }

    /// The site of a node, opened when the first node needs it.
    pub fn site(&self, node: &SiteNode) -> Result<Arc<Site>, Box<Diagnostic>> {
        let site = {
            let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(sites.entry(node.site.environment.clone()).or_default())
        };
        site.get_or_init(|| self.compiler().open(&node.site)).clone()
    }
}

/// The nodes that come from several sources, each with the problem of that.
pub fn duplicate_nodes<'n>(nodes: impl Iterator<Item = (&'n str, &'n str)>) -> BTreeMap<String, Problem> {
    let mut sources = BTreeMap::<&str, Vec<&str>>::new();
    for (node, source) in nodes {
        sources.entry(node).or_default().push(source);
    }
    sources.retain(|_, sources| sources.len() > 1);
    let problem = |(node, sources): (&str, Vec<&str>)| {
        let problem = Problem::new(ProblemKind::Conflict, "several nodes have this name")
            .because(format!("in {}", sources.join(" and in ")));
        (node.to_owned(), problem)
    };
    sources.into_iter().map(problem).collect()
}
