//! `kukla facts`: the facts of this machine.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kukla::facts::machine::{self, Sources};
use kukla::values::{Hash, Value, format};
use kukla::world::Guarded;
use kukla::world::policy::{Access, Commands, Files, Reach, Variables, Writes};
use kukla::{Compiler, DiskWorld, Policy, SiteSpec};

use crate::Outcome;
use crate::output::{self, errln};
use crate::render::ValueFormat;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla facts os.family networking.ip
  kukla facts --format json > facts/here.json
  kukla facts --in ~/control --commands on                  with the facts of a control repository's modules")]
pub struct Args {
    /// Facts to print, by dotted names; all without any
    #[arg(value_name = "FACT")]
    queries: Vec<String>,
    /// The control repository whose modules may have facts
    #[arg(long = "in", short = 'C', value_name = "PATH")]
    path: Option<PathBuf>,
    /// Directories of modules, separated by colons; by default what environment.conf says
    #[arg(long, value_name = "DIR:DIR", value_delimiter = ':')]
    modulepath: Vec<PathBuf>,
    /// A directory of facts in Ruby
    #[arg(long, value_name = "DIR")]
    custom_dir: Vec<PathBuf>,
    /// A directory of external facts
    #[arg(long, value_name = "DIR")]
    external_dir: Vec<PathBuf>,
    /// Also the names that facts had before they were structured
    #[arg(long)]
    legacy: bool,
    /// How to print facts
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Commands that facts in Ruby and external facts may run: off, on, or names and absolute paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "off")]
    commands: Commands,
}

/// How facts are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each value, with its dotted name
    #[default]
    Table,
    /// One document of JSON
    Json,
    /// One document of YAML
    Yaml,
}

/// Finds out and prints.
pub fn run(args: &Args) -> Outcome {
    let sources = match sources(args) {
        Ok(sources) => sources,
        Err(problem) => return Outcome::unable(&problem),
    };
    let policy = Policy {
        files: Files { reach: Reach::Any, also: Vec::new() },
        writes: Writes::Off,
        commands: args.commands.clone(),
        variables: Variables::On,
        network: Access::Off,
        clock: Access::On,
        randomness: Access::On,
        answers: None,
        ruby: None,
    };
    let gathered =
        machine::gather(&DiskWorld::default(), &Guarded::new(DiskWorld::default(), policy), &sources);
    for problem in &gathered.problems {
        errln!("kukla: {problem}");
    }
    let mut missing = false;
    let facts = if args.queries.is_empty() {
        gathered.facts
    } else {
        let mut asked = Hash::new();
        for query in &args.queries {
            match machine::dig(&gathered.facts, query) {
                Some(value) => drop(asked.insert(query.as_str(), value)),
                None => {
                    errln!("kukla: there is no fact '{query}'");
                    missing = true;
                }
            }
        }
        asked
    };
    output::document(&print(&facts, args));
    if missing { Outcome::Found } else { Outcome::Done }
}

/// Where facts are looked for.
fn sources(args: &Args) -> Result<Sources, String> {
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
    let site = Compiler::default().open(&spec).map_err(|failure| failure.to_string())?;
    for module in site.environment.modules() {
        sources.custom.push(module.root.join("lib/facter"));
        sources.libraries.push(module.root.join("lib"));
        sources.external.push(module.root.join("facts.d"));
    }
    Ok(sources)
}

fn print(facts: &Hash, args: &Args) -> String {
    match args.format {
        Format::Json => pretty(facts),
        Format::Yaml => ValueFormat::Yaml.print(&Value::Hash(facts.clone())) + "\n",
        // A single value needs no name.
        Format::Table if args.queries.len() == 1 && facts.len() == 1 => match facts.iter().next() {
            Some((_, Value::Hash(inside))) => pretty(inside),
            Some((_, list @ Value::Array(_))) => ValueFormat::Json.print(list) + "\n",
            Some((_, value)) => format!("{}\n", format::to_s(value)),
            None => String::new(),
        },
        Format::Table => {
            let mut rows = Vec::new();
            flatten(&mut rows, "", &Value::Hash(facts.clone()));
            let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).min(48);
            rows.iter().map(|(name, value)| format!("{name:width$}  {value}\n")).collect()
        }
    }
}

fn pretty(facts: &Hash) -> String {
    let json = kukla::rpc::rich(&Value::Hash(facts.clone()));
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
        Value::Array(_) | Value::Hash(_) => rows.push((name.to_owned(), ValueFormat::Json.print(value))),
        other => rows.push((name.to_owned(), format::to_s(other).to_string())),
    }
}
