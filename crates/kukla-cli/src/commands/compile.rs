//! `kukla compile`: the catalog of a node, or of all of them.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use kukla::eval::settings::LogLevel;
use kukla::world::record::Recorded;
use kukla::{
    Catalog, CompileOptions, Compiled, Compiler, Diagnostic, DiskWorld, Outcome as Compilation, Site,
};

use kukla_store::{Store, StoreExports};

use super::fleet::Wanted;
use super::target::{Placed, Target};
use crate::Outcome;
use crate::memory::for_good;
use crate::output::{self, err};
use crate::render::failure::{self, ErrorFormat};
use formats::FleetFormat;

mod all;
mod formats;
mod keep;
mod profile;
mod report;
mod shared;
mod watch;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla compile --facts facts/web1.json                     the environment in the current directory
  kukla compile ~/control --node web1.example.com --facts web1.yaml --format summary
  kukla compile -e 'notify { hello: }' --node test
  kukla compile --all --facts facts/ --output catalogs/     every node there are facts for
  kukla compile --all --nodes 'web*' --cache ~/.cache/kukla  some of them, and only what has changed since the last time
  kukla compile --all --store sqlite:store.db               nodes that collect what others export
  kukla compile --all --format junit > catalogs.xml         for a CI server
  kukla compile --all --watch                               what each edit changes, as it is made
  kukla compile --all --profile=flame.svg                   where the time goes")]
pub struct Args {
    /// The control repository (a directory with manifests, modules, hiera.yaml), or a manifest
    #[arg(default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    target: Target,
    /// How to print the catalog: json, yaml, summary or dot; with --all, how to print what came of the nodes: table, json, jsonl,
    /// junit or github
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// How to print errors and messages
    #[arg(long, value_enum, default_value_t, conflicts_with = "all")]
    errors: ErrorFormat,
    /// Compile every node that --facts, a file or a directory, has facts of; without facts, every node that is named in a
    /// node definition
    #[arg(long, conflicts_with = "node")]
    all: bool,
    #[command(flatten)]
    wanted: Wanted,
    /// With --all: compile no more nodes after the first that fails
    #[arg(long, requires = "all")]
    fail_fast: bool,
    /// With --all: keep catalogs and what they rest on in DIR, and compile only nodes for which something has changed. It holds
    /// what the catalogs hold, secrets too
    #[arg(long, value_name = "DIR", requires = "all")]
    cache: Option<PathBuf>,
    /// With --cache: say on standard error why each node was compiled
    #[arg(long, requires = "cache")]
    explain_cache: bool,
    /// With --all: write each catalog to DIR/NODE.json
    #[arg(long, value_name = "DIR", requires = "all")]
    output: Option<PathBuf>,
    /// Also write where each attribute got its value, as JSON: to a file, or behind the catalog with '-'
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    provenance: Option<PathBuf>,
    /// With --all: go on watching files, compile again what an edit touches, and print what it changes; catalogs are kept in --cache, by
    /// default in ~/.cache/kukla
    #[arg(long, requires = "all", conflicts_with = "fail_fast")]
    watch: bool,
    /// Say where the time went, as a table on standard error; --profile=FILE writes a flame graph to FILE.svg, JSON to FILE.json.
    /// With --cache it is the time of the nodes that had to be compiled, with --watch that of each edit
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    profile: Option<PathBuf>,
    /// Keep virtual resources that nothing collected
    #[arg(long)]
    keep_virtual: bool,
    /// Also report values that the node's agent would refuse; resources whose type is written in Ruby are asked by running its code
    #[arg(long)]
    validate: bool,
    /// What counts as a failure although a server would accept it
    #[arg(long, value_enum, value_name = "WHAT")]
    fail_on: Vec<FailOn>,
}

/// How a catalog is printed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// The document that an agent receives
    #[default]
    Json,
    /// The same as YAML
    Yaml,
    /// Classes and numbers of resources
    Summary,
    /// A graph for Graphviz
    Dot,
}

/// What can be made a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Resources that depend on each other in a circle, which an agent refuses to apply
    Cycles,
    /// Anything that is warned about
    Warnings,
}

impl Args {
    /// The value of `--format`, of those that are for what is asked.
    fn format<F: ValueEnum + Default>(&self) -> Result<F, String> {
        let Some(text) = &self.format else { return Ok(F::default()) };
        F::from_str(text, false).map_err(|_| {
            let known = F::value_variants()
                .iter()
                .filter_map(|one| Some(one.to_possible_value()?.get_name().to_owned()));
            let for_what = if self.all { "many nodes" } else { "one node" };
            format!("--format {text}: for {for_what} it is one of {}", known.collect::<Vec<_>>().join(", "))
        })
    }
}

/// Compiles and prints.
pub fn run(args: &Args) -> Outcome {
    let run = || match args.all {
        true => {
            args.format::<FleetFormat>()?;
            if let Some(store) = args.target.store()? {
                return shared::run(args, store);
            }
            let compiler = match args.cache.is_some() || args.watch {
                true => args.target.compiler_of(Recorded::new(DiskWorld::default()), None)?,
                false => args.target.compiler()?,
            };
            all::run(args, &for_good(compiler), None)
        }
        false => {
            args.format::<Format>()?;
            let store = args.target.store()?;
            let compiler = match &store {
                Some(store) => {
                    let exports = Arc::new(StoreExports::new(Arc::clone(store)));
                    args.target.compiler_asking(DiskWorld::default(), None, Some(exports))
                }
                None => args.target.compiler()?,
            };
            one(args, &for_good(compiler), store.as_deref())
        }
    };
    run().unwrap_or_else(|problem| Outcome::unable(&problem))
}

fn one(args: &Args, compiler: &Compiler, store: Option<&dyn Store>) -> Result<Outcome, String> {
    if args.output.is_some() {
        return Err("--output is for --all; the catalog of one node goes to standard output".into());
    }
    args.wanted.refuse_without(args.all)?;
    let placed = args.target.placed_with_code(&args.path)?;
    let site = compiler.open(&placed.site);
    let mut compilation = compile(args, site.clone(), &placed);
    let offered = offered(args, &mut compilation);
    let mut compilation = for_good(compilation);
    let refused = refused(args, site.as_ref().ok(), &placed, &mut compilation);
    let failed = report(args, &placed.node.name, &compilation, &refused);
    let Ok(Compiled { catalog, provenance, profile, .. }) = &compilation.result else {
        return Ok(Outcome::Found);
    };
    if let (Some(place), Some(profile)) = (&args.profile, profile) {
        profile::show(profile, place)?;
    }
    if failed {
        return Ok(Outcome::Found);
    }
    if let (Some(store), Some(offered)) = (store, &offered) {
        shared::store_one(store, &placed, offered)?;
    }
    let mut out = print(catalog, args.format()?);
    if let (Some(path), Some(trails)) = (&args.provenance, provenance) {
        let text = format!("{}\n", kukla::provenance::document(&placed.node.name, trails));
        if path.as_os_str() == "-" {
            out += &text;
        } else {
            output::file(path, text.as_bytes())?;
        }
    }
    output::document(&out);
    Ok(Outcome::Done)
}

fn compile(args: &Args, site: Result<Arc<Site>, Box<Diagnostic>>, placed: &Placed) -> Compilation<Compiled> {
    let options = CompileOptions {
        keep_virtual: args.keep_virtual || args.target.has_store(),
        provenance: args.provenance.is_some(),
        profile: args.profile.is_some(),
        ..CompileOptions::default()
    };
    match site {
        Ok(site) => site.compile_with(&placed.node, options),
        Err(failure) => failure.into(),
    }
}

/// The catalog with what it exports, if that goes to a store; an agent gets it without what nothing collected.
fn offered(args: &Args, compilation: &mut Compilation<Compiled>) -> Option<Catalog> {
    let compiled = compilation.result.as_mut().ok().filter(|_| args.target.has_store())?;
    if args.keep_virtual {
        return Some(compiled.catalog.clone());
    }
    let real = compiled.catalog.without_virtual();
    Some(std::mem::replace(&mut compiled.catalog, real))
}

/// What the agent would refuse, if that was asked for.
fn refused(
    args: &Args,
    site: Option<&Arc<Site>>,
    placed: &Placed,
    compilation: &mut Compilation<Compiled>,
) -> Vec<Diagnostic> {
    let (Some(site), Ok(compiled), true) = (site, &compilation.result, args.validate) else {
        return Vec::new();
    };
    let refused = site.validate(&placed.node, &compiled.catalog);
    if let Some(record) = &mut compilation.record {
        site.note_validation(record);
    }
    refused
}

fn print(catalog: &Catalog, format: Format) -> String {
    match format {
        Format::Json => catalog.to_json() + "\n",
        Format::Yaml => catalog.to_yaml(),
        Format::Summary => catalog.to_summary(),
        Format::Dot => catalog.to_dot(),
    }
}

/// Prints what was logged and what went wrong; whether that makes the compilation a failure.
fn report(args: &Args, node: &str, compilation: &Compilation<Compiled>, refused: &[Diagnostic]) -> bool {
    let mut out = String::new();
    for log in &compilation.logs {
        failure::log(&mut out, log, args.errors);
    }
    let warned = compilation.logs.iter().any(|log| log.level == LogLevel::Warning);
    let mut failed = (warned && args.fail_on.contains(&FailOn::Warnings)) || !refused.is_empty();
    refused.iter().for_each(|wrong| failure::render(&mut out, wrong, node, args.errors));
    match &compilation.result {
        Err(failure) => {
            failure::render(&mut out, failure, node, args.errors);
            failed = true;
        }
        Ok(compiled) => {
            let cycles = compiled.catalog.cycles();
            let fatal = args.fail_on.contains(&FailOn::Cycles);
            for cycle in &cycles {
                let level = if fatal { "error" } else { "warning" };
                out += &format!("{level}[CYCLE]: dependency cycle on {node}: {}\n", cycle.join(" => "));
            }
            failed |= fatal && !cycles.is_empty();
        }
    }
    err!("{out}");
    failed
}
