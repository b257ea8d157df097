//! Failures outside of code and data: a setting, a file, a connection, a command-line option.
//!
//! A [`Diagnostic`](crate::Diagnostic) points at source text and has a code that `kukla explain` knows. A [`Problem`] has
//! neither: it says what failed, on which subject, why, and what to do about it. Callers branch on its [`kind`](Problem::kind),
//! never on its words.

use std::fmt::{self, Display};
use std::io;
use std::path::Path;

use crate::diagnostic::Diagnostic;

/// The class of a problem, which callers can branch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ProblemKind {
    /// A file, node, setting or other named thing was not found.
    NotFound,
    /// The operating system or a policy does not permit it.
    Denied,
    /// A value, option or file content is malformed.
    Invalid,
    /// It conflicts with what is already there, or with another option.
    Conflict,
    /// It took longer than allowed.
    TimedOut,
    /// A limit on size, number or memory is exceeded.
    LimitExceeded,
    /// The other end of a connection cannot be reached or does not answer as expected.
    Unavailable,
    /// Any other failure.
    #[default]
    Other,
}

/// One failure of settings or input and output: what failed, on which subject, why, and what to do.
///
/// ```
/// use kukla_syntax::{Problem, ProblemKind};
///
/// let problem = Problem::new(ProblemKind::Invalid, "invalid keylength")
///     .on("512")
///     .because("expected 2048 to 4096")
///     .help("set keylength in the [main] section of puppet.conf");
/// assert_eq!(problem.to_string(), "invalid keylength 512: expected 2048 to 4096");
/// assert_eq!(problem.kind(), ProblemKind::Invalid);
/// ```
#[derive(Clone, Debug)]
pub struct Problem {
    parts: Box<Parts>,
}

#[derive(Clone, Debug)]
struct Parts {
    kind: ProblemKind,
    what: String,
    subject: Option<String>,
    cause: Option<Cause>,
    help: Vec<String>,
}

/// The reason behind a problem.
#[derive(Clone, Debug)]
enum Cause {
    Text(String),
    Problem(Problem),
    Diagnostic(Box<Diagnostic>),
}

impl Problem {
    /// A problem of a kind; `what` is the start of the sentence that users read.
    pub fn new(kind: ProblemKind, what: impl Into<String>) -> Problem {
        let parts = Parts { kind, what: what.into(), subject: None, cause: None, help: Vec::new() };
        Problem { parts: Box::new(parts) }
    }

    /// A malformed value, option or file content.
    pub fn invalid(what: impl Into<String>) -> Problem {
        Problem::new(ProblemKind::Invalid, what)
    }

    /// A named thing that does not exist.
    pub fn not_found(what: impl Into<String>) -> Problem {
        Problem::new(ProblemKind::NotFound, what)
    }

    /// A failure that fits no other kind.
    pub fn other(what: impl Into<String>) -> Problem {
        Problem::new(ProblemKind::Other, what)
    }

    /// A failed operation on a file: `cannot read data/common.yaml: permission denied`.
    pub fn io(verb: &str, path: &Path, error: &io::Error) -> Problem {
        Problem::from_io(format!("cannot {verb}"), error).on(path.display())
    }

    /// A failed operation of the operating system on something other than a file.
    pub fn from_io(what: impl Into<String>, error: &io::Error) -> Problem {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => ProblemKind::NotFound,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => ProblemKind::Denied,
            io::ErrorKind::AlreadyExists | io::ErrorKind::AddrInUse => ProblemKind::Conflict,
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => ProblemKind::Invalid,
            io::ErrorKind::TimedOut => ProblemKind::TimedOut,
            io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge | io::ErrorKind::OutOfMemory => {
                ProblemKind::LimitExceeded
            }
            io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::NotConnected
            | io::ErrorKind::BrokenPipe => ProblemKind::Unavailable,
            _ => ProblemKind::Other,
        };
        Problem::new(kind, what).because(io_reason(error))
    }

    /// The same problem about a subject: a path, an option, a node.
    #[must_use]
    pub fn on(mut self, subject: impl Display) -> Problem {
        self.parts.subject = Some(subject.to_string());
        self
    }

    /// The same problem with its reason in words.
    #[must_use]
    pub fn because(mut self, reason: impl Display) -> Problem {
        self.parts.cause = Some(Cause::Text(reason.to_string()));
        self
    }

    /// The same problem with the problem that led to it, whose help it takes over.
    #[must_use]
    pub fn caused_by(mut self, cause: Problem) -> Problem {
        self.parts.cause = Some(Cause::Problem(cause));
        self
    }

    /// The same problem with a line of help: what the user can do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.parts.help.push(help.into());
        self
    }

    /// The class of the problem.
    pub fn kind(&self) -> ProblemKind {
        self.parts.kind
    }

    /// The path, option or node it is about.
    pub fn subject(&self) -> Option<&str> {
        self.parts.subject.as_deref()
    }

    /// The finding in code or data that led to the problem, which has a source excerpt to show.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match &self.parts.cause {
            Some(Cause::Diagnostic(diagnostic)) => Some(diagnostic),
            Some(Cause::Problem(cause)) => cause.diagnostic(),
            Some(Cause::Text(_)) | None => None,
        }
    }

    /// Lines of help, those of the causes included.
    pub fn helps(&self) -> Vec<&str> {
        let mut helps: Vec<&str> = self.parts.help.iter().map(String::as_str).collect();
        match &self.parts.cause {
            Some(Cause::Problem(cause)) => helps.extend(cause.helps()),
            Some(Cause::Diagnostic(diagnostic)) => helps.extend(diagnostic.hints.iter().map(|hint| &**hint)),
            Some(Cause::Text(_)) | None => {}
        }
        helps
    }

    /// The message with its lines of help, as a terminal shows it.
    pub fn with_help(&self) -> String {
        self.helps().iter().fold(self.to_string(), |text, help| format!("{text}\n  help: {help}"))
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { what, subject, cause, .. } = &*self.parts;
        f.write_str(what)?;
        if let Some(subject) = subject {
            let space = if what.is_empty() { "" } else { " " };
            write!(f, "{space}{subject}")?;
        }
        let colon = if what.is_empty() && subject.is_none() { "" } else { ": " };
        match cause {
            None => Ok(()),
            Some(Cause::Text(reason)) => write!(f, "{colon}{reason}"),
            Some(Cause::Problem(cause)) => write!(f, "{colon}{cause}"),
            Some(Cause::Diagnostic(diagnostic)) => write!(f, "{colon}{diagnostic}"),
        }
    }
}

impl std::error::Error for Problem {}

impl From<Box<Diagnostic>> for Problem {
    fn from(diagnostic: Box<Diagnostic>) -> Problem {
        let mut problem = Problem::new(ProblemKind::Invalid, "");
        problem.parts.cause = Some(Cause::Diagnostic(diagnostic));
        problem
    }
}

/// The operating system's reason without its number, in the words Kukla uses everywhere.
fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "this is a directory".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_as_one_sentence_with_help_below() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let cause = Problem::io("read", Path::new("data/common.yaml"), &denied).help("check its mode");
        assert_eq!(cause.to_string(), "cannot read data/common.yaml: permission denied");
        assert_eq!(cause.kind(), ProblemKind::Denied);
        let problem = Problem::other("cannot start").caused_by(cause).help("run `kukla doctor`");
        assert_eq!(
            problem.with_help(),
            "cannot start: cannot read data/common.yaml: permission denied\n  help: run `kukla doctor`\n  help: check its mode"
        );
    }

    #[test]
    fn the_number_of_an_error_of_the_system_is_left_out() {
        let full = io::Error::from_raw_os_error(28);
        let problem = Problem::io("write", Path::new("a"), &full);
        assert_eq!(problem.to_string(), "cannot write a: No space left on device");
        assert_eq!(problem.kind(), ProblemKind::LimitExceeded);
    }
}
