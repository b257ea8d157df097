//! Options that several commands share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kukla::syntax::Problem;

use crate::render::human;

/// The control repository, as the option `--in`.
#[derive(Clone, Debug, clap::Args)]
pub struct RepositoryOption {
    /// Control repository (a directory with manifests, modules, hiera.yaml), or a manifest
    #[arg(long = "in", short = 'C', default_value = ".", value_name = "PATH")]
    pub path: PathBuf,
}

impl RepositoryOption {
    /// The repository, and the other arguments: a directory before them is the repository, too.
    pub fn split<'a>(&'a self, arguments: &'a [String]) -> (&'a Path, &'a [String]) {
        match arguments {
            [first, rest @ ..] if !rest.is_empty() && is_directory(first) => (Path::new(first), rest),
            _ => (&self.path, arguments),
        }
    }
}

/// Whether an argument is a path of a directory, not a name.
fn is_directory(argument: &str) -> bool {
    (argument.contains('/') || argument.starts_with('.')) && Path::new(argument).is_dir()
}

/// The name and the value of an option's `NAME=VALUE`.
pub fn split_assignment<'t>(option: &str, text: &'t str) -> Result<(&'t str, &'t str), Problem> {
    text.split_once('=').ok_or_else(|| {
        Problem::invalid(format!("invalid {option}")).on(format!("'{text}'")).because("expected NAME=VALUE")
    })
}

/// A duration in seconds.
pub fn parse_seconds(text: &str) -> Result<Duration, Problem> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| Problem::invalid("expected a number of seconds"))
}

/// The options for source excerpts.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ExcerptOptions {
    /// Show the line of a data file that cannot be parsed, although it may be secret
    #[arg(long)]
    show_data: bool,
}

impl ExcerptOptions {
    /// Applies them to everything that this process prints.
    pub fn apply(self) {
        if self.show_data {
            human::show_data();
        }
    }
}
