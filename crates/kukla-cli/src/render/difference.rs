//! The difference between two catalogs of a node, for people.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use kukla::catalog::difference::{
    AttributeChange, Difference, PartChange, ResourceChange, ResourceDifference, parts,
};
use kukla::catalog::{Resource, ResourceRef};
use kukla::values::format::inspect;
use kukla::{Catalog, Value};
use similar::{ChangeTag, TextDiff};

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const CHANGED: Style = AnsiColor::Yellow.on_default();

/// What the catalogs of a node differ in, one resource after the other. Colours are in the text.
pub fn human(before: &Catalog, after: &Catalog) -> String {
    let difference = Difference::between(before, after);
    let mut out = String::new();
    for (name, change) in &difference.resources {
        match change {
            ResourceDifference::Added(resource) => whole(&mut out, '+', ADDED, resource),
            ResourceDifference::Removed(resource) => whole(&mut out, '-', REMOVED, resource),
            ResourceDifference::Changed(change) => changed(&mut out, name, change),
        }
    }
    out
}

fn line(out: &mut String, indent: usize, sign: char, style: Style, text: &str) {
    let _ = writeln!(out, "{:indent$}{style}{sign} {text}{style:#}", "");
}

fn whole(out: &mut String, sign: char, style: Style, resource: &Resource) {
    line(out, 2, sign, style, &resource.reference().to_string());
    for (name, value) in &resource.parameters {
        let is_secret = resource.sensitive_parameters.contains(name);
        line(out, 6, sign, style, &format!("{name} => {}", shown(value, is_secret)));
    }
}

fn changed(out: &mut String, name: &ResourceRef, change: &ResourceChange) {
    line(out, 2, '~', CHANGED, &name.to_string());
    if let Some((from, to)) = &change.moved {
        let told = |place: &Option<ResourceRef>| {
            place.as_ref().map_or_else(|| "nothing".into(), ToString::to_string)
        };
        let _ = writeln!(out, "      moved from {} to {}", told(from), told(to));
    }
    change.attributes.iter().for_each(|change| attribute(out, change));
    let tags = |resource: &Resource| resource.tags.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (before, after) = (tags(&change.before), tags(&change.after));
    before
        .iter()
        .filter(|tag| !after.contains(tag))
        .for_each(|tag| line(out, 6, '-', REMOVED, &format!("tag {tag}")));
    after
        .iter()
        .filter(|tag| !before.contains(tag))
        .for_each(|tag| line(out, 6, '+', ADDED, &format!("tag {tag}")));
}

fn attribute(out: &mut String, change: &AttributeChange) {
    let AttributeChange { name, before, after, is_secret } = change;
    if *is_secret {
        let _ = writeln!(out, "      {name} has changed; it is sensitive and not shown");
        return;
    }
    for PartChange { path, before, after } in parts(before.as_ref(), after.as_ref()) {
        let place: String = path.iter().map(|key| format!("[{}]", inspect(key))).collect();
        match (&before, &after) {
            (Some(Value::String(old)), Some(Value::String(new)))
                if old.contains('\n') || new.contains('\n') =>
            {
                let _ = writeln!(out, "      {name}{place}:");
                text(out, old, new);
            }
            _ => {
                if let Some(old) = &before {
                    line(out, 6, '-', REMOVED, &format!("{name}{place} => {}", shown(old, false)));
                }
                if let Some(new) = &after {
                    line(out, 6, '+', ADDED, &format!("{name}{place} => {}", shown(new, false)));
                }
            }
        }
    }
}

/// The lines that differ, and some around them.
fn text(out: &mut String, old: &str, new: &str) {
    let difference = TextDiff::from_lines(old, new);
    for (n, group) in difference.grouped_ops(3).iter().enumerate() {
        if n > 0 {
            let _ = writeln!(out, "        ...");
        }
        for change in group.iter().flat_map(|op| difference.iter_changes(op)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', REMOVED),
                ChangeTag::Insert => ('+', ADDED),
                ChangeTag::Equal => (' ', Style::new()),
            };
            line(out, 8, sign, style, change.value().trim_end_matches('\n'));
        }
    }
}

/// So much of a value is worth reading.
const LONGEST: usize = 200;

fn shown(value: &Value, is_secret: bool) -> String {
    if is_secret {
        return "a sensitive value".to_owned();
    }
    let text = inspect(value).to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ... ({} characters)", &text[..end], text.chars().count()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
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
        let told = anstream::adapter::strip_str(&human(&old, &new)).to_string();
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
        assert_eq!(human(&old, &old), "");
    }
}
