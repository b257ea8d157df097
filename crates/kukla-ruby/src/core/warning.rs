//! `Warning`: which warnings are wanted, and where they go.

use crate::args::Args;
use crate::class::{Native, NativeClass, method};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// The module `Warning`.
pub const WARNING: NativeClass = NativeClass {
    methods: &[&[method("warn", 1, 2, warn)]],
    singleton: &[SINGLETON],
    ..NativeClass::module("Warning")
};

const SINGLETON: &[Native] = &[
    method("warn", 1, 2, warn),
    method("[]", 1, 1, |ruby, this, args| {
        let name = category(ruby, &args[0])?;
        Ok(Value::Bool(ruby.instance_variable(this, name).is_true()))
    }),
    method("[]=", 2, 2, |ruby, this, args| {
        let name = category(ruby, &args[0])?;
        ruby.set_instance_variable(this, name, args[1].clone())?;
        Ok(args[1].clone())
    }),
    method("categories", 0, 0, |ruby, _, _| {
        Ok(Value::array(CATEGORIES.iter().map(|name| ruby.symbol(name)).collect::<Vec<_>>()))
    }),
];

const CATEGORIES: &[&str] = &["deprecated", "experimental", "performance"];

fn category(ruby: &mut Ruby<'_>, value: &Value) -> Result<crate::Symbol> {
    let Value::Symbol(symbol) = value else {
        let class = ruby.class_name_of(value);
        return Err(ruby.type_error(format!("wrong argument type {class} (expected Symbol)")));
    };
    let name = ruby.name(*symbol).to_owned();
    if !CATEGORIES.contains(&name.as_str()) {
        return Err(ruby.argument_error(format!("unknown category: {name}")));
    }
    Ok(ruby.symbols.intern(&format!("@{name}")))
}

fn warn(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let text = match &args[0] {
        Value::String(string) => string.text().clone(),
        other => {
            let class = ruby.class_name_of(other);
            return Err(ruby.type_error(format!("wrong argument type {class} (expected String)")));
        }
    };
    let name = ruby.symbols.intern("$stderr");
    let stream = ruby.global(name)?;
    ruby.write_to(&stream, &text)?;
    Ok(Value::Nil)
}
