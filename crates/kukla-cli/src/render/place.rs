//! Where something is, as people name it.

use std::path::Path;
use std::sync::OnceLock;

use kukla::syntax::{Diagnostic, LineColumn, SourcePosition};

/// A range of a file, in lines and columns.
pub struct Range<'a> {
    pub file: Option<&'a str>,
    pub start: LineColumn,
    pub end: LineColumn,
    /// What Puppet names for it.
    pub point: LineColumn,
}

impl<'a> Range<'a> {
    /// The place of a diagnostic; the first character of nothing where none is known.
    pub fn of(diagnostic: &'a Diagnostic) -> Range<'a> {
        let nowhere = Range { file: None, start: first(1), end: first(1), point: first(1) };
        diagnostic.position.as_ref().map_or(nowhere, Range::of_place)
    }

    /// A place in lines and columns.
    pub fn of_place(place: &'a SourcePosition) -> Range<'a> {
        let (start, end, point) = match place {
            SourcePosition::At(location) => {
                let at = |offset| location.source.line_column(offset);
                (at(location.span.start), at(location.span.end), at(location.span.point))
            }
            other => {
                let line = first(other.line().unwrap_or(1));
                (line, line, line)
            }
        };
        Range { file: place.file(), start, end, point }
    }
}

fn first(line: u32) -> LineColumn {
    LineColumn { line, column: 1 }
}

/// A path as seen from where the command runs.
pub fn shown(path: &str) -> &str {
    static HERE: OnceLock<Option<std::path::PathBuf>> = OnceLock::new();
    let here = HERE.get_or_init(|| std::env::current_dir().ok());
    let below = here.as_ref().and_then(|here| Path::new(path).strip_prefix(here).ok());
    below.and_then(Path::to_str).filter(|below| !below.is_empty()).unwrap_or(path)
}
