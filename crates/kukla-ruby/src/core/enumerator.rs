//! Enumerators, external and lazy.

use crate::class::NativeClass;

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
