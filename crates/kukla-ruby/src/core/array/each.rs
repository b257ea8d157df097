//! Going through the elements: `each`, `map`, `cycle`, `zip`, `sum`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, Native, iterator, method, methods};
use crate::core::array::{own, own_mut};
use crate::core::enumerable::{self, Total, cycle_size};
use crate::core::enumerator::as_many;
use crate::error::Result;
use crate::iterate::Flow;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::value::Value;

pub(super) const METHODS: &[Native] = methods![
    iterator("each", 0, 0, each, as_many),
    iterator("each_index", 0, 0, each_index, as_many),
    iterator("reverse_each", 0, 0, reverse_each, as_many),
    iterator("map", 0, 0, map, as_many).alias("collect"),
    iterator("map!", 0, 0, map_in_place, as_many).alias("collect!"),
    iterator("cycle", 0, 1, cycle, cycle_size),
    method("zip", 0, ANY, zip),
    method("sum", 0, 1, sum),
];

fn each(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let array = own(ruby, this)?;
    ruby.walk_array(array, |ruby, value| {
        ruby.yield_to(block, std::slice::from_ref(value))?;
        Ok(Flow::More)
    })?;
    Ok(this.clone())
}

fn each_index(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let array = own(ruby, this)?;
    let mut index = 0;
    while index < array.len() {
        ruby.yield_to(block, &[Value::Int(index as i64)])?;
        index += 1;
    }
    Ok(this.clone())
}

fn reverse_each(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let array = own(ruby, this)?;
    let mut index = array.len();
    while index > 0 {
        index -= 1;
        // It may have become shorter meanwhile.
        index = index.min(array.len().saturating_sub(1));
        let Some(value) = array.get(index) else { break };
        ruby.yield_to(block, &[value])?;
    }
    Ok(this.clone())
}

fn map(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let array = own(ruby, this)?;
    let mut mapped = Vec::with_capacity(array.len());
    ruby.walk_array(array, |ruby, value| {
        mapped.push(ruby.yield_to(block, std::slice::from_ref(value))?);
        Ok(Flow::More)
    })?;
    Ok(Value::array(mapped))
}

fn map_in_place(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let array = own_mut(ruby, this)?;
    let mut index = 0;
    while let Some(value) = array.get(index) {
        let value = ruby.yield_to(block, &[value])?;
        ruby.check_frozen(this)?;
        array.items_mut().set(index, value);
        index += 1;
    }
    Ok(this.clone())
}

fn cycle(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let array = own(ruby, this)?;
    let times = match &args[0] {
        Value::Nil => None,
        times => Some(ruby.to_int(times)?),
    };
    let mut round = 0;
    while !array.is_empty() && times.is_none_or(|times| round < times) {
        ruby.charge(1)?;
        ruby.walk_array(array, |ruby, value| {
            ruby.yield_to(block, std::slice::from_ref(value))?;
            Ok(Flow::More)
        })?;
        round += 1;
    }
    Ok(Value::Nil)
}

fn zip(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let sides = enumerable::zip_rows(ruby, args.list)?;
    let array = own(ruby, this)?;
    let mut rows = Vec::new();
    let mut index = 0;
    while let Some(value) = array.get(index) {
        ruby.charge(sides.len() as u64)?;
        let mut row = vec![value];
        for side in &sides {
            row.push(side.at(ruby, index)?);
        }
        let row = Value::array(row);
        match args.block {
            Some(block) => drop(ruby.yield_to(block, &[row])?),
            None => rows.push(row),
        }
        index += 1;
    }
    Ok(if args.block.is_some() { Value::Nil } else { Value::array(rows) })
}

fn sum(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let mut total = Total::of_array(args.get(0).cloned().unwrap_or(Value::Int(0)));
    ruby.walk_array(array, |ruby, value| {
        match args.block {
            Some(block) => {
                let value = ruby.yield_to(block, std::slice::from_ref(value))?;
                total.add(ruby, &value)?;
            }
            None => total.add(ruby, value)?,
        }
        Ok(Flow::More)
    })?;
    total.finish(ruby)
}
