//! Lists of revoked certificates.

use std::collections::HashSet;
use std::time::SystemTime;

use der::asn1::{ObjectIdentifier, OctetString, Uint};
use der::{Decode, Encode};
use kukla::syntax::Problem;
use num_bigint::BigUint;
use rustls::pki_types::CertificateRevocationListDer;
use rustls::pki_types::pem::PemObject;
use x509_cert::Version;
use x509_cert::crl::{CertificateList, RevokedCert, TbsCertList};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::CrlNumber;

use super::certificate::{Certificate, issuer_identifier_of, serial_number};
use super::keys::{Key, is_signed_by, pem};
use super::time::{self, DAY};
use super::unencodable;

const CRL_NUMBER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.20");
const REASON: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.21");
/// The reason that Puppet gives for every revocation, encoded: the key may be known to others.
const KEY_COMPROMISE: [u8; 3] = [0x0a, 0x01, 0x01];
/// For so long a list holds.
const LASTS: u32 = 5 * 365;

/// A list of revoked certificates.
#[derive(Clone, Debug)]
pub struct Crl {
    der: Vec<u8>,
    content: CertificateList,
}

impl Crl {
    /// Reads a list from DER.
    pub fn from_der(der: &[u8]) -> Result<Crl, Problem> {
        let content = CertificateList::from_der(der).map_err(malformed)?;
        Ok(Crl { der: der.to_vec(), content })
    }

    /// Reads all lists of a PEM text. A text that was cut off is an error, wherever it was cut.
    pub fn all_from_pem(text: &[u8]) -> Result<Vec<Crl>, Problem> {
        let last = text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        if last.starts_with(b"-") && !(last.starts_with(b"-----END ") && last.ends_with(b"-----")) {
            return Err(malformed("the file ends in the middle of a list"));
        }
        let all = CertificateRevocationListDer::pem_slice_iter(text);
        all.map(|der| Crl::from_der(&der.map_err(malformed)?)).collect()
    }

    /// An empty list.
    pub fn empty(issuer: &Certificate, key: &Key, now: SystemTime) -> Result<Crl, Problem> {
        Crl::signed(issuer, key, Vec::new(), &BigUint::ZERO, now)
    }

    /// A list with these numbers in it, in place of one that is lost.
    pub fn numbered(
        issuer: &Certificate,
        key: &Key,
        serials: &[BigUint],
        number: &BigUint,
        now: SystemTime,
    ) -> Result<Crl, Problem> {
        Crl::signed(issuer, key, Vec::new(), number, now)?.with(issuer, key, serials, now)
    }

    /// The list with more numbers in it, valid from now on.
    pub fn with(
        &self,
        issuer: &Certificate,
        key: &Key,
        serials: &[BigUint],
        now: SystemTime,
    ) -> Result<Crl, Problem> {
        let mut revoked = self.content.tbs_cert_list.revoked_certificates.clone().unwrap_or_default();
        let known: HashSet<BigUint> = self.serials().collect();
        for serial in serials.iter().filter(|serial| !known.contains(serial)) {
            let extn_value = OctetString::new(KEY_COMPROMISE).map_err(unencodable)?;
            revoked.push(RevokedCert {
                serial_number: serial_number(serial)?,
                revocation_date: time::to_x509(now)?,
                crl_entry_extensions: Some(vec![Extension { extn_id: REASON, critical: false, extn_value }]),
            });
        }
        Crl::signed(issuer, key, revoked, &(self.number() + 1_u32), now)
    }

    fn signed(
        issuer: &Certificate,
        key: &Key,
        revoked: Vec<RevokedCert>,
        number: &BigUint,
        now: SystemTime,
    ) -> Result<Crl, Problem> {
        let identifier =
            issuer.key_identifier().unwrap_or_else(|| super::certificate::identifier_of(issuer.public_key()));
        let number = Uint::new(&number.to_bytes_be()).and_then(|number| CrlNumber(number).to_der());
        let extn_value = number.and_then(OctetString::new).map_err(unencodable)?;
        let list = TbsCertList {
            version: Version::V2,
            signature: key.algorithm()?,
            issuer: issuer.subject().clone(),
            // Clocks of agents need not be right to the minute.
            this_update: time::to_x509(now - DAY)?,
            next_update: Some(time::to_x509(now + DAY * LASTS)?),
            revoked_certificates: (!revoked.is_empty()).then_some(revoked),
            crl_extensions: Some(vec![
                issuer_identifier_of(&identifier)?,
                Extension { extn_id: CRL_NUMBER, critical: false, extn_value },
            ]),
        };
        let message = list.to_der().map_err(unencodable)?;
        let whole = CertificateList {
            tbs_cert_list: list,
            signature_algorithm: key.algorithm()?,
            signature: key.sign(&message)?,
        };
        Crl::from_der(&whole.to_der().map_err(unencodable)?)
    }

    /// The list as a file.
    pub fn to_pem(&self) -> String {
        pem("X509 CRL", &self.der)
    }

    /// The list in DER.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The authority that issued it.
    pub fn issuer(&self) -> &x509_cert::name::Name {
        &self.content.tbs_cert_list.issuer
    }

    /// Whether it is that of this authority.
    pub fn is_of(&self, issuer: &Certificate) -> bool {
        let Ok(message) = self.content.tbs_cert_list.to_der() else { return false };
        self.issuer() == issuer.subject()
            && is_signed_by(
                issuer.public_key(),
                &self.content.signature_algorithm,
                &message,
                &self.content.signature,
            )
    }

    /// The numbers in it.
    pub fn serials(&self) -> impl Iterator<Item = BigUint> {
        let all = self.content.tbs_cert_list.revoked_certificates.iter().flatten();
        all.map(|each| BigUint::from_bytes_be(each.serial_number.as_bytes()))
    }

    /// Whether a number is in it.
    pub fn revokes(&self, serial: &BigUint) -> bool {
        self.serials().any(|each| each == *serial)
    }

    /// Which of its kind it is.
    pub fn number(&self) -> BigUint {
        let extensions = self.content.tbs_cert_list.crl_extensions.iter().flatten();
        let found = extensions.filter(|each| each.extn_id == CRL_NUMBER);
        let number = found.filter_map(|each| CrlNumber::from_der(each.extn_value.as_bytes()).ok()).next();
        number.map(|number| BigUint::from_bytes_be(number.0.as_bytes())).unwrap_or_default()
    }

    /// Until when it holds.
    pub fn next_update(&self) -> Option<SystemTime> {
        self.content.tbs_cert_list.next_update.map(time::from_x509)
    }
}

fn malformed(error: impl std::fmt::Display) -> Problem {
    Problem::invalid("invalid certificate revocation list").because(error)
}

/// Lists as a file, one after the other.
pub fn bundle(lists: &[Crl]) -> String {
    lists.iter().map(Crl::to_pem).collect()
}
