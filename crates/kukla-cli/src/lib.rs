//! The `kukla` command as a library: the machine interface for the tests, and what the binary calls.

#![allow(clippy::disallowed_methods)] // the command line is where effects belong

use std::process::ExitCode;

use clap::Parser;

pub mod analysis;
mod args;
mod commands;
pub mod files;
pub mod render;
pub mod rpc;

/// How a command ended. Every subcommand keeps to these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 0: it did what was asked.
    Done,
    /// 1: it ran, and the code it looked at is at fault.
    Found,
    /// 2: it could not run: wrong arguments, or files that cannot be read.
    Unable,
}

impl Outcome {
    /// Says on standard error why the command cannot run.
    fn unable(problem: &str) -> Self {
        anstream::eprintln!("kukla: {problem}");
        Self::Unable
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => ExitCode::SUCCESS,
            Outcome::Found => ExitCode::from(1),
            Outcome::Unable => ExitCode::from(2),
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    args::Cli::parse().run().into()
}
