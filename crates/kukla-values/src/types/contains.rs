//! Is this value in the set?
//!
//! This is asked for every parameter of every resource, so it allocates nothing: fields of a `Struct` are looked up in
//! the hash by their text, and keys that no field names are found by counting.

use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::Arc;

use kukla_syntax::deep;
use rustc_hash::FxHashMap;

use super::{EnumType, InitType, StructField, TupleType, Type, leaf};
use crate::{Array, Hash, Value, meter};

/// The names on the way to here. A name met again for the same value has decided nothing in between, so it adds nothing.
#[derive(Clone, Copy)]
struct Trail<'a> {
    name: *const Type,
    value: *const Value,
    answers: &'a Answers,
    up: Option<&'a Trail<'a>>,
}

/// Results for names and values on the way. Names may lead to the same name by many ways, and those ways to another
/// by many more.
#[derive(Default)]
struct Answers {
    asked: Cell<u32>,
    /// How often a name was met again, which says nothing about it elsewhere.
    cycles: Cell<u32>,
    known: RefCell<FxHashMap<(*const Type, *const Value), bool>>,
}

/// The number of names after which it pays to remember results.
const FEW_NAMES: u32 = 256;

impl Answers {
    fn answer(&self, name: &Type, value: &Value, ask: impl FnOnce() -> bool) -> bool {
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() < FEW_NAMES {
            return ask();
        }
        let key = (ptr::from_ref(name), ptr::from_ref(value));
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let cycles = self.cycles.get();
        let answer = ask();
        if self.cycles.get() == cycles {
            self.known.borrow_mut().insert(key, answer);
        }
        answer
    }
}

impl Type {
    /// Whether `value` is one of this type's values.
    #[inline]
    pub fn contains(&self, value: &Value) -> bool {
        self.holds(value, None)
    }

    fn holds(&self, value: &Value, trail: Option<&Trail<'_>>) -> bool {
        match value {
            Value::Array(_) | Value::Hash(_) | Value::Sensitive(_) => {
                meter::work(1);
                deep(|| self.holds_it(value, trail))
            }
            _ => self.holds_it(value, trail),
        }
    }

    fn holds_it(&self, value: &Value, trail: Option<&Trail<'_>>) -> bool {
        match self {
            Type::Any | Type::Unit => true,
            Type::Undef => value.is_undef(),
            Type::Default => matches!(value, Value::Default),
            Type::Scalar => is_scalar(value),
            Type::ScalarData => is_scalar_data(value),
            Type::Numeric => matches!(value, Value::Integer(_) | Value::Float(_)),
            Type::Data => is_data(value),
            Type::RichData => is_rich_data(value),
            Type::RichDataKey => is_rich_data_key(value),
            Type::Integer(range) => matches!(value, Value::Integer(n) if range.contains(*n)),
            Type::Float(from, to) => matches!(value, Value::Float(n) if from <= n && n <= to),
            Type::Boolean(expected) => matches!(value, Value::Boolean(b) if expected.is_none_or(|e| e == *b)),
            Type::String(size) => match value {
                Value::String(text) => {
                    size.is_any() || {
                        meter::text(text.len());
                        size.contains(length(text))
                    }
                }
                _ => false,
            },
            Type::Literal(expected) => matches!(value, Value::String(text) if text == expected),
            Type::Enum(values) => matches!(value, Value::String(text) if values.has(text)),
            Type::Pattern(patterns) => match value {
                Value::String(text) => patterns.is_empty() || patterns.iter().any(|p| leaf::matches(p, text)),
                _ => false,
            },
            Type::Regexp(expected) => match value {
                Value::Regexp(regexp) => expected.as_ref().is_none_or(|e| e.source() == regexp.source()),
                _ => false,
            },
            Type::Binary => matches!(value, Value::Binary(_)),
            Type::SemVer(ranges) => match value {
                Value::SemVer(version) => {
                    ranges.is_empty() || ranges.iter().any(|r| leaf::range_has(r, version))
                }
                _ => false,
            },
            Type::SemVerRange => matches!(value, Value::SemVerRange(_)),
            Type::Timestamp(range) => matches!(value, Value::Timestamp(t) if range.0 <= *t && *t <= range.1),
            Type::Timespan(range) => matches!(value, Value::Timespan(t) if range.0 <= *t && *t <= range.1),
            Type::Uri(parameters) => match value {
                Value::Uri(uri) => parameters.as_ref().is_none_or(|p| leaf::uri_has(p, uri)),
                _ => false,
            },
            Type::Collection(size) => match value {
                Value::Array(array) => size.contains(array.len() as i64),
                Value::Hash(hash) => size.contains(hash.len() as i64),
                _ => false,
            },
            Type::Array(array) => match value {
                Value::Array(values) => {
                    array.size.contains(values.len() as i64)
                        && (matches!(array.element, Type::Any) || {
                            meter::work(values.len());
                            values.iter().all(|v| array.element.holds(v, trail))
                        })
                }
                _ => false,
            },
            Type::Tuple(tuple) => matches!(value, Value::Array(values) if tuple.holds(values, trail)),
            Type::Hash(ty) => match value {
                Value::Hash(hash) => {
                    meter::work(hash.len());
                    ty.size.contains(hash.len() as i64)
                        && hash.iter().all(|(k, v)| ty.key.holds(k, trail) && ty.value.holds(v, trail))
                }
                _ => false,
            },
            Type::Struct(fields) => matches!(value, Value::Hash(hash) if struct_holds(fields, hash, trail)),
            Type::Variant(types) => {
                meter::work(types.len());
                types.iter().any(|ty| ty.holds(value, trail))
            }
            Type::Optional(ty) => value.is_undef() || ty.as_ref().is_some_and(|ty| ty.holds(value, trail)),
            Type::NotUndef(ty) => !value.is_undef() && ty.as_ref().is_none_or(|ty| ty.holds(value, trail)),
            Type::Iterable(element) => iterable_holds(self, element.as_deref(), value),
            Type::Iterator(element) => match value {
                Value::Iterator(iterator) => {
                    element.as_ref().is_none_or(|ty| ty.covers(&iterator.element_type()))
                }
                _ => false,
            },
            Type::Sensitive(ty) => matches!(value, Value::Sensitive(inner) if ty.holds(inner, trail)),
            Type::Type(expected) => {
                matches!(value, Value::Type(ty) if expected.as_ref().is_none_or(|e| e.covers(ty)))
            }
            Type::Init(init) => init.holds(value, trail),
            Type::Object(ty) => match value {
                Value::Object(object) => ty.covers(&object.ty),
                Value::Host(host) => matches!(host.object_type(), Type::Object(actual) if ty.covers(&actual)),
                // Types are objects themselves, of types that have no name in the language.
                Value::Type(_) => ty.is_any(),
                _ => false,
            },
            Type::ObjectExtension(extension) => {
                matches!(value, Value::Object(object) if extension.holds(object))
            }
            Type::TypeSet(_) => matches!(value, Value::Type(ty) if matches!(**ty, Type::TypeSet(_))),
            Type::Alias(alias) => {
                let own = Answers::default();
                let (name, answers) = (alias.resolved(), trail.map_or(&own, |trail| trail.answers));
                if alias.is_recursive() {
                    let mut up = trail;
                    while let Some(step) = up.filter(|step| ptr::eq(step.value, value)) {
                        if ptr::eq(step.name, name) {
                            answers.cycles.set(answers.cycles.get() + 1);
                            return false;
                        }
                        up = step.up;
                    }
                }
                let trail = Trail { name, value, answers, up: trail };
                answers.answer(name, value, || name.holds(value, Some(&trail)))
            }
            Type::Runtime(_) => matches!(value, Value::Host(host) if self.covers(&host.object_type())),
            // Resources and classes are known by their references, which are types; nothing is an instance of them. Nor is a
            // lambda or a function ever a value.
            Type::CatalogEntry
            | Type::Resource(_)
            | Type::Class(_)
            | Type::Callable(_)
            | Type::Reference(_) => false,
        }
    }
}

fn length(text: &str) -> i64 {
    if text.is_ascii() { text.len() as i64 } else { text.chars().count() as i64 }
}

fn is_scalar(value: &Value) -> bool {
    is_scalar_data(value)
        || matches!(
            value,
            Value::Regexp(_)
                | Value::SemVer(_)
                | Value::SemVerRange(_)
                | Value::Timestamp(_)
                | Value::Timespan(_)
        )
}

fn is_scalar_data(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_))
}

fn is_data(value: &Value) -> bool {
    match value {
        Value::Array(values) => {
            meter::work(values.len());
            deep(|| values.iter().all(is_data))
        }
        Value::Hash(hash) => deep(|| hash.iter().all(|(k, v)| matches!(k, Value::String(_)) && is_data(v))),
        Value::Undef => true,
        value => is_scalar_data(value),
    }
}

fn is_rich_data_key(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Integer(_) | Value::Float(_))
}

fn is_rich_data(value: &Value) -> bool {
    match value {
        Value::Array(values) => {
            meter::work(values.len());
            deep(|| values.iter().all(is_rich_data))
        }
        Value::Hash(hash) => deep(|| hash.iter().all(|(k, v)| is_rich_data_key(k) && is_rich_data(v))),
        Value::Iterator(_) | Value::Host(_) => false,
        _ => true,
    }
}

impl EnumType {
    /// Whether `text` is one of the strings.
    pub fn has(&self, text: &str) -> bool {
        meter::work(self.values.len());
        if self.case_insensitive {
            self.values.iter().any(|value| value.eq_ignore_ascii_case(text))
        } else {
            self.values.iter().any(|value| value == text)
        }
    }
}

impl InitType {
    /// An `Init` on the way to itself adds nothing.
    fn holds(&self, value: &Value, trail: Option<&Trail<'_>>) -> bool {
        let Some(ty) = &self.ty else { return Type::RichData.contains(value) };
        let name: *const Type = match ty.unaliased() {
            Type::Object(object) => Arc::as_ptr(object).cast(),
            ty => ty,
        };
        let mut up = trail;
        while let Some(step) = up {
            if step.name == name && step.value.is_null() {
                return false;
            }
            up = step.up;
        }
        // Values that are made here have no place to be remembered by.
        let answers = &Answers::default();
        let trail = Trail { name, value: std::ptr::null(), answers, up: trail };
        self.accepts_by(ty, &|ty| ty.holds(value, Some(&trail)), &|tuple, single| {
            tuple.holds(value, Some(&trail))
                || single && tuple.holds(&vec![value.clone()].into(), Some(&trail))
        })
    }
}

impl TupleType {
    fn holds(&self, values: &Array, trail: Option<&Trail<'_>>) -> bool {
        let Some(last) = self.types.last() else {
            return self.size.is_none_or(|size| size.contains(values.len() as i64));
        };
        let fits = match self.size {
            Some(size) => size.contains(values.len() as i64),
            None => self.types.len() == values.len(),
        };
        fits && values.iter().enumerate().all(|(i, v)| self.types.get(i).unwrap_or(last).holds(v, trail))
    }
}

fn struct_holds(fields: &[StructField], hash: &Hash, trail: Option<&Trail<'_>>) -> bool {
    let mut matched = 0;
    meter::work(fields.len());
    for field in fields {
        // Entries often come in the order of the fields; then no hash needs to be computed.
        let in_order = match hash.get_index(matched) {
            Some((Value::String(key), value)) if *key == field.name => Some(value),
            _ => None,
        };
        match in_order.or_else(|| hash.get(field.name.as_str())) {
            Some(value) if field.value.holds(value, trail) => matched += 1,
            None if field.optional => {}
            _ => return false,
        }
    }
    matched == hash.len()
}

fn iterable_holds(this: &Type, element: Option<&Type>, value: &Value) -> bool {
    if element.is_none_or(|ty| ty.covers(&Type::Any)) {
        return match value {
            Value::Iterator(_) | Value::String(_) | Value::Hash(_) | Value::Array(_) => true,
            Value::Integer(n) => *n >= 0,
            Value::Type(ty) => match ty.unaliased() {
                Type::Enum(_) => true,
                Type::Integer(range) => range.is_finite(),
                _ => false,
            },
            _ => false,
        };
    }
    this.covers(&Type::of_reduced(value))
}
