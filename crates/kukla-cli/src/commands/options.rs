//! Options that several commands share.

use std::path::PathBuf;

use kukla::syntax::Problem;

/// The control repository, as the option `--in`.
#[derive(Clone, Debug, clap::Args)]
pub struct RepositoryOption {
    /// Use the modules and data of this control repository, or this manifest
    #[arg(long = "in", short = 'C', default_value = ".", value_name = "PATH")]
    pub path: PathBuf,
}

/// The name and the value of an option's `NAME=VALUE`.
pub fn split_assignment<'t>(option: &str, text: &'t str) -> Result<(&'t str, &'t str), Problem> {
    text.split_once('=').ok_or_else(|| {
        Problem::invalid(format!("invalid {option}")).on(format!("'{text}'")).because("expected NAME=VALUE")
    })
}
