//! The occurrences of names in data files.

use kukla::syntax::Span;
use kukla::values::Str;

use super::{Occurrence, Owner, Role, Symbol};
use crate::data::DataFile;
use crate::repository::{Index, plain};

/// Every occurrence of a name in a data file, in the order of the text.
pub fn data_occurrences(index: &Index, file: &DataFile) -> Vec<Occurrence> {
    let text = file.source.text();
    let mut found: Vec<Occurrence> = Vec::new();
    for entry in &file.entries {
        let symbol = Symbol::DataKey(entry.key.clone());
        found.push(Occurrence { symbol, span: entry.span, role: Role::Definition });
    }
    let options = text.find("lookup_options").unwrap_or(text.len());
    for (key, _) in &file.options {
        if let Some(at) = find_word(&text[options..], key) {
            let start = (options + at) as u32;
            let span = Span::new(start, start + key.len() as u32);
            found.push(Occurrence { symbol: Symbol::DataKey(key.as_str().into()), span, role: Role::Read });
        }
    }
    found.extend(interpolations(text));
    found.extend(class_names(index, text));
    found.sort_by_key(|one| (one.span.start, one.span.end));
    found
}

/// Values that are the qualified names of classes, as in lists of classes to include.
fn class_names(index: &Index, text: &str) -> Vec<Occurrence> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | ':');
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.trim_start();
        for word in
            line.split(|c: char| !is_part(c)).filter(|word| word.contains("::") && !code.starts_with('#'))
        {
            // Where it is in the line.
            let at = word.as_ptr() as usize - line.as_ptr() as usize;
            let before = line[..at].trim_end_matches(['"', '\'']).trim_end();
            let after = line[at + word.len()..].trim_start_matches(['"', '\'']);
            let is_value = before.ends_with(['-', ':', ',', '[']) && !line[..at].ends_with("::");
            let ends = after.is_empty() || after.starts_with([',', ']', '\n', '\r', ' ', '#']);
            if is_value && ends && index.classes.contains_key(word) {
                let span = Span::new((start + at) as u32, (start + at + word.len()) as u32);
                found.push(Occurrence { symbol: Symbol::Class(word.into()), span, role: Role::Read });
            }
        }
        start += line.len();
    }
    found
}

/// The place of a key in a text, where it is neither part of a longer one nor of a value.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
    let ends = |at: usize| !text[..at].ends_with(is_part) && is_key_end(&text[at + word.len()..]);
    text.match_indices(word).map(|(at, _)| at).find(|at| ends(*at))
}

fn is_key_end(rest: &str) -> bool {
    rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':') && !rest.starts_with("::")
}

/// The names in the interpolations of a text: `%{facts.os.family}`, `%{lookup('key')}`.
pub fn interpolations(text: &str) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find("%{") {
        let start = from + open + 2;
        let Some(length) = text[start..].find('}') else { break };
        found.extend(interpolation(&text[start..start + length], start));
        from = start + length;
    }
    found
}

fn interpolation(inside: &str, at: usize) -> Option<Occurrence> {
    let start = at + inside.len() - inside.trim_start().len();
    let name = inside.trim();
    let read = |symbol: Symbol, start: usize, length: usize| {
        let span = Span::new(start as u32, (start + length) as u32);
        Some(Occurrence { symbol, span, role: Role::Read })
    };
    if let Some((function, argument)) = name.split_once('(') {
        let key = argument.trim_end_matches(')').trim();
        let quoted = key.trim_matches(['\'', '"']);
        let offset = start + function.len() + 1 + argument.find(quoted)?;
        let is_lookup = matches!(function.trim(), "lookup" | "hiera" | "alias");
        return is_lookup.then(|| read(Symbol::DataKey(quoted.into()), offset, quoted.len())).flatten();
    }
    let name = name.trim_matches(['\'', '"']);
    let offset = start + inside.trim().find(name)?;
    let plain_name = name.trim_start_matches("::");
    if let Some(path) = plain_name.strip_prefix("facts.") {
        return read(Symbol::Fact(path.into()), offset + name.len() - path.len(), path.len());
    }
    let first = plain_name.split('.').next().unwrap_or(plain_name);
    if first.is_empty() {
        return None;
    }
    let offset = offset + name.len() - plain_name.len();
    match first.rsplit_once("::") {
        Some((class, variable)) => {
            let symbol = Symbol::Variable { owner: Owner::Class(plain(class)), name: variable.into() };
            read(symbol, offset + class.len() + 2, variable.len())
        }
        None => {
            let symbol = Symbol::Variable { owner: Owner::Top, name: Str::from(first) };
            read(symbol, offset, first.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolations_of_data() {
        let text = "a: \"%{facts.os.family} %{lookup('x::y')} %{::kernel} %{ntp::port} %{alias(\"b\")}\"";
        let found = interpolations(text);
        let names: Vec<&str> = found.iter().map(|one| &text[one.span.range()]).collect();
        assert_eq!(names, ["os.family", "x::y", "kernel", "port", "b"]);
        assert_eq!(found[0].symbol, Symbol::Fact("os.family".into()));
        assert!(interpolations("%{literal('%')} %{} %{a").is_empty());
    }
}
