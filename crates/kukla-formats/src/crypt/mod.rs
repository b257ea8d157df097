//! The password hashes of crypt(3), and PBKDF2.
//!
//! `$1$` is written out here: the crates that know it bring digests of their own generation. So is the key of `$2x$`, which
//! `bcrypt` only labels.

use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};
use md5::{Digest, Md5};
use sha_crypt::{Sha256Params, Sha512Params};
use sha2::Sha512;

const DIGITS: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Up to four digits of six bits, least significant first.
fn push(out: &mut String, bits: u32, digits: usize) {
    for at in 0..digits {
        out.push(DIGITS[(bits >> (6 * at) & 63) as usize] as char);
    }
}

fn group(bytes: &[u8], a: usize, b: usize, c: usize) -> u32 {
    u32::from(bytes[a]) << 16 | u32::from(bytes[b]) << 8 | u32::from(bytes[c])
}

/// `$1$`: FreeBSD's MD5.
pub fn md5(password: &[u8], salt: &str) -> String {
    let salt = &salt[..salt.len().min(8)];
    let inner = Md5::new().chain_update(password).chain_update(salt).chain_update(password).finalize();
    let mut context = Md5::new().chain_update(password).chain_update("$1$").chain_update(salt);
    for chunk in password.chunks(16) {
        context.update(&inner[..chunk.len()]);
    }
    let mut length = password.len();
    while length > 0 {
        context.update(if length & 1 == 1 { &[0] } else { &password[..1] });
        length >>= 1;
    }
    let mut sum = context.finalize();
    for round in 0..1000 {
        let mut context = Md5::new();
        if round % 2 == 1 {
            context.update(password)
        } else {
            context.update(sum)
        }
        if round % 3 != 0 {
            context.update(salt);
        }
        if round % 7 != 0 {
            context.update(password);
        }
        if round % 2 == 1 {
            context.update(sum)
        } else {
            context.update(password)
        }
        sum = context.finalize();
    }
    let mut out = format!("$1${salt}$");
    for at in 0..4 {
        push(&mut out, group(&sum, at, at + 6, at + 12), 4);
    }
    push(&mut out, group(&sum, 4, 10, 5), 4);
    push(&mut out, u32::from(sum[11]), 2);
    out
}

/// `$5$`: SHA-256, 5000 rounds.
pub fn sha256(password: &[u8], salt: &str) -> Option<String> {
    let salt = &salt[..salt.len().min(16)];
    let sum = sha_crypt::sha256_crypt_b64(password, salt.as_bytes(), &Sha256Params::default()).ok()?;
    Some(format!("$5${salt}${sum}"))
}

/// `$6$`: SHA-512, 5000 rounds.
pub fn sha512(password: &[u8], salt: &str) -> Option<String> {
    let salt = &salt[..salt.len().min(16)];
    let sum = sha_crypt::sha512_crypt_b64(password, salt.as_bytes(), &Sha512Params::default()).ok()?;
    Some(format!("$6${salt}${sum}"))
}

/// Four bits of a salt's last digit belong to no byte.
const BCRYPT_DIGITS: GeneralPurpose = GeneralPurpose::new(
    &alphabet::BCRYPT,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_encode_padding(false),
);

/// `$2a$`, `$2b$`, `$2x$`, `$2y$`: bcrypt; the salt is `cost$` and twenty-two digits.
pub fn bcrypt(password: &[u8], prefix: &str, salt: &str) -> Option<String> {
    let (cost, digits) = (salt.get(..2)?, salt.get(3..25)?);
    let rounds = cost.parse().ok().filter(|cost| (4..=31).contains(cost))?;
    let salt: [u8; 16] = BCRYPT_DIGITS.decode(digits).ok()?.try_into().ok()?;
    let mut key = password.to_vec();
    key.push(0);
    if prefix == "2x" {
        key = sign_extended(&key);
    }
    key.truncate(72);
    let sum = bcrypt::bcrypt(rounds, salt, &key);
    Some(format!("${prefix}${cost}${}{}", BCRYPT_DIGITS.encode(salt), BCRYPT_DIGITS.encode(&sum[..23])))
}

/// The key of an old fault: bytes above 127 were taken for negative, and so spoil those before them in their word. The eighteen words that
/// the cipher takes are written out.
fn sign_extended(key: &[u8]) -> Vec<u8> {
    let mut bytes = key.iter().cycle();
    let mut word =
        || bytes.by_ref().take(4).fold(0u32, |word, byte| word << 8 | i32::from(*byte as i8) as u32);
    (0..18).flat_map(|_| word().to_be_bytes()).collect()
}

/// PBKDF2 with HMAC-SHA-512.
pub fn pbkdf2_sha512(password: &[u8], salt: &[u8], iterations: u32) -> [u8; 128] {
    pbkdf2::pbkdf2_hmac_array::<Sha512, 128>(password, salt, iterations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_crypt() {
        assert_eq!(md5(b"password", "salt"), "$1$salt$qJH7.N4xYta3aEG/dfqo/0");
        assert_eq!(
            sha256(b"Hello world!", "saltstring").as_deref(),
            Some("$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5")
        );
        assert_eq!(
            sha512(b"Hello world!", "saltstring").as_deref(),
            Some(
                "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
            )
        );
        assert_eq!(
            bcrypt(b"password", "2b", "05$abcdefghijklmnopqrstuu").as_deref(),
            Some("$2b$05$abcdefghijklmnopqrstuuWG29KuyeAicPCJODk1zjyGvyQUU2awu")
        );
    }
}
