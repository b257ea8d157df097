//! Rows as columns for people.

use serde_json::Value as Json;

/// The widest that a column gets, but for the last one.
const WIDTH: usize = 60;

/// Rows below the names of their columns.
pub fn rendered(rows: &[Json]) -> String {
    let Some(Json::Object(first)) = rows.first() else { return String::new() };
    let names: Vec<&String> = first.keys().collect();
    let head: Vec<String> = names.iter().map(|name| (*name).clone()).collect();
    let cells = |row: &Json| names.iter().map(|name| cell(&row[name.as_str()])).collect();
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().map(cells)).collect();
    let widest =
        |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or_default().min(WIDTH);
    let widths: Vec<usize> = (0..names.len()).map(widest).collect();
    let mut out = String::new();
    for line in &lines {
        let padded: Vec<String> =
            line.iter().zip(&widths).map(|(text, width)| format!("{text:width$}")).collect();
        out += padded.join("  ").trim_end();
        out.push('\n');
    }
    out
}

/// A value on one line.
fn cell(value: &Json) -> String {
    let text = match value {
        Json::Null => "-".to_owned(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
