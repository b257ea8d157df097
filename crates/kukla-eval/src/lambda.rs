//! Lambdas.

/// A lambda given to a call.
#[derive(Debug)]
pub struct Block {}
