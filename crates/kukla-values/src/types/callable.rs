//! `Callable[params..., min, max, block]` and `Callable[[params], return]`.

use super::{Range, Type};

/// A signature.
#[derive(Clone, Debug)]
pub struct CallableType {
    /// The parameters; the last repeats when the size allows more.
    pub params: Vec<Type>,
    /// The number of arguments, if given; otherwise as many as there are parameters.
    pub size: Option<Range>,
    /// The block, if it takes one: a `Callable` or `Optional[Callable]`.
    pub block: Option<Type>,
    /// The return type, if given; `Any` adds nothing.
    pub returns: Option<Type>,
}

impl CallableType {
    /// A signature from its parts.
    pub fn new(
        params: Vec<Type>,
        size: Option<Range>,
        block: Option<Type>,
        returns: Option<Type>,
    ) -> CallableType {
        let returns = returns.filter(|ty| !matches!(ty, Type::Any));
        CallableType { params, size, block, returns }
    }

    /// How many arguments it takes.
    pub fn arity(&self) -> Range {
        tuple_size(&self.params, self.size)
    }
}

/// The size of a tuple: as given, or one element for each of its types, or any number if it has none.
pub(crate) fn tuple_size(types: &[Type], size: Option<Range>) -> Range {
    match (size, types.len()) {
        (Some(size), _) => size,
        (None, 0) => Range::at_least(0),
        (None, n) => Range::exactly(n as i64),
    }
}

impl Type {
    /// Whether it is a `Callable`, all variants of it are, or (when `optional`) it may also be absent.
    pub fn is_callable(&self, optional: bool) -> bool {
        match self {
            Type::Callable(_) => true,
            Type::Variant(types) => types.iter().all(|ty| ty.is_callable(optional)),
            Type::Optional(Some(ty)) => optional && ty.is_callable(optional),
            Type::Alias(_) => match self.unaliased() {
                Type::Alias(_) => false,
                ty => ty.is_callable(optional),
            },
            _ => false,
        }
    }
}
