//! Reports about locked modules.

mod audit;
mod dependents;
mod outdated;
mod sbom;

pub use audit::{Finding, FindingKind, audit};
pub use dependents::{Dependents, TreeLine};
pub use outdated::{Outdated, changes_since, newer_tag, outdated};
pub use sbom::sbom;
