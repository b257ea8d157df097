//! Inlay hints: inferred types, names of parameters, and the values that parameters get from data.

use kukla::syntax::ast::{self, Expr};
use kukla_check::repository::Index;
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams};

use crate::features::{documentation, node};
use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;
use crate::view::View;

/// The hints in a part of a document.
pub fn inlay_hints(
    session: &mut Session,
    params: &InlayHintParams,
) -> Result<Option<Vec<InlayHint>>, Refusal> {
    let view = session.view(&path_of(&params.text_document.uri))?;
    let part = view.positions().span(params.range);
    let (Some(text), Some(index)) = (view.parsed(), view.index()) else { return Ok(None) };
    let settings = &view.session.settings;
    let mut hints = Vec::new();
    let types = if settings.type_hints { view.types() } else { Vec::new() };
    let site = if settings.data_hints { node::open(&view) } else { None };
    let mut around: Vec<(&str, u32)> = Vec::new();
    for node in text.tree.elements() {
        while around.last().is_some_and(|(_, end)| *end <= node.index()) {
            around.pop();
        }
        let expr = Expr::cast(node);
        if let Some(Expr::ClassDefinition(class)) = expr {
            let parts: Vec<&str> = around.iter().map(|(name, _)| *name).collect();
            let name = kukla_check::repository::plain(&ast::nested_name(&parts, class.name()));
            around.push((class.name(), node.end_index()));
            if let Some((site, chosen)) = &site {
                hints.extend(class.parameters().filter_map(|parameter| {
                    let value = node::data_of(site, chosen, &format!("{name}::{}", parameter.name()))?;
                    let label = format!(" ⇐ {}", documentation::shorten(&value.text, 40));
                    Some(hint(&view, parameter.span().end, label, None))
                }));
            }
        }
        if node.span().end < part.start || node.start() > part.end {
            continue;
        }
        match expr {
            Some(Expr::Assignment(assignment)) if settings.type_hints => {
                if let Expr::Variable(variable) = assignment.left() {
                    let value = assignment.right();
                    let ty = types.iter().rev().find(|(span, _)| *span == value.span()).map(|(_, ty)| ty);
                    if let Some(ty) = ty.filter(|_| !is_obvious(value)).and_then(crate::view::type_text) {
                        let label = format!(": {ty}");
                        hints.push(hint(&view, variable.span().end, label, Some(InlayHintKind::TYPE)));
                    }
                }
            }
            Some(Expr::Call(call)) if settings.parameter_hints => {
                if let Expr::Name(name) = call.function() {
                    let arguments: Vec<Expr<'_>> = call.arguments().collect();
                    hints.extend(names(&view, index, name.name(), &arguments, 0));
                }
            }
            Some(Expr::MethodCall(call)) if settings.parameter_hints => {
                let arguments: Vec<Expr<'_>> = call.arguments().collect();
                hints.extend(names(&view, index, call.name(), &arguments, 1));
            }
            _ => {}
        }
    }
    hints.sort_by_key(|hint| (hint.position.line, hint.position.character));
    Ok(Some(hints))
}

/// Whether the type of a value is plain to see.
fn is_obvious(value: Expr<'_>) -> bool {
    matches!(
        value.unwrap_parens(),
        Expr::String(_)
            | Expr::Interpolated(_)
            | Expr::Heredoc(_)
            | Expr::Number(_)
            | Expr::Boolean(_)
            | Expr::Undef(_)
            | Expr::Array(_)
            | Expr::Hash(_)
            | Expr::Regex(_)
            | Expr::Type(_)
    )
}

/// The names of the parameters of literal arguments, where they are not plain from a variable.
fn names(
    view: &View<'_>,
    index: &Index,
    function: &str,
    arguments: &[Expr<'_>],
    first: usize,
) -> Vec<InlayHint> {
    let forms = index.forms(&index.function(function, false));
    let [form] = &forms[..] else { return Vec::new() };
    // The only argument of a function needs no name.
    if form.parameters.len() < 2 || form.rest {
        return Vec::new();
    }
    let named = arguments.iter().enumerate().filter_map(|(at, argument)| {
        let (name, _) = form.parameters.get(at + first)?;
        let is_literal = matches!(
            argument,
            Expr::Undef(_) | Expr::Boolean(_) | Expr::Number(_) | Expr::String(_) | Expr::Regex(_)
        );
        let start = argument.span().start;
        is_literal.then(|| hint(view, start, format!("{name}: "), Some(InlayHintKind::PARAMETER)))
    });
    named.collect()
}

fn hint(view: &View<'_>, offset: u32, label: String, kind: Option<InlayHintKind>) -> InlayHint {
    InlayHint {
        position: view.positions().position(offset),
        label: InlayHintLabel::String(label),
        kind,
        text_edits: None,
        tooltip: None,
        padding_left: None,
        padding_right: None,
        data: None,
    }
}
