//! How large values may become.
//!
//! Values are shared when they are copied, so a few lines make one that takes no memory but more steps to walk through than
//! there is time: `$b = [$a, $a]`, `$c = [$b, $b]`, and so on. Such a value is made by many small steps, and each of them is
//! looked at. Counting all elements each time would cost more than making the value; following one path into it, and
//! multiplying the lengths met on the way, tells a good guess. Only a guess that is too large is followed by counting.

use kukla_syntax::{deep, diagnostic};
use kukla_values::Value;

use crate::codes::{
    NESTED_TOO_DEEP, TEXT_TOO_LONG, TOO_MANY_ELEMENTS, TOO_MANY_ELEMENTS_IN_ALL, TOO_MUCH_TEXT_IN_ALL,
    TYPES_NESTED_TOO_DEEP,
};
use crate::error::{Diagnostic, Flow, Raise};
use crate::vm::Vm;

/// How many elements of a collection are looked at to find one that is itself a collection.
const PROBES: usize = 16;

/// What one path into a value tells about it.
#[derive(Clone, Copy, Debug, Default)]
struct Guess {
    levels: usize,
    elements: f64,
    bytes: f64,
}

impl Vm<'_> {
    /// An error if a collection of so many elements would be too large.
    pub fn check_size(&self, elements: usize) -> Flow<()> {
        match elements > self.limits().elements {
            true => {
                let limit = self.limits().elements;
                Err(too_large(diagnostic!(TOO_MANY_ELEMENTS { count: elements, limit })))
            }
            false => Ok(()),
        }
    }

    /// An error if a string of so many bytes would be too long.
    pub fn check_text(&self, bytes: usize) -> Flow<()> {
        match bytes > self.limits().text {
            true => Err(too_large(diagnostic!(TEXT_TOO_LONG { count: bytes, limit: self.limits().text }))),
            false => Ok(()),
        }
    }

    /// An error if collections are nested so deep in a value, or have so many elements in all, that walking through it would
    /// take too much stack or time.
    #[inline]
    pub(crate) fn check_nesting(&mut self, value: Value) -> Flow {
        match value {
            Value::Array(_)
            | Value::Hash(_)
            | Value::Sensitive(_)
            | Value::Object(_)
            | Value::Iterator(_) => self.check_collection(value),
            other => Ok(other),
        }
    }

    /// An error if types are nested too deep in a type that code has put together.
    pub(crate) fn check_type(&self, value: Value) -> Flow {
        match &value {
            Value::Type(ty) if !ty.is_within(self.limits().nesting) => {
                Err(too_large(diagnostic!(TYPES_NESTED_TOO_DEEP { limit: self.limits().nesting })))
            }
            _ => Ok(value),
        }
    }

    fn check_collection(&mut self, value: Value) -> Flow {
        let chance = self.compilation.budget_mut().chance();
        let limits = self.limits();
        let guess = guess(&value, chance, limits.nesting);
        if guess.levels > limits.nesting {
            // Taking the value apart is safe as long as it is found early.
            return Err(too_large(diagnostic!(NESTED_TOO_DEEP { limit: limits.nesting })));
        }
        if guess.elements > limits.elements as f64 || guess.bytes > limits.text as f64 {
            let (mut elements, mut bytes) = (limits.elements, limits.text);
            if !fits(&value, &mut elements, &mut bytes) {
                return Err(too_large(match elements {
                    0 => diagnostic!(TOO_MANY_ELEMENTS_IN_ALL { limit: limits.elements }),
                    _ => diagnostic!(TOO_MUCH_TEXT_IN_ALL { limit: limits.text }),
                }));
            }
        }
        Ok(value)
    }
}

#[cold]
fn too_large(wrong: Diagnostic) -> Raise {
    wrong.hint("the settings limit_elements and limit_text say how large values may be").into()
}

/// Follows one path into a value, from collection to collection.
fn guess(value: &Value, chance: usize, deepest: usize) -> Guess {
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
            Value::Hash(hash) => hash.len(),
            Value::Object(object) => object.values.len(),
            Value::Sensitive(_) => 1,
            Value::Iterator(iterator) => usize::from(iterator.source().is_some()),
            _ => break,
        };
        let child = |at: usize| match value {
            Value::Array(values) => values.get(at),
            Value::Hash(hash) => hash.get_index(at).map(|(_, value)| value),
            Value::Object(object) => object.values.get(at),
            Value::Sensitive(inner) => Some(&**inner),
            Value::Iterator(iterator) => iterator.source(),
            _ => None,
        };
        let (mut probes, mut inner) = (0, 0);
        next = None;
        let mut bytes = 0;
        while probes < PROBES.min(length) {
            match child((chance.wrapping_add(probes)) % length) {
                Some(
                    found @ (Value::Array(_)
                    | Value::Hash(_)
                    | Value::Sensitive(_)
                    | Value::Object(_)
                    | Value::Iterator(_)),
                ) => {
                    inner += 1;
                    next = next.or(Some(found));
                }
                Some(Value::String(text)) => bytes += text.len(),
                _ => {}
            }
            probes += 1;
        }
        guess.elements += times * length as f64;
        let share = length as f64 / probes.max(1) as f64;
        guess.bytes += times * share * bytes as f64;
        times *= share * f64::from(inner);
    }
    guess
}

/// Whether a value has no more elements and text than allowed; counts down what is left.
fn fits(value: &Value, elements: &mut usize, bytes: &mut usize) -> bool {
    let mut inside = |value: &Value| {
        *elements = elements.saturating_sub(1);
        *elements > 0 && fits(value, elements, bytes)
    };
    match value {
        Value::Array(values) => deep(|| values.iter().all(&mut inside)),
        Value::Hash(hash) => deep(|| hash.values().all(&mut inside)),
        Value::String(text) => {
            *bytes = bytes.saturating_sub(text.len());
            *bytes > 0
        }
        _ => true,
    }
}
