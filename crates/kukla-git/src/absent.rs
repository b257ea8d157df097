//! Repositories of a build without the feature `objects`: none can be opened, so there are no revisions.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_syntax::{Problem, ProblemKind};
use kukla_values::time::Timestamp;
use kukla_world::{CommandOutput, DirectoryEntry, FileResult, World};

use crate::{Change, RangeEnd};

/// A git repository, which this build cannot open.
#[derive(Debug)]
pub struct Repository {
    /// The directory of its files.
    pub root: PathBuf,
    /// Whether there are files.
    pub has_files: bool,
    never: Infallible,
}

impl Repository {
    /// Refuses: this build lacks the feature.
    pub fn discover(_directory: &Path, _disk: Arc<dyn World>) -> Result<Repository, Problem> {
        let problem =
            Problem::new(ProblemKind::Unavailable, "this build of kukla cannot read git repositories");
        Err(problem.help("build it with the feature `git`, or compare two directories"))
    }

    /// One side of a comparison.
    pub fn revision(self: &Arc<Self>, _side: &RangeEnd) -> Result<Option<(Revision, String)>, Problem> {
        match self.never {}
    }

    /// Notes on how revisions were read.
    pub fn notes(&self) -> Vec<String> {
        match self.never {}
    }
}

/// A revision of a repository, of which there are none.
#[derive(Debug)]
pub struct Revision(Infallible);

impl Revision {
    /// The repository.
    pub fn repository(&self) -> &Arc<Repository> {
        match self.0 {}
    }

    /// The files in which another revision differs from this one.
    pub fn changed_in(&self, _other: &Revision) -> Change {
        match self.0 {}
    }

    /// The files in which the working tree differs from this revision.
    pub fn changed_in_working_tree(&self) -> Change {
        match self.0 {}
    }
}

impl World for Revision {
    fn read(&self, _path: &Path) -> FileResult<Vec<u8>> {
        match self.0 {}
    }

    fn list(&self, _path: &Path) -> Vec<DirectoryEntry> {
        match self.0 {}
    }

    fn now(&self) -> Timestamp {
        match self.0 {}
    }

    fn env(&self, _name: &str) -> FileResult<Option<String>> {
        match self.0 {}
    }

    fn run(&self, _command: &[String]) -> FileResult<CommandOutput> {
        match self.0 {}
    }
}
