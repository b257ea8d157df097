//! The end of a compilation: what waited is done, what is left over is an error.

use kukla_catalog::types::{METAPARAMETERS, is_relationship};
use kukla_catalog::{Catalog, ResourceRef};
use kukla_syntax::{bail, diagnostic};
use kukla_values::{Name, Type, Value};
use rustc_hash::FxHashSet;

use super::builder::{Building, CatalogBuilder, Param, ResourceId, each_member};
use super::compile::{OWN, OutputOptions};
use super::kind::ResourceDefinition;
use super::metaparameters::INHERITED;

use super::parameters::name_in;
use crate::codes::{NO_REFERENCE, NOT_REALIZED, OVERRIDE_OF_NOTHING, UNKNOWN_ATTRIBUTE, UNKNOWN_REFERENCE};
use crate::error::{Flow, Raise};
use crate::vm::Vm;

impl Vm<'_> {
    /// Finishes every resource and gives the catalog.
    pub(super) fn finish(&mut self, output: OutputOptions) -> Flow<Catalog> {
        self.catalog.evaluate_relationships()?;
        for id in self.catalog.ids().filter(|id| id.index() >= OWN) {
            for change in self.catalog.take_postponed(id) {
                self.apply_override(id, change)?;
            }
            self.finish_resource(id)?;
        }
        self.catalog.inherit_metaparameters()?;
        self.catalog.refuse_leftovers()?;
        self.catalog.check_references()?;
        self.finished_catalog(output)
    }

    fn finish_resource(&mut self, id: ResourceId) -> Flow<()> {
        self.charge(1)?;
        self.catalog.add_scope_tags(id);
        let resource = self.catalog.get(id);
        match resource.definition.clone() {
            ResourceDefinition::Native(ty) => {
                if let Some(name) = self.catalog.unknown_attribute(id, &ty) {
                    let resource = self.catalog.get(id);
                    let known = ty.attributes().chain(METAPARAMETERS.iter().copied());
                    let near = crate::suggest::nearest(&name, known);
                    let written = resource.params.iter().find(|param| param.name == name);
                    let written = written.and_then(|param| name_in(param.location.as_ref()?, &name));
                    let wrong = diagnostic!(UNKNOWN_ATTRIBUTE { name, resource: resource.reference() });
                    let wrong = wrong.on_line_of(resource.location.clone());
                    let wrong = match written {
                        Some(written) => wrong.focus_on(written, ""),
                        None => wrong,
                    };
                    return Err(match near {
                        Some(near) => wrong.hint(format!("there is a parameter '{near}'")).into(),
                        None => wrong.into(),
                    });
                }
            }
            ResourceDefinition::Define(define) => {
                self.in_unit(&define.unit, |vm| vm.validate_parameters(id, &define.params))?;
            }
            ResourceDefinition::Class(class) => {
                self.in_unit(&class.unit, |vm| vm.validate_parameters(id, &class.params))?;
            }
            ResourceDefinition::Main | ResourceDefinition::Node(_) => {}
        }
        let resource = self.catalog.get_mut(id);
        for param in &mut resource.params {
            if let Value::Sensitive(secret) = &param.value {
                let secret = (**secret).clone();
                resource.sensitive.push(param.name);
                param.value = if is_relationship(&param.name) { spelled(secret) } else { secret };
            }
        }
        Ok(())
    }
}

#[cold]
fn unknown_reference(catalog: &CatalogBuilder, resource: &Building, param: &Param, value: &Value) -> Raise {
    let reference = match value.as_type() {
        _ if resource.sensitive.contains(&param.name) => "Sensitive [value redacted]".into(),
        // The class without a name, whose body is the site manifest.
        Some(Type::Class(Some(name))) if name.is_empty() => "Class[main]".into(),
        Some(Type::Resource(Some(resource))) if resource.title.is_none() => format!("{}[]", resource.name),
        _ => super::tags::text(value),
    };
    let wrong = match ResourceRef::parse(&reference) {
        Some(wanted) => {
            let wrong = diagnostic!(UNKNOWN_REFERENCE { reference, name: param.name });
            match catalog.near_resource(&wanted) {
                Some(near) => wrong.hint(format!("there is {near}")),
                None => wrong,
            }
        }
        None => diagnostic!(NO_REFERENCE { reference: format_args!("{reference:?}") }),
    };
    wrong.on_line_of(param.location.clone()).into()
}

/// References as text: they were in a secret, where nobody took them for references.
fn spelled(value: Value) -> Value {
    match value {
        Value::Type(ty) => ty.to_string().into(),
        Value::Array(values) => Value::Array(values.into_iter().map(spelled).collect()),
        other => other,
    }
}

impl CatalogBuilder {
    /// Resources of the site manifest inherit the metaparameters and tags of their containers, level by level.
    fn inherit_metaparameters(&mut self) -> Flow<()> {
        let Some(main) = self.find("Class", "main") else { return Ok(()) };
        let mut queue = std::collections::VecDeque::from([main]);
        let mut seen = FxHashSet::default();
        let mut inherited: rustc_hash::FxHashMap<ResourceId, Vec<(Name, Value)>> = Default::default();
        while let Some(id) = queue.pop_front() {
            self.budget.charge_steps(1)?;
            if !seen.insert(id) {
                continue;
            }
            let contents = self.get(id).contents.clone();
            let data = inherited.get(&id).cloned().unwrap_or_else(|| INHERITED.values(self.get(id)));
            for &target in &contents {
                if !data.is_empty() {
                    for (name, value) in &data {
                        if self.get(target).value(name).is_none() {
                            let set = self.set_value(target, *name, value.clone());
                            let location = || self.get(target).location.clone();
                            set.map_err(|tag| tag.refuse(location()))?;
                        }
                    }
                    let mut merged = data.clone();
                    for (name, value) in INHERITED.values(self.get(target)) {
                        match merged.iter_mut().find(|(known, _)| *known == name) {
                            Some((_, known)) => *known = value,
                            None => merged.push((name, value)),
                        }
                    }
                    inherited.insert(id, data.clone());
                    inherited.insert(target, merged);
                }
                self.merge_tags(target, id);
            }
            queue.extend(contents);
        }
        Ok(())
    }

    /// Overrides and `realize` calls whose resources were never declared.
    fn refuse_leftovers(&self) -> Flow<()> {
        let left: Vec<String> = self
            .overrides
            .iter()
            .flat_map(|(reference, changes)| changes.iter().map(move |_| reference.to_string()))
            .collect();
        if !left.is_empty() {
            bail!(OVERRIDE_OF_NOTHING { resources: left.join(", ") });
        }
        let left = self.unrealized();
        if !left.is_empty() {
            bail!(NOT_REALIZED { resources: left.join(", ") });
        }
        Ok(())
    }

    /// Every resource that a relationship names must exist.
    fn check_references(&self) -> Flow<()> {
        // A chain gives the same text to all resources of its left side.
        let mut found: FxHashSet<(usize, usize)> = FxHashSet::default();
        for id in self.ids() {
            let resource = self.get(id);
            if resource.is_virtual {
                continue;
            }
            for param in resource.params.iter().filter(|param| is_relationship(&param.name)) {
                each_member(&param.value, &mut |value| {
                    if let Value::String(text) = value
                        && !found.insert((text.as_ptr().addr(), text.len()))
                    {
                        return Ok(());
                    }
                    match value.is_undef() || self.find_value(value).is_some() {
                        true => Ok(()),
                        false => Err(unknown_reference(self, resource, param, value)),
                    }
                })?;
            }
        }
        Ok(())
    }
}
