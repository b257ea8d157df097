//! Signature help: the signatures of the function that is being called.

use kukla::syntax::SyntaxKind as K;
use kukla::syntax::ast::{Expr, MethodCall};
use kukla::syntax::tree::Node;
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, SignatureHelp,
    SignatureHelpParams, SignatureInformation,
};

use crate::features::documentation;
use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;

/// The signatures of the call around a position.
pub fn signature_help(
    session: &mut Session,
    params: &SignatureHelpParams,
) -> Result<Option<SignatureHelp>, Refusal> {
    let at = &params.text_document_position_params;
    let view = session.view(&path_of(&at.text_document.uri))?;
    let offset = view.offset(at.position);
    let (Some(text), Some(index)) = (view.parsed(), view.index()) else { return Ok(None) };
    let Some((name, position)) =
        call_at(text.tree.root(), offset).or_else(|| typed_call(view.text(), offset))
    else {
        return Ok(None);
    };
    let forms = index.forms(&index.function(&name, false));
    let doc = documentation::of_function(&view, &name);
    let doc = doc.and_then(|doc| doc.rsplit_once("```\n\n").map(|(_, text)| text.to_owned()).or(Some(doc)));
    let doc =
        doc.map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
    let signatures: Vec<SignatureInformation> = forms
        .iter()
        .map(|form| {
            let parameters = form.parameters.iter().map(|(parameter, ty)| {
                let star = if form.rest && form.parameters.last().is_some_and(|(last, _)| last == parameter) {
                    "*"
                } else {
                    ""
                };
                ParameterInformation {
                    label: ParameterLabel::Simple(format!(
                        "{} {star}${parameter}",
                        documentation::type_name(ty)
                    )),
                    documentation: None,
                }
            });
            SignatureInformation {
                label: documentation::form_text(&name, form),
                documentation: doc.clone(),
                parameters: Some(parameters.collect()),
                active_parameter: Some(active(form.parameters.len(), form.rest, position)),
            }
        })
        .collect();
    if signatures.is_empty() {
        return Ok(None);
    }
    let fits = forms.iter().position(|form| form.rest || position < form.parameters.len());
    let active_signature = Some(fits.unwrap_or(0) as u32);
    Ok(Some(SignatureHelp { signatures, active_signature, active_parameter: None }))
}

/// The parameter that an argument is for.
fn active(count: usize, has_rest: bool, position: usize) -> u32 {
    if has_rest { position.min(count.saturating_sub(1)) as u32 } else { position as u32 }
}

/// The function of the innermost call whose parentheses contain an offset, and the number of the argument there.
fn call_at(root: Node<'_>, offset: u32) -> Option<(String, usize)> {
    let lists = root.descendants().filter(|node| {
        node.kind() == K::Call && node.child(K::Arguments).is_some_and(|list| inside(list, offset))
            || node.kind() == K::MethodCall
                && node.child(K::Arguments).is_some_and(|list| inside(list, offset))
    });
    let call = lists.min_by_key(|node| node.child(K::Arguments).map(|list| list.span().len()))?;
    let list = call.child(K::Arguments)?;
    let commas = list.children().filter(|child| child.kind() == K::Comma && child.start() < offset).count();
    match Expr::cast(call)? {
        Expr::Call(call) => match call.function() {
            Expr::Name(name) => Some((name.name().to_owned(), commas)),
            _ => None,
        },
        // The receiver is the first argument.
        Expr::MethodCall(call) => Some((MethodCall::name(call).to_owned(), commas + 1)),
        _ => None,
    }
}

fn inside(list: Node<'_>, offset: u32) -> bool {
    list.span().start < offset && offset < list.span().end
}

/// The same in a text that is incomplete: the name before the nearest open parenthesis.
fn typed_call(text: &str, offset: u32) -> Option<(String, usize)> {
    let before = text.get(..offset as usize)?;
    let (mut depth, mut commas) = (0usize, 0usize);
    for (at, c) in before.char_indices().rev().take(2000) {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' if depth == 0 => {
                let head = &before[..at];
                let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
                let start = head.trim_end_matches(is_part).len();
                let name = &head[start..];
                let is_method = head[..start].ends_with('.');
                let is_name = name.starts_with(|c: char| c.is_ascii_lowercase());
                return is_name.then(|| (name.to_owned(), commas + usize::from(is_method)));
            }
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '{' | ';' => return None,
            ',' if depth == 0 => commas += 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_are_being_typed() {
        let call = |text: &str| typed_call(text, text.len() as u32);
        assert_eq!(call("$x = split($a, "), Some(("split".into(), 1)));
        assert_eq!(call("$x = $a.join("), Some(("join".into(), 1)));
        assert_eq!(call("f(g(1, 2), [3, 4], "), Some(("f".into(), 2)));
        assert_eq!(call("class a {"), None);
        assert_eq!(call("x"), None);
    }
}
