//! SARIF 2.1.0, which code scanning tools read.

use std::collections::BTreeMap;

use kukla::syntax::{Code, Diagnostic, Severity};
use serde_json::{Value, json};

use super::Findings;
use super::position::{LineRange, relative_path};

/// One run with all findings and the rules they name.
pub fn document(findings: &[Findings]) -> String {
    let all = || findings.iter().flat_map(|f| &f.diagnostics);
    let rules: BTreeMap<&str, &Code> = all().map(|d| (d.code.name, d.code)).collect();
    let rules: Vec<Value> = rules.values().map(|code| rule(code)).collect();
    let results: Vec<Value> = all().map(result).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "kukla", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
            "columnKind": "unicodeCodePoints",
        }],
    });
    format!("{document:#}\n")
}

fn rule(code: &Code) -> Value {
    json!({
        "id": code.name,
        "shortDescription": {"text": code.message},
        "fullDescription": {"text": code.explanation.trim()},
        "defaultConfiguration": {"level": level(code.severity)},
    })
}

fn result(diagnostic: &Diagnostic) -> Value {
    let mut result = json!({
        "ruleId": diagnostic.code.name,
        "level": level(diagnostic.severity),
        "message": {"text": diagnostic.message()},
        "locations": [location(&LineRange::of(diagnostic))],
    });
    if !diagnostic.labels.is_empty() {
        let labels = diagnostic.labels.iter().map(|l| {
            let mut place = location(&LineRange::of_position(&l.position));
            place["message"] = json!({"text": l.message});
            place
        });
        result["relatedLocations"] = labels.collect();
    }
    result
}

fn location(range: &LineRange<'_>) -> Value {
    let LineRange { file, start, end, .. } = range;
    json!({"physicalLocation": {
        "artifactLocation": {"uri": file.map_or("-", relative_path)},
        "region": {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        },
    }})
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Deprecation => "note",
    }
}
