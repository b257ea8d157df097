//! Conditions on rows.

use std::cmp::Ordering;
use std::collections::HashSet;

use kukla_syntax::deep;
use regex::Regex;
use serde_json::Value as Json;

use super::entity::Kind;
use super::{Field, Query, malformed};
use crate::{Result, Timestamp};

/// A condition on a row.
#[derive(Clone, Debug)]
pub enum Condition {
    Compare(Comparison, Field, Json),
    /// `~`: a text fits an expression.
    Fits(Field, Regex),
    /// `~>`: a path fits a list of expressions, one for each step.
    PathFits(Field, Vec<Regex>),
    IsNull(Field, bool),
    /// The fields together are one of these rows, whose texts are there to find them quickly.
    Among(Vec<Field>, Vec<Vec<Json>>, HashSet<String>),
    /// The fields together are what a query gives.
    In(Vec<Field>, Box<Query>),
    /// The state of nodes: `active`, `inactive`, `any`.
    NodeState(String),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

/// Expressions are the same if they are written the same.
impl PartialEq for Condition {
    fn eq(&self, other: &Condition) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// The comparison that is written so.
    pub fn named(sign: &str) -> Option<Comparison> {
        Some(match sign {
            "=" => Comparison::Equal,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }

    fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal => order == Ordering::Equal,
            Comparison::Less => order == Ordering::Less,
            Comparison::LessOrEqual => order != Ordering::Greater,
            Comparison::Greater => order == Ordering::Greater,
            Comparison::GreaterOrEqual => order != Ordering::Less,
        }
    }
}

impl Condition {
    /// That fields together are one of some rows.
    pub fn among(fields: Vec<Field>, rows: Vec<Vec<Json>>) -> Condition {
        let texts = rows.iter().map(text_of).collect();
        Condition::Among(fields, rows, texts)
    }

    /// A regular expression.
    pub fn expression(text: &str) -> Result<Regex> {
        Regex::new(text).map_err(|_| malformed(format!("invalid regular expression '{text}'")))
    }

    /// Whether a row is like that; `look` gives what a row has in a field. Nothing that is asked of an empty column holds, nor does its
    /// opposite, as in databases; within a column, what is not there is unequal to everything, as PuppetDB has it.
    pub fn holds<'r>(&self, look: &dyn Fn(&Field) -> &'r Json) -> bool {
        self.verdict(look) == Some(true)
    }

    fn verdict<'r>(&self, look: &dyn Fn(&Field) -> &'r Json) -> Option<bool> {
        match self {
            Condition::Compare(comparison, field, wanted) => {
                let value = look(field);
                match (field.column.kind, value) {
                    (_, Json::Null) => absent(field),
                    (Kind::List, Json::Array(values)) if field.path.is_empty() => {
                        Some(values.iter().any(|each| compare(*comparison, Kind::List, each, wanted)))
                    }
                    (kind, value) => Some(compare(*comparison, kind, value, wanted)),
                }
            }
            Condition::Fits(field, expression) => match look(field) {
                Json::Null => absent(field),
                Json::String(text) => Some(expression.is_match(text)),
                Json::Array(values) if field.column.kind == Kind::List => {
                    Some(values.iter().filter_map(Json::as_str).any(|text| expression.is_match(text)))
                }
                other => Some(expression.is_match(&other.to_string())),
            },
            Condition::PathFits(field, expressions) => {
                let steps = look(field).as_array()?;
                let fits = |(step, expression): (&Json, &Regex)| match step {
                    Json::String(text) => expression.is_match(text),
                    other => expression.is_match(&other.to_string()),
                };
                Some(steps.len() == expressions.len() && steps.iter().zip(expressions).all(fits))
            }
            Condition::IsNull(field, wanted) => Some(look(field).is_null() == *wanted),
            Condition::Among(fields, _, texts) => {
                let values: Vec<&Json> = fields.iter().map(look).collect();
                if values.iter().any(|value| value.is_null()) {
                    return None;
                }
                match &values[..] {
                    [Json::Array(list)] if fields[0].column.kind == Kind::List => {
                        Some(list.iter().any(|each| texts.contains(&text_of([each]))))
                    }
                    values => Some(texts.contains(&text_of(values.iter().copied()))),
                }
            }
            // What queries within a query give is known before rows are looked at.
            Condition::In(..) => None,
            // The table has seen to it.
            Condition::NodeState(_) => Some(true),
            Condition::Not(inner) => deep(|| inner.verdict(look)).map(|holds| !holds),
            Condition::And(all) => {
                let mut verdict = Some(true);
                for each in all {
                    match deep(|| each.verdict(look)) {
                        Some(true) => {}
                        Some(false) => return Some(false),
                        None => verdict = None,
                    }
                }
                verdict
            }
            Condition::Or(any) => {
                let mut verdict = Some(false);
                for each in any {
                    match deep(|| each.verdict(look)) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => verdict = None,
                    }
                }
                verdict
            }
        }
    }

    /// Visits every field that is looked at.
    pub fn fields(&self, visit: &mut dyn FnMut(&Field)) {
        match self {
            Condition::Compare(_, field, _)
            | Condition::Fits(field, _)
            | Condition::PathFits(field, _)
            | Condition::IsNull(field, _) => visit(field),
            Condition::Among(fields, ..) | Condition::In(fields, _) => fields.iter().for_each(visit),
            Condition::NodeState(_) => {}
            Condition::Not(inner) => deep(|| inner.fields(visit)),
            Condition::And(all) | Condition::Or(all) => {
                all.iter().for_each(|each| deep(|| each.fields(visit)))
            }
        }
    }

    /// The conditions that every matching row fulfils.
    pub fn demands(&self) -> Vec<&Condition> {
        match self {
            Condition::And(all) => all.iter().flat_map(|each| deep(|| each.demands())).collect(),
            other => vec![other],
        }
    }
}

/// Whether a missing value fulfils a comparison, if that is decided.
fn absent(field: &Field) -> Option<bool> {
    (!field.path.is_empty()).then_some(false)
}

fn compare(comparison: Comparison, kind: Kind, value: &Json, wanted: &Json) -> bool {
    if kind == Kind::Time {
        let moment = |value: &Json| value.as_str().and_then(Timestamp::parse);
        return match (moment(value), moment(wanted)) {
            (Some(value), Some(wanted)) => comparison.holds(value.cmp(&wanted)),
            _ => false,
        };
    }
    if comparison == Comparison::Equal {
        return same(value, wanted);
    }
    // Only numbers are more or less than others; a number may be written as text on the right.
    let wanted = wanted.as_f64().or_else(|| wanted.as_str()?.parse().ok());
    match (value.as_f64(), wanted) {
        (Some(value), Some(wanted)) => {
            value.partial_cmp(&wanted).is_some_and(|order| comparison.holds(order))
        }
        _ => false,
    }
}

/// Values as one text; 1 is written like 1.0.
fn text_of<'v>(values: impl IntoIterator<Item = &'v Json>) -> String {
    let mut text = String::new();
    for value in values {
        match value.as_f64() {
            Some(number) => text += &number.to_string(),
            None => text += &value.to_string(),
        }
        text.push('\n');
    }
    text
}

/// Whether values are equal: 1 is 1.0.
fn same(value: &Json, wanted: &Json) -> bool {
    match (value, wanted) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (a, b) => a == b,
    }
}

/// The order of rows: nothing first, then flags, numbers, text, and what is made of them.
pub fn order(a: &Json, b: &Json) -> Ordering {
    fn rank(value: &Json) -> u8 {
        match value {
            Json::Null => 0,
            Json::Bool(_) => 1,
            Json::Number(_) => 2,
            Json::String(_) => 3,
            Json::Array(_) => 4,
            Json::Object(_) => 5,
        }
    }
    match (a, b) {
        (Json::Bool(a), Json::Bool(b)) => a.cmp(b),
        (Json::Number(a), Json::Number(b)) => {
            a.as_f64().unwrap_or_default().total_cmp(&b.as_f64().unwrap_or_default())
        }
        (Json::String(a), Json::String(b)) => a.cmp(b),
        (a, b) if rank(a) == rank(b) => a.to_string().cmp(&b.to_string()),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}
