//! Hiera 5: configuration, backends, merging, interpolation, explanation.

pub mod eyaml;
pub mod hocon;
pub mod json;
pub mod yaml;

mod base64;
mod ruby;
