//! The checks of `kukla ca doctor`: expiry dates, revocation lists, files and serial numbers of an authority.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use num_bigint::BigUint;

use super::certificate::Certificate;
use super::setup::HostFiles;
use super::{Authority, Refusal, inventory, request, time};
use crate::files::{read_directory, read_if_there};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Everything is as it should be.
    Good,
    /// It needs attention soon.
    Soon,
    /// It is broken.
    Wrong,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its severity.
    pub grade: Grade,
    /// The message.
    pub text: String,
}

/// An authority's certificate should be replaced when it expires within this time.
const AUTHORITY: Duration = Duration::from_secs(180 * 24 * 60 * 60);
/// A certificate of a node, or a revocation list, that expires within this time is reported.
const NODE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Runs all checks.
pub fn examine(authority: &Authority, host: Option<&HostFiles>) -> Result<Vec<Finding>, Refusal> {
    let mut findings = Findings(Vec::new());
    findings.chain(authority);
    findings.lists(authority)?;
    findings.files(authority);
    findings.numbers(authority)?;
    findings.nodes(authority)?;
    if let Some(host) = host {
        findings.host(authority, host)?;
    }
    Ok(findings.0)
}

struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, grade: Grade, text: String) {
        self.0.push(Finding { grade, text });
    }

    fn expiry(&mut self, what: &str, end: SystemTime, soon: Duration) {
        let grade = match end.duration_since(time::now()) {
            Err(_) => Grade::Wrong,
            Ok(left) if left < soon => Grade::Soon,
            Ok(_) => Grade::Good,
        };
        let when = time::in_inventory(end);
        let text = if grade == Grade::Wrong {
            format!("{what} has expired: {when}")
        } else {
            format!("{what} expires {}: {when}", time::until(end))
        };
        self.add(grade, text);
    }

    fn chain(&mut self, authority: &Authority) {
        let chain = authority.chain();
        for certificate in chain {
            let name = certificate.common_name().unwrap_or_else(|| certificate.subject().to_string());
            self.expiry(&format!("the certificate of '{name}'"), certificate.not_after(), AUTHORITY);
            let is_root = certificate.issuer() == certificate.subject();
            let issuer = chain.iter().find(|each| certificate.is_signed_by(each.public_key()));
            if issuer.is_none() && !is_root {
                let missing = format!("the certificate of the issuer of '{name}' is missing from the bundle");
                self.add(Grade::Wrong, missing);
            } else if issuer.is_none() {
                self.add(Grade::Wrong, format!("the certificate of '{name}' is not signed by its own key"));
            }
        }
    }

    fn lists(&mut self, authority: &Authority) -> Result<(), Refusal> {
        let lists = authority.crls()?;
        for certificate in authority.chain() {
            let name = certificate.common_name().unwrap_or_default();
            match lists.iter().find(|list| list.is_of(certificate)) {
                Some(list) => match list.next_update() {
                    Some(end) => self.expiry(&format!("the CRL of '{name}'"), end, NODE),
                    None => self.add(Grade::Good, format!("the CRL of '{name}' has no expiry date")),
                },
                None => self.add(Grade::Wrong, format!("the CRL of '{name}' is missing")),
            }
        }
        Ok(())
    }

    fn files(&mut self, authority: &Authority) {
        let layout = &authority.layout;
        for path in [layout.key.clone(), layout.root_key(), layout.next_key()] {
            let Ok(about) = path.metadata() else { continue };
            let mode = about.permissions().mode() & 0o777;
            if mode & 0o007 != 0 {
                let text = format!(
                    "{} can be read by everyone (mode {mode:04o}); it should be 0640",
                    path.display()
                );
                self.add(Grade::Wrong, text);
            }
        }
    }

    fn numbers(&mut self, authority: &Authority) -> Result<(), Refusal> {
        let known = inventory::read(&authority.layout.inventory)?;
        let known: BTreeSet<BigUint> = known.into_iter().map(|entry| entry.serial).collect();
        let highest = known.last().cloned().unwrap_or(BigUint::ZERO);
        match inventory::written_serial(&authority.layout.serial)? {
            Some(next) if next <= highest => self.add(
                Grade::Wrong,
                format!(
                    "the next serial number {} is already used; the highest in the inventory is {}",
                    inventory::hexadecimal(&next),
                    inventory::hexadecimal(&highest)
                ),
            ),
            Some(next) => {
                self.add(Grade::Good, format!("the next serial number is {}", inventory::hexadecimal(&next)));
            }
            None => self.add(
                Grade::Wrong,
                format!(
                    "{} is missing or empty; numbers continue after the inventory",
                    authority.layout.serial.display()
                ),
            ),
        }
        let mut missing = Vec::new();
        for name in authority.issued()? {
            if let Ok(Some(certificate)) = authority.signed(&name)
                && !known.contains(&certificate.serial())
            {
                missing.push(name);
            }
        }
        if !missing.is_empty() {
            self.add(Grade::Soon, format!("the inventory lacks the certificates of {}", missing.join(", ")));
        }
        Ok(())
    }

    fn nodes(&mut self, authority: &Authority) -> Result<(), Refusal> {
        let revoked_serials = authority.revoked_serials()?;
        let (mut good, mut soon, mut over, mut revoked) = (0, Vec::new(), Vec::new(), 0);
        for name in authority.issued()? {
            let certificate = match authority.signed(&name) {
                Ok(Some(certificate)) => certificate,
                Ok(None) => continue,
                Err(problem) => {
                    self.add(Grade::Wrong, problem.to_string());
                    continue;
                }
            };
            if revoked_serials.contains(&certificate.serial()) {
                revoked += 1;
            } else if !authority.has_signed(&certificate) {
                self.add(Grade::Wrong, format!("the certificate of {name} was not signed by this authority"));
            } else if certificate.common_name().as_deref() != Some(&name) {
                self.add(Grade::Wrong, format!("the file of {name} holds the certificate of another node"));
            } else if certificate.not_after() < time::now() {
                over.push(name);
            } else if certificate.not_after() < time::now() + NODE {
                soon.push(name);
            } else {
                good += 1;
            }
        }
        self.add(Grade::Good, format!("{good} certificates of nodes are valid, {revoked} are revoked"));
        if !soon.is_empty() {
            self.add(Grade::Soon, format!("certificates that expire within 30 days: {}", soon.join(", ")));
        }
        if !over.is_empty() {
            self.add(Grade::Soon, format!("expired certificates: {}", over.join(", ")));
        }
        let waiting = authority.requested()?;
        if !waiting.is_empty() {
            self.add(Grade::Good, format!("pending requests: {}", waiting.join(", ")));
        }
        let files = read_directory(&authority.layout.signed)?.into_iter();
        for name in files.filter_map(|entry| entry.file_name().into_string().ok()) {
            let stem = name.strip_suffix(".pem");
            if stem.is_none_or(|stem| request::check_name(stem).is_err()) {
                self.add(
                    Grade::Soon,
                    format!("signed/{} is not the file of a certificate", name.escape_debug()),
                );
            }
        }
        Ok(())
    }

    fn host(&mut self, authority: &Authority, host: &HostFiles) -> Result<(), Refusal> {
        let path = host.certificate();
        let Some(bytes) = read_if_there(&path)? else {
            self.add(Grade::Soon, format!("the server has no certificate: {}", path.display()));
            return Ok(());
        };
        let certificate = Certificate::from_pem(&bytes)?;
        self.expiry("the server's own certificate", certificate.not_after(), NODE);
        if !authority.has_signed(&certificate) {
            self.add(Grade::Wrong, format!("{} was not signed by this authority", path.display()));
        } else if authority.is_revoked(&certificate.serial())? {
            self.add(Grade::Wrong, "the server's own certificate is revoked".to_owned());
        }
        Ok(())
    }
}
