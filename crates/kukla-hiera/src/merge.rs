//! Merging what several levels have: `first`, `unique`, `hash` and `deep`.

use std::sync::LazyLock;

use indexmap::IndexSet;
use kukla_syntax::diagnostic;
use kukla_values::types::{StructField, mismatch};
use kukla_values::{Array, Hash, Type, Value};
use rustc_hash::FxBuildHasher;

use crate::codes::{MERGE_WITHOUT_STRATEGY, UNKNOWN_MERGE_STRATEGY};
use crate::deep;
use crate::error::{Error, Result};

/// A way to merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The first value found.
    First,
    /// The same, because nothing else was asked for.
    Default,
    /// The union of arrays and single values.
    Unique,
    /// One hash, the entries of higher levels winning.
    Hash,
    /// One hash of merged hashes, all the way down.
    Deep,
    /// The same with any option, as old configurations could ask for.
    UnconstrainedDeep,
    /// The same, lower levels winning.
    ReverseDeep,
}

impl Strategy {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::First => "first",
            Strategy::Default => "default",
            Strategy::Unique => "unique",
            Strategy::Hash => "hash",
            Strategy::Deep => "deep",
            Strategy::UnconstrainedDeep => "unconstrained_deep",
            Strategy::ReverseDeep => "reverse_deep",
        }
    }

    fn named(name: &str) -> Option<Strategy> {
        use Strategy::*;
        [First, Default, Unique, Hash, Deep, UnconstrainedDeep, ReverseDeep]
            .into_iter()
            .find(|s| s.name() == name)
    }
}

/// A way to merge with its options.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The way.
    pub strategy: Strategy,
    /// Its options, as given.
    pub options: Hash,
}

static HASH_OF_DATA: LazyLock<Type> = LazyLock::new(|| Type::hash(any_string(), Type::Data));
static SCALAR_OR_LIST: LazyLock<Type> =
    LazyLock::new(|| Type::variant([Type::Scalar, Type::array(Type::Data)]));

fn any_string() -> Type {
    Type::String(kukla_values::types::Range::ANY_SIZE)
}

impl Merge {
    /// Taking the first value found.
    pub fn first() -> Merge {
        Merge::plain(Strategy::Default)
    }

    /// As it is written: a name, or a hash with `strategy`.
    pub fn as_value(&self) -> Value {
        match self.options.is_empty() {
            true => self.strategy.name().into(),
            false => {
                let mut written = self.options.clone();
                written.insert("strategy", self.strategy.name());
                written.into()
            }
        }
    }

    /// A way to merge without options.
    pub fn plain(strategy: Strategy) -> Merge {
        Merge { strategy, options: Hash::new() }
    }

    /// The way that a call or `lookup_options` asks for: a name, or a hash with `strategy`.
    pub fn parse(merge: Option<&Value>) -> Result<Merge> {
        let (name, options) = match merge {
            None | Some(Value::Undef | Value::Boolean(false)) => return Ok(Merge::first()),
            Some(Value::Hash(hash)) => match hash.get("strategy") {
                None | Some(Value::Undef) => {
                    return Err(Error::caller(diagnostic!(MERGE_WITHOUT_STRATEGY)));
                }
                Some(name) => (name, if hash.len() == 1 { Hash::new() } else { hash.clone() }),
            },
            Some(name) => (name, Hash::new()),
        };
        let strategy = name.as_str().and_then(Strategy::named);
        let Some(strategy) = strategy else {
            let name = kukla_values::format::to_s(name);
            let near = kukla_syntax::suggest::nearest(&name, ["first", "unique", "hash", "deep"]);
            let mut wrong = diagnostic!(UNKNOWN_MERGE_STRATEGY { name: &name });
            wrong.hints.extend(near.map(|near| format!("did you mean '{near}'?")));
            return Err(Error::caller(wrong));
        };
        if !options.is_empty() {
            mismatch::assert("The merge options", &options_type(strategy), &options.clone().into())
                .map_err(type_error)?;
        }
        Ok(Merge { strategy, options })
    }

    /// Whether only the first value counts.
    pub fn is_first(&self) -> bool {
        matches!(self.strategy, Strategy::First | Strategy::Default)
    }

    /// The first value found, prepared for merging.
    pub fn begin(&self, value: Value) -> Value {
        match (self.strategy, value) {
            (Strategy::Unique, value) => flattened(value).into(),
            (_, value) => value,
        }
    }

    /// The result of a single value.
    pub fn single(&self, value: Value) -> Value {
        match (self.strategy, value) {
            (Strategy::Unique, Value::Array(array)) => distinct(array).into(),
            (_, value) => value,
        }
    }

    /// Joins the value of a lower level to what the higher ones gave.
    pub fn join(&self, higher: Value, lower: Value) -> Result<Value> {
        let check = |ty: &Type| -> Result<()> {
            mismatch::assert("The first element of the merge", ty, &higher).map_err(type_error)?;
            mismatch::assert("The second element of the merge", ty, &lower).map_err(type_error)
        };
        match self.strategy {
            Strategy::First | Strategy::Default => Ok(higher),
            Strategy::Hash => {
                check(&HASH_OF_DATA)?;
                match (higher, lower) {
                    (Value::Hash(higher), Value::Hash(mut lower)) => {
                        lower.make_mut().extend(higher.iter().map(|(k, v)| (k.clone(), v.clone())));
                        Ok(lower.into())
                    }
                    (higher, _) => Ok(higher),
                }
            }
            Strategy::Unique => {
                check(&SCALAR_OR_LIST)?;
                let mut all = flattened(higher);
                all.extend(flattened(lower));
                Ok(distinct(all).into())
            }
            Strategy::Deep | Strategy::UnconstrainedDeep => {
                deep::Options::new(&self.options)?.merge(higher, lower)
            }
            Strategy::ReverseDeep => deep::Options::new(&self.options)?.merge(lower, higher),
        }
    }
}

/// A wrong type, as Puppet words it.
pub(crate) fn type_error(error: kukla_values::Error) -> Error {
    Error::new(crate::error::ErrorKind::Plain, error.into_diagnostic().reported_as("TYPE_ASSERTION_ERROR"))
}

fn options_type(strategy: Strategy) -> Type {
    let exactly = |name: &str| {
        kukla_values::regexp::Regexp::new(name).ok().map(|regexp| Type::Pattern([regexp].into()))
    };
    let name = Type::optional(exactly(strategy.name()).unwrap_or(Type::Any));
    let boolean = || Type::optional(Type::Boolean(None));
    match strategy {
        Strategy::UnconstrainedDeep | Strategy::ReverseDeep => {
            Type::hash(Type::String(kukla_values::types::Range::at_least(1)), Type::Any)
        }
        Strategy::Deep => Type::structure([
            StructField::new("strategy", name),
            StructField::new("knockout_prefix", Type::optional(any_string())),
            StructField::new("merge_debug", boolean()),
            StructField::new("merge_hash_arrays", boolean()),
            StructField::new("sort_merged_arrays", boolean()),
        ]),
        _ => Type::structure([StructField::new("strategy", name)]),
    }
}

fn flattened(value: Value) -> Array {
    fn into(value: &Value, out: &mut Array) {
        match value {
            Value::Array(array) => array.iter().for_each(|element| into(element, out)),
            other => out.push(other.clone()),
        }
    }
    match value {
        Value::Array(array) if !array.iter().any(|v| matches!(v, Value::Array(_))) => array,
        Value::Array(array) => {
            let mut out = Array::new();
            array.iter().for_each(|element| into(element, &mut out));
            out
        }
        other => [other].into_iter().collect(),
    }
}

/// The elements without those equal to an earlier one.
pub(crate) fn distinct(array: Array) -> Array {
    /// So few are compared with each other sooner than put into a set.
    const FEW: usize = 12;
    if array.len() <= FEW && !(1..array.len()).any(|at| array[..at].contains(&array[at])) {
        return array;
    }
    array.into_iter().collect::<IndexSet<Value, FxBuildHasher>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(values: &[i64]) -> Value {
        values.iter().map(|n| Value::Integer(*n)).collect::<Array>().into()
    }

    #[test]
    fn strategies() {
        let unique = Merge::parse(Some(&"unique".into())).expect("known");
        assert_eq!(unique.join(list(&[1, 2]), list(&[2, 3])).expect("merged"), list(&[1, 2, 3]));
        assert_eq!(unique.single(list(&[1, 1])), list(&[1]));
        let hash = Merge::parse(Some(&"hash".into())).expect("known");
        let left: Value = [("a", 1i64), ("b", 2)].into_iter().collect::<Hash>().into();
        let right: Value = [("b", 3i64), ("c", 4)].into_iter().collect::<Hash>().into();
        let joined: Value = [("b", 2i64), ("c", 4), ("a", 1)].into_iter().collect::<Hash>().into();
        assert_eq!(format!("{:?}", hash.join(left.clone(), right).expect("merged")), format!("{joined:?}"));
        let error = hash.join(left, 1.into()).expect_err("not a hash");
        assert_eq!(
            error.message(),
            "The second element of the merge has wrong type, expects a Hash value, got Integer"
        );
        assert_eq!(
            Merge::parse(Some(&"foo".into())).expect_err("unknown").message(),
            "Unknown merge strategy: 'foo'"
        );
    }
}
