//! What `compile`, `lookup` and their like have in common: which environment, which node, which facts.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use kukla::catalog::Exports;
use kukla::certname;
use kukla::classify::Classification;
use kukla::exports::CatalogExports;
use kukla::facts::FactFile;
use kukla::puppet_conf::PuppetConf;
use kukla::syntax::Strict;
use kukla::values::Hash;
use kukla::world::policy::{Access, Writes};
use kukla::world::record::Digest;
use kukla::world::{Guarded, World, is_directory};
use kukla::{Compiler, DiskWorld, Node, Settings, SiteSpec};
use kukla_store::{Store, StoreExports};

use super::policy::Allowed;
use super::stores::StoreOptions;
use crate::files;
use crate::output::errln;

/// Which environment and which node. Where the control repository lies is for each command to ask.
#[derive(Clone, Debug, clap::Args)]
pub struct Target {
    /// The node's name; by default the one the fact file gives
    #[arg(long, short, value_name = "NAME")]
    node: Option<String>,
    /// The node's facts, as Facter, an agent or PuppetDB writes them (JSON or YAML), or a directory with a file for each node;
    /// by default the control repository's `facts`, if there is such a directory
    #[arg(long, short, value_name = "FILE")]
    facts: Option<PathBuf>,
    /// The directory of environments, in place of PATH
    #[arg(long, value_name = "DIR")]
    environmentpath: Option<PathBuf>,
    /// The environment's name
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// The directory of a server's puppet.conf, whose settings then hold; by default PATH, if there is one in it
    #[arg(long, value_name = "DIR", conflicts_with = "config")]
    confdir: Option<PathBuf>,
    /// The puppet.conf to read settings from
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directories of modules, separated by colons; by default what environment.conf says
    #[arg(long, value_name = "DIR:DIR", value_delimiter = ':')]
    modulepath: Option<Vec<PathBuf>>,
    /// The global layer's hiera.yaml
    #[arg(long, value_name = "FILE")]
    hiera_config: Option<PathBuf>,
    /// Puppet's setting: what becomes of questionable code (off, warning, error)
    #[arg(long, value_name = "LEVEL")]
    strict: Option<Strict>,
    /// Another of Puppet's settings, as `strict_variables=false`; may be given several times
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    settings: Vec<String>,
    /// Seconds after which an evaluation that is not over is given up, looked at now and then; none by default
    #[arg(long, value_name = "SECONDS")]
    deadline: Option<String>,
    /// A directory with what stands in for functions and templates of modules that cannot run here: functions/NAME.pp,
    /// functions/NAME.json, templates/MODULE/NAME
    #[arg(long, value_name = "DIR")]
    overrides: Option<PathBuf>,
    /// Puppet code to use as the site manifest
    #[arg(long, short = 'e', value_name = "CODE")]
    execute: Option<String>,
    /// An external node classifier: a command that gets the node's name and prints its classes
    #[arg(long, value_name = "COMMAND")]
    enc: Option<String>,
    /// A file with what a node classifier would print
    #[arg(long, value_name = "FILE", conflicts_with = "enc")]
    classification: Option<PathBuf>,
    /// Trusted data of the node, as JSON or YAML, such as the extensions of its certificate
    #[arg(long, value_name = "FILE")]
    trusted: Option<PathBuf>,
    /// Facts that the server adds, as JSON or YAML
    #[arg(long, value_name = "FILE")]
    server_facts: Option<PathBuf>,
    /// Catalogs of other nodes, a file or a directory of them, whose exported resources can be collected
    #[arg(long, value_name = "PATH", conflicts_with = "store")]
    exported: Option<PathBuf>,
    #[command(flatten)]
    store: StoreOptions,
    #[command(flatten)]
    allowed: Allowed,
}

/// What shows that there is something to compile in a directory.
const SIGNS: [&str; 4] = ["environment.conf", "manifests", "modules", "hiera.yaml"];

/// A control repository: where it lies, and what it is read from if that is not the disk.
#[derive(Clone, Copy, Debug)]
pub struct Control<'c> {
    /// Where it lies.
    pub path: &'c Path,
    /// What it is read from, if that is not the disk: a revision of it, say.
    pub revision: Option<&'c dyn World>,
}

impl<'c> From<&'c PathBuf> for Control<'c> {
    fn from(path: &'c PathBuf) -> Control<'c> {
        Control { path, revision: None }
    }
}

impl<'c> Control<'c> {
    /// What it is read from.
    fn world(self) -> &'c dyn World {
        static DISK: LazyLock<DiskWorld> = LazyLock::new(DiskWorld::default);
        self.revision.unwrap_or(&*DISK)
    }

    fn is_file(self, path: &Path) -> bool {
        match self.revision {
            Some(world) => world.exists(path) && !is_directory(world, path),
            None => path.is_file(),
        }
    }

    fn is_directory(self, path: &Path) -> bool {
        match self.revision {
            Some(world) => is_directory(world, &world.resolve(path)),
            None => path.is_dir(),
        }
    }

    /// Where a path leads, if there is something.
    fn absolute(self, path: &Path) -> Result<PathBuf, String> {
        match self.revision {
            None => path.canonicalize().map_err(|error| files::problem(path, &error)),
            Some(world) => {
                let real = world.resolve(path);
                let is_there = world.exists(&real) || real == Path::new("/");
                is_there
                    .then_some(real)
                    .ok_or_else(|| format!("{}: it is not in this revision", path.display()))
            }
        }
    }
}

/// A node and the site it belongs to.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The site.
    pub site: SiteSpec,
    /// The node.
    pub node: Node,
}

impl Target {
    /// The same with other facts, another environment and more settings.
    pub fn with(&self, facts: &Option<PathBuf>, environment: &Option<String>, settings: &[String]) -> Target {
        let mut target = self.clone();
        target.facts = facts.clone().or(target.facts);
        target.environment = environment.clone().or(target.environment);
        target.settings.extend_from_slice(settings);
        target
    }

    /// The node that is asked for, if it is one.
    pub fn node(&self) -> Option<&str> {
        self.node.as_deref()
    }

    /// The compiler to ask.
    pub fn compiler(&self) -> Result<Compiler, String> {
        self.compiler_reading(None)
    }

    /// The compiler to ask, for code in a file that is named besides.
    pub fn compiler_reading(&self, named: Option<PathBuf>) -> Result<Compiler, String> {
        self.compiler_of(DiskWorld::default(), named)
    }

    /// The compiler to ask, which sees the disk through a world that has its own purpose.
    pub fn compiler_of(
        &self,
        world: impl World + 'static,
        named: Option<PathBuf>,
    ) -> Result<Compiler, String> {
        let exports = self.known_exports(&world)?;
        Ok(self.compiler_asking(world, named, exports))
    }

    /// Whoever is to be asked what nodes export that are not compiled here.
    pub fn known_exports(&self, world: &dyn World) -> Result<Option<Arc<dyn Exports>>, String> {
        Ok(match self.store()? {
            Some(store) => Some(Arc::new(StoreExports::new(store))),
            None => self.exports(world)?.map(|exports| Arc::new(exports) as Arc<dyn Exports>),
        })
    }

    /// The compiler to ask, with someone else to ask what nodes export.
    pub fn compiler_asking(
        &self,
        world: impl World + 'static,
        named: Option<PathBuf>,
        exports: Option<Arc<dyn Exports>>,
    ) -> Compiler {
        let mut policy = self.allowed.policy();
        policy.files.also.extend(named);
        let compiler = Compiler::new(world).with_policy(policy);
        match exports {
            Some(exports) => compiler.with_exports(exports),
            None => compiler,
        }
    }

    /// Whether there is a store to ask and to fill.
    pub fn has_store(&self) -> bool {
        self.store.is_given()
    }

    /// The store to ask and to fill, if there is one.
    pub fn store(&self) -> Result<Option<Arc<dyn Store>>, String> {
        Ok(self.store.open()?)
    }

    /// What other nodes export, if the options name catalogs of them.
    pub fn exports(&self, world: &dyn World) -> Result<Option<CatalogExports>, String> {
        self.exported.as_ref().map(|path| CatalogExports::read(world, path)).transpose()
    }

    /// What decides what comes of a compilation besides the site, the node and what can be asked again later.
    pub fn way(&self) -> Result<String, String> {
        let policy = self.allowed.policy();
        if policy.network == Access::On || policy.randomness == Access::On {
            return Err("--cache is not for code that may use the network or random numbers: it could not tell whether these would be the same again".into());
        }
        if policy.writes != Writes::Off {
            return Err(
                "--cache is not for code that may change files: what it would change must not be left out"
                    .into(),
            );
        }
        if policy.ruby.is_some() {
            return Err(
                "--cache is not for code that runs in another Ruby: it could not tell what that rests on"
                    .into(),
            );
        }
        if self.has_store() {
            return Err(
                "--cache is not for a store: it could not tell whether other nodes export the same again"
                    .into(),
            );
        }
        let digest = |path: &PathBuf| CatalogExports::digest(&DiskWorld::default(), path);
        let exported: Option<Digest> = self.exported.as_ref().map(digest).transpose()?;
        Ok(format!("{policy:?} {exported:?}"))
    }

    /// Refuses code on the command line where it would be for nothing.
    pub fn refuse_code(&self, why: &str) -> Result<(), String> {
        match self.execute {
            Some(_) => Err(format!("-e is a site manifest and has no use here: {why}")),
            None => Ok(()),
        }
    }

    /// The node that the options name, for a command that cannot do without code or data. That there are no facts of the node
    /// is said.
    pub fn placed_with_code(&self, path: &PathBuf) -> Result<Placed, String> {
        let placed = self.placed(path)?;
        if self.execute.is_some() {
            return Ok(placed);
        }
        let elsewhere = placed.site.manifest.is_some()
            || placed.site.modulepath.is_some()
            || placed.site.hiera_config.is_some()
            || self.conf(path.into())?.is_some();
        let has_code = |root: PathBuf| SIGNS.iter().any(|sign| root.join(sign).exists());
        if !elsewhere && !placed.site.root().is_some_and(has_code) {
            return Err(format!(
                "{}: there is no Puppet code here: no manifests, modules, environment.conf or hiera.yaml\n  hint: PATH names a control repository or a manifest, -e gives code",
                path.display()
            ));
        }
        if self.node.is_some() && self.facts.is_none() && self.fact_file(path.into())?.is_none() {
            let (place, _) = self.fact_place(path);
            let name = &placed.node.name;
            errln!(
                "kukla: {name} is taken to have no facts: there are none in {}, and --facts names no others",
                place.display()
            );
        }
        Ok(placed)
    }

    /// The node that the options name.
    pub fn placed<'c>(&self, control: impl Into<Control<'c>>) -> Result<Placed, String> {
        let control = control.into();
        if let Some(node) = &self.node {
            certname::check(node).map_err(|wrong| format!("--node: {wrong}"))?;
        }
        let ground = self.ground(control)?;
        let Some(file) = self.fact_file(control)? else { return ground.place(FactFile::default()) };
        let mut nodes = FactFile::parse(&self.fact_text(control, &file)?, &file.display().to_string())?;
        if nodes.len() > 1 {
            let name = file.display();
            let Some(node) = &self.node else {
                return Err(format!("{name}: whose facts of {} nodes? --node says it", nodes.len()));
            };
            nodes.retain(|facts| facts.node_name() == Some(node));
            if nodes.is_empty() {
                return Err(format!("{name}: no facts of {node} here"));
            }
        }
        ground.place(nodes.into_iter().next().unwrap_or_default())
    }

    /// The place that facts of all nodes are in, whether the options name it or not.
    pub fn fact_place<'c>(&self, control: impl Into<Control<'c>>) -> (PathBuf, bool) {
        match &self.facts {
            Some(place) => (place.clone(), true),
            None => (control.into().path.join("facts"), false),
        }
    }

    /// What facts are read from: the disk, unless a revision of the control repository has them and the options name no others.
    pub fn fact_control<'c>(&self, control: Control<'c>) -> Control<'c> {
        let (place, is_given) = self.fact_place(control);
        let revision = control.revision.filter(|_| !is_given && control.is_directory(&place));
        Control { revision, ..control }
    }

    /// The text of a file of facts.
    pub fn fact_text(&self, control: Control<'_>, file: &Path) -> Result<Vec<u8>, String> {
        match self.fact_control(control).revision {
            Some(world) => world.read(file).map_err(|error| format!("{}: {error}", file.display())),
            None => std::fs::read(file).map_err(|error| files::problem(file, &error)),
        }
    }

    /// The file with the node's facts: what `--facts` names, or the node's own in such a directory, by default `facts` in the
    /// control repository.
    fn fact_file(&self, control: Control<'_>) -> Result<Option<PathBuf>, String> {
        let (directory, _) = self.fact_place(control);
        let seen = self.fact_control(control);
        if self.facts.is_some() && !directory.is_dir() {
            return Ok(Some(directory));
        }
        let own = self.node.as_ref().and_then(|node| {
            let candidates = ["json", "yaml", "yml"].map(|ending| directory.join(format!("{node}.{ending}")));
            candidates.into_iter().find(|file| seen.is_file(file))
        });
        match (&own, &self.facts, &self.node) {
            (None, Some(_), Some(node)) => Err(format!("{}: no facts of {node} here", directory.display())),
            (None, Some(_), None) => Err(format!("{}: whose facts? --node says it", directory.display())),
            _ => Ok(own),
        }
    }

    /// Settings that the command line gives.
    fn set(&self, site: &mut SiteSpec) -> Result<(), String> {
        if self.exported.is_some() || self.has_store() {
            site.settings.set("storeconfigs", true.into())?;
        }
        if let Some(strict) = self.strict {
            site.settings.strict = strict;
        }
        site.settings.overrides.clone_from(&self.overrides);
        if let Some(seconds) = &self.deadline {
            site.settings.set("deadline", seconds.as_str().into())?;
        }
        for setting in &self.settings {
            let (name, value) = setting
                .split_once('=')
                .ok_or_else(|| format!("--set {setting}: expected SETTING=VALUE, as in strict=warning"))?;
            if !Settings::is_known(name) {
                return Err(format!("--set {setting}: there is no setting '{name}'"));
            }
            if name == "basemodulepath" {
                site.basemodulepath = value.to_owned();
            }
            site.settings.set(name, value.into())?;
        }
        Ok(())
    }

    /// The server's settings: those of the file that the options name, else of one in the control repository.
    fn conf(&self, control: Control<'_>) -> Result<Option<PuppetConf>, String> {
        let file = match (&self.config, &self.confdir) {
            (Some(file), _) => file.clone(),
            (None, Some(directory)) => directory.join("puppet.conf"),
            (None, None) => control.path.join("puppet.conf"),
        };
        if self.config.is_none() && self.confdir.is_none() && !control.is_file(&file) {
            return Ok(None);
        }
        PuppetConf::read(control.world(), &control.absolute(&file)?).map(Some)
    }

    /// What the options say for every node alike, read once.
    pub fn ground<'c>(&'c self, control: impl Into<Control<'c>>) -> Result<Ground<'c>, String> {
        let control = control.into();
        let mut site = SiteSpec::default();
        let conf = self.conf(control)?;
        if let Some(conf) = &conf {
            conf.apply(control.world(), &mut site)?;
        }
        site.code.clone_from(&self.execute);
        for directory in self.modulepath.iter().flatten().filter(|_| control.revision.is_none()) {
            std::fs::read_dir(directory).map_err(|error| files::problem(directory, &error))?;
        }
        site.modulepath.clone_from(&self.modulepath);
        if let Some(file) = &self.hiera_config {
            site.hiera_config = Some(control.absolute(file)?);
        }
        if let Some(environment) = &self.environment {
            site.environment.clone_from(environment);
        }
        let environments = self.settle(control, conf.as_ref(), &mut site)?;
        self.set(&mut site)?;
        let read = |file: &Option<PathBuf>| file.as_deref().map(read_hash).transpose();
        Ok(Ground {
            target: self,
            control,
            site,
            environments,
            trusted: read(&self.trusted)?.unwrap_or_default(),
            server_facts: read(&self.server_facts)?.unwrap_or_default(),
            conf,
        })
    }

    /// Where the environment lies: what the options say, else PATH if it looks like an environment, else where `puppet.conf`
    /// or the directory `environments` has it. If there are several to choose from, these are the directories with them.
    fn settle(
        &self,
        control: Control<'_>,
        conf: Option<&PuppetConf>,
        site: &mut SiteSpec,
    ) -> Result<Option<Vec<PathBuf>>, String> {
        if let Some(path) = &self.environmentpath {
            return Ok(Some(vec![control.absolute(path)?]));
        }
        let path = control.absolute(control.path)?;
        if !control.is_directory(&path) {
            if site.code.is_none() {
                site.manifest = Some(path);
            }
            return Ok(None);
        }
        let is_environment = SIGNS[..3].iter().any(|name| control.world().exists(&path.join(name)));
        let inside = path.join("environments");
        match conf {
            _ if is_environment => site.environment_root = Some(path),
            _ if control.is_directory(&inside) => return Ok(Some(vec![inside])),
            Some(conf) => return Ok(Some(conf.environmentpath())),
            None => site.environment_root = Some(path),
        }
        Ok(None)
    }
}

/// What all nodes have in common.
#[derive(Debug)]
pub struct Ground<'t> {
    target: &'t Target,
    control: Control<'t>,
    /// The site, but for the environment of a node that has one of its own.
    pub site: SiteSpec,
    /// Directories with environments, if there are several to choose from.
    environments: Option<Vec<PathBuf>>,
    trusted: Hash,
    server_facts: Hash,
    conf: Option<PuppetConf>,
}

impl Ground<'_> {
    /// The node that some facts are of, and the site that it belongs to.
    pub fn place(&self, facts: FactFile) -> Result<Placed, String> {
        let name = self.target.node.as_deref().or(facts.node_name()).unwrap_or("localhost");
        certname::check(name).map_err(|wrong| wrong.to_string())?;
        let mut node = Node::named(name);
        let mut site = self.site.clone();
        node.facts = facts.facts;
        if let Some(said) = self.classification(&node.name)? {
            node.classes = said.classes;
            node.variables = said.parameters;
            if let (Some(environment), None) = (said.environment, &self.target.environment) {
                site.environment = environment;
            }
        }
        site.environmentpath = self.environmentpath(&site.environment)?;
        for (key, value) in &self.trusted {
            node.trusted.insert(key.clone(), value.clone());
        }
        if let Some(conf) = &self.conf {
            conf.name_extensions(self.control.world(), &mut node.trusted)?;
        }
        node.server_facts = self.server_facts.clone();
        Ok(Placed { site, node })
    }

    /// The first directory of environments that has the one of this name.
    fn environmentpath(&self, environment: &str) -> Result<Option<PathBuf>, String> {
        let Some(paths) = &self.environments else { return Ok(None) };
        if environment.is_empty() || !environment.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
            return Err(format!("'{environment}' cannot be the name of an environment"));
        }
        match paths.iter().find(|path| self.control.is_directory(&path.join(environment))) {
            Some(found) => Ok(Some(found.clone())),
            None => {
                let places: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                Err(format!("there is no environment '{environment}' in {}", places.join(", ")))
            }
        }
    }

    fn classification(&self, node: &str) -> Result<Option<Classification>, String> {
        let world = DiskWorld::default();
        let own = self.conf.as_ref().and_then(PuppetConf::external_nodes);
        match (&self.target.enc, &self.target.classification, own) {
            (Some(command), ..) => Classification::ask(&world, command, node).map(Some),
            (None, Some(file), _) => Classification::read(&world, file).map(Some),
            (None, None, Some(command)) => {
                let guarded = Guarded::new(world, self.target.allowed.policy());
                let said = Classification::ask(&guarded, command, node).map_err(|error| {
                    format!(
                        "puppet.conf lets '{command}' classify nodes: {error}\n  hint: --commands allows it, --classification FILE or --enc replaces it"
                    )
                });
                said.map(Some)
            }
            (None, None, None) => Ok(None),
        }
    }
}

fn read_hash(path: &Path) -> Result<Hash, String> {
    let bytes = std::fs::read(path).map_err(|error| files::problem(path, &error))?;
    let read = FactFile::parse(&bytes, &path.display().to_string())?;
    Ok(read.into_iter().next().unwrap_or_default().facts)
}
