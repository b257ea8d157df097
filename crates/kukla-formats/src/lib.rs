//! The formats that data comes in: YAML, JSON and HOCON, read with positions as Ruby's libraries read them; YAML written
//! as Psych writes it; eyaml, values encrypted inside others; and the password hashes of crypt(3).

pub mod crypt;
mod error;
pub mod eyaml;
pub mod hocon;
pub mod json;
pub mod yaml;

#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;

pub use error::Error;
