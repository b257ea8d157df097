//! Runs the code of resource types: for attributes that cannot be read, and for the values that a type refuses.

use std::sync::Arc;

use kukla_catalog::types::NativeType;
use kukla_eval::Environment;
use kukla_eval::foreign::{Refusal, RefusalKind, ResourceValues, Verdict};
use kukla_ruby::value::HashObject;
use kukla_ruby::{Result, Ruby, State, Value};
use kukla_values::{Hash, Value as PuppetValue};

use rustc_hash::FxHashMap;

use super::{Pattern, TypeModel};
use crate::programs::RubyPrograms;
use crate::{values, workshop};

/// The type of a name, made by running its code. `None` if there is no such type or its code fails.
pub fn execute(environment: &Environment, programs: &Arc<RubyPrograms>, name: &str) -> Option<NativeType> {
    let made = workshop::enter(environment, programs, &workshop::some_machine(), |ruby| {
        let made = ask(ruby, "outline_of", &[Value::from(name)])?;
        values::to_puppet(ruby, &made)
    })?;
    let model = read(made.as_hash()?)?;
    Some(model.into_type(name))
}

/// Whether an agent would accept resources whose types are written in Ruby.
pub fn judge(
    environment: &Environment,
    programs: &Arc<RubyPrograms>,
    facts: &Hash,
    resources: &[ResourceValues],
) -> Vec<Verdict> {
    Judge::default().judge(environment, programs, facts, resources)
}

/// Judges the resources of many catalogs of one environment. The interpreter stays as long as the facts are the same, and a resource that
/// occurs again has the verdict that it had.
#[derive(Default)]
pub struct Judge {
    facts: Hash,
    state: Option<Box<State>>,
    known: FxHashMap<String, Verdict>,
}

impl Judge {
    /// Whether an agent would accept these resources.
    pub fn judge(
        &mut self,
        environment: &Environment,
        programs: &Arc<RubyPrograms>,
        facts: &Hash,
        resources: &[ResourceValues],
    ) -> Vec<Verdict> {
        // A node without facts is assumed to be like most.
        let facts = if facts.is_empty() { &workshop::some_machine() } else { facts };
        if self.facts != *facts {
            *self = Judge { facts: facts.clone(), ..Judge::default() };
        }
        let keys: Vec<String> = resources.iter().map(|resource| format!("{resource:?}")).collect();
        let mut verdicts: Vec<Verdict> = Vec::with_capacity(resources.len());
        if keys.iter().any(|key| !self.known.contains_key(key)) {
            // After an error that stops the interpreter, the remaining resources have no verdict.
            let Judge { state, known, .. } = self;
            workshop::enter_again(environment, programs, facts, state, |ruby| {
                for (resource, key) in resources.iter().zip(&keys) {
                    if !known.contains_key(key) {
                        let verdict = verdict(ruby, resource)?;
                        known.insert(key.clone(), verdict);
                    }
                }
                Ok(())
            });
        }
        verdicts.extend(keys.iter().map(|key| self.known.get(key).cloned().unwrap_or(Verdict::Unknown)));
        verdicts
    }
}

fn verdict(ruby: &mut Ruby<'_>, resource: &ResourceValues) -> Result<Verdict> {
    let attributes = HashObject::new(kukla_ruby::class::ClassId::HASH, kukla_ruby::hash::Table::new());
    for (name, value) in &resource.attributes {
        let (name, value) = (ruby.symbol(name.as_str()), values::to_ruby(ruby, value)?);
        ruby.hash_set(&attributes, name, value)?;
    }
    let (ty, title) = (Value::from(resource.type_name.as_str()), Value::str(resource.title.clone()));
    let answer = ask(ruby, "refusal", &[ty, title, Value::Hash(attributes)])?;
    crate::guest::forget_collections(ruby);
    Ok(match &answer {
        Value::Nil => Verdict::Accepted,
        Value::Array(parts) => match &parts.items()[..] {
            [kind, attribute, message] => Verdict::Refused(refusal(ruby, kind, attribute, message)?),
            _ => Verdict::Unknown,
        },
        _ => Verdict::Unknown,
    })
}

/// The refusal that `Puppet::Type.refusal` describes.
fn refusal(ruby: &mut Ruby<'_>, kind: &Value, attribute: &Value, message: &Value) -> Result<Refusal> {
    let mut text = |value: &Value| -> Result<String> { Ok(ruby.display(value)?.to_str_lossy().into_owned()) };
    let kind = match text(kind)?.as_str() {
        "unknown_parameter" => RefusalKind::UnknownParameter,
        "munge_failed" => RefusalKind::MungeFailed,
        "parameter_failed" => RefusalKind::ParameterFailed,
        _ => RefusalKind::Other,
    };
    let attribute = if attribute.is_nil() { None } else { Some(text(attribute)?) };
    Ok(Refusal { kind, attribute, message: text(message)? })
}

fn ask(ruby: &mut Ruby<'_>, method: &str, args: &[Value]) -> Result {
    let require = ruby.symbols.intern("require");
    ruby.send(&Value::Nil, require, &[Value::from("puppet/type")])?;
    let class = Value::Class(ruby.class_named("Puppet::Type")?);
    let method = ruby.symbols.intern(method);
    ruby.send(&class, method, args)
}

fn read(made: &Hash) -> Option<TypeModel> {
    let texts = |key: &str| -> Vec<String> {
        let list = made.get(key).and_then(PuppetValue::as_array).into_iter();
        list.flat_map(|list| list.iter()).filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let namevars = texts("namevars");
    let parameters = texts("parameters");
    // The order of name variables is that of their definition.
    let parameters = parameters.into_iter().map(|name| {
        let is_namevar = namevars.contains(&name);
        (name, is_namevar)
    });
    let patterns = made.get("patterns")?.as_array()?.iter().map(pattern).collect::<Option<Vec<_>>>()?;
    let shared = made.get("isomorphic") == Some(&PuppetValue::Boolean(false));
    let patterns = (!patterns.is_empty()).then_some(patterns);
    Some(TypeModel::new(texts("properties"), parameters, patterns, shared))
}

fn pattern(pattern: &PuppetValue) -> Option<Pattern> {
    let [regexp, names] = &pattern.as_array()?[..] else { return None };
    let name = |name: &PuppetValue| Some((name.as_str()?.to_owned(), Vec::new()));
    Some((regexp.as_str()?.to_owned(), names.as_array()?.iter().map(name).collect::<Option<_>>()?))
}
