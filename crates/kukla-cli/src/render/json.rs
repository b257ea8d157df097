//! Diagnostics as JSON, the same fields as in the machine interface and a few more.

use kukla::syntax::{Diagnostic, SourcePosition};
use serde_json::{Value, json};

use super::Findings;
use super::position::LineRange;

/// All findings as one array.
pub fn document(findings: &[Findings]) -> String {
    let all: Vec<Value> = findings.iter().flat_map(|f| &f.diagnostics).map(detailed).collect();
    format!("{:#}\n", Value::Array(all))
}

fn detailed(diagnostic: &Diagnostic) -> Value {
    let mut value = kukla::rpc::diagnostic(diagnostic);
    let end = LineRange::of(diagnostic).end;
    value["end_line"] = end.line.into();
    value["end_column"] = end.column.into();
    let labels = diagnostic.labels.iter().map(|l| {
        let mut label = range(&l.position);
        label["message"] = l.message.as_str().into();
        label
    });
    value["labels"] = labels.collect();
    value["hints"] = diagnostic.hints.iter().map(String::as_str).collect();
    value
}

fn range(place: &SourcePosition) -> Value {
    let LineRange { start, end, .. } = LineRange::of_position(place);
    json!({"line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column})
}
