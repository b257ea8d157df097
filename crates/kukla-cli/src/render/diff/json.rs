//! The report as a JSON document.

use kukla::diff::{FleetDifference, document};

/// The document, indented.
pub fn text(report: &FleetDifference) -> String {
    format!("{:#}\n", document(report))
}
