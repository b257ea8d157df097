//! Wrong defaults that are certainly or possibly never used: data or every declaration gives another value.

use std::sync::Arc;

use kukla::syntax::ast::{self, AttributeOp, Expr};
use kukla::syntax::{Severity, Span};
use kukla::values::Str;
use rustc_hash::{FxHashMap, FxHashSet};

use super::parameter::WRONG_DEFAULT;
use crate::finding::Finding;
use crate::repository::{Definition, Index, Kind, literal, plain};
use crate::text::Text;

/// The declarations of classes and defined types with wrong defaults, in all texts, since the last check.
#[derive(Debug, Default)]
pub struct Declarations {
    /// For each parameter, whether the declarations in a text set it; `None` in texts without declarations.
    texts: FxHashMap<(Kind, Str, Str), Vec<Option<bool>>>,
}

impl Declarations {
    /// Looks again at the texts that have changed; without `changed`, all may have.
    pub fn renew(&mut self, texts: &[&Arc<Text>], changed: Option<&FxHashSet<usize>>) {
        let Some(changed) = changed else { return self.texts.clear() };
        for ((kind, name, parameter), known) in &mut self.texts {
            for place in changed {
                known[*place] = gives(texts[*place], *kind, name, parameter);
            }
        }
    }

    /// Makes warnings of the wrong defaults that no catalog need have.
    pub fn soften<'t>(
        &mut self,
        findings: &mut [Finding],
        texts: &[&Arc<Text>],
        text: &dyn Fn(&str) -> Option<&'t Text>,
        index: &Index,
    ) {
        let wrong = findings.iter_mut().filter(|found| found.diagnostic.code.name == WRONG_DEFAULT.name);
        for Finding { diagnostic, .. } in wrong.filter(|found| found.diagnostic.is_error()) {
            let Some(place) = diagnostic.location() else { continue };
            let made = place.file().and_then(text).and_then(|text| owner(text, place.span));
            let Some((definition, parameter)) = made else { continue };
            let reason = if definition.kind == Kind::Class && index.data.may_bind(&definition, &parameter) {
                "nodes without data for it fail"
            } else if self.is_always_given(&definition, &parameter, texts) {
                "a declaration that does not set it fails"
            } else {
                continue;
            };
            diagnostic.severity = Severity::Warning;
            diagnostic.hints.push(reason.to_owned());
        }
    }

    /// Whether there are declarations, and all of them may set a parameter.
    fn is_always_given(&mut self, definition: &Definition, parameter: &str, texts: &[&Arc<Text>]) -> bool {
        let (kind, name) = (definition.kind, &definition.name);
        let look = || texts.iter().map(|text| gives(text, kind, name, parameter)).collect();
        let known = self.texts.entry((kind, name.clone(), parameter.into())).or_insert_with(look);
        known.contains(&Some(true)) && !known.contains(&Some(false))
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

/// Whether all declarations in a text may set a parameter; `None` without declarations.
fn gives(text: &Text, kind: Kind, name: &str, parameter: &str) -> Option<bool> {
    let letters = [name.as_bytes().first()?, &name.as_bytes().first()?.to_ascii_uppercase()].map(|one| *one);
    let code = text.source.text().as_bytes();
    let is_there = |at: usize| {
        code.get(at..at + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
    };
    if text.is_broken || !memchr::memchr2_iter(letters[0], letters[1], code).any(is_there) {
        return None;
    }
    let resources = text.tree.elements().filter_map(|node| match Expr::cast(node) {
        Some(Expr::Resource(resource)) => Some(resource),
        _ => None,
    });
    let sets = |body: ast::ResourceBody<'_>| {
        body.attributes().any(|one| one.operator() == AttributeOp::Splat || one.name() == parameter)
    };
    resources.flat_map(|resource| declarations(resource, kind, name)).map(sets).reduce(|a, b| a && b)
}

/// The bodies of a resource expression that declare a class, or instances of a defined type.
fn declarations<'t>(
    resource: ast::Resource<'t>,
    kind: Kind,
    name: &'t str,
) -> impl Iterator<Item = ast::ResourceBody<'t>> {
    let is_define = kind == Kind::Define
        && resource.type_expr().and_then(literal::text).is_some_and(|own| plain(&own) == name);
    let is_class = kind == Kind::Class && resource.is_class();
    resource.bodies().filter(move |body| {
        let title = || literal::text(body.title()).map(|title| plain(&title));
        is_define || is_class && title().is_some_and(|title| title == name)
    })
}
