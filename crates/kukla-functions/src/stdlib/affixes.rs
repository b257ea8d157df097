//! `prefix`, `suffix`, `join_keys_to_values`.

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_values::{Array, Hash, Result, Str, Value};

use crate::legacy::{LEGACY, legacy, wrong_count, wrong_number, wrong_type};
use crate::ruby;

builtins! {
    /// The elements of an array, or the keys of a hash, each with a text before it.
    ///
    /// ```puppet
    /// prefix(['a', 'b'], 'p')    # => ['pa', 'pb']
    /// prefix({a => 1}, 'p')      # => {'pa' => 1}
    /// ```
    "prefix" {
        LEGACY => |vm: &mut Vm<'_>, Rest(args): Rest| affix(vm, "prefix", args, |text, affix| ecow::eco_format!("{affix}{text}"));
        tools "Array $values, Optional[String] $affix = undef >> Array[String]", "Hash $values, Optional[String] $affix = undef >> Hash"
    }

    /// The elements of an array, or the keys of a hash, each with a text after it.
    ///
    /// ```puppet
    /// suffix(['a', 'b'], 's')    # => ['as', 'bs']
    /// ```
    "suffix" {
        LEGACY => |vm: &mut Vm<'_>, Rest(args): Rest| affix(vm, "suffix", args, |text, affix| ecow::eco_format!("{text}{affix}"));
        tools "Array $values, Optional[String] $affix = undef >> Array[String]", "Hash $values, Optional[String] $affix = undef >> Hash"
    }

    /// Each key of a hash joined to its value by a separator; a value that is an array gives one text per element.
    ///
    /// ```puppet
    /// join_keys_to_values({a => 1, b => [2, 3]}, ' is ')    # => ['a is 1', 'b is 2', 'b is 3']
    /// ```
    "join_keys_to_values" {
        LEGACY => join_keys_to_values;
        tools "Hash $hash, String $separator >> Array[String]"
    }
}

fn affix(vm: &Vm<'_>, name: &str, args: Vec<Value>, join: fn(&str, &str) -> Str) -> Result<Value> {
    let args = legacy(args)?;
    let Some(values) = args.first() else {
        return Err(wrong_number(name, 0, 1));
    };
    if !matches!(values, Value::Array(_) | Value::Hash(_)) {
        let given = ruby::inspect(values);
        let objection = format_args!("expected first argument to be an Array or a Hash, got {given}");
        return Err(wrong_type(name, objection));
    }
    let affix: Str = match args.get(1).filter(|affix| affix.is_true()) {
        None => Str::new(),
        Some(Value::String(affix)) => affix.clone(),
        Some(other) => {
            let given = ruby::inspect(other);
            let objection = format_args!("expected second argument to be a String, got {given}");
            return Err(wrong_type(name, objection));
        }
    };
    let joined = |value: &Value| {
        let text = ruby::old_text(value);
        vm.budget().charge_text(text.len() + affix.len())?;
        Ok(Value::from(join(&text, &affix)))
    };
    Ok(match values {
        Value::Hash(hash) => {
            let entries = hash.iter().map(|(key, value)| Ok((joined(key)?, value.clone())));
            entries.collect::<Result<Vec<_>>>()?.into_iter().collect::<Hash>().into()
        }
        values => ruby::to_array(values).iter().map(joined).collect::<Result<Array>>()?.into(),
    })
}

fn join_keys_to_values(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<Array> {
    let args = legacy(args)?;
    let [hash, separator] = args.as_slice() else {
        let objection = format_args!("Takes exactly two arguments, but {} given.", args.len());
        return Err(wrong_count("join_keys_to_values", objection));
    };
    let Value::Hash(hash) = hash else {
        let class = ruby::class(hash);
        let objection = format_args!("The first argument must be a hash, but a {class} was given.");
        return Err(wrong_type("join_keys_to_values", objection));
    };
    let Value::String(separator) = separator else {
        let class = ruby::class(separator);
        let objection = format_args!("The second argument must be a string, but a {class} was given.");
        return Err(wrong_type("join_keys_to_values", objection));
    };
    let mut texts = Array::new();
    for (key, value) in hash {
        let key = ruby::old_text(key);
        let mut push = |value: &Value| -> Result<()> {
            let text = ecow::eco_format!("{key}{separator}{}", ruby::old_text(value));
            vm.budget().charge_text(text.len())?;
            texts.push(text.into());
            Ok(())
        };
        match value {
            Value::Array(values) => values.iter().try_for_each(push)?,
            value if ruby::to_s(value) == "undef" => texts.push(key.into()),
            value => push(value)?,
        }
    }
    Ok(texts)
}
