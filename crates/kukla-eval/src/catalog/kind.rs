//! The definition behind a resource, and how types are found by name.

use std::sync::Arc;

use kukla_catalog::ResourceKind;
use kukla_catalog::types::NativeType;
use kukla_values::Name;
use kukla_values::types::capitalize;

use super::class::lower_case;
use crate::error::Flow;
use crate::program::{Class, Define, NodeDefinition};
use crate::unit::Defined;
use crate::vm::Vm;

/// The definition behind a resource.
#[derive(Clone, Debug)]
pub(crate) enum ResourceDefinition {
    /// A type that agents know how to apply.
    Native(Arc<NativeType>),
    /// A type written in Puppet.
    Define(Arc<Defined<Define>>),
    /// A class.
    Class(Arc<Defined<Class>>),
    /// The site manifest, which is a class without a name.
    Main,
    /// A node definition.
    Node(Arc<Defined<NodeDefinition>>),
}

/// A resource type found by name.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    /// The definition.
    pub definition: ResourceDefinition,
    /// Its name as references spell it.
    pub type_name: Name,
}

impl ResourceDefinition {
    /// How catalogs call it, for a resource declared as one.
    pub fn kind(&self) -> ResourceKind {
        match self {
            ResourceDefinition::Native(_) => ResourceKind::CompilableType,
            ResourceDefinition::Define(_) => ResourceKind::DefinedType,
            _ => ResourceKind::Unknown,
        }
    }

    /// The attribute that the title sets, of which `name` is an alias.
    pub fn namevar(&self) -> &'static str {
        match self {
            ResourceDefinition::Native(ty) => ty.namevar(),
            _ => "name",
        }
    }

    /// Whether a resource of it may be given this attribute.
    pub fn accepts(&self, attribute: &str) -> bool {
        let params = match self {
            ResourceDefinition::Native(ty) => return ty.accepts(attribute),
            ResourceDefinition::Define(define) => &define.params,
            ResourceDefinition::Class(class) => &class.params,
            _ => &Default::default(),
        };
        attribute == "name"
            || kukla_catalog::types::is_metaparameter(attribute)
            || params.iter().any(|param| param.name.as_str() == attribute)
    }
}

fn strip(name: &str) -> &str {
    name.strip_prefix("::").unwrap_or(name)
}

impl Vm<'_> {
    /// The native or defined type of that name, in any case and with or without leading colons.
    pub(crate) fn resource_type(&mut self, name: &str) -> Flow<Option<Resolved>> {
        if let Some(found) = self.catalog.resolved.get(name) {
            return Ok(Some(found.clone()));
        }
        let lower = strip(name).to_lowercase();
        // Only what is written in Puppet has a place that leading colons can name.
        let native = match lower.len() == name.len() {
            true => self.environment().resource_type(&lower),
            false => None,
        };
        let definition = match native {
            Some(native) => ResourceDefinition::Native(native),
            None => match self.autoload_computed_define(&lower)? {
                Some(define) => ResourceDefinition::Define(define),
                None => return Ok(None),
            },
        };
        self.warn_if_open(&definition);
        let type_name = match (&definition, lower.as_str()) {
            // What has no better type is a component, and components are classes.
            (ResourceDefinition::Native(_), "component") => Name::new("Class"),
            _ => Name::new(&capitalize(&lower)),
        };
        let found = Resolved { definition, type_name };
        self.catalog.resolved.insert(name.into(), found.clone());
        Ok(Some(found))
    }

    fn warn_if_open(&mut self, definition: &ResourceDefinition) {
        if let ResourceDefinition::Native(ty) = definition
            && ty.open
        {
            let name = ty.name;
            let message = format!(
                "The resource type '{name}' could not be read completely; its attributes are not checked"
            );
            self.warn_once(&format!("open type {name}"), message);
        }
    }

    /// The class of that name, in any case and with or without leading colons.
    pub(crate) fn find_class(&mut self, name: &str) -> Flow<Option<Arc<Defined<Class>>>> {
        self.autoload_computed_class(&lower_case(strip(name)))
    }
}
