//! A new authority, and the certificate of the server itself.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use kukla::syntax::{Problem, ProblemKind};
use num_bigint::BigUint;

use super::audit::Actor;
use super::certificate::{Certificate, Draft, authority_extensions, identifier_of, named};
use super::crl::{self, Crl};
use super::keys::{Key, random};
use super::time::{self, DAY};
use super::token_uri::TokenUri;
use super::{Authority, CertificateOptions, Layout, Practice, Refusal};
use crate::files::{make_directory, read_if_there, write_whole};

/// The validity of the certificates of authorities.
pub(super) const AUTHORITY_LIFETIME: Duration = Duration::from_secs(15 * 365 * 24 * 60 * 60);
/// The validity of the root, which outlives the authorities below it so that it can renew them.
const ROOT_LIFETIME: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Where the files of a node's own certificate are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFiles {
    /// The directory of all of them.
    pub ssldir: PathBuf,
    /// The node's name.
    pub certname: String,
}

impl HostFiles {
    /// Its certificate.
    pub fn certificate(&self) -> PathBuf {
        self.ssldir.join("certs").join(format!("{}.pem", self.certname))
    }

    /// Its private key.
    pub fn key(&self) -> PathBuf {
        self.ssldir.join("private_keys").join(format!("{}.pem", self.certname))
    }

    /// Its public key.
    pub fn public_key(&self) -> PathBuf {
        self.ssldir.join("public_keys").join(format!("{}.pem", self.certname))
    }

    /// The authorities it trusts.
    pub fn authorities(&self) -> PathBuf {
        self.ssldir.join("certs").join("ca.pem")
    }

    /// Their revocation lists.
    pub fn crl(&self) -> PathBuf {
        self.ssldir.join("crl.pem")
    }
}

/// The choices for a new authority.
#[derive(Clone, Debug, Default)]
pub struct NewAuthority {
    /// The directory of the root, which can be kept offline; by default that of the authority.
    pub offline_root: Option<PathBuf>,
    /// The token in which the key of the authority is, or will be generated; by default it is in a file.
    pub token: Option<TokenUri>,
}

/// Makes a new authority: a root, and one below it that signs.
pub fn make(layout: &Layout, practice: Practice, name: &str) -> Result<Authority, Refusal> {
    make_as(&NewAuthority::default(), layout, practice, name)
}

/// Makes a new authority as chosen.
pub fn make_as(
    choice: &NewAuthority,
    layout: &Layout,
    practice: Practice,
    name: &str,
) -> Result<Authority, Refusal> {
    let root_directory = choice.offline_root.as_deref().unwrap_or(&layout.directory);
    if choice.offline_root.is_some() {
        if root_directory.starts_with(&layout.directory) {
            return Err(Refusal::rule("an offline root cannot be in the directory of the authority"));
        }
        let taken = ["root_key.pem", "root_crt.pem"].map(|name| root_directory.join(name));
        if let Some(path) = taken.iter().find(|path| path.exists()) {
            return Err(already_exists(path));
        }
    }
    let taken = [&layout.certificate, &layout.key, &layout.crl, &layout.serial, &layout.inventory];
    if let Some(path) = taken.into_iter().find(|path| path.exists()) {
        return Err(already_exists(path));
    }
    let kind = practice.keys;
    let (root_key, key) = thread::scope(|scope| {
        let other = scope.spawn(move || Key::generate(kind));
        let own = match &choice.token {
            Some(uri) => Key::in_token(uri, Some(kind)),
            None => Key::generate(kind),
        };
        let other = other.join().unwrap_or_else(|_| Err(Problem::other("cannot generate a private key")));
        other.and_then(|other| Ok((other, own?)))
    })?;
    let hex: String = random::<7>().iter().map(|byte| format!("{byte:02x}")).collect();
    let root = authority(&format!("Puppet Root CA: {hex}"), 1, &root_key, None)?;
    let signing = authority(&format!("Puppet CA: {name}"), 2, &key, Some((&root, &root_key)))?;
    let now = time::now();
    let lists = [Crl::empty(&signing, &key, now)?, Crl::empty(&root, &root_key, now)?];
    make_directory(&layout.directory, 0o755)?;
    make_directory(&layout.signed, 0o755)?;
    make_directory(&layout.requests, 0o755)?;
    let chain = format!("{}{}", signing.to_pem(), root.to_pem());
    if choice.offline_root.is_none() {
        write_whole(&layout.root_key(), root_key.to_pem().as_bytes(), 0o640)?;
    } else {
        make_directory(root_directory, 0o700)?;
        write_whole(&root_directory.join("root_crt.pem"), root.to_pem().as_bytes(), 0o644)?;
        write_whole(&root_directory.join("root_crl.pem"), lists[1].to_pem().as_bytes(), 0o644)?;
        write_whole(&root_directory.join("root_key.pem"), root_key.to_pem().as_bytes(), 0o600)?;
    }
    write_whole(&layout.public_key, key.public_pem()?.as_bytes(), 0o644)?;
    write_whole(&layout.inventory, b"", 0o644)?;
    write_whole(&layout.infra_nodes(), format!("{name}\n").as_bytes(), 0o644)?;
    write_whole(&layout.infra_serials(), b"", 0o644)?;
    write_whole(&layout.infra_crl(), crl::bundle(&lists).as_bytes(), 0o644)?;
    write_whole(&layout.serial, b"0001", 0o644)?;
    write_whole(&layout.crl, crl::bundle(&lists).as_bytes(), 0o644)?;
    write_whole(&layout.certificate, chain.as_bytes(), 0o644)?;
    // The key comes last: without it the directory is not an authority, which the next run reports.
    write_whole(&layout.key, key.to_pem().as_bytes(), 0o640)?;
    Authority::open(layout.clone(), practice)
}

/// The refusal to replace an authority.
pub(super) fn already_exists(path: &Path) -> Refusal {
    Refusal::Rule(
        Problem::new(ProblemKind::Conflict, "the certificate authority already exists")
            .because(format_args!("found {}; nothing was changed", path.display())),
    )
}

fn authority(
    name: &str,
    serial: u32,
    key: &Key,
    issuer: Option<(&Certificate, &Key)>,
) -> Result<Certificate, Refusal> {
    let public_key = key.public()?;
    let identifier = identifier_of(issuer.map_or(&public_key, |(issuer, _)| issuer.public_key()));
    let now = time::now();
    let draft = Draft {
        subject: named(name)?,
        extensions: authority_extensions(&public_key, &identifier)?,
        public_key,
        serial: BigUint::from(serial),
        not_before: now - DAY,
        not_after: now + if issuer.is_some() { AUTHORITY_LIFETIME } else { ROOT_LIFETIME },
    };
    let subject = draft.subject.clone();
    Ok(match issuer {
        Some((issuer, issuer_key)) => draft.sign(issuer.subject(), issuer_key)?,
        None => draft.sign(&subject, key)?,
    })
}

/// Makes the certificate of the server itself, which may manage the certificates of others; an existing one stays.
pub fn make_host(
    authority: &Authority,
    host: &HostFiles,
    alt_names: &[String],
) -> Result<Certificate, Refusal> {
    if let (Some(certificate), true) = (read_if_there(&host.certificate())?, host.key().exists()) {
        publish(authority, host)?;
        return Ok(Certificate::from_pem(&certificate)?);
    }
    let mut names = alt_names.to_vec();
    if names.is_empty() {
        names.push("puppet".to_owned());
    }
    let options = CertificateOptions {
        alt_names: names,
        extensions: vec![("pp_cli_auth".to_owned(), "true".to_owned())],
        lifetime: None,
    };
    let (key, certificate) = authority.generate(&host.certname, &options)?;
    write_host(host, &key, &certificate)?;
    publish(authority, host)?;
    Ok(certificate)
}

/// Writes the key and the certificate of a node where the node looks for them.
pub fn write_host(host: &HostFiles, key: &Key, certificate: &Certificate) -> Result<(), Refusal> {
    make_directory(&host.ssldir, 0o771)?;
    for (name, mode) in [("certs", 0o755), ("public_keys", 0o755), ("private_keys", 0o750)] {
        make_directory(&host.ssldir.join(name), mode)?;
    }
    write_whole(&host.key(), key.to_pem().as_bytes(), 0o640)?;
    write_whole(&host.public_key(), key.public_pem()?.as_bytes(), 0o644)?;
    write_whole(&host.certificate(), certificate.to_pem().as_bytes(), 0o644)?;
    Ok(())
}

/// Puts the authority's certificates and lists where the server's own agent looks for them. Only certificates and lists are written, since
/// everyone may read the copies.
pub fn publish(authority: &Authority, host: &HostFiles) -> Result<(), Refusal> {
    make_directory(&host.ssldir.join("certs"), 0o755)?;
    let certificates: String = authority.chain().iter().map(Certificate::to_pem).collect();
    let lists = crl::bundle(&authority.crls()?);
    for (text, to) in [(certificates, host.authorities()), (lists, host.crl())] {
        if read_if_there(&to)?.as_deref() != Some(text.as_bytes()) {
            write_whole(&to, text.as_bytes(), 0o644)?;
        }
    }
    Ok(())
}

/// The server's certificate is renewed when less of its life is left than this.
const RENEW_HOST_BEFORE: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// Renews the certificate of the server itself if it ends soon; whether it did.
pub fn renew_host(authority: &Authority, host: &HostFiles) -> Result<bool, Refusal> {
    let Some(bytes) = read_if_there(&host.certificate())? else { return Ok(false) };
    let old = Certificate::from_pem(&bytes)?;
    let lasted = old.not_after().duration_since(old.not_before()).unwrap_or_default();
    let before = RENEW_HOST_BEFORE.min(lasted / 3);
    if !authority.has_signed(&old) || old.not_after() > time::now() + before {
        return Ok(false);
    }
    let new = authority.renew(&old, &Actor::local())?;
    write_whole(&host.certificate(), new.to_pem().as_bytes(), 0o644)?;
    Ok(true)
}
