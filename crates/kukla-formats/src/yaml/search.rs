//! Looking for a few bytes in what is short, where a search that is made for long texts takes longer to begin than to find.

const ONES: u64 = u64::from_ne_bytes([1; 8]);

/// Where the first byte is that is one of `wanted`.
#[inline]
pub(super) fn find_any<const N: usize>(bytes: &[u8], wanted: [u8; N]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (n, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = wanted.iter().fold(0, |found, byte| found | zeros(word ^ (ONES * u64::from(*byte))));
        if found != 0 {
            return Some(n * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let at = rest.iter().position(|byte| wanted.contains(byte))?;
    Some(words.len() * 8 + at)
}

/// The highest bit of the lowest byte that is zero, and perhaps bits above it.
#[inline]
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::Dice;

    #[test]
    fn finds_what_a_simple_search_finds() {
        let mut dice = Dice::new(3);
        for _ in 0..20_000 {
            let length = dice.roll(40);
            let some = [b':', b';', b'9', b'#', 0, 0x80, 0xba, 255];
            let bytes: Vec<u8> = (0..length).map(|_| some[dice.roll(some.len())]).collect();
            let expected = bytes.iter().position(|byte| matches!(byte, b':' | b'#'));
            assert_eq!(find_any(&bytes, [b':', b'#']), expected, "{bytes:?}");
        }
    }
}
