//! Arrays.

mod change;
mod combine;
pub(in crate::core) mod compare;
mod each;
pub(crate) mod index;
mod order;
mod search;
mod select;

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, private, quick};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::{ArrayObject, Value};

pub(crate) use search::SearchAnswer;

/// The class `Array`.
pub const ARRAY: NativeClass = NativeClass {
    includes: &["Enumerable"],
    methods: &[
        METHODS,
        change::METHODS,
        combine::METHODS,
        compare::METHODS,
        each::METHODS,
        index::METHODS,
        order::METHODS,
        search::METHODS,
        select::METHODS,
        crate::core::pack::ARRAY_METHODS,
    ],
    singleton: &[SINGLETON],
    ..NativeClass::class("Array", "Object")
};

const SINGLETON: &[Native] = &[
    method("allocate", 0, 0, allocate),
    method("[]", 0, ANY, of_elements),
    method("try_convert", 1, 1, try_convert),
];

const METHODS: &[Native] = methods![
    private("initialize", 0, 2, initialize),
    private("initialize_copy", 1, 1, change::replace),
    quick("to_a", 0, 0, to_a),
    quick("entries", 0, 0, |ruby, this, _| Ok(Value::array(own(ruby, this)?.to_vec()))),
    quick("to_ary", 0, 0, |_, this, _| Ok(this.clone())),
    quick("deconstruct", 0, 0, |_, this, _| Ok(this.clone())),
    method("to_h", 0, 0, to_h),
    quick("length", 0, 0, length).alias("size"),
    quick("empty?", 0, 0, |ruby, this, _| Ok(own(ruby, this)?.is_empty().into())),
    quick("frozen?", 0, 0, |ruby, this, _| Ok(own(ruby, this)?.head.is_frozen().into())),
];

/// More elements than this no array can have.
pub(crate) const MOST: usize = 1 << 59;

/// The receiver as the array it is.
#[inline]
pub(crate) fn own<'v>(ruby: &mut Ruby<'_>, this: &'v Value) -> Result<&'v Rc<ArrayObject>> {
    match this {
        Value::Array(array) => Ok(array),
        other => Err(ruby.no_conversion(other, "Array")),
    }
}

/// The receiver as the array it is, to be changed.
#[inline]
pub(crate) fn own_mut<'v>(ruby: &mut Ruby<'_>, this: &'v Value) -> Result<&'v Rc<ArrayObject>> {
    let array = own(ruby, this)?;
    if array.head.is_frozen() {
        ruby.check_frozen(this)?;
    }
    Ok(array)
}

fn allocate(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = if let Value::Class(class) = this { *class } else { ClassId::ARRAY };
    Ok(Value::Array(ArrayObject::new(class, Vec::new())))
}

fn of_elements(_: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let class = if let Value::Class(class) = this { *class } else { ClassId::ARRAY };
    Ok(Value::Array(ArrayObject::new(class, args.list)))
}

fn try_convert(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    Ok(ruby.maybe_array(&args[0])?.map_or(Value::Nil, Value::Array))
}

/// A length that an array can have.
pub(crate) fn new_length(ruby: &mut Ruby<'_>, value: &Value) -> Result<usize> {
    match usize::try_from(ruby.to_int(value)?) {
        Ok(length) if length > MOST => Err(ruby.argument_error("array size too big")),
        Ok(length) => {
            ruby.charge(length as u64)?;
            ruby.make_room_for(length)?;
            Ok(length)
        }
        Err(_) => Err(ruby.argument_error("negative array size")),
    }
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    if args.is_empty() {
        if args.block.is_some() {
            ruby.warn("given block not used")?;
        }
        array.items_mut().clear();
        return Ok(this.clone());
    }
    if args.len() == 1
        && !matches!(args[0], Value::Int(_))
        && let Some(other) = ruby.maybe_array(&args[0])?
    {
        let items = other.to_vec();
        *array.items_mut() = items.into();
        return Ok(this.clone());
    }
    let length = new_length(ruby, &args[0])?;
    if args.block.is_some() && args.len() > 1 {
        ruby.warn("block supersedes default value argument")?;
    }
    match args.block {
        None => *array.items_mut() = vec![args[1].clone(); length].into(),
        Some(block) => {
            array.items_mut().clear();
            for index in 0..length {
                let value = ruby.yield_to(block, &[Value::Int(index as i64)])?;
                array.items_mut().set(index, value);
            }
        }
    }
    Ok(this.clone())
}

fn to_a(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    if ruby.real_class_of(this) == ClassId::ARRAY {
        return Ok(this.clone());
    }
    Ok(Value::array(own(ruby, this)?.to_vec()))
}

fn to_h(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let hash = crate::value::HashObject::new(ClassId::HASH, crate::hash::Table::new());
    let mut index = 0;
    while let Some(value) = array.get(index) {
        let element = match args.block {
            Some(block) => ruby.yield_to(block, &[value])?,
            None => value,
        };
        crate::core::enumerable::to_hash_entry(ruby, &hash, &element, &format!(" at {index}"))?;
        index += 1;
    }
    Ok(Value::Hash(hash))
}

fn length(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(own(ruby, this)?.len() as i64))
}

/// The array or `nil`, as methods ending in `!` tell whether they changed something.
pub(crate) fn if_changed(this: &Value, changed: bool) -> Value {
    if changed { this.clone() } else { Value::Nil }
}
