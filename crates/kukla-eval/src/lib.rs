//! Programs, scopes, the evaluator and the catalog builder.

pub mod catalog;
pub mod data;
pub mod environment;
pub mod error;
pub mod function;
pub mod lambda;
pub mod lower;
pub mod program;
pub mod registry;
pub mod scope;
pub mod settings;
pub mod vm;
pub mod world;

pub use environment::{Environment, Node};
pub use error::{Failure, Flow, Location, Raise};
pub use vm::Vm;
