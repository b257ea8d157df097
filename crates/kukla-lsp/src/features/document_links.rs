//! Document links: templates, files and classes that a text names.

use kukla_check::symbols::{self, Symbol};
use lsp_types::{DocumentLink, DocumentLinkParams};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::{path_of, uri_of};

/// The templates and files that a document names.
pub fn document_links(
    session: &mut Session,
    params: &DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>, Refusal> {
    let view = session.view(&path_of(&params.text_document.uri))?;
    let Some(snapshot) = view.snapshot else { return Ok(None) };
    let names = view.occurrences().into_iter();
    let named = names.filter(|one| matches!(one.symbol, Symbol::Template(_) | Symbol::File(_)));
    let links = named.filter_map(|one| {
        let place = symbols::definitions(snapshot, &one.symbol).into_iter().next()?;
        Some(DocumentLink {
            range: view.range(one.span),
            target: Some(uri_of(&place.path)?),
            tooltip: Some(place.path.display().to_string()),
            data: None,
        })
    });
    Ok(Some(links.collect()))
}
