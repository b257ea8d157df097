//! Answers the `parse` method of the machine interface.
#![allow(clippy::disallowed_methods)]
use kukla_syntax::{Source, parse, parse_epp, pn::Pn};
use serde_json::{Value, json};
use std::io::{BufRead, Write};

fn main() {
    let stdin = std::io::stdin();
    let mut out = std::io::stdout().lock();
    for line in stdin.lock().lines() {
        let line = line.unwrap();
        let request: Value = serde_json::from_str(&line).unwrap();
        let p = &request["params"];
        let (text, mut epp) = match p["manifest"].as_str() {
            Some(path) => (std::fs::read_to_string(path).unwrap(), path.ends_with(".epp")),
            None => (p["code"].as_str().unwrap().to_owned(), false),
        };
        if let Some(e) = p["epp"].as_bool() {
            epp = e
        }
        let source = Source::unnamed(text);
        let parsed = if epp { parse_epp(&source) } else { parse(&source) };
        let d: Vec<Value> = parsed.diagnostics.iter().map(|d| {
            let at = source.line_column(d.span.start);
            json!({"severity": d.severity.name(), "issue": d.code.name, "message": d.message, "line": at.line, "column": at.column})
        }).collect();
        let answer = match parsed.diagnostics.iter().position(|d| d.is_error()) {
            Some(first) => json!({"id": request["id"], "error": d[first], "errors": d}),
            None => {
                json!({"id": request["id"], "result": {"pn": Pn::of(&parsed.tree).to_json(), "diagnostics": d}})
            }
        };
        writeln!(out, "{answer}").unwrap();
        out.flush().unwrap();
    }
}
