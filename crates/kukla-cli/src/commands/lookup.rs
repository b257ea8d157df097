//! `kukla lookup`: the value of a key in data, and where it comes from.

use std::collections::BTreeMap;

use kukla::eval::data;
use kukla::fleet::{Fleet, FleetCompiler, FleetOptions, FleetSetup, Member, duplicate_nodes};
use kukla::hiera::LookupHit;
use kukla::rpc::from_json;
use kukla::syntax::Problem;
use kukla::values::Shown;
use kukla::values::codes::KEY_NOT_FOUND;
use kukla::{Answer, Diagnostic, LookupContext, Outcome as LookupOutcome, SiteSpec, Type, Value};

use super::fleet::{self, SelectionArgs};
use super::options::RepositoryOption;
use super::target::{Target, choose_with_code};
use crate::output::{err, outln};
use crate::render::ValueFormat;
use crate::render::failure::{self, ErrorFormat};
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla lookup ntp::servers --facts facts/web1.json          one value
  kukla lookup ntp::servers --facts facts/web1.json --explain
  kukla lookup ntp::servers --all --facts facts/             every node, grouped by equal values")]
pub struct Args {
    /// Keys, tried in order; a dotted key selects a part of the value. A directory before them is the repository
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,
    #[command(flatten)]
    repository: RepositoryOption,
    #[command(flatten)]
    target: Target,
    /// Merge strategy for the values of several levels: first, unique, hash, deep, or a hash of options as JSON
    #[arg(long, value_name = "STRATEGY")]
    merge: Option<String>,
    /// Puppet type that the value must have
    #[arg(long = "type", value_name = "TYPE")]
    value_type: Option<String>,
    /// Value if the key is not found, as JSON or else as text
    #[arg(long, value_name = "VALUE")]
    default: Option<String>,
    /// Evaluate the site manifest first, so that data can interpolate the variables that it and its classes set
    #[arg(long)]
    compile: bool,
    /// Show every layer, level and file that was searched, and the one that won
    #[arg(long)]
    explain: bool,
    /// Look up for every node with facts in --facts, a file or a directory
    #[arg(long, conflicts_with_all = ["explain", "node"])]
    all: bool,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Output format of the value
    #[arg(long, value_enum, default_value_t = ValueFormat::Yaml)]
    format: ValueFormat,
}

impl Args {
    /// The variables that data can interpolate. Code on the command line is there to be evaluated.
    fn context(&self) -> LookupContext {
        match self.compile || self.target.has_code() {
            true => LookupContext::Manifest,
            false => LookupContext::Facts,
        }
    }
}

/// Looks up and prints.
pub fn run(args: &Args) -> CommandResult {
    match args.all {
        true => all(args),
        false => one(args),
    }
}

fn lookup_request(args: &Args) -> Result<data::LookupRequest, Problem> {
    let json = |text: &String| match serde_json::from_str(text) {
        Ok(json) => from_json(&json),
        Err(_) => Value::from(text.as_str()),
    };
    let value_type = match &args.value_type {
        Some(text) => {
            let wrong = |error| Problem::invalid("--type").on(text).because(error);
            Some(Type::parse(text).map_err(wrong)?)
        }
        None => None,
    };
    Ok(data::LookupRequest {
        keys: args.repository.split(&args.keys).1.iter().map(|key| key.as_str().into()).collect(),
        value_type,
        merge: args.merge.as_ref().map(json),
        default: args.default.as_ref().map(json),
        ..data::LookupRequest::default()
    })
}

/// The answer for a node, after its log messages are printed.
fn print_logs(outcome: LookupOutcome<Answer>) -> Result<Answer, Box<Diagnostic>> {
    let mut out = String::new();
    failure::logs(&mut out, &outcome.logs, ErrorFormat::Human);
    err!("{out}");
    outcome.result
}

fn one(args: &Args) -> CommandResult {
    let options = args.target.options(args.repository.split(&args.keys).0)?;
    let compiler = FleetCompiler::new(&options)?.compiler;
    args.selection.require_all(args.all)?;
    let node = choose_with_code(&options)?;
    let request = lookup_request(args)?;
    let answer = compiler.open(&node.site).and_then(|site| {
        print_logs(match args.explain {
            true => site.lookup_explained(&node.node, &request, args.context()),
            false => site.lookup(&node.node, &request, args.context()),
        })
    });
    let answer = answer.and_then(|answer| {
        if let Some(explanation) = &answer.explanation {
            outln!("{}", explanation.text().trim_end());
        }
        answer.found
    });
    let answer = answer.map_err(|failure| without_data(failure, &options, &node.site));
    match answer {
        Ok(found) => {
            match args.explain {
                true => summary(&found, args.format),
                false => outln!("{}", args.format.print(&Shown::of(&found.value))),
            }
            Ok(ExitKind::Success)
        }
        Err(failure) => {
            let mut out = String::new();
            failure::render(&mut out, &failure, &node.node.name, ErrorFormat::Human);
            err!("{out}");
            Ok(ExitKind::Findings)
        }
    }
}

/// The failure, with the reason if there is no hierarchy that could have data.
fn without_data(failure: Box<Diagnostic>, options: &FleetOptions, site: &SiteSpec) -> Box<Diagnostic> {
    let hierarchy = site.root().map(|root| root.join("hiera.yaml"));
    let has_own = hierarchy.is_some_and(|file| options.control.repository.exists(&file));
    if has_own || site.hiera_config.is_some() || failure.code.name != KEY_NOT_FOUND.name {
        return failure;
    }
    let why = "the repository has no hiera.yaml, so only data of modules was searched";
    Box::new(failure.hint(format!("{why}; `--hiera-config FILE` names one elsewhere")))
}

/// Prints the result of an explained lookup: the options in force, the origin, and the value unless it is a secret.
fn summary(found: &LookupHit, format: ValueFormat) {
    if let Some(options) = &found.options {
        let options = ValueFormat::Puppet.print(&Shown::of(&options.clone().into()));
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
    let value = if secret { "(not shown)".to_owned() } else { format.print(&Shown::of(&found.value)) };
    outln!("Value:");
    value.lines().for_each(|line| outln!("  {line}"));
}

fn all(args: &Args) -> CommandResult {
    let mut options = args.target.options(args.repository.split(&args.keys).0)?;
    options.selection = args.selection.read()?;
    let request = lookup_request(args)?;
    FleetSetup::read(&options)?.require_code()?;
    let fleet = match Fleet::open(&options) {
        Ok(fleet) => fleet,
        Err(error) => return fleet::report(error),
    };
    let mut answers = BTreeMap::<String, Vec<String>>::new();
    let (mut failed, mut sources) = (false, Vec::new());
    for Member { name, source, node } in fleet.members() {
        sources.push((name.clone(), source));
        let answer = node.and_then(|node| {
            let answer = fleet
                .site(&node)
                .and_then(|site| print_logs(site.lookup(&node.node, &request, args.context())));
            Ok(answer.and_then(|answer| answer.found)?)
        });
        let text = match answer {
            Ok(found) => args.format.print(&Shown::of(&found.value)),
            Err(problem) => {
                failed = true;
                format!("error: {problem}")
            }
        };
        answers.entry(text).or_default().push(name);
    }
    let duplicates = duplicate_nodes(sources.iter().map(|(name, source)| (name.as_str(), source.as_str())));
    if let Some((name, problem)) = duplicates.into_iter().next() {
        return Err(Problem::invalid(name).caused_by(problem));
    }
    let mut answers: Vec<_> = answers.into_iter().collect();
    answers.sort_by_key(|(_, nodes)| std::cmp::Reverse(nodes.len()));
    for (text, nodes) in answers {
        outln!("{}:", nodes.join(", "));
        text.lines().for_each(|line| outln!("    {line}"));
    }
    Ok(ExitKind::findings_if(failed))
}
