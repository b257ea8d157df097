//! The occurrences of a name in one document.

use kukla_check::symbols::Role;
use lsp_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;

/// The occurrences of the name at a position.
pub fn highlight(
    session: &mut Session,
    params: &DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, Refusal> {
    let at = &params.text_document_position_params;
    let view = session.view(&path_of(&at.text_document.uri))?;
    let Some(wanted) = view.symbol_at(at.position) else { return Ok(None) };
    let same = view
        .occurrences()
        .into_iter()
        .filter(|one| view.resolve(&one.symbol).is_some_and(|symbol| symbol == wanted.symbol));
    let highlights = same.map(|one| DocumentHighlight {
        range: view.range(one.span),
        kind: Some(match one.role {
            Role::Definition | Role::Write => DocumentHighlightKind::WRITE,
            Role::Read => DocumentHighlightKind::READ,
        }),
    });
    Ok(Some(highlights.collect()))
}
