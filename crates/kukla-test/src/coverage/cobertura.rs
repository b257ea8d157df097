//! Cobertura's XML, which CI servers read.

use std::fmt::Write;

use super::{CoverageReport, FileCoverage, Ratio};
use crate::report::escape;

pub(super) fn render(report: &CoverageReport) -> String {
    let totals = report.totals();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str("<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n");
    let _ = writeln!(
        out,
        "<coverage line-rate=\"{}\" branch-rate=\"{}\" lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" branches-valid=\"{}\" complexity=\"0\" version=\"1\" timestamp=\"0\">",
        rate(totals.lines),
        rate(totals.branches),
        totals.lines.covered,
        totals.lines.total,
        totals.branches.covered,
        totals.branches.total
    );
    out.push_str("  <sources><source>.</source></sources>\n  <packages>\n");
    let mut directories: Vec<(&str, Vec<&FileCoverage>)> = Vec::new();
    for file in &report.files {
        let directory = file.path.rsplit_once('/').map_or(".", |(directory, _)| directory);
        match directories.last_mut() {
            Some((known, files)) if *known == directory => files.push(file),
            _ => directories.push((directory, vec![file])),
        }
    }
    for (directory, files) in directories {
        let (mut lines, mut branches) = (Ratio::default(), Ratio::default());
        for file in &files {
            lines += file.totals().lines;
            branches += file.totals().branches;
        }
        let _ = writeln!(
            out,
            "    <package name=\"{}\" line-rate=\"{}\" branch-rate=\"{}\" complexity=\"0\">\n      <classes>",
            escape(directory),
            rate(lines),
            rate(branches)
        );
        files.into_iter().for_each(|file| class(&mut out, file));
        out.push_str("      </classes>\n    </package>\n");
    }
    out + "  </packages>\n</coverage>\n"
}

fn class(out: &mut String, file: &FileCoverage) {
    let totals = file.totals();
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let _ = writeln!(
        out,
        "        <class name=\"{}\" filename=\"{}\" line-rate=\"{}\" branch-rate=\"{}\" complexity=\"0\">\n          <methods/>\n          <lines>",
        escape(name),
        escape(&file.path),
        rate(totals.lines),
        rate(totals.branches)
    );
    for (line, count) in &file.lines {
        let mut branches = Ratio::default();
        for branch in file.branches.iter().filter(|branch| branch.line == *line) {
            branches.total += 1;
            branches.covered += usize::from(branch.count > 0);
        }
        let condition = match branches.total {
            0 => "branch=\"false\"".to_owned(),
            total => format!(
                "branch=\"true\" condition-coverage=\"{:.0}% ({}/{total})\"",
                branches.percent(),
                branches.covered
            ),
        };
        let _ = writeln!(out, "            <line number=\"{line}\" hits=\"{count}\" {condition}/>");
    }
    out.push_str("          </lines>\n        </class>\n");
}

fn rate(ratio: Ratio) -> String {
    format!("{:.4}", ratio.percent() / 100.0)
}
