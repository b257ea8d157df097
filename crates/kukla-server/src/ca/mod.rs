//! The certificate authority: a directory as Puppet has it, taken over as it is.
//!
//! All that it knows is in its files, so that several processes (a server, `kukla ca`, Puppet's own tools) see the same; whoever
//! changes them holds a lock. Every file is written whole. A certificate is signed in steps, each of which leaves a state that the
//! next run understands: the number is taken, the inventory is told, the certificate appears, the request goes.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use num_bigint::BigUint;
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;

pub mod autosign;
pub mod certificate;
pub mod crl;
pub mod doctor;
pub mod http;
pub mod import;
pub mod inventory;
pub mod keys;
pub mod oids;
pub mod request;
mod revoked;
pub mod setup;
pub mod status;
pub mod time;

use crate::files::{lock_file, read_if_there, remove, remove_unfinished, write_once, write_whole};
use crate::log;
use autosign::Autosign;
use certificate::{Certificate, Draft, alt_names, alt_names_extension, node_extensions, put};
use crl::Crl;
use keys::{Key, KeyKind};
use request::{Allowed, Request, alt_name};
pub use revoked::Revoked;
use time::DAY;

/// Why the authority did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It would break a rule; whoever asked is told which.
    Rule(String),
    /// There is nothing of that name.
    Missing(String),
    /// It could not: a disk, a key.
    Failure(String),
}

impl Refusal {
    /// Against a rule.
    pub fn rule(message: String) -> Refusal {
        Refusal::Rule(message)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Refusal::Rule(message) | Refusal::Missing(message) | Refusal::Failure(message)) = self;
        f.write_str(message)
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Failure(error.to_string())
    }
}

/// What a library could not do.
impl From<String> for Refusal {
    fn from(problem: String) -> Refusal {
        Refusal::Failure(problem)
    }
}

/// Where the files of an authority are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The directory of all that is not placed elsewhere.
    pub directory: PathBuf,
    /// The certificates of the authority and of those above it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// Its public key.
    pub public_key: PathBuf,
    /// The lists of revoked certificates, its own first.
    pub crl: PathBuf,
    /// The number of the next certificate.
    pub serial: PathBuf,
    /// All certificates that were ever signed.
    pub inventory: PathBuf,
    /// The certificates of nodes.
    pub signed: PathBuf,
    /// The requests that wait.
    pub requests: PathBuf,
}

impl Layout {
    /// Puppet's layout of a directory.
    pub fn at(directory: impl Into<PathBuf>) -> Layout {
        let directory = directory.into();
        Layout {
            certificate: directory.join("ca_crt.pem"),
            key: directory.join("ca_key.pem"),
            public_key: directory.join("ca_pub.pem"),
            crl: directory.join("ca_crl.pem"),
            serial: directory.join("serial"),
            inventory: directory.join("inventory.txt"),
            signed: directory.join("signed"),
            requests: directory.join("requests"),
            directory,
        }
    }

    /// The names of nodes that belong to the infrastructure, one a line.
    pub fn infra_nodes(&self) -> PathBuf {
        self.directory.join("infra_inventory.txt")
    }

    /// The numbers of their certificates.
    pub fn infra_serials(&self) -> PathBuf {
        self.directory.join("infra_serials")
    }

    /// The list of their revoked certificates.
    pub fn infra_crl(&self) -> PathBuf {
        self.directory.join("infra_crl.pem")
    }

    /// The certificate of a node.
    pub fn signed_of(&self, name: &str) -> PathBuf {
        self.signed.join(format!("{name}.pem"))
    }

    /// The request of a node.
    pub fn request_of(&self, name: &str) -> PathBuf {
        self.requests.join(format!("{name}.pem"))
    }
}

/// How an authority signs.
#[derive(Clone, Debug)]
pub struct Practice {
    /// Which requests are signed without anyone being asked.
    pub autosign: Autosign,
    /// What requests may ask for.
    pub allowed: Allowed,
    /// For how long certificates are valid.
    pub lifetime: Duration,
    /// Whether nodes may have theirs renewed by themselves.
    pub renewal: bool,
    /// For how long certificates are valid that nodes renew by themselves.
    pub renewed_lifetime: Duration,
    /// Whether a node may ask again although it has a certificate.
    pub duplicates: bool,
    /// Whether agents get the list of revoked infrastructure certificates alone.
    pub infra_crl: bool,
    /// What kind of keys it makes.
    pub keys: KeyKind,
}

impl Default for Practice {
    fn default() -> Practice {
        Practice {
            autosign: Autosign::default(),
            allowed: Allowed::default(),
            lifetime: DAY * 365 * 5,
            renewal: false,
            renewed_lifetime: DAY * 90,
            duplicates: false,
            infra_crl: false,
            keys: KeyKind::Rsa(4096),
        }
    }
}

/// A certificate authority at work.
#[derive(Debug)]
pub struct Authority {
    /// Where its files are.
    pub layout: Layout,
    /// How it signs.
    pub practice: Practice,
    key: Key,
    certificate: Certificate,
    chain: Vec<Certificate>,
    /// Whoever changes files holds this, and the lock of other processes.
    working: Mutex<()>,
}

/// A list that ends within this time is made anew.
const RENEW_CRL_BEFORE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The lock that processes share. Other processes wait while it is held, and a process that dies lets go of it.
struct Lock<'a> {
    _here: MutexGuard<'a, ()>,
    _elsewhere: File,
}

impl Authority {
    /// Takes over a directory as it is; what a crash left unfinished is put in order.
    pub fn open(layout: Layout, practice: Practice) -> Result<Authority, Refusal> {
        let missing = |path: &Path| {
            Refusal::Missing(format!("there is no {}; `kukla ca setup` makes an authority", path.display()))
        };
        let read = |path: &Path| match read_if_there(path) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(missing(path)),
            Err(error) => Err(Refusal::Failure(format!("{}: {error}", path.display()))),
        };
        let chain = Certificate::all_from_pem(&read(&layout.certificate)?)
            .map_err(|problem| format!("{}: {problem}", layout.certificate.display()))?;
        let key = Key::from_pem(&read(&layout.key)?)
            .map_err(|problem| format!("{}: {problem}", layout.key.display()))?;
        let public = key.public()?;
        let certificate =
            chain.iter().find(|each| *each.public_key() == public).cloned().ok_or_else(|| {
                format!(
                    "{} has no certificate for the key in {}",
                    layout.certificate.display(),
                    layout.key.display()
                )
            })?;
        let authority = Authority { layout, practice, key, certificate, chain, working: Mutex::new(()) };
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

    fn lock(&self) -> Result<Lock<'_>, Refusal> {
        let here = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.layout.directory.join(".kukla-lock");
        let elsewhere = lock_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Lock { _here: here, _elsewhere: elsewhere })
    }

    /// Goes on where a crash interrupted: half-written files go, and so do requests whose certificate is there.
    fn recover(&self) -> Result<(), Refusal> {
        let _lock = self.lock()?;
        for directory in [&self.layout.signed, &self.layout.requests] {
            crate::files::make_directory(directory, 0o755)?;
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
        Ok(())
    }

    /// The names of nodes whose requests wait, in order.
    pub fn requested(&self) -> io::Result<Vec<String>> {
        names_in(&self.layout.requests)
    }

    /// The names of nodes that have certificates, in order.
    pub fn issued(&self) -> io::Result<Vec<String>> {
        names_in(&self.layout.signed)
    }

    /// The certificate of a node, if it has one.
    pub fn signed(&self, name: &str) -> Result<Option<Certificate>, Refusal> {
        request::check_name(name)?;
        let path = self.layout.signed_of(name);
        let Some(bytes) = read_if_there(&path)? else { return Ok(None) };
        Ok(Some(Certificate::from_pem(&bytes).map_err(|problem| format!("{}: {problem}", path.display()))?))
    }

    /// The request of a node.
    pub fn request(&self, name: &str) -> Result<Request, Refusal> {
        request::check_name(name)?;
        let path = self.layout.request_of(name);
        let bytes = read_if_there(&path)?;
        let bytes =
            bytes.ok_or_else(|| Refusal::Missing(format!("Could not find certificate_request {name}")))?;
        Ok(Request::from_pem(&bytes).map_err(|problem| format!("{}: {problem}", path.display()))?)
    }

    /// Takes a request; whether it was signed at once.
    pub fn submit(&self, name: &str, text: &[u8]) -> Result<bool, Refusal> {
        let request = Request::from_pem(text).map_err(Refusal::Rule)?;
        let subject = request.common_name().unwrap_or_default();
        self.check_duplicate(&subject)?;
        request.check_subject(name)?;
        if !request.is_signed() {
            let problem = "CSR contains a public key that does not correspond to the signing key";
            return Err(Refusal::Rule(problem.to_owned()));
        }
        let text = request.to_pem();
        {
            let _lock = self.lock()?;
            self.check_duplicate(name)?;
            let path = self.layout.request_of(name);
            let written = if self.practice.duplicates {
                write_whole(&path, text.as_bytes(), 0o644)
            } else {
                write_once(&path, text.as_bytes(), 0o644)
            };
            written?;
        }
        // A policy command may take its time, and others need not wait for it.
        if !self.practice.autosign.permits(name, &text) {
            return Ok(false);
        }
        request.check(name, self.practice.allowed)?;
        self.sign(name, None).map(|_| true)
    }

    fn check_duplicate(&self, name: &str) -> Result<(), Refusal> {
        if request::check_name(name).is_err() || self.practice.duplicates {
            return Ok(());
        }
        let state = match self.signed(name)? {
            Some(certificate) if self.is_revoked(&certificate.serial())? => "revoked",
            Some(_) => "signed",
            None if self.layout.request_of(name).exists() => "requested",
            None => return Ok(()),
        };
        Err(Refusal::Rule(format!("{name} already has a {state} certificate; ignoring certificate request")))
    }

    /// Signs the request of a node.
    pub fn sign(&self, name: &str, lifetime: Option<Duration>) -> Result<Certificate, Refusal> {
        let _lock = self.lock()?;
        let request = self.request(name)?;
        request.check(name, self.practice.allowed)?;
        let lifetime = lifetime.unwrap_or(if self.practice.renewal && request.renews() {
            self.practice.renewed_lifetime
        } else {
            self.practice.lifetime
        });
        let wanted = request.extensions()?;
        let certificate = self.issue(name, request.public_key(), wanted, lifetime)?;
        remove(&self.layout.request_of(name))?;
        Ok(certificate)
    }

    /// Makes a key and a certificate for a node that did not ask; they are not revoked by this.
    pub fn generate(&self, name: &str, draft: &Wanted) -> Result<(Key, Certificate), Refusal> {
        request::check_name(name)?;
        self.check_duplicate(name)?;
        let key = Key::generate(self.practice.keys)?;
        let extensions = draft.extensions(name)?;
        let _lock = self.lock()?;
        let lifetime = draft.lifetime.unwrap_or(self.practice.lifetime);
        let certificate = self.issue(name, &key.public()?, extensions, lifetime)?;
        Ok((key, certificate))
    }

    /// Signs a certificate for the key of one that this authority has signed, with all it says.
    pub fn renew(&self, old: &Certificate) -> Result<Certificate, Refusal> {
        let name = old.common_name().ok_or("the certificate has no name".to_owned())?;
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
            return Err(Refusal::Rule(format!("the certificate of {name} is revoked")));
        }
        self.issue(&name, old.public_key(), extensions, self.practice.renewed_lifetime)
    }

    /// Whether a certificate was signed with this authority's key.
    pub fn has_signed(&self, certificate: &Certificate) -> bool {
        certificate.issuer() == self.certificate.subject()
            && certificate.is_signed_by(self.certificate.public_key())
    }

    fn issue(
        &self,
        name: &str,
        public_key: &x509_cert::spki::SubjectPublicKeyInfoOwned,
        wanted: Vec<Extension>,
        lifetime: Duration,
    ) -> Result<Certificate, Refusal> {
        let now = time::now();
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
            serial: inventory::take_serial(&self.layout.serial)?,
            // Clocks of agents need not be right to the minute.
            not_before: now - DAY,
            not_after: now + lifetime,
            extensions,
        };
        let signed = draft.sign(self.certificate.subject(), &self.key)?;
        inventory::add(&self.layout.inventory, &signed)?;
        self.note_infra(name, &signed.serial())?;
        write_whole(&self.layout.signed_of(name), signed.to_pem().as_bytes(), 0o644)?;
        Ok(signed)
    }

    fn identifier(&self) -> Vec<u8> {
        let own = self.certificate.key_identifier();
        own.unwrap_or_else(|| certificate::identifier_of(self.certificate.public_key()))
    }

    /// The numbers of a node that belongs to the infrastructure are kept apart.
    fn note_infra(&self, name: &str, serial: &BigUint) -> Result<(), Refusal> {
        let nodes = read_if_there(&self.layout.infra_nodes())?.unwrap_or_default();
        if String::from_utf8_lossy(&nodes).lines().any(|line| line.trim() == name) {
            crate::files::append_line(&self.layout.infra_serials(), &serial.to_string(), 0o644)?;
        }
        Ok(())
    }

    /// Revokes every certificate that these nodes were ever given; how many that were not revoked before.
    pub fn revoke(&self, names: &[String]) -> Result<usize, Refusal> {
        let _lock = self.lock()?;
        let known = inventory::read(&self.layout.inventory)?;
        let mut serials = Vec::new();
        for name in names {
            let before = serials.len();
            serials
                .extend(known.iter().filter(|entry| entry.name == *name).map(|entry| entry.serial.clone()));
            serials.extend(self.signed(name)?.map(|certificate| certificate.serial()));
            if serials.len() == before {
                return Err(Refusal::Missing(format!("Could not find a certificate for {name}")));
            }
        }
        serials.sort();
        serials.dedup();
        self.revoke_serials(&self.layout.crl, &serials).inspect(|_| {
            if let Err(problem) = self.revoke_infra(&serials) {
                log::warning(&format!("the list of revoked infrastructure certificates: {problem}"));
            }
        })
    }

    fn revoke_infra(&self, serials: &[BigUint]) -> Result<(), Refusal> {
        let Some(known) = read_if_there(&self.layout.infra_serials())? else { return Ok(()) };
        let known = String::from_utf8_lossy(&known).into_owned();
        let is_infra = |serial: &&BigUint| known.lines().any(|line| line.trim() == serial.to_string());
        let of_infra: Vec<BigUint> = serials.iter().filter(is_infra).cloned().collect();
        if !of_infra.is_empty() && self.layout.infra_crl().exists() {
            self.revoke_serials(&self.layout.infra_crl(), &of_infra)?;
        }
        Ok(())
    }

    fn revoke_serials(&self, file: &Path, serials: &[BigUint]) -> Result<usize, Refusal> {
        let mut lists = self.lists(file)?;
        let new = serials.iter().filter(|serial| !lists[0].revokes(serial)).count();
        if new > 0 {
            lists[0] = lists[0].with(&self.certificate, &self.key, serials, time::now())?;
            write_whole(file, crl::bundle(&lists).as_bytes(), 0o644)?;
        }
        Ok(new)
    }

    /// The lists of a file, this authority's first; it gets an empty one if it has none.
    fn lists(&self, file: &Path) -> Result<Vec<Crl>, Refusal> {
        let bytes = read_if_there(file)?.unwrap_or_default();
        let mut lists =
            Crl::all_from_pem(&bytes).map_err(|problem| format!("{}: {problem}", file.display()))?;
        match lists.iter().position(|list| list.is_of(&self.certificate)) {
            Some(at) => lists[..=at].rotate_right(1),
            None => lists.insert(0, Crl::empty(&self.certificate, &self.key, time::now())?),
        }
        Ok(lists)
    }

    /// The lists of revoked certificates, this authority's first.
    pub fn crls(&self) -> Result<Vec<Crl>, Refusal> {
        self.lists(&self.layout.crl)
    }

    /// Makes lists anew that would end soon; whether there was one.
    pub fn refresh_crl(&self) -> Result<bool, Refusal> {
        let soon = |list: &Crl| list.next_update().is_none_or(|end| end < time::now() + RENEW_CRL_BEFORE);
        let mut refreshed = false;
        for file in [self.layout.crl.clone(), self.layout.infra_crl()] {
            if file != self.layout.crl && !file.exists() {
                continue;
            }
            let is_missing = !file.exists();
            if is_missing || soon(&self.lists(&file)?[0]) {
                let _lock = self.lock()?;
                let mut lists = self.lists(&file)?;
                lists[0] = lists[0].with(&self.certificate, &self.key, &[], time::now())?;
                write_whole(&file, crl::bundle(&lists).as_bytes(), 0o644)?;
                refreshed = true;
            }
        }
        Ok(refreshed)
    }

    /// Takes newer lists of the authorities above this one; its own it makes itself.
    pub fn update_crls(&self, new: &[Crl]) -> Result<usize, Refusal> {
        let _lock = self.lock()?;
        let mut lists = self.lists(&self.layout.crl)?;
        let mut updated = 0;
        for list in new {
            let issuer = self.chain.iter().find(|issuer| list.is_of(issuer));
            let Some(issuer) = issuer.filter(|issuer| issuer.der() != self.certificate.der()) else {
                continue;
            };
            match lists.iter_mut().find(|known| known.is_of(issuer)) {
                Some(known) if known.number() < list.number() => *known = list.clone(),
                Some(_) => continue,
                None => lists.push(list.clone()),
            }
            updated += 1;
        }
        if updated > 0 {
            write_whole(&self.layout.crl, crl::bundle(&lists).as_bytes(), 0o644)?;
        }
        Ok(updated)
    }

    /// Whether a number is revoked.
    pub fn is_revoked(&self, serial: &BigUint) -> Result<bool, Refusal> {
        Ok(self.crls()?[0].revokes(serial))
    }

    /// Removes the certificate and the request of a node; whether there was any. It is not revoked by this.
    pub fn delete(&self, name: &str) -> Result<bool, Refusal> {
        request::check_name(name)?;
        let _lock = self.lock()?;
        let certificate = remove(&self.layout.signed_of(name))?;
        Ok(remove(&self.layout.request_of(name))? || certificate)
    }

    /// Removes the request of a node; whether there was one.
    pub fn delete_request(&self, name: &str) -> Result<bool, Refusal> {
        request::check_name(name)?;
        let _lock = self.lock()?;
        Ok(remove(&self.layout.request_of(name))?)
    }

    /// Whether a node ever had a certificate.
    pub fn knows(&self, name: &str) -> Result<bool, Refusal> {
        let known = inventory::read(&self.layout.inventory)?;
        Ok(self.signed(name)?.is_some() || known.iter().any(|entry| entry.name == name))
    }
}

/// What a certificate is to say that nobody asked for by a request.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Names besides its own: `web.example.com`, `DNS:web`, `IP:10.0.0.1`.
    pub alt_names: Vec<String>,
    /// Extensions by name or number.
    pub extensions: Vec<(String, String)>,
    /// For how long it is valid, if not as usual.
    pub lifetime: Option<Duration>,
}

impl Wanted {
    fn extensions(&self, name: &str) -> Result<Vec<Extension>, Refusal> {
        let mut all = Vec::new();
        for (extension, value) in &self.extensions {
            let oid = oids::by_name(extension)
                .ok_or_else(|| Refusal::Rule(format!("there is no certificate extension '{extension}'")))?;
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

/// When something was changed last.
pub fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|about| about.modified()).ok()
}

fn names_in(directory: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let name = entry?.file_name();
        let name = name.to_str().and_then(|name| name.strip_suffix(".pem"));
        names.extend(name.filter(|name| request::check_name(name).is_ok()).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}
