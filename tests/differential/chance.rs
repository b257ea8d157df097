//! Chance that can be repeated.

/// Numbers made from a seed.
pub struct Chance(u64);

impl Chance {
    /// Always the same numbers for the same seed.
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    /// Whether one of so many falls.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.roll(n) == 0
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())]
    }
}
