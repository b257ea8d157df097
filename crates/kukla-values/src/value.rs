//! The results of expressions.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::hash::{Hash as StdHash, Hasher};
use std::sync::Arc;

use ecow::EcoVec;
use indexmap::{Equivalent, IndexMap};
use kukla_syntax::deep;
use rustc_hash::FxBuildHasher;

use crate::types::object::Object;
use crate::types::{RuntimeType, Type};
use crate::{Str, meter};
use crate::{binary::Binary, iterator::Iterator, regexp::Regexp, semver::Version, semver::VersionRange};
use crate::{time::Timespan, time::Timestamp, uri::Uri};

/// Any Puppet value. Small, cheap to clone, closed.
///
/// `Eq` and `Hash` are those of hash keys (Ruby's `eql?`): `1` and `1.0` are different keys, strings differ by case. The
/// language's own `==`, which ignores the case of strings and compares numbers across kinds, is `compare::equals`.
#[derive(Clone, Default)]
pub enum Value {
    /// The absence of a value.
    #[default]
    Undef,
    /// The literal `default`.
    Default,
    /// `true` and `false`.
    Boolean(bool),
    /// A signed 64-bit integer.
    Integer(i64),
    /// A double precision number.
    Float(f64),
    /// Text.
    String(Str),
    /// A regular expression.
    Regexp(Arc<Regexp>),
    /// An ordered list.
    Array(Array),
    /// An ordered map from any value to any value.
    Hash(Hash),
    /// A type used as a value; references to resources and classes are types too.
    Type(Arc<Type>),
    /// A value that is never shown.
    Sensitive(Arc<Value>),
    /// A point in time.
    Timestamp(Timestamp),
    /// A length of time.
    Timespan(Timespan),
    /// A semantic version.
    SemVer(Arc<Version>),
    /// A set of semantic versions.
    SemVerRange(Arc<VersionRange>),
    /// Bytes.
    Binary(Binary),
    /// A resource identifier.
    Uri(Arc<Uri>),
    /// A lazy sequence.
    Iterator(Arc<Iterator>),
    /// An object of the program around the language.
    Host(Arc<dyn HostObject>),
    /// An instance of an `Object` type; `Deferred` and `Error` values are such instances.
    Object(Arc<Object>),
}

const _: () = assert!(size_of::<Value>() <= 24);

/// Sensitive values are not shown in debug output either.
impl Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = |name: &str, field: &dyn Debug| f.debug_tuple(name).field(field).finish();
        match self {
            Value::Undef => f.write_str("Undef"),
            Value::Default => f.write_str("Default"),
            Value::Boolean(value) => tuple("Boolean", value),
            Value::Integer(value) => tuple("Integer", value),
            Value::Float(value) => tuple("Float", value),
            Value::String(value) => tuple("String", value),
            Value::Regexp(value) => tuple("Regexp", value),
            Value::Array(value) => deep(|| tuple("Array", value)),
            Value::Hash(value) => deep(|| tuple("Hash", value)),
            Value::Type(value) => tuple("Type", value),
            Value::Sensitive(_) => f.write_str("Sensitive([value redacted])"),
            Value::Timestamp(value) => tuple("Timestamp", value),
            Value::Timespan(value) => tuple("Timespan", value),
            Value::SemVer(value) => tuple("SemVer", value),
            Value::SemVerRange(value) => tuple("SemVerRange", value),
            Value::Binary(value) => tuple("Binary", value),
            Value::Uri(value) => tuple("Uri", value),
            Value::Iterator(value) => tuple("Iterator", value),
            Value::Host(value) => tuple("Host", value),
            Value::Object(value) => deep(|| tuple("Object", value)),
        }
    }
}

/// An object of the program around the language: to Puppet code it has a type and a text, and its creator recovers it
/// with `as_any`.
pub trait HostObject: Any + Send + Sync + Debug {
    /// The class it has in Puppet.
    fn class_name(&self) -> Cow<'static, str>;
    /// The type it is an instance of; unless it says otherwise, that is a class of the runtime.
    fn object_type(&self) -> Type {
        let name = Some(Value::String(self.class_name().as_ref().into()));
        Type::Runtime(Arc::new(RuntimeType { runtime: Some("ruby".into()), name }))
    }
    /// Its text.
    fn text(&self) -> Str;
    /// For its maker to get it back.
    fn as_any(&self) -> &dyn Any;
}

/// An ordered list of values, shared on clone.
#[derive(Clone, Debug, Default, Eq)]
pub struct Array(EcoVec<Value>);

/// Deep nesting is freed level by level.
impl Drop for Array {
    #[inline]
    fn drop(&mut self) {
        if self.0.iter().any(Value::is_nested) {
            let values = std::mem::take(&mut self.0);
            deep(|| drop(values));
        }
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Array) -> bool {
        meter::work(1);
        deep(|| self.0 == other.0)
    }
}

impl StdHash for Array {
    fn hash<H: Hasher>(&self, state: &mut H) {
        meter::work(self.0.len());
        deep(|| self.0.hash(state));
    }
}

impl Array {
    /// An empty list.
    pub fn new() -> Array {
        Array::default()
    }

    /// An empty list with room for `capacity` values.
    pub fn with_capacity(capacity: usize) -> Array {
        Array(EcoVec::with_capacity(capacity))
    }

    /// Appends one value.
    pub fn push(&mut self, value: Value) {
        self.0.push(value);
    }

    /// Whether nobody shares it.
    pub(crate) fn is_unique(&mut self) -> bool {
        self.0.is_unique()
    }

    /// The values, to change in place (copied first if shared).
    pub fn make_mut(&mut self) -> &mut [Value] {
        self.0.make_mut()
    }
}

impl std::ops::Deref for Array {
    type Target = [Value];
    fn deref(&self) -> &[Value] {
        &self.0
    }
}

impl FromIterator<Value> for Array {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Array {
        Array(values.into_iter().collect())
    }
}

impl Extend<Value> for Array {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, values: I) {
        self.0.extend(values);
    }
}

impl From<Vec<Value>> for Array {
    fn from(values: Vec<Value>) -> Array {
        Array(values.into())
    }
}

impl IntoIterator for Array {
    type Item = Value;
    type IntoIter = ecow::vec::IntoIter<Value>;
    fn into_iter(mut self) -> Self::IntoIter {
        std::mem::take(&mut self.0).into_iter()
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// The table behind a [`struct@Hash`].
pub type Entries = IndexMap<Value, Value, FxBuildHasher>;

/// An ordered map, shared on clone and copied when changed while shared.
#[derive(Clone, Debug, Default)]
pub struct Hash(Arc<Entries>);

/// Deep nesting is freed level by level.
impl Drop for Hash {
    #[inline]
    fn drop(&mut self) {
        if let Some(entries) = Arc::get_mut(&mut self.0)
            && entries.iter().any(|(key, value)| value.is_nested() || key.is_nested())
        {
            let entries = std::mem::take(entries);
            deep(|| drop(entries));
        }
    }
}

impl Hash {
    /// An empty map.
    pub fn new() -> Hash {
        Hash::default()
    }

    /// The value under a key; a `&str` needs no allocation.
    pub fn get<Q: ?Sized + StdHash + Equivalent<Value>>(&self, key: &Q) -> Option<&Value> {
        self.0.get(key)
    }

    /// Whether there is such a key.
    pub fn contains_key<Q: ?Sized + StdHash + Equivalent<Value>>(&self, key: &Q) -> bool {
        self.0.contains_key(key)
    }

    /// Sets a key, keeping its place if it had one.
    pub fn insert(&mut self, key: impl Into<Value>, value: impl Into<Value>) -> Option<Value> {
        Arc::make_mut(&mut self.0).insert(key.into(), value.into())
    }

    /// Removes a key, keeping the order of the others.
    pub fn remove<Q: ?Sized + StdHash + Equivalent<Value>>(&mut self, key: &Q) -> Option<Value> {
        Arc::make_mut(&mut self.0).shift_remove(key)
    }

    /// Whether nobody shares it.
    pub(crate) fn is_unique(&mut self) -> bool {
        Arc::get_mut(&mut self.0).is_some()
    }

    /// The table, to change in place (copied first if shared).
    pub fn make_mut(&mut self) -> &mut Entries {
        Arc::make_mut(&mut self.0)
    }
}

impl std::ops::Deref for Hash {
    type Target = Entries;
    fn deref(&self) -> &Entries {
        &self.0
    }
}

impl PartialEq for Hash {
    fn eq(&self, other: &Hash) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || deep(|| *self.0 == *other.0)
    }
}

impl Eq for Hash {}

impl<K: Into<Value>, V: Into<Value>> FromIterator<(K, V)> for Hash {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Hash {
        Hash(Arc::new(pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect()))
    }
}

impl<'a> IntoIterator for &'a Hash {
    type Item = (&'a Value, &'a Value);
    type IntoIter = indexmap::map::Iter<'a, Value, Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        meter::work(1);
        match (self, other) {
            (Value::Undef, Value::Undef) | (Value::Default, Value::Default) => true,
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || a == b,
            (Value::String(a), Value::String(b)) => a.len() == b.len() && text_equals(a, b),
            (Value::Regexp(a), Value::Regexp(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a == b,
            (Value::Hash(a), Value::Hash(b)) => a == b,
            (Value::Type(a), Value::Type(b)) => Arc::ptr_eq(a, b) || a == b,
            (Value::Sensitive(a), Value::Sensitive(b)) => deep(|| a == b),
            (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
            (Value::Timespan(a), Value::Timespan(b)) => a == b,
            (Value::SemVer(a), Value::SemVer(b)) => a == b,
            (Value::SemVerRange(a), Value::SemVerRange(b)) => a == b,
            (Value::Binary(a), Value::Binary(b)) => a == b,
            (Value::Uri(a), Value::Uri(b)) => a == b,
            (Value::Iterator(a), Value::Iterator(b)) => Arc::ptr_eq(a, b),
            (Value::Host(a), Value::Host(b)) => Arc::ptr_eq(a, b),
            (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

fn text_equals(a: &str, b: &str) -> bool {
    meter::text(a.len());
    a == b
}

impl Eq for Value {}

impl StdHash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            // Text hashes as text alone, so that a `&str` finds its key.
            Value::String(text) => {
                meter::text(text.len());
                text.as_str().hash(state);
            }
            Value::Undef => state.write_u8(1),
            Value::Default => state.write_u8(2),
            Value::Boolean(b) => b.hash(state),
            Value::Integer(n) => n.hash(state),
            // Adding zero folds -0.0 into 0.0, which are equal.
            Value::Float(n) => (n + 0.0).to_bits().hash(state),
            Value::Regexp(regexp) => regexp.source().hash(state),
            Value::Array(values) => values.hash(state),
            Value::Hash(hash) => {
                // The order of entries makes no difference, so their hashes are added up.
                let add = |sum: u64, entry: (&Value, &Value)| {
                    sum.wrapping_add(std::hash::BuildHasher::hash_one(&FxBuildHasher, entry))
                };
                meter::work(hash.len());
                let sum = deep(|| hash.iter().fold(0u64, add));
                state.write_u64(sum);
            }
            Value::Type(ty) => ty.hash(state),
            Value::Sensitive(value) => deep(|| value.hash(state)),
            Value::Timestamp(at) => at.hash(state),
            Value::Timespan(span) => span.hash(state),
            Value::SemVer(version) => version.hash(state),
            Value::SemVerRange(range) => range.hash(state),
            Value::Binary(binary) => binary.hash(state),
            Value::Uri(uri) => uri.hash(state),
            Value::Iterator(iterator) => Arc::as_ptr(iterator).hash(state),
            Value::Host(host) => Arc::as_ptr(host).cast::<u8>().hash(state),
            Value::Object(object) => object.hash(state),
        }
    }
}

impl Equivalent<Value> for str {
    fn equivalent(&self, key: &Value) -> bool {
        matches!(key, Value::String(text) if text == self)
    }
}

impl Value {
    /// A type as a value.
    pub fn of_type(ty: Type) -> Value {
        Value::Type(Arc::new(ty))
    }

    /// Whether it may hold values that hold values, and so on.
    #[inline]
    fn is_nested(&self) -> bool {
        matches!(
            self,
            Value::Array(_) | Value::Hash(_) | Value::Sensitive(_) | Value::Object(_) | Value::Iterator(_)
        )
    }

    /// Only `undef` and `false` are not true.
    pub fn is_true(&self) -> bool {
        !matches!(self, Value::Undef | Value::Boolean(false))
    }

    /// Whether this is `undef`.
    pub fn is_undef(&self) -> bool {
        matches!(self, Value::Undef)
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The list, if it is an array.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The map, if it is a hash.
    pub fn as_hash(&self) -> Option<&Hash> {
        match self {
            Value::Hash(hash) => Some(hash),
            _ => None,
        }
    }

    /// The type, if it is one.
    pub fn as_type(&self) -> Option<&Type> {
        match self {
            Value::Type(ty) => Some(ty),
            _ => None,
        }
    }
}

macro_rules! into_value {
    ($($from:ty => |$v:ident| $to:expr;)*) => {
        $(impl From<$from> for Value {
            fn from($v: $from) -> Value { $to }
        })*
    };
}

into_value! {
    bool => |v| Value::Boolean(v);
    i64 => |v| Value::Integer(v);
    f64 => |v| Value::Float(v);
    &str => |v| Value::String(v.into());
    String => |v| Value::String(v.into());
    Str => |v| Value::String(v);
    Array => |v| Value::Array(v);
    Hash => |v| Value::Hash(v);
    Vec<Value> => |v| Value::Array(v.into());
    Type => |v| Value::of_type(v);
    () => |_v| Value::Undef;
}
