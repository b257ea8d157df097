//! Definitions among each other.

use std::path::Path;

use kukla::syntax::{Location, diagnostic};

use crate::finding::Finding;
use crate::repository::{Definition, Index, Kind, Module, Outline};
use crate::rule::rules;

rules! {
    RULES;

    /// A function or type alias stands in a file that is named for another, where Puppet does not find it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/types/port.pp
    /// type Web::Ports = Integer[1, 65535]
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/types/port.pp
    /// type Web::Port = Integer[1, 65535]
    /// ```
    MISPLACED_DEFINITION = "misplaced-definition": Error Always, "The {kind} `{name}` is not found in this file";

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

/// The definition of a file of functions or types that does not have the name that its path stands for.
pub fn misplaced(module: &Module, path: &Path, outline: &Outline) -> Vec<Finding> {
    let Ok(inside) = path.strip_prefix(&module.root) else { return Vec::new() };
    let mut parts = inside.iter().filter_map(|part| part.to_str());
    let kind = match parts.next() {
        Some("functions") => Kind::Function,
        Some("types") => Kind::Alias,
        _ => return Vec::new(),
    };
    let names: Vec<&str> = std::iter::once(module.name.as_str()).chain(parts).collect();
    let expected = names.join("::");
    let expected = expected.strip_suffix(".pp").unwrap_or(&expected);
    // A function may be named like its module; sets of types have rules of their own.
    if expected.ends_with("::init_typeset") || expected.ends_with("::init") {
        return Vec::new();
    }
    let wrong = outline.definitions.iter().find(|made| made.kind == kind && made.name != expected);
    let finding = |made: &Definition| {
        let wrong = diagnostic!(made.span, MISPLACED_DEFINITION { kind: made.kind.name(), name: made.name });
        Finding::from(wrong.hint(format!("its file is that of `{expected}`")).in_source(&made.source))
    };
    wrong.into_iter().map(|made| finding(made)).collect()
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
