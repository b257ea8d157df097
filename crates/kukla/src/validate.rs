//! What an agent would refuse, found before any agent does.

use kukla_catalog::Catalog;
use kukla_catalog::resource::{Resource, ResourceKind};
use kukla_eval::environment::Node;
use kukla_eval::foreign::{ResourceValues, Verdict};

use kukla_syntax::{Diagnostic, SourcePosition, diagnostic, roomy};
use kukla_values::{Name, Value, format};
use kukla_world::record::Record;

use crate::codes::REFUSED_BY_AGENT;
use crate::site::Site;

impl Site {
    /// The resources of a catalog that the node's agent would refuse, because of a value or of attributes that do not go together. The
    /// messages are the agent's. What depends on the state of the machine is not looked at.
    pub fn validate(&self, node: &Node, catalog: &Catalog) -> Vec<Diagnostic> {
        let Some(extensions) = &self.environment.extensions else { return Vec::new() };
        let native = catalog.resources.iter().filter(|resource| {
            resource.kind == ResourceKind::CompilableType && !resource.is_virtual && !is_deferred(resource)
        });
        let native: Vec<&Resource> = native.collect();
        let given: Vec<ResourceValues> = native.iter().map(|resource| values(resource)).collect();
        let verdicts = roomy(|| extensions.judge(&self.environment, &node.facts, &given));
        native
            .iter()
            .zip(verdicts)
            .filter_map(|(resource, verdict)| match verdict {
                Verdict::Refused(message) => Some(refused(resource, message)),
                Verdict::Accepted | Verdict::Unknown => None,
            })
            .collect()
    }

    /// Adds to what a catalog rests on what the verdict on it rests on: the code of resource types, which may ask for any fact.
    pub fn note_validation(&self, record: &mut Record) {
        record.code.extend(&self.environment.inputs());
        record.facts.insert("facts".to_owned());
    }
}

/// Whether some of it is decided by the agent.
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

/// What the agent is given of a resource.
fn values(resource: &Resource) -> ResourceValues {
    let attributes = resource.parameters.iter().filter(|(_, value)| *value != Value::Undef);
    ResourceValues {
        type_name: resource.type_name.to_lowercase().into(),
        title: resource.title.clone(),
        attributes: attributes.map(|(name, value)| (Name::new(name), plain(value))).collect(),
    }
}

/// Rich data stands in catalogs as a hash; where the agent makes text or bytes of it again, it is that.
fn plain(value: &Value) -> Value {
    let Value::Hash(entries) = value else { return value.clone() };
    match (entries.get("__ptype").and_then(Value::as_str), entries.get("__pvalue")) {
        (Some("Sensitive" | "Binary"), Some(inside)) => plain(inside),
        _ => value.clone(),
    }
}

fn refused(resource: &Resource, mut message: String) -> Diagnostic {
    for name in &resource.sensitive_parameters {
        let secret = resource.get(name).map(|value| format::to_s(&plain(value))).unwrap_or_default();
        if !secret.is_empty() {
            message = message.replace(secret.as_str(), "[redacted]");
        }
    }
    let wrong = diagnostic!(REFUSED_BY_AGENT { message });
    match &resource.file {
        Some(file) => wrong.at(SourcePosition::line_of(file.as_str(), resource.line)),
        None => wrong,
    }
}
