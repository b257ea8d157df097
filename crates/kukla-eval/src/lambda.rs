//! Lambdas.

use std::sync::Arc;

use crate::program::Lambda;
use crate::scope::Position;

/// A lambda given to a call, together with the scope it was written in. It lives as long as the call.
#[derive(Clone, Debug)]
pub struct Block {
    pub(crate) lambda: Arc<Lambda>,
    pub(crate) scope: Position,
}

impl Block {
    /// The number of parameters, counting one that captures the rest.
    pub fn parameter_count(&self) -> usize {
        self.lambda.params.len()
    }

    /// Whether the last parameter captures the rest.
    pub fn captures_rest(&self) -> bool {
        self.lambda.params.last().is_some_and(|last| last.captures_rest)
    }
}
