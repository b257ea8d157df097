//! Certificates and keys as OpenSSL reads them: PEM, the parts of X.509 that a signature needs, and RSA signatures.
//!
//! `x509-cert`, `pkcs1` and `pkcs8` read the structures, `rsa` checks the signatures. Two things are written out because those
//! crates would answer otherwise than OpenSSL does: PEM, whose lines it reads in pieces and whose stray text it skips, and RSASSA-PSS,
//! which `rsa` knows only with one hash for message and mask and with short salts.

use der::asn1::{BitString, ObjectIdentifier};
use der::oid::AssociatedOid;
use der::{Decode, Reader, Sequence, SliceReader};
use md5::Md5;
use rsa::pkcs1::{RsaPrivateKey, RsaPublicKey as Numbers};
use rsa::pkcs8::PrivateKeyInfo;
use rsa::pkcs8::spki::{
    AlgorithmIdentifier, AlgorithmIdentifierOwned, AlgorithmIdentifierRef, SubjectPublicKeyInfoRef,
};
use rsa::traits::PublicKeyParts;
use rsa::{BigUint, Pkcs1v15Sign, RsaPublicKey};
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use x509_cert::certificate::{Raw, TbsCertificateInner};

/// Lines of PEM are read in pieces of this size, so a longer one neither begins nor ends a block.
const LINE: usize = 254;
/// The largest modulus, in bytes.
const LARGEST: usize = 2048;

/// A certificate's signature and what it signs.
#[derive(Debug)]
pub struct Certificate {
    signed: Vec<u8>,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
    /// Whether the algorithm within the signed part is the one outside.
    consistent: bool,
}

/// The public part of an RSA key.
#[derive(Debug)]
pub struct RsaKey(RsaPublicKey);

/// Why a certificate's signature could not be checked.
#[derive(Debug)]
pub struct WrongKeyType;

impl Certificate {
    /// Reads the first certificate in a text; the error is the end of OpenSSL's message.
    pub fn read(pem: &str) -> Result<Certificate, &'static str> {
        let wanted = |name: &str| name == "CERTIFICATE" || name == "X509 CERTIFICATE";
        let mut lines = Lines::new(pem);
        loop {
            let block =
                lines.next_block().map_err(|BadEndLine| ": bad end line")?.ok_or(": no start line")?;
            if !wanted(&block.name) {
                continue;
            }
            if block.header {
                return Err(": not proc type");
            }
            let bytes = decode(&block.body).ok_or(": bad base64 decode")?;
            return if bytes.is_empty() {
                Err("")
            } else {
                Certificate::parse(&bytes).map_err(|_| ": ASN1 lib")
            };
        }
    }

    fn parse(der: &[u8]) -> der::Result<Certificate> {
        SliceReader::new(der)?.sequence(|reader| {
            let signed = reader.tlv_bytes()?;
            let algorithm = AlgorithmIdentifierOwned::decode(reader)?;
            let signature = BitString::decode(reader)?;
            let inside = TbsCertificateInner::<Raw>::from_der(signed)?.signature;
            Ok(Certificate { signed: signed.to_vec(), consistent: inside == algorithm, algorithm, signature })
        })
    }

    /// Whether the certificate was signed with a key.
    pub fn is_signed_by(&self, RsaKey(key): &RsaKey) -> Result<bool, WrongKeyType> {
        let oid = self.algorithm.oid;
        if !oid.as_bytes().starts_with(RSA) {
            return Err(WrongKeyType);
        }
        let signature = self.signature.raw_bytes();
        let number = BigUint::from_bytes_be(signature);
        if !self.consistent || signature.len() != key.size() || number >= *key.n() {
            return Ok(false);
        }
        Ok(match oid.as_bytes()[RSA.len()..] {
            [10] => {
                let message = padded(number.modpow(key.e(), key.n()).to_bytes_be(), key.size());
                let parameters = self.algorithm.parameters.as_ref();
                parameters
                    .and_then(|parameters| parameters.decode_as::<PssParameters<'_>>().ok())
                    .is_some_and(|parameters| pss(&message, &self.signed, key.n().bits(), &parameters))
            }
            [number] => Hash::of_signature(number)
                .is_some_and(|hash| key.verify(hash.pkcs1(), &hash.digest(&self.signed), signature).is_ok()),
            _ => false,
        })
    }
}

/// Why a text holds no usable RSA key; shown as the end of OpenSSL's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidKey {
    /// It holds no key that can be read.
    Unsupported,
    /// The key is encrypted.
    Encrypted,
    /// The key is one for another algorithm.
    OtherAlgorithm(&'static str),
}

impl std::fmt::Display for InvalidKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InvalidKey::Unsupported => f.write_str("Neither PUB key nor PRIV key: unsupported"),
            InvalidKey::Encrypted => f.write_str("Neither PUB key nor PRIV key: unable to get passphrase"),
            InvalidKey::OtherAlgorithm(algorithm) => write!(f, "incorrect pkey type: {algorithm}"),
        }
    }
}

impl std::error::Error for InvalidKey {}

impl RsaKey {
    /// Reads the first key in a text, public or private.
    pub fn read(pem: &str) -> Result<RsaKey, InvalidKey> {
        let mut lines = Lines::new(pem);
        loop {
            let Ok(Some(block)) = lines.next_block() else { return Err(InvalidKey::Unsupported) };
            if block.header || block.name == "ENCRYPTED PRIVATE KEY" {
                return Err(InvalidKey::Encrypted);
            }
            let Some(bytes) = decode(&block.body) else { continue };
            let found = match block.name.as_str() {
                "RSA PRIVATE KEY" => private(&bytes).map(ParsedKey::Rsa).or_else(|| wrapped_private(&bytes)),
                "PRIVATE KEY" => wrapped_private(&bytes),
                "RSA PUBLIC KEY" => public(&bytes).map(ParsedKey::Rsa),
                "PUBLIC KEY" => wrapped_public(&bytes),
                "EC PRIVATE KEY" => Some(ParsedKey::Other("id-ecPublicKey")),
                "DSA PRIVATE KEY" => Some(ParsedKey::Other("DSA")),
                _ => None,
            };
            match found {
                Some(ParsedKey::Rsa(key)) => return Ok(key),
                Some(ParsedKey::Other(algorithm)) => return Err(InvalidKey::OtherAlgorithm(algorithm)),
                None => {}
            }
        }
    }

    fn new(numbers: &Numbers<'_>) -> Option<RsaKey> {
        let (modulus, exponent) = (numbers.modulus.as_bytes(), numbers.public_exponent.as_bytes());
        let fits = modulus.len() <= LARGEST && exponent.len() <= 8;
        let (modulus, exponent) = (BigUint::from_bytes_be(modulus), BigUint::from_bytes_be(exponent));
        let fits = fits && modulus.bits() > 0 && exponent.bits() > 0;
        fits.then(|| RsaKey(RsaPublicKey::new_unchecked(modulus, exponent)))
    }
}

enum ParsedKey {
    Rsa(RsaKey),
    Other(&'static str),
}

/// The first element of some DER; what follows it is ignored.
fn first<'d, T: Decode<'d>>(der: &'d [u8]) -> Option<T> {
    T::decode(&mut SliceReader::new(der).ok()?).ok()
}

fn private(der: &[u8]) -> Option<RsaKey> {
    RsaKey::new(&first::<RsaPrivateKey<'_>>(der)?.public_key())
}

fn public(der: &[u8]) -> Option<RsaKey> {
    RsaKey::new(&first(der)?)
}

/// PKCS#8: a private key together with its algorithm.
fn wrapped_private(der: &[u8]) -> Option<ParsedKey> {
    let info: PrivateKeyInfo<'_> = first(der)?;
    if info.algorithm.oid == RSA_ENCRYPTION {
        return private(info.private_key).map(ParsedKey::Rsa);
    }
    other(info.algorithm.oid)
}

/// A public key together with its algorithm.
fn wrapped_public(der: &[u8]) -> Option<ParsedKey> {
    let info: SubjectPublicKeyInfoRef<'_> = first(der)?;
    if info.algorithm.oid == RSA_ENCRYPTION {
        return public(info.subject_public_key.raw_bytes()).map(ParsedKey::Rsa);
    }
    other(info.algorithm.oid)
}

/// The name that OpenSSL has for an algorithm that is not RSA.
fn other(algorithm: ObjectIdentifier) -> Option<ParsedKey> {
    let kind = match algorithm.as_bytes() {
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 10] => "RSASSA-PSS",
        [0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1] => "id-ecPublicKey",
        [0x2a, 0x86, 0x48, 0xce, 0x38, 4, 1] => "DSA",
        [0x2b, 0x65, 0x6e] => "X25519",
        [0x2b, 0x65, 0x6f] => "X448",
        [0x2b, 0x65, 0x70] => "ED25519",
        [0x2b, 0x65, 0x71] => "ED448",
        _ => return None,
    };
    Some(ParsedKey::Other(kind))
}

const RSA_ENCRYPTION: ObjectIdentifier = rsa::pkcs1::ALGORITHM_OID;
/// `1.2.840.113549.1.1`, under which the signatures of RSA are.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1];

#[derive(Clone, Copy)]
enum Hash {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    fn of_signature(number: u8) -> Option<Hash> {
        Some(match number {
            4 => Hash::Md5,
            5 => Hash::Sha1,
            11 => Hash::Sha256,
            12 => Hash::Sha384,
            13 => Hash::Sha512,
            14 => Hash::Sha224,
            _ => return None,
        })
    }

    fn of_oid(oid: ObjectIdentifier) -> Option<Hash> {
        Some(match oid {
            Md5::OID => Hash::Md5,
            Sha1::OID => Hash::Sha1,
            Sha224::OID => Hash::Sha224,
            Sha256::OID => Hash::Sha256,
            Sha384::OID => Hash::Sha384,
            Sha512::OID => Hash::Sha512,
            _ => return None,
        })
    }

    fn digest(self, data: &[u8]) -> Vec<u8> {
        match self {
            Hash::Md5 => Md5::digest(data).to_vec(),
            Hash::Sha1 => Sha1::digest(data).to_vec(),
            Hash::Sha224 => Sha224::digest(data).to_vec(),
            Hash::Sha256 => Sha256::digest(data).to_vec(),
            Hash::Sha384 => Sha384::digest(data).to_vec(),
            Hash::Sha512 => Sha512::digest(data).to_vec(),
        }
    }

    /// The signature of PKCS#1 v1.5 over a digest.
    fn pkcs1(self) -> Pkcs1v15Sign {
        match self {
            Hash::Md5 => Pkcs1v15Sign::new::<Md5>(),
            Hash::Sha1 => Pkcs1v15Sign::new::<Sha1>(),
            Hash::Sha224 => Pkcs1v15Sign::new::<Sha224>(),
            Hash::Sha256 => Pkcs1v15Sign::new::<Sha256>(),
            Hash::Sha384 => Pkcs1v15Sign::new::<Sha384>(),
            Hash::Sha512 => Pkcs1v15Sign::new::<Sha512>(),
        }
    }

    /// MGF1: as many bytes as asked for, made from a seed.
    fn mask(self, seed: &[u8], length: usize) -> Vec<u8> {
        let mut mask = Vec::new();
        for counter in 0u32.. {
            if mask.len() >= length {
                break;
            }
            mask.extend(self.digest(&[seed, &counter.to_be_bytes()].concat()));
        }
        mask.truncate(length);
        mask
    }
}

/// How a signature of RSASSA-PSS was made.
#[derive(Sequence)]
struct PssParameters<'d> {
    #[asn1(context_specific = "0", optional = "true")]
    hash: Option<AlgorithmIdentifierRef<'d>>,
    #[asn1(context_specific = "1", optional = "true")]
    mask: Option<AlgorithmIdentifier<AlgorithmIdentifierRef<'d>>>,
    #[asn1(context_specific = "2", optional = "true")]
    salt: Option<u16>,
    #[asn1(context_specific = "3", optional = "true")]
    trailer: Option<u8>,
}

/// Whether an unlocked signature of RSASSA-PSS is one over some data.
fn pss(message: &[u8], data: &[u8], bits: usize, parameters: &PssParameters<'_>) -> bool {
    let named = |identifier: Option<AlgorithmIdentifierRef<'_>>| {
        identifier.map_or(Some(Hash::Sha1), |identifier| Hash::of_oid(identifier.oid))
    };
    let Some(hash) = named(parameters.hash) else { return false };
    let Some(mask_hash) = named(parameters.mask.as_ref().and_then(|mask| mask.parameters)) else {
        return false;
    };
    let salt = usize::from(parameters.salt.unwrap_or(20));
    let spare = (8 - (bits - 1) % 8) % 8;
    // A whole spare byte precedes the encoded message.
    let message = if (bits - 1).is_multiple_of(8) { &message[1..] } else { message };
    let digest = hash.digest(data);
    let Some(length) = message.len().checked_sub(digest.len() + 1) else { return false };
    if message.last() != Some(&0xbc) || length < salt + 1 {
        return false;
    }
    let (masked, rest) = message.split_at(length);
    let signed = &rest[..digest.len()];
    let mut block: Vec<u8> =
        masked.iter().zip(mask_hash.mask(signed, length)).map(|(byte, mask)| byte ^ mask).collect();
    block[0] &= 0xff >> spare;
    let (padding, salt) = block.split_at(length - salt);
    let Some((last, zeros)) = padding.split_last() else { return false };
    *last == 1
        && zeros.iter().all(|byte| *byte == 0)
        && hash.digest(&[&[0; 8], digest.as_slice(), salt].concat()) == signed
}

fn padded(bytes: Vec<u8>, size: usize) -> Vec<u8> {
    let mut padded = vec![0; size.saturating_sub(bytes.len())];
    padded.extend(bytes);
    padded
}

/// One block of PEM.
struct Block {
    name: String,
    /// Whether there are headers before the body.
    header: bool,
    body: String,
}

/// A block does not end as it begins.
struct BadEndLine;

/// The lines of a text, in pieces and without what is blank at their ends.
struct Lines<'t> {
    pieces: Box<dyn Iterator<Item = &'t [u8]> + 't>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Lines<'t> {
        let pieces =
            text.as_bytes().split_inclusive(|byte| *byte == b'\n').flat_map(|line| line.chunks(LINE));
        let bare = |piece: &'t [u8]| {
            let end = piece.iter().rposition(|byte| *byte > b' ').map_or(0, |at| at + 1);
            &piece[..end]
        };
        Lines { pieces: Box::new(pieces.map(bare)) }
    }

    fn next_block(&mut self) -> Result<Option<Block>, BadEndLine> {
        let begins = |line: &[u8]| {
            let name = line.strip_prefix(b"-----BEGIN ")?.strip_suffix(b"-----")?;
            Some(String::from_utf8_lossy(name).into_owned())
        };
        let Some(name) = self.pieces.find_map(begins) else { return Ok(None) };
        let (mut header, mut body) = (false, String::new());
        for line in &mut self.pieces {
            if let Some(end) = line.strip_prefix(b"-----END ") {
                let closes = end.strip_suffix(b"-----").is_some_and(|end| end == name.as_bytes());
                return if closes { Ok(Some(Block { name, header, body })) } else { Err(BadEndLine) };
            }
            header |= line.contains(&b':');
            body.push_str(&String::from_utf8_lossy(line));
        }
        Err(BadEndLine)
    }
}

/// Bytes from base 64, blanks allowed.
fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let bare = digits.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
    if !digits.len().is_multiple_of(4) || digits.len() - bare > 2 {
        return None;
    }
    let (mut bytes, mut held, mut bits) = (Vec::with_capacity(bare), 0u32, 0);
    for digit in &digits[..bare] {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    Some(bytes)
}
