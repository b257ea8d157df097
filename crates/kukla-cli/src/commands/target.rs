//! The options that `compile`, `lookup` and similar commands share: environment, node, facts, settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::facts::FactFile;
use kukla::fleet::{Classifier, Control, FleetCompiler, FleetOptions, FleetSetup, SiteNode};
use kukla::syntax::{Problem, Strict};
use kukla::values::Hash;
use kukla::{Compiler, DiskWorld};

use super::fleet::StoreAdapter;
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
    /// File with facts as Facter, an agent or PuppetDB writes them (JSON or YAML), or directory with one file for each node
    /// [default: the directory `facts` of the control repository, if it exists]
    #[arg(long, short, value_name = "FILE")]
    facts: Option<PathBuf>,
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

    /// The options of a fleet whose control repository is on the disk.
    pub fn options(&self, path: &Path) -> Result<FleetOptions, Problem> {
        self.options_in(Control {
            path: path.to_owned(),
            repository: Arc::new(DiskWorld::default()),
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
        Ok(FleetOptions {
            node: self.node.clone(),
            facts: self.facts.clone(),
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

    /// The node that the options choose, and its compiler.
    pub fn open(&self, path: &Path) -> Result<NodeTarget, Problem> {
        self.open_reading(path, None)
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
    }
    Ok(chosen.node)
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
