//! Going through the entries: `each`, `each_key`, `any?`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{Native, iterator, methods, quick};
use crate::core::enumerator::as_many;
use crate::core::hash::own;
use crate::error::Result;
use crate::iterate::{Flow, pair};
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::value::Value;

pub(super) const METHODS: &[Native] = methods![
    iterator("each", 0, 0, each, as_many).alias("each_pair"),
    iterator("each_key", 0, 0, each_key, as_many),
    iterator("each_value", 0, 0, each_value, as_many),
    quick("any?", 0, 1, any),
    quick("count", 0, 1, count),
];

fn each(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let hash = own(ruby, this)?;
    ruby.walk_hash(hash, |ruby, key, value| {
        ruby.yield_pair(block, key, value)?;
        Ok(Flow::More)
    })?;
    Ok(this.clone())
}

fn each_key(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let hash = own(ruby, this)?;
    ruby.walk_hash(hash, |ruby, key, _| {
        ruby.yield_to(block, std::slice::from_ref(key))?;
        Ok(Flow::More)
    })?;
    Ok(this.clone())
}

fn each_value(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let hash = own(ruby, this)?;
    ruby.walk_hash(hash, |ruby, _, value| {
        ruby.yield_to(block, std::slice::from_ref(value))?;
        Ok(Flow::More)
    })?;
    Ok(this.clone())
}

fn any(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    if args.is_empty() && args.block.is_none() {
        return Ok((!hash.table().is_empty()).into());
    }
    let flow = ruby.walk_hash(hash, |ruby, key, value| {
        let yes = match (args.get(0), args.block) {
            (Some(pattern), _) => ruby.case_eq(pattern, &pair(key.clone(), value.clone()))?,
            (None, Some(block)) => ruby.yield_pair(block, key, value)?.is_true(),
            (None, None) => true,
        };
        Ok(if yes { Flow::Done } else { Flow::More })
    })?;
    Ok((flow == Flow::Done).into())
}

fn count(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.is_empty() && args.block.is_none() {
        return Ok(Value::Int(own(ruby, this)?.table().len() as i64));
    }
    crate::core::enumerable::call(ruby, this, "count", args)
}
