//! The settings that all nodes of a fleet share, read once from the control repository.

use std::path::{Path, PathBuf};

use kukla_eval::environment::OwnModule;
use kukla_syntax::Problem;
use kukla_syntax::validate::is_module_name;
use kukla_values::Hash;

use super::node::{AssembledNode, Classifier, NodeParts, SiteNode};
use super::options::{CODE_FILES, Control, FleetOptions, holds_directory};
use super::store::{stored_facts, take_trusted};
use crate::certname;
use crate::facts::FactFile;
use crate::problems::missing;
use crate::puppet_conf::PuppetConf;
use crate::spec::SiteSpec;

/// The settings that all nodes of a fleet share.
#[derive(Debug)]
pub struct FleetSetup {
    options: FleetOptions,
    /// The site of every node, apart from the environment that a classifier assigns.
    site: SiteSpec,
    /// Directories with environments, if there are several environments to choose from.
    environments: Option<Vec<PathBuf>>,
    classifier: Option<Classifier>,
    puppet_conf: Option<PuppetConf>,
}

/// One node chosen by options, and the place where its facts were expected if it has none.
#[derive(Debug)]
pub struct ChosenNode {
    /// The node and its site.
    pub node: SiteNode,
    /// The directory without facts of the node.
    pub without_facts: Option<PathBuf>,
}

impl FleetSetup {
    /// Reads the settings from `puppet.conf` and the options.
    pub fn read(options: &FleetOptions) -> Result<FleetSetup, Problem> {
        let mut site = SiteSpec::default();
        let control = &options.control;
        if options.facts.is_some() && options.facts_store.is_some() {
            return Err(Problem::invalid("facts come either from files or from a store, not from both"));
        }
        let puppet_conf = options.read_puppet_conf()?;
        if let Some(conf) = &puppet_conf {
            conf.apply(&*control.repository, &mut site)?;
        }
        site.code.clone_from(&options.code);
        let directories = options.modulepath.iter().flatten().filter(|_| !control.is_revision);
        for directory in directories {
            if !holds_directory(&*control.repository, directory) {
                return Err(missing(&*control.repository, directory));
            }
        }
        site.modulepath.clone_from(&options.modulepath);
        if let Some(file) = &options.hiera_config {
            site.hiera_config = Some(control.resolve(file)?);
        }
        if let Some(environment) = &options.environment {
            site.environment.clone_from(environment);
        }
        let environments = locate_environment(options, puppet_conf.as_ref(), &mut site)?;
        options.apply_settings(&mut site)?;
        let configured = puppet_conf.as_ref().and_then(PuppetConf::external_nodes);
        let configured = configured.map(|command| {
            Classifier::ConfiguredCommand(command.to_owned(), Box::new(options.policy.clone()))
        });
        let classifier = options.classifier.clone().or(configured);
        Ok(FleetSetup { options: options.clone(), site, environments, classifier, puppet_conf })
    }

    /// The options that the settings were read with.
    pub fn options(&self) -> &FleetOptions {
        &self.options
    }

    /// The site of every node, apart from the environment that a classifier assigns.
    pub fn site(&self) -> &SiteSpec {
        &self.site
    }

    /// The node with these facts, and its site.
    pub fn assign(&self, facts: FactFile) -> Result<SiteNode, Problem> {
        self.assign_trusted(facts, Hash::new())
    }

    /// The node with facts of a store, and its site.
    pub(super) fn assign_stored(&self, mut facts: FactFile) -> Result<SiteNode, Problem> {
        let trusted = take_trusted(&mut facts.facts);
        self.assign_trusted(facts, trusted)
    }

    /// The node with these facts and trusted data, which that of the options overrides.
    fn assign_trusted(&self, facts: FactFile, mut trusted: Hash) -> Result<SiteNode, Problem> {
        for (key, value) in &self.options.trusted {
            trusted.insert(key.clone(), value.clone());
        }
        let name = self.options.node.as_deref().or(facts.node_name()).unwrap_or("localhost").to_owned();
        let parts = NodeParts {
            name: &name,
            facts: facts.facts,
            trusted,
            server_facts: self.options.server_facts.clone(),
            classifier: self.classifier.as_ref(),
            puppet_conf: self.puppet_conf.as_ref(),
        };
        let AssembledNode { node, environment } = parts.assemble(&self.options.control.files)?;
        let mut site = self.site.clone();
        if let (Some(environment), None) = (environment, &self.options.environment) {
            site.environment = environment;
        }
        site.environmentpath = self.environmentpath(&site.environment)?;
        Ok(SiteNode { site, node })
    }

    /// The one node that the options choose.
    pub fn choose(&self) -> Result<ChosenNode, Problem> {
        if let Some(node) = &self.options.node {
            certname::check(node).map_err(|wrong| Problem::from(wrong).on("--node"))?;
        }
        if let Some(store) = &self.options.facts_store {
            let Some(node) = &self.options.node else {
                return Err(Problem::invalid("cannot choose a node")
                    .because("the store has facts of several nodes")
                    .help("choose one with --node"));
            };
            let node = self.assign_stored(stored_facts(&**store, node)?)?;
            return Ok(ChosenNode { node, without_facts: None });
        }
        let facts = self.options.node_facts()?;
        let is_unknown = facts.is_none() && self.options.node.is_some() && self.options.facts.is_none();
        let without_facts = is_unknown.then(|| self.options.facts_path());
        Ok(ChosenNode { node: self.assign(facts.unwrap_or_default())?, without_facts })
    }

    /// The one node that the options choose, in a control repository that must hold code or data.
    pub fn choose_with_code(&self) -> Result<ChosenNode, Problem> {
        let mut chosen = self.choose()?;
        if self.options.code.is_some() {
            chosen.without_facts = None;
            return Ok(chosen);
        }
        self.require_code_in(&chosen.node.site)?;
        Ok(chosen)
    }

    /// An error if there is neither code nor data for nodes without an environment of their own.
    pub fn require_code(&self) -> Result<(), Problem> {
        match self.options.code.is_some() || self.environments.is_some() {
            true => Ok(()),
            false => self.require_code_in(&self.site),
        }
    }

    /// An error if a site has neither code nor data.
    fn require_code_in(&self, site: &SiteSpec) -> Result<(), Problem> {
        let is_elsewhere = site.manifest.is_some()
            || site.modulepath.is_some()
            || site.hiera_config.is_some()
            || self.puppet_conf.is_some();
        let repository = &self.options.control.repository;
        let has_code = |root: &Path| CODE_FILES.iter().any(|name| repository.exists(&root.join(name)));
        let root = site.root();
        if is_elsewhere || root.as_deref().is_some_and(has_code) {
            return Ok(());
        }
        let root = root.unwrap_or_else(|| self.options.control.path.clone());
        let inside = repository.list(&root).into_iter();
        let inside = inside.filter(|entry| entry.is_directory && has_code(&root.join(&entry.name)));
        let inside: Vec<String> = inside.map(|entry| entry.name).collect();
        let missing = Problem::not_found("no Puppet code in")
            .on(self.options.control.path.display())
            .because("it has no manifests, modules, environment.conf or hiera.yaml");
        Err(match &inside[..] {
            [only] => missing
                .help(format!("there is some in {only}; name that directory, or run the command there")),
            _ => missing.help("name a control repository or a manifest, or give code with -e"),
        })
    }

    /// The first directory of environments that has the one of this name.
    fn environmentpath(&self, environment: &str) -> Result<Option<PathBuf>, Problem> {
        let Some(paths) = &self.environments else { return Ok(None) };
        if environment.is_empty() || !environment.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
            return Err(Problem::invalid("invalid environment name").on(format!("'{environment}'")));
        }
        match paths.iter().find(|path| self.options.control.has_directory(&path.join(environment))) {
            Some(found) => Ok(Some(found.clone())),
            None => {
                let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                Err(Problem::not_found("unknown environment")
                    .on(format!("'{environment}'"))
                    .because(format!("it is not in {}", paths.join(", "))))
            }
        }
    }
}

/// Locates the environment: where the options say, else the control repository if it looks like an environment, else where `puppet.conf`
/// or the directory `environments` has it. If there are several to choose from, these are the directories with them.
fn locate_environment(
    options: &FleetOptions,
    conf: Option<&PuppetConf>,
    site: &mut SiteSpec,
) -> Result<Option<Vec<PathBuf>>, Problem> {
    let control = &options.control;
    if let Some(path) = &options.environmentpath {
        return Ok(Some(vec![control.resolve(path)?]));
    }
    let path = control.resolve(&control.path)?;
    if !control.has_directory(&path) {
        if site.code.is_none() {
            site.manifest = Some(path);
        }
        return Ok(None);
    }
    if options.code.is_some()
        && let Some(own) = own_module(control, &path)
    {
        let fixtures = path.join("spec/fixtures/modules");
        site.modulepath.get_or_insert_with(|| vec![fixtures, path.join("modules")]);
        site.own_module = Some(own);
        return Ok(None);
    }
    let is_environment = CODE_FILES[..3].iter().any(|name| control.repository.exists(&path.join(name)));
    let inside = path.join("environments");
    match conf {
        _ if is_environment => site.environment_root = Some(path),
        _ if control.has_directory(&inside) => return Ok(Some(vec![inside])),
        Some(conf) => return Ok(Some(conf.environmentpath())),
        None => site.environment_root = Some(path),
    }
    Ok(None)
}

/// The module whose directory this is, if it is one and not a control repository: its `metadata.json` has its name.
fn own_module(control: &Control, root: &Path) -> Option<OwnModule> {
    if control.has_file(&root.join("environment.conf")) {
        return None;
    }
    let text = control.repository.read(&root.join("metadata.json")).ok()?;
    let metadata: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let name = metadata["name"].as_str()?.rsplit(['/', '-']).next()?;
    is_module_name(name).then(|| OwnModule { name: name.to_owned(), root: root.to_owned() })
}
