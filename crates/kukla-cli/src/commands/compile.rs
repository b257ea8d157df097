//! `kukla compile`: the catalog of a node, or of all nodes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use kukla::eval::settings::LogLevel;
use kukla::fleet::{
    FailOn as Failing, FleetCompiler, FleetProfile, NodeCompilation, NodeCompileOptions, store_node,
};
use kukla::policies::Policies;
use kukla::syntax::Problem;
use kukla::{Catalog, Compiled, Cycles, Diagnostic, DiskWorld};

use super::fleet::{self, SelectionArgs};
use super::target::{Target, choose_with_code};
use crate::memory::keep_until_exit;
use crate::output::{self, err};
use crate::render::failure::{self, ErrorFormat};
use crate::render::graph;
use crate::{CommandResult, ExitKind};

mod all;
mod formats;
mod profile;
mod report;
pub mod watch;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla compile --facts facts/web1.json                     one node, in the current directory
  kukla compile ~/control --node web1.example.com --facts web1.yaml --format summary
  kukla compile -e 'notify { hello: }' --node test
  kukla compile --all --facts facts/ --output catalogs/     every node with facts
  kukla compile --all --nodes 'web*' --cache ~/.cache/kukla  some nodes, and only those whose inputs changed
  kukla compile --all --store sqlite:store.db               nodes that collect exported resources
  kukla compile --all --format junit > catalogs.xml         for a CI server
  kukla compile --all --watch                               the catalogs that each edit changes
  kukla compile --all --profile=flame.html                  a flame graph of the time
  kukla compile --format svg > catalog.svg                  an image of the catalog, or of its dependency cycles")]
pub struct Args {
    /// Control repository (a directory with manifests, modules, hiera.yaml), or a manifest
    #[arg(default_value = ".")]
    path: PathBuf,
    /// The same as PATH, as other commands take it
    #[arg(long = "in", short = 'C', value_name = "PATH", conflicts_with = "path")]
    repository: Option<PathBuf>,
    #[command(flatten)]
    target: Target,
    /// Output format of the catalog: json, yaml, summary, dot or svg; with --all, of the results of all nodes: table, json, jsonl, junit or
    /// github
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Output format of errors and messages
    #[arg(long, value_enum, default_value_t, conflicts_with = "all")]
    errors: ErrorFormat,
    /// Compile every node with facts in --facts, a file or a directory; without facts, every node named in a node definition
    #[arg(long, conflicts_with = "node")]
    all: bool,
    #[command(flatten)]
    selection: SelectionArgs,
    /// With --all: stop at the first node that fails
    #[arg(long, requires = "all")]
    fail_fast: bool,
    /// With --all: cache catalogs and their inputs in DIR, and compile only nodes whose inputs have changed. The cache holds
    /// everything that is in the catalogs, secrets included
    #[arg(long, value_name = "DIR", requires = "all")]
    cache: Option<PathBuf>,
    /// With --cache: print on standard error why each node was compiled
    #[arg(long, requires = "cache")]
    explain_cache: bool,
    /// With --all: write each catalog to DIR/NODE.json
    #[arg(long, value_name = "DIR", requires = "all")]
    output: Option<PathBuf>,
    /// Also write the origin of each attribute's value, as JSON: to FILE, or after the catalog with '-'
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    provenance: Option<PathBuf>,
    /// With --all: watch files, compile again the nodes that an edit affects, and print the changes of their catalogs. Catalogs are
    /// cached in --cache [default: ~/.cache/kukla]
    #[arg(long, requires = "all", conflicts_with = "fail_fast")]
    watch: bool,
    /// Print where the time went, as a table on standard error; --profile=FILE writes a page with a flame graph to
    /// FILE.html, an image to FILE.svg, JSON to FILE.json, a profile for speedscope.app to FILE.speedscope.json, or folded stacks to
    /// FILE.folded. With --cache only nodes that were compiled count, with --watch those of each edit
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    profile: Option<PathBuf>,
    /// Keep virtual resources that nothing collected
    #[arg(long)]
    keep_virtual: bool,
    /// Also report values that the node's agent would refuse; types written in Ruby are checked by running their code
    #[arg(long)]
    validate: bool,
    /// Check the policies in PATH, a file or a directory with `*.pp` files (see docs/manual/test.md); can be repeated
    #[arg(long, value_name = "PATH")]
    policy: Vec<PathBuf>,
    /// Also count these as failures, although a server accepts them
    #[arg(long, value_enum, value_name = "WHAT")]
    fail_on: Vec<FailOn>,
}

impl Args {
    /// The control repository, or the manifest.
    fn path(&self) -> &Path {
        self.repository.as_ref().unwrap_or(&self.path)
    }
}

/// The output format of a catalog.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// The document that an agent receives
    #[default]
    Json,
    /// The same as YAML
    Yaml,
    /// Classes and counts of resources
    Summary,
    /// A graph for Graphviz; of a catalog with dependency cycles only the resources in them
    Dot,
    /// The same graph as an image
    Svg,
}

/// Results that can be made failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Dependency cycles, which an agent refuses to apply (always failures)
    Cycles,
    /// Warnings
    Warnings,
}

impl Args {
    /// The value of `--format`, one of those for the command.
    fn format<F: ValueEnum + Default>(&self) -> Result<F, Problem> {
        let Some(text) = &self.format else { return Ok(F::default()) };
        F::from_str(text, false).map_err(|_| {
            let known = F::value_variants()
                .iter()
                .filter_map(|one| Some(one.to_possible_value()?.get_name().to_owned()));
            let known = known.collect::<Vec<_>>().join(", ");
            let with = if self.all { "with --all" } else { "without --all" };
            Problem::invalid("invalid --format").on(text).because(format!("expected one of {known} {with}"))
        })
    }

    /// The policies to check.
    fn policies(&self) -> Result<Arc<Policies>, Problem> {
        Policies::find(&DiskWorld::default(), &self.policy).map(Arc::new)
    }

    /// The results that count as failures.
    fn failing(&self) -> Failing {
        Failing { cycles: true, warnings: self.fail_on.contains(&FailOn::Warnings) }
    }
}

/// Compiles and prints.
pub fn run(args: &Args) -> CommandResult {
    match args.all {
        true => all::run(args),
        false => one(args),
    }
}

fn one(args: &Args) -> CommandResult {
    let format = args.format::<Format>()?;
    if args.output.is_some() {
        return Err(Problem::invalid("--output requires --all")
            .help("the catalog of one node goes to standard output"));
    }
    args.selection.require_all(args.all)?;
    let options = args.target.options(args.path())?;
    let compiler = keep_until_exit(FleetCompiler::new(&options)?);
    let node = choose_with_code(&options)?;
    let node_options = NodeCompileOptions {
        keep_virtual: args.keep_virtual,
        is_stored: options.store.is_some(),
        validate: args.validate,
        provenance: args.provenance.is_some(),
        profile: args.profile.is_some(),
        policies: args.policies()?,
        ..NodeCompileOptions::default()
    };
    let site = compiler.compiler.open(&node.site);
    let compilation = keep_until_exit(NodeCompilation::new(&site, &node, &node_options));
    let failed = print_messages(args, &node.node.name, &compilation);
    if failed {
        fleet::report_commands(&compiler.commands_to_allow(&options, [node.clone()])?);
    }
    let Ok(Compiled { catalog, provenance, profile, .. }) = &compilation.outcome.result else {
        return Ok(ExitKind::Findings);
    };
    if let (Some(path), Some(profile)) = (&args.profile, profile) {
        profile::show(&FleetProfile::of(&node.node.name, profile), path)?;
    }
    if failed {
        let cycles = &compilation.cycles.all;
        let drawn = || catalog.cycle_graph(cycles);
        match format {
            Format::Dot if !cycles.is_empty() => output::write_document(&drawn().to_dot(&catalog.name)),
            Format::Svg if !cycles.is_empty() => output::write_document(&graph::svg(&drawn())),
            _ => {}
        }
        return Ok(ExitKind::Findings);
    }
    if let (Some(store), Some(catalog)) = (&options.store, &compilation.to_store) {
        store_node(&**store, &node, catalog)?;
    }
    let mut out = print(catalog, format);
    if let (Some(path), Some(trails)) = (&args.provenance, provenance) {
        let text = format!("{}\n", kukla::provenance::document(&node.node.name, trails));
        if path.as_os_str() == "-" {
            out += &text;
        } else {
            output::write_file(path, text.as_bytes())?;
        }
    }
    output::write_document(&out);
    Ok(ExitKind::Success)
}

fn print(catalog: &Catalog, format: Format) -> String {
    match format {
        Format::Json => catalog.to_json() + "\n",
        Format::Yaml => catalog.to_yaml(),
        Format::Summary => catalog.to_summary(),
        Format::Dot => catalog.graph().to_dot(&catalog.name),
        Format::Svg => graph::svg(&catalog.graph()),
    }
}

/// Prints log messages and errors; whether they make the compilation a failure.
fn print_messages(args: &Args, node: &str, compilation: &NodeCompilation) -> bool {
    let mut out = String::new();
    let NodeCompilation { outcome, refused, violations, .. } = compilation;
    failure::logs(&mut out, &outcome.logs, args.errors);
    let has_warnings = outcome.logs.iter().any(|log| log.level == LogLevel::Warning);
    let mut failed = (has_warnings && args.failing().warnings) || !refused.is_empty();
    refused.iter().chain(violations).for_each(|found| failure::render(&mut out, found, node, args.errors));
    failed |= violations.iter().any(Diagnostic::is_error);
    match &outcome.result {
        Err(failure) => {
            failure::render(&mut out, failure, node, args.errors);
            failed = true;
        }
        Ok(_) => {
            let Cycles { all, edges } = &compilation.cycles;
            for cycle in all {
                let diagnostic = report::cycle(cycle, node);
                report::render_cycle(&mut out, &diagnostic, cycle, edges, args.errors);
            }
            failed |= !all.is_empty();
        }
    }
    err!("{out}");
    failed
}
