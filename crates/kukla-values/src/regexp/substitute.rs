//! Replacing, splitting and quoting, as Ruby's `sub`, `gsub`, `split` and `Regexp.escape` do.

use kukla_syntax::bail;

use super::{Captures, Regexp};
use crate::Result;
use crate::codes::UNKNOWN_GROUP;

impl Regexp {
    /// Replaces the first match; the replacement may mention groups (`\1`, `\k<name>`, `\0`, `\\`).
    pub fn replace_first(&self, text: &str, replacement: &str) -> Result<String> {
        let mut out = String::with_capacity(text.len() + replacement.len());
        let Some(captures) = self.captures(text)? else { return Ok(text.into()) };
        out.push_str(&text[..captures.start()]);
        self.expand(&captures, replacement, &mut out)?;
        out.push_str(&text[captures.end()..]);
        Ok(out)
    }

    /// Replaces every match.
    pub fn replace_all(&self, text: &str, replacement: &str) -> Result<String> {
        let mut out = String::with_capacity(text.len() + replacement.len());
        let mut copied = 0;
        for captures in self.captures_iter(text) {
            let captures = captures?;
            out.push_str(&text[copied..captures.start()]);
            self.expand(&captures, replacement, &mut out)?;
            copied = captures.end();
        }
        out.push_str(&text[copied..]);
        Ok(out)
    }

    /// Writes a replacement with the groups it mentions put in.
    fn expand(&self, captures: &Captures<'_>, replacement: &str, out: &mut String) -> Result<()> {
        let mut rest = replacement;
        while let Some(at) = rest.find('\\') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let Some(c) = rest.chars().next() else {
                out.push('\\');
                return Ok(());
            };
            match c {
                // Numbers mean nothing where groups have names.
                '1'..='9' if !self.names().is_empty() => {}
                '0'..='9' => out.push_str(captures.get(c as usize - '0' as usize).unwrap_or_default()),
                '&' => out.push_str(captures.get(0).unwrap_or_default()),
                '`' => out.push_str(&captures.text[..captures.start()]),
                '\'' => out.push_str(&captures.text[captures.end()..]),
                '\\' => out.push('\\'),
                'k' if rest[1..].starts_with('<') && rest.contains('>') => {
                    let (name, after) = rest[2..].split_once('>').unwrap_or_default();
                    out.push_str(self.mentioned(captures, name)?);
                    rest = after;
                    continue;
                }
                _ => {
                    out.push('\\');
                    out.push(c);
                }
            }
            rest = &rest[c.len_utf8()..];
        }
        out.push_str(rest);
        Ok(())
    }

    fn mentioned<'t>(&self, captures: &Captures<'t>, name: &str) -> Result<&'t str> {
        if self.names().iter().any(|(known, _)| known == name) {
            return Ok(captures.name(self, name).unwrap_or_default());
        }
        match name.parse::<usize>() {
            Ok(group) if group < captures.len() => Ok(captures.get(group).unwrap_or_default()),
            _ => bail!(UNKNOWN_GROUP { name }),
        }
    }

    /// Splits a text at every match; groups become parts of their own, and empty parts at the end are dropped.
    pub fn split<'t>(&self, text: &'t str) -> Result<Vec<&'t str>> {
        let mut parts = Vec::new();
        let mut steps = super::engine::most_steps(text.as_bytes());
        let (mut part, mut start, mut was_empty) = (0, 0, false);
        let after = |at: usize| at + text[at..].chars().next().map_or(1, char::len_utf8);
        while start <= text.len() {
            let Some(captures) = self.captures_within(text, start, &mut steps)? else { break };
            let (from, to) = (captures.start(), captures.end());
            if from == start && from == to {
                if text.is_empty() {
                    parts.push("");
                    break;
                }
                if !was_empty {
                    start = after(start);
                    was_empty = true;
                    continue;
                }
                parts.push(&text[part..after(part).min(text.len())]);
                part = start;
            } else {
                parts.push(&text[part..from]);
                part = to;
                start = to;
            }
            was_empty = false;
            parts.extend((1..captures.len()).filter_map(|group| captures.get(group)));
        }
        if part < text.len() {
            parts.push(&text[part..]);
        }
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
        Ok(parts)
    }
}

/// A pattern that matches exactly this text.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let escaped = match c {
            '[' | ']' | '{' | '}' | '(' | ')' | '|' | '-' | '*' | '.' | '\\' | '?' | '+' | '^' | '$'
            | '#' | ' ' => c,
            '\t' => 't',
            '\n' => 'n',
            '\r' => 'r',
            '\x0c' => 'f',
            '\x0b' => 'v',
            _ => {
                out.push(c);
                continue;
            }
        };
        out.push('\\');
        out.push(escaped);
    }
    out
}
