//! `Init[T]`: making a `T` from one value, perhaps with fixed further arguments.

use super::{Surroundings, new_at, signatures, unsupported};
use crate::types::{InitType, Range};
use crate::{Error, Result, Type, Value};

pub(super) fn make(
    ty: &Type,
    init: &InitType,
    args: &[Value],
    around: &dyn Surroundings,
    depth: usize,
) -> Result<Value> {
    let Some(target) = &init.ty else { return Err(unsupported(ty)) };
    if matches!(target, Type::Init(_) | Type::Optional(_) | Type::NotUndef(_)) {
        return Err(unsupported(target));
    }
    let made_by = signatures(target);
    let is_object = matches!(target.unaliased(), Type::Object(_) | Type::ObjectExtension(_));
    if made_by.is_none() && !is_object {
        return Err(unsupported(target));
    }
    let [value] = args else {
        let count = if args.is_empty() { "none".to_owned() } else { args.len().to_string() };
        return Err(Error::new("ARGUMENT_MISMATCH", format!("'new_Init' expects 1 argument, got {count}")));
    };
    if !init.args.is_empty() {
        let fits = made_by.is_none_or(|made_by| {
            made_by.iter().any(|signature| {
                takes_after_one(&signature.callable.params, signature.callable.arity(), &init.args)
            })
        });
        if !fits {
            return Err(Error::runtime(format!(
                "The type '{ty}' does not represent a valid set of parameters for {}.new()",
                target.name()
            )));
        }
        let all: Vec<Value> = [value].into_iter().chain(&init.args).cloned().collect();
        return new_at(target, &all, around, depth);
    }
    match value {
        Value::Array(values) if !takes_alone(target, value) => new_at(target, values, around, depth),
        value => new_at(target, std::slice::from_ref(value), around, depth),
    }
}

/// Whether parameters take one value more and then these arguments.
fn takes_after_one(params: &[Type], size: Range, args: &[Value]) -> bool {
    let fits = |(at, arg): (usize, &Value)| {
        params.get(at + 1).or(params.last()).is_some_and(|param| param.contains(arg))
    };
    size.contains(1 + args.len() as i64) && args.iter().enumerate().all(fits)
}

/// Whether a value is the type's own or fits a signature that takes exactly one argument.
fn takes_alone(target: &Type, value: &Value) -> bool {
    let object = match target.unaliased() {
        Type::Object(object) => Some(object),
        Type::ObjectExtension(extension) => Some(&extension.base),
        _ => None,
    };
    let made_alone = object.is_some_and(|object| match object.given_attributes()[..] {
        [only] if only.value.is_none() => only.ty.contains(value),
        _ => false,
    });
    target.contains(value)
        || made_alone
        || signatures(target).into_iter().flatten().any(|signature| {
            signature.callable.arity() == Range::exactly(1)
                && signature.callable.params.first().is_some_and(|param| param.contains(value))
        })
}
