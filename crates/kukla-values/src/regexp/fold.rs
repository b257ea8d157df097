//! Ignoring case as Unicode has it, with characters that equal several: `ß` and `ss`, `ﬁ` and `fi`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::set::Set;

/// Characters that equal more than one, by character and by what they equal.
struct Expansions {
    folded: HashMap<u32, Vec<u32>>,
    /// By their first character: the rest of what they equal, and they.
    unfolded: HashMap<u32, Vec<(Vec<u32>, u32)>>,
}

/// Where characters lie that equal several: letters of Latin, Greek and Armenian, and ligatures.
const EXPANDING: [Range<u32>; 3] = [0x80..0x590, 0x1e90..0x2000, 0xfb00..0xfb20];

static EXPANSIONS: LazyLock<Expansions> = LazyLock::new(|| {
    let folded: HashMap<u32, Vec<u32>> = EXPANDING
        .into_iter()
        .flatten()
        .filter_map(char::from_u32)
        .filter_map(|c| Some((u32::from(c), expansion(c)?)))
        .collect();
    let mut unfolded: HashMap<u32, Vec<(Vec<u32>, u32)>> = HashMap::new();
    let mut sorted: Vec<_> = folded.iter().collect();
    sorted.sort_unstable();
    for (&code, parts) in sorted {
        unfolded.entry(parts[0]).or_default().push((parts[1..].to_vec(), code));
    }
    Expansions { folded, unfolded }
});

/// The folding of a character whose case takes several characters to write.
fn expansion(c: char) -> Option<Vec<u32>> {
    if c == 'ẞ' {
        return expansion('ß');
    }
    let lower = |c: char| c.to_lowercase();
    if c.to_lowercase().count() > 1 {
        return Some(c.to_lowercase().map(u32::from).collect());
    }
    let upper: Vec<char> = c.to_uppercase().collect();
    (upper.len() > 1).then(|| upper.into_iter().flat_map(lower).map(|c| simple(u32::from(c))).collect())
}

/// The canonical character of all that are equal except for case.
fn simple(code: u32) -> u32 {
    if code < 0x80 {
        return u32::from((code as u8).to_ascii_lowercase());
    }
    let equal = equals(code);
    let ascii = equal.iter().copied().filter(|code| *code < 0x80).max();
    ascii.or_else(|| equal.iter().copied().min()).unwrap_or(code)
}

/// The characters that equal one but for case, itself included.
pub(super) fn equals(code: u32) -> Vec<u32> {
    let Some(c) = char::from_u32(code) else { return vec![code] };
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    class.case_fold_simple();
    class.ranges().iter().flat_map(|range| u32::from(range.start())..=u32::from(range.end())).collect()
}

/// A character as it is compared when case does not matter.
pub(super) fn fold(code: u32, out: &mut Vec<u32>) {
    if code < 0x80 {
        out.push(u32::from((code as u8).to_ascii_lowercase()));
        return;
    }
    match EXPANSIONS.folded.get(&code) {
        Some(parts) => out.extend_from_slice(parts),
        None => out.push(simple(code)),
    }
}

/// A text whose case does not matter, prepared for comparing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    /// How many characters it was written with.
    pub written: usize,
    /// The text as it is compared.
    text: Vec<u32>,
    binary: bool,
    /// The characters allowed at each position.
    pub places: Vec<FoldPosition>,
}

/// The characters allowed at one position of a case-insensitive text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FoldPosition {
    /// Single characters.
    pub singles: Vec<u32>,
    /// Characters that stand for this place and others after it, with how many these are altogether.
    pub several: Vec<(u32, usize)>,
}

impl Folded {
    /// The text made of these characters; in binary only the case of ASCII letters is ignored.
    pub fn new(text: &[u32], binary: bool) -> Folded {
        let ascii = |code: u32| {
            let byte = u8::try_from(code).ok().filter(u8::is_ascii_alphabetic);
            byte.map_or(vec![code], |byte| {
                vec![u32::from(byte.to_ascii_uppercase()), u32::from(byte.to_ascii_lowercase())]
            })
        };
        if binary {
            let places =
                text.iter().map(|&code| FoldPosition { singles: ascii(code), several: Vec::new() }).collect();
            return Folded { written: text.len(), text: text.to_vec(), binary, places };
        }
        let mut folded = Vec::with_capacity(text.len());
        text.iter().for_each(|&code| fold(code, &mut folded));
        let place = |at: usize| {
            let candidates = EXPANSIONS.unfolded.get(&folded[at]).map_or(&[][..], Vec::as_slice);
            let several = candidates
                .iter()
                .filter(|(rest, _)| folded[at + 1..].starts_with(rest))
                .map(|(rest, code)| (*code, rest.len() + 1))
                .collect();
            FoldPosition { singles: equals(folded[at]), several }
        };
        let places = (0..folded.len()).map(place).collect();
        Folded { written: text.len(), text: folded, binary, places }
    }

    /// The text several times over, as one.
    pub fn times(&self, count: usize) -> Folded {
        Folded { written: self.written * count, ..Folded::new(&self.text.repeat(count), self.binary) }
    }

    /// How many bytes the text takes.
    pub fn bytes(&self) -> usize {
        self.text.iter().map(|&code| char::from_u32(code).map_or(1, char::len_utf8)).sum()
    }

    /// Whether case makes no difference to it after all.
    pub fn is_plain(&self) -> bool {
        self.places.iter().all(|place| place.singles.len() == 1 && place.several.is_empty())
    }
}

/// Adds to a class what equals its members. A letter of ASCII and one beyond it bring each other in only where `across` has them;
/// `\w` alone does not bring in the Kelvin sign.
pub(super) fn fold_set(set: &Set, across: &Set, binary: bool) -> Set {
    let ascii = Set::of([(0, 0x7f)]);
    let mut folded = set.clone();
    for code in set.intersect(&ascii).ranges().iter().flat_map(|&(low, high)| low..=high) {
        let byte = code as u8;
        if byte.is_ascii_alphabetic() {
            folded.add(u32::from(byte ^ 0x20), u32::from(byte ^ 0x20));
        }
    }
    if binary {
        return folded;
    }
    let beyond = set.intersect(&Set::of([(0x80, 0x10_ffff)]));
    let mut class = ClassUnicode::new(beyond.ranges().iter().filter_map(|&(low, high)| {
        let low = char::from_u32(low).or_else(|| char::from_u32(0xe000))?;
        let high = char::from_u32(high).or_else(|| char::from_u32(0xd7ff))?;
        (low <= high).then(|| ClassUnicodeRange::new(low, high))
    }));
    class.case_fold_simple();
    let class =
        Set::of(class.ranges().iter().map(|range| (u32::from(range.start()), u32::from(range.end()))));
    // Ruby keeps what a class gains below 256 where it never looks for characters of several bytes.
    folded.union(&class.intersect(&Set::of([(0x100, 0x10_ffff)])));
    for (letter, other) in [(b'k', 0x212a), (b'K', 0x212a), (b's', 0x17f), (b'S', 0x17f)] {
        let letter = u32::from(letter);
        if set.contains(letter) && across.contains(letter) {
            folded.add(other, other);
        }
        if set.contains(other) && across.contains(other) {
            folded.add(letter, letter);
        }
    }
    folded
}

/// The texts of several characters that equal a member of a class, in the order of the members.
pub(super) fn expansions_in(set: &Set) -> Vec<Vec<u32>> {
    let mut found: Vec<(&u32, &Vec<u32>)> =
        EXPANSIONS.folded.iter().filter(|(code, _)| set.contains(**code)).collect();
    found.sort_unstable();
    let mut texts: Vec<Vec<u32>> = Vec::new();
    for (_, text) in found {
        if !texts.contains(text) {
            texts.push(text.clone());
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_character_equals_several() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let code = u32::from(c);
            assert!(expansion(c).is_none() || EXPANDING.iter().any(|range| range.contains(&code)), "{c:?}");
        }
    }
}
