//! One resource of a finished catalog.

use std::fmt;

use kukla_values::{Str, Value};

/// Something to be managed on a machine, or a class or a define that contains such things.
#[derive(Clone, Debug, Default)]
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
    /// What sort of thing its type is.
    pub kind: Kind,
    /// The attributes with plain data as values; references stand as text.
    pub parameters: Vec<(Str, Value)>,
    /// The names of the attributes that must not be shown.
    pub sensitive_parameters: Vec<Str>,
}

/// What sort of thing a resource's type is, as catalogs spell it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
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

impl Kind {
    /// The spelling in catalogs.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::CompilableType => "compilable_type",
            Kind::DefinedType => "defined_type",
            Kind::Class => "class",
            Kind::Unknown => "unknown",
        }
    }

    /// The kind spelled this way.
    pub fn from_name(name: &str) -> Kind {
        match name {
            "compilable_type" => Kind::CompilableType,
            "defined_type" => Kind::DefinedType,
            "class" => Kind::Class,
            _ => Kind::Unknown,
        }
    }
}

impl Resource {
    /// `Type[title]`.
    pub fn reference(&self) -> String {
        self.to_string()
    }

    /// The value of an attribute.
    pub fn get(&self, attribute: &str) -> Option<&Value> {
        self.parameters.iter().find(|(name, _)| name == attribute).map(|(_, value)| value)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.type_name, self.title)
    }
}

/// The type and title in `Type[title]`; the title may itself contain brackets.
pub fn split_reference(reference: &str) -> Option<(&str, &str)> {
    let open = reference.find('[')?;
    let title = reference[open + 1..].strip_suffix(']')?;
    let type_name = &reference[..open];
    (!type_name.is_empty() && !title.is_empty() && !type_name.contains(']')).then_some((type_name, title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        assert_eq!(split_reference("File[/a[b]]"), Some(("File", "/a[b]")));
        assert_eq!(split_reference("File[]"), None);
        assert_eq!(split_reference("File"), None);
    }
}
