//! Selection ranges: the constructs around a position, each in the next.

use kukla::syntax::Span;
use lsp_types::{SelectionRange, SelectionRangeParams};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;
use crate::view::View;

/// The constructs around some positions.
pub fn selection_range(
    session: &mut Session,
    params: &SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>, Refusal> {
    let view = session.text_view(&path_of(&params.text_document.uri))?;
    let around = |position| {
        let spans = spans(&view, view.offset(position));
        let mut outer = None;
        for span in spans {
            outer = Some(Box::new(SelectionRange { range: view.range(span), parent: outer }));
        }
        outer.map_or_else(
            || SelectionRange { range: view.range(Span::at(view.offset(position))), parent: None },
            |range| *range,
        )
    };
    Ok(Some(params.positions.iter().copied().map(around).collect()))
}

/// The spans around an offset, the largest first.
fn spans(view: &View<'_>, offset: u32) -> Vec<Span> {
    let whole = Span::new(0, view.text().len() as u32);
    let mut found = vec![whole];
    let contains = |span: &Span| span.start <= offset && offset <= span.end && !span.is_empty();
    match view.parsed() {
        Some(text) => {
            let nodes = text.tree.root().descendants().skip(1);
            let nodes = nodes.filter(|node| !node.kind().is_trivia() || node.kind().is_token());
            let mut spans: Vec<Span> = nodes.map(|node| node.span()).filter(contains).collect();
            // Of two tokens that touch at the offset only one can be in the chain.
            spans.sort_by_key(|span| std::cmp::Reverse(span.len()));
            for span in spans {
                let last = found[found.len() - 1];
                let is_inside = last.start <= span.start && span.end <= last.end;
                if is_inside && (span.start, span.end) != (last.start, last.end) {
                    found.push(span);
                }
            }
        }
        None => {
            let line = view.lines.line(offset);
            if let Some(range) = view.lines.range(view.text(), line) {
                let span = Span::new(range.start as u32, range.end as u32);
                let text = &view.text()[range];
                let indent = (text.len() - text.trim_start().len()) as u32;
                let inner = Span::new((span.start + indent).min(span.end), span.end);
                found.extend([span, inner].into_iter().filter(contains));
            }
        }
    }
    found
}
