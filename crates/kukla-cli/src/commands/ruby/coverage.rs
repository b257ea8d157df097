//! `kukla ruby coverage`: which Ruby code of a repository runs natively.

use std::path::{Path, PathBuf};

use kukla::coverage::{Piece, PieceKind};
use kukla::syntax::Problem;
use kukla::{Compiler, DiskWorld, Policy, SiteSpec};
use serde_json::{Value as Json, json};

use crate::output::{errln, out, outln};
use crate::render::table::Table;
use crate::{CommandResult, ExitKind};

/// List the templates, functions, backends, types and facts of a repository that run natively
///
/// PATH is a control repository, a directory of modules, or one module. Functions are loaded and their signatures read; for everything
/// else, every method, constant and library that it uses must exist. Exit codes: 0 all Ruby code that manifests reach runs natively, 1
/// some does not, 2 the command could not run.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Control repository, directory of modules, or module
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Directories of further modules that those below PATH require, separated by colons
    #[arg(long, value_name = "DIR:DIR", value_delimiter = ':')]
    modulepath: Vec<PathBuf>,
    /// Replace functions and templates that cannot run with the files of this directory (see `kukla compile`)
    #[arg(long, value_name = "DIR")]
    overrides: Option<PathBuf>,
    /// Assume that functions and templates that cannot run natively run in this Ruby (see `kukla compile`)
    #[arg(long, value_name = "PATH")]
    ruby: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Let Ruby code that no manifest reaches affect the exit code
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Format {
    /// A summary, and a line for each missing feature
    #[default]
    Table,
    /// A JSON array of all pieces, each with its missing features
    Json,
}

/// The files and directories that identify a control repository.
const CONTROL: [&str; 3] = ["environment.conf", "modules", "site-modules"];
/// The files and directories that identify a module.
const MODULE: [&str; 4] = ["metadata.json", "manifests", "lib", "templates"];

fn has_any(path: &Path, names: &[&str]) -> bool {
    names.iter().any(|name| path.join(name).exists())
}

/// The environment of a directory.
fn site(path: &Path, others: &[PathBuf]) -> SiteSpec {
    let control = has_any(path, &CONTROL);
    let mut site = SiteSpec::default();
    if control || has_any(path, &MODULE) {
        site = SiteSpec::at(path);
    }
    if !control || !others.is_empty() {
        let own = match control {
            true => vec![path.join("modules"), path.join("site-modules"), path.join("site")],
            false if site.environment_root.is_none() => vec![path.to_owned()],
            false => Vec::new(),
        };
        site.modulepath = Some(own.into_iter().chain(others.iter().cloned()).collect());
    }
    SiteSpec { code: Some(String::new()), ..site }
}

/// Surveys the repository and prints the result.
pub fn run(args: &Args) -> CommandResult {
    let path = args.path.canonicalize().map_err(|error| Problem::io("read", &args.path, &error))?;
    let compiler = Compiler::new(DiskWorld::default()).with_policy(Policy::default());
    let mut spec = site(&path, &args.modulepath);
    spec.settings.overrides.clone_from(&args.overrides);
    let pieces = compiler.open(&spec)?.ruby_coverage(&path).result?;
    if pieces.is_empty() {
        errln!("kukla: no Ruby code found in modules below {}", path.display());
    }
    match args.format {
        Format::Table => table(&pieces, &path, args.ruby.as_deref()),
        Format::Json => {
            outln!("{:#}", Json::Array(pieces.iter().map(|piece| document(piece, &path)).collect()))
        }
    }
    let fails = |piece: &Piece| {
        let runs_there = args.ruby.is_some() && needs_another_ruby(piece);
        !piece.missing.is_empty() && !runs_there && (args.all || piece.is_reached)
    };
    Ok(ExitKind::findings_if(pieces.iter().any(fails)))
}

fn relative_path<'p>(piece: &'p Piece, path: &Path) -> std::path::Display<'p> {
    piece.file.strip_prefix(path).unwrap_or(&piece.file).display()
}

fn document(piece: &Piece, path: &Path) -> Json {
    let list = |found: &[(Option<u32>, String)]| -> Vec<Json> {
        found.iter().map(|(line, what)| json!({ "line": line, "what": what })).collect()
    };
    json!({
        "kind": piece.kind.word(),
        "module": piece.module,
        "name": piece.name,
        "file": relative_path(piece, path).to_string(),
        "native": runs(piece),
        "overridden": piece.is_overridden,
        "external": needs_another_ruby(piece),
        "reached": piece.is_reached,
        "missing": list(&piece.missing),
        "mistakes": list(&piece.mistakes),
    })
}

/// Whether the piece itself runs natively.
fn runs(piece: &Piece) -> bool {
    piece.missing.is_empty() && !piece.is_overridden
}

/// Whether `--ruby` would let it run.
fn needs_another_ruby(piece: &Piece) -> bool {
    let is_called = matches!(piece.kind, PieceKind::Template | PieceKind::Function);
    is_called && !piece.missing.is_empty()
}

fn table(pieces: &[Piece], path: &Path, ruby: Option<&str>) {
    for piece in pieces {
        if piece.is_overridden {
            outln!("{}: {} {}: overridden", relative_path(piece, path), piece.kind.word(), piece.name);
        }
        let kind = piece.kind.word();
        let reached = if piece.is_reached { "" } else { " (not reached)" };
        let suffix = |line: &Option<u32>| line.map(|line| format!(":{line}")).unwrap_or_default();
        for (line, what) in &piece.mistakes {
            let line = suffix(line);
            outln!(
                "{}{line}: {kind} {}: {what}, in Puppet as well{reached}",
                relative_path(piece, path),
                piece.name
            );
        }
        for (line, what) in &piece.missing {
            let line = suffix(line);
            let elsewhere = match ruby {
                Some(ruby) if needs_another_ruby(piece) => format!(", runs in {ruby}"),
                _ => String::new(),
            };
            outln!("{}{line}: {kind} {}: {what}{elsewhere}{reached}", relative_path(piece, path), piece.name);
        }
    }
    let mut table = Table::default().with_numbers(1..5);
    table.row(["", "native", "of", "reached", "native of these"]);
    for kind in PieceKind::ALL {
        row(&mut table, &format!("{}s", kind.word()), pieces.iter().filter(|piece| piece.kind == kind));
    }
    row(&mut table, "all", pieces.iter());
    out!("{}", table.text());
}

fn row<'p>(table: &mut Table, name: &str, pieces: impl Iterator<Item = &'p Piece>) {
    let (mut native, mut all, mut reached, mut both) = (0, 0, 0, 0);
    for piece in pieces {
        let runs = runs(piece);
        all += 1;
        native += usize::from(runs);
        reached += usize::from(piece.is_reached);
        both += usize::from(piece.is_reached && runs);
    }
    let numbers = [native, all, reached, both].map(|number: usize| number.to_string());
    table.row(std::iter::once(name.to_owned()).chain(numbers));
}
