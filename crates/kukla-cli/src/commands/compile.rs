//! `kukla compile`: the catalog of a node, or of all of them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::ValueEnum;
use kukla::eval::settings::LogLevel;
use kukla::{Catalog, CompileOptions, Compiled, Compiler, Diagnostic, Outcome as Compilation, Site};
use rayon::prelude::*;

use super::fleet::{self, Fleet, Member};
use super::target::{Placed, Target};
use crate::Outcome;
use crate::memory::for_good;
use crate::output::{self, Pending, err, outln};
use crate::render::failure::{self, ErrorFormat};

/// Compile the catalog of a node, as a Puppet server would
///
/// The catalog goes to standard output, everything else to standard error. Exit status: 0 compiled, 1 the code or data is at
/// fault, 2 the command could not run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla compile --facts facts/web1.json                     the environment in the current directory
  kukla compile ~/control --node web1.example.com --facts web1.yaml --format summary
  kukla compile -e 'notify { hello: }' --node test
  kukla compile --all --facts facts/ --output catalogs/     every node there are facts for")]
pub struct Args {
    /// The control repository (a directory with manifests, modules, hiera.yaml), or a manifest
    #[arg(default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    target: Target,
    /// How to print the catalog
    #[arg(long, value_enum, default_value_t, conflicts_with = "all")]
    format: Format,
    /// How to print errors and messages
    #[arg(long, value_enum, default_value_t, conflicts_with = "all")]
    errors: ErrorFormat,
    /// Compile every node that --facts, a file or a directory, has facts of; without facts, every node that is named in a
    /// node definition
    #[arg(long, conflicts_with = "node")]
    all: bool,
    /// With --all: write each catalog to DIR/NODE.json
    #[arg(long, value_name = "DIR", requires = "all")]
    output: Option<PathBuf>,
    /// Also write where each attribute got its value, as JSON: to a file, or behind the catalog with '-'
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    provenance: Option<PathBuf>,
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

/// Compiles and prints.
pub fn run(args: &Args) -> Outcome {
    let outcome = args.target.compiler().map(for_good).and_then(|compiler| match args.all {
        true => all(args, &compiler),
        false => one(args, &compiler),
    });
    outcome.unwrap_or_else(|problem| Outcome::unable(&problem))
}

fn one(args: &Args, compiler: &Compiler) -> Result<Outcome, String> {
    if args.output.is_some() {
        return Err("--output is for --all; the catalog of one node goes to standard output".into());
    }
    let placed = args.target.placed_with_code(&args.path)?;
    let site = compiler.open(&placed.site);
    let compilation = for_good(compile(args, site.clone(), &placed));
    let refused = refused(args, site.as_ref().ok(), &placed, &compilation);
    let failed = report(args, &placed.node.name, &compilation, &refused);
    let Ok(Compiled { catalog, provenance, .. }) = &compilation.result else { return Ok(Outcome::Found) };
    if failed {
        return Ok(Outcome::Found);
    }
    let mut out = print(catalog, args.format);
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
        keep_virtual: args.keep_virtual,
        provenance: args.provenance.is_some(),
        ..CompileOptions::default()
    };
    match site {
        Ok(site) => site.compile_with(&placed.node, options),
        Err(failure) => failure.into(),
    }
}

/// What the agent would refuse, if that was asked for.
fn refused(
    args: &Args,
    site: Option<&Arc<Site>>,
    placed: &Placed,
    compilation: &Compilation<Compiled>,
) -> Vec<Diagnostic> {
    match (site, &compilation.result) {
        (Some(site), Ok(compiled)) if args.validate => site.validate(&placed.node, &compiled.catalog),
        _ => Vec::new(),
    }
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

fn all(args: &Args, compiler: &Compiler) -> Result<Outcome, String> {
    crate::make_pool();
    let fleet = match Fleet::new(&args.target, &args.path, compiler) {
        Ok(fleet) => fleet,
        Err(unfit) => return unfit.told(),
    };
    if let Some(directory) = &args.output {
        std::fs::create_dir_all(directory).map_err(|error| crate::files::problem(directory, &error))?;
    }
    let progress = Progress::new(fleet.sources.len());
    let rows: Vec<Result<Row, String>> = fleet
        .sources
        .par_iter()
        .flat_map(|source| {
            let members = fleet.members(source);
            progress.expect(members.len());
            members
        })
        .map(|Member { name, source, placed }| {
            let row = match placed {
                Ok(placed) => {
                    let site = fleet.site(&placed);
                    let compilation = compile(args, site.clone(), &placed);
                    let refused = refused(args, site.as_ref().ok(), &placed, &compilation);
                    row(args, &name, compilation, &refused)
                }
                Err(outcome) => Ok(Row::failed(&name, 0, outcome)),
            };
            progress.step(&name);
            row.map(|row| Row { source, ..row })
        })
        .collect();
    progress.clear();
    let mut rows: Vec<Row> = rows.into_iter().collect::<Result<_, _>>()?;
    let twice = fleet::twice(rows.iter().map(|row| (row.node.as_str(), row.source.as_str())));
    for row in &mut rows {
        if let Some(problem) = twice.get(&row.node) {
            *row = Row::failed(&row.node, row.warnings, problem.clone());
        }
        // Catalogs get their names when there is no doubt left about any of them.
        row.catalog.take().map_or(Ok(()), Pending::finish)?;
    }
    let width = rows.iter().map(|row| row.node.len()).max().unwrap_or(0).max(4);
    outln!("{:width$}  resources  edges  warnings  outcome", "node");
    for row in &rows {
        let Row { node, resources, edges, warnings, outcome, .. } = row;
        outln!("{node:width$}  {resources:9}  {edges:5}  {warnings:8}  {outcome}");
    }
    let failed = rows.iter().filter(|row| row.failed).count();
    outln!("{} compiled, {failed} failed", rows.len() - failed);
    Ok(if failed > 0 { Outcome::Found } else { Outcome::Done })
}

/// One node of the summary.
#[derive(Default)]
struct Row {
    node: String,
    resources: usize,
    edges: usize,
    warnings: usize,
    outcome: String,
    failed: bool,
    /// Where the node comes from.
    source: String,
    /// The catalog, if it is to be a file.
    catalog: Option<Pending>,
}

impl Row {
    fn failed(node: &str, warnings: usize, outcome: String) -> Row {
        Row { node: node.to_owned(), warnings, outcome, failed: true, ..Row::default() }
    }
}

fn row(
    args: &Args,
    node: &str,
    compilation: Compilation<Compiled>,
    refused: &[Diagnostic],
) -> Result<Row, String> {
    let warnings = compilation.logs.iter().filter(|log| log.level == LogLevel::Warning).count();
    match compilation.result {
        Ok(_) if !refused.is_empty() => {
            let more = match refused.len() {
                1 => String::new(),
                n => format!(" (and {} more)", n - 1),
            };
            let code = refused[0].code.name;
            Ok(Row::failed(node, warnings, format!("{}{more} [{code}]", refused[0])))
        }
        Ok(Compiled { catalog, .. }) => {
            let cycles = catalog.cycles().len();
            let failed = (cycles > 0 && args.fail_on.contains(&FailOn::Cycles))
                || (warnings > 0 && args.fail_on.contains(&FailOn::Warnings));
            let write = |directory: &PathBuf| {
                Pending::write(&directory.join(format!("{node}.json")), catalog.to_json().as_bytes())
            };
            let outcome = match cycles {
                0 => "compiled".to_owned(),
                1 => "compiled, 1 dependency cycle".to_owned(),
                n => format!("compiled, {n} dependency cycles"),
            };
            Ok(Row {
                node: node.to_owned(),
                resources: catalog.resources.len(),
                edges: catalog.edges.len(),
                warnings,
                outcome,
                failed,
                source: String::new(),
                catalog: args.output.as_ref().map(write).transpose()?,
            })
        }
        Err(failure) => {
            let code = failure.root().code.name;
            Ok(Row::failed(node, warnings, format!("{failure} [{code}]")))
        }
    }
}

/// How far a long run has come, on one line of the terminal.
struct Progress {
    total: AtomicUsize,
    done: AtomicUsize,
    shown: bool,
}

impl Progress {
    /// Begins with one node for each source.
    fn new(sources: usize) -> Progress {
        Progress { total: sources.into(), done: AtomicUsize::new(0), shown: is_terminal() }
    }

    /// Takes note of how many nodes a source has.
    fn expect(&self, nodes: usize) {
        self.total.fetch_add(nodes, Ordering::Relaxed);
        self.total.fetch_sub(1, Ordering::Relaxed);
    }

    fn step(&self, node: &str) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.shown {
            let total = self.total.load(Ordering::Relaxed).max(1);
            let filled = (done * 30 / total).min(30);
            err!("\r\x1b[2K[{:30}] {done}/{total} {node}", "#".repeat(filled));
        }
    }

    fn clear(&self) {
        if self.shown {
            err!("\r\x1b[2K");
        }
    }
}

fn is_terminal() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stderr())
}
