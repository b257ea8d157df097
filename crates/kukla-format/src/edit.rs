//! The difference between a text and its formatted form, as edits of whole lines: for editors, and for parts of a file.

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use similar::{DiffTag, TextDiff};

use crate::{FormatError, Language, Options, format, verify};

/// A replacement of whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// The lines that are replaced, counted from zero; empty where lines are only added.
    pub lines: Range<usize>,
    /// The new lines, with their line breaks.
    pub text: String,
}

impl LineEdit {
    /// Whether the edit touches one of the lines, which count from one.
    fn touches(&self, lines: &RangeInclusive<usize>) -> bool {
        let (first, last) = (self.lines.start + 1, self.lines.end.max(self.lines.start + 1));
        first <= *lines.end() && last >= *lines.start()
    }
}

/// Compares two texts by lines, coarsely once the time limit has passed.
///
/// The algorithms are generic and large, and would be compiled once for each crate that calls them directly: 400 KB each time.
pub fn diff_lines<'old, 'new>(
    old: &'old str,
    new: &'new str,
    limit: Option<Duration>,
) -> TextDiff<'old, 'new, str> {
    let mut config = TextDiff::configure();
    if let Some(limit) = limit {
        config.timeout(limit);
    }
    config.diff_lines(old, new)
}

/// The edits that make the second text of the first, in order.
pub fn edits(old: &str, new: &str) -> Vec<LineEdit> {
    let diff = diff_lines(old, new, None);
    let changes = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    let edit = |op: &similar::DiffOp| {
        let text = diff.iter_changes(op).filter(|change| change.tag() == similar::ChangeTag::Insert);
        LineEdit { lines: op.old_range(), text: text.map(|change| change.value()).collect() }
    };
    changes.map(edit).collect()
}

/// A text with edits applied to it.
pub fn apply(text: &str, edits: &[LineEdit]) -> String {
    let mut lines = text.split_inclusive('\n');
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.extend(lines.by_ref().take(edit.lines.start - at));
        lines.by_ref().take(edit.lines.len()).for_each(drop);
        out.push_str(&edit.text);
        at = edit.lines.end;
    }
    out.extend(lines);
    out
}

/// The edits that format some lines of a text, counted from one, with as little else as possible.
pub fn range_edits(
    text: &str,
    language: Language,
    options: &Options,
    lines: &RangeInclusive<usize>,
) -> Result<Vec<LineEdit>, FormatError> {
    let formatted = format(text, language, options)?;
    let all = edits(text, &formatted);
    let mut start = all.iter().position(|edit| edit.touches(lines)).unwrap_or(all.len());
    let mut end = all.iter().rposition(|edit| edit.touches(lines)).map_or(start, |last| last + 1);
    // What moves from one stretch of lines to another needs the edits of both.
    while start < end && (start > 0 || end < all.len()) {
        if verify::same_text(text, &apply(text, &all[start..end]), language) {
            break;
        }
        (start, end) = (start.saturating_sub(1), (end + 1).min(all.len()));
    }
    Ok(all[start..end].to_vec())
}
