//! Ruby's random numbers, bit for bit: a Mersenne Twister seeded with integers of any size.

const SIZE: usize = 624;
const MIDDLE: usize = 397;

/// A generator that gives the same numbers as Ruby's `Random.new(seed)`.
#[derive(Clone)]
pub struct Random {
    state: [u32; SIZE],
    next: usize,
}

impl Random {
    /// Seeds with the magnitude of an integer in 32-bit words, least significant first.
    pub fn from_words(words: &[u32]) -> Random {
        let used = words.iter().rposition(|&word| word != 0).map_or(1, |last| last + 1);
        let key: Vec<u32> = words.iter().copied().take(used).collect();
        let key = if key.is_empty() { vec![0] } else { key };
        let mut random = Random { state: [0; SIZE], next: SIZE };
        if key.len() == 1 {
            random.seed(key[0]);
        } else {
            random.seed_with_key(&key);
        }
        random
    }

    /// Seeds with a 64-bit integer; its sign does not matter.
    pub fn new(seed: i64) -> Random {
        let magnitude = seed.unsigned_abs();
        Random::from_words(&[magnitude as u32, (magnitude >> 32) as u32])
    }

    /// Seeds with an integer spelt in hexadecimal, as `fqdn_rand` makes from a digest.
    pub fn from_hex(digits: &str) -> Random {
        let nibbles: Vec<u32> = digits.chars().rev().filter_map(|c| c.to_digit(16)).collect();
        let words: Vec<u32> = nibbles
            .chunks(8)
            .map(|chunk| chunk.iter().rev().fold(0, |word, nibble| (word << 4) | nibble))
            .collect();
        Random::from_words(&words)
    }

    fn seed(&mut self, seed: u32) {
        self.state[0] = seed;
        for at in 1..SIZE {
            let before = self.state[at - 1];
            self.state[at] = 1_812_433_253u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(at as u32);
        }
    }

    fn seed_with_key(&mut self, key: &[u32]) {
        self.seed(19_650_218);
        let (mut at, mut part) = (1, 0);
        for _ in 0..SIZE.max(key.len()) {
            let before = self.state[at - 1];
            self.state[at] = (self.state[at] ^ (before ^ (before >> 30)).wrapping_mul(1_664_525))
                .wrapping_add(key[part])
                .wrapping_add(part as u32);
            at = self.advance(at);
            part = (part + 1) % key.len();
        }
        for _ in 0..SIZE - 1 {
            let before = self.state[at - 1];
            self.state[at] = (self.state[at] ^ (before ^ (before >> 30)).wrapping_mul(1_566_083_941))
                .wrapping_sub(at as u32);
            at = self.advance(at);
        }
        self.state[0] = 0x8000_0000;
    }

    fn advance(&mut self, at: usize) -> usize {
        if at + 1 < SIZE {
            return at + 1;
        }
        self.state[0] = self.state[SIZE - 1];
        1
    }

    fn refill(&mut self) {
        for at in 0..SIZE {
            let mixed = (self.state[at] & 0x8000_0000) | (self.state[(at + 1) % SIZE] & 0x7fff_ffff);
            let twist = if mixed & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[at] = self.state[(at + MIDDLE) % SIZE] ^ (mixed >> 1) ^ twist;
        }
        self.next = 0;
    }

    /// Thirty-two random bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.next >= SIZE {
            self.refill();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// A number from 0 up to, but not including, `limit` (Ruby's `rand(limit)` for a positive limit).
    pub fn below(&mut self, limit: u64) -> u64 {
        let Some(last) = limit.checked_sub(1) else { return 0 };
        if last == 0 {
            return 0;
        }
        let mask = u64::MAX >> last.leading_zeros();
        loop {
            let mut value = 0u64;
            let mut again = false;
            for part in [1, 0] {
                if (mask >> (part * 32)) & 0xffff_ffff == 0 {
                    continue;
                }
                value |= u64::from(self.next_u32()) << (part * 32);
                value &= mask;
                if last < value {
                    again = true;
                    break;
                }
            }
            if !again {
                return value;
            }
        }
    }

    /// A number from 0.0 up to, but not including, 1.0 (Ruby's `rand`).
    pub fn float(&mut self) -> f64 {
        let (a, b) = (self.next_u32() >> 5, self.next_u32() >> 6);
        (f64::from(a) * 67_108_864.0 + f64::from(b)) / 9_007_199_254_740_992.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rubys() {
        let mut random = Random::new(42);
        assert_eq!([random.below(100), random.below(100), random.below(1000)], [51, 92, 270]);
        assert_eq!(Random::new(42).float(), 0.3745401188473625);
        assert_eq!(Random::new(1 << 40).below(1 << 40), 555_567_862_544);
        assert_eq!(Random::from_hex("d41d8cd98f00b204e9800998ecf8427e").below(60), 24);
    }
}
