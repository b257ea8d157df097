//! The options that `compile`, `lookup` and similar commands share: environment, node, facts, settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::facts::FactFile;
use kukla::facts::machine::{self, FactSet, Sources};
use kukla::fleet::{
    Classifier, Control, FACTS_HELP, FactSets, FleetCompiler, FleetOptions, FleetSetup, SiteNode,
};
use kukla::syntax::{Problem, Strict};
use kukla::values::Hash;
use kukla::{Compiler, DiskWorld};

use super::fleet::StoreAdapter;
use super::locked_modules;
use super::options::{ExcerptOptions, split_assignment};
use super::policy::PolicyOptions;
use super::stores::StoreOptions;
use crate::files;
use crate::output::errln;

/// The environment and the node to compile. Each command has its own option for the control repository.
#[derive(Clone, Debug, clap::Args)]
pub struct Target {
    /// Name of the node [default: the name in its facts]
    #[arg(long, short, value_name = "NAME")]
    node: Option<String>,
    /// File with facts as Facter, an agent or PuppetDB writes them (JSON or YAML), directory with one file for each node, or name of a
    /// fact set, such as `debian-12` (see `kukla facts list`); `this-machine` is the set of the system that Kukla runs on
    /// [default: the directory `facts` of the control repository, if it exists]
    #[arg(long, short, value_name = "FILE|SET")]
    facts: Option<PathBuf>,
    /// Use a fact set for nodes without facts whose name matches GLOB; can be repeated, the first match counts
    #[arg(long, value_name = "GLOB=SET")]
    node_facts: Vec<String>,
    /// With --all and in comparisons: also compile nodes of these names, which regular expressions in node definitions match
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    samples: Vec<String>,
    /// Directory of environments, in place of PATH
    #[arg(long, value_name = "DIR")]
    environmentpath: Option<PathBuf>,
    /// Name of the environment
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// Directory of a server's puppet.conf to read settings from [default: PATH, if it has one]
    #[arg(long, value_name = "DIR", conflicts_with = "config")]
    confdir: Option<PathBuf>,
    /// The puppet.conf to read settings from
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directories of modules, separated by colons [default: those of environment.conf]
    #[arg(long, value_name = "DIR:DIR", value_delimiter = ':')]
    modulepath: Option<Vec<PathBuf>>,
    /// The hiera.yaml of the global layer
    #[arg(long, value_name = "FILE")]
    hiera_config: Option<PathBuf>,
    /// Puppet's setting `strict`, for questionable code: off, warning, error
    #[arg(long, value_name = "LEVEL")]
    strict: Option<Strict>,
    /// Set another of Puppet's settings, such as `strict_variables=false`; can be repeated
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    settings: Vec<String>,
    /// Abort evaluation after SECONDS (checked periodically) [default: no limit]
    #[arg(long, value_name = "SECONDS")]
    deadline: Option<String>,
    /// Directory with replacements for functions and templates of modules that cannot run here: functions/NAME.pp,
    /// functions/NAME.json, templates/MODULE/NAME
    #[arg(long, value_name = "DIR")]
    overrides: Option<PathBuf>,
    /// Use CODE as the site manifest
    #[arg(long, short = 'e', value_name = "CODE")]
    execute: Option<String>,
    /// External node classifier: a command that gets the node's name and prints its classes
    #[arg(long, value_name = "COMMAND")]
    enc: Option<String>,
    /// File with the output of a node classifier
    #[arg(long, value_name = "FILE", conflicts_with = "enc")]
    classification: Option<PathBuf>,
    /// File with trusted data of the node, such as the extensions of its certificate (JSON or YAML)
    #[arg(long, value_name = "FILE")]
    trusted: Option<PathBuf>,
    /// File with facts that the server adds (JSON or YAML)
    #[arg(long, value_name = "FILE")]
    server_facts: Option<PathBuf>,
    /// Catalogs of other nodes, a file or a directory, whose exported resources can be collected
    #[arg(long, value_name = "PATH", conflicts_with = "store")]
    exported: Option<PathBuf>,
    #[command(flatten)]
    excerpts: ExcerptOptions,
    #[command(flatten)]
    store: StoreOptions,
    #[command(flatten)]
    access: PolicyOptions,
}

/// A node with the compiler of its control repository.
pub struct NodeTarget {
    /// The compiler.
    pub compiler: Arc<Compiler>,
    /// The node and its site.
    pub node: SiteNode,
}

impl Target {
    /// The same options with other facts, another environment and more settings.
    pub fn with(&self, facts: &Option<PathBuf>, environment: &Option<String>, settings: &[String]) -> Target {
        let mut target = self.clone();
        target.facts = facts.clone().or(target.facts);
        target.environment = environment.clone().or(target.environment);
        target.settings.extend_from_slice(settings);
        target
    }

    /// The same options with another node.
    pub fn with_node(&self, name: &str) -> Target {
        Target { node: Some(name.to_owned()), ..self.clone() }
    }

    /// The options of a fleet whose control repository is on the disk.
    pub fn options(&self, path: &Path) -> Result<FleetOptions, Problem> {
        let (repository, _) = locked_modules::install(Arc::new(DiskWorld::default()), path, false, None)?;
        self.options_in(Control {
            path: path.to_owned(),
            repository,
            files: Arc::new(files::named_files()),
            is_revision: false,
        })
    }

    /// The options of a fleet.
    pub fn options_in(&self, control: Control) -> Result<FleetOptions, Problem> {
        self.excerpts.apply();
        let settings = self.deadline.iter().map(|seconds| Ok(("deadline".to_owned(), seconds.clone())));
        let puppet_conf = self.confdir.as_ref().map(|directory| directory.join("puppet.conf"));
        let enc = self.enc.clone().map(Classifier::Command);
        let classification = self.classification.clone().map(Classifier::File);
        let mut fact_sets = FactSets { all: self.fact_set()?, ..FactSets::default() };
        for text in &self.node_facts {
            let (pattern, set) = split_assignment("--node-facts", text)?;
            fact_sets.add(pattern, set)?;
        }
        for name in &self.samples {
            kukla::certname::check(name).map_err(|wrong| Problem::from(wrong).on("--samples"))?;
        }
        Ok(FleetOptions {
            node: self.node.clone(),
            facts: self.facts.clone().filter(|_| fact_sets.all.is_none()),
            fact_sets,
            samples: self.samples.clone(),
            environmentpath: self.environmentpath.clone(),
            environment: self.environment.clone(),
            puppet_conf: self.config.clone().or(puppet_conf),
            modulepath: self.modulepath.clone(),
            hiera_config: self.hiera_config.clone(),
            strict: self.strict,
            settings: settings
                .chain(self.settings.iter().map(|text| setting(text)))
                .collect::<Result<_, Problem>>()?,
            overrides: self.overrides.clone(),
            code: self.execute.clone(),
            classifier: enc.or(classification),
            trusted: read_hash(self.trusted.as_deref())?,
            server_facts: read_hash(self.server_facts.as_deref())?,
            exported: self.exported.clone(),
            store: StoreAdapter::open(&self.store)?,
            policy: self.access.policy(),
            ..FleetOptions::of(control)
        })
    }

    /// The fact set that --facts names; none if it names a file.
    fn fact_set(&self) -> Result<Option<FactSet>, Problem> {
        let Some(path) = self.facts.as_deref().filter(|path| !path.exists()) else { return Ok(None) };
        let Some(name) = path.to_str() else { return Ok(None) };
        if name == "this-machine" {
            return set_of_this_machine().map(Some);
        }
        // Names of sets have neither directories nor the endings of files.
        let is_file = name.contains('/') || [".json", ".yaml", ".yml"].iter().any(|end| name.ends_with(end));
        match FactSet::named(name) {
            Some(set) => Ok(Some(set)),
            None if is_file || FactSet::nearest(name).is_none() => Ok(None),
            None => FactSet::require(name).map(Some),
        }
    }

    /// The node that the options choose, and its compiler, for code that takes the place of the site manifest.
    pub fn open(&self, path: &Path) -> Result<NodeTarget, Problem> {
        let execute = self.execute.clone().or_else(|| Some(String::new()));
        Target { execute, ..self.clone() }.open_reading(path, None)
    }

    /// The same, for code in a file that is named besides.
    pub fn open_reading(&self, path: &Path, named: Option<PathBuf>) -> Result<NodeTarget, Problem> {
        let mut options = self.options(path)?;
        options.policy.files.also.extend(named);
        let node = FleetSetup::read(&options)?.choose()?.node;
        Ok(NodeTarget { compiler: FleetCompiler::new(&options)?.compiler, node })
    }

    /// Whether the options give a site manifest as code.
    pub fn has_code(&self) -> bool {
        self.execute.is_some()
    }

    /// It is a problem if the options give code where it has no use.
    pub fn refuse_code(&self, why: &str) -> Result<(), Problem> {
        match self.execute {
            Some(_) => Err(Problem::invalid("-e gives a site manifest, which has no use here").because(why)),
            None => Ok(()),
        }
    }
}

/// The node that options choose in a control repository with code or data. A node without facts is reported.
pub fn choose_with_code(options: &FleetOptions) -> Result<SiteNode, Problem> {
    let chosen = FleetSetup::read(options)?.choose_with_code()?;
    if let Some(path) = &chosen.without_facts {
        let name = &chosen.node.node.name;
        errln!("kukla: no facts found for '{name}' in {}; compiling without facts", path.display());
        errln!("  help: {FACTS_HELP}");
    }
    Ok(chosen.node)
}

fn set_of_this_machine() -> Result<FactSet, Problem> {
    let world = DiskWorld::default();
    let facts = machine::gather(&world, &world, &Sources::default()).facts;
    FactSet::like(&facts).ok_or_else(|| {
        Problem::not_found("no fact set is like this machine")
            .help("choose one of `kukla facts list`, or write its facts with `kukla facts --format json`")
    })
}

fn setting(text: &str) -> Result<(String, String), Problem> {
    let (name, value) = split_assignment("--set", text)?;
    Ok((name.to_owned(), value.to_owned()))
}

fn read_hash(path: Option<&Path>) -> Result<Hash, Problem> {
    let Some(path) = path else { return Ok(Hash::new()) };
    let bytes = files::read_bytes(path)?;
    let read = FactFile::parse(&bytes, &path.display().to_string())?;
    Ok(read.into_iter().next().unwrap_or_default().facts)
}
