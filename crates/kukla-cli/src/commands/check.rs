//! `kukla check`: is everything in these files a Puppet program?

use std::path::{Path, PathBuf};

use kukla::analysis::{Analysis, Rules};
use kukla::syntax::Strict;
use rayon::prelude::*;

use crate::output::{errln, out};
use crate::render::{self, Findings, Format};
use crate::{Outcome, files};

/// Check manifests and templates for errors, without running anything
///
/// Directories are searched for .pp and .epp files. All files are checked, and all errors in them are reported. Exit status: 0 no
/// errors (there may be warnings), 1 errors found, 2 a file could not be read.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and directories; `-` is standard input
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// How to print what is found
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Puppet's setting: what becomes of questionable code (off, warning, error)
    #[arg(long, default_value = "error", value_name = "LEVEL")]
    strict: Strict,
    /// Directories of modules, separated by colons; a file below them may only define what it is named for. A module with a
    /// metadata.json that fits its directory is recognised without this
    #[arg(long, value_name = "DIR:DIR", value_delimiter = ':')]
    modulepath: Vec<PathBuf>,
    /// Let warnings count as errors in the exit status
    #[arg(long)]
    deny_warnings: bool,
}

/// Checks the files and prints what is found.
pub fn run(args: &Args) -> Outcome {
    crate::make_pool();
    let (input, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        args.paths.iter().cloned().partition(|p| p.as_os_str() == "-");
    let mut paths = match files::below(&paths) {
        Ok(paths) => paths,
        Err(problem) => {
            return Outcome::unable(&problem);
        }
    };
    paths.extend(input);
    if paths.is_empty() {
        return Outcome::unable(
            "there is nothing to check: no manifests or templates (.pp, .epp) were found",
        );
    }
    let results: Vec<Result<Findings, String>> = paths.par_iter().map(|path| check(path, args)).collect();
    let mut unreadable = false;
    let mut findings = Vec::new();
    for result in results {
        match result {
            Ok(found) if found.diagnostics.is_empty() => {}
            Ok(found) => findings.push(found),
            Err(problem) => {
                errln!("kukla: {problem}");
                unreadable = true;
            }
        }
    }
    out!("{}", render::render(&findings, args.format));
    let (errors, warnings) =
        findings.iter().map(Findings::counts).fold((0, 0), |(e, w), (x, y)| (e + x, w + y));
    errln!("{}", summary(paths.len(), errors, warnings));
    if unreadable {
        Outcome::Unable
    } else if errors > 0 || args.deny_warnings && warnings > 0 {
        Outcome::Found
    } else {
        Outcome::Done
    }
}

fn check(path: &Path, args: &Args) -> Result<Findings, String> {
    let (source, invalid) = files::read(path)?;
    let diagnostics = match invalid {
        Some(invalid) => vec![invalid],
        None => {
            let mut modulepath = args.modulepath.clone();
            modulepath.extend(files::module_directory(path));
            Analysis::new(
                &source,
                &Rules { strict: args.strict, modulepath, here: files::here(), ..Rules::default() },
            )
            .diagnostics
        }
    };
    Ok(Findings { diagnostics })
}

fn summary(files: usize, errors: usize, warnings: usize) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
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
