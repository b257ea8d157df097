//! The end of a compilation: what waited is done, what is left over is an error.

use kukla_catalog::types::{METAPARAMETERS, is_relationship};
use kukla_catalog::{Catalog, ResourceRef};
use kukla_values::{Name, Value};
use rustc_hash::FxHashSet;

use super::builder::{ResourceId, flat};
use super::compile::{OWN, OutputOptions, parse_error};
use super::kind::ResourceDefinition;
use crate::error::{Diagnostic, Flow, Raised};
use crate::vm::Vm;

impl Vm<'_> {
    /// Finishes every resource and gives the catalog.
    pub(super) fn finish(&mut self, output: OutputOptions) -> Flow<Catalog> {
        self.evaluate_relationships()?;
        for id in self.catalog.ids().skip(OWN) {
            if !self.catalog.overrides.is_empty() {
                let reference = self.catalog.get(id).reference();
                for change in self.catalog.overrides.shift_remove(&reference).unwrap_or_default() {
                    self.apply_override(id, change)?;
                }
            }
            self.finish_resource(id)?;
        }
        self.inherit_metaparameters()?;
        self.refuse_leftovers()?;
        self.check_references()?;
        self.finished_catalog(output)
    }

    fn finish_resource(&mut self, id: ResourceId) -> Flow<()> {
        self.add_scope_tags(id);
        let resource = self.catalog.get(id);
        match resource.definition.clone() {
            ResourceDefinition::Native(ty) => {
                if let Some(name) = self.catalog.unknown_attribute(id, &ty) {
                    let resource = self.catalog.get(id);
                    let message = format!("no parameter named '{name}' on {}", resource.reference());
                    let near = crate::suggest::nearest(&name, ty.attributes());
                    let mut raise = parse_error(message, resource.location.clone());
                    if let (Raised::Error(failure), Some(near)) = (raise.reason_mut(), near) {
                        failure.hints.push(format!("there is a parameter '{near}'"));
                    }
                    return Err(raise);
                }
            }
            ResourceDefinition::Define(define) => {
                self.in_unit(&define.unit, |vm| vm.validate_parameters(id, &define.params))?;
            }
            ResourceDefinition::Class(class) => {
                self.in_unit(&class.unit, |vm| vm.validate_parameters(id, &class.params))?;
            }
            ResourceDefinition::Main | ResourceDefinition::Settings | ResourceDefinition::Node(_) => {}
        }
        let resource = self.catalog.get_mut(id);
        for param in &mut resource.params {
            if let Value::Sensitive(secret) = &param.value {
                let secret = (**secret).clone();
                resource.sensitive.push(param.name);
                param.value = secret;
            }
        }
        Ok(())
    }

    /// What the site manifest contains gets the metaparameters and tags of what contains it, level by level.
    fn inherit_metaparameters(&mut self) -> Flow<()> {
        let Some(main) = self.catalog.find("Class", "main") else { return Ok(()) };
        let names: Vec<Name> =
            METAPARAMETERS.iter().filter(|name| !is_relationship(name)).map(|name| Name::new(name)).collect();
        let mut queue = std::collections::VecDeque::from([main]);
        let mut seen = FxHashSet::default();
        let mut inherited: rustc_hash::FxHashMap<ResourceId, Vec<(Name, Value)>> = Default::default();
        while let Some(id) = queue.pop_front() {
            if !seen.insert(id) {
                continue;
            }
            let contents = self.catalog.get(id).contents.clone();
            for &target in &contents {
                let data = inherited.get(&id).cloned().unwrap_or_else(|| self.metaparameters(id, &names));
                if !data.is_empty() {
                    for (name, value) in &data {
                        if self.catalog.get(target).value(name).is_none() {
                            let set = self.catalog.set_value(target, *name, value.clone());
                            let location = || self.catalog.get(target).location.clone();
                            set.map_err(|word| parse_error(format!("Invalid tag '{word}'"), location()))?;
                        }
                    }
                    let mut merged = data.clone();
                    for (name, value) in self.metaparameters(target, &names) {
                        match merged.iter_mut().find(|(known, _)| *known == name) {
                            Some((_, known)) => *known = value,
                            None => merged.push((name, value)),
                        }
                    }
                    inherited.insert(id, data);
                    inherited.insert(target, merged);
                }
                self.catalog.merge_tags(target, id);
            }
            queue.extend(contents);
        }
        Ok(())
    }

    fn metaparameters(&self, id: ResourceId, names: &[Name]) -> Vec<(Name, Value)> {
        let resource = self.catalog.get(id);
        names.iter().filter_map(|name| Some((*name, resource.value(name)?.clone()))).collect()
    }

    /// Overrides and `realize` calls whose resources were never declared.
    fn refuse_leftovers(&self) -> Flow<()> {
        let left: Vec<String> = self
            .catalog
            .overrides
            .iter()
            .flat_map(|(reference, changes)| changes.iter().map(move |_| reference.to_string()))
            .collect();
        if !left.is_empty() {
            let message = format!("Could not find resource(s) {} for overriding", left.join(", "));
            return Err(parse_error(message, None));
        }
        let left = self.unrealized();
        if !left.is_empty() {
            let message = format!("Failed to realize virtual resources {}", left.join(", "));
            return Err(parse_error(message, None));
        }
        Ok(())
    }

    /// Every resource that a relationship names must exist.
    fn check_references(&self) -> Flow<()> {
        for id in self.catalog.ids() {
            let resource = self.catalog.get(id);
            if resource.is_virtual {
                continue;
            }
            for param in resource.params.iter().filter(|param| is_relationship(&param.name)) {
                for value in flat(&param.value) {
                    if value.is_undef() || self.catalog.find_value(&value).is_some() {
                        continue;
                    }
                    let reference = super::tags::text(&value);
                    let message = match ResourceRef::parse(&reference) {
                        Some(_) => {
                            format!("Could not find resource '{reference}' in parameter '{}'", param.name)
                        }
                        None => {
                            format!("No title provided and {reference:?} is not a valid resource reference")
                        }
                    };
                    let failure = Diagnostic::said("CATALOG_VALIDATION_ERROR", message);
                    return Err(failure.on_line_of(param.location.clone()).into());
                }
            }
        }
        Ok(())
    }
}
