//! The report as a JSON document.

use kukla::diff::{FleetDifference, document};

/// The document, as people can read it too.
pub fn text(report: &FleetDifference) -> String {
    format!("{:#}\n", document(report))
}
