//! Hover: the documentation of the name at a position, and its value on the chosen node.

use kukla_check::symbols::{Owner, Symbol};
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use crate::features::{documentation, node};
use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;

/// The documentation of the name at a position.
pub fn hover(session: &mut Session, params: &HoverParams) -> Result<Option<Hover>, Refusal> {
    let at = &params.text_document_position_params;
    let view = session.view(&path_of(&at.text_document.uri))?;
    let Some(occurrence) = view.symbol_at(at.position) else { return Ok(None) };
    let Some(mut text) = documentation::of_symbol(&view, &occurrence.symbol) else { return Ok(None) };
    let key = match &occurrence.symbol {
        Symbol::Variable { owner: Owner::Class(class), name } => Some(format!("{class}::{name}")),
        Symbol::DataKey(key) => Some(key.to_string()),
        _ => None,
    };
    if let Some(value) = key.and_then(|key| node::data(&view, &key)) {
        text.push_str(&format!("\n\nOn `{}`: `{}`{}", value.node, value.text, value.origin));
    }
    if let Some(ty) = view.inferred_type(occurrence.span) {
        text.push_str(&format!("\n\nType: `{ty}`"));
    }
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text });
    Ok(Some(Hover { contents, range: Some(view.range(occurrence.span)) }))
}
