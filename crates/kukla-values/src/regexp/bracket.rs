//! Character classes in brackets: `[a-z&&[^aeiou]]`, `[[:alpha:]_]`.

use std::sync::Arc;

use super::fold;
use super::parse::{Parsed, Parser, control};
use super::set::Set;
use super::tree::Node;
use super::unicode::{self, Letters};

/// How deep classes may nest.
const MAX_DEPTH: usize = 250;
/// How far a name in `[:...:]` may reach.
const POSIX_LENGTH: usize = 20;

/// The members of a class, and those among them that were not meant by a name: only these bring in letters that equal them across
/// the border of ASCII.
#[derive(Default)]
struct Members {
    all: Set,
    across: Set,
}

/// The state of reading a class.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    /// A character that may yet start a range.
    Value(u32),
    /// A set just read.
    Class,
    /// A hyphen after a character.
    Range(u32),
    /// A range just read.
    Complete,
}

enum Item {
    Close,
    Hyphen,
    Char(u32),
    Class(Set, Across),
    Open,
    And,
    End,
}

#[derive(Clone, Copy, PartialEq)]
enum Across {
    Yes,
    No,
}

impl Members {
    fn add(&mut self, low: u32, high: u32) {
        self.all.add(low, high);
        self.across.add(low, high);
    }

    fn union(&mut self, other: &Members) {
        self.all.union(&other.all);
        self.across.union(&other.across);
    }

    fn intersect(&self, other: &Members) -> Members {
        Members { all: self.all.intersect(&other.all), across: self.across.intersect(&other.across) }
    }
}

impl Parser<'_> {
    /// A class from just after its `[`; a class of one character is that character.
    pub(super) fn bracket_node(&mut self, depth: usize) -> Parsed<Result<Node, u32>> {
        let (members, negated) = self.bracket(depth)?;
        if let (Some(code), false) = (members.all.only(), negated) {
            return Ok(Err(code));
        }
        if self.flags.ignore_case {
            let folded = fold::fold_set(&members.all, &members.across, self.binary());
            return Ok(Ok(self.with_expansions(folded, &members.all, negated)));
        }
        let set = if negated { members.all.complement() } else { members.all };
        Ok(Ok(Node::Set(Arc::new(set))))
    }

    fn bracket(&mut self, depth: usize) -> Parsed<(Members, bool)> {
        if depth > MAX_DEPTH {
            return Err("parse depth limit over".into());
        }
        let negated = self.eat('^');
        let mut item = self.class_item()?;
        if matches!(item, Item::Close) {
            if !self.codes[self.at..].contains(&u32::from(']')) {
                return Err("empty char-class".into());
            }
            item = Item::Char(u32::from(']'));
        }
        let mut before_and: Option<Members> = None;
        let mut members = Members::default();
        let mut state = State::Start;
        loop {
            let mut fetched = None;
            match item {
                Item::Close => break,
                Item::End => return Err("premature end of char-class".into()),
                Item::Char(code) => state = members.value(state, code)?,
                Item::Class(set, across) => {
                    if let State::Range(_) = state {
                        return Err("char-class value at end of range".into());
                    }
                    members.flush(state);
                    if across == Across::Yes {
                        members.across.union(&set);
                    }
                    members.all.union(&set);
                    state = State::Class;
                }
                Item::Hyphen => match state {
                    State::Start => state = members.value(state, u32::from('-'))?,
                    State::Range(_) => state = members.value(state, u32::from('-'))?,
                    State::Value(_) | State::Class | State::Complete => {
                        let next = self.class_item()?;
                        match (matches!(next, Item::Close | Item::And), state) {
                            (true, _) | (_, State::Complete) => {
                                state = members.value(state, u32::from('-'))?
                            }
                            (_, State::Value(low)) => state = State::Range(low),
                            _ => return Err("unmatched range specifier in char-class".into()),
                        }
                        fetched = Some(next);
                    }
                },
                Item::Open => {
                    let (inner, negated) = self.bracket(depth + 1)?;
                    members.union(&if negated {
                        Members { all: inner.all.complement(), across: inner.across.complement() }
                    } else {
                        inner
                    });
                }
                Item::And => {
                    members.flush(state);
                    state = State::Start;
                    let right = std::mem::take(&mut members);
                    before_and = Some(match before_and {
                        Some(left) => left.intersect(&right),
                        None => right,
                    });
                }
            }
            item = match fetched {
                Some(item) => item,
                None => self.class_item()?,
            };
        }
        members.flush(state);
        if let Some(left) = before_and {
            members = left.intersect(&members);
        }
        Ok((members, negated))
    }

    fn class_item(&mut self) -> Parsed<Item> {
        let (Some(c), Some(&code)) = (self.peek(), self.codes.get(self.at)) else { return Ok(Item::End) };
        self.at += 1;
        Ok(match c {
            ']' => Item::Close,
            '-' => Item::Hyphen,
            '&' if self.eat('&') => Item::And,
            '[' if self.peek() == Some(':') && self.posix_ahead() => match self.posix()? {
                Some((set, across)) => Item::Class(set, across),
                None => Item::Char(code),
            },
            '[' => Item::Open,
            '\\' => self.class_escape()?,
            _ => Item::Char(code),
        })
    }

    fn class_escape(&mut self) -> Parsed<Item> {
        let (Some(c), Some(&code)) = (self.peek(), self.codes.get(self.at)) else {
            return Err("end pattern at escape".into());
        };
        self.at += 1;
        Ok(match c {
            'w' | 'W' => Item::Class(self.letter(c), Across::No),
            'd' | 'D' | 's' | 'S' | 'h' | 'H' => Item::Class(self.letter(c), Across::Yes),
            'p' | 'P' if self.peek() == Some('{') => {
                self.at += 1;
                let (set, negated, ascii) = self.property(c == 'P')?;
                let set = if negated { set.complement() } else { set };
                Item::Class(set, if ascii { Across::No } else { Across::Yes })
            }
            'x' | '0'..='7' => Item::Char(self.byte(c)?),
            _ => Item::Char(control(c).unwrap_or(code)),
        })
    }

    /// Whether `:]` comes before the class can end.
    fn posix_ahead(&self) -> bool {
        let mut at = self.at + 1;
        while let Some(&code) = self.codes.get(at) {
            match char::from_u32(code) {
                Some(':') if self.codes.get(at + 1) == Some(&u32::from(']')) => return true,
                Some(']') => return false,
                Some('\\') => at += 2,
                _ => at += 1,
            }
        }
        false
    }

    /// A class by its POSIX name, from its first colon; nothing if this is only a bracket and a colon.
    fn posix(&mut self) -> Parsed<Option<(Set, Across)>> {
        let start = self.at;
        self.at += 1;
        let negated = self.eat('^');
        let rest = self.text(self.at, self.at + POSIX_LENGTH + 2);
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
            "upper", "xdigit", "ascii", "word",
        ];
        if let Some(name) = NAMES.into_iter().find(|name| rest.starts_with(name)) {
            if !rest[name.len()..].starts_with(":]") {
                return Err("invalid POSIX bracket type".into());
            }
            self.at += name.len() + 2;
            let ascii = self.flags.letters == Letters::Ascii || self.binary();
            let set = unicode::posix(name, ascii).unwrap_or_default();
            let named = matches!(name, "word" | "ascii") || ascii;
            let set = if negated { set.complement() } else { set };
            return Ok(Some((set, if named { Across::No } else { Across::Yes })));
        }
        let stop = rest.chars().take(POSIX_LENGTH).position(|c| c == ':' || c == ']');
        let stop = stop.map(|at| self.at + at);
        if stop.is_some_and(|at| {
            self.codes.get(at) == Some(&u32::from(':')) && self.codes.get(at + 1) == Some(&u32::from(']'))
        }) {
            return Err("invalid POSIX bracket type".into());
        }
        self.at = start;
        Ok(None)
    }
}

impl Members {
    /// Takes a character, which may end a range.
    fn value(&mut self, state: State, code: u32) -> Parsed<State> {
        if let State::Range(low) = state {
            if low > code {
                return Err("empty range in char class".into());
            }
            self.add(low, code);
            return Ok(State::Complete);
        }
        self.flush(state);
        Ok(State::Value(code))
    }

    /// Adds a character that starts no range after all.
    fn flush(&mut self, state: State) {
        if let State::Value(code) = state {
            self.add(code, code);
        }
    }
}
