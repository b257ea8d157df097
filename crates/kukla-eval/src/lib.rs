//! Programs, scopes, the evaluator and the catalog builder.

mod access;
mod ahead;
pub mod annotations;
mod assign;
mod autoload;
mod budget;
mod bytes;
mod calls;
pub mod catalog;
pub mod codes;
mod compilation;
mod conditional;
pub mod coverage;
pub mod data;
mod dispatch;
pub mod environment;
mod epp;
pub mod error;
mod eval;
pub mod fit;
pub mod foreign;
pub mod function;
mod heredoc;
pub mod inspection;
mod interpret;
pub mod label;
pub mod lambda;
pub mod lower;
mod matching;
pub mod messages;
pub mod native;
mod node;
mod objects;
mod operators;
mod overrides;
pub mod profile;
pub mod program;
pub mod programs;
pub mod registry;
mod remark;
pub mod scope;
pub mod settings;
pub mod signature;
mod standpoint;
pub mod suggest;
mod types;
pub mod unit;
mod variable;
pub mod vm;

pub use environment::{Environment, Node};
pub use error::{Diagnostic, Flow, Location, Raise};
pub use variable::UndefinedVariable;
pub use vm::Vm;

#[cfg(test)]
mod tests;
