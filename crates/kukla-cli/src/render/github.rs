//! Annotations that GitHub Actions shows beside the code.

use std::fmt::Write;

use kukla::syntax::{Diagnostic, Severity, Source};

use super::Place;

/// One workflow command.
pub fn annotation(out: &mut String, source: &Source, diagnostic: &Diagnostic) {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning | Severity::Deprecation => "warning",
    };
    let Place { file, line, column } = Place::of(source, diagnostic);
    let end = source.line_column(diagnostic.span.end);
    let _ = writeln!(
        out,
        "::{level} file={},line={line},col={column},endLine={},endColumn={},title={}::{}",
        property(file.unwrap_or_default()),
        end.line,
        end.column,
        diagnostic.code.name,
        data(&diagnostic.message)
    );
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
