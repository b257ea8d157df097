//! The tracefile of lcov, which `genhtml`, editors and coverage services read.

use std::fmt::Write;

use super::CoverageReport;

pub(super) fn render(report: &CoverageReport) -> String {
    let mut out = String::new();
    for file in &report.files {
        let _ = writeln!(out, "TN:\nSF:{}", file.path);
        for defined in &file.definitions {
            let _ = writeln!(out, "FN:{},{}", defined.line, defined.name);
        }
        for defined in &file.definitions {
            let _ = writeln!(out, "FNDA:{},{}", defined.count, defined.name);
        }
        let totals = file.totals();
        let _ = writeln!(out, "FNF:{}\nFNH:{}", totals.definitions.total, totals.definitions.covered);
        let mut previous = None;
        let mut number = 0;
        for branch in &file.branches {
            number = if previous == Some(branch.construct) { number + 1 } else { 0 };
            previous = Some(branch.construct);
            let ran = file.lines.get(&branch.line).is_none_or(|count| *count > 0) || branch.count > 0;
            let count = if ran { branch.count.to_string() } else { "-".into() };
            let _ = writeln!(out, "BRDA:{},{},{number},{count}", branch.line, branch.construct);
        }
        let _ = writeln!(out, "BRF:{}\nBRH:{}", totals.branches.total, totals.branches.covered);
        for (line, count) in &file.lines {
            let _ = writeln!(out, "DA:{line},{count}");
        }
        let _ = writeln!(out, "LF:{}\nLH:{}\nend_of_record", totals.lines.total, totals.lines.covered);
    }
    out
}
