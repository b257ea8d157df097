//! Renewal of the authority's own certificate, by a root whose key may be offline.
//!
//! The key and the name of the authority stay, so certificates and revocation lists that it has signed remain valid. The bundle that agents
//! fetch holds the old and the new certificate until the old one expires.

use std::path::Path;
use std::time::Duration;

use kukla::syntax::Problem;
use num_bigint::BigUint;

use super::audit::Actor;
use super::authority::in_file;
use super::certificate::{Certificate, Draft, authority_extensions, identifier_of};
use super::keys::{Key, random};
use super::request::Request;
use super::setup::AUTHORITY_LIFETIME;
use super::time::{self, DAY};
use super::{Authority, Refusal};
use crate::files::{read, read_if_there, write_whole};

/// Signs the request of an authority with the key of its root: `root_key.pem` and `root_crt.pem` of a directory.
pub fn sign_request(root: &Path, request: &[u8], lifetime: Option<Duration>) -> Result<Certificate, Refusal> {
    let (key_file, certificate_file) = (root.join("root_key.pem"), root.join("root_crt.pem"));
    let key = Key::from_pem(&read(&key_file)?).map_err(in_file(&key_file))?;
    let certificate = Certificate::from_pem(&read(&certificate_file)?).map_err(in_file(&certificate_file))?;
    if *certificate.public_key() != key.public()? {
        return Err(Refusal::rule("root_key.pem is not the key of root_crt.pem"));
    }
    let request = Request::from_pem(request).map_err(Refusal::Rule)?;
    if !request.is_signed() {
        return Err(Refusal::rule("CSR contains a public key that does not correspond to the signing key"));
    }
    renewed(&request, &certificate, &key, lifetime)
}

fn renewed(
    request: &Request,
    issuer: &Certificate,
    key: &Key,
    lifetime: Option<Duration>,
) -> Result<Certificate, Refusal> {
    let now = time::now();
    let is_own = issuer.public_key() == request.public_key();
    let end = now
        .checked_add(lifetime.unwrap_or(AUTHORITY_LIFETIME))
        .ok_or_else(|| Refusal::rule("the certificate would never expire; choose a shorter validity"))?;
    let mut serial = random::<16>();
    serial[0] = (serial[0] & 0x7f) | 1;
    let draft = Draft {
        subject: request.subject().clone(),
        extensions: authority_extensions(request.public_key(), &identifier_of(issuer.public_key()))?,
        public_key: request.public_key().clone(),
        serial: BigUint::from_bytes_be(&serial),
        not_before: now - DAY,
        // A root renews itself; any other certificate ends with its issuer's at the latest.
        not_after: if is_own { end } else { end.min(issuer.not_after()) },
    };
    Ok(draft.sign(issuer.subject(), key)?)
}

impl Authority {
    /// The request for a new certificate of the authority, for the same key and name.
    pub fn own_request(&self) -> Result<Request, Refusal> {
        Ok(Request::with_password(self.certificate.subject().clone(), &self.key, Vec::new(), None)?)
    }

    /// Renews the certificate where the key of the root is at hand: in `root_key.pem`, or because the authority is its own root.
    pub fn renew_own(&self, by: &Actor) -> Result<Certificate, Refusal> {
        let request = self.own_request()?;
        if self.certificate.issuer() == self.certificate.subject() {
            return self.import_own(&renewed(&request, &self.certificate, &self.key, None)?, by);
        }
        let file = self.layout.directory.join("root_key.pem");
        let Some(bytes) = read_if_there(&file)? else {
            return Err(Refusal::Rule(
                Problem::not_found("the key of the root is not here")
                    .because(format_args!("{} not found", file.display()))
                    .help("write a request with `kukla ca rotate --request FILE`, sign it where the key is with `kukla ca rotate --sign FILE --offline-root DIR`, and import the result with --import"),
            ));
        };
        let key = Key::from_pem(&bytes).map_err(in_file(&file))?;
        let public = key.public()?;
        let root = self.chain.iter().find(|each| *each.public_key() == public);
        let root =
            root.ok_or_else(|| Refusal::rule("root_key.pem is not the key of a certificate of the bundle"))?;
        self.import_own(&renewed(&request, root, &key, None)?, by)
    }

    /// Takes over a new certificate of the authority, if it is for the same key and name, signed by an issuer of the bundle, and valid for longer.
    pub fn import_own(&self, new: &Certificate, by: &Actor) -> Result<Certificate, Refusal> {
        let now = time::now();
        let issuer = self
            .chain
            .iter()
            .find(|each| new.issuer() == each.subject() && new.is_signed_by(each.public_key()));
        let reason = if new.public_key() != self.certificate.public_key() {
            Some("it is for another key")
        } else if new.subject() != self.certificate.subject() {
            Some("it is for another name")
        } else if issuer.is_none() {
            Some("no certificate of the bundle has signed it")
        } else if !new.is_authority() {
            Some("it is not the certificate of an authority")
        } else if new.not_before() > now {
            Some("it is not valid yet")
        } else if new.not_after() <= self.certificate.not_after() {
            Some("it does not expire later than the present one")
        } else {
            None
        };
        if let Some(reason) = reason {
            return Err(Refusal::Rule(Problem::invalid("cannot use the new certificate").because(reason)));
        }
        let _lock = self.lock()?;
        self.record_management("renewed the certificate of the authority", by)?;
        // Agents that have only the old certificate still trust what it has signed.
        let old = self.chain.iter().filter(|each| each.not_after() > now && each.der() != new.der());
        let bundle: String = std::iter::once(new).chain(old).map(Certificate::to_pem).collect();
        write_whole(&self.layout.certificate, bundle.as_bytes(), 0o644)?;
        Ok(new.clone())
    }
}
