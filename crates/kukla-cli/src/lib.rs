//! The `kukla` command as a library: the entry point of the binary, and the renderers that tests use.

#![allow(clippy::disallowed_methods)] // the command line is where effects belong

use std::process::ExitCode;

use kukla::syntax::Problem;

use self::colour::Colour;
use self::config::ParseError;

mod args;
mod colour;
mod commands;
mod config;
mod deferred;
mod files;
mod memory;
mod output;
pub mod render;
mod version;

/// How a command ended, which decides its exit code. Every subcommand keeps to these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitKind {
    /// 0: the command did what was asked.
    Success,
    /// 1: the command ran and found errors in the code or data, or differences.
    Findings,
    /// 2: the command could not run: wrong arguments, or files that cannot be read.
    Failure,
    /// An exit code of its own: that of a script, or of `diff` when a change is denied.
    Code(u8),
}

/// The result of a command: how it ended, or the problem that kept it from running.
pub(crate) type CommandResult = Result<ExitKind, Problem>;

impl ExitKind {
    /// `Findings` if there are any, `Success` otherwise.
    pub(crate) fn findings_if(has_findings: bool) -> ExitKind {
        if has_findings { ExitKind::Findings } else { ExitKind::Success }
    }
}

impl From<ExitKind> for ExitCode {
    fn from(exit: ExitKind) -> Self {
        match exit {
            ExitKind::Success => ExitCode::SUCCESS,
            ExitKind::Findings => ExitCode::from(1),
            ExitKind::Failure => ExitCode::from(2),
            ExitKind::Code(code) => ExitCode::from(code),
        }
    }
}

/// Every code that a diagnostic of a command can have, except the rules of `kukla check`.
fn codes() -> impl Iterator<Item = &'static kukla::syntax::Code> {
    kukla::codes::all().chain(kukla_store::codes::CODES.iter().copied())
}

/// The stack size of worker threads. A compilation needs as much, and would otherwise allocate it again for each node.
const STACK: usize = 16 << 20;

/// Creates the worker threads of parallel commands; call it before the first of them runs. Where the system does not have enough
/// memory or processes for them, everything runs on the thread that there is.
fn make_pool() {
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // A pool that could not be created cannot be created again.
    let pool = if can_start(threads) { pool } else { pool.num_threads(1).use_current_thread() };
    // An existing pool stays as it is.
    let _ = pool.build_global();
}

/// Whether this number of threads can run at the same time.
fn can_start(threads: usize) -> bool {
    let (keep, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Arc::new(std::sync::Mutex::new(wait));
    let started: Vec<_> = (0..threads)
        .map_while(|_| {
            let wait = std::sync::Arc::clone(&wait);
            // Each of them ends when the channel is closed.
            let run = move || drop(wait.lock().map(|wait| wait.recv()));
            std::thread::Builder::new().stack_size(STACK).spawn(run).ok()
        })
        .collect();
    drop(keep);
    let count = started.len();
    started.into_iter().for_each(|thread| drop(thread.join()));
    count == threads
}

/// The description of the command line with all its commands and options, for tests that must cover each of them.
pub fn command() -> clap::Command {
    let mut command = <args::Cli as clap::CommandFactory>::command();
    command.build();
    command
}

/// Runs the command line of this process; `release` returns free memory of its allocator to the system.
pub fn main(release: fn()) -> ExitCode {
    memory::set_release(release);
    memory::forbid_core_dumps();
    kukla::syntax::silence_contained_panics();
    let arguments: Vec<_> = std::env::args_os().collect();
    Colour::of_arguments(&arguments).apply();
    if version::is_wanted(&arguments) {
        output::write_document(&version::describe());
        return output::flush(ExitKind::Success).into();
    }
    let exit = match config::parse(arguments) {
        Ok(command) => command.run().unwrap_or_else(|problem| output::fail(&problem)),
        Err(ParseError::Config(problem)) => output::fail(&problem),
        Err(ParseError::Usage(error)) => output::print_usage(&error),
    };
    output::flush(exit).into()
}
