//! Type aliases that were loaded.

use std::sync::{Arc, OnceLock};

use kukla_values::Type;
use kukla_values::types::TypeAlias;

use crate::program::AliasDefinition;
use crate::remark::Remarks;
use crate::unit::Defined;

/// A type alias that was loaded, and the type once it was resolved.
#[derive(Debug)]
pub struct LoadedAlias {
    /// The definition.
    pub definition: Arc<Defined<AliasDefinition>>,
    /// The type; created before the right-hand side is evaluated, which may refer to it.
    pub ty: Arc<TypeAlias>,
    /// The remarks about the files of all types that it refers to, once it was resolved.
    pub(crate) remarks: OnceLock<Remarks>,
}

impl LoadedAlias {
    pub(super) fn new(definition: Arc<Defined<AliasDefinition>>) -> LoadedAlias {
        let ty = TypeAlias::new(definition.name.as_str());
        LoadedAlias { definition, ty, remarks: OnceLock::new() }
    }

    /// Whether it is the type set of a module, whose members are defined under their full names.
    pub(crate) fn is_module_set(&self) -> bool {
        self.definition.unit.source.name().is_some_and(|file| file.ends_with("/types/init_typeset.pp"))
    }

    /// The type, as a value of an expression that names it.
    pub fn as_type(&self) -> Type {
        match self.ty.resolved() {
            ty @ Type::Object(object) if object.name.as_deref() == Some(self.definition.name.as_str()) => {
                ty.clone()
            }
            set @ Type::TypeSet(named) if named.name == self.definition.name.as_str() => set.clone(),
            _ => Type::Alias(Arc::clone(&self.ty)),
        }
    }
}
