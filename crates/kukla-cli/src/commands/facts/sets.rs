//! `kukla facts list`, `show` and `export`: the fact sets.

use std::path::PathBuf;

use kukla::certname;
use kukla::facts::machine::FactSet;
use kukla::syntax::Problem;

use super::{Format, print_chosen};
use crate::output::{self, errln};
use crate::render::table::Table;
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// Name of the set
    name: String,
    /// Facts to print, by dotted names [default: all]
    #[arg(value_name = "FACT")]
    queries: Vec<String>,
    /// Name of the node, which its addresses follow from [default: SET.example.com]
    #[arg(long, short, value_name = "NAME")]
    node: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// Names of the sets
    #[arg(required = true, value_name = "SET")]
    names: Vec<String>,
    /// Directory to write the files to
    #[arg(long, short, value_name = "DIR", default_value = "facts")]
    output: PathBuf,
    /// Names of the nodes, one file each [default: SET.example.com]
    #[arg(long = "node", short, value_name = "NAME", value_delimiter = ',')]
    nodes: Vec<String>,
}

/// Prints the names of all sets.
pub fn list() -> CommandResult {
    let mut table = Table::default();
    table.row(["name", "os", "release", "kernel", "architecture"]);
    for set in FactSet::all() {
        let (os, release) = set.os();
        table.row([set.name().as_str(), os, release, set.kernel().as_str(), set.architecture()]);
    }
    output::write_document(&table.text());
    Ok(ExitKind::Success)
}

/// Prints facts of a set.
pub fn show(args: &ShowArgs) -> CommandResult {
    let set = FactSet::require(&args.name)?;
    let node = args.node.clone().unwrap_or_else(|| set.default_node());
    certname::check(&node).map_err(|wrong| Problem::from(wrong).on("--node"))?;
    Ok(print_chosen(set.facts(&node), &args.queries, args.format))
}

/// Writes the facts of nodes that have a set.
pub fn export(args: &ExportArgs) -> CommandResult {
    if args.names.len() > 1 && !args.nodes.is_empty() {
        return Err(Problem::invalid("--node names nodes of one set").help("export the sets one by one"));
    }
    let mut files = Vec::new();
    for name in &args.names {
        let set = FactSet::require(name)?;
        let own = [set.default_node()];
        let nodes = if args.nodes.is_empty() { &own[..] } else { &args.nodes };
        for node in nodes {
            certname::check(node).map_err(|wrong| Problem::from(wrong).on("--node"))?;
            files.push((args.output.join(format!("{node}.json")), super::pretty(&set.facts(node))));
        }
    }
    std::fs::create_dir_all(&args.output).map_err(|error| Problem::io("create", &args.output, &error))?;
    output::write_files(&files)?;
    errln!("kukla: wrote the facts of {} to {}", super::count(files.len()), args.output.display());
    Ok(ExitKind::Success)
}
