//! Resource identifiers.

/// A URI in its parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Uri {
    /// As written.
    pub text: String,
}
