//! `Kernel`: functions that are everywhere.

mod control;
mod convert;
mod evaluate;
mod output;
mod reflect;

use crate::class::NativeClass;
use crate::core::{command, format, numeric, object, process, random};
use crate::library::{json, yaml};

/// The module `Kernel`.
pub const KERNEL: NativeClass = NativeClass {
    methods: &[
        control::FUNCTIONS,
        command::FUNCTIONS,
        process::FUNCTIONS,
        convert::FUNCTIONS,
        evaluate::FUNCTIONS,
        output::FUNCTIONS,
        reflect::FUNCTIONS,
        object::identity::METHODS,
        object::copy::METHODS,
        object::methods::METHODS,
        object::variables::METHODS,
        numeric::parse::CONVERSIONS,
        random::FUNCTIONS,
        format::KERNEL_METHODS,
        json::TO_JSON,
        yaml::TO_YAML,
    ],
    singleton: &[
        control::FUNCTIONS,
        command::FUNCTIONS,
        process::FUNCTIONS,
        convert::FUNCTIONS,
        evaluate::FUNCTIONS,
        output::FUNCTIONS,
        reflect::FUNCTIONS,
        numeric::parse::KERNEL_CONVERSIONS,
        random::KERNEL_FUNCTIONS,
        format::KERNEL_METHODS,
        crate::effects::DOORS,
    ],
    ..NativeClass::module("Kernel")
};
