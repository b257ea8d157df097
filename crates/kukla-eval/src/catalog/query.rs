//! What functions may ask of the catalog being built.

use kukla_catalog::resource::capitalize;
use kukla_values::{Name, Str, Type, Value};

use super::builder::{Origin, ResourceId};
use crate::vm::Vm;

impl Vm<'_> {
    /// A declared resource by its type and title; of classes the title is the name.
    pub fn declared(&self, type_name: &str, title: &str) -> Option<ResourceId> {
        match capitalize(&type_name.to_lowercase()) {
            class if class == "Class" => self.catalog.find("Class", &capitalize(title)),
            type_name => self.catalog.find(&type_name, title),
        }
    }

    /// All declared resources of a type.
    pub fn declared_of_type(&self, type_name: &str) -> Vec<ResourceId> {
        let name = Name::existing(&capitalize(&type_name.to_lowercase()));
        name.and_then(|name| self.catalog.of_type(name))
            .map(|kindred| kindred.all.clone())
            .unwrap_or_default()
    }

    /// The value that a resource was given for an attribute, not counting defaults.
    pub fn given_attribute(&self, resource: ResourceId, name: &str) -> Value {
        let resource = self.catalog.get(resource);
        match name {
            "title" => resource.title.clone().into(),
            name => resource.value(name).cloned().unwrap_or_default(),
        }
    }

    /// A reference to a resource.
    pub fn reference_to(&self, resource: ResourceId) -> Type {
        let resource = self.catalog.get(resource);
        match resource.is_class() {
            true => Type::Class(Some(Str::from(resource.title.to_lowercase()))),
            false => Type::resource(&resource.type_name, Some(resource.title.clone())),
        }
    }

    /// The resource whose code is being evaluated.
    pub fn current_resource(&self) -> Option<ResourceId> {
        self.scopes.get(self.at.scope).slots.resource
    }

    /// The class or define whose code is being evaluated: its kind in Puppet's words, and its name.
    pub fn current_definition(&self) -> (&'static str, Str) {
        match self.scopes.get(self.at.scope).slots.origin {
            Origin::Class(name) => ("Class", name.as_str().into()),
            Origin::Define(name) => ("Definition", name.as_str().into()),
            Origin::Node => ("Definition", self.node.name.as_str().into()),
            Origin::Main => ("Class", Str::new()),
        }
    }
}
