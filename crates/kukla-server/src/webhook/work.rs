//! The thread that deploys the branches of the queue, all that wait at once.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use kukla::syntax::Problem;
use serde_json::{Map, Value};

use super::queue::QueuedBranch;
use super::settings::WebhookSettings;
use crate::ca::time;
use crate::deployer::{Deployer, DeploymentOutcome, EnvironmentOutcome, PushedBranch};
use crate::listen::LiveServer;
use crate::log::{self, Level};
use crate::server::Server;

/// Deploys what is in the queue until it is stopped.
pub fn work(current: &Arc<LiveServer>) {
    let queue = Arc::clone(&current.server().deployments);
    while let Some(branches) = queue.take() {
        // The settings may have changed since the server started.
        let server = current.server();
        let (Some(webhook), Some(deployer)) = (&server.settings.webhook, &server.settings.deployer) else {
            continue;
        };
        let deploy = || deploy(&server, webhook, deployer.as_ref(), &branches);
        let is_good = std::panic::catch_unwind(AssertUnwindSafe(deploy)).unwrap_or_else(|_| {
            log::error("cannot deploy because of a fault in Kukla");
            false
        });
        server.metrics.deployed(is_good);
        if !is_good {
            queue.forget(&branches);
        }
    }
}

/// Deploys branches, reads their environments again, and logs what has happened. Returns whether all went well.
fn deploy(
    server: &Server,
    webhook: &WebhookSettings,
    deployer: &dyn Deployer,
    branches: &[QueuedBranch],
) -> bool {
    let begun = Instant::now();
    let pushed: Vec<PushedBranch> = branches.iter().map(|queued| queued.branch.clone()).collect();
    let deployed = deployer.deploy(webhook, &pushed);
    let line = DeploymentLine { webhook, branches, seconds: begun.elapsed().as_secs_f64() };
    let DeploymentOutcome { environments, notes, afterwards } = match deployed {
        Ok(outcome) => outcome,
        Err(problem) => {
            line.write(None, Some(&problem));
            return false;
        }
    };
    notes.iter().for_each(|note| log::info(note));
    for environment in &environments {
        if environment.change.is_ok() {
            server.environments.refresh(&environment.name);
        }
        line.write(Some(environment), environment.change.as_ref().err());
    }
    if environments.is_empty() {
        line.write(None, None);
    }
    if let Some(problem) = &afterwards {
        log::error(&problem.with_help());
    }
    environments.iter().all(|environment| environment.change.is_ok())
}

/// The fields that all lines of a deployment have.
struct DeploymentLine<'d> {
    webhook: &'d WebhookSettings,
    branches: &'d [QueuedBranch],
    seconds: f64,
}

impl DeploymentLine<'_> {
    fn write(&self, environment: Option<&EnvironmentOutcome>, problem: Option<&Problem>) {
        let mut facts = Map::new();
        if let Some(environment) = environment {
            facts.insert("environment".into(), environment.name.as_str().into());
            if let Ok(change) = &environment.change {
                facts.insert("change".into(), change.name().into());
            }
            facts.insert("commit".into(), environment.commit.clone().map_or(Value::Null, Value::from));
        }
        let all = |value: fn(&QueuedBranch) -> String| -> Value {
            let mut values: Vec<String> = self.branches.iter().map(value).collect();
            values.sort();
            values.dedup();
            values.into()
        };
        facts.insert("branches".into(), all(|queued| queued.branch.name.clone()));
        facts.insert("clients".into(), all(|queued| queued.client.to_string()));
        let pushes: u32 = self.branches.iter().map(|queued| queued.pushes).sum();
        facts.insert("pushes".into(), pushes.into());
        facts.insert("seconds".into(), ((self.seconds * 1e3).round() / 1e3).into());
        if let Some(problem) = problem {
            facts.insert("error".into(), problem.with_help().into());
        }
        let (level, message) = match (problem, environment) {
            (Some(_), _) => (Level::Error, "cannot deploy"),
            (None, Some(_)) => (Level::Info, "deployed"),
            (None, None) => (Level::Info, "no environment belongs to the pushed branches"),
        };
        self.audit(message, &facts);
        log::write(level, message, facts);
    }

    /// Appends the line to the audit log. The deployment has taken place whether or not that is possible.
    fn audit(&self, message: &str, facts: &Map<String, Value>) {
        let Some(path) = &self.webhook.audit_log else { return };
        let mut line = Map::new();
        line.insert("time".into(), time::precise().into());
        line.insert("action".into(), message.into());
        line.extend(facts.clone());
        if let Err(problem) = crate::files::append_line(path, &Value::Object(line).to_string(), 0o640) {
            log::error(&format!("cannot write the audit log: {problem}"));
        }
    }
}
