//! Annotations that GitHub Actions shows beside the code.

use std::fmt::Write;

use kukla::syntax::{Diagnostic, Severity};

use super::place::{Range, shown};

/// One workflow command.
pub fn annotation(out: &mut String, diagnostic: &Diagnostic) {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning | Severity::Deprecation => "warning",
    };
    let Range { file, point, end, .. } = Range::of(diagnostic);
    let _ = writeln!(
        out,
        "::{level} file={},line={},col={},endLine={},endColumn={},title={}::{}",
        property(file.map(shown).unwrap_or_default()),
        point.line,
        point.column,
        end.line,
        end.column,
        diagnostic.code.name,
        data(&diagnostic.message())
    );
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
