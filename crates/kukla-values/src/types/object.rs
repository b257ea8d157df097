//! `Object[{...}]` types, their instances, and `TypeSet[{...}]`.

use std::sync::Arc;

use crate::{Hash, Str, Value};

/// A user-defined type with attributes.
#[derive(Debug)]
pub struct ObjectType {
    /// Its name, if it was given one by a type alias.
    pub name: Option<Str>,
    /// The hash it was made from.
    pub init_hash: Hash,
}

/// An instance of an [`ObjectType`].
#[derive(Debug)]
pub struct Object {
    /// What it is an instance of.
    pub ty: Arc<ObjectType>,
    /// The attributes' values, in the order of the type's attributes.
    pub values: Vec<Value>,
}

/// A named, versioned set of types.
#[derive(Debug)]
pub struct TypeSet {
    /// Its name.
    pub name: Str,
    /// The hash it was made from.
    pub init_hash: Hash,
}
