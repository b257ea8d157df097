//! Dependency cycles of catalogs as diagnostics.

use kukla_syntax::{Diagnostic, Severity, diagnostic};

use crate::codes::CYCLE;

/// The diagnostic of a dependency cycle on a node, or on several as a text names them. It is a warning, because a server accepts the catalog, or
/// an error if the caller does not.
pub fn cycle_diagnostic(cycle: &[String], nodes: &str, severity: Severity) -> Diagnostic {
    let mut diagnostic = diagnostic!(CYCLE { nodes, cycle: cycle.join(" => ") });
    diagnostic.severity = severity;
    diagnostic
}
