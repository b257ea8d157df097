//! `kukla check`: what is wrong with a repository, code and data, without running anything?

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::DiskWorld;
use kukla::analysis::{Analysis, Rules};
use kukla::config_file::ConfigFile;
use kukla::syntax::{Diagnostic, Problem, Strict};
use kukla::world::World;
use kukla_check::repository::Shape;
use kukla_check::{Asks, Checker, Config, Finding, Options, Report, Target, baseline, fix};

use crate::output::{errln, out};
use crate::render::{self, Findings, Format};
use crate::{Outcome, files};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and directories; `-` is standard input
    paths: Vec<PathBuf>,
    /// How to print what is found
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Report what is likely, not only what is certain; with a level (off, warning, error) Puppet's setting of that name, which
    /// says what becomes of questionable code
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_missing_value = "more")]
    strict: Option<Strictness>,
    /// Directories of modules, separated by colons; by default what environment.conf says. A file below them may only define what it
    /// is named for
    #[arg(long, value_name = "DIR:DIR", value_delimiter = ':')]
    modulepath: Vec<PathBuf>,
    /// Let warnings count as errors in the exit status
    #[arg(long)]
    deny_warnings: bool,
    /// Report what nothing uses as well
    #[arg(long)]
    unused: bool,
    /// Report what that version no longer has as well
    #[arg(long, value_name = "VERSION", value_parser = target)]
    target: Option<Target>,
    /// Mend what can be mended without changing what is meant
    #[arg(long)]
    fix: bool,
    /// With --fix, mend what is probably meant as well, such as misspelt names
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,
    /// The configuration; by default kukla.toml at the root of the repository
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A file with findings that are known and not reported; by default what the configuration says
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write what is found to the baseline instead of reporting it
    #[arg(long, requires = "baseline")]
    write_baseline: bool,
}

fn target(text: &str) -> Result<Target, String> {
    match text {
        "puppet-8" | "openvox-8" => Ok(Target::Puppet8),
        "openvox-9" => Ok(Target::Openvox9),
        _ => Err("it is one of 'puppet-8', 'openvox-8', 'openvox-9'".into()),
    }
}

/// What `--strict` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strictness {
    More,
    Puppet(Strict),
}

impl std::str::FromStr for Strictness {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Strictness, Problem> {
        if text == "more" { Ok(Strictness::More) } else { text.parse().map(Strictness::Puppet) }
    }
}

/// A repository and what of it is to be checked.
#[derive(Debug)]
struct Part {
    root: PathBuf,
    shape: Shape,
    only: Vec<PathBuf>,
    extra: Vec<PathBuf>,
}

/// Checks what was asked for and prints what is found.
pub fn run(args: &Args) -> Outcome {
    crate::make_pool();
    let world: Arc<dyn World> = Arc::new(DiskWorld::default());
    let (input, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        args.paths.iter().cloned().partition(|path| path.as_os_str() == "-");
    let here = args.paths.is_empty().then(|| PathBuf::from("."));
    let paths: Vec<PathBuf> = paths.into_iter().chain(here).collect();
    let parts = match parts(&*world, &paths) {
        Ok(parts) => parts,
        Err(problem) => return Outcome::unable(&problem),
    };
    let mut report = Report::default();
    for part in parts {
        match check(args, &world, part) {
            Ok(found) => {
                report.findings.extend(found.findings);
                report.files += found.files;
                report.unreadable.extend(found.unreadable);
            }
            Err(problem) => return Outcome::unable(&problem),
        }
    }
    if !input.is_empty() {
        report.files += 1;
        match standard_input(args) {
            Ok(found) => report.findings.extend(found),
            Err(problem) => return Outcome::unable(&problem),
        }
    }
    if report.files == 0 && report.findings.is_empty() && report.unreadable.is_empty() {
        return Outcome::unable(
            "there is nothing to check: no manifests, templates or data (.pp, .epp, .yaml) were found",
        );
    }
    tell(args, report)
}

fn tell(args: &Args, report: Report) -> Outcome {
    for problem in &report.unreadable {
        errln!("kukla: {problem}");
    }
    let diagnostics: Vec<Diagnostic> =
        report.findings.into_iter().map(|finding| finding.diagnostic).collect();
    let findings = [Findings { diagnostics }];
    out!("{}", render::render(&findings, args.format));
    let (errors, warnings) = findings[0].counts();
    errln!("{}", summary(report.files, errors, warnings));
    if !report.unreadable.is_empty() {
        Outcome::Unable
    } else if errors > 0 || args.deny_warnings && warnings > 0 {
        Outcome::Found
    } else {
        Outcome::Done
    }
}

/// Which repositories the paths lie in, and which parts of them are meant.
fn parts(world: &dyn World, paths: &[PathBuf]) -> Result<Vec<Part>, String> {
    let mut parts: Vec<Part> = Vec::new();
    for path in paths {
        let path = path.canonicalize().map_err(|error| files::problem(path, &error))?;
        let mut add = |root: PathBuf, shape: Shape, only: PathBuf, extra: Vec<PathBuf>| match parts
            .iter_mut()
            .find(|part| part.root == root && part.shape == shape)
        {
            Some(part) => {
                part.only.push(only);
                part.extra.extend(extra);
            }
            None => parts.push(Part { root, shape, only: vec![only], extra }),
        };
        let mut code = files::find_code(std::slice::from_ref(&path))?;
        // What tests bring along is someone else's.
        let is_fixture = |file: &PathBuf| {
            file.strip_prefix(&path).is_ok_and(|inside| inside.to_string_lossy().contains("spec/fixtures/"))
        };
        code.retain(|file| !is_fixture(file));
        if let Some((root, shape)) = kukla_check::root_of(world, &path) {
            add(root, shape, path, code);
            continue;
        }
        // A directory may have several in it, and files that belong to none.
        for file in code {
            match file.parent().and_then(|above| kukla_check::root_of(world, above)) {
                Some((root, shape)) => {
                    let only = if root.starts_with(&path) { root.clone() } else { file.clone() };
                    add(root, shape, only, vec![file]);
                }
                None => {
                    let root = if path.is_dir() {
                        path.clone()
                    } else {
                        path.parent().map_or(path.clone(), Path::to_owned)
                    };
                    add(root, Shape::Loose, file.clone(), vec![file]);
                }
            }
        }
    }
    Ok(parts)
}

fn check(args: &Args, world: &Arc<dyn World>, part: Part) -> Result<Report, String> {
    let config = configuration(args, &part.root)?;
    let mut part = part;
    if args.paths.is_empty() && !config.paths.is_empty() {
        part.only = config.paths.iter().map(|path| part.root.join(path)).collect();
    }
    let options = Options {
        manifest: None,
        asks: Asks {
            strict: args.strict == Some(Strictness::More) || config.strict,
            unused: args.unused,
            target: args.target,
        },
        puppet_strict: puppet_strict(args),
        modulepath: args
            .modulepath
            .iter()
            .map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()))
            .collect(),
        extra: part.extra,
        only: part.only,
    };
    let root = part.root.clone();
    let mut checker = Checker::new(Arc::clone(world), part.root, part.shape, options);
    let mut report = checker.check().map_err(|wrong| wrong.to_string())?;
    report.findings = report
        .findings
        .into_iter()
        .filter_map(|finding| {
            let path = below_root(&finding, &root);
            config.apply(finding, &path)
        })
        .collect();
    against_baseline(args, &config, &root, &mut report)?;
    if args.fix {
        mend(args, &mut report)?;
    }
    Ok(report)
}

fn puppet_strict(args: &Args) -> Strict {
    match args.strict {
        Some(Strictness::Puppet(strict)) => strict,
        _ => Strict::Error,
    }
}

fn configuration(args: &Args, root: &Path) -> Result<Config, String> {
    let path = args.config.clone().unwrap_or_else(|| root.join("kukla.toml"));
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            let read = ConfigFile::parse(&path, &text).and_then(|file| Config::read(&file));
            read.map_err(|problem| problem.with_help())
        }
        Err(error) if args.config.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            Ok(Config::default())
        }
        Err(error) => Err(files::problem(&path, &error)),
    }
}

/// The path of a finding's file from the root.
fn below_root(finding: &Finding, root: &Path) -> String {
    let file = finding.diagnostic.position.as_ref().and_then(|place| place.file()).unwrap_or_default();
    Path::new(file)
        .strip_prefix(root)
        .map_or_else(|_| file.to_owned(), |path| path.to_string_lossy().into_owned())
}

/// Leaves out what the baseline knows, or makes what was found known.
fn against_baseline(args: &Args, config: &Config, root: &Path, report: &mut Report) -> Result<(), String> {
    let configured = config.baseline.as_ref().map(|path| root.join(path));
    let Some(path) = args.baseline.clone().or(configured) else { return Ok(()) };
    if args.write_baseline {
        let found = report.findings.iter().map(|finding| (finding, below_root(finding, root)));
        std::fs::write(&path, baseline::write(found)).map_err(|error| files::problem(&path, &error))?;
        errln!("{} written to {}", count(report.findings.len(), "finding"), path.display());
        report.findings.clear();
        return Ok(());
    }
    let text = std::fs::read_to_string(&path).map_err(|error| files::problem(&path, &error))?;
    let mut known = baseline::Baseline::read(&text);
    report.findings.retain(|finding| !known.covers(finding, &below_root(finding, root)));
    Ok(())
}

/// Makes the changes that mend what was found, and leaves that out of the report.
fn mend(args: &Args, report: &mut Report) -> Result<(), String> {
    let is_meant =
        |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.is_safe || args.unsafe_fixes);
    let (meant, rest): (Vec<Finding>, Vec<Finding>) = report.findings.drain(..).partition(is_meant);
    report.findings = rest;
    let mut files: Vec<String> =
        meant.iter().filter_map(|found| Some(found.diagnostic.location()?.file()?.to_owned())).collect();
    files.sort();
    files.dedup();
    let mut made = 0;
    for file in &files {
        let here = meant
            .iter()
            .filter(|found| found.diagnostic.location().and_then(|place| place.file()) == Some(file));
        let fixes: Vec<_> = here.filter_map(|found| found.fix.as_ref()).collect();
        let path = Path::new(file);
        let text = std::fs::read_to_string(path).map_err(|error| files::problem(path, &error))?;
        let (text, count) = fix::apply(&text, &fixes);
        std::fs::write(path, text).map_err(|error| files::problem(path, &error))?;
        made += count;
    }
    if made > 0 {
        errln!("{} made in {}", count(made, "change"), count(files.len(), "file"));
    }
    Ok(())
}

/// What is wrong with the text on standard input, by itself.
fn standard_input(args: &Args) -> Result<Vec<Finding>, String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| files::problem(Path::new("-"), &error))?;
    let (source, invalid) = kukla::analysis::source("-", bytes);
    let diagnostics = match invalid {
        Some(invalid) => vec![invalid],
        None => {
            Analysis::new(&source, &Rules { strict: puppet_strict(args), ..Rules::default() }).diagnostics
        }
    };
    Ok(diagnostics.into_iter().map(Finding::from).collect())
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn summary(files: usize, errors: usize, warnings: usize) -> String {
    match (errors, warnings) {
        (0, 0) => format!("{} checked, nothing found", count(files, "file")),
        _ => format!(
            "{} checked: {}, {}",
            count(files, "file"),
            count(errors, "error"),
            count(warnings, "warning")
        ),
    }
}
