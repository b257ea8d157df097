//! The oldest password hashes: DES, whose expansion a salt disturbs, applied again and again to a block of zeros.
//!
//! The `des` crate knows no salt. Tables are those of the standard (FIPS 46), with bits counted from the left, beginning with one.

use super::DIGITS;

/// Two digits of salt; the first eight bytes of the password, seven bits of each.
pub(super) fn traditional(password: &[u8], setting: &str) -> Option<String> {
    let digits = setting.get(..2)?;
    let hash = Cipher::new(key(password.get(..8).unwrap_or(password)), number(digits)?).repeated(25);
    Some(format!("{digits}{}", shown(hash)))
}

/// `_`, four digits for how often, four of salt; the whole password, eight bytes after eight bytes.
pub(super) fn extended(password: &[u8], setting: &str) -> Option<String> {
    let (digits, salt) = (setting.get(..9)?, number(setting.get(5..9)?)?);
    let times = times(setting).filter(|times| *times > 0)?;
    let mut chunks = password.chunks(8);
    let mut whole = key(chunks.next().unwrap_or_default());
    for chunk in chunks {
        whole = Cipher::new(whole, 0).encrypt(whole) ^ key(chunk);
    }
    Some(format!("{digits}{}", shown(Cipher::new(whole, salt).repeated(times))))
}

/// How often the extended form applies the cipher.
pub(super) fn times(setting: &str) -> Option<u32> {
    number(setting.get(1..5)?)
}

/// The value of digits of six bits, the least significant first.
fn number(digits: &str) -> Option<u32> {
    digits.bytes().rev().try_fold(0, |number, byte| {
        let digit = DIGITS.iter().position(|digit| *digit == byte)?;
        Some(number << 6 | digit as u32)
    })
}

/// Eight bytes, each a bit further left than in the text: the lowest was for parity.
fn key(text: &[u8]) -> u64 {
    (0..8).fold(0, |key, at| key << 8 | u64::from(text.get(at).copied().unwrap_or(0) << 1))
}

/// Eleven digits of six bits, the most significant first; the last has two bits to spare.
fn shown(block: u64) -> String {
    let digit = |at: u32| (u128::from(block) << 2 >> (60 - 6 * at) & 63) as usize;
    (0..11).map(|at| DIGITS[digit(at)] as char).collect()
}

struct Cipher {
    keys: [u64; 16],
    /// Bits of the expanded half that change places with those of the other half.
    salt: u64,
}

impl Cipher {
    fn new(key: u64, salt: u32) -> Cipher {
        let chosen = permuted(key, 64, &KEY_CHOICE);
        let (mut left, mut right) = ((chosen >> 28) as u32, chosen as u32 & HALF_KEY);
        let keys = SHIFTS.map(|shift| {
            let rotated = |half: u32| (half << shift | half >> (28 - shift)) & HALF_KEY;
            (left, right) = (rotated(left), rotated(right));
            permuted(u64::from(left) << 28 | u64::from(right), 56, &ROUND_KEY_CHOICE)
        });
        // The salt's lowest bit is for the leftmost of the expanded bits.
        Cipher { keys, salt: u64::from(salt.reverse_bits() >> 8) }
    }

    fn encrypt(&self, block: u64) -> u64 {
        self.crypted(block, 1)
    }

    /// A block of zeros, encrypted this number of times.
    fn repeated(&self, times: u32) -> u64 {
        self.crypted(0, times)
    }

    fn crypted(&self, block: u64, times: u32) -> u64 {
        let block = permuted(block, 64, &INITIAL);
        let (mut left, mut right) = ((block >> 32) as u32, block as u32);
        for _ in 0..times {
            for key in self.keys {
                (left, right) = (right, left ^ self.round(right, key));
            }
            (left, right) = (right, left);
        }
        permuted(u64::from(left) << 32 | u64::from(right), 64, &FINAL)
    }

    fn round(&self, half: u32, key: u64) -> u32 {
        let expanded = permuted(u64::from(half), 32, &EXPANSION);
        let exchanged = (expanded >> 24 ^ expanded) & self.salt;
        let mixed = expanded ^ exchanged << 24 ^ exchanged ^ key;
        let substituted = BOXES.iter().enumerate().fold(0, |word, (at, table)| {
            let six = (mixed >> (42 - 6 * at) & 63) as usize;
            let row = six >> 4 & 2 | six & 1;
            word << 4 | u64::from(table[row * 16 + (six >> 1 & 15)])
        });
        permuted(substituted, 32, &MIXING) as u32
    }
}

/// The bits of a word of some width that a table names.
fn permuted(word: u64, width: u32, table: &[u8]) -> u64 {
    table.iter().fold(0, |made, bit| made << 1 | word >> (width - u32::from(*bit)) & 1)
}

const HALF_KEY: u32 = 0x0FFF_FFFF;

const SHIFTS: [u32; 16] = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1];

#[rustfmt::skip]
const INITIAL: [u8; 64] = [
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
    57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7,
];

#[rustfmt::skip]
const FINAL: [u8; 64] = [
    40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31, 38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53, 21, 61, 29,
    36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27, 34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25,
];

#[rustfmt::skip]
const EXPANSION: [u8; 48] = [
    32, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 8, 9, 10, 11, 12, 13, 12, 13, 14, 15, 16, 17,
    16, 17, 18, 19, 20, 21, 20, 21, 22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1,
];

#[rustfmt::skip]
const MIXING: [u8; 32] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
];

#[rustfmt::skip]
const KEY_CHOICE: [u8; 56] = [
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
    63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
];

#[rustfmt::skip]
const ROUND_KEY_CHOICE: [u8; 48] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];

#[rustfmt::skip]
const BOXES: [[u8; 64]; 8] = [
    [
        14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8,
        4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13,
    ],
    [
        15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5,
        0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9,
    ],
    [
        10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1,
        13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12,
    ],
    [
        7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9,
        10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14,
    ],
    [
        2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6,
        4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3,
    ],
    [
        12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8,
        9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13,
    ],
    [
        4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6,
        1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12,
    ],
    [
        13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2,
        7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_crypt() {
        assert_eq!(traditional(b"secret", "ab").as_deref(), Some("abNANd1rDfiNc"));
        assert_eq!(traditional(b"", "ab").as_deref(), Some("abmF1QH4PEr.E"));
        assert_eq!(traditional(b"secretlongerthan8", "ab").as_deref(), Some("abqiKkVENApDk"));
        assert_eq!(traditional("s\u{e9}cr".as_bytes(), "!b"), None);
        assert_eq!(extended(b"secret", "_J9..rasm").as_deref(), Some("_J9..rasmz0.F/jqjWck"));
        assert_eq!(extended(b"secret", "_....rasm"), None);
    }
}
