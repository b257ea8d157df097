//! The password hashes of crypt(3), and PBKDF2.

use blowfish::Blowfish;
use md5::Md5;
use sha2::{Digest, Sha256, Sha512};

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

/// The sum that SHA-crypt makes of a password and a salt.
fn sha_sum<D: Digest>(password: &[u8], salt: &[u8]) -> Vec<u8> {
    const ROUNDS: usize = 5000;
    let inner = D::new().chain_update(password).chain_update(salt).chain_update(password).finalize();
    let mut context = D::new().chain_update(password).chain_update(salt);
    for chunk in password.chunks(inner.len()) {
        context.update(&inner[..chunk.len()]);
    }
    let mut length = password.len();
    while length > 0 {
        if length & 1 == 1 {
            context.update(&inner)
        } else {
            context.update(password)
        }
        length >>= 1;
    }
    let mut sum = context.finalize();
    let mut repeated = D::new();
    for _ in password {
        repeated.update(password);
    }
    let repeated = repeated.finalize();
    let word: Vec<u8> = repeated.iter().copied().cycle().take(password.len()).collect();
    let mut repeated = D::new();
    for _ in 0..16 + usize::from(sum[0]) {
        repeated.update(salt);
    }
    let repeated = repeated.finalize();
    let grain: Vec<u8> = repeated.iter().copied().cycle().take(salt.len()).collect();
    for round in 0..ROUNDS {
        let mut context = D::new();
        if round % 2 == 1 {
            context.update(&word)
        } else {
            context.update(&sum)
        }
        if round % 3 != 0 {
            context.update(&grain);
        }
        if round % 7 != 0 {
            context.update(&word);
        }
        if round % 2 == 1 {
            context.update(&sum)
        } else {
            context.update(&word)
        }
        sum = context.finalize();
    }
    sum.to_vec()
}

/// `$5$`: SHA-256, 5000 rounds.
pub fn sha256(password: &[u8], salt: &str) -> String {
    let salt = &salt[..salt.len().min(16)];
    let sum = sha_sum::<Sha256>(password, salt.as_bytes());
    let mut out = format!("$5${salt}$");
    let (mut a, mut b, mut c) = (0, 10, 20);
    for _ in 0..10 {
        push(&mut out, group(&sum, a, b, c), 4);
        (a, b, c) = (c + 1, a + 1, b + 1);
    }
    push(&mut out, u32::from(sum[31]) << 8 | u32::from(sum[30]), 3);
    out
}

/// `$6$`: SHA-512, 5000 rounds.
pub fn sha512(password: &[u8], salt: &str) -> String {
    let salt = &salt[..salt.len().min(16)];
    let sum = sha_sum::<Sha512>(password, salt.as_bytes());
    let mut out = format!("$6${salt}$");
    let (mut a, mut b, mut c) = (0, 21, 42);
    for _ in 0..21 {
        push(&mut out, group(&sum, a, b, c), 4);
        (a, b, c) = (b + 1, c + 1, a + 1);
    }
    push(&mut out, u32::from(sum[63]), 2);
    out
}

const BCRYPT_DIGITS: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// `$2a$`, `$2b$`, `$2y$`: bcrypt; the salt is `cost$` and twenty-two digits.
pub fn bcrypt(password: &[u8], prefix: &str, salt: &str) -> Option<String> {
    let (cost, digits) = (salt.get(..2)?, salt.get(3..25)?);
    let rounds = 1u64 << cost.parse::<u32>().ok().filter(|cost| (4..=31).contains(cost))?;
    let salt = bcrypt_decoded(digits)?;
    let mut key = password.to_vec();
    key.push(0);
    if prefix == "2x" {
        key = sign_extended(&key);
    }
    key.truncate(72);
    let mut state: Blowfish = Blowfish::bc_init_state();
    state.salted_expand_key(&salt, &key);
    for _ in 0..rounds {
        state.bc_expand_key(&key);
        state.bc_expand_key(&salt);
    }
    let mut words = [0x4f72_7068u32, 0x6561_6e42, 0x6568_6f6c, 0x6465_7253, 0x6372_7944, 0x6f75_6274];
    for pair in words.chunks_exact_mut(2) {
        for _ in 0..64 {
            let [left, right] = state.bc_encrypt([pair[0], pair[1]]);
            pair.copy_from_slice(&[left, right]);
        }
    }
    let sum: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    Some(format!("${prefix}${cost}${}{}", bcrypt_encoded(&salt), bcrypt_encoded(&sum[..23])))
}

/// The key of an old fault: bytes above 127 were taken for negative, and so spoil those before them in their word. The eighteen words that
/// the cipher takes are written out.
fn sign_extended(key: &[u8]) -> Vec<u8> {
    let mut bytes = key.iter().cycle();
    let mut word =
        || bytes.by_ref().take(4).fold(0u32, |word, byte| word << 8 | i32::from(*byte as i8) as u32);
    (0..18).flat_map(|_| word().to_be_bytes()).collect()
}

/// The sixteen bytes of a salt; its last digit holds four bits too many.
fn bcrypt_decoded(digits: &str) -> Option<[u8; 16]> {
    let mut out = Vec::with_capacity(17);
    let (mut group, mut held) = (0u32, 0);
    for byte in digits.bytes() {
        let value = BCRYPT_DIGITS.iter().position(|known| *known == byte)? as u32;
        group = group << 6 | value;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((group >> held) as u8);
        }
    }
    out.get(..16)?.try_into().ok()
}

fn bcrypt_encoded(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            out.push(BCRYPT_DIGITS[(group >> (18 - 6 * at) & 63) as usize] as char);
        }
    }
    out
}

/// PBKDF2 with HMAC-SHA-512.
pub fn pbkdf2_sha512(password: &[u8], salt: &[u8], iterations: u32, length: usize) -> Vec<u8> {
    let mut key = [0u8; 128];
    if password.len() > 128 {
        key[..64].copy_from_slice(&Sha512::digest(password));
    } else {
        key[..password.len()].copy_from_slice(password);
    }
    let inner = Sha512::new().chain_update(key.map(|byte| byte ^ 0x36));
    let outer = Sha512::new().chain_update(key.map(|byte| byte ^ 0x5c));
    let hmac = |parts: &[&[u8]]| {
        let hashed = parts.iter().fold(inner.clone(), |hash, part| hash.chain_update(part)).finalize();
        outer.clone().chain_update(hashed).finalize()
    };
    let mut out = Vec::with_capacity(length + 64);
    let mut block = 1u32;
    while out.len() < length {
        let mut last = hmac(&[salt, &block.to_be_bytes()]);
        let mut sum = last;
        for _ in 1..iterations {
            last = hmac(&[&last]);
            sum.iter_mut().zip(last).for_each(|(sum, byte)| *sum ^= byte);
        }
        out.extend_from_slice(&sum);
        block += 1;
    }
    out.truncate(length);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_crypt() {
        assert_eq!(md5(b"password", "salt"), "$1$salt$qJH7.N4xYta3aEG/dfqo/0");
        assert_eq!(
            sha256(b"Hello world!", "saltstring"),
            "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"
        );
        assert_eq!(
            sha512(b"Hello world!", "saltstring"),
            "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
        );
        assert_eq!(
            bcrypt(b"password", "2b", "05$abcdefghijklmnopqrstuu").as_deref(),
            Some("$2b$05$abcdefghijklmnopqrstuuWG29KuyeAicPCJODk1zjyGvyQUU2awu")
        );
    }
}
