//! `create_resources`: resources out of a hash.

use kukla_syntax::{NAMELESS, Source, bail, diagnostic};
use kukla_values::{Array, Hash, Name, Str, Value};

use super::builder::Param;
use super::provenance::AttributeSource;
use super::resource::Titles;
use crate::codes::{ATTRIBUTES_NO_HASH, NO_REFERENCE};
use crate::error::{Flow, Frame};
use crate::program::ResourceForm;
use crate::vm::Vm;
use kukla_syntax::validate::codes::CLASS_NOT_VIRTUALIZABLE;

impl Vm<'_> {
    /// Declares a resource for each key of `instances`, with the attributes in its value on top of `defaults`. The type may
    /// begin with `@` or `@@`. Gives references to the resources.
    pub fn create_resources(&mut self, type_name: &str, instances: &Hash, defaults: &Hash) -> Flow {
        let (form, name) = match type_name.strip_prefix("@@") {
            Some(rest) => (ResourceForm::Exported, rest),
            None => match type_name.strip_prefix('@') {
                Some(rest) => (ResourceForm::Virtual, rest),
                None => (ResourceForm::Regular, type_name),
            },
        };
        let name = name.to_lowercase();
        if name == "class" && form != ResourceForm::Regular {
            let mut failure = diagnostic!(CLASS_NOT_VIRTUALIZABLE).on_line_of(self.caller());
            if failure.position.is_some() {
                failure.frame = Frame::Rule;
            }
            return Err(failure.into());
        }
        let location = self.caller().map(|mut location| {
            // The call stack gives code without a file this name.
            if location.file().is_none() {
                location.source = Source::new("unknown", location.source.shared_text());
            }
            location
        });
        let origin = self.origin();
        let common = |(name, value): (&Value, &Value)| {
            Param::unwritten(Name::new(&spelled(name)), value.clone(), origin)
        };
        let mut common: Vec<Param> = defaults.iter().map(common).collect();
        self.catalog.share(&mut common);
        let mut references = Array::new();
        for (title, attributes) in instances {
            let all = match attributes {
                Value::Hash(attributes) if defaults.is_empty() => attributes.clone(),
                Value::Hash(attributes) => {
                    let mut all = defaults.clone();
                    for (name, value) in attributes {
                        all.insert(name.clone(), value.clone());
                    }
                    all
                }
                Value::Undef => defaults.clone(),
                _ => bail!(ATTRIBUTES_NO_HASH { title: spelled(title) }),
            };
            let own =
                |name: &Value| matches!(attributes, Value::Hash(attributes) if attributes.contains_key(name));
            let params = all.iter().map(|(name, value)| {
                let mut param = Param::unwritten(Name::new(&spelled(name)), value.clone(), origin);
                param.trail = self.trail(AttributeSource::Manifest, None, location.as_ref());
                if !common.is_empty() && !own(name) {
                    param.shared = common
                        .iter()
                        .find(|common| common.name == param.name)
                        .map_or(0, |common| common.shared);
                }
                param
            });
            let mut params: Vec<Param> = params.collect();
            if title.is_undef() {
                let kind = if self.environment().resource_type(&name).is_some() {
                    format!(":{name}")
                } else {
                    format!("{name:?}")
                };
                return Err(diagnostic!(NO_REFERENCE { reference: kind }).reported_as(NAMELESS).into());
            }
            let titles = super::builder::flat(title);
            let last = titles.len().saturating_sub(1);
            for (at, title) in titles.into_iter().enumerate() {
                let text = spelled(&title);
                let given = match title {
                    Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Default => Some(title),
                    _ => None,
                };
                let params = if at == last { std::mem::take(&mut params) } else { params.clone() };
                let location = location.clone();
                let titles = Titles::from_buf([text]);
                self.declare(form, &name, titles, params, location, given, Some(&mut references))?;
            }
        }
        Ok(references.into())
    }
}

/// A key as Ruby's `to_s` spells it; nearly all are text.
fn spelled(key: &Value) -> Str {
    match key {
        Value::String(text) => text.clone(),
        other => super::tags::text(other).into(),
    }
}
