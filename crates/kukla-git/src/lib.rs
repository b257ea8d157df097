//! Revisions of a git repository as worlds: what a compilation would see if a revision were checked out, read from the
//! repository's objects without a checkout.
//!
//! The feature `objects` reads repositories; without it every one is refused.
//!
//! A [`Repository`] knows its revisions; a [`Revision`] is the world in which the repository's directory holds one of them.
//! Everything outside the directory is as it is. So is what git ignores and what a Puppetfile installs, in every revision: nobody
//! knows what that was at the time.

#[cfg(not(feature = "objects"))]
mod absent;
mod change;
#[cfg(feature = "objects")]
mod changed;
#[cfg(feature = "objects")]
mod extent;
#[cfg(feature = "objects")]
mod objects;
#[cfg(feature = "objects")]
mod pipes;
mod range;
#[cfg(feature = "objects")]
mod repository;
#[cfg(feature = "objects")]
mod revision;

#[cfg(not(feature = "objects"))]
pub use absent::{Repository, Revision};
pub use change::{Change, Status};
pub use range::{Range, RangeEnd};
#[cfg(feature = "objects")]
pub use repository::Repository;
#[cfg(feature = "objects")]
pub use revision::Revision;
