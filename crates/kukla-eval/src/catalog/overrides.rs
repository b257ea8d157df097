//! Overrides: `File['/x'] { mode => '0600' }`, and those of collectors.
//!
//! Only code that inherits from the class of a resource may change attributes that are set; other code of the same class may add
//! attributes that are not set. A collector with overrides has no such limits, and a resource that it has changed has none either.

use kukla_catalog::ResourceRef;
use kukla_syntax::{Fact, Span, Strict, diagnostic};
use kukla_values::Type;

use super::builder::{CatalogBuilder, CodeOrigin, Param, ResourceId, flat};
use super::provenance::AttributeSource;
use crate::codes::{
    ATTRIBUTE_ALREADY_SET, ILLEGAL_OVERRIDDEN_TYPE, OVERRIDE_AFTER_EVALUATION, OVERRIDE_FROM_OUTSIDE,
};
use crate::error::{Flow, Location};
use crate::label;
use crate::program::OverrideExpr;
use crate::remark::Remarks;
use crate::vm::Vm;

/// Attributes for a resource that is declared elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    pub params: Vec<Param>,
    pub origin: CodeOrigin,
    pub location: Option<Location>,
}

impl CatalogBuilder {
    /// Keeps the override of a resource until it is declared.
    fn postpone(&mut self, reference: ResourceRef, change: Override) {
        self.overrides.entry(reference).or_default().push(change);
    }

    /// The overrides that were waiting for a resource.
    pub(super) fn take_postponed(&mut self, id: ResourceId) -> Vec<Override> {
        if self.overrides.is_empty() {
            return Vec::new();
        }
        let reference = self.get(id).reference();
        self.overrides.shift_remove(&reference).unwrap_or_default()
    }

    /// Whether some code has used a collector with overrides.
    fn overrides_freely(&self, origin: CodeOrigin) -> bool {
        self.overriding.contains(&origin)
    }
}

impl Vm<'_> {
    pub(crate) fn eval_override(&mut self, expr: &OverrideExpr, span: Span) -> Flow {
        let value = self.eval(&expr.resources)?;
        let mut params = self.eval_attributes(&expr.attributes)?;
        self.catalog.share(&mut params);
        params.iter_mut().for_each(|param| param.mark(AttributeSource::Override));
        for each in flat(&value) {
            let reference = match each.as_type() {
                Some(Type::Resource(Some(resource))) if !resource.name.eq_ignore_ascii_case("class") => {
                    Some(ResourceRef::written(&resource.name, resource.title.as_deref().unwrap_or_default()))
                }
                _ => None,
            };
            let Some(reference) = reference else {
                let actual = label::of_value(&each);
                return Err(self.fail(span, diagnostic!(ILLEGAL_OVERRIDDEN_TYPE { actual })));
            };
            if let Some(resolved) = self.resource_type(reference.type_name())? {
                self.may_set(&resolved.definition, &params)?;
            }
            let change = Override {
                params: params.clone(),
                origin: self.origin(),
                location: Some(self.location(span)),
            };
            self.add_override(reference, change)?;
        }
        Ok(value)
    }

    /// Changes a resource, now if it is declared, otherwise at the end.
    pub(crate) fn add_override(&mut self, reference: ResourceRef, change: Override) -> Flow<()> {
        match self.catalog.find_reference(&reference) {
            Some(id) => self.apply_override(id, change),
            None => {
                self.catalog.postpone(reference, change);
                Ok(())
            }
        }
    }

    /// Whether some code inherits from other code.
    fn inherits(&self, origin: CodeOrigin, from: CodeOrigin) -> bool {
        if self.catalog.overrides_freely(origin) {
            return true;
        }
        let mut next = origin;
        // A chain longer than this can only be a circle.
        for _ in 0..1000 {
            let CodeOrigin::Class(name) = next else { return false };
            let Ok(Some(class)) = self.environment().class(name, &mut Remarks::default()) else {
                return false;
            };
            let Some(parent) = class.parent else { return false };
            next = CodeOrigin::Class(parent);
            if next == from || self.catalog.overrides_freely(next) {
                return true;
            }
        }
        false
    }

    pub(crate) fn apply_override(&mut self, id: ResourceId, change: Override) -> Flow<()> {
        let resource = self.catalog.get(id);
        if resource.origin != change.origin && !self.inherits(change.origin, resource.origin) {
            return Err(diagnostic!(OVERRIDE_FROM_OUTSIDE).on_line_of(change.location).into());
        }
        if resource.evaluated {
            let declared = resource.location.clone();
            let wrong = diagnostic!(OVERRIDE_AFTER_EVALUATION {
                earlier: Fact::position(", defined at", declared.clone()),
                comma: if declared.is_some() { "," } else { "" },
            });
            let wrong = wrong.label_if_known(declared, "declared here").on_line_of(change.location);
            match self.environment().settings.strict {
                Strict::Error => return Err(wrong.into()),
                Strict::Warning => self.warn(wrong.to_string()),
                Strict::Off => {}
            }
        }
        for param in change.params {
            self.override_param(id, param)?;
        }
        Ok(())
    }

    fn override_param(&mut self, id: ResourceId, mut param: Param) -> Flow<()> {
        let resource = self.catalog.get(id);
        let (scope, type_name) = (resource.scope, resource.type_name);
        if let Some(current) = resource.params.iter().find(|known| known.name == param.name) {
            // A default of the overriding code never replaces what is set.
            if self.catalog.is_default(scope, type_name, param.name, &param.value) {
                return Ok(());
            }
            let may = self.inherits(param.origin, current.origin)
                || param.origin == current.origin
                    && self.catalog.is_default(scope, type_name, param.name, &current.value);
            if !may {
                let by = match current.origin {
                    CodeOrigin::Class(name) => format!(" by class {name}"),
                    CodeOrigin::Define(name) => format!(" by define {name}"),
                    CodeOrigin::Node => " by the node definition".into(),
                    CodeOrigin::Main => String::new(),
                };
                let earlier = current.location.clone();
                let wrong = diagnostic!(ATTRIBUTE_ALREADY_SET {
                    name: param.name,
                    resource: resource.reference(),
                    by,
                    earlier: Fact::position(" at", earlier.clone()),
                });
                let wrong = wrong.label_if_known(earlier, "set here").on_line_of(param.location);
                return Err(wrong.into());
            }
            if param.adds {
                let mut joined = flat(&current.value);
                joined.extend(flat(&param.value));
                param.value = joined.into();
                param.shared = 0;
            }
        }
        let location = param.location.clone();
        self.catalog.set(id, param).map_err(|tag| tag.refuse(location))
    }
}
