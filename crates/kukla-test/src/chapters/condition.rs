//! Conditions on a resource: attributes compared with values, patterns and types, and its relations to other resources.

use super::catalog::{Expected, reference};
use super::notation::{self, Reader};

/// A condition on a resource.
#[derive(Debug, PartialEq)]
pub enum Condition {
    /// `mode => '0644'`
    Equal(String, Expected),
    /// `content =~ /^server/`: any comparison of Puppet, with the attribute on its left.
    Compared {
        /// The attribute.
        attribute: String,
        /// The operator.
        operator: &'static str,
        /// The expression on its right.
        expression: String,
    },
    /// `!source`: the attribute is not set.
    Unset(String),
    /// `after File['/etc/ntp.conf']`
    Related(Relation, Vec<String>),
}

/// A relation to another resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It is applied later.
    After,
    /// It is applied earlier.
    Before,
    /// A change of it refreshes the other one.
    Notifies,
    /// A change of the other one refreshes it.
    SubscribesTo,
    /// The other one contains it, directly or not.
    In,
    /// It contains the other one, directly or not.
    Contains,
}

const RELATIONS: [(&str, Relation); 9] = [
    ("after ", Relation::After),
    ("requires ", Relation::After),
    ("before ", Relation::Before),
    ("notifies ", Relation::Notifies),
    ("subscribes to ", Relation::SubscribesTo),
    ("contained in ", Relation::In),
    ("in ", Relation::In),
    ("contains ", Relation::Contains),
    ("refreshed by ", Relation::SubscribesTo),
];

/// Longer operators come before those that they begin with.
const OPERATORS: [&str; 9] = ["=~", "!~", "==", "!=", "<=", ">=", "<", ">", "in "];

/// Reads conditions with commas between them; `None` if one of them is malformed.
pub fn parse(text: &str) -> Option<Vec<Condition>> {
    let mut conditions: Vec<Condition> = Vec::new();
    for part in split(text)? {
        let part = part.trim();
        // A reference alone belongs to the relation before it.
        if part.starts_with(|c: char| c.is_ascii_uppercase()) {
            let mut reader = Reader { rest: part };
            let other = reference(&mut reader)?;
            match conditions.last_mut() {
                Some(Condition::Related(_, others)) if reader.rest.trim().is_empty() => others.push(other),
                _ => return None,
            }
            continue;
        }
        conditions.push(one(part)?);
    }
    (!conditions.is_empty()).then_some(conditions)
}

fn one(text: &str) -> Option<Condition> {
    if let Some((word, relation)) = RELATIONS.iter().find(|(word, _)| text.starts_with(word)) {
        let mut reader = Reader { rest: &text[word.len()..] };
        let other = reference(&mut reader);
        if let Some(other) = other.filter(|_| reader.rest.trim().is_empty()) {
            return Some(Condition::Related(*relation, vec![other]));
        }
    }
    if let Some(attribute) = text.strip_prefix('!') {
        let mut reader = Reader { rest: attribute };
        let attribute = reader.word()?;
        return reader.rest.trim().is_empty().then_some(Condition::Unset(attribute));
    }
    let mut reader = Reader { rest: text };
    let attribute = reader.word()?;
    if reader.eat("=>") {
        let rest = reader.rest.trim();
        let expected = match notation::plain(rest) {
            Some(value) => Expected::Plain(value),
            None => {
                let mut reader = Reader { rest };
                match reference(&mut reader).filter(|_| reader.rest.trim().is_empty()) {
                    Some(reference) => Expected::Plain(reference.into()),
                    None => Expected::Expression(rest.to_owned()),
                }
            }
        };
        return (!rest.is_empty()).then_some(Condition::Equal(attribute, expected));
    }
    reader.rest = reader.rest.trim_start();
    let operator = OPERATORS.into_iter().find(|operator| reader.rest.starts_with(operator))?;
    let expression = reader.rest[operator.len()..].trim();
    let expression = if operator.ends_with('~') { with_flags(expression) } else { expression.to_owned() };
    (!expression.is_empty()).then_some(Condition::Compared {
        attribute,
        operator: operator.trim_end(),
        expression,
    })
}

/// A pattern with flags behind it, which Puppet writes inside: `/a/i` is `/(?i:a)/`.
fn with_flags(text: &str) -> String {
    if let Some((body, flags)) = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'))
        && !flags.is_empty()
        && flags.chars().all(|flag| matches!(flag, 'm' | 'i' | 'x'))
    {
        return format!("/(?{flags}:{body})/");
    }
    text.to_owned()
}

/// The parts between commas that are outside of brackets, strings and patterns; `None` if a string or a bracket has no end.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    let mut chars = text.char_indices();
    // The last character that is not blank decides whether a slash begins a pattern or divides.
    let mut last = ' ';
    while let Some((at, c)) = chars.next() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            '\'' | '"' => skip(&mut chars, c)?,
            '/' if matches!(last, '~' | '[' | ',' | '(' | '{' | '=' | '>') => skip(&mut chars, '/')?,
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    let rest = &text[start..];
    // A comma at the end is allowed.
    if !rest.trim().is_empty() || parts.is_empty() {
        parts.push(rest);
    }
    (depth == 0).then_some(parts)
}

/// Skips to the end of a string or pattern.
fn skip(chars: &mut std::str::CharIndices<'_>, end: char) -> Option<()> {
    while let Some((_, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            c if c == end => return Some(()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let related = |relation, names: &[&str]| {
            Condition::Related(relation, names.iter().map(|name| (*name).to_owned()).collect())
        };
        let compared = |attribute: &str, operator, expression: &str| Condition::Compared {
            attribute: attribute.into(),
            operator,
            expression: expression.into(),
        };
        let equal = |attribute: &str, value: serde_json::Value| {
            Condition::Equal(attribute.into(), Expected::Plain(value))
        };
        for (text, expected) in [
            (
                r"content =~ /^a, b\.c$/m, mode => '0644'",
                vec![compared("content", "=~", r"/(?m:^a, b\.c$)/"), equal("mode", "0644".into())],
            ),
            (
                "after File['/a'], Package['b'], before A['c']",
                vec![
                    related(Relation::After, &["File[/a]", "Package[b]"]),
                    related(Relation::Before, &["A[c]"]),
                ],
            ),
            (
                "!source, ensure => running",
                vec![Condition::Unset("source".into()), equal("ensure", "running".into())],
            ),
            ("mode in ['0600', '0640']", vec![compared("mode", "in", "['0600', '0640']")]),
            ("contained in Class['a::b']", vec![related(Relation::In, &["Class[A::B]"])]),
            ("timeout >= 10 / 2,", vec![compared("timeout", ">=", "10 / 2")]),
            ("before => File['/x']", vec![equal("before", "File[/x]".into())]),
            (
                "items =~ Array[Enum['a,b', /c,/], 1]",
                vec![compared("items", "=~", "Array[Enum['a,b', /c,/], 1]")],
            ),
        ] {
            assert_eq!(parse(text), Some(expected), "{text}");
        }
        for wrong in ["", "mode", "mode => ", "File['x']", "mode =~ /a", "mode => [1", "mode ~ 1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
