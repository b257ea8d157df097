//! The language server: Puppet code, data and templates in editors, over the Language Server Protocol 3.17.
//!
//! | part | holds |
//! | --- | --- |
//! | [`server`] | the main loop, which reads messages and never waits, and the thread that works on them |
//! | [`session`] | the state of one editor: settings, roots, open texts |
//! | [`documents`] | the open texts, and a world in which they replace the files on the disk |
//! | [`positions`], [`uris`] | lines and columns in the unit of the client; paths |
//! | [`workspace`] | the repositories that folders and files belong to |
//! | [`analysis`] | the findings and the index of one repository: those of `kukla check` |
//! | [`view`] | one text of a repository, as a feature sees it |
//! | [`transport`] | frames of messages on a pair of streams |
//! | [`dispatch`] | the methods of the protocol, and the features that answer them |
//! | [`features`] | the features, one file each |
//!
//! Edits are applied in the order in which they arrive, and a repository is analysed when a request needs it or when nothing else is to be
//! done. So a burst of edits costs one analysis, and an answer always belongs to the text that the client had sent before its request.

pub mod analysis;
pub mod capabilities;
pub mod dispatch;
pub mod documents;
pub mod features;
pub mod log;
pub mod outbox;
pub mod positions;
pub mod server;
pub mod session;
pub mod transport;
pub mod uris;
pub mod view;
mod watch;
pub mod workspace;

pub use lsp_server::{Connection, Message};
pub use server::{ServerOptions, serve};
