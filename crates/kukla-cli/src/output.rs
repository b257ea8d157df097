//! Everything that is written: to standard output and error, and to files. A write that fails is noticed, and makes the command
//! one that could not run.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use kukla::pending::{Audience, Pending};

use crate::{Outcome, files};

/// The first write that failed. After it nothing more is written to standard output.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes to standard output, as `print!` does.
macro_rules! out {
    ($($text:tt)*) => { $crate::output::write(format_args!($($text)*)) };
}

/// Writes a line to standard output, as `println!` does.
macro_rules! outln {
    ($($text:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($text)*))) };
}

/// Writes to standard error, as `eprint!` does.
macro_rules! err {
    ($($text:tt)*) => { $crate::output::complain(format_args!($($text)*)) };
}

/// Writes a line to standard error, as `eprintln!` does.
macro_rules! errln {
    ($($text:tt)*) => { $crate::output::complain(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {err, errln, out, outln};

fn note(result: io::Result<()>) {
    if let Err(error) = result {
        FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

fn has_failed() -> bool {
    FAILED.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Writes to standard output.
pub fn write(text: fmt::Arguments<'_>) {
    if !has_failed() {
        note(anstream::stdout().lock().write_fmt(text));
    }
}

/// Writes a document to standard output, byte for byte.
pub fn document(text: &str) {
    if !has_failed() {
        note(io::stdout().lock().write_all(text.as_bytes()));
    }
}

/// Writes to standard error.
pub fn complain(text: fmt::Arguments<'_>) {
    note(anstream::stderr().lock().write_fmt(text));
}

/// Prints what the reader of arguments has to say: help, or what is wrong with them.
pub fn answer(answer: &clap::Error) -> Outcome {
    note(answer.print());
    if answer.use_stderr() { Outcome::Unable } else { Outcome::Done }
}

/// How a command ended that would have ended like this if all it wrote had arrived. A reader that has seen enough is no failure.
pub fn settled(outcome: Outcome) -> Outcome {
    note(io::stdout().lock().flush());
    let failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner).take();
    match failed {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            // If this does not arrive either, the exit status still tells.
            let _ = writeln!(io::stderr(), "kukla: cannot write the output: {error}");
            Outcome::Unable
        }
        _ => outcome,
    }
}

/// Writes a file to be.
pub fn pending(place: &Path, text: &[u8]) -> Result<Pending, String> {
    Pending::write(place, text, Audience::Anyone).map_err(|error| files::problem(place, &error))
}

/// Gives a file its name.
pub fn finish(pending: Pending) -> Result<(), String> {
    let place = pending.path().to_owned();
    pending.finish().map_err(|error| files::problem(&place, &error))
}

/// Writes a whole file or none. What is no regular file, such as a pipe, is written as it is.
pub fn file(place: &Path, text: &[u8]) -> Result<(), String> {
    match std::fs::metadata(place) {
        Ok(about) if !about.is_file() => {
            std::fs::write(place, text).map_err(|error| files::problem(place, &error))
        }
        _ => finish(pending(place, text)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_when_it_is_whole() {
        let directory = std::env::temp_dir().join(format!("kukla-pending-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let place = directory.join("a.json");
        std::fs::write(&place, "old").unwrap();
        let names = || std::fs::read_dir(&directory).unwrap().count();
        drop(pending(&place, b"new").unwrap());
        assert_eq!((std::fs::read_to_string(&place).unwrap().as_str(), names()), ("old", 1));
        let written = pending(&place, b"new").unwrap();
        assert_eq!((std::fs::read_to_string(&place).unwrap().as_str(), names()), ("old", 2));
        finish(written).unwrap();
        assert_eq!((std::fs::read_to_string(&place).unwrap().as_str(), names()), ("new", 1));
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
