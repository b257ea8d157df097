//! A repository: its files and their definitions.

pub mod always;
pub mod contribution;
pub mod counted;
pub mod definition;
pub mod demand;
pub mod facts;
pub mod form;
pub mod gitignore;
pub mod index;
pub mod literal;
pub mod question;
pub mod refusal;
pub mod root;
pub mod ruby;
pub mod submodules;
pub mod survey;
pub mod types;

pub use contribution::{Changes, Contribution};
pub use counted::{Counted, Step};
pub use definition::{Definition, Kind, Outline, Parameter, plain};
pub use form::Form;
pub use index::{Callee, Index, Resource};
pub use question::Question;
pub use survey::{CodeFile, HiddenModule, Module, Role, Shape, Survey};
