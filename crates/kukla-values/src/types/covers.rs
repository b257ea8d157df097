//! Is this set inside that one?
//!
//! `a.covers(b)` says that every `b` may stand where an `a` is wanted. The rules are a table over the wider type, with
//! names, `Variant`, `Optional` and `NotUndef` on the narrower side taken apart first. Where Puppet's rules answer by
//! shape rather than by the sets themselves (a `Collection[1]` does not accept the possibly empty `Array`, though a
//! `Struct` of one optional key counts as size one) ours give the same answer.

use std::cell::{Cell, RefCell};
use std::mem::Discriminant;
use std::sync::Arc;

use kukla_syntax::deep;
use rustc_hash::FxHashMap;

use super::callable::{CallableType, tuple_size};
use super::{HashType, Range, StructField, Type, leaf};
use crate::meter;

/// The recursive names met on the way, on the wide side and on the narrow side.
///
/// Once names have come back on both sides nothing spoke against the types, and they are taken to fit. What was met on the
/// narrow side is never forgotten on the way back up, so sometimes two types count as fitting too early; Puppet
/// does the same, and the common type of two types shows it.
#[derive(Default)]
pub(super) struct Guard {
    wide_came_back: Cell<bool>,
    narrow_came_back: Cell<bool>,
    wide: RefCell<Vec<*const Type>>,
    narrow: RefCell<Vec<*const Type>>,
}

/// Notes a name; whether it was there before.
fn note(names: &RefCell<Vec<*const Type>>, name: *const Type) -> bool {
    let mut names = names.borrow_mut();
    let known = names.contains(&name);
    if !known {
        names.push(name);
    }
    known
}

impl Guard {
    fn both_came_back(&self) -> bool {
        self.wide_came_back.get() && self.narrow_came_back.get()
    }

    /// Answers a question about a name on the wide side, which is forgotten afterwards.
    fn with_wide(&self, name: *const Type, answer: impl FnOnce(&Guard) -> bool) -> bool {
        if self.wide_came_back.get() {
            return answer(self);
        }
        if note(&self.wide, name) {
            self.wide_came_back.set(true);
            return answer(self);
        }
        let fits = answer(self);
        self.wide_came_back.set(false);
        self.wide.borrow_mut().retain(|known| !std::ptr::eq(*known, name));
        fits
    }

    fn note_narrow(&self, name: *const Type) {
        if !self.narrow_came_back.get() && note(&self.narrow, name) {
            self.narrow_came_back.set(true);
        }
    }
}

/// Results for pairs of types in one comparison. Names may lead to the same name by many ways, and those ways to
/// another by many more.
#[derive(Default)]
struct Answers {
    asked: Cell<u32>,
    known: RefCell<FxHashMap<(Identity, Identity, u8), bool>>,
    /// The types that were asked about, so that none of them makes place for another.
    kept: RefCell<Vec<[Type; 2]>>,
}

/// How many questions may come up before it pays to remember the answers.
const FEW_QUESTIONS: u32 = 1_000;

/// How many answers are remembered: some fifty megabytes.
const MOST_KEPT: usize = 500_000;

/// How many questions may come up before the answer is no: recursive types can be written that compare for ever.
const MOST_QUESTIONS: u32 = 2_000_000;

/// The kind of a type, without looking into it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Identity(Discriminant<Type>, usize);

impl Identity {
    fn of(ty: &Type) -> Option<Identity> {
        let address = match ty {
            Type::Alias(alias) => Arc::as_ptr(alias).addr(),
            Type::Array(array) => Arc::as_ptr(array).addr(),
            Type::Tuple(tuple) => Arc::as_ptr(tuple).addr(),
            Type::Hash(hash) => Arc::as_ptr(hash).addr(),
            Type::Struct(fields) => Arc::as_ptr(fields).addr(),
            Type::Variant(types) => Arc::as_ptr(types).addr(),
            Type::Optional(Some(ty))
            | Type::NotUndef(Some(ty))
            | Type::Iterable(Some(ty))
            | Type::Type(Some(ty)) => Arc::as_ptr(ty).addr(),
            Type::Any | Type::Undef | Type::Default | Type::Numeric | Type::Scalar | Type::ScalarData => 0,
            Type::Integer(range) | Type::String(range) if range.is_any() => 0,
            Type::Boolean(None) | Type::Regexp(None) | Type::Binary => 0,
            _ => return None,
        };
        Some(Identity(std::mem::discriminant(ty), address))
    }
}

impl Answers {
    fn answer(&self, wide: &Type, narrow: &Type, way: Way<'_>, ask: impl FnOnce() -> bool) -> bool {
        let asked = self.asked.get() + 1;
        self.asked.set(asked);
        if asked < FEW_QUESTIONS {
            return ask();
        }
        // While recursive names are open the answer depends on where it is asked.
        let identities = (Identity::of(wide), Identity::of(narrow));
        let (Some(first), Some(second), None) = (identities.0, identities.1, way.guard) else {
            return asked < MOST_QUESTIONS && ask();
        };
        let key = (first, second, way.inits);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let answer = ask();
        if self.kept.borrow().len() >= MOST_KEPT {
            return answer;
        }
        self.kept.borrow_mut().push([wide.clone(), narrow.clone()]);
        self.known.borrow_mut().insert(key, answer);
        answer
    }
}

/// Where in a comparison we are.
#[derive(Clone, Copy, Default)]
pub(super) struct Way<'a> {
    answers: Option<&'a Answers>,
    guard: Option<&'a Guard>,
    /// How many names have been replaced by their meaning.
    unfolded: u32,
    /// How many times `Init` was replaced by what a value can be made from.
    inits: u8,
}

impl Way<'_> {
    /// Follows the definition of an `Init`; not forever, because an object may be made from what makes it.
    pub(super) fn into_init(self) -> Option<Self> {
        (self.inits < 3).then_some(Way { inits: self.inits + 1, ..self })
    }
}

/// Names that lead round in a circle without ever saying anything end here.
const MOST_UNFOLDED: u32 = 500;

impl Type {
    /// Whether every value of `other` may be used where this type is wanted.
    pub fn covers(&self, other: &Type) -> bool {
        self.accepts(other, Way { answers: Some(&Answers::default()), ..Way::default() })
    }

    /// Whether `undef` may stand for it.
    pub(crate) fn accepts_undef(&self) -> bool {
        self.covers(&Type::Undef)
    }

    pub(super) fn accepts(&self, other: &Type, way: Way<'_>) -> bool {
        meter::work(1);
        let ask = || deep(|| self.accepts_any(other, way));
        match way.answers {
            Some(answers) => answers.answer(self, other, way, ask),
            None => ask(),
        }
    }

    fn accepts_any(&self, other: &Type, way: Way<'_>) -> bool {
        match (self, other) {
            (Type::Unit, _) => true,
            // The empty Variant has nothing in it, not even undef.
            (Type::Variant(types), Type::Undef) if types.is_empty() => false,
            (Type::Variant(types), Type::Variant(others)) => {
                types.is_empty() || !others.is_empty() && others.iter().all(|ty| self.accepts_part(ty, way))
            }
            _ if way.unfolded > MOST_UNFOLDED => false,
            _ => match self.recursive_meaning() {
                Some(name) => {
                    let own = Guard::default();
                    let guard = way.guard.unwrap_or(&own);
                    guard.with_wide(name, |guard| {
                        let way = Way { guard: Some(guard), unfolded: way.unfolded + 1, ..way };
                        guard.both_came_back() || self.accepts_part(other, way)
                    })
                }
                None => self.accepts_part(other, way),
            },
        }
    }

    /// The definition of the name of a recursive type.
    fn recursive_meaning(&self) -> Option<&Type> {
        match self {
            Type::Alias(alias) if alias.is_recursive() => Some(alias.resolved()),
            Type::Data | Type::RichData => self.meaning(),
            _ => None,
        }
    }

    fn accepts_part(&self, other: &Type, way: Way<'_>) -> bool {
        match other {
            Type::Unit => true,
            Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey => {
                let Some(meaning) = other.meaning() else { return false };
                match other.recursive_meaning() {
                    Some(name) => {
                        let own = Guard::default();
                        let guard = way.guard.unwrap_or(&own);
                        guard.note_narrow(name);
                        let way = Way { guard: Some(guard), unfolded: way.unfolded + 1, ..way };
                        guard.both_came_back() || self.accepts(meaning, way)
                    }
                    None => self.accepts(meaning, Way { unfolded: way.unfolded + 1, ..way }),
                }
            }
            Type::Variant(types) => match self {
                Type::Any => true,
                Type::NotUndef(_) if types.is_empty() => self.accepts_one(other, way),
                _ => !types.is_empty() && types.iter().all(|ty| self.accepts(ty, way)),
            },
            Type::Optional(ty) => {
                let way = Way { guard: None, ..way };
                self.accepts(&Type::Undef, way) && ty.as_ref().is_none_or(|ty| self.accepts(ty, way))
            }
            Type::NotUndef(Some(ty)) if !ty.accepts_undef() => self.accepts(ty, way),
            _ => self.accepts_one(other, way),
        }
    }

    /// The table itself: `other` is neither a name nor a choice.
    fn accepts_one(&self, other: &Type, way: Way<'_>) -> bool {
        match self {
            Type::Any | Type::Unit => true,
            Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey => {
                self.meaning().is_some_and(|meaning| meaning.accepts(other, way))
            }
            Type::Variant(types) => types.iter().any(|ty| ty.accepts(other, way)),
            Type::Optional(ty) => {
                matches!(other, Type::Undef) || ty.as_ref().is_none_or(|ty| ty.accepts(other, way))
            }
            Type::NotUndef(ty) => {
                !other.accepts(&Type::Undef, way) && ty.as_ref().is_none_or(|ty| ty.accepts(other, way))
            }
            Type::Undef | Type::Default | Type::Binary | Type::SemVerRange => same_kind(self, other),
            Type::Scalar => other.is_scalar_kind(),
            Type::ScalarData => other.is_scalar_data_kind(),
            Type::Numeric => matches!(other, Type::Numeric | Type::Integer(_) | Type::Float(..)),
            Type::Integer(range) => matches!(other, Type::Integer(o) if range.covers(*o)),
            Type::Float(from, to) => matches!(other, Type::Float(f, t) if from <= f && to >= t),
            Type::Boolean(value) => matches!(other, Type::Boolean(o) if value.is_none() || value == o),
            Type::String(size) => string_accepts(*size, other),
            Type::Literal(text) => match other {
                Type::Literal(o) => text == o,
                Type::Enum(o) => o.values.len() == 1 && !o.case_insensitive,
                _ => false,
            },
            Type::Enum(values) => match other {
                _ if self == other => true,
                Type::String(_) | Type::Literal(_) | Type::Enum(_) | Type::Pattern(_)
                    if values.values.is_empty() =>
                {
                    true
                }
                Type::Literal(text) => values.has(text),
                Type::Enum(o) => {
                    !o.values.is_empty()
                        && (values.case_insensitive || !o.case_insensitive)
                        && o.values.iter().all(|text| values.has(text))
                }
                _ => false,
            },
            Type::Pattern(patterns) => {
                let fits = |text: &str| patterns.iter().any(|pattern| leaf::matches(pattern, text));
                match other {
                    _ if self == other => true,
                    Type::String(_) | Type::Pattern(_) => patterns.is_empty(),
                    Type::Literal(text) => patterns.is_empty() || fits(text),
                    Type::Enum(o) if o.values.is_empty() => patterns.is_empty(),
                    Type::Enum(o) => patterns.is_empty() || o.values.iter().all(|text| fits(text)),
                    _ => false,
                }
            }
            Type::Regexp(None) => matches!(other, Type::Regexp(_)),
            Type::Regexp(Some(_)) => self == other,
            Type::SemVer(ranges) => match other {
                Type::SemVer(o) => {
                    ranges.is_empty()
                        || !o.is_empty() && o.iter().all(|o| ranges.iter().any(|r| leaf::range_covers(r, o)))
                }
                _ => false,
            },
            Type::Timestamp(range) => matches!(other, Type::Timestamp(o) if range.0 <= o.0 && range.1 >= o.1),
            Type::Timespan(range) => matches!(other, Type::Timespan(o) if range.0 <= o.0 && range.1 >= o.1),
            Type::Uri(parameters) => match (parameters, other) {
                (None, Type::Uri(_)) => true,
                (Some(wide), Type::Uri(Some(narrow))) => leaf::uri_covers(wide, narrow),
                _ => false,
            },
            Type::Collection(size) => other.collection_size().is_some_and(|o| size.as_size().covers(o)),
            Type::Array(array) => {
                let fits = other.collection_size().is_some_and(|o| array.size.as_size().covers(o));
                match other {
                    Type::Tuple(tuple) => fits && tuple.types.iter().all(|ty| array.element.accepts(ty, way)),
                    Type::Array(o) => fits && array.element.accepts(&o.element, way),
                    _ => false,
                }
            }
            Type::Tuple(tuple) => tuple_accepts(&tuple.types, tuple.size, other, way),
            Type::Hash(hash) => hash_accepts(hash, other, way),
            Type::Struct(fields) => struct_accepts(fields, other, way),
            Type::Iterable(element) => match element {
                Some(element) if !element.accepts(&Type::Any, way) => other
                    .element_when_iterated()
                    .flatten()
                    .is_some_and(|narrow| element.accepts(&narrow, way)),
                _ => other.element_when_iterated().is_some() || matches!(other, Type::Collection(_)),
            },
            Type::Iterator(element) => match (element, other) {
                (None, Type::Iterator(_)) => true,
                (Some(wide), Type::Iterator(Some(narrow))) => wide.accepts(narrow, way),
                _ => false,
            },
            Type::Sensitive(ty) => matches!(other, Type::Sensitive(o) if ty.accepts(o, way)),
            Type::Type(ty) => match (ty, other) {
                (None, Type::Type(_)) => true,
                // A large type is often compared with itself, when it is printed.
                (Some(wide), Type::Type(Some(narrow)))
                    if Arc::ptr_eq(wide, narrow) && !matches!(**wide, Type::Reference(_)) =>
                {
                    true
                }
                (Some(wide), Type::Type(Some(narrow))) => wide.accepts(narrow, way),
                _ => false,
            },
            Type::Init(init) => init.accepts(other, way),
            Type::Callable(None) => matches!(other, Type::Callable(_)),
            Type::Callable(Some(callable)) => {
                matches!(other, Type::Callable(Some(o)) if callable.accepts(o, way))
            }
            Type::Runtime(runtime) => match other {
                Type::Runtime(o) => {
                    (runtime.runtime.is_none() || runtime.runtime == o.runtime)
                        && (runtime.name.is_none() || runtime.name == o.name)
                }
                _ => false,
            },
            Type::CatalogEntry => matches!(other, Type::CatalogEntry | Type::Resource(_) | Type::Class(_)),
            Type::Resource(None) => matches!(other, Type::Resource(_)),
            Type::Resource(Some(resource)) => match other {
                Type::Resource(Some(o)) => {
                    resource.name.eq_ignore_ascii_case(&o.name)
                        && (resource.title.is_none() || resource.title == o.title)
                }
                _ => false,
            },
            Type::Class(name) => matches!(other, Type::Class(o) if name.is_none() || name == o),
            Type::Reference(_) => self == other,
            Type::Object(object) => match other {
                Type::Object(o) => object.covers(o),
                Type::ObjectExtension(o) => object.covers(&o.base),
                _ => false,
            },
            Type::ObjectExtension(extension) => extension.covers(other),
            Type::TypeSet(set) => matches!(other, Type::TypeSet(o) if set.is_any() || set == o),
        }
    }

    fn is_scalar_kind(&self) -> bool {
        self.is_scalar_data_kind()
            || matches!(
                self,
                Type::Scalar
                    | Type::Regexp(_)
                    | Type::SemVer(_)
                    | Type::SemVerRange
                    | Type::Timestamp(_)
                    | Type::Timespan(_)
            )
    }

    fn is_scalar_data_kind(&self) -> bool {
        matches!(
            self,
            Type::ScalarData
                | Type::Numeric
                | Type::Integer(_)
                | Type::Float(..)
                | Type::Boolean(_)
                | Type::String(_)
                | Type::Literal(_)
                | Type::Enum(_)
                | Type::Pattern(_)
        )
    }

    /// The sizes a collection may have.
    fn collection_size(&self) -> Option<Range> {
        match self {
            Type::Collection(size) => Some(size.as_size()),
            Type::Array(array) => Some(array.size.as_size()),
            Type::Hash(hash) => Some(hash.size.as_size()),
            // A bare Tuple counts as empty here.
            Type::Tuple(tuple) => Some(tuple.size.unwrap_or(Range::exactly(tuple.types.len() as i64))),
            Type::Struct(fields) => Some(Range::exactly(fields.len() as i64)),
            _ => None,
        }
    }

    /// The type of elements when a value of this type is iterated; the inner `None` when that is unknown.
    pub(super) fn element_when_iterated(&self) -> Option<Option<Type>> {
        let pair =
            |key: Type, value: Type| Some(Some(Type::tuple(vec![key, value], Some(Range::exactly(2)))));
        match self {
            Type::Integer(_) => Some(Some(Type::INTEGER)),
            Type::String(_) | Type::Literal(_) | Type::Enum(_) => Some(Some(Type::String(Range::exactly(1)))),
            Type::Array(array) if matches!(array.element, Type::Any) => Some(None),
            Type::Array(array) => Some(Some(array.element.clone())),
            Type::Hash(hash) if hash.is_any() || hash.is_empty() => pair(Type::Unit, Type::Unit),
            Type::Hash(hash) => pair(hash.key.clone(), hash.value.clone()),
            Type::Struct(fields) if fields.is_empty() => pair(Type::Unit, Type::Unit),
            Type::Struct(fields) => pair(
                Type::variant(fields.iter().map(StructField::key_type)),
                Type::variant(fields.iter().map(|field| field.value.clone())),
            ),
            Type::Tuple(tuple) => Some(Some(Type::variant(tuple.types.iter().cloned()))),
            Type::Iterable(element) | Type::Iterator(element) => Some(element.as_deref().cloned()),
            Type::Type(Some(ty)) => match &**ty {
                Type::Enum(_) => Some(Some((**ty).clone())),
                Type::Integer(range) if range.is_finite() => Some(Some((**ty).clone())),
                _ => None,
            },
            _ => None,
        }
    }
}

fn same_kind(a: &Type, b: &Type) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

fn string_accepts(size: Range, other: &Type) -> bool {
    let size = size.as_size();
    let length = |text: &str| text.chars().count() as i64;
    match other {
        Type::String(o) => size.covers(o.as_size()),
        Type::Literal(text) => size.contains(length(text)),
        Type::Enum(o) if !o.values.is_empty() => o.values.iter().all(|text| size.contains(length(text))),
        // Neither a pattern nor a bare Enum says how long its strings are.
        Type::Enum(_) | Type::Pattern(_) => size.covers(Range::at_least(0)),
        _ => false,
    }
}

fn tuple_accepts(types: &[Type], size: Option<Range>, other: &Type, way: Way<'_>) -> bool {
    let wanted = tuple_size(types, size);
    let at = |i: usize| types.get(i).or(types.last());
    match other {
        Type::Tuple(o) => {
            types == o.types && size == o.size
                || wanted.covers(tuple_size(&o.types, o.size))
                    && (types.is_empty()
                        || if o.types.is_empty() {
                            wanted.min() == 0
                        } else {
                            o.types
                                .iter()
                                .enumerate()
                                .all(|(i, ty)| at(i).is_some_and(|wide| wide.accepts(ty, way)))
                        })
        }
        Type::Array(o) => {
            let given = o.size.as_size();
            wanted.covers(given)
                && types
                    .iter()
                    .take(usize::try_from(given.max()).unwrap_or(usize::MAX))
                    .all(|ty| ty.accepts(&o.element, way))
        }
        _ => false,
    }
}

fn hash_accepts(hash: &HashType, other: &Type, way: Way<'_>) -> bool {
    let size = hash.size.as_size();
    match other {
        Type::Hash(o) if o.is_empty() && size.min() == 0 => true,
        Type::Hash(o) => {
            hash.key.accepts(&o.key, way)
                && hash.value.accepts(&o.value, way)
                && size.covers(o.size.as_size())
        }
        Type::Struct(fields) => {
            size.contains(fields.len() as i64)
                && fields.iter().all(|field| {
                    hash.key.contains(&field.name.clone().into()) && hash.value.accepts(&field.value, way)
                })
        }
        _ => false,
    }
}

fn struct_accepts(fields: &[StructField], other: &Type, way: Way<'_>) -> bool {
    match other {
        Type::Struct(others) => {
            let mut matched = 0;
            let find = finder(others);
            fields.iter().all(|field| match find(&field.name) {
                Some(o) => {
                    matched += 1;
                    (field.optional || !o.optional) && field.value.accepts(&o.value, way)
                }
                None => field.optional,
            }) && matched == others.len()
        }
        Type::Hash(hash) => {
            let required = fields.iter().filter(|field| !field.optional);
            let count = required.clone().count() as i64;
            required
                .into_iter()
                .all(|field| field.value.accepts(&hash.value, way) && Type::STRING.covers(&hash.key))
                && Range::new(count, fields.len() as i64).covers(hash.size.as_size())
        }
        _ => false,
    }
}

/// Finds fields by name, and many of them by their hashes.
fn finder<'f>(fields: &'f [StructField]) -> impl Fn(&str) -> Option<&'f StructField> {
    const FEW: usize = 16;
    let names: Option<FxHashMap<&str, &'f StructField>> =
        (fields.len() > FEW).then(|| fields.iter().map(|field| (field.name.as_str(), field)).collect());
    move |name| match &names {
        Some(names) => names.get(name).copied(),
        None => fields.iter().find(|field| field.name == name),
    }
}

impl HashType {
    /// Whether it is the type of the empty hash.
    pub(super) fn is_empty(&self) -> bool {
        matches!((&self.key, &self.value), (Type::Unit, Type::Unit)) && self.size == Range::exactly(0)
    }

    pub(super) fn is_any(&self) -> bool {
        matches!((&self.key, &self.value), (Type::Any, Type::Any)) && self.size.is_any()
    }
}

impl StructField {
    /// The type of the key: its text, which may be absent.
    pub(crate) fn key_type(&self) -> Type {
        let key = Type::Literal(self.name.clone());
        if self.optional { Type::optional(key) } else { key }
    }
}

impl CallableType {
    /// Whether `other` can be called in every way this one promises.
    pub fn covers(&self, other: &CallableType) -> bool {
        self.accepts(other, Way { answers: Some(&Answers::default()), ..Way::default() })
    }

    /// Reversed where it matters: it is the arguments that must be accepted by the other.
    fn accepts(&self, other: &CallableType, way: Way<'_>) -> bool {
        let returned = other.returns.as_ref().unwrap_or(&Type::Any);
        let this_block = self.block.as_ref().unwrap_or(&Type::Undef);
        let other_block = other.block.as_ref().unwrap_or(&Type::Undef);
        self.returns.as_ref().is_none_or(|ty| ty.accepts(returned, way))
            && tuple_accepts(&other.params, other.size, &Type::tuple(self.params.clone(), self.size), way)
            && other_block.accepts(this_block, way)
    }
}
