//! One JSON document with everything that is known about the coverage.

use serde_json::{Map, Value, json};

use super::{CoverageReport, FileCoverage, Ratio, Totals};

pub(super) fn render(report: &CoverageReport) -> String {
    let keys: Vec<Value> = report
        .keys
        .iter()
        .map(|key| json!({"file": key.file, "key": key.key, "used": key.is_used}))
        .collect();
    let document = json!({
        "totals": totals(&report.totals()),
        "files": report.files.iter().map(file).collect::<Vec<_>>(),
        "data_keys": keys,
    });
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn totals(totals: &Totals) -> Value {
    let ratio = |ratio: Ratio| json!({"covered": ratio.covered, "total": ratio.total});
    json!({
        "lines": ratio(totals.lines),
        "branches": ratio(totals.branches),
        "definitions": ratio(totals.definitions),
        "parameters": ratio(totals.parameters),
        "resources": ratio(totals.resources),
        "data_keys": ratio(totals.keys),
    })
}

fn file(file: &FileCoverage) -> Value {
    let lines: Map<String, Value> =
        file.lines.iter().map(|(line, count)| (line.to_string(), (*count).into())).collect();
    let branches: Vec<Value> = file
        .branches
        .iter()
        .map(|branch| json!({"line": branch.line, "name": branch.name, "count": branch.count}))
        .collect();
    let definitions: Vec<Value> = file
        .definitions
        .iter()
        .map(|one| json!({"line": one.line, "kind": one.kind, "name": one.name, "count": one.count}))
        .collect();
    let parameters: Vec<Value> = file
        .parameters
        .iter()
        .map(|one| {
            json!({
                "line": one.line,
                "of": one.owner,
                "name": one.name,
                "set": one.is_set,
                "defaulted": one.is_defaulted,
            })
        })
        .collect();
    let resources: Vec<Value> = file
        .resources
        .iter()
        .map(|(line, (declared, checked))| json!({"line": line, "declared": declared, "checked": checked}))
        .collect();
    json!({
        "file": file.path,
        "totals": totals(&file.totals()),
        "lines": lines,
        "branches": branches,
        "definitions": definitions,
        "parameters": parameters,
        "resources": resources,
    })
}
