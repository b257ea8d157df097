//! Bytes.

use std::sync::Arc;

/// A sequence of bytes, shared on clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binary(pub Arc<[u8]>);
