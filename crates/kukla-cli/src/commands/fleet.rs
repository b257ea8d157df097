//! All nodes of a site: who they are, and the sites they belong to, each opened once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kukla::eval::program::NodeMatch;
use kukla::facts::FactFile;
use kukla::world::{Stamp, World, glob};
use kukla::{Compiler, Diagnostic, Site, SiteSpec, certname};

use super::target::{Control, Ground, Placed, Target};
use crate::output::err;
use crate::render::failure::{self, ErrorFormat};
use crate::{Outcome, files};

/// All nodes of a site. Their facts are read when it is their turn, so a large fleet needs no more memory than a small one.
pub struct Fleet<'t> {
    target: &'t Target,
    control: Control<'t>,
    ground: Ground<'t>,
    /// Who compiles them.
    pub compiler: &'t Compiler,
    /// Which of them are wanted.
    pub selection: Selection,
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

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::File(file) => write!(f, "{}", file.display()),
            Source::Name(_) => f.write_str("the node definitions"),
        }
    }
}

/// Which nodes of a fleet are wanted, as options of commands about many nodes.
#[derive(Debug, clap::Args)]
pub struct Wanted {
    /// Of many nodes, only those whose names fit one of these patterns, as in 'web*.example.com'
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    nodes: Vec<String>,
    /// Of many nodes, only those named in a file, one a line, or on standard input with '-'; without facts, these are the nodes
    #[arg(long, value_name = "FILE")]
    nodes_from: Option<PathBuf>,
}

impl Wanted {
    /// Refuses the options where one node alone is asked for.
    pub fn refuse_without(&self, all: bool) -> Result<(), String> {
        match (all, self.nodes.is_empty() && self.nodes_from.is_none()) {
            (false, false) => {
                Err("--nodes and --nodes-from choose of many nodes, which --all asks for".into())
            }
            _ => Ok(()),
        }
    }

    /// The nodes that are wanted.
    pub fn selection(&self) -> Result<Selection, String> {
        let read = |file: &PathBuf| match file.as_os_str() == "-" {
            true => std::io::read_to_string(std::io::stdin()).map_err(|error| files::problem(file, &error)),
            false => std::fs::read_to_string(file).map_err(|error| files::problem(file, &error)),
        };
        let names = |text: String| -> Result<BTreeSet<String>, String> {
            let lines = text.lines().map(|line| line.split_once('#').map_or(line, |(name, _)| name).trim());
            let names = lines.filter(|name| !name.is_empty());
            names
                .map(|name| match certname::check(name) {
                    Ok(()) => Ok(name.to_owned()),
                    Err(wrong) => Err(format!("--nodes-from: {wrong}")),
                })
                .collect()
        };
        let names = self.nodes_from.as_ref().map(|file| read(file).and_then(names)).transpose()?;
        if names.as_ref().is_some_and(BTreeSet::is_empty) {
            return Err("--nodes-from: there are no names in it".into());
        }
        Ok(Selection { patterns: self.nodes.clone(), names })
    }
}

/// Which nodes of a fleet are wanted; all, unless there are names or patterns.
#[derive(Debug, Default)]
pub struct Selection {
    /// Patterns, of which a name fits one.
    pub patterns: Vec<String>,
    /// Names, among which a name is.
    pub names: Option<BTreeSet<String>>,
}

impl Selection {
    /// Whether a node is wanted.
    pub fn takes(&self, name: &str) -> bool {
        let fits = self.patterns.is_empty() || self.patterns.iter().any(|pattern| glob::fits(pattern, name));
        fits && self.names.as_ref().is_none_or(|names| names.contains(name))
    }

    /// Refuses patterns that took no node: one that is misspelt would otherwise pass for a fleet in which all is well.
    pub fn refuse_none(&self, taken: usize) -> Result<(), String> {
        if taken > 0 || self.patterns.is_empty() {
            return Ok(());
        }
        let patterns = self.patterns.join(", ");
        Err(format!(
            "--nodes {patterns}: no node has such a name\n  hint: * stands for any part of a name, as in 'web*'"
        ))
    }
}

/// What was in a file of facts.
#[derive(Debug)]
pub struct FactsRead {
    /// What the file was like before it was read.
    pub stamp: Option<Stamp>,
    /// Its text.
    pub content: Option<Vec<u8>>,
    /// The facts in it, or why there are none.
    facts: Result<Vec<FactFile>, String>,
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
    /// If there are no facts, a list of names is enough.
    pub fn new(
        target: &'t Target,
        control: impl Into<Control<'t>>,
        compiler: &'t Compiler,
        selection: Selection,
    ) -> Result<Fleet<'t>, Unfit> {
        let control = control.into();
        let (place, is_given) = target.fact_place(control);
        let sources = match target.fact_control(control).revision {
            Some(world) => Some(fact_files_of(world, &place)?),
            None if place.is_file() => Some(vec![place]),
            None if !is_given && !place.is_dir() => None,
            None => Some(fact_files(&place)?),
        };
        let ground = target.ground(control)?;
        let mut fleet = Fleet {
            target,
            control,
            ground,
            compiler,
            selection,
            sources: Vec::new(),
            sites: Mutex::default(),
        };
        fleet.sources = match sources {
            Some(files) => files.into_iter().map(Source::File).collect(),
            None => {
                let names = match &fleet.selection.names {
                    Some(names) => names.iter().cloned().collect(),
                    None => fleet.defined()?,
                };
                names.into_iter().filter(|name| fleet.selection.takes(name)).map(Source::Name).collect()
            }
        };
        Ok(fleet)
    }

    /// Nodes that are wanted by name and not among these.
    pub fn missing<'n>(&self, known: impl Iterator<Item = &'n str>) -> Vec<String> {
        let mut missing: BTreeSet<&str> = self
            .selection
            .names
            .iter()
            .flatten()
            .map(String::as_str)
            .filter(|name| self.selection.takes(name))
            .collect();
        known.for_each(|name| {
            missing.remove(name);
        });
        missing.into_iter().map(str::to_owned).collect()
    }

    /// What all nodes have in common.
    pub fn site_spec(&self) -> &SiteSpec {
        &self.ground.site
    }

    /// The sites that were needed so far.
    pub fn opened(&self) -> Vec<Arc<Site>> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        sites.values().filter_map(|opening| opening.get()?.as_ref().ok().cloned()).collect()
    }

    /// A node, but for its facts.
    pub fn place_without_facts(&self, name: &str) -> Result<Placed, String> {
        self.ground.place(FactFile { node: Some(name.to_owned()), ..FactFile::default() })
    }

    /// Reads the facts of a source; nodes that are but named have none.
    pub fn read(&self, source: &Source) -> FactsRead {
        self.read_beside(source, None)
    }

    /// The same for a side of a comparison; facts that the other side has in the same words are taken from there.
    pub fn read_beside(&self, source: &Source, other: Option<&FactsRead>) -> FactsRead {
        match source {
            Source::Name(name) => {
                let facts = FactFile { node: Some(name.clone()), ..FactFile::default() };
                FactsRead { stamp: None, content: None, facts: Ok(vec![facts]) }
            }
            Source::File(file) => {
                // Asked before the file is read: what is written in between shows as a change.
                let stamp = self.compiler.world().stamp(file);
                let mut content = None;
                let read = || {
                    let bytes = self.target.fact_text(self.control, file)?;
                    let facts = match other {
                        Some(FactsRead { content: Some(text), facts: Ok(facts), .. }) if *text == bytes => {
                            Ok(facts.clone())
                        }
                        _ => FactFile::parse(&bytes, &file.display().to_string()),
                    };
                    content = Some(bytes);
                    facts
                };
                let facts = kukla::caught(read).unwrap_or_else(|failure| Err(failure.to_string()));
                FactsRead { stamp, content, facts }
            }
        }
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
    pub fn members(&self, source: &Source, read: FactsRead) -> Vec<Member> {
        let told = source.to_string();
        // A file that does not say whose facts it holds is named after the node.
        let own_name = || match source {
            Source::Name(name) => Some(name.clone()),
            Source::File(file) => file.file_stem().map(|stem| stem.to_string_lossy().into_owned()),
        };
        match read.facts {
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
                    Member { name, source: told.clone(), placed: self.ground.place(facts) }
                };
                nodes.into_iter().map(member).collect()
            }
            // One bad file is the misfortune of one node.
            Err(problem) => {
                vec![Member { name: own_name().unwrap_or_default(), source: told, placed: Err(problem) }]
            }
        }
    }

    /// All nodes that are wanted, one after the other.
    pub fn nodes(&self) -> impl Iterator<Item = Member> {
        let members = self.sources.iter().flat_map(|source| self.members(source, self.read(source)));
        members.filter(|member| self.selection.takes(&member.name))
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

fn fact_files_of(world: &dyn World, directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = world.list(directory);
    only_facts(directory, entries.into_iter().map(|entry| directory.join(entry.name)).collect())
}

fn fact_files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(directory).map_err(|error| {
        format!(
            "{}\n  hint: --facts names a file or a directory of fact files, one for each node",
            files::problem(directory, &error)
        )
    })?;
    only_facts(directory, entries.flatten().map(|entry| entry.path()).collect())
}

fn only_facts(directory: &Path, mut paths: Vec<PathBuf>) -> Result<Vec<PathBuf>, String> {
    paths.retain(|path| {
        path.extension().is_some_and(|ending| ending == "json" || ending == "yaml" || ending == "yml")
    });
    paths.sort();
    match paths.is_empty() {
        true => Err(format!("{}: no fact files (.json, .yaml) here", directory.display())),
        false => Ok(paths),
    }
}
