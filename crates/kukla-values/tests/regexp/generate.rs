//! Patterns and subjects made by chance, over all of the syntax.

use std::fmt;

use kukla_values::regexp::{Direction, Encoding, Options};

/// Numbers that look random and are the same for the same seed.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }

    /// True this number of times in a hundred.
    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'s>(&mut self, choices: &[&'s str]) -> &'s str {
        choices[self.below(choices.len())]
    }
}

/// Where does a pattern match a subject?
pub struct Question {
    pub pattern: Vec<u8>,
    pub options: Options,
    pub encoding: Encoding,
    pub subject: Vec<u8>,
    pub position: usize,
    pub direction: Direction,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pattern, subject) =
            (String::from_utf8_lossy(&self.pattern), String::from_utf8_lossy(&self.subject));
        let options = self.options.letters();
        write!(
            f,
            "{pattern:?} {options} on {subject:?} {:?} from {} {:?}",
            self.encoding, self.position, self.direction
        )
    }
}

/// Letters with relatives beyond ASCII, and characters that equal several.
const TEXT: &[&str] = &[
    "a", "a", "a", "b", "b", "b", "c", "s", "S", "k", "K", "0", "1", " ", "-", "_", "/", ",", "\n", "x",
    "ss", "st", "é", "É", "ß", "ı", "ﬁ", "ſ", "\u{212a}", "日", "α", "\u{301}", "\r\n",
];
const ASCII: &[&str] =
    &["a", "a", "a", "b", "b", "b", "c", "s", "S", "k", "K", "0", "1", " ", "-", "_", "/", ",", "\n", "x"];
const LETTERS: &[&str] = &["\\w", "\\d", "\\s", "\\h", "\\W", "\\D", "\\S", "\\H"];
const SIGNS: &[&str] = &[
    "*", "+", "?", "*?", "+?", "??", "*+", "++", "?+", "{2}", "{1,2}", "{0,1}", "{,2}", "{2,}", "{1,3}?",
    "{2}?", "{2}+", "{1,2}+", "{0}", "{3,}?", "{1}",
];

/// One question.
pub fn question(chance: &mut Chance) -> Question {
    let binary = chance.percent(15);
    let options = Options {
        ignore_case: chance.percent(25),
        multiline: chance.percent(10),
        extended: chance.percent(10),
    };
    let mut maker = Maker {
        binary,
        named: chance.percent(15),
        // Ruby before 3.3 is at odds with itself about looking behind for letters that equal several.
        behind: !options.ignore_case && chance.percent(50),
        names: Vec::new(),
        depth: 0,
        chance,
    };
    let pattern = maker.alternatives();
    let texts = if binary { ASCII } else { TEXT };
    let length = chance.below(13);
    let mut subject: Vec<u8> = (0..length).flat_map(|_| chance.pick(texts).bytes()).collect();
    if binary && chance.percent(30) {
        subject.push(0xe9);
    }
    let mut position = if chance.percent(40) { chance.below(subject.len() + 1) } else { 0 };
    while !binary && subject.get(position).is_some_and(|byte| byte & 0xc0 == 0x80) {
        position -= 1;
    }
    let direction = if chance.percent(15) { Direction::Backward } else { Direction::Forward };
    let encoding = if binary { Encoding::Binary } else { Encoding::Utf8 };
    Question { pattern: pattern.into_bytes(), options, encoding, subject, position, direction }
}

struct Maker<'c> {
    chance: &'c mut Chance,
    binary: bool,
    named: bool,
    behind: bool,
    names: Vec<&'static str>,
    depth: usize,
}

impl Maker<'_> {
    fn alternatives(&mut self) -> String {
        let count = if self.chance.percent(25) { 2 } else { 1 } + usize::from(self.chance.percent(4));
        (0..count).map(|_| self.sequence()).collect::<Vec<_>>().join("|")
    }

    fn sequence(&mut self) -> String {
        let count = [0, 1, 1, 1, 2, 2, 2, 3, 3, 4][self.chance.below(10)];
        (0..count).map(|_| self.piece()).collect()
    }

    fn piece(&mut self) -> String {
        let mut piece = self.atom();
        for percent in [33, 3] {
            if self.chance.percent(percent) {
                piece += self.chance.pick(SIGNS);
            }
        }
        piece
    }

    fn text(&mut self) -> String {
        match self.binary {
            true if self.chance.percent(5) => "\\xe9".to_owned(),
            true => self.chance.pick(ASCII).to_owned(),
            false => self.chance.pick(TEXT).to_owned(),
        }
    }

    fn atom(&mut self) -> String {
        if self.depth > 5 {
            return self.text();
        }
        match self.chance.below(1000) {
            0..380 => self.text(),
            380..450 => ".".to_owned(),
            450..530 => self.class(),
            530..570 => self.chance.pick(LETTERS).to_owned(),
            570..580 => self.chance.pick(&["\\R", "\\X"]).to_owned(),
            580..640 => {
                self.chance.pick(&["^", "$", "\\A", "\\z", "\\Z", "\\b", "\\B", "\\G", "\\K"]).to_owned()
            }
            640..660 if self.binary => self.chance.pick(&["\\p{Alpha}", "\\P{Alpha}"]).to_owned(),
            640..660 => {
                self.chance.pick(&["\\p{L}", "\\p{Lu}", "\\P{L}", "\\p{^Ll}", "\\p{Alnum}"]).to_owned()
            }
            660..680 => {
                let escapes =
                    ["\\x61", "\\141", "\\n", "\\t", "\\cA", "\\.", "\\/", "\\-", "\\u0062", "\\u{61 62}"];
                self.chance.pick(&escapes).to_owned()
            }
            _ => {
                self.depth += 1;
                let group = self.group();
                self.depth -= 1;
                group
            }
        }
    }

    fn group(&mut self) -> String {
        match self.chance.below(320) {
            0..100 if self.named && self.chance.percent(60) => {
                let name = ["n", "m", "o"][self.chance.below(3)];
                self.names.push(name);
                format!("(?<{name}>{})", self.alternatives())
            }
            0..100 => format!("({})", self.alternatives()),
            100..160 => format!("(?:{})", self.alternatives()),
            160..200 => {
                let opening = self.chance.pick(&["(?=", "(?!", "(?>", "(?~"]);
                format!("{opening}{})", self.alternatives())
            }
            200..220 if self.behind => {
                let opening = self.chance.pick(&["(?<=", "(?<!"]);
                format!("{opening}{})", self.alternatives())
            }
            200..240 => {
                let all = ["m", "x", "a", "u", "-i", "m-x", "i", "mi-x", "ix", "ai", "ui"];
                let option = self.chance.pick(if self.behind { &all[..6] } else { &all });
                match self.chance.percent(50) {
                    true => format!("(?{option}:{})", self.alternatives()),
                    false => format!("(?{option})"),
                }
            }
            240..290 if !self.names.is_empty() => {
                let name = self.names[self.chance.below(self.names.len())];
                let (open, close) =
                    [("<", ">"), ("'", "'"), ("<", "+0>"), ("<", "-1>")][self.chance.below(4)];
                format!("\\k{open}{name}{close}")
            }
            240..290 => self
                .chance
                .pick(&["\\1", "\\2", "\\k<1>", "\\k<-1>", "\\3", "\\k<1+0>", "\\k<1-1>"])
                .to_owned(),
            290..305 if !self.names.is_empty() => {
                let name = self.names[self.chance.below(self.names.len())];
                format!("\\g<{name}>{}", self.chance.pick(&["", "?", "?", "*"]))
            }
            290..305 => {
                let calls = ["\\g<1>", "\\g<0>?", "\\g<-1>", "\\g<+1>", "\\g<1>?", "\\g<2>?"];
                self.chance.pick(&calls).to_owned()
            }
            _ => {
                let condition = match self.names.last() {
                    Some(name) => format!("<{name}>"),
                    None => self.chance.pick(&["1", "2"]).to_owned(),
                };
                let yes = self.sequence();
                let no =
                    if self.chance.percent(50) { "|".to_owned() + &self.sequence() } else { String::new() };
                format!("(?({condition}){yes}{no})")
            }
        }
    }

    fn class(&mut self) -> String {
        self.depth += 1;
        let count = if self.depth > 4 { 1 } else { 1 + self.chance.below(3) };
        let negation = if self.chance.percent(25) { "^" } else { "" };
        let items: String = (0..count).map(|_| self.class_item()).collect();
        self.depth -= 1;
        format!("[{negation}{items}]")
    }

    fn class_item(&mut self) -> String {
        const POSIX: &[&str] = &[
            "[:alpha:]",
            "[:^alpha:]",
            "[:digit:]",
            "[:space:]",
            "[:upper:]",
            "[:lower:]",
            "[:punct:]",
            "[:word:]",
            "[:alnum:]",
            "[:print:]",
            "[:graph:]",
            "[:cntrl:]",
            "[:blank:]",
            "[:xdigit:]",
            "[:ascii:]",
        ];
        match self.chance.below(100) {
            0..35 if self.binary => self.chance.pick(&["a", "b", "c", "s", "k", "0", " ", "S"]),
            0..35 => self.chance.pick(&["a", "b", "c", "s", "k", "é", "0", " ", "S", "ß"]),
            35..55 if self.binary => self.chance.pick(&["a-c", "b-z", "0-9", "A-Z"]),
            35..55 => self.chance.pick(&["a-c", "b-z", "0-9", "A-Z", "a-é", "\\x61-\\x63"]),
            55..70 => self.chance.pick(LETTERS),
            70..80 => self.chance.pick(POSIX),
            80..86 if self.binary => self.chance.pick(&["\\p{Alpha}", "\\p{^Digit}"]),
            80..86 => self.chance.pick(&["\\p{L}", "\\p{^Lu}", "\\P{Ll}", "\\p{Greek}", "\\p{Alpha}"]),
            86..93 => return self.class(),
            93..96 => "&&",
            96..98 => self.chance.pick(&["-", "^", "]", "[", "\\]", "\\-", "\\b", "\\n", "\\t", "\\x41"]),
            _ => self.chance.pick(&["\\R", "\\X", ".", "*", "\\1"]),
        }
        .to_owned()
    }
}
