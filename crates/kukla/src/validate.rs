//! Validation of catalogs as agents do it, before any agent sees them.

use std::sync::Arc;

use kukla_catalog::Catalog;
use kukla_catalog::resource::{Resource, ResourceKind};
use kukla_eval::environment::Node;
use kukla_eval::foreign::{Refusal, RefusalKind, ResourceValues, Verdict};
use kukla_extensions::resource_type::Judge;
use kukla_syntax::{Diagnostic, SourcePosition, deep, diagnostic, roomy};
use kukla_values::richdata::{TYPE_KEY, VALUE_KEY};
use kukla_values::shown::{SecretTexts, is_secret};
use kukla_values::{Name, Value};
use kukla_world::record::Record;

use crate::codes::REFUSED_BY_AGENT;
use crate::site::Site;

/// A resource that the agent of a node would refuse.
#[derive(Clone, Debug)]
pub struct RefusedResource {
    /// Its index among the resources of the catalog.
    pub index: usize,
    /// The class of the refusal.
    pub kind: RefusalKind,
    /// The attribute that is refused, if it is one.
    pub attribute: Option<String>,
    /// The message of the agent, at the position of the resource.
    pub diagnostic: Diagnostic,
}

impl Site {
    /// The resources of a catalog that the node's agent would refuse, because of a value or of attributes that conflict. The
    /// messages are the agent's. Checks that depend on the state of the machine are left out.
    pub fn validate(&self, node: &Node, catalog: &Catalog) -> Vec<RefusedResource> {
        self.validate_with(&mut Judge::default(), node, catalog)
    }

    /// The same for many catalogs of sites with the same modules: what one has shown is known for the next.
    pub fn validate_with(&self, judge: &mut Judge, node: &Node, catalog: &Catalog) -> Vec<RefusedResource> {
        let native = catalog.resources.iter().enumerate().filter(|(_, resource)| {
            resource.kind == ResourceKind::CompilableType && !resource.is_virtual && !is_deferred(resource)
        });
        let native: Vec<(usize, &Resource)> = native.collect();
        let attributes: Vec<ResourceValues> = native.iter().map(|(_, resource)| values(resource)).collect();
        let verdicts = roomy(|| judge.judge(&self.environment, &self.ruby, &node.facts, &attributes));
        native
            .into_iter()
            .zip(verdicts)
            .filter_map(|((index, resource), verdict)| match verdict {
                Verdict::Refused(Refusal { kind, attribute, message }) => {
                    let diagnostic = describe(resource, message);
                    Some(RefusedResource { index, kind, attribute, diagnostic })
                }
                Verdict::Accepted | Verdict::Unknown => None,
            })
            .collect()
    }

    /// Adds the inputs of the validation to those of the catalog: the code of resource types, which may read any fact.
    pub fn note_validation(&self, record: &mut Record) {
        record.code.extend(&self.environment.inputs());
        record.facts.insert("facts".to_owned());
    }
}

/// Whether the agent computes a part of it.
fn is_deferred(resource: &Resource) -> bool {
    fn within(value: &Value) -> bool {
        match value {
            Value::Hash(entries) if entries.get("__ptype").and_then(Value::as_str) == Some("Deferred") => {
                true
            }
            Value::Hash(entries) => kukla_syntax::deep(|| entries.iter().any(|(_, value)| within(value))),
            Value::Array(values) => kukla_syntax::deep(|| values.iter().any(within)),
            _ => false,
        }
    }
    resource.parameters.iter().any(|(_, value)| within(value))
}

/// The attributes of a resource as the agent gets them.
fn values(resource: &Resource) -> ResourceValues {
    let attributes = resource.parameters.iter().filter(|(_, value)| *value != Value::Undef);
    ResourceValues {
        type_name: resource.type_name.to_lowercase().into(),
        title: resource.title.clone(),
        attributes: attributes.map(|(name, value)| (Name::new(name), plain(value))).collect(),
    }
}

/// Rich data is a hash in catalogs; the agent converts it back to text, bytes, or, inside of other values, to a `Sensitive`.
fn plain(value: &Value) -> Value {
    let Value::Hash(entries) = value else { return nested(value) };
    match (entries.get(TYPE_KEY).and_then(Value::as_str), entries.get(VALUE_KEY)) {
        (Some("Sensitive" | "Binary"), Some(inside)) => plain(inside),
        _ => nested(value),
    }
}

fn nested(value: &Value) -> Value {
    match value {
        Value::Array(values) => deep(|| values.iter().map(nested).collect::<Vec<_>>().into()),
        Value::Hash(entries) if is_secret(value) => {
            Value::Sensitive(Arc::new(entries.get(VALUE_KEY).map(plain).unwrap_or_default()))
        }
        Value::Hash(entries) => {
            deep(|| Value::Hash(entries.iter().map(|(key, value)| (nested(key), nested(value))).collect()))
        }
        other => other.clone(),
    }
}

/// The refusal of a resource as a diagnostic. The code of the type saw the secrets of the resource, and its message can quote them.
fn describe(resource: &Resource, message: String) -> Diagnostic {
    let mut secrets = SecretTexts::default();
    for (name, value) in &resource.parameters {
        match resource.is_sensitive(name) {
            true => secrets.add_all(value),
            false => secrets.add(value),
        }
    }
    let wrong = diagnostic!(REFUSED_BY_AGENT { message: secrets.redact(&message) });
    match &resource.file {
        Some(file) => wrong.at(SourcePosition::line_of(file.as_str(), resource.line)),
        None => wrong,
    }
}
