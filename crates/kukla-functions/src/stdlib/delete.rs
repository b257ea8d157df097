//! Collections with something left out: `delete`, `delete_at`, `delete_regex`, `delete_undef_values`, `delete_values`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::regexp::Regexp;
use kukla_values::{Array, Error, Hash, Result, Value};

use crate::codes::{DELETED_NO_STRING, INDEX_TOO_LARGE, NO_INDEX};
use crate::legacy::{LEGACY, legacy, wrong_count, wrong_number, wrong_number_of, wrong_type};
use crate::ruby;

builtins! {
    /// An array without some values, a hash without some keys, or a string without some parts.
    ///
    /// ```puppet
    /// delete(['a', 'b', 'a'], 'a')           # => ['b']
    /// delete({a => 1, b => 2}, ['a'])        # => {'b' => 2}
    /// delete('abracadabra', 'bra')           # => 'acada'
    /// ```
    "delete" {
        LEGACY => delete;
        tools "Array $values, Any $unwanted >> Array", "Hash $values, Any $unwanted >> Hash", "String $text, Variant[String, Array[String]] $unwanted >> String"
    }

    /// An array without the element at an index.
    ///
    /// ```puppet
    /// delete_at(['a', 'b', 'c'], 1)    # => ['a', 'c']
    /// ```
    "delete_at" {
        LEGACY => delete_at;
        tools "Array $values, Variant[Numeric, String] $position >> Array"
    }

    /// An array or hash without the elements or keys in which a regular expression matches a whole word.
    ///
    /// ```puppet
    /// delete_regex(['abf', 'ab', 'ac'], '^ab.*')    # => ['ac']
    /// ```
    "delete_regex" {
        LEGACY => delete_regex;
        tools "Array $values, Variant[String, Array[String]] $patterns >> Array", "Hash $values, Variant[String, Array[String]] $patterns >> Hash"
    }

    /// An array without its undef elements, or a hash without the keys whose values are undef.
    ///
    /// ```puppet
    /// delete_undef_values({a => 1, b => undef})    # => {'a' => 1}
    /// ```
    "delete_undef_values" {
        LEGACY => delete_undef_values;
        tools "Array $values >> Array", "Hash $values >> Hash"
    }

    /// A hash without the keys that have a value.
    ///
    /// ```puppet
    /// delete_values({a => 1, b => 2}, 1)    # => {'b' => 2}
    /// ```
    "delete_values" {
        LEGACY => delete_values;
        tools "Hash $values, Any $unwanted >> Hash"
    }
}

fn wrong_first(name: &str, wanted: &str, given: &Value) -> Error {
    let class = ruby::class(given);
    wrong_type(name, format_args!("First argument must be {wanted}. Given an argument of class {class}."))
}

fn delete(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    let args = legacy(args)?;
    if args.len() != 2 {
        return Err(wrong_number_of("delete", args.len(), 2).into());
    }
    let mut collection = args[0].clone();
    for item in &ruby::to_array(&args[1]) {
        vm.budget().charge_work(&collection)?;
        match &mut collection {
            Value::Array(values) => {
                *values = values.iter().filter(|value| !ruby::equal(value, item)).cloned().collect();
            }
            Value::Hash(hash) => {
                hash.remove(item);
            }
            Value::String(text) => {
                let Value::String(part) = item else {
                    bail!(DELETED_NO_STRING { kind: ruby::class(item) });
                };
                *text = text.replace(part.as_str(), "");
            }
            other => {
                return Err(wrong_first("delete", "an Array, String, or Hash", other).into());
            }
        }
    }
    Ok(collection)
}

fn delete_at(Rest(args): Rest) -> Result<Array> {
    let args = legacy(args)?;
    if args.len() < 2 {
        return Err(wrong_number("delete_at", args.len(), 2));
    }
    let Value::Array(array) = &args[0] else {
        return Err(wrong_type("delete_at", "Requires array to work with"));
    };
    if let Value::String(text) = &args[1]
        && (text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()))
    {
        bail!(NO_INDEX);
    }
    let index = ruby::value_to_i(&args[1])?;
    let size = array.len() as i64;
    if index > size - 1 {
        bail!(INDEX_TOO_LARGE { function: "delete_at", limit: "size of array given" });
    }
    let index = if index < 0 { index + size } else { index };
    let kept = array.iter().enumerate().filter(|(at, _)| *at as i64 != index).map(|(_, value)| value.clone());
    Ok(kept.collect())
}

fn delete_regex(Rest(args): Rest) -> Result<Value> {
    let args = legacy(args)?;
    if args.len() != 2 {
        return Err(wrong_number_of("delete_regex", args.len(), 2));
    }
    let mut collection = args[0].clone();
    for item in &ruby::to_array(&args[1]) {
        let regexp = Regexp::new(&format!(r"\b{}\b", ruby::to_s(item)))?;
        let matches = |value: &Value| match value {
            Value::String(text) => regexp.is_match(text),
            _ => false,
        };
        match &mut collection {
            Value::Array(values) => {
                *values = values.iter().filter(|value| !matches(value)).cloned().collect()
            }
            Value::Hash(hash) => {
                *hash = hash
                    .iter()
                    .filter(|(key, _)| !matches(key))
                    .map(|(k, v)| (k.clone(), v.clone()))
                    .collect();
            }
            text @ Value::String(_) => return Err(ruby::no_method("reject!", text)),
            other => {
                return Err(wrong_first("delete_regex", "an Array, Hash, or String", other));
            }
        }
    }
    Ok(collection)
}

fn delete_undef_values(Rest(args): Rest) -> Result<Value> {
    let args = legacy(args)?;
    match args.first() {
        None => Err(wrong_count("delete_undef_values", "Wrong number of arguments given (0)")),
        Some(Value::Array(values)) => {
            Ok(values.iter().filter(|value| !value.is_undef()).cloned().collect::<Array>().into())
        }
        Some(Value::Hash(hash)) => {
            let kept = hash.iter().filter(|(_, value)| !value.is_undef());
            Ok(kept.map(|(key, value)| (key.clone(), value.clone())).collect::<Hash>().into())
        }
        Some(other) => {
            let (shown, class) = (ruby::to_s(other), ruby::class(other));
            let objection = format_args!("expected an array or hash, got {shown} type  {class} ");
            Err(wrong_type("delete_undef_values", objection))
        }
    }
}

fn delete_values(Rest(args): Rest) -> Result<Hash> {
    let args = legacy(args)?;
    let [hash, item] = args.as_slice() else {
        let objection = format_args!("Wrong number of arguments given ({} of 2)", args.len());
        return Err(wrong_count("delete_values", objection));
    };
    let Value::Hash(hash) = hash else {
        return Err(wrong_first("delete_values", "a Hash", hash));
    };
    let kept = hash.iter().filter(|(_, value)| !ruby::equal(item, value));
    Ok(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}
