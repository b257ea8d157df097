//! `defined`: whether a class, type, resource or variable exists.

use kukla_catalog::resource::capitalize;
use kukla_values::{Type, Value};

use super::kind::reference;
use crate::error::{Flow, Raise};
use crate::vm::Vm;

impl Vm<'_> {
    /// Whether what the value names exists: a class or type by name, a variable by `'$name'`, a declared resource or class by
    /// reference, a resource type or class by the type of a reference.
    pub fn defined(&mut self, value: &Value) -> Flow<bool> {
        match value {
            Value::String(name) if name.is_empty() => Ok(false),
            Value::String(name) => match name.strip_prefix('$') {
                Some(variable) if !variable.is_empty() => Ok(self.variable_exists(variable)),
                _ if name == "main" => Ok(true),
                _ => Ok(self.resource_type(name)?.is_some() || self.find_class(name)?.is_some()),
            },
            Value::Type(ty) => match &**ty {
                Type::Type(Some(inner)) => match &**inner {
                    Type::Class(Some(name)) => Ok(self.find_class(name)?.is_some()),
                    Type::Class(None) => {
                        Err(Raise::runtime("The given class type is a reference to all classes"))
                    }
                    resource => self.is_declared(resource),
                },
                other => self.is_declared(other),
            },
            other => {
                let kind = Type::of(other).generalized();
                Err(Raise::runtime(format!("Invalid argument of type '{kind}' to 'defined'")))
            }
        }
    }

    fn is_declared(&mut self, ty: &Type) -> Flow<bool> {
        match ty {
            Type::Resource(None) => {
                Err(Raise::runtime("The given resource type is a reference to all kind of types"))
            }
            Type::Class(None) => Err(Raise::runtime("The given class type is a reference to all classes")),
            Type::Resource(Some(resource)) if resource.title.is_none() => {
                if resource.name.eq_ignore_ascii_case("class") {
                    return Ok(false);
                }
                Ok(self.resource_type(&resource.name)?.is_some())
            }
            Type::Class(Some(name)) => {
                let name = name.strip_prefix("::").unwrap_or(name);
                Ok(self.catalog.find("Class", &capitalize(name)).is_some())
            }
            other => Ok(reference(other)
                .is_some_and(|(type_name, title)| self.catalog.find(&type_name, &title).is_some())),
        }
    }
}
