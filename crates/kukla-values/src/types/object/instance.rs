//! Instances of object types.

use std::hash::{Hash as StdHash, Hasher};
use std::sync::Arc;

use super::{ObjectAttributeKind, ObjectExtension, ObjectType};
use crate::types::{Type, mismatch};
use crate::{Hash, Result, Value};

/// An instance of an [`ObjectType`].
#[derive(Debug)]
pub struct Object {
    /// Its type.
    pub ty: Arc<ObjectType>,
    /// The values of the attributes that can be given, in the order of `ObjectType::given_attributes`.
    pub values: Vec<Value>,
}

impl Object {
    /// Makes an instance as `new` does: from one hash with the attributes by name, or from the attributes in order.
    pub fn new(ty: &Arc<ObjectType>, args: &[Value]) -> Result<Object> {
        match args {
            [Value::Hash(hash)] if ty.init_type().contains(&args[0]) => Ok(Object::from_hash(ty, hash)),
            args => {
                mismatch::check_call(&format!("new_{}", ty.label()), &ty.signatures(), args, None)?;
                let given = ty.given_attributes();
                let defaults = given.iter().skip(args.len()).map(|a| a.value.clone().unwrap_or_default());
                Ok(Object { ty: ty.clone(), values: args.iter().cloned().chain(defaults).collect() })
            }
        }
    }

    /// Makes an instance from a hash already known to fit.
    pub fn from_hash(ty: &Arc<ObjectType>, hash: &Hash) -> Object {
        let values = ty.given_attributes().into_iter().map(|a| {
            hash.get(a.name.as_str()).cloned().unwrap_or_else(|| a.value.clone().unwrap_or_default())
        });
        Object { ty: ty.clone(), values: values.collect() }
    }

    /// The value of an attribute; nothing for one that is derived or does not exist.
    pub fn get(&self, name: &str) -> Option<Value> {
        let at = self.ty.given_attributes().iter().position(|a| a.name == name);
        if let Some(value) = at.and_then(|at| self.values.get(at)) {
            return Some(value.clone());
        }
        let constant =
            |a: &&super::ObjectAttribute| a.name == name && a.kind == ObjectAttributeKind::Constant;
        self.ty.attributes().into_iter().find(constant).and_then(|a| a.value.clone())
    }

    /// The hash it would be made from: every attribute that does not have its default.
    pub fn init_hash(&self) -> Hash {
        let given = self.ty.given_attributes();
        let all = self.ty.attributes();
        all.into_iter()
            .filter_map(|attribute| {
                let at = given.iter().position(|a| a.name == attribute.name)?;
                let value = self.values.get(at)?;
                (attribute.value.as_ref() != Some(value))
                    .then(|| (Value::from(attribute.name.clone()), value.clone()))
            })
            .collect()
    }

    /// The type inferred for it: with the values of its type parameters, if it has any.
    pub fn inferred(&self) -> Type {
        let parameters = self.ty.type_parameters();
        if parameters.is_empty() {
            return Type::Object(self.ty.clone());
        }
        let values =
            parameters.iter().map(|p| (p.name.clone(), self.get(&p.name).unwrap_or_default())).collect();
        Type::ObjectExtension(Arc::new(ObjectExtension { base: self.ty.clone(), parameters: values }))
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        let same_type = Arc::ptr_eq(&self.ty, &other.ty) || self.ty == other.ty;
        (same_type || self.ty.definition().equality_ignores_type)
            && self.ty.equality_attributes().iter().all(|name| self.get(name) == other.get(name))
    }
}

impl Eq for Object {}

impl StdHash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for name in self.ty.equality_attributes() {
            self.get(name).hash(state);
        }
    }
}
