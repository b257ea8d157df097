//! Modules from servers on the loopback interface: locked, installed, compared, and refused.

#![allow(clippy::disallowed_methods)] // tests prepare files and servers of their own

mod common {
    pub mod forge;
    pub mod scratch;
}
mod deploy;
mod faults;
mod hostile;
mod install;
mod r10k;
mod store;
