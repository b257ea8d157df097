//! A finished catalog that policies look at, and what they find.

use std::sync::Arc;

use kukla_catalog::Catalog;
use kukla_syntax::Severity;

use crate::error::Location;
use crate::vm::Vm;

/// A finished catalog that policies look at.
#[derive(Debug)]
pub(crate) struct Inspection {
    catalog: Arc<Catalog>,
    violations: Vec<Violation>,
}

/// A resource, or a whole catalog, that does not do what a policy says.
#[derive(Clone, Debug)]
pub struct Violation {
    /// How serious it is.
    pub severity: Severity,
    /// The message of the policy.
    pub message: String,
    /// The index of the resource in the catalog; none if the resource is missing.
    pub resource: Option<usize>,
    /// The place of the policy.
    pub location: Location,
}

impl Vm<'_> {
    /// Looks at a finished catalog from now on.
    pub fn inspect(&mut self, catalog: Arc<Catalog>) {
        self.compilation.inspection = Some(Box::new(Inspection { catalog, violations: Vec::new() }));
    }

    /// The catalog that policies look at, if there is one.
    pub fn inspected(&self) -> Option<Arc<Catalog>> {
        self.compilation.inspection.as_ref().map(|inspection| Arc::clone(&inspection.catalog))
    }

    /// Records a violation of the policy that is being called.
    pub fn report_violation(&mut self, severity: Severity, message: &str, resource: Option<usize>) {
        let location = self.call_location();
        if let Some(inspection) = &mut self.compilation.inspection {
            inspection.violations.push(Violation {
                severity,
                message: message.to_owned(),
                resource,
                location,
            });
        }
    }

    /// The violations so far.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        self.compilation.inspection.take().map_or_else(Vec::new, |inspection| inspection.violations)
    }
}
