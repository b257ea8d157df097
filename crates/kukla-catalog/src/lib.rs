//! Resources, catalogs, relationships and their JSON.
