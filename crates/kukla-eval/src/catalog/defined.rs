//! `defined`: whether a class, type, resource or variable exists.

use kukla_catalog::ResourceRef;
use kukla_syntax::bail;
use kukla_values::types::capitalize;
use kukla_values::{Name, Type, Value};

use super::builder::{CodeOrigin, Kindred, ResourceId};
use crate::codes::{ALL_CLASSES, ALL_RESOURCE_TYPES, NEITHER_NAME_NOR_REFERENCE};
use crate::error::Flow;
use crate::vm::Vm;

impl Vm<'_> {
    /// Whether what the value names exists: a class or type by name, a variable by `'$name'`, a declared resource or class by
    /// reference, a resource type or class by the type of a reference.
    pub fn defined(&mut self, value: &Value) -> Flow<bool> {
        match value {
            Value::String(name) if name.is_empty() => Ok(false),
            Value::String(name) => match name.strip_prefix('$') {
                Some(variable) if !variable.is_empty() => Ok(self.variable_exists(variable)),
                _ if matches!(&**name, "main" | "::") => Ok(true),
                _ => Ok(self.resource_type(name)?.is_some() || self.find_class(name)?.is_some()),
            },
            Value::Type(ty) => match &**ty {
                Type::Type(Some(inner)) => match &**inner {
                    Type::Class(Some(name)) => Ok(self.find_class(name)?.is_some()),
                    Type::Class(None) => bail!(ALL_CLASSES),
                    resource => self.is_declared(resource),
                },
                other => self.is_declared(other),
            },
            other => {
                bail!(NEITHER_NAME_NOR_REFERENCE { actual: Type::of_generalized(other) })
            }
        }
    }

    fn is_declared(&mut self, ty: &Type) -> Flow<bool> {
        match ty {
            Type::Resource(None) => bail!(ALL_RESOURCE_TYPES),
            Type::Class(None) => bail!(ALL_CLASSES),
            Type::Resource(Some(resource)) if resource.title.is_none() => {
                if resource.name.eq_ignore_ascii_case("class") {
                    return Ok(false);
                }
                Ok(self.resource_type(&resource.name)?.is_some())
            }
            other => {
                let reference = ResourceRef::of_type(other);
                Ok(reference.is_some_and(|reference| self.catalog.find_reference(&reference).is_some()))
            }
        }
    }

    /// The declared resource that a reference leads to, be it capitalised or not.
    pub fn declared(&self, reference: &ResourceRef) -> Option<ResourceId> {
        self.catalog.find_reference(&reference.capitalized())
    }

    /// All declared resources of a type.
    pub fn declared_of_type(&self, type_name: &str) -> Vec<ResourceId> {
        let name = Name::existing(&capitalize(&type_name.to_lowercase()));
        let kindred = name.and_then(|name| self.catalog.of_type(name));
        let all = kindred.map(Kindred::all).unwrap_or_default();
        all.iter().copied().filter(|id| !self.catalog.is_removed(*id)).collect()
    }

    /// The value a declared resource has for an attribute; defaults of its type's parameters do not count.
    pub fn declared_attribute(&self, id: ResourceId, name: &str) -> Option<Value> {
        let resource = self.catalog.get(id);
        match name {
            "title" => Some(resource.title.clone().into()),
            _ => resource.value(name).cloned(),
        }
    }

    /// A reference to a declared resource.
    pub fn declared_reference(&self, id: ResourceId) -> Value {
        let resource = self.catalog.get(id);
        Value::of_type(match resource.is_class() {
            true => Type::Class(Some(resource.title.to_lowercase())),
            false => Type::resource(&resource.type_name, Some(resource.title.clone())),
        })
    }

    /// The resource of the class, define or node whose code is being evaluated.
    pub fn container_id(&self) -> Option<ResourceId> {
        self.container()
    }

    /// The class or define whose code is being evaluated, as `Class` or `Definition` and its name.
    pub fn code_in_charge(&self) -> (&'static str, Name) {
        match self.origin() {
            CodeOrigin::Class(name) => ("Class", name),
            CodeOrigin::Define(name) => ("Definition", name),
            CodeOrigin::Main => ("Class", Name::new("")),
            CodeOrigin::Node => ("Definition", Name::new("")),
        }
    }
}
