//! Looking for elements: `index`, `include?`, `count`, `assoc`, `bsearch`, `any?`.

use crate::args::Args;
use crate::class::{Native, method, methods, quick};
use crate::core::array::own;
use crate::core::enumerable::{Test, unused_block};
use crate::core::enumerator::unknown;
use crate::error::Result;
use crate::iterate::Flow;
use crate::ruby::Ruby;
use crate::value::Value;

pub(super) const METHODS: &[Native] = methods![
    method("index", 0, 1, index).alias("find_index"),
    method("rindex", 0, 1, rindex),
    method("include?", 1, 1, include).alias("member?"),
    method("count", 0, 1, count),
    quick("all?", 0, 1, all),
    quick("any?", 0, 1, any),
    quick("none?", 0, 1, |ruby, this, args| Ok((passing(ruby, this, args, 1)? == 0).into())),
    quick("one?", 0, 1, |ruby, this, args| Ok((passing(ruby, this, args, 2)? == 1).into())),
    method("assoc", 1, 1, |ruby, this, args| pair_with(ruby, this, &args[0], 0)),
    method("rassoc", 1, 1, |ruby, this, args| pair_with(ruby, this, &args[0], 1)),
    quick("bsearch", 0, 0, bsearch),
    quick("bsearch_index", 0, 0, bsearch_index),
];

fn index(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.is_empty() && args.block.is_none() {
        return ruby.enumerator(this, args, unknown);
    }
    unused_block(ruby, args)?;
    let array = own(ruby, this)?;
    let mut index = 0;
    let flow = ruby.walk_array(array, |ruby, value| {
        if is_wanted(ruby, args, value)? {
            return Ok(Flow::Done);
        }
        index += 1;
        Ok(Flow::More)
    })?;
    Ok(if flow == Flow::Done { Value::Int(index) } else { Value::Nil })
}

/// Whether an element equals the argument or, without one, is what the block says yes to.
fn is_wanted(ruby: &mut Ruby<'_>, args: &Args<'_>, value: &Value) -> Result<bool> {
    match (args.get(0), args.block) {
        (Some(wanted), _) => ruby.eq(value, wanted),
        (None, Some(block)) => Ok(ruby.yield_to(block, std::slice::from_ref(value))?.is_true()),
        (None, None) => Ok(true),
    }
}

fn rindex(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.is_empty() && args.block.is_none() {
        return ruby.enumerator(this, args, unknown);
    }
    unused_block(ruby, args)?;
    let array = own(ruby, this)?;
    let mut index = array.len();
    while index > 0 {
        index = (index - 1).min(array.len().saturating_sub(1));
        let Some(value) = array.get(index) else { break };
        if is_wanted(ruby, args, &value)? {
            return Ok(Value::Int(index as i64));
        }
    }
    Ok(Value::Nil)
}

fn include(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let flow = ruby.walk_array(array, |ruby, value| {
        Ok(if ruby.eq(value, &args[0])? { Flow::Done } else { Flow::More })
    })?;
    Ok((flow == Flow::Done).into())
}

fn count(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    if args.is_empty() && args.block.is_none() {
        return Ok(Value::Int(array.len() as i64));
    }
    unused_block(ruby, args)?;
    let mut count = 0;
    ruby.walk_array(array, |ruby, value| {
        count += i64::from(is_wanted(ruby, args, value)?);
        Ok(Flow::More)
    })?;
    Ok(Value::Int(count))
}

/// How many elements pass, counted up to `enough`.
fn passing(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, enough: u64) -> Result<u64> {
    let array = own(ruby, this)?;
    let test = Test::of(ruby, args)?;
    let mut count = 0;
    ruby.walk_array(array, |ruby, value| {
        count += u64::from(test.passes(ruby, std::slice::from_ref(value))?);
        Ok(if count >= enough { Flow::Done } else { Flow::More })
    })?;
    Ok(count)
}

fn any(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok((passing(ruby, this, args, 1)? > 0).into())
}

fn all(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let test = Test::of(ruby, args)?;
    let flow = ruby.walk_array(array, |ruby, value| {
        Ok(if test.passes(ruby, std::slice::from_ref(value))? { Flow::More } else { Flow::Done })
    })?;
    Ok((flow == Flow::More).into())
}

/// The first array among the elements whose element at a place equals a value.
fn pair_with(ruby: &mut Ruby<'_>, this: &Value, wanted: &Value, place: usize) -> Result {
    let array = own(ruby, this)?;
    let mut found = Value::Nil;
    ruby.walk_array(array, |ruby, value| {
        let pair = if place == 0 {
            ruby.maybe_array(value)?
        } else if let Value::Array(pair) = value {
            Some(pair.clone())
        } else {
            None
        };
        if let Some(pair) = pair
            && let Some(element) = pair.get(place)
            && ruby.eq(&element, wanted)?
        {
            found = Value::Array(pair);
            return Ok(Flow::Done);
        }
        Ok(Flow::More)
    })?;
    Ok(found)
}

/// The answer of the block of `bsearch` for an element.
pub(crate) enum SearchAnswer {
    /// The wanted one lies here or before.
    HereOrBefore,
    /// This is it.
    Here,
    /// It lies before.
    Before,
    /// It lies after.
    After,
}

impl SearchAnswer {
    /// The meaning of an answer.
    pub(crate) fn of(ruby: &mut Ruby<'_>, answer: &Value) -> Result<SearchAnswer> {
        match answer {
            Value::Bool(true) => Ok(SearchAnswer::HereOrBefore),
            Value::Nil | Value::Bool(false) => Ok(SearchAnswer::After),
            Value::Int(0) => Ok(SearchAnswer::Here),
            number if ruby.is_a(number, crate::class::ClassId::NUMERIC) => {
                let zero = Value::Int(0);
                match ruby.must_compare(number, &zero)? {
                    std::cmp::Ordering::Equal => Ok(SearchAnswer::Here),
                    std::cmp::Ordering::Less => Ok(SearchAnswer::Before),
                    std::cmp::Ordering::Greater => Ok(SearchAnswer::After),
                }
            }
            other => {
                let class = ruby.class_name_of(other);
                Err(ruby
                    .type_error(format!("wrong argument type {class} (must be numeric, true, false or nil)")))
            }
        }
    }
}

/// The place that a block leads to, between `low` and `high` (left out).
fn bisect(
    ruby: &mut Ruby<'_>,
    mut low: i128,
    mut high: i128,
    mut ask: impl FnMut(&mut Ruby<'_>, i128) -> Result,
) -> Result<Option<i128>> {
    let mut found = None;
    while low < high {
        let middle = low + (high - low) / 2;
        let answer = ask(ruby, middle)?;
        match SearchAnswer::of(ruby, &answer)? {
            SearchAnswer::Here => return Ok(Some(middle)),
            SearchAnswer::HereOrBefore => {
                found = Some(middle);
                high = middle;
            }
            SearchAnswer::Before => high = middle,
            SearchAnswer::After => low = middle + 1,
        }
    }
    Ok(found)
}

fn bisected(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result<Option<usize>> {
    let array = own(ruby, this)?;
    let Some(block) = args.block else { return Ok(None) };
    let found = bisect(ruby, 0, array.len() as i128, |ruby, at| {
        let value = array.get(at as usize).unwrap_or_default();
        ruby.yield_to(block, &[value])
    })?;
    Ok(found.map(|at| at as usize))
}

fn bsearch(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.block.is_none() {
        return ruby.enumerator(this, args, unknown);
    }
    let found = bisected(ruby, this, args)?;
    let array = own(ruby, this)?;
    Ok(found.and_then(|at| array.get(at)).unwrap_or_default())
}

fn bsearch_index(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.block.is_none() {
        return ruby.enumerator(this, args, unknown);
    }
    Ok(bisected(ruby, this, args)?.map_or(Value::Nil, |at| Value::Int(at as i64)))
}
