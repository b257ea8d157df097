//! Metaparameters among the attributes of resources: every resource is asked for them, and most have none.

use std::sync::LazyLock;

use kukla_catalog::types::{self, METAPARAMETERS, is_relationship};
use kukla_values::{Name, Value};

use super::builder::Building;

/// Names, and the marks that they have: what has none of the marks is none of the names.
pub(super) struct Marked {
    names: Vec<Name>,
    marks: u64,
}

impl Marked {
    fn of(names: impl Iterator<Item = &'static &'static str>) -> Marked {
        let names: Vec<Name> = names.map(|name| Name::new(name)).collect();
        let marks = names.iter().fold(0, |marks, name| marks | name.mark());
        Marked { names, marks }
    }

    /// The values that a resource has under these names, in their order.
    pub fn values(&self, resource: &Building) -> Vec<(Name, Value)> {
        if resource.params.iter().all(|param| param.name.mark() & self.marks == 0) {
            return Vec::new();
        }
        self.names.iter().filter_map(|name| Some((*name, resource.value(name)?.clone()))).collect()
    }
}

static ALL: LazyLock<Marked> = LazyLock::new(|| Marked::of(METAPARAMETERS.iter()));

/// Those that resources inherit from their containers.
pub(super) static INHERITED: LazyLock<Marked> =
    LazyLock::new(|| Marked::of(METAPARAMETERS.iter().filter(|name| !is_relationship(name))));

/// Whether every resource has this attribute.
pub(super) fn is_metaparameter(name: Name) -> bool {
    name.mark() & ALL.marks != 0 && types::is_metaparameter(&name)
}
