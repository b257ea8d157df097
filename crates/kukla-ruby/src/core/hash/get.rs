//! Values by their keys: `[]`, `fetch`, `dig`, `key?`, `keys`, `values`.

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, method, methods, quick};
use crate::core::array::index::dig_on;
use crate::core::exception::Details;
use crate::core::hash::{entries, own};
use crate::error::{Result, Unwind};
use crate::iterate::{Flow, pair};
use crate::method::MethodBody;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{HashObject, Value};

pub(super) const METHODS: &[Native] = methods![
    quick("[]", 1, 1, get),
    quick("default", 0, 1, default),
    quick("fetch", 1, 2, fetch),
    quick("dig", 1, ANY, dig),
    quick("key?", 1, 1, has_key).alias("has_key?").alias("include?").alias("member?"),
    method("value?", 1, 1, has_value).alias("has_value?"),
    method("key", 1, 1, key),
    method("keys", 0, 0, keys),
    method("values", 0, 0, values),
    method("values_at", 0, ANY, values_at),
    method("fetch_values", 0, ANY, fetch_values),
    quick("assoc", 1, 1, assoc),
    method("rassoc", 1, 1, rassoc),
];

impl Ruby<'_> {
    /// `hash[key]`, defaults included.
    pub fn hash_index(&mut self, this: &Value, hash: &HashObject, key: &Value) -> Result {
        if let Some(value) = self.hash_get(hash, key)? {
            return Ok(value);
        }
        let class = hash.head.class();
        if class != ClassId::HASH
            && let Some(method) = self.find_method(class, sym::DEFAULT)
            && !matches!(method.body, MethodBody::Native(_))
        {
            return self.send(this, sym::DEFAULT, std::slice::from_ref(key));
        }
        let default_proc = match &hash.table().default_proc {
            Value::Proc(proc) => proc.clone(),
            _ => return Ok(hash.table().default.clone()),
        };
        self.yield_to(&default_proc, &[this.clone(), key.clone()])
    }

    /// `KeyError` with its receiver and key.
    #[cold]
    pub fn key_error(&mut self, message: String, receiver: &Value, key: &Value) -> Box<Unwind> {
        let unwind = self.error(ClassId::KEY_ERROR, message);
        if let Unwind::Raise(Value::Object(exception)) = &*unwind
            && let Some(mut details) = exception.payload_mut::<Details>()
        {
            details.receiver = Some(receiver.clone());
            details.name = key.clone();
        }
        unwind
    }
}

fn get(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    ruby.hash_index(this, hash, &args[0])
}

fn default(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let default_proc = match &hash.table().default_proc {
        Value::Proc(proc) => proc.clone(),
        _ => return Ok(hash.table().default.clone()),
    };
    match args.get(0) {
        Some(key) => ruby.yield_to(&default_proc, &[this.clone(), key.clone()]),
        None => Ok(Value::Nil),
    }
}

fn fetch(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let key = &args[0];
    if let Some(value) = ruby.hash_get(hash, key)? {
        return Ok(value);
    }
    if args.block.is_some() && args.len() > 1 {
        ruby.warn("block supersedes default value argument")?;
    }
    match (args.block, args.get(1)) {
        (Some(block), _) => ruby.yield_to(block, std::slice::from_ref(key)),
        (None, Some(otherwise)) => Ok(otherwise.clone()),
        (None, None) => {
            let shown = ruby.inspect(key)?;
            let message = format!("key not found: {}", shown.to_str_lossy());
            Err(ruby.key_error(message, this, key))
        }
    }
}

fn dig(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let found = ruby.send(this, sym::INDEX, &[args[0].clone()])?;
    dig_on(ruby, found, args.list.get(1..).unwrap_or_default())
}

fn has_key(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    Ok(ruby.hash_find(hash, &args[0])?.is_some().into())
}

fn has_value(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let flow = ruby.walk_hash(hash, |ruby, _, value| {
        Ok(if ruby.eq(value, &args[0])? { Flow::Done } else { Flow::More })
    })?;
    Ok((flow == Flow::Done).into())
}

fn key(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let mut found = Value::Nil;
    ruby.walk_hash(hash, |ruby, key, value| {
        if ruby.eq(value, &args[0])? {
            found = key.clone();
            return Ok(Flow::Done);
        }
        Ok(Flow::More)
    })?;
    Ok(found)
}

fn keys(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let keys: Vec<Value> = own(ruby, this)?.table().iter().map(|entry| entry.key.clone()).collect();
    Ok(Value::array(keys))
}

fn values(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let values: Vec<Value> = own(ruby, this)?.table().iter().map(|entry| entry.value.clone()).collect();
    Ok(Value::array(values))
}

fn values_at(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let mut values = Vec::new();
    for key in args.list {
        values.push(ruby.hash_index(this, hash, key)?);
    }
    Ok(Value::array(values))
}

fn fetch_values(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut values = Vec::new();
    for key in args.list {
        let one = std::slice::from_ref(key);
        values.push(fetch(ruby, this, &Args { list: one, has_keywords: false, block: args.block })?);
    }
    Ok(Value::array(values))
}

fn assoc(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    for (key, value) in entries(hash) {
        if ruby.eq(&key, &args[0])? {
            return Ok(pair(key, value));
        }
    }
    Ok(Value::Nil)
}

fn rassoc(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    for (key, value) in entries(hash) {
        if ruby.eq(&value, &args[0])? {
            return Ok(pair(key, value));
        }
    }
    Ok(Value::Nil)
}
