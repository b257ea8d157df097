//! All nodes of a site: who they are, and the sites they belong to, each opened once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kukla::eval::program::NodeMatch;
use kukla::facts::FactFile;
use kukla::{Compiler, Diagnostic, Site, certname};

use super::target::{Ground, Placed, Target, read_facts};
use crate::output::err;
use crate::render::failure::{self, ErrorFormat};
use crate::{Outcome, files};

/// All nodes of a site. Their facts are read when it is their turn, so a large fleet needs no more memory than a small one.
pub struct Fleet<'t> {
    ground: Ground<'t>,
    compiler: &'t Compiler,
    /// Files of facts or nodes without any, in the order of the answers.
    pub sources: Vec<Source>,
    /// By the name of the environment, in which alone the sites of a fleet differ.
    sites: Mutex<BTreeMap<String, Opening>>,
}

/// A site that is opened by whoever needs it first, while others wait for it alone.
type Opening = Arc<OnceLock<Result<Arc<Site>, Box<Diagnostic>>>>;

/// Where nodes come from.
#[derive(Debug)]
pub enum Source {
    /// A file with the facts of one node or several.
    File(PathBuf),
    /// The name in a node definition.
    Name(String),
}

/// A node of a fleet, with the site it belongs to, or why that cannot be said.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The file of facts or the node definition that it comes from.
    pub source: String,
    /// The node and its site.
    pub placed: Result<Placed, String>,
}

impl<'t> Fleet<'t> {
    /// The nodes that a command about all of them is for: those there are facts of, else those that node definitions name.
    pub fn new(target: &'t Target, path: &Path, compiler: &'t Compiler) -> Result<Fleet<'t>, Unfit> {
        let (place, is_given) = target.fact_place(path);
        let sources = match place.is_file() {
            true => Some(vec![place]),
            false if !is_given && !place.is_dir() => None,
            false => Some(fact_files(&place)?),
        };
        let ground = target.ground(path)?;
        let mut fleet = Fleet { ground, compiler, sources: Vec::new(), sites: Mutex::default() };
        fleet.sources = match sources {
            Some(files) => files.into_iter().map(Source::File).collect(),
            None => fleet.defined()?.into_iter().map(Source::Name).collect(),
        };
        Ok(fleet)
    }

    /// The names in node definitions.
    fn defined(&self) -> Result<Vec<String>, Unfit> {
        let placed = self.ground.place(FactFile::default())?;
        let site = self.site(&placed).map_err(Unfit::Broken)?;
        if let Some(broken) = &site.broken_manifest {
            return Err(Unfit::Broken(Box::new((**broken).clone())));
        }
        let nodes = site.environment.nodes();
        let named = nodes.iter().flat_map(|node| &node.matches).filter_map(NodeMatch::name);
        let mut names: Vec<String> = named.map(str::to_owned).collect();
        names.sort_unstable();
        match names.is_empty() {
            true => Err(Unfit::Unable("there are neither facts nor node definitions with names\n  hint: --facts names a file or a directory of fact files, one for each node".into())),
            false => Ok(names),
        }
    }

    /// The nodes of one source.
    pub fn members(&self, source: &Source) -> Vec<Member> {
        let file = match source {
            Source::Name(name) => {
                let facts = FactFile { node: Some(name.clone()), ..FactFile::default() };
                let source = "the node definitions".to_owned();
                return vec![Member { name: name.clone(), source, placed: self.ground.place(facts) }];
            }
            Source::File(file) => file,
        };
        let source = file.display().to_string();
        // A file that does not say whose facts it holds is named after the node.
        let own_name = || file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match kukla::caught(|| read_facts(file)).unwrap_or_else(|failure| Err(failure.to_string())) {
            Ok(nodes) => {
                let member = |mut facts: FactFile| {
                    if facts.node_name().is_none() {
                        facts.node = own_name();
                    }
                    let mut name = facts.node_name().unwrap_or_default().to_owned();
                    // What cannot be a name is not shown as one.
                    if certname::check(&name).is_err() {
                        name = own_name().unwrap_or_default();
                    }
                    Member { name, source: source.clone(), placed: self.ground.place(facts) }
                };
                nodes.into_iter().map(member).collect()
            }
            // One bad file is the misfortune of one node.
            Err(problem) => {
                vec![Member { name: own_name().unwrap_or_default(), source, placed: Err(problem) }]
            }
        }
    }

    /// The site a node belongs to, opened when the first node needs it and not looked at again.
    pub fn site(&self, placed: &Placed) -> Result<Arc<Site>, Box<Diagnostic>> {
        let opening = {
            let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(sites.entry(placed.site.environment.clone()).or_default())
        };
        opening.get_or_init(|| self.compiler.open(&placed.site)).clone()
    }
}

/// Why there is no fleet.
#[derive(Debug)]
pub enum Unfit {
    /// The command cannot run.
    Unable(String),
    /// The site manifest does not say who the nodes are, because it is wrong.
    Broken(Box<Diagnostic>),
}

impl From<String> for Unfit {
    fn from(problem: String) -> Unfit {
        Unfit::Unable(problem)
    }
}

impl Unfit {
    /// Says so.
    pub fn told(self) -> Result<Outcome, String> {
        match self {
            Unfit::Unable(problem) => Err(problem),
            Unfit::Broken(failure) => {
                let mut out = String::new();
                failure::render(&mut out, &failure, "", ErrorFormat::Human);
                err!("{out}");
                Ok(Outcome::Found)
            }
        }
    }
}

/// What is wrong with each node that comes from more than one place.
pub fn twice<'n>(nodes: impl Iterator<Item = (&'n str, &'n str)>) -> BTreeMap<String, String> {
    let mut sources = BTreeMap::<&str, Vec<&str>>::new();
    for (node, source) in nodes {
        sources.entry(node).or_default().push(source);
    }
    sources.retain(|_, sources| sources.len() > 1);
    let told = |(node, sources): (&str, Vec<&str>)| {
        (node.to_owned(), format!("there are several nodes of this name: in {}", sources.join(" and in ")))
    };
    sources.into_iter().map(told).collect()
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
