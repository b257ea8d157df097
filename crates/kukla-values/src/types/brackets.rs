//! `T[...]`: types made from parameters.

use std::sync::Arc;

use indexmap::IndexMap;

use kukla_syntax::article::{a_an, a_an_upper};
use kukla_syntax::{Diagnostic, NAMELESS, diagnostic};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::callable::CallableType;
use super::make::capitalize;
use super::object::{ObjectExtension, ObjectType, TypeSet};
use super::{ArrayType, HashType, InitType, Range, ResourceType, RuntimeType, StructField, Type, leaf};
use crate::codes::{
    AMBIGUOUS_MEMBER_NAME, BAD_COLLECTION_SLICE_TYPE, BAD_INTEGER_SLICE_ARITY, BAD_INTEGER_SLICE_TYPE,
    BAD_NOT_UNDEF_SLICE_TYPE, BAD_STRING_SLICE_ARITY, BAD_TYPE_SLICE_ARITY, BAD_TYPE_SLICE_TYPE,
    BAD_TYPE_SPECIALIZATION, BOUND_NO_TIME, BOUNDS_REVERSED, DESCRIPTION_NO_HASH, EMPTY_MEMBER_NAME,
    EMPTY_RUNTIME_NAME, FLOAT_BOUND_NO_NUMBER, ILLEGAL_CLASSREF, ILLEGAL_HOSTCLASS_NAME, ILLEGAL_MEMBER_NAME,
    ILLEGAL_NAME, ILLEGAL_RESOURCE_SPECIALIZATION, OPERATOR_NOT_APPLICABLE, STEP_NOT_POSITIVE,
    TOO_MANY_STEPS, UNKNOWN_RESOURCE_TYPE, URI_NOT_ABSOLUTE,
};
use crate::format::{class_name, float_text};
use crate::regexp::Regexp;
use crate::semver::VersionRange;
use crate::time::{Timespan, Timestamp};
use crate::{Array, Error, Hash, Str, Value};

/// Why the parameters will not do, and which of them is to blame if it is one.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The error.
    pub error: Error,
    /// The number of the parameter; none when the whole expression is wrong.
    pub key: Option<usize>,
    /// Whether it breaks a rule about brackets, not one of what is in them.
    pub is_rule: bool,
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        refusal.error
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal { error, key: None, is_rule: false }
    }
}

type Made<T = Type> = Result<T, Refusal>;

fn refuse<T>(key: Option<usize>, wrong: Diagnostic) -> Made<T> {
    let is_rule = !wrong.is_nameless();
    Err(Refusal { error: wrong.into(), key, is_rule })
}

impl Type {
    /// This type with parameters. The result is a type, or a list of them where several titles or names were given
    /// (`File[a, b]`), or a list of numbers for the three-key `Integer[from, to, step]`.
    ///
    /// A reference to one resource or class is not asked for types but for its attributes, which takes a catalog.
    pub fn with_brackets(&self, args: &[Value]) -> Result<Value, Refusal> {
        match self {
            Type::Resource(resource) => return resource_brackets(self, resource.as_deref(), args),
            Type::Class(None) => return class_brackets(args),
            _ => {}
        }
        let flat = flatten(args);
        if let (Type::Integer(_), [from, to, step]) = (self, flat.as_slice()) {
            return stepped(from, to, step);
        }
        self.specialized(args, &flat).map(Value::of_type)
    }

    fn specialized(&self, args: &[Value], keys: &[Value]) -> Made {
        match self {
            Type::Integer(_) => integer(keys),
            Type::Float(..) => float(keys),
            Type::Boolean(_) => {
                check(self, keys, 1, Some(1), &[Kind::True, Kind::False])?;
                Ok(Type::Boolean(Some(matches!(keys, [Value::Boolean(true)]))))
            }
            Type::String(_) | Type::Literal(_) => match keys {
                [_] | [_, _] => Ok(Type::String(size(0, keys)?)),
                _ => refuse(None, diagnostic!(BAD_STRING_SLICE_ARITY { count: keys.len() })),
            },
            Type::Collection(_) => match keys {
                [_] | [_, _] => Ok(Type::Collection(size(0, keys)?)),
                _ => arity("Collection-Type", 1, Some(2), keys.len()),
            },
            Type::Enum(_) => {
                let (keys, case_insensitive) = match keys {
                    [rest @ .., Value::Boolean(flag)] => (rest, *flag),
                    keys => (keys, false),
                };
                check(self, keys, 1, None, &[Kind::String])?;
                Ok(Type::enumeration(
                    keys.iter().filter_map(|key| key.as_str().map(Str::from)),
                    case_insensitive,
                ))
            }
            Type::Pattern(_) => {
                check(
                    self,
                    keys,
                    1,
                    None,
                    &[Kind::String, Kind::Regexp, Kind::PatternType, Kind::RegexpType],
                )?;
                pattern(keys)
            }
            Type::Regexp(_) => {
                if keys.len() != 1 {
                    let blamed = (!keys.is_empty()).then_some(1);
                    return arity_at(blamed, &described(self), 1, Some(1), keys.len());
                }
                check(self, keys, 1, Some(1), &[Kind::String, Kind::Regexp])?;
                Ok(Type::Regexp(Some(regexp(&keys[0])?)))
            }
            Type::SemVer(_) => {
                check(self, keys, 1, None, &[Kind::String, Kind::VersionRange, Kind::Version])?;
                let ranges = keys.iter().map(|key| match key {
                    Value::SemVerRange(range) => Ok(range.clone()),
                    Value::SemVer(version) => Ok(leaf::exactly(version)),
                    key => VersionRange::parse(key.as_str().unwrap_or_default()).map(Arc::new),
                });
                let ranges = ranges.collect::<Result<Vec<_>, _>>()?;
                Ok(Type::SemVer(if ranges.len() > 1 { leaf::merge_ranges(ranges) } else { ranges }.into()))
            }
            Type::Timestamp(_) => {
                at_most_two(self, keys)?;
                let from = timestamp(keys.first())?.unwrap_or(Timestamp::MIN);
                let to = timestamp(keys.get(1))?.unwrap_or(Timestamp::MAX);
                ascending(from <= to, &from, &to)?;
                Ok(Type::Timestamp(Arc::new((from, to))))
            }
            Type::Timespan(_) => {
                at_most_two(self, keys)?;
                let from = timespan(keys.first())?.unwrap_or(Timespan::MIN);
                let to = timespan(keys.get(1))?.unwrap_or(Timespan::MAX);
                ascending(from <= to, &from, &to)?;
                Ok(Type::Timespan(Arc::new((from, to))))
            }
            Type::Uri(_) => match keys {
                [key @ Value::String(text)] if !text.is_empty() => uri(key),
                [key @ Value::Hash(_)] if leaf::URI_PARAMETERS.contains(key) => uri(key),
                [key] => not_a_type(0, "URI-Type", key),
                _ => arity("URI-Type", 1, None, keys.len()),
            },
            Type::Array(_) => array(keys),
            Type::Hash(_) => hash(keys),
            Type::Tuple(_) => {
                let (keys, size) = trailing_size(keys)?;
                check(self, keys, 1, None, &[Kind::Type])?;
                Ok(Type::tuple(types(keys), size))
            }
            Type::Struct(_) => {
                check(self, args, 1, Some(1), &[Kind::Hash])?;
                match args {
                    [Value::Hash(fields)] => structure(fields),
                    _ => Ok(self.clone()),
                }
            }
            Type::Variant(_) => {
                check(self, keys, 1, None, &[Kind::Type])?;
                Ok(Type::variant(types(keys)))
            }
            Type::Optional(_) => match keys {
                [Value::String(text)] => Ok(Type::optional(Type::Literal(text.clone()))),
                _ => one_type("Optional-Type", keys).map(|ty| Type::Optional(Some(ty))),
            },
            Type::NotUndef(_) => match keys {
                [] => Ok(Type::NotUndef(None)),
                [Value::String(text)] => Ok(Type::not_undef(Type::Literal(text.clone()))),
                [Value::Type(ty)] => Ok(Type::not_undef((**ty).clone())),
                [key] => refuse(Some(0), diagnostic!(BAD_NOT_UNDEF_SLICE_TYPE { actual: class_name(key) })),
                _ => arity("NotUndef-Type", 0, Some(1), keys.len()),
            },
            Type::Iterable(_) => one_type("Iterable-Type", keys).map(|ty| Type::Iterable(Some(ty))),
            Type::Iterator(_) => one_type("Iterator-Type", keys).map(|ty| Type::Iterator(Some(ty))),
            Type::Type(_) => one_type("Type-Type", keys).map(|ty| Type::Type(Some(ty))),
            Type::Sensitive(_) => one_type("Sensitive-Type", keys).map(|ty| Type::sensitive((*ty).clone())),
            Type::Init(_) => match args {
                [Value::Type(ty), rest @ ..] => {
                    Ok(Type::Init(Arc::new(InitType { ty: Some((**ty).clone()), args: rest.to_vec() })))
                }
                _ => not_a_type(0, "Init-Type", args.first().unwrap_or(&Value::Undef)),
            },
            Type::Callable(_) => callable(self, args),
            Type::Runtime(_) => {
                // The name of the class may be left out: then all of the runtime's classes are meant.
                if !matches!(keys, [Value::String(_)]) {
                    check(self, keys, 2, Some(2), &[Kind::String, Kind::String])?;
                }
                if let Some(Value::String(name)) = keys.get(1) {
                    check_runtime_name(name)?;
                }
                let runtime = keys.first().and_then(Value::as_str).map(Str::from);
                Ok(Type::Runtime(Arc::new(RuntimeType { runtime, name: keys.get(1).cloned() })))
            }
            Type::Object(object) if !object.is_any() && object.name.is_some() => {
                Ok(Type::ObjectExtension(Arc::new(ObjectExtension::new(object, keys)?)))
            }
            Type::Object(_) => match keys {
                [Value::Hash(init)] => Ok(Type::Object(ObjectType::new(init)?)),
                // In Ruby these are empty as well, and an empty description is that of any object.
                [Value::Undef] => Ok(self.clone()),
                [Value::String(empty)] if empty.is_empty() => Ok(self.clone()),
                [key] => not_a_hash("Object-Type", key),
                _ => arity("Object-Type", 1, None, keys.len()),
            },
            Type::TypeSet(_) => match keys {
                [Value::Hash(init)] => Ok(Type::TypeSet(TypeSet::new(init)?)),
                [key] => not_a_hash("TypeSet-Type", key),
                _ => arity("TypeSet-Type", 1, None, keys.len()),
            },
            Type::Reference(name) => refuse(None, diagnostic!(UNKNOWN_RESOURCE_TYPE { name })),
            Type::Alias(alias) if !alias.is_recursive() => alias.resolved().specialized(args, keys),
            ty => {
                let operand = a_an(&format!("{ty}-Type"));
                refuse(None, diagnostic!(OPERATOR_NOT_APPLICABLE { operator: "[]", operand }))
            }
        }
    }
}

/// Arrays among the keys are opened, to any depth.
fn flatten(args: &[Value]) -> Vec<Value> {
    fn open(value: &Value, into: &mut Vec<Value>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| open(value, into)),
            value => into.push(value.clone()),
        }
    }
    let mut flat = Vec::with_capacity(args.len());
    args.iter().for_each(|arg| open(arg, &mut flat));
    flat
}

/// `A Boolean-Type`, as the subject of a sentence.
fn described(ty: &Type) -> String {
    a_an_upper(&format!("{ty}-Type"))
}

fn arity<T>(base: &str, min: usize, max: Option<usize>, count: usize) -> Made<T> {
    arity_at(None, base, min, max, count)
}

fn one_or_more<T>(base: &str, count: usize) -> Made<T> {
    refuse(None, diagnostic!(BAD_TYPE_SLICE_ARITY { base, accepted: "1 or more arguments", count }))
}

fn arity_at<T>(key: Option<usize>, base: &str, min: usize, max: Option<usize>, count: usize) -> Made<T> {
    let accepted = match max {
        Some(max) if max != min => format!("{min} to {max} arguments"),
        _ if min == 1 => "1 argument".to_string(),
        _ => format!("{min} arguments"),
    };
    refuse(key, diagnostic!(BAD_TYPE_SLICE_ARITY { base, accepted, count }))
}

/// The forms of a key.
#[derive(Clone, Copy)]
enum Kind {
    True,
    False,
    String,
    Regexp,
    Hash,
    Type,
    PatternType,
    RegexpType,
    VersionRange,
    Version,
}

impl Kind {
    fn has(self, value: &Value) -> bool {
        match self {
            Kind::True => matches!(value, Value::Boolean(true)),
            Kind::False => matches!(value, Value::Boolean(false)),
            Kind::String => matches!(value, Value::String(_)),
            Kind::Regexp => matches!(value, Value::Regexp(_)),
            Kind::Hash => matches!(value, Value::Hash(_)),
            Kind::Type => matches!(value, Value::Type(_)),
            Kind::PatternType => matches!(value.as_type(), Some(Type::Pattern(_))),
            Kind::RegexpType => matches!(value.as_type(), Some(Type::Regexp(_))),
            Kind::VersionRange => matches!(value, Value::SemVerRange(_)),
            Kind::Version => matches!(value, Value::SemVer(_)),
        }
    }

    /// The name in messages; a version is accepted without being advertised.
    fn name(self) -> Option<&'static str> {
        Some(match self {
            Kind::True => "TrueClass",
            Kind::False => "FalseClass",
            Kind::String => "String",
            Kind::Regexp => "Regexp",
            Kind::Hash => "Hash",
            Kind::Type => "Any-Type",
            Kind::PatternType => "Pattern-Type",
            Kind::RegexpType => "Regexp-Type",
            Kind::VersionRange => "SemanticPuppet::VersionRange",
            Kind::Version => return None,
        })
    }
}

fn check(base: &Type, keys: &[Value], min: usize, max: Option<usize>, kinds: &[Kind]) -> Made<()> {
    if keys.len() < min || max.is_some_and(|max| keys.len() > max) {
        return match max {
            None => one_or_more(&described(base), keys.len()),
            max => arity(&described(base), 1, max, keys.len()),
        };
    }
    for (i, key) in keys.iter().enumerate() {
        if !kinds.iter().any(|kind| kind.has(key)) {
            let expected: Vec<&str> = kinds.iter().filter_map(|kind| kind.name()).collect();
            return bad_specialization(Some(i), base, key, &expected.join(" or "));
        }
    }
    Ok(())
}

fn bad_specialization<T>(key: Option<usize>, base: &Type, value: &Value, expected: &str) -> Made<T> {
    let base = match base {
        Type::Resource(Some(resource)) if resource.title.is_some() => format!("{base} Resource-Reference"),
        base => format!("{base}-Type"),
    };
    let (base, actual) = (a_an(&base), general_name(value));
    refuse(key, diagnostic!(BAD_TYPE_SPECIALIZATION { base, actual, expected }))
}

/// The general type of a key, for messages.
fn general_name(key: &Value) -> String {
    Type::of_generalized(key).to_string()
}

fn not_a_type<T>(key: usize, base: &str, value: &Value) -> Made<T> {
    refuse(Some(key), diagnostic!(BAD_TYPE_SLICE_TYPE { base, actual: class_name(value) }))
}

fn not_a_hash<T>(base: &str, value: &Value) -> Made<T> {
    refuse(Some(0), diagnostic!(DESCRIPTION_NO_HASH { base, actual: class_name(value) }))
}

fn one_type(base: &str, keys: &[Value]) -> Made<Arc<Type>> {
    match keys {
        [Value::Type(ty)] => Ok(ty.clone()),
        [key] => not_a_type(0, base, key),
        _ => arity(base, 1, None, keys.len()),
    }
}

fn types(keys: &[Value]) -> Vec<Type> {
    keys.iter().map(as_type).collect()
}

/// A type unchanged; any other value as its general type, text as a type of the platform.
fn as_type(value: &Value) -> Type {
    match value {
        Value::Type(ty) => (**ty).clone(),
        Value::String(name) => Type::Runtime(Arc::new(RuntimeType {
            runtime: Some("ruby".into()),
            name: Some(Value::String(name.clone())),
        })),
        value => Type::of_generalized(value),
    }
}

/// Text as the name of a type of the platform.
fn check_runtime_name(name: &str) -> Made<()> {
    match name.is_empty() {
        true => refuse(None, diagnostic!(EMPTY_RUNTIME_NAME)),
        false => Ok(()),
    }
}

fn is_bound(value: &Value) -> bool {
    match value {
        Value::Integer(_) | Value::Default => true,
        Value::String(text) => text == "default",
        _ => false,
    }
}

fn range(from: &Value, to: &Value) -> Made<Range> {
    let bound = |value: &Value| match value {
        Value::Integer(n) => Some(*n),
        _ => None,
    };
    if let (Some(from), Some(to)) = (bound(from), bound(to)) {
        ascending(from <= to, &from, &to)?;
    }
    Ok(Range::between(bound(from), bound(to)))
}

/// A size: one `Integer` type, or one or two bounds.
fn size(first: usize, keys: &[Value]) -> Made<Range> {
    if let [Value::Type(ty)] = keys
        && let Type::Integer(range) = **ty
    {
        return Ok(range.as_size());
    }
    for (i, key) in keys.iter().enumerate() {
        if !matches!(key, Value::Integer(_) | Value::Default) {
            let class = class_name(key);
            let class = class
                .strip_prefix("Puppet::Pops::Types::P")
                .and_then(|name| name.strip_suffix("Type"))
                .map_or_else(|| class.clone(), |name| format!("{name}-Type").into());
            return refuse(Some(first + i), diagnostic!(BAD_COLLECTION_SLICE_TYPE { actual: a_an(&class) }));
        }
    }
    Ok(range(&keys[0], keys.get(1).unwrap_or(&Value::Default))?.as_size())
}

/// Types followed by one or two bounds.
fn trailing_size(keys: &[Value]) -> Made<(&[Value], Option<Range>)> {
    Ok(match keys {
        [rest @ .., from, to] if is_bound(from) && is_bound(to) => (rest, Some(range(from, to)?.as_size())),
        [rest @ .., from] if is_bound(from) => (rest, Some(range(from, &Value::Default)?.as_size())),
        keys => (keys, None),
    })
}

fn integer(keys: &[Value]) -> Made {
    if !matches!(keys.len(), 1 | 2) {
        return refuse(None, diagnostic!(BAD_INTEGER_SLICE_ARITY { base: "Integer", count: keys.len() }));
    }
    for (i, key) in keys.iter().enumerate() {
        if !matches!(key, Value::Integer(_) | Value::Default) {
            return refuse(Some(i), diagnostic!(BAD_INTEGER_SLICE_TYPE { actual: class_name(key) }));
        }
    }
    Ok(Type::Integer(range(&keys[0], keys.get(1).unwrap_or(&Value::Default))?))
}

/// The longest list `Integer[from, to, step]` may make.
const LONGEST: u64 = 10_000_000;

/// `Integer[1, 6, 2]` is the list `[1, 3, 5]`; descending when `from` is the larger.
fn stepped(from: &Value, to: &Value, step: &Value) -> Result<Value, Refusal> {
    let (Value::Integer(from), Value::Integer(to), Value::Integer(step)) = (from, to, step) else {
        let (i, key) = [from, to, step]
            .into_iter()
            .enumerate()
            .find(|(_, key)| !matches!(key, Value::Integer(_)))
            .unwrap_or((0, from));
        return refuse(Some(i), diagnostic!(BAD_INTEGER_SLICE_TYPE { actual: class_name(key) }));
    };
    if *step <= 0 {
        return refuse(Some(2), diagnostic!(STEP_NOT_POSITIVE { step }));
    }
    let count = from.abs_diff(*to) / step.unsigned_abs() + 1;
    if count > LONGEST {
        return refuse(None, diagnostic!(TOO_MANY_STEPS { count }));
    }
    let step = if from <= to { *step } else { -step };
    Ok(Value::Array((0..count as i64).map(|i| Value::Integer(from + i * step)).collect()))
}

fn float(keys: &[Value]) -> Made {
    if !matches!(keys.len(), 1 | 2) {
        return refuse(None, diagnostic!(BAD_INTEGER_SLICE_ARITY { base: "Float", count: keys.len() }));
    }
    let mut bounds = [f64::NEG_INFINITY, f64::INFINITY];
    for (i, key) in keys.iter().enumerate() {
        match key {
            Value::Integer(n) => bounds[i] = *n as f64,
            Value::Float(n) => bounds[i] = *n,
            Value::Default => {}
            key => {
                return refuse(Some(i), diagnostic!(FLOAT_BOUND_NO_NUMBER { actual: class_name(key) }));
            }
        }
    }
    let [from, to] = bounds;
    ascending(from <= to, &float_text(from), &float_text(to))?;
    Ok(Type::Float(from, to))
}

fn regexp(key: &Value) -> Made<Arc<Regexp>> {
    match key {
        Value::Regexp(regexp) => Ok(regexp.clone()),
        // Puppet has no name for it here.
        key => Regexp::new(key.as_str().unwrap_or_default())
            .or_else(|error| refuse(None, error.into_diagnostic().reported_as(NAMELESS))),
    }
}

fn pattern(keys: &[Value]) -> Made {
    let (mut patterns, mut known) = (Vec::new(), FxHashMap::<String, Vec<Arc<Regexp>>>::default());
    let mut add = |regexp: Arc<Regexp>| {
        let alike = known.entry(regexp.source().to_owned()).or_default();
        if !alike.contains(&regexp) {
            alike.push(Arc::clone(&regexp));
            patterns.push(regexp);
        }
    };
    for key in keys {
        match key.as_type() {
            Some(Type::Pattern(more)) => more.iter().cloned().for_each(&mut add),
            Some(Type::Regexp(Some(regexp))) => add(regexp.clone()),
            Some(Type::Regexp(None)) => add(Regexp::new("")?),
            _ => add(regexp(key)?),
        }
    }
    Ok(Type::Pattern(patterns.into()))
}

fn at_most_two(base: &Type, keys: &[Value]) -> Made<()> {
    if keys.len() > 2 { arity(&described(base), 0, Some(2), keys.len()) } else { Ok(()) }
}

fn ascending(is: bool, from: &dyn std::fmt::Display, to: &dyn std::fmt::Display) -> Made<()> {
    if is {
        return Ok(());
    }
    refuse(None, diagnostic!(BOUNDS_REVERSED { from, to }))
}

fn timestamp(key: Option<&Value>) -> Made<Option<Timestamp>> {
    Ok(match key {
        None | Some(Value::Default | Value::Undef) => None,
        Some(Value::Timestamp(at)) => Some(*at),
        Some(Value::Integer(n)) => Some(Timestamp::from_seconds(*n)),
        Some(Value::Float(n)) => Some(Timestamp::from_f64(*n)?),
        Some(Value::String(text)) => Some(Timestamp::parse(text, None)?),
        Some(Value::Hash(hash)) => Some(Timestamp::from_hash(hash)?),
        Some(other) => return no_time("Timestamp", other),
    })
}

fn timespan(key: Option<&Value>) -> Made<Option<Timespan>> {
    Ok(match key {
        None | Some(Value::Default | Value::Undef) => None,
        Some(Value::Timespan(span)) => Some(*span),
        Some(Value::Integer(n)) => Some(Timespan::from_seconds(*n)),
        Some(Value::Float(n)) => Some(Timespan::from_f64(*n)?),
        Some(Value::String(text)) => Some(Timespan::parse(text)?),
        Some(Value::Hash(hash)) => Some(Timespan::from_hash(hash)?),
        Some(other) => return no_time("Timespan", other),
    })
}

fn no_time<T>(kind: &str, value: &Value) -> Made<T> {
    refuse(None, diagnostic!(BOUND_NO_TIME { kind, actual: class_name(value) }))
}

fn uri(key: &Value) -> Made {
    let parameters = match key {
        Value::Hash(hash) if hash.is_empty() => None,
        Value::Hash(_) => Some(key.clone()),
        key => {
            let text = key.as_str().unwrap_or_default();
            let uri = leaf::parse_uri(text)?;
            if uri.scheme.is_none() {
                return refuse(None, diagnostic!(URI_NOT_ABSOLUTE { text }));
            }
            leaf::uri_parameters(&uri)
        }
    };
    Ok(Type::Uri(parameters.map(Arc::new)))
}

fn array(keys: &[Value]) -> Made {
    match keys {
        [Value::Type(ty)] => Ok(Type::array((**ty).clone())),
        // Only an explicit size of zero makes the element irrelevant; `default, 0` keeps it.
        [Value::Type(ty), Value::Default, to] => {
            let size = size(1, &[Value::Default, to.clone()])?;
            Ok(Type::Array(Arc::new(ArrayType { element: (**ty).clone(), size })))
        }
        [Value::Type(ty), rest @ ..] if rest.len() <= 2 => {
            Ok(Type::array_sized((**ty).clone(), size(1, rest)?))
        }
        [_, _] => Ok(Type::array_sized(Type::Any, size(0, keys)?)),
        [key] | [key, _, _] => not_a_type(0, "Array-Type", key),
        _ => arity("Array-Type", 1, Some(3), keys.len()),
    }
}

fn hash(keys: &[Value]) -> Made {
    match keys {
        [Value::Integer(_), Value::Integer(_)] => Ok(Type::hash_sized(Type::Any, Type::Any, size(0, keys)?)),
        // The value's type alone: keys are then whatever can be written plainly.
        [Value::Type(value)] => Ok(Type::hash(Type::Scalar, (**value).clone())),
        [Value::Type(key), Value::Type(value), rest @ ..] => {
            let (key, value) = ((**key).clone(), (**value).clone());
            match rest {
                [] => Ok(Type::hash(key, value)),
                [Value::Default, _] => {
                    Ok(Type::Hash(Arc::new(HashType { key, value, size: size(2, rest)? })))
                }
                [_] | [_, _] => Ok(Type::hash_sized(key, value, size(2, rest)?)),
                _ => arity("Hash-Type", 2, Some(4), keys.len()),
            }
        }
        [Value::Type(_), other, ..] => not_a_type(1, "Hash-Type", other),
        [other, ..] => not_a_type(0, "Hash-Type", other),
        [] => arity("Hash-Type", 2, Some(4), 0),
    }
}

fn structure(fields: &Hash) -> Made {
    let mut made: IndexMap<Str, StructField, FxBuildHasher> = IndexMap::default();
    for (key, value) in fields {
        let value = as_type(value);
        let field = match key {
            Value::String(name) if name.is_empty() => {
                return refuse(None, diagnostic!(EMPTY_MEMBER_NAME));
            }
            Value::String(name) => StructField::new(name.clone(), value),
            key => {
                let (optional, name) = match key.as_type() {
                    Some(Type::NotUndef(ty)) => (false, ty.as_deref()),
                    Some(Type::Optional(ty)) => (true, ty.as_deref()),
                    Some(ty @ (Type::String(_) | Type::Literal(_) | Type::Enum(_))) => (false, Some(ty)),
                    _ => {
                        return refuse(None, diagnostic!(ILLEGAL_MEMBER_NAME { actual: class_name(key) }));
                    }
                };
                let name = match name {
                    Some(Type::Literal(text)) if !text.is_empty() => text.clone(),
                    Some(Type::Enum(values)) if values.values.len() == 1 => values.values[0].clone(),
                    _ => {
                        let key = super::write::literal(key);
                        return refuse(None, diagnostic!(AMBIGUOUS_MEMBER_NAME { key }));
                    }
                };
                StructField { name, optional, value }
            }
        };
        made.insert(field.name.clone(), field);
    }
    Ok(Type::structure(made.into_values()))
}

fn callable(base: &Type, args: &[Value]) -> Made {
    let (args, returns) = match args {
        [Value::Array(params), Value::Type(returns)] => (&params[..], Some((**returns).clone())),
        [Value::Array(_), other] => return bad_specialization(Some(1), base, other, "Any-Type"),
        [Value::Array(_), ..] => return arity(&described(base), 2, Some(2), args.len()),
        args => (args, None),
    };
    let (args, block) = match args {
        [rest @ .., Value::Type(last)] if last.is_callable(true) => (rest, Some((**last).clone())),
        args => (args, None),
    };
    let (keys, size) = trailing_size(args)?;
    for key in keys {
        if let Value::String(name) = key {
            check_runtime_name(name)?;
        }
    }
    let mut params = types(keys);
    if params.is_empty() && size.is_some_and(|size| size.max() > 0) {
        params.push(Type::Unit);
    }
    Ok(Type::Callable(Some(Arc::new(CallableType::new(params, size, block, returns)))))
}

fn is_type_name(name: &str) -> bool {
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return name.starts_with(|c: char| c.is_ascii_uppercase());
    }
    let name = name.strip_prefix("::").unwrap_or(name);
    name.split("::").all(|segment| {
        segment.starts_with(|c: char| c.is_ascii_uppercase())
            && segment.chars().all(|c| c.is_alphanumeric() || c == '_')
    })
}

fn is_class_name(name: &str) -> bool {
    name.split("::").all(|segment| {
        segment.starts_with(|c: char| c.is_ascii_lowercase())
            && segment.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn resource_brackets(base: &Type, resource: Option<&ResourceType>, args: &[Value]) -> Result<Value, Refusal> {
    // Nearly all name one resource.
    if let (Some(resource), [Value::String(title)]) = (resource, args)
        && is_type_name(&resource.name)
    {
        return Ok(Value::of_type(Type::resource(&resource.name, Some(title.clone()))));
    }
    let mut titles = args;
    let name = match (resource, args) {
        (Some(resource), _) => resource.name.clone(),
        (None, [first, rest @ ..]) => {
            titles = rest;
            match first {
                Value::String(name) => capitalize(name),
                Value::Type(ty) if matches!(**ty, Type::Resource(Some(_))) => {
                    if rest.is_empty() {
                        return Ok(first.clone());
                    }
                    ty.resource_name().unwrap_or_default()
                }
                other => {
                    let actual = general_name(other);
                    return refuse(Some(0), diagnostic!(ILLEGAL_RESOURCE_SPECIALIZATION { actual }));
                }
            }
        }
        (None, []) => return arity(&base.to_string(), 1, None, 0),
    };
    if !is_type_name(&name) {
        return refuse(Some(0), diagnostic!(ILLEGAL_CLASSREF { name }));
    }
    let as_list = titles.len() > 1 || matches!(titles.first(), Some(Value::Array(_)));
    let flat: Vec<Value> = flatten(titles).into_iter().filter(|title| !title.is_undef()).collect();
    if flat.is_empty() && !titles.is_empty() {
        return Ok(if as_list { Value::Array(Array::new()) } else { Value::Undef });
    }
    if flat.is_empty() {
        return Ok(Value::of_type(Type::resource(&name, None)));
    }
    let mut made = Vec::with_capacity(flat.len());
    for (i, title) in flat.iter().enumerate() {
        let Value::String(title) = title else {
            // Titles in lists are counted one by one, and one further.
            let blamed = if flat.len() == titles.len() { i } else { i + 1 };
            return bad_specialization(Some(blamed), base, title, "a resource title String");
        };
        made.push(Value::of_type(Type::resource(&name, Some(title.clone()))));
    }
    Ok(if as_list { made.into() } else { made.pop().unwrap_or_default() })
}

fn class_brackets(args: &[Value]) -> Result<Value, Refusal> {
    if args.is_empty() {
        return one_or_more("Class", 0);
    }
    let as_list = args.len() > 1 || matches!(args.first(), Some(Value::Array(_)));
    let flat: Vec<Value> = flatten(args).into_iter().filter(|name| !name.is_undef()).collect();
    if flat.is_empty() {
        return Ok(if as_list { Value::Array(Array::new()) } else { Value::Undef });
    }
    let mut made = Vec::with_capacity(flat.len());
    for (i, key) in flat.iter().enumerate() {
        let written = match key {
            Value::String(name) => name.clone(),
            other => {
                let actual = a_an_upper(&crate::compare::label(other));
                return refuse(Some(i), diagnostic!(ILLEGAL_HOSTCLASS_NAME { actual }));
            }
        };
        let lower = written.to_lowercase();
        let name = lower.strip_prefix("::").unwrap_or(&lower);
        if !is_class_name(name) {
            return refuse(Some(i), diagnostic!(ILLEGAL_NAME { name: written }));
        }
        made.push(Value::of_type(Type::Class(Some(name.into()))));
    }
    Ok(if as_list { made.into() } else { made.pop().unwrap_or_default() })
}

impl Type {
    /// The name of a resource type without a title, or the text of a reference to nothing.
    fn resource_name(&self) -> Option<Str> {
        match self {
            Type::Resource(Some(resource)) => Some(resource.name.clone()),
            Type::Reference(text) => Some(text.clone()),
            _ => None,
        }
    }
}
