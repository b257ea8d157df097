//! `kukla store`: queries and maintenance of a store.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use kukla::syntax::Problem;
use kukla_store::{Question, Store, Timestamp};
use serde_json::{Value as Json, json};

use super::stores::StoreOptions;
use super::suggestion::with_suggestion;
use crate::output::{self, errln};
use crate::render::table::Table;
use crate::{CommandResult, ExitKind};

mod transfer;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla store nodes --store sqlite:store.db
  kukla store facts web1.example.com --store sqlite:store.db --format json
  kukla store resources --exported --type Sshkey --store postgres://kukla@db/kukla
  kukla store query 'inventory[certname] { facts.os.family = \"Debian\" }' --store sqlite:store.db
  kukla store export backup/ --store puppetdb+https://puppetdb:8081 --store-ca ca.pem --store-cert me.pem --store-key me.key
  kukla store import backup/ --store sqlite:store.db
  kukla store purge --expire-after 7d --delete-after 14d --reports-after 14d --store sqlite:store.db")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List nodes and the times of their latest facts, catalog and report
    Nodes {
        /// Include nodes that are deactivated or expired
        #[arg(long)]
        inactive: bool,
        #[command(flatten)]
        options: QueryOptions,
    },
    /// Print the facts of a node
    Facts {
        /// Name of the node
        node: String,
        #[command(flatten)]
        options: QueryOptions,
    },
    /// List resources
    Resources {
        /// List only resources of this node
        #[arg(long, value_name = "NAME")]
        node: Option<String>,
        /// List only resources of this type, for example Sshkey
        #[arg(long = "type", value_name = "TYPE")]
        type_name: Option<String>,
        /// List only resources with this tag
        #[arg(long, value_name = "TAG")]
        tag: Option<String>,
        /// List only exported resources
        #[arg(long)]
        exported: bool,
        #[command(flatten)]
        options: QueryOptions,
    },
    /// Run a query, in PQL or as a JSON array
    Query {
        /// The query, for example 'nodes[certname] { facts { name = "kernel" and value = "Linux" } }'
        query: String,
        #[command(flatten)]
        options: QueryOptions,
    },
    /// Write all facts, catalogs and reports to a directory, one file each
    ///
    /// Catalogs contain the secrets that nodes export, so only the owner can read the files. Other commands read them with
    /// `--facts DIR/facts` and `--exported DIR/catalogs`.
    Export {
        /// The directory, which is created
        directory: PathBuf,
        #[command(flatten)]
        store: StoreOptions,
    },
    /// Read a directory that `export`, or `puppet db export` after unpacking, has written
    Import {
        /// The directory
        directory: PathBuf,
        #[command(flatten)]
        store: StoreOptions,
    },
    /// Deactivate nodes: the resources they export are not collected until they send facts, a catalog or a report again
    Deactivate {
        /// Names of the nodes
        #[arg(required = true)]
        nodes: Vec<String>,
        #[command(flatten)]
        store: StoreOptions,
    },
    /// Expire and delete nodes, and delete reports, by age
    Purge {
        /// Expire nodes that sent nothing for this long: 7d, 12h, 30m [default: never]
        #[arg(long, value_name = "TIME", value_parser = parse_duration)]
        expire_after: Option<i64>,
        /// Delete nodes that were deactivated or expired this long ago
        #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "14d")]
        delete_after: i64,
        /// Delete reports that are older than this
        #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "14d")]
        reports_after: i64,
        #[command(flatten)]
        store: StoreOptions,
    },
}

/// The options of all queries.
#[derive(Debug, clap::Args)]
struct QueryOptions {
    #[command(flatten)]
    store: StoreOptions,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Aligned columns
    #[default]
    Table,
    /// A JSON array of rows
    Json,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> CommandResult {
    match &args.command {
        Command::Nodes { inactive, options } => list_nodes(*inactive, options),
        Command::Facts { node, options } => print_facts(node, options),
        Command::Resources { node, type_name, tag, exported, options } => {
            list_resources([("certname", node), ("type", type_name), ("tag", tag)], *exported, options)
        }
        Command::Query { query, options } => {
            print(run_query(options, &Question::pql(query))?, options.format)
        }
        Command::Export { directory, store } => transfer::export(&*store.require()?, directory),
        Command::Import { directory, store } => transfer::import(&*store.require()?, directory),
        Command::Deactivate { nodes, store } => deactivate(&*store.require()?, nodes),
        Command::Purge { expire_after, delete_after, reports_after, store } => {
            purge(&*store.require()?, *expire_after, *delete_after, *reports_after)
        }
    }
}

/// The rows that answer a query, with columns in the order of the query.
fn run_query(options: &QueryOptions, question: &Question) -> Result<Vec<Json>, Problem> {
    let rows = options.store.require()?.query(question)?;
    let columns = question.columns();
    let ordered = |row: Json| match row {
        Json::Object(mut fields) => {
            let mut first: serde_json::Map<String, Json> =
                columns.iter().filter_map(|name| fields.shift_remove_entry(name)).collect();
            first.extend(fields);
            Json::Object(first)
        }
        other => other,
    };
    Ok(rows.into_iter().map(ordered).collect())
}

fn print(rows: Vec<Json>, format: Format) -> CommandResult {
    match format {
        Format::Table => output::write_document(&table(&rows)),
        Format::Json => {
            let lines: Vec<String> = rows.iter().map(|row| format!("  {row}")).collect();
            let body = if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join(",\n")) };
            output::write_document(&format!("[{body}]\n"));
        }
    }
    Ok(ExitKind::Success)
}

/// Rows below the names of their columns.
fn table(rows: &[Json]) -> String {
    let Some(Json::Object(first)) = rows.first() else { return String::new() };
    let mut table = Table::default().with_limit(60);
    table.row(first.keys());
    for row in rows {
        table.row(first.keys().map(|name| cell(&row[name.as_str()])));
    }
    table.text()
}

/// A value on one line.
fn cell(value: &Json) -> String {
    let text = match value {
        Json::Null => "-".to_owned(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn list_nodes(inactive: bool, options: &QueryOptions) -> CommandResult {
    let state = if inactive { "any" } else { "active" };
    let columns =
        ["certname", "facts_timestamp", "catalog_timestamp", "report_timestamp", "latest_report_status"];
    let ends = ["deactivated", "expired"];
    let columns: Vec<&str> = columns.into_iter().chain(ends.into_iter().filter(|_| inactive)).collect();
    let query = json!([
        "from",
        "nodes",
        ["extract", columns, ["=", "node_state", state]],
        ["order_by", ["certname"]]
    ]);
    print(run_query(options, &Question::Ast(query))?, options.format)
}

fn print_facts(node: &str, options: &QueryOptions) -> CommandResult {
    let query = json!([
        "from",
        "facts",
        ["extract", ["name", "value"], ["=", "certname", node]],
        ["order_by", ["name"]]
    ]);
    let rows = run_query(options, &Question::Ast(query))?;
    if rows.is_empty() {
        let store = options.store.require()?;
        let problem = Problem::not_found("no facts found for").on(format!("'{node}'"));
        let is_known = store.catalog(node)?.is_some();
        return Err(if is_known { problem } else { unknown_node(&*store, node)? });
    }
    print(rows, options.format)
}

/// The problem of an unknown node, with the nearest of the known nodes.
fn unknown_node(store: &dyn Store, node: &str) -> Result<Problem, Problem> {
    let problem = Problem::not_found("unknown node").on(format!("'{node}'"));
    let query = json!(["from", "nodes", ["extract", ["certname"], ["=", "node_state", "any"]]]);
    let rows = store.query(&Question::Ast(query))?;
    let names = rows.iter().filter_map(|row| row["certname"].as_str());
    Ok(with_suggestion(problem, node, names).help("`kukla store nodes` lists the nodes"))
}

fn list_resources(
    filters: [(&str, &Option<String>); 3],
    exported: bool,
    options: &QueryOptions,
) -> CommandResult {
    let equal = |(name, value): &(&str, &Option<String>)| Some(json!(["=", name, value.as_ref()?]));
    let mut conditions: Vec<Json> = filters.iter().filter_map(equal).collect();
    if exported {
        conditions.push(json!(["=", "exported", true]));
    }
    // PuppetDB refuses an empty `and`.
    conditions.push(json!(["=", "node_state", "active"]));
    let condition: Vec<Json> = std::iter::once("and".into()).chain(conditions).collect();
    let columns = json!(["certname", "type", "title", "exported", "parameters"]);
    let order = json!(["order_by", ["certname", "type", "title"]]);
    let query = json!(["from", "resources", ["extract", columns, condition], order]);
    print(run_query(options, &Question::Ast(query))?, options.format)
}

fn deactivate(store: &dyn Store, nodes: &[String]) -> CommandResult {
    let mut is_missing = false;
    for node in nodes {
        if store.deactivate(node, Timestamp::now())? {
            errln!("{node} is deactivated");
        } else {
            output::report(&unknown_node(store, node)?);
            is_missing = true;
        }
    }
    Ok(ExitKind::findings_if(is_missing))
}

fn purge(
    store: &dyn Store,
    expire_after: Option<i64>,
    delete_after: i64,
    reports_after: i64,
) -> CommandResult {
    let now = Timestamp::now();
    if let Some(silent) = expire_after {
        store.expire(now.minus(silent), now)?.iter().for_each(|node| errln!("{node} has expired"));
    }
    store.purge_nodes(now.minus(delete_after))?.iter().for_each(|node| errln!("{node} is deleted"));
    let reports = store.purge_reports(now.minus(reports_after))?;
    errln!("{reports} reports are deleted");
    Ok(ExitKind::Success)
}

/// A duration in milliseconds: `14d`, `12h`, `30m`, `90s`.
fn parse_duration(text: &str) -> Result<i64, Problem> {
    let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)];
    let duration = units.iter().find_map(|(unit, length)| {
        let number: i64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(*length).filter(|duration| *duration >= 0)
    });
    duration.ok_or_else(|| Problem::invalid("expected a number and a unit, for example 14d, 12h, 30m or 90s"))
}
