//! Hiera 5: configuration, backends, merging, interpolation, explanation.

pub mod yaml;

mod ruby;
