//! The webhook: a git host reports a push, and the environment of the branch is deployed.
//!
//! A request goes through these steps; only the last one takes long, and no request waits for it:
//!
//! 1. the signature of the body is verified ([`signature`]);
//! 2. the repository and branches are read from the payload ([`push`]);
//! 3. the branches wait in a queue, each once ([`queue`]), and the request is answered;
//! 4. one thread deploys all that wait at once, and the environments are read again ([`work`]).
//!
//! The payload decides only about when something is deployed: commits come from the remotes of the settings, and an environment is removed if its branch
//! is gone there. So a request that is sent again can do no harm.

pub mod push;
pub mod queue;
pub mod settings;
pub mod signature;
pub mod work;

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::answer::{Answer, JSON};
use crate::call::{Call, Parameters};
use crate::deployer::Deployer;
use crate::server::Server;
use push::Push;
use queue::{Placement, QueuedBranch};
use settings::WebhookSettings;
use signature::Unverified;

/// Answers a request of a git host.
pub fn answer(server: &Server, call: &Call) -> Answer {
    let settings = &server.settings;
    let (Some(webhook), Some(deployer)) = (&settings.webhook, &settings.deployer) else {
        return Answer::refused(StatusCode::NOT_FOUND, "Not Found: the server has no webhook");
    };
    receive(server, webhook, deployer.as_ref(), call).unwrap_or_else(|refusal| refusal)
}

fn receive(
    server: &Server,
    webhook: &WebhookSettings,
    deployer: &dyn Deployer,
    call: &Call,
) -> Result<Answer, Answer> {
    let signature = signature::verify(&webhook.secrets, &call.headers, &call.body).map_err(|unverified| {
        let (status, text) = match unverified {
            Unverified::Missing => (StatusCode::UNAUTHORIZED, "Unauthorized: the request has no signature"),
            Unverified::Wrong => (StatusCode::FORBIDDEN, "Forbidden: the signature is wrong"),
            Unverified::Outdated => (StatusCode::FORBIDDEN, "Forbidden: the signature is too old"),
        };
        Answer::refused(status, text).note("refused", text)
    })?;
    let payload = payload(call)?;
    let push = match push::read(&payload) {
        Ok(push) => push,
        Err(reason) => return Ok(ignored(reason)),
    };
    let delivery = signature::delivery(&call.headers).map(|id| format!("{id} {signature}"));
    let delivery = delivery.as_deref();
    let repository = push.repositories.first().cloned().unwrap_or_default();
    if delivery.is_some_and(|delivery| server.deployments.has_seen(delivery)) {
        return Ok(ignored("the delivery was received before").note("repository", repository));
    }
    let branches = known_branches(server, webhook, deployer, push)?;
    let names: Vec<String> = branches.iter().map(|branch| branch.name.clone()).collect();
    let client = call.peer.address.ip();
    let queued = branches.into_iter().map(|branch| QueuedBranch::new(branch, client, delivery)).collect();
    let placements = server
        .deployments
        .add(queued)
        .map_err(|_| server.busy("Service Unavailable: too many branches wait for their deployment"))?;
    let row = |(name, placement): (&String, Placement)| {
        let state = match placement {
            Placement::Queued => "queued",
            Placement::Merged => "merged",
        };
        json!({"branch": name, "state": state})
    };
    let rows: Vec<Value> = names.iter().zip(placements).map(row).collect();
    let answer =
        Answer::new(StatusCode::ACCEPTED, JSON, json!({"status": "accepted", "branches": rows}).to_string());
    Ok(answer.note("repository", repository).note("branches", names))
}

/// The branches, if a source has their repository.
fn known_branches(
    server: &Server,
    webhook: &WebhookSettings,
    deployer: &dyn Deployer,
    push: Push,
) -> Result<Vec<crate::deployer::PushedBranch>, Answer> {
    let branches = push.branches();
    let first = branches.first().map(|branch| deployer.has_source(webhook, branch));
    match first {
        Some(Ok(true)) => Ok(branches),
        Some(Err(problem)) => Err(server.failure(&problem)),
        _ => {
            let text = "Not Found: no source of environments has this repository";
            let shown = push.repositories.first().cloned().unwrap_or_default();
            Err(Answer::refused(StatusCode::NOT_FOUND, text).note("refused", text).note("repository", shown))
        }
    }
}

fn ignored(reason: &str) -> Answer {
    Answer::json(&json!({"status": "ignored", "reason": reason})).note("ignored", reason)
}

/// The payload, which GitHub and Gitea can also send as a form.
fn payload(call: &Call) -> Result<Value, Answer> {
    let invalid = |why: &dyn std::fmt::Display| {
        let text = format!("invalid JSON in request body: {why}");
        Answer::refused(StatusCode::BAD_REQUEST, format!("Bad Request: {text}")).note("error", text)
    };
    if call.content_type().as_deref() != Some("application/x-www-form-urlencoded") {
        return crate::json::read(&call.body).map_err(|error| invalid(&error));
    }
    let form = std::str::from_utf8(&call.body).ok().and_then(|form| Parameters::parse(form).ok());
    let form = form.ok_or_else(|| invalid(&"the form is malformed"))?;
    let text = form.get("payload").ok_or_else(|| invalid(&"the form has no payload"))?;
    crate::json::read(text.as_bytes()).map_err(|error| invalid(&error))
}
