//! Folding: bodies, lists, heredocs, comments and marked regions.

use kukla::syntax::SyntaxKind as K;
use kukla::syntax::tree::Node;
use lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;
use crate::view::View;

/// The parts of a document that can be folded.
pub fn folding(
    session: &mut Session,
    params: &FoldingRangeParams,
) -> Result<Option<Vec<FoldingRange>>, Refusal> {
    let view = session.text_view(&path_of(&params.text_document.uri))?;
    let mut found = match view.parsed() {
        Some(text) => in_code(&view, text.tree.root()),
        None => in_data(&view),
    };
    found.sort_by_key(|range| (range.start_line, range.end_line));
    found.dedup_by_key(|range| (range.start_line, range.end_line));
    Ok(Some(found))
}

fn range(start_line: u32, end_line: u32, kind: Option<FoldingRangeKind>) -> Option<FoldingRange> {
    (end_line > start_line).then_some(FoldingRange { start_line, end_line, kind, ..FoldingRange::default() })
}

fn in_code(view: &View<'_>, root: Node<'_>) -> Vec<FoldingRange> {
    let line = |offset: u32| view.lines.line(offset);
    let mut found = Vec::new();
    // The comments that stand alone on successive lines.
    let mut comment: Option<(u32, u32)> = None;
    let mut regions = Vec::new();
    for node in root.descendants() {
        let span = node.span();
        match node.kind() {
            K::LineComment => {
                let own = line(span.start);
                let text = node.text().trim_start_matches('#').trim_start();
                if text.starts_with("region") || text.starts_with("{{{") {
                    regions.push(own);
                } else if text.starts_with("endregion") || text.starts_with("}}}") {
                    let start = regions.pop();
                    found.extend(start.and_then(|start| range(start, own, Some(FoldingRangeKind::Region))));
                }
                comment =
                    match comment {
                        Some((start, last)) if last + 1 == own => Some((start, own)),
                        other => {
                            found.extend(other.and_then(|(start, last)| {
                                range(start, last, Some(FoldingRangeKind::Comment))
                            }));
                            Some((own, own))
                        }
                    };
            }
            K::BlockComment => {
                let end = line(span.end.saturating_sub(1));
                found.extend(range(line(span.start), end, Some(FoldingRangeKind::Comment)));
            }
            K::HeredocBody => {
                let start = line(span.start).saturating_sub(1);
                found.extend(range(start, line(span.end.saturating_sub(1)), None));
            }
            K::Block
            | K::Parameters
            | K::Array
            | K::Hash
            | K::Arguments
            | K::Resource
            | K::Case
            | K::Selector
            | K::ResourceDefaults
            | K::ResourceOverride
            | K::Collector
            | K::Lambda => {
                // The line of the closing bracket stays visible.
                let end = line(span.end.saturating_sub(1)).saturating_sub(1);
                found.extend(range(line(span.start), end, None));
            }
            _ => {}
        }
    }
    found.extend(comment.and_then(|(start, last)| range(start, last, Some(FoldingRangeKind::Comment))));
    found
}

/// The blocks of data, which are indented.
fn in_data(view: &View<'_>) -> Vec<FoldingRange> {
    let mut found = Vec::new();
    // The lines that may have a block under them, with their indentation.
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut last = 0;
    for (text, line) in view.text().lines().zip(0u32..) {
        let inside = text.trim_start();
        if inside.is_empty() || inside.starts_with('#') {
            continue;
        }
        let indent = text.len() - inside.len();
        while let Some((own, start)) = open.last().copied().filter(|(own, _)| *own >= indent) {
            open.pop();
            // The elements of a list may have the indentation of their key.
            if own == indent && inside.starts_with("- ") && !starts_list(view.text(), start) {
                open.push((own, start));
                break;
            }
            found.extend(range(start, last, None));
        }
        if !inside.starts_with("- ") || open.last().is_none_or(|(own, _)| *own < indent) {
            open.push((indent, line));
        }
        last = line;
    }
    found.extend(open.into_iter().filter_map(|(_, start)| range(start, last, None)));
    found
}

fn starts_list(text: &str, line: u32) -> bool {
    text.lines().nth(line as usize).is_some_and(|text| text.trim_start().starts_with("- "))
}
