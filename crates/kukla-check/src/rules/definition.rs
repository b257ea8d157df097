//! Duplicate and misplaced definitions.

use std::path::Path;

use kukla::catalog::types::is_metaparameter;
use kukla::eval::codes::{
    BUILT_IN_TYPE_REDEFINED, CIRCULAR_INHERITANCE, METAPARAMETER_AS_PARAMETER, RESOURCE_TYPE_REDEFINED,
};
use kukla::syntax::ast::{self, Expr, Manifest};
use kukla::syntax::{Location, Severity, Span, diagnostic};
use kukla::values::Type;
use kukla::values::codes::ENDLESS_TYPE_ALIAS;
use rustc_hash::FxHashMap;

use crate::finding::Finding;
use crate::repository::{Definition, Index, Kind, Module, Outline, literal, plain};
use crate::rule::rules;
use crate::text::Text;
use crate::walk::Walk;

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

impl Walk<'_> {
    /// Reports a class that inherits from itself.
    pub fn check_inheritance(&mut self, name: &str, parent: &str, span: Span) {
        let (lineage, _) = self.index.lineage(&plain(parent));
        for class in &lineage {
            self.record_dependency(Kind::Class, &class.name, Some(class));
        }
        if lineage.iter().any(|class| class.name == name) {
            self.report(diagnostic!(span, CIRCULAR_INHERITANCE { name }));
        }
    }

    /// Reports parameters that have the names of metaparameters. Puppet accepts one that has a default.
    pub fn check_parameter_names<'t>(
        &mut self,
        owner: &str,
        parameters: impl Iterator<Item = ast::Parameter<'t>>,
    ) {
        for parameter in parameters {
            if !is_metaparameter(parameter.name()) || parameter.default().is_some() {
                continue;
            }
            let span = parameter.name_token().map(|token| token.span()).unwrap_or_default();
            self.report(diagnostic!(span, METAPARAMETER_AS_PARAMETER { name: parameter.name(), owner }));
        }
    }

    /// Reports an alias with the name of a built-in type, or of itself.
    pub fn check_alias_name(&mut self, alias: ast::TypeAlias<'_>) {
        let Some(name) = alias.name() else { return };
        let (span, lower) = (alias.left().span(), name.to_lowercase());
        if kukla::catalog::types::core(&lower).is_some() {
            self.report(diagnostic!(span, RESOURCE_TYPE_REDEFINED { name: lower }));
        } else if Type::parse(name).is_ok_and(|ty| !matches!(ty, Type::Reference(_))) {
            self.report(diagnostic!(span, BUILT_IN_TYPE_REDEFINED { name: lower }));
        } else if self.index.types.is_endless(&lower) {
            self.report(diagnostic!(span, ENDLESS_TYPE_ALIAS { name }));
        }
    }
}

/// Nodes that are defined twice in the site manifests. `is_environment`: whether the repository says that it is one, so that Puppet
/// certainly reads all of these manifests for a node.
pub fn duplicate_nodes<'t>(sites: impl Iterator<Item = &'t Text>, is_environment: bool) -> Vec<Finding> {
    let mut first: FxHashMap<String, (Location, bool)> = FxHashMap::default();
    let mut findings = Vec::new();
    for text in sites {
        let statements = Manifest::of(&text.tree).into_iter().flat_map(Manifest::statements);
        let nodes = statements.filter_map(|statement| match statement {
            Expr::NodeDefinition(node) => Some(node),
            _ => None,
        });
        for host in nodes.flat_map(ast::NodeDefinition::hosts) {
            let name = match host {
                Expr::Default(_) => Some("default".to_owned()),
                host => literal::text(host).map(|name| name.to_lowercase()),
            };
            let (Some(name), span) = (name, host.span()) else { continue };
            let Some((earlier, is_reported)) = first.get_mut(&name) else {
                let place = Location { source: text.source.clone(), span };
                first.insert(name, (place, false));
                continue;
            };
            // Where each file has the node, one report says so.
            let is_here = earlier.source.name() == text.source.name();
            if std::mem::replace(is_reported, true) && !is_here {
                continue;
            }
            let mut wrong = diagnostic!(span, DUPLICATE_DEFINITION { kind: "node", name });
            if !is_here && !is_environment {
                wrong.severity = Severity::Warning;
                wrong = wrong.hint("Puppet reads all manifests of a site, in one compilation");
            }
            let wrong = wrong.in_source(&text.source).label(earlier.clone(), "also defined here");
            findings.push(Finding::from(wrong));
        }
    }
    findings
}

/// Duplicate definitions.
pub fn duplicates(index: &Index) -> Vec<Finding> {
    let each = index.duplicates.values().flatten().map(|(again, first)| {
        let wrong =
            diagnostic!(again.span, DUPLICATE_DEFINITION { kind: again.kind.name(), name: again.name });
        let place = Location { source: first.source.clone(), span: first.span };
        Finding::from(wrong.in_source(&again.source).label(place, "also defined here"))
    });
    let both = index.classes.iter().filter_map(|(name, class)| {
        let define = index.defines.get(name).filter(|define| define.source.name() == class.source.name())?;
        let (first, again) =
            if class.span.start < define.span.start { (class, define) } else { (define, class) };
        let wrong = diagnostic!(again.span, DUPLICATE_DEFINITION { kind: again.kind.name(), name });
        let place = Location { source: first.source.clone(), span: first.span };
        let label = format!("the {} of that name", first.kind.name());
        Some(Finding::from(wrong.in_source(&again.source).label(place, label)))
    });
    each.chain(both).collect()
}
