//! `kukla diff`: the effect of a change on every node.

use std::path::PathBuf;

use kukla::DiskWorld;
use kukla::diff::FleetDifference;
use kukla::fleet::{CompareCache, CompareOptions, FleetComparison, compare_catalogs};
use kukla::policies::Policies;
use kukla::syntax::Problem;

use super::fleet::SelectionArgs;
use super::progress::ProgressLine;
use super::target::Target;
use super::{cache, fleet};
use crate::files::named_files;
use crate::memory::keep_until_exit;
use crate::output;
use crate::render::diff::{Extent, Format, render};
use crate::{CommandResult, ExitKind};
use sides::{Sites, Subject};

mod options;
mod sides;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla diff                                      the edits since the last commit
  kukla diff main...                              the commits and edits of this branch
  kukla diff ~/control                            the edits in another repository
  kukla diff v1.0..v2.0 --nodes 'web*' --stat     two revisions, some nodes, only counts
  kukla diff --from-set strict=warning --to-set strict=error     nodes that an upgrade breaks
  kukla diff old/ new/ --facts facts/             two directories, every node with facts
  kukla diff web1-old.json web1-new.json          two catalogs")]
pub struct Args {
    /// Revisions to compare, as git names them (REV with the working tree, REV1..REV2, REV1...REV2 from their merge base), or a
    /// directory, catalog or revision before the change; a directory alone is the repository [default: HEAD with the working tree]
    #[arg(value_name = "FROM")]
    from: Option<String>,
    /// Directory, catalog or revision after the change
    #[arg(value_name = "TO")]
    to: Option<String>,
    /// Control repository; revisions are those of its git repository
    #[arg(long = "in", short = 'C', default_value = ".", value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    sides: options::Sides,
    /// Output format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print counts of changes instead of the changes
    #[arg(long)]
    stat: bool,
    /// Write the report to FILE instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Deny changes after which a catalog violates a policy in PATH, a file or a directory with `*.pp` files, that it did not violate
    /// before; can be repeated
    #[arg(long, value_name = "PATH")]
    policy: Vec<PathBuf>,
    #[command(flatten)]
    noise: options::Noise,
    /// Cache the inputs of nodes in DIR, so that the next comparison compiles only nodes that a change affects, and the catalogs
    /// before the change, secrets included [default: ~/.cache/kukla, with digests and names of files and facts only]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Do not read or write a cache
    #[arg(long, conflicts_with = "cache")]
    no_cache: bool,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    target: Target,
}

/// Compares and prints.
pub fn run(args: &Args) -> CommandResult {
    crate::make_pool();
    let report = match sides::subject(args)? {
        Subject::Catalogs(from, to) => {
            let rules = args.noise.rules(to.parent().unwrap_or(&to))?;
            compare_catalogs(&named_files(), &from, &to, rules)?
        }
        Subject::Sites(mut sites) => {
            sites.from.options.selection = args.selection.read()?;
            sites.to.options.selection = sites.from.options.selection.clone();
            let options = options(args, &sites)?;
            let comparison = keep_until_exit(FleetComparison::open(&sites.from, &sites.to)?);
            match comparison.compare(&options, &ProgressLine::default()) {
                Ok(mut report) => {
                    // A repository knows what it could not read when the comparison is over.
                    let notes = sites.repository.iter().flat_map(|repository| repository.notes());
                    report.notes.splice(0..0, notes);
                    report
                }
                Err(error) => return fleet::report(error).map(|_| ExitKind::Failure),
            }
        }
    };
    let text = render(&report, Extent { only_numbers: args.stat }, args.format);
    match (&args.output, args.format) {
        (Some(file), _) => {
            output::write_file(file, anstream::adapter::strip_str(&text).to_string().as_bytes())?
        }
        (None, Format::Human) => output::out!("{text}"),
        (None, _) => output::write_document(&text),
    }
    Ok(exit_kind(&report))
}

fn options(args: &Args, sites: &Sites) -> Result<CompareOptions, Problem> {
    let directory = match (&args.cache, args.no_cache) {
        (_, true) => None,
        (Some(directory), _) => Some(directory.clone()),
        (None, _) => cache::default_directory().ok(),
    };
    let is_explicit = args.cache.is_some();
    Ok(CompareOptions {
        rules: args.noise.rules(&sites.to.options.control.path)?,
        changed_files: sites.changed_files(),
        differ_in_options: args.sides.are_two(),
        has_modules_of_both: sites.has_modules_of_both(),
        cache: directory.map(|directory| CompareCache { cache: cache::options(&directory), is_explicit }),
        policies: Policies::find(&DiskWorld::default(), &args.policy)?,
        ..CompareOptions::default()
    })
}

/// The exit code of a comparison with a change that a rule denies.
const DENIED: u8 = 3;
/// The exit code of a comparison in which nodes compile on neither side, and none stops compiling.
const BROKEN_BEFORE: u8 = 4;

fn exit_kind(report: &FleetDifference) -> ExitKind {
    if report.has_failures() {
        ExitKind::Failure
    } else if !report.denied.is_empty() {
        ExitKind::Code(DENIED)
    } else if report.has_failures_on_both_sides() {
        ExitKind::Code(BROKEN_BEFORE)
    } else if report.is_empty() {
        ExitKind::Success
    } else {
        ExitKind::Findings
    }
}
