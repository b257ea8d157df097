//! Positions of diagnostics in lines and columns, and paths relative to the current directory.

use std::path::Path;
use std::sync::OnceLock;

use kukla::syntax::{Diagnostic, LineColumn, SourcePosition};

/// A range of a file in lines and columns.
pub struct LineRange<'a> {
    pub file: Option<&'a str>,
    pub start: LineColumn,
    pub end: LineColumn,
    /// The position that Puppet reports for it.
    pub point: LineColumn,
}

impl<'a> LineRange<'a> {
    /// The range of a diagnostic; line 1, column 1 of no file if it has no position.
    pub fn of(diagnostic: &'a Diagnostic) -> LineRange<'a> {
        let unknown = LineRange { file: None, start: first(1), end: first(1), point: first(1) };
        diagnostic.shown_position().map_or(unknown, LineRange::of_position)
    }

    /// The range of a position.
    pub fn of_position(position: &'a SourcePosition) -> LineRange<'a> {
        let (start, end, point) = match position {
            SourcePosition::At(location) => {
                let at = |offset| location.source.line_column(offset);
                (at(location.span.start), at(location.span.end), at(location.span.point))
            }
            other => {
                let line = first(other.line().unwrap_or(1));
                (line, line, line)
            }
        };
        LineRange { file: position.file(), start, end, point }
    }
}

fn first(line: u32) -> LineColumn {
    LineColumn { line, column: 1 }
}

/// A path relative to the current directory, if it is below it.
pub fn relative_path(path: &str) -> &str {
    static HERE: OnceLock<Option<std::path::PathBuf>> = OnceLock::new();
    let here = HERE.get_or_init(|| std::env::current_dir().ok());
    let below = here.as_ref().and_then(|here| Path::new(path).strip_prefix(here).ok());
    below.and_then(Path::to_str).filter(|below| !below.is_empty()).unwrap_or(path)
}
