//! `kukla doc`: the reference documentation of modules and control repositories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use kukla::DiskWorld;
use kukla::syntax::Problem;
use kukla::world::World;
use kukla_check::reference::{self, Reference};

use crate::output::{write_document, write_file};
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directory of a module, or files and patterns of files such as 'manifests/**/*.pp' [default: the current directory]
    paths: Vec<String>,
    /// Format of the documentation
    #[arg(long, value_enum, default_value_t)]
    format: DocFormat,
    /// File to write [default: standard output]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DocFormat {
    /// One page in Markdown, as in REFERENCE.md
    #[default]
    Markdown,
    /// JSON
    Json,
}

/// Writes the documentation.
pub fn run(args: &Args) -> CommandResult {
    crate::make_pool();
    let world: Arc<dyn World> = Arc::new(DiskWorld::default());
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
        DocFormat::Markdown => reference::markdown::page(&reference),
        DocFormat::Json => reference::json::document(&reference),
    };
    match &args.out {
        Some(path) => write_file(path, text.as_bytes())?,
        None => write_document(&text),
    }
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
