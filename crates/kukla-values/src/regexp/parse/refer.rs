//! Mentions of groups: names, `\1`, `\k<name>`, `\g<name>`.

use super::super::tree::{Backref, Node};
use super::{Call, Item, MAX_BACKREF, Parsed, Parser, Reference, Refusal, shortened};
use crate::Str;

impl Parser<'_> {
    /// A mention of groups.
    pub(super) fn backref(&self, groups: Vec<usize>, level: Option<i64>) -> Item {
        let early = groups.iter().any(|group| self.closed.get(group - 1) == Some(&false));
        let ignore_case = self.flags.ignore_case;
        Item::Node(Node::Backref(Backref { groups, ignore_case, early, level }))
    }

    /// The first character of a name or number before its closing mark.
    fn first_of_name(&mut self, end: char) -> Parsed<char> {
        let first = self.peek().filter(|c| *c != end).ok_or("group name is empty")?;
        self.at += 1;
        Ok(first)
    }

    /// The refusal of the name between two positions.
    fn bad_name(&self, start: usize, end: usize) -> Refusal {
        format!("invalid group name <{}>", shortened(&self.text(start, end))).into()
    }

    /// A name or number up to its closing mark. Only a reference may be a number.
    pub(super) fn reference(&mut self, end: char, number_allowed: bool) -> Parsed<Reference> {
        let start = self.at;
        let first = self.first_of_name(end)?;
        let numeric = first.is_ascii_digit() || first == '-';
        if !numeric || !number_allowed {
            // A bad name is quoted up to the mark or to whatever ends it.
            while self.peek().is_some_and(|c| c != end && c != ')') {
                self.at += 1;
            }
            if numeric {
                return Err(self.bad_name(start, self.at));
            }
            if self.peek() != Some(end) {
                return Err(self.bad_name(start, self.codes.len()));
            }
            self.at += 1;
            return Ok(Reference::Name(self.text(start, self.at - 1).into()));
        }
        let mut digits = usize::from(first != '-');
        while let Some(c) = self.peek().filter(|c| *c != end && *c != ')') {
            if !c.is_ascii_digit() {
                let word = c.is_alphanumeric() || c == '_';
                while self.peek().is_some_and(|c| c != end && c != ')') {
                    self.at += 1;
                }
                let words = if word { "invalid group name" } else { "invalid char in group name" };
                return Err(format!("{words} <{}>", shortened(&self.text(start, self.at))).into());
            }
            digits += 1;
            self.at += 1;
        }
        if self.peek() != Some(end) {
            return Err(self.bad_name(start, self.codes.len()));
        }
        if digits == 0 {
            return Err(self.bad_name(start, self.at));
        }
        let number = self.number(start)?;
        if number == 0 {
            return Err(self.bad_name(start, self.codes.len()));
        }
        self.at += 1;
        Ok(Reference::Number(number))
    }

    pub(super) fn number(&self, start: usize) -> Parsed<i64> {
        match self.text(start, self.at).parse::<i64>() {
            Ok(number) if number.unsigned_abs() <= i32::MAX as u64 => Ok(number),
            _ => Err("too big number".into()),
        }
    }

    /// The groups and the level of `\k<name+level>`, from after its opening mark.
    pub(super) fn mentioned(&mut self, end: char) -> Parsed<(Vec<usize>, Option<i64>)> {
        let start = self.at;
        let first = self.first_of_name(end)?;
        let numeric = first.is_ascii_digit() || first == '-';
        let mut invalid = false;
        let mut digits = usize::from(first.is_ascii_digit());
        while let Some(c) = self.peek().filter(|c| *c != end && !matches!(c, ')' | '+' | '-')) {
            invalid |= numeric && !c.is_ascii_digit();
            digits += 1;
            self.at += 1;
        }
        let name_end = self.at;
        if invalid || (numeric && digits == 0) {
            return Err(self.bad_name(start, name_end));
        }
        let mut level = None;
        match self.peek() {
            Some(c) if c == end => {}
            Some(sign @ ('+' | '-')) => {
                self.at += 1;
                let digits = self.at;
                while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    self.at += 1;
                }
                if self.at == digits || self.peek() != Some(end) {
                    return Err(self.bad_name(start, self.codes.len()));
                }
                let depth = self.number(digits)?;
                level = Some(if sign == '-' { -depth } else { depth });
            }
            _ => return Err(self.bad_name(start, self.codes.len())),
        }
        if !numeric {
            let name = self.text(start, name_end);
            let named = |(_, known): &(usize, &Option<Str>)| known.as_deref() == Some(name.as_str());
            let mut groups: Vec<usize> =
                (1..).zip(&self.groups).filter(named).map(|(number, _)| number).collect();
            groups.reverse();
            if groups.is_empty() {
                return Err(format!("undefined name <{}> reference", shortened(&name)).into());
            }
            self.at += 1;
            return Ok((groups, level));
        }
        let end_of_reference = std::mem::replace(&mut self.at, name_end);
        let number = self.number(start)?;
        self.at = end_of_reference + 1;
        if number == 0 {
            return Err(self.bad_name(start, self.codes.len()));
        }
        self.numbered = true;
        Ok((vec![self.absolute(number)?], level))
    }

    /// The number of a group counted from here if it is negative.
    pub(super) fn absolute(&self, number: i64) -> Parsed<usize> {
        let absolute = if number < 0 { self.groups.len() as i64 + 1 + number } else { number };
        match usize::try_from(absolute) {
            Ok(number) if number > 0 => Ok(number),
            _ => Err("invalid backref number/name".into()),
        }
    }

    /// `\g<name>` from after its opening mark.
    pub(super) fn call(&mut self, end: char) -> Parsed<Node> {
        let index = self.calls.len();
        if self.peek() == Some('0') && self.peek_at(1) == Some(end) {
            self.at += 2;
            self.calls.push(Call { name: Str::default(), number: Some(0) });
            return Ok(Node::Call(index));
        }
        let ahead = self.eat('+');
        let start = self.at;
        let (name, number) = match self.reference(end, true)? {
            Reference::Name(name) => (name, None),
            Reference::Number(number) => {
                let number = match (ahead, number) {
                    (true, 1..) => self.groups.len() + number as usize,
                    _ => self.absolute(number)?,
                };
                (self.text(start, self.at - 1).into(), Some(number))
            }
        };
        self.calls.push(Call { name, number });
        Ok(Node::Call(index))
    }

    /// `\1` to `\9` and beyond: a group that exists, or a byte in octal.
    pub(super) fn numeral(&mut self) -> Parsed<Item> {
        self.at += 1;
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        let number = self.text(start, self.at).parse::<usize>().unwrap_or(usize::MAX);
        if number <= MAX_BACKREF && (number <= self.groups.len() || number <= 9) {
            self.numbered = true;
            return Ok(self.backref(vec![number], None));
        }
        self.at = start;
        let Some(first) = self.peek() else { return Ok(Item::Node(Node::Empty)) };
        if matches!(first, '8' | '9') {
            self.at += 1;
            let digit = u32::from(first);
            return self.run(vec![digit]);
        }
        self.at += 1;
        Ok(Item::Run(vec![self.byte(first)?]))
    }
}
