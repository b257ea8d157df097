//! Programs, scopes, the evaluator and the catalog builder.

pub mod error;
pub mod function;
pub mod lambda;
pub mod vm;
