//! Remembered failures do not change results.

use super::*;
use crate::regexp::{Encoding, Options, compile, read};

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }

    fn pattern(&mut self, levels: u32) -> String {
        if levels == 0 {
            return self.one(&["a", "b", ".", "[ab]", "^", "$", "\\b", "ab"]).into();
        }
        let inside = self.pattern(levels - 1);
        match self.below(8) {
            0 => format!("({inside})"),
            1 => format!("(?:{inside}|{})", self.pattern(levels - 1)),
            2 => format!("{}{inside})", self.one(&["(?=", "(?!", "(?>"])),
            3 => format!("(?:{inside}){}", self.one(&["*", "+", "*?", "?", "{1,3}"])),
            4 | 5 => {
                let many = ["*", "+", "?", "*?", "+?", "{1,3}", "{2,}", "{0,2}?", "{1,3}?", "{2}", "{2,}?"];
                format!("{}{}{inside}", self.one(&["a", ".", "[ab]", "b"]), self.one(&many))
            }
            _ => format!("{inside}{}", self.pattern(levels - 1)),
        }
    }
}

fn found(program: &Program, text: &[u8], remembers: bool) -> Searched<Option<Spans>> {
    let mut machine = Machine::<true>::new(program, text, 0, MAX_STEPS);
    machine.pays_at = remembers.then_some(0);
    machine.search(Direction::Forward)
}

#[test]
fn to_remember_changes_nothing() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for _ in 0..20_000 {
        let source = numbers.pattern(4);
        let Ok((pattern, _)) = read(source.as_bytes(), Options::default(), Encoding::Binary) else {
            continue;
        };
        let program = compile::compile(&pattern, true).unwrap();
        for _ in 0..4 {
            let length = numbers.below(14);
            let text: String = (0..length).map(|_| numbers.one(&["a", "b", "c", "\n"])).collect();
            let (with, without) =
                (found(&program, text.as_bytes(), true), found(&program, text.as_bytes(), false));
            if without.is_ok() {
                assert_eq!(with, without, "/{source}/ in {text:?}");
            }
        }
    }
}
