//! The surroundings of a Ruby program: the world, its limits, where it writes, and the program that embeds the interpreter.

use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_values::{Budget, Error};
use kukla_world::World;

use crate::lower::{SyntaxProblem, parse};
use crate::program::Program;
use crate::ruby::State;

/// The surroundings of a running program.
pub trait Host {
    /// Files, the clock, the environment, commands.
    fn world(&self) -> &dyn World;
    /// Counts work done. The error once a limit is exceeded cannot be rescued.
    fn charge(&mut self, steps: u64) -> Result<(), Error>;
    /// Counts work that cannot be interrupted, before it is done: an error also if it would go on past a deadline.
    fn charge_ahead(&mut self, steps: u64) -> Result<(), Error> {
        self.charge(steps)
    }
    /// Checks the bytes that the values of the program take. The error once a limit is exceeded cannot be rescued.
    fn check_memory(&mut self, bytes: usize) -> Result<(), Error> {
        Budget::default().check_memory(bytes)
    }
    /// The bytes that the values of the program may take.
    fn memory_limit(&self) -> u64 {
        Budget::default().limits().memory
    }
    /// Counts bytes that are about to be written. The error once a limit is exceeded cannot be rescued.
    fn check_output(&mut self, _bytes: usize) -> Result<(), Error> {
        Ok(())
    }
    /// Writes to standard output.
    fn write_out(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Writes to standard error.
    fn write_err(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Flushes standard output.
    fn flush_out(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// A line of standard input with its end, if there is any.
    fn read_line(&mut self) -> Option<Vec<u8>> {
        None
    }
    /// The directories that `require` searches.
    fn load_path(&self) -> Vec<PathBuf> {
        Vec::new()
    }
    /// The program of a text. A host with many interpreters caches programs and shares them.
    fn program(&mut self, path: &Path, text: &[u8]) -> Result<Arc<Program>, SyntaxProblem> {
        parse(text, &path.to_string_lossy())
    }
    /// A library of the host's own, which `require` finds if no file has that name: its name and its text, which is empty if it is loaded
    /// already.
    fn source_of(&self, feature: &str) -> Option<(&'static str, &'static str)> {
        let _ = feature;
        None
    }
    /// Whether code sees an environment variable that policy hides as unset, with a warning. Otherwise reading it fails.
    fn unsets_hidden_variables(&self) -> bool {
        false
    }
    /// Logs a warning.
    fn warn(&mut self, message: String) {
        let _ = message;
    }
    /// The program that embeds the interpreter, if it has classes of its own that call it.
    fn embedder(&mut self) -> Option<&mut dyn Embedder> {
        None
    }
}

/// The program that embeds the interpreter, as the classes that it has added to it see it.
///
/// While it answers a request it may run Ruby again (a function calls a function), so the interpreter is lent to it before and taken back
/// after: [`crate::Ruby::request`].
pub trait Embedder {
    /// Takes the interpreter while it answers a request.
    fn lend(&mut self, state: Box<State>);
    /// Gives the interpreter back.
    fn reclaim(&mut self) -> Box<State>;
    /// Answers a request. Its type is a matter between the embedding program and its classes.
    fn answer(&mut self, request: &mut dyn Any);
}
