//! Rotation of the authority: a new certificate for its key, or a new key, signed by a root whose key may be offline.
//!
//! A new certificate for the same key and name changes nothing for nodes: what was signed remains valid. A new key comes with a new name, since
//! certificates and revocation lists are attributed to their issuer by name. From then on it signs, while the former issuer remains in
//! the bundle, and its key stays to revoke what it has signed: the cross period, in which agents fetch the new certificate. It ends with
//! [`Authority::finish_rotation`].
//!
//! The files of a rotation, in the order in which they change, so that a crash in between leaves an authority that works:
//! the new key in `next_key.pem`, the former key in `former/`, the list of the new issuer, the bundle, `ca_key.pem`.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use kukla::syntax::Problem;
use num_bigint::BigUint;
use x509_cert::spki::SubjectPublicKeyInfoOwned;

use super::audit::Actor;
use super::authority::{Issuer, in_file};
use super::certificate::{Certificate, Draft, authority_extensions, identifier_of, renamed};
use super::crl::{self, Crl};
use super::keys::{Key, random};
use super::request::Request;
use super::setup::{AUTHORITY_LIFETIME, HostFiles};
use super::time::{self, DAY};
use super::{Authority, Layout, Refusal};
use crate::files::{make_directory, read, read_directory, read_if_there, remove, write_whole};

impl Layout {
    /// The key of the next issuer, from its request to its certificate.
    pub fn next_key(&self) -> PathBuf {
        self.directory.join("next_key.pem")
    }

    /// The keys of former issuers.
    pub fn former_keys(&self) -> PathBuf {
        self.directory.join("former")
    }

    /// The key of the root, unless it is offline.
    pub fn root_key(&self) -> PathBuf {
        self.directory.join("root_key.pem")
    }
}

/// The issuers before the present one, whose certificates are still in the bundle.
pub(super) fn former_issuers(
    layout: &Layout,
    chain: &[Certificate],
    present: &SubjectPublicKeyInfoOwned,
) -> Result<Vec<Issuer>, Refusal> {
    let mut former = Vec::new();
    for (_, key) in keys_in(&layout.former_keys())? {
        let public = key.public()?;
        if let Some(certificate) = chain.iter().find(|each| *each.public_key() == public)
            && public != *present
        {
            former.push(Issuer { certificate: certificate.clone(), key });
        }
    }
    Ok(former)
}

fn keys_in(directory: &Path) -> Result<Vec<(PathBuf, Key)>, Problem> {
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths: Vec<PathBuf> = read_directory(directory)?.iter().map(std::fs::DirEntry::path).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "pem"));
    paths.sort();
    paths.into_iter().map(|path| Ok((path.clone(), read_key(&path)?))).collect()
}

fn read_key(path: &Path) -> Result<Key, Problem> {
    Key::from_pem(&read(path)?).map_err(in_file(path))
}

/// Until when a certificate and all those above it are valid. Of several certificates of one issuer the one that is valid longest counts.
pub(super) fn expiry_of_chain(certificate: &Certificate, chain: &[Certificate]) -> SystemTime {
    let mut end = certificate.not_after();
    let mut last = certificate;
    for _ in chain {
        if last.is_root() {
            break;
        }
        let above = chain.iter().filter(|each| each.has_signed(last));
        let Some(above) = above.max_by_key(|each| each.not_after()) else { break };
        end = end.min(above.not_after());
        last = above;
    }
    end
}

/// The key and the certificate of a root: `root_key.pem` and `root_crt.pem` of a directory.
fn offline_root(directory: &Path) -> Result<Issuer, Refusal> {
    let (key_file, certificate_file) = (directory.join("root_key.pem"), directory.join("root_crt.pem"));
    let key = read_key(&key_file)?;
    let certificate = Certificate::from_pem(&read(&certificate_file)?).map_err(in_file(&certificate_file))?;
    if *certificate.public_key() != key.public()? {
        return Err(Refusal::rule("root_key.pem is not the key of root_crt.pem"));
    }
    Ok(Issuer { certificate, key })
}

/// Signs the request of an authority with the key of its offline root.
pub fn sign_request(root: &Path, request: &[u8], lifetime: Option<Duration>) -> Result<Certificate, Refusal> {
    let root = offline_root(root)?;
    let request = Request::from_pem(request).map_err(Refusal::Rule)?;
    if !request.is_signed() {
        return Err(Refusal::rule("CSR contains a public key that does not correspond to the signing key"));
    }
    signed(&request, Some(&root.certificate), &root.key, lifetime)
}

/// The next revocation list of an offline root, which also revokes these certificates. The directory has the last one in `root_crl.pem`; where it
/// is lost, `known`, a file with the lists of the authority, has it.
pub fn sign_root_list(
    directory: &Path,
    known: Option<&[u8]>,
    revoked: &[Certificate],
) -> Result<Crl, Refusal> {
    let root = offline_root(directory)?;
    let file = directory.join("root_crl.pem");
    let mut lists = Crl::all_from_pem(&read_if_there(&file)?.unwrap_or_default()).map_err(in_file(&file))?;
    lists.extend(Crl::all_from_pem(known.unwrap_or_default()).map_err(Refusal::Rule)?);
    let last = lists.into_iter().filter(|list| list.is_of(&root.certificate)).max_by_key(Crl::number);
    let last = last.ok_or_else(|| {
        Refusal::Rule(
            Problem::not_found("the last CRL of the root is unknown")
                .because(format_args!("{} does not hold it", file.display()))
                .help("name a copy of the authority's ca_crl.pem with --known"),
        )
    })?;
    if let Some(other) = revoked.iter().find(|each| !root.certificate.has_signed(each)) {
        let name = other.common_name().unwrap_or_default();
        return Err(Refusal::rule(format!("the root has not signed the certificate of '{name}'")));
    }
    let serials: Vec<BigUint> = revoked.iter().map(Certificate::serial).collect();
    let next = last.with(&root.certificate, &root.key, &serials, time::now())?;
    write_whole(&file, next.to_pem().as_bytes(), 0o644)?;
    Ok(next)
}

/// The certificate that a request asks for. Without an issuer, or if the issuer has the same key, it is a root that signs itself.
fn signed(
    request: &Request,
    issuer: Option<&Certificate>,
    key: &Key,
    lifetime: Option<Duration>,
) -> Result<Certificate, Refusal> {
    let issuer = issuer.filter(|issuer| issuer.public_key() != request.public_key());
    let now = time::now();
    let end = now
        .checked_add(lifetime.unwrap_or(AUTHORITY_LIFETIME))
        .ok_or_else(|| Refusal::rule("the certificate would never expire; choose a shorter validity"))?;
    let identifier = identifier_of(issuer.map_or(request.public_key(), Certificate::public_key));
    let mut serial = random::<16>();
    serial[0] = (serial[0] & 0x7f) | 1;
    let draft = Draft {
        subject: request.subject().clone(),
        extensions: authority_extensions(request.public_key(), &identifier)?,
        public_key: request.public_key().clone(),
        serial: BigUint::from_bytes_be(&serial),
        not_before: now - DAY,
        // No certificate outlives that of its issuer.
        not_after: issuer.map_or(end, |issuer| end.min(issuer.not_after())),
    };
    Ok(draft.sign(issuer.map_or(request.subject(), Certificate::subject), key)?)
}

/// The name of the next issuer: the present one with the next number in parentheses that no issuer with another key has.
fn next_name(present: &str, chain: &[Certificate], key: &SubjectPublicKeyInfoOwned) -> String {
    let (base, number) = present
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("))
        .and_then(|(base, number)| Some((base, number.parse::<u32>().ok()?)))
        .unwrap_or((present, 1));
    let taken = |name: &String| {
        let others = chain.iter().filter(|each| each.public_key() != key);
        others.filter_map(Certificate::common_name).any(|other| other == *name)
    };
    let mut names = (1_u32..).map(|more| format!("{base} ({})", u64::from(number) + u64::from(more)));
    names.find(|name| !taken(name)).unwrap_or_default()
}

impl Authority {
    /// The request for a new certificate of the authority, for the same key and name.
    pub fn own_request(&self) -> Result<Request, Refusal> {
        Ok(Request::with_password(self.certificate.subject().clone(), &self.key, Vec::new(), None)?)
    }

    /// The request for the certificate of a new key. A key of an earlier request that was not answered is used again.
    pub fn next_request(&self, generate: impl FnOnce() -> Result<Key, Problem>) -> Result<Request, Refusal> {
        if !self.former.is_empty() {
            return Err(Refusal::Rule(
                Problem::invalid("the last rotation is not finished")
                    .help("finish it with `kukla ca rotate --finish`"),
            ));
        }
        let file = self.layout.next_key();
        let key = match read_if_there(&file)? {
            Some(pem) => Key::from_pem(&pem).map_err(in_file(&file))?,
            None => {
                let key = generate()?;
                let _lock = self.lock()?;
                write_whole(&file, key.to_pem().as_bytes(), 0o640)?;
                key
            }
        };
        let present = self.certificate.common_name();
        let present =
            present.ok_or_else(|| Problem::invalid("the certificate of the authority has no common name"))?;
        let subject = renamed(self.certificate.subject(), &next_name(&present, &self.chain, &key.public()?))?;
        Ok(Request::with_password(subject, &key, Vec::new(), None)?)
    }

    /// Renews the certificate where the key of the root is at hand: in `root_key.pem`, or because the authority is its own root.
    pub fn renew_own(&self, by: &Actor) -> Result<Certificate, Refusal> {
        self.sign_own(&self.own_request()?, &self.key, by)
    }

    /// Begins to sign with a new key, where the key of the root is at hand.
    pub fn replace_key(
        &self,
        generate: impl FnOnce() -> Result<Key, Problem>,
        by: &Actor,
    ) -> Result<Certificate, Refusal> {
        if !self.certificate.is_root() && self.root()?.is_none() {
            return Err(self.root_is_offline());
        }
        let request = self.next_request(generate)?;
        self.sign_own(&request, &read_key(&self.layout.next_key())?, by)
    }

    fn sign_own(&self, request: &Request, own: &Key, by: &Actor) -> Result<Certificate, Refusal> {
        if self.certificate.is_root() {
            return self.import_own(&signed(request, None, own, None)?, by);
        }
        let root = self.root()?.ok_or_else(|| self.root_is_offline())?;
        self.import_own(&signed(request, Some(&root.certificate), &root.key, None)?, by)
    }

    /// The root above this authority, if its key is here.
    pub(super) fn root(&self) -> Result<Option<Issuer>, Refusal> {
        let file = self.layout.root_key();
        if !file.exists() {
            return Ok(None);
        }
        let key = read_key(&file)?;
        let public = key.public()?;
        let certificate = self.chain.iter().find(|each| *each.public_key() == public).cloned();
        let certificate = certificate
            .ok_or_else(|| Refusal::rule("root_key.pem is not the key of a certificate of the bundle"))?;
        Ok(Some(Issuer { certificate, key }))
    }

    fn root_is_offline(&self) -> Refusal {
        Refusal::Rule(
            Problem::not_found("the key of the root is not here")
                .because(format_args!("{} not found", self.layout.root_key().display()))
                .help("write a request with `kukla ca rotate --request FILE`, sign it where the key is with `kukla ca rotate --sign FILE --offline-root DIR`, and import the result with --import"),
        )
    }

    /// Takes over a new certificate of the authority that an issuer of the bundle has signed: one for the same key and name that is valid for
    /// longer, or one for the key of the last [`Authority::next_request`].
    pub fn import_own(&self, new: &Certificate, by: &Actor) -> Result<Certificate, Refusal> {
        let next = match read_if_there(&self.layout.next_key())? {
            Some(_) => Some(read_key(&self.layout.next_key())?),
            None => None,
        };
        let next = match next {
            Some(key) if key.public()? == *new.public_key() => Some(key),
            _ => None,
        };
        if let Some(reason) = self.unusable(new, next.is_some()) {
            return Err(Refusal::Rule(Problem::invalid("cannot use the new certificate").because(reason)));
        }
        let _lock = self.lock()?;
        self.record_management(
            match next {
                Some(_) => "replaced the key of the authority",
                None => "renewed the certificate of the authority",
            },
            by,
        )?;
        if let Some(next) = &next {
            self.keep_former_key()?;
            for file in [self.layout.crl.clone(), self.layout.infra_crl()] {
                self.add_list_of(new, next, &file)?;
            }
        }
        // Agents that have only the old certificate still trust what it has signed.
        let now = time::now();
        let old = self.chain.iter().filter(|each| each.not_after() > now && each.der() != new.der());
        let bundle: String = std::iter::once(new).chain(old).map(Certificate::to_pem).collect();
        write_whole(&self.layout.certificate, bundle.as_bytes(), 0o644)?;
        if let Some(next) = &next {
            write_whole(&self.layout.key, next.to_pem().as_bytes(), 0o640)?;
            write_whole(&self.layout.public_key, next.public_pem()?.as_bytes(), 0o644)?;
            remove(&self.layout.next_key())?;
        }
        Ok(new.clone())
    }

    /// Why a certificate cannot become that of the authority.
    fn unusable(&self, new: &Certificate, is_for_next_key: bool) -> Option<&'static str> {
        let now = time::now();
        let is_own_root = self.certificate.is_root() && new.is_root() && new.is_signed_by(new.public_key());
        let is_of_bundle = self.chain.iter().any(|each| each.has_signed(new));
        let is_same_name = new.subject() == self.certificate.subject();
        if !is_for_next_key && new.public_key() != self.certificate.public_key() {
            Some("it is for another key")
        } else if !is_for_next_key && !is_same_name {
            Some("it is for another name")
        } else if is_for_next_key && is_same_name {
            Some("a new key needs a new name, and it has the present one")
        } else if !is_of_bundle && !is_own_root {
            Some("no certificate of the bundle has signed it")
        } else if !new.is_authority() {
            Some("it is not the certificate of an authority")
        } else if new.not_before() > now {
            Some("it is not valid yet")
        } else if new.not_after() <= now {
            Some("it has expired")
        } else if !is_for_next_key && new.not_after() <= self.certificate.not_after() {
            Some("it does not expire later than the present one")
        } else {
            None
        }
    }

    /// Keeps the present key, whose certificates may still have to be revoked.
    fn keep_former_key(&self) -> Result<(), Refusal> {
        let directory = self.layout.former_keys();
        make_directory(&directory, 0o750)?;
        let name: String =
            identifier_of(self.certificate.public_key()).iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(write_whole(&directory.join(format!("{name}.pem")), self.key.to_pem().as_bytes(), 0o640)?)
    }

    /// Adds the empty list of a new issuer to a file of lists.
    fn add_list_of(&self, issuer: &Certificate, key: &Key, file: &Path) -> Result<(), Refusal> {
        let Some(bytes) = read_if_there(file)? else { return Ok(()) };
        let mut lists = Crl::all_from_pem(&bytes).map_err(in_file(file))?;
        if !lists.iter().any(|list| list.is_of(issuer)) {
            lists.insert(0, Crl::empty(issuer, key, time::now())?);
            write_whole(file, crl::bundle(&lists).as_bytes(), 0o644)?;
        }
        Ok(())
    }

    /// The names of nodes that still need the former issuers, besides that of the server: their certificates are neither revoked nor expired.
    pub fn nodes_of_former_issuers(&self, host: &HostFiles) -> Result<Vec<String>, Refusal> {
        let (revoked, now) = (self.revoked_serials()?, time::now());
        let mut names = Vec::new();
        for name in self.issued()? {
            if let Some(certificate) = self.signed(&name)?
                && name != host.certname
                && self.has_signed_formerly(&certificate)
                && certificate.not_after() > now
                && !revoked.contains(&certificate.serial())
            {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Ends the cross period of a rotation: the server gets a certificate of the present issuer, and what the former ones have signed is no
    /// longer valid. A root whose key is here revokes them; the names of those that another one has to revoke are returned.
    pub fn finish_rotation(&self, host: &HostFiles, by: &Actor) -> Result<Vec<String>, Refusal> {
        if self.former.is_empty() {
            return Err(Refusal::rule("no rotation to finish: the authority has only one key"));
        }
        if let Some(bytes) = read_if_there(&host.certificate())? {
            let old = Certificate::from_pem(&bytes).map_err(in_file(&host.certificate()))?;
            if self.has_signed_formerly(&old) {
                let new = self.renew(&old, by)?;
                write_whole(&host.certificate(), new.to_pem().as_bytes(), 0o644)?;
            }
        }
        let root = self.root()?;
        let _lock = self.lock()?;
        self.record_management("ended the trust in the former key of the authority", by)?;
        let is_former = |each: &Certificate| {
            self.former.iter().any(|issuer| issuer.certificate.public_key() == each.public_key())
        };
        let (former, chain): (Vec<Certificate>, Vec<Certificate>) =
            self.chain.iter().cloned().partition(is_former);
        let mut lists = self.crls()?;
        // A former authority that was its own root needs nobody to revoke it: it is simply no longer trusted.
        let (mut serials, mut unrevoked) = (Vec::new(), Vec::new());
        for each in former.iter().filter(|each| !each.is_root()) {
            if root.as_ref().is_some_and(|root| root.certificate.has_signed(each)) {
                serials.push(each.serial());
            } else {
                unrevoked.extend(each.common_name());
            }
        }
        if let Some(root) = &root
            && let Some(list) = lists.iter_mut().find(|list| list.is_of(&root.certificate))
        {
            *list = list.with(&root.certificate, &root.key, &serials, time::now())?;
        }
        // The bundle first: a server keeps the lists of those whom it trusts.
        let bundle: String = chain.iter().map(Certificate::to_pem).collect();
        write_whole(&self.layout.certificate, bundle.as_bytes(), 0o644)?;
        lists.retain(|list| !former.iter().any(|issuer| list.is_of(issuer)));
        write_whole(&self.layout.crl, crl::bundle(&lists).as_bytes(), 0o644)?;
        if let Some(bytes) = read_if_there(&self.layout.infra_crl())? {
            let mut lists = Crl::all_from_pem(&bytes).map_err(in_file(&self.layout.infra_crl()))?;
            lists.retain(|list| !former.iter().any(|issuer| list.is_of(issuer)));
            write_whole(&self.layout.infra_crl(), crl::bundle(&lists).as_bytes(), 0o644)?;
        }
        for (path, _) in keys_in(&self.layout.former_keys())? {
            remove(&path)?;
        }
        Ok(unrevoked)
    }

    /// Completes a rotation that a crash interrupted after its last important step.
    pub(super) fn forget_next_key(&self) -> Result<(), Refusal> {
        let file = self.layout.next_key();
        if file.exists() && read_key(&file)?.public()? == *self.certificate.public_key() {
            write_whole(&self.layout.public_key, self.key.public_pem()?.as_bytes(), 0o644)?;
            remove(&file)?;
        }
        Ok(())
    }
}
