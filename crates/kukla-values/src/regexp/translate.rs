//! From Ruby's pattern syntax to that of `regex` and `fancy-regex`, with Ruby's meaning.

use std::fmt;

use kukla_syntax::bail;

use super::{Options, class};
use crate::codes::INVALID_REGEXP;
use crate::{Result, Str};

/// How deep groups and classes may nest.
pub(super) const MAX_DEPTH: usize = 200;
/// Ruby's largest count in `{n,m}`.
const MAX_REPEAT: u32 = 100_000;

/// Names of groups with the numbers of the groups so named.
type Names = Vec<(Str, Vec<usize>)>;

/// A pattern in Rust's syntax and what is known about it.
#[derive(Debug)]
pub(super) struct Translation {
    /// The pattern.
    pub pattern: String,
    /// Whether only a backtracking engine can run it.
    pub backtracking: bool,
    /// Whether it has a `^` that is also true at the end of a text, where Ruby's is not.
    pub loose_caret: bool,
    /// Whether it repeats groups that may match nothing. Ruby then goes round once more, and the groups hold nothing after it.
    pub empty_loops: bool,
    /// How many groups capture.
    pub groups: usize,
    /// The named groups.
    pub names: Names,
}

/// Which characters `\w`, POSIX brackets and the like mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charset {
    /// `(?d)`: letters are ASCII, POSIX brackets Unicode.
    Default,
    /// `(?a)`: all are ASCII.
    Ascii,
    /// `(?u)`: all are Unicode.
    Unicode,
}

#[derive(Clone, Copy)]
struct Flags {
    ignore_case: bool,
    dot_all: bool,
    extended: bool,
    charset: Charset,
}

/// Translates for the fastest engine that can run the pattern.
pub(super) fn translate(source: &str, options: Options) -> Result<Translation> {
    let first = Translator::new(source, options, None, false).run()?;
    if first.names.is_empty() && !first.backtracking {
        return Ok(first);
    }
    exactly(source, options, first.backtracking, first)
}

/// Translates again now that it is known which engine is meant and whether groups have names.
fn exactly(source: &str, options: Options, backtracking: bool, first: Translation) -> Result<Translation> {
    if first.names.is_empty() {
        return Translator::new(source, options, None, backtracking).run();
    }
    // Names only get their numbers right once plain groups do not count, and may be mentioned before they appear.
    let second = Translator::new(source, options, Some(first.names), backtracking).run()?;
    Translator::new(source, options, Some(second.names), backtracking).run()
}

/// Translates for the backtracking engine, where `^` can have Ruby's exact meaning.
pub(super) fn translate_strict(source: &str, options: Options) -> Result<Translation> {
    let first = Translator::new(source, options, None, true).run()?;
    exactly(source, options, true, first)
}

/// A reader of Ruby's syntax that writes Rust's as it goes.
pub(super) struct Translator<'s> {
    source: &'s str,
    chars: Vec<char>,
    at: usize,
    flags: Flags,
    /// Plain groups do not capture once any group has a name; what an earlier reading knows of the names.
    named: Option<Names>,
    /// Whether the output is for the backtracking engine.
    for_backtracking: bool,
    needs_backtracking: bool,
    loose_caret: bool,
    empty_loops: bool,
    groups: usize,
    /// How many things that match text or capture it have been written; a group that adds none is an assertion.
    substance: usize,
    names: Names,
    references: Vec<Reference>,
    pub(super) out: String,
}

/// The last thing written that a repetition can be of.
struct Atom {
    /// Where it starts in the output.
    start: usize,
    /// Whether it has been repeated already.
    repeated: bool,
    /// Whether it matches a place rather than text.
    assertion: bool,
    /// How many groups stand before it.
    groups: usize,
}

/// Whether a piece of a pattern may match without any text.
fn may_match_nothing(pattern: &str) -> bool {
    regex_syntax::parse(pattern).is_ok_and(|piece| piece.properties().minimum_len() == Some(0))
}

/// A mention of a group, checked once all groups are known.
struct Reference {
    group: Group,
    call: bool,
}

enum Group {
    Number(usize),
    Name(Str),
}

impl<'s> Translator<'s> {
    fn new(source: &'s str, options: Options, named: Option<Names>, for_backtracking: bool) -> Self {
        Translator {
            source,
            chars: source.chars().collect(),
            at: 0,
            flags: Flags {
                ignore_case: options.ignore_case,
                dot_all: options.multiline,
                extended: options.extended,
                charset: Charset::Default,
            },
            named,
            for_backtracking,
            needs_backtracking: false,
            loose_caret: false,
            empty_loops: false,
            groups: 0,
            substance: 0,
            names: Vec::new(),
            references: Vec::new(),
            out: String::with_capacity(source.len() + 16),
        }
    }

    fn run(mut self) -> Result<Translation> {
        let ignore_case = self.flags.ignore_case;
        self.out.push_str(if ignore_case { "(?i:" } else { "" });
        self.alternatives(0)?;
        if self.at < self.chars.len() {
            return self.fail(format_args!("unmatched close parenthesis"));
        }
        self.out.push_str(if ignore_case { ")" } else { "" });
        self.check_references()?;
        Ok(Translation {
            pattern: self.out,
            backtracking: self.needs_backtracking,
            loose_caret: self.loose_caret && !self.for_backtracking,
            empty_loops: self.empty_loops && !self.for_backtracking,
            groups: self.groups,
            names: self.names,
        })
    }

    pub(super) fn fail<T>(&self, reason: fmt::Arguments<'_>) -> Result<T> {
        bail!(INVALID_REGEXP { reason, source: self.source })
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn advance(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.at += count;
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    pub(super) fn place(&self) -> usize {
        self.at
    }

    pub(super) fn between(&self, start: usize) -> String {
        self.chars[start..self.at].iter().collect()
    }

    pub(super) fn charset(&self) -> Charset {
        self.flags.charset
    }

    /// Reads alternatives up to the end or a closing parenthesis, which is left for the caller.
    fn alternatives(&mut self, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return self.fail(format_args!("too deep nest level"));
        }
        let mut atom: Option<Atom> = None;
        while let Some(c) = self.peek() {
            match c {
                ')' => return Ok(()),
                '|' => {
                    self.advance();
                    self.out.push('|');
                    atom = None;
                }
                '*' | '+' | '?' => {
                    self.advance();
                    self.repeat(&mut atom, c, None)?;
                }
                '{' => match self.interval()? {
                    Some(range) => self.repeat(&mut atom, c, Some(range))?,
                    None => {
                        self.advance();
                        self.substance += 1;
                        let (start, groups) = (self.out.len(), self.groups);
                        atom = Some(Atom { start, repeated: false, assertion: false, groups });
                        self.push_literal('{');
                    }
                },
                '(' if self.peek_at(1) == Some('?') && self.peek_at(2) == Some('#') => self.comment()?,
                '(' => {
                    let (start, groups) = (self.out.len(), self.groups);
                    self.advance();
                    let looks = self.peek() == Some('?')
                        && (matches!(self.peek_at(1), Some('=' | '!'))
                            || (self.peek_at(1) == Some('<') && matches!(self.peek_at(2), Some('=' | '!'))));
                    let substance = self.substance;
                    if self.group(depth + 1)? {
                        if looks {
                            self.substance = substance;
                        }
                        let assertion = self.substance == substance;
                        atom = Some(Atom { start, repeated: false, assertion, groups });
                    }
                }
                c if self.flags.extended && (c.is_ascii_whitespace() || c == '\x0b') => {
                    self.advance();
                }
                '#' if self.flags.extended => while self.advance().is_some_and(|c| c != '\n') {},
                _ => {
                    self.advance();
                    let assertion = matches!(c, '^' | '$')
                        || (c == '\\' && matches!(self.peek(), Some('A' | 'z' | 'Z' | 'b' | 'B' | 'G')));
                    self.substance += usize::from(!assertion);
                    let groups = self.groups;
                    atom = Some(Atom { start: self.atom(c)?, repeated: false, assertion, groups });
                }
            }
        }
        Ok(())
    }

    /// Repeats the last atom. Ruby reads a second repetition as one of the first, `{n}?` as an optional `{n}`, and `+` after an
    /// interval as a repetition of it.
    fn repeat(
        &mut self,
        last: &mut Option<Atom>,
        sign: char,
        range: Option<(u32, Option<u32>)>,
    ) -> Result<()> {
        let Some(atom) = last else {
            return self.fail(format_args!("target of repeat operator is not specified"));
        };
        let start = atom.start;
        if atom.assertion {
            // Whether an assertion holds does not change by asking again.
            let needed = sign == '+' || range.is_some_and(|(min, _)| min > 0);
            if !needed || (range.is_some_and(|(min, max)| max == Some(min)) && self.peek() == Some('?')) {
                self.out.truncate(start);
                self.out.push_str("(?:)");
            }
            if !self.eat('?') && range.is_none() {
                self.eat('+');
            }
            return Ok(());
        }
        let once = sign == '?' || range.is_some_and(|(_, max)| max.is_some_and(|max| max < 2));
        if !once && self.groups > atom.groups && may_match_nothing(&self.out[start..]) {
            self.empty_loops = true;
            if self.for_backtracking {
                // Only what looks ahead is repeated by the backtracking engine itself, which goes round as Ruby does.
                self.wrap(start, "(?:(?=)");
            }
        } else if atom.repeated {
            self.wrap(start, "(?:");
        }
        match range {
            None => self.out.push(sign),
            Some((min, max)) => {
                self.out.push_str(&match max {
                    Some(max) if max == min => format!("{{{min}}}"),
                    Some(max) => format!("{{{min},{max}}}"),
                    None => format!("{{{min},}}"),
                });
                if max == Some(min) && self.eat('?') {
                    self.wrap(start, "(?:");
                    self.out.push('?');
                    atom.repeated = true;
                    return Ok(());
                }
            }
        }
        if self.eat('?') {
            self.out.push('?');
        } else if range.is_none() && self.eat('+') {
            self.needs_backtracking = true;
            self.wrap(start, "(?>");
        }
        atom.repeated = true;
        Ok(())
    }

    fn wrap(&mut self, start: usize, open: &str) {
        self.out.insert_str(start, open);
        self.out.push(')');
    }

    /// Reads `{n}`, `{n,}`, `{,m}` or `{n,m}`; anything else after a brace is plain text.
    fn interval(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        let mut ahead = 1;
        let number = |ahead: &mut usize| {
            let mut value: Option<u32> = None;
            while let Some(digit) = self.peek_at(*ahead).and_then(|c| c.to_digit(10)) {
                value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit));
                *ahead += 1;
            }
            value
        };
        let low = number(&mut ahead);
        let high = if self.peek_at(ahead) == Some(',') {
            ahead += 1;
            number(&mut ahead)
        } else {
            low
        };
        let open = self.peek_at(ahead - 1) == Some(',');
        if self.peek_at(ahead) != Some('}') || (low.is_none() && high.is_none()) {
            return Ok(None);
        }
        self.at += ahead + 1;
        let min = low.unwrap_or(0);
        let max = if open { None } else { high };
        if min > MAX_REPEAT || max.is_some_and(|max| max > MAX_REPEAT) {
            return self.fail(format_args!("too big number for repeat range"));
        }
        if max.is_some_and(|max| max < min) {
            return self.fail(format_args!("upper is smaller than lower in repeat range"));
        }
        Ok(Some((min, max)))
    }

    fn comment(&mut self) -> Result<()> {
        self.at += 3;
        loop {
            match self.advance() {
                Some(')') => return Ok(()),
                Some('\\') => {
                    self.advance();
                }
                Some(_) => {}
                None => return self.fail(format_args!("end pattern in group")),
            }
        }
    }

    /// Reads a group from just after its `(`. False if it was an option for the rest of the enclosing group.
    fn group(&mut self, depth: usize) -> Result<bool> {
        let outer = self.flags;
        if !self.eat('?') {
            if self.named.is_some() {
                self.out.push_str("(?:");
            } else {
                self.groups += 1;
                self.substance += 1;
                self.out.push('(');
            }
            self.close(depth, outer)?;
            return Ok(true);
        }
        let Some(c) = self.advance() else { return self.fail(format_args!("end pattern in group")) };
        match (c, self.peek()) {
            (':', _) => self.out.push_str("(?:"),
            ('=', _) => self.backtracking("(?="),
            ('!', _) => self.backtracking("(?!"),
            ('>', _) => self.backtracking("(?>"),
            ('~', _) => self.backtracking("(?~"),
            ('<', Some('=')) => {
                self.advance();
                self.backtracking("(?<=");
            }
            ('<', Some('!')) => {
                self.advance();
                self.backtracking("(?<!");
            }
            ('<', _) => self.named_group('>')?,
            ('\'', _) => self.named_group('\'')?,
            ('(', _) => self.condition()?,
            _ => {
                self.at -= 1;
                return self.options(depth, outer);
            }
        }
        self.close(depth, outer)?;
        Ok(true)
    }

    fn backtracking(&mut self, text: &str) {
        self.needs_backtracking = true;
        self.out.push_str(text);
    }

    /// The inside of a group and its closing parenthesis.
    fn close(&mut self, depth: usize, outer: Flags) -> Result<()> {
        self.alternatives(depth)?;
        self.flags = outer;
        if !self.eat(')') {
            return self.fail(format_args!("end pattern with unmatched parenthesis"));
        }
        self.out.push(')');
        Ok(())
    }

    fn named_group(&mut self, end: char) -> Result<()> {
        if self.peek().is_none() {
            return self.fail(format_args!("end pattern with unmatched parenthesis"));
        }
        let name = self.group_name(end)?;
        if name.starts_with(|c: char| c.is_ascii_digit() || !(c.is_alphanumeric() || c == '_')) {
            return self.fail(format_args!("invalid group name <{name}>"));
        }
        self.groups += 1;
        self.substance += 1;
        let number = self.groups;
        match self.names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, numbers)) => numbers.push(number),
            None => self.names.push((name, vec![number])),
        }
        self.out.push('(');
        Ok(())
    }

    fn group_name(&mut self, end: char) -> Result<Str> {
        let start = self.at;
        while self.peek().is_some_and(|c| c != end && c != ')') {
            self.advance();
        }
        let name = Str::from(self.between(start));
        if name.is_empty() {
            return self.fail(format_args!("group name is empty"));
        }
        if !self.eat(end) {
            return self.fail(format_args!("invalid group name <{name}>"));
        }
        Ok(name)
    }

    /// `(?(1)yes|no)` and `(?(<name>)yes|no)`, from after the inner parenthesis.
    fn condition(&mut self) -> Result<()> {
        let group = match self.peek() {
            Some(quote @ ('<' | '\'')) => {
                self.advance();
                self.group_name(if quote == '<' { '>' } else { quote })?
            }
            _ => {
                let start = self.at;
                while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    self.advance();
                }
                Str::from(self.between(start))
            }
        };
        if !self.eat(')') {
            return self.fail(format_args!("invalid conditional pattern"));
        }
        let numbers = self.numbers(&group, false)?;
        self.needs_backtracking = true;
        self.out.push_str(&format!("(?({})", numbers.first().copied().unwrap_or_default()));
        Ok(())
    }

    /// `(?i-mx)` for the rest of the group, `(?i-mx:...)` for its own.
    fn options(&mut self, depth: usize, outer: Flags) -> Result<bool> {
        let mut on = true;
        loop {
            match self.advance() {
                Some('-') => on = false,
                Some('i') => self.flags.ignore_case = on,
                Some('m') => self.flags.dot_all = on,
                Some('x') => self.flags.extended = on,
                Some('a') if on => self.flags.charset = Charset::Ascii,
                Some('u') if on => self.flags.charset = Charset::Unicode,
                Some('d') if on => self.flags.charset = Charset::Default,
                Some(c @ (':' | ')')) => {
                    self.out.push_str(if self.flags.ignore_case { "(?i:" } else { "(?-i:" });
                    if c == ':' {
                        self.close(depth, outer)?;
                        return Ok(true);
                    }
                    self.alternatives(depth)?;
                    self.out.push(')');
                    return Ok(false);
                }
                Some(_) => return self.fail(format_args!("undefined group option")),
                None => return self.fail(format_args!("end pattern in group")),
            }
        }
    }

    /// Writes one character or escape, and says where its last atom starts in the output.
    fn atom(&mut self, c: char) -> Result<usize> {
        let start = self.out.len();
        match c {
            '.' => self.out.push_str(if self.flags.dot_all { "(?s:.)" } else { r"[^\n]" }),
            '^' if self.for_backtracking => self.out.push_str(r"(?:\A|(?m:^)(?!\z))"),
            '^' => {
                self.loose_caret = true;
                self.out.push_str("(?m:^)");
            }
            '$' => self.out.push_str("(?m:$)"),
            '[' => self.bracket(0)?,
            '\\' => return self.escape(),
            _ => self.push_literal(c),
        }
        Ok(start)
    }

    fn escape(&mut self) -> Result<usize> {
        let start = self.out.len();
        let Some(c) = self.advance() else { return self.fail(format_args!("too short escape sequence")) };
        if let Some(inside) = class::letter(c, self.charset()) {
            let sign = if c.is_ascii_uppercase() { "^" } else { "" };
            // Ignoring case would let the Kelvin sign into an ASCII class.
            let bare = if self.flags.ignore_case { "(?-i:" } else { "" };
            let end = if self.flags.ignore_case { ")" } else { "" };
            self.out.push_str(&format!("{bare}[{sign}{inside}]{end}"));
            return Ok(start);
        }
        match c {
            'A' => self.out.push_str(r"\A"),
            'z' => self.out.push_str(r"\z"),
            'Z' => self.backtracking(r"(?=\n?\z)"),
            'b' | 'B' if self.charset() == Charset::Ascii && !self.for_backtracking => {
                self.out.push_str(if c == 'b' { r"(?-u:\b)" } else { r"(?-u:\B)" });
            }
            'b' => self.out.push_str(r"\b"),
            'B' => self.out.push_str(r"\B"),
            'G' => self.backtracking(r"\G"),
            'K' => self.backtracking(r"\K"),
            'R' => self.backtracking("(?>\r\n|[\n\x0b\x0c\r\u{85}\u{2028}\u{2029}])"),
            'X' => self.backtracking(r"(?>\r\n|\P{M}(?:\p{M}|\x{200D}\P{M})*|\p{M}+)"),
            'p' | 'P' if self.peek() == Some('{') => {
                let class = self.property(c == 'P')?;
                self.out.push_str(&class);
            }
            'k' if matches!(self.peek(), Some('<' | '\'')) => self.back_reference()?,
            'g' if matches!(self.peek(), Some('<' | '\'')) => self.call()?,
            '1'..='9' if self.numbered_reference(c)? => {}
            _ => {
                let text = self.character(c)?;
                let (last, before) =
                    text.split_last().map_or((None, &[][..]), |(last, before)| (Some(last), before));
                before.iter().for_each(|&c| self.push_literal(c));
                let start = self.out.len();
                last.into_iter().for_each(|&c| self.push_literal(c));
                return Ok(start);
            }
        }
        Ok(start)
    }

    /// `\1`: a reference if it has one digit or there are that many groups so far, else an octal escape.
    fn numbered_reference(&mut self, first: char) -> Result<bool> {
        let start = self.at;
        let mut number = first.to_digit(10).unwrap_or(0) as usize;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit as usize);
            self.advance();
        }
        if number > 9 && number > self.groups {
            self.at = start;
            return Ok(false);
        }
        if self.named.is_some() {
            return self.fail(format_args!("numbered backref/call is not allowed. (use name)"));
        }
        self.references.push(Reference { group: Group::Number(number), call: false });
        self.backtracking(&format!("(?:\\{number})"));
        Ok(true)
    }

    fn back_reference(&mut self) -> Result<()> {
        let end = if self.advance() == Some('<') { '>' } else { '\'' };
        let name = self.group_name(end)?;
        let numbers = self.numbers(&name, false)?;
        let each: Vec<String> = numbers.iter().rev().map(|number| format!("\\{number}")).collect();
        self.backtracking(&format!("(?:{})", each.join("|")));
        Ok(())
    }

    fn call(&mut self) -> Result<()> {
        let end = if self.advance() == Some('<') { '>' } else { '\'' };
        let name = self.group_name(end)?;
        let numbers = self.numbers(&name, true)?;
        self.backtracking(&format!("\\g<{}>", numbers.first().copied().unwrap_or_default()));
        Ok(())
    }

    /// The numbers of the groups a reference means; names not seen yet are looked up once all are.
    fn numbers(&mut self, written: &Str, call: bool) -> Result<Vec<usize>> {
        let digits = written.trim_start_matches(['-', '+']);
        let Ok(number) = digits.parse::<usize>() else {
            // A call may come before its group, a back reference may not.
            if !call && !self.names.iter().any(|(known, _)| known == written) {
                return self.fail(format_args!("undefined name <{written}> reference"));
            }
            let names = self.named.as_ref().unwrap_or(&self.names);
            let found = names.iter().find(|(known, _)| known == written).map(|(_, numbers)| numbers.clone());
            self.references.push(Reference { group: Group::Name(written.clone()), call });
            return Ok(found.unwrap_or_else(|| vec![1]));
        };
        let number = match written.chars().next() {
            Some('-') => match (self.groups + 1).checked_sub(number) {
                Some(number) if number > 0 => number,
                _ => return self.fail(format_args!("invalid backref number/name")),
            },
            Some('+') => self.groups + number,
            _ => number,
        };
        if self.named.is_some() && number > 0 {
            return self.fail(format_args!("numbered backref/call is not allowed. (use name)"));
        }
        self.references.push(Reference { group: Group::Number(number), call });
        Ok(vec![number])
    }

    fn check_references(&self) -> Result<()> {
        for reference in &self.references {
            match &reference.group {
                Group::Number(number) if *number <= self.groups => {}
                Group::Number(number) if reference.call => {
                    return self.fail(format_args!("undefined group <{number}> reference"));
                }
                Group::Number(_) => return self.fail(format_args!("invalid backref number/name")),
                Group::Name(name) if self.names.iter().any(|(known, _)| known == name) => {}
                Group::Name(name) => return self.fail(format_args!("undefined name <{name}> reference")),
            }
        }
        Ok(())
    }

    fn push_literal(&mut self, c: char) {
        if matches!(c, '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$') {
            self.out.push('\\');
        }
        self.out.push(c);
    }
}
