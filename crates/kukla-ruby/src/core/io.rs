//! Streams.

use crate::class::NativeClass;
use crate::core::file;

/// The class `IO`.
pub const IO: NativeClass = NativeClass {
    includes: &["Enumerable"],
    singleton: &[file::read::READ],
    ..NativeClass::class("IO", "Object")
};
