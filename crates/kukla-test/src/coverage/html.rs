//! One page with a table of all files and their annotated source. It needs no other file and no network.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{CoverageReport, FileCoverage, Ratio, Totals};
use crate::report::escape;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub(super) fn render(report: &CoverageReport) -> String {
    let totals = report.totals();
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>Coverage</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Coverage</h1>\n"
    );
    out.push_str("<div class=\"totals\">\n");
    for (name, ratio) in ratios(&totals) {
        if ratio.total > 0 {
            let _ = writeln!(
                out,
                "<div class=\"total {}\"><b>{:.1}%</b><span>{name}</span><small>{} of {}</small></div>",
                level(ratio),
                ratio.percent(),
                ratio.covered,
                ratio.total
            );
        }
    }
    out.push_str("</div>\n<table class=\"files\">\n<thead><tr><th>File</th>");
    for (name, _) in &ratios(&totals)[..5] {
        let _ = write!(out, "<th>{name}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (number, file) in report.files.iter().enumerate() {
        let _ = write!(out, "<tr><td><a href=\"#f{number}\">{}</a></td>", escape(&file.path));
        for (_, ratio) in &ratios(&file.totals())[..5] {
            cell(&mut out, *ratio);
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
    keys(&mut out, report);
    for (number, file) in report.files.iter().enumerate() {
        source(&mut out, number, file);
    }
    let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

fn ratios(totals: &Totals) -> [(&'static str, Ratio); 6] {
    [
        ("lines", totals.lines),
        ("branches", totals.branches),
        ("definitions", totals.definitions),
        ("parameters", totals.parameters),
        ("resources", totals.resources),
        ("data keys", totals.keys),
    ]
}

fn level(ratio: Ratio) -> &'static str {
    match ratio.percent() {
        percent if percent >= 90.0 => "high",
        percent if percent >= 60.0 => "medium",
        _ => "low",
    }
}

fn cell(out: &mut String, ratio: Ratio) {
    if ratio.total == 0 {
        out.push_str("<td class=\"none\" data-value=\"101\">–</td>");
        return;
    }
    let percent = ratio.percent();
    let _ = write!(
        out,
        "<td class=\"{}\" data-value=\"{percent:.3}\"><meter value=\"{percent:.0}\" max=\"100\"></meter> {percent:.0}% <small>{}/{}</small></td>",
        level(ratio),
        ratio.covered,
        ratio.total
    );
}

fn keys(out: &mut String, report: &CoverageReport) {
    let mut unused: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for key in report.keys.iter().filter(|key| !key.is_used) {
        unused.entry(&key.file).or_default().push(&key.key);
    }
    if unused.is_empty() {
        return;
    }
    out.push_str("<details><summary>Keys that no lookup has used</summary>\n<ul>\n");
    for (file, keys) in unused {
        let keys: Vec<String> = keys.iter().map(|key| format!("<code>{}</code>", escape(key))).collect();
        let _ = writeln!(out, "<li>{}: {}</li>", escape(file), keys.join(", "));
    }
    out.push_str("</ul></details>\n");
}

fn source(out: &mut String, number: usize, file: &FileCoverage) {
    let totals = file.totals();
    let _ = writeln!(
        out,
        "<section id=\"f{number}\">\n<h2>{} <small>{} of {} lines, {} of {} branches</small></h2>\n<pre>",
        escape(&file.path),
        totals.lines.covered,
        totals.lines.total,
        totals.branches.covered,
        totals.branches.total
    );
    for (at, text) in (1u32..).zip(file.text.lines()) {
        let count = file.lines.get(&at);
        let missed: Vec<&str> = file
            .branches
            .iter()
            .filter(|branch| branch.line == at && branch.count == 0)
            .map(|branch| branch.name.as_str())
            .collect();
        let mut notes = Vec::new();
        if !missed.is_empty() {
            notes.push(format!("never taken: {}", missed.join(", ")));
        }
        for parameter in file.parameters.iter().filter(|one| one.line == at && !one.is_set) {
            notes.push(format!("no test sets ${}", parameter.name));
        }
        match file.resources.get(&at) {
            Some((true, false)) => notes.push("in a catalog, but no test looks at it".to_owned()),
            Some((false, false)) if count.is_none_or(|count| *count == 0) => {
                notes.push("in no catalog".to_owned());
            }
            _ => {}
        }
        let class = match count {
            Some(0) => "miss",
            _ if !missed.is_empty() => "part",
            Some(_) if !notes.is_empty() => "hit noted",
            Some(_) => "hit",
            None => "",
        };
        let shown = count.map_or(String::new(), |count| format!("{count}×"));
        let note = match notes.is_empty() {
            true => String::new(),
            false => format!("<em>{}</em>", escape(&notes.join("; "))),
        };
        let _ = write!(
            out,
            "<span class=\"line {class}\" id=\"f{number}l{at}\"><i>{at}</i><b>{shown}</b><code>{}</code>{note}</span>",
            escape(text)
        );
    }
    out.push_str("</pre>\n</section>\n");
}
