//! Backends for Hiera 3 that modules write in Ruby.

use std::sync::Arc;

use kukla_eval::foreign::{BackendAnswer, BackendQuestion};
use kukla_eval::{Flow, Vm};
use kukla_ruby::{Result, Ruby, Value};
use kukla_values::Value as PuppetValue;

use crate::programs::RubyPrograms;
use crate::{session, values};

/// The answer of a backend for a key.
pub fn ask(
    vm: &mut Vm<'_>,
    programs: &Arc<RubyPrograms>,
    question: &BackendQuestion<'_>,
) -> Flow<BackendAnswer> {
    session::enter(vm, programs, None, |ruby| {
        // Asking for it loads it.
        ruby.has_constant("Hiera")?;
        let backend = Value::Class(ruby.class_named("Hiera::Backend")?);
        let overrides = question.overrides.iter().map(|path| Value::str(path.clone()));
        let overrides = Value::array(overrides.collect::<Vec<_>>());
        let (name, key) = (Value::from(question.name), Value::from(question.key));
        let config = symbolic(ruby, question.config)?;
        let resolution = resolution(ruby, question.merge)?;
        let ask = ruby.symbols.intern("__ask");
        let answer = ruby.send(&backend, ask, &[name, config, key, overrides, resolution])?;
        let Value::Array(answer) = answer else { return Ok(BackendAnswer::NotFound) };
        let (word, value) = (answer.get(0).unwrap_or_default(), answer.get(1).unwrap_or_default());
        let value = values::to_puppet(ruby, &value)?;
        Ok(match ruby.display(&word)?.to_str_lossy().as_ref() {
            "found" => BackendAnswer::Found(value),
            "unusable" => BackendAnswer::Unusable(kukla_values::format::to_s(&value).to_string()),
            _ => BackendAnswer::NotFound,
        })
    })
}

/// A configuration as Hiera 3 has it: its keys, and those of what it says of each backend, are symbols.
fn symbolic(ruby: &mut Ruby<'_>, config: &kukla_values::Hash) -> Result {
    let mut pairs = Vec::new();
    for (key, value) in config {
        let value = match value {
            PuppetValue::Hash(own) => symbolic(ruby, own)?,
            other => values::to_ruby(ruby, other)?,
        };
        let key = ruby.symbol(kukla_values::format::to_s(key).trim_start_matches(':'));
        pairs.push((key, value));
    }
    ruby.make_hash(pairs)
}

/// How values are to be merged, in the words of Hiera 3.
fn resolution(ruby: &mut Ruby<'_>, merge: &PuppetValue) -> Result {
    let (strategy, options) = match merge {
        PuppetValue::Default => return Ok(ruby.symbol("hash")),
        PuppetValue::Hash(merge) => (merge.get("strategy").and_then(PuppetValue::as_str), Some(merge)),
        other => (other.as_str(), None),
    };
    let behavior = match strategy {
        Some("unique") => return Ok(ruby.symbol("array")),
        Some("hash") => "native",
        Some("deep" | "unconstrained_deep") => "deeper",
        Some("reverse_deep") => "deep",
        _ => return Ok(Value::Nil),
    };
    let mut pairs = vec![(ruby.symbol("behavior"), ruby.symbol(behavior))];
    for (key, value) in options.into_iter().flatten().filter(|(key, _)| key.as_str() != Some("strategy")) {
        let value = values::to_ruby(ruby, value)?;
        pairs.push((ruby.symbol(&kukla_values::format::to_s(key)), value));
    }
    ruby.make_hash(pairs)
}
