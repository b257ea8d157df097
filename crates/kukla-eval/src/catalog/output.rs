//! From the catalog that was built to the one that is handed on.

use kukla_catalog::types::is_relationship;
use kukla_catalog::{Catalog, Edge, Resource};
use kukla_values::{Array, Hash, Name, Str, Value};
use rustc_hash::FxHashMap;

use super::builder::{Building, ResourceId, flat, location_text};
use super::compile::{Output, argument_error};
use super::kind::reference;
use super::tags::TagSet;
use crate::error::Flow;
use crate::vm::Vm;

impl Vm<'_> {
    /// The finished catalog: without what is still virtual, and with plain data only.
    pub(super) fn to_catalog(&mut self, output: Output) -> Flow<Catalog> {
        let mut tags = TagSet::default();
        let table = &mut self.catalog.tag_table;
        for class in &self.catalog.classes {
            table.add_if_valid(&mut tags, class);
        }
        table.merge(&mut tags, &self.catalog.tags);
        self.check_aliases()?;
        let mut positions: FxHashMap<ResourceId, u32> = FxHashMap::default();
        let mut resources = Vec::new();
        for id in self.catalog.ids() {
            let resource = self.catalog.get(id);
            if output.keep_virtual || !resource.is_virtual {
                positions.insert(id, resources.len() as u32);
                resources.push(self.output(resource)?);
            }
        }
        let mut edges = Vec::new();
        for id in self.catalog.ids() {
            let Some(&target) = positions.get(&id) else { continue };
            let containers =
                self.catalog.get(id).containers.iter().filter_map(|container| positions.get(container));
            edges.extend(containers.map(|&source| Edge { source, target }));
        }
        Ok(Catalog {
            name: self.node.name.as_str().into(),
            version: self.environment.world.now().seconds().into(),
            environment: self.environment.name.as_str().into(),
            tags: self.catalog.tag_table.words(&tags),
            classes: self.catalog.classes.clone(),
            resources,
            edges,
            ..Catalog::default()
        })
    }

    /// Aliases that were inherited from a container may clash although none did when they were declared.
    fn check_aliases(&self) -> Flow<()> {
        let mut taken: FxHashMap<(Name, Str), ResourceId> = FxHashMap::default();
        for id in self.catalog.ids() {
            let resource = self.catalog.get(id);
            for alias in resource.value("alias").map(flat).unwrap_or_default() {
                let Value::String(alias) = alias else { continue };
                if alias == resource.title {
                    continue;
                }
                let type_name = resource.type_name;
                let declared = self.catalog.find(&type_name, &alias).filter(|&found| found != id);
                let earlier = taken.insert((type_name, alias.clone()), id).filter(|&found| found != id);
                if let Some(earlier) = declared.or(earlier) {
                    let at =
                        location_text(&resource.location).map(|at| format!(" at {at}")).unwrap_or_default();
                    let earlier = &self.catalog.get(earlier).location;
                    let earlier = location_text(earlier).map(|at| format!(" {at}")).unwrap_or_default();
                    let reference = resource.reference();
                    return Err(argument_error(format!(
                        "Cannot alias {reference} to {alias:?}{at}; resource [\"{type_name}\", {alias:?}] already declared{earlier}"
                    )));
                }
            }
        }
        Ok(())
    }

    fn output(&self, resource: &Building) -> Flow<Resource> {
        Ok(Resource {
            type_name: resource.type_name.as_str().into(),
            title: resource.title.clone(),
            tags: self.catalog.tag_table.words(&resource.tags),
            file: resource.location.as_ref().map(|location| location.file().unwrap_or_default().into()),
            line: resource.location.as_ref().map(|location| location.line()),
            exported: resource.exported,
            is_virtual: resource.is_virtual,
            kind: resource.kind,
            parameters: self.parameters(resource)?,
            sensitive_parameters: resource.sensitive.iter().map(|name| name.as_str().into()).collect(),
        })
    }

    /// The attributes as the document shows them: the name variable only where it differs from the title.
    fn parameters(&self, resource: &Building) -> Flow<Vec<(Str, Value)>> {
        let namevar = resource.definition.namevar();
        let mut all: Vec<(&str, Value)> = Vec::new();
        for (name, value) in resource.attributes()? {
            let name = if name.as_str() == "name" { namevar } else { name.as_str() };
            let value = if is_relationship(name) { references(value) } else { value };
            match all.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => all.push((name, value)),
            }
        }
        let is_title = |value: &Value| {
            !resource.is_main() && matches!(value, Value::String(text) if *text == resource.title)
        };
        all.retain(|(name, value)| !(*name == namevar && is_title(value)));
        all.into_iter().map(|(name, value)| Ok((name.into(), self.data(&flat_references(value))?))).collect()
    }

    /// A value as plain data: references as text, the rest in the notation of rich data.
    fn data(&self, value: &Value) -> Flow {
        let rich = |kind: &str, inner: Option<Value>| {
            let mut hash = Hash::new();
            hash.insert("__ptype", kind);
            if let Some(inner) = inner {
                hash.insert("__pvalue", inner);
            }
            Value::Hash(hash)
        };
        Ok(match value {
            Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::String(_) => {
                value.clone()
            }
            Value::Array(values) => {
                Value::Array(values.iter().map(|each| self.data(each)).collect::<Flow<Array>>()?)
            }
            Value::Hash(hash) => {
                let plain = |key: &Value| matches!(key, Value::String(text) if text != "__ptype");
                if hash.keys().all(plain) {
                    let pairs = hash.iter().map(|(key, each)| Ok((key.clone(), self.data(each)?)));
                    return Ok(Value::Hash(pairs.collect::<Flow<Vec<_>>>()?.into_iter().collect()));
                }
                let mut pairs = Array::new();
                for (key, each) in hash {
                    pairs.push(self.data(key)?);
                    pairs.push(self.data(each)?);
                }
                rich("Hash", Some(pairs.into()))
            }
            Value::Type(ty) if let Some((type_name, title)) = reference(ty) => {
                format!("{type_name}[{title}]").into()
            }
            Value::Default => rich("Default", None),
            Value::Sensitive(secret) => rich("Sensitive", Some(self.data(secret)?)),
            Value::Regexp(regexp) => rich("Regexp", Some(regexp.source().into())),
            other => super::tags::text(other).into(),
        })
    }
}

/// A relationship attribute as one flat list.
fn references(value: Value) -> Value {
    match value {
        Value::Array(_) => {
            flat(&value).into_iter().filter(|each| !each.is_undef()).collect::<Vec<_>>().into()
        }
        other => other,
    }
}

/// A list that holds references anywhere is flattened.
fn flat_references(value: Value) -> Value {
    let is_reference = |each: &Value| matches!(each, Value::Type(ty) if reference(ty).is_some());
    match &value {
        Value::Array(_) if flat(&value).iter().any(is_reference) => flat(&value).into(),
        _ => value,
    }
}
