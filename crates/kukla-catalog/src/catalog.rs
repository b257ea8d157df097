//! The catalog itself.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use kukla_values::{Str, Value};
use rustc_hash::FxBuildHasher;

use crate::{Resource, ResourceRef};

/// All that a node is to be, in the order it was declared.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The node's name.
    pub name: Str,
    /// The version of the code: a time or the output of `config_version`.
    pub version: Value,
    /// An identifier of the code given by the deployment, if it has one.
    pub code_id: Option<Str>,
    /// The identifier of this catalog, if it was read from a document; one that was compiled derives it from its content.
    pub uuid: Option<Str>,
    /// The environment it was compiled in.
    pub environment: Str,
    /// The tags of the catalog: those of its classes.
    pub tags: Vec<Str>,
    /// The names of the classes, in the order they were evaluated.
    pub classes: Vec<Str>,
    /// The resources, in the order they were declared.
    pub resources: Vec<Resource>,
    /// Which resource contains which.
    pub edges: Vec<Edge>,
    /// The index of each resource.
    pub index: Index,
}

/// Where the resources of a catalog stand, found on first use.
#[derive(Clone, Debug, Default)]
pub struct Index(OnceLock<HashTable<u32>>);

/// A containment: the class, define or stage at `source` contains the resource at `target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The index of the container among the resources.
    pub source: u32,
    /// The index of the contained resource.
    pub target: u32,
}

impl Catalog {
    /// The version of the document's layout.
    pub const FORMAT: i64 = 2;

    /// Finds a resource by its capitalised type and its title.
    pub fn find(&self, type_name: &str, title: &str) -> Option<&Resource> {
        self.position_of(type_name, title).map(|at| &self.resources[at as usize])
    }

    /// The index of the resource that a reference names.
    pub fn position(&self, reference: &ResourceRef) -> Option<u32> {
        self.position_of(reference.type_name(), reference.title())
    }

    fn position_of(&self, type_name: &str, title: &str) -> Option<u32> {
        let index = self.index.0.get_or_init(|| self.indexed());
        let is_it = |at: &u32| self.resources[*at as usize].is_named(type_name, title);
        index.find(digest(type_name, title), is_it).copied()
    }

    fn indexed(&self) -> HashTable<u32> {
        let digest_of = |resource: &Resource| digest(&resource.type_name, &resource.title);
        let mut index = HashTable::with_capacity(self.resources.len());
        for (resource, at) in self.resources.iter().zip(0..) {
            let is_it =
                |at: &u32| self.resources[*at as usize].is_named(&resource.type_name, &resource.title);
            // Only a document can name two resources alike; the later one counts.
            match index.entry(digest_of(resource), is_it, |at| digest_of(&self.resources[*at as usize])) {
                Entry::Occupied(mut earlier) => *earlier.get_mut() = at,
                Entry::Vacant(place) => drop(place.insert(at)),
            }
        }
        index
    }

    /// The index of the resource that a reference of a relationship names. Text given there stays as it was written, and
    /// `file[/etc/motd]` leads to `File[/etc/motd]` too.
    pub fn position_as_written(&self, text: &str) -> Option<u32> {
        let (type_name, title) = ResourceRef::parts(text)?;
        self.position_of(type_name, title)
            .or_else(|| self.position(&ResourceRef::new(type_name, title).capitalized()))
    }

    /// The catalog without what nothing collected, as an agent gets it.
    #[must_use]
    pub fn without_virtual(&self) -> Catalog {
        let mut places = vec![None; self.resources.len()];
        let mut real = Catalog {
            name: self.name.clone(),
            version: self.version.clone(),
            code_id: self.code_id.clone(),
            uuid: self.uuid.clone(),
            environment: self.environment.clone(),
            tags: self.tags.clone(),
            classes: self.classes.clone(),
            ..Catalog::default()
        };
        for (at, resource) in self.resources.iter().enumerate().filter(|(_, one)| !one.is_virtual) {
            places[at] = u32::try_from(real.resources.len()).ok();
            real.resources.push(resource.clone());
        }
        let place = |at: u32| places.get(at as usize).copied().flatten();
        let edges = self.edges.iter();
        real.edges = edges
            .filter_map(|edge| Some(Edge { source: place(edge.source)?, target: place(edge.target)? }))
            .collect();
        real
    }

    /// The resource that contains the one at a position.
    pub fn container(&self, position: u32) -> Option<&Resource> {
        let edge = self.edges.iter().find(|edge| edge.target == position)?;
        self.resources.get(edge.source as usize)
    }
}

fn digest(type_name: &str, title: &str) -> u64 {
    FxBuildHasher.hash_one((type_name, title))
}
