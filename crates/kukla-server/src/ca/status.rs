//! The status of certificates and requests.

use std::collections::HashSet;

use num_bigint::BigUint;
use serde_json::{Map, Value, json};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use x509_cert::ext::Extension;

use super::certificate::{alt_names, puppet_extensions, shown};
use super::{Authority, Refusal, oids, time};

/// Where a certificate is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It was asked for.
    Requested,
    /// It was signed.
    Signed,
    /// It was revoked.
    Revoked,
}

impl State {
    /// Puppet's name for it.
    pub fn name(self) -> &'static str {
        match self {
            State::Requested => "requested",
            State::Signed => "signed",
            State::Revoked => "revoked",
        }
    }
}

/// The status of the certificate or the request of a node.
#[derive(Clone, Debug)]
pub struct Status {
    /// The node.
    pub name: String,
    /// Where it is in its life.
    pub state: State,
    /// The names it is or wants to be valid for, with their kinds.
    pub alt_names: Vec<String>,
    /// The extensions that give rights.
    pub authorization: Vec<(String, String)>,
    /// Its digests.
    pub fingerprints: Fingerprints,
    /// Of a certificate: its number, and from when until when it is valid.
    pub certificate: Option<(BigUint, std::time::SystemTime, std::time::SystemTime)>,
}

/// The digests of something, as people compare them.
#[derive(Clone, Debug)]
pub struct Fingerprints {
    sha1: String,
    /// The one that is usually meant.
    pub sha256: String,
    sha512: String,
}

impl Fingerprints {
    /// The digests of a certificate or request in DER.
    pub fn of(der: &[u8]) -> Fingerprints {
        Fingerprints {
            sha1: colons(&Sha1::digest(der)),
            sha256: colons(&Sha256::digest(der)),
            sha512: colons(&Sha512::digest(der)),
        }
    }
}

fn colons(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

impl Status {
    /// As Puppet's interface tells it.
    pub fn to_json(&self) -> Value {
        let names = json!(self.alt_names);
        let is_dns = |name: &&String| name.starts_with("DNS:");
        let dns: Vec<&String> = self.alt_names.iter().filter(is_dns).collect();
        let rights: Map<String, Value> =
            self.authorization.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        let mut all = json!({
            "name": self.name,
            "state": self.state.name(),
            "dns_alt_names": dns,
            "subject_alt_names": names,
            "authorization_extensions": rights,
            "fingerprint": self.fingerprints.sha256,
            "fingerprints": {
                "SHA1": self.fingerprints.sha1,
                "SHA256": self.fingerprints.sha256,
                "SHA512": self.fingerprints.sha512,
                "default": self.fingerprints.sha256,
            },
        });
        if let Some((serial, not_before, not_after)) = &self.certificate {
            // As a number where JSON has one, else as its digits.
            let number = serial.to_string();
            all["serial_number"] = number.parse::<u64>().map_or_else(|_| number.into(), Value::from);
            all["not_before"] = time::in_inventory(*not_before).into();
            all["not_after"] = time::in_inventory(*not_after).into();
        }
        all
    }
}

impl Authority {
    /// The status of a node; nothing if it has neither a certificate nor a request.
    pub fn status(&self, name: &str) -> Result<Option<Status>, Refusal> {
        self.status_among(name, &self.revoked_serials()?)
    }

    fn status_among(&self, name: &str, revoked: &HashSet<BigUint>) -> Result<Option<Status>, Refusal> {
        if let Some(certificate) = self.signed(name)? {
            let serial = certificate.serial();
            let state = if revoked.contains(&serial) { State::Revoked } else { State::Signed };
            let valid = (serial, certificate.not_before(), certificate.not_after());
            let mut status = status(name, state, certificate.der(), certificate.extensions())?;
            status.certificate = Some(valid);
            return Ok(Some(status));
        }
        match self.request(name) {
            Ok(request) => status(name, State::Requested, request.der(), &request.extensions()?).map(Some),
            Err(Refusal::Missing(_)) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// The status of all nodes, or of those in one state. A file that cannot be read is skipped and logged.
    pub fn statuses(&self, wanted: Option<State>) -> Result<Vec<Status>, Refusal> {
        let revoked = self.revoked_serials()?;
        let mut names = self.issued()?;
        names.extend(self.requested()?);
        names.sort();
        names.dedup();
        let mut all = Vec::new();
        for name in names {
            match self.status_among(&name, &revoked) {
                Ok(status) => {
                    all.extend(status.filter(|each| wanted.is_none_or(|state| each.state == state)))
                }
                Err(problem) => crate::log::warning(&problem.to_string()),
            }
        }
        Ok(all)
    }
}

fn status(name: &str, state: State, der: &[u8], extensions: &[Extension]) -> Result<Status, Refusal> {
    let rights = puppet_extensions(extensions).into_iter().filter(|(oid, _)| oids::gives_rights(*oid));
    let named = |oid| oids::short_name(oid).map_or_else(|| oid.to_string(), str::to_owned);
    Ok(Status {
        name: name.to_owned(),
        state,
        alt_names: alt_names(extensions)?.iter().map(shown).collect(),
        authorization: rights.map(|(oid, value)| (named(oid), value)).collect(),
        fingerprints: Fingerprints::of(der),
        certificate: None,
    })
}
