//! `kukla ruby coverage`: how much of a repository's Ruby runs natively.

use std::path::{Path, PathBuf};

use kukla::coverage::{Piece, PieceKind};
use kukla::{Compiler, DiskWorld, Policy, SiteSpec};
use serde_json::{Value as Json, json};

use crate::Outcome;
use crate::output::{errln, out, outln};

/// Tell which templates, functions, backends, types and facts of a repository run natively
///
/// PATH is a control repository, a directory of modules, or one module. Functions are loaded and their signatures read; of the rest
/// every method, constant and library that is named must be there. Exit status: 0 all that manifests reach runs, 1 something does not,
/// 2 the command could not run.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A control repository, a directory of modules, or one module
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Directories of further modules, separated by colons, for what those below PATH require
    #[arg(long, value_name = "DIR:DIR", value_delimiter = ':')]
    modulepath: Vec<PathBuf>,
    /// A directory with what stands in for functions and templates that cannot run (see `kukla compile`)
    #[arg(long, value_name = "DIR")]
    overrides: Option<PathBuf>,
    /// The Ruby that functions and templates which cannot run are to run in (see `kukla compile`)
    #[arg(long, value_name = "PATH")]
    ruby: Option<String>,
    /// How to print what is found
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Let what no manifest reaches count in the exit status
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Format {
    /// A table, and what is missing
    #[default]
    Table,
    /// Every piece, with what is missing for it
    Json,
}

/// What shows that a directory is a control repository.
const CONTROL: [&str; 3] = ["environment.conf", "modules", "site-modules"];
/// What shows that a directory is a module.
const MODULE: [&str; 4] = ["metadata.json", "manifests", "lib", "templates"];

fn has_any(path: &Path, names: &[&str]) -> bool {
    names.iter().any(|name| path.join(name).exists())
}

/// Which environment a directory makes.
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

/// Looks at the repository and prints what is found.
pub fn run(args: &Args) -> Outcome {
    let path = match args.path.canonicalize() {
        Ok(path) => path,
        Err(error) => return Outcome::unable(&format!("{}: {error}", args.path.display())),
    };
    let compiler = Compiler::new(DiskWorld::default()).with_policy(Policy::default());
    let mut spec = site(&path, &args.modulepath);
    spec.settings.overrides.clone_from(&args.overrides);
    let site = match compiler.open(&spec) {
        Ok(site) => site,
        Err(wrong) => return Outcome::unable(&wrong.message()),
    };
    let pieces = match site.ruby_coverage(&path).result {
        Ok(pieces) => pieces,
        Err(wrong) => return Outcome::unable(&wrong.message()),
    };
    if pieces.is_empty() {
        errln!("kukla: there is no Ruby in modules below {}", path.display());
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
    match pieces.iter().any(fails) {
        true => Outcome::Found,
        false => Outcome::Done,
    }
}

fn shown<'p>(piece: &'p Piece, path: &Path) -> std::path::Display<'p> {
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
        "file": shown(piece, path).to_string(),
        "native": runs(piece),
        "overridden": piece.is_overridden,
        "external": needs_another_ruby(piece),
        "reached": piece.is_reached,
        "missing": list(&piece.missing),
        "mistakes": list(&piece.mistakes),
    })
}

/// Whether the piece itself runs.
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
            outln!("{}: {} {}: overridden", shown(piece, path), piece.kind.word(), piece.name);
        }
        let kind = piece.kind.word();
        let reached = if piece.is_reached { "" } else { " (not reached)" };
        let place = |line: &Option<u32>| line.map(|line| format!(":{line}")).unwrap_or_default();
        for (line, what) in &piece.mistakes {
            let line = place(line);
            outln!("{}{line}: {kind} {}: {what}, in Puppet as well{reached}", shown(piece, path), piece.name);
        }
        for (line, what) in &piece.missing {
            let line = place(line);
            let there = match ruby {
                Some(ruby) if needs_another_ruby(piece) => format!(", runs in {ruby}"),
                _ => String::new(),
            };
            outln!("{}{line}: {kind} {}: {what}{there}{reached}", shown(piece, path), piece.name);
        }
    }
    outln!("{:<10} {:>8} {:>8} {:>8} {:>16}", "", "native", "of", "reached", "native of these");
    for kind in PieceKind::ALL {
        row(&format!("{}s", kind.word()), pieces.iter().filter(|piece| piece.kind == kind));
    }
    row("all", pieces.iter());
}

fn row<'p>(name: &str, pieces: impl Iterator<Item = &'p Piece>) {
    let (mut native, mut all, mut reached, mut both) = (0, 0, 0, 0);
    for piece in pieces {
        let runs = runs(piece);
        all += 1;
        native += usize::from(runs);
        reached += usize::from(piece.is_reached);
        both += usize::from(piece.is_reached && runs);
    }
    out!("{name:<10} {native:>8} {all:>8} {reached:>8} {both:>16}\n");
}
