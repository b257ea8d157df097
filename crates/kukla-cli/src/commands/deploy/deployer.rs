//! Deployments by `kukla serve`: as those of `kukla deploy`, for the branches that its webhook reports.

use std::path::Path;
use std::sync::Arc;

use kukla::syntax::Problem;
use kukla_modules::deploy::Deployment;
use kukla_modules::deploy::plan::Change;
use kukla_modules::deploy::selection::{RepositoryBranch, Selection};
use kukla_modules::deploy::settings::DeploySettings;
use kukla_modules::deploy::versions;
use kukla_modules::sources::{Silent, Sources};
use kukla_modules::store::Store;
use kukla_server::deployer::{
    Deployer, DeploymentOutcome, EnvironmentChange, EnvironmentOutcome, PushedBranch,
};
use kukla_server::webhook::settings::WebhookSettings;

use super::{postrun, require_postrun, settings_file, world};
use crate::commands::modules::{SourceArgs, default_store_directory};

/// The deployer of a server.
pub fn deployer() -> Arc<dyn Deployer> {
    Arc::new(ModuleDeployer)
}

/// Deploys with the modules of the store.
#[derive(Debug)]
struct ModuleDeployer;

impl Deployer for ModuleDeployer {
    fn check(&self, webhook: &WebhookSettings) -> Result<(), Problem> {
        let settings = read(webhook)?;
        require_postrun(&settings, &world(&webhook.commands, &settings)).map_err(|problem| {
            Problem::new(problem.kind(), "postrun is not allowed")
                .because(problem)
                .help("name the command in `commands` of [webhook]")
        })?;
        sources(webhook, &settings).map(|_| ())
    }

    fn has_source(&self, webhook: &WebhookSettings, branch: &PushedBranch) -> Result<bool, Problem> {
        let branch = selected(branch);
        Ok(read(webhook)?.sources.iter().any(|source| branch.is_of_source(source)))
    }

    fn deploy(
        &self,
        webhook: &WebhookSettings,
        branches: &[PushedBranch],
    ) -> Result<DeploymentOutcome, Problem> {
        let settings = read(webhook)?;
        let (world, sources) = (world(&webhook.commands, &settings), sources(webhook, &settings)?);
        let branches: Vec<RepositoryBranch> = branches.iter().map(selected).collect();
        let deployment = Deployment {
            settings: &settings,
            sources: &sources,
            world: &world,
            selection: Selection::Branches(&branches),
            force: false,
        };
        let report = deployment.run(&Silent, |_| {})?;
        // Remarks on other branches belong to the deployments of those.
        let mut notes = Vec::new();
        let afterwards = postrun(&settings, &world, &report, |line| notes.push(line)).err();
        let mut environments: Vec<EnvironmentOutcome> = Vec::new();
        let is_good = |name: &str| !report.failures.iter().any(|failure| failure.environment == name);
        for planned in report.plan.environments.iter().filter(|planned| is_good(&planned.desired.directory)) {
            let change = match planned.change {
                Change::Added => EnvironmentChange::Added,
                Change::Changed { .. } => EnvironmentChange::Changed,
                Change::Unchanged => EnvironmentChange::Unchanged,
            };
            environments.push(EnvironmentOutcome {
                name: planned.desired.directory.clone(),
                commit: Some(planned.desired.signature().to_owned()),
                change: Ok(change),
            });
        }
        for path in &report.plan.removed {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_good(&name) {
                environments.push(EnvironmentOutcome {
                    name,
                    commit: None,
                    change: Ok(EnvironmentChange::Removed),
                });
            }
        }
        for failure in report.failures {
            environments.push(EnvironmentOutcome {
                name: failure.environment,
                commit: None,
                change: Err(failure.problem),
            });
        }
        Ok(DeploymentOutcome { environments, notes, afterwards })
    }

    fn content(
        &self,
        webhook: Option<&WebhookSettings>,
        environment: &Path,
        code_id: &str,
        path: &str,
    ) -> Option<Vec<u8>> {
        let named = webhook.and_then(|webhook| webhook.module_store.clone());
        let root = named.unwrap_or_else(default_store_directory);
        let store = root.join("trees").is_dir().then(|| Store::open(&root).ok()).flatten()?;
        versions::content(&store, environment, code_id, path)
    }
}

fn read(webhook: &WebhookSettings) -> Result<DeploySettings, Problem> {
    DeploySettings::read(&settings_file(webhook.config.as_deref())?)
}

fn sources(webhook: &WebhookSettings, settings: &DeploySettings) -> Result<Sources, Problem> {
    let options = SourceArgs::defaults(webhook.module_store.clone());
    options.open_with(settings.into())
}

fn selected(branch: &PushedBranch) -> RepositoryBranch {
    RepositoryBranch { repositories: branch.repositories.clone(), branch: branch.name.clone() }
}
