//! `kukla store`: what a store knows.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use kukla_store::{Question, Store, Timestamp};
use serde_json::{Value as Json, json};

use super::stores::{StoreOptions, told};
use crate::Outcome;
use crate::output::{self, errln};

mod table;
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
    /// List nodes, and when something was last heard of them
    Nodes {
        /// Also nodes that are deactivated or expired
        #[arg(long)]
        inactive: bool,
        #[command(flatten)]
        asked: Asked,
    },
    /// Print the facts of a node
    Facts {
        /// The node's name
        node: String,
        #[command(flatten)]
        asked: Asked,
    },
    /// List resources
    Resources {
        /// Only those of a node
        #[arg(long, value_name = "NAME")]
        node: Option<String>,
        /// Only those of a type, as Sshkey
        #[arg(long = "type", value_name = "TYPE")]
        type_name: Option<String>,
        /// Only those with a tag
        #[arg(long, value_name = "TAG")]
        tag: Option<String>,
        /// Only those that are exported
        #[arg(long)]
        exported: bool,
        #[command(flatten)]
        asked: Asked,
    },
    /// Ask a query, in PQL or as an array in JSON
    Query {
        /// The query, as in 'nodes[certname] { facts { name = "kernel" and value = "Linux" } }'
        query: String,
        #[command(flatten)]
        asked: Asked,
    },
    /// Write all that is known to a directory: facts/, catalogs/ and reports/, a file for each
    ///
    /// The catalogs hold secrets that nodes export, so the files are for their owner alone. `--facts DIR/facts` and `--exported DIR/catalogs` of other
    /// commands read them.
    Export {
        /// The directory, which is made
        directory: PathBuf,
        #[command(flatten)]
        store: StoreOptions,
    },
    /// Read what `export`, or `puppet db export` when unpacked, has written
    Import {
        /// The directory
        directory: PathBuf,
        #[command(flatten)]
        store: StoreOptions,
    },
    /// Take nodes out of service: nothing that they export is collected any more, until something is heard of them again
    Deactivate {
        /// The nodes' names
        #[arg(required = true)]
        nodes: Vec<String>,
        #[command(flatten)]
        store: StoreOptions,
    },
    /// Delete what has had its time
    Purge {
        /// Nodes of which nothing was heard for so long expire: 7d, 12h, 30m
        #[arg(long, value_name = "TIME", value_parser = span)]
        expire_after: Option<i64>,
        /// Nodes that were deactivated or expired so long ago are deleted
        #[arg(long, value_name = "TIME", value_parser = span, default_value = "14d")]
        delete_after: i64,
        /// Reports that are older are deleted
        #[arg(long, value_name = "TIME", value_parser = span, default_value = "14d")]
        reports_after: i64,
        #[command(flatten)]
        store: StoreOptions,
    },
}

/// What all questions have in common.
#[derive(Debug, clap::Args)]
struct Asked {
    #[command(flatten)]
    store: StoreOptions,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Columns for people
    #[default]
    Table,
    /// A list of rows
    Json,
}

/// Asks or looks after a store.
pub fn run(args: &Args) -> Outcome {
    let done = match &args.command {
        Command::Nodes { inactive, asked } => nodes(*inactive, asked),
        Command::Facts { node, asked } => facts(node, asked),
        Command::Resources { node, type_name, tag, exported, asked } => {
            resources([("certname", node), ("type", type_name), ("tag", tag)], *exported, asked)
        }
        Command::Query { query, asked } => query_for(query, asked),
        Command::Export { directory, store } => {
            store.wanted().and_then(|store| Ok(transfer::export(&*store, directory).map_err(|p| p.with_help())?))
        }
        Command::Import { directory, store } => {
            store.wanted().and_then(|store| Ok(transfer::import(&*store, directory).map_err(|p| p.with_help())?))
        }
        Command::Deactivate { nodes, store } => store.wanted().and_then(|store| deactivate(&*store, nodes)),
        Command::Purge { expire_after, delete_after, reports_after, store } => {
            store.wanted().and_then(|store| purge(&*store, *expire_after, *delete_after, *reports_after))
        }
    };
    done.unwrap_or_else(|problem| Outcome::unable(&problem))
}

/// What a store answers, with columns in the order in which they were asked for.
fn ask(asked: &Asked, question: &Question) -> Result<Vec<Json>, String> {
    let rows = asked.store.wanted()?.query(question).map_err(|wrong| told(&wrong))?;
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

fn print(rows: Vec<Json>, format: Format) -> Result<Outcome, String> {
    match format {
        Format::Table => output::document(&table::rendered(&rows)),
        Format::Json => {
            let lines: Vec<String> = rows.iter().map(|row| format!("  {row}")).collect();
            let body = if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join(",\n")) };
            output::document(&format!("[{body}]\n"));
        }
    }
    Ok(Outcome::Done)
}

fn nodes(inactive: bool, asked: &Asked) -> Result<Outcome, String> {
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
    print(ask(asked, &Question::Ast(query))?, asked.format)
}

fn facts(node: &str, asked: &Asked) -> Result<Outcome, String> {
    let query = json!([
        "from",
        "facts",
        ["extract", ["name", "value"], ["=", "certname", node]],
        ["order_by", ["name"]]
    ]);
    let rows = ask(asked, &Question::Ast(query))?;
    match rows.is_empty() {
        true => Err(format!("there are no facts of {node}")),
        false => print(rows, asked.format),
    }
}

fn resources(wanted: [(&str, &Option<String>); 3], exported: bool, asked: &Asked) -> Result<Outcome, String> {
    let equal = |(name, value): &(&str, &Option<String>)| Some(json!(["=", name, value.as_ref()?]));
    let mut conditions: Vec<Json> = wanted.iter().filter_map(equal).collect();
    if exported {
        conditions.push(json!(["=", "exported", true]));
    }
    // An empty `and` is no condition to PuppetDB.
    conditions.push(json!(["=", "node_state", "active"]));
    let condition: Vec<Json> = std::iter::once("and".into()).chain(conditions).collect();
    let columns = json!(["certname", "type", "title", "exported", "parameters"]);
    let order = json!(["order_by", ["certname", "type", "title"]]);
    let query = json!(["from", "resources", ["extract", columns, condition], order]);
    print(ask(asked, &Question::Ast(query))?, asked.format)
}

fn query_for(query: &str, asked: &Asked) -> Result<Outcome, String> {
    print(ask(asked, &Question::pql(query))?, asked.format)
}

fn deactivate(store: &dyn Store, nodes: &[String]) -> Result<Outcome, String> {
    let mut outcome = Outcome::Done;
    for node in nodes {
        if store.deactivate(node, Timestamp::now()).map_err(|wrong| told(&wrong))? {
            errln!("{node} is deactivated");
        } else {
            errln!("kukla: there is no node {node} in the store");
            outcome = Outcome::Found;
        }
    }
    Ok(outcome)
}

fn purge(
    store: &dyn Store,
    expire_after: Option<i64>,
    delete_after: i64,
    reports_after: i64,
) -> Result<Outcome, String> {
    let now = Timestamp::now();
    let purge = || -> kukla_store::Result<()> {
        if let Some(silent) = expire_after {
            store.expire(now.minus(silent), now)?.iter().for_each(|node| errln!("{node} has expired"));
        }
        store.purge_nodes(now.minus(delete_after))?.iter().for_each(|node| errln!("{node} is deleted"));
        let reports = store.purge_reports(now.minus(reports_after))?;
        errln!("{reports} reports are deleted");
        Ok(())
    };
    purge().map(|()| Outcome::Done).map_err(|wrong| told(&wrong))
}

/// A span of time, in milliseconds: `14d`, `12h`, `30m`, `90s`.
fn span(text: &str) -> Result<i64, String> {
    let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)];
    let read = units.iter().find_map(|(unit, length)| {
        let number: i64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(*length).filter(|span| *span >= 0)
    });
    read.ok_or_else(|| "a span of time is a number and a unit: 14d, 12h, 30m, 90s".to_owned())
}
