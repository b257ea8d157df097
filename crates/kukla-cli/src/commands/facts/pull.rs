//! `kukla facts pull`: the facts of nodes, from a store or from files, as fact files of a repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kukla::certname;
use kukla::facts::FactFile;
use kukla::fleet::{FleetEvent, NodeStore, Observer};
use kukla::syntax::Problem;
use kukla::values::Shown;
use kukla::values::{Hash, Value};
use kukla::world::glob;
use serde_json::json;

use crate::commands::fleet::StoreAdapter;
use crate::commands::progress::ProgressLine;
use crate::commands::stores::StoreOptions;
use crate::files;
use crate::output::{self, errln};
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla facts pull --store puppetdb+https://puppetdb.example.com:8081 --store-cert cert.pem --store-key key.pem --store-ca ca.pem
  kukla facts pull /opt/puppetlabs/server/data/puppetserver/yaml/facts
  kukla facts pull agents/*.json --output facts.json --exclude '*password*'")]
pub struct PullArgs {
    /// Files or directories with facts: a puppetserver's YAML cache, or the output of Facter, agents or PuppetDB
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreOptions,
    /// Directory to write one file per node to, or the one file to write (FILE.json)
    #[arg(long, short, value_name = "DIR|FILE", default_value = "facts")]
    output: PathBuf,
    /// Leave out facts whose dotted name matches GLOB, such as '*password*'; can be repeated
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Write only nodes whose name matches GLOB; several are separated by commas
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    nodes: Vec<String>,
}

/// Parts of the names of facts that often hold secrets.
const SECRETS: [&str; 8] =
    ["password", "passwd", "passphrase", "secret", "token", "private_key", "api_key", "credential"];

/// Reads the facts and writes them. Nothing is written unless all facts could be read.
pub fn run(args: &PullArgs) -> CommandResult {
    let mut nodes = BTreeMap::new();
    match (StoreAdapter::open(&args.store)?, args.paths.is_empty()) {
        (None, true) => {
            return Err(Problem::invalid("no source of facts")
                .help("name files or directories, or a store with --store"));
        }
        (store, _) => {
            if let Some(store) = store {
                read_store(args, &*store, &mut nodes)?;
            }
            args.paths.iter().try_for_each(|path| read_path(args, path, &mut nodes))?;
        }
    }
    if nodes.is_empty() {
        return Err(Problem::not_found("no facts of nodes found"));
    }
    let mut suspects = BTreeMap::<String, usize>::new();
    for facts in nodes.values_mut() {
        // Trusted data comes from certificates, not from facts.
        facts.remove("trusted");
        *facts = without(facts, "", &args.exclude);
        find_secrets(facts, "", &mut suspects);
    }
    write(args, &nodes)?;
    for (name, count) in &suspects {
        errln!(
            "kukla: warning: the fact '{name}' may hold a secret (in {}); remove it with --exclude '{name}'",
            super::count(*count)
        );
    }
    Ok(ExitKind::Success)
}

type Nodes = BTreeMap<String, Hash>;

fn add(args: &PullArgs, nodes: &mut Nodes, node: &str, facts: Hash) -> Result<(), Problem> {
    certname::check(node)?;
    let fits = |pattern: &String| glob::fits(pattern, node);
    if args.nodes.is_empty() || args.nodes.iter().any(fits) {
        nodes.insert(node.to_owned(), facts);
    }
    Ok(())
}

fn read_store(args: &PullArgs, store: &dyn NodeStore, nodes: &mut Nodes) -> Result<(), Problem> {
    let names = store.nodes()?;
    let progress = ProgressLine::default();
    progress.observe(FleetEvent::Started { sources: names.len() });
    for name in &names {
        // A node may have been removed since the names were listed.
        if let Some(facts) = store.facts(name)? {
            add(args, nodes, name, facts)?;
        }
        progress.observe(FleetEvent::NodeDone { node: name });
    }
    progress.observe(FleetEvent::Finished);
    Ok(())
}

fn read_path(args: &PullArgs, path: &Path, nodes: &mut Nodes) -> Result<(), Problem> {
    let mut paths = vec![path.to_owned()];
    let is_directory = path.is_dir();
    if is_directory {
        let problem = |error: std::io::Error| Problem::io("read", path, &error);
        let entries = std::fs::read_dir(path).map_err(problem)?;
        paths = entries.map(|entry| Ok(entry.map_err(problem)?.path())).collect::<Result<_, Problem>>()?;
        let is_fact_file = |path: &PathBuf| {
            path.extension().is_some_and(|end| ["json", "yaml", "yml"].iter().any(|known| end == *known))
        };
        paths.retain(is_fact_file);
        paths.sort();
    }
    for file in paths {
        let bytes =
            if is_directory { files::read_repository_bytes(&file)? } else { files::read_bytes(&file)? };
        for FactFile { node, facts } in FactFile::parse(&bytes, &file.display().to_string())? {
            let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let named = FactFile { node, facts };
            let name = named.node_name().map(str::to_owned).or(stem).unwrap_or_default();
            add(args, nodes, &name, named.facts)?;
        }
    }
    Ok(())
}

/// The facts by name, without those that a pattern matches, at any depth.
fn without(facts: &Hash, above: &str, patterns: &[String]) -> Hash {
    let mut kept = Hash::new();
    let mut entries: Vec<(&Value, &Value)> = facts.iter().collect();
    entries.sort_by(|(one, _), (other, _)| one.as_str().cmp(&other.as_str()));
    for (name, value) in entries {
        let path = join(above, name);
        if patterns.iter().any(|pattern| glob::fits(pattern, &path)) {
            continue;
        }
        let value = match value {
            Value::Hash(inside) => without(inside, &path, patterns).into(),
            other => other.clone(),
        };
        kept.insert(name.clone(), value);
    }
    kept
}

fn find_secrets(facts: &Hash, above: &str, suspects: &mut BTreeMap<String, usize>) {
    for (name, value) in facts {
        let path = join(above, name);
        let lower = name.as_str().unwrap_or_default().to_lowercase();
        if SECRETS.iter().any(|part| lower.contains(part)) {
            *suspects.entry(path).or_default() += 1;
        } else if let Value::Hash(inside) = value {
            find_secrets(inside, &path, suspects);
        }
    }
}

fn join(above: &str, name: &Value) -> String {
    let name = kukla::values::format::to_s(name);
    if above.is_empty() { name.to_string() } else { format!("{above}.{name}") }
}

fn write(args: &PullArgs, nodes: &Nodes) -> Result<(), Problem> {
    let rich = |facts: &Hash| Shown::of(&Value::Hash(facts.clone())).to_json();
    if args.output.extension().is_some_and(|end| end == "json") {
        let row = |(name, value): (&Value, &Value)| json!({"name": name.as_str(), "value": Shown::of(value).to_json()});
        let node = |(node, facts): (&String, &Hash)| {
            json!({"certname": node, "facts": {"data": facts.iter().map(row).collect::<Vec<_>>()}})
                .to_string()
        };
        // One line per node, so that a change of one is a small change of the file.
        let lines: Vec<String> = nodes.iter().map(node).collect();
        output::write_file(&args.output, format!("[\n{}\n]\n", lines.join(",\n")).as_bytes())?;
    } else {
        let file = |(node, facts): (&String, &Hash)| {
            let text = json!({"name": node, "values": rich(facts)});
            let text = serde_json::to_string_pretty(&text).unwrap_or_default() + "\n";
            (args.output.join(format!("{node}.json")), text)
        };
        let files: Vec<(PathBuf, String)> = nodes.iter().map(file).collect();
        std::fs::create_dir_all(&args.output).map_err(|error| Problem::io("create", &args.output, &error))?;
        output::write_files(&files)?;
    }
    errln!("kukla: wrote the facts of {} to {}", super::count(nodes.len()), args.output.display());
    Ok(())
}
