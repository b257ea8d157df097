//! `kukla lookup`: what data says, and why.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kukla::eval::data;
use kukla::hiera::LookupHit;
use kukla::rpc::from_json;
use kukla::{Answer, Compiler, Diagnostic, Outcome as Answered, Type, Value};

use super::fleet::{self, Fleet, Member, Wanted};
use super::target::Target;
use crate::Outcome;
use crate::output::{err, outln};
use crate::render::ValueFormat;
use crate::render::failure::{self, ErrorFormat};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla lookup ntp::servers --facts facts/web1.json          one value
  kukla lookup ntp::servers --facts facts/web1.json --explain
  kukla lookup ntp::servers --all --facts facts/             every node, grouped by equal answers")]
pub struct Args {
    /// The keys, tried in order; a dotted key reaches into the value
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,
    /// The control repository (a directory with manifests, modules, hiera.yaml), or a manifest
    #[arg(long = "in", short = 'C', default_value = ".", value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    target: Target,
    /// How values of several levels are joined: first, unique, hash, deep, or a hash of options as JSON
    #[arg(long, value_name = "STRATEGY")]
    merge: Option<String>,
    /// What the value must be, as a Puppet type
    #[arg(long = "type", value_name = "TYPE")]
    value_type: Option<String>,
    /// The value if nothing is found, as JSON or else as text
    #[arg(long, value_name = "VALUE")]
    default: Option<String>,
    /// Show every layer, level and file that was asked, and the winner
    #[arg(long)]
    explain: bool,
    /// Answer for every node that --facts, a file or a directory, has facts of
    #[arg(long, conflicts_with_all = ["explain", "node"])]
    all: bool,
    #[command(flatten)]
    wanted: Wanted,
    /// How to print the value
    #[arg(long, value_enum, default_value_t = ValueFormat::Yaml)]
    format: ValueFormat,
}

/// Looks up and prints.
pub fn run(args: &Args) -> Outcome {
    let outcome = args.target.compiler().and_then(|compiler| match args.all {
        true => all(args, &compiler),
        false => one(args, &compiler),
    });
    outcome.unwrap_or_else(|problem| Outcome::unable(&problem))
}

fn wanted(args: &Args) -> Result<data::LookupRequest, String> {
    let json = |text: &String| match serde_json::from_str(text) {
        Ok(json) => from_json(&json),
        Err(_) => Value::from(text.as_str()),
    };
    let value_type = match &args.value_type {
        Some(text) => Some(Type::parse(text).map_err(|error| format!("--type {text}: {error}"))?),
        None => None,
    };
    Ok(data::LookupRequest {
        keys: args.keys.iter().map(|key| key.as_str().into()).collect(),
        value_type,
        merge: args.merge.as_ref().map(json),
        default: args.default.as_ref().map(json),
        ..data::LookupRequest::default()
    })
}

/// The answer for a node, once what was logged on the way is printed.
fn printed(answered: Answered<Answer>) -> Result<Answer, Box<Diagnostic>> {
    let mut out = String::new();
    answered.logs.iter().for_each(|log| failure::log(&mut out, log, ErrorFormat::Human));
    err!("{out}");
    answered.result
}

fn one(args: &Args, compiler: &Compiler) -> Result<Outcome, String> {
    args.wanted.refuse_without(args.all)?;
    let placed = args.target.placed_with_code(&args.path)?;
    let wanted = wanted(args)?;
    let answer = compiler.open(&placed.site).and_then(|site| {
        printed(match args.explain {
            true => site.lookup_explained(&placed.node, &wanted),
            false => site.lookup(&placed.node, &wanted),
        })
    });
    let answer = answer.and_then(|answer| {
        if let Some(explanation) = &answer.explanation {
            outln!("{}", explanation.text().trim_end());
        }
        answer.found
    });
    match answer {
        Ok(found) => {
            match args.explain {
                true => summary(&found, args.format),
                false => outln!("{}", args.format.print(&found.value)),
            }
            Ok(Outcome::Done)
        }
        Err(failure) => {
            let mut out = String::new();
            failure::render(&mut out, &failure, &placed.node.name, ErrorFormat::Human);
            err!("{out}");
            Ok(Outcome::Found)
        }
    }
}

/// The answer behind an explanation: the options in force, where it came from, and the value unless it is a secret.
fn summary(found: &LookupHit, format: ValueFormat) {
    if let Some(options) = &found.options {
        let options = ValueFormat::Puppet.print(&options.clone().into());
        outln!("lookup_options in force: {options}");
    }
    if found.origins.is_empty() {
        outln!("Nothing found; this is the default");
    }
    for (at, origin) in found.origins.iter().enumerate() {
        let word = if at == 0 { "Winner" } else { "Merged with" };
        let place = match (&origin.location, origin.line) {
            (Some(file), Some(line)) => format!("{file}:{line}, "),
            (Some(file), None) => format!("{file}, "),
            (None, _) => String::new(),
        };
        outln!("{word}: {place}level \"{}\"", origin.level);
    }
    let encrypted = found.origins.iter().any(|origin| origin.encrypted);
    let secret = encrypted || matches!(found.value, Value::Sensitive(_));
    let value = if secret { "(not shown)".to_owned() } else { format.print(&found.value) };
    outln!("Value:");
    value.lines().for_each(|line| outln!("  {line}"));
}

fn all(args: &Args, compiler: &Compiler) -> Result<Outcome, String> {
    let wanted = wanted(args)?;
    let mut answers = BTreeMap::<String, Vec<String>>::new();
    let mut failed = false;
    let fleet = match Fleet::new(&args.target, &args.path, compiler, args.wanted.selection()?) {
        Ok(fleet) => fleet,
        Err(unfit) => return unfit.told(),
    };
    let mut seen = Vec::new();
    for Member { name, source, placed } in fleet.nodes() {
        seen.push((name.clone(), source));
        let answer = placed.and_then(|placed| {
            let answer = fleet.site(&placed).and_then(|site| printed(site.lookup(&placed.node, &wanted)));
            answer.and_then(|answer| answer.found).map_err(|failure| failure.to_string())
        });
        let text = match answer {
            Ok(found) => args.format.print(&found.value),
            Err(problem) => {
                failed = true;
                format!("error: {problem}")
            }
        };
        answers.entry(text).or_default().push(name);
    }
    let twice = fleet::twice(seen.iter().map(|(name, source)| (name.as_str(), source.as_str())));
    if let Some((name, problem)) = twice.first_key_value() {
        return Err(format!("{name}: {problem}"));
    }
    let mut answers: Vec<_> = answers.into_iter().collect();
    answers.sort_by_key(|(_, nodes)| std::cmp::Reverse(nodes.len()));
    for (text, nodes) in answers {
        outln!("{}:", nodes.join(", "));
        text.lines().for_each(|line| outln!("    {line}"));
    }
    Ok(if failed { Outcome::Found } else { Outcome::Done })
}
