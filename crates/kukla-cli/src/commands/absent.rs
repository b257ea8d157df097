//! Commands that need a feature which this build lacks: they are there, and say so.

use std::ffi::OsString;

use kukla::syntax::{Problem, ProblemKind};

/// Any arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<OsString>,
}

/// The problem of a command whose feature is missing.
pub fn problem(feature: &str) -> Problem {
    Problem::new(ProblemKind::Unavailable, "this build of kukla lacks the feature")
        .on(feature)
        .help(format!("build it without `--no-default-features`, or with `--features {feature}`"))
}
