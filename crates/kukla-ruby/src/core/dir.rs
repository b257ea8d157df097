//! Directories, through the world.

use crate::class::NativeClass;

/// The class `Dir`.
pub const DIR: NativeClass = NativeClass { includes: &["Enumerable"], ..NativeClass::class("Dir", "Object") };
