//! Formatting: of a document, of a range, and of what has just been typed.

use std::ops::RangeInclusive;
use std::path::Path;

use kukla::format::{FormatError, Language as Dialect, LineEdit, Options, edits, format, range_edits};
use kukla::style::FormatSettings;
use lsp_types::{
    DocumentFormattingParams, DocumentOnTypeFormattingParams, DocumentRangeFormattingParams, Position, Range,
    TextEdit, Uri,
};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;
use crate::view::View;

/// Formats a document.
pub fn document(
    session: &mut Session,
    params: &DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let view = open(session, &params.text_document.uri)?;
    let Some((dialect, options)) = settings(&view)? else { return Ok(None) };
    match format(view.text(), dialect, &options) {
        Ok(formatted) => Ok(Some(text_edits(&view, &edits(view.text(), &formatted)))),
        Err(error) => refuse(&error),
    }
}

/// Formats some lines of a document, with as little else as possible.
pub fn range(
    session: &mut Session,
    params: &DocumentRangeFormattingParams,
) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let view = open(session, &params.text_document.uri)?;
    let span = view.positions().span(params.range);
    let line = |offset: u32| view.text()[..offset as usize].matches('\n').count() + 1;
    // A range that ends at the beginning of a line does not include that line.
    let last = if span.is_empty() { span.end } else { span.end - 1 };
    let last = (0..=last).rev().find(|at| view.text().is_char_boundary(*at as usize)).unwrap_or(0);
    format_lines(&view, &(line(span.start)..=line(last)))
}

/// Formats the construct that a brace has closed. A line break alone changes nothing: the text is usually incomplete then.
pub fn on_type(
    session: &mut Session,
    params: &DocumentOnTypeFormattingParams,
) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let at = &params.text_document_position;
    let view = open(session, &at.text_document.uri)?;
    if params.ch != "}" {
        return Ok(None);
    }
    let offset = view.offset(at.position);
    let Some(text) = view.parsed().filter(|text| !text.is_broken) else { return Ok(None) };
    let ends_here = text.tree.elements().filter(|node| !node.kind().is_token() && node.span().end == offset);
    // The largest construct that this brace ends.
    let Some(node) = ends_here.max_by_key(|node| node.span().len()) else { return Ok(None) };
    let line = |offset: u32| view.text()[..offset as usize].matches('\n').count() + 1;
    let formatted = format_lines(&view, &(line(node.start())..=line(offset)));
    // While typing, a message would only disturb.
    Ok(formatted.unwrap_or_default())
}

fn open<'s>(session: &'s mut Session, uri: &Uri) -> Result<View<'s>, Refusal> {
    session.text_view(&path_of(uri))
}

fn format_lines(view: &View<'_>, lines: &RangeInclusive<usize>) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let Some((dialect, options)) = settings(view)? else { return Ok(None) };
    match range_edits(view.text(), dialect, &options, lines) {
        Ok(edits) => Ok(Some(text_edits(view, &edits))),
        Err(error) => refuse(&error),
    }
}

/// The language and options of a document; `None` if it is not one that is formatted.
fn settings(view: &View<'_>) -> Result<Option<(Dialect, Options)>, Refusal> {
    if !view.language.is_some_and(|language| language.is_puppet()) {
        return Ok(None);
    }
    let dialect = match view.language {
        Some(crate::workspace::Language::Epp) => Dialect::Template,
        _ => Dialect::of_path(&view.path),
    };
    let path = if view.path.is_absolute() { view.path.as_path() } else { Path::new("/untitled.pp") };
    let options = FormatSettings::default().options(&*view.session.world, path);
    let options = options.map_err(|problem| Refusal::failed(problem.to_string()))?;
    Ok(Some((dialect, options)))
}

/// A text with syntax errors is not formatted, and its diagnostics tell why. Anything else is worth a message.
fn refuse(error: &FormatError) -> Result<Option<Vec<TextEdit>>, Refusal> {
    match error {
        FormatError::Syntax(_) => Ok(None),
        other => Err(Refusal::failed(format!("cannot format: {other}"))),
    }
}

/// Edits of lines, as edits of text. The lines of the formatter end with `\n` only.
fn text_edits(view: &View<'_>, edits: &[LineEdit]) -> Vec<TextEdit> {
    let mut starts: Vec<u32> = vec![0];
    starts.extend(view.text().match_indices('\n').map(|(at, _)| at as u32 + 1));
    let end = view.text().len() as u32;
    let position =
        |line: usize| -> Position { view.positions().position(starts.get(line).copied().unwrap_or(end)) };
    let edit = |edit: &LineEdit| TextEdit {
        range: Range { start: position(edit.lines.start), end: position(edit.lines.end) },
        new_text: edit.text.clone(),
    };
    edits.iter().map(edit).collect()
}
