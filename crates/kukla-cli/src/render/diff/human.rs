//! The report for a terminal.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use kukla::diff::FleetDifference;

use super::{Extent, words};
use crate::render::difference;
use crate::render::visible::visible;

const TITLE: Style = Style::new().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Equal changes once, with their nodes; then failures, files, notes and counts.
pub fn text(report: &FleetDifference, extent: Extent) -> String {
    let mut out = String::new();
    for group in &report.groups {
        let numbers = words::numbers(&group.changes);
        let _ = writeln!(out, "{TITLE}{}{TITLE:#}: {numbers}", words::nodes(&group.nodes));
        if !extent.only_numbers {
            out += &difference::human(&group.changes);
            out.push('\n');
        }
    }
    for after in [true, false] {
        for (failure, names) in report.failures(after) {
            let _ =
                writeln!(out, "{TITLE}{}{TITLE:#}: {}", words::nodes(&names), words::failure_phrase(after));
            out += &words::failure_excerpt(failure, names.first().copied().unwrap_or_default());
            out.push('\n');
        }
    }
    for (failure, names) in report.failures_on_both_sides() {
        let line = visible(&words::failure_line(failure)).into_owned();
        let _ = writeln!(out, "{TITLE}{}{TITLE:#}: compile on neither side: {line}", words::nodes(&names));
    }
    for (names, which) in words::one_sided_nodes(report) {
        let _ = writeln!(out, "{TITLE}{}{TITLE:#}: {which}", words::nodes(&names));
    }
    files(&mut out, report);
    for denied in &report.denied {
        let nodes = words::nodes(&denied.nodes);
        let _ = writeln!(out, "denied by {}: {} on {nodes}", denied.rule, denied.resource);
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "{WARNING}warning{WARNING:#}: {warning}");
    }
    for note in &report.notes {
        let _ = writeln!(out, "note: {note}");
    }
    let _ = writeln!(out, "{} to {}: {}", report.from, report.to, words::summary(report));
    out
}

/// The number of files to list.
const FILES: usize = 20;

fn files(out: &mut String, report: &FleetDifference) {
    if report.files.is_empty() {
        return;
    }
    let _ = writeln!(out, "{TITLE}files{TITLE:#}:");
    let files = words::files(report);
    for file in files.iter().take(FILES) {
        let _ = writeln!(out, "  {} ({}) {}", file.path.display(), file.status.name(), words::effect(file));
    }
    if files.len() > FILES {
        let _ = writeln!(out, "  and {} more", files.len() - FILES);
    }
}
