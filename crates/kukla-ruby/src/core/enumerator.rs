//! Enumerators, external and lazy.

use crate::args::Args;
use crate::class::{ClassId, NativeClass};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::{Object, Value};

/// The class `Enumerator`.
pub const ENUMERATOR: NativeClass =
    NativeClass { includes: &["Enumerable"], ..NativeClass::class("Enumerator", "Object") };

/// The class `Enumerator::Lazy`.
pub const LAZY: NativeClass = NativeClass::class("Enumerator::Lazy", "Enumerator");

/// The class `Enumerator::Yielder`.
pub const YIELDER: NativeClass = NativeClass::class("Enumerator::Yielder", "Object");

/// The class `Enumerator::Generator`.
pub const GENERATOR: NativeClass =
    NativeClass { includes: &["Enumerable"], ..NativeClass::class("Enumerator::Generator", "Object") };

/// The class `Enumerator::Chain`.
pub const CHAIN: NativeClass = NativeClass::class("Enumerator::Chain", "Enumerator");

/// The class `Enumerator::ArithmeticSequence`.
pub const ARITHMETIC_SEQUENCE: NativeClass =
    NativeClass::class("Enumerator::ArithmeticSequence", "Enumerator");

/// What an enumerator goes over: a method that yields, called on a receiver with arguments.
#[derive(Clone, Debug)]
pub struct Source {
    /// Whose method it is.
    pub receiver: Value,
    /// The method.
    pub method: Symbol,
    /// Its arguments.
    pub args: Vec<Value>,
    /// Whether the last argument holds keywords.
    pub has_keywords: bool,
}

impl Ruby<'_> {
    /// The enumerator that a method answers when it is called without a block.
    pub fn make_enumerator(&mut self, receiver: &Value, method: Symbol, args: &Args<'_>) -> Result {
        let source = Source {
            receiver: receiver.clone(),
            method,
            args: args.list.to_vec(),
            has_keywords: args.has_keywords,
        };
        Ok(Value::Object(Object::with(ClassId::ENUMERATOR, source)))
    }
}
