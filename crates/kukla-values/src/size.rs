//! How large one value may become.
//!
//! Values are shared when they are copied, so a few lines make one that takes no memory but more steps to walk through than
//! there is time: `$b = [$a, $a]`, `$c = [$b, $b]`, and so on. Such a value is made by many small steps, and each of them is
//! looked at. Counting all elements each time would cost more than making the value; following one path into it, and
//! multiplying the lengths met on the way, tells a good guess. Only a guess that is too large is followed by counting. Types
//! are small and made seldom, and always counted.

use kukla_syntax::{Diagnostic, deep, diagnostic};

use crate::budget::{Budget, Limits};
use crate::codes::{
    NESTED_TOO_DEEP, TEXT_TOO_LONG, TOO_MANY_ELEMENTS, TOO_MANY_ELEMENTS_IN_ALL, TOO_MUCH_TEXT_IN_ALL,
};
use crate::types::Type;
use crate::types::alias::Inner;
use crate::types::object::ObjectType;
use crate::{Error, Result, Value};

/// How many children of a collection are looked at to find one that has children itself.
const PROBES: usize = 64;

/// How many of them before none was found that has, which is enough for most.
const FEW_PROBES: usize = 16;

/// How many bytes of text, and how many elements, take as long to go through as a step takes. Most functions look at a part only.
const BYTES_PER_STEP: usize = 256;
const ELEMENTS_PER_STEP: u64 = 16;

/// How many elements a collection has at most that is not looked at closely.
const SMALL: usize = 8;

/// The characters around an element: quotes, commas, brackets.
const BYTES_PER_ELEMENT: f64 = 8.0;

/// How many bytes a guess may tell before it is replaced by counting.
const WORTH_COUNTING: f64 = 65_536.0;

/// Measurements along one path into a value.
#[derive(Clone, Copy, Debug, Default)]
struct Guess {
    levels: usize,
    elements: f64,
    bytes: f64,
}

impl Budget {
    /// An error if a collection of this number of elements would be too large.
    #[inline]
    pub fn check_elements(&self, elements: usize) -> Result<()> {
        check_elements(elements, self.limits().elements)
    }

    /// An error if a string of this number of bytes would be too long.
    #[inline]
    pub fn check_text(&self, bytes: usize) -> Result<()> {
        let limit = self.limits().text;
        match bytes > limit {
            true => Err(too_large(diagnostic!(TEXT_TOO_LONG { count: bytes, limit }))),
            false => Ok(()),
        }
    }

    /// An error if so much is nested in a value, or it has so much in it in all, that walking through it would take too much
    /// stack or time.
    #[inline]
    pub fn check_value(&self, value: &Value) -> Result<()> {
        if has_children(value) && !is_small(value) { self.check_nested(value) } else { Ok(()) }
    }

    /// The same of a value that comes whole from outside, so that nobody has looked at its parts.
    pub fn check_whole(&self, value: &Value) -> Result<()> {
        self.count(value, 1)
    }

    /// Counts what it takes to go through a value once, roughly.
    #[inline]
    pub fn charge_work(&self, value: &Value) -> Result<()> {
        match value {
            Value::String(text) if text.len() >= BYTES_PER_STEP => {
                self.charge_steps((text.len() / BYTES_PER_STEP) as u64)
            }
            Value::Array(_) | Value::Hash(_) if !is_small(value) => self.charge_walk(value),
            Value::Sensitive(inner) => self.charge_work(inner),
            Value::Binary(bytes) => self.charge_steps((bytes.0.len() / BYTES_PER_STEP) as u64),
            Value::Type(ty) => self.charge_steps(ty.weight() as u64 / (BYTES_PER_STEP as u64)),
            _ => Ok(()),
        }
    }

    fn charge_walk(&self, value: &Value) -> Result<()> {
        let limits = self.limits();
        let (guess, _) = guess(value, self.chance(), limits.nesting);
        let elements = guess.elements.min(limits.elements as f64) as u64 / ELEMENTS_PER_STEP;
        let text = guess.bytes.min(limits.text as f64) as usize / BYTES_PER_STEP;
        self.charge_steps(elements + text as u64)
    }

    /// Counts what a value takes once more when it is written: what values share, texts do not.
    pub fn charge_written(&self, value: &Value) -> Result<()> {
        match value {
            Value::String(text) => self.charge_memory(text.len()),
            Value::Array(_) | Value::Hash(_) | Value::Object(_) => {
                let (guess, _) = guess(value, self.chance(), self.limits().nesting);
                let guessed = guess.bytes + BYTES_PER_ELEMENT * guess.elements;
                if guessed < WORTH_COUNTING {
                    return self.charge_memory(guessed as usize);
                }
                let limits = *self.limits();
                let mut count = Count { limits, left: limits, named: Vec::new() };
                let _ = count.value(value, 1);
                let elements = limits.elements - count.left.elements;
                self.charge_memory(limits.text - count.left.text + elements * BYTES_PER_ELEMENT as usize)
            }
            _ => Ok(()),
        }
    }

    fn check_nested(&self, value: &Value) -> Result<()> {
        let limits = self.limits();
        if let Value::Type(_) = value {
            return self.count(value, 1);
        }
        let (guess, ty) = guess(value, self.chance(), limits.nesting);
        if guess.levels > limits.nesting {
            // Taking the value apart is safe as long as it is found early.
            return Err(self.nested_too_deep());
        }
        if let Some(ty) = ty {
            self.count(ty, guess.levels)?;
        }
        match guess.elements > limits.elements as f64 || guess.bytes > limits.text as f64 {
            true => self.count(value, 1),
            false => Ok(()),
        }
    }

    /// Goes through all of a value that is this many levels inside another.
    fn count(&self, value: &Value, level: usize) -> Result<()> {
        let limits = *self.limits();
        let mut count = Count { limits, left: limits, named: Vec::new() };
        let result = count.value(value, level);
        self.charge_steps((limits.elements - count.left.elements) as u64 / 16)?;
        result.map_err(|excess| match excess {
            Excess::Levels => self.nested_too_deep(),
            Excess::Elements => too_large(diagnostic!(TOO_MANY_ELEMENTS_IN_ALL { limit: limits.elements })),
            Excess::Text => too_large(diagnostic!(TOO_MUCH_TEXT_IN_ALL { limit: limits.text })),
        })
    }

    #[cold]
    fn nested_too_deep(&self) -> Error {
        let limit = self.limits().nesting;
        let hint = "the setting limit_nesting says how deep values may be nested";
        diagnostic!(NESTED_TOO_DEEP { limit }).hint(hint).into()
    }
}

/// An error if a collection of this number of elements would exceed the limit.
#[inline]
pub(crate) fn check_elements(elements: usize, limit: usize) -> Result<()> {
    match elements > limit {
        true => Err(too_large(diagnostic!(TOO_MANY_ELEMENTS { count: elements, limit }))),
        false => Ok(()),
    }
}

#[cold]
fn too_large(wrong: Diagnostic) -> Error {
    wrong.hint("the settings limit_elements and limit_text say how large values may be").into()
}

/// Whether there may be other values in a value, or types in it.
#[inline]
fn has_children(value: &Value) -> bool {
    match value {
        Value::Array(_) | Value::Hash(_) | Value::Sensitive(_) | Value::Object(_) | Value::Iterator(_) => {
            true
        }
        Value::Type(ty) => ty.has_parts(),
        _ => false,
    }
}

/// Whether a collection has so little in it, and nothing nested, that there is nothing to find out: most are like that.
#[inline]
fn is_small(value: &Value) -> bool {
    let is_plain = |value: &Value| match value {
        Value::String(text) => text.len() <= BYTES_PER_STEP,
        other => !has_children(other),
    };
    match value {
        Value::Array(values) => values.len() <= SMALL && values.iter().all(is_plain),
        Value::Hash(hash) => {
            hash.len() <= SMALL && hash.iter().all(|(key, value)| is_plain(key) && is_plain(value))
        }
        _ => false,
    }
}

/// Follows one path into a value, from collection to collection; to the type at its end, if there is one.
fn guess(value: &Value, chance: usize, deepest: usize) -> (Guess, Option<&Value>) {
    let mut guess = Guess::default();
    // How often the collection looked at occurs in the whole, if the others are like those on the path.
    let mut times = 1.0;
    let mut next = Some(value);
    while let Some(value) = next {
        guess.levels += 1;
        if guess.levels > deepest {
            break;
        }
        let length = match value {
            Value::Array(values) => values.len(),
            Value::Hash(hash) => 2 * hash.len(),
            Value::Object(object) => object.values.len(),
            Value::Sensitive(_) => 1,
            Value::Iterator(_) => 1,
            Value::Type(_) => return (guess, Some(value)),
            _ => break,
        };
        let child = |at: usize| match value {
            Value::Array(values) => values.get(at),
            Value::Hash(hash) => {
                hash.get_index(at / 2).map(|(key, value)| if at.is_multiple_of(2) { key } else { value })
            }
            Value::Object(object) => object.values.get(at),
            Value::Sensitive(inner) => Some(&**inner),
            Value::Iterator(iterator) => Some(iterator.source()),
            _ => None,
        };
        let (mut probes, mut inner) = (0, 0);
        next = None;
        let mut bytes = 0;
        while probes < length && (probes < FEW_PROBES || next.is_none() && probes < PROBES) {
            match child((chance.wrapping_add(probes)) % length) {
                Some(Value::String(text)) => bytes += text.len(),
                Some(found) if has_children(found) => {
                    inner += 1;
                    next = next.or(Some(found));
                }
                _ => {}
            }
            probes += 1;
        }
        guess.elements += times * length as f64;
        let share = length as f64 / probes.max(1) as f64;
        guess.bytes += times * share * bytes as f64;
        times *= share * f64::from(inner);
    }
    (guess, None)
}

impl Type {
    /// The memory that a type takes by itself, if nobody shares its parts; the types in it have been counted when they were made.
    pub(crate) fn weight(&self) -> usize {
        const TEXT: usize = size_of::<crate::Str>();
        let parts = |count: usize| count * size_of::<Type>();
        match self {
            Type::Array(_) | Type::Optional(_) | Type::NotUndef(_) | Type::Type(_) => parts(1),
            Type::Hash(_) => parts(2),
            Type::Tuple(tuple) => parts(tuple.types.len()),
            Type::Variant(types) => parts(types.len()),
            Type::Struct(fields) => fields.len() * size_of::<crate::types::StructField>(),
            Type::Enum(values) => values.values.iter().map(|text| TEXT + text.len()).sum(),
            Type::Pattern(patterns) => {
                patterns.iter().map(|pattern| 4 * TEXT + 4 * pattern.source().len()).sum()
            }
            Type::Callable(Some(callable)) => parts(callable.params.len() + 2),
            Type::SemVer(ranges) => ranges.len() * 16 * TEXT,
            Type::Object(_) | Type::TypeSet(_) | Type::ObjectExtension(_) | Type::Uri(_) | Type::Init(_) => {
                32 * TEXT
            }
            _ => 0,
        }
    }
}

/// The exceeded limit.
enum Excess {
    Levels,
    Elements,
    Text,
}

/// Goes through all of a value and counts down what is left.
struct Count {
    limits: Limits,
    left: Limits,
    /// Types with a name, which may refer to themselves and are entered once.
    named: Vec<*const ObjectType>,
}

impl Count {
    fn value(&mut self, value: &Value, level: usize) -> Result<(), Excess> {
        self.one(level)?;
        match value {
            Value::String(text) => {
                self.left.text = self.left.text.checked_sub(text.len()).ok_or(Excess::Text)?;
                Ok(())
            }
            Value::Array(values) => deep(|| values.iter().try_for_each(|value| self.value(value, level + 1))),
            Value::Hash(hash) => deep(|| {
                hash.iter().try_for_each(|(key, value)| {
                    self.value(key, level + 1)?;
                    self.value(value, level + 1)
                })
            }),
            Value::Object(object) => {
                deep(|| object.values.iter().try_for_each(|value| self.value(value, level + 1)))
            }
            Value::Sensitive(inner) => deep(|| self.value(inner, level + 1)),
            Value::Iterator(iterator) => deep(|| self.value(iterator.source(), level + 1)),
            Value::Type(ty) => self.ty(ty, level),
            _ => Ok(()),
        }
    }

    fn one(&mut self, level: usize) -> Result<(), Excess> {
        if level > self.limits.nesting {
            return Err(Excess::Levels);
        }
        self.left.elements = self.left.elements.checked_sub(1).ok_or(Excess::Elements)?;
        Ok(())
    }

    fn ty(&mut self, ty: &Type, level: usize) -> Result<(), Excess> {
        if let Type::Object(object) = ty
            && object.name.is_some()
        {
            let this = std::sync::Arc::as_ptr(object);
            if self.named.contains(&this) {
                return Ok(());
            }
            self.named.push(this);
        }
        let mut result = Ok(());
        deep(|| {
            ty.each_inner(&mut |inner| {
                if result.is_ok() {
                    result = match inner {
                        Inner::Type(ty) => self.one(level + 1).and_then(|()| self.ty(ty, level + 1)),
                        Inner::Value(value) => self.value(value, level + 1),
                    };
                }
            });
        });
        result
    }
}
