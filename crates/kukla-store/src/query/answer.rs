//! From a query to rows.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use kukla_syntax::deep;
use serde_json::{Map, Value as Json};

use super::condition::{Comparison, order};
use super::entity::Kind;
use super::{Column, Condition, Entity, Field, Function, Order, Query, Selected, malformed};
use crate::Result;

/// A source of the rows of entities.
pub trait Tables {
    /// Visits the rows of an entity that could be wanted, in a stable order, until there are enough. A row has the values of the columns that are
    /// asked for.
    fn scan(
        &mut self,
        entity: &'static Entity,
        narrow: &Narrow,
        columns: &[Column],
        visit: &mut dyn FnMut(&[Json]) -> ControlFlow<()>,
    ) -> Result<()>;
}

/// The rows that a query may need, as far as it is known beforehand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Narrow {
    /// `active`, `inactive` or `any`; active by default.
    pub node_state: Option<String>,
    /// Columns with the values that they may have.
    pub values: Vec<(Column, Vec<Json>)>,
}

impl Narrow {
    /// The rows that the condition of a query requires.
    fn of(condition: Option<&Condition>) -> Narrow {
        let mut narrow = Narrow::default();
        for demand in condition.map(Condition::demands).unwrap_or_default() {
            match demand {
                Condition::NodeState(state) => narrow.node_state = Some(state.clone()),
                Condition::Compare(Comparison::Equal, field, value) if can_narrow(field) => {
                    narrow.values.push((field.column, vec![value.clone()]));
                }
                Condition::Among(fields, rows, _) => {
                    for (at, field) in fields.iter().enumerate().filter(|(_, field)| can_narrow(field)) {
                        let mut values: Vec<Json> =
                            rows.iter().filter_map(|row| row.get(at).cloned()).collect();
                        values.sort_by(order);
                        values.dedup();
                        narrow.values.push((field.column, values));
                    }
                }
                _ => {}
            }
        }
        narrow
    }

    /// The texts that a column may be, if they are known.
    pub fn texts(&self, column: &str) -> Option<Vec<&str>> {
        let (_, values) = self.values.iter().find(|(each, _)| each.name == column)?;
        Some(values.iter().filter_map(Json::as_str).collect())
    }
}

fn can_narrow(field: &Field) -> bool {
    field.path.is_empty() && field.column.kind == Kind::Data
}

/// A row of an answer, with what it is sorted by.
struct SortedRow {
    keys: Vec<Json>,
    row: Map<String, Json>,
}

impl Query {
    /// Answers from tables.
    pub fn answer(&self, tables: &mut dyn Tables) -> Result<Vec<Json>> {
        let rows = deep(|| self.rows(tables))?;
        Ok(rows.into_iter().map(Json::Object).collect())
    }

    fn rows(&self, tables: &mut dyn Tables) -> Result<Vec<Map<String, Json>>> {
        let condition = self.condition.as_ref().map(|condition| resolved(condition, tables)).transpose()?;
        let columns = self.looked_at(condition.as_ref());
        let place = |field: &Field| columns.iter().position(|column| *column == field.column).unwrap_or(0);
        let fits = |row: &[Json]| {
            condition
                .as_ref()
                .is_none_or(|condition| condition.holds(&|field| field.within(&row[place(field)])))
        };
        let value = |field: &Field, row: &[Json]| field.within(&row[place(field)]).clone();
        let narrow = Narrow::of(condition.as_ref());
        let mut found = match self.is_grouped() {
            true => self.grouped(tables, &narrow, &columns, &fits, &value)?,
            false => {
                let mut found = Vec::new();
                let enough = match (self.order_by.is_empty(), self.limit) {
                    (true, Some(limit)) => limit.saturating_add(self.offset),
                    _ => usize::MAX,
                };
                tables.scan(self.entity, &narrow, &columns, &mut |row| {
                    if found.len() >= enough {
                        return ControlFlow::Break(());
                    }
                    if fits(row) {
                        let keys = self.order_by.iter().map(|(field, _)| value(field, row)).collect();
                        found.push(SortedRow { keys, row: self.projected(row, &value) });
                    }
                    ControlFlow::Continue(())
                })?;
                found
            }
        };
        found.sort_by(|a, b| {
            let orders = a.keys.iter().zip(&b.keys).zip(&self.order_by).map(|((a, b), (_, way))| match way {
                Order::Ascending => order(a, b),
                Order::Descending => order(b, a),
            });
            orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let wanted = found.into_iter().skip(self.offset).take(self.limit.unwrap_or(usize::MAX));
        Ok(wanted.map(|found| found.row).collect())
    }

    fn is_grouped(&self) -> bool {
        !self.group_by.is_empty() || self.select.iter().any(|one| matches!(one, Selected::Function(..)))
    }

    /// The columns that anything looks at.
    fn looked_at(&self, condition: Option<&Condition>) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        let mut look = |field: &Field| {
            if !columns.contains(&field.column) {
                columns.push(field.column);
            }
        };
        for one in &self.select {
            if let Selected::Field(field) | Selected::Function(_, Some(field)) = one {
                look(field);
            }
        }
        self.group_by.iter().chain(self.order_by.iter().map(|(field, _)| field)).for_each(&mut look);
        if let Some(condition) = condition {
            condition.fields(&mut look);
        }
        if self.select.is_empty() {
            let rest: Vec<Column> =
                self.entity.columns().filter(|column| !columns.contains(column)).collect();
            columns.extend(rest);
        }
        columns
    }

    fn projected(&self, row: &[Json], value: &dyn Fn(&Field, &[Json]) -> Json) -> Map<String, Json> {
        if self.select.is_empty() {
            let field = |column: Column| Field { column, path: Vec::new() };
            let all = self.entity.columns();
            return all.map(|column| (column.name.to_owned(), value(&field(column), row))).collect();
        }
        let fields = self.select.iter().filter_map(|one| match one {
            Selected::Field(field) => Some((field.to_string(), value(field, row))),
            Selected::Function(..) => None,
        });
        fields.collect()
    }

    /// Rows that have the same values in some fields, as one.
    fn grouped(
        &self,
        tables: &mut dyn Tables,
        narrow: &Narrow,
        columns: &[Column],
        fits: &dyn Fn(&[Json]) -> bool,
        value: &dyn Fn(&Field, &[Json]) -> Json,
    ) -> Result<Vec<SortedRow>> {
        let named = self.select.iter().filter_map(|one| match one {
            Selected::Field(field) if !self.group_by.contains(field) => Some(field),
            _ => None,
        });
        let by: Vec<&Field> = self.group_by.iter().chain(named).collect();
        let functions = || self.select.iter().filter(|one| matches!(one, Selected::Function(..)));
        let mut groups: BTreeMap<String, (Vec<Json>, Vec<Tally>)> = BTreeMap::new();
        if by.is_empty() {
            groups.insert("[]".to_owned(), (Vec::new(), functions().map(|_| Tally::default()).collect()));
        }
        tables.scan(self.entity, narrow, columns, &mut |row| {
            if !fits(row) {
                return ControlFlow::Continue(());
            }
            let values: Vec<Json> = by.iter().map(|field| value(field, row)).collect();
            let key = Json::from(values.clone()).to_string();
            let empty = || (values, functions().map(|_| Tally::default()).collect());
            let (_, tallies) = groups.entry(key).or_insert_with(empty);
            for (tally, function) in tallies.iter_mut().zip(functions()) {
                match function {
                    Selected::Function(_, Some(field)) => tally.add(&value(field, row)),
                    _ => tally.count += 1,
                }
            }
            ControlFlow::Continue(())
        })?;
        let found = groups.into_values().map(|(values, tallies)| {
            let of = |field: &Field| by.iter().position(|one| *one == field).map(|at| values[at].clone());
            let mut tallies = tallies.iter();
            let mut row = Map::new();
            for one in &self.select {
                match one {
                    Selected::Field(field) => row.insert(field.to_string(), of(field).unwrap_or_default()),
                    Selected::Function(function, _) => {
                        let result = tallies.next().map(|tally| tally.result(*function));
                        row.insert(function.name().to_owned(), result.unwrap_or_default())
                    }
                };
            }
            let keys = self.order_by.iter().map(|(field, _)| of(field).unwrap_or_default()).collect();
            SortedRow { keys, row }
        });
        Ok(found.collect())
    }
}

/// The aggregate of a field over many rows.
#[derive(Default)]
struct Tally {
    count: u64,
    sum: f64,
    numbers: u64,
    least: Option<Json>,
    most: Option<Json>,
}

impl Tally {
    fn add(&mut self, value: &Json) {
        if value.is_null() {
            return;
        }
        self.count += 1;
        if let Some(number) = value.as_f64() {
            self.sum += number;
            self.numbers += 1;
        }
        if self.least.as_ref().is_none_or(|least| order(value, least).is_lt()) {
            self.least = Some(value.clone());
        }
        if self.most.as_ref().is_none_or(|most| order(value, most).is_gt()) {
            self.most = Some(value.clone());
        }
    }

    fn result(&self, function: Function) -> Json {
        match function {
            Function::Count => self.count.into(),
            _ if self.count == 0 => Json::Null,
            Function::Min => self.least.clone().unwrap_or_default(),
            Function::Max => self.most.clone().unwrap_or_default(),
            _ if self.numbers == 0 => Json::Null,
            Function::Avg => number(self.sum / self.numbers as f64),
            Function::Sum => number(self.sum),
        }
    }
}

/// A whole number shows as one.
fn number(number: f64) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { (number as i64).into() } else { number.into() }
}

/// The condition with what queries within it give in their place.
fn resolved(condition: &Condition, tables: &mut dyn Tables) -> Result<Condition> {
    let mut all = |parts: &[Condition]| -> Result<Vec<Condition>> {
        parts.iter().map(|part| deep(|| resolved(part, tables))).collect()
    };
    Ok(match condition {
        Condition::And(parts) => Condition::And(all(parts)?),
        Condition::Or(parts) => Condition::Or(all(parts)?),
        Condition::Not(inner) => Condition::Not(Box::new(deep(|| resolved(inner, tables))?)),
        Condition::In(fields, query) => {
            let rows: Vec<Vec<Json>> = query
                .rows(tables)?
                .into_iter()
                .map(|row| row.into_iter().map(|(_, value)| value).collect())
                .collect();
            if let Some(row) = rows.iter().find(|row| row.len() != fields.len()) {
                let problem =
                    format!("'in' compares {} fields with {} of a subquery", fields.len(), row.len());
                return Err(malformed(problem));
            }
            Condition::among(fields.clone(), rows)
        }
        other => other.clone(),
    })
}
