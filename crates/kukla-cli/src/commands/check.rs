//! `kukla check`: finds errors in the code and data of a repository, without running it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::DiskWorld;
use kukla::analysis::{Analysis, Rules};
use kukla::config_file::ConfigFile;
use kukla::syntax::{Diagnostic, Problem, ProblemKind, Strict};
use kukla::world::World;
use kukla::world::policy::{Files, Reach};
use kukla_check::repository::Shape;
use kukla_check::{
    Checker, Config, DeclaredNames, Finding, Options, Report, RuleSelection, Target, baseline,
};

use super::locked_modules;
use super::options::ExcerptOptions;
use super::policy::PolicyOptions;
use crate::files::CodeFiles;
use crate::output::{errln, out, write_file};
use crate::render::{self, Findings, Format, human};
use crate::{CommandResult, ExitKind, files};

mod fixes;
mod statistics;

#[derive(Debug, clap::Args)]
#[command(mut_arg("files", |files| files.default_value("repository")))]
pub struct Args {
    /// Files and directories to check; `-` is standard input
    paths: Vec<PathBuf>,
    /// Repository, to which PATHS are relative
    #[arg(long = "in", short = 'C', value_name = "PATH")]
    repository: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Report probable errors, too; with a level (off, warning, error), set Puppet's setting `strict` instead
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_missing_value = "probable")]
    strict: Option<Strictness>,
    /// Directories of modules, separated by colons [default: from environment.conf]. A file in them may only define the class or type
    /// that it is named after
    #[arg(long, value_name = "DIR:DIR", value_delimiter = ':')]
    modulepath: Vec<PathBuf>,
    /// Exit with code 1 on warnings, too
    #[arg(long)]
    deny_warnings: bool,
    /// Report findings in third-party modules, too: those that a Puppetfile installs or git ignores
    #[arg(long)]
    all_modules: bool,
    /// Print only the first N findings of each rule, and the number of the others; 0 prints all [default: 10 on a terminal, 0 otherwise]
    #[arg(long, value_name = "N")]
    max_per_rule: Option<usize>,
    /// Print the number of findings by rule and by directory instead of the findings
    #[arg(long)]
    stat: bool,
    /// Report unused code and data, too
    #[arg(long)]
    unused: bool,
    /// Report missing, wrong and stale documentation, too
    #[arg(long)]
    docs: bool,
    /// Report features that this version no longer has, too: puppet-8, openvox-8 or openvox-9
    #[arg(long, value_name = "VERSION", value_parser = parse_target)]
    target: Option<Target>,
    /// Fix findings where the fix does not change the meaning
    #[arg(long)]
    fix: bool,
    /// With --fix, apply probable fixes, too, such as those of misspelt names
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,
    /// Configuration file [default: kukla.toml at the root of the repository]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Do not report the findings in this file [default: from the configuration]
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings to the baseline instead of reporting them
    #[arg(long, requires = "baseline")]
    write_baseline: bool,
    #[command(flatten)]
    excerpts: ExcerptOptions,
    #[command(flatten)]
    access: PolicyOptions,
}

impl Args {
    /// The number of findings of each rule to print; `usize::MAX` for all.
    fn most_per_rule(&self) -> usize {
        let is_read_by_people = matches!(self.format, Format::Human | Format::Short);
        let default = if self.format == Format::Human && std::io::stdout().is_terminal() { 10 } else { 0 };
        match self.max_per_rule.unwrap_or(default) {
            0 => usize::MAX,
            most if is_read_by_people => most,
            // Programs get everything.
            _ => usize::MAX,
        }
    }

    /// A file that the repository names, unless it lies outside of the repository and `--files` does not allow it.
    fn repository_file(&self, root: &Path, path: PathBuf) -> Result<PathBuf, Problem> {
        let Files { reach, also } = self.access.files();
        let allowed = |real: &PathBuf| {
            *reach == Reach::Any
                || std::iter::once(root)
                    .chain(also.iter().map(PathBuf::as_path))
                    .any(|root| real.starts_with(root))
        };
        match path.canonicalize() {
            Ok(real) if !allowed(&real) => Err(Problem::new(ProblemKind::Denied, "cannot read")
                .on(path.display())
                .because(format!("it lies outside of {}", root.display()))
                .help("`--files any` allows it")),
            _ => Ok(path),
        }
    }
}

fn parse_target(text: &str) -> Result<Target, Problem> {
    match text {
        "puppet-8" | "openvox-8" => Ok(Target::Puppet8),
        "openvox-9" => Ok(Target::Openvox9),
        _ => Err(Problem::invalid("expected 'puppet-8', 'openvox-8' or 'openvox-9'")),
    }
}

/// The value of `--strict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strictness {
    /// Without a level: report probable errors, too.
    Probable,
    /// With a level: Puppet's setting.
    Puppet(Strict),
}

impl std::str::FromStr for Strictness {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Strictness, Problem> {
        if text == "probable" { Ok(Strictness::Probable) } else { text.parse().map(Strictness::Puppet) }
    }
}

/// A repository, and the paths in it to check.
#[derive(Debug)]
struct Scope {
    root: PathBuf,
    shape: Shape,
    only: Vec<PathBuf>,
    extra: Vec<PathBuf>,
}

/// Checks the paths and prints the findings.
pub fn run(args: &Args) -> CommandResult {
    crate::make_pool();
    args.excerpts.apply();
    let world: Arc<dyn World> = Arc::new(DiskWorld::default());
    let (input, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        args.paths.iter().cloned().partition(|path| path.as_os_str() == "-");
    let here = args.paths.is_empty().then(|| PathBuf::from("."));
    let mut paths: Vec<PathBuf> = paths.into_iter().chain(here).collect();
    if let Some(repository) = &args.repository {
        paths = paths
            .iter()
            .map(|path| if path.as_os_str() == "." { repository.clone() } else { repository.join(path) })
            .collect();
    }
    let mut report = Report::default();
    let mut is_incomplete = false;
    for scope in scopes(&*world, &paths, &mut report.special)? {
        let (one, has_failed) = check(args, &world, scope)?;
        is_incomplete |= has_failed;
        report.findings.extend(one.findings);
        report.files += one.files;
        report.unreadable.extend(one.unreadable);
        report.special.extend(one.special);
        report.notes.extend(one.notes);
    }
    if !input.is_empty() {
        report.files += 1;
        report.findings.extend(check_stdin(args)?);
    }
    if report.files == 0 && report.findings.is_empty() && report.unreadable.is_empty() {
        return Err(Problem::not_found("nothing to check")
            .because("no manifests, templates or data files (.pp, .epp, .yaml) found"));
    }
    let exit = print(args, report);
    Ok(if is_incomplete { ExitKind::Failure } else { exit })
}

fn print(args: &Args, report: Report) -> ExitKind {
    for path in &report.special.into_iter().collect::<BTreeSet<_>>() {
        errln!("kukla: skipped {}: it is a pipe, a socket or a device", path.display());
    }
    for problem in &report.unreadable {
        errln!("kukla: {}", problem.with_help());
    }
    let diagnostics: Vec<Diagnostic> =
        report.findings.into_iter().map(|finding| finding.diagnostic).collect();
    let mut findings = [Findings { diagnostics }];
    let (errors, warnings) = findings[0].counts();
    if args.stat {
        out!("{}", statistics::table(&findings[0].diagnostics));
    } else {
        let rest = statistics::cap(&mut findings[0].diagnostics, args.most_per_rule());
        out!("{}", render::render(&findings, args.format));
        for (rule, more) in rest {
            errln!("{rule}: and {more} more; --max-per-rule 0 prints them, --stat counts them");
        }
    }
    for note in report.notes.iter().collect::<BTreeSet<_>>() {
        errln!("note: {note}");
    }
    errln!("{}", summary(report.files, errors, warnings));
    if !report.unreadable.is_empty() {
        return ExitKind::Failure;
    }
    ExitKind::findings_if(errors > 0 || args.deny_warnings && warnings > 0)
}

/// The repositories of the paths, each with those of the paths that lie in it; `special` gets the pipes and devices.
fn scopes(world: &dyn World, paths: &[PathBuf], special: &mut Vec<PathBuf>) -> Result<Vec<Scope>, Problem> {
    let mut scopes: Vec<Scope> = Vec::new();
    for path in paths {
        let path = path.canonicalize().map_err(|error| Problem::io("read", path, &error))?;
        let mut add = |root: PathBuf, shape: Shape, only: PathBuf, extra: Vec<PathBuf>| match scopes
            .iter_mut()
            .find(|scope| scope.root == root && scope.shape == shape)
        {
            Some(scope) => {
                scope.only.push(only);
                scope.extra.extend(extra);
            }
            None => scopes.push(Scope { root, shape, only: vec![only], extra }),
        };
        let CodeFiles { mut code, special: here } = files::find_code(&path)?;
        special.extend(here);
        let own = kukla_check::root_of(world, &path);
        let top = own.as_ref().map_or(&path, |(root, _)| root);
        code.retain(|file| *file == path || is_loaded(file, top));
        if let Some((root, shape)) = &own {
            add(root.clone(), *shape, path.clone(), Vec::new());
        }
        // A directory may contain several repositories, and files that belong to none.
        let mut roots: BTreeMap<PathBuf, Option<(PathBuf, Shape)>> = BTreeMap::new();
        for file in code {
            let above = file.parent().map(Path::to_owned).unwrap_or_default();
            let root = roots.entry(above).or_insert_with_key(|above| kukla_check::root_of(world, above));
            match root.clone() {
                Some((root, shape)) => {
                    let only = if root.starts_with(&path) { root.clone() } else { file.clone() };
                    add(root, shape, only, vec![file]);
                }
                None if let Some((root, shape)) = &own => add(root.clone(), *shape, path.clone(), vec![file]),
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
    Ok(scopes)
}

/// Whether a file in a directory is Puppet code that something may load: it is not a file for nodes, and not a fixture of tests.
fn is_loaded(file: &Path, directory: &Path) -> bool {
    let inside = file.strip_prefix(directory).unwrap_or(file);
    let parts: Vec<&str> = inside.iter().filter_map(|part| part.to_str()).collect();
    let above = &parts[..parts.len().saturating_sub(1)];
    let is_for_nodes = above.contains(&"files") && !above.contains(&"manifests");
    let is_fixture = above.windows(2).any(|pair| pair == ["spec", "fixtures"]);
    let is_installed = above.iter().any(|part| matches!(*part, "vendor" | "node_modules"));
    !is_for_nodes && !is_fixture && !is_installed
}

/// Checks one repository. Reports whether a fix could not be applied, too.
fn check(args: &Args, world: &Arc<dyn World>, mut scope: Scope) -> Result<(Report, bool), Problem> {
    let config = read_config(args, &scope.root)?;
    if args.paths.is_empty() && !config.paths.is_empty() {
        scope.only = config.paths.iter().map(|path| scope.root.join(path)).collect();
    }
    let options = Options {
        policy: Some(args.access.policy()),
        manifest: None,
        selection: RuleSelection {
            strict: args.strict == Some(Strictness::Probable) || config.strict,
            unused: args.unused,
            docs: args.docs,
            target: args.target,
        },
        puppet_strict: puppet_strict(args),
        modulepath: args
            .modulepath
            .iter()
            .map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()))
            .collect(),
        extra: scope.extra,
        declared: DeclaredNames { variables: config.variables.clone(), facts: config.facts.clone() },
        all_modules: args.all_modules,
        only: scope.only,
    };
    let root = scope.root.clone();
    let files = args.access.policy().files;
    if files.reach == Reach::Repository {
        human::show_only(
            std::iter::once(&root).chain(&args.modulepath).chain(&files.also).map(PathBuf::as_path),
        );
    }
    let (world, _) = locked_modules::install(Arc::clone(world), &scope.root, false, None)?;
    let mut checker = Checker::new(world, scope.root, scope.shape, options);
    let mut report = checker.check()?;
    report.findings = report
        .findings
        .into_iter()
        .filter_map(|finding| {
            let path = relative_path(&finding, &root);
            config.apply(finding, &path)
        })
        .collect();
    apply_baseline(args, &config, &root, &mut report)?;
    let mut is_incomplete = false;
    if args.fix {
        let is_fixable =
            |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.is_safe || args.unsafe_fixes);
        is_incomplete = fixes::apply(&root, &mut report, is_fixable)?;
    }
    Ok((report, is_incomplete))
}

fn puppet_strict(args: &Args) -> Strict {
    match args.strict {
        Some(Strictness::Puppet(strict)) => strict,
        _ => Strict::Error,
    }
}

fn read_config(args: &Args, root: &Path) -> Result<Config, Problem> {
    let (path, text) = match &args.config {
        Some(path) => (path.clone(), files::read_text(path)),
        None => {
            let path = args.repository_file(root, root.join("kukla.toml"))?;
            let text = files::read_repository_text(&path);
            (path, text)
        }
    };
    match text {
        Ok(text) => ConfigFile::parse(&path, &text).and_then(|file| Config::read(&file)),
        Err(problem) if args.config.is_none() && problem.kind() == ProblemKind::NotFound => {
            Ok(Config::default())
        }
        Err(problem) => Err(problem),
    }
}

/// The path of a finding's file, relative to the root.
fn relative_path(finding: &Finding, root: &Path) -> String {
    let file = finding.diagnostic.position.as_ref().and_then(|place| place.file()).unwrap_or_default();
    Path::new(file)
        .strip_prefix(root)
        .map_or_else(|_| file.to_owned(), |path| path.to_string_lossy().into_owned())
}

/// Removes the findings of the baseline from the report, or writes the baseline.
fn apply_baseline(args: &Args, config: &Config, root: &Path, report: &mut Report) -> Result<(), Problem> {
    let configured =
        config.baseline.as_ref().map(|path| args.repository_file(root, root.join(path))).transpose()?;
    let is_named = args.baseline.is_some();
    let Some(path) = args.baseline.clone().or(configured) else { return Ok(()) };
    if args.write_baseline {
        let findings = report.findings.iter().map(|finding| (finding, relative_path(finding, root)));
        write_file(&path, baseline::write(findings).as_bytes())?;
        errln!("{} written to {}", count(report.findings.len(), "finding"), path.display());
        report.findings.clear();
        return Ok(());
    }
    let text = if is_named { files::read_text(&path)? } else { files::read_repository_text(&path)? };
    let mut baseline = baseline::Baseline::read(&text);
    report.findings.retain(|finding| !baseline.covers(finding, &relative_path(finding, root)));
    Ok(())
}

/// The findings of the text on standard input by itself.
fn check_stdin(args: &Args) -> Result<Vec<Finding>, Problem> {
    let (source, invalid) = kukla::analysis::source("-", files::read_stdin()?);
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
