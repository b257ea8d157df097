//! All references of a name: in code, templates and data.

use kukla_check::symbols::{self, Located, Role};
use lsp_types::{Location, ReferenceParams};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;
use crate::view::View;

/// The references of the name at a position.
pub fn references(session: &mut Session, params: &ReferenceParams) -> Result<Option<Vec<Location>>, Refusal> {
    let at = &params.text_document_position;
    let view = session.view(&path_of(&at.text_document.uri))?;
    let Some(occurrence) = view.symbol_at(at.position) else { return Ok(None) };
    let mut found = match view.snapshot {
        Some(snapshot) => symbols::references(snapshot, &occurrence.symbol),
        None => Vec::new(),
    };
    if !params.context.include_declaration {
        found.retain(|one| one.occurrence.role != Role::Definition);
    }
    Ok(Some(locations(&view, &found)))
}

/// The locations of occurrences.
pub fn locations(view: &View<'_>, found: &[Located]) -> Vec<Location> {
    found.iter().filter_map(|one| view.location(&one.source, one.occurrence.span)).collect()
}
