//! Catalogs: requested, compiled, and sent in the format that the client accepts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use hyper::StatusCode;
use kukla::Catalog;
use kukla::eval::profile::Profile;
use kukla::rpc::from_json;
use kukla::values::Hash;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Issue, JSON};
use crate::ca::keys::random;
use crate::call::Call;
use crate::environments::{CatalogFailure, CatalogForm, Compilation, is_name};
use crate::json;
use crate::log;
use crate::nodes::{Facts, facts_in, facts_of};
use crate::server::Server;
use crate::static_catalog::inline;
use crate::storing::{NodeUpdate, is_unreachable};

/// The format of a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    content_type: &'static str,
    rich: bool,
}

const RICH: Format = Format { content_type: "application/vnd.puppet.rich+json; charset=utf-8", rich: true };
const PLAIN: Format = Format { content_type: JSON, rich: false };
const PSON: Format = Format { content_type: "text/pson", rich: false };

/// The format that is most welcome.
fn format(call: &Call) -> Result<Format, Answer> {
    let wanted = call.accepts();
    let found = wanted.iter().find_map(|kind| match kind.as_str() {
        "application/vnd.puppet.rich+json" => Some(RICH),
        "application/json" | "text/json" | "*/*" | "application/*" => Some(PLAIN),
        "text/pson" | "pson" | "application/pson" => Some(PSON),
        _ => None,
    });
    match found {
        Some(format) => Ok(format),
        None if wanted.is_empty() => Ok(PLAIN),
        None => {
            let header = call.header("accept").unwrap_or_default();
            Err(Answer::error(
                Issue::Format,
                format!("No supported formats are acceptable (Accept: {header})"),
            ))
        }
    }
}

/// A catalog that was asked for, whichever way.
struct CatalogRequest<'a> {
    node: &'a str,
    environment: String,
    facts: Option<Facts>,
    /// The trusted facts, if not those of the client's certificate.
    trusted: Option<Hash>,
    rich: bool,
    /// Whether the answer is empty where the node belongs to another environment.
    check_environment: bool,
    /// Whether the environment that was asked for counts more than the classifier's.
    prefer_asked: bool,
    /// How the agent tells contents apart, if it wants a static catalog.
    static_by: Option<&'a str>,
    transaction: Option<&'a str>,
    /// Whether facts and catalog go to the store.
    keep: (bool, bool),
}

/// Answers a request of an agent for its catalog.
pub fn answer(server: &Server, call: &Call, node: &str) -> Answer {
    let environment = call.parameter("environment");
    if !environment.is_some_and(is_name) {
        let text =
            format!("The environment must be purely alphanumeric, not '{}'", environment.unwrap_or("null"));
        return Answer::refused(StatusCode::BAD_REQUEST, text);
    }
    let format = match format(call) {
        Ok(format) => format,
        Err(answer) => return answer,
    };
    let facts = match facts_of(call, node) {
        Ok(facts) => facts,
        Err(problem) => return Answer::error(Issue::Runtime, &problem),
    };
    let is_static = call.parameter("static_catalog") == Some("true");
    let request = CatalogRequest {
        node,
        environment: environment.unwrap_or_default().to_owned(),
        facts,
        trusted: None,
        rich: format.rich,
        check_environment: call.parameter("check_environment") == Some("true"),
        prefer_asked: false,
        static_by: is_static.then(|| call.parameter("checksum_type")).flatten(),
        transaction: call.parameter("transaction_uuid"),
        keep: (true, true),
    };
    match request.compile(server, call) {
        Ok(compiled) => compiled.answer(format.content_type),
        Err(answer) => answer,
    }
}

/// Answers a service that asks for the catalog of some node.
pub fn answer_v4(server: &Server, call: &Call) -> Answer {
    let refused = |problem: String| Answer::refused(StatusCode::BAD_REQUEST, problem);
    let body: Value = match json::read(&call.body) {
        Ok(body) => body,
        Err(error) => return refused(format!("invalid JSON in request body: {error}")),
    };
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let (Some(node), Some(environment)) = (text("certname"), text("environment")) else {
        return refused("certname and environment are required".to_owned());
    };
    // A name is an argument of the classifier and a part of paths, so it is checked here as well.
    if let Err(invalid) = kukla::certname::check(node) {
        return refused(invalid.to_string());
    }
    if !is_name(environment) {
        return refused(format!("Invalid environment name {environment:?}"));
    }
    let persistence =
        |name: &str| body.get("persistence").and_then(|all| all.get(name)).and_then(Value::as_bool);
    let (Some(keep_facts), Some(keep_catalog)) = (persistence("facts"), persistence("catalog")) else {
        return refused("persistence requires facts and catalog, each true or false".to_owned());
    };
    let facts = match body.get("facts") {
        None | Some(Value::Null) => None,
        Some(facts) => match facts_in(&json!({"name": node, "values": facts.get("values")}), node) {
            Ok(facts) => Some(facts),
            Err(problem) => return refused(problem.to_string()),
        },
    };
    let trusted = body.get("trusted_facts").and_then(|trusted| trusted.get("values")).map(from_json);
    let trusted = trusted.and_then(|trusted| trusted.as_hash().cloned());
    let option =
        |name: &str| body.get("options").and_then(|all| all.get(name)).cloned().unwrap_or(Value::Null);
    let request = CatalogRequest {
        node,
        environment: environment.to_owned(),
        facts,
        trusted,
        rich: true,
        check_environment: false,
        prefer_asked: option("prefer_requested_environment") == Value::Bool(true),
        static_by: None,
        transaction: text("transaction_uuid"),
        keep: (keep_facts, keep_catalog),
    };
    match request.compile(server, call) {
        Ok(compiled) => {
            let logs = compiled.logs.clone();
            let catalog: Value = serde_json::from_str(&compiled.text).unwrap_or_default();
            let mut all = json!({"catalog": catalog});
            if option("capture_logs") == Value::Bool(true) {
                all["logs"] = logs.into();
            }
            let notes = compiled.answer(JSON).notes;
            Answer { notes, ..Answer::json(&all) }
        }
        Err(answer) => answer,
    }
}

/// A catalog that was compiled.
struct CompiledText {
    text: String,
    resources: usize,
    environment: String,
    seconds: f64,
    logs: Vec<Value>,
}

impl CompiledText {
    fn answer(self, content_type: &'static str) -> Answer {
        Answer::new(StatusCode::OK, content_type, self.text)
            .note("environment", self.environment)
            .note("resources", self.resources)
            .note("compile_ms", (self.seconds * 1e6).round() / 1e3)
    }
}

impl CatalogRequest<'_> {
    fn compile(self, server: &Server, call: &Call) -> Result<CompiledText, Answer> {
        let failed = |problem: &dyn std::fmt::Display| Answer::error(Issue::Runtime, problem);
        let known = server.node(self.node, self.facts.as_ref(), call);
        let mut known = known.map_err(|problem| server.failure(&problem))?;
        if let Some(trusted) = &self.trusted {
            known.node.trusted.clone_from(trusted);
        }
        let asked_for = server.environment_or_default(&self.environment);
        let name = match known.environment {
            Some(name) if !self.prefer_asked => name,
            _ => asked_for.clone(),
        };
        let update = NodeUpdate {
            node: self.node,
            environment: &name,
            facts: self.facts.as_ref().filter(|_| self.keep.0),
            trusted: &known.node.trusted,
            catalog: None,
            transaction: self.transaction,
        };
        let keep =
            |update: NodeUpdate<'_>| server.store_update(&update).map_err(|problem| server.failure(&problem));
        if self.check_environment && name != asked_for {
            keep(update)?;
            return Ok(self.elsewhere(name));
        }
        let environment = server.environments.get(&name).ok_or_else(|| {
            let path: Vec<String> = server.environments.path().iter().map(|path| path.display().to_string()).collect();
            let path = path.join(":");
            failed(&format!(
                "Could not find a directory environment named '{name}' anywhere in the path: {path}. Does the directory exist?"
            ))
        })?;
        let begun = Instant::now();
        let form = CatalogForm { rich: self.rich, exports: server.store.is_some() };
        let is_wanted = {
            let peer = Arc::clone(&call.peer);
            move || !peer.is_gone()
        };
        let done = server.environments.compile(&environment, &known.node, form, is_wanted);
        let seconds = begun.elapsed().as_secs_f64();
        let is_good = matches!(&done, Ok(Compilation { outcome, .. }) if outcome.result.is_ok());
        server.metrics.compiled(seconds, is_good);
        if !is_good {
            // What the node says of itself is true whatever becomes of its catalog.
            keep(update)?;
        }
        let Compilation { outcome, snapshot } = match done {
            Ok(done) => done,
            Err(CatalogFailure::Code(failure)) => return Err(self.faulty(&failure.to_string(), &name)),
            Err(CatalogFailure::Changing) => {
                let text = "Service Unavailable: the code of the environment is being changed";
                return Err(Answer::busy(server.retry_after(), text));
            }
        };
        let logs: Vec<Value> = outcome.logs.iter().map(kukla::rpc::log).collect();
        self.log_messages(&outcome.logs, &name);
        let compiled = outcome.result.map_err(|failure| match is_unreachable(&failure) {
            true => server.failure(&failure.into()),
            false => self.faulty(&failure.to_string(), &name),
        })?;
        if let Some(profile) = &compiled.profile {
            log::write(log::Level::Debug, "compiled", self.phases(profile));
        }
        let mut catalog = compiled.catalog;
        catalog.uuid = Some(uuid().as_str().into());
        catalog.code_id = snapshot.code_id.as_deref().map(Into::into);
        let static_by =
            self.static_by.filter(|_| catalog.code_id.is_some() && snapshot.has_static_catalogs());
        keep(NodeUpdate { catalog: self.keep.1.then_some(&catalog), ..update })?;
        if form.exports {
            catalog = catalog.without_virtual();
        }
        let mut text = catalog.to_json();
        if let Some(checksums) = static_by {
            inline(server, &environment, &catalog, checksums, self.node, &mut text)
                .map_err(|problem| failed(&format!("{problem} on node {}", self.node)))?;
        }
        Ok(CompiledText { text, resources: catalog.resources.len(), environment: name, seconds, logs })
    }

    /// The catalog of a node that belongs elsewhere: empty, but for where that is.
    fn elsewhere(&self, environment: String) -> CompiledText {
        let catalog = Catalog {
            name: self.node.into(),
            environment: environment.as_str().into(),
            uuid: Some(uuid().as_str().into()),
            ..Catalog::default()
        };
        CompiledText { text: catalog.to_json(), resources: 0, environment, seconds: 0.0, logs: Vec::new() }
    }

    fn faulty(&self, failure: &str, environment: &str) -> Answer {
        Answer::error(Issue::Runtime, format!("{failure} on node {}", self.node))
            .note("environment", environment)
    }

    /// Where the time of a compilation went, in milliseconds by the kind of work.
    fn phases(&self, profile: &Profile) -> Map<String, Value> {
        let mut by_kind = BTreeMap::new();
        for sum in profile.sums() {
            *by_kind.entry(sum.kind.name()).or_insert(0.0) += sum.own.as_secs_f64() * 1e3;
        }
        let rounded = |time: f64| (time * 1e3).round() / 1e3;
        let mut all = Map::new();
        all.insert("node".into(), self.node.into());
        all.insert("ms".into(), rounded(profile.total.as_secs_f64() * 1e3).into());
        all.extend(by_kind.into_iter().map(|(kind, time)| (format!("{kind}_ms"), rounded(time).into())));
        all
    }

    /// Logs the messages of the code.
    fn log_messages(&self, logs: &[kukla::Log], environment: &str) {
        for each in logs {
            let level = match each.level.name() {
                "debug" => log::Level::Debug,
                "info" | "notice" => log::Level::Info,
                "warning" => log::Level::Warning,
                _ => log::Level::Error,
            };
            let facts = Map::from_iter([
                ("node".to_owned(), self.node.into()),
                ("environment".to_owned(), environment.into()),
                ("source".to_owned(), each.source.as_str().into()),
            ]);
            log::write(level, &each.message, facts);
        }
    }
}

/// A random identifier.
fn uuid() -> String {
    kukla::values::uuid::text(4, random())
}
