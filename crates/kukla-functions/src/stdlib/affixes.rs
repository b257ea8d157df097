//! `prefix`, `suffix`, `join_keys_to_values`.

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_values::{Array, Error, Hash, Result, Str, Value};

use crate::legacy::legacy;
use crate::ruby;

builtins! {
    /// The elements of an array, or the keys of a hash, each with a text before it.
    ///
    /// ```puppet
    /// prefix(['a', 'b'], 'p')    # => ['pa', 'pb']
    /// prefix({a => 1}, 'p')      # => {'pa' => 1}
    /// ```
    "prefix" {
        "Any *$args, Optional[Callable] &$block" => |Rest(args): Rest| affix("prefix", args, |text, affix| ecow::eco_format!("{affix}{text}"));
        tools "Array $values, Optional[String] $affix = undef >> Array[String]", "Hash $values, Optional[String] $affix = undef >> Hash"
    }

    /// The elements of an array, or the keys of a hash, each with a text after it.
    ///
    /// ```puppet
    /// suffix(['a', 'b'], 's')    # => ['as', 'bs']
    /// ```
    "suffix" {
        "Any *$args, Optional[Callable] &$block" => |Rest(args): Rest| affix("suffix", args, |text, affix| ecow::eco_format!("{text}{affix}"));
        tools "Array $values, Optional[String] $affix = undef >> Array[String]", "Hash $values, Optional[String] $affix = undef >> Hash"
    }

    /// Each key of a hash joined to its value by a separator; a value that is an array gives one text per element.
    ///
    /// ```puppet
    /// join_keys_to_values({a => 1, b => [2, 3]}, ' is ')    # => ['a is 1', 'b is 2', 'b is 3']
    /// ```
    "join_keys_to_values" {
        "Any *$args, Optional[Callable] &$block" => join_keys_to_values;
        tools "Hash $hash, String $separator >> Array[String]"
    }
}

fn affix(name: &str, args: Vec<Value>, join: fn(&str, &str) -> Str) -> Result<Value> {
    let args = legacy(args)?;
    let Some(values) = args.first() else {
        return Err(Error::runtime(format!("{name}(): Wrong number of arguments given (0 for 1)")));
    };
    if !matches!(values, Value::Array(_) | Value::Hash(_)) {
        let given = ruby::inspect(values);
        return Err(Error::runtime(format!(
            "{name}(): expected first argument to be an Array or a Hash, got {given}"
        )));
    }
    let affix: Str = match args.get(1).filter(|affix| affix.is_true()) {
        None => Str::new(),
        Some(Value::String(affix)) => affix.clone(),
        Some(other) => {
            let given = ruby::inspect(other);
            return Err(Error::runtime(format!(
                "{name}(): expected second argument to be a String, got {given}"
            )));
        }
    };
    let joined = |value: &Value| Value::from(join(&ruby::old_text(value), &affix));
    Ok(match values {
        Value::Hash(hash) => {
            hash.iter().map(|(key, value)| (joined(key), value.clone())).collect::<Hash>().into()
        }
        values => ruby::to_array(values).iter().map(joined).collect::<Array>().into(),
    })
}

fn join_keys_to_values(Rest(args): Rest) -> Result<Array> {
    let args = legacy(args)?;
    let [hash, separator] = args.as_slice() else {
        return Err(Error::runtime(format!(
            "join_keys_to_values(): Takes exactly two arguments, but {} given.",
            args.len()
        )));
    };
    let Value::Hash(hash) = hash else {
        return Err(Error::runtime(format!(
            "join_keys_to_values(): The first argument must be a hash, but a {} was given.",
            ruby::class(hash)
        )));
    };
    let Value::String(separator) = separator else {
        return Err(Error::runtime(format!(
            "join_keys_to_values(): The second argument must be a string, but a {} was given.",
            ruby::class(separator)
        )));
    };
    let mut texts = Array::new();
    for (key, value) in hash {
        let key = ruby::old_text(key);
        let mut push =
            |value: &Value| texts.push(ecow::eco_format!("{key}{separator}{}", ruby::old_text(value)).into());
        match value {
            Value::Array(values) => values.iter().for_each(push),
            value if ruby::to_s(value) == "undef" => texts.push(key.into()),
            value => push(value),
        }
    }
    Ok(texts)
}
