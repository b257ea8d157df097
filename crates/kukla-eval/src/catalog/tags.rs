//! Tags of resources while a catalog is built.
//!
//! Every resource has its type's and its title's tags, those of its `tag` attribute, and all tags of what contains it. That
//! makes many copies of few words, so words are numbered and a set is a list of numbers in the order they were added.

use std::borrow::Cow;

use kukla_catalog::ResourceRef;
use kukla_catalog::tags::{is_valid, segments};
use kukla_syntax::diagnostic;
use kukla_values::case::downcase;
use kukla_values::{Name, Str, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::builder::{CatalogBuilder, ResourceId};
use crate::codes::INVALID_TAG;
use crate::error::{Flow, Location, Raise};
use crate::vm::Vm;

/// A word that cannot be a tag.
#[derive(Debug)]
pub(crate) struct InvalidTag(pub String);

impl InvalidTag {
    /// The error for it, reported at a line.
    #[cold]
    pub fn refuse(self, location: Option<Location>) -> Raise {
        diagnostic!(INVALID_TAG { word: self.0 }).on_line_of(location).into()
    }
}

/// The words used as tags, numbered.
#[derive(Debug, Default)]
pub(crate) struct TagTable {
    words: Vec<Str>,
    numbers: FxHashMap<Str, u32>,
    /// The tags that names of types and classes give.
    names: FxHashMap<Name, Vec<u32>>,
    /// For each word the last merge that met it.
    met: Vec<u32>,
    merge: u32,
}

/// Tags in the order they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagSet {
    numbers: Vec<u32>,
    /// The same numbers, once there are too many for a linear search: the catalog has all tags of its classes.
    index: Option<Box<FxHashSet<u32>>>,
}

/// The number of tags up to which comparing beats hashing.
const SEARCHED: usize = 32;

impl TagTable {
    /// The number of a word, if it is used at all.
    pub fn number(&self, word: &str) -> Option<u32> {
        self.numbers.get(word).copied()
    }

    /// The number of a word in lower case, whether it is used or not.
    pub fn intern(&mut self, word: &str) -> u32 {
        if let Some(number) = self.number(word) {
            return number;
        }
        let number = self.words.len() as u32;
        let word = Str::from(word);
        self.words.push(word.clone());
        self.numbers.insert(word, number);
        self.met.push(0);
        number
    }

    /// Adds a word and, if it is qualified, its segments. The error is the word that cannot be a tag.
    pub fn add(&mut self, set: &mut TagSet, word: &str) -> Result<(), InvalidTag> {
        let word = lower(word);
        if self.number(&word).is_some_and(|number| set.has(number)) {
            return Ok(());
        }
        if !is_valid(&word) {
            return Err(InvalidTag(word.into_owned()));
        }
        self.add_valid(set, &word);
        Ok(())
    }

    /// Adds a word if it can be a tag.
    pub fn add_if_valid(&mut self, set: &mut TagSet, word: &str) {
        if is_valid(word) {
            self.add_valid(set, &lower(word));
        }
    }

    /// Adds the name of a type or class and its segments.
    pub fn add_name(&mut self, set: &mut TagSet, name: Name) {
        if let Some(own) = self.names.get(&name) {
            return match set.numbers.is_empty() {
                true => set.numbers.extend_from_slice(own),
                false => own.iter().for_each(|&number| {
                    set.push(number);
                }),
            };
        }
        let mut own = TagSet::default();
        self.add_if_valid(&mut own, &name);
        own.numbers.iter().for_each(|&number| {
            set.push(number);
        });
        self.names.insert(name, own.numbers);
    }

    fn add_valid(&mut self, set: &mut TagSet, word: &str) {
        let number = self.intern(word);
        if set.push(number) {
            for segment in segments(word) {
                let number = self.intern(segment);
                set.push(number);
            }
        }
    }

    /// Adds what a `tag` attribute says: words, in lists of any depth.
    pub fn add_value(&mut self, set: &mut TagSet, value: &Value) -> Result<(), InvalidTag> {
        match value {
            Value::Undef => Ok(()),
            Value::Array(values) => values.iter().try_for_each(|value| match value {
                Value::Hash(_) | Value::Type(_) => self.add(set, &text(value)),
                value => self.add_value(set, value),
            }),
            // A reference outside of a list counts as the list of the attributes it sets, which is empty.
            Value::Type(ty) if matches!(**ty, Type::Resource(Some(_)) | Type::Class(Some(_))) => Ok(()),
            // In Ruby a hash outside of a list becomes a list of pairs.
            Value::Hash(hash) => hash.iter().try_for_each(|(key, value)| {
                self.add_value(set, key).and_then(|()| self.add_value(set, value))
            }),
            Value::String(word) => self.add(set, word),
            other => self.add(set, &text(other)),
        }
    }

    /// Adds all tags of another set.
    pub fn merge(&mut self, set: &mut TagSet, from: &TagSet) {
        if set.index.is_some() {
            from.numbers.iter().for_each(|&number| {
                set.push(number);
            });
            return;
        }
        self.merge += 1;
        for &number in &set.numbers {
            self.met[number as usize] = self.merge;
        }
        set.numbers.reserve(from.numbers.len());
        for &number in &from.numbers {
            if self.met[number as usize] != self.merge {
                self.met[number as usize] = self.merge;
                set.numbers.push(number);
            }
        }
        set.index_if_large();
    }

    /// The words of a set.
    pub fn words(&self, set: &TagSet) -> Vec<Str> {
        let mut words = Vec::with_capacity(set.numbers.len());
        for &number in &set.numbers {
            words.push(self.words[number as usize].clone());
        }
        words
    }
}

impl TagSet {
    /// An empty set with room for what a resource has: its type, its title, and those of what it is in.
    pub fn for_resource() -> TagSet {
        TagSet { numbers: Vec::with_capacity(16), index: None }
    }

    /// How many words are in it.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether a word is in it.
    pub fn has(&self, number: u32) -> bool {
        match &self.index {
            Some(index) => index.contains(&number),
            None => self.numbers.contains(&number),
        }
    }

    fn push(&mut self, number: u32) -> bool {
        let is_new = !self.has(number);
        if is_new {
            self.append(number);
        }
        is_new
    }

    /// Adds what is not in it yet.
    fn append(&mut self, number: u32) {
        self.numbers.push(number);
        match &mut self.index {
            Some(index) => drop(index.insert(number)),
            None => self.index_if_large(),
        }
    }

    fn index_if_large(&mut self) {
        if self.numbers.len() > SEARCHED {
            self.index = Some(Box::new(self.numbers.iter().copied().collect()));
        }
    }
}

/// Which classes and defines were found to have which tags.
#[derive(Debug, Default)]
pub(super) struct Tagged(FxHashMap<(ResourceId, u32), bool>);

/// A word in lower case, as most are.
fn lower(word: &str) -> Cow<'_, str> {
    match word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(downcase(word).into()),
    }
}

/// A value where Ruby would call `to_s` on it.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Type(ty) if matches!(&**ty, Type::Resource(Some(resource)) if resource.title.is_none()) => {
            format!("{ty}[]")
        }
        Value::Type(ty) => {
            ResourceRef::of_type(ty).map_or_else(|| ty.to_string(), |reference| reference.to_string())
        }
        other => kukla_values::format::to_s(other).into(),
    }
}

impl Vm<'_> {
    /// `tag(words)`: tags the class or define being evaluated.
    pub fn tag(&mut self, words: &[Value]) -> Flow<()> {
        match self.container() {
            Some(id) => self.catalog.tag(id, words),
            None => Ok(()),
        }
    }

    /// `tagged(words)`: whether the catalog or the class or define being evaluated has all of these tags.
    pub fn tagged(&self, words: &[Value]) -> bool {
        self.catalog.tagged(self.container(), words)
    }
}

impl CatalogBuilder {
    /// Adds tags to a resource.
    fn tag(&mut self, id: ResourceId, words: &[Value]) -> Flow<()> {
        let mut tags = std::mem::take(&mut self.get_mut(id).tags);
        let list = Value::Array(words.iter().cloned().collect());
        let added = self.tag_table.add_value(&mut tags, &list);
        self.get_mut(id).tags = tags;
        self.tag_changes += 1;
        added.map_err(|tag| match self.get(id).location.clone() {
            Some(location) => tag.refuse(Some(location)),
            None => diagnostic!(INVALID_TAG { word: tag.0 }).into(),
        })
    }

    /// Whether the catalog or a resource has all of these tags.
    fn tagged(&self, resource: Option<ResourceId>, words: &[Value]) -> bool {
        let has = |word: &str| {
            let Some(number) = self.tag_table.number(&downcase(word)) else { return false };
            self.tags.has(number) || resource.is_some_and(|id| self.is_tagged(id, number))
        };
        words.iter().all(|word| has(&text(word)))
    }

    /// Whether a resource has a tag, or will get it from what contains it.
    pub(crate) fn is_tagged(&self, id: ResourceId, number: u32) -> bool {
        let mut next = Some(id);
        while let Some(id) = next {
            if self.get(id).tags.has(number) {
                return true;
            }
            next = self.declared_in(id);
        }
        false
    }

    /// The same, for asking about many resources: what contains them is asked once.
    pub(super) fn is_tagged_within(&self, id: ResourceId, number: u32, known: &mut Tagged) -> bool {
        if self.get(id).tags.has(number) {
            return true;
        }
        let Some(outer) = self.declared_in(id) else { return false };
        *known.0.entry((outer, number)).or_insert_with(|| self.is_tagged(outer, number))
    }

    /// Gives a resource the tags of the class or define it was declared in; once.
    pub(crate) fn add_scope_tags(&mut self, id: ResourceId) {
        let resource = self.get_mut(id);
        if std::mem::replace(&mut resource.has_scope_tags, true) {
            return;
        }
        if let Some(outer) = self.declared_in(id) {
            self.merge_tags(id, outer);
        }
    }
}
