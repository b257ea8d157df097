//! The audit log of an authority: one line of JSON for each certificate that it signs, renews, revokes or denies.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use kukla::syntax::Problem;
use num_bigint::BigUint;
use serde_json::{Map, Value};

use super::inventory::hexadecimal;
use super::time;
use crate::files::append_line;
use crate::log;

/// The client or user on whose behalf the authority acts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actor {
    /// The name in the certificate of a client, or the user who runs a command; a client without a certificate has none.
    pub name: Option<String>,
    /// The address of a client.
    pub address: Option<IpAddr>,
    /// The identifier of the HTTP request, as the server's log has it.
    pub request: Option<String>,
}

impl Actor {
    /// The user who runs this process; behind `sudo`, also the user who called it.
    pub fn local() -> Actor {
        let uid = rustix::process::getuid().as_raw();
        let behind = std::env::var("SUDO_USER").ok().filter(|_| uid == 0);
        let name = behind.map_or_else(|| format!("uid {uid}"), |user| format!("uid {uid} (sudo by {user})"));
        Actor { name: Some(name), ..Actor::default() }
    }
}

/// An operation that the audit log records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A certificate was signed.
    Sign,
    /// A certificate was signed for the key of an earlier one.
    Renew,
    /// A certificate was revoked.
    Revoke,
    /// A request for a certificate or for a renewal was not granted.
    Deny,
    /// A certificate or request was deleted.
    Delete,
    /// The authority's own keys or files were created, replaced or copied.
    Manage,
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Action::Sign => "sign",
            Action::Renew => "renew",
            Action::Revoke => "revoke",
            Action::Deny => "deny",
            Action::Delete => "delete",
            Action::Manage => "manage",
        }
    }
}

/// One line of the audit log.
#[derive(Clone, Debug)]
pub struct AuditEvent<'a> {
    /// The operation.
    pub action: Action,
    /// The node it concerns.
    pub node: &'a str,
    /// The serial number of the certificate.
    pub serial: Option<&'a BigUint>,
    /// The SHA-256 fingerprint of the certificate, or of a request that was denied.
    pub fingerprint: Option<String>,
    /// The reason of a denial, or the rule that permitted it.
    pub reason: Option<String>,
}

/// The file of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLog {
    path: PathBuf,
}

impl AuditLog {
    /// The audit log in a file, which is created when the first line is written.
    pub fn at(path: PathBuf) -> AuditLog {
        AuditLog { path }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends an event and waits until it is on the disk. An operation whose event cannot be recorded must not take place.
    pub fn record(&self, event: &AuditEvent<'_>, by: &Actor) -> Result<(), Problem> {
        let mut line = Map::new();
        let mut add = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                line.insert(key.to_owned(), Value::String(value));
            }
        };
        add("time", Some(time::precise()));
        add("action", Some(event.action.name().to_owned()));
        add("node", Some(event.node.to_owned()));
        add("serial", event.serial.map(hexadecimal));
        add("fingerprint", event.fingerprint.clone());
        add("by", by.name.clone());
        add("client", by.address.map(|address| address.to_string()));
        add("request", by.request.clone());
        add("reason", event.reason.clone());
        append_line(&self.path, &Value::Object(line).to_string(), 0o640)
            .map_err(|problem| Problem::new(problem.kind(), "cannot write the audit log").caused_by(problem))
    }

    /// Records a denial. The request is denied whether or not that can be recorded, so a failure only goes to the server's log.
    pub fn record_denial(&self, node: &str, fingerprint: Option<String>, reason: String, by: &Actor) {
        let event =
            AuditEvent { action: Action::Deny, node, serial: None, fingerprint, reason: Some(reason) };
        if let Err(problem) = self.record(&event, by) {
            log::error(&problem.to_string());
        }
    }
}
