//! `Callable[params..., min, max, block]` and `Callable[[params], return]`.

use super::{Range, Type};

/// A signature.
#[derive(Clone, Debug)]
pub struct CallableType {
    /// The parameters; the last repeats when the size allows more.
    pub params: Vec<Type>,
    /// How many arguments.
    pub size: Range,
    /// The block, if it takes one: a `Callable` or `Optional[Callable]`.
    pub block: Option<Type>,
    /// What it returns, if said.
    pub returns: Option<Type>,
}
