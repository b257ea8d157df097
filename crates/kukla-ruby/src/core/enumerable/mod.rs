//! `Enumerable`: everything that can be done with `each`.

mod fold;
mod group;
mod map;
pub(crate) mod order;
mod search;
mod select;

use crate::args::Args;
use crate::class::{ClassId, NativeClass};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

pub(crate) use fold::Total;
pub(crate) use group::cycle_size;
pub(crate) use map::{to_hash_entry, zip_rows};
pub(crate) use search::{Test, unused_block};

/// The module `Enumerable`.
pub const ENUMERABLE: NativeClass = NativeClass {
    methods: &[fold::METHODS, group::METHODS, map::METHODS, order::METHODS, search::METHODS, select::METHODS],
    ..NativeClass::module("Enumerable")
};

/// Calls the method of `Enumerable` itself, whatever the receiver's class made of it.
pub(crate) fn call(ruby: &mut Ruby<'_>, this: &Value, name: &str, args: &Args<'_>) -> Result {
    let name = ruby.symbols.intern(name);
    match ruby.own_method(ClassId::ENUMERABLE, name) {
        Some(method) => ruby.call_method(this, &method, name, args),
        None => ruby.call(this, name, args),
    }
}

/// A count that must not be negative; the complaint otherwise.
pub(crate) fn count(ruby: &mut Ruby<'_>, value: &Value, complaint: &str) -> Result<usize> {
    let count = ruby.to_int(value)?;
    match usize::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => Err(ruby.argument_error(complaint)),
    }
}
