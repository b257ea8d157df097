//! What is different about the catalog of a node, line by line.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use kukla::Value;
use kukla::catalog::ResourceRef;
use kukla::diff::{AttributeChange, Changes, Kind, PartChange, Reason, Relation, ResourceChange};
use kukla::values::Str;
use kukla::values::format::inspect;
use similar::{ChangeTag, TextDiff};

use super::visible::visible;

/// One line of what is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How far it stands to the right.
    pub indent: usize,
    /// What it is.
    pub sign: Sign,
    /// What it says; nothing in it ends the line.
    pub text: String,
}

/// What a line of a difference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It was not there.
    Added,
    /// It is no longer there.
    Removed,
    /// It has become another.
    Changed,
    /// It is the same, and shown for what is beside it.
    Same,
    /// It is said about the difference.
    Said,
    /// It is said about the difference, for those who ask why.
    Aside,
}

impl Sign {
    const fn style(self) -> Style {
        match self {
            Sign::Added => AnsiColor::Green.on_default(),
            Sign::Removed => AnsiColor::Red.on_default(),
            Sign::Changed => AnsiColor::Yellow.on_default(),
            Sign::Same | Sign::Said => Style::new(),
            Sign::Aside => Style::new().dimmed(),
        }
    }

    const fn mark(self) -> &'static str {
        match self {
            Sign::Added => "+ ",
            Sign::Removed => "- ",
            Sign::Changed => "~ ",
            Sign::Same => "  ",
            Sign::Said | Sign::Aside => "",
        }
    }
}

/// What is different about the catalog of a node, one resource after the other. Colours are in the text.
pub fn human(changes: &Changes) -> String {
    let mut out = String::new();
    for Line { indent, sign, text } in lines(changes) {
        let style = sign.style();
        let _ = writeln!(out, "{:indent$}{style}{}{text}{style:#}", "", sign.mark());
    }
    out
}

/// What is different about the catalog of a node, one resource after the other.
pub fn lines(changes: &Changes) -> Vec<Line> {
    let mut out = Lines::default();
    changes.resources.iter().for_each(|change| resource(&mut out, change));
    let class = |class: &Str| format!("class {class}");
    out.all(2, Sign::Removed, &changes.classes_removed, class);
    out.all(2, Sign::Added, &changes.classes_added, class);
    out.all(2, Sign::Removed, &changes.relations_removed, relation);
    out.all(2, Sign::Added, &changes.relations_added, relation);
    out.all(2, Sign::Removed, &changes.cycles_removed, |one| cycle(one));
    out.all(2, Sign::Added, &changes.cycles_added, |one| cycle(one));
    out.0
}

/// A relation in Puppet's notation.
pub fn relation(relation: &Relation) -> String {
    format!("{} {} {}", relation.from, relation.kind.arrow(), relation.to)
}

/// A dependency cycle in words.
pub fn cycle(cycle: &[String]) -> String {
    format!("dependency cycle {}", cycle.join(" => "))
}

/// What there is to say about whether a resource is exported.
pub const fn exported(change: &ResourceChange) -> &'static str {
    match (change.kind, change.exported) {
        (Kind::Changed, (false, true)) => " is exported now",
        (Kind::Changed, (true, false)) => " is no longer exported",
        (_, (false, false)) => "",
        _ => " (exported)",
    }
}

/// What contains a resource, in words.
pub fn container(place: Option<&ResourceRef>) -> String {
    place.map_or_else(|| "nothing".into(), ToString::to_string)
}

/// The name of an attribute, and where in its value something differs.
pub fn place(name: &str, path: &[Value]) -> String {
    path.iter().fold(name.to_owned(), |place, key| format!("{place}[{}]", inspect(key)))
}

/// Both sides of a part, if it is a text of lines.
pub fn texts(part: &PartChange) -> Option<(&str, &str)> {
    match (&part.before, &part.after) {
        (Some(Value::String(old)), Some(Value::String(new))) if old.contains('\n') || new.contains('\n') => {
            Some((old, new))
        }
        _ => None,
    }
}

/// So many lines around those that differ are shown.
pub const CONTEXT: usize = 3;

#[derive(Default)]
struct Lines(Vec<Line>);

impl Lines {
    fn add(&mut self, indent: usize, sign: Sign, text: &str) {
        self.0.push(Line { indent, sign, text: visible(text).into_owned() });
    }

    fn all<T>(&mut self, indent: usize, sign: Sign, list: &[T], told: impl Fn(&T) -> String) {
        list.iter().for_each(|one| self.add(indent, sign, &told(one)));
    }

    fn reasons(&mut self, reasons: &[Reason]) {
        self.all(6, Sign::Aside, reasons, |reason| format!("because of {reason}"));
    }
}

fn resource(out: &mut Lines, change: &ResourceChange) {
    let sign = match change.kind {
        Kind::Added => Sign::Added,
        Kind::Removed => Sign::Removed,
        Kind::Changed => Sign::Changed,
    };
    out.add(2, sign, &format!("{}{}", change.name, exported(change)));
    out.reasons(&change.reasons);
    if let Some((from, to)) = &change.moved {
        let (from, to) = (container(from.as_ref()), container(to.as_ref()));
        out.add(6, Sign::Said, &format!("moved from {from} to {to}"));
    }
    let whole = change.kind != Kind::Changed;
    change.attributes.iter().for_each(|change| attribute(out, change, whole));
    let tag = |tag: &Str| format!("tag {tag}");
    out.all(6, Sign::Removed, &change.tags_removed, tag);
    out.all(6, Sign::Added, &change.tags_added, tag);
}

/// An attribute; of a resource that is new or gone it is shown as a whole.
fn attribute(out: &mut Lines, change: &AttributeChange, whole: bool) {
    let AttributeChange { name, parts, is_secret, .. } = change;
    if *is_secret && !whole {
        out.add(6, Sign::Said, &format!("{name} has changed; it is sensitive and not shown"));
        out.reasons(&change.reasons);
        return;
    }
    let told = |value: &Value| if *is_secret { "a sensitive value".to_owned() } else { shown(value) };
    for part in parts {
        let place = place(name, &part.path);
        if let Some((old, new)) = texts(part) {
            out.add(6, Sign::Said, &format!("{place}:"));
            text(out, old, new);
            continue;
        }
        for (sign, value) in [(Sign::Removed, &part.before), (Sign::Added, &part.after)] {
            if let Some(value) = value {
                out.add(6, sign, &format!("{place} => {}", told(value)));
            }
        }
    }
    out.reasons(&change.reasons);
}

/// The lines that differ, and some around them.
fn text(out: &mut Lines, old: &str, new: &str) {
    let difference = TextDiff::from_lines(old, new);
    for (n, group) in difference.grouped_ops(CONTEXT).iter().enumerate() {
        if n > 0 {
            out.add(8, Sign::Said, "...");
        }
        for change in group.iter().flat_map(|op| difference.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => Sign::Removed,
                ChangeTag::Insert => Sign::Added,
                ChangeTag::Equal => Sign::Same,
            };
            out.add(8, sign, change.value().strip_suffix('\n').unwrap_or(change.value()));
            if change.missing_newline() {
                out.add(8, Sign::Said, "(no newline at the end)");
            }
        }
    }
}

/// So much of a value is worth reading.
const LONGEST: usize = 200;

/// A value in Puppet's notation, as much of it as one wants to read.
pub fn shown(value: &Value) -> String {
    let text = inspect(value).to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ... ({} characters)", &text[..end], text.chars().count()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use kukla::Catalog;
    use kukla::catalog::Resource;

    use super::*;

    fn catalog(content: &str, more: &[&str]) -> Catalog {
        let file = |title: &str, content: &str| Resource {
            type_name: "File".into(),
            title: title.into(),
            parameters: vec![("content".into(), content.into()), ("password".into(), content.into())],
            sensitive_parameters: vec!["password".into()],
            ..Resource::default()
        };
        let mut resources = vec![file("a", content)];
        resources.extend(more.iter().map(|title| file(title, "x")));
        Catalog { resources, ..Catalog::default() }
    }

    #[test]
    fn what_changed_is_shown_and_no_secret() {
        let old = catalog("one\ntwo\nthree\n", &["gone"]);
        let new = catalog("one\n2\nthree\n", &["new"]);
        let told = anstream::adapter::strip_str(&human(&Changes::between(&old, &new))).to_string();
        for part in [
            "~ File[a]",
            "- two\n",
            "+ 2\n",
            "password has changed; it is sensitive",
            "- File[gone]",
            "+ File[new]",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(
            told.contains("password => a sensitive value") && !told.contains("password => 'x'"),
            "{told}"
        );
        assert_eq!(human(&Changes::between(&old, &old)), "");
    }

    /// Whoever compares each line with each other one does not come to an end here.
    #[test]
    fn long_texts_with_nothing_in_common_are_compared() {
        let lines = |word: &str| (0..60_000).map(|n| format!("{word} {n}\n")).collect::<String>();
        let mut out = Lines::default();
        text(&mut out, &lines("old"), &lines("new"));
        let count = |sign: Sign| out.0.iter().filter(|line| line.sign == sign).count();
        assert_eq!((count(Sign::Removed), count(Sign::Added)), (60_000, 60_000));
    }
}
