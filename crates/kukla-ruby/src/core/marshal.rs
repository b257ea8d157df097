//! `Marshal`, which is written in Ruby and read when it is first asked for something.

use crate::args::Args;
use crate::class::{Native, NativeClass, method};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// The module `Marshal`.
pub const MARSHAL: NativeClass = NativeClass { singleton: &[METHODS], ..NativeClass::module("Marshal") };

const METHODS: &[Native] = &[
    method("dump", 1, 3, |ruby, this, args| first_call(ruby, this, "dump", args)),
    method("load", 1, 3, |ruby, this, args| first_call(ruby, this, "load", args)),
    method("restore", 1, 3, |ruby, this, args| first_call(ruby, this, "restore", args)),
];

/// Reads the library, which puts its own methods in the place of these, and calls again.
fn first_call(ruby: &mut Ruby<'_>, this: &Value, name: &str, args: &Args<'_>) -> Result {
    let require = ruby.symbols.intern("require");
    ruby.send(&Value::Nil, require, &[Value::str("marshal")])?;
    let name = ruby.symbols.intern(name);
    ruby.call(this, name, args)
}
