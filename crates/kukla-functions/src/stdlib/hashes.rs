//! Hashes: `merge`, `stdlib::merge`, `deep_merge`, `stdlib::nested_values`, and the former `hash`, `has_key`, `dig44`, `try_get_value`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::lambda::Block;
use kukla_eval::settings::LogLevel;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::{Array, Hash, Result, Value};

use crate::codes::{ODD_ARRAY, WRONG_ARGUMENT_TYPE, WRONG_METHOD_ARGUMENT_COUNT};
use crate::items::{hash_style, items};
use crate::iterate::call;
use crate::legacy::{LEGACY, at_least, legacy, wrong_count, wrong_number, wrong_type};
use crate::ruby;

builtins! {
    /// One hash with the entries of several; later ones win. Given something to iterate over and a lambda, merges the hashes that
    /// the lambda gives: it gets the hash so far and each element (or index and element, key and value).
    ///
    /// ```puppet
    /// merge({a => 1}, {b => 2}, {a => 3})                           # => {'a' => 3, 'b' => 2}
    /// merge(['x', 'y']) |$hash, $index, $x| { {$x => $index} }      # => {'x' => 0, 'y' => 1}
    /// ```
    "merge": TypedResult {
        "Variant[Hash[Scalar,Any], Undef, String[0,0]] *$args >> Hash[Scalar,Any]" => merge,
        "Iterable *$args, Callable[3, 3] &$block >> Hash" => merge_indexed,
        "Iterable *$args, Callable[2, 2] &$block >> Hash" => merge_each,
    }

    /// The same as `merge`.
    ///
    /// ```puppet
    /// stdlib::merge({a => 1}, {b => 2})    # => {'a' => 1, 'b' => 2}
    /// ```
    "stdlib::merge": TypedResult {
        "Variant[Hash[Scalar,Any], Undef, String[0,0]] *$args >> Hash[Scalar,Any]" => merge,
        "Iterable *$args, Callable[3, 3] &$block >> Hash" => merge_indexed,
        "Iterable *$args, Callable[2, 2] &$block >> Hash" => merge_each,
    }

    /// One hash with the entries of several; where two values are hashes they are merged in turn, otherwise the later one wins.
    ///
    /// ```puppet
    /// deep_merge({a => {x => 1}}, {a => {y => 2}})    # => {'a' => {'x' => 1, 'y' => 2}}
    /// ```
    "deep_merge" {
        LEGACY => deep_merge;
        tools "Array[Variant[Hash, Undef, String[0, 0]], 2] *$hashes >> Hash"
    }

    /// All values of a hash and of the hashes in it.
    ///
    /// ```puppet
    /// stdlib::nested_values({a => 1, b => {c => 2}})    # => [1, 2]
    /// ```
    "stdlib::nested_values" { "Hash $hash >> Array" => nested_values }
}

fn merge(Rest(args): Rest) -> Hash {
    let mut merged = Hash::new();
    for arg in &args {
        add(&mut merged, arg);
    }
    merged
}

fn add(merged: &mut Hash, value: &Value) {
    if let Value::Hash(hash) = value {
        merged.make_mut().extend(hash.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
}

fn only_iterable(Rest(args): Rest) -> Result<Value> {
    let given = args.len();
    let mut args = args.into_iter();
    match (args.next(), args.next()) {
        (Some(value), None) => Ok(value),
        _ => bail!(WRONG_METHOD_ARGUMENT_COUNT { given, expected: 1 }),
    }
}

fn merge_each(vm: &mut Vm<'_>, args: Rest, block: Option<Block>) -> Flow<Hash> {
    let mut merged = Hash::new();
    for item in items(&only_iterable(args)?)? {
        let more = call(vm, &block, vec![merged.clone().into(), item])?;
        add(&mut merged, &more);
    }
    Ok(merged)
}

fn merge_indexed(vm: &mut Vm<'_>, args: Rest, block: Option<Block>) -> Flow<Hash> {
    let values = only_iterable(args)?;
    let paired = hash_style(&values);
    let mut merged = Hash::new();
    for (index, item) in items(&values)?.enumerate() {
        let mut given = vec![merged.clone().into()];
        match item {
            Value::Array(pair) if paired => given.extend(pair),
            item => given.extend([Value::Integer(index as i64), item]),
        }
        let more = call(vm, &block, given)?;
        add(&mut merged, &more);
    }
    Ok(merged)
}

fn deep_merge(Rest(args): Rest) -> Result<Hash> {
    let args = legacy(args)?;
    if args.len() < 2 {
        let objection = format_args!("wrong number of arguments ({}; must be at least 2)", args.len());
        return Err(wrong_count("deep_merge", objection));
    }
    let mut merged = Hash::new();
    for arg in &args {
        match arg {
            Value::Hash(hash) => merge_deeply(&mut merged, hash),
            Value::String(text) if text.is_empty() => {}
            other => {
                let class = ruby::class(other);
                let objection = format_args!("unexpected argument type {class}, only expects hash arguments");
                bail!(WRONG_ARGUMENT_TYPE { function: "deep_merge", objection });
            }
        }
    }
    Ok(merged)
}

fn merge_deeply(merged: &mut Hash, more: &Hash) {
    let entries = merged.make_mut();
    for (key, value) in more {
        match (entries.get_mut(key), value) {
            (Some(Value::Hash(old)), Value::Hash(new)) => merge_deeply(old, new),
            _ => {
                entries.insert(key.clone(), value.clone());
            }
        }
    }
}

fn nested_values(hash: Hash) -> Array {
    let mut values = Array::new();
    gather(&hash, &mut values);
    values
}

fn gather(hash: &Hash, values: &mut Array) {
    for value in hash.values() {
        match value {
            Value::Hash(inner) => gather(inner, values),
            other => values.push(other.clone()),
        }
    }
}

/// The functions that stdlib 9 no longer has.
pub mod old {
    use super::*;

    builtins! {
        /// An array of keys and values in turn as a hash; `Hash($array)` does so too.
        ///
        /// ```puppet
        /// hash(['a', 1, 'b', 2])    # => {'a' => 1, 'b' => 2}
        /// ```
        "hash" {
            LEGACY => hash;
            tools "Array $pairs >> Hash"
        }

        /// Whether a hash has a key; `$key in $hash` says so too.
        ///
        /// ```puppet
        /// has_key({a => 1}, 'a')    # => true
        /// ```
        "has_key" {
            LEGACY => has_key;
            tools "Hash $hash, Any $key >> Boolean"
        }

        /// The value at the end of a path given as an array, or a default; `dig` does so too.
        ///
        /// ```puppet
        /// dig44({a => [1, 2]}, ['a', 1])       # => 2
        /// dig44({a => 1}, ['b'], 'none')       # => 'none'
        /// ```
        "dig44" {
            LEGACY => dig44;
            tools "Collection $data, Array $path, Any $default = undef >> Any"
        }

        /// The value at the end of a path written with slashes, or another separator, or a default; `dig` does so better.
        ///
        /// ```puppet
        /// try_get_value({a => [1, 2]}, 'a/1')    # => 2
        /// ```
        "try_get_value" {
            LEGACY => try_get_value;
            tools "Any $data, String $path, Any $default = undef, String $separator = '/' >> Any"
        }
    }

    fn hash(Rest(args): Rest) -> Result<Hash> {
        let args = legacy(args)?;
        let array = match args.first() {
            None => return Err(wrong_number("hash", 0, 1)),
            Some(Value::Array(array)) => ruby::flatten(array),
            Some(_) => return Err(wrong_type("hash", "Requires array to work with")),
        };
        // Of a single hash Ruby makes a copy.
        if let [Value::Hash(hash)] = array.as_slice() {
            return Ok(hash.clone());
        }
        if array.len() % 2 != 0 {
            bail!(ODD_ARRAY);
        }
        Ok(array.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
    }

    fn has_key(Rest(args): Rest) -> Result<bool> {
        let args = legacy(args)?;
        let [hash, key] = args.as_slice() else {
            let objection = format_args!("wrong number of arguments ({}; must be 2)", args.len());
            return Err(wrong_count("has_key", objection));
        };
        match hash {
            Value::Hash(hash) => Ok(hash.contains_key(key)),
            other => {
                let (shown, class) = (ruby::inspect(other), ruby::class(other));
                let objection = format_args!(
                    "expects the first argument to be a hash, got {shown} which is of type {class}"
                );
                Err(wrong_type("has_key", objection))
            }
        }
    }

    fn try_get_value(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
        let args = at_least("try_get_value", 1, args)?;
        vm.log(
            LogLevel::Warning,
            "try_get_value() DEPRECATED: this function is deprecated, please use dig() instead.",
        );
        let given = |at: usize| args.get(at).filter(|value| value.is_true());
        let path = given(1).cloned().unwrap_or_else(|| "".into());
        if !matches!(args[0], Value::Array(_) | Value::Hash(_)) || path.as_str() == Some("") {
            return Ok(given(2).unwrap_or(&args[0]).clone());
        }
        let Value::String(path) = &path else { return Err(ruby::no_method("split", &path).into()) };
        let separator = match given(3) {
            Some(separator) => ruby::text(separator)?.clone(),
            None => "/".into(),
        };
        let mut steps: Vec<&str> = path.split(separator.as_str()).collect();
        while steps.last().is_some_and(|step| step.is_empty()) {
            steps.pop();
        }
        let numeric = |step: &str| !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit());
        let step = |step: &str| if numeric(step) { ruby::to_i(step).into() } else { Value::from(step) };
        vm.log(
            LogLevel::Warning,
            "dig() DEPRECATED: This function has been replaced in Puppet 4.5.0, please use dig44() for backwards compatibility or use the new version.",
        );
        let path: Array = steps.into_iter().map(step).collect();
        Ok(follow(&args[0], &path).unwrap_or_else(|| args.get(2).cloned().unwrap_or_default()))
    }

    fn dig44(Rest(args): Rest) -> Result<Value> {
        let args = at_least("dig44", 1, args)?;
        if args.len() < 2 {
            let given = args.len();
            return Err(wrong_number("dig44", given, "at least 2"));
        }
        if !matches!(args[0], Value::Array(_) | Value::Hash(_)) {
            let class = ruby::class(&args[0]);
            let objection = format_args!("first argument must be a hash or an array, given {class}");
            return Err(wrong_type("dig44", objection));
        }
        let Value::Array(path) = &args[1] else {
            let class = ruby::class(&args[1]);
            let objection = format_args!("second argument must be an array, given {class}");
            return Err(wrong_type("dig44", objection));
        };
        Ok(follow(&args[0], path).unwrap_or_else(|| args.get(2).cloned().unwrap_or_default()))
    }

    /// The value at the end of a path, if there is one.
    fn follow(data: &Value, path: &[Value]) -> Option<Value> {
        let mut here = data.clone();
        for key in path {
            let next = match &here {
                Value::Hash(hash) => hash.get(key).cloned(),
                Value::Array(values) => {
                    let at = match key {
                        Value::Integer(n) => Some(*n),
                        Value::Float(n) => ruby::float_to_i(*n).ok(),
                        Value::String(text) => ruby::integer(text).ok(),
                        _ => None,
                    };
                    let at = at.map(|n| if n < 0 { n + values.len() as i64 } else { n });
                    at.and_then(|at| usize::try_from(at).ok()).and_then(|at| values.get(at)).cloned()
                }
                _ => None,
            };
            match next {
                Some(value) if !value.is_undef() => here = value,
                _ => return None,
            }
        }
        Some(here)
    }
}
