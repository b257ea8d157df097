//! Certificates: what they say, and how new ones are made.

use std::time::SystemTime;

use der::asn1::{AnyRef, Ia5StringRef, ObjectIdentifier, OctetString, SetOfVec, Utf8StringRef};
use der::oid::AssociatedOid as _;
use der::{Decode, Encode, Tag};
use kukla::syntax::Problem;
use num_bigint::BigUint;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use sha1::{Digest, Sha1};
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages, SubjectAltName,
    SubjectKeyIdentifier,
};
use x509_cert::ext::{AsExtension, Extension};
use x509_cert::name::{Name, RdnSequence, RelativeDistinguishedName};
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::SubjectPublicKeyInfoOwned;
use x509_cert::time::Validity;
use x509_cert::{TbsCertificate, Version};

use super::keys::{Key, pem};
use super::{oids, time, unencodable};

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const ALT_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");
const KEY_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.14");
const ISSUER_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.35");
const SERVER_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
const CLIENT_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2");

/// The comment that Puppet writes into every certificate.
const COMMENT: &str = "Puppet Server Internal Certificate";

/// A certificate.
#[derive(Clone, Debug)]
pub struct Certificate {
    der: Vec<u8>,
    content: x509_cert::Certificate,
}

impl Certificate {
    /// Reads a certificate from DER.
    pub fn from_der(der: &[u8]) -> Result<Certificate, Problem> {
        let content = x509_cert::Certificate::from_der(der).map_err(malformed)?;
        Ok(Certificate { der: der.to_vec(), content })
    }

    /// Reads the first certificate of a PEM text.
    pub fn from_pem(text: &[u8]) -> Result<Certificate, Problem> {
        let der = CertificateDer::from_pem_slice(text).map_err(malformed)?;
        Certificate::from_der(&der)
    }

    /// Reads all certificates of a PEM text.
    pub fn all_from_pem(text: &[u8]) -> Result<Vec<Certificate>, Problem> {
        let all = CertificateDer::pem_slice_iter(text);
        all.map(|der| Certificate::from_der(&der.map_err(malformed)?)).collect()
    }

    /// The certificate as a file.
    pub fn to_pem(&self) -> String {
        pem("CERTIFICATE", &self.der)
    }

    /// The certificate in DER.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The name of its subject: a node's certname.
    pub fn common_name(&self) -> Option<String> {
        common_name(&self.content.tbs_certificate.subject)
    }

    /// The subject, all of it.
    pub fn subject(&self) -> &Name {
        &self.content.tbs_certificate.subject
    }

    /// The subject of the certificate that signed it.
    pub fn issuer(&self) -> &Name {
        &self.content.tbs_certificate.issuer
    }

    /// Its serial number.
    pub fn serial(&self) -> BigUint {
        BigUint::from_bytes_be(self.content.tbs_certificate.serial_number.as_bytes())
    }

    /// From when it is valid.
    pub fn not_before(&self) -> SystemTime {
        time::from_x509(self.content.tbs_certificate.validity.not_before)
    }

    /// Until when it is valid.
    pub fn not_after(&self) -> SystemTime {
        time::from_x509(self.content.tbs_certificate.validity.not_after)
    }

    /// The key it is for.
    pub fn public_key(&self) -> &SubjectPublicKeyInfoOwned {
        &self.content.tbs_certificate.subject_public_key_info
    }

    /// Its extensions.
    pub fn extensions(&self) -> &[Extension] {
        self.content.tbs_certificate.extensions.as_deref().unwrap_or_default()
    }

    /// Whether it may sign others.
    pub fn is_authority(&self) -> bool {
        let found = self.extensions().iter().find(|each| each.extn_id == BasicConstraints::OID);
        found.is_some_and(|each| {
            BasicConstraints::from_der(each.extn_value.as_bytes()).is_ok_and(|constraints| constraints.ca)
        })
    }

    /// The number of the key it is for, as it says.
    pub fn key_identifier(&self) -> Option<Vec<u8>> {
        let found = self.extensions().iter().find(|each| each.extn_id == KEY_IDENTIFIER)?;
        let identifier = SubjectKeyIdentifier::from_der(found.extn_value.as_bytes()).ok()?;
        Some(identifier.0.as_bytes().to_vec())
    }

    /// The number of the key that signed it, as it says.
    pub fn issuer_identifier(&self) -> Option<Vec<u8>> {
        let found = self.extensions().iter().find(|each| each.extn_id == ISSUER_IDENTIFIER)?;
        let identifier = AuthorityKeyIdentifier::from_der(found.extn_value.as_bytes()).ok()?;
        Some(identifier.key_identifier?.as_bytes().to_vec())
    }

    /// Whether it was signed with the private half of this key.
    pub fn is_signed_by(&self, key: &SubjectPublicKeyInfoOwned) -> bool {
        let Ok(message) = self.content.tbs_certificate.to_der() else { return false };
        super::keys::is_signed_by(key, &self.content.signature_algorithm, &message, &self.content.signature)
    }

    /// Whether this is the certificate of the issuer of another one.
    pub fn has_signed(&self, other: &Certificate) -> bool {
        other.issuer() == self.subject() && other.is_signed_by(self.public_key())
    }

    /// Whether its subject is its own issuer, as that of a root.
    pub fn is_root(&self) -> bool {
        self.issuer() == self.subject()
    }
}

fn malformed(error: impl std::fmt::Display) -> Problem {
    Problem::invalid("invalid certificate").because(error)
}

/// The content of a new certificate.
#[derive(Debug)]
pub struct Draft {
    /// Whom it is for.
    pub subject: Name,
    /// The key it is for.
    pub public_key: SubjectPublicKeyInfoOwned,
    /// Its number.
    pub serial: BigUint,
    /// From when it is valid.
    pub not_before: SystemTime,
    /// Until when it is valid.
    pub not_after: SystemTime,
    /// Its extensions.
    pub extensions: Vec<Extension>,
}

impl Draft {
    /// Signs it.
    pub fn sign(self, issuer: &Name, key: &Key) -> Result<Certificate, Problem> {
        let content = self.content(issuer, key)?;
        let message = content.to_der().map_err(unencodable)?;
        let whole = x509_cert::Certificate {
            tbs_certificate: content,
            signature_algorithm: key.algorithm()?,
            signature: key.sign(&message)?,
        };
        Certificate::from_der(&whole.to_der().map_err(unencodable)?)
    }

    fn content(self, issuer: &Name, key: &Key) -> Result<TbsCertificate, Problem> {
        Ok(TbsCertificate {
            version: Version::V3,
            serial_number: serial_number(&self.serial)?,
            signature: key.algorithm()?,
            issuer: issuer.clone(),
            validity: Validity {
                not_before: time::to_x509(self.not_before)?,
                not_after: time::to_x509(self.not_after)?,
            },
            subject: self.subject,
            subject_public_key_info: self.public_key,
            issuer_unique_id: None,
            subject_unique_id: None,
            extensions: Some(self.extensions),
        })
    }
}

/// A number as certificates have it.
pub fn serial_number(serial: &BigUint) -> Result<SerialNumber, Problem> {
    SerialNumber::new(&serial.to_bytes_be()).map_err(|error| {
        Problem::invalid("invalid serial number").on(format_args!("{serial:X}")).because(error)
    })
}

/// The extensions of every certificate of a node, besides those that its request asks for.
pub fn node_extensions(key: &SubjectPublicKeyInfoOwned, issuer: &[u8]) -> Result<Vec<Extension>, Problem> {
    let usage = KeyUsage(KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment);
    Ok(vec![
        comment()?,
        critical(&BasicConstraints { ca: false, path_len_constraint: None })?,
        critical(&ExtendedKeyUsage(vec![SERVER_AUTH, CLIENT_AUTH]))?,
        critical(&usage)?,
        key_identifier_of(key)?,
        issuer_identifier_of(issuer)?,
    ])
}

/// The extensions of the certificate of an authority.
pub fn authority_extensions(
    key: &SubjectPublicKeyInfoOwned,
    issuer: &[u8],
) -> Result<Vec<Extension>, Problem> {
    Ok(vec![
        comment()?,
        critical(&BasicConstraints { ca: true, path_len_constraint: None })?,
        critical(&KeyUsage(KeyUsages::KeyCertSign | KeyUsages::CRLSign))?,
        key_identifier_of(key)?,
        issuer_identifier_of(issuer)?,
    ])
}

/// An extension in place of that with the same number.
pub fn put(extensions: &mut Vec<Extension>, new: Extension) {
    match extensions.iter_mut().find(|each| each.extn_id == new.extn_id) {
        Some(old) => *old = new,
        None => extensions.push(new),
    }
}

/// The number of a key, made the usual way.
pub fn identifier_of(key: &SubjectPublicKeyInfoOwned) -> Vec<u8> {
    Sha1::digest(key.subject_public_key.raw_bytes()).to_vec()
}

fn key_identifier_of(key: &SubjectPublicKeyInfoOwned) -> Result<Extension, Problem> {
    let identifier = OctetString::new(identifier_of(key)).map_err(unencodable)?;
    plain(&SubjectKeyIdentifier(identifier))
}

/// The extension that tells which key signed.
pub fn issuer_identifier_of(identifier: &[u8]) -> Result<Extension, Problem> {
    let identifier = OctetString::new(identifier).map_err(unencodable)?;
    plain(&AuthorityKeyIdentifier { key_identifier: Some(identifier), ..AuthorityKeyIdentifier::default() })
}

fn comment() -> Result<Extension, Problem> {
    let text = Ia5StringRef::new(COMMENT).and_then(|text| text.to_der()).map_err(unencodable)?;
    raw(oids::NETSCAPE_COMMENT, false, text)
}

/// An extension of Puppet's with a text in it.
pub fn text_extension(oid: ObjectIdentifier, text: &str) -> Result<Extension, Problem> {
    let value = Utf8StringRef::new(text).and_then(|text| text.to_der()).map_err(unencodable)?;
    raw(oid, false, value)
}

/// The extension with the names that a certificate is valid for.
pub fn alt_names_extension(names: Vec<GeneralName>) -> Result<Extension, Problem> {
    let value = SubjectAltName(names).to_der().map_err(unencodable)?;
    raw(ALT_NAME, false, value)
}

fn plain<E: AsExtension>(value: &E) -> Result<Extension, Problem> {
    raw(E::OID, false, value.to_der().map_err(unencodable)?)
}

fn critical<E: AsExtension>(value: &E) -> Result<Extension, Problem> {
    raw(E::OID, true, value.to_der().map_err(unencodable)?)
}

fn raw(oid: ObjectIdentifier, critical: bool, value: Vec<u8>) -> Result<Extension, Problem> {
    let extn_value = OctetString::new(value).map_err(unencodable)?;
    Ok(Extension { extn_id: oid, critical, extn_value })
}

/// The names that extensions say a certificate is valid for.
pub fn alt_names(extensions: &[Extension]) -> Result<Vec<GeneralName>, Problem> {
    let Some(found) = extensions.iter().find(|each| each.extn_id == ALT_NAME) else { return Ok(Vec::new()) };
    let names = SubjectAltName::from_der(found.extn_value.as_bytes());
    names
        .map(|names| names.0)
        .map_err(|error| Problem::invalid("invalid subject alternative names").because(error))
}

/// A name with its kind, as Puppet writes it: `DNS:web1.example.com`, `IP:10.0.0.1`.
pub fn shown(name: &GeneralName) -> String {
    match name {
        GeneralName::DnsName(name) => format!("DNS:{name}"),
        GeneralName::IpAddress(bytes) => match (<[u8; 4]>::try_from(bytes.as_bytes()), bytes.as_bytes()) {
            (Ok(v4), _) => format!("IP:{}", std::net::Ipv4Addr::from(v4)),
            (_, other) => match <[u8; 16]>::try_from(other) {
                Ok(v6) => format!("IP:{}", std::net::Ipv6Addr::from(v6)),
                Err(_) => "IP:?".to_owned(),
            },
        },
        GeneralName::Rfc822Name(name) => format!("email:{name}"),
        GeneralName::UniformResourceIdentifier(name) => format!("URI:{name}"),
        _ => "other".to_owned(),
    }
}

/// Puppet's own extensions as texts, by number.
pub fn puppet_extensions(extensions: &[Extension]) -> Vec<(ObjectIdentifier, String)> {
    let own = extensions.iter().filter(|each| oids::is_puppets(each.extn_id));
    own.map(|each| (each.extn_id, text_of(each.extn_value.as_bytes()))).collect()
}

/// The text in an extension; one that is not encoded counts as it is.
fn text_of(value: &[u8]) -> String {
    let text = AnyRef::from_der(value).ok().and_then(|any| text_in(&any));
    text.unwrap_or_else(|| String::from_utf8_lossy(value).into_owned())
}

/// The text of any of the kinds of strings that ASN.1 has.
pub fn text_in(any: &AnyRef<'_>) -> Option<String> {
    match der::Tagged::tag(any) {
        Tag::Utf8String | Tag::PrintableString | Tag::Ia5String | Tag::TeletexString | Tag::VisibleString => {
            String::from_utf8(any.value().to_vec()).ok()
        }
        _ => None,
    }
}

/// The common name of a subject; one that has several, or none, has no name.
pub fn common_name(name: &Name) -> Option<String> {
    let all = name.0.iter().flat_map(|part| part.0.iter());
    let mut names = all.filter(|attribute| attribute.oid == COMMON_NAME);
    let only = names.next().filter(|_| names.next().is_none())?;
    text_in(&AnyRef::from(&only.value))
}

/// The subject with another common name and all else as it was.
pub fn renamed(subject: &Name, common_name: &str) -> Result<Name, Problem> {
    let mut parts = subject.0.clone();
    for part in &mut parts {
        let mut attributes = part.0.clone().into_vec();
        for attribute in attributes.iter_mut().filter(|attribute| attribute.oid == COMMON_NAME) {
            let value = Utf8StringRef::new(common_name).map_err(unencodable)?;
            attribute.value = AnyRef::from(value).into();
        }
        part.0 = SetOfVec::try_from(attributes).map_err(unencodable)?;
    }
    Ok(RdnSequence(parts))
}

/// The subject with this common name.
pub fn named(common_name: &str) -> Result<Name, Problem> {
    let value = Utf8StringRef::new(common_name).map_err(unencodable)?;
    let attribute = AttributeTypeAndValue { oid: COMMON_NAME, value: AnyRef::from(value).into() };
    let part = SetOfVec::try_from(vec![attribute]).map_err(unencodable)?;
    Ok(RdnSequence(vec![RelativeDistinguishedName(part)]))
}
