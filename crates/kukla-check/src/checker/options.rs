//! The options of a checker.

use std::path::PathBuf;
use std::sync::Arc;

use kukla::Policy;
use kukla::syntax::Strict;
use kukla::world::policy::{Files, Reach, Variables};
use kukla::world::{Guarded, World};

use crate::repository::Survey;
use crate::repository::index::DeclaredNames;
use crate::rule::RuleSelection;

/// The options of a checker.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rules to apply beyond those that always apply.
    pub selection: RuleSelection,
    /// Puppet's `strict` setting.
    pub puppet_strict: Strict,
    /// The module path; by default that of the repository.
    pub modulepath: Vec<PathBuf>,
    /// The site manifest; by default that of the repository.
    pub manifest: Option<PathBuf>,
    /// Names that are set outside of the repository.
    pub declared: DeclaredNames,
    /// Report findings in third-party modules, too.
    pub all_modules: bool,
    /// Files to check in addition to those of the repository.
    pub extra: Vec<PathBuf>,
    /// Report only findings in these files and directories; empty for the whole repository.
    pub only: Vec<PathBuf>,
    /// The policy for the Ruby code of resource types; by default it may read files of the repository and of `modulepath` only.
    pub policy: Option<Policy>,
}

impl Options {
    /// The world that Ruby code of a repository sees, and the rest of the policy for it.
    pub(crate) fn confine(&self, world: &Arc<dyn World>, survey: &Survey) -> (Arc<dyn World>, Policy) {
        let restricted = || Policy {
            files: Files { reach: Reach::Repository, also: Vec::new() },
            variables: Variables::Off,
            ..Policy::default()
        };
        let mut policy = self.policy.clone().unwrap_or_else(restricted);
        let mut files = std::mem::take(&mut policy.files);
        files.also.push(survey.root.clone());
        files.also.extend_from_slice(&self.modulepath);
        if files.reach == Reach::Modules {
            files.also.extend_from_slice(&survey.modulepath);
        }
        let guard = Policy { files, ..Policy::default() };
        (Arc::new(Guarded::new(Arc::clone(world), guard)), policy)
    }
}
