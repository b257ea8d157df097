//! The violations of policies that a change brings.

use std::collections::{BTreeMap, BTreeSet};

use kukla_syntax::Severity;
use rayon::prelude::*;

use super::compare::SubjectPair;
use crate::diff::{Comparison, Denied, Subject};
use crate::exchange::Exchange;
use crate::policies::Policies;

/// The violations of policies by catalogs that change, unless the node violates them before the change, too.
pub(super) fn new_violations(
    nodes: &BTreeMap<String, SubjectPair>,
    comparison: &Comparison<'_>,
    policies: &Policies,
) -> Vec<Denied> {
    let found: Vec<(&String, BTreeSet<String>)> = nodes
        .par_iter()
        .map(|(name, pair)| {
            let exports = comparison.exports.as_ref();
            let before =
                claims(comparison, pair.before.as_ref(), exports.map(|sides| &*sides.before), policies);
            let after = claims(comparison, pair.after.as_ref(), exports.map(|sides| &*sides.after), policies);
            (name, after.difference(&before).cloned().collect())
        })
        .collect();
    let mut denied = BTreeMap::<String, Vec<String>>::new();
    for (name, claims) in found {
        for claim in claims {
            denied.entry(claim).or_default().push(name.clone());
        }
    }
    let denied = denied.into_iter();
    denied.map(|(resource, nodes)| Denied { rule: "policy".to_owned(), resource, nodes }).collect()
}

/// The claims that the catalog of a node violates; none if it does not compile.
fn claims(
    comparison: &Comparison<'_>,
    subject: Option<&Subject>,
    exports: Option<&Exchange>,
    policies: &Policies,
) -> BTreeSet<String> {
    let Some(subject) = subject else { return BTreeSet::new() };
    let (Ok(site), Ok(catalog)) = (&subject.site, comparison.compile(subject, exports)) else {
        return BTreeSet::new();
    };
    let violations = site.check_policies(&subject.node, &catalog, policies);
    let errors = violations.into_iter().filter(|violation| violation.severity == Severity::Error);
    errors.map(|violation| violation.message()).collect()
}
