//! Hiera 5: configuration, backends, merging, interpolation, explanation.
//!
//! A [`DataCache`] holds the contents of files and is shared by all nodes; a [`Session`] belongs to one compilation and answers
//! [`LookupRequest`]s for it. What a lookup needs from the compilation (variables, functions, modules, warnings) it asks of a
//! [`Host`], what it needs from the disk of a [`World`](kukla_world::World); so a lookup is a function of its inputs.

pub mod backend;
pub mod config;
pub mod explain;
pub mod memory;
pub mod merge;

mod answers;
mod cache;
pub mod codes;
mod deep;
mod error;
mod host;
mod interpolate;
mod invocation;
mod key;
mod layer;
mod legacy;
mod options;
pub mod parts;
mod pool;
mod reads;
mod search;
mod session;
mod template;

pub use cache::{DataCache, DataFile, DataFormat};
pub use config::LayerKind;
pub use error::{Error, ErrorKind, Result};
pub use explain::Explanation;
pub use host::{
    BackendAnswer, BackendQuestion, Conversion, FunctionKind, Host, LookupRequest, Settings, Variable, Watch,
};
pub use session::{LookupHit, Session, ValueOrigin};
