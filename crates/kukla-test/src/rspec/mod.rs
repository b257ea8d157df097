//! RSpec suites, run in Kukla's own Ruby interpreter.

use std::path::Path;

use kukla::syntax::Problem;

use crate::model::{Language, Suite};
use crate::project::Project;
use crate::runner::RunOptions;

/// Runs one file of specs.
pub fn run(_project: &Project, file: &Path, _options: &RunOptions) -> Suite {
    let problem = Problem::other("cannot run RSpec suites").on(file.display());
    Suite::broken(file, Language::Rspec, problem.help("run it with contrib/rspec-puppet and Ruby"))
}
