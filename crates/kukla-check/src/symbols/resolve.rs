//! The meaning of a name in a repository.

use std::path::{Path, PathBuf};

use kukla::syntax::{Source, Span};

use super::{Occurrence, Owner, Role, Symbol, occurrences};
use crate::checker::Snapshot;
use crate::repository::{Index, Resource, ruby};

/// The symbol that a name means in a repository; `None` if it means nothing that can be looked for.
pub fn resolve(index: &Index, symbol: &Symbol) -> Option<Symbol> {
    Some(match symbol {
        Symbol::Capitalized(name) if index.aliases.contains_key(name) => Symbol::DataType(name.clone()),
        Symbol::Capitalized(name) => match index.resource(name, false) {
            Resource::Define(_) | Resource::Native(_) => Symbol::ResourceType(name.clone()),
            _ => Symbol::DataType(name.clone()),
        },
        Symbol::Variable { owner: Owner::Class(class), name } => {
            let (lineage, _) = index.lineage(class);
            let sets = |class: &&std::sync::Arc<crate::repository::Definition>| {
                class.parameter(name).is_some() || class.variables.iter().any(|own| own == name)
            };
            match lineage.iter().find(sets) {
                Some(class) => {
                    Symbol::Variable { owner: Owner::Class(class.name.clone()), name: name.clone() }
                }
                None => top_variable(index, symbol, name),
            }
        }
        Symbol::Variable { owner: Owner::Top, name } => top_variable(index, symbol, name),
        Symbol::Attribute { kind, name } => match index.defines.get(kind) {
            Some(define) if define.parameter(name).is_some() => {
                Symbol::Variable { owner: Owner::Define(kind.clone()), name: name.clone() }
            }
            _ => symbol.clone(),
        },
        Symbol::Resource { kind, .. } => match index.resource(kind, false) {
            Resource::Define(_) | Resource::Native(_) => symbol.clone(),
            _ => return None,
        },
        Symbol::DataKey(key) => {
            let parameter = key.rsplit_once("::").and_then(|(class, name)| {
                let class = index.classes.get(class)?;
                class.parameter(name).map(|parameter| (class.name.clone(), parameter.name.clone()))
            });
            match parameter {
                Some((class, name)) => Symbol::Variable { owner: Owner::Class(class), name },
                None => symbol.clone(),
            }
        }
        other => other.clone(),
    })
}

/// A variable that no scope around sets: one of the site manifest, or a fact.
fn top_variable(index: &Index, symbol: &Symbol, name: &kukla::values::Str) -> Symbol {
    if index.variables.contains(name) {
        Symbol::Variable { owner: Owner::Top, name: name.clone() }
    } else if index.facts.has(name) {
        Symbol::Fact(name.clone())
    } else {
        symbol.clone()
    }
}

impl Snapshot {
    /// The occurrences of names in a file, unresolved.
    pub fn occurrences(&self, path: &Path) -> Vec<Occurrence> {
        if let Some(checked) = self.texts.get(path) {
            let module = checked.module.and_then(|at| self.index.survey.modules.get(at));
            let template = module.and_then(|module| {
                let inside = path.strip_prefix(module.root.join("templates")).ok()?;
                Some(format!("{}/{}", module.name, inside.to_str()?))
            });
            let name = module.map(|module| module.name.as_str());
            let text = &checked.text;
            return occurrences(&text.tree, &text.source, name, template.as_deref());
        }
        let path = path.to_string_lossy();
        if path.ends_with(".erb") {
            let file = self.templates.iter().find(|file| file.source.name() == Some(&*path));
            return file.map(|file| super::erb_occurrences(self, file)).unwrap_or_default();
        }
        let file = self.data.files.iter().find(|file| *file.path == *path);
        file.map(|file| super::data_occurrences(&self.index, file)).unwrap_or_default()
    }
}

/// The occurrence at an offset of a file, with its symbol resolved.
pub fn symbol_at(snapshot: &Snapshot, path: &Path, offset: u32) -> Option<Occurrence> {
    let touches = |one: &Occurrence| one.span.start <= offset && offset <= one.span.end;
    let found = snapshot.occurrences(path).into_iter().filter(touches);
    // Of two that touch each other, the one after the offset counts.
    let mut occurrence = found.min_by_key(|one| (!one.span.contains(offset), one.span.len()))?;
    occurrence.symbol = resolve(&snapshot.index, &occurrence.symbol)?;
    Some(occurrence)
}

/// The position of a definition.
#[derive(Clone, Debug)]
pub struct DefinitionPlace {
    /// The file.
    pub path: PathBuf,
    /// Its text, if it is at hand.
    pub source: Option<Source>,
    /// The span of the name; empty if only the file is known.
    pub span: Span,
}

impl DefinitionPlace {
    fn of_file(path: PathBuf) -> DefinitionPlace {
        DefinitionPlace { path, source: None, span: Span::default() }
    }

    fn of_text(source: &Source, span: Span) -> DefinitionPlace {
        let path = PathBuf::from(source.name().unwrap_or_default());
        DefinitionPlace { path, source: Some(source.clone()), span }
    }
}

/// The definitions of a resolved symbol.
pub fn definitions(snapshot: &Snapshot, symbol: &Symbol) -> Vec<DefinitionPlace> {
    let index = &snapshot.index;
    let of = |definition: &crate::repository::Definition| {
        DefinitionPlace::of_text(&definition.source, definition.span)
    };
    match symbol {
        Symbol::Class(name) => index.classes.get(name).map(|found| of(found)).into_iter().collect(),
        Symbol::ResourceType(name) => {
            let define = index.defines.get(name).map(|found| of(found));
            let ruby = || index.ruby_type(name).map(|path| DefinitionPlace::of_file(path.to_owned()));
            define.or_else(ruby).into_iter().collect()
        }
        Symbol::Function(name) => match index.functions.get(name) {
            Some(found) => vec![of(found)],
            None => ruby_files(index, |path| ruby::function_name(path).is_some_and(|own| *name == *own)),
        },
        Symbol::DataType(name) | Symbol::Capitalized(name) => {
            let alias = index.aliases.get(name).map(|found| of(found));
            alias.into_iter().collect()
        }
        Symbol::Variable { owner, name } => variable(snapshot, symbol, owner, name),
        Symbol::Attribute { .. } => Vec::new(),
        Symbol::Resource { .. } => {
            let found = super::references(snapshot, symbol).into_iter();
            let found = found.filter(|one| one.occurrence.role != Role::Read);
            found.map(|one| DefinitionPlace::of_text(&one.source, one.occurrence.span)).collect()
        }
        Symbol::DataKey(key) => data_entries(snapshot, key),
        Symbol::Fact(path) => {
            let fact = path.split('.').next().unwrap_or(path);
            ruby_files(index, |path| {
                path.strip_prefix("facter/").and_then(|path| path.strip_suffix(".rb")) == Some(fact)
            })
        }
        Symbol::Template(name) => module_file(index, name, "templates"),
        Symbol::File(name) => module_file(index, name, "files"),
    }
}

fn variable(snapshot: &Snapshot, symbol: &Symbol, owner: &Owner, name: &str) -> Vec<DefinitionPlace> {
    let index = &snapshot.index;
    let definition = match owner {
        Owner::Class(class) => index.classes.get(class),
        Owner::Define(define) => index.defines.get(define),
        Owner::Function(function) => index.functions.get(function),
        Owner::Template(_) | Owner::Block(..) | Owner::Top => None,
    };
    if let Some(definition) = definition
        && let Some(parameter) = definition.parameter(name)
    {
        // The span of a parameter begins with its `$`.
        let span = Span::new(parameter.span.start + 1, parameter.span.end);
        return vec![DefinitionPlace::of_text(&definition.source, span)];
    }
    let found = super::references(snapshot, symbol).into_iter();
    let found = found
        .filter(|one| one.occurrence.role != Role::Read && is_variable(&one.source, one.occurrence.span));
    found.map(|one| DefinitionPlace::of_text(&one.source, one.occurrence.span)).collect()
}

/// Whether a name is written as a variable, not as an attribute or a key.
fn is_variable(source: &Source, span: Span) -> bool {
    source.text()[..span.start as usize].ends_with('$')
}

/// The entries of a key in data files, the hierarchy of the environment first.
pub fn data_entries(snapshot: &Snapshot, key: &str) -> Vec<DefinitionPlace> {
    let entries = snapshot.data.files.iter().flat_map(|file| {
        let own = file.entries.iter().filter(|entry| entry.key == key);
        own.map(|entry| DefinitionPlace::of_text(&file.source, entry.span))
    });
    entries.collect()
}

fn ruby_files(index: &Index, is_it: impl Fn(&str) -> bool) -> Vec<DefinitionPlace> {
    let modules = index.survey.modules.iter();
    let files = modules.flat_map(|module| {
        let own = module.ruby.iter().filter(|path| is_it(path));
        own.map(|path| DefinitionPlace::of_file(module.root.join("lib").join(path)))
    });
    files.collect()
}

/// The file of a module, by `module/name`.
fn module_file(index: &Index, name: &str, directory: &str) -> Vec<DefinitionPlace> {
    let Some((module, inside)) = name.split_once('/') else { return Vec::new() };
    let Some(module) = index.survey.module(module) else { return Vec::new() };
    let known = if directory == "templates" { &module.templates } else { &module.files };
    let path = module.root.join(directory).join(inside);
    known.contains(inside).then(|| DefinitionPlace::of_file(path)).into_iter().collect()
}
