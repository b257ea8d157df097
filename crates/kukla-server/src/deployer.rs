//! The deployment of code by this process: the server says when, and the one who starts it says how.

use kukla::syntax::Problem;
use std::path::Path;

use crate::webhook::settings::WebhookSettings;

/// Deploys environments, and knows the files of those that it has deployed.
pub trait Deployer: std::fmt::Debug + Send + Sync {
    /// Checks that there are valid settings of deployments.
    fn check(&self, settings: &WebhookSettings) -> Result<(), Problem>;

    /// Whether a source of environments has the repository of a branch.
    fn has_source(&self, settings: &WebhookSettings, branch: &PushedBranch) -> Result<bool, Problem>;

    /// Deploys the environments of branches, and removes those of branches that are gone.
    fn deploy(
        &self,
        settings: &WebhookSettings,
        branches: &[PushedBranch],
    ) -> Result<DeploymentOutcome, Problem>;

    /// The content of a file of a version of an environment, if it is known.
    fn content(
        &self,
        settings: Option<&WebhookSettings>,
        environment: &Path,
        code_id: &str,
        path: &str,
    ) -> Option<Vec<u8>>;
}

/// A branch that was pushed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushedBranch {
    /// The addresses by which its repository is known.
    pub repositories: Vec<String>,
    /// Its name.
    pub name: String,
}

/// The result of a deployment.
#[derive(Debug, Default)]
pub struct DeploymentOutcome {
    /// The environments of the branches.
    pub environments: Vec<EnvironmentOutcome>,
    /// Remarks, and the output of a command that ran afterwards.
    pub notes: Vec<String>,
    /// The failure of that command; the environments are deployed all the same.
    pub afterwards: Option<Problem>,
}

/// The result for one environment.
#[derive(Debug)]
pub struct EnvironmentOutcome {
    /// Its name.
    pub name: String,
    /// The commit that it has now; none if it is gone.
    pub commit: Option<String>,
    /// The change.
    pub change: Result<EnvironmentChange, Problem>,
}

/// The change of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvironmentChange {
    /// It is new.
    Added,
    /// It has other content.
    Changed,
    /// It stays as it is.
    Unchanged,
    /// It is removed.
    Removed,
}

impl EnvironmentChange {
    /// Its name in logs.
    pub fn name(self) -> &'static str {
        match self {
            EnvironmentChange::Added => "added",
            EnvironmentChange::Changed => "changed",
            EnvironmentChange::Unchanged => "unchanged",
            EnvironmentChange::Removed => "removed",
        }
    }
}
