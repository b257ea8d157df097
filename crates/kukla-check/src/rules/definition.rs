//! Definitions among each other.

use kukla::syntax::{Location, diagnostic};

use crate::finding::Finding;
use crate::repository::Index;
use crate::rule::rules;

rules! {
    RULES;

    /// Two files define the same class, defined type, function or type alias. Which one counts depends on which is read first.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { }
    /// class web::config { }
    /// ```
    ///
    /// ```puppet
    /// # modules/web/manifests/config.pp
    /// class web::config { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { }
    /// ```
    ///
    /// ```puppet
    /// # modules/web/manifests/config.pp
    /// class web::config { }
    /// ```
    DUPLICATE_DEFINITION = "duplicate-definition": Error Always, "The {kind} `{name}` is defined twice";
}

/// Definitions that are there twice.
pub fn duplicates(index: &Index) -> Vec<Finding> {
    let each = index.duplicates.iter().map(|(again, first)| {
        let wrong =
            diagnostic!(again.span, DUPLICATE_DEFINITION { kind: again.kind.name(), name: again.name });
        let place = Location { source: first.source.clone(), span: first.span };
        Finding::from(wrong.in_source(&again.source).label(place, "defined here as well"))
    });
    each.collect()
}
