//! Conditions of rules: expressions in Puppet's own language about a change.

use std::sync::{Arc, Mutex, PoisonError};

use kukla_eval::environment::Node;
use kukla_syntax::Problem;
use kukla_values::{Shown, Value};
use kukla_world::MemoryWorld;

use super::rules::ChangeSubject;
use crate::rpc::from_json;
use crate::{Compiler, Site, SiteSpec};

/// An expression about a change: `$change` is `added`, `removed` or `changed`, `$type`, `$title` and `$tags` are those of the resource, and
/// `$attribute`, `$before` and `$after` are those of an attribute of a resource that both sides have.
#[derive(Debug)]
pub(super) struct Condition {
    site: Arc<Site>,
    /// The first error of an evaluation.
    problem: Mutex<Option<String>>,
}

/// A value as conditions see it, since their errors are printed.
fn shown(value: Option<&Value>) -> Value {
    value.map(|value| from_json(&Shown::of(value).to_json())).unwrap_or_default()
}

/// The variables of a condition.
const NAMES: [&str; 7] = ["change", "type", "title", "tags", "attribute", "before", "after"];

impl Condition {
    /// Reads an expression.
    pub fn new(expression: &str) -> Result<Condition, Problem> {
        // As parameters of a lambda they hide what else has such a name, as the title of the main class.
        let names = NAMES.map(|name| format!("${name}")).join(", ");
        let code = format!("with(*$subject) |{names}| {{ {expression}\n}}");
        let site = Compiler::new(MemoryWorld::default()).open(&SiteSpec::of(code));
        let site = site?;
        match &site.broken_manifest {
            Some(failure) => Err(Box::new((**failure).clone()).into()),
            None if expression.trim().is_empty() => Err(Problem::invalid("the condition is empty")),
            None => Ok(Condition { site, problem: Mutex::default() }),
        }
    }

    /// Whether it is true of a change. A condition that fails is not, and its error is recorded.
    pub fn holds(&self, subject: ChangeSubject<'_>) -> bool {
        let mut node = Node::named("rule");
        let tags: Vec<Value> =
            subject.tags.iter().copied().flatten().map(|tag| Value::String(tag.clone())).collect();
        let (attribute, before, after) = match subject.attribute {
            Some((attribute, before, after)) => (Value::from(attribute), before, after),
            None => (Value::Undef, None, None),
        };
        let values: [Value; NAMES.len()] = [
            subject.change.name().into(),
            subject.name.type_name().clone().into(),
            subject.name.title().clone().into(),
            tags.into(),
            attribute,
            shown(before),
            shown(after),
        ];
        node.variables.insert("subject", Value::from(values.to_vec()));
        match self.site.eval(&node).result {
            Ok(value) => !matches!(value, Value::Undef | Value::Boolean(false)),
            Err(wrong) => {
                let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
                problem.get_or_insert_with(|| format!("{} for {}", wrong, subject.name));
                false
            }
        }
    }

    /// The first thing that went wrong.
    pub fn problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
