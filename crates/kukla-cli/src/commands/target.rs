//! What `compile`, `lookup` and their like have in common: which environment, which node, which facts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::classify::Classification;
use kukla::compiler::Compiler;
use kukla::disk::{Commands, DiskWorld};
use kukla::exports::CatalogExports;
use kukla::facts::FactFile;
use kukla::puppet_conf::PuppetConf;
use kukla::request::{Request, trusted_data};
use kukla_eval::program::NodeMatch;
use kukla_eval::settings::Settings;
use kukla_syntax::Strict;
use kukla_values::Hash;

use crate::files;

/// Which environment and which node. Where the control repository lies is for each command to ask.
#[derive(Debug, clap::Args)]
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
    /// Whose functions of stdlib are used where a module has its own in Puppet: native or module
    #[arg(long, value_name = "WHOSE")]
    functions: Option<String>,
    /// Another of Puppet's settings, as `strict_variables=false`; may be given several times
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    settings: Vec<String>,
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
    #[arg(long, value_name = "PATH")]
    exported: Option<PathBuf>,
    /// Commands that generate(), config_version and the like may run: off, on, or paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "off")]
    commands: String,
}

impl Target {
    /// The compiler to ask.
    pub fn compiler(&self) -> Result<Compiler, String> {
        let world = self.world();
        let exports = match &self.exported {
            Some(path) => Some(CatalogExports::read(&world, path)?),
            None => None,
        };
        let compiler = Compiler::new(world);
        Ok(match exports {
            Some(exports) => compiler.with_exports(Arc::new(exports)),
            None => compiler,
        })
    }

    fn world(&self) -> DiskWorld {
        DiskWorld { commands: self.commands.as_str().into() }
    }

    /// The request for the node that the options name.
    pub fn request(&self, path: &Path) -> Result<Request, String> {
        let Some(file) = self.fact_file(path)? else { return self.request_for(path, &FactFile::default()) };
        let mut nodes = read_facts(&file)?;
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
        self.request_for(path, &nodes.into_iter().next().unwrap_or_default())
    }

    /// The file with the node's facts: what `--facts` names, or the node's own in such a directory, by default `facts` in the
    /// control repository.
    fn fact_file(&self, path: &Path) -> Result<Option<PathBuf>, String> {
        let directory = match &self.facts {
            Some(file) if !file.is_dir() => return Ok(Some(file.clone())),
            Some(directory) => directory.clone(),
            None => path.join("facts"),
        };
        let own = self.node.as_ref().and_then(|node| {
            let candidates = ["json", "yaml", "yml"].map(|ending| directory.join(format!("{node}.{ending}")));
            candidates.into_iter().find(|file| file.is_file())
        });
        match (&own, &self.facts, &self.node) {
            (None, Some(_), Some(node)) => Err(format!("{}: no facts of {node} here", directory.display())),
            (None, Some(_), None) => Err(format!("{}: whose facts? --node says it", directory.display())),
            _ => Ok(own),
        }
    }

    /// The nodes that a command about all of them is for: those there are facts of, else those that node definitions name.
    pub fn members(&self, path: &Path, compiler: &Compiler) -> Result<Vec<Member>, String> {
        let place = self.facts.clone().unwrap_or_else(|| path.join("facts"));
        let files = match (place.is_file(), &self.facts) {
            (true, _) => vec![place],
            (false, None) if !place.is_dir() => return self.named_members(path, compiler),
            (false, _) => fact_files(&place)?,
        };
        let mut members = Vec::new();
        for file in files {
            match read_facts(&file) {
                Ok(nodes) => members.extend(nodes.into_iter().map(|facts| {
                    let facts = named_by_file(facts, &file);
                    let node = facts.node_name().unwrap_or_default().to_owned();
                    Member { node, request: self.request_for(path, &facts) }
                })),
                // One bad file is the misfortune of one node.
                Err(problem) => {
                    let node = named_by_file(FactFile::default(), &file).node.unwrap_or_default();
                    members.push(Member { node, request: Err(problem) });
                }
            }
        }
        Ok(members)
    }

    /// Nodes without facts, by the names of their definitions.
    fn named_members(&self, path: &Path, compiler: &Compiler) -> Result<Vec<Member>, String> {
        let request = self.request_for(path, &FactFile::default())?;
        let site = compiler.site(&request).map_err(|failure| failure.to_string())?;
        let nodes = site.environment.nodes();
        let mut names: Vec<&str> =
            nodes.iter().flat_map(|node| &node.matches).filter_map(NodeMatch::name).collect();
        names.sort_unstable();
        if names.is_empty() {
            return Err("there are neither facts nor node definitions with names\n  hint: --facts names a file or a directory of fact files, one for each node".into());
        }
        let facts = |name: &str| FactFile { node: Some(name.to_owned()), ..FactFile::default() };
        let member =
            |name: &str| Member { node: name.to_owned(), request: self.request_for(path, &facts(name)) };
        Ok(names.into_iter().map(member).collect())
    }

    fn request_for(&self, path: &Path, facts: &FactFile) -> Result<Request, String> {
        let mut request = Request::default();
        let conf = self.conf(path)?;
        if let Some(conf) = &conf {
            conf.apply(&self.world(), &mut request)?;
        }
        let name = self.node.as_deref().or(facts.node_name());
        request.node.name = name.unwrap_or("localhost").to_owned();
        request.node.facts = facts.facts.clone();
        request.code.clone_from(&self.execute);
        request.modulepath.clone_from(&self.modulepath);
        if let Some(file) = &self.hiera_config {
            request.hiera_config = Some(absolute(file)?);
        }
        if let Some(environment) = &self.environment {
            request.environment.clone_from(environment);
        }
        self.classify(conf.as_ref(), &mut request)?;
        self.place(path, conf.as_ref(), &mut request)?;
        self.set(&mut request)?;
        let node = &mut request.node;
        node.trusted = trusted_data(&node.name);
        if let Some(file) = &self.trusted {
            for (key, value) in &read_hash(file)? {
                node.trusted.insert(key.clone(), value.clone());
            }
        }
        if let Some(conf) = &conf {
            conf.name_extensions(&self.world(), &mut node.trusted)?;
        }
        if let Some(file) = &self.server_facts {
            node.server_facts = read_hash(file)?;
        }
        node.server_facts.insert("environment", request.environment.as_str());
        Ok(request)
    }

    /// Settings that the command line gives.
    fn set(&self, request: &mut Request) -> Result<(), String> {
        if self.exported.is_some() {
            request.settings.set("storeconfigs", true.into())?;
        }
        if let Some(strict) = self.strict {
            request.settings.strict = strict;
        }
        if let Some(whose) = &self.functions {
            request.settings.set("functions", whose.as_str().into())?;
        }
        for setting in &self.settings {
            let (name, value) = setting
                .split_once('=')
                .ok_or_else(|| format!("--set {setting}: expected SETTING=VALUE, as in strict=warning"))?;
            if !Settings::is_known(name) {
                return Err(format!("--set {setting}: there is no setting '{name}'"));
            }
            if name == "basemodulepath" {
                request.basemodulepath = value.to_owned();
            }
            request.settings.set(name, value.into())?;
        }
        Ok(())
    }

    /// The server's settings: those of the file that the options name, else of one in the control repository.
    fn conf(&self, path: &Path) -> Result<Option<PuppetConf>, String> {
        let file = match (&self.config, &self.confdir) {
            (Some(file), _) => file.clone(),
            (None, Some(directory)) => directory.join("puppet.conf"),
            (None, None) => path.join("puppet.conf"),
        };
        if self.config.is_none() && self.confdir.is_none() && !file.is_file() {
            return Ok(None);
        }
        PuppetConf::read(&self.world(), &absolute(&file)?).map(Some)
    }

    /// Where the environment lies: what the options say, else PATH if it looks like an environment, else where `puppet.conf`
    /// or the directory `environments` has it.
    fn place(&self, path: &Path, conf: Option<&PuppetConf>, request: &mut Request) -> Result<(), String> {
        if let Some(path) = &self.environmentpath {
            return choose(vec![absolute(path)?], request);
        }
        let path = absolute(path)?;
        if !path.is_dir() {
            if request.code.is_none() {
                request.manifest = Some(path);
            }
            return Ok(());
        }
        let is_environment =
            ["environment.conf", "manifests", "modules"].iter().any(|name| path.join(name).exists());
        let inside = path.join("environments");
        match conf {
            _ if is_environment => request.environment_root = Some(path),
            _ if inside.is_dir() => return choose(vec![inside], request),
            Some(conf) => return choose(conf.environmentpath(), request),
            None => request.environment_root = Some(path),
        }
        Ok(())
    }

    fn classify(&self, conf: Option<&PuppetConf>, request: &mut Request) -> Result<(), String> {
        let only = |command: &str| {
            let program = command.split_whitespace().next().unwrap_or_default().to_owned();
            DiskWorld { commands: Commands::Only(vec![program]) }
        };
        let own = conf.and_then(PuppetConf::external_nodes);
        let classification = match (&self.enc, &self.classification, own) {
            (Some(command), ..) => Classification::ask(&only(command), command, &request.node.name)?,
            (None, Some(file), _) => Classification::read(&self.world(), file)?,
            (None, None, Some(command)) => {
                Classification::ask(&self.world(), command, &request.node.name).map_err(|error| {
                    format!(
                        "puppet.conf lets '{command}' classify nodes: {error}\n  hint: --commands allows it, --classification FILE or --enc replaces it"
                    )
                })?
            }
            (None, None, None) => return Ok(()),
        };
        request.node.classes = classification.classes;
        request.node.variables = classification.parameters;
        if let (Some(environment), None) = (classification.environment, &self.environment) {
            request.environment = environment;
        }
        Ok(())
    }
}

/// A node among all, with what is asked for it, or why that cannot be said.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub node: String,
    /// What is asked.
    pub request: Result<Request, String>,
}

fn fact_files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(directory).map_err(|error| {
        format!(
            "{}\n  hint: --facts names a file or a directory of fact files, one for each node",
            files::problem(directory, &error)
        )
    })?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|ending| ending == "json" || ending == "yaml" || ending == "yml")
    });
    paths.sort();
    match paths.is_empty() {
        true => Err(format!("{}: no fact files (.json, .yaml) here", directory.display())),
        false => Ok(paths),
    }
}

/// Takes the first directory of environments that has the one a request is about.
fn choose(path: Vec<PathBuf>, request: &mut Request) -> Result<(), String> {
    let found = path.iter().find(|path| path.join(&request.environment).is_dir()).cloned();
    if found.is_none() {
        let places: Vec<String> = path.iter().map(|path| path.display().to_string()).collect();
        return Err(format!("there is no environment '{}' in {}", request.environment, places.join(", ")));
    }
    request.environmentpath = found;
    Ok(())
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize().map_err(|error| files::problem(path, &error))
}

fn read_hash(path: &Path) -> Result<Hash, String> {
    let read = read_facts(path)?;
    Ok(read.into_iter().next().unwrap_or_default().facts)
}

fn read_facts(path: &Path) -> Result<Vec<FactFile>, String> {
    let bytes = std::fs::read(path).map_err(|error| files::problem(path, &error))?;
    FactFile::parse(&bytes, &path.display().to_string())
}

/// A file that does not say whose facts it holds is named after the node.
fn named_by_file(mut facts: FactFile, path: &Path) -> FactFile {
    if facts.node_name().is_none() {
        facts.node = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    }
    facts
}
