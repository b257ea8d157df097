//! The argument of `%d`, `%b`, `%o`, `%x`.

use num_bigint::BigInt;

use crate::class::ClassId;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// The integer that an argument means: as `Integer()` reads it, the fraction of others cut off.
pub(super) fn argument(ruby: &mut Ruby<'_>, value: &Value) -> Result<BigInt> {
    let number = match value {
        Value::Int(_) | Value::Big(_) => value.clone(),
        Value::Float(number) => ruby.float_to_integer(number.trunc())?,
        other if ruby.is_a(other, ClassId::RATIONAL) => ruby.send(other, sym::TO_I, &[])?,
        other => {
            let name = ruby.symbols.intern("Integer");
            ruby.send(&Value::Nil, name, std::slice::from_ref(other))?
        }
    };
    Ok(match number {
        Value::Int(number) => number.into(),
        Value::Big(big) => big.number.clone(),
        _ => BigInt::default(),
    })
}
