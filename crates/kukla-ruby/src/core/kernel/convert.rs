//! `Array()`, `Hash()`, `String()`.

use crate::class::{ClassId, Native, private};
use crate::hash::Table;
use crate::symbol::sym;
use crate::value::Value;

/// Functions that convert.
pub const FUNCTIONS: &[Native] = &[
    private("Array", 1, 1, |ruby, _, args| {
        let value = &args[0];
        if value.is_nil() {
            return Ok(Value::array(Vec::new()));
        }
        if let Some(array) = ruby.maybe_array(value)? {
            return Ok(Value::Array(array));
        }
        match ruby.try_send(value, sym::TO_A, &[])? {
            None | Some(Value::Nil) => Ok(Value::array(vec![value.clone()])),
            Some(array @ Value::Array(_)) => Ok(array),
            Some(other) => {
                let (own, given) = (ruby.class_name_of(value), ruby.class_name_of(&other));
                Err(ruby.type_error(format!("can't convert {own} to Array ({own}#to_a gives {given})")))
            }
        }
    }),
    private("Hash", 1, 1, |ruby, _, args| {
        let value = &args[0];
        let empty = matches!(value, Value::Nil) || matches!(value, Value::Array(array) if array.is_empty());
        if empty {
            return Ok(Value::hash(Table::new()));
        }
        match ruby.maybe_hash(value)? {
            Some(hash) => Ok(Value::Hash(hash)),
            None => {
                let class = ruby.class_name_of(value);
                Err(ruby.type_error(format!("can't convert {class} into Hash")))
            }
        }
    }),
    private("String", 1, 1, |ruby, _, args| {
        let value = &args[0];
        if let Some(string) = ruby.maybe_string(value)? {
            return Ok(Value::String(string));
        }
        match ruby.try_send(value, sym::TO_S, &[])? {
            Some(string @ Value::String(_)) => Ok(string),
            Some(other) => {
                let (own, given) = (ruby.class_name_of(value), ruby.class_name_of(&other));
                Err(ruby.type_error(format!("can't convert {own} to String ({own}#to_s gives {given})")))
            }
            None => {
                let class = ruby.class_name_of(value);
                Err(ruby.error(ClassId::TYPE_ERROR, format!("can't convert {class} into String")))
            }
        }
    }),
];
