//! Certificates and keys as OpenSSL reads them: PEM, the parts of X.509 that a signature needs, and RSA signatures.

use md5::Md5;
use rsa::BigUint;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// Lines of PEM are read in pieces of this size, so a longer one neither begins nor ends a block.
const LINE: usize = 254;
/// The largest modulus, in bytes.
const LARGEST: usize = 2048;

/// A certificate's signature and what it signs.
#[derive(Debug)]
pub struct Certificate {
    signed: Vec<u8>,
    algorithm: Vec<u8>,
    signature: Vec<u8>,
    /// Whether the algorithm within the signed part is the one outside.
    consistent: bool,
}

/// The public part of an RSA key.
#[derive(Debug)]
pub struct RsaKey {
    modulus: BigUint,
    exponent: BigUint,
    size: usize,
}

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
            return if bytes.is_empty() { Err("") } else { Certificate::parse(&bytes).ok_or(": ASN1 lib") };
        }
    }

    fn parse(der: &[u8]) -> Option<Certificate> {
        let (mut outer, _) = Der(der).sequence()?;
        let whole = outer.0;
        let (mut signed, rest) = outer.sequence()?;
        let signed_bytes = &whole[..whole.len() - rest];
        let (algorithm, _) = outer.sequence()?;
        let signature = outer.element(0x03)?;
        if signed.0.first() == Some(&0xa0) {
            signed.element(0xa0)?;
        }
        signed.element(0x02)?;
        let (inside, _) = signed.sequence()?;
        for _issuer_validity_subject_key in 0..4 {
            signed.sequence()?;
        }
        Some(Certificate {
            signed: signed_bytes.to_vec(),
            algorithm: algorithm.0.to_vec(),
            signature: signature.get(1..)?.to_vec(),
            consistent: inside.0 == algorithm.0,
        })
    }

    /// Whether the certificate was signed with a key.
    pub fn is_signed_by(&self, key: &RsaKey) -> Result<bool, WrongKeyType> {
        let mut algorithm = Der(&self.algorithm);
        let name = algorithm.element(0x06).unwrap_or_default();
        let signature = BigUint::from_bytes_be(&self.signature);
        if !name.starts_with(RSA) {
            return Err(WrongKeyType);
        }
        if !self.consistent || self.signature.len() != key.size || signature >= key.modulus {
            return Ok(false);
        }
        let message = padded(signature.modpow(&key.exponent, &key.modulus).to_bytes_be(), key.size);
        Ok(match name[RSA.len()..] {
            [10] => pss(&message, &self.signed, key.modulus.bits(), algorithm),
            [number] => {
                Hash::of_signature(number).is_some_and(|hash| hash.pkcs1(&self.signed, key.size) == message)
            }
            _ => false,
        })
    }
}

impl RsaKey {
    /// Reads the first key in a text, public or private; the error is the end of OpenSSL's message.
    pub fn read(pem: &str) -> Result<RsaKey, String> {
        let unsupported = "Neither PUB key nor PRIV key: unsupported";
        let mut lines = Lines::new(pem);
        loop {
            let Ok(Some(block)) = lines.next_block() else { return Err(unsupported.into()) };
            if block.header || block.name == "ENCRYPTED PRIVATE KEY" {
                return Err("Neither PUB key nor PRIV key: unable to get passphrase".into());
            }
            let Some(bytes) = decode(&block.body) else { continue };
            let found = match block.name.as_str() {
                "RSA PRIVATE KEY" => private(&bytes).map(Found::Rsa).or_else(|| wrapped(&bytes, 0x04)),
                "PRIVATE KEY" => wrapped(&bytes, 0x04),
                "RSA PUBLIC KEY" => public(&bytes).map(Found::Rsa),
                "PUBLIC KEY" => wrapped(&bytes, 0x03),
                "EC PRIVATE KEY" => Some(Found::Other("id-ecPublicKey")),
                "DSA PRIVATE KEY" => Some(Found::Other("DSA")),
                _ => None,
            };
            match found {
                Some(Found::Rsa(key)) => return Ok(key),
                Some(Found::Other(kind)) => return Err(format!("incorrect pkey type: {kind}")),
                None => {}
            }
        }
    }

    fn new(modulus: &[u8], exponent: &[u8]) -> Option<RsaKey> {
        let bare = &modulus[modulus.iter().position(|byte| *byte != 0)?..];
        let exponent = BigUint::from_bytes_be(exponent);
        let fits = bare.len() <= LARGEST && exponent.bits() <= 64 && exponent.bits() > 0;
        fits.then(|| RsaKey { modulus: BigUint::from_bytes_be(bare), exponent, size: bare.len() })
    }
}

enum Found {
    Rsa(RsaKey),
    Other(&'static str),
}

/// PKCS#1: version, modulus, exponent and the rest.
fn private(der: &[u8]) -> Option<RsaKey> {
    let (mut key, _) = Der(der).sequence()?;
    let numbers: Vec<&[u8]> = (0..9).map(|_| key.element(0x02)).collect::<Option<_>>()?;
    RsaKey::new(numbers[1], numbers[2])
}

fn public(der: &[u8]) -> Option<RsaKey> {
    let (mut key, _) = Der(der).sequence()?;
    RsaKey::new(key.element(0x02)?, key.element(0x02)?)
}

/// A key together with its algorithm: PKCS#8 for private keys, where it is an octet string, else a bit string.
fn wrapped(der: &[u8], tag: u8) -> Option<Found> {
    let (mut outer, _) = Der(der).sequence()?;
    if tag == 0x04 {
        outer.element(0x02)?;
    }
    let (mut algorithm, _) = outer.sequence()?;
    let kind = match algorithm.element(0x06)? {
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1] => {
            let key = outer.element(tag)?;
            return if tag == 0x04 { private(key) } else { public(key.get(1..)?) }.map(Found::Rsa);
        }
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 10] => "RSASSA-PSS",
        [0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1] => "id-ecPublicKey",
        [0x2a, 0x86, 0x48, 0xce, 0x38, 4, 1] => "DSA",
        [0x2b, 0x65, 0x6e] => "X25519",
        [0x2b, 0x65, 0x6f] => "X448",
        [0x2b, 0x65, 0x70] => "ED25519",
        [0x2b, 0x65, 0x71] => "ED448",
        _ => return None,
    };
    Some(Found::Other(kind))
}

/// What is left of some DER.
#[derive(Clone, Copy)]
struct Der<'d>(&'d [u8]);

impl<'d> Der<'d> {
    /// Takes an element with that tag.
    fn element(&mut self, tag: u8) -> Option<&'d [u8]> {
        let (&[found, first], rest) = (self.0.first_chunk::<2>()?, &self.0[2..]);
        if found != tag {
            return None;
        }
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            0x81..=0x84 => {
                let count = usize::from(first - 0x80);
                let digits = rest.get(..count)?;
                (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), &rest[count..])
            }
            _ => return None,
        };
        let content = rest.get(..length)?;
        self.0 = &rest[length..];
        Some(content)
    }

    /// Takes a sequence; also how many bytes follow it.
    fn sequence(&mut self) -> Option<(Der<'d>, usize)> {
        let content = self.element(0x30)?;
        Some((Der(content), self.0.len()))
    }
}

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

    /// The hash of an AlgorithmIdentifier.
    fn of_identifier(mut identifier: Der<'_>) -> Option<Hash> {
        let name = identifier.element(0x06)?;
        [Hash::Md5, Hash::Sha1, Hash::Sha224, Hash::Sha256, Hash::Sha384, Hash::Sha512]
            .into_iter()
            .find(|hash| hash.name() == name)
    }

    fn name(self) -> &'static [u8] {
        match self {
            Hash::Md5 => &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 2, 5],
            Hash::Sha1 => &[0x2b, 0x0e, 3, 2, 0x1a],
            Hash::Sha224 => &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 4],
            Hash::Sha256 => &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1],
            Hash::Sha384 => &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2],
            Hash::Sha512 => &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 3],
        }
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

    /// What a signature of PKCS#1 v1.5 over some data unlocks.
    fn pkcs1(self, data: &[u8], size: usize) -> Vec<u8> {
        let (name, digest) = (self.name(), self.digest(data));
        let mut info = vec![0x30, (name.len() + digest.len() + 8) as u8, 0x30, (name.len() + 4) as u8, 6];
        info.push(name.len() as u8);
        info.extend_from_slice(name);
        info.extend_from_slice(&[5, 0, 4, digest.len() as u8]);
        info.extend_from_slice(&digest);
        let mut message = vec![0, 1];
        message.resize(size.saturating_sub(info.len() + 1).max(2), 0xff);
        message.push(0);
        message.extend_from_slice(&info);
        message
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

/// Whether an unlocked signature of RSASSA-PSS is one over some data.
fn pss(message: &[u8], data: &[u8], bits: usize, mut parameters: Der<'_>) -> bool {
    let (mut hash, mut mask_hash, mut salt) = (Hash::Sha1, Hash::Sha1, 20);
    let Some((mut parameters, _)) = parameters.sequence() else { return false };
    if let Some(given) = parameters.element(0xa0) {
        let Some((identifier, _)) = Der(given).sequence() else { return false };
        let Some(found) = Hash::of_identifier(identifier) else { return false };
        hash = found;
    }
    if let Some(given) = parameters.element(0xa1) {
        let inner = Der(given).sequence().and_then(|(mut generator, _)| {
            generator.element(0x06)?;
            Hash::of_identifier(generator.sequence()?.0)
        });
        let Some(found) = inner else { return false };
        mask_hash = found;
    }
    if let Some(given) = parameters.element(0xa2) {
        let Some(digits) = Der(given).element(0x02).filter(|digits| digits.len() <= 2) else { return false };
        salt = digits.iter().fold(0, |number, digit| number << 8 | usize::from(*digit));
    }
    let spare = (8 - (bits - 1) % 8) % 8;
    // A whole spare byte stands before the encoded message.
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
