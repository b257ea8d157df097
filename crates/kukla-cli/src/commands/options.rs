//! Options that several commands share.

use std::path::PathBuf;

use kukla::syntax::Problem;

/// The control repository, as the option `--in`.
#[derive(Clone, Debug, clap::Args)]
pub struct RepositoryOption {
    /// Control repository (a directory with manifests, modules, hiera.yaml), or a manifest
    #[arg(long = "in", short = 'C', default_value = ".", value_name = "PATH")]
    pub path: PathBuf,
}

/// The name and the value of an option's `NAME=VALUE`.
pub fn split_assignment<'t>(option: &str, text: &'t str) -> Result<(&'t str, &'t str), Problem> {
    text.split_once('=').ok_or_else(|| {
        Problem::invalid(format!("invalid {option}")).on(format!("'{text}'")).because("expected NAME=VALUE")
    })
}
