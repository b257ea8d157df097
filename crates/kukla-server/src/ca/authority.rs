//! The authority at work: requests taken, certificates signed.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use kukla::syntax::{Problem, ProblemKind};
use num_bigint::BigUint;
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::spki::SubjectPublicKeyInfoOwned;

use super::audit::{Action, Actor, AuditEvent, AuditLog};
use super::certificate::{self, Certificate, Draft, alt_names, alt_names_extension, node_extensions, put};
use super::inventory::HighestSerial;
use super::keys::Key;
use super::pending::RecentRequests;
use super::request::{self, Request, alt_name};
use super::status::Fingerprints;
use super::time::{self, DAY};
use super::{DEFAULT_LIFETIME, DEFAULT_RENEWED_LIFETIME, Layout, Practice, Refusal, inventory, oids, rotate};
use crate::files::{
    append_line, lock_file, make_directory, read_directory, read_if_there, remove, remove_unfinished, stamp,
    write_whole,
};

/// A certificate authority at work.
#[derive(Debug)]
pub struct Authority {
    /// Where its files are.
    pub layout: Layout,
    /// How it signs.
    pub practice: Practice,
    pub(super) key: Key,
    pub(super) certificate: Certificate,
    /// The issuers before the last rotation, whose certificates are still trusted.
    pub(super) former: Vec<Issuer>,
    pub(super) chain: Vec<Certificate>,
    /// The versions of its key and its certificate.
    version: Version,
    pub(super) audit: AuditLog,
    pub(super) highest: HighestSerial,
    pub(super) recent: RecentRequests,
    /// Held while files are changed, together with the lock that processes share.
    working: Mutex<()>,
}

/// A certificate that signs others, with its key.
#[derive(Clone, Debug)]
pub(super) struct Issuer {
    pub(super) certificate: Certificate,
    pub(super) key: Key,
}

type Version = [Option<(u64, i64, i64, u64)>; 2];

fn version(layout: &Layout) -> Version {
    [&layout.key, &layout.certificate].map(|path| stamp(path))
}

/// The lock that processes share. Other processes wait while it is held, and a process that dies lets go of it.
pub(super) struct Lock<'a> {
    _here: MutexGuard<'a, ()>,
    _elsewhere: File,
}

impl Authority {
    /// Takes over a directory as it is; what a crash left unfinished is put in order. An authority that has lost its CRL is refused.
    pub fn open(layout: Layout, practice: Practice) -> Result<Authority, Refusal> {
        let authority = Authority::open_without_crl(layout, practice)?;
        authority.crls()?;
        Ok(authority)
    }

    /// Takes over a directory whose CRL may be lost, in order to repair it.
    pub fn open_without_crl(layout: Layout, practice: Practice) -> Result<Authority, Refusal> {
        let read = |path: &Path| match read_if_there(path)? {
            Some(bytes) => Ok(bytes),
            None => Err(Refusal::Missing(
                Problem::not_found("no certificate authority")
                    .because(format_args!("{} not found", path.display()))
                    .help("create one with `kukla ca setup`"),
            )),
        };
        let version = version(&layout);
        let chain =
            Certificate::all_from_pem(&read(&layout.certificate)?).map_err(in_file(&layout.certificate))?;
        let key = Key::from_pem(&read(&layout.key)?).map_err(in_file(&layout.key))?;
        let public = key.public()?;
        let certificate =
            chain.iter().find(|each| *each.public_key() == public).cloned().ok_or_else(|| {
                Problem::invalid(format!("no certificate for the key in {}", layout.key.display()))
                    .because(format_args!("{} holds none", layout.certificate.display()))
            })?;
        let former = rotate::former_issuers(&layout, &chain, &public)?;
        let audit =
            AuditLog::at(practice.audit_log.clone().unwrap_or_else(|| layout.directory.join("audit.jsonl")));
        let authority = Authority {
            layout,
            practice,
            key,
            certificate,
            former,
            chain,
            version,
            audit,
            highest: HighestSerial::default(),
            recent: RecentRequests::default(),
            working: Mutex::new(()),
        };
        authority.recover()?;
        Ok(authority)
    }

    /// The certificate that it signs with.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Its certificate and those above it, as the file has them.
    pub fn chain(&self) -> &[Certificate] {
        &self.chain
    }

    /// Whether another process has changed the key or the certificate since this was opened.
    pub fn is_outdated(&self) -> bool {
        version(&self.layout) != self.version
    }

    /// Waits until no other process changes files. What an outdated authority would write contradicts what the other process has written.
    pub(super) fn lock(&self) -> Result<Lock<'_>, Refusal> {
        let lock = self.lock_anyway()?;
        if self.is_outdated() {
            return Err(Refusal::Busy(
                Problem::new(
                    ProblemKind::Conflict,
                    "the key or the certificate of the authority has changed",
                )
                .help("try again"),
            ));
        }
        Ok(lock)
    }

    fn lock_anyway(&self) -> Result<Lock<'_>, Refusal> {
        let here = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.layout.directory.join(".kukla-lock");
        Ok(Lock { _here: here, _elsewhere: lock_file(&path)? })
    }

    /// The present issuer and the former ones, each with its key.
    pub(super) fn issuers(&self) -> impl Iterator<Item = (&Certificate, &Key)> {
        let former = self.former.iter().map(|issuer| (&issuer.certificate, &issuer.key));
        std::iter::once((&self.certificate, &self.key)).chain(former)
    }

    /// Whether a rotation of the key is not finished.
    pub fn has_former_issuers(&self) -> bool {
        !self.former.is_empty()
    }

    /// Whether a certificate is one of the authority's own: neither a root above it nor a node's.
    pub(super) fn is_own(&self, certificate: &Certificate) -> bool {
        self.issuers().any(|(own, _)| own.public_key() == certificate.public_key())
    }

    /// Goes on where a crash interrupted: half-written files go, and so do requests whose certificate is there.
    fn recover(&self) -> Result<(), Refusal> {
        let _lock = self.lock_anyway()?;
        for directory in [&self.layout.signed, &self.layout.requests] {
            make_directory(directory, 0o755)?;
        }
        for directory in [&self.layout.directory, &self.layout.signed, &self.layout.requests] {
            remove_unfinished(directory)?;
        }
        for name in self.requested()? {
            let (Some(certificate), Ok(request)) = (self.signed(&name)?, self.request(&name)) else {
                continue;
            };
            if certificate.public_key() == request.public_key() {
                remove(&self.layout.request_of(&name))?;
            }
        }
        self.forget_next_key()
    }

    /// The names of nodes whose requests wait, in order.
    pub fn requested(&self) -> Result<Vec<String>, Problem> {
        names_in(&self.layout.requests)
    }

    /// The names of nodes that have certificates, in order.
    pub fn issued(&self) -> Result<Vec<String>, Problem> {
        names_in(&self.layout.signed)
    }

    /// The certificate of a node, if it has one.
    pub fn signed(&self, name: &str) -> Result<Option<Certificate>, Refusal> {
        request::check_name(name)?;
        let path = self.layout.signed_of(name);
        let Some(bytes) = read_if_there(&path)? else { return Ok(None) };
        Ok(Some(Certificate::from_pem(&bytes).map_err(in_file(&path))?))
    }

    /// The request of a node.
    pub fn request(&self, name: &str) -> Result<Request, Refusal> {
        request::check_name(name)?;
        let path = self.layout.request_of(name);
        let bytes = read_if_there(&path)?;
        let bytes =
            bytes.ok_or_else(|| Refusal::missing(format!("Could not find certificate_request {name}")))?;
        Ok(Request::from_pem(&bytes).map_err(in_file(&path))?)
    }

    pub(super) fn check_duplicate(&self, name: &str) -> Result<(), Refusal> {
        if request::check_name(name).is_err() || self.practice.duplicates {
            return Ok(());
        }
        let state = match self.signed(name)? {
            Some(certificate) if self.is_revoked(&certificate.serial())? => "revoked",
            Some(_) => "signed",
            None if self.layout.request_of(name).exists() => "requested",
            None => return Ok(()),
        };
        Err(Refusal::rule(format!("{name} already has a {state} certificate; ignoring certificate request")))
    }

    /// Signs the request of a node.
    pub fn sign(&self, name: &str, lifetime: Option<Duration>, by: &Actor) -> Result<Certificate, Refusal> {
        let _lock = self.lock()?;
        let request = self.request(name)?;
        request.check(name, self.practice.allowed).inspect_err(|refusal| {
            let fingerprint = Some(Fingerprints::of(request.der()).sha256);
            self.audit.record_denial(name, fingerprint, refusal.to_string(), by);
        })?;
        let of_rule = self.practice.signing.rule_for(name).and_then(|(_, rule)| rule.lifetime);
        let certificate = self.sign_request(name, &request, lifetime.or(of_rule), by)?;
        remove(&self.layout.request_of(name))?;
        self.forget_pending(name)?;
        Ok(certificate)
    }

    /// Signs a request that was checked, while the lock is held.
    pub(super) fn sign_request(
        &self,
        name: &str,
        request: &Request,
        lifetime: Option<Duration>,
        by: &Actor,
    ) -> Result<Certificate, Refusal> {
        let validity = match lifetime {
            Some(lifetime) => Validity::Exactly(lifetime),
            None if self.practice.renewal && request.renews() => self.renewed_validity(),
            None => self.validity(),
        };
        let wanted = request.extensions()?;
        self.issue(Action::Sign, name, request.public_key(), wanted, validity, by)
    }

    fn validity(&self) -> Validity {
        self.practice.lifetime.map_or(Validity::AtMost(DEFAULT_LIFETIME), Validity::Exactly)
    }

    fn renewed_validity(&self) -> Validity {
        self.practice.renewed_lifetime.map_or(Validity::AtMost(DEFAULT_RENEWED_LIFETIME), Validity::Exactly)
    }

    /// Makes a key and a certificate for a node that did not ask; they are not revoked by this.
    pub fn generate(&self, name: &str, draft: &CertificateOptions) -> Result<(Key, Certificate), Refusal> {
        request::check_name(name)?;
        self.check_duplicate(name)?;
        let key = Key::generate(self.practice.keys)?;
        let extensions = draft.extensions(name)?;
        let _lock = self.lock()?;
        let validity = draft.lifetime.map_or_else(|| self.validity(), Validity::Exactly);
        let by = Actor::local();
        let certificate = self.issue(Action::Sign, name, &key.public()?, extensions, validity, &by)?;
        Ok((key, certificate))
    }

    /// Signs a certificate for the key of one that this authority has signed, with all it says.
    pub fn renew(&self, old: &Certificate, by: &Actor) -> Result<Certificate, Refusal> {
        let name = old.common_name().ok_or_else(|| Problem::invalid("the certificate has no common name"))?;
        request::check_name(&name)?;
        let kept = old.extensions().iter();
        let kept = kept.filter(|each| oids::is_puppets(each.extn_id)).cloned();
        let mut extensions: Vec<Extension> = kept.collect();
        let names = alt_names(old.extensions())?;
        if !names.is_empty() {
            extensions.push(alt_names_extension(names)?);
        }
        let _lock = self.lock()?;
        if self.is_revoked(&old.serial())? {
            let reason = format!("the certificate of {name} is revoked");
            self.audit.record_denial(&name, Some(Fingerprints::of(old.der()).sha256), reason.clone(), by);
            return Err(Refusal::rule(reason));
        }
        self.issue(Action::Renew, &name, old.public_key(), extensions, self.renewed_validity(), by)
    }

    /// Whether a certificate was signed with the key of this authority, or with one from before a rotation that is still trusted.
    pub fn has_signed(&self, certificate: &Certificate) -> bool {
        self.issuers().any(|(issuer, _)| issuer.has_signed(certificate))
    }

    /// Whether a certificate was signed with a key from before a rotation.
    pub(super) fn has_signed_formerly(&self, certificate: &Certificate) -> bool {
        self.former.iter().any(|issuer| issuer.certificate.has_signed(certificate))
    }

    fn issue(
        &self,
        action: Action,
        name: &str,
        public_key: &SubjectPublicKeyInfoOwned,
        wanted: Vec<Extension>,
        validity: Validity,
        by: &Actor,
    ) -> Result<Certificate, Refusal> {
        let now = time::now();
        let not_after = self.expiry(name, validity, now)?;
        let identifier = self.identifier();
        let mut names = alt_names(&wanted)?;
        let own = alt_name(name)?;
        if !names.contains(&own) {
            names.insert(0, own);
        }
        let mut extensions = node_extensions(public_key, &identifier)?;
        wanted.into_iter().for_each(|each| put(&mut extensions, each));
        put(&mut extensions, alt_names_extension(names)?);
        let draft = Draft {
            subject: certificate::named(name)?,
            public_key: public_key.clone(),
            serial: self.take_serial()?,
            // Clocks of agents need not be right to the minute.
            not_before: now - DAY,
            not_after,
            extensions,
        };
        let signed = draft.sign(self.certificate.subject(), &self.key)?;
        inventory::add(&self.layout.inventory, &signed)?;
        self.note_infra(name, &signed.serial())?;
        let event = AuditEvent {
            action,
            node: name,
            serial: Some(&signed.serial()),
            fingerprint: Some(Fingerprints::of(signed.der()).sha256),
            reason: None,
        };
        // Before the certificate appears: none may exist that is not recorded.
        self.audit.record(&event, by)?;
        write_whole(&self.layout.signed_of(name), signed.to_pem().as_bytes(), 0o644)?;
        Ok(signed)
    }

    /// Until when a certificate is valid: never longer than those of the authority and of the ones above it.
    fn expiry(&self, name: &str, validity: Validity, now: SystemTime) -> Result<SystemTime, Refusal> {
        let own = rotate::expiry_of_chain(&self.certificate, &self.chain);
        let when = time::in_inventory(own);
        if own <= now {
            return Err(Refusal::rule(format!("the certificate of the authority has expired: {when}")));
        }
        let (Validity::AtMost(lifetime) | Validity::Exactly(lifetime)) = validity;
        match (now.checked_add(lifetime), validity) {
            (Some(end), _) if end <= own => Ok(end),
            (_, Validity::AtMost(_)) => Ok(own),
            (_, Validity::Exactly(_)) => Err(Refusal::Rule(
                Problem::invalid(format!(
                    "the certificate of {name} would outlive that of the authority, which expires {}: {when}",
                    time::until(own)
                ))
                .help("choose a shorter validity (ca_ttl, --ttl), or renew the authority with `kukla ca rotate`"),
            )),
        }
    }

    /// Checks that a certificate may be valid for so long.
    pub fn check_lifetime(&self, name: &str, lifetime: Duration) -> Result<(), Refusal> {
        self.expiry(name, Validity::Exactly(lifetime), time::now()).map(|_| ())
    }

    /// The number of the next certificate. It is taken before anything is signed, so that none is ever given twice.
    fn take_serial(&self) -> Result<BigUint, Refusal> {
        let serial = self.next_serial()?;
        inventory::write_serial(&self.layout.serial, &(&serial + 1_u32))?;
        Ok(serial)
    }

    /// The number that the next certificate will get: that of the file `serial`, but never one that the inventory has. If the file is lost,
    /// numbers continue after the inventory; if both are lost, nobody knows which numbers are taken.
    pub fn next_serial(&self) -> Result<BigUint, Refusal> {
        let highest = self.highest.read(&self.layout.inventory)?;
        let after = &highest + 1_u32;
        if let Some(written) = inventory::written_serial(&self.layout.serial)? {
            return Ok(written.max(after));
        }
        if highest == BigUint::ZERO {
            let has_revoked = !self.revoked_serials()?.is_empty();
            if has_revoked || !self.issued()?.is_empty() {
                return Err(Refusal::Failure(
                    Problem::not_found("the serial number of the next certificate is unknown")
                        .because(format_args!(
                            "both {} and {} are lost or empty",
                            self.layout.serial.display(),
                            self.layout.inventory.display()
                        ))
                        .help("restore one of them from a backup, or write a hexadecimal number that was never used to the first"),
                ));
            }
        }
        Ok(after)
    }

    fn identifier(&self) -> Vec<u8> {
        let own = self.certificate.key_identifier();
        own.unwrap_or_else(|| certificate::identifier_of(self.certificate.public_key()))
    }

    /// The numbers of a node that belongs to the infrastructure are kept apart.
    fn note_infra(&self, name: &str, serial: &BigUint) -> Result<(), Refusal> {
        let nodes = read_if_there(&self.layout.infra_nodes())?.unwrap_or_default();
        if String::from_utf8_lossy(&nodes).lines().any(|line| line.trim() == name) {
            append_line(&self.layout.infra_serials(), &serial.to_string(), 0o644)?;
        }
        Ok(())
    }

    /// Removes the certificate and the request of a node; whether there was any. It is not revoked by this.
    pub fn delete(&self, name: &str, by: &Actor) -> Result<bool, Refusal> {
        request::check_name(name)?;
        let _lock = self.lock()?;
        self.record_deletion(name, by)?;
        let certificate = remove(&self.layout.signed_of(name))?;
        let request = remove(&self.layout.request_of(name))?;
        self.forget_pending(name)?;
        Ok(request || certificate)
    }

    fn record_deletion(&self, name: &str, by: &Actor) -> Result<(), Refusal> {
        let certificate = self.layout.signed_of(name).exists();
        if !certificate && !self.layout.request_of(name).exists() {
            return Ok(());
        }
        let what = if certificate { "certificate" } else { "request" };
        let event = AuditEvent {
            action: Action::Delete,
            node: name,
            serial: None,
            fingerprint: None,
            reason: Some(what.to_owned()),
        };
        Ok(self.audit.record(&event, by)?)
    }

    /// Removes the request of a node; whether there was one.
    pub fn delete_request(&self, name: &str, by: &Actor) -> Result<bool, Refusal> {
        request::check_name(name)?;
        let _lock = self.lock()?;
        if self.layout.request_of(name).exists() {
            self.record_deletion(name, by)?;
        }
        let was_there = remove(&self.layout.request_of(name))?;
        self.forget_pending(name)?;
        Ok(was_there)
    }

    /// Those of some names whose nodes ever had a certificate.
    pub fn known_among(&self, names: &[String]) -> Result<Vec<String>, Refusal> {
        let inventory: HashSet<String> =
            inventory::read(&self.layout.inventory)?.into_iter().map(|entry| entry.name).collect();
        let mut known = Vec::new();
        for name in names {
            if inventory.contains(name) || self.signed(name)?.is_some() {
                known.push(name.clone());
            }
        }
        Ok(known)
    }
}

/// For how long a new certificate is valid.
#[derive(Clone, Copy, Debug)]
enum Validity {
    /// So long, or until the authority's own certificate expires.
    AtMost(Duration),
    /// So long, as someone has asked for it.
    Exactly(Duration),
}

/// The content of a certificate that is generated without a request.
#[derive(Clone, Debug, Default)]
pub struct CertificateOptions {
    /// Names besides its own: `web.example.com`, `DNS:web`, `IP:10.0.0.1`.
    pub alt_names: Vec<String>,
    /// Extensions by name or number.
    pub extensions: Vec<(String, String)>,
    /// For how long it is valid, if not as usual.
    pub lifetime: Option<Duration>,
}

impl CertificateOptions {
    fn extensions(&self, name: &str) -> Result<Vec<Extension>, Refusal> {
        let mut all = Vec::new();
        for (extension, value) in &self.extensions {
            let oid = oids::by_name(extension)
                .ok_or_else(|| Refusal::rule(format!("unknown certificate extension '{extension}'")))?;
            all.push(certificate::text_extension(oid, value)?);
        }
        if !self.alt_names.is_empty() {
            let mut names: Vec<GeneralName> = vec![alt_name(name)?];
            for written in &self.alt_names {
                let name = alt_name(written)?;
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            all.push(alt_names_extension(names)?);
        }
        Ok(all)
    }
}

/// A problem with the content of a file.
pub(super) fn in_file(path: &Path) -> impl Fn(Problem) -> Problem {
    move |problem| Problem::new(problem.kind(), "cannot read").on(path.display()).caused_by(problem)
}

fn names_in(directory: &Path) -> Result<Vec<String>, Problem> {
    let mut names = Vec::new();
    for entry in read_directory(directory)? {
        let name = entry.file_name();
        let name = name.to_str().and_then(|name| name.strip_suffix(".pem"));
        names.extend(name.filter(|name| request::check_name(name).is_ok()).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}
