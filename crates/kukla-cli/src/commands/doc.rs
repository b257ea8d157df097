//! `kukla doc`: the reference documentation of modules and control repositories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use kukla::DiskWorld;
use kukla::config_file::ConfigFile;
use kukla::syntax::{Diagnostic, Problem};
use kukla::world::World;
use kukla_check::reference::{self, Reference};
use kukla_check::repository::Shape;
use kukla_check::{Checker, Config, Options, RuleSelection, rules};

use crate::output::{errln, out, write_document, write_file, write_files};
use crate::render::{self, Findings, Format};
use crate::{CommandResult, ExitKind, files};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directory of a module, or files and patterns of files such as 'manifests/**/*.pp' [default: the current directory]
    paths: Vec<String>,
    /// Format of the documentation
    #[arg(long, value_enum, default_value_t)]
    format: DocFormat,
    /// File to write [default: standard output]; with --format html, directory to write
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Report missing, wrong and stale documentation instead of writing any
    #[arg(long, conflicts_with_all = ["format", "out"])]
    check: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DocFormat {
    /// One page in Markdown, as in REFERENCE.md
    #[default]
    Markdown,
    /// JSON
    Json,
    /// A site of HTML pages with a search, for a module or a whole control repository
    Html,
}

/// Writes the documentation.
pub fn run(args: &Args) -> CommandResult {
    crate::make_pool();
    let world: Arc<dyn World> = Arc::new(DiskWorld::default());
    if args.check {
        return check(args, &world);
    }
    if args.format == DocFormat::Html {
        return site(args, &world);
    }
    let (directory, patterns) = sources(args);
    let files = reference::files(&*world, &directory, patterns.iter().map(String::as_str));
    for file in files.iter().filter(|file| patterns.contains(file)) {
        let path = directory.join(file);
        std::fs::metadata(&path).map_err(|error| Problem::io("read", &path, &error))?;
    }
    if files.is_empty() {
        return Err(Problem::not_found("nothing to document")
            .on(directory.display())
            .because("no manifests, functions, types, tasks, plans or Ruby code found")
            .help("run it in the directory of a module, or name that directory"));
    }
    let reference = Reference::of_files(&*world, &directory, &files);
    let text = match args.format {
        DocFormat::Markdown | DocFormat::Html => reference::markdown::page(&reference),
        DocFormat::Json => reference::json::document(&reference),
    };
    match &args.out {
        Some(path) => write_file(path, text.as_bytes())?,
        None => write_document(&text),
    }
    Ok(ExitKind::Success)
}

/// Writes the site of a repository.
fn site(args: &Args, world: &Arc<dyn World>) -> CommandResult {
    let Some(out) = &args.out else {
        return Err(
            Problem::invalid("--format html needs a directory to write").help("name it with --out DIR")
        );
    };
    let path = match &args.paths[..] {
        [] => PathBuf::from("."),
        [only] => PathBuf::from(only),
        _ => return Err(Problem::invalid("--format html documents one repository, got several paths")),
    };
    let path = path.canonicalize().map_err(|error| Problem::io("read", &path, &error))?;
    let (root, shape) = kukla_check::root_of(&**world, &path).unwrap_or((path, Shape::Module));
    let pages = reference::site(&**world, &root, shape)?;
    let mut files = Vec::with_capacity(pages.len());
    for (name, text) in pages {
        let path = out.join(name);
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory).map_err(|error| Problem::io("write", directory, &error))?;
        }
        files.push((path, text));
    }
    write_files(&files)?;
    errln!("{} files written to {}", files.len(), out.display());
    Ok(ExitKind::Success)
}

/// The directory of the module, and the patterns of files in it.
fn sources(args: &Args) -> (PathBuf, Vec<String>) {
    let default = || reference::DEFAULT_PATTERNS.iter().map(|pattern| (*pattern).to_owned()).collect();
    match &args.paths[..] {
        [] => (PathBuf::from("."), default()),
        [only] if Path::new(only).is_dir() => (PathBuf::from(only), default()),
        patterns => (PathBuf::from("."), patterns.to_vec()),
    }
}

/// Reports the findings of the rules for documentation.
fn check(args: &Args, world: &Arc<dyn World>) -> CommandResult {
    let paths = if args.paths.is_empty() { vec![".".to_owned()] } else { args.paths.clone() };
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for path in paths {
        let path = {
            let path = Path::new(&path);
            path.canonicalize().map_err(|error| Problem::io("read", path, &error))?
        };
        let (root, shape) =
            kukla_check::root_of(&**world, &path).unwrap_or_else(|| (path.clone(), Shape::Module));
        let config = root.join("kukla.toml");
        let config = match config.exists() {
            true => {
                let text = files::read_repository_text(&config)?;
                ConfigFile::parse(&config, &text).and_then(|file| Config::read(&file))?
            }
            false => Config::default(),
        };
        let selection = RuleSelection { docs: true, ..RuleSelection::default() };
        let options = Options { selection, only: vec![path], ..Options::default() };
        let report = Checker::new(Arc::clone(world), root.clone(), shape, options).check()?;
        let is_ours = |code: &str| rules::documentation::RULES.iter().any(|rule| rule.name() == code);
        let findings = report.findings.into_iter().filter(|finding| is_ours(finding.diagnostic.code.name));
        let applied = findings.filter_map(|finding| {
            let file =
                finding.diagnostic.position.as_ref().and_then(|place| place.file()).unwrap_or_default();
            let relative = Path::new(file).strip_prefix(&root).unwrap_or(Path::new(file));
            let relative = relative.to_string_lossy().into_owned();
            config.apply(finding, &relative)
        });
        diagnostics.extend(applied.map(|finding| finding.diagnostic));
    }
    let count = diagnostics.len();
    out!("{}", render::render(&[Findings { diagnostics }], Format::Human));
    match count {
        0 => errln!("the documentation is complete and current"),
        1 => errln!("1 finding"),
        _ => errln!("{count} findings"),
    }
    Ok(ExitKind::findings_if(count > 0))
}
