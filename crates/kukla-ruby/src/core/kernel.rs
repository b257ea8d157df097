//! `Kernel`: functions that are everywhere.

use crate::class::NativeClass;
use crate::core::{numeric, random};

/// The module `Kernel`.
pub const KERNEL: NativeClass = NativeClass {
    methods: &[numeric::parse::CONVERSIONS, random::FUNCTIONS],
    singleton: &[numeric::parse::CONVERSIONS, random::FUNCTIONS],
    ..NativeClass::module("Kernel")
};
