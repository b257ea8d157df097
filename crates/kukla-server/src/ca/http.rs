//! The HTTP API of the authority, for agents and administrators.

use std::path::Path;
use std::time::Duration;

use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::audit::Actor;
use super::certificate::Certificate;
use super::crl::Crl;
use super::keys::random;
use super::status::State;
use super::{Authority, Refusal, changed, time};
use crate::answer::{Answer, JSON, TEXT};
use crate::call::Call;
use crate::files::read_if_there;
use crate::log;

/// Answers a request below `/puppet-ca/v1/`.
pub fn answer(authority: &Authority, call: &Call, rest: &str) -> Answer {
    let by = &actor(call);
    let answer = dispatch(authority, call, rest, by);
    match &by.request {
        Some(request) if call.method != Method::GET => answer.note("request", request.as_str()),
        _ => answer,
    }
}

/// The client of a request. Its identifier is the one that the client or a proxy gave it, or a new one.
fn actor(call: &Call) -> Actor {
    let is_plain = |id: &&str| {
        (1..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    let request = call
        .header("x-request-id")
        .filter(is_plain)
        .map_or_else(|| random::<8>().iter().map(|byte| format!("{byte:02x}")).collect(), str::to_owned);
    Actor { name: call.peer.name.clone(), address: Some(call.peer.address.ip()), request: Some(request) }
}

fn dispatch(authority: &Authority, call: &Call, rest: &str, by: &Actor) -> Answer {
    let (kind, name) = rest.split_once('/').unwrap_or((rest, ""));
    let answered = match (kind, &call.method, name) {
        ("certificate", &Method::GET, "ca") => {
            file(call, &authority.layout.certificate, "Could not find certificate ca")
        }
        ("certificate", &Method::GET, name) => certificate(authority, name),
        ("certificate_request", &Method::PUT, name) => submit(authority, call, name, by),
        ("certificate_request", &Method::GET, name) => request(authority, call, name),
        ("certificate_request", &Method::DELETE, name) => delete_request(authority, name, by),
        ("certificate_revocation_list", &Method::GET, "ca") => crl(authority, call),
        ("certificate_revocation_list", &Method::PUT, "") => update_crl(authority, call),
        ("certificate_renewal", &Method::POST, "") => renew(authority, call, by),
        ("certificate_status", &Method::GET, name) => status(authority, name),
        ("certificate_status", &Method::PUT, name) => set_status(authority, call, name, by),
        ("certificate_status", &Method::DELETE, name) => delete(authority, name, by),
        ("certificate_statuses", &Method::GET, _) => statuses(authority, call),
        ("clean", &Method::PUT, "") => clean(authority, call, by),
        ("sign", &Method::POST, "") => sign(authority, call, by),
        ("sign", &Method::POST, "all") => {
            authority.requested().map_err(Refusal::from).map(|names| sign_all(authority, &names, by))
        }
        ("expirations", &Method::GET, "") => expirations(authority),
        _ => return Answer::refused(StatusCode::NOT_FOUND, "Not Found"),
    };
    answered.unwrap_or_else(|refusal| refused(&refusal))
}

fn refused(refusal: &Refusal) -> Answer {
    match refusal {
        Refusal::Rule(problem) => {
            let message = problem.to_string();
            Answer::refused(StatusCode::BAD_REQUEST, message.as_str()).note("error", message)
        }
        Refusal::Busy(problem) => {
            let message = format!("Too Many Requests: {problem}");
            let mut answer =
                Answer::refused(StatusCode::TOO_MANY_REQUESTS, message).note("error", problem.to_string());
            answer.headers.push(("retry-after", "60".to_owned()));
            answer
        }
        Refusal::Missing(problem) => Answer::new(StatusCode::NOT_FOUND, TEXT, problem.to_string()),
        Refusal::Failure(problem) => {
            // Failures of the disk go to the log, not to the client.
            Answer::refused(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Internal Server Error: the certificate authority failed",
            )
            .note("error", problem.to_string())
        }
    }
}

/// A file that agents fetch again from time to time, unless it is the version that they have.
fn file(call: &Call, file: &Path, missing: &str) -> Result<Answer, Refusal> {
    let known = call.header("if-modified-since").and_then(time::from_http);
    if let (Some(known), Some(changed)) = (known, changed(file))
        && changed <= known
    {
        return Ok(Answer::empty(StatusCode::NOT_MODIFIED, TEXT));
    }
    let bytes = read_if_there(file)?.ok_or_else(|| Refusal::missing(missing))?;
    Ok(Answer::new(StatusCode::OK, TEXT, bytes))
}

fn certificate(authority: &Authority, name: &str) -> Result<Answer, Refusal> {
    let missing = || Refusal::missing(format!("Could not find certificate {name}"));
    // A name that no certificate can have is one that none has.
    let found = authority.signed(name).map_err(|refusal| match refusal {
        Refusal::Rule(_) => missing(),
        other => other,
    })?;
    found.map(|certificate| Answer::text(certificate.to_pem())).ok_or_else(missing)
}

/// A request that holds a shared secret of its node is only for those who may manage certificates.
fn request(authority: &Authority, call: &Call, name: &str) -> Result<Answer, Refusal> {
    let request = authority.request(name)?;
    if request.challenge_password().is_some() && call.peer.extension("pp_cli_auth") != Some("true") {
        let text = "Forbidden: the request holds a challenge password";
        return Ok(Answer::refused(StatusCode::FORBIDDEN, text).note("refused", "challenge password"));
    }
    Ok(Answer::text(request.to_pem()))
}

fn submit(authority: &Authority, call: &Call, name: &str, by: &Actor) -> Result<Answer, Refusal> {
    let was_signed = authority.submit(name, &call.body, by)?;
    let what = if was_signed { "signed" } else { "requested" };
    log::info(&format!("{name} has a {what} certificate"));
    Ok(Answer::empty(StatusCode::OK, TEXT))
}

fn delete_request(authority: &Authority, name: &str, by: &Actor) -> Result<Answer, Refusal> {
    if authority.delete_request(name, by)? {
        return Ok(Answer::empty(StatusCode::NO_CONTENT, TEXT));
    }
    Err(Refusal::missing(format!("No certificate request for {name}")))
}

fn crl(authority: &Authority, call: &Call) -> Result<Answer, Refusal> {
    let infra = authority.layout.infra_crl();
    let file =
        if authority.practice.infra_crl && infra.exists() { infra } else { authority.layout.crl.clone() };
    self::file(call, &file, "Could not find certificate_revocation_list ca")
}

fn update_crl(authority: &Authority, call: &Call) -> Result<Answer, Refusal> {
    let lists = Crl::all_from_pem(&call.body).map_err(Refusal::Rule)?;
    if lists.is_empty() {
        return Err(Refusal::rule("No valid CRLs submitted."));
    }
    authority.update_crls(&lists)?;
    Ok(Answer::text("Successfully updated CRLs."))
}

fn renew(authority: &Authority, call: &Call, by: &Actor) -> Result<Answer, Refusal> {
    if !authority.practice.renewal {
        return Ok(Answer::refused(StatusCode::NOT_FOUND, "Not Found"));
    }
    let Some(certificate) = &call.peer.certificate else {
        return Err(Refusal::rule("No valid certificate found in renewal request"));
    };
    if !authority.has_signed(certificate) {
        let text = "Certificate present, but does not match signature";
        return Ok(Answer::refused(StatusCode::FORBIDDEN, text));
    }
    let renewed = authority.renew(certificate, by)?;
    log::info(&format!("{} has a renewed certificate", call.peer.name.as_deref().unwrap_or_default()));
    Ok(Answer::text(renewed.to_pem()))
}

fn status(authority: &Authority, name: &str) -> Result<Answer, Refusal> {
    let found = authority.status(name)?;
    found.map(|status| Answer::json(&status.to_json())).ok_or_else(unknown)
}

fn unknown() -> Refusal {
    Refusal::missing("Invalid certificate subject.")
}

fn set_status(authority: &Authority, call: &Call, name: &str, by: &Actor) -> Result<Answer, Refusal> {
    let body = json_body(call)?;
    let Some(wanted) = body.get("desired_state").and_then(Value::as_str) else {
        return Err(Refusal::rule("Missing required parameter \"desired_state\""));
    };
    let conflict = |text: String| Ok(Answer::refused(StatusCode::CONFLICT, text));
    let Some(status) = authority.status(name)? else { return Err(unknown()) };
    match (wanted, status.state) {
        ("signed", State::Requested) => {
            let lifetime = lifetime(&body)?;
            if let Some(lifetime) = lifetime {
                authority.check_lifetime(name, lifetime)?;
            }
            match authority.sign(name, lifetime, by) {
                Err(Refusal::Rule(problem)) => return conflict(problem.to_string()),
                other => other?,
            };
            log::info(&format!("{name} has a signed certificate"));
        }
        ("signed", _) => {
            return conflict(format!(
                "Cannot sign certificate for host {name} without a certificate request"
            ));
        }
        ("revoked", State::Requested) => {
            return conflict(format!(
                "Cannot revoke certificate for host {name} without a signed certificate"
            ));
        }
        ("revoked", _) => {
            authority.revoke(&[name.to_owned()], by)?;
            log::info(&format!("{name} has a revoked certificate"));
        }
        (other, _) => {
            return Err(Refusal::rule(format!(
                "State {other} invalid; Must specify desired state of 'signed' or 'revoked' for host {name}."
            )));
        }
    }
    Ok(Answer::empty(StatusCode::NO_CONTENT, TEXT))
}

/// The validity that an administrator asks for: seconds, or a number with a unit.
fn lifetime(body: &Value) -> Result<Option<Duration>, Refusal> {
    let lifetime = match body.get("cert_ttl") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(seconds)) => seconds.as_u64().map(Duration::from_secs),
        Some(Value::String(text)) => time::duration(text),
        Some(_) => None,
    };
    let lifetime = lifetime.filter(|lifetime| !lifetime.is_zero());
    let invalid = || {
        Refusal::rule("invalid cert_ttl: expected a number of seconds, or a number and a unit: 90d, 12h, 5y")
    };
    lifetime.ok_or_else(invalid).map(Some)
}

fn delete(authority: &Authority, name: &str, by: &Actor) -> Result<Answer, Refusal> {
    if authority.delete(name, by)? {
        return Ok(Answer::empty(StatusCode::NO_CONTENT, JSON));
    }
    Err(unknown())
}

fn statuses(authority: &Authority, call: &Call) -> Result<Answer, Refusal> {
    let wanted = match call.parameter("state") {
        None => None,
        Some("requested") => Some(State::Requested),
        Some("signed") => Some(State::Signed),
        Some("revoked") => Some(State::Revoked),
        Some(other) => return Err(Refusal::rule(format!("unknown certificate state '{other}'"))),
    };
    let all: Vec<Value> = authority.statuses(wanted)?.iter().map(|status| status.to_json()).collect();
    Ok(Answer::json(&Value::Array(all)))
}

fn clean(authority: &Authority, call: &Call, by: &Actor) -> Result<Answer, Refusal> {
    let body = json_body(call)?;
    if body.get("async") == Some(&Value::Bool(true)) {
        return Err(Refusal::rule("Async mode is not currently supported."));
    }
    let names = names(&body).ok_or_else(|| {
        Refusal::rule("Missing required key: 'certnames'. Please supply the list of certs you want to clean.")
    })?;
    let known = authority.known_among(&names)?;
    let missing: Vec<&String> = names.iter().filter(|name| !known.contains(name)).collect();
    authority.revoke(&known, by)?;
    for name in &known {
        authority.delete(name, by)?;
    }
    if missing.is_empty() {
        return Ok(Answer::text("Successfully cleaned all certs."));
    }
    Ok(Answer::text(format!("The following certs do not exist and cannot be revoked: {missing:?}")))
}

fn sign(authority: &Authority, call: &Call, by: &Actor) -> Result<Answer, Refusal> {
    let body = json_body(call)?;
    match names(&body) {
        Some(names) => Ok(sign_all(authority, &names, by)),
        None => {
            let problem = json!({"kind": "schema-violation", "submitted": body.get("certnames"), "error": "certnames is a list of names"});
            Ok(Answer { status: StatusCode::UNPROCESSABLE_ENTITY, ..Answer::json(&problem) })
        }
    }
}

fn sign_all(authority: &Authority, names: &[String], by: &Actor) -> Answer {
    let (mut signed, mut missing, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        match authority.sign(name, None, by) {
            Ok(_) => signed.push(name),
            Err(Refusal::Missing(_)) => missing.push(name),
            Err(problem) => {
                log::warning(&format!("the request of {name} was not signed: {problem}"));
                failed.push(name);
            }
        }
    }
    Answer::json(&json!({"signed": signed, "no-csr": missing, "signing-errors": failed}))
}

fn expirations(authority: &Authority) -> Result<Answer, Refusal> {
    let named = |certificate: &Certificate| certificate.common_name().unwrap_or_default();
    let certificates: serde_json::Map<String, Value> = authority
        .chain()
        .iter()
        .map(|each| (named(each), time::in_inventory(each.not_after()).into()))
        .collect();
    let mut lists = serde_json::Map::new();
    for list in authority.crls()? {
        let name = super::certificate::common_name(list.issuer()).unwrap_or_default();
        lists.insert(name, list.next_update().map(time::in_inventory).into());
    }
    Ok(Answer {
        content_type: Some("application/json"),
        ..Answer::json(&json!({"ca-certs": certificates, "crls": lists}))
    })
}

fn json_body(call: &Call) -> Result<Value, Refusal> {
    if call.body.is_empty() {
        return Err(Refusal::rule("Empty request body."));
    }
    serde_json::from_slice(&call.body).map_err(|_| Refusal::rule("Request body is not JSON."))
}

fn names(body: &Value) -> Option<Vec<String>> {
    let all = body.get("certnames")?.as_array()?;
    let mut names: Vec<String> =
        all.iter().map(|name| Some(name.as_str()?.to_owned())).collect::<Option<_>>()?;
    names.dedup();
    Some(names)
}
