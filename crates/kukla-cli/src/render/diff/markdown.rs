//! The report as a comment on a pull request: folded, and within GitHub's limit.

use std::fmt::Write;

use anstream::adapter::strip_str;
use kukla::diff::{FleetDifference, Group};

use super::{Extent, words};
use crate::render::difference::{self, Line, Sign};
use crate::render::markup::escape;
use crate::render::visible::visible;

/// The longest comment that GitHub accepts. It counts characters; there are never fewer bytes.
const LIMIT: usize = 65_536;
/// The space reserved for the sentence about truncation, and the end of the comment.
const RESERVE: usize = 1_000;
/// The share of each section before any other is shown in full, as long as there are not too many; the first ones matter most and may
/// take a quarter of the remaining space.
const FAIR: usize = 1_500;
/// The number of nodes to list by name.
const NAMED: usize = 100;
/// The number of notes to show.
const NOTES: usize = 10;

/// The comment.
pub fn text(report: &FleetDifference, extent: Extent) -> String {
    let mut out = format!("### {} to {}\n\n", code(&cut(&report.from, FAIR)), code(&cut(&report.to, FAIR)));
    let _ = writeln!(out, "**{}**\n", sentence(&words::summary(report)));
    for warning in report.warnings.iter().take(NOTES) {
        let _ = writeln!(out, "> [!WARNING]\n> {}\n", sentence(&cut(warning, FAIR)));
    }
    for note in report.notes.iter().take(NOTES) {
        let _ = writeln!(out, "> {}\n", sentence(&cut(note, FAIR)));
    }
    if report.notes.len() > NOTES {
        let _ = writeln!(out, "> and {} more notes\n", report.notes.len() - NOTES);
    }
    let mut sections = Vec::new();
    sections.extend(denied(report));
    sections.extend(failures(report));
    sections.extend(report.groups.iter().map(|group| changes(group, extent)));
    sections.extend(one_sided_nodes(report));
    sections.extend(files(report));
    fill(&mut out, sections);
    out
}

/// A part of the comment that can be unfolded.
struct Section {
    /// The title, as HTML; visible while the section is folded.
    title: String,
    /// The text above the block, as Markdown.
    head: String,
    /// The lines of the block.
    lines: Vec<String>,
    /// The language of a fenced block; none for Markdown.
    fence: Option<&'static str>,
}

impl Section {
    /// The whole section if it fits, else as many lines as fit; `None` if not even the title fits.
    fn within(&self, limit: usize) -> Option<(String, Cut)> {
        let whole = self.written(self.lines.len());
        if whole.len() <= limit {
            return Some((whole, Cut::Not));
        }
        let (mut least, mut most) = (0, self.lines.len());
        if self.written(least).len() > limit {
            if !self.head.is_empty() {
                let (text, how) = self.without_head().within(limit)?;
                return Some((text, if how == Cut::Not { Cut::Some } else { how }));
            }
            let title = format!("{}\n\n", self.summary_only());
            return (title.len() <= limit).then_some((title, Cut::ToTitle));
        }
        while most - least > 1 {
            let middle = usize::midpoint(least, most);
            if self.written(middle).len() <= limit { least = middle } else { most = middle }
        }
        Some((self.written(least), Cut::Some))
    }

    fn written(&self, lines: usize) -> String {
        if self.head.is_empty() && self.lines.is_empty() {
            return format!("{}\n\n", self.summary_only());
        }
        let mut out = format!("<details><summary>{}</summary>\n\n{}", self.title, self.head);
        let shown = self.lines[..lines].join("\n");
        if !self.lines.is_empty() {
            match self.fence {
                Some(language) => {
                    let fence = fence(&shown);
                    let _ = writeln!(out, "{fence}{language}\n{shown}\n{fence}");
                }
                None => out = out + &shown + "\n",
            }
        }
        if lines < self.lines.len() {
            let left = words::count(self.lines.len() - lines, "line is", "lines are");
            let _ = writeln!(out, "\n**{left} left out here, as this comment would be too long.**");
        }
        out + "\n</details>\n\n"
    }

    fn without_head(&self) -> Section {
        let Section { title, lines, fence, .. } = self;
        Section { title: title.clone(), head: String::new(), lines: lines.clone(), fence: *fence }
    }

    fn summary_only(&self) -> String {
        format!("<p>{}</p>", self.title)
    }
}

/// The truncation of a section.
#[derive(PartialEq)]
enum Cut {
    Not,
    Some,
    ToTitle,
}

/// Adds sections as far as there is room: a share of each before all of any. Reports what is left out.
fn fill(out: &mut String, sections: Vec<Section>) {
    let needs: Vec<usize> = sections.iter().map(|one| one.written(one.lines.len()).len()).collect();
    let mut owed: usize = needs.iter().map(|need| (*need).min(FAIR)).sum();
    let (mut cut, mut titles, mut missing) = (0, 0, 0);
    for (section, need) in sections.iter().zip(needs) {
        let room = (LIMIT - RESERVE).saturating_sub(out.len());
        owed -= need.min(FAIR);
        let allowed = room.saturating_sub(owed).max(FAIR.max(room / 4).min(room));
        match section.within(allowed) {
            Some((text, how)) => {
                *out += &text;
                cut += usize::from(how == Cut::Some);
                titles += usize::from(how == Cut::ToTitle);
            }
            None => missing += 1,
        }
    }
    let mut left = Vec::new();
    for (number, what) in [(cut, "shown in part"), (titles, "shown by title"), (missing, "not shown")] {
        if number > 0 {
            left.push(format!("{} {what}", words::count(number, "section is", "sections are")));
        }
    }
    if !left.is_empty() {
        let _ = writeln!(
            out,
            "**This comment is cut at {LIMIT} bytes: {}.** `kukla diff --format html` and `--format json` leave nothing out.",
            left.join(", ")
        );
    }
}

fn denied(report: &FleetDifference) -> Option<Section> {
    let line = |denied: &kukla::diff::Denied| {
        let nodes = code(&cut(&words::nodes(&denied.nodes), FAIR));
        format!("- {} on {nodes}, denied by {}", code(&denied.resource), code(&denied.rule))
    };
    let lines: Vec<String> = report.denied.iter().map(line).collect();
    let number = words::count(lines.len(), "change is denied", "changes are denied");
    let title = format!("⛔ <b>{number}</b>");
    (!lines.is_empty()).then(|| Section { title, head: String::new(), lines, fence: None })
}

fn failures(report: &FleetDifference) -> Vec<Section> {
    let mut sections = Vec::new();
    for after in [true, false] {
        for (failure, nodes) in report.failures(after) {
            let sign = if after { "❌" } else { "🩹" };
            let title = format!("{sign} {}: {}", titled(&nodes), words::failure_phrase(after));
            let excerpt = words::failure_excerpt(failure, nodes.first().copied().unwrap_or_default());
            let excerpt = strip_str(&excerpt).to_string();
            let lines = excerpt.trim_end().lines().map(|line| visible(line).into_owned()).collect();
            sections.push(Section { title, head: all_names(&nodes), lines, fence: Some("text") });
        }
    }
    for (failure, nodes) in report.failures_on_both_sides() {
        let line = escape(&visible(&cut(&words::failure_line(failure), FAIR)));
        let title = format!("🩹 {}: compile on neither side: {line}", titled(&nodes));
        sections.push(Section { title, head: all_names(&nodes), lines: Vec::new(), fence: None });
    }
    sections
}

fn changes(group: &Group, extent: Extent) -> Section {
    let title = format!("{}: {}", titled(&group.nodes), words::numbers(&group.changes));
    let lines = match extent.only_numbers {
        true => Vec::new(),
        false => difference::lines(&group.changes).iter().map(fenced).collect(),
    };
    Section { title, head: all_names(&group.nodes), lines, fence: Some("diff") }
}

/// A line of a block in the format `diff`: its sign comes first.
fn fenced(Line { indent, sign, text }: &Line) -> String {
    let mark = match sign {
        Sign::Added => '+',
        Sign::Removed => '-',
        Sign::Changed => '!',
        Sign::Reason => '#',
        Sign::Same | Sign::Remark => ' ',
    };
    let indent = indent - 2;
    format!("{mark} {:indent$}{}", "", cut(text, FAIR)).trim_end().to_owned()
}

fn one_sided_nodes(report: &FleetDifference) -> Vec<Section> {
    let section = |(nodes, which): (Vec<&str>, &str)| {
        let title = format!("{}: {which}", titled(&nodes));
        Section { title, head: all_names(&nodes), lines: Vec::new(), fence: None }
    };
    words::one_sided_nodes(report).into_iter().map(section).collect()
}

fn files(report: &FleetDifference) -> Option<Section> {
    let line = |file: &kukla::diff::FileDifference| {
        let path = code(&file.path.to_string_lossy());
        format!("- {path} ({}) {}", file.status.name(), words::effect(file))
    };
    let lines: Vec<String> = words::files(report).into_iter().map(line).collect();
    let title = format!("📄 {}", words::count(lines.len(), "file differs", "files differ"));
    (!lines.is_empty()).then(|| Section { title, head: String::new(), lines, fence: None })
}

/// The nodes of a title, as HTML.
fn titled<S: AsRef<str>>(nodes: &[S]) -> String {
    let named = format!("<code>{}</code>", escape(&visible(&words::first_names(nodes))));
    match nodes.len() {
        1 => format!("<b>{named}</b>"),
        n => format!("<b>{n} nodes</b> ({named})"),
    }
}

/// The nodes of a section by name, where its title does not have all of them.
fn all_names<S: AsRef<str>>(nodes: &[S]) -> String {
    if nodes.len() <= words::NAMED {
        return String::new();
    }
    let mut all: Vec<String> = nodes.iter().take(NAMED).map(|node| code(node.as_ref())).collect();
    if nodes.len() > NAMED {
        all.push(format!("and {} more", nodes.len() - NAMED));
    }
    format!("{}\n\n", all.join(", "))
}

/// A fence that the text cannot close: longer than each row of back-ticks in it.
fn fence(text: &str) -> String {
    "`".repeat(longest_row(text).max(2) + 1)
}

fn longest_row(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Literal text in a line of Markdown.
fn code(text: &str) -> String {
    let text = visible(text);
    let ticks = "`".repeat(longest_row(&text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// A sentence in a line of Markdown, with markup escaped.
fn sentence(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '@' | '!') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text, truncated.
fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(limit);
    format!("{} ... ({} more bytes)", &text[..end], text.len() - end)
}
