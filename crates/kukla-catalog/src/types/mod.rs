//! Resource types as data: what a compiler has to know of `file`, `service` or a module's own type.
//!
//! Puppet loads Ruby code to learn these facts; most of the time of its first compile goes into that. A compiler needs
//! only the attributes' names, the name variables, how a title is taken apart, and whether two resources with the same
//! name are the same thing.

use std::borrow::Cow;

mod builtin;
mod titles;

pub use titles::{Change, TitlePattern};

/// The role of an attribute in its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttributeKind {
    /// Something on the machine that can be brought into a state.
    Property,
    /// Something that says how.
    Parameter,
    /// Something every type has, such as `require`.
    Metaparameter,
}

/// A resource type that the agent knows how to apply.
#[derive(Clone, Debug)]
pub struct NativeType {
    /// Its name in lower case.
    pub name: &'static str,
    /// Its properties, sorted.
    pub properties: Cow<'static, [&'static str]>,
    /// Its parameters, sorted; metaparameters are not listed.
    pub parameters: Cow<'static, [&'static str]>,
    /// The attributes that together name a resource, in the order of their definition.
    pub namevars: Cow<'static, [&'static str]>,
    /// How a title gives the name variables their values.
    pub titles: Titles,
    /// Whether two resources of the same name are one and the same; a command may be run twice, a file exists once.
    pub isomorphic: bool,
    /// Whether the type could not be read well enough to refuse an attribute.
    pub open: bool,
}

/// How a title is taken apart.
#[derive(Clone, Debug)]
pub enum Titles {
    /// The title is the only name variable.
    Whole,
    /// The title is the first of several name variables.
    First,
    /// The title is a path, whose trailing slashes do not count.
    Path,
    /// The first pattern that matches gives name variables their values.
    Patterns(Cow<'static, [TitlePattern]>),
}

/// The metaparameters, in Puppet's order.
pub static METAPARAMETERS: &[&str] = &[
    "noop",
    "schedule",
    "audit",
    "loglevel",
    "alias",
    "tag",
    "require",
    "subscribe",
    "before",
    "notify",
    "stage",
];

/// Whether every resource has this attribute.
pub fn is_metaparameter(name: &str) -> bool {
    // Asked for every attribute, so not looked for in the list.
    matches!(name, "noop" | "schedule" | "audit" | "loglevel" | "alias" | "tag" | "stage")
        || is_relationship(name)
}

/// Whether this metaparameter orders resources.
pub fn is_relationship(name: &str) -> bool {
    matches!(name, "require" | "subscribe" | "before" | "notify")
}

/// A type that is part of Puppet itself.
pub fn core(name: &str) -> Option<&'static NativeType> {
    find(builtin::CORE, name)
}

/// A type of the modules that agent packages carry (`cron`, `mount`, `nagios_host`, ...).
pub fn bundled(name: &str) -> Option<&'static NativeType> {
    find(builtin::BUNDLED, name)
}

/// Every type that comes with Puppet or its agent packages.
pub fn builtin() -> impl Iterator<Item = &'static NativeType> {
    builtin::CORE.iter().chain(builtin::BUNDLED)
}

fn find(table: &'static [NativeType], name: &str) -> Option<&'static NativeType> {
    table.binary_search_by(|ty| ty.name.cmp(name)).ok().map(|at| &table[at])
}

impl NativeType {
    /// The role of an attribute, if the type has it.
    pub fn attribute(&self, name: &str) -> Option<AttributeKind> {
        if self.properties.binary_search(&name).is_ok() {
            Some(AttributeKind::Property)
        } else if self.parameters.binary_search(&name).is_ok() {
            Some(AttributeKind::Parameter)
        } else {
            is_metaparameter(name).then_some(AttributeKind::Metaparameter)
        }
    }

    /// Whether a resource of this type may be given this attribute. `name` always works, whatever the name variable.
    pub fn accepts(&self, attribute: &str) -> bool {
        self.open || attribute == "name" || self.attribute(attribute).is_some()
    }

    /// The attribute that `name` is an alias of. A type with several name variables has none.
    pub fn namevar(&self) -> &'static str {
        match &*self.namevars {
            [only] => only,
            _ => "name",
        }
    }

    /// Properties and parameters.
    pub fn attributes(&self) -> impl Iterator<Item = &'static str> {
        self.properties.iter().chain(self.parameters.iter()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metaparameters_are_known() {
        assert!(METAPARAMETERS.iter().all(|name| is_metaparameter(name)));
        assert!(!is_metaparameter("ensure") && !is_metaparameter(""));
    }

    #[test]
    fn tables_are_sorted() {
        for table in [builtin::CORE, builtin::BUNDLED] {
            assert!(table.is_sorted_by_key(|ty| ty.name));
            for ty in table {
                assert!(ty.properties.is_sorted() && ty.parameters.is_sorted(), "{}", ty.name);
                assert!(ty.namevars.iter().all(|name| ty.attribute(name).is_some()), "{}", ty.name);
            }
        }
    }

    #[test]
    fn attributes_are_known() {
        let file = core("file").unwrap();
        assert_eq!(file.attribute("ensure"), Some(AttributeKind::Property));
        assert_eq!(file.attribute("backup"), Some(AttributeKind::Parameter));
        assert_eq!(file.attribute("require"), Some(AttributeKind::Metaparameter));
        assert!(file.accepts("name") && !file.accepts("colour"));
        assert_eq!(bundled("nagios_service").unwrap().namevar(), "_naginator_name");
    }
}
