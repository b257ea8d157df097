//! Why a lookup failed.

use std::fmt;

/// The result of something that may fail as a lookup does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a lookup failed: what happened, and the configuration file at fault where one is.
#[derive(Clone)]
pub struct Error(Box<Failure>);

#[derive(Clone)]
struct Failure {
    kind: Kind,
    code: &'static str,
    message: String,
    file: Option<String>,
    line: Option<u32>,
    hint: Option<String>,
}

/// How far an error has come. Puppet turns some into others on their way out, which decides how they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An error of the data or its configuration; reported as it is.
    Data,
    /// An error that becomes one of the data when it leaves a layer; outside of all layers it belongs to the caller.
    Plain,
    /// An error of the caller, whatever it passes through: an undefined variable, a bad argument.
    Caller,
}

impl Error {
    fn make(kind: Kind, code: &'static str, message: String) -> Error {
        Error(Box::new(Failure { kind, code, message, file: None, line: None, hint: None }))
    }

    /// An error of the data without a code of its own.
    pub fn data(message: impl Into<String>) -> Error {
        Error::make(Kind::Data, LOOKUP_ERROR, message.into())
    }

    /// An error of the data with one of Puppet's codes.
    pub fn issue(code: &'static str, message: impl Into<String>) -> Error {
        Error::make(Kind::Data, code, message.into())
    }

    /// An error that becomes one of the data on its way out.
    pub fn plain(code: &'static str, message: impl Into<String>) -> Error {
        Error::make(Kind::Plain, code, message.into())
    }

    /// An error of the caller.
    pub fn caller(code: &'static str, message: impl Into<String>) -> Error {
        Error::make(Kind::Caller, code, message.into())
    }

    /// Names the file at fault, and the line if known.
    #[must_use]
    pub fn at(mut self, file: &str, line: Option<u32>) -> Error {
        self.0.file = Some(file.to_owned());
        self.0.line = line;
        self
    }

    /// Adds something that might help.
    #[must_use]
    pub fn with_hint(mut self, hint: String) -> Error {
        self.0.hint = Some(hint);
        self
    }

    /// Adds where in data the mistake is, unless something is known that is nearer to it.
    #[must_use]
    pub(crate) fn in_data(self, key: &str, file: &str, line: Option<u32>) -> Error {
        if self.0.hint.is_some() || self.0.file.is_some() {
            return self;
        }
        let line = line.map_or_else(String::new, |line| format!(", line {line}"));
        self.with_hint(format!("it is in the value of '{key}' in {file}{line}"))
    }

    /// What might help.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// How far the error has come.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Puppet's issue code, or ours where it has none.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The message, without its place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The configuration file at fault.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// The line at fault, from one.
    pub fn line(&self) -> Option<u32> {
        self.0.line
    }

    /// What becomes of the error when it leaves a layer.
    pub(crate) fn leaving_layer(mut self) -> Error {
        if self.0.kind == Kind::Plain {
            self.0.kind = Kind::Data;
            self.0.code = LOOKUP_ERROR;
        }
        self
    }

    /// What becomes of the error when it leaves the global layer.
    pub(crate) fn leaving_global(mut self, key: &str) -> Error {
        if self.0.kind == Kind::Data && matches!(self.0.code, LOOKUP_ERROR | RECURSIVE) {
            self.0.kind = Kind::Plain;
            self.0.code = LOOKUP_ERROR;
            self.0.message = format!("Lookup of key '{key}' failed: {}", self.0.message);
        }
        self
    }
}

/// The code of errors of the data that Puppet gives no code.
pub const LOOKUP_ERROR: &str = "LOOKUP_ERROR";

/// The code of a lookup that comes back to itself.
pub(crate) const RECURSIVE: &str = "RECURSIVE_LOOKUP_ERROR";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}: {}", self.0.kind, self.0.code, self.0.message)?;
        if let Some(file) = &self.0.file {
            write!(f, " ({file}:{})", self.0.line.unwrap_or(0))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<kukla_values::Error> for Error {
    fn from(error: kukla_values::Error) -> Error {
        Error::plain(error.code, error.message)
    }
}
