//! The changes of a catalog as lines of text.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use kukla::catalog::ResourceRef;
use kukla::diff::{AttributeChange, Changes, Kind, PartChange, Reason, Relation, ResourceChange};
use kukla::values::format::inspect;
use kukla::values::{Shown, Str};
use similar::ChangeTag;

use super::visible::visible;

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number of blanks before it.
    pub indent: usize,
    /// Its role.
    pub sign: Sign,
    /// Its text, without line breaks.
    pub text: String,
}

/// The role of a line in a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Only after the change.
    Added,
    /// Only before the change.
    Removed,
    /// Different after the change.
    Changed,
    /// The same before and after, as context.
    Same,
    /// A remark about the difference.
    Remark,
    /// The reason of a change.
    Reason,
}

impl Sign {
    const fn style(self) -> Style {
        match self {
            Sign::Added => AnsiColor::Green.on_default(),
            Sign::Removed => AnsiColor::Red.on_default(),
            Sign::Changed => AnsiColor::Yellow.on_default(),
            Sign::Same | Sign::Remark => Style::new(),
            Sign::Reason => Style::new().dimmed(),
        }
    }

    const fn mark(self) -> &'static str {
        match self {
            Sign::Added => "+ ",
            Sign::Removed => "- ",
            Sign::Changed => "~ ",
            Sign::Same => "  ",
            Sign::Remark | Sign::Reason => "",
        }
    }
}

/// The changes of a catalog, resource by resource, with colours.
pub fn human(changes: &Changes) -> String {
    let mut out = String::new();
    for Line { indent, sign, text } in lines(changes) {
        let style = sign.style();
        let _ = writeln!(out, "{:indent$}{style}{}{text}{style:#}", "", sign.mark());
    }
    out
}

/// The changes of a catalog, resource by resource.
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

/// The words for whether a resource is exported.
pub const fn exported(change: &ResourceChange) -> &'static str {
    match (change.kind, change.exported) {
        (Kind::Changed, (false, true)) => " is exported now",
        (Kind::Changed, (true, false)) => " is no longer exported",
        (_, (false, false)) => "",
        _ => " (exported)",
    }
}

/// The container of a resource, in words.
pub fn container(container: Option<&ResourceRef>) -> String {
    container.map_or_else(|| "nothing".into(), ToString::to_string)
}

/// The name of an attribute, and the path in its value at which it differs.
pub fn attribute_path(name: &str, path: &[Shown]) -> String {
    path.iter().fold(name.to_owned(), |text, key| format!("{text}[{}]", inspect(key.as_value())))
}

/// The texts before and after, if they have several lines.
pub fn texts(part: &PartChange) -> Option<(&str, &str)> {
    let (old, new) = part.before.as_ref()?.as_str().zip(part.after.as_ref()?.as_str())?;
    (old.contains('\n') || new.contains('\n')).then_some((old, new))
}

/// The number of context lines around each difference.
pub const CONTEXT: usize = 3;

#[derive(Default)]
struct Lines(Vec<Line>);

impl Lines {
    fn add(&mut self, indent: usize, sign: Sign, text: &str) {
        self.0.push(Line { indent, sign, text: visible(text).into_owned() });
    }

    fn all<T>(&mut self, indent: usize, sign: Sign, list: &[T], text: impl Fn(&T) -> String) {
        list.iter().for_each(|one| self.add(indent, sign, &text(one)));
    }

    fn reasons(&mut self, reasons: &[Reason]) {
        self.all(6, Sign::Reason, reasons, |reason| format!("because of {reason}"));
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
        out.add(6, Sign::Remark, &format!("moved from {from} to {to}"));
    }
    let whole = change.kind != Kind::Changed;
    change.attributes.iter().for_each(|change| attribute(out, change, whole));
    let tag = |tag: &Str| format!("tag {tag}");
    out.all(6, Sign::Removed, &change.tags_removed, tag);
    out.all(6, Sign::Added, &change.tags_added, tag);
}

/// An attribute; that of an added or removed resource as a whole.
fn attribute(out: &mut Lines, change: &AttributeChange, whole: bool) {
    let AttributeChange { name, parts, is_secret, .. } = change;
    if *is_secret && !whole {
        out.add(6, Sign::Remark, &format!("{name} has changed; it is sensitive and not shown"));
        out.reasons(&change.reasons);
        return;
    }
    for part in parts {
        let path = attribute_path(name, &part.path);
        if part.is_secret && !whole {
            out.add(6, Sign::Remark, &format!("{path} has changed; it is sensitive and not shown"));
            continue;
        }
        let is_secret = *is_secret || part.is_secret;
        let value_text =
            |value: &Shown| if is_secret { "a sensitive value".to_owned() } else { truncated(value) };
        if let Some((old, new)) = texts(part) {
            out.add(6, Sign::Remark, &format!("{path}:"));
            text(out, old, new);
            continue;
        }
        for (sign, value) in [(Sign::Removed, &part.before), (Sign::Added, &part.after)] {
            if let Some(value) = value {
                out.add(6, sign, &format!("{path} => {}", value_text(value)));
            }
        }
    }
    out.reasons(&change.reasons);
}

/// The lines that differ, with context.
fn text(out: &mut Lines, old: &str, new: &str) {
    let difference = kukla::format::diff_lines(old, new, None);
    for (n, group) in difference.grouped_ops(CONTEXT).iter().enumerate() {
        if n > 0 {
            out.add(8, Sign::Remark, "...");
        }
        for change in group.iter().flat_map(|op| difference.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => Sign::Removed,
                ChangeTag::Insert => Sign::Added,
                ChangeTag::Equal => Sign::Same,
            };
            out.add(8, sign, change.value().strip_suffix('\n').unwrap_or(change.value()));
            if change.missing_newline() {
                out.add(8, Sign::Remark, "(no newline at the end)");
            }
        }
    }
}

/// The number of characters of a value to show.
const LONGEST: usize = 200;

/// A value in Puppet's notation, truncated.
pub fn truncated(value: &Shown) -> String {
    let text = inspect(value.as_value()).to_string();
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
    fn changes_are_shown_without_secrets() {
        let old = catalog("one\ntwo\nthree\n", &["gone"]);
        let new = catalog("one\n2\nthree\n", &["new"]);
        let text = anstream::adapter::strip_str(&human(&Changes::between(&old, &new))).to_string();
        for part in [
            "~ File[a]",
            "- two\n",
            "+ 2\n",
            "password has changed; it is sensitive",
            "- File[gone]",
            "+ File[new]",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(
            text.contains("password => a sensitive value") && !text.contains("password => 'x'"),
            "{text}"
        );
        assert_eq!(human(&Changes::between(&old, &old)), "");
    }

    /// Comparing each line with each other line would take minutes here.
    #[test]
    fn long_texts_with_nothing_in_common_are_compared() {
        let lines = |word: &str| (0..60_000).map(|n| format!("{word} {n}\n")).collect::<String>();
        let mut out = Lines::default();
        text(&mut out, &lines("old"), &lines("new"));
        let count = |sign: Sign| out.0.iter().filter(|line| line.sign == sign).count();
        assert_eq!((count(Sign::Removed), count(Sign::Added)), (60_000, 60_000));
    }
}
