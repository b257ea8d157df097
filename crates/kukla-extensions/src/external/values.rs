//! Values on their way to another Ruby and back, as JSON. What JSON has no word for has a type beside it (`__ptype`); objects stay here
//! and travel as numbers.

use std::rc::Rc;

use kukla_ruby::class::ClassId;
use kukla_ruby::text::Text;
use kukla_ruby::value::HashObject;
use kukla_ruby::{Result, Ruby, Value};
use kukla_syntax::deep;
use kukla_values::binary::Binary;
use serde_json::{Map, Value as Json, json};

use crate::objects::HeldObjects;
use crate::puppet::WithPuppet;
use crate::scope;

/// The key that says what something is.
const TYPE: &str = "__ptype";
/// The key of what it holds.
const HELD: &str = "__pvalue";

/// A value for the other Ruby.
pub fn to_json(ruby: &mut Ruby<'_>, value: &Value) -> Result<Json> {
    Ok(match value {
        Value::Nil => Json::Null,
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number),
        Value::Float(number) if number.is_finite() => json!(number),
        Value::Float(number) => {
            let word = if number.is_nan() {
                "NaN"
            } else if *number > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            };
            json!({ TYPE: "Float", HELD: word })
        }
        Value::String(text) => text_to_json(&text.text()),
        Value::Symbol(symbol) => json!({ TYPE: "Symbol", HELD: ruby.name(*symbol) }),
        Value::Array(values) => {
            let values = values.to_vec();
            let values = values.iter().map(|value| deep(|| to_json(ruby, value)));
            Json::Array(values.collect::<Result<Vec<_>>>()?)
        }
        Value::Hash(hash) => hash_to_json(ruby, hash)?,
        Value::Regexp(_) => {
            let (source, options) = (ruby.symbols.intern("source"), ruby.symbols.intern("options"));
            let (source, options) = (ruby.send(value, source, &[])?, ruby.send(value, options, &[])?);
            let (source, options) = (to_json(ruby, &source)?, to_json(ruby, &options)?);
            json!({ TYPE: "Regexp", HELD: source, "options": options })
        }
        Value::Big(_) => json!({ TYPE: "Integer", HELD: ruby.display(value)?.to_str_lossy() }),
        Value::Class(class) => json!({ TYPE: "Class", HELD: ruby.class_name(*class) }),
        Value::Range(_) | Value::Proc(_) | Value::Object(_) => {
            let (text, class) = (ruby.display(value)?.to_str_lossy().into_owned(), ruby.class_name_of(value));
            let number = ruby.part::<HeldObjects>().hold(value.clone());
            json!({ TYPE: "Object", "class": class, "number": number, "text": text })
        }
    })
}

fn text_to_json(text: &Text) -> Json {
    match text.as_str() {
        Some(text) => json!(text),
        None => json!({ TYPE: "Bytes", HELD: Binary::new(text.as_bytes()).to_base64() }),
    }
}

fn hash_to_json(ruby: &mut Ruby<'_>, hash: &Rc<HashObject>) -> Result<Json> {
    let entries: Vec<(Value, Value)> =
        hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
    let name = |key: &Value| match key {
        Value::String(key) => key.text().as_str().filter(|key| *key != TYPE).map(str::to_owned),
        _ => None,
    };
    let mut named = Map::new();
    for (key, value) in &entries {
        let Some(name) = name(key) else { return pairs_to_json(ruby, &entries) };
        named.insert(name, deep(|| to_json(ruby, value))?);
    }
    Ok(Json::Object(named))
}

fn pairs_to_json(ruby: &mut Ruby<'_>, entries: &[(Value, Value)]) -> Result<Json> {
    let mut pairs = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        pairs.push(json!([deep(|| to_json(ruby, key))?, deep(|| to_json(ruby, value))?]));
    }
    Ok(json!({ TYPE: "Hash", HELD: pairs }))
}

/// A value of the other Ruby.
pub fn from_json(ruby: &mut Ruby<'_>, value: &Json) -> Result {
    Ok(match value {
        Json::Null => Value::Nil,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::Int(number),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(values) => {
            let values = values.iter().map(|value| deep(|| from_json(ruby, value)));
            Value::array(values.collect::<Result<Vec<_>>>()?)
        }
        Json::Object(entries) => match entries.get(TYPE).and_then(Json::as_str) {
            Some(word) => typed(ruby, word, entries)?,
            None => {
                let mut pairs = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    pairs.push((Value::str(key.as_str()), deep(|| from_json(ruby, value))?));
                }
                ruby.make_hash(pairs)?
            }
        },
    })
}

fn typed(ruby: &mut Ruby<'_>, word: &str, entries: &Map<String, Json>) -> Result {
    let held = entries.get(HELD).unwrap_or(&Json::Null);
    let text = held.as_str().unwrap_or_default();
    Ok(match word {
        "Hash" => {
            let mut pairs = Vec::new();
            for pair in held.as_array().into_iter().flatten() {
                pairs.push((deep(|| from_json(ruby, &pair[0]))?, deep(|| from_json(ruby, &pair[1]))?));
            }
            ruby.make_hash(pairs)?
        }
        "Symbol" => ruby.symbol(text),
        "Float" => Value::Float(match text {
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => f64::NAN,
        }),
        "Integer" => {
            let to_i = ruby.symbols.intern("to_i");
            ruby.send(&Value::str(text), to_i, &[])?
        }
        "Bytes" => Value::str(Text::binary(Binary::from_relaxed(text).0.to_vec())),
        "Regexp" => {
            let new = ruby.symbols.intern("new");
            let options = Value::Int(entries.get("options").and_then(Json::as_i64).unwrap_or(0));
            ruby.send(&Value::Class(ClassId::REGEXP), new, &[Value::str(text), options])?
        }
        "Class" => Value::Class(ruby.class_named(text)?),
        "Scope" => {
            let here = ruby.with_puppet(move |puppet| puppet.here())?;
            scope::object(ruby, here.0)?
        }
        _ => {
            let number = entries.get("number").and_then(Json::as_u64).unwrap_or(u64::MAX);
            ruby.part::<HeldObjects>().get(usize::try_from(number).unwrap_or(usize::MAX))
        }
    })
}
