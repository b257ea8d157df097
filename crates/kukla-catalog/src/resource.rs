//! One resource of a finished catalog.

use kukla_values::shown::holds_secret;
use kukla_values::{Shown, Str, Value};

use crate::ResourceRef;

/// Something to be managed on a machine, or a class or a define that contains such things.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resource {
    /// The capitalised type, as `Apache::Vhost`.
    pub type_name: Str,
    /// The title; of a class its capitalised name.
    pub title: Str,
    /// The tags, in the order they were given.
    pub tags: Vec<Str>,
    /// The manifest it was declared in, unless it was included.
    pub file: Option<Str>,
    /// The line it was declared on.
    pub line: Option<u32>,
    /// Whether other nodes may collect it.
    pub exported: bool,
    /// Whether nothing realised it; only catalogs that were asked to keep such resources have them.
    pub is_virtual: bool,
    /// The kind of its type.
    pub kind: ResourceKind,
    /// The attributes with plain data as values; references stand as text.
    pub parameters: Vec<(Str, Value)>,
    /// The names of the attributes that must not be shown.
    pub sensitive_parameters: Vec<Str>,
}

/// The kind of a resource's type, as spelled in catalogs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// A type the agent knows how to apply.
    CompilableType,
    /// A define.
    DefinedType,
    /// A class declared like a resource.
    Class,
    /// A class that was included, a node, and whatever a document does not say.
    #[default]
    Unknown,
}

impl ResourceKind {
    /// The spelling in catalogs.
    pub const fn name(self) -> &'static str {
        match self {
            ResourceKind::CompilableType => "compilable_type",
            ResourceKind::DefinedType => "defined_type",
            ResourceKind::Class => "class",
            ResourceKind::Unknown => "unknown",
        }
    }

    /// The kind spelled this way.
    pub fn from_name(name: &str) -> ResourceKind {
        match name {
            "compilable_type" => ResourceKind::CompilableType,
            "defined_type" => ResourceKind::DefinedType,
            "class" => ResourceKind::Class,
            _ => ResourceKind::Unknown,
        }
    }
}

impl Resource {
    /// Its title.
    pub fn reference(&self) -> ResourceRef {
        ResourceRef::new(self.type_name.clone(), self.title.clone())
    }

    pub(crate) fn is_named(&self, type_name: &str, title: &str) -> bool {
        self.title == title && self.type_name == type_name
    }

    /// The value of an attribute.
    pub fn get(&self, attribute: &str) -> Option<&Value> {
        self.parameters.iter().find(|(name, _)| name == attribute).map(|(_, value)| value)
    }

    /// Whether an attribute is secret as a whole.
    pub fn is_sensitive(&self, attribute: &str) -> bool {
        self.sensitive_parameters.iter().any(|name| name == attribute)
    }

    /// Whether there is a secret in any of its attributes.
    pub fn holds_secret(&self) -> bool {
        !self.sensitive_parameters.is_empty() || self.parameters.iter().any(|(_, value)| holds_secret(value))
    }

    /// The value of an attribute that may be shown and compared; none if there is a secret in it.
    pub fn open_value(&self, attribute: &str) -> Option<&Value> {
        self.get(attribute).filter(|value| !self.is_sensitive(attribute) && !holds_secret(value))
    }

    /// The attributes as they may be shown.
    pub fn shown_parameters(&self) -> impl Iterator<Item = (&Str, Shown)> {
        self.parameters
            .iter()
            .map(|(name, value)| (name, Shown::of_parameter(value, self.is_sensitive(name))))
    }

    /// The resources that a relationship attribute leads to.
    pub fn related(&self, attribute: &str) -> Vec<ResourceRef> {
        let mut found = Vec::new();
        if let Some(value) = self.get(attribute) {
            each_related(value, &mut |text| found.extend(ResourceRef::parse(text)));
        }
        found
    }
}

/// Does something with each text in the value of a relationship attribute; those that name a resource say where it leads.
pub(crate) fn each_related(value: &Value, act: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => act(text),
        Value::Array(values) => values.iter().for_each(|each| each_related(each, act)),
        _ => {}
    }
}
