//! Files, through the world.

use crate::class::NativeClass;

/// The class `File`.
pub const FILE: NativeClass = NativeClass::class("File", "IO");

/// The class `File::Stat`.
pub const FILE_STAT: NativeClass =
    NativeClass { includes: &["Comparable"], ..NativeClass::class("File::Stat", "Object") };

/// The module `FileTest`.
pub const FILE_TEST: NativeClass = NativeClass::module("FileTest");
