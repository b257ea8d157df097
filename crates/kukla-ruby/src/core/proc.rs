//! Procs and lambdas.

use crate::class::NativeClass;

/// The class `Proc`.
pub const PROC: NativeClass = NativeClass::class("Proc", "Object");
