//! The types of parameters and aliases.

use std::sync::{Arc, RwLock};

use kukla::values::types::TypeAlias;
use kukla::values::{Str, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::Definition;

/// Reads types, with the aliases of a repository.
#[derive(Debug, Default)]
pub struct TypeReader {
    aliases: FxHashMap<Str, Arc<TypeAlias>>,
    /// The aliases that mean only themselves.
    endless: FxHashSet<Str>,
    /// The types read so far, by their text.
    read: RwLock<FxHashMap<Str, Option<Type>>>,
}

impl TypeReader {
    /// A reader with these aliases.
    pub fn new<'d>(definitions: impl Iterator<Item = &'d Definition> + Clone) -> TypeReader {
        // All names are declared before any is resolved, since aliases may refer to each other.
        let aliases = definitions
            .clone()
            .map(|alias| (alias.name.clone(), TypeAlias::new(written_name(alias))))
            .collect();
        let mut endless = FxHashSet::default();
        let mut reader = TypeReader { aliases, endless: FxHashSet::default(), read: RwLock::default() };
        for definition in definitions {
            let Some(alias) = reader.aliases.get(&definition.name) else { continue };
            if alias.is_resolved() {
                continue;
            }
            let meaning = definition.ty.as_ref().and_then(|text| reader.parse(text)).unwrap_or(Type::Any);
            if alias.resolve(meaning).is_err() {
                // An alias of itself has no meaning.
                let _ = alias.resolve(Type::Any);
                endless.insert(definition.name.clone());
            }
        }
        reader.endless = endless;
        reader
    }

    /// The type that a text denotes, if it can be read without evaluation.
    pub fn read(&self, text: &str) -> Option<Type> {
        if let Ok(read) = self.read.read()
            && let Some(known) = read.get(text)
        {
            return known.clone();
        }
        let found = self.parse(text);
        if let Ok(mut read) = self.read.write() {
            read.insert(text.into(), found.clone());
        }
        found
    }

    fn parse(&self, text: &str) -> Option<Type> {
        let find = |name: &str| {
            self.aliases.get(name.to_lowercase().as_str()).map(|alias| Type::Alias(Arc::clone(alias)))
        };
        kukla::syntax::roomy(|| Type::parse_with(text, &find).ok())
    }

    /// Whether the alias of that name means only itself.
    pub fn is_endless(&self, name: &str) -> bool {
        self.endless.contains(name)
    }

    /// Whether there is an alias of that name.
    pub fn has_alias(&self, name: &str) -> bool {
        self.aliases.contains_key(name)
    }

    /// The names of all aliases, as written.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.aliases.values().map(|alias| alias.name.as_str())
    }
}

/// The name of an alias, as written in its definition.
fn written_name(alias: &Definition) -> Str {
    alias.source.text().get(alias.span.range()).unwrap_or(&alias.name).into()
}
