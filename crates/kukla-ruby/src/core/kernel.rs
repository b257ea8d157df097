//! `Kernel`: functions that are everywhere.

use crate::class::NativeClass;
use crate::core::{format, numeric, random};
use crate::library::{json, yaml};

/// The module `Kernel`.
pub const KERNEL: NativeClass = NativeClass {
    methods: &[
        numeric::parse::CONVERSIONS,
        random::FUNCTIONS,
        format::KERNEL_METHODS,
        json::TO_JSON,
        yaml::TO_YAML,
    ],
    singleton: &[
        crate::effects::DOORS,
        numeric::parse::CONVERSIONS,
        random::FUNCTIONS,
        format::KERNEL_METHODS,
    ],
    ..NativeClass::module("Kernel")
};
