//! Linked editing: the tags of a heredoc change together.

use kukla::syntax::ast::Heredoc;
use kukla::syntax::{Span, SyntaxKind as K};
use lsp_types::{LinkedEditingRangeParams, LinkedEditingRanges};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;

/// The tag of a heredoc and the word that ends it.
pub fn linked_editing(
    session: &mut Session,
    params: &LinkedEditingRangeParams,
) -> Result<Option<LinkedEditingRanges>, Refusal> {
    let at = &params.text_document_position_params;
    let view = session.text_view(&path_of(&at.text_document.uri))?;
    let offset = view.offset(at.position);
    let Some(text) = view.parsed() else { return Ok(None) };
    for heredoc in text.tree.elements().filter_map(Heredoc::cast) {
        let Some((first, last)) = tags(heredoc) else { continue };
        if [first, last].iter().any(|span| span.start <= offset && offset <= span.end) {
            return Ok(Some(LinkedEditingRanges {
                ranges: vec![view.range(first), view.range(last)],
                word_pattern: None,
            }));
        }
    }
    Ok(None)
}

/// The spans of the tag of a heredoc and of the word that ends it.
fn tags(heredoc: Heredoc<'_>) -> Option<(Span, Span)> {
    let tag = heredoc.syntax();
    let end = heredoc.body()?.children().find(|child| child.kind() == K::HeredocEnd)?;
    let text = end.text();
    let word = text.trim().trim_start_matches(['|', '-']).trim();
    if word.is_empty() {
        return None;
    }
    let in_end = end.start() + text.rfind(word)? as u32;
    let in_tag = tag.start() + tag.text().find(word)? as u32;
    let length = word.len() as u32;
    Some((Span::new(in_tag, in_tag + length), Span::new(in_end, in_end + length)))
}
