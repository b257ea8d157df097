//! A table with a row for each file, and the lines that no test reaches.

use std::fmt::Write;

use super::{CoverageReport, FileCoverage, Ratio};

pub(super) fn render(report: &CoverageReport) -> String {
    let mut rows =
        vec![["file", "lines", "branches", "parameters", "resources", "not reached"].map(str::to_owned)];
    for file in &report.files {
        let totals = file.totals();
        rows.push([
            file.path.clone(),
            percent(totals.lines),
            percent(totals.branches),
            percent(totals.parameters),
            percent(totals.resources),
            unreached(file),
        ]);
    }
    let totals = report.totals();
    rows.push([
        "all files".to_owned(),
        percent(totals.lines),
        percent(totals.branches),
        percent(totals.parameters),
        percent(totals.resources),
        String::new(),
    ]);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut out = String::new();
    for row in &rows {
        let mut line = format!("{:<1$}", row[0], widths[0]);
        for column in 1..5 {
            let _ = write!(line, "  {:>1$}", row[column], widths[column]);
        }
        let _ = writeln!(out, "{}", format!("{line}  {}", row[5]).trim_end());
    }
    if totals.keys.total > 0 {
        let _ = writeln!(
            out,
            "data keys: {} ({} of {})",
            percent(totals.keys),
            totals.keys.covered,
            totals.keys.total
        );
    }
    out
}

fn percent(ratio: Ratio) -> String {
    if ratio.total == 0 { "-".into() } else { format!("{:.1}%", ratio.percent()) }
}

/// The lines that no test reaches, as ranges.
fn unreached(file: &FileCoverage) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut is_open = false;
    for (line, count) in &file.lines {
        match ranges.last_mut() {
            _ if *count > 0 => is_open = false,
            Some((_, end)) if is_open => *end = *line,
            _ => {
                ranges.push((*line, *line));
                is_open = true;
            }
        }
    }
    let shown =
        |(start, end): &(u32, u32)| if start == end { start.to_string() } else { format!("{start}-{end}") };
    ranges.iter().map(shown).collect::<Vec<_>>().join(", ")
}
