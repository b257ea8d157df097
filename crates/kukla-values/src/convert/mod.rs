//! `new`: making a value of a type from other values, as in `Integer('0xff', 16)`.
//!
//! Every type that can be made has a `Maker`: the signatures its `new` accepts, and what to do for each. Whatever is
//! made is checked against the type that was asked for.

mod collection;
mod init;
mod maker;
mod number;
mod scalar;

use std::borrow::Cow;
use std::sync::Arc;

use kukla_syntax::diagnostic;

use crate::codes::NO_NEW;
use crate::iterator::Lister;
use crate::time::Timestamp;
use crate::types::mismatch::{self, Signature};
use crate::types::object::Object;
use crate::{Error, Result, Type, Value};

use maker::Maker;

/// The surroundings that a conversion may need.
pub trait ConversionContext {
    /// The time it is.
    fn now(&self) -> Timestamp;
    /// Reads a type from text.
    fn read_type(&self, text: &str) -> Result<Type>;
    /// Lists the members of a value, up to the size limit of a collection.
    fn lister(&self) -> Lister {
        Lister::default()
    }
}

/// A context without a clock and without types of their own.
pub struct EmptyContext;

impl ConversionContext for EmptyContext {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(0)
    }

    fn read_type(&self, text: &str) -> Result<Type> {
        Type::parse(text)
    }
}

/// How deep types may nest for one value to be made, as `Init[Init[...]]` could go on.
const MAX_DEPTH: usize = 100;

/// Makes a value of a type. A single argument that already is one is given back as it is.
pub fn new_instance(ty: &Type, args: &[Value], around: &dyn ConversionContext) -> Result<Value> {
    new_at(ty, args, around, 0)
}

fn new_at(ty: &Type, args: &[Value], around: &dyn ConversionContext, depth: usize) -> Result<Value> {
    if depth > MAX_DEPTH {
        return Err(unsupported(ty));
    }
    if let [value] = args
        && !matches!(ty, Type::Init(_))
        && ty.contains(value)
    {
        return Ok(value.clone());
    }
    let made = make(ty, args, around, depth)?;
    mismatch::assert(&format!("Converted value from {ty}.new()"), ty, &made)?;
    Ok(made)
}

fn make(ty: &Type, args: &[Value], around: &dyn ConversionContext, depth: usize) -> Result<Value> {
    match ty.unaliased() {
        Type::Optional(Some(ty)) | Type::NotUndef(Some(ty)) if depth < MAX_DEPTH => {
            make(ty, args, around, depth + 1)
        }
        Type::Init(init) => init::make(ty, init, args, around, depth + 1),
        Type::Object(object) => Object::new(object, args).map(|object| Value::Object(Arc::new(object))),
        Type::ObjectExtension(extension) => {
            Object::new(&extension.base, args).map(|object| Value::Object(Arc::new(object)))
        }
        other => {
            let Some(maker) = maker::of(other) else { return Err(unsupported(ty)) };
            maker.make(args, around)
        }
    }
}

/// The signatures of a type's `new`, if it has one.
pub fn signatures(ty: &Type) -> Option<Cow<'static, [Signature]>> {
    match ty.unaliased() {
        Type::Optional(Some(ty)) | Type::NotUndef(Some(ty)) => signatures(ty),
        Type::Object(object) => Some(Cow::Owned(object.signatures())),
        Type::ObjectExtension(extension) => Some(Cow::Owned(extension.base.signatures())),
        other => maker::of(other).map(|maker: &Maker| Cow::Borrowed(maker.signatures.as_slice())),
    }
}

fn unsupported(ty: &Type) -> Error {
    diagnostic!(NO_NEW { ty }).into()
}

#[cfg(test)]
mod tests;
