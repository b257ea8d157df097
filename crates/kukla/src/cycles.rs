//! Dependency cycles of catalogs as diagnostics.

use kukla_syntax::{Diagnostic, Severity, diagnostic};

use crate::codes::CYCLE;

/// The diagnostic of a dependency cycle on a node, or on several as a text names them. A server accepts the catalog, so a caller may make
/// it a warning; an agent refuses to apply it.
pub fn cycle_diagnostic(cycle: &[String], nodes: &str, severity: Severity) -> Diagnostic {
    let mut diagnostic = diagnostic!(CYCLE { nodes, cycle: cycle.join(" => ") });
    diagnostic.severity = severity;
    diagnostic
}
