//! The webhook over the wire, with a deployer that only records its calls.

#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use kukla::syntax::Problem;
use kukla_server::deployer::{
    Deployer, DeploymentOutcome, EnvironmentChange, EnvironmentOutcome, PushedBranch,
};
use kukla_server::webhook::settings::WebhookSettings;
use kukla_server::webhook::work::work;
use ring::hmac;
use serde_json::{Value, json};

use crate::support::{
    ACCEPT, Client, Directory, FORM, Harness, Reply, catalog_form, encoded, text_of, wait_until,
};

const SECRET: &str = "a secret of more than 16 bytes";

/// Writes down deployments, each of which waits until it may go on.
#[derive(Debug, Default)]
struct Recorder {
    state: Mutex<Recorded>,
    changed: Condvar,
    root: Option<std::path::PathBuf>,
}

#[derive(Debug, Default)]
struct Recorded {
    /// The branches of each deployment.
    deployments: Vec<Vec<String>>,
    is_held: bool,
    fails: bool,
}

impl Recorder {
    fn hold(&self, is_held: bool) {
        self.state.lock().unwrap().is_held = is_held;
        self.changed.notify_all();
    }

    fn deployments(&self) -> Vec<Vec<String>> {
        self.state.lock().unwrap().deployments.clone()
    }
}

impl Deployer for Recorder {
    fn check(&self, _: &WebhookSettings) -> Result<(), Problem> {
        Ok(())
    }

    fn has_source(&self, _: &WebhookSettings, branch: &PushedBranch) -> Result<bool, Problem> {
        Ok(branch.repositories.iter().any(|url| url == "ops/control"))
    }

    fn deploy(&self, _: &WebhookSettings, branches: &[PushedBranch]) -> Result<DeploymentOutcome, Problem> {
        let names: Vec<String> = branches.iter().map(|branch| branch.name.clone()).collect();
        let mut state = self.state.lock().unwrap();
        state.deployments.push(names.clone());
        let state = self.changed.wait_while(state, |state| state.is_held).unwrap();
        if state.fails {
            return Err(Problem::not_found("the git host does not answer"));
        }
        let environment = |name: &String| {
            if let Some(root) = &self.root {
                let manifest = root.join("code/environments").join(name).join("manifests/site.pp");
                let text = format!("notify {{ 'deployment {}': }}", state.deployments.len());
                // Only one of the environments is there.
                let _ = std::fs::write(manifest, text);
            }
            let (commit, change) = (Some("0123".to_owned()), Ok(EnvironmentChange::Changed));
            EnvironmentOutcome { name: name.clone(), commit, change }
        };
        Ok(DeploymentOutcome { environments: names.iter().map(environment).collect(), ..Default::default() })
    }

    fn content(
        &self,
        _: Option<&WebhookSettings>,
        environment: &Path,
        code_id: &str,
        path: &str,
    ) -> Option<Vec<u8>> {
        let environment = environment.file_name()?.to_str()?;
        (code_id == "c0de").then(|| format!("{path} of {environment}").into_bytes())
    }
}

/// A server whose webhook reports to a recorder.
struct Hooked {
    harness: Harness,
    recorder: Arc<Recorder>,
    worker: Option<std::thread::JoinHandle<()>>,
}

impl Hooked {
    fn new(settings: &str, toml: &str) -> Hooked {
        let directory = Directory::new();
        let root = directory.0.clone();
        directory.write("secret", format!("{SECRET}\n"));
        directory.write("code/environments/production/manifests/site.pp", "notify { 'before': }");
        let table = format!(
            "[webhook]\nsecret-file = \"{0}/secret\"\naudit-log = \"{0}/audit\"\n{toml}",
            root.display()
        );
        directory.write("puppet/kukla.toml", table);
        let recorder = Arc::new(Recorder { root: Some(root), ..Recorder::default() });
        let deployer = Arc::clone(&recorder) as Arc<dyn Deployer>;
        let harness = Harness::with(directory, settings, |overrides| overrides.deployer = Some(deployer));
        let current = Arc::clone(&harness.current);
        let worker = Some(std::thread::spawn(move || work(&current)));
        Hooked { harness, recorder, worker }
    }

    fn client(&self) -> Client {
        self.harness.stranger()
    }

    fn push(&self, branch: &str, delivery: &str) -> Reply {
        let body = payload(branch).to_string();
        let headers = [("X-Hub-Signature-256", &*signature(&body)), ("X-GitHub-Delivery", delivery)];
        self.client().send("POST", "/webhook", &headers, body.as_bytes())
    }

    fn wait_for(&self, count: usize) {
        wait_until("the deployments", || self.recorder.deployments().len() >= count);
    }
}

impl Drop for Hooked {
    fn drop(&mut self) {
        self.recorder.hold(false);
        self.harness.server().deployments.stop();
        self.worker.take().unwrap().join().unwrap();
    }
}

fn payload(branch: &str) -> Value {
    json!({"ref": format!("refs/heads/{branch}"), "repository": {"full_name": "ops/control"}})
}

fn signature(body: &str) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()), body.as_bytes());
    let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digits}")
}

#[test]
fn a_push_deploys_its_branch_and_the_next_catalog_is_new() {
    // Without the webhook, changed code would never be noticed.
    let hooked = Hooked::new("environment_timeout = unlimited", "");
    let agent = hooked.harness.node("web1");
    let notify = || {
        let form = catalog_form("web1", "production", &json!({}));
        let path = "/puppet/v3/catalog/web1?environment=production";
        let catalog = agent.send("POST", path, &[FORM, ACCEPT], form.as_bytes()).json();
        let resources = catalog["resources"].as_array().unwrap().clone();
        resources.iter().find(|each| each["type"] == "Notify").unwrap()["title"].as_str().unwrap().to_owned()
    };
    assert_eq!(notify(), "before");
    let reply = hooked.push("production", "1");
    assert_eq!(
        (reply.status, reply.json()),
        (202, json!({"status": "accepted", "branches": [{"branch": "production", "state": "queued"}]}))
    );
    wait_until("the new catalog", || notify() == "deployment 1");
    assert_eq!(hooked.recorder.deployments(), [["production"]]);
    let log = hooked.harness.directory.0.join("audit");
    wait_until("the audit log", || log.exists());
    let line: Value = serde_json::from_str(text_of(&log).trim()).unwrap();
    assert_eq!(
        (&line["action"], &line["environment"], &line["commit"], &line["branches"], &line["clients"]),
        (
            &json!("deployed"),
            &json!("production"),
            &json!("0123"),
            &json!(["production"]),
            &json!(["127.0.0.1"])
        )
    );
    let metrics = hooked.harness.admin().get("/metrics").text();
    assert!(metrics.contains("kukla_deployments_total{success=\"true\"} 1"), "{metrics}");
}

#[test]
fn only_signed_requests_are_read() {
    let hooked = Hooked::new("", "");
    let (body, client) = (payload("production").to_string(), hooked.client());
    let good = signature(&body);
    let send = |headers: &[(&str, &str)], body: &[u8]| client.send("POST", "/webhook", headers, body).status;
    assert_eq!(send(&[], body.as_bytes()), 401);
    assert_eq!(send(&[], b"{"), 401, "a body without a signature is not read");
    for (name, wrong) in [
        ("X-Hub-Signature-256", "sha256=00"),
        ("X-Hub-Signature", "sha1=7a3c2e"),
        ("X-Gitea-Signature", &good),
        ("X-Gitlab-Token", "another secret of 16 bytes"),
        ("webhook-signature", "v1,AAAA"),
    ] {
        assert_eq!(send(&[(name, wrong)], body.as_bytes()), 403, "{name}");
    }
    let changed = body.replace("production", "development");
    assert_eq!(send(&[("X-Hub-Signature-256", &good)], changed.as_bytes()), 403);
    assert_eq!(send(&[("X-Hub-Signature-256", &signature("{"))], b"{"), 400);
    assert_eq!(client.get("/webhook").status, 403);
    assert!(hooked.recorder.deployments().is_empty());
    assert_eq!(send(&[("X-Gitlab-Token", SECRET)], body.as_bytes()), 202);
    let form = format!("payload={}", encoded(&body));
    assert_eq!(send(&[("X-Hub-Signature-256", &signature(&form)), FORM], form.as_bytes()), 202);
    hooked.wait_for(1);
}

#[test]
fn a_delivery_counts_once_unless_it_fails() {
    let hooked = Hooked::new("", "");
    assert_eq!(hooked.push("production", "1").status, 202);
    hooked.wait_for(1);
    let again = hooked.push("production", "1");
    assert_eq!(
        (again.status, again.json()["reason"].as_str()),
        (200, Some("the delivery was received before"))
    );
    assert_eq!(hooked.push("production", "2").status, 202);
    hooked.wait_for(2);
    hooked.recorder.state.lock().unwrap().fails = true;
    assert_eq!(hooked.push("production", "3").status, 202);
    hooked.wait_for(3);
    wait_until("the failure", || hooked.push("production", "3").status == 202);
}

#[test]
fn pushes_during_a_deployment_are_merged() {
    let hooked = Hooked::new("", "");
    hooked.recorder.hold(true);
    hooked.push("production", "first");
    hooked.wait_for(1);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let hooked = &hooked;
            scope.spawn(move || {
                for number in 0..10 {
                    let branch = if number % 2 == 0 { "production" } else { "development" };
                    let reply = hooked.push(branch, &format!("{thread}-{number}"));
                    assert_eq!(reply.status, 202, "{}", reply.text());
                }
            });
        }
    });
    assert_eq!(hooked.harness.server().deployments.waiting(), 2);
    hooked.recorder.hold(false);
    hooked.wait_for(2);
    wait_until("the queue", || hooked.harness.server().deployments.waiting() == 0);
    let mut second = hooked.recorder.deployments()[1].clone();
    second.sort();
    assert_eq!(
        (second, hooked.recorder.deployments().len()),
        (vec!["development".to_owned(), "production".to_owned()], 2)
    );
}

#[test]
fn other_requests_deploy_nothing() {
    let hooked = Hooked::new("", "");
    let send = |body: &Value| {
        let body = body.to_string();
        hooked.client().send(
            "POST",
            "/webhook",
            &[("X-Hub-Signature-256", &signature(&body))],
            body.as_bytes(),
        )
    };
    for (body, status) in [
        (json!({"zen": "Design for failure."}), 200),
        (json!({"ref": "refs/tags/v1", "repository": {"full_name": "ops/control"}}), 200),
        (json!({"ref": "refs/heads/main", "repository": {"full_name": "ops/other"}}), 404),
        (json!({"ref": "refs/heads/main"}), 404),
    ] {
        let reply = send(&body);
        assert_eq!(reply.status, status, "{body}: {}", reply.text());
    }
    let huge = vec![b' '; 3 << 20];
    let refused = hooked.client().try_send("POST", "/webhook", &[("X-Gitlab-Token", SECRET)], &huge);
    assert!(refused.is_ok_and(|reply| reply.status == 413));
    assert!(hooked.recorder.deployments().is_empty());
}

#[test]
fn rules_can_close_the_webhook_to_strangers() {
    let hooked = Hooked::new(
        "",
        "[authorization]\nversion = 1\n[[authorization.rules]]\nname = \"hosts\"\nsort-order = 400\nallow = \"git.example.com\"\nmatch-request = { path = \"/webhook\", type = \"path\" }\n",
    );
    let body = payload("production").to_string();
    let send = |client: Client| {
        client.send("POST", "/webhook", &[("X-Gitlab-Token", SECRET)], body.as_bytes()).status
    };
    assert_eq!(send(hooked.client()), 403);
    assert_eq!(send(hooked.harness.node("web1")), 403);
    assert_eq!(send(hooked.harness.node("git.example.com")), 202);
}

#[test]
fn without_the_setting_there_is_no_webhook() {
    let harness = Harness::new("", |_| {});
    let reply = harness.stranger().send("POST", "/webhook", &[("X-Gitlab-Token", SECRET)], b"{}");
    assert_eq!(reply.status, 404);
}

#[test]
fn static_catalogs_have_the_deployed_version() {
    let hooked = Hooked::new("", "");
    let environment = "code/environments/production";
    let record = json!({"signature": "c0de", "deploy_success": true, "kukla": {"code_id": "c0de"}});
    hooked.harness.directory.write(&format!("{environment}/.r10k-deploy.json"), record.to_string());
    hooked.harness.directory.write(&format!("{environment}/modules/web/files/a"), "content");
    hooked.harness.directory.write(
        &format!("{environment}/manifests/site.pp"),
        "file { '/tmp/a': source => 'puppet:///modules/web/a' }",
    );
    let agent = hooked.harness.node("web1");
    let form = catalog_form("web1", "production", &json!({}));
    let path = "/puppet/v3/catalog/web1?environment=production";
    let catalog = agent.send("POST", path, &[FORM, ACCEPT], form.as_bytes()).json();
    assert_eq!(catalog["code_id"], "c0de");
    assert_eq!(catalog["metadata"]["/tmp/a"]["content_uri"], "puppet:///modules/web/files/a");
    let content = |code_id: &str| {
        let path = "/puppet/v3/static_file_content/modules/web/files/a";
        agent.get(&format!("{path}?environment=production&code_id={code_id}"))
    };
    assert_eq!(content("c0de").text(), "modules/web/files/a of production");
    assert_eq!(content("0000").status, 500);
    assert_eq!(content("..").status, 400);
}
