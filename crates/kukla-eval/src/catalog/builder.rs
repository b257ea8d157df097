//! The catalog while it is built: resources that may still change, and how they are found.

use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use kukla_catalog::types::NativeType;
use kukla_catalog::{ResourceKind, ResourceRef};
use kukla_syntax::{Fact, NAMELESS, diagnostic};
use kukla_values::{Budget, Error, Name, Str, Type, Value};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::collect::Collector;
use super::kind::{Resolved, ResourceDefinition};
use super::overrides::Override;
use super::provenance::Trail;
use super::relate::{DrawnRelationship, Relationship};
use super::scopes::CodeScopes;
use super::tags::{InvalidTag, TagSet, TagTable};
use crate::codes::{ALIAS_TAKEN, DUPLICATE_DECLARATION};
use crate::error::{Diagnostic, Location};
use crate::scope::ScopeId;
use crate::suggest::nearest;

/// A resource of the catalog being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(u32);

impl ResourceId {
    /// The index of the resource among all.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The code that a resource or attribute comes from: what inherits from what decides who may override whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum CodeOrigin {
    #[default]
    Main,
    Class(Name),
    Define(Name),
    Node,
}

/// An attribute with its value.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub name: Name,
    pub value: Value,
    pub origin: CodeOrigin,
    /// Whether it was written with `+>`.
    pub adds: bool,
    pub location: Option<Location>,
    /// How it came to be, if that is recorded.
    pub trail: Option<Arc<Trail>>,
    /// A number that all resources have in common which got this very attribute, or zero.
    ///
    /// In Puppet they share one array then, so that a relationship drawn for one of them is drawn for all:
    /// `file { ['/a', '/b']: before => [Service['c']] }` and `File['/a'] -> Service['d']` put `/b` before `d`, too.
    pub shared: u32,
}

impl Param {
    /// An attribute that nobody wrote.
    pub fn unwritten(name: Name, value: Value, origin: CodeOrigin) -> Param {
        Param { name, value, origin, adds: false, location: None, trail: None, shared: 0 }
    }
}

/// A resource that may still change.
#[derive(Debug)]
pub(crate) struct Building {
    pub definition: ResourceDefinition,
    pub type_name: Name,
    pub title: Str,
    /// The title as it was written, where that is not a string.
    pub given: Option<Box<Value>>,
    pub params: Vec<Param>,
    pub tags: TagSet,
    pub location: Option<Location>,
    pub kind: ResourceKind,
    pub exported: bool,
    pub is_virtual: bool,
    pub evaluated: bool,
    /// Whether its attributes were found to be right for the class or define, and have not changed since.
    pub checked: bool,
    pub has_scope_tags: bool,
    pub sensitive: Vec<Name>,
    /// The scope it was declared in.
    pub scope: ScopeId,
    pub origin: CodeOrigin,
    /// Its container and its members, in the order in which they were added.
    pub containers: SmallVec<[ResourceId; 2]>,
    pub contents: Vec<ResourceId>,
}

impl Building {
    /// The title as it was given: text, but for what hashes can have as keys.
    pub fn given_title(&self) -> Value {
        self.given.as_deref().cloned().unwrap_or_else(|| self.title.clone().into())
    }

    /// The resources that name it.
    pub fn reference(&self) -> ResourceRef {
        ResourceRef::new(self.type_name.as_str(), self.title.clone())
    }

    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name.as_str() == name)
    }

    /// The value of an attribute that has one.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.param(name).map(|param| &param.value).filter(|value| !value.is_undef())
    }

    pub fn is_class(&self) -> bool {
        self.type_name.as_str() == "Class"
    }

    /// Whether it is one of those that Puppet creates itself, with a title that is not a string: `Class[main]`, `Stage[main]`.
    pub fn is_main(&self) -> bool {
        &*self.title == "main"
            && self.location.is_none()
            && matches!(self.type_name.as_str(), "Class" | "Stage")
    }

    /// Whether its title is its name unchanged, unless an attribute sets another.
    pub fn title_is_name(&self) -> bool {
        let is_plain = match &self.definition {
            ResourceDefinition::Native(ty) => ty.title_is_name(&self.title),
            _ => true,
        };
        is_plain && self.given.is_none() && !self.is_main()
    }

    /// The name variables and attributes in the order catalogs show them: first what the title gives, then the rest.
    pub fn attributes(&self) -> Result<Vec<(Name, Value)>, Error> {
        let mut all: Vec<(Name, Value)> = Vec::with_capacity(self.params.len() + 2);
        match &self.definition {
            ResourceDefinition::Native(ty) => {
                let names = ty.parse_title(&self.title)?.into_iter();
                all.extend(
                    names.map(|(name, value)| (Name::new(name), value.map_or(Value::Undef, Value::String))),
                );
            }
            _ => all.push((Name::new("name"), self.title.clone().into())),
        }
        for param in self.params.iter().filter(|param| !param.value.is_undef()) {
            match all.iter_mut().find(|(name, _)| *name == param.name) {
                Some((_, value)) => *value = param.value.clone(),
                None => all.push((param.name, param.value.clone())),
            }
        }
        Ok(all)
    }

    /// The values that no other resource of the type may have, if these are more than the title.
    fn uniqueness_key(&self) -> Result<Option<Vec<Value>>, Error> {
        if let ResourceDefinition::Native(ty) = &self.definition
            && !ty.isomorphic
        {
            return Ok(None);
        }
        let namevar = self.definition.namevar();
        // The usual case: the title is the name, and nobody says otherwise.
        let plain = match &self.definition {
            ResourceDefinition::Native(ty) => ty.title_is_name(&self.title),
            _ => true,
        };
        if plain && self.value(namevar).is_none() {
            return Ok(None);
        }
        let key = key_of(&self.definition, self.attributes()?, &self.type_name, &self.title);
        let is_title = matches!(&key[..], [Value::String(only)] if *only == self.title);
        Ok((!is_title && key.iter().any(Value::is_true)).then_some(key))
    }
}

/// The values of the name variables, in the order of their names.
fn key_of(
    definition: &ResourceDefinition,
    mut all: Vec<(Name, Value)>,
    type_name: &str,
    title: &str,
) -> Vec<Value> {
    let get = |all: &[(Name, Value)], wanted: &str| {
        all.iter()
            .find(|(name, _)| name.as_str() == wanted)
            .map(|(_, value)| value.clone())
            .filter(|v| !v.is_undef())
    };
    let namevar = definition.namevar();
    let name = get(&all, namevar).or_else(|| get(&all, "name"));
    let name = name.unwrap_or_else(|| format!("{type_name}/{title}").into());
    for wanted in [namevar, "name"] {
        if get(&all, wanted).is_none() {
            all.push((Name::new(wanted), name.clone()));
        }
    }
    let mut keys: Vec<&str> = match definition {
        ResourceDefinition::Native(ty) => ty.namevars.to_vec(),
        _ => vec!["name"],
    };
    keys.sort_unstable();
    // Later entries are those filled in above.
    let last = |wanted: &str| {
        all.iter().rev().find(|(name, _)| name.as_str() == wanted).map(|(_, value)| value.clone())
    };
    keys.into_iter().map(|key| last(key).unwrap_or_default()).collect()
}

/// The resources of one type.
#[derive(Debug, Default)]
pub(crate) struct Kindred {
    /// By title and by alias.
    titles: FxHashMap<Str, ResourceId>,
    /// By several name variables, or by one that is not text.
    keys: FxHashMap<Vec<Value>, ResourceId>,
    /// In the order they were declared.
    all: Vec<ResourceId>,
    /// The first of them by title, as queries compare titles: in lower case. Only collectors need it.
    by_title: FxHashMap<Str, Vec<ResourceId>>,
    /// How many `by_title` holds.
    indexed: usize,
    /// How often one of them was changed after it was added.
    changes: u64,
}

impl Kindred {
    /// All, in the order they were declared.
    pub fn all(&self) -> &[ResourceId] {
        &self.all
    }

    /// How often one of them was changed after it was added.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Those that a query for a title finds, in the order they were declared, if [`CatalogBuilder::index_titles`] was
    /// called after the last of them came.
    pub fn titled(&self, title: &str) -> &[ResourceId] {
        self.by_title.get(&*title.to_ascii_lowercase()).map_or(&[], Vec::as_slice)
    }
}

/// For how many resources there is room before the list of them is moved: they are large.
const USUAL: usize = 1024;

/// The catalog being built.
#[derive(Debug, Default)]
pub struct CatalogBuilder {
    resources: Vec<Building>,
    /// The budget that resources and relationships are charged to.
    pub(super) budget: Rc<Budget>,
    kindred: FxHashMap<Name, Kindred>,
    pub(super) scopes: CodeScopes,
    /// The types that some scope has defaults for: few, and no scope need be asked about the others.
    pub(super) defaulted: Vec<Name>,
    /// The names of the classes that were evaluated.
    pub(super) classes: Vec<Str>,
    pub(super) tags: TagSet,
    pub(super) tag_table: TagTable,
    /// How often a resource was given further tags.
    pub(super) tag_changes: u64,
    /// Overrides of resources that have not been declared yet.
    pub(super) overrides: IndexMap<ResourceRef, Vec<Override>, FxBuildHasher>,
    /// Code that has used a collector with overrides: it may override anything from then on.
    pub(super) overriding: FxHashSet<CodeOrigin>,
    pub(super) collectors: Vec<Collector>,
    /// Resources that code in Ruby has taken out again.
    removed: FxHashSet<ResourceId>,
    /// Resources that other nodes export, with the node.
    pub(super) imported: FxHashMap<ResourceId, Str>,
    pub(super) relationships: Vec<Relationship>,
    /// The relationships that arrows drew, if origins are recorded.
    pub(super) drawn: Vec<DrawnRelationship>,
    /// Classes and defines that wait to be evaluated.
    pub(super) waiting: Vec<ResourceId>,
    /// How many attributes are shared.
    shared: u32,
    /// Attributes that were found to be right for a type.
    accepted: FxHashSet<(Name, Name)>,
    /// Types found so far, by the name they were asked for.
    pub(super) resolved: FxHashMap<Str, Resolved>,
}

impl CatalogBuilder {
    pub(crate) fn new(budget: Rc<Budget>) -> CatalogBuilder {
        CatalogBuilder { budget, resources: Vec::with_capacity(USUAL), ..CatalogBuilder::default() }
    }

    pub(crate) fn get(&self, id: ResourceId) -> &Building {
        &self.resources[id.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, id: ResourceId) -> &mut Building {
        &mut self.resources[id.0 as usize]
    }

    /// How many resources there are.
    pub(crate) fn len(&self) -> usize {
        self.resources.len()
    }

    /// How much of everything there is: two of these are different if something was added or changed in between.
    pub(crate) fn counts(&self) -> [u64; 8] {
        let overrides: usize = self.overrides.values().map(Vec::len).sum();
        let changes: u64 = self.kindred.values().map(Kindred::changes).sum();
        let sizes = [
            self.resources.len(),
            self.relationships.len(),
            self.collectors.len(),
            self.classes.len(),
            overrides,
            self.waiting.len(),
        ];
        let [resources, relationships, collectors, classes, overrides, waiting] =
            sizes.map(|size| size as u64);
        [resources, relationships, collectors, classes, overrides, waiting, changes, self.tag_changes]
    }

    /// All resources, in the order they were declared.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ResourceId> + use<> {
        let removed = self.removed.clone();
        (0..self.resources.len() as u32).map(ResourceId).filter(move |id| !removed.contains(id))
    }

    /// Takes a resource out: from then on it has no name that it could be found by, and its names are free.
    pub(crate) fn remove(&mut self, id: ResourceId) {
        self.removed.insert(id);
        self.waiting.retain(|waiting| *waiting != id);
        if let Some(kindred) = self.kindred.get_mut(&self.resources[id.index()].type_name) {
            kindred.titles.retain(|_, known| *known != id);
            kindred.keys.retain(|_, known| *known != id);
        }
    }

    pub(crate) fn is_removed(&self, id: ResourceId) -> bool {
        self.removed.contains(&id)
    }

    /// The first attribute of a resource that its native type does not have.
    pub(crate) fn unknown_attribute(&mut self, id: ResourceId, ty: &NativeType) -> Option<Name> {
        let resource = &self.resources[id.index()];
        let accepted = &mut self.accepted;
        let mut names = resource.params.iter().map(|param| param.name);
        // Most attributes have been met before, and comparing two pointers beats searching for a name.
        names.find(|name| {
            let pair = (resource.type_name, *name);
            let is_right = accepted.contains(&pair) || ty.accepts(name) && accepted.insert(pair);
            !is_right
        })
    }

    /// The names of the classes that were evaluated.
    pub(crate) fn class_names(&self) -> Vec<Str> {
        self.classes.clone()
    }

    /// The tags of the catalog.
    pub(crate) fn tag_words(&self) -> Vec<Str> {
        self.tag_table.words(&self.tags)
    }

    /// The tags of a resource.
    pub(crate) fn tag_words_of(&self, id: ResourceId) -> Vec<Str> {
        self.tag_table.words(&self.get(id).tags)
    }

    pub(crate) fn of_type(&self, type_name: Name) -> Option<&Kindred> {
        self.kindred.get(&type_name)
    }

    /// Makes the resources of a type known by their titles as queries compare them.
    pub(crate) fn index_titles(&mut self, type_name: Name) {
        let Some(kindred) = self.kindred.get_mut(&type_name) else { return };
        for &id in &kindred.all[kindred.indexed..] {
            let title = self.resources[id.0 as usize].title.to_ascii_lowercase();
            kindred.by_title.entry(title).or_default().push(id);
        }
        kindred.indexed = kindred.all.len();
    }

    /// Adds a resource, unless there is one by one of its names.
    pub(crate) fn add(&mut self, resource: Building) -> Result<ResourceId, Error> {
        self.budget.charge_resource(resource.params.len())?;
        let id = ResourceId(self.resources.len() as u32);
        let kindred = self.kindred.entry(resource.type_name).or_default();
        if let Some(earlier) = kindred.titles.get(&resource.title) {
            let earlier = self.resources[earlier.0 as usize].location.clone();
            let wrong = diagnostic!(DUPLICATE_DECLARATION {
                resource: resource.reference(),
                earlier: Fact::position(" at", earlier.clone()),
            });
            let wrong = match &earlier {
                None if resource.is_class() => wrong.hint(
                    "`include` or the like has declared it before; declare it with parameters first, or set them in the data",
                ),
                _ => wrong,
            };
            return Err(wrong.label_if_known(earlier, "first declared here").into());
        }
        kindred.titles.insert(resource.title.clone(), id);
        kindred.all.push(id);
        let key = resource.uniqueness_key();
        let aliases = resource.value("alias").cloned();
        self.resources.push(resource);
        for alias in aliases.iter().flat_map(flat) {
            if let Value::String(alias) = alias {
                self.alias(id, vec![Value::String(alias)], true)?;
            }
        }
        match key {
            Ok(Some(key)) => self.alias(id, key, false)?,
            Ok(None) => {}
            Err(error) => return Err(error.into_diagnostic().reported_as(NAMELESS).into()),
        }
        Ok(id)
    }

    /// Gives a resource a further name.
    fn alias(&mut self, id: ResourceId, key: Vec<Value>, is_explicit: bool) -> Result<(), Error> {
        let type_name = self.get(id).type_name;
        let kindred = self.kindred.entry(type_name).or_default();
        let existing = match &key[..] {
            [Value::String(title)] => *kindred.titles.entry(title.clone()).or_insert(id),
            _ => *kindred.keys.entry(key.clone()).or_insert(id),
        };
        if existing == id {
            return Ok(());
        }
        let inspect = |values: &[Value]| values.iter().map(inspect).collect::<Vec<_>>().join(", ");
        let shown = if is_explicit { inspect(&key) } else { format!("[{}]", inspect(&key)) };
        Err(self.alias_taken(id, existing, &shown, &inspect(&key)).into())
    }

    /// The error for a further name that another resource has.
    #[cold]
    pub(super) fn alias_taken(
        &self,
        id: ResourceId,
        existing: ResourceId,
        alias: &str,
        key: &str,
    ) -> Diagnostic {
        let resource = self.get(id);
        let earlier = self.get(existing).location.clone();
        let wrong = diagnostic!(ALIAS_TAKEN {
            resource: resource.reference(),
            alias,
            here: Fact::position(" at", resource.location.clone()),
            kind: format_args!("{:?}", resource.type_name.as_str()),
            key,
            earlier: Fact::position("", earlier.clone()),
        });
        wrong.label_if_known(earlier, "declared here")
    }

    /// The resource of the same type whose title is nearest, for hints.
    #[cold]
    pub(super) fn near_resource(&self, wanted: &ResourceRef) -> Option<ResourceRef> {
        let kindred = self.kindred.get(&Name::existing(wanted.type_name())?)?;
        let near = nearest(wanted.title(), kindred.titles.keys().map(|title| title.as_str()))?;
        Some(ResourceRef::new(wanted.type_name(), near))
    }

    /// The error of a reference, with a hint at the resource that may have been meant.
    #[cold]
    pub(super) fn with_near(&self, wrong: Diagnostic, wanted: &ResourceRef) -> Diagnostic {
        match self.near_resource(wanted) {
            Some(near) => wrong.hint(format!("there is {near}")),
            None => wrong,
        }
    }

    /// Finds a resource by its capitalised type and its title, or by what its title means.
    pub(crate) fn find(&self, type_name: &str, title: &str) -> Option<ResourceId> {
        let type_name = Name::existing(type_name)?;
        let kindred = self.kindred.get(&type_name)?;
        if let Some(found) = kindred.titles.get(title) {
            return Some(*found);
        }
        let definition = &self.get(*kindred.all.first()?).definition;
        let ResourceDefinition::Native(ty) = definition else { return None };
        let names = ty.parse_title(&title.into()).ok()?.into_iter();
        let names =
            names.map(|(name, value)| (Name::new(name), value.map_or(Value::Undef, Value::String))).collect();
        let key = key_of(definition, names, &type_name, title);
        match &key[..] {
            [Value::String(name)] => kindred.titles.get(name).copied(),
            _ => kindred.keys.get(&key).copied(),
        }
    }

    /// Finds a resource by a reference, be it a type or text.
    pub(crate) fn find_value(&self, value: &Value) -> Option<ResourceId> {
        if let Value::Type(ty) = value {
            // Most references are spelled as they are stored.
            if let Type::Resource(Some(resource)) = &**ty
                && let Some(title) = &resource.title
                && let Some(found) = self.find(&resource.name, title)
            {
                return Some(found);
            }
            return self.find_reference(&ResourceRef::of_type(ty)?);
        }
        if let Value::String(text) = value
            && let Some((type_name, title)) = spelled_as_stored(text)
        {
            return self.find(type_name, title);
        }
        self.find_reference(&ResourceRef::parse(&super::tags::text(value))?.capitalized())
    }

    /// Finds a resource by a reference.
    pub(crate) fn find_reference(&self, reference: &ResourceRef) -> Option<ResourceId> {
        self.find(reference.type_name(), reference.title())
    }

    /// Marks the attributes that several resources are about to get. Only lists that relationships are added to matter.
    pub(crate) fn share(&mut self, params: &mut [Param]) {
        for param in params {
            let grows =
                matches!(param.name.as_str(), "before" | "notify") && matches!(param.value, Value::Array(_));
            if grows && param.shared == 0 {
                self.shared += 1;
                param.shared = self.shared;
            }
        }
    }

    /// Adds to a list among the attributes of a resource, and of those that share it; `false` if it has no such list.
    pub(crate) fn append(&mut self, id: ResourceId, name: Name, value: &Value) -> bool {
        let lists = |resource: &mut Building, shared: Option<u32>| {
            let param = resource.params.iter_mut().find(|param| param.name == name)?;
            match &mut param.value {
                Value::Array(all) if shared.is_none_or(|shared| param.shared == shared) => {
                    all.push(value.clone());
                    Some(param.shared)
                }
                _ => None,
            }
        };
        let Some(shared) = lists(self.get_mut(id), None) else { return false };
        if shared != 0 {
            for (at, resource) in self.resources.iter_mut().enumerate() {
                if at != id.0 as usize {
                    lists(resource, Some(shared));
                }
            }
        }
        true
    }

    /// Says that one resource contains another; once is enough.
    pub(crate) fn contain(&mut self, container: ResourceId, contained: ResourceId) {
        if !self.get(contained).containers.contains(&container) {
            self.get_mut(contained).containers.push(container);
            self.get_mut(container).contents.push(contained);
        }
    }

    /// Gives one resource all tags of another.
    pub(crate) fn merge_tags(&mut self, id: ResourceId, from: ResourceId) {
        let mut tags = std::mem::take(&mut self.get_mut(id).tags);
        self.budget.note_memory(16 * self.get(from).tags.len());
        self.tag_table.merge(&mut tags, &self.resources[from.0 as usize].tags);
        self.get_mut(id).tags = tags;
    }

    /// The attributes of a resource, to change.
    pub(crate) fn params_mut(&mut self, id: ResourceId) -> &mut Vec<Param> {
        let resource = &mut self.resources[id.index()];
        resource.checked = false;
        // Nobody collects classes, and they are changed most.
        if !resource.is_class()
            && let Some(kindred) = self.kindred.get_mut(&resource.type_name)
        {
            kindred.changes += 1;
        }
        &mut resource.params
    }

    /// Sets an attribute, keeping its place if it had one. The error is a word that cannot be a tag.
    pub(crate) fn set(&mut self, id: ResourceId, param: Param) -> Result<(), InvalidTag> {
        let place = self.get(id).params.iter().position(|known| known.name == param.name);
        self.set_at(id, place, param)
    }

    /// The same for an attribute whose place is known; `None` for one that the resource does not have.
    pub(crate) fn set_at(
        &mut self,
        id: ResourceId,
        place: Option<usize>,
        mut param: Param,
    ) -> Result<(), InvalidTag> {
        let mut tagged = Ok(());
        if param.name.as_str() == "tag" {
            let mut tags = std::mem::take(&mut self.get_mut(id).tags);
            tagged = self.tag_table.add_value(&mut tags, &param.value);
            self.get_mut(id).tags = tags;
            self.tag_changes += 1;
        }
        let params = self.params_mut(id);
        match place.and_then(|place| params.get_mut(place)) {
            Some(known) => {
                if let Some(trail) = &mut param.trail {
                    Arc::make_mut(trail).replaced = known.trail.take();
                }
                *known = param;
            }
            None => params.push(param),
        }
        tagged
    }

    /// Sets an attribute that nobody wrote.
    pub(crate) fn set_value(&mut self, id: ResourceId, name: Name, value: Value) -> Result<(), InvalidTag> {
        let origin = self.get(id).origin;
        self.set(id, Param::unwritten(name, value, origin))
    }
}

/// The type and title of a reference that has its capitals already, as catalogs and relationships do.
fn spelled_as_stored(text: &str) -> Option<(&str, &str)> {
    let (type_name, rest) = text.split_once('[')?;
    let title = rest.strip_suffix(']')?;
    let capital = |text: &str| text.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
    let is_stored = capital(type_name) && (type_name != "Class" || capital(title));
    (is_stored && !title.is_empty() && !type_name.contains(']')).then_some((type_name, title))
}

/// Does something with each member of nested lists.
pub(super) fn each_member<E>(value: &Value, act: &mut impl FnMut(&Value) -> Result<(), E>) -> Result<(), E> {
    match value {
        Value::Array(values) => values.iter().try_for_each(|value| each_member(value, act)),
        other => act(other),
    }
}

/// The members of nested lists.
pub(super) fn flat(value: &Value) -> Vec<Value> {
    let mut all = Vec::with_capacity(if let Value::Array(values) = value { values.len() } else { 1 });
    let Ok(()) = each_member(value, &mut |member| {
        all.push(member.clone());
        Ok::<(), Infallible>(())
    });
    all
}

fn inspect(value: &Value) -> String {
    match value {
        Value::Undef => "nil".into(),
        Value::String(text) => format!("{text:?}"),
        other => super::tags::text(other),
    }
}
