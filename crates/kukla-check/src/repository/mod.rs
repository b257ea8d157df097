//! A repository: its files, and what they define.

pub mod definition;
pub mod facts;
pub mod index;
pub mod literal;
pub mod ruby;
pub mod survey;
pub mod types;

pub use definition::{Definition, Kind, Outline, Parameter, plain};
pub use index::{Callee, Index, Resource};
pub use survey::{CodeFile, Module, Role, Shape, Survey};
