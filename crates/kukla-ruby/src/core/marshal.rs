//! `Marshal`, as far as deep copies need it.

use crate::class::NativeClass;

/// The module `Marshal`.
pub const MARSHAL: NativeClass = NativeClass::module("Marshal");
