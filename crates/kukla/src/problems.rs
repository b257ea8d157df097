//! Failed reads as problems.

use std::path::Path;

use kukla_syntax::{Problem, ProblemKind};
use kukla_world::{FileError, World};

/// The problem of a file that cannot be read.
pub fn cannot_read(path: &Path, error: &FileError) -> Problem {
    let kind = match error {
        FileError::NotFound => ProblemKind::NotFound,
        FileError::Refused(_) => ProblemKind::Denied,
        FileError::Other(_) => ProblemKind::Other,
    };
    let reason = error.to_string();
    // The number of a system error helps nobody.
    let reason = reason.split(" (os error").next().unwrap_or_default();
    Problem::new(kind, "cannot read").on(path.display()).because(reason)
}

/// The problem of a path at which there is nothing that can be used.
pub(crate) fn missing(world: &dyn World, path: &Path) -> Problem {
    cannot_read(path, &world.read(path).err().unwrap_or(FileError::NotFound))
}
