//! Lazy sequences.

use crate::Value;

/// A sequence whose members are made when asked for.
#[derive(Clone, Debug)]
pub enum Iterator {
    /// The members of a value in order.
    Each(Value),
    /// The members of a value, last first.
    Reverse(Value),
    /// Every n-th member of a value.
    Step(Value, i64),
}
