//! `kukla fmt`: formats manifests and templates.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use kukla::DiskWorld;
use kukla::analysis::{Analysis, Rules};
use kukla::config_file::ConfigFile;
use kukla::rewrite::Rewriter;
use kukla::style::FormatSettings;
use kukla::syntax::{Diagnostic, Problem, Source};
use kukla_format::{FormatError, Language, Options, format, range_edits};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::output::{self, err, errln, out, outln};
use crate::render::{self, Findings, human};
use crate::{CommandResult, ExitKind, files};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and directories to format; `-` formats standard input to standard output
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// List the files that are not formatted, and change none
    #[arg(long, conflicts_with = "diff")]
    check: bool,
    /// Print the changes as a unified diff, and make none
    #[arg(long)]
    diff: bool,
    /// Format only these lines of a single file: FIRST:LAST, counted from 1
    #[arg(long, value_name = "FIRST:LAST", value_parser = parse_range)]
    range: Option<RangeInclusive<usize>>,
    /// The name of the file on standard input, which decides about its language and its configuration
    #[arg(long, value_name = "FILE")]
    stdin_filename: Option<PathBuf>,
    /// Configuration file [default: the next kukla.toml in the directory of the file or above]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

fn parse_range(text: &str) -> Result<RangeInclusive<usize>, Problem> {
    let range = text.split_once(':').and_then(|(first, last)| Some(first.parse().ok()?..=last.parse().ok()?));
    range
        .filter(|range: &RangeInclusive<usize>| *range.start() > 0 && !range.is_empty())
        .ok_or_else(|| Problem::invalid("expected FIRST:LAST, two line numbers from 1"))
}

/// The result for one file.
enum Outcome {
    /// It is formatted already.
    Same,
    /// Its formatted text.
    Changed(Source, String),
    /// It has errors and stays as it is.
    Invalid(Vec<Diagnostic>),
    /// It could not be read, or not be formatted without another meaning.
    Failed(Problem),
}

/// The numbers of files by their outcome.
#[derive(Default)]
struct Tally {
    same: usize,
    changed: usize,
    invalid: usize,
    failed: usize,
}

/// Formats the paths.
pub fn run(args: &Args) -> CommandResult {
    crate::make_pool();
    let mut settings = match &args.config {
        Some(path) => FormatSettings::of(&ConfigFile::parse(path, &files::read_text(path)?)?)?,
        None => FormatSettings::default(),
    };
    let world = DiskWorld::default();
    let mut tally = Tally::default();
    if args.paths.iter().any(|path| path.as_os_str() == "-") {
        if args.paths.len() > 1 {
            return Err(Problem::invalid("`-` cannot be combined with other paths"));
        }
        return format_stdin(args, &mut settings);
    }
    for path in &args.paths {
        let files = find(path)?;
        human::show_only([root(path)]);
        if args.range.is_some() && (files.len() != 1 || args.paths.len() != 1) {
            return Err(Problem::invalid("--range requires a single file"));
        }
        let work: Vec<(PathBuf, Options)> = files
            .into_iter()
            .map(|file| settings.options(&world, &file).map(|options| (file, options)))
            .collect::<Result<_, Problem>>()?;
        let outcomes: Vec<Outcome> =
            work.par_iter().map(|(file, options)| format_file(args, file, options)).collect();
        let mut rewriter = Rewriter::within(root(path))?;
        for ((file, _), outcome) in work.iter().zip(outcomes) {
            tally.finish(args, file, outcome, &mut rewriter);
        }
    }
    if tally.total() == 0 {
        return Err(
            Problem::not_found("nothing to format").because("no manifests or templates (.pp, .epp) found")
        );
    }
    errln!("{}", tally.summary(args));
    Ok(tally.exit(args))
}

/// The directory below which files may be rewritten.
fn root(path: &Path) -> &Path {
    if path.is_dir() {
        return path;
    }
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Directories whose code is not that of the repository, or is data for other programs.
const FOREIGN: [&str; 4] = ["files", "node_modules", "vendor", "vendor_modules"];

/// The files to format at or below a path.
fn find(path: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut found = files::find_code(path)?.code;
    found.retain(|file| {
        let Some(directory) = file.strip_prefix(path).ok().and_then(Path::parent) else { return true };
        let names: Vec<_> = directory.components().map(|part| part.as_os_str()).collect();
        !names.iter().any(|name| FOREIGN.iter().any(|foreign| *name == *foreign))
            && !names.windows(2).any(|pair| pair[0] == "spec" && pair[1] == "fixtures")
    });
    Ok(found)
}

fn format_file(args: &Args, path: &Path, options: &Options) -> Outcome {
    match files::read(path) {
        Ok((source, None)) => format_source(args, source, path, options),
        Ok((_, Some(invalid))) => Outcome::Invalid(vec![invalid]),
        Err(problem) => Outcome::Failed(problem),
    }
}

fn format_source(args: &Args, source: Source, path: &Path, options: &Options) -> Outcome {
    let (text, language) = (source.text(), Language::of_path(path));
    let formatted = match &args.range {
        Some(lines) => {
            range_edits(text, language, options, lines).map(|edits| kukla_format::apply(text, &edits))
        }
        None => format(text, language, options),
    };
    match formatted {
        Ok(formatted) if formatted == text => Outcome::Same,
        Ok(formatted) => Outcome::Changed(source, formatted),
        Err(FormatError::Syntax(_)) => {
            let rules = Rules { tasks: language == Language::Plan, ..Rules::default() };
            let mut diagnostics = Analysis::new(&source, &rules).diagnostics;
            diagnostics.retain(Diagnostic::is_error);
            Outcome::Invalid(diagnostics)
        }
        Err(error @ FormatError::Meaning(_)) => Outcome::Failed(
            Problem::invalid("cannot format")
                .on(path.display())
                .because(error)
                .help("the file is unchanged; please report this error of the formatter with the file"),
        ),
    }
}

/// Formats standard input to standard output.
fn format_stdin(args: &Args, settings: &mut FormatSettings) -> CommandResult {
    let path = args.stdin_filename.clone().unwrap_or_else(|| PathBuf::from("-"));
    let options = settings.options(&DiskWorld::default(), &path)?;
    let (source, invalid) = kukla::analysis::source(&path.to_string_lossy(), files::read_stdin()?);
    let original = source.clone();
    let outcome = match invalid {
        Some(invalid) => Outcome::Invalid(vec![invalid]),
        None => format_source(args, source, &path, &options),
    };
    match outcome {
        Outcome::Same if args.check || args.diff => Ok(ExitKind::Success),
        Outcome::Same => {
            output::write_document(original.text());
            Ok(ExitKind::Success)
        }
        Outcome::Changed(source, formatted) => {
            if args.check || args.diff {
                show_change(args, &path, source.text(), &formatted);
                return Ok(ExitKind::Findings);
            }
            output::write_document(&formatted);
            Ok(ExitKind::Success)
        }
        Outcome::Invalid(diagnostics) => {
            show_errors(diagnostics);
            Ok(ExitKind::Findings)
        }
        Outcome::Failed(problem) => Err(problem),
    }
}

/// Lists a file that is not formatted, or prints its diff.
fn show_change(args: &Args, path: &Path, old: &str, new: &str) {
    if args.check {
        return outln!("{}", path.display());
    }
    let name = path.display().to_string();
    let (before, after) = (format!("a/{name}"), format!("b/{name}"));
    out!("{}", kukla::format::diff_lines(old, new, None).unified_diff().header(&before, &after));
}

fn show_errors(diagnostics: Vec<Diagnostic>) {
    err!("{}", render::render(&[Findings { diagnostics }], render::Format::Human));
}

impl Tally {
    /// Rewrites a file, or shows what would be rewritten.
    fn finish(&mut self, args: &Args, path: &Path, outcome: Outcome, rewriter: &mut Rewriter) {
        match outcome {
            Outcome::Same => self.same += 1,
            Outcome::Changed(source, formatted) => {
                if args.check || args.diff {
                    show_change(args, path, source.text(), &formatted);
                } else if let Err(problem) = rewriter.replace(path, source.text(), &formatted) {
                    output::report(&problem);
                    self.failed += 1;
                    return;
                }
                self.changed += 1;
            }
            Outcome::Invalid(diagnostics) => {
                show_errors(diagnostics);
                self.invalid += 1;
            }
            Outcome::Failed(problem) => {
                output::report(&problem);
                self.failed += 1;
            }
        }
    }

    fn total(&self) -> usize {
        self.same + self.changed + self.invalid + self.failed
    }

    fn summary(&self, args: &Args) -> String {
        let changed = if args.check || args.diff { "to format" } else { "formatted" };
        let parts = [
            (self.changed, changed),
            (self.same, "unchanged"),
            (self.invalid, "with errors, left alone"),
            (self.failed, "not formatted"),
        ];
        let parts = parts.iter().enumerate().filter(|(index, (count, _))| *index < 2 || *count > 0);
        let count = |(index, (count, what)): (usize, &(usize, &str))| match index {
            0 => format!("{count} file{} {what}", if *count == 1 { "" } else { "s" }),
            _ => format!("{count} {what}"),
        };
        parts.map(count).collect::<Vec<String>>().join(", ")
    }

    fn exit(&self, args: &Args) -> ExitKind {
        if self.failed > 0 {
            return ExitKind::Failure;
        }
        ExitKind::findings_if(self.invalid > 0 || ((args.check || args.diff) && self.changed > 0))
    }
}
