//! The state of one compilation.

use std::marker::PhantomData;

/// The state of one compilation.
#[derive(Debug, Default)]
pub struct Vm<'e> {
    environment: PhantomData<&'e ()>,
}
