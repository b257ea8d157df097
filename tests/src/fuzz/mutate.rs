//! Damage done to texts, the same in every run.

/// Makes texts from seeds.
#[derive(Debug)]
pub struct Mutator {
    state: u64,
}

/// Texts that are known to cause trouble for readers.
const SIGNS: &[&str] = &[
    "\"",
    "'",
    "`",
    "\\",
    "${",
    "%{",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "|",
    "&",
    "*",
    "!",
    "@",
    "#",
    "%",
    "$",
    ":",
    ",",
    "-",
    "?",
    "~",
    "=",
    "^",
    ".",
    "/",
    "\n",
    "\r\n",
    "\t",
    " ",
    "\0",
    "\u{feff}",
    "é",
    "\u{1f600}",
    "\u{2028}",
    "0",
    "-1",
    "9223372036854775808",
    "1e999",
    "0x",
    "<<",
    "---",
    "...",
    "%s",
    "%-+0 #10.5f",
    "\\u{110000}",
    "(?<a>",
    "\\k<a>",
    "(?=",
    "*?",
    "{2,}",
    "null",
    "undef",
    "default",
];

impl Mutator {
    /// A mutator; the same number gives the same texts.
    pub fn new(seed: u64) -> Mutator {
        Mutator { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state % limit.max(1) as u64) as usize
    }

    /// A text like one of the seeds, with damage.
    pub fn text(&mut self, seeds: &[&str]) -> Vec<u8> {
        let mut text = seeds[self.below(seeds.len())].as_bytes().to_vec();
        for _ in 0..=self.below(6) {
            let at = self.below(text.len() + 1);
            let end = (at + 1 + self.below(12)).min(text.len());
            match self.below(8) {
                0 => drop(text.drain(at..end)),
                1 => {
                    let other = seeds[self.below(seeds.len())].as_bytes();
                    let from = self.below(other.len());
                    let piece = &other[from..(from + 1 + self.below(40)).min(other.len())];
                    text.splice(at..at, piece.iter().copied());
                }
                2 | 3 => drop(text.splice(at..at, SIGNS[self.below(SIGNS.len())].bytes())),
                4 => text.truncate(at),
                5 => {
                    let piece: Vec<u8> = text[at..end].to_vec();
                    let most = 1 << self.below(8);
                    let times = 1 + self.below(most);
                    text.splice(at..at, piece.repeat(times));
                }
                6 if at < text.len() => text[at] = self.below(256) as u8,
                _ => {
                    let sign = SIGNS[self.below(SIGNS.len())];
                    let most = 1 << self.below(10);
                    let times = 1 + self.below(most);
                    text.splice(at..at, sign.repeat(times).into_bytes());
                }
            }
        }
        text
    }
}
