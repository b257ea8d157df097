//! Revisions of a git repository as worlds: what a compilation would see if a revision were checked out, read from the
//! repository's objects without a checkout.
//!
//! A [`Repository`] knows its revisions; a [`Revision`] is the world in which the repository's directory holds one of them.
//! Everything outside the directory is as it is. So is what git ignores and what a Puppetfile installs, in every revision: nobody
//! knows what that was at the time.

mod changed;
mod objects;
mod puppetfile;
mod range;
mod repository;
mod revision;

pub use changed::{Change, Status};
pub use range::{Range, Side};
pub use repository::Repository;
pub use revision::Revision;
