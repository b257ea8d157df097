//! Looking for elements: `find`, `include?`, `all?`, `count`, `first`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{Native, iterator, methods, quick};
use crate::core::enumerable::count;
use crate::core::enumerator::unknown;
use crate::error::Result;
use crate::iterate::{Flow, pack};
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

pub(super) const METHODS: &[Native] = methods![
    iterator("find", 0, 1, find, unknown).alias("detect"),
    quick("find_index", 0, 1, find_index),
    quick("first", 0, 1, first),
    quick("include?", 1, 1, include).alias("member?"),
    quick("all?", 0, 1, all),
    quick("any?", 0, 1, any),
    quick("none?", 0, 1, none),
    quick("one?", 0, 1, one),
    quick("count", 0, 1, count_them),
];

/// A warning if there is a block besides an argument that makes it useless.
pub(crate) fn unused_block(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<()> {
    if args.block.is_some() && !args.is_empty() {
        ruby.warn("given block not used")?;
    }
    Ok(())
}

/// The test of an element.
pub(crate) enum Test {
    /// Whether it belongs to a pattern.
    Pattern(Value),
    /// The answer of a block.
    Block(Rc<ProcObject>),
    /// Whether it is true.
    Itself,
}

impl Test {
    /// The test that the arguments of `all?` and its like ask for: a pattern goes before a block.
    pub(crate) fn of(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<Test> {
        unused_block(ruby, args)?;
        Ok(match (args.get(0), args.block) {
            (Some(pattern), _) => Test::Pattern(pattern.clone()),
            (None, Some(block)) => Test::Block(block.clone()),
            (None, None) => Test::Itself,
        })
    }

    pub(crate) fn passes(&self, ruby: &mut Ruby<'_>, values: &[Value]) -> Result<bool> {
        match self {
            Test::Pattern(pattern) => ruby.case_eq(pattern, &pack(values)),
            Test::Block(block) => Ok(ruby.yield_to(block, values)?.is_true()),
            Test::Itself => Ok(pack(values).is_true()),
        }
    }
}

fn find(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    let found = ruby.walk(this, None, move |ruby, found, values| {
        if ruby.yield_packed(&block, values)?.is_true() {
            *found = Some(pack(values));
            return Ok(Flow::Done);
        }
        Ok(Flow::More)
    })?;
    match (found, &args[0]) {
        (Some(found), _) => Ok(found),
        (None, Value::Nil) => Ok(Value::Nil),
        (None, otherwise) => ruby.send(otherwise, sym::CALL, &[]),
    }
}

fn find_index(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (wanted, block) = (args.get(0).cloned(), args.block.cloned());
    if wanted.is_none() && block.is_none() {
        return ruby.enumerator(this, args, unknown);
    }
    unused_block(ruby, args)?;
    let (index, found) = ruby.walk(this, (0, false), move |ruby, (index, found), values| {
        let is_it = match (&wanted, &block) {
            (Some(wanted), _) => ruby.eq(&pack(values), wanted)?,
            (None, Some(block)) => ruby.yield_to(block, values)?.is_true(),
            (None, None) => false,
        };
        if is_it {
            *found = true;
            return Ok(Flow::Done);
        }
        *index += 1;
        Ok(Flow::More)
    })?;
    Ok(if found { Value::Int(index) } else { Value::Nil })
}

fn first(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(most) = args.get(0) else {
        return ruby.walk(this, Value::Nil, |_, first, values| {
            *first = pack(values);
            Ok(Flow::Done)
        });
    };
    let most = count(ruby, most, "attempt to take negative size")?;
    Ok(Value::array(super::select::take_first(ruby, this, most)?))
}

fn include(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let wanted = args[0].clone();
    let found = ruby.walk(this, false, move |ruby, found, values| {
        *found = ruby.eq(&pack(values), &wanted)?;
        Ok(if *found { Flow::Done } else { Flow::More })
    })?;
    Ok(found.into())
}

/// How many elements pass, counted up to `enough`; whether all did.
fn passing(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, enough: u64) -> Result<u64> {
    let test = Test::of(ruby, args)?;
    ruby.walk(this, 0, move |ruby, count, values| {
        if test.passes(ruby, values)? {
            *count += 1;
        }
        Ok(if *count >= enough { Flow::Done } else { Flow::More })
    })
}

fn all(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let test = Test::of(ruby, args)?;
    let all = ruby.walk(this, true, move |ruby, all, values| {
        *all = test.passes(ruby, values)?;
        Ok(if *all { Flow::More } else { Flow::Done })
    })?;
    Ok(all.into())
}

fn any(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok((passing(ruby, this, args, 1)? > 0).into())
}

fn none(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok((passing(ruby, this, args, 1)? == 0).into())
}

fn one(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok((passing(ruby, this, args, 2)? == 1).into())
}

fn count_them(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (wanted, block) = (args.get(0).cloned(), args.block.cloned());
    unused_block(ruby, args)?;
    let count = ruby.walk(this, 0_i64, move |ruby, count, values| {
        let counts = match (&wanted, &block) {
            (Some(wanted), _) => ruby.eq(&pack(values), wanted)?,
            (None, Some(block)) => ruby.yield_to(block, values)?.is_true(),
            (None, None) => true,
        };
        *count += i64::from(counts);
        Ok(Flow::More)
    })?;
    Ok(Value::Int(count))
}
