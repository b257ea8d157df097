//! The mistake behind an error of the YAML reader, which names the construct that it was reading and often not the line at fault.
//!
//! Advice names lines and signs, never a text of the file: data can be secret.

use crate::Error;

/// The line at fault, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from one.
    pub line: u32,
    /// Advice.
    pub advice: String,
}

impl Mistake {
    fn new(line: usize, advice: impl Into<String>) -> Option<Mistake> {
        Some(Mistake { line: u32::try_from(line).ok()?, advice: advice.into() })
    }
}

/// The mistake behind an error, if it is one that people often make.
pub fn mistake(bytes: &[u8], error: &Error) -> Option<Mistake> {
    let text = String::from_utf8_lossy(bytes);
    let context = error.context.as_deref().unwrap_or("");
    let at = error.line.unwrap_or(1) as usize;
    let line = text.lines().nth(at.saturating_sub(1)).unwrap_or("");
    match &*error.what {
        what if what.contains("cannot start any token") => {
            if let Some((line, _)) =
                text.lines().enumerate().find(|(index, line)| *index + 1 >= at && has_tab(line))
            {
                return Mistake::new(
                    line + 1,
                    format!("line {} is indented with a tab; indent it with spaces", line + 1),
                );
            }
            let sign = line.chars().nth(error.column?.checked_sub(1)? as usize)?;
            Mistake::new(at, format!("a value that begins with `{sign}` must be quoted"))
        }
        what if what.contains("unexpected end of stream") && context.contains("quoted scalar") => {
            Mistake::new(at, format!("the quote that opens on line {at} is not closed"))
        }
        what if what.contains("expected ',' or ']'") => {
            Mistake::new(at, format!("in the list that begins on line {at} a `,` is missing, or its `]`"))
        }
        what if what.contains("expected ',' or '}'") => {
            Mistake::new(at, format!("in the hash that begins on line {at} a `,` is missing, or its `}}`"))
        }
        what if what.contains("alphabetic or numeric character") => {
            Mistake::new(at, "a value that begins with `*` or `&` must be quoted")
        }
        what if what.contains("could not find expected ':'") => {
            let keyless = |(index, line): &(usize, &str)| {
                let content = content_of(line);
                *index + 2 >= at && !content.is_empty() && !content.starts_with("- ") && !has_colon(content)
            };
            let (line, _) = text.lines().enumerate().find(keyless)?;
            Mistake::new(line + 1, format!("line {} has no `: ` after its key", line + 1))
        }
        _ => odd_indentation(&text).or_else(|| text_after_quote(&text)).or_else(|| {
            let is_nested =
                error.what.contains("mapping values are not allowed") && line.matches(": ").count() > 1;
            let advice = "a value that contains `: ` must be quoted";
            if is_nested { Mistake::new(at, advice) } else { None }
        }),
    }
}

fn has_tab(line: &str) -> bool {
    line.chars().take_while(|c| c.is_whitespace()).any(|c| c == '\t')
}

/// A line without its indentation and comment.
fn content_of(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with('#') || line == "---" || line == "..." {
        return "";
    }
    line.find(" #").map_or(line, |at| line[..at].trim_end())
}

fn has_colon(content: &str) -> bool {
    content.ends_with(':') || content.contains(": ")
}

/// The first line whose indentation is that of no collection that is open there.
fn odd_indentation(text: &str) -> Option<Mistake> {
    let mut open: Vec<usize> = Vec::new();
    // Whether the line before may have something deeper below it, and its number.
    let mut before = (true, 0);
    // The indentation of the line whose text goes on below it, and how many brackets are open.
    let mut block: Option<usize> = None;
    let mut brackets = 0_i64;
    for (index, line) in text.lines().enumerate() {
        let content = content_of(line);
        let own = line.bytes().take_while(|byte| *byte == b' ').count();
        if content.is_empty() || block.is_some_and(|outer| own > outer) {
            continue;
        }
        block = None;
        let count = |signs: [char; 2]| content.matches(signs).count() as i64;
        let was_open = brackets > 0;
        brackets = (brackets + count(['[', '{']) - count([']', '}'])).max(0);
        if was_open {
            continue;
        }
        let deeper = open.last().is_some_and(|inner| *inner > own);
        while open.last().is_some_and(|inner| *inner > own) {
            open.pop();
        }
        let number = index + 1;
        match open.last() {
            Some(outer) if *outer < own && (deeper || !before.0) => {
                let spaces = if own == 1 { "1 space".to_owned() } else { format!("{own} spaces") };
                return Mistake::new(
                    number,
                    match deeper {
                        true => format!(
                            "line {number} is indented by {spaces}, the lines around it by {outer} or more than {own}"
                        ),
                        false => format!(
                            "line {number} is indented by {spaces}, deeper than line {}, which has a value already",
                            before.1
                        ),
                    },
                );
            }
            Some(outer) if *outer == own => {}
            _ => open.push(own),
        }
        let mut rest = content;
        let mut column = own;
        while let Some(item) = rest.strip_prefix("- ") {
            let inner = item.trim_start();
            column += rest.len() - inner.len();
            rest = inner;
            open.push(column);
        }
        let opens = rest.ends_with(':') || rest == "-" || rest.ends_with([',', '\\']) || !has_colon(rest);
        before = (opens, number);
        let ends = rest.rsplit([' ', ':']).next().unwrap_or("");
        if ends.starts_with(['|', '>']) && ends.len() <= 3 {
            block = Some(own);
        }
    }
    None
}

/// The first line on which text follows a quoted value, as after the second quote of `'it's'`.
fn text_after_quote(text: &str) -> Option<Mistake> {
    for (index, line) in text.lines().enumerate() {
        let content = content_of(line);
        let value =
            content.split_once(": ").map_or(content.trim_start_matches("- "), |(_, value)| value.trim());
        let Some(quote) = value.chars().next().filter(|c| matches!(c, '\'' | '"')) else { continue };
        let inner = &value[1..];
        let inner = if quote == '\'' { inner.replace("''", "  ") } else { inner.replace("\\\"", "  ") };
        let Some(end) = inner.find(quote) else { continue };
        let rest = inner[end + 1..].trim();
        if !rest.is_empty() && !rest.starts_with([',', ']', '}', ':', '#']) {
            let number = index + 1;
            return Mistake::new(
                number,
                format!(
                    "on line {number} text follows a closing quote; write a quote inside of single quotes twice: `''`"
                ),
            );
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(u32, String)> {
        let error = crate::yaml::read(text.as_bytes(), crate::yaml::Options::HIERA).err()?;
        mistake(text.as_bytes(), &error).map(|mistake| (mistake.line, mistake.advice))
    }

    #[test]
    fn the_line_at_fault_is_named() {
        for (text, line, part) in [
            ("a: 1\nusers:\n  x:\n    uid: 1\n    gid: 1\n   y:\n    uid: 2\n", 6, "indented by 3 spaces"),
            ("a: 1\nusers:\n\tx: 1\n", 3, "with a tab"),
            ("a: 1\n b: 2\n", 2, "deeper than line 1"),
            ("a: 1\nb: [1, 2\nc: 3\n", 2, "its `]`"),
            ("a: 1\nb: 'it's'\n", 2, "closing quote"),
            ("a: %{facts.os}\n", 1, "begins with `%`"),
            ("a: b: c\n", 1, "must be quoted"),
        ] {
            let (found, advice) = found(text).unwrap_or_default();
            assert_eq!(found, line, "{text} {advice}");
            assert!(advice.contains(part), "{text} {advice}");
        }
    }

    #[test]
    fn good_data_has_no_odd_indentation() {
        let text = "a:\n- x: 1\n  y: 2\n-   z: 3\nb:\n    c: |\n      text: 1\n     more\n    d: [1,\n 2]\ne:\n  - - 1\n    - 2\n  - f:\n      g: 1\n";
        assert_eq!(odd_indentation(text), None);
    }
}
