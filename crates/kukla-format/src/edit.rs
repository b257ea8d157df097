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
///
/// Each line that only gets other blanks is an edit of its own, so that a part of a file can be formatted without its neighbours.
pub fn edits(old: &str, new: &str) -> Vec<LineEdit> {
    let (old_lines, new_lines): (Vec<_>, Vec<_>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let (old_words, new_words) = (without_blanks(&old_lines), without_blanks(&new_lines));
    let mut edits = Vec::new();
    for op in diff_lines(&old_words, &new_words, None).ops() {
        let (old_range, new_range) = (op.old_range(), op.new_range());
        if op.tag() == DiffTag::Equal {
            let pairs = old_range.zip(new_range).filter(|&(old, new)| old_lines[old] != new_lines[new]);
            edits.extend(
                pairs.map(|(old, new)| LineEdit { lines: old..old + 1, text: new_lines[new].to_owned() }),
            );
        } else {
            edits.push(LineEdit { lines: old_range, text: new_lines[new_range].concat() });
        }
    }
    edits
}

/// The lines without their blanks, by which lines are recognised.
fn without_blanks(lines: &[&str]) -> String {
    let mut words = String::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        words.extend(line.split_whitespace());
        words.push('\n');
    }
    words
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
