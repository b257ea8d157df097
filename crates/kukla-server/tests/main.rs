//! The integration tests of the crate, in one binary: every further binary is another link.

mod authority;
mod backup;
mod killed;
mod killed_server;
mod lost_files;
mod memory;
#[cfg(feature = "pkcs11")]
mod pkcs11;
mod rotation;
mod server;
mod settings;
mod signing;
mod signing_policy;
mod support;
mod transport;
mod untrusted;
mod webhook;
