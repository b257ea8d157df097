//! Queries of PuppetDB, in PQL or as arrays, and how they are answered from tables.
//!
//! | file | |
//! | --- | --- |
//! | `entity` | what can be asked for, and what its columns are |
//! | `pql` | reads `nodes[certname] { facts.kernel = "Linux" }` |
//! | `ast` | reads `["from", "nodes", ["=", ["fact", "kernel"], "Linux"]]` |
//! | `condition` | what a row has to be like |
//! | `answer` | conditions, projections, groups, order |
//!
//! A table is asked for as few rows as its indexes can tell apart, and for no column that nobody looks at; what is left is decided here, row by
//! row, so that every store gives the same answers.

use std::fmt;

use kukla_syntax::{Diagnostic, diagnostic};
use serde_json::Value as Json;

use crate::Result;
use crate::codes::BAD_STORE_QUERY;

mod answer;
mod ast;
mod condition;
mod entity;
mod pql;
#[cfg(test)]
mod tests;

pub use answer::{Narrow, Tables};
pub use condition::Condition;
pub use entity::{Column, Entity};

/// A query as someone wrote it.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// PuppetDB's query language: `nodes[certname] { facts.kernel = "Linux" }`.
    Pql(String),
    /// The same as an array: `["from", "nodes", ["=", ["fact", "kernel"], "Linux"]]`.
    Ast(Json),
}

impl Question {
    /// A query in PQL, or an array as text.
    pub fn pql(text: impl Into<String>) -> Question {
        let text = text.into();
        match text.trim_start().starts_with('[').then(|| serde_json::from_str(&text)) {
            Some(Ok(array)) => Question::Ast(array),
            _ => Question::Pql(text),
        }
    }

    /// The names of the columns that it asks for, in their order, if it says so.
    pub fn columns(&self) -> Vec<String> {
        let selected = |one: &Selected| match one {
            Selected::Field(field) => field.to_string(),
            Selected::Function(function, _) => function.name().to_owned(),
        };
        self.parse().map(|query| query.select.iter().map(selected).collect()).unwrap_or_default()
    }

    /// Parses the query.
    pub fn parse(&self) -> Result<Query> {
        match self {
            Question::Pql(text) => pql::parse(text),
            Question::Ast(array) => ast::parse(array),
        }
    }
}

/// A query that is malformed or asks for something unknown.
fn malformed(problem: impl std::fmt::Display) -> Box<Diagnostic> {
    diagnostic!(BAD_STORE_QUERY { problem }).into()
}

/// A parsed query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub entity: &'static Entity,
    /// The columns that are wanted; all of them if it does not say.
    pub select: Vec<Selected>,
    pub condition: Option<Condition>,
    pub group_by: Vec<Field>,
    pub order_by: Vec<(Field, Order)>,
    pub limit: Option<usize>,
    pub offset: usize,
}

impl Query {
    fn all(entity: &'static Entity) -> Query {
        Query {
            entity,
            select: Vec::new(),
            condition: None,
            group_by: Vec::new(),
            order_by: Vec::new(),
            limit: None,
            offset: 0,
        }
    }
}

/// Which way rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Ascending,
    Descending,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Selected {
    Field(Field),
    /// `count()`, `avg(value)`.
    Function(Function, Option<Field>),
}

/// An aggregate function over many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Count,
    Avg,
    Sum,
    Min,
    Max,
}

impl Function {
    fn named(name: &str) -> Option<Function> {
        [Function::Count, Function::Avg, Function::Sum, Function::Min, Function::Max]
            .into_iter()
            .find(|function| function.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Function::Count => "count",
            Function::Avg => "avg",
            Function::Sum => "sum",
            Function::Min => "min",
            Function::Max => "max",
        }
    }
}

/// A column, or something within it: `facts.os.family`.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub column: Column,
    pub path: Vec<Step>,
}

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(String),
    Index(usize),
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.column.name)?;
        self.path.iter().try_for_each(|step| match step {
            Step::Key(key) => write!(f, ".{key}"),
            Step::Index(at) => write!(f, "[{at}]"),
        })
    }
}

impl Field {
    /// Parses the name of a field: `certname`, `facts.os.family`, `parameters."some key"`, `facts.disks[0]`.
    fn parse(text: &str, entity: &'static Entity) -> Result<Field> {
        let mut rest = text;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(quoted) = rest.strip_prefix('"') {
                let end = quoted
                    .find('"')
                    .ok_or_else(|| malformed(format!("missing quotation mark in '{text}'")))?;
                steps.push(Step::Key(quoted[..end].to_owned()));
                rest = &quoted[end + 1..];
            } else if let Some(index) = rest.strip_prefix('[') {
                let number = index.split_once(']').and_then(|(number, after)| {
                    rest = after;
                    number.parse().ok()
                });
                steps.push(Step::Index(number.ok_or_else(|| {
                    malformed(format!("invalid index in '{text}': expected a number in brackets"))
                })?));
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                steps.push(Step::Key(rest[..end].to_owned()));
                rest = &rest[end..];
            }
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
        let mut steps = steps.into_iter();
        let Some(Step::Key(column)) = steps.next() else {
            return Err(malformed("expected the name of a field"));
        };
        Ok(Field { column: entity.column(&column)?, path: steps.collect() })
    }

    /// The value of the field, given that of its column.
    fn within<'v>(&self, value: &'v Json) -> &'v Json {
        const NOTHING: &Json = &Json::Null;
        self.path.iter().fold(value, |value, step| {
            let inner = match step {
                Step::Key(key) => value.get(key),
                Step::Index(at) => value.get(at),
            };
            inner.unwrap_or(NOTHING)
        })
    }
}
