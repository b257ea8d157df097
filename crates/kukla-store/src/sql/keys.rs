//! What collectors can ask of an exported resource, as numbers in an index.
//!
//! A number stands for a type together with a title, a tag or the value of an attribute. Two different things may get the same number; the
//! index only says where to look, and [`Filter::fits`] decides.

use kukla_catalog::{Filter, Resource};
use kukla_syntax::deep;
use kukla_values::Value;
use sha1::{Digest, Sha1};

fn number(type_name: &str, what: &str, name: &str, value: &str) -> i64 {
    let mut digest = Sha1::new();
    for part in [type_name, what, name, value] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    let digest = digest.finalize();
    let (first, _) = digest.split_at(8);
    i64::from_be_bytes(first.try_into().unwrap_or_default())
}

fn title(type_name: &str, title: &str) -> i64 {
    number(type_name, "title", "", title)
}

fn tag(type_name: &str, tag: &str) -> i64 {
    number(type_name, "tag", "", tag)
}

/// Only what is simple can be looked for.
fn attribute(type_name: &str, name: &str, value: &Value) -> Option<i64> {
    let (what, value) = match value {
        Value::Boolean(flag) => ("boolean", flag.to_string()),
        Value::Integer(number) => ("number", number.to_string()),
        Value::Float(number) => ("number", number.to_string()),
        Value::String(text) => return Some(number(type_name, "text", name, text)),
        _ => return None,
    };
    Some(number(type_name, what, name, &value))
}

/// All that a resource can be found by.
pub fn of(resource: &Resource) -> Vec<i64> {
    let kind = &resource.type_name;
    let mut keys = vec![title(kind, &resource.title)];
    keys.extend(resource.tags.iter().map(|each| tag(kind, each)));
    keys.extend(resource.parameters.iter().filter_map(|(name, value)| attribute(kind, name, value)));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// So many searches are made together and no more; what they leave over, the filter sorts out.
const SEARCHES: usize = 16;

/// Where to look for what a filter wants.
#[derive(Debug, PartialEq)]
pub enum Places {
    /// Where one of these keys leads.
    Keys(Vec<i64>),
    /// What a statement gives: the node and the position of each.
    Found(String),
}

impl Places {
    /// The statement that gives them.
    pub fn sql(self) -> String {
        match self {
            Places::Keys(keys) if keys.is_empty() => {
                "SELECT node, position FROM offers WHERE 1 = 0".to_owned()
            }
            Places::Keys(keys) => {
                let keys: Vec<String> = keys.iter().map(i64::to_string).collect();
                format!("SELECT node, position FROM offers WHERE key IN ({})", keys.join(", "))
            }
            Places::Found(sql) => sql,
        }
    }
}

/// Where to look for what a filter wants, if there is no need to look everywhere.
pub fn places(type_name: &str, filter: &Filter) -> Option<Places> {
    let with = |key: i64| Places::Keys(vec![key]);
    match filter {
        Filter::Title(text) => Some(with(title(type_name, text))),
        Filter::Tagged(text) => Some(with(tag(type_name, text))),
        Filter::Attribute(name, value) => attribute(type_name, name, value).map(with),
        Filter::Not(_) => None,
        Filter::All(all) => {
            // Nothing narrows a search like a title.
            if let Some(Filter::Title(text)) = all.iter().find(|each| matches!(each, Filter::Title(_))) {
                return Some(with(title(type_name, text)));
            }
            let parts = all.iter().filter_map(|each| deep(|| places(type_name, each)));
            joined(parts.take(SEARCHES).collect(), " INTERSECT ")
        }
        Filter::Any(any) => {
            let mut keys = Vec::new();
            let mut parts = Vec::new();
            for each in any {
                match deep(|| places(type_name, each))? {
                    Places::Keys(more) => keys.extend(more),
                    found => parts.push(found),
                }
            }
            if parts.is_empty() || !keys.is_empty() {
                parts.push(Places::Keys(keys));
            }
            (parts.len() <= SEARCHES).then(|| joined(parts, " UNION "))?
        }
    }
}

fn joined(mut parts: Vec<Places>, how: &str) -> Option<Places> {
    if parts.len() < 2 {
        return parts.pop();
    }
    let part = |(at, part): (usize, Places)| format!("SELECT * FROM ({}) AS p{at}", part.sql());
    let parts: Vec<String> = parts.into_iter().enumerate().map(part).collect();
    Some(Places::Found(parts.join(how)))
}
