//! The changes of a group, one article each.

use std::fmt::Write;

use kukla::diff::{AttributeChange, Changes, Kind, PartChange, Reason, ResourceChange};
use kukla::values::Shown;
use kukla::values::format::inspect;

use super::html;
use super::sides::side_by_side;
use crate::render::diff::words;
use crate::render::difference::{attribute_path, container, cycle, exported, relation, texts};

/// The kinds of the changes.
pub fn kinds(changes: &Changes) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = changes.resources.iter().map(|change| change.kind.name()).collect();
    let others = [
        ("class", changes.classes_added.len() + changes.classes_removed.len()),
        ("relation", changes.relations_added.len() + changes.relations_removed.len()),
        ("cycle", changes.cycles_added.len() + changes.cycles_removed.len()),
    ];
    kinds.extend(others.iter().filter(|(_, number)| *number > 0).map(|(kind, _)| kind));
    kinds
}

/// Writes the changes.
pub fn write(out: &mut String, changes: &Changes) {
    changes.resources.iter().for_each(|change| resource(out, change));
    let class = |class: &kukla::values::Str| format!("class {class}");
    all(out, "class", Kind::Removed, changes.classes_removed.iter().map(class));
    all(out, "class", Kind::Added, changes.classes_added.iter().map(class));
    all(out, "relation", Kind::Removed, changes.relations_removed.iter().map(relation));
    all(out, "relation", Kind::Added, changes.relations_added.iter().map(relation));
    all(out, "cycle", Kind::Removed, changes.cycles_removed.iter().map(|one| cycle(one)));
    all(out, "cycle", Kind::Added, changes.cycles_added.iter().map(|one| cycle(one)));
}

fn all(out: &mut String, what: &str, kind: Kind, texts: impl Iterator<Item = String>) {
    for text in texts {
        begin(out, what, kind, &text);
        *out += "</article>\n";
    }
}

fn begin(out: &mut String, what: &str, kind: Kind, title: &str) {
    let _ = writeln!(
        out,
        "<article class=\"change {}\" data-kind=\"{what}\"><h3><span class=\"sign\">{}</span>{}</h3>",
        kind.name(),
        words::sign(kind),
        html(title)
    );
}

fn resource(out: &mut String, change: &ResourceChange) {
    let title = format!("{}{}", change.name, exported(change));
    begin(out, change.kind.name(), change.kind, &title);
    reasons(out, &change.reasons);
    if let Some((from, to)) = &change.moved {
        let (from, to) = (html(&container(from.as_ref())), html(&container(to.as_ref())));
        let _ = writeln!(out, "<p>moved from <code>{from}</code> to <code>{to}</code></p>");
    }
    let tags = [(&change.tags_removed, "before"), (&change.tags_added, "after")];
    if !change.attributes.is_empty() || tags.iter().any(|(tags, _)| !tags.is_empty()) {
        *out += "<table class=\"attributes\"><tbody>\n";
        change.attributes.iter().for_each(|one| attribute(out, one, change.kind));
        for (tags, side) in tags {
            if !tags.is_empty() {
                let tags = html(&tags.join(", "));
                let (before, after) =
                    if side == "before" { (tags, String::new()) } else { (String::new(), tags) };
                row(out, "tags", &cell("before", &before), &cell("after", &after));
            }
        }
        *out += "</tbody></table>\n";
    }
    *out += "</article>\n";
}

fn reasons(out: &mut String, reasons: &[Reason]) {
    for reason in reasons {
        let _ = writeln!(out, "<p class=\"reason\">because of {}</p>", html(&reason.to_string()));
    }
}

fn attribute(out: &mut String, change: &AttributeChange, kind: Kind) {
    for part in &change.parts {
        let name = html(&attribute_path(&change.name, &part.path));
        if change.is_secret || part.is_secret {
            let text = if kind == Kind::Changed {
                "has changed; it is sensitive and not shown"
            } else {
                "a sensitive value"
            };
            let _ = writeln!(out, "<tr><th>{name}</th><td colspan=\"2\" class=\"secret\">{text}</td></tr>");
        } else if let Some((old, new)) = texts(part) {
            let lines = old.lines().count().max(new.lines().count());
            let text = folded(lines, side_by_side(old, new));
            let _ = writeln!(out, "<tr><th>{name}</th><td colspan=\"2\">{text}</td></tr>");
        } else {
            sides(out, &name, part, kind);
        }
    }
    if !change.reasons.is_empty() {
        *out += "<tr><td></td><td colspan=\"2\">";
        reasons(out, &change.reasons);
        *out += "</td></tr>\n";
    }
}

fn sides(out: &mut String, name: &str, part: &PartChange, kind: Kind) {
    let text = |value: &Option<Shown>| value.as_ref().map(value_text).unwrap_or_default();
    let (before, after) = (text(&part.before), text(&part.after));
    match kind {
        Kind::Added => wide(out, name, "after", &after),
        Kind::Removed => wide(out, name, "before", &before),
        Kind::Changed => row(out, name, &cell("before", &before), &cell("after", &after)),
    }
}

/// A value that exists only before or only after.
fn wide(out: &mut String, name: &str, side: &str, value: &str) {
    let _ = writeln!(
        out,
        "<tr><th>{name}</th><td colspan=\"2\" class=\"value {side}\">{}</td></tr>",
        folded(value.lines().count(), format!("<pre>{value}</pre>"))
    );
}

/// The number of lines of a text that are shown without unfolding it.
const LINES: usize = 30;

/// A text with this number of lines, folded if it is long.
fn folded(lines: usize, text: String) -> String {
    if lines <= LINES {
        return text;
    }
    format!("<details class=\"fold\"><summary>{lines} lines</summary>{text}</details>")
}

fn row(out: &mut String, name: &str, before: &str, after: &str) {
    let _ = writeln!(out, "<tr><th>{name}</th>{before}{after}</tr>");
}

fn cell(side: &str, value: &str) -> String {
    match value {
        "" => "<td class=\"value none\"></td>".to_owned(),
        _ => format!("<td class=\"value {side}\"><pre>{value}</pre></td>"),
    }
}

/// The number of characters of a value to show.
const LONGEST: usize = 20_000;

/// A value as HTML: text of several lines as it is, everything else in Puppet's notation.
fn value_text(value: &Shown) -> String {
    let text = match value.as_str() {
        Some(text) if text.contains('\n') => text.to_owned(),
        _ => inspect(value.as_value()).to_string(),
    };
    let (shown, rest) = match text.char_indices().nth(LONGEST) {
        Some((end, _)) => text.split_at(end),
        None => (text.as_str(), ""),
    };
    let lines: Vec<String> = shown.split('\n').map(html).collect();
    let more = match rest.chars().count() {
        0 => String::new(),
        more => format!("\n... and {more} more characters"),
    };
    lines.join("\n") + &more
}
