//! Character classes: `\w`, `[[:alpha:]]`, `\p{Greek}`, `[a-z&&[^aeiou]]`.

use super::translate::{Charset, Translator};
use crate::Result;

/// `\w` as Ruby has it: ASCII alone.
pub(super) const WORD: &str = "0-9A-Za-z_";
/// `\d`.
pub(super) const DIGIT: &str = "0-9";
/// `\s`.
pub(super) const SPACE: &str = " \t\n\r\x0b\x0c";
/// `\h`.
pub(super) const HEX: &str = "0-9A-Fa-f";

/// The members of a class letter (`w`, `d`, `s`, `h`, in either case), as the inside of a bracket.
pub(super) fn letter(c: char, charset: Charset) -> Option<&'static str> {
    let unicode = charset == Charset::Unicode;
    Some(match c.to_ascii_lowercase() {
        'w' if unicode => r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}",
        'd' if unicode => r"\p{Nd}",
        's' if unicode => r"\p{White_Space}",
        'w' => WORD,
        'd' => DIGIT,
        's' => SPACE,
        'h' => HEX,
        _ => return None,
    })
}

/// The inside of a bracket for one of the names POSIX and Ruby share.
fn posix(name: &str, ascii: bool) -> Option<&'static str> {
    Some(match (name, ascii) {
        ("alnum", true) => "0-9A-Za-z",
        ("alpha", true) => "A-Za-z",
        ("blank", true) => r"\t ",
        ("cntrl", true) => r"\x00-\x1f\x7f",
        ("digit", true) => "0-9",
        ("graph", true) => r"\x21-\x7e",
        ("lower", true) => "a-z",
        ("print", true) => r"\x20-\x7e",
        ("punct", true) => r"!-/:-@\[-`{-\x7e",
        ("space", true) => r" \t\n\r\x0b\x0c",
        ("upper", true) => "A-Z",
        ("word", true) => WORD,
        ("xdigit", _) => "0-9A-Fa-f",
        ("ascii", _) => r"\x00-\x7f",
        ("alnum", _) => r"\p{Alphabetic}\p{Nd}",
        ("alpha", _) => r"\p{Alphabetic}",
        ("blank", _) => r"\t\p{Zs}",
        ("cntrl", _) => r"\p{Cc}",
        ("digit", _) => r"\p{Nd}",
        ("graph", _) => r"[^\p{White_Space}\p{Cc}\p{Cn}]",
        ("lower", _) => r"\p{Lowercase}",
        ("print", _) => r"[^\p{White_Space}\p{Cc}\p{Cn}]\p{Zs}",
        ("punct", _) => r"\p{P}$+<=>\^`|\x7e",
        ("space", _) => r"\p{White_Space}",
        ("upper", _) => r"\p{Uppercase}",
        ("word", _) => r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}",
        _ => return None,
    })
}

impl Translator<'_> {
    /// Reads `\p{Name}` or `\P{^Name}` from the brace on and gives a class that stands alone or in a bracket.
    pub(super) fn property(&mut self, mut negated: bool) -> Result<String> {
        self.advance();
        let start = self.place();
        while self.peek().is_some_and(|c| c != '}') {
            self.advance();
        }
        let written: String = self.between(start);
        if self.advance().is_none() || written.is_empty() {
            return self.fail(format_args!("invalid character property name {{{written}}}"));
        }
        let mut name = written.as_str();
        if let Some(rest) = name.strip_prefix('^') {
            negated = !negated;
            name = rest;
        }
        let plain: String =
            name.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).collect::<String>().to_lowercase();
        let sign = if negated { "^" } else { "" };
        // As a property it lacks the symbols that POSIX counts as punctuation.
        if let Some(inside) = posix(&plain, false).filter(|_| plain != "punct") {
            return Ok(format!("[{sign}{inside}]"));
        }
        if name.contains('=') && !plain.starts_with("age=") {
            return self.fail(format_args!("invalid character property name {{{written}}}"));
        }
        let class = format!("\\{}{{{name}}}", if negated { 'P' } else { 'p' });
        match regex::Regex::new(&class) {
            Ok(_) => Ok(class),
            Err(_) => self.fail(format_args!("invalid character property name {{{written}}}")),
        }
    }

    /// Reads a bracketed class from just after its `[` and writes it.
    pub(super) fn bracket(&mut self, depth: usize) -> Result<()> {
        if depth > super::translate::MAX_DEPTH {
            return self.fail(format_args!("too deep nest level"));
        }
        self.out.push('[');
        if self.peek() == Some('^') {
            self.advance();
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let Some(c) = self.advance() else {
                return self.fail(format_args!("premature end of char-class"));
            };
            match c {
                ']' if !first => break,
                ']' if !self.another_close() => return self.fail(format_args!("empty char-class")),
                '[' if self.peek() == Some(':') && self.posix_ahead().is_some() => {
                    self.posix_bracket()?;
                    self.after_set()?;
                }
                '[' => self.bracket(depth + 1)?,
                '&' if self.peek() == Some('&') => {
                    self.advance();
                    self.out.push_str("&&");
                }
                _ => self.class_item(c)?,
            }
            first = false;
        }
        self.out.push(']');
        Ok(())
    }

    /// One character, a range, or a class escape.
    fn class_item(&mut self, c: char) -> Result<()> {
        let Some(low) = self.class_char(c)? else { return self.after_set() };
        if self.peek() != Some('-') || matches!(self.peek_at(1), None | Some(']' | '[')) {
            if self.peek_at(1) == Some('[') && self.peek() == Some('-') && self.posix_ahead_at(2) {
                return self.fail(format_args!("char-class value at end of range"));
            }
            low.iter().for_each(|&c| self.push_member(c));
            return Ok(());
        }
        if self.peek_at(1) == Some('&') && self.peek_at(2) == Some('&') {
            low.iter().for_each(|&c| self.push_member(c));
            return Ok(());
        }
        self.advance();
        let Some(c) = self.advance() else { return self.fail(format_args!("premature end of char-class")) };
        let before = self.out.len();
        let Some(high) = self.class_char(c)? else {
            self.out.truncate(before);
            return self.fail(format_args!("char-class value at end of range"));
        };
        let (Some(&from), Some(&to)) = (low.last(), high.first()) else { return Ok(()) };
        if from > to {
            return self.fail(format_args!("empty range in char class"));
        }
        low[..low.len() - 1].iter().for_each(|&c| self.push_member(c));
        self.push_member(from);
        self.out.push('-');
        self.push_member(to);
        high[1..].iter().for_each(|&c| self.push_member(c));
        if self.peek() == Some('-') {
            self.advance();
            self.push_member('-');
        }
        Ok(())
    }

    /// The characters an item stands for; `None` once a class escape has been written.
    fn class_char(&mut self, c: char) -> Result<Option<Vec<char>>> {
        if c != '\\' {
            return Ok(Some(vec![c]));
        }
        let Some(c) = self.advance() else { return self.fail(format_args!("too short escape sequence")) };
        if let Some(inside) = letter(c, self.charset()) {
            if c.is_ascii_uppercase() {
                self.out.push_str("[^");
                self.out.push_str(inside);
                self.out.push(']');
            } else {
                self.out.push_str(inside);
            }
            return Ok(None);
        }
        match c {
            'p' | 'P' if self.peek() == Some('{') => {
                let class = self.property(c == 'P')?;
                self.out.push_str(&class);
                Ok(None)
            }
            'b' => Ok(Some(vec!['\x08'])),
            _ => self.character(c).map(Some),
        }
    }

    /// What may follow a set: a hyphen only as the last member.
    fn after_set(&mut self) -> Result<()> {
        if self.peek() == Some('-') && !matches!(self.peek_at(1), Some(']') | None) {
            return self.fail(format_args!("unmatched range specifier in char-class"));
        }
        Ok(())
    }

    fn push_member(&mut self, c: char) {
        if matches!(c, '\\' | '[' | ']' | '^' | '-' | '&' | '~') {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    /// Whether a `]` comes later, so that one right after `[` can be a member.
    fn another_close(&self) -> bool {
        let mut ahead = 0;
        while let Some(c) = self.peek_at(ahead) {
            match c {
                ']' => return true,
                '\\' => ahead += 2,
                _ => ahead += 1,
            }
        }
        false
    }

    fn posix_ahead_at(&self, from: usize) -> bool {
        self.peek_at(from) == Some(':')
            && (from + 1..from + 22)
                .any(|ahead| self.peek_at(ahead) == Some(':') && self.peek_at(ahead + 1) == Some(']'))
    }

    /// How many characters lie between `[:` and `:]`, if this is such a bracket.
    fn posix_ahead(&self) -> Option<usize> {
        (1..22)
            .take_while(|&ahead| self.peek_at(ahead).is_some_and(|c| c != ']' && c != '[' && c != '\\'))
            .find(|&ahead| self.peek_at(ahead) == Some(':') && self.peek_at(ahead + 1) == Some(']'))
    }

    fn posix_bracket(&mut self) -> Result<()> {
        let length = self.posix_ahead().unwrap_or(1);
        self.advance();
        let start = self.place();
        self.skip(length - 1);
        let name = self.between(start);
        self.advance();
        self.advance();
        let (negated, name) = name.strip_prefix('^').map_or((false, name.as_str()), |rest| (true, rest));
        let Some(inside) = posix(name, self.charset() == Charset::Ascii) else {
            return self.fail(format_args!("invalid POSIX bracket type"));
        };
        self.out.push_str(if negated { "[^" } else { "[" });
        self.out.push_str(inside);
        self.out.push(']');
        Ok(())
    }
}
