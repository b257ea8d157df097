//! `kukla lint`: the rules of puppet-lint and its plugins, with the command line and the output of puppet-lint.

mod arguments;
mod settings;
mod text;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kukla::rewrite::Rewriter;
use kukla::syntax::{Diagnostic, Fact, Problem, Source, Span};
use kukla_check::baseline::{self, Baseline};
use kukla_lint::fix::Limits;
use kukla_lint::{Finding, Fix, Kind, Report, Reported, SYNTAX, rules};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

pub use self::arguments::canonical;
use self::settings::Selection;
use crate::output::{self, errln, out, outln, write_file};
use crate::render::{self, Findings, junit};
use crate::{CommandResult, ExitKind, files};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla lint manifests                       as puppet-lint with all its plugins
  kukla lint --plugins none manifests        as puppet-lint alone
  kukla lint --only-checks trailing_comma,arrow_alignment --fix manifests
  kukla lint --no-140chars-check --fail-on-warnings manifests
  alias puppet-lint='kukla lint'

`kukla explain NAME` explains a check.")]
pub struct Args {
    /// Manifests, data files, and directories to search for them
    paths: Vec<PathBuf>,
    /// Print the version of puppet-lint whose checks these are
    #[arg(long)]
    version: bool,
    /// List the names of all checks
    #[arg(long)]
    list_checks: bool,
    /// Run only these checks, separated by commas
    #[arg(long, value_name = "CHECKS")]
    only_checks: Option<String>,
    /// Choices of checks, in their order: `only:NAMES`, `+NAME`, `-NAME`.
    #[arg(long, hide = true, allow_hyphen_values = true)]
    choose: Vec<String>,
    /// An option that does not exist
    #[arg(long, hide = true, allow_hyphen_values = true)]
    invalid_option: Vec<String>,
    /// Run the checks of these plugins beside puppet-lint's own: all, none, or names separated by commas [default: all]
    #[arg(long, value_name = "PLUGINS", value_delimiter = ',')]
    plugins: Option<Vec<String>>,
    /// Fix findings, and report what was fixed
    #[arg(short, long)]
    fix: bool,
    /// The greatest effect of a fix: the layout, another form of the same value, the value that was meant, or another state of the system [default: value; with --only-checks: state]
    #[arg(long, value_name = "EFFECT", value_enum)]
    fix_effect: Option<Effect>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: LintFormat,
    /// Exit with code 1 on warnings, too
    #[arg(long)]
    fail_on_warnings: bool,
    /// Report only findings of this level
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    error_level: Level,
    /// Report findings that comments suppress, too
    #[arg(long)]
    show_ignored: bool,
    /// Print the line of each finding
    #[arg(long)]
    with_context: bool,
    /// Print the path before each finding; always on for several files
    #[arg(long)]
    with_filename: bool,
    /// The line to print for a finding, with %{path}, %{fullpath}, %{filename}, %{line}, %{column}, %{kind}, %{KIND}, %{check} and %{message}
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<String>,
    /// Print JSON as puppet-lint does
    #[arg(long)]
    json: bool,
    /// Print SARIF as puppet-lint does, with paths from the directory of the first path
    #[arg(long)]
    sarif: bool,
    /// Write a report for Code Climate to this file
    #[arg(long, value_name = "FILE")]
    codeclimate_report_file: Option<PathBuf>,
    /// Skip paths that match these patterns, separated by commas
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',', default_value = "vendor/**/*.pp")]
    ignore_paths: Vec<String>,
    /// Compare the layout of modules from the root of the module
    #[arg(long)]
    relative: bool,
    /// Variables that may be used at top scope, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    top_scope_variables: Vec<String>,
    /// Do not report the findings in this file [default: from the configuration]
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings to the baseline instead of reporting them
    #[arg(long, requires = "baseline")]
    write_baseline: bool,
    /// Report the rules that `kukla fmt` settles as one finding per file
    #[arg(long)]
    with_fmt: bool,
    /// Read options from this file, one in each line
    #[arg(short, long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// Read no options from .puppet-lint.rc, ~/.puppet-lint.rc and /etc/puppet-lint.rc
    #[arg(long)]
    no_config: bool,
    /// Accepted for files of checks that are built in; other Ruby code is refused
    #[arg(short, long, value_name = "FILE")]
    load: Vec<PathBuf>,
    /// Accepted, as --load
    #[arg(long, value_name = "MODULEPATH")]
    load_from_puppet: Vec<PathBuf>,
}

/// The output format of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LintFormat {
    /// One line each, as puppet-lint prints it
    #[default]
    PuppetLint,
    /// Source excerpts with underlines
    Human,
    /// One line each: file:line:column: severity, name, message
    Short,
    /// One JSON array
    Json,
    /// SARIF 2.1.0, for code scanning tools
    Sarif,
    /// Annotations for GitHub Actions
    Github,
    /// JUnit XML: one test for each file
    Junit,
}

/// The level of findings to report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Level {
    #[default]
    All,
    Warning,
    Error,
}

/// The effect of fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Effect {
    Layout,
    Form,
    Value,
    State,
}

/// The version of puppet-lint whose findings these are.
const VERSION: &str = "4.3.0";

/// The first bytes of a policy module of SELinux.
const SELINUX_POLICY: [u8; 4] = [0x8f, 0xff, 0x7c, 0xf9];

/// A file that was checked.
struct Checked {
    path: String,
    full_path: String,
    text: String,
    /// The text after fixes, if it differs.
    fixed: Option<String>,
    findings: Vec<Reported>,
    warnings: Vec<String>,
}

/// Lints the paths.
pub fn run(args: &Args) -> CommandResult {
    if let Some(option) = args.invalid_option.first() {
        outln!("puppet-lint: invalid option: {option}");
        outln!("puppet-lint: try 'puppet-lint --help' for more information");
        return Ok(ExitKind::Findings);
    }
    if args.version {
        outln!("puppet-lint {VERSION}");
        return Ok(ExitKind::Success);
    }
    if args.list_checks {
        rules::all().iter().for_each(|rule| outln!("{}", rule.name()));
        return Ok(ExitKind::Success);
    }
    refuse_ruby(args)?;
    if args.paths.is_empty() {
        outln!("puppet-lint: no file specified");
        outln!("puppet-lint: try 'puppet-lint --help' for more information");
        return Ok(ExitKind::Findings);
    }
    crate::make_pool();
    let selection = Selection::new(args)?;
    if args.paths.iter().any(|path| !path.exists()) {
        outln!("puppet-lint: no file specified or specified file does not exist");
        outln!("puppet-lint: try 'puppet-lint --help' for more information");
        return Ok(ExitKind::Findings);
    }
    let files = find(args, &selection)?;
    let results: Vec<Result<Checked, Problem>> =
        files.par_iter().map(|path| check(args, &selection, path)).collect();
    let mut checked = Vec::new();
    let mut has_failed = false;
    for result in results {
        match result {
            Ok(file) => checked.push(file),
            Err(problem) => {
                output::report(&problem);
                has_failed = true;
            }
        }
    }
    has_failed |= args.fix && write(&args.paths, &checked);
    apply_baseline(args, &selection, &mut checked)?;
    let is_error = |file: &Checked| {
        file.findings.iter().any(|reported| match reported.kind {
            Kind::Error => true,
            Kind::Warning => args.fail_on_warnings,
            Kind::Fixed | Kind::Ignored => false,
        })
    };
    let exit =
        if has_failed { ExitKind::Failure } else { ExitKind::findings_if(checked.iter().any(is_error)) };
    let is_puppet_lint = args.json || args.sarif || args.format == LintFormat::PuppetLint;
    for file in &mut checked {
        for warning in &file.warnings {
            errln!("{warning}");
        }
        if is_puppet_lint && file.findings.iter().any(|reported| reported.finding.code.name == SYNTAX.name) {
            errln!("Try running `puppet parser validate <file>`");
        }
        file.findings.retain(|reported| is_shown(args, reported.kind));
    }
    let report_file = std::env::var_os("CODECLIMATE_REPORT_FILE").map(PathBuf::from);
    if let Some(path) = args.codeclimate_report_file.as_ref().or(report_file.as_ref()) {
        write_file(path, text::code_climate(&checked).as_bytes())?;
    }
    print(args, &checked, files.len());
    Ok(exit)
}

/// Plugins are built in; Ruby code cannot be loaded.
fn refuse_ruby(args: &Args) -> Result<(), Problem> {
    for path in &args.load {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.strip_prefix("check_").unwrap_or(&name);
        if rules::find(name).is_none() {
            return Err(Problem::invalid("cannot load checks in Ruby from")
                .on(path.display())
                .because("all checks of puppet-lint and of its common plugins are built in")
                .help("run puppet-lint for this one, with --only-checks"));
        }
    }
    Ok(())
}

fn is_shown(args: &Args, kind: Kind) -> bool {
    match (kind, args.error_level) {
        (Kind::Ignored, Level::All) => args.show_ignored,
        (Kind::Ignored, _) => false,
        (Kind::Fixed, _) | (_, Level::All) => true,
        (Kind::Warning, level) => level == Level::Warning,
        (Kind::Error, level) => level == Level::Error,
    }
}

/// The files at or below the paths: manifests first, then data, as puppet-lint orders them.
fn find(args: &Args, selection: &Selection) -> Result<Vec<PathBuf>, Problem> {
    let mut found = Vec::new();
    for path in &args.paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        for extensions in [&["pp"][..], &["yaml", "yml"]] {
            let below = files::find_with_extensions(path, extensions)?.code;
            // The names are those that puppet-lint prints, which may have two slashes.
            let name = |file: &PathBuf| {
                let inside = file.strip_prefix(path).unwrap_or(file);
                PathBuf::from(format!("{}/{}", path.display(), inside.display()))
            };
            found.extend(below.iter().map(name));
        }
    }
    found.retain(|file| {
        let name = file.to_string_lossy();
        !selection.ignore_paths.iter().any(|pattern| text::fnmatch(pattern, &name))
    });
    Ok(found)
}

fn check(args: &Args, selection: &Selection, path: &Path) -> Result<Checked, Problem> {
    let full = std::path::absolute(path).map_err(|error| Problem::io("resolve", path, &error))?;
    let (name, full_path) = (path.to_string_lossy().into_owned(), full.to_string_lossy().into_owned());
    let bytes = files::read_bytes(path)?;
    // Policies of SELinux have the same extension.
    let bytes = if bytes.starts_with(&SELINUX_POLICY) { Vec::new() } else { bytes };
    let mut file = Checked {
        path: name,
        full_path,
        text: String::new(),
        fixed: None,
        findings: Vec::new(),
        warnings: Vec::new(),
    };
    match String::from_utf8(bytes) {
        Ok(text) => file.text = text,
        Err(_) => {
            let mut report = Report::default();
            report.push(&SYNTAX, 1, 1, 0, 0).fact("reason", " (invalid UTF-8)");
            file.findings =
                report.findings.into_iter().map(|finding| Reported { kind: Kind::Error, finding }).collect();
            return Ok(file);
        }
    }
    let effect = args.fix_effect.map(|effect| match effect {
        Effect::Layout => Fix::Layout,
        Effect::Form => Fix::Form,
        Effect::Value => Fix::Value,
        Effect::State => Fix::State,
    });
    let limits = Limits { effect, tasks: path.components().any(|part| part.as_os_str() == "plans") };
    let outcome = selection.rules.apply(&file.text, &file.path, &file.full_path, args.fix.then_some(limits));
    (file.fixed, file.warnings, file.findings) = (outcome.fixed, outcome.warnings, outcome.findings);
    if args.with_fmt {
        text::fold_formatted(&mut file.findings);
    }
    Ok(file)
}

/// The directory below which a file may be rewritten: the one that was named on the command line, or that of a file that was named itself.
fn root_of<'p>(named: &'p [PathBuf], path: &'p Path) -> &'p Path {
    let here = Path::new(".");
    let is_above =
        |root: &&Path| root.is_dir() && (path.starts_with(root) || *root == here && path.is_relative());
    let above = named.iter().map(PathBuf::as_path).filter(is_above).max_by_key(|root| root.as_os_str().len());
    let parent = || path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(here);
    above.unwrap_or_else(parent)
}

/// Writes the fixed texts. Reports whether one could not be written.
fn write(named: &[PathBuf], checked: &[Checked]) -> bool {
    // A rewriter for each root: it knows the files that have several names.
    let mut rewriters: BTreeMap<&Path, Rewriter> = BTreeMap::new();
    let mut has_failed = false;
    for file in checked {
        let Some(fixed) = &file.fixed else { continue };
        let path = Path::new(&file.path);
        let root = root_of(named, path);
        let rewriter = match rewriters.entry(root) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(free) => Rewriter::within(root).map(|rewriter| free.insert(rewriter)),
        };
        let written = rewriter.and_then(|rewriter| rewriter.replace(path, &file.text, fixed));
        if let Err(problem) = written {
            output::report(&problem);
            has_failed = true;
        }
    }
    has_failed
}

/// Removes the findings of the baseline, or writes the baseline.
fn apply_baseline(args: &Args, selection: &Selection, checked: &mut [Checked]) -> Result<(), Problem> {
    let Some(path) = args.baseline.as_ref().or(selection.baseline.as_ref()) else { return Ok(()) };
    let is_open = |reported: &Reported| matches!(reported.kind, Kind::Error | Kind::Warning);
    let converted =
        |reported: &Reported| kukla_check::Finding::from(diagnostic(&Source::unnamed(""), &reported.finding));
    if args.write_baseline {
        let mut all = Vec::new();
        for file in checked.iter_mut() {
            let open = file.findings.iter().filter(|reported| is_open(reported));
            all.extend(open.map(|reported| (converted(reported), file.path.clone())));
            file.findings.clear();
        }
        write_file(
            path,
            baseline::write(all.iter().map(|(finding, path)| (finding, path.clone()))).as_bytes(),
        )?;
        errln!("{} findings written to {}", all.len(), path.display());
        return Ok(());
    }
    let mut baseline = Baseline::read(&files::read_text(path)?);
    for file in checked {
        let mut findings = std::mem::take(&mut file.findings);
        findings.retain(|reported| !(is_open(reported) && baseline.covers(&converted(reported), &file.path)));
        file.findings = findings;
    }
    Ok(())
}

/// A finding as a diagnostic, for the formats that all commands share.
fn diagnostic(source: &Source, finding: &Finding) -> Diagnostic {
    let facts = finding.facts.iter().map(|(name, value)| (*name, Fact::Text(value.clone()))).collect();
    let mut diagnostic = Diagnostic::new(finding.code, facts);
    diagnostic.severity = finding.severity;
    let end = finding.end.max(finding.start).min(u32::try_from(source.text().len()).unwrap_or(u32::MAX));
    diagnostic.within_text(Span::new(finding.start.min(end), end)).in_source(source)
}

fn print(args: &Args, checked: &[Checked], files: usize) {
    if args.sarif {
        return output::write_document(&(text::sarif(&args.paths[0], checked) + "\n"));
    }
    if args.json {
        return output::write_document(&(text::json(args, checked) + "\n"));
    }
    let format = match args.format {
        LintFormat::PuppetLint => {
            let with_filename = args.with_filename || files > 1;
            return output::write_document(&text::lines(args, checked, with_filename));
        }
        LintFormat::Junit => return out!("{}", junit::document("kukla lint", &text::cases(checked))),
        LintFormat::Human => render::Format::Human,
        LintFormat::Short => render::Format::Short,
        LintFormat::Json => render::Format::Json,
        LintFormat::Sarif => render::Format::Sarif,
        LintFormat::Github => render::Format::Github,
    };
    let findings: Vec<Findings> = checked
        .iter()
        .map(|file| {
            let source = Source::new(file.path.as_str(), file.fixed.as_ref().unwrap_or(&file.text).as_str());
            let shown = file.findings.iter().filter(|reported| reported.kind != Kind::Fixed);
            Findings { diagnostics: shown.map(|reported| diagnostic(&source, &reported.finding)).collect() }
        })
        .collect();
    out!("{}", render::render(&findings, format));
    let counts = findings.iter().map(Findings::counts);
    let (errors, warnings) = counts.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    let fixed =
        checked.iter().flat_map(|file| &file.findings).filter(|reported| reported.kind == Kind::Fixed);
    let fixed = match fixed.count() {
        0 => String::new(),
        count => format!(", {count} fixed"),
    };
    errln!("{files} files checked: {errors} errors, {warnings} warnings{fixed}");
}
