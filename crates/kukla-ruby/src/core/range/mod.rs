//! Ranges.

mod bounds;
mod each;
mod search;

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ClassId, Native, NativeClass, method, private, quick};
use crate::error::Result;
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{Head, RangeObject, Value};

/// The class `Range`.
pub const RANGE: NativeClass = NativeClass {
    includes: &["Enumerable"],
    methods: &[METHODS, bounds::METHODS, each::METHODS, search::METHODS],
    singleton: &[&[method("new", 2, 3, new), method("allocate", 0, 0, allocate)]],
    ..NativeClass::class("Range", "Object")
};

const METHODS: &[Native] = &[
    private("initialize", 2, 3, initialize),
    quick("begin", 0, 0, |ruby, this, _| Ok(own(ruby, this)?.begin.clone())),
    quick("end", 0, 0, |ruby, this, _| Ok(own(ruby, this)?.end.clone())),
    quick("exclude_end?", 0, 0, |ruby, this, _| Ok(own(ruby, this)?.exclusive.into())),
    quick("dup", 0, 0, dup),
    quick("==", 1, 1, equal),
    quick("eql?", 1, 1, eql),
    method("hash", 0, 0, hash),
    method("to_s", 0, 0, to_s),
    method("inspect", 0, 0, inspect),
];

/// The receiver as the range it is.
#[inline]
pub(crate) fn own<'v>(ruby: &mut Ruby<'_>, this: &'v Value) -> Result<&'v Rc<RangeObject>> {
    match this {
        Value::Range(range) => Ok(range),
        other => Err(ruby.no_conversion(other, "Range")),
    }
}

impl Ruby<'_> {
    /// The range between two values, which must be comparable: `a..b`, `a...b`.
    pub fn range(&mut self, begin: Value, end: Value, exclusive: bool) -> Result {
        self.range_of_class(ClassId::RANGE, begin, end, exclusive)
    }

    fn range_of_class(&mut self, class: ClassId, begin: Value, end: Value, exclusive: bool) -> Result {
        let plain =
            matches!((&begin, &end), (Value::Int(_), Value::Int(_)) | (Value::Nil, _) | (_, Value::Nil));
        if !plain {
            let comparable = !self.send(&begin, sym::CMP, std::slice::from_ref(&end))?.is_nil();
            if !comparable {
                return Err(self.argument_error("bad value for range"));
            }
        }
        let range = RangeObject { head: Head::new(class), begin, end, exclusive };
        if class == ClassId::RANGE {
            range.head.freeze();
        }
        Ok(Value::Range(Rc::new(range)))
    }
}

fn new(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let class = if let Value::Class(class) = this { *class } else { ClassId::RANGE };
    ruby.range_of_class(class, args[0].clone(), args[1].clone(), args[2].is_true())
}

fn allocate(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    new(ruby, this, &Args::default())
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    ruby.check_frozen(this)?;
    let message = "`initialize' called twice".to_owned();
    Err(ruby.error(ClassId::NAME_ERROR, message))
}

fn dup(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    let class = ruby.real_class_of(this);
    let (begin, end, exclusive) = (range.begin.clone(), range.end.clone(), range.exclusive);
    Ok(Value::Range(Rc::new(RangeObject { head: Head::new(class), begin, end, exclusive })))
}

fn equal(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    same(ruby, this, &args[0], Walk::Equal)
}

fn eql(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    same(ruby, this, &args[0], Walk::Eql)
}

fn same(ruby: &mut Ruby<'_>, this: &Value, other: &Value, walk: Walk) -> Result {
    let range = own(ruby, this)?;
    let Value::Range(theirs) = other else { return Ok(false.into()) };
    if Rc::ptr_eq(range, theirs) {
        return Ok(true.into());
    }
    if range.exclusive != theirs.exclusive {
        return Ok(false.into());
    }
    let same = ruby.guarded(walk, this, other, |ruby| match walk {
        Walk::Eql => Ok(ruby.eql(&range.begin, &theirs.begin)? && ruby.eql(&range.end, &theirs.end)?),
        _ => Ok(ruby.eq(&range.begin, &theirs.begin)? && ruby.eq(&range.end, &theirs.end)?),
    })?;
    Ok(same.unwrap_or(true).into())
}

fn hash(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    let key = vec![range.exclusive.into(), range.begin.clone(), range.end.clone()];
    ruby.send(&Value::array(key), sym::HASH, &[])
}

fn joined(range: &RangeObject, begin: &Text, end: &Text) -> Value {
    let mut text = begin.clone();
    text.make_mut().extend_from_slice(if range.exclusive { b"..." } else { b".." });
    text.make_mut().extend_from_slice(end.as_bytes());
    if text.encoding() != end.encoding() {
        text.set_encoding(end.encoding());
    }
    Value::str(text)
}

fn to_s(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    let (begin, end) = (ruby.display(&range.begin)?, ruby.display(&range.end)?);
    Ok(joined(range, &begin, &end))
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    let shown = ruby.guarded(Walk::Inspect, this, &Value::Nil, |ruby| {
        let begin = match &range.begin {
            Value::Nil if !range.end.is_nil() => "".into(),
            begin => ruby.inspect(begin)?,
        };
        let end = match &range.end {
            Value::Nil if !range.begin.is_nil() => "".into(),
            end => ruby.inspect(end)?,
        };
        Ok(joined(range, &begin, &end))
    })?;
    Ok(shown.unwrap_or_else(|| "(... .. ...)".into()))
}
