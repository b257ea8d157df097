//! Requests for certificates, and the rules they keep.

use std::net::IpAddr;

use der::asn1::{AnyRef, BitString, ObjectIdentifier, SetOfVec, Utf8StringRef};
use der::{Decode, Encode, Reader, Sequence, SliceReader};
use kukla::syntax::{Problem, ProblemKind};
use rustls::pki_types::CertificateSigningRequestDer;
use rustls::pki_types::pem::PemObject;
use x509_cert::attr::{Attribute, Attributes};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::{Extension, Extensions};
use x509_cert::name::Name;
use x509_cert::request::ExtensionReq;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

use super::certificate::{self, alt_names, named, shown, text_in};
use super::keys::{Key, is_signed_by, pem};
use super::{Refusal, oids, unencodable};

/// How requests ask for extensions: the standard's way, and Microsoft's, which OpenSSL reads as well.
const EXTENSION_REQUESTS: [ObjectIdentifier; 2] = [
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.14"),
    ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.14"),
];
const ALT_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");
const CHALLENGE_PASSWORD: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.7");

/// With its ending, a name must be one that a file can have.
const LONGEST_NAME: usize = 250;

/// Nobody's request is larger.
pub const LARGEST: usize = 64 << 10;

/// A request for a certificate.
#[derive(Clone, Debug)]
pub struct Request {
    der: Vec<u8>,
    content: Content,
}

#[derive(Clone, Debug, Sequence)]
struct Content {
    info: Info,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

#[derive(Clone, Debug, Sequence)]
struct Info {
    /// By the standard 0; what `puppetserver ca generate` sends has 2, and nobody minds.
    version: u8,
    subject: Name,
    public_key: SubjectPublicKeyInfoOwned,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT")]
    attributes: Attributes,
}

/// The extensions that requests may ask for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed {
    /// Whether they may ask for other names than their own.
    pub alt_names: bool,
    /// Whether they may ask for extensions that give rights.
    pub authorization: bool,
}

impl Request {
    /// Reads a request.
    pub fn from_pem(text: &[u8]) -> Result<Request, Problem> {
        if text.len() > LARGEST {
            let reason = format!("expected at most {LARGEST} bytes, got {}", text.len());
            return Err(
                Problem::new(ProblemKind::LimitExceeded, "invalid certificate request").because(reason)
            );
        }
        let der = CertificateSigningRequestDer::from_pem_slice(text).map_err(malformed)?;
        let content = Content::from_der(&der).map_err(malformed)?;
        Ok(Request { der: der.to_vec(), content })
    }

    /// Makes a request for a node's own key.
    pub fn new(name: &str, key: &Key, extensions: Vec<Extension>) -> Result<Request, Problem> {
        Request::with_password(named(name)?, key, extensions, None)
    }

    /// Makes a request of any subject, with a challenge password or without.
    pub fn with_password(
        subject: Name,
        key: &Key,
        extensions: Vec<Extension>,
        password: Option<&str>,
    ) -> Result<Request, Problem> {
        let mut attributes = Attributes::new();
        if let Some(password) = password {
            let text = Utf8StringRef::new(password).map_err(unencodable)?;
            let values = SetOfVec::try_from(vec![AnyRef::from(text).into()]).map_err(unencodable)?;
            attributes.insert(Attribute { oid: CHALLENGE_PASSWORD, values }).map_err(unencodable)?;
        }
        if !extensions.is_empty() {
            let requested = ExtensionReq(extensions).try_into().map_err(unencodable)?;
            attributes.insert(requested).map_err(unencodable)?;
        }
        let info = Info { version: 0, subject, public_key: key.public()?, attributes };
        let message = info.to_der().map_err(unencodable)?;
        let content = Content { info, algorithm: key.algorithm()?, signature: key.sign(&message)? };
        let der = content.to_der().map_err(unencodable)?;
        Ok(Request { der, content })
    }

    /// The request as a file.
    pub fn to_pem(&self) -> String {
        pem("CERTIFICATE REQUEST", &self.der)
    }

    /// The request in DER.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// Whom it is for.
    pub fn common_name(&self) -> Option<String> {
        certificate::common_name(&self.content.info.subject)
    }

    /// The subject, all of it.
    pub fn subject(&self) -> &Name {
        &self.content.info.subject
    }

    /// The key it is for.
    pub fn public_key(&self) -> &SubjectPublicKeyInfoOwned {
        &self.content.info.public_key
    }

    /// The extensions it asks for.
    pub fn extensions(&self) -> Result<Vec<Extension>, Problem> {
        let attributes = self.content.info.attributes.iter();
        let mut all = Vec::new();
        for value in attributes
            .filter(|each| EXTENSION_REQUESTS.contains(&each.oid))
            .flat_map(|each| each.values.iter())
        {
            let extensions: Extensions =
                value.decode_as().map_err(|error| Problem::invalid("invalid extensions").because(error))?;
            all.extend(extensions);
        }
        Ok(all)
    }

    /// The challenge password: a secret that its sender shares with the authority, or a one-time token.
    pub fn challenge_password(&self) -> Option<String> {
        let found = self.content.info.attributes.iter().find(|each| each.oid == CHALLENGE_PASSWORD)?;
        text_in(&AnyRef::from(found.values.iter().next()?))
    }

    /// Whether its sender renews certificates by itself.
    pub fn renews(&self) -> bool {
        let found = self.content.info.attributes.iter().find(|each| each.oid == oids::AUTO_RENEW);
        let value = found.and_then(|each| each.values.iter().next());
        value.and_then(|value| text_in(&AnyRef::from(value))).is_some_and(|text| text == "true")
    }

    /// Whether the sender has the private half of the key.
    pub fn is_signed(&self) -> bool {
        let message = || {
            let whole = AnyRef::from_der(&self.der).ok()?;
            SliceReader::new(whole.value()).ok()?.tlv_bytes().ok()
        };
        message().is_some_and(|message| {
            is_signed_by(self.public_key(), &self.content.algorithm, message, &self.content.signature)
        })
    }

    /// Checks that the subject is the one it claims to be from, and a name that a node can have.
    pub fn check_subject(&self, name: &str) -> Result<(), Refusal> {
        let subject = self.common_name().unwrap_or_default();
        if subject != name {
            return Err(Refusal::rule(format!(
                "Instance name \"{}\" does not match requested key \"{}\"",
                printable(&subject),
                printable(name)
            )));
        }
        check_name(name)
    }

    /// Checks all that must hold before it is signed.
    pub fn check(&self, name: &str, allowed: Allowed) -> Result<(), Refusal> {
        self.check_subject(name)?;
        let extensions = self.extensions().map_err(Refusal::Rule)?;
        self.check_alt_names(name, &extensions, allowed)?;
        if !allowed.authorization && extensions.iter().any(|each| oids::gives_rights(each.extn_id)) {
            return Err(Refusal::rule(format!(
                "CSR '{name}' contains an authorization extension, which is disallowed. To allow authorization extensions, set allow-authorization-extensions to true in your ca.conf file. Then restart the server and try signing this certificate again."
            )));
        }
        let is_allowed =
            |oid: ObjectIdentifier| oid == ALT_NAME || (oids::is_puppets(oid) && oid != oids::CLI_AUTH);
        let others: Vec<String> = extensions
            .iter()
            .filter(|each| !is_allowed(each.extn_id))
            .map(|each| each.extn_id.to_string())
            .collect();
        if !others.is_empty() {
            return Err(Refusal::rule(format!(
                "Found extensions that are not permitted: {}",
                others.join(", ")
            )));
        }
        if !self.is_signed() {
            return Err(Refusal::rule(
                "CSR contains a public key that does not correspond to the signing key",
            ));
        }
        Ok(())
    }

    fn check_alt_names(&self, name: &str, extensions: &[Extension], allowed: Allowed) -> Result<(), Refusal> {
        let names = alt_names(extensions).map_err(Refusal::Rule)?;
        let own = format!("DNS:{name}");
        let others: Vec<String> = names.iter().map(shown).filter(|each| *each != own).collect();
        if !allowed.alt_names && !others.is_empty() {
            return Err(Refusal::rule(format!(
                "CSR '{name}' contains extra subject alternative names ({}), which are disallowed. To allow subject alternative names, set allow-subject-alt-names to true in your ca.conf file. Then restart the server and try signing this certificate again.",
                printable(&others.join(", "))
            )));
        }
        if !names.iter().all(|name| matches!(name, GeneralName::DnsName(_) | GeneralName::IpAddress(_))) {
            return Err(Refusal::rule(
                "Only DNS and IP names are allowed in the Subject Alternative Names extension",
            ));
        }
        match others.iter().find(|name| name.contains('*')) {
            Some(wild) => Err(Refusal::rule(format!(
                "Cert subjectAltName contains a wildcard, which is not allowed: {}",
                printable(wild.trim_start_matches("DNS:"))
            ))),
            None => Ok(()),
        }
    }
}

/// A text of a stranger as a terminal may show it: control characters, and those that change the direction of text, are escaped.
pub fn printable(text: &str) -> String {
    let is_harmful = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_harmful(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

fn malformed(error: impl std::fmt::Display) -> Problem {
    Problem::invalid("invalid certificate request").because(error)
}

/// Checks that a certificate may have this name. It becomes the name of a file, so it must not lead out of a directory.
pub fn check_name(name: &str) -> Result<(), Refusal> {
    if name.chars().any(char::is_uppercase) {
        return Err(Refusal::rule("Certificate names must be lower case."));
    }
    if name.contains('*') {
        return Err(Refusal::rule(format!(
            "Subject contains a wildcard, which is not allowed: {}",
            printable(name)
        )));
    }
    // Agents ask for the authority's own certificates by this name, and keep them in its file.
    if name == "ca" {
        return Err(Refusal::rule("The name 'ca' is that of the authority's own certificate"));
    }
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_good = name.starts_with(is_word)
        && !name.ends_with('-')
        && name.len() <= LONGEST_NAME
        && name.split('.').all(|part| part.chars().all(|c| is_word(c) || c == '-' || c == '@'))
        && kukla::certname::check(name).is_ok();
    if is_good { Ok(()) } else { Err(Refusal::rule("Subject hostname format is invalid")) }
}

/// A name that someone wrote, with or without its kind, as a certificate has it.
pub fn alt_name(written: &str) -> Result<GeneralName, Problem> {
    let address = |text: &str| text.parse::<IpAddr>().ok();
    let ip = match written.split_once(':') {
        Some(("IP", rest)) => {
            Some(address(rest).ok_or_else(|| Problem::invalid("invalid IP address").on(rest))?)
        }
        _ => address(written),
    };
    if let Some(ip) = ip {
        let octets = match ip {
            IpAddr::V4(v4) => v4.octets().to_vec(),
            IpAddr::V6(v6) => v6.octets().to_vec(),
        };
        return der::asn1::OctetString::new(octets).map(GeneralName::IpAddress).map_err(unencodable);
    }
    let name = written.strip_prefix("DNS:").unwrap_or(written);
    der::asn1::Ia5String::new(name)
        .map(GeneralName::DnsName)
        .map_err(|error| Problem::invalid("invalid DNS name").on(name).because(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ca::keys::KeyKind;

    #[test]
    fn any_version_is_read_and_signed_as_it_is() {
        let key = Key::generate(KeyKind::Ec).unwrap();
        let mut content = Request::new("web1", &key, Vec::new()).unwrap().content;
        content.info.version = 2;
        content.signature = key.sign(&content.info.to_der().unwrap()).unwrap();
        let request =
            Request::from_pem(pem("CERTIFICATE REQUEST", &content.to_der().unwrap()).as_bytes()).unwrap();
        assert_eq!((request.common_name().as_deref(), request.is_signed()), (Some("web1"), true));
    }
}
