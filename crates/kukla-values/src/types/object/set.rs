//! `TypeSet[{...}]`: a named, versioned set of types.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use kukla_syntax::bail;

use super::define::{OBJECT, TYPE_NAME};
use crate::codes::{
    REFERENCE_NAMED_LIKE_TYPE, REFERENCE_TO_NO_TYPE_SET, TYPE_SET_REFERENCED_TWICE, UNKNOWN_PCORE_VERSION,
    UNKNOWN_TYPE_SET, WRONG_TYPE_SET_VERSION,
};
use crate::regexp::Regexp;
use crate::semver::{Number, Version, VersionRange};
use crate::types::{Range, StructField, Type, mismatch};
use crate::{Hash, Result, Str, Value};

/// A named, versioned set of types.
#[derive(Clone, Debug)]
pub struct TypeSet {
    /// Its name.
    pub name: Str,
    /// The authority that resolves names.
    pub name_authority: Option<Str>,
    /// Its version.
    pub version: Option<Str>,
    /// The version of the type system it is written in.
    pub pcore_version: Str,
    /// Where that type system is described.
    pub pcore_uri: Option<Str>,
    /// Its types by simple name.
    pub types: Vec<(Str, Type)>,
    /// The sets it uses, by the name it uses them under.
    pub references: Vec<(Str, TypeSetReference)>,
}

/// Another set, by name and version.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeSetReference {
    /// Its name.
    pub name: Str,
    /// The authority that resolves the name, if not the same as for the set itself.
    pub name_authority: Option<Str>,
    /// The versions that will do.
    pub version_range: Str,
    /// The set itself, once it has been found.
    pub set: Option<Arc<TypeSet>>,
}

const RUNTIME_AUTHORITY: &str = "http://puppet.com/2016.1/runtime";

static ANY: LazyLock<Arc<TypeSet>> = LazyLock::new(|| {
    Arc::new(TypeSet {
        name: "DefaultTypeSet".into(),
        name_authority: Some(RUNTIME_AUTHORITY.into()),
        version: Some("0.0.0".into()),
        pcore_version: "1.0.0".into(),
        pcore_uri: Some("http://puppet.com/2016.1/pcore".into()),
        types: Vec::new(),
        references: Vec::new(),
    })
});

static TYPE_SET: LazyLock<Type> = LazyLock::new(|| {
    let simple_name = || Type::Pattern(Regexp::new(r"\A[A-Z]\w*\z").into_iter().collect());
    let non_empty = Type::String(Range::at_least(1));
    let uri = Type::Pattern(Regexp::new(r"\A[A-Za-z][-+.0-9A-Za-z]*:[^\s<>]+\z").into_iter().collect());
    let version = Type::variant([non_empty.clone(), Type::SemVer([].into())]);
    let range = Type::variant([non_empty.clone(), Type::SemVerRange]);
    let some = Range::at_least(1);
    let reference = Type::structure([
        StructField::required("name", TYPE_NAME.clone()),
        StructField::required("version_range", range),
        StructField::optional("name_authority", uri.clone()),
        StructField::optional("annotations", Type::any_hash()),
    ]);
    Type::structure([
        StructField::optional("pcore_uri", uri.clone()),
        StructField::required("pcore_version", version.clone()),
        StructField::optional("name_authority", uri),
        StructField::optional("name", TYPE_NAME.clone()),
        StructField::optional("version", version),
        StructField::optional(
            "types",
            Type::hash_sized(simple_name(), Type::variant([Type::Type(None), OBJECT.clone()]), some),
        ),
        StructField::optional("references", Type::hash_sized(simple_name(), reference, some)),
        StructField::optional("annotations", Type::any_hash()),
    ])
});

impl TypeSet {
    /// The bare `TypeSet`, which all type sets belong to.
    pub fn any() -> Arc<TypeSet> {
        ANY.clone()
    }

    /// Whether it is the bare one.
    pub fn is_any(&self) -> bool {
        self.name == ANY.name && self.types.is_empty()
    }

    /// `TypeSet[{...}]`: members given as hashes are object types, which may already be defined in `types`.
    pub fn new(init: &Hash) -> Result<Arc<TypeSet>> {
        if init.is_empty() {
            return Ok(TypeSet::any());
        }
        TypeSet::initialize(init, None)
    }

    /// The set that a type alias declares; it has the name of the alias.
    pub fn declared(name: &str, init: &Hash) -> Result<TypeSet> {
        TypeSet::initialize(init, Some(name)).map(Arc::unwrap_or_clone)
    }

    fn initialize(init: &Hash, declared: Option<&str>) -> Result<Arc<TypeSet>> {
        mismatch::assert("TypeSet initializer", &TYPE_SET, &Value::Hash(init.clone()))?;
        let text = |key: &str| init.get(key).map(version_text);
        let (name, name_authority) = match declared {
            Some(name) => (name.into(), Some(RUNTIME_AUTHORITY.into())),
            None => (text("name").unwrap_or_default(), text("name_authority")),
        };
        let pcore_version = text("pcore_version").unwrap_or_default();
        if Version::parse(&pcore_version)?.major != Number::Small(1) {
            bail!(UNKNOWN_PCORE_VERSION { name, version: pcore_version });
        }
        let version = text("version");
        version.as_deref().map(Version::parse).transpose()?;
        let mut types = Vec::new();
        for (key, value) in init.get("types").and_then(Value::as_hash).into_iter().flatten() {
            let short = key.as_str().unwrap_or_default();
            let ty = match value {
                Value::Hash(hash) => {
                    let object = super::ObjectType::named(format!("{name}::{short}"));
                    object.define(hash)?;
                    Type::Object(object)
                }
                Value::Type(ty) => (**ty).clone(),
                _ => Type::Any,
            };
            types.push((Str::from(short), ty));
        }
        let mut references: Vec<(Str, TypeSetReference)> = Vec::new();
        for (key, value) in init.get("references").and_then(Value::as_hash).into_iter().flatten() {
            let (Some(alias), Value::Hash(hash)) = (key.as_str(), value) else { continue };
            let reference = TypeSetReference {
                name: hash.get("name").map(version_text).unwrap_or_default(),
                name_authority: hash
                    .get("name_authority")
                    .map(version_text)
                    .filter(|a| Some(a) != name_authority.as_ref()),
                version_range: hash.get("version_range").map(version_text).unwrap_or_default(),
                set: None,
            };
            let range = VersionRange::parse(&reference.version_range)?;
            for (_, other) in &references {
                let same = other.name == reference.name && other.name_authority == reference.name_authority;
                if same && range.overlaps(&VersionRange::parse(&other.version_range)?) {
                    let authority = reference.name_authority.or(name_authority).unwrap_or_default();
                    bail!(TYPE_SET_REFERENCED_TWICE { name, authority, referenced: reference.name });
                }
            }
            if types.iter().any(|(known, _)| known == alias) {
                bail!(REFERENCE_NAMED_LIKE_TYPE { name, alias });
            }
            references.push((alias.into(), reference));
        }
        let pcore_uri = text("pcore_uri");
        Ok(Arc::new(TypeSet { name, name_authority, version, pcore_version, pcore_uri, types, references }))
    }

    /// Refuses what a reference was found to name, unless it is a set of the right version.
    pub fn check_reference(
        &self,
        reference: &TypeSetReference,
        found: Option<&Type>,
    ) -> Result<Arc<TypeSet>> {
        let (name, referenced) = (&self.name, &reference.name);
        // All sets that are found here have names of the runtime's.
        let Some(found) = found.filter(|_| reference.name_authority.is_none()) else {
            bail!(UNKNOWN_TYPE_SET { name, referenced });
        };
        let Type::TypeSet(set) = found.unaliased() else {
            bail!(REFERENCE_TO_NO_TYPE_SET { name, referenced, actual: found.name() });
        };
        let version = set.version.clone().unwrap_or_default();
        let range = &reference.version_range;
        if !Version::parse(&version)
            .is_ok_and(|v| VersionRange::parse(range).is_ok_and(|range| range.includes(&v)))
        {
            bail!(WRONG_TYPE_SET_VERSION { name, referenced, range, version });
        }
        Ok(set.clone())
    }

    /// The member of that simple name, whatever the case.
    pub fn get(&self, name: &str) -> Option<&Type> {
        self.types.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, ty)| ty)
    }

    /// Whether a full name is that of a member.
    pub(crate) fn defines(&self, full: &str) -> bool {
        full.strip_prefix(self.name.as_str())
            .and_then(|rest| rest.strip_prefix("::"))
            .is_some_and(|short| self.types.iter().any(|(known, _)| known == short))
    }

    /// The name that the set itself has for a type: short for members, by the name of the reference for members of others.
    pub(crate) fn name_for<'a>(&self, full: &'a str) -> Cow<'a, str> {
        self.known_as(full).map_or(Cow::Borrowed(full), Cow::Owned)
    }

    fn known_as(&self, full: &str) -> Option<String> {
        if self.defines(full) {
            return full.get(self.name.len() + 2..).map(str::to_owned);
        }
        self.references.iter().find_map(|(alias, reference)| {
            Some(format!("{alias}::{}", reference.set.as_ref()?.known_as(full)?))
        })
    }

    /// The hash that would define it again.
    pub fn describe(&self) -> Hash {
        let mut hash = Hash::new();
        if let Some(uri) = &self.pcore_uri {
            hash.insert("pcore_uri", uri.clone());
        }
        hash.insert("pcore_version", self.pcore_version.clone());
        if let Some(authority) = &self.name_authority {
            hash.insert("name_authority", authority.clone());
        }
        hash.insert("name", self.name.clone());
        if let Some(version) = &self.version {
            hash.insert("version", version.clone());
        }
        if !self.types.is_empty() {
            let types: Hash = self.types.iter().map(|(name, ty)| (name.clone(), ty.clone())).collect();
            hash.insert("types", types);
        }
        if !self.references.is_empty() {
            let references: Hash = self
                .references
                .iter()
                .map(|(alias, reference)| {
                    let mut entry = Hash::new();
                    if let Some(authority) = &reference.name_authority {
                        entry.insert("name_authority", authority.clone());
                    }
                    entry.insert("name", reference.name.clone());
                    entry.insert("version_range", reference.version_range.clone());
                    (alias.clone(), entry)
                })
                .collect();
            hash.insert("references", references);
        }
        hash
    }
}

fn version_text(value: &Value) -> Str {
    match value {
        Value::String(text) => text.clone(),
        value => crate::types::leaf::text(value).unwrap_or_default().into(),
    }
}

impl PartialEq for TypeSet {
    fn eq(&self, other: &TypeSet) -> bool {
        self.name_authority == other.name_authority
            && self.name == other.name
            && self.version == other.version
    }
}
