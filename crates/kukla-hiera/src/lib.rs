//! Hiera 5: configuration, backends, merging, interpolation, explanation.
