//! Catalog blocks: facts about a finished catalog, one per line.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::notation::{self, Reader};

/// One line of a `catalog` block.
#[derive(Debug, PartialEq)]
pub enum Fact {
    /// `Type['title'] { attribute => value }`: the resource is there and has these attributes.
    Resource(String, Vec<(String, Expected)>),
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
    let attributes = if reader.eat("{") { attributes(&mut reader)? } else { Vec::new() };
    reader.rest.trim().is_empty().then_some(Fact::Resource(subject, attributes))
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
fn reference(reader: &mut Reader<'_>) -> Option<String> {
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

/// A catalog, arranged for questions.
pub struct View<'a> {
    resources: Vec<(String, &'a Value)>,
    edges: BTreeSet<(String, bool, String)>,
    containment: BTreeSet<(String, String)>,
}

/// Resources that every catalog has.
const SYSTEM: [&str; 4] = ["Stage[main]", "Class[Settings]", "Class[Main]", "Class[main]"];

impl<'a> View<'a> {
    /// Arranges the catalog document.
    pub fn new(catalog: &'a Value) -> Self {
        let list = |key: &str| catalog[key].as_array().map(Vec::as_slice).unwrap_or_default();
        let resources: Vec<(String, &Value)> = list("resources")
            .iter()
            .map(|r| (format!("{}[{}]", r["type"].as_str().unwrap_or("?"), text(&r["title"])), r))
            .collect();
        let mut edges = BTreeSet::new();
        for (name, resource) in &resources {
            for (metaparameter, forward, notifies) in [
                ("before", true, false),
                ("notify", true, true),
                ("require", false, false),
                ("subscribe", false, true),
            ] {
                let targets = match &resource["parameters"][metaparameter] {
                    Value::Array(many) => many.iter().map(text).collect(),
                    Value::Null => Vec::new(),
                    one => vec![text(one)],
                };
                for target in targets {
                    let (from, to) = if forward { (name.clone(), target) } else { (target, name.clone()) };
                    edges.insert((from, notifies, to));
                }
            }
        }
        let containment = list("edges").iter().map(|e| (text(&e["source"]), text(&e["target"]))).collect();
        Self { resources, edges, containment }
    }

    /// The resources that a program declared, in catalog order.
    pub fn declared(&self) -> Vec<&str> {
        self.resources.iter().map(|(n, _)| n.as_str()).filter(|n| !SYSTEM.contains(n)).collect()
    }

    /// Declared relationships: from, whether it notifies, to.
    pub fn edges(&self) -> &BTreeSet<(String, bool, String)> {
        &self.edges
    }

    /// The attributes of a resource.
    pub fn parameters(&self, reference: &str) -> Option<&Value> {
        self.resource(reference).ok().map(|r| &r["parameters"])
    }

    fn resource(&self, name: &str) -> Result<&Value, String> {
        let found = self.resources.iter().find(|(n, _)| n == name);
        found.map(|(_, r)| *r).ok_or_else(|| format!("no {name}, but {}", self.declared().join(", ")))
    }

    /// Does the fact hold? `evaluate` gives the rich data of an expression.
    pub fn holds(&self, fact: &Fact, evaluate: &dyn Fn(&str) -> Result<Value, String>) -> Result<(), String> {
        match fact {
            Fact::Resource(name, attributes) => {
                let parameters = &self.resource(name)?["parameters"];
                for (attribute, expected) in attributes {
                    let expected = match expected {
                        Expected::Plain(value) => value.clone(),
                        Expected::Expression(code) => evaluate(code)?,
                    };
                    let got = &parameters[attribute.as_str()];
                    if !notation::same(&expected, got, true) {
                        return Err(format!("{attribute} => {got}"));
                    }
                }
                Ok(())
            }
            Fact::Absent(name) => yes(self.parameters(name).is_none(), || "it is there".into()),
            Fact::Edge(a, notifies, b) => yes(self.has_edge(a, *notifies, b), || self.edges_of(a, b)),
            Fact::NoEdge(a, notifies, b) => yes(!self.has_edge(a, *notifies, b), || self.edges_of(a, b)),
            Fact::Contains(a, b) => yes(self.containment.contains(&(a.clone(), b.clone())), || {
                let outer: Vec<&str> =
                    self.containment.iter().filter(|(_, t)| t == b).map(|(s, _)| s.as_str()).collect();
                format!("{b} is in {}", outer.join(", "))
            }),
            Fact::Tagged(name, tags) => {
                let has = &self.resource(name)?["tags"];
                let all =
                    tags.iter().all(|t| has.as_array().is_some_and(|l| l.iter().any(|x| x == t.as_str())));
                yes(all, || format!("tags {has}"))
            }
            Fact::Sensitive(name, attributes) => {
                let has = &self.resource(name)?["sensitive_parameters"];
                yes(has.as_array().is_some_and(|l| l.iter().eq(attributes)), || format!("sensitive {has}"))
            }
            Fact::All(names) => yes(self.declared() == *names, || self.declared().join(", ")),
        }
    }

    fn has_edge(&self, a: &str, notifies: bool, b: &str) -> bool {
        self.edges.contains(&(a.to_owned(), notifies, b.to_owned()))
    }

    fn edges_of(&self, a: &str, b: &str) -> String {
        let near: Vec<String> = self
            .edges
            .iter()
            .filter(|(x, _, y)| x == a || y == b || x == b || y == a)
            .map(|(x, n, y)| format!("{x} {} {y}", if *n { "~>" } else { "->" }))
            .collect();
        if near.is_empty() { "no relationship of either".into() } else { near.join(", ") }
    }
}

fn yes(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
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
    }
}
