//! ERB templates, as far as they name what Puppet code sets.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use kukla::syntax::{Source, Span};
use kukla::world::{Stamp, World};
use regex::Regex;
use rustc_hash::FxHashMap;

use crate::repository::Survey;

/// An ERB template.
#[derive(Debug)]
pub struct ErbFile {
    /// The name it is rendered by.
    pub name: String,
    /// Its text.
    pub source: Source,
    /// The variables that it reads as `@name`, each where it stands first.
    pub variables: Vec<(String, Span)>,
    /// The variables that it always goes through one by one.
    pub iterated: Vec<String>,
    /// Other templates that it names.
    pub paths: Vec<String>,
    stamp: Option<Stamp>,
}

/// Reads the ERB templates of all modules; those that have not changed since are taken from `known`.
pub fn read(
    world: &dyn World,
    survey: &Survey,
    known: &FxHashMap<PathBuf, Arc<ErbFile>>,
) -> FxHashMap<PathBuf, Arc<ErbFile>> {
    let modules = survey.modules.iter();
    let paths = modules.flat_map(|module| {
        let templates = module.templates.iter().filter(|path| path.ends_with(".erb"));
        templates.map(|path| (format!("{}/{path}", module.name), module.root.join("templates").join(path)))
    });
    let read = paths.filter_map(|(name, path)| {
        let stamp = world.stamp(&path);
        if let Some(file) = known.get(&path)
            && file.stamp == stamp
            && stamp.is_some()
        {
            return Some((path, Arc::clone(file)));
        }
        let text = String::from_utf8_lossy(&world.read(&path).ok()?).into_owned();
        let file = ErbFile::new(name, &path, text, stamp);
        Some((path, Arc::new(file)))
    });
    read.collect()
}

impl ErbFile {
    fn new(name: String, path: &Path, text: String, stamp: Option<Stamp>) -> ErbFile {
        let source = Source::new(path.to_string_lossy().as_ref(), text);
        let text = source.text();
        let (variables, iterated, paths) = (variables(text), iterated(text), paths(text));
        ErbFile { name, source, variables, iterated, paths, stamp }
    }
}

/// The variables that the code in a template reads and does not set itself.
fn variables(text: &str) -> Vec<(String, Span)> {
    static VARIABLE: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?:^|[^\w@])@([a-z_][a-zA-Z0-9_]*)(\s*(?:\|\||[-+])?=[^=~>])?"));
    let mut found: Vec<(String, Span)> = Vec::new();
    let mut set: Vec<String> = Vec::new();
    for (at, code) in code(text) {
        for captures in VARIABLE.captures_iter(code) {
            let Some(name) = captures.get(1) else { continue };
            if captures.get(2).is_some() {
                set.push(name.as_str().to_owned());
            } else if found.iter().all(|(known, _)| known != name.as_str()) {
                let start = (at + name.start() - 1) as u32;
                found.push((name.as_str().to_owned(), Span::new(start, (at + name.end()) as u32)));
            }
        }
    }
    // What a template asks for before it uses it may well be missing.
    let is_asked = |name: &str| {
        text.contains(&format!("has_variable?('{name}')"))
            || text.contains(&format!("has_variable?(\"{name}\")"))
    };
    found.retain(|(name, _)| !set.contains(name) && !is_asked(name));
    found
}

/// The variables that a template goes through one by one, under no condition but that they are there.
fn iterated(text: &str) -> Vec<String> {
    static EACH: LazyLock<Regex> = LazyLock::new(|| {
        let methods = r"each|each_pair|each_with_index|map|collect|select|reject|sort|sort_by|keys|values|join|flatten|has_key\?|key\?";
        regex(&format!(r"^(?:=\s*|(?:if|unless) )?@([a-z_][a-zA-Z0-9_]*)\.(?:{methods})(?:\W|$)"))
    });
    static OPENS: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(?:if|unless|case|while|until|for|begin|def)\b"));
    static BLOCK: LazyLock<Regex> = LazyLock::new(|| regex(r"\bdo\s*(?:\|[^|]*\|)?\s*$|\{\s*\|[^|]*\|\s*$"));
    static CLOSES: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:end\b|\})"));
    let mut found = Vec::new();
    // What is open, with the variable that it asks for if it asks for nothing else.
    let mut open: Vec<Option<&str>> = Vec::new();
    for (_, code) in code(text) {
        let code = code.trim_end_matches('-');
        for line in code.lines().map(|line| line.trim_start_matches(['-', ' ', '\t']).trim_end()) {
            if let Some(name) =
                EACH.captures(line).and_then(|captures| captures.get(1)).map(|name| name.as_str())
                && open.iter().all(|asked| *asked == Some(name))
                && !found.iter().any(|known| known == name)
            {
                found.push(name.to_owned());
            }
            if CLOSES.is_match(line) {
                // What is not understood is not judged.
                if open.pop().is_none() {
                    return Vec::new();
                }
            } else if OPENS.is_match(line) && !line.ends_with(" end") {
                open.push(line.strip_prefix("if @"));
            } else if BLOCK.is_match(line) {
                open.push(None);
            }
        }
    }
    if !open.is_empty() {
        return Vec::new();
    }
    // What a template asks about may be something else.
    let is_asked = |name: &str| {
        let behind = [".is_a?", ".kind_of?", ".instance_of?", ".respond_to?", ".class", ".to_a", " ="];
        let before = ["case @", "[@", "(@"];
        behind.iter().any(|behind| text.contains(&format!("@{name}{behind}")))
            || before.iter().any(|before| text.contains(&format!("{before}{name}")))
    };
    found.retain(|name| !is_asked(name));
    found
}

/// The pieces of code in a template, with where they begin.
fn code(text: &str) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find("<%") {
        let start = at + open + 2;
        let rest = &text[start..];
        if rest.starts_with('%') {
            at = start + 1;
            continue;
        }
        let end = rest.find("%>").map_or(text.len(), |end| start + end);
        if !rest.starts_with('#') {
            pieces.push((start, without_comments(&text[start..end])));
        }
        at = end;
    }
    // Lines that begin with one percent sign are code as well, where that is asked for; it rarely is.
    pieces
}

/// Code up to a comment that ends it.
fn without_comments(code: &str) -> &str {
    match code.find(" # ") {
        Some(at) if !code[at..].contains('\n') => &code[..at],
        _ => code,
    }
}

fn paths(text: &str) -> Vec<String> {
    static PATH: LazyLock<Regex> = LazyLock::new(|| regex(r#"['"]([a-z]\w*/[^'"]+)['"]"#));
    PATH.captures_iter(text).map(|captures| captures[1].to_owned()).collect()
}

#[allow(clippy::unwrap_used)] // the patterns are ours
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_are_gone_through() {
        let text = "<% @a.each do |x| -%><%= x %><% end -%><% if @b -%><%= @b.join(' ') %><% end -%>
            <%- if @other -%><% @c.each do |x| %><% end %><% end %><% if @d.is_a?(Array) %><% @d.each {|x| %><% } %><% end %>";
        assert_eq!(iterated(text), ["a", "b"]);
        assert!(iterated("<% @a.each do |x| %>").is_empty());
    }

    #[test]
    fn variables_that_are_read() {
        let text = "a@b.c <%= @one %> <%# @no %> <%% @no %> <% @two = 1 %><%= @two %><% if @three == 3 # @no %>x@y<% end %>";
        let names: Vec<String> = variables(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["one", "three"]);
        let (_, span) = &variables(text)[0];
        assert_eq!(&text[span.range()], "@one");
    }
}
