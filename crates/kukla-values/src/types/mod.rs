//! Types: sets of values.
//!
//! The enum is closed. A type with parameters too large to sit inline keeps them behind an `Arc`, in the file named after
//! it. The operations of all types have one file per question rather than per type, because each question is a table
//! over pairs of types that a reader checks against the specification line by line: `contains` (is this value in the
//! set), `covers` (is this set inside that one), `infer` (the smallest set a value is in), `unite`, `write`,
//! `brackets` (`Integer[1, 10]`), `parse` and `mismatch` (why not).

use std::sync::Arc;

use crate::regexp::Regexp;
use crate::semver::VersionRange;
use crate::time::{Timespan, Timestamp};
use crate::{Str, Value};

pub mod alias;
pub mod brackets;
pub mod callable;
mod contains;
mod covers;
mod equal;
mod generalize;
mod infer;
mod init;
pub(crate) mod leaf;
pub(crate) mod make;
pub mod mismatch;
pub mod names;
mod normalize;
pub mod object;
pub mod parse;
mod range;
mod unite;
pub mod write;

pub use alias::TypeAlias;
pub use make::capitalize;
pub use range::Range;

use callable::CallableType;
use object::{ObjectExtension, ObjectType, TypeSet};

/// A set of values, as written in Puppet.
#[derive(Clone, Debug, Default)]
pub enum Type {
    /// Every value.
    #[default]
    Any,
    /// Assignable to and from everything; the type of an untyped lambda parameter.
    Unit,
    /// `undef` alone.
    Undef,
    /// The literal `default` alone.
    Default,
    /// Numbers, strings, booleans, regexps, versions, times.
    Scalar,
    /// Scalars that JSON knows.
    ScalarData,
    /// Integers and floats.
    Numeric,
    /// Values that JSON can represent: `Variant[ScalarData, Undef, Hash[String, Data], Array[Data]]`.
    Data,
    /// Values that catalogs can contain.
    RichData,
    /// Keys of rich hashes.
    RichDataKey,
    /// `Integer`, `Integer[0, 10]`.
    Integer(Range),
    /// `Float`, `Float[0.0, 1.0]`: infinities stand for `default`.
    Float(f64, f64),
    /// `Boolean`, `Boolean[true]`.
    Boolean(Option<bool>),
    /// `String`, `String[1, 10]`.
    String(Range),
    /// The type inferred for one string; printed as `String` unless expanded.
    Literal(Str),
    /// `Enum['a', 'b']`, `Enum['a', true]` (without regard to case).
    Enum(Arc<EnumType>),
    /// `Pattern[/a/, /b/]`: strings that match one of them.
    Pattern(Arc<[Arc<Regexp>]>),
    /// `Regexp`, `Regexp[/a/]`.
    Regexp(Option<Arc<Regexp>>),
    /// `Binary`.
    Binary,
    /// `SemVer['>=1.0.0', '3.x']`: versions within one of the ranges; empty means any.
    SemVer(Arc<[Arc<VersionRange>]>),
    /// `SemVerRange`.
    SemVerRange,
    /// `Timestamp[from, to]`.
    Timestamp(Arc<(Timestamp, Timestamp)>),
    /// `Timespan[from, to]`.
    Timespan(Arc<(Timespan, Timespan)>),
    /// `URI`, `URI['http://x/']`, `URI[{scheme => 'http'}]`.
    Uri(Option<Arc<Value>>),
    /// `Collection`, `Collection[1, 2]`: arrays and hashes by size.
    Collection(Range),
    /// `Array[T, min, max]`.
    Array(Arc<ArrayType>),
    /// `Tuple[T1, T2, min, max]`.
    Tuple(Arc<TupleType>),
    /// `Hash[K, V, min, max]`.
    Hash(Arc<HashType>),
    /// `Struct[{key => T, Optional[other] => U}]`.
    Struct(Arc<[StructField]>),
    /// `Variant[A, B]`.
    Variant(Arc<[Type]>),
    /// `Optional[T]`; the bare `Optional` has only `undef` in it, though every type can be assigned to it.
    Optional(Option<Arc<Type>>),
    /// `NotUndef[T]`; `NotUndef[Any]` is the bare one.
    NotUndef(Option<Arc<Type>>),
    /// `Iterable[T]`.
    Iterable(Option<Arc<Type>>),
    /// `Iterator[T]`.
    Iterator(Option<Arc<Type>>),
    /// `Sensitive[T]`; the bare one holds `Any`. What it holds is always general, so that nothing secret shows.
    Sensitive(Arc<Type>),
    /// `Type[T]`.
    Type(Option<Arc<Type>>),
    /// `Init[T, args...]`; no type at all is `Init`.
    Init(Arc<InitType>),
    /// `Callable[...]`; `None` is the unparameterised one, which covers all.
    Callable(Option<Arc<CallableType>>),
    /// `Runtime['ruby', 'Name']`.
    Runtime(Arc<RuntimeType>),
    /// `CatalogEntry`: resources and classes.
    CatalogEntry,
    /// `Resource`, `Resource[file]` = `File`, `File['/x']`.
    Resource(Option<Arc<ResourceType>>),
    /// `Class`, `Class['ntp']`.
    Class(Option<Str>),
    /// A named type from `types/`, possibly recursive.
    Alias(Arc<TypeAlias>),
    /// `TypeReference['Unknown[1]']`: a name nothing defines.
    Reference(Str),
    /// `Object[{...}]`, also `Deferred`, `Error`, `Target` and the like.
    Object(Arc<ObjectType>),
    /// An object type with type parameters: `Error['kind']`.
    ObjectExtension(Arc<ObjectExtension>),
    /// `TypeSet[{...}]`.
    TypeSet(Arc<TypeSet>),
}

const _: () = assert!(size_of::<Type>() <= 24);

/// The parameters of an `Enum`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnumType {
    /// The strings, sorted and unique; empty for a bare `Enum`.
    pub values: Vec<Str>,
    /// Whether case is ignored.
    pub case_insensitive: bool,
}

/// The parameters of an `Array`.
#[derive(Clone, Debug)]
pub struct ArrayType {
    /// The type of the elements.
    pub element: Type,
    /// How many there may be.
    pub size: Range,
}

/// The parameters of a `Tuple`.
#[derive(Clone, Debug)]
pub struct TupleType {
    /// The type at each place; the last repeats when the size allows more.
    pub types: Vec<Type>,
    /// How many elements, if given.
    pub size: Option<Range>,
}

/// The parameters of a `Hash`.
#[derive(Clone, Debug)]
pub struct HashType {
    /// The type of the keys.
    pub key: Type,
    /// The type of the values.
    pub value: Type,
    /// How many entries there may be.
    pub size: Range,
}

/// One entry of a `Struct`.
#[derive(Clone, Debug)]
pub struct StructField {
    /// The key.
    pub name: Str,
    /// Whether the key may be absent: written `Optional[key]`, or the value type accepts undef and it is not `NotUndef[key]`.
    pub optional: bool,
    /// The type of its value.
    pub value: Type,
}

/// The parameters of `Init`.
#[derive(Clone, Debug)]
pub struct InitType {
    /// The type to create, if given.
    pub ty: Option<Type>,
    /// Arguments given to `new` after the value.
    pub args: Vec<Value>,
}

/// The parameters of `Runtime`.
#[derive(Clone, Debug)]
pub struct RuntimeType {
    /// `ruby`.
    pub runtime: Option<Str>,
    /// The name of the class or a pattern with its replacement.
    pub name: Option<Value>,
}

/// A reference to a resource type or to one resource.
#[derive(Clone, Debug)]
pub struct ResourceType {
    /// Capitalised segment by segment, as `Apache::Vhost`; compared without regard to case.
    pub name: Str,
    /// The title, if one resource is meant.
    pub title: Option<Str>,
    /// Whether it was handed to a class or defined type, which shows it without quotes: `File[/tmp/x]`.
    pub handed_over: bool,
}

impl ResourceType {
    /// A reference to a resource type, or to one resource.
    pub fn new(name: Str, title: Option<Str>) -> ResourceType {
        ResourceType { name, title, handed_over: false }
    }

    /// The reference as a class or defined type shows it that it was handed to.
    pub fn without_quotes(&self) -> Str {
        ecow::eco_format!("{}[{}]", self.name, self.title.as_deref().unwrap_or_default())
    }
}
