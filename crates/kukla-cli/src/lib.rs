//! The `kukla` command as a library: what the binary calls, and the pictures of errors for the tests.

#![allow(clippy::disallowed_methods)] // the command line is where effects belong

use std::process::ExitCode;

use clap::Parser;

mod args;
mod commands;
mod deferred;
pub mod files;
mod memory;
mod output;
pub mod render;

/// How a command ended. Every subcommand keeps to these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 0: it did what was asked.
    Done,
    /// 1: it ran, and the code it looked at is at fault.
    Found,
    /// 2: it could not run: wrong arguments, or files that cannot be read.
    Unable,
    /// What a script ended with.
    Status(u8),
}

impl Outcome {
    /// Says on standard error why the command cannot run.
    fn unable(problem: &str) -> Self {
        output::errln!("kukla: {problem}");
        Self::Unable
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => ExitCode::SUCCESS,
            Outcome::Found => ExitCode::from(1),
            Outcome::Unable => ExitCode::from(2),
            Outcome::Status(status) => ExitCode::from(status),
        }
    }
}

/// Every code that a command can report.
fn codes() -> impl Iterator<Item = &'static kukla::syntax::Code> {
    kukla::codes::all().chain(kukla_store::codes::CODES.iter().copied())
}

/// Threads of parallel commands get the stack that the compiler would otherwise take anew for each node.
const STACK: usize = 16 << 20;

/// Makes the threads of parallel commands; to be called before the first of them runs.
fn make_pool() {
    // A pool that is there already stays as it is.
    let _ = rayon::ThreadPoolBuilder::new().stack_size(STACK).build_global();
}

/// Runs the command line of this process, whose allocator gives back with `give_back` what is free.
pub fn main(give_back: fn()) -> ExitCode {
    memory::is_given_back_by(give_back);
    let outcome = match args::Cli::try_parse() {
        Ok(command) => command.run(),
        Err(answer) => output::answer(&answer),
    };
    output::settled(outcome).into()
}
