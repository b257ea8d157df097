//! The options of a fleet: its control repository, its nodes, its settings and what its code may reach.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_eval::settings::Settings;
use kukla_syntax::{Problem, Strict};
use kukla_values::Hash;
use kukla_world::policy::{Access, Randomness, Writes};
use kukla_world::{Policy, World, is_directory};

use super::fact_sets::FactSets;
use super::node::Classifier;
use super::selection::NodeSelection;
use super::store::NodeStore;
use crate::disk::DiskWorld;
use crate::exports::CatalogExports;
use crate::facts::FactFile;
use crate::problems::{cannot_read, missing};
use crate::puppet_conf::PuppetConf;
use crate::spec::SiteSpec;

/// A control repository: its directory, and the worlds that its files and other files are read from.
#[derive(Clone, Debug)]
pub struct Control {
    /// Its directory, or a manifest.
    pub path: PathBuf,
    /// The world that its own files are read from: the disk, memory, or a revision.
    pub repository: Arc<dyn World>,
    /// The world that all other files are read from, such as facts that options name.
    pub files: Arc<dyn World>,
    /// Whether the repository is read at a revision, so that its files are not those of `files`.
    pub is_revision: bool,
}

/// The options of a fleet, or of one node of it.
#[derive(Clone, Debug)]
pub struct FleetOptions {
    /// The control repository.
    pub control: Control,
    /// The name of the one node to compile; by default the name in its facts.
    pub node: Option<String>,
    /// The nodes of the fleet to compile; by default all.
    pub selection: NodeSelection,
    /// A file or a directory with facts; by default the directory `facts` of the control repository, if it exists.
    pub facts: Option<PathBuf>,
    /// The store that has the nodes and their facts, in place of files with facts.
    pub facts_store: Option<Arc<dyn NodeStore>>,
    /// Fact sets, in place of fact files or for nodes that have none.
    pub fact_sets: FactSets,
    /// Names of nodes to compile besides those with facts or in node definitions, such as ones that regular expressions match.
    pub samples: Vec<String>,
    /// The directory of environments, in place of the control repository.
    pub environmentpath: Option<PathBuf>,
    /// The environment's name, which overrides that of a classifier.
    pub environment: Option<String>,
    /// The `puppet.conf` to read settings from; by default that of the control repository, if it exists.
    pub puppet_conf: Option<PathBuf>,
    /// Directories of modules; by default those of `environment.conf`.
    pub modulepath: Option<Vec<PathBuf>>,
    /// The global layer's `hiera.yaml`.
    pub hiera_config: Option<PathBuf>,
    /// Puppet's setting `strict`.
    pub strict: Option<Strict>,
    /// Other settings of Puppet, by name.
    pub settings: Vec<(String, String)>,
    /// A directory with replacements for functions and templates that cannot run.
    pub overrides: Option<PathBuf>,
    /// Puppet code to use as the site manifest.
    pub code: Option<String>,
    /// The node classifier; by default that of `puppet.conf`, as far as the policy allows it to run.
    pub classifier: Option<Classifier>,
    /// Trusted data that every node has besides its name.
    pub trusted: Hash,
    /// Facts that the server adds.
    pub server_facts: Hash,
    /// Catalogs of other nodes, a file or a directory, whose exported resources can be collected.
    pub exported: Option<PathBuf>,
    /// The store that has the exported resources of other nodes and receives catalogs.
    pub store: Option<Arc<dyn NodeStore>>,
    /// Whether the nodes collect what the other nodes of the fleet export.
    pub exchanges: bool,
    /// The effects that code may have.
    pub policy: Policy,
    /// Whether the inputs of each catalog are recorded, which a cache requires.
    pub record_inputs: bool,
}

/// The files and directories that show that a directory holds Puppet code.
pub(super) const CODE_FILES: [&str; 4] = ["environment.conf", "manifests", "modules", "hiera.yaml"];

impl Control {
    /// A control repository all of whose files are in one world.
    pub fn new(path: impl Into<PathBuf>, world: Arc<dyn World>) -> Control {
        Control { path: path.into(), repository: Arc::clone(&world), files: world, is_revision: false }
    }

    pub(super) fn has_file(&self, path: &Path) -> bool {
        is_file(&*self.repository, path)
    }

    pub(super) fn has_directory(&self, path: &Path) -> bool {
        holds_directory(&*self.repository, path)
    }

    /// The absolute path of something in the repository's world.
    pub(super) fn resolve(&self, path: &Path) -> Result<PathBuf, Problem> {
        let real = self.repository.resolve(path);
        if self.repository.exists(&real) || real == Path::new("/") {
            return Ok(real);
        }
        if self.is_revision {
            return Err(Problem::not_found("cannot find")
                .on(path.display())
                .because("it is not in this revision"));
        }
        Err(missing(&*self.repository, path))
    }
}

/// Whether there is a directory at a path. One with entries need not be readable through its parent.
pub(super) fn holds_directory(world: &dyn World, path: &Path) -> bool {
    !world.list(path).is_empty() || is_directory(world, path) && world.exists(path)
}

fn is_file(world: &dyn World, path: &Path) -> bool {
    world.exists(path) && world.list(path).is_empty()
}

impl FleetOptions {
    /// The options of the control repository in a directory on the disk.
    pub fn at(path: impl Into<PathBuf>) -> FleetOptions {
        FleetOptions::in_world(path, Arc::new(DiskWorld::default()))
    }

    /// The options of the control repository in a directory of a world.
    pub fn in_world(path: impl Into<PathBuf>, world: Arc<dyn World>) -> FleetOptions {
        FleetOptions::of(Control::new(path, world))
    }

    /// The options of a control repository, all others at their defaults.
    pub fn of(control: Control) -> FleetOptions {
        FleetOptions {
            control,
            node: None,
            selection: NodeSelection::default(),
            facts: None,
            facts_store: None,
            fact_sets: FactSets::default(),
            samples: Vec::new(),
            environmentpath: None,
            environment: None,
            puppet_conf: None,
            modulepath: None,
            hiera_config: None,
            strict: None,
            settings: Vec::new(),
            overrides: None,
            code: None,
            classifier: None,
            trusted: Hash::new(),
            server_facts: Hash::new(),
            exported: None,
            store: None,
            exchanges: false,
            policy: Policy::default(),
            record_inputs: false,
        }
    }

    /// The key of the catalogs that these options lead to in a cache, apart from the site, the node and recorded inputs. It is a
    /// problem if the options let code have inputs that cannot be recorded.
    pub fn cache_key(&self) -> Result<String, Problem> {
        let refused = |because: &str| {
            Problem::invalid("catalogs cannot be cached").because(because).help("compile without a cache")
        };
        if self.policy.network == Access::On || self.policy.randomness == Randomness::On {
            return Err(refused("code may use the network or random numbers, which are different each time"));
        }
        if !matches!(self.policy.writes, Writes::Off | Writes::Scratch) {
            return Err(refused("code may change files, which a cached catalog would leave out"));
        }
        if self.policy.ruby.is_some() {
            return Err(refused("the inputs of code that runs in another Ruby are not recorded"));
        }
        if self.store.is_some() {
            return Err(refused("the exported resources of a store can change at any time"));
        }
        let digest = |path: &PathBuf| CatalogExports::digest(&*self.control.files, path);
        let exported = self.exported.as_ref().map(digest).transpose()?;
        // The time at which the command started is an input like any other, recorded where it is used.
        let policy = Policy { started: None, ..self.policy.clone() };
        Ok(format!("{policy:?} {exported:?}"))
    }

    /// The file or directory with the facts of all nodes.
    pub fn facts_path(&self) -> PathBuf {
        self.facts.clone().unwrap_or_else(|| self.control.path.join("facts"))
    }

    /// The world that facts are read from: the repository's own if the options name no others.
    pub(super) fn facts_world(&self) -> &Arc<dyn World> {
        let is_own = self.facts.is_none() && self.control.has_directory(&self.facts_path());
        if is_own { &self.control.repository } else { &self.control.files }
    }

    /// The facts of the one node that these options are about; none if there is no such file.
    pub(super) fn node_facts(&self) -> Result<Option<FactFile>, Problem> {
        if let Some(set) = self.fact_sets.all {
            let name = self.node.clone().unwrap_or_else(|| set.default_node());
            return Ok(self.fact_sets.facts(&name));
        }
        let own = self.own_node_facts()?;
        Ok(own.or_else(|| self.fact_sets.facts(self.node.as_deref()?)))
    }

    /// The facts of the one node in a file; none if there is no such file.
    fn own_node_facts(&self) -> Result<Option<FactFile>, Problem> {
        let world = &**self.facts_world();
        let path = self.facts_path();
        let (file, bytes) = match (&self.facts, world.read(&path)) {
            (Some(_), Ok(bytes)) => (path, bytes),
            (Some(_), Err(_)) if !holds_directory(world, &path) => {
                return Err(missing(world, &path));
            }
            _ => match self.fact_file(world, &path)? {
                Some(file) => {
                    let bytes = world.read(&file).map_err(|error| cannot_read(&file, &error))?;
                    (file, bytes)
                }
                None => return Ok(None),
            },
        };
        let mut nodes = FactFile::parse(&bytes, &file.display().to_string())?;
        if nodes.len() > 1 {
            let Some(node) = &self.node else {
                let count = nodes.len();
                return Err(Problem::invalid("cannot choose a node")
                    .because(format!("{} has facts of {count} nodes", file.display()))
                    .help("choose one with --node"));
            };
            nodes.retain(|facts| facts.node_name() == Some(node));
            if nodes.is_empty() {
                return Err(no_facts(node, &file));
            }
        }
        Ok(Some(nodes.into_iter().next().unwrap_or_default()))
    }

    /// The file with the facts of the node in a directory of fact files.
    fn fact_file(&self, world: &dyn World, directory: &Path) -> Result<Option<PathBuf>, Problem> {
        let own = self.node.as_ref().and_then(|node| {
            let candidates =
                ["json", "yaml", "yml"].map(|extension| directory.join(format!("{node}.{extension}")));
            candidates.into_iter().find(|file| is_file(world, file))
        });
        match (&own, &self.facts, &self.node) {
            (None, Some(_), Some(node)) => Err(no_facts(node, directory)),
            (None, Some(_), None) => Err(Problem::invalid("cannot choose a node")
                .because(format!("{} is a directory with facts of several nodes", directory.display()))
                .help("choose one with --node")),
            _ => Ok(own),
        }
    }

    /// The server's settings: those of the file that the options name, else of one in the control repository.
    pub(super) fn read_puppet_conf(&self) -> Result<Option<PuppetConf>, Problem> {
        let file = match &self.puppet_conf {
            Some(file) => file.clone(),
            None => self.control.path.join("puppet.conf"),
        };
        if self.puppet_conf.is_none() && !self.control.has_file(&file) {
            return Ok(None);
        }
        PuppetConf::read(&*self.control.repository, &self.control.resolve(&file)?).map(Some)
    }

    /// Applies the settings that the options name.
    pub(super) fn apply_settings(&self, site: &mut SiteSpec) -> Result<(), Problem> {
        if self.exported.is_some() || self.store.is_some() {
            site.settings.set("storeconfigs", true.into())?;
        }
        if let Some(strict) = self.strict {
            site.settings.strict = strict;
        }
        site.settings.overrides.clone_from(&self.overrides);
        for (name, value) in &self.settings {
            if !Settings::is_known(name) {
                return Err(Problem::not_found("unknown setting").on(format!("'{name}'")));
            }
            if name == "basemodulepath" {
                site.basemodulepath.clone_from(value);
            }
            site.settings.set(name, value.as_str().into())?;
        }
        Ok(())
    }
}

fn no_facts(node: &str, path: &Path) -> Problem {
    Problem::not_found("no facts of").on(node).because(format!("they are not in {}", path.display()))
}
