//! Everything that is written: to standard output and error, and to files. A write that fails is noticed, and makes the command
//! one that could not run.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

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

/// A file that is written under a name of its own and gets its final one when it is whole. If that never happens, it goes.
#[derive(Debug)]
pub struct Pending {
    place: PathBuf,
    written: Option<PathBuf>,
}

impl Pending {
    /// Writes a file to be.
    pub fn write(place: &Path, text: &[u8]) -> Result<Pending, String> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let part = place.with_file_name(format!(".{name}.{}-{number}.part", std::process::id()));
        let mut pending = Pending { place: place.to_owned(), written: None };
        let write = || {
            let mut file = File::options().write(true).create_new(true).open(&part)?;
            pending.written = Some(part.clone());
            file.write_all(text)?;
            file.sync_all()
        };
        let written: io::Result<()> = { write }();
        written.map_err(|error| files::problem(place, &error))?;
        Ok(pending)
    }

    /// Gives it its name.
    pub fn finish(mut self) -> Result<(), String> {
        match self.written.take() {
            Some(part) => std::fs::rename(&part, &self.place).map_err(|error| {
                let _ = std::fs::remove_file(&part);
                files::problem(&self.place, &error)
            }),
            None => Ok(()),
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(part) = &self.written {
            let _ = std::fs::remove_file(part);
        }
    }
}

/// Writes a whole file or none. What is no regular file, such as a pipe, is written as it is.
pub fn file(place: &Path, text: &[u8]) -> Result<(), String> {
    match std::fs::metadata(place) {
        Ok(about) if !about.is_file() => {
            std::fs::write(place, text).map_err(|error| files::problem(place, &error))
        }
        _ => Pending::write(place, text)?.finish(),
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
        drop(Pending::write(&place, b"new").unwrap());
        assert_eq!((std::fs::read_to_string(&place).unwrap().as_str(), names()), ("old", 1));
        let pending = Pending::write(&place, b"new").unwrap();
        assert_eq!((std::fs::read_to_string(&place).unwrap().as_str(), names()), ("old", 2));
        pending.finish().unwrap();
        assert_eq!((std::fs::read_to_string(&place).unwrap().as_str(), names()), ("new", 1));
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
