//! An authority whose certificate another one signed: its files are files in and checked first.

use super::certificate::Certificate;
use super::crl::Crl;
use super::keys::Key;
use super::setup::already_exists;
use super::{Authority, Layout, Practice, Refusal, time};
use crate::files::{make_directory, write_whole};

/// The files of an authority to import, in PEM.
#[derive(Clone, Copy, Debug)]
pub struct AuthorityFiles<'a> {
    /// The certificates: the one that signs, and those above it.
    pub certificates: &'a [u8],
    /// The private key of the one that signs.
    pub key: &'a [u8],
    /// The lists of what they have revoked, one for each.
    pub lists: &'a [u8],
}

/// Brings in an authority. Nothing is written unless all of it fits together.
pub fn import(layout: &Layout, practice: Practice, files: AuthorityFiles<'_>) -> Result<Authority, Refusal> {
    for path in [&layout.certificate, &layout.key, &layout.crl] {
        if path.exists() {
            return Err(already_exists(path));
        }
    }
    let chain = Certificate::all_from_pem(files.certificates).map_err(Refusal::Rule)?;
    let key = Key::from_pem(files.key).map_err(Refusal::Rule)?;
    let lists = Crl::all_from_pem(files.lists).map_err(Refusal::Rule)?;
    let signing = ordered(&chain, &key)?;
    for certificate in &signing {
        let name = certificate.common_name().unwrap_or_default();
        if certificate.not_after() < time::now() {
            return Err(Refusal::rule(format!("the certificate of '{name}' has expired")));
        }
        if !lists.iter().any(|list| list.is_of(certificate)) {
            return Err(Refusal::rule(format!("the CRL of '{name}' is missing")));
        }
    }
    make_directory(&layout.directory, 0o755)?;
    make_directory(&layout.signed, 0o755)?;
    make_directory(&layout.requests, 0o755)?;
    let pems: String = signing.iter().map(|each| each.to_pem()).collect();
    let own = |list: &&Crl| list.is_of(signing[0]);
    let first = lists.iter().filter(own).chain(lists.iter().filter(|list| !own(list)));
    let bundle: String = first.map(Crl::to_pem).collect();
    if !layout.serial.exists() {
        write_whole(&layout.serial, b"0001", 0o644)?;
    }
    if !layout.inventory.exists() {
        write_whole(&layout.inventory, b"", 0o644)?;
    }
    write_whole(&layout.public_key, key.public_pem()?.as_bytes(), 0o644)?;
    write_whole(&layout.crl, bundle.as_bytes(), 0o644)?;
    write_whole(&layout.certificate, pems.as_bytes(), 0o644)?;
    write_whole(&layout.key, key.to_pem().as_bytes(), 0o640)?;
    Authority::open(layout.clone(), practice)
}

/// The certificates from the one that signs up to a root.
fn ordered<'c>(chain: &'c [Certificate], key: &Key) -> Result<Vec<&'c Certificate>, Refusal> {
    let public = key.public()?;
    let signing = chain.iter().find(|each| *each.public_key() == public);
    let mut ordered =
        vec![signing.ok_or_else(|| Refusal::rule("none of the certificates belongs to the private key"))?];
    while let Some(last) = ordered.last()
        && last.issuer() != last.subject()
    {
        let above =
            chain.iter().find(|each| each.subject() == last.issuer() && last.is_signed_by(each.public_key()));
        match above {
            Some(above) if !ordered.iter().any(|known| known.der() == above.der()) => ordered.push(above),
            _ => {
                let name = last.common_name().unwrap_or_default();
                return Err(Refusal::rule(format!("the certificate of the issuer of '{name}' is missing")));
            }
        }
    }
    // The key of a root together with certificates below it is the wrong key.
    if let Some(other) = chain.iter().find(|each| !ordered.iter().any(|known| known.der() == each.der())) {
        let name = other.common_name().unwrap_or_default();
        return Err(Refusal::rule(format!(
            "the private key belongs neither to '{name}' nor to a certificate below it"
        )));
    }
    Ok(ordered)
}
