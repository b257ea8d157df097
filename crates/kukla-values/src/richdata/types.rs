//! Types as rich data: `{"__ptype": "Pcore::IntegerType", "from": 1}`, and back.

use std::sync::Arc;

use kukla_syntax::diagnostic;

use crate::codes::UNKNOWN_DATA_TYPE;
use crate::regexp::Regexp;
use crate::semver::VersionRange;
use crate::time::{Timespan, Timestamp};
use crate::types::callable::CallableType;
use crate::types::object::ObjectType;
use crate::types::{HashType, InitType, Range, RuntimeType, StructField, Type};
use crate::{Error, Hash, Result, Str, Value};

/// A piece of the description of a type.
pub(super) enum Part {
    /// A value, written as all values are.
    Value(Value),
    /// A list.
    Each(Vec<Part>),
    /// Something with a name and fields.
    Made(Str, Vec<(&'static str, Part)>),
}

impl From<Type> for Part {
    fn from(ty: Type) -> Part {
        Part::Value(Value::of_type(ty))
    }
}

impl From<Str> for Part {
    fn from(text: Str) -> Part {
        Part::Value(Value::String(text))
    }
}

fn made(kind: &str, fields: Vec<(&'static str, Part)>) -> Part {
    Part::Made(ecow::eco_format!("Pcore::{kind}Type"), fields)
}

/// Two bounds, of which those that say nothing are left out from the end.
fn bounds(kind: &str, from: Option<Value>, to: Option<Value>) -> Part {
    let mut fields = Vec::new();
    if from.is_some() || to.is_some() {
        fields.push(("from", Part::Value(from.unwrap_or_default())));
    }
    if let Some(to) = to {
        fields.push(("to", Part::Value(to)));
    }
    made(kind, fields)
}

fn size(range: Range) -> Option<Part> {
    (!range.is_any()).then(|| described(&Type::Integer(range)))
}

/// Fields of which those at the end may be missing; those before the last that is there are not.
fn trimmed(kind: &str, fields: Vec<(&'static str, bool, Part)>) -> Part {
    let count = fields.iter().rposition(|(_, said, _)| *said).map_or(0, |last| last + 1);
    made(kind, fields.into_iter().take(count).map(|(key, _, part)| (key, part)).collect())
}

fn inner(kind: &str, ty: &Option<Arc<Type>>) -> Part {
    let fields = ty.iter().map(|ty| ("type", Part::from((**ty).clone()))).collect();
    made(kind, fields)
}

fn each(types: &[Type]) -> Part {
    Part::Each(types.iter().cloned().map(Part::from).collect())
}

fn by_text(text: Str) -> Part {
    Part::Made("Type".into(), vec![(super::VALUE_KEY, text.into())])
}

fn named(name: Str, meaning: Type) -> Part {
    let fields = vec![
        ("name", name.into()),
        ("type_expr", Part::Value(Value::Undef)),
        ("resolved_type", meaning.into()),
    ];
    made("TypeAlias", fields)
}

/// The description of a type. Types that Puppet cannot describe, as they contain themselves, are given by their text.
pub(super) fn described(ty: &Type) -> Part {
    let kind = ty.kind();
    match ty {
        Type::Integer(range) => {
            bounds(kind, range.from().map(Value::Integer), range.to().map(Value::Integer))
        }
        Type::Float(from, to) => bounds(
            kind,
            from.is_finite().then_some(Value::Float(*from)),
            to.is_finite().then_some(Value::Float(*to)),
        ),
        Type::Timestamp(range) => bounds(
            kind,
            (range.0 != Timestamp::MIN).then_some(Value::Timestamp(range.0)),
            (range.1 != Timestamp::MAX).then_some(Value::Timestamp(range.1)),
        ),
        Type::Timespan(range) => bounds(
            kind,
            (range.0 != Timespan::MIN).then_some(Value::Timespan(range.0)),
            (range.1 != Timespan::MAX).then_some(Value::Timespan(range.1)),
        ),
        Type::String(range) => {
            made(kind, size(*range).map(|size| ("size_type_or_value", size)).into_iter().collect())
        }
        Type::Literal(text) => made(kind, vec![("size_type_or_value", text.clone().into())]),
        Type::Collection(range) => {
            made(kind, size(*range).map(|size| ("size_type", size)).into_iter().collect())
        }
        Type::Enum(values) => {
            let list = values.values.iter().cloned().map(Part::from).collect();
            let mut fields = vec![("values", Part::Each(list))];
            if values.case_insensitive {
                fields.push(("case_insensitive", Part::Value(true.into())));
            }
            made(kind, fields)
        }
        Type::Pattern(patterns) => {
            let list =
                patterns.iter().map(|pattern| described(&Type::Regexp(Some(pattern.clone())))).collect();
            made(kind, vec![("patterns", Part::Each(list))])
        }
        Type::Regexp(Some(regexp)) => made(kind, vec![("pattern", Part::Value(regexp.to_kept().into()))]),
        Type::SemVer(ranges) if !ranges.is_empty() => {
            let list = ranges.iter().map(|range| Part::Value(Value::SemVerRange(range.clone()))).collect();
            made(kind, vec![("ranges", Part::Each(list))])
        }
        Type::Uri(Some(parameters)) => made(kind, vec![("parameters", Part::Value((**parameters).clone()))]),
        Type::Array(array) => trimmed(
            kind,
            vec![
                ("element_type", !matches!(array.element, Type::Any), array.element.clone().into()),
                ("size_type", !array.size.is_any(), described(&Type::Integer(array.size))),
            ],
        ),
        Type::Hash(hash) => trimmed(
            kind,
            vec![
                ("key_type", !matches!(hash.key, Type::Any), hash.key.clone().into()),
                ("value_type", !matches!(hash.value, Type::Any), hash.value.clone().into()),
                ("size_type", !hash.size.is_any(), described(&Type::Integer(hash.size))),
            ],
        ),
        Type::Tuple(tuple) => {
            let mut fields = vec![("types", each(&tuple.types))];
            fields.extend(tuple.size.map(|range| ("size_type", described(&Type::Integer(range)))));
            made(kind, fields)
        }
        Type::Struct(fields) => {
            let element = |field: &StructField| {
                let key = Type::Literal(field.name.clone());
                let key = if field.optional { Type::optional(key) } else { key };
                let fields = vec![("key_type", described(&key)), ("value_type", field.value.clone().into())];
                Part::Made("Pcore::StructElement".into(), fields)
            };
            made(kind, vec![("elements", Part::Each(fields.iter().map(element).collect()))])
        }
        Type::Variant(types) => made(kind, vec![("types", each(types))]),
        Type::Optional(ty)
        | Type::NotUndef(ty)
        | Type::Iterable(ty)
        | Type::Iterator(ty)
        | Type::Type(ty) => inner(kind, ty),
        Type::Init(init) => {
            let mut fields: Vec<(&'static str, Part)> = Vec::new();
            fields.extend(init.ty.clone().map(|ty| ("type", Part::from(ty))));
            if !init.args.is_empty() {
                fields.push(("init_args", Part::Value(init.args.clone().into())));
            }
            made(kind, fields)
        }
        Type::Callable(callable) => {
            let nothing = || Part::Value(Value::Undef);
            let part = |ty: Option<Type>| ty.map_or_else(nothing, Part::from);
            let params =
                callable.as_ref().map(|callable| Type::tuple(callable.params.clone(), callable.size));
            let block = callable.as_ref().and_then(|callable| callable.block.clone());
            let returns = callable.as_ref().and_then(|callable| callable.returns.clone());
            made(
                kind,
                vec![
                    ("param_types", part(params)),
                    ("block_type", part(block)),
                    ("return_type", part(returns)),
                ],
            )
        }
        Type::Runtime(runtime) => {
            let mut fields = Vec::new();
            if runtime.runtime.is_some() || runtime.name.is_some() {
                let text = runtime.runtime.clone().map_or(Value::Undef, Value::String);
                fields.push(("runtime", Part::Value(text)));
            }
            fields.extend(runtime.name.clone().map(|name| ("name_or_pattern", Part::Value(name))));
            made(kind, fields)
        }
        Type::Resource(Some(resource)) => {
            let mut fields = vec![("type_name", Part::from(resource.name.clone()))];
            fields.extend(resource.title.clone().map(|title| ("title", Part::from(title))));
            made(kind, fields)
        }
        Type::Class(Some(name)) => made(kind, vec![("class_name", name.clone().into())]),
        Type::Alias(alias) if !alias.is_recursive() => named(alias.name.clone(), alias.resolved().clone()),
        Type::RichDataKey => {
            named(kind.into(), Type::Variant([Type::String(Range::ANY_SIZE), Type::Numeric].into()))
        }
        Type::Reference(text) => made(kind, vec![("type_string", text.clone().into())]),
        Type::Object(object) => {
            let init = if object.is_any() { Hash::new() } else { object.describe(true) };
            made(kind, vec![("_pcore_init_hash", Part::Value(init.into()))])
        }
        Type::Data | Type::RichData | Type::Alias(_) | Type::ObjectExtension(_) => by_text(ty.short().into()),
        Type::TypeSet(set) if set.is_any() => by_text(kind.into()),
        Type::TypeSet(set) => by_text(set.name.clone()),
        _ => made(kind, Vec::new()),
    }
}

/// The type of a description; `fields` have been read already.
pub(super) fn undescribed(name: &str, fields: &Hash) -> Result<Type> {
    let unknown = || Error::from(diagnostic!(UNKNOWN_DATA_TYPE { name }));
    let kind = name.strip_prefix("Pcore::").and_then(|name| name.strip_suffix("Type")).ok_or_else(unknown)?;
    let get = |key: &str| fields.get(key).unwrap_or(&Value::Undef);
    let ty = |key: &str| get(key).as_type().cloned();
    let text = |key: &str| get(key).as_str().map(Str::from);
    let types = |key: &str| -> Vec<Type> {
        get(key).as_array().into_iter().flatten().filter_map(|value| value.as_type().cloned()).collect()
    };
    let shared = |key: &str| ty(key).map(Arc::new);
    let size = |key: &str| match ty(key) {
        Some(Type::Integer(range)) => Some(range),
        _ => None,
    };
    let integer = |key: &str| match get(key) {
        Value::Integer(number) => Some(*number),
        _ => None,
    };
    let float = |key: &str, unless: f64| match get(key) {
        Value::Float(number) => *number,
        Value::Integer(number) => *number as f64,
        _ => unless,
    };
    Ok(match kind {
        "Integer" => Type::Integer(Range::between(integer("from"), integer("to"))),
        "Float" => Type::Float(float("from", f64::NEG_INFINITY), float("to", f64::INFINITY)),
        "Timestamp" => {
            let bound = |key, unless| match get(key) {
                Value::Timestamp(stamp) => *stamp,
                _ => unless,
            };
            Type::Timestamp(Arc::new((bound("from", Timestamp::MIN), bound("to", Timestamp::MAX))))
        }
        "Timespan" => {
            let bound = |key, unless| match get(key) {
                Value::Timespan(span) => *span,
                _ => unless,
            };
            Type::Timespan(Arc::new((bound("from", Timespan::MIN), bound("to", Timespan::MAX))))
        }
        "String" => match get("size_type_or_value") {
            Value::String(text) => Type::Literal(text.clone()),
            _ => Type::String(size("size_type_or_value").unwrap_or(Range::ANY_SIZE)),
        },
        "Collection" => Type::Collection(size("size_type").unwrap_or(Range::ANY_SIZE)),
        "Enum" => {
            let values = get("values").as_array().into_iter().flatten();
            Type::enumeration(
                values.filter_map(|value| value.as_str().map(Str::from)),
                get("case_insensitive").is_true(),
            )
        }
        "Pattern" => {
            let patterns = types("patterns").into_iter().filter_map(|ty| match ty {
                Type::Regexp(regexp) => regexp,
                _ => None,
            });
            Type::Pattern(patterns.collect())
        }
        "Regexp" => Type::Regexp(match get("pattern") {
            Value::String(source) => Some(Regexp::new(source)?),
            Value::Regexp(regexp) => Some(regexp.clone()),
            _ => None,
        }),
        "SemVer" => {
            let ranges = get("ranges").as_array().into_iter().flatten();
            let range = |value: &Value| match value {
                Value::SemVerRange(range) => Some(Ok(range.clone())),
                Value::String(text) => Some(VersionRange::parse(text).map(Arc::new)),
                _ => None,
            };
            Type::SemVer(ranges.filter_map(range).collect::<Result<Arc<[_]>>>()?)
        }
        "URI" => Type::Uri(fields.get("parameters").cloned().map(Arc::new)),
        "Array" => {
            Type::array_sized(ty("element_type").unwrap_or_default(), size("size_type").unwrap_or(Range::ANY))
        }
        "Hash" => Type::Hash(Arc::new(HashType {
            key: ty("key_type").unwrap_or_default(),
            value: ty("value_type").unwrap_or_default(),
            size: size("size_type").unwrap_or(Range::ANY),
        })),
        "Tuple" => Type::tuple(types("types"), size("size_type")),
        "Variant" => Type::Variant(types("types").into()),
        "Struct" => {
            let element = |value: &Value| {
                let hash = value.as_hash()?;
                let key = hash.get("key_type")?.as_type()?.clone();
                let value = hash.get("value_type")?.as_type()?.clone();
                match key {
                    Type::Literal(name) => Some(StructField::required(name, value)),
                    Type::Optional(Some(key)) => match &*key {
                        Type::Literal(name) => Some(StructField::optional(name.clone(), value)),
                        _ => None,
                    },
                    _ => None,
                }
            };
            Type::structure(get("elements").as_array().into_iter().flatten().filter_map(element))
        }
        "Optional" => Type::Optional(shared("type")),
        "NotUndef" => Type::NotUndef(shared("type")),
        "Iterable" => Type::Iterable(shared("type")),
        "Iterator" => Type::Iterator(shared("type")),
        "Type" => Type::Type(shared("type")),
        "Init" => Type::Init(Arc::new(InitType {
            ty: ty("type"),
            args: get("init_args").as_array().map(|args| args.to_vec()).unwrap_or_default(),
        })),
        "Callable" => Type::Callable(match ty("param_types") {
            Some(Type::Tuple(tuple)) => Some(Arc::new(CallableType::new(
                tuple.types.clone(),
                tuple.size,
                ty("block_type"),
                ty("return_type"),
            ))),
            _ => None,
        }),
        "Runtime" => Type::Runtime(Arc::new(RuntimeType {
            runtime: text("runtime"),
            name: fields.get("name_or_pattern").cloned(),
        })),
        "Resource" => match text("type_name") {
            Some(name) => Type::resource(&name, text("title")),
            None => Type::Resource(None),
        },
        "Class" => Type::Class(text("class_name")),
        "TypeAlias" => {
            let alias = crate::types::TypeAlias::new(text("name").ok_or_else(unknown)?);
            alias.resolve(ty("resolved_type").ok_or_else(unknown)?)?;
            Type::Alias(alias)
        }
        "TypeReference" => Type::Reference(text("type_string").unwrap_or_default()),
        "Object" => match get("_pcore_init_hash") {
            Value::Hash(init) if !init.is_empty() => Type::Object(ObjectType::new(init)?),
            _ => Type::any_object(),
        },
        "Unit" => Type::Unit,
        kind => Type::builtin(kind).ok_or_else(unknown)?,
    })
}
