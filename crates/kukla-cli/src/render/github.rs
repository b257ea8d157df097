//! Annotations that GitHub Actions shows beside the code.

use std::fmt::Write;

use kukla::syntax::{Diagnostic, Severity};
use serde_json::Value;

use super::position::{LineRange, relative_path};

/// One workflow command.
pub fn annotation(out: &mut String, diagnostic: &Diagnostic) {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning | Severity::Deprecation => "warning",
    };
    let LineRange { file, point, end, .. } = LineRange::of(diagnostic);
    let _ = writeln!(
        out,
        "::{level} file={},line={},col={},endLine={},endColumn={},title={}::{}",
        property(file.map(relative_path).unwrap_or_default()),
        point.line,
        point.column,
        end.line,
        end.column,
        diagnostic.code.name,
        data(&diagnostic.message())
    );
}

/// A workflow command about something in the shape of the machine interface.
pub fn command(out: &mut String, level: &str, shape: &Value, title: Option<&str>, text: &str) {
    let mut properties = Vec::new();
    if let Some(file) = shape["file"].as_str() {
        properties.push(format!("file={}", property(relative_path(file))));
    }
    for (name, key) in [("line", "line"), ("col", "column")] {
        properties.extend(shape[key].as_u64().map(|number| format!("{name}={number}")));
    }
    properties.extend(title.map(|title| format!("title={}", property(title))));
    let _ = writeln!(out, "::{level} {}::{}", properties.join(","), data(text));
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
