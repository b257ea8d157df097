//! `kukla diff`: what a change does to every node.

use std::path::PathBuf;

use kukla::diff::FleetDifference;

use super::fleet::Wanted;
use super::target::Target;
use crate::Outcome;
use crate::output;
use crate::render::diff::{Extent, Format, render};
use sides::Subject;

mod catalogs;
mod nodes;
mod options;
mod sides;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla diff                                      what the edits since the last commit do
  kukla diff main...                              what this branch does
  kukla diff v1.0..v2.0 --nodes 'web*' --stat     two revisions, some nodes, how much changes
  kukla diff --from-set strict=warning --to-set strict=error     what an upgrade breaks
  kukla diff old/ new/ --facts facts/             two directories, every node there are facts for
  kukla diff web1-old.json web1-new.json          two catalogs")]
pub struct Args {
    /// What to compare: revisions as git names them (REV with the working tree, REV1..REV2, REV1...REV2 since they parted), or the
    /// side before: a directory, a catalog, a revision. By default HEAD is compared with the working tree
    #[arg(value_name = "FROM")]
    from: Option<String>,
    /// The side after
    #[arg(value_name = "TO")]
    to: Option<String>,
    /// The control repository, if it is not the current directory; revisions are those of the git repository it is in
    #[arg(long = "in", short = 'C', default_value = ".", value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    sides: options::Sides,
    /// How to print the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print how much changes, not what
    #[arg(long)]
    stat: bool,
    /// Write the report to a file in place of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    noise: options::Noise,
    /// Keep in DIR what nodes rest on, so that the next comparison compiles only nodes that something differs for, and of these the
    /// catalogs before the change, secrets too; by default in ~/.cache/kukla, without catalogs: digests and names of files and facts
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Keep nothing, and use nothing that is kept
    #[arg(long, conflicts_with = "cache")]
    no_cache: bool,
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    target: Target,
}

/// Compares and prints.
pub fn run(args: &Args) -> Outcome {
    compare(args).unwrap_or_else(|problem| Outcome::unable(&problem))
}

fn compare(args: &Args) -> Result<Outcome, String> {
    crate::make_pool();
    let report = match sides::subject(args)? {
        Subject::Catalogs(from, to) => {
            let beside = to.parent().unwrap_or(&to).to_owned();
            catalogs::compare(&from, &to, args.noise.rules(&beside)?)?
        }
        Subject::Sites(sites) => match nodes::compare(args, &sites)? {
            Ok(report) => report,
            Err(unfit) => return unfit.told().map(|_| Outcome::Unable),
        },
    };
    let text = render(&report, Extent { only_numbers: args.stat }, args.format);
    match (&args.output, args.format) {
        (Some(file), _) => output::file(file, anstream::adapter::strip_str(&text).to_string().as_bytes())?,
        (None, Format::Human) => output::out!("{text}"),
        (None, _) => output::document(&text),
    }
    Ok(outcome(&report))
}

/// The status of a comparison in which something changes that a rule protects.
const DENIED: u8 = 3;

fn outcome(report: &FleetDifference) -> Outcome {
    if report.has_failures() {
        Outcome::Unable
    } else if !report.denied.is_empty() {
        Outcome::Status(DENIED)
    } else if report.is_empty() {
        Outcome::Done
    } else {
        Outcome::Found
    }
}
