//! The search for all occurrences of a symbol.

use std::path::Path;

use rayon::prelude::*;

use kukla::syntax::{Source, Span};

use super::{Located, Occurrence, Owner, Role, Symbol, data_occurrences, resolve};
use crate::checker::Snapshot;
use crate::erb::ErbFile;
use crate::repository::Index;

/// All occurrences of a resolved symbol in the texts of a repository, file by file.
pub fn references(snapshot: &Snapshot, symbol: &Symbol) -> Vec<Located> {
    let index = &snapshot.index;
    let words = Words::of(index, symbol);
    if symbol.last_part().is_empty() {
        return Vec::new();
    }
    let keep = |source: &Source, found: Vec<Occurrence>| -> Vec<Located> {
        let resolved = found.into_iter().filter_map(|mut one| {
            one.symbol = resolve(index, &one.symbol)?;
            (one.symbol == *symbol).then(|| Located { source: source.clone(), occurrence: one })
        });
        resolved.collect()
    };
    let only = match symbol {
        Symbol::Variable { owner: Owner::Block(file, _), .. } => Some(Path::new(file.as_str())),
        _ => None,
    };
    let texts: Vec<_> = match only {
        Some(path) => snapshot.texts.get_key_value(path).into_iter().collect(),
        None => snapshot.texts.iter().collect(),
    };
    let mut found: Vec<Located> = texts
        .into_par_iter()
        .filter(|(_, checked)| words.may_be_in(&checked.text.source))
        .flat_map_iter(|(path, checked)| keep(&checked.text.source, snapshot.occurrences(path)))
        .collect();
    let data = snapshot.data.files.par_iter().filter(|file| words.may_be_in(&file.source));
    found.par_extend(data.flat_map_iter(|file| keep(&file.source, data_occurrences(index, file))));
    found.extend(snapshot.templates.iter().flat_map(|file| in_erb(snapshot, file, symbol)));
    found.sort_by(|one, other| {
        let key = |one: &Located| (one.occurrence.span.start, one.occurrence.span.end);
        one.source.name().cmp(&other.source.name()).then_with(|| key(one).cmp(&key(other)))
    });
    found
}

/// The words of a text that names a symbol: texts without them need no closer look.
struct Words {
    /// The last part of its name.
    last: String,
    /// One of these, too.
    owners: Vec<String>,
    /// The text that may have only the last part: a definition inside of a class has no more.
    own: Option<String>,
}

impl Words {
    fn of(index: &Index, symbol: &Symbol) -> Words {
        let mut words = Words { last: symbol.last_part().to_lowercase(), owners: Vec::new(), own: None };
        match symbol {
            Symbol::Variable { owner: Owner::Class(class), .. } => {
                words.owners.push(class.to_string());
                // Heirs name the class that they inherit from, which need not be this one.
                let mut at = 0;
                while let Some(parent) = words.owners.get(at).cloned() {
                    let heirs = index
                        .classes
                        .values()
                        .filter(|heir| heir.parent.as_ref().is_some_and(|own| **own == *parent));
                    let new: Vec<String> = heirs
                        .map(|heir| heir.name.to_string())
                        .filter(|heir| !words.owners.contains(heir))
                        .collect();
                    words.owners.extend(new);
                    at += 1;
                }
                words.own = index.classes.get(class).and_then(|class| class.source.name().map(str::to_owned));
            }
            Symbol::Variable { owner: Owner::Define(define), .. } => {
                words.owners.push(define.to_string());
                words.own = index.defines.get(define).and_then(|one| one.source.name().map(str::to_owned));
            }
            Symbol::Class(name) | Symbol::ResourceType(name) if name.contains("::") => {
                words.owners.push(name.to_string());
                let found = index.classes.get(name).or_else(|| index.defines.get(name));
                words.own = found.and_then(|one| one.source.name().map(str::to_owned));
            }
            Symbol::Function(name) | Symbol::DataType(name) if name.contains("::") => {
                words.owners.push(name.to_string());
            }
            _ => {}
        }
        words
    }

    fn may_be_in(&self, source: &Source) -> bool {
        let text = source.text();
        mentions(text, &self.last)
            && (self.owners.is_empty()
                || self.own.as_deref() == source.name()
                || self.owners.iter().any(|owner| mentions(text, owner)))
    }
}

/// Whether a text contains a word, in any case.
fn mentions(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    let Some(first) = word.first() else { return false };
    let found = |at: usize| text.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word));
    memchr::memchr2_iter(*first, first.to_ascii_uppercase(), text).any(found)
}

/// The uses of a variable in an ERB template: `@name`, `scope['class::name']`.
fn in_erb(snapshot: &Snapshot, file: &ErbFile, symbol: &Symbol) -> Vec<Located> {
    let Symbol::Variable { owner: Owner::Class(by) | Owner::Define(by), name } = symbol else {
        return Vec::new();
    };
    let text = file.source.text();
    let is_end = |at: usize| !text[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let mut spans = Vec::new();
    if renderers(snapshot, &file.name).any(|renderer| renderer == by) {
        let own = format!("@{name}");
        let starts = text.match_indices(&own).map(|(at, _)| at + 1);
        spans.extend(starts.filter(|at| is_end(at + name.len()) && !text[..at - 1].ends_with('@')));
    }
    let full = format!("{by}::{name}");
    let quoted = |at: &usize| {
        let before = text[..*at].trim_end_matches("::");
        before.ends_with(['\'', '"']) && text[at + full.len()..].starts_with(['\'', '"'])
    };
    let starts = text.match_indices(&full).map(|(at, _)| at).filter(quoted);
    spans.extend(starts.map(|at| at + by.len() + 2));
    let located = |start: usize| {
        let span = Span::new(start as u32, (start + name.len()) as u32);
        let occurrence = Occurrence { symbol: symbol.clone(), span, role: Role::Read };
        Located { source: file.source.clone(), occurrence }
    };
    spans.into_iter().map(located).collect()
}

/// The classes and defined types that render a template.
pub fn renderers<'s>(
    snapshot: &'s Snapshot,
    template: &'s str,
) -> impl Iterator<Item = &'s kukla::values::Str> {
    let outlines = snapshot.texts.values().map(|checked| &checked.text.outline);
    outlines.flat_map(move |outline| {
        outline.renders.iter().filter(move |(name, _)| name == template).map(|(_, by)| by)
    })
}
