//! `Kernel`: functions that are everywhere.

mod control;
mod convert;
mod evaluate;
mod output;
mod reflect;

use crate::class::NativeClass;
use crate::core::{numeric, object, random};

/// The module `Kernel`.
pub const KERNEL: NativeClass = NativeClass {
    methods: &[
        control::FUNCTIONS,
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
    ],
    singleton: &[
        control::FUNCTIONS,
        convert::FUNCTIONS,
        evaluate::FUNCTIONS,
        output::FUNCTIONS,
        reflect::FUNCTIONS,
        numeric::parse::CONVERSIONS,
        random::FUNCTIONS,
    ],
    ..NativeClass::module("Kernel")
};

