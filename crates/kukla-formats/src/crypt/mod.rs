//! The password hashes of crypt(3), and PBKDF2.
//!
//! `$1$` is written out here: the crates that know it bring digests of their own generation. So is the key of `$2x$`, which
//! `bcrypt` only labels.

mod des;

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

/// A password hashed as a setting says: `$1$`, `$2a$` to `$2y$`, `$5$` and `$6$` with what belongs to them, or the salt for DES. A setting
/// that says nothing gives what can be the hash of no password.
pub fn crypt(password: &[u8], setting: &str) -> String {
    hashed(password, setting)
        .unwrap_or_else(|| if setting.starts_with("*0") { "*1" } else { "*0" }.to_owned())
}

/// A password hashed as a setting says, if it says something.
pub fn hashed(password: &[u8], setting: &str) -> Option<String> {
    let is_bad = |byte: u8| !byte.is_ascii_graphic() || b"!*:;\\".contains(&byte);
    if setting.bytes().any(is_bad) {
        return None;
    }
    match scheme(setting) {
        ("1", salt) => Some(md5(password, first(salt, 8))),
        ("5", salt) => {
            let (rounds, shown, salt) = rounds(salt)?;
            let params = Sha256Params::new(rounds).ok()?;
            let sum = sha_crypt::sha256_crypt_b64(password, salt.as_bytes(), &params).ok()?;
            Some(format!("$5${shown}{salt}${sum}"))
        }
        ("6", salt) => {
            let (rounds, shown, salt) = rounds(salt)?;
            let params = Sha512Params::new(rounds).ok()?;
            let sum = sha_crypt::sha512_crypt_b64(password, salt.as_bytes(), &params).ok()?;
            Some(format!("$6${shown}{salt}${sum}"))
        }
        (prefix @ ("2a" | "2b" | "2x" | "2y"), salt) => bcrypt(password, prefix, salt),
        ("", _) if setting.starts_with('_') => des::extended(password, setting),
        ("", _) => des::traditional(password, setting),
        _ => None,
    }
}

/// The cost of hashing with a setting, in evaluation steps.
pub fn steps(password: &[u8], setting: &str) -> u64 {
    // Each round goes through the password.
    let through = |rounds: u64| rounds.saturating_mul(64 + password.len() as u64) / 128;
    match scheme(setting) {
        ("1", _) => through(1_000),
        ("5" | "6", salt) => through(rounds(salt).map_or(0, |(rounds, ..)| rounds as u64)),
        ("", _) => 16 + u64::from(des::times(setting).unwrap_or(0)) / 2,
        (_, salt) => 100 << salt.get(..2).and_then(|cost| cost.parse().ok()).unwrap_or(0_u32).min(31),
    }
}

/// The name of the scheme and what comes after it; the oldest have none.
fn scheme(setting: &str) -> (&str, &str) {
    setting.strip_prefix('$').and_then(|rest| rest.split_once('$')).unwrap_or(("", setting))
}

/// A salt of at most this number of characters, up to its terminator.
fn first(salt: &str, most: usize) -> &str {
    let salt = salt.split('$').next().unwrap_or_default();
    &salt[..salt.len().min(most)]
}

/// The number of rounds, its text, and the salt.
fn rounds(setting: &str) -> Option<(usize, &str, &str)> {
    let Some(asked) = setting.strip_prefix("rounds=") else {
        return Some((sha_crypt::ROUNDS_DEFAULT, "", first(setting, 16)));
    };
    let (number, salt) = asked.split_once('$')?;
    let is_number = number.bytes().all(|digit| digit.is_ascii_digit()) && !number.starts_with('0');
    let rounds = number.parse().ok().filter(|rounds| is_number && (1_000..=999_999_999).contains(rounds))?;
    Some((rounds, &setting[..setting.len() - salt.len()], first(salt, 16)))
}

/// `$1$`: FreeBSD's MD5.
fn md5(password: &[u8], salt: &str) -> String {
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

/// Four bits of a salt's last digit belong to no byte.
const BCRYPT_DIGITS: GeneralPurpose = GeneralPurpose::new(
    &alphabet::BCRYPT,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_encode_padding(false),
);

/// `$2a$`, `$2b$`, `$2x$`, `$2y$`: bcrypt; the salt is `cost$` and twenty-two digits.
fn bcrypt(password: &[u8], prefix: &str, salt: &str) -> Option<String> {
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

/// The key of an old bug: bytes above 127 were treated as negative, and so corrupt those before them in their word. The eighteen words that
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
        let known = [
            ("password", "$1$salt", "$1$salt$qJH7.N4xYta3aEG/dfqo/0"),
            ("secret", "$1$", "$1$$ysVNzQc4CTMkp5daOdZ.3/"),
            ("x", "$1$abcdefghijkl$zz", "$1$abcdefgh$znAnv9M.XU2pRYfmSs46h/"),
            ("Hello world!", "$5$saltstring", "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"),
            ("x", "$5$rounds=5000$salt", "$5$rounds=5000$salt$eC8iHMk0B/acxRGi4idWiCK/.xXHLUsxovn4V591t3."),
            (
                "Hello world!",
                "$6$saltstring",
                "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
            ),
            (
                "secret",
                "$6$rounds=1000$salt$xyz",
                "$6$rounds=1000$salt$HNxBeBnDfSfUrTj6KiLnmd7tGCvHEmcExh8kl/S0cZ5WrCciNZgfhbpkeFQ4JfkHX.8vPq45lY0iINnCx1Lkm.",
            ),
            (
                "password",
                "$2b$05$abcdefghijklmnopqrstuu",
                "$2b$05$abcdefghijklmnopqrstuuWG29KuyeAicPCJODk1zjyGvyQUU2awu",
            ),
            ("x", "zzzz", "zzXjar5EX/ECI"),
            ("x", "*0", "*1"),
        ];
        for (password, setting, hash) in known {
            assert_eq!(crypt(password.as_bytes(), setting), hash);
        }
        let bad = [
            "",
            "a",
            "!b",
            "a:",
            "$9$abc",
            "$6$sa:lt",
            "$6$rounds=10$salt",
            "$5$rounds=abc$salt",
            "$2b$05$abc",
        ];
        for setting in bad {
            assert_eq!(crypt(b"x", setting), "*0");
        }
    }
}
