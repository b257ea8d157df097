//! Whether the server is well.

use hyper::StatusCode;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, JSON, TEXT_UTF8};
use crate::ca::time;
use crate::call::Call;
use crate::metrics::resident;
use crate::server::Server;

/// The services of the server, in puppetserver's names.
const SERVICES: [&str; 4] = ["ca", "master", "server", "status-service"];

/// Answers a request below `/status/v1/`.
pub fn answer(server: &Server, call: &Call, rest: &str) -> Answer {
    let (kind, name) = rest.split_once('/').unwrap_or((rest, ""));
    let is_known = |name: &str| SERVICES.contains(&name) && (name != "ca" || server.authority.is_some());
    match (kind, name) {
        // The process is alive if it answers at all; it is ready if it can do its work. Existing rules allow all paths below `simple`.
        ("simple", "live") => Answer::new(StatusCode::OK, TEXT_UTF8, "alive"),
        ("simple", "ready") => ready(server),
        ("simple", "") => simple(),
        ("simple", name) if is_known(name) => simple(),
        ("simple", _) => Answer::new(StatusCode::NOT_FOUND, TEXT_UTF8, format!("not found: {name}")),
        ("services", "") => {
            let all: Map<String, Value> = SERVICES
                .iter()
                .filter(|name| is_known(name))
                .map(|name| ((*name).to_owned(), service(server, call, name)))
                .collect();
            Answer::json(&all.into())
        }
        ("services", name) if is_known(name) => {
            let mut status = service(server, call, name);
            status["service_name"] = name.into();
            Answer::json(&status)
        }
        ("services", name) => {
            let problem = json!({"kind": "service-not-found", "msg": format!("No status information found for service {name}")});
            Answer::new(StatusCode::NOT_FOUND, JSON, problem.to_string())
        }
        _ => Answer::refused(StatusCode::NOT_FOUND, "Not Found"),
    }
}

fn simple() -> Answer {
    Answer::new(StatusCode::OK, TEXT_UTF8, "running")
}

/// Whether agents can be sent here, and otherwise why not, a reason in each line.
fn ready(server: &Server) -> Answer {
    let mut reasons: Vec<String> = Vec::new();
    if server.store.as_ref().is_some_and(|store| !store.answers()) {
        reasons.push("the store does not answer".to_owned());
    }
    let now = time::now();
    let expired = server.expiries().into_iter().filter(|(_, expiry)| *expiry < now);
    reasons.extend(expired.map(|(name, _)| format!("expired: {name}")));
    if reasons.is_empty() {
        return Answer::new(StatusCode::OK, TEXT_UTF8, "ready");
    }
    Answer::new(StatusCode::SERVICE_UNAVAILABLE, TEXT_UTF8, reasons.join("\n"))
}

fn service(server: &Server, call: &Call, name: &str) -> Value {
    let level = call.parameter("level").unwrap_or("info");
    let status = match (level, name) {
        ("debug", "server" | "master") => {
            json!({"experimental": {"http-metrics": server.metrics.to_json(), "http-client-metrics": []}})
        }
        ("debug", "status-service") => {
            json!({"experimental": {"process": {"resident-bytes": resident(), "up-time-ms": u64::try_from(server.started.elapsed().as_millis()).unwrap_or(u64::MAX)}}})
        }
        _ => json!({}),
    };
    json!({
        "service_version": env!("CARGO_PKG_VERSION"),
        "service_status_version": 1,
        "detail_level": level,
        "state": "running",
        "status": status,
        "active_alerts": [],
    })
}
