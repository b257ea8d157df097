//! Queries as arrays: `["from", "nodes", ["=", "certname", "web1"], ["limit", 10]]`.

use kukla_syntax::deep;
use serde_json::Value as Json;

use super::condition::Comparison;
use super::entity::NODE_STATE;
use super::{Condition, Entity, Field, Function, Order, Query, Selected, malformed};
use crate::Result;

/// Reads a query that says what it asks for: `["from", ENTITY, ...]`.
pub fn parse(array: &Json) -> Result<Query> {
    match array.as_array().map(Vec::as_slice) {
        Some([word, entity, rest @ ..]) if word == "from" => from(entity, rest),
        _ => Err(malformed(format!(
            "expected a query that begins with [\"from\", ENTITY], got {}",
            short(array)
        ))),
    }
}

fn from(entity: &Json, rest: &[Json]) -> Result<Query> {
    let mut query = Query::all(Entity::named(text(entity)?)?);
    for part in rest {
        match operator(part)? {
            ("order_by", [fields]) => {
                for field in list(fields)? {
                    query.order_by.push(ordered(field, query.entity)?);
                }
            }
            ("limit", [number]) => query.limit = Some(count(number)?),
            ("offset", [number]) => query.offset = count(number)?,
            ("extract", operands) => extract(&mut query, operands)?,
            _ => query.condition = Some(condition(part, query.entity)?),
        }
    }
    Ok(query)
}

/// `["extract", ["certname", ["function", "count"]], CONDITION, ["group_by", "certname"]]`.
fn extract(query: &mut Query, operands: &[Json]) -> Result<()> {
    let [columns, rest @ ..] = operands else { return Err(malformed("'extract' requires columns")) };
    let columns = match columns {
        Json::Array(all) if !matches!(all.first(), Some(word) if word == "function") => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    for column in columns {
        query.select.push(selected(column, query.entity)?);
    }
    for part in rest {
        match operator(part)? {
            ("group_by", fields) => {
                for field in fields {
                    query.group_by.push(self::field(field, query.entity)?);
                }
            }
            _ => query.condition = Some(condition(part, query.entity)?),
        }
    }
    Ok(())
}

fn selected(column: &Json, entity: &'static Entity) -> Result<Selected> {
    match column.as_array().map(Vec::as_slice) {
        Some([word, name, rest @ ..]) if word == "function" => {
            let name = text(name)?;
            let function =
                Function::named(name).ok_or_else(|| malformed(format!("unknown function '{name}'")))?;
            Ok(Selected::Function(function, rest.first().map(|one| field(one, entity)).transpose()?))
        }
        _ => field(column, entity).map(Selected::Field),
    }
}

fn ordered(item: &Json, entity: &'static Entity) -> Result<(Field, Order)> {
    match item.as_array().map(Vec::as_slice) {
        Some([name]) => Ok((field(name, entity)?, Order::Ascending)),
        Some([name, way]) => {
            let way = match text(way)?.to_lowercase().as_str() {
                "asc" => Order::Ascending,
                "desc" => Order::Descending,
                other => return Err(malformed(format!("expected 'asc' or 'desc', got '{other}'"))),
            };
            Ok((field(name, entity)?, way))
        }
        _ => Ok((field(item, entity)?, Order::Ascending)),
    }
}

/// Reads a condition on the rows of an entity.
pub fn condition(array: &Json, entity: &'static Entity) -> Result<Condition> {
    let (operator, operands) = operator(array)?;
    let each = |parts: &[Json]| -> Result<Vec<Condition>> {
        parts.iter().map(|part| deep(|| condition(part, entity))).collect()
    };
    match (operator, operands) {
        ("and" | "or", []) => {
            Err(malformed(format!("'{operator}' takes at least one argument, but none were supplied")))
        }
        ("and", parts) => each(parts).map(Condition::And),
        ("or", parts) => each(parts).map(Condition::Or),
        ("not", [part]) => Ok(Condition::Not(Box::new(deep(|| condition(part, entity))?))),
        ("in", [fields, among]) => within(fields, among, entity),
        ("subquery", [other, part]) => implied(other, part, entity),
        ("null?", [name, Json::Bool(wanted)]) => Ok(Condition::IsNull(field(name, entity)?, *wanted)),
        (sign, [name, value]) => match name.as_array().map(Vec::as_slice) {
            // The older way to ask for `node_state`.
            Some([word, inner])
                if word == "node" && inner == "active" && sign == "=" && value.is_boolean() =>
            {
                let state = if value == true { "active" } else { "inactive" };
                Ok(Condition::NodeState(state.to_owned()))
            }
            // A fact of the node, where the entity itself has none.
            Some([word, fact]) if word == "fact" && entity.name != "inventory" => {
                let facts = Entity::named("facts")?;
                let own = compared("=", facts, field(&"name".into(), facts)?, fact)?;
                let value = compared(sign, facts, field(&"value".into(), facts)?, value)?;
                related(entity, facts, Condition::And(vec![own, value]))
            }
            _ => compared(sign, entity, field(name, entity)?, value),
        },
        _ => Err(malformed(format!("expected a condition, got {}", short(array)))),
    }
}

/// A comparison with a value.
pub fn compared(sign: &str, entity: &'static Entity, field: Field, value: &Json) -> Result<Condition> {
    if field.column == NODE_STATE {
        return match (sign, value.as_str()) {
            ("=", Some(state @ ("active" | "inactive" | "any"))) => {
                Ok(Condition::NodeState(state.to_owned()))
            }
            _ => Err(malformed("invalid node_state: expected 'active', 'inactive' or 'any'")),
        };
    }
    if let Some(comparison) = Comparison::named(sign) {
        // Tags are kept in lower case.
        let value = match (entity.name, field.column.name, value.as_str()) {
            ("resources", "tags", Some(tag)) => tag.to_lowercase().into(),
            _ => value.clone(),
        };
        return Ok(Condition::Compare(comparison, field, value));
    }
    match sign {
        "~" => Ok(Condition::Fits(field, Condition::expression(text(value)?)?)),
        "~>" => {
            let whole = |step: &Json| match step {
                Json::String(text) => Condition::expression(&format!("^(?:{text})$")),
                other => Condition::expression(&format!("^{other}$")),
            };
            Ok(Condition::PathFits(field, list(value)?.iter().map(whole).collect::<Result<_>>()?))
        }
        _ => Err(malformed(format!("unknown operator '{sign}'"))),
    }
}

/// `["in", FIELDS, SUBQUERY]` and `["in", FIELDS, ["array", VALUES]]`.
fn within(fields: &Json, among: &Json, entity: &'static Entity) -> Result<Condition> {
    let is_one = |all: &Vec<Json>| matches!(all.first(), Some(word) if word == "parameter" || word == "fact");
    let fields: Vec<Field> = match fields {
        Json::Array(all) if !is_one(all) => {
            all.iter().map(|one| field(one, entity)).collect::<Result<_>>()?
        }
        one => vec![field(one, entity)?],
    };
    match operator(among)? {
        ("array", [values]) => {
            let row = |value: &Json| match value {
                Json::Array(row) if fields.len() > 1 => row.clone(),
                one => vec![one.clone()],
            };
            Ok(Condition::among(fields.clone(), list(values)?.iter().map(row).collect()))
        }
        ("from", [entity, rest @ ..]) => Ok(Condition::In(fields, Box::new(deep(|| from(entity, rest))?))),
        // The older way: `["extract", COLUMNS, ["select_facts", CONDITION]]`.
        ("extract", [columns, source]) => {
            let (word, operands) = operator(source)?;
            let name = word
                .strip_prefix("select_")
                .ok_or_else(|| malformed(format!("expected a subquery, got '{word}'")))?;
            let mut query = Query::all(Entity::named(name)?);
            extract(&mut query, std::slice::from_ref(columns))?;
            query.condition =
                operands.first().map(|part| deep(|| condition(part, query.entity))).transpose()?;
            Ok(Condition::In(fields, Box::new(query)))
        }
        _ => Err(malformed(format!("'in' requires a subquery or an array, got {}", short(among)))),
    }
}

/// `["subquery", ENTITY, CONDITION]`: there is a row of another entity for the same node.
fn implied(other: &Json, part: &Json, entity: &'static Entity) -> Result<Condition> {
    let other = Entity::named(text(other)?)?;
    related(entity, other, deep(|| condition(part, other))?)
}

/// That the node of a row has rows of another entity that fit a condition.
pub fn related(entity: &'static Entity, other: &'static Entity, condition: Condition) -> Result<Condition> {
    if !entity.is_of_nodes() || !other.is_of_nodes() {
        return Err(malformed(format!(
            "{} and {} have no node in common; use 'in'",
            entity.name, other.name
        )));
    }
    let mut query = Query::all(other);
    query.select.push(Selected::Field(Field::parse("certname", other)?));
    query.condition = Some(condition);
    Ok(Condition::In(vec![Field::parse("certname", entity)?], Box::new(query)))
}

/// `"certname"`, `"facts.os.family"`, `["parameter", "ensure"]`, `["fact", "kernel"]`.
fn field(name: &Json, entity: &'static Entity) -> Result<Field> {
    match name.as_array().map(Vec::as_slice) {
        Some([word, inner]) if word == "parameter" || word == "fact" => {
            let column = if word == "parameter" { "parameters" } else { "facts" };
            let step = super::Step::Key(text(inner)?.to_owned());
            Ok(Field { column: entity.column(column)?, path: vec![step] })
        }
        Some(_) => Err(malformed(format!("expected a field, got {}", short(name)))),
        None => Field::parse(text(name)?, entity),
    }
}

fn operator(array: &Json) -> Result<(&str, &[Json])> {
    match array.as_array().map(Vec::as_slice) {
        Some([word, operands @ ..]) => Ok((text(word)?, operands)),
        _ => Err(malformed(format!("expected an array that begins with an operator, got {}", short(array)))),
    }
}

fn text(value: &Json) -> Result<&str> {
    value.as_str().ok_or_else(|| malformed(format!("expected a string, got {}", short(value))))
}

fn list(value: &Json) -> Result<&[Json]> {
    value
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| malformed(format!("expected an array, got {}", short(value))))
}

fn count(value: &Json) -> Result<usize> {
    let number = value.as_u64().and_then(|number| number.try_into().ok());
    number.ok_or_else(|| malformed(format!("expected a number of rows, got {}", short(value))))
}

/// A value as it is shown in a message.
fn short(value: &Json) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
