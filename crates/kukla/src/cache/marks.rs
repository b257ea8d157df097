//! Marks: what tells whether two resources are the same, and nothing else about them.
//!
//! A mark is a digest with a key that only this cache has (SipHash-2-4 with 128 bits), so that short secrets cannot be guessed from it without the
//! key. Where the name of the node stands in a resource, the mark has only that it stands there: resources of two nodes that
//! differ in nothing else have the same mark.

use std::path::Path;

use kukla_catalog::{Catalog, Resource};
use kukla_values::Str;
use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use siphasher::sip128::{Hasher128, SipHasher24};

use super::encode::Writer;
use super::packed::{Packer, Texts};
use crate::disk;

/// What marks are made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key([u8; 16]);

/// The mark of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mark(pub u128);

impl Key {
    /// The key in a file, which is made if it is not there.
    pub fn at(place: &Path) -> Option<Key> {
        let read = || disk::read_own(place).ok()?.try_into().ok().map(Key);
        if let Some(key) = read() {
            return Some(key);
        }
        disk::write_own(place, &disk::random::<16>().ok()?).ok()?;
        // Another process may have made one at the same time.
        read()
    }

    /// What tells this key from others.
    pub fn name(self) -> Mark {
        self.mark(b"the key")
    }

    fn mark(self, bytes: &[u8]) -> Mark {
        let mut hasher = SipHasher24::new_with_key(&self.0);
        std::hash::Hasher::write(&mut hasher, bytes);
        Mark(hasher.finish128().into())
    }
}

/// The marks of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Those of its resources, in their order.
    pub resources: Vec<ResourceMarks>,
    /// That of the list of its classes.
    pub classes: Mark,
}

/// The marks of a resource: all of it but the place it was declared at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResourceMarks {
    /// All but the tags. These have a mark of their own because they come from what contains a resource: nodes with other roles
    /// have the same resources with other tags.
    pub own: Mark,
    /// Its tags.
    pub tags: Mark,
}

impl Marks {
    /// The marks of a node's catalog; `None` if something in it is no plain data.
    pub fn of(catalog: &Catalog, node: &str, key: Key) -> Option<Marks> {
        let mut marker = Marker::new(node, key);
        let mark = |resource: &Resource| {
            let own = marker.mark(|packer| packer.resource(resource))?;
            Some(ResourceMarks { own, tags: marker.words(&resource.tags) })
        };
        let resources = catalog.resources.iter().map(mark).collect::<Option<Vec<_>>>()?;
        Some(Marks { resources, classes: marker.words(&catalog.classes) })
    }
}

/// Makes the marks of a node's catalog.
struct Marker<'n> {
    key: Key,
    packer: Packer<Nameless<'n>>,
    /// The marks of words: there are few of them, and they are everywhere.
    known: FxHashMap<Str, Mark>,
}

impl<'n> Marker<'n> {
    fn new(node: &'n str, key: Key) -> Marker<'n> {
        let packer = Packer { texts: Nameless(Finder::new(node)), out: Writer::default() };
        Marker { key, packer, known: FxHashMap::default() }
    }

    fn mark(&mut self, write: impl FnOnce(&mut Packer<Nameless<'n>>) -> Option<()>) -> Option<Mark> {
        self.packer.out.bytes.clear();
        write(&mut self.packer)?;
        Some(self.key.mark(&self.packer.out.bytes))
    }

    /// The mark of a list of words.
    fn words(&mut self, words: &[Str]) -> Mark {
        let mut all = words.len() as u128;
        for word in words {
            all = all.wrapping_mul(FACTOR).wrapping_add(self.word(word).0);
        }
        Mark(all)
    }

    fn word(&mut self, word: &Str) -> Mark {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        self.packer.out.bytes.clear();
        self.packer.texts.write(word, &mut self.packer.out);
        let mark = self.key.mark(&self.packer.out.bytes);
        self.known.insert(word.clone(), mark);
        mark
    }
}

/// What makes the order of words count. Marks of words are as good as chance, so two lists have the same sum as seldom as two texts have the same mark.
const FACTOR: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// Texts without a name: what is between where it stands.
struct Nameless<'n>(Finder<'n>);

impl Texts for Nameless<'_> {
    fn write(&mut self, text: &Str, out: &mut Writer) {
        let name = self.0.needle().len();
        let is_found = name > 0 && text.len() >= name && self.0.find(text.as_bytes()).is_some();
        if !is_found {
            out.number((text.len() as u64) << 1);
            out.bytes.extend_from_slice(text.as_bytes());
            return;
        }
        let found: Vec<usize> = self.0.find_iter(text.as_bytes()).collect();
        out.number((found.len() as u64) << 1 | 1);
        let mut from = 0;
        for at in found {
            out.text(&text[from..at]);
            from = at + name;
        }
        out.text(&text[from..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key([7; 16]);

    fn marks(node: &str, title: &str, tags: &[&str]) -> Marks {
        let resource = Resource {
            type_name: "Notify".into(),
            title: title.into(),
            tags: tags.iter().map(|tag| (*tag).into()).collect(),
            parameters: vec![("message".into(), vec![title.into(), 1.into()].into())],
            ..Resource::default()
        };
        Marks::of(&Catalog { resources: vec![resource], ..Catalog::default() }, node, KEY).unwrap()
    }

    #[test]
    fn names_of_nodes_make_no_difference_and_all_else_does() {
        let one = marks("web1", "on web1, web1", &["a", "web1"]);
        assert_eq!(
            one,
            marks("db1.example.com", "on db1.example.com, db1.example.com", &["a", "db1.example.com"])
        );
        for (node, title, tags) in [
            ("web1", "on web1, web2", &["a", "web1"][..]),
            ("web1", "on web1, ", &["a", "web1"]),
            ("web2", "on web1, web1", &["a", "web1"]),
            ("", "on web1, web1", &["a", "web1"]),
        ] {
            assert_ne!(one.resources[0].own, marks(node, title, tags).resources[0].own, "{node}: {title}");
        }
        for tags in [&["web1", "a"][..], &["a"], &["a", "web1", "web1"], &["", "a", "web1"]] {
            let other = marks("web1", "on web1, web1", tags).resources[0];
            assert_eq!(one.resources[0].own, other.own);
            assert_ne!(one.resources[0].tags, other.tags, "{tags:?}");
        }
    }

    #[test]
    fn marks_are_those_of_a_key() {
        assert_ne!(KEY.mark(b"secret"), Key([8; 16]).mark(b"secret"));
        assert_ne!(KEY.name(), Key([8; 16]).name());
    }
}
