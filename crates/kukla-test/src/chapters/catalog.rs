//! Catalog blocks: facts about a finished catalog, one per line. An indented line continues the one above it.

use serde_json::Value;

use super::condition::{self, Condition};
use super::notation::Reader;

/// One line of a `catalog` block.
#[derive(Debug, PartialEq)]
pub enum Fact {
    /// `Type['title'] { attribute => value }`: the resource is there and has these attributes.
    Resource(String, Vec<(String, Expected)>),
    /// `Type['title'] attribute =~ /pattern/, after Other['x']`: the resource is there, and the conditions hold.
    Conditions(String, Vec<Condition>),
    /// `! Type['title']`: it is not there.
    Absent(String),
    /// `A -> B`, `A ~> B`: the relationship was declared.
    Edge(String, bool, String),
    /// `! A -> B`
    NoEdge(String, bool, String),
    /// `A contains B`
    Contains(String, String),
    /// `A tagged 'x', 'y'`: it carries at least these tags.
    Tagged(String, Vec<String>),
    /// `A sensitive 'x'`: exactly these attributes of it are not to be shown.
    Sensitive(String, Vec<String>),
    /// `all: A, B`: these resources and no others, in this order.
    All(Vec<String>),
    /// `only: A, B` or `only File: A, B`: these resources (of the type) and no others, in any order.
    Only(Option<String>, Vec<String>),
    /// `count: 12` or `count: File 2, Package >= 1`: the number of resources (of a type).
    Count(Vec<Count>),
}

impl Fact {
    /// The resource that it is about, if it is about one.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Fact::Resource(name, _)
            | Fact::Conditions(name, _)
            | Fact::Tagged(name, _)
            | Fact::Sensitive(name, _) => Some(name),
            _ => None,
        }
    }
}

/// A claim about a number of resources.
#[derive(Debug, PartialEq)]
pub struct Count {
    /// The type, if it is not about all resources.
    pub kind: Option<String>,
    /// The comparison.
    pub operator: &'static str,
    /// The number on its right.
    pub number: usize,
}

/// The lines of a block with their continuations, each with the index of its first line. Blank lines and comments are left out.
pub fn entries(text: &str) -> Vec<(usize, String)> {
    let mut entries: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match entries.last_mut() {
            _ if line.trim().is_empty() || line.trim_start().starts_with('#') => {}
            Some((_, entry)) if line.starts_with([' ', '\t', '}']) => {
                entry.push('\n');
                entry.push_str(line);
            }
            _ => entries.push((index, line.to_owned())),
        }
    }
    entries
}

/// The expected value of an attribute.
#[derive(Debug, PartialEq)]
pub enum Expected {
    /// Plain data, or a reference in the text form that catalogs use.
    Plain(Value),
    /// Anything else, as an expression for the implementation to evaluate.
    Expression(String),
}

/// Reads one line; `None` if it says nothing the runner understands.
pub fn parse(line: &str) -> Option<Fact> {
    let mut reader = Reader { rest: line.trim() };
    if reader.eat("all:") {
        let references = references(&mut reader)?;
        return Some(Fact::All(references));
    }
    if reader.eat("only:") {
        return Some(Fact::Only(None, references(&mut reader)?));
    }
    if let Some(rest) = reader.rest.strip_prefix("only ") {
        // The colons of a type's name have no blank behind them.
        let end = rest.find(": ").or_else(|| rest.len().checked_sub(1).filter(|at| rest[*at..] == *":"))?;
        let kind = rest[..end].trim();
        let mut reader = Reader { rest: &rest[end + 1..] };
        let names = references(&mut reader)?;
        return is_type(kind).then(|| Fact::Only(Some(kind.to_owned()), names));
    }
    if reader.eat("count:") {
        return reader.rest.split(',').map(count).collect::<Option<_>>().map(Fact::Count);
    }
    let negated = reader.eat("!");
    let subject = reference(&mut reader)?;
    for (arrow, notifies) in [("->", false), ("~>", true)] {
        if reader.eat(arrow) {
            let target = reference(&mut reader)?;
            return Some(if negated {
                Fact::NoEdge(subject, notifies, target)
            } else {
                Fact::Edge(subject, notifies, target)
            });
        }
    }
    if negated {
        return reader.rest.trim().is_empty().then_some(Fact::Absent(subject));
    }
    if reader.eat("contains") {
        return Some(Fact::Contains(subject, reference(&mut reader)?));
    }
    if reader.eat("tagged") {
        return Some(Fact::Tagged(subject, words(&mut reader)?));
    }
    if reader.eat("sensitive") {
        return Some(Fact::Sensitive(subject, words(&mut reader)?));
    }
    if !reader.rest.trim().is_empty() && !reader.rest.trim_start().starts_with('{') {
        return condition::parse(reader.rest).map(|conditions| Fact::Conditions(subject, conditions));
    }
    let attributes = if reader.eat("{") { attributes(&mut reader)? } else { Vec::new() };
    reader.rest.trim().is_empty().then_some(Fact::Resource(subject, attributes))
}

/// `Apt::Source`
fn is_type(text: &str) -> bool {
    text.split("::").all(|part| {
        part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// `File 2`, `Package >= 1`, `12`
fn count(text: &str) -> Option<Count> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let (kind, rest) = match is_type(&text[..split]) {
        true => (Some(text[..split].to_owned()), text[split..].trim()),
        false => (None, text),
    };
    let operators = ["==", "!=", "<=", ">=", "<", ">"];
    let operator = operators.into_iter().find(|operator| rest.starts_with(operator));
    let number = operator.map_or(rest, |operator| &rest[operator.len()..]).trim().parse().ok()?;
    Some(Count { kind, operator: operator.unwrap_or("=="), number })
}

fn words(reader: &mut Reader<'_>) -> Option<Vec<String>> {
    let mut words = Vec::new();
    loop {
        let Value::String(word) = reader.value()? else { return None };
        words.push(word);
        if !reader.eat(",") {
            return reader.rest.trim().is_empty().then_some(words);
        }
    }
}

fn references(reader: &mut Reader<'_>) -> Option<Vec<String>> {
    let mut all = Vec::new();
    if reader.rest.trim().is_empty() {
        return Some(all);
    }
    loop {
        all.push(reference(reader)?);
        if !reader.eat(",") {
            return reader.rest.trim().is_empty().then_some(all);
        }
    }
}

/// `Type['title']`, in the form that catalogs write: `Type[title]`, class names capitalised.
pub(super) fn reference(reader: &mut Reader<'_>) -> Option<String> {
    reader.rest = reader.rest.trim_start();
    let end = reader.rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')?;
    let kind = reader.rest[..end].to_owned();
    if !kind.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    reader.rest = &reader.rest[end..];
    reader.eat("[").then_some(())?;
    let title = reader.string()?;
    reader.eat("]").then_some(())?;
    let title = if kind == "Class" { capitalised(&title) } else { title };
    Some(format!("{kind}[{title}]"))
}

fn capitalised(name: &str) -> String {
    let segments: Vec<String> = name
        .split("::")
        .map(|s| s[..s.len().min(1)].to_uppercase() + s.get(1..).unwrap_or_default())
        .collect();
    if name == "main" { name.to_owned() } else { segments.join("::") }
}

fn attributes(reader: &mut Reader<'_>) -> Option<Vec<(String, Expected)>> {
    let mut all = Vec::new();
    while !reader.eat("}") {
        let name = reader.word()?;
        reader.eat("=>").then_some(())?;
        all.push((name, expected(reader)?));
        if !reader.eat(",") && !reader.rest.trim_start().starts_with('}') {
            return None;
        }
    }
    Some(all)
}

fn expected(reader: &mut Reader<'_>) -> Option<Expected> {
    let start = reader.rest.trim_start();
    if let Some(value) = reader.value() {
        return Some(Expected::Plain(value));
    }
    reader.rest = start;
    let here = reader.rest;
    if let Some(reference) = reference(reader)
        && reader.rest.trim_start().starts_with([',', '}'])
    {
        return Some(Expected::Plain(Value::String(reference)));
    }
    // Some other expression: up to the comma or brace outside all brackets.
    let mut depth = 0;
    let end = here.find(|c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ',' | '}' => return depth == 0,
            _ => {}
        }
        false
    })?;
    reader.rest = &here[end..];
    Some(Expected::Expression(here[..end].trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn facts() {
        let resource = parse("Class['a::b'] { x => 'y', r => File['/x'], s => Sensitive('a, b') }");
        let expected = vec![
            ("x".to_owned(), Expected::Plain(json!("y"))),
            ("r".to_owned(), Expected::Plain(json!("File[/x]"))),
            ("s".to_owned(), Expected::Expression("Sensitive('a, b')".into())),
        ];
        assert_eq!(resource, Some(Fact::Resource("Class[A::B]".into(), expected)));
        assert_eq!(parse("! File['/x']"), Some(Fact::Absent("File[/x]".into())));
        assert_eq!(parse("A['1'] ~> B['2']"), Some(Fact::Edge("A[1]".into(), true, "B[2]".into())));
        assert_eq!(parse("all: A['1'], B['2']"), Some(Fact::All(vec!["A[1]".into(), "B[2]".into()])));
        assert_eq!(parse("nonsense"), None);
        let count =
            |kind: Option<&str>, operator, number| Count { kind: kind.map(str::to_owned), operator, number };
        assert_eq!(
            parse("count: File 2, A::B >= 1, 12"),
            Some(Fact::Count(vec![
                count(Some("File"), "==", 2),
                count(Some("A::B"), ">=", 1),
                count(None, "==", 12)
            ]))
        );
        assert_eq!(
            parse("only A::B: A::B['x']"),
            Some(Fact::Only(Some("A::B".into()), vec!["A::B[x]".into()]))
        );
        assert_eq!(parse("only:"), Some(Fact::Only(None, Vec::new())));
        let Some(Fact::Conditions(name, conditions)) =
            parse("Service['ntp'] ensure => running, after File['/x']")
        else {
            panic!("conditions");
        };
        assert_eq!((name.as_str(), conditions.len()), ("Service[ntp]", 2));
        assert_eq!(parse("Service['ntp'] ensure running"), None);
    }

    #[test]
    fn indented_lines_continue() {
        let text = "A['1'] x => 1,\n  y => 2\n\n# a comment\nB['2'] {\n  z => 3,\n}\n";
        let entries = entries(text);
        assert_eq!(entries.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 4]);
        assert!(parse(&entries[1].1).is_some());
    }
}
