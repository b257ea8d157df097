//! The properties of exported resources that collectors can query, as numbers in an index.
//!
//! A number represents a type together with a title, a tag or the value of an attribute. Two different things may get the same number; the
//! index only says where to look, and [`Filter::matches`] decides.

use kukla_catalog::{Filter, Resource};
use kukla_syntax::deep;
use kukla_values::Value;
use sha1::{Digest, Sha1};

use crate::Result;

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
    let names = resource.parameters.iter().map(|(name, _)| name);
    let open = names.filter_map(|name| Some((name, resource.open_value(name)?)));
    keys.extend(open.filter_map(|(name, value)| attribute(kind, name, value)));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The largest number of searches that are combined; the filter sorts out what they leave over.
const SEARCHES: usize = 16;

/// Where there are fewer places than this, nothing else narrows them: reading that many resources takes no longer than asking.
pub const FEW: usize = 500;

/// Where to look for what a filter wants.
#[derive(Debug, PartialEq)]
pub enum Places {
    /// Where one of these keys leads.
    Keys(Vec<i64>),
    /// Where the first of these leads, and all others as well.
    All(Vec<Places>),
    /// Where any of these leads.
    Any(Vec<Places>),
}

impl Places {
    /// The statement that gives them: the node and the position of each, once.
    pub fn sql(&self) -> String {
        match self {
            Places::Keys(_) => {
                format!("SELECT DISTINCT o.node, o.position FROM offers o WHERE {}", self.holds("o"))
            }
            Places::All(parts) => {
                let first = parts.first().map_or_else(|| Places::Keys(Vec::new()).sql(), Places::sql);
                let rest: String =
                    parts.iter().skip(1).map(|part| format!(" AND {}", part.exists())).collect();
                format!("SELECT p.node, p.position FROM ({first}) AS p WHERE 1 = 1{rest}")
            }
            Places::Any(parts) => {
                let part = |(at, part): (usize, &Places)| format!("SELECT * FROM ({}) AS p{at}", part.sql());
                parts.iter().enumerate().map(part).collect::<Vec<_>>().join(" UNION ")
            }
        }
    }

    /// The condition that a row of `offers` has one of these keys.
    fn holds(&self, table: &str) -> String {
        let Places::Keys(keys) = self else { return "1 = 0".to_owned() };
        match &keys[..] {
            [] => "1 = 0".to_owned(),
            [key] => format!("{table}.key = {key}"),
            keys => {
                let keys: Vec<String> = keys.iter().map(i64::to_string).collect();
                format!("{table}.key IN ({})", keys.join(", "))
            }
        }
    }

    /// The condition that a place `p` is one of these.
    fn exists(&self) -> String {
        let among = match self {
            Places::Keys(_) => format!("offers q WHERE {} AND", self.holds("q")),
            found => format!("({}) AS q WHERE", found.sql()),
        };
        format!("EXISTS (SELECT 1 FROM {among} q.node = p.node AND q.position = p.position)")
    }
}

/// The number of places that keys lead to, which need not be counted further than [`FEW`].
pub type Count<'c> = &'c mut dyn FnMut(&Places) -> Result<usize>;

/// Where to look for what a filter wants, if there is no need to look everywhere.
pub fn places(type_name: &str, filter: &Filter, count: Count<'_>) -> Result<Option<Places>> {
    let with = |key: i64| Some(Places::Keys(vec![key]));
    Ok(match filter {
        Filter::Title(text) => with(title(type_name, text)),
        Filter::Tagged(text) => with(tag(type_name, text)),
        Filter::Attribute(name, value) => attribute(type_name, name, value).and_then(with),
        Filter::Not(_) => None,
        Filter::All(all) => {
            // Nothing narrows a search like a title.
            if let Some(Filter::Title(text)) = all.iter().find(|each| matches!(each, Filter::Title(_))) {
                return Ok(with(title(type_name, text)));
            }
            let mut parts = Vec::new();
            for each in all.iter().take(SEARCHES) {
                let Some(part) = deep(|| places(type_name, each, count))? else { continue };
                let size = if matches!(part, Places::Keys(_)) { count(&part)? } else { FEW };
                if size < FEW {
                    return Ok(Some(part));
                }
                parts.push(part);
            }
            joined(parts, Places::All)
        }
        Filter::Any(any) => {
            let mut keys = Vec::new();
            let mut parts = Vec::new();
            for each in any {
                match deep(|| places(type_name, each, count))? {
                    None => return Ok(None),
                    Some(Places::Keys(more)) => keys.extend(more),
                    Some(found) => parts.push(found),
                }
            }
            if parts.is_empty() || !keys.is_empty() {
                parts.push(Places::Keys(keys));
            }
            if parts.len() > SEARCHES { None } else { joined(parts, Places::Any) }
        }
    })
}

fn joined(mut parts: Vec<Places>, how: impl FnOnce(Vec<Places>) -> Places) -> Option<Places> {
    if parts.len() < 2 { parts.pop() } else { Some(how(parts)) }
}
