//! A finished catalog, arranged for questions.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt::Write;

use kukla::syntax::suggest;
use serde_json::Value;

use super::catalog::{Count, Expected, Fact};
use super::condition::{Condition, Relation};
use super::notation;
use super::order::Order;
use super::tally::Mismatch;

/// A catalog, arranged for questions.
pub struct View<'a> {
    resources: Vec<(String, &'a Value)>,
    edges: BTreeSet<(String, bool, String)>,
    containment: BTreeSet<(String, String)>,
    order: OnceCell<Order>,
}

/// Evaluates an expression; `$value` in it is the given value.
pub type Evaluate<'e> = dyn Fn(&str, Option<&Value>) -> Result<Value, String> + 'e;

/// The number of resources up to which all are listed.
const MOST_LISTED: usize = 12;

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
        Self { resources, edges, containment, order: OnceCell::new() }
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

    /// The resource of a name.
    pub fn find(&self, name: &str) -> Option<&Value> {
        self.resources.iter().find(|(own, _)| own == name).map(|(_, resource)| *resource)
    }

    fn resource(&self, name: &str) -> Result<&Value, Mismatch> {
        self.find(name).ok_or_else(|| Mismatch {
            nearest: self.nearest(name),
            ..Mismatch::from(format!("no {name}, but {}", self.summary()))
        })
    }

    /// The declared resources, or how many there are of each type if there are many.
    fn summary(&self) -> String {
        let declared = self.declared();
        if declared.len() <= MOST_LISTED {
            return declared.join(", ");
        }
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for name in &declared {
            let kind = name.split('[').next().unwrap_or(name);
            match counts.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => counts.push((kind, 1)),
            }
        }
        let counts: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        format!("{} resources: {}", declared.len(), counts.join(", "))
    }

    /// The resource that is most like one that does not exist: of the same type with a similar title, or of another type with the same title.
    fn nearest(&self, name: &str) -> Option<String> {
        let (kind, title) = name.split_once('[')?;
        let declared = self.declared();
        let of_kind = || declared.iter().copied().filter(|other| other.split('[').next() == Some(kind));
        let same_title = || {
            declared.iter().copied().find(|other| other.split_once('[').is_some_and(|(_, own)| own == title))
        };
        let near = suggest::nearest(name, of_kind()).or_else(same_title);
        let near = near.or_else(|| of_kind().next().filter(|_| of_kind().count() == 1))?;
        self.resources.iter().find(|(own, _)| own == near).map(|(_, resource)| describe(resource))
    }

    /// The declared resources of a type, or all.
    fn of_type(&self, kind: Option<&str>) -> Vec<&str> {
        let declared = self.declared().into_iter();
        declared.filter(|name| kind.is_none_or(|kind| name.split('[').next() == Some(kind))).collect()
    }

    fn count(&self, count: &Count) -> Result<(), Mismatch> {
        let names = self.of_type(count.kind.as_deref());
        let (has, wanted) = (names.len(), count.number);
        let holds = match count.operator {
            "!=" => has != wanted,
            "<" => has < wanted,
            "<=" => has <= wanted,
            ">" => has > wanted,
            ">=" => has >= wanted,
            _ => has == wanted,
        };
        yes(holds, || {
            let shown = if has <= MOST_LISTED { format!(": {}", names.join(", ")) } else { String::new() };
            format!("{has} {}{shown}", count.kind.as_deref().unwrap_or("resources"))
        })
    }

    fn condition(
        &self,
        name: &str,
        resource: &Value,
        condition: &Condition,
        evaluate: &Evaluate<'_>,
    ) -> Result<(), String> {
        match condition {
            Condition::Equal(attribute, expected) => equals(resource, attribute, expected, evaluate),
            Condition::Compared { attribute, operator, expression } => {
                let got = &resource["parameters"][attribute.as_str()];
                match evaluate(&format!("$value {operator} {expression}"), Some(got))? {
                    Value::Bool(true) => Ok(()),
                    _ => Err(shown(resource, attribute)),
                }
            }
            Condition::Unset(attribute) => {
                let got = &resource["parameters"][attribute.as_str()];
                yes(got.is_null(), || shown(resource, attribute))
            }
            Condition::Related(relation, others) => {
                others.iter().try_for_each(|other| self.related(name, *relation, other))
            }
        }
    }

    fn related(&self, name: &str, relation: Relation, other: &str) -> Result<(), String> {
        if self.resource(other).is_err() {
            return Err(format!("no {other} in the catalog"));
        }
        let holds = match relation {
            Relation::After => self.order().is_before(other, name),
            Relation::Before => self.order().is_before(name, other),
            Relation::Notifies => self.order().notifies(name, other),
            Relation::SubscribesTo => self.order().notifies(other, name),
            Relation::In => self.order().contains(other, name),
            Relation::Contains => self.order().contains(name, other),
        };
        yes(holds, || match relation {
            Relation::In | Relation::Contains => {
                let inner = if relation == Relation::In { name } else { other };
                format!("{inner} is in {}", self.order().containers(inner).join(", "))
            }
            _ => self.edges_of(name, other),
        })
    }

    fn order(&self) -> &Order {
        self.order.get_or_init(|| Order::new(&self.edges, &self.containment))
    }

    /// Does the fact hold? `evaluate` gives the rich data of an expression, in which `$value` is the given value.
    pub fn holds(&self, fact: &Fact, evaluate: &Evaluate<'_>) -> Result<(), Mismatch> {
        match fact {
            Fact::Conditions(name, conditions) => {
                let resource = self.resource(name)?;
                for condition in conditions {
                    self.condition(name, resource, condition, evaluate).map_err(|got| Mismatch {
                        catalog: Some(describe(resource)),
                        ..Mismatch::from(got)
                    })?;
                }
                Ok(())
            }
            Fact::Only(kind, names) => {
                let declared = self.of_type(kind.as_deref());
                let has: BTreeSet<&str> = declared.iter().copied().collect();
                let wanted: BTreeSet<&str> = names.iter().map(String::as_str).collect();
                let list = |names: Vec<&str>| names.join(", ");
                let missing: Vec<&str> = wanted.difference(&has).copied().collect();
                let further: Vec<&str> = has.difference(&wanted).copied().collect();
                match (missing.is_empty(), further.is_empty()) {
                    (true, true) => Ok(()),
                    (true, false) => Err(format!("also {}", list(further)).into()),
                    (false, true) => Err(format!("without {}", list(missing)).into()),
                    (false, false) => {
                        Err(format!("without {}, also {}", list(missing), list(further)).into())
                    }
                }
            }
            Fact::Count(counts) => counts.iter().try_for_each(|count| self.count(count)),
            Fact::Resource(name, attributes) => {
                let resource = self.resource(name)?;
                for (attribute, expected) in attributes {
                    equals(resource, attribute, expected, evaluate).map_err(|got| Mismatch {
                        catalog: Some(describe(resource)),
                        ..Mismatch::from(got)
                    })?;
                }
                Ok(())
            }
            Fact::Absent(name) => match self.resource(name) {
                Ok(resource) => {
                    Err(Mismatch { catalog: Some(describe(resource)), ..Mismatch::from("it is there") })
                }
                Err(_) => Ok(()),
            },
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

fn yes<E: From<String>>(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), E> {
    if holds { Ok(()) } else { Err(otherwise().into()) }
}

/// Whether an attribute has exactly this value.
fn equals(
    resource: &Value,
    attribute: &str,
    expected: &Expected,
    evaluate: &Evaluate<'_>,
) -> Result<(), String> {
    let expected = match expected {
        Expected::Plain(value) => value.clone(),
        Expected::Expression(code) => evaluate(code, None)?,
    };
    let kind = expected["__ptype"].as_str().unwrap_or_default();
    if matches!(kind, "Regexp" | "Pcore::TypeType") || expected["__ptype"] == "Type" {
        return Err(format!("a value is never a {kind}; to match, write `{attribute} =~`"));
    }
    let got = &resource["parameters"][attribute];
    yes(notation::same(&expected, got, true), || shown(resource, attribute))
}

/// An attribute with its value; sensitive ones are hidden.
fn shown(resource: &Value, attribute: &str) -> String {
    format!("{attribute} => {}", notation::shown(&visible(resource, attribute)))
}

/// The value of an attribute, unless it is sensitive.
fn visible(resource: &Value, attribute: &str) -> Value {
    let is_sensitive =
        resource["sensitive_parameters"].as_array().is_some_and(|all| all.iter().any(|one| one == attribute));
    if is_sensitive { "[value redacted]".into() } else { resource["parameters"][attribute].clone() }
}

/// A resource in Puppet's notation.
fn describe(resource: &Value) -> String {
    let kind = resource["type"].as_str().unwrap_or("?").to_lowercase();
    let mut out = format!("{kind} {{ {}:", notation::shown(&resource["title"]));
    let names: Vec<&String> =
        resource["parameters"].as_object().into_iter().flat_map(|all| all.keys()).collect();
    let width = names.iter().map(|name| name.len()).max().unwrap_or_default();
    for name in names {
        let value = notation::shown(&visible(resource, name));
        let _ = write!(out, "\n  {name:width$} => {value},");
    }
    out.push_str(if out.ends_with(':') { " }" } else { "\n}" });
    out
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
