//! Regular expression literals: where they end, and whether their brackets do.

use super::Lexer;
use crate::SyntaxKind::*;
use crate::codes::REGEXP_ERROR;
use crate::{decode, diagnostic};

impl Lexer<'_> {
    /// A regular expression where one can begin and is closed, else a division.
    pub(super) fn slash(&mut self) {
        let start = self.pos;
        if self.context.after.ends_operand() || start >= self.context.no_regex_from {
            return self.emit(Slash, 1);
        }
        let mut at = start + 1;
        loop {
            match memchr::memchr2(b'/', b'\\', &self.bytes[at..self.end]) {
                Some(skip) if self.bytes[at + skip] == b'/' => {
                    return self.regex(at + skip + 1);
                }
                Some(skip) if at + skip + 1 < self.end => at += skip + 2,
                _ => {
                    self.context.no_regex_from = start;
                    return self.emit(Slash, 1);
                }
            }
        }
    }

    fn regex(&mut self, end: usize) {
        let start = self.pos;
        let pattern = decode::regex(&self.text[start..end]);
        if let Some(problem) = problem(pattern.as_bytes()) {
            let detail = format!("{problem}: /{}/", pattern.replace('/', "\\/"));
            let wrong = diagnostic!(crate::Span::new(start as u32, end as u32), REGEXP_ERROR { detail });
            self.report(wrong);
        }
        self.emit_to(Regex, end);
    }
}

/// The error in the structure of a pattern, in Ruby's words. Finer points show when it is compiled.
fn problem(pattern: &[u8]) -> Option<&'static str> {
    let mut groups = 0usize;
    let mut at = 0;
    // Whether there is something for `*`, `+` and `?` to repeat.
    let mut repeatable = false;
    while let Some(&byte) = pattern.get(at) {
        at += 1;
        match byte {
            b'\\' => {
                if at >= pattern.len() {
                    return Some("too short escape sequence");
                }
                at += 1;
                repeatable = true;
            }
            b'[' => {
                at = match class_end(pattern, at) {
                    Ok(end) => end,
                    Err(problem) => return Some(problem),
                };
                repeatable = true;
            }
            b'(' => {
                if pattern.get(at) == Some(&b'?') {
                    if pattern.get(at + 1) == Some(&b'#') {
                        at += memchr::memchr(b')', &pattern[at..]).map_or(pattern.len(), |len| len + 1);
                        continue;
                    }
                    at += 1;
                    if !group_option(&pattern[at..]) {
                        return Some("undefined group option");
                    }
                }
                groups += 1;
                repeatable = false;
            }
            b')' => {
                if groups == 0 {
                    return Some("unmatched close parenthesis");
                }
                groups -= 1;
                repeatable = true;
            }
            b'|' => repeatable = false,
            b'*' | b'+' | b'?' if !repeatable => return Some("target of repeat operator is not specified"),
            b'*' | b'+' | b'?' => {}
            _ => repeatable = true,
        }
    }
    (groups > 0).then_some("end pattern with unmatched parenthesis")
}

/// Whether what follows `(?` means something.
fn group_option(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b':' | b'=' | b'!' | b'>' | b'~' | b'<' | b'\'' | b'(') => true,
        _ => {
            let options = rest.iter().take_while(|byte| b"imxadu-".contains(byte)).count();
            options > 0 && matches!(rest.get(options), Some(b':' | b')'))
        }
    }
}

/// The offset after the `]` of a character class whose inside begins at `at`.
fn class_end(pattern: &[u8], mut at: usize) -> Result<usize, &'static str> {
    const OPEN: &str = "premature end of char-class";
    let mut depth = 1usize;
    let mut first = true;
    // The character a range could begin with.
    let mut low = None;
    loop {
        let Some(&byte) = pattern.get(at) else { return Err(OPEN) };
        at += 1;
        if let (b'-', Some(from), Some(&to)) = (byte, low.take(), pattern.get(at)) {
            if to.is_ascii() && !matches!(to, b']' | b'[' | b'\\') {
                if to < from {
                    return Err("empty range in char class");
                }
                at += 1;
                continue;
            }
        } else if byte.is_ascii() && !matches!(byte, b']' | b'[' | b'\\') {
            low = Some(byte);
        }
        match byte {
            b'^' if first => continue,
            // A `]` in front is itself, if another one follows.
            b']' if first && memchr::memchr(b']', &pattern[at..]).is_none() => {
                return Err("empty char-class");
            }
            b']' if first => {}
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(at);
                }
            }
            b'[' if pattern.get(at) == Some(&b':') => {
                if let Some(end) = memchr::memmem::find(&pattern[at..], b":]") {
                    at += end + 2;
                }
            }
            b'[' => {
                depth += 1;
                first = true;
                continue;
            }
            b'\\' => at += 1,
            _ => {}
        }
        first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn structure() {
        for good in [
            "",
            "a(b|[)\\]]*)+?",
            "[]a]",
            "[^]]",
            "[[:alpha:]_]",
            "(?#(()x",
            "(?:a)*",
            "\\(",
            "a{2}",
            "^*?",
            "[a-z-]",
            "[%-+]",
            "(?i)a",
            "(?<n>a)",
        ] {
            assert_eq!(problem(good.as_bytes()), None, "{good}");
        }
        for bad in ["(", ")", "[", "[a", "[]", "*", "a|*", "(?:", "\\", "[[a]", "[z-a]", "(?iz)"] {
            assert!(problem(bad.as_bytes()).is_some(), "{bad}");
        }
    }
}
