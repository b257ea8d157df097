//! Catalogs in a compact format: parsing one as JSON takes as long as compiling it.

use indexmap::IndexSet;
use kukla_catalog::{Catalog, Edge, Resource, ResourceKind};
use kukla_syntax::deep;
use kukla_values::{Hash, Str, Value};
use rustc_hash::FxBuildHasher;

use super::encode::{Reader, Writer};

const KINDS: [ResourceKind; 4] =
    [ResourceKind::CompilableType, ResourceKind::DefinedType, ResourceKind::Class, ResourceKind::Unknown];

/// The catalog as bytes; `None` if it holds values that are not plain data.
pub fn pack(catalog: &Catalog) -> Option<Vec<u8>> {
    let mut packer = Packer::default();
    packer.catalog(catalog)?;
    let mut out = Writer::default();
    out.list(packer.texts.iter(), |out, text| out.text(text));
    out.bytes.extend_from_slice(&packer.out.bytes);
    Some(out.bytes)
}

/// The catalog behind bytes; `None` if they are malformed.
pub fn unpack(bytes: &[u8]) -> Option<Catalog> {
    let mut reader = Reader::new(bytes);
    let texts = reader.list(|reader| reader.text().map(Str::from))?;
    let mut unpacker = Unpacker { texts, reader };
    let catalog = unpacker.catalog()?;
    unpacker.reader.is_at_end().then_some(catalog)
}

/// Writes a catalog; each text is written once and has a number.
#[derive(Default)]
struct Packer {
    texts: IndexSet<Str, FxBuildHasher>,
    out: Writer,
}

impl Packer {
    fn text(&mut self, text: &Str) {
        let number = match self.texts.get_index_of(text) {
            Some(number) => number,
            None => self.texts.insert_full(text.clone()).0,
        };
        self.out.number(number as u64);
    }

    fn texts(&mut self, texts: &[Str]) {
        self.out.number(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text));
    }

    fn optional_text(&mut self, text: Option<&Str>) {
        self.out.number(u64::from(text.is_some()));
        text.into_iter().for_each(|text| self.text(text));
    }

    fn catalog(&mut self, catalog: &Catalog) -> Option<()> {
        self.text(&catalog.name);
        self.value(&catalog.version)?;
        self.optional_text(catalog.code_id.as_ref());
        self.optional_text(catalog.uuid.as_ref());
        self.text(&catalog.environment);
        self.texts(&catalog.tags);
        self.texts(&catalog.classes);
        self.out.number(catalog.resources.len() as u64);
        catalog.resources.iter().try_for_each(|resource| {
            self.optional_text(resource.file.as_ref());
            self.out.optional(resource.line, |out, line| out.number(u64::from(line)));
            self.texts(&resource.tags);
            self.resource(resource)
        })?;
        self.out.list(catalog.edges.iter(), |out, edge| {
            out.number(u64::from(edge.source));
            out.number(u64::from(edge.target));
        });
        Some(())
    }

    /// All of a resource except its position and its tags.
    fn resource(&mut self, resource: &Resource) -> Option<()> {
        self.text(&resource.type_name);
        self.text(&resource.title);
        let kind = KINDS.iter().position(|kind| *kind == resource.kind)? as u64;
        self.out.number(u64::from(resource.exported) | u64::from(resource.is_virtual) << 1 | kind << 2);
        self.out.number(resource.parameters.len() as u64);
        for (name, value) in &resource.parameters {
            self.text(name);
            self.value(value)?;
        }
        self.texts(&resource.sensitive_parameters);
        Some(())
    }

    fn value(&mut self, value: &Value) -> Option<()> {
        match value {
            Value::Undef => self.out.number(0),
            Value::Boolean(is) => self.out.number(1 + u64::from(*is)),
            Value::Integer(number) => {
                self.out.number(3);
                self.out.bytes.extend_from_slice(&number.to_le_bytes());
            }
            Value::Float(number) => {
                self.out.number(4);
                self.out.bytes.extend_from_slice(&number.to_le_bytes());
            }
            Value::String(text) => {
                self.out.number(5);
                self.text(text);
            }
            Value::Array(values) => {
                self.out.number(6);
                self.out.number(values.len() as u64);
                return deep(|| values.iter().try_for_each(|value| self.value(value)));
            }
            Value::Hash(hash) => {
                self.out.number(7);
                self.out.number(hash.len() as u64);
                return deep(|| {
                    hash.iter().try_for_each(|(key, value)| {
                        self.value(key)?;
                        self.value(value)
                    })
                });
            }
            _ => return None,
        }
        Some(())
    }
}

struct Unpacker<'b> {
    texts: Vec<Str>,
    reader: Reader<'b>,
}

impl Unpacker<'_> {
    fn text(&mut self) -> Option<Str> {
        let number = usize::try_from(self.reader.number()?).ok()?;
        self.texts.get(number).cloned()
    }

    /// A count, which cannot exceed the number of bytes left.
    fn many<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count =
            usize::try_from(self.reader.number()?).ok().filter(|count| *count <= self.reader.left())?;
        let mut all = Vec::with_capacity(count);
        for _ in 0..count {
            all.push(one(self)?);
        }
        Some(all)
    }

    fn optional_text(&mut self) -> Option<Option<Str>> {
        match self.reader.number()? {
            0 => Some(None),
            _ => self.text().map(Some),
        }
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.reader.number()?).ok()
    }

    fn catalog(&mut self) -> Option<Catalog> {
        Some(Catalog {
            name: self.text()?,
            version: self.value()?,
            code_id: self.optional_text()?,
            uuid: self.optional_text()?,
            environment: self.text()?,
            tags: self.many(Self::text)?,
            classes: self.many(Self::text)?,
            resources: self.many(Self::resource)?,
            edges: self.many(|from| Some(Edge { source: from.small()?, target: from.small()? }))?,
            ..Catalog::default()
        })
    }

    fn resource(&mut self) -> Option<Resource> {
        let (file, line) = (self.optional_text()?, self.reader.optional(Reader::number)?);
        let tags = self.many(Self::text)?;
        let (type_name, title) = (self.text()?, self.text()?);
        let marks = self.reader.number()?;
        Some(Resource {
            type_name,
            title,
            tags,
            file,
            line: line.map(u32::try_from).transpose().ok()?,
            exported: marks & 1 != 0,
            is_virtual: marks & 2 != 0,
            kind: *KINDS.get(usize::try_from(marks >> 2).ok()?)?,
            parameters: self.many(|from| Some((from.text()?, from.value()?)))?,
            sensitive_parameters: self.many(Self::text)?,
        })
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.reader.number()? {
            0 => Value::Undef,
            1 => Value::Boolean(false),
            2 => Value::Boolean(true),
            3 => Value::Integer(i64::from_le_bytes(self.reader.eight()?)),
            4 => Value::Float(f64::from_le_bytes(self.reader.eight()?)),
            5 => Value::String(self.text()?),
            6 => Value::Array(deep(|| self.many(Self::value))?.into_iter().collect()),
            7 => {
                let entries = deep(|| self.many(|from| Some((from.value()?, from.value()?))))?;
                Value::Hash(entries.into_iter().collect::<Hash>())
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileOptions, Compiler, MemoryWorld, Node, SiteSpec};

    #[test]
    fn a_catalog_is_the_same_again_and_a_damaged_one_is_none() {
        let code = "
            define d($x) { notify { \"${title} ${x}\": message => $x, noop => true, withpath => false } }
            class c { d { 'one': x => {'a' => [1, -2, 2.5, {'b' => undef}], 'long' => 'a text of some length'} } }
            include c
            @@user { 'u': password => Sensitive('secret'), tag => ['t', 'ü'] }
            file { '/f': require => User['v'], subscribe => [Class['c']] }
            user { 'v': }";
        let site = Compiler::new(MemoryWorld::default()).open(&SiteSpec::of(code)).unwrap();
        let options = CompileOptions { keep_virtual: true, ..CompileOptions::default() };
        let catalog = site.compile_with(&Node::named("n"), options).result.unwrap().catalog;
        let bytes = pack(&catalog).unwrap();
        let again = unpack(&bytes).unwrap();
        assert_eq!(again.resources, catalog.resources);
        assert_eq!(again.to_json(), catalog.to_json());
        assert!(bytes.len() * 2 < catalog.to_json().len(), "{}", bytes.len());
        for length in 0..bytes.len() {
            assert!(unpack(&bytes[..length]).is_none(), "{length} of {} bytes", bytes.len());
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            // Whether it is noticed is for the digest to say; here nothing may go wrong.
            let _ = unpack(&damaged);
        }
    }
}
