//! All output: to standard output, standard error and files. A write that fails is recorded, and makes the command fail.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kukla::pending::{Audience, Pending};
use kukla::syntax::Problem;

use crate::ExitKind;
use crate::render::human;

/// The character that begins a colour.
const ESCAPE: char = '\u{1b}';

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
    ($($text:tt)*) => { $crate::output::write_error(format_args!($($text)*)) };
}

/// Writes a line to standard error, as `eprintln!` does.
macro_rules! errln {
    ($($text:tt)*) => { $crate::output::write_error(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {err, errln, out, outln};

fn record(result: io::Result<()>) {
    if let Err(error) = result {
        FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

fn has_failed() -> bool {
    FAILED.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Writes to standard output.
pub fn write(text: fmt::Arguments<'_>) {
    if has_failed() {
        return;
    }
    let text = text.to_string();
    let stream = io::stdout();
    let text = coloured_or_not(&text, &stream);
    record(stream.lock().write_all(text.as_bytes()));
}

/// Writes a document to standard output, byte for byte.
pub fn write_document(text: &str) {
    if !has_failed() {
        record(io::stdout().lock().write_all(text.as_bytes()));
    }
}

/// Writes to standard error.
pub fn write_error(text: fmt::Arguments<'_>) {
    let text = text.to_string();
    let stream = io::stderr();
    let text = coloured_or_not(&text, &stream);
    record(stream.lock().write_all(text.as_bytes()));
}

/// A text as a stream takes it: without colours, unless it is a terminal or they were asked for.
fn coloured_or_not<'t>(text: &'t str, stream: &impl anstream::stream::RawStream) -> Cow<'t, str> {
    match anstream::AutoStream::choice(stream) {
        anstream::ColorChoice::Never => without_colours(text),
        _ => Cow::Borrowed(text),
    }
}

/// A text without the sequences that control a terminal. Parsers of all sequences take a hundred times as long, which matters for the
/// messages of a program that never ends.
fn without_colours(text: &str) -> Cow<'_, str> {
    let mut parts = text.split(ESCAPE);
    let Some(first) = parts.next().filter(|first| first.len() < text.len()) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len());
    out.push_str(first);
    for part in parts {
        let rest = part.strip_prefix('[').map(|sequence| {
            let parameters = sequence.bytes().take_while(|byte| matches!(byte, b' '..=b'?')).count();
            let is_ended = matches!(sequence.as_bytes().get(parameters), Some(b'@'..=b'~'));
            &sequence[parameters + usize::from(is_ended)..]
        });
        out.push_str(rest.unwrap_or(part));
    }
    Cow::Owned(out)
}

/// Prints a problem to standard error: the message with its lines of help, and the source excerpt if it is an error in code or data.
pub fn report(problem: &Problem) {
    let Some(diagnostic) = problem.diagnostic().filter(|diagnostic| diagnostic.position.is_some()) else {
        errln!("kukla: {}", problem.with_help());
        return;
    };
    let message = problem.to_string();
    if message != diagnostic.to_string() {
        errln!("kukla: {message}");
    }
    let mut excerpt = String::new();
    human::source_excerpt(&mut excerpt, diagnostic, None);
    err!("{excerpt}");
}

/// Prints the problem that keeps a command from running.
pub fn fail(problem: &Problem) -> ExitKind {
    report(problem);
    ExitKind::Failure
}

/// Prints the help that was asked for, or the error in the arguments.
pub fn print_usage(error: &clap::Error) -> ExitKind {
    record(error.print());
    if error.use_stderr() { ExitKind::Failure } else { ExitKind::Success }
}

/// Flushes standard output. The command fails if a write has failed, unless the reader closed the pipe.
pub fn flush(exit: ExitKind) -> ExitKind {
    record(io::stdout().lock().flush());
    let failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner).take();
    match failed {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            // If this cannot be written either, the exit code still reports it.
            let _ = writeln!(io::stderr(), "kukla: {}", Problem::from_io("cannot write the output", &error));
            ExitKind::Failure
        }
        _ => exit,
    }
}

/// Writes a file under a temporary name beside `path`.
fn write_pending(path: &Path, text: &[u8]) -> Result<Pending, Problem> {
    Pending::write(path, text, Audience::Anyone).map_err(|error| Problem::io("write", path, &error))
}

/// Gives a pending file its name.
fn finish_pending(pending: Pending) -> Result<(), Problem> {
    let path = pending.path().to_owned();
    pending.finish().map_err(|error| Problem::io("write", &path, &error))
}

/// Writes a file as a whole or not at all. Anything but a regular file, such as a pipe, is written in place.
pub fn write_file(path: &Path, text: &[u8]) -> Result<(), Problem> {
    match std::fs::metadata(path) {
        Ok(about) if !about.is_file() => {
            std::fs::write(path, text).map_err(|error| Problem::io("write", path, &error))
        }
        _ => finish_pending(write_pending(path, text)?),
    }
}

/// Writes files that belong together: none of them appears before all of them are complete.
pub fn write_files(files: &[(PathBuf, String)]) -> Result<(), Problem> {
    let pending = files.iter().map(|(path, text)| write_pending(path, text.as_bytes()));
    let pending: Vec<Pending> = pending.collect::<Result<_, Problem>>()?;
    pending.into_iter().try_for_each(finish_pending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_removed_and_nothing_else() {
        for (text, plain) in [
            ("", ""),
            ("plain ä", "plain ä"),
            ("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: ä", "error: ä"),
            ("\u{1b}[38;5;12mblue", "blue"),
            ("a\u{1b}[", "a"),
            ("a\u{1b}", "a"),
            ("\u{1b}[1é", "é"),
            ("\u{1b}\u{1b}[0mx", "x"),
        ] {
            assert_eq!(without_colours(text), plain, "{text:?}");
        }
        let text = format!("{}\u{1b}[0m", "a".repeat(1 << 20));
        assert_eq!(without_colours(&text).len(), 1 << 20);
    }

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let directory = std::env::temp_dir().join(format!("kukla-pending-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("a.json");
        std::fs::write(&path, "old").unwrap();
        let names = || std::fs::read_dir(&directory).unwrap().count();
        drop(write_pending(&path, b"new").unwrap());
        assert_eq!((std::fs::read_to_string(&path).unwrap().as_str(), names()), ("old", 1));
        let written = write_pending(&path, b"new").unwrap();
        assert_eq!((std::fs::read_to_string(&path).unwrap().as_str(), names()), ("old", 2));
        finish_pending(written).unwrap();
        assert_eq!((std::fs::read_to_string(&path).unwrap().as_str(), names()), ("new", 1));
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
