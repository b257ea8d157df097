//! References to resources: `File[/etc/motd]`, `Class[Apache::Vhosts]`.

use std::fmt;

use kukla_values::types::capitalize;
use kukla_values::{Str, Type};

/// The type and title that name one resource, spelled as catalogs spell them: the type capitalised, and of a class the title as well.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceRef {
    type_name: Str,
    title: Str,
}

impl ResourceRef {
    /// A reference of parts that are spelled as catalogs spell them.
    pub fn new(type_name: impl Into<Str>, title: impl Into<Str>) -> ResourceRef {
        ResourceRef { type_name: type_name.into(), title: title.into() }
    }

    /// A reference to the class of that name, in any case and with or without leading colons.
    pub fn class(name: &str) -> ResourceRef {
        ResourceRef::new("Class", capitalize(without_colons(name)))
    }

    /// A reference of parts as code may spell them: `::file`, or `class` and the name of one.
    pub fn written(type_name: &str, title: &str) -> ResourceRef {
        let type_name = without_colons(type_name);
        match type_name.eq_ignore_ascii_case("class") {
            true => ResourceRef::class(title),
            false if is_capitalized(type_name) => ResourceRef::new(type_name, title),
            false => ResourceRef::new(capitalize(&type_name.to_lowercase()), title),
        }
    }

    /// The type and title in `Type[title]`, as they stand there; the title may itself contain brackets.
    pub fn parse(text: &str) -> Option<ResourceRef> {
        ResourceRef::parts(text).map(|(type_name, title)| ResourceRef::new(type_name, title))
    }

    /// The same without copies.
    pub(crate) fn parts(text: &str) -> Option<(&str, &str)> {
        let (type_name, rest) = text.split_once('[')?;
        let title = rest.strip_suffix(']')?;
        let is_one = !type_name.is_empty() && !title.is_empty() && !type_name.contains(']');
        is_one.then_some((type_name, title))
    }

    /// The reference with its type, and of a class its title, capitalised as far as they were not.
    pub fn capitalized(&self) -> ResourceRef {
        let type_name = capitalize(&self.type_name);
        let title = if type_name == "Class" { capitalize(&self.title) } else { self.title.clone() };
        ResourceRef { type_name, title }
    }

    /// The reference that a type is, if it names one resource or class.
    pub fn of_type(ty: &Type) -> Option<ResourceRef> {
        match ty {
            Type::Class(Some(name)) => Some(ResourceRef::class(name)),
            Type::Resource(Some(resource)) => {
                Some(ResourceRef::written(&resource.name, resource.title.as_ref()?))
            }
            Type::Type(Some(inner)) => ResourceRef::of_type(inner),
            _ => None,
        }
    }

    /// The capitalised type, as `Apache::Vhost`.
    pub fn type_name(&self) -> &Str {
        &self.type_name
    }

    /// The title; of a class its capitalised name.
    pub fn title(&self) -> &Str {
        &self.title
    }
}

impl fmt::Display for ResourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.type_name, self.title)
    }
}

impl From<ResourceRef> for Str {
    fn from(reference: ResourceRef) -> Str {
        spelled(&reference.type_name, &reference.title)
    }
}

/// A reference as text: `File[/etc/motd]`.
pub fn spelled(type_name: &str, title: &str) -> Str {
    /// Most references are no longer than this, and need no memory while they are put together.
    const USUAL: usize = 128;
    let parts = [type_name, "[", title, "]"];
    let length = parts.iter().map(|part| part.len()).sum();
    let mut bytes = [0; USUAL];
    if length <= USUAL {
        let mut at = 0;
        for part in parts {
            bytes[at..at + part.len()].copy_from_slice(part.as_bytes());
            at += part.len();
        }
        if let Ok(text) = std::str::from_utf8(&bytes[..length]) {
            return text.into();
        }
    }
    parts.concat().into()
}

fn without_colons(name: &str) -> &str {
    name.strip_prefix("::").unwrap_or(name)
}

/// Whether a type is spelled as catalogs spell it, as nearly all are: each part with one capital, at its beginning.
fn is_capitalized(type_name: &str) -> bool {
    let bytes = type_name.as_bytes();
    let begins_part = |at: usize| at == 0 || bytes[..at].ends_with(b"::");
    let is_right = |(at, byte): (usize, &u8)| byte.is_ascii() && byte.is_ascii_uppercase() == begins_part(at);
    !bytes.is_empty() && !type_name.ends_with("::") && bytes.iter().enumerate().all(is_right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_as_it_stands() {
        assert_eq!(ResourceRef::parse("File[/a[b]]"), Some(ResourceRef::new("File", "/a[b]")));
        assert_eq!(
            ResourceRef::parse("Class[main]").map(|main| main.to_string()).as_deref(),
            Some("Class[main]")
        );
        assert_eq!(ResourceRef::parse("File[]"), None);
        assert_eq!(ResourceRef::parse("File"), None);
        assert_eq!(ResourceRef::parse("a]b[c]"), None);
    }

    #[test]
    fn code_may_spell_them_otherwise() {
        assert_eq!(ResourceRef::written("::apache::vHost", "A").to_string(), "Apache::Vhost[A]");
        assert_eq!(ResourceRef::written("Apache::Vhost", "A").to_string(), "Apache::Vhost[A]");
        assert_eq!(ResourceRef::written("Apache::VHost", "A").to_string(), "Apache::Vhost[A]");
        assert_eq!(ResourceRef::written("Apache::vhost", "A").to_string(), "Apache::Vhost[A]");
        assert_eq!(ResourceRef::written("class", "::ntp::service").to_string(), "Class[Ntp::Service]");
        let read = ResourceRef::parse("class[ntp]").map(|read| read.capitalized());
        assert_eq!(read, Some(ResourceRef::class("ntp")));
        assert_eq!(Str::from(ResourceRef::class("ntp")), "Class[Ntp]");
    }
}
