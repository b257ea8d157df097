//! `kukla facts`: the facts of this machine, fact sets, and the facts of nodes.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kukla::facts::machine::{self, Sources};
use kukla::syntax::{Problem, suggest};
use kukla::values::{Hash, Shown, Value, format};
use kukla::world::Guarded;
use kukla::world::policy::{Access, Clock, Commands, Files, Randomness, Reach, Variables, Writes};
use kukla::{Compiler, DiskWorld, Policy, SiteSpec};

use crate::output::{self, errln};
use crate::render::ValueFormat;
use crate::render::table::Table;
use crate::{CommandResult, ExitKind};

mod pull;
mod sets;

#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  kukla facts os.family networking.ip
  kukla facts --format json > facts/here.json
  kukla facts list                                          the fact sets that --facts of other commands accepts
  kukla facts pull --store sqlite:store.db                  the facts of your nodes
  kukla facts --in ~/control --commands on                  with the facts of a control repository's modules"
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<FactsCommand>,
    /// Facts to print, by dotted names [default: all]
    #[arg(value_name = "FACT")]
    queries: Vec<String>,
    /// Include the facts of this control repository's modules
    #[arg(long = "in", short = 'C', value_name = "PATH")]
    path: Option<PathBuf>,
    /// Directories of modules, separated by colons [default: from environment.conf]
    #[arg(long, value_name = "DIR:DIR", value_delimiter = ':')]
    modulepath: Vec<PathBuf>,
    /// Include custom facts, written in Ruby, from this directory
    #[arg(long, value_name = "DIR")]
    custom_dir: Vec<PathBuf>,
    /// Include external facts from this directory
    #[arg(long, value_name = "DIR")]
    external_dir: Vec<PathBuf>,
    /// Include legacy facts
    #[arg(long)]
    legacy: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Commands that custom and external facts may run: off, on, or names and absolute paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "off")]
    commands: Commands,
    /// Files that custom and external facts may read: repository (the directories of facts and modules that the options name) or any;
    /// append further paths, separated by commas
    #[arg(long, value_name = "POLICY", default_value = "any")]
    files: Files,
    /// Environment variables that custom facts may read: off, on, or names separated by commas [default: on; off with --files
    /// repository]
    #[arg(long, value_name = "POLICY")]
    env: Option<Variables>,
}

#[derive(Debug, clap::Subcommand)]
enum FactsCommand {
    /// List the fact sets: the systems and architectures that --facts accepts by name
    List,
    /// Print the facts of a fact set
    Show(sets::ShowArgs),
    /// Write the facts of a fact set to files, one for each node
    Export(sets::ExportArgs),
    /// Write the facts of nodes from a store, PuppetDB, a puppetserver or files to the directory `facts`
    Pull(pull::PullArgs),
}

/// The output format of facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line per value, with its dotted name
    #[default]
    Table,
    /// One JSON document
    Json,
    /// One YAML document
    Yaml,
}

/// Runs the subcommand, or gathers and prints the facts of this machine.
pub fn run(args: &Args) -> CommandResult {
    match &args.command {
        None => gather(args),
        Some(FactsCommand::List) => sets::list(),
        Some(FactsCommand::Show(args)) => sets::show(args),
        Some(FactsCommand::Export(args)) => sets::export(args),
        Some(FactsCommand::Pull(args)) => pull::run(args),
    }
}

fn gather(args: &Args) -> CommandResult {
    let sources = sources(args)?;
    let default = if args.files.reach == Reach::Any { Variables::On } else { Variables::Off };
    let policy = Policy {
        files: args.files.clone(),
        writes: Writes::Off,
        commands: args.commands.clone(),
        variables: args.env.clone().unwrap_or(default),
        network: Access::Off,
        clock: Clock::On,
        randomness: Randomness::On,
        started: None,
        answers: None,
        ruby: None,
    };
    let world = Guarded::new(DiskWorld::default(), policy);
    let named = args.path.iter().chain(&args.modulepath).chain(&args.custom_dir).chain(&args.external_dir);
    named.for_each(|path| world.admit(path));
    let gathered = machine::gather(&DiskWorld::default(), &world, &sources);
    for problem in &gathered.problems {
        errln!("kukla: {problem}");
    }
    Ok(print_chosen(gathered.facts, &args.queries, args.format))
}

/// Prints the facts that queries choose; unknown ones are findings.
fn print_chosen(facts: Hash, queries: &[String], format: Format) -> ExitKind {
    let mut missing = false;
    let facts = if queries.is_empty() {
        facts
    } else {
        let mut chosen = Hash::new();
        for query in queries {
            match machine::dig(&facts, query) {
                Some(value) => drop(chosen.insert(query.as_str(), value)),
                None => {
                    output::report(&unknown(query, &facts));
                    missing = true;
                }
            }
        }
        chosen
    };
    output::write_document(&print(&facts, queries, format));
    ExitKind::findings_if(missing)
}

/// Prints facts, one line per value, those that queries choose or all.
pub fn print_table(facts: Hash, queries: &[String]) {
    print_chosen(facts, queries, Format::Table);
}

/// A number of nodes.
fn count(nodes: usize) -> String {
    if nodes == 1 { "1 node".to_owned() } else { format!("{nodes} nodes") }
}

fn unknown(query: &str, facts: &Hash) -> Problem {
    let problem = Problem::not_found("unknown fact").on(format!("'{query}'"));
    let (first, rest) = query.split_at(query.find('.').unwrap_or(query.len()));
    match suggest::nearest(first, facts.keys().filter_map(Value::as_str)) {
        Some(near) => problem.help(format!("did you mean '{near}{rest}'?")),
        None => problem,
    }
}

/// The directories that facts are read from.
fn sources(args: &Args) -> Result<Sources, Problem> {
    let mut sources = Sources {
        legacy: args.legacy,
        custom: args.custom_dir.clone(),
        external: args.external_dir.clone(),
        ..Sources::default()
    };
    if args.path.is_none() && args.modulepath.is_empty() {
        return Ok(sources);
    }
    let mut spec = SiteSpec::at(args.path.as_deref().unwrap_or(Path::new(".")));
    if !args.modulepath.is_empty() {
        spec.modulepath = Some(args.modulepath.clone());
    }
    let site = Compiler::default().open(&spec)?;
    for module in site.environment.modules() {
        sources.custom.push(module.root.join("lib/facter"));
        sources.libraries.push(module.root.join("lib"));
        sources.external.push(module.root.join("facts.d"));
    }
    Ok(sources)
}

fn print(facts: &Hash, queries: &[String], format: Format) -> String {
    match format {
        Format::Json => pretty(facts),
        Format::Yaml => ValueFormat::Yaml.print(&Shown::of(&Value::Hash(facts.clone()))) + "\n",
        // A single value needs no name.
        Format::Table if queries.len() == 1 && facts.len() == 1 => match facts.iter().next() {
            Some((_, Value::Hash(inside))) => pretty(inside),
            Some((_, list @ Value::Array(_))) => ValueFormat::Json.print(&list.into()) + "\n",
            Some((_, value)) => format!("{}\n", format::to_s(value)),
            None => String::new(),
        },
        Format::Table => {
            let mut rows = Vec::new();
            flatten(&mut rows, "", &Value::Hash(facts.clone()));
            let mut table = Table::default().with_limit(48);
            rows.into_iter().for_each(|(name, value)| table.row([name, value]));
            table.text()
        }
    }
}

fn pretty(facts: &Hash) -> String {
    let json = Shown::of(&Value::Hash(facts.clone())).to_json();
    serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"
}

fn flatten(rows: &mut Vec<(String, String)>, name: &str, value: &Value) {
    let inside = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Value::Hash(entries) if !entries.is_empty() => {
            entries.iter().for_each(|(key, value)| flatten(rows, &inside(&format::to_s(key)), value));
        }
        Value::Array(elements) if elements.iter().any(|one| matches!(one, Value::Hash(_))) => {
            let numbered = elements.iter().enumerate();
            numbered.for_each(|(at, value)| flatten(rows, &inside(&at.to_string()), value));
        }
        Value::Array(_) | Value::Hash(_) => {
            rows.push((name.to_owned(), ValueFormat::Json.print(&value.into())))
        }
        other => rows.push((name.to_owned(), format::to_s(other).to_string())),
    }
}
