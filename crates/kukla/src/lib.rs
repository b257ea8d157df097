//! The compiler as a library: environments, nodes, catalogs.
