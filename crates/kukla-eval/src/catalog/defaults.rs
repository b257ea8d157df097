//! Resource defaults: `File { owner => 'root' }`.
//!
//! A default holds for the resources declared after it in its scope and in every scope declared from there, however deep:
//! the one rule of Puppet that still follows who declared whom. It is applied when a resource is declared.

use kukla_syntax::{Span, diagnostic};
use kukla_values::types::capitalize;
use kukla_values::{Array, Name, Type, Value};
use smallvec::SmallVec;

use super::builder::{CatalogBuilder, Param};
use super::provenance::AttributeSource;
use super::scopes::CodeScope;
use crate::codes::{DEFAULT_REDEFINED, ILLEGAL_RESOURCE_TYPE};
use crate::error::Flow;
use crate::program::DefaultsExpr;
use crate::scope::ScopeId;
use crate::vm::Vm;

impl Vm<'_> {
    pub(crate) fn eval_defaults(&mut self, expr: &DefaultsExpr, _span: Span) -> Flow {
        let value = self.eval(&expr.ty)?;
        let type_name = match &value {
            Value::Type(ty) => match &**ty {
                Type::Resource(Some(resource)) if resource.title.is_none() => Ok(resource.name.clone()),
                _ => Err(Type::of(&value).to_string()),
            },
            other => Err(Type::of_generalized(other).to_string()),
        };
        let type_name = type_name
            .map_err(|actual| self.fail(expr.ty.span, diagnostic!(ILLEGAL_RESOURCE_TYPE { actual })))?;
        let mut params = self.eval_attributes(&expr.attributes)?;
        if let Some(resolved) = self.resource_type(&type_name)? {
            self.may_set(&resolved.definition, &params)?;
        }
        self.catalog.share(&mut params);
        let type_name = Name::new(&capitalize(&type_name.to_lowercase()));
        self.catalog.set_defaults(self.scope(), type_name, params)?;
        Ok(value)
    }
}

impl CatalogBuilder {
    /// Sets defaults in a scope.
    fn set_defaults(&mut self, scope: ScopeId, type_name: Name, params: Vec<Param>) -> Flow<()> {
        if !self.defaulted.contains(&type_name) {
            self.defaulted.push(type_name);
        }
        for mut param in params {
            param.mark(AttributeSource::Default);
            let current =
                self.defaults_for(scope, type_name).into_iter().find(|known| known.name == param.name);
            let defaults = &mut self.scope_mut(scope).defaults;
            let at = defaults.iter().position(|(name, _)| *name == type_name).unwrap_or_else(|| {
                defaults.push((type_name, Vec::new()));
                defaults.len() - 1
            });
            let own = &mut defaults[at].1;
            let known = own.iter_mut().find(|known| known.name == param.name);
            if param.adds {
                // Not in Puppet, which refuses `+>` here: the value is appended to the default there is.
                if let Some(current) = current {
                    let mut joined: Array = super::builder::flat(&current.value).into_iter().collect();
                    joined.extend(super::builder::flat(&param.value));
                    param.value = joined.into();
                }
                param.adds = false;
            } else if known.is_some() {
                let wrong = diagnostic!(DEFAULT_REDEFINED { kind: type_name, name: param.name });
                return Err(wrong.on_line_of(param.location).into());
            }
            match known {
                Some(known) => *known = param,
                None => own.push(param),
            }
        }
        Ok(())
    }

    /// The defaults for a type as seen from a scope: outer ones first, inner ones in their place.
    pub(super) fn defaults_for(&self, scope: ScopeId, type_name: Name) -> Vec<Param> {
        if !self.defaulted.contains(&type_name) {
            return Vec::new();
        }
        let found: SmallVec<[&[Param]; 4]> =
            self.scopes_from(scope).filter_map(|scope| defaults_in(scope, type_name)).collect();
        let mut all: Vec<Param> = Vec::new();
        for param in found.into_iter().rev().flatten() {
            match all.iter_mut().find(|known| known.name == param.name) {
                Some(known) => *known = param.clone(),
                None => all.push(param.clone()),
            }
        }
        all
    }

    /// The values of the defaults for a type as seen from a scope.
    pub(crate) fn default_values(&self, scope: ScopeId, type_name: Name) -> Vec<(Name, Value)> {
        self.defaults_for(scope, type_name).into_iter().map(|param| (param.name, param.value)).collect()
    }

    /// Whether a value is what some default visible from a scope says.
    pub(super) fn is_default(&self, scope: ScopeId, type_name: Name, name: Name, value: &Value) -> bool {
        let mut visible = self.scopes_from(scope).filter_map(|scope| defaults_in(scope, type_name)).flatten();
        visible.any(|param| param.name == name && param.value == *value)
    }
}

/// The defaults for a type that are set in a scope itself.
fn defaults_in(scope: &CodeScope, type_name: Name) -> Option<&[Param]> {
    let mut defaults = scope.defaults.iter();
    defaults.find(|(name, _)| *name == type_name).map(|(_, params)| params.as_slice())
}
