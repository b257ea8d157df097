//! Duplicate and misplaced definitions.

use std::path::Path;

use kukla::syntax::{Location, diagnostic};

use crate::finding::Finding;
use crate::repository::{Definition, Index, Kind, Module, Outline};
use crate::rule::rules;

rules! {
    RULES;

    /// A function or type alias is in a file whose name belongs to another one, so that Puppet does not find it.
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
    MISPLACED_DEFINITION = "misplaced-definition": Error Always, "The {kind} `{name}` is in a file where Puppet does not look for it";

    /// Two files define the same class, defined type, function or type alias. Puppet uses the one that it reads first.
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

/// Definitions in files of functions or types whose names do not match the path of the file.
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
    // A function may have the name of its module; type sets have rules of their own.
    if expected.ends_with("::init_typeset") || expected.ends_with("::init") {
        return Vec::new();
    }
    let wrong = outline.definitions.iter().find(|made| made.kind == kind && made.name != expected);
    let finding = |made: &Definition| {
        let wrong = diagnostic!(made.span, MISPLACED_DEFINITION { kind: made.kind.name(), name: made.name });
        Finding::from(wrong.hint(format!("this file must define `{expected}`")).in_source(&made.source))
    };
    wrong.into_iter().map(|made| finding(made)).collect()
}

/// Duplicate definitions.
pub fn duplicates(index: &Index) -> Vec<Finding> {
    let each = index.duplicates.values().flatten().map(|(again, first)| {
        let wrong =
            diagnostic!(again.span, DUPLICATE_DEFINITION { kind: again.kind.name(), name: again.name });
        let place = Location { source: first.source.clone(), span: first.span };
        Finding::from(wrong.in_source(&again.source).label(place, "also defined here"))
    });
    each.collect()
}
