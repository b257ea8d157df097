//! Diagnostics as JSON, the same fields as in the machine interface and a few more.

use kukla::syntax::{Diagnostic, Source, Span};
use serde_json::{Value, json};

use super::Findings;

/// All findings as one array.
pub fn document(findings: &[Findings]) -> String {
    let all: Vec<Value> =
        findings.iter().flat_map(|f| f.diagnostics.iter().map(|d| detailed(&f.source, d))).collect();
    format!("{:#}\n", Value::Array(all))
}

fn detailed(source: &Source, diagnostic: &Diagnostic) -> Value {
    let mut value = kukla::rpc::diagnostic(source, diagnostic);
    let end = source.line_column(diagnostic.span.end);
    value["end_line"] = end.line.into();
    value["end_column"] = end.column.into();
    let labels = diagnostic.labels.iter().map(|l| {
        let mut label = range(source, l.span);
        label["message"] = l.message.as_str().into();
        label
    });
    value["labels"] = labels.collect();
    value["hints"] = diagnostic.hints.iter().map(String::as_str).collect();
    value
}

fn range(source: &Source, span: Span) -> Value {
    let (start, end) = (source.line_column(span.start), source.line_column(span.end));
    json!({"line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column})
}
