//! Wrong defaults that are certainly or possibly never used: data or every declaration gives another value.

use std::sync::Arc;

use kukla::syntax::ast::{self, AttributeOp, Expr};
use kukla::syntax::{Severity, Span};

use super::parameter::WRONG_DEFAULT;
use crate::finding::Finding;
use crate::repository::{CodeFile, Definition, Index, Kind, literal, plain};
use crate::text::Text;

/// Makes warnings of the wrong defaults that no catalog need have.
pub fn defaults(findings: &mut [Finding], texts: &[(CodeFile, Arc<Text>)], index: &Index) {
    let wrong = findings.iter_mut().filter(|found| found.diagnostic.code.name == WRONG_DEFAULT.name);
    for Finding { diagnostic, .. } in wrong.filter(|found| found.diagnostic.is_error()) {
        let Some(place) = diagnostic.location() else { continue };
        let text = texts.iter().find(|(_, text)| text.source.name() == place.file());
        let made = text.and_then(|(_, text)| owner(text, place.span));
        let Some((definition, parameter)) = made else { continue };
        let reason = if definition.kind == Kind::Class && index.data.may_bind(&definition, &parameter) {
            "nodes without data for it fail"
        } else if is_always_given(&definition, &parameter, texts) {
            "a declaration that does not set it fails"
        } else {
            continue;
        };
        diagnostic.severity = Severity::Warning;
        diagnostic.hints.push(reason.to_owned());
    }
}

/// The class or defined type, and the parameter, that a default belongs to.
fn owner(text: &Text, default: Span) -> Option<(Arc<Definition>, String)> {
    let parameters = text.tree.elements().filter_map(ast::Parameter::cast);
    let name = parameters
        .filter(|parameter| parameter.default().is_some_and(|given| given.span() == default))
        .map(|parameter| parameter.name().to_owned())
        .next()?;
    let mut known = text
        .outline
        .definitions
        .iter()
        .filter(|one| matches!(one.kind, Kind::Class | Kind::Define) && one.parameter(&name).is_some());
    let inside = |one: &&Arc<Definition>| one.span.start <= default.start;
    let last = known.by_ref().filter(inside).last()?;
    Some((Arc::clone(last), name))
}

/// Whether there are declarations, and all of them may set a parameter.
fn is_always_given(definition: &Definition, parameter: &str, texts: &[(CodeFile, Arc<Text>)]) -> bool {
    let mut is_given = false;
    for (_, text) in texts.iter().filter(|(_, text)| !text.is_broken && mentions(text, definition)) {
        let resources = text.tree.elements().filter_map(|node| match Expr::cast(node) {
            Some(Expr::Resource(resource)) => Some(resource),
            _ => None,
        });
        for body in resources.flat_map(|resource| declarations(resource, definition)) {
            let sets =
                |one: ast::Attribute<'_>| one.operator() == AttributeOp::Splat || one.name() == parameter;
            if !body.attributes().any(sets) {
                return false;
            }
            is_given = true;
        }
    }
    is_given
}

/// Whether a text can contain a declaration.
fn mentions(text: &Text, definition: &Definition) -> bool {
    text.source.text().to_ascii_lowercase().contains(definition.name.as_str())
}

/// The bodies of a resource expression that declare a class, or instances of a defined type.
fn declarations<'t>(
    resource: ast::Resource<'t>,
    definition: &'t Definition,
) -> impl Iterator<Item = ast::ResourceBody<'t>> {
    let is_define = definition.kind == Kind::Define
        && resource.type_expr().and_then(literal::text).is_some_and(|name| plain(&name) == definition.name);
    let is_class = definition.kind == Kind::Class && resource.is_class();
    resource.bodies().filter(move |body| {
        let title = || literal::text(body.title()).map(|title| plain(&title));
        is_define || is_class && title().is_some_and(|title| title == definition.name)
    })
}
