//! Private keys: read in every form that OpenSSL writes, made, and signed with; signatures of others verified.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use der::asn1::{Any, AnyRef, BitString, ObjectIdentifier};
use der::{Decode, Encode};
use kukla::syntax::Problem;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair};
use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::rand_core::{CryptoRng, RngCore};
use rustls::SignatureScheme;
use rustls::crypto::ring::{default_provider, sign::any_supported_type};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs1KeyDer, PrivatePkcs8KeyDer};
use rustls::sign::{CertifiedKey, SigningKey};
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

#[cfg(feature = "pkcs11")]
use super::pkcs11::TokenKey;
use super::token_uri::TokenUri;
use super::unencodable;

/// A private key.
#[derive(Clone, Debug)]
pub struct Key {
    source: KeySource,
    signing: Arc<dyn SigningKey>,
}

/// Where a private key is.
#[derive(Clone, Debug)]
enum KeySource {
    Memory(Arc<PrivateKeyDer<'static>>),
    #[cfg(feature = "pkcs11")]
    Token(TokenUri),
}

/// The bits of RSA keys, if no setting says otherwise.
pub const DEFAULT_RSA_BITS: usize = 4096;

/// The kind of a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// RSA with this number of bits, as Puppet uses it.
    Rsa(usize),
    /// The curve P-256: quick to make and small.
    Ec,
}

/// How each kind of key signs, the wanted first.
const SCHEMES: [(SignatureScheme, &str, bool); 5] = [
    (SignatureScheme::RSA_PKCS1_SHA256, "1.2.840.113549.1.1.11", true),
    (SignatureScheme::ECDSA_NISTP256_SHA256, "1.2.840.10045.4.3.2", false),
    (SignatureScheme::ECDSA_NISTP384_SHA384, "1.2.840.10045.4.3.3", false),
    (SignatureScheme::ECDSA_NISTP521_SHA512, "1.2.840.10045.4.3.4", false),
    (SignatureScheme::ED25519, "1.3.101.112", false),
];

impl Key {
    /// Reads the first private key of a PEM text: PKCS#1, PKCS#8 or SEC1; or finds the key that a [URI](TokenUri) names.
    pub fn from_pem(pem: &[u8]) -> Result<Key, Problem> {
        let text = String::from_utf8_lossy(pem);
        if text.starts_with(TokenUri::SCHEME) {
            return Key::in_token(&TokenUri::parse(&text)?, None);
        }
        if text.contains("ENCRYPTED") {
            return Err(Problem::invalid("the private key is encrypted")
                .help("decrypt it with `openssl pkey -in KEY -out KEY`"));
        }
        let der = PrivateKeyDer::from_pem_slice(pem)
            .map_err(|error| Problem::invalid("invalid private key").because(error))?;
        Key::from_der(der)
    }

    fn from_der(der: PrivateKeyDer<'static>) -> Result<Key, Problem> {
        let signing = any_supported_type(&der).map_err(|_| {
            Problem::invalid("unsupported kind of private key")
                .help("RSA with 2048 to 4096 bits, P-256, P-384 and Ed25519 are supported")
        })?;
        Ok(Key { source: KeySource::Memory(Arc::new(der)), signing })
    }

    /// The key in a token. If it is not there and a kind is given, it is generated there.
    #[cfg(feature = "pkcs11")]
    pub fn in_token(uri: &TokenUri, kind: Option<KeyKind>) -> Result<Key, Problem> {
        let signing = match kind {
            Some(kind) => TokenKey::find_or_generate(uri, kind)?,
            None => TokenKey::find(uri)?,
        };
        Ok(Key { source: KeySource::Token(uri.clone()), signing: Arc::new(signing) })
    }

    /// The key in a token, which this build cannot use.
    #[cfg(not(feature = "pkcs11"))]
    pub fn in_token(_: &TokenUri, _: Option<KeyKind>) -> Result<Key, Problem> {
        Err(Problem::invalid("this `kukla` cannot use keys in tokens (PKCS#11)")
            .help("build one for a dynamic target with `--features pkcs11`"))
    }

    /// Makes a new key.
    pub fn generate(kind: KeyKind) -> Result<Key, Problem> {
        let failed = || Problem::other("cannot generate a private key");
        match kind {
            KeyKind::Ec => {
                let pkcs8 =
                    EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &SystemRandom::new())
                        .map_err(|_| failed())?;
                Key::from_der(PrivatePkcs8KeyDer::from(pkcs8.as_ref().to_vec()).into())
            }
            KeyKind::Rsa(bits) => {
                let key = rsa::RsaPrivateKey::new(&mut Randomness, bits)
                    .map_err(|error| failed().because(error))?;
                let der = key.to_pkcs1_der().map_err(|error| failed().because(error))?;
                Key::from_der(PrivatePkcs1KeyDer::from(der.as_bytes().to_vec()).into())
            }
        }
    }

    /// The key as Puppet and OpenSSL read it; of a key in a token, the URI.
    pub fn to_pem(&self) -> String {
        match &self.source {
            KeySource::Memory(der) => {
                let label = match &**der {
                    PrivateKeyDer::Pkcs1(_) => "RSA PRIVATE KEY",
                    PrivateKeyDer::Sec1(_) => "EC PRIVATE KEY",
                    _ => "PRIVATE KEY",
                };
                pem(label, der.secret_der())
            }
            #[cfg(feature = "pkcs11")]
            KeySource::Token(uri) => format!("{}\n", uri.as_str()),
        }
    }

    /// The key as the TLS library takes it, with the certificates of a client or server.
    pub fn certified(&self, chain: Vec<CertificateDer<'static>>) -> CertifiedKey {
        CertifiedKey::new(chain, Arc::clone(&self.signing))
    }

    /// Its public half.
    pub fn public(&self) -> Result<SubjectPublicKeyInfoOwned, Problem> {
        let failed = || Problem::invalid("cannot derive the public key from the private key");
        let info = self.signing.public_key().ok_or_else(failed)?;
        SubjectPublicKeyInfoOwned::from_der(&info).map_err(|error| failed().because(error))
    }

    /// Its public half as a file.
    pub fn public_pem(&self) -> Result<String, Problem> {
        let der = self.public()?.to_der().map_err(unencodable)?;
        Ok(pem("PUBLIC KEY", &der))
    }

    /// How it signs.
    pub fn algorithm(&self) -> Result<AlgorithmIdentifierOwned, Problem> {
        self.scheme().map(|(_, algorithm)| algorithm)
    }

    /// Signs a message.
    pub fn sign(&self, message: &[u8]) -> Result<BitString, Problem> {
        let (scheme, _) = self.scheme()?;
        let signer = self.signing.choose_scheme(&[scheme]).ok_or_else(cannot_sign)?;
        let signature = signer.sign(message).map_err(|error| cannot_sign().because(error))?;
        BitString::from_bytes(&signature).map_err(unencodable)
    }

    fn scheme(&self) -> Result<(SignatureScheme, AlgorithmIdentifierOwned), Problem> {
        let (scheme, oid, has_null) = SCHEMES
            .into_iter()
            .find(|(scheme, ..)| self.signing.choose_scheme(&[*scheme]).is_some())
            .ok_or_else(cannot_sign)?;
        let parameters = has_null.then(|| Any::from(AnyRef::NULL));
        Ok((scheme, AlgorithmIdentifierOwned { oid: ObjectIdentifier::new_unwrap(oid), parameters }))
    }
}

fn cannot_sign() -> Problem {
    Problem::invalid("the private key cannot sign certificates")
}

/// Whether a signature over a message was made with the private half of a key.
pub fn is_signed_by(
    key: &SubjectPublicKeyInfoOwned,
    algorithm: &AlgorithmIdentifierOwned,
    message: &[u8],
    signature: &BitString,
) -> bool {
    let (Ok(of_key), Ok(of_signature)) = (inner(&key.algorithm), inner(algorithm)) else { return false };
    let (Some(point), Some(signature)) = (key.subject_public_key.as_bytes(), signature.as_bytes()) else {
        return false;
    };
    default_provider().signature_verification_algorithms.all.iter().any(|known| {
        known.public_key_alg_id().as_ref() == of_key
            && known.signature_alg_id().as_ref() == of_signature
            && known.verify_signature(point, message, signature).is_ok()
    })
}

/// An algorithm without the header of its sequence.
fn inner(algorithm: &AlgorithmIdentifierOwned) -> der::Result<Vec<u8>> {
    let whole = algorithm.to_der()?;
    Ok(AnyRef::from_der(&whole)?.value().to_vec())
}

/// The text form of something in DER.
pub fn pem(label: &str, der: &[u8]) -> String {
    let encoded = STANDARD.encode(der);
    let mut text = format!("-----BEGIN {label}-----\n");
    for line in encoded.as_bytes().chunks(64) {
        text.push_str(&String::from_utf8_lossy(line));
        text.push('\n');
    }
    text.push_str(&format!("-----END {label}-----\n"));
    text
}

/// Bytes that nobody can guess.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    Randomness.fill_bytes(&mut bytes);
    bytes
}

/// The randomness of the operating system, for libraries that ask for it this way.
struct Randomness;

impl RngCore for Randomness {
    fn next_u32(&mut self) -> u32 {
        u32::from_le_bytes(random())
    }

    fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes(random())
    }

    /// # Panics
    ///
    /// If the operating system has no randomness: no key must be made then.
    fn fill_bytes(&mut self, into: &mut [u8]) {
        self.try_fill_bytes(into).expect("the operating system gives randomness");
    }

    fn try_fill_bytes(&mut self, into: &mut [u8]) -> Result<(), rsa::rand_core::Error> {
        let none = |_| rsa::rand_core::Error::from(std::num::NonZeroU32::MIN);
        SystemRandom::new().fill(into).map_err(none)
    }
}

impl CryptoRng for Randomness {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sign_and_survive_being_written() {
        for kind in [KeyKind::Ec, KeyKind::Rsa(2048)] {
            let key = Key::generate(kind).unwrap();
            let again = Key::from_pem(key.to_pem().as_bytes()).unwrap();
            let signature = again.sign(b"message").unwrap();
            let (public, algorithm) = (key.public().unwrap(), key.algorithm().unwrap());
            assert!(is_signed_by(&public, &algorithm, b"message", &signature));
            assert!(!is_signed_by(&public, &algorithm, b"another", &signature));
        }
        assert!(Key::from_pem(b"nothing").is_err());
        let encrypted = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n";
        assert!(Key::from_pem(encrypted.as_bytes()).unwrap_err().with_help().contains("openssl pkey"));
    }
}
