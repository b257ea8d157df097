//! The types every program knows by name.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use super::object::ObjectType;
use super::{InitType, Range, RuntimeType, Type, TypeAlias, leaf};
use crate::regexp::Regexp;
use crate::{Hash, Value};

/// Types are made when they are first asked for: the few that are objects take longer to define than a small program to run.
type Make = fn() -> Type;

const BUILTIN: &[(&str, Make)] = &[
    ("annotation", || Type::Object(ObjectType::annotation())),
    ("any", || Type::Any),
    ("array", || Type::any_array()),
    ("binary", || Type::Binary),
    ("boolean", || Type::BOOLEAN),
    ("callable", || Type::Callable(None)),
    ("catalogentry", || Type::CatalogEntry),
    ("class", || Type::Class(None)),
    ("collection", || Type::Collection(Range::ANY_SIZE)),
    ("data", || Type::Data),
    ("default", || Type::Default),
    ("deferred", || Type::Object(DEFERRED.clone())),
    ("enum", || Type::enumeration([], false)),
    ("error", || Type::Object(ERROR.clone())),
    ("float", || Type::FLOAT),
    ("hash", || Type::any_hash()),
    ("init", || Type::Init(Arc::new(InitType { ty: None, args: Vec::new() }))),
    ("integer", || Type::INTEGER),
    ("iterable", || Type::Iterable(None)),
    ("iterator", || Type::Iterator(None)),
    ("notundef", || Type::NotUndef(None)),
    ("numeric", || Type::Numeric),
    ("object", || Type::any_object()),
    ("optional", || Type::Optional(None)),
    ("pattern", || Type::Pattern([].into())),
    ("pcore", || Type::Object(object("Pcore", &Hash::new()))),
    ("pcore::membername", || pattern("Pcore::MemberName", r"\A[a-z_]\w*\z")),
    ("pcore::qref", || pattern("Pcore::QRef", TYPE_NAME)),
    ("pcore::simpletypename", || pattern("Pcore::SimpleTypeName", r"\A[A-Z]\w*\z")),
    ("pcore::typename", || pattern("Pcore::TypeName", TYPE_NAME)),
    ("puppet::lookupcontext", || Type::Object(LOOKUP_CONTEXT.clone())),
    ("puppet::lookupkey", || alias("Puppet::LookupKey", Type::RichDataKey)),
    ("puppet::lookupvalue", || alias("Puppet::LookupValue", Type::RichData)),
    ("puppet::resource::param", || Type::Object(RESOURCE_PARAM.clone())),
    ("puppet::resource::resourcetype3", || Type::Object(RESOURCE_TYPE.clone())),
    ("regexp", || Type::Regexp(None)),
    ("resource", || Type::Resource(None)),
    ("richdata", || Type::RichData),
    ("richdatakey", || Type::RichDataKey),
    ("rubymethod", || Type::Object(RUBY_METHOD.clone())),
    ("runtime", || Type::Runtime(Arc::new(RuntimeType { runtime: None, name: None }))),
    ("scalar", || Type::Scalar),
    ("scalardata", || Type::ScalarData),
    ("semver", || Type::SemVer([].into())),
    ("semverrange", || Type::SemVerRange),
    ("sensitive", || Type::Sensitive(Arc::new(Type::Any))),
    ("string", || Type::STRING),
    ("struct", || Type::structure([])),
    ("timespan", || leaf::any_timespan()),
    ("timestamp", || leaf::any_timestamp()),
    ("tuple", || Type::tuple(Vec::new(), None)),
    ("type", || Type::Type(None)),
    ("typealias", || alias("UnresolvedAlias", Type::Reference("UnresolvedReference".into()))),
    ("typereference", || Type::Reference("UnresolvedReference".into())),
    ("typeset", || Type::any_type_set()),
    ("undef", || Type::Undef),
    ("uri", || Type::Uri(None)),
    ("variant", || Type::Variant([].into())),
];

static BY_NAME: LazyLock<FxHashMap<&str, LazyLock<Type>>> =
    LazyLock::new(|| BUILTIN.iter().map(|(name, make)| (*name, LazyLock::new(*make))).collect());

impl Type {
    /// The names of the built-in types, in lower case and in order.
    pub fn builtin_names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|(name, _)| *name)
    }

    /// The built-in type of that name; as everywhere with types, upper and lower case are the same.
    pub fn builtin(name: &str) -> Option<Type> {
        let known = BY_NAME.get(name).or_else(|| BY_NAME.get(name.to_ascii_lowercase().as_str()));
        known.map(|ty| Type::clone(ty))
    }
}

const TYPE_NAME: &str = r"\A[A-Z]\w*(?:::[A-Z]\w*)*\z";

fn pattern(name: &str, source: &str) -> Type {
    alias(name, Type::Pattern(Regexp::new(source).into_iter().collect()))
}

fn alias(name: &str, ty: Type) -> Type {
    let alias = TypeAlias::new(name);
    // A plain name for a built-in type cannot fail to resolve.
    let _ = alias.resolve(ty);
    Type::Alias(alias)
}

impl TypeAlias {
    /// Whether every program has it; those are never written out.
    pub(crate) fn is_builtin(&self) -> bool {
        matches!(self.name.as_str(), "Puppet::LookupKey" | "Puppet::LookupValue")
    }
}

fn hash<const N: usize>(entries: [(&str, Value); N]) -> Hash {
    entries.into_iter().collect()
}

fn attribute(ty: Type, default: Option<Value>) -> Value {
    let mut spec = hash([("type", ty.into())]);
    if let Some(default) = default {
        spec.insert("value", default);
    }
    spec.into()
}

fn object(name: &str, init: &Hash) -> Arc<ObjectType> {
    let object = ObjectType::named(name);
    if let Err(error) = object.define(init) {
        // The definitions below are constants, and a test defines them all.
        debug_assert!(false, "{name}: {error}");
    }
    object
}

/// The context of a function that serves as a Hiera backend; its functions are written in Rust.
static LOOKUP_CONTEXT: LazyLock<Arc<ObjectType>> =
    LazyLock::new(|| object("Puppet::LookupContext", &Hash::new()));

impl ObjectType {
    /// `Puppet::LookupContext`.
    pub fn lookup_context() -> &'static Arc<ObjectType> {
        &LOOKUP_CONTEXT
    }
}

/// An attribute of a resource type, as `puppet generate types` writes it.
static RESOURCE_PARAM: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let attributes = hash([
        ("type", attribute(Type::Type(None), None)),
        ("name", attribute(Type::String(Range::at_least(1)), None)),
        ("name_var", attribute(Type::BOOLEAN, Some(false.into()))),
    ]);
    let equality = Value::from(vec![Value::from("name")]);
    object("Puppet::Resource::Param", &hash([("attributes", attributes.into()), ("equality", equality)]))
});

/// A resource type, as `puppet generate types` writes it.
static RESOURCE_TYPE: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let text = || Type::String(Range::at_least(1));
    let params = || {
        let none = Value::from(Vec::new());
        attribute(Type::array(Type::Object(RESOURCE_PARAM.clone())), Some(none))
    };
    let patterns = Type::optional(Type::hash(Type::Regexp(None), Type::array(text())));
    let attributes = hash([
        ("name", attribute(text(), None)),
        ("properties", params()),
        ("parameters", params()),
        ("title_patterns_hash", attribute(patterns, Some(Value::Undef))),
        ("isomorphic", attribute(Type::BOOLEAN, Some(true.into()))),
        ("capability", attribute(Type::BOOLEAN, Some(false.into()))),
    ]);
    let equality = Value::from(vec![Value::from("name")]);
    object(
        "Puppet::Resource::ResourceType3",
        &hash([("attributes", attributes.into()), ("equality", equality)]),
    )
});

/// How Ruby would carry out a function or attribute of an object.
static RUBY_METHOD: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let parameters = Type::optional(Type::String(Range::at_least(1)));
    let attributes = hash([
        ("body", attribute(Type::STRING, None)),
        ("parameters", attribute(parameters, Some(Value::Undef))),
    ]);
    let parent = Type::Object(ObjectType::annotation());
    object("RubyMethod", &hash([("parent", parent.into()), ("attributes", attributes.into())]))
});

/// A call to be made later, when the catalog is applied.
static DEFERRED: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let name = Regexp::new(r"\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\z");
    let attributes = hash([
        ("name", attribute(Type::Pattern(name.into_iter().collect()), None)),
        ("arguments", attribute(Type::optional(Type::any_array()), Some(Value::Undef))),
    ]);
    object("Deferred", &hash([("attributes", attributes.into())]))
});

/// An error as a value.
static ERROR: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let text = Type::String(Range::at_least(1));
    let parameter = || {
        let kinds =
            [Type::enumeration([], false), Type::Pattern([].into()), Type::NotUndef(None), Type::Undef];
        let types = [Type::STRING, Type::Regexp(None)].into_iter().chain(kinds.map(Type::type_of));
        Value::from(Type::optional(Type::variant(types)))
    };
    let optional = |ty: Type| attribute(Type::optional(ty), Some(Value::Undef));
    let attributes = hash([
        ("msg", text.clone().into()),
        ("kind", optional(text.clone())),
        ("details", optional(Type::hash(text.clone(), Type::Data))),
        ("issue_code", optional(text.clone())),
    ]);
    let message = Type::callable(Vec::new(), None, None, Some(text));
    let init = hash([
        ("type_parameters", hash([("kind", parameter()), ("issue_code", parameter())]).into()),
        ("attributes", attributes.into()),
        ("functions", hash([("message", message.into())]).into()),
    ]);
    object("Error", &init)
});

/// The type of `Deferred` values.
pub fn deferred() -> Arc<ObjectType> {
    DEFERRED.clone()
}

/// The type of `Error` values.
pub fn error() -> Arc<ObjectType> {
    ERROR.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_in_order_and_can_be_made() {
        assert!(BUILTIN.is_sorted_by_key(|(name, _)| *name));
        for name in Type::builtin_names() {
            assert!(Type::builtin(name).is_some(), "{name}");
        }
    }
}
