//! Which request is answered by what.

use std::sync::Arc;

use hyper::{Method, StatusCode};
use kukla::syntax::Problem;
use serde_json::json;

use crate::answer::{Answer, Issue, JSON};
use crate::call::Call;
use crate::environments::{Environment, is_name};
use crate::limits::Limits;
use crate::mounts::{MountedFiles, Mounts};
use crate::peer::Peer;
use crate::pools::Pool;
use crate::server::Server;
use crate::settings::Role;
use crate::storing::NodeUpdate;
use crate::{ca, catalog, file_content, file_metadata, filebucket, nodes, report, status, webhook};

/// The handler of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// `/puppet/v3/catalog/NODE`
    Catalog,
    /// `/puppet/v4/catalog`
    CatalogV4,
    /// `/puppet/v3/node/NODE`
    Node,
    /// `/puppet/v3/facts/NODE`
    Facts,
    /// `/puppet/v3/report/NODE`
    Report,
    /// `/puppet/v3/file_metadata/MOUNT/PATH`
    FileMetadata,
    /// `/puppet/v3/file_metadatas/MOUNT/PATH`
    FileMetadatas,
    /// `/puppet/v3/file_content/MOUNT/PATH`
    FileContent,
    /// `/puppet/v3/static_file_content/PATH`
    StaticFileContent,
    /// `/puppet/v3/file_bucket_file/ALGORITHM/DIGEST/PATH`
    FileBucket,
    /// `/puppet/v3/environments`
    Environments,
    /// `/puppet/v3/tasks`
    Tasks,
    /// `/puppet-ca/v1/…`
    Authority,
    /// `/status/v1/…`
    Status,
    /// `/metrics`
    Metrics,
    /// `/puppet-admin-api/v1/environment-cache`
    EnvironmentCache,
    /// `/webhook`
    Webhook,
    /// Nothing.
    Other,
}

/// Where each begins, and its name in figures.
const ROUTES: [(Route, &str, &str); 17] = [
    (Route::Catalog, "/puppet/v3/catalog/", "puppet-v3-catalog"),
    (Route::CatalogV4, "/puppet/v4/catalog", "puppet-v4-catalog"),
    (Route::Node, "/puppet/v3/node/", "puppet-v3-node"),
    (Route::Facts, "/puppet/v3/facts/", "puppet-v3-facts"),
    (Route::Report, "/puppet/v3/report/", "puppet-v3-report"),
    (Route::FileMetadata, "/puppet/v3/file_metadata/", "puppet-v3-file_metadata"),
    (Route::FileMetadatas, "/puppet/v3/file_metadatas/", "puppet-v3-file_metadatas"),
    (Route::FileContent, "/puppet/v3/file_content/", "puppet-v3-file_content"),
    (Route::StaticFileContent, "/puppet/v3/static_file_content/", "puppet-v3-static_file_content"),
    (Route::FileBucket, "/puppet/v3/file_bucket_file/", "puppet-v3-file_bucket_file"),
    (Route::Environments, "/puppet/v3/environments", "puppet-v3-environments"),
    (Route::Tasks, "/puppet/v3/tasks", "puppet-v3-tasks"),
    (Route::Authority, "/puppet-ca/v1/", "puppet-ca"),
    (Route::Status, "/status/v1/", "status"),
    (Route::Metrics, "/metrics", "metrics"),
    (Route::EnvironmentCache, "/puppet-admin-api/v1/environment-cache", "environment-cache"),
    (Route::Webhook, "/webhook", "webhook"),
];

impl Route {
    /// The route of a path.
    pub fn of(path: &str) -> Route {
        let fits = |begin: &str| match path.strip_prefix(begin) {
            Some(rest) => begin.ends_with('/') && !rest.is_empty() || matches!(rest, "" | "/"),
            None => false,
        };
        let tasks = path.starts_with("/puppet/v3/tasks/");
        let found = ROUTES.iter().find(|(_, begin, _)| fits(begin)).map(|(route, _, _)| *route);
        found.unwrap_or(if tasks { Route::Tasks } else { Route::Other })
    }

    /// Its name in figures.
    pub fn name(self) -> &'static str {
        ROUTES.iter().find(|(route, _, _)| *route == self).map_or("other", |(_, _, name)| name)
    }

    /// Whether a server that is only the certificate authority has it.
    pub fn is_for_authority(self) -> bool {
        matches!(self, Route::Authority | Route::Status | Route::Metrics)
    }

    /// Whether it is one of those whose answers tell a version of Puppet.
    pub fn is_puppets(self) -> bool {
        !matches!(
            self,
            Route::Status | Route::Metrics | Route::EnvironmentCache | Route::Webhook | Route::Other
        )
    }

    /// The bytes of the largest body of a request to this path.
    pub fn largest_body(self, path: &str, limits: &Limits) -> usize {
        let most = match self {
            Route::FileBucket | Route::Report | Route::Catalog | Route::CatalogV4 | Route::Facts => {
                limits.request
            }
            Route::Authority if path.starts_with("/puppet-ca/v1/certificate_request") => ca::request::LARGEST,
            // Lists may be long; whatever else administrators send is short.
            Route::Authority if path.starts_with("/puppet-ca/v1/certificate_revocation_list") => {
                limits.request
            }
            Route::Authority => 1 << 20,
            // Git hosts have no certificates, and more than this is never received from such a client.
            Route::Webhook => limits.requests_per_address,
            Route::Status | Route::Metrics | Route::Other => 0,
            _ => 64 << 10,
        };
        most.min(limits.request)
    }

    /// Whether parameters may be in a form instead of the address.
    pub fn takes_form(self) -> bool {
        matches!(
            self,
            Route::Catalog
                | Route::FileMetadata
                | Route::FileMetadatas
                | Route::FileContent
                | Route::EnvironmentCache
        )
    }

    /// The threads that answer a client; none where the answer needs no disk.
    pub fn pool(self, peer: &Peer) -> Option<Pool> {
        match self {
            Route::Status | Route::Metrics | Route::Other => None,
            Route::Catalog | Route::CatalogV4 => Some(Pool::Catalogs),
            _ if peer.name.is_none() => Some(Pool::Strangers),
            Route::Node => Some(Pool::Nodes),
            Route::Facts | Route::Report | Route::FileBucket => Some(Pool::Reports),
            Route::Authority => Some(Pool::Authority),
            Route::FileMetadata
            | Route::FileMetadatas
            | Route::FileContent
            | Route::StaticFileContent
            | Route::Environments
            | Route::Tasks
            | Route::EnvironmentCache
            | Route::Webhook => Some(Pool::Files),
        }
    }
}

/// Answers a request that is allowed.
pub fn dispatch(server: &Server, call: &Call, route: Route) -> Answer {
    if server.settings.role == Role::Ca && !route.is_for_authority() {
        let text = "Not Found: this server has the role ca; catalogs and files come from a server with the role compiler";
        return Answer::refused(StatusCode::NOT_FOUND, text);
    }
    let begin = ROUTES.iter().find(|(known, _, _)| *known == route).map_or("", |(_, begin, _)| begin);
    let rest = call.path.strip_prefix(begin).unwrap_or_default();
    // The name of a node becomes that of a file.
    if matches!(route, Route::Catalog | Route::Node | Route::Facts | Route::Report)
        && let Err(refusal) = kukla::certname::check(rest)
    {
        return Answer::refused(StatusCode::BAD_REQUEST, refusal.to_string());
    }
    match (route, &call.method) {
        (Route::Catalog, &Method::GET | &Method::POST) => catalog::answer(server, call, rest),
        (Route::CatalogV4, &Method::POST) => catalog::answer_v4(server, call),
        (Route::Node, &Method::GET) => nodes::answer(server, call, rest),
        (Route::Facts, &Method::PUT) => facts(server, call, rest),
        (Route::Report, &Method::PUT) => take_report(server, call, rest),
        (Route::FileMetadata, &Method::GET | &Method::POST) => {
            with_mounts(server, call, rest, |found| file_metadata::one(call, rest, found, &server.protected))
        }
        (Route::FileMetadatas, &Method::GET | &Method::POST) => {
            with_mounts(server, call, rest, |found| file_metadata::all(call, rest, found, &server.protected))
        }
        (Route::FileContent, &Method::GET | &Method::POST) => {
            with_mounts(server, call, rest, |found| file_content::answer(rest, found, &server.protected))
        }
        (Route::StaticFileContent, &Method::GET) => file_content::versioned(server, call, rest),
        (Route::FileBucket, &Method::GET | &Method::HEAD | &Method::PUT) => {
            filebucket::answer(&server.settings.bucket, call, rest)
        }
        (Route::Environments, &Method::GET) => environments(server),
        (Route::Tasks, &Method::GET) => tasks(server, call, rest),
        (Route::Authority, _) => match &server.authority {
            Some(authority) => ca::http::answer(&authority.now(), call, rest),
            None => Answer::refused(
                StatusCode::NOT_FOUND,
                "Not Found: the certificate authority is another server, see ca_server in puppet.conf",
            ),
        },
        (Route::Status, &Method::GET | &Method::HEAD) => status::answer(server, call, rest),
        (Route::Metrics, &Method::GET) => {
            let text = server.to_prometheus();
            Answer::new(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text)
        }
        (Route::EnvironmentCache, &Method::DELETE | &Method::POST) => {
            server.environments.forget(call.parameter("environment"));
            Answer::empty(StatusCode::NO_CONTENT, JSON)
        }
        (Route::Webhook, &Method::POST) => webhook::answer(server, call),
        _ => Answer::refused(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed"),
    }
}

/// The environment that a request names.
fn environment(server: &Server, call: &Call) -> Result<Arc<Environment>, Answer> {
    let name = call.parameter("environment");
    if !name.is_some_and(is_name) {
        let text = format!("The environment must be purely alphanumeric, not '{}'", name.unwrap_or("null"));
        return Err(Answer::refused(StatusCode::BAD_REQUEST, text));
    }
    let name = name.unwrap_or_default();
    let found = server.environments.get(name);
    found.ok_or_else(|| Answer::error(Issue::NotFound, format!("Could not find environment '{name}'")))
}

fn with_mounts(
    server: &Server,
    call: &Call,
    key: &str,
    answer: impl FnOnce(Result<Option<MountedFiles>, Problem>) -> Answer,
) -> Answer {
    let environment = match environment(server, call) {
        Ok(environment) => environment,
        Err(refusal) => return refusal,
    };
    // An agent asks for files before it asks for its catalog, so changes are noticed by then.
    server.environments.look(&environment);
    let modulepath = server.environments.modulepath(&environment);
    let node = call.peer.name.as_deref().unwrap_or_default();
    let mounts = Mounts {
        root: &environment.root,
        modulepath: &modulepath,
        fileserver_conf: &server.settings.mounts,
        node,
    };
    answer(mounts.find(key))
}

fn facts(server: &Server, call: &Call, node: &str) -> Answer {
    let environment = server.environment_or_default(call.parameter("environment").unwrap_or_default());
    let store = || -> Result<(), Problem> {
        let facts = nodes::read_facts(&call.body, node)?;
        server.store_update(&NodeUpdate {
            node,
            environment: &environment,
            facts: Some(&facts),
            trusted: &server.trusted(node, call)?,
            catalog: None,
            transaction: None,
        })
    };
    match store() {
        Ok(()) => Answer::json(&json!(0)),
        Err(problem) => server.failure(&problem),
    }
}

fn take_report(server: &Server, call: &Call, node: &str) -> Answer {
    let report = match report::read(call, node) {
        Ok(report) => report,
        Err(answer) => return answer,
    };
    let mut done = Vec::new();
    for processor in &server.settings.reports.processors {
        let kept = match processor.as_str() {
            "store" => report::store(&server.settings.reports.directory, node, report.text).map(|_| ()),
            "log" => report::log_messages(node, report.text),
            "puppetdb" if server.store.is_some() => server.store_report(report.text),
            "none" => continue,
            other => {
                crate::log::warning(&format!("unknown report processor '{other}'"));
                continue;
            }
        };
        match kept {
            Ok(()) => done.push(processor.as_str()),
            Err(problem) => return server.failure(&problem),
        }
    }
    if !done.contains(&"puppetdb")
        && let Err(problem) = server.store_report(report.text)
    {
        return server.failure(&problem);
    }
    Answer::json(&json!(done)).note("environment", report.environment).note("outcome", report.status)
}

fn environments(server: &Server) -> Answer {
    let mut all = serde_json::Map::new();
    for name in server.environments.names() {
        let Some(environment) = server.environments.get(&name) else { continue };
        let Ok(layout) = server.environments.layout(&environment) else { continue };
        let timeout = match layout.timeout {
            Some(std::time::Duration::MAX) => json!("unlimited"),
            Some(time) => json!(time.as_secs()),
            None => match server.settings.puppet.value("environment_timeout") {
                Some("unlimited") => json!("unlimited"),
                Some(text) => json!(ca::time::duration(text).map_or(0, |time| time.as_secs())),
                None => json!(0),
            },
        };
        let settings = json!({
            "modulepath": layout.modulepath,
            "manifest": layout.manifest,
            "environment_timeout": timeout,
            "config_version": layout.config_version.unwrap_or_default(),
        });
        all.insert(name, json!({"settings": settings}));
    }
    let paths: Vec<String> =
        server.environments.path().iter().map(|path| format!("file://{}", path.display())).collect();
    Answer::json(&json!({"search_paths": paths, "environments": all}))
}

/// The tasks of an environment's modules: all of them, or the files of one.
fn tasks(server: &Server, call: &Call, rest: &str) -> Answer {
    let environment = match environment(server, call) {
        Ok(environment) => environment,
        Err(refusal) => return refusal,
    };
    let modulepath = server.environments.modulepath(&environment);
    let rest = rest.trim_matches('/');
    if rest.is_empty() {
        return Answer::json(&crate::tasks::all(&modulepath, &environment.name));
    }
    let (module, task) = rest.split_once('/').unwrap_or((rest, "init"));
    match crate::tasks::one(&modulepath, module, task, &server.protected) {
        Some(details) => Answer::json(&details),
        None => {
            let problem = json!({"kind": "puppet.tasks/task-not-found", "msg": format!("Task '{module}::{task}' not found"), "details": {}});
            Answer { status: StatusCode::NOT_FOUND, ..Answer::json(&problem) }
        }
    }
}
