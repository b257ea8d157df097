//! Resource defaults: `File { owner => 'root' }`.
//!
//! A default holds for the resources declared after it in its scope and in every scope declared from there, however deep:
//! the one rule of Puppet that still follows who declared whom. It is applied when a resource is declared.

use kukla_syntax::Span;
use kukla_values::types::capitalize;
use kukla_values::{Array, Name, Type, Value};

use super::builder::Param;
use super::compile::parse_error;
use super::provenance::How;
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
        let type_name = type_name.map_err(|actual| {
            let message = format!(
                "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {actual}"
            );
            self.fail(expr.ty.span, "ILLEGAL_RESOURCE_TYPE", message)
        })?;
        let mut params = self.eval_attributes(&expr.attributes)?;
        self.catalog.share(&mut params);
        self.set_defaults(Name::new(&capitalize(&type_name.to_lowercase())), params)?;
        Ok(value)
    }

    fn set_defaults(&mut self, type_name: Name, params: Vec<Param>) -> Flow<()> {
        let scope = self.scope();
        for mut param in params {
            param.mark(How::Default);
            let current =
                self.defaults_for(scope, type_name).into_iter().find(|known| known.name == param.name);
            let slots = &mut self.scopes.get_mut(scope).slots;
            let at = slots.defaults.iter().position(|(name, _)| *name == type_name).unwrap_or_else(|| {
                slots.defaults.push((type_name, Vec::new()));
                slots.defaults.len() - 1
            });
            let own = &mut slots.defaults[at].1;
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
                let message =
                    format!("Default already defined for {type_name} {{ {} }}; cannot redefine", param.name);
                return Err(parse_error(message, param.location));
            }
            match known {
                Some(known) => *known = param,
                None => own.push(param),
            }
        }
        Ok(())
    }

    /// The defaults for a type as seen from a scope: outer ones first, inner ones in their place.
    pub(crate) fn defaults_for(&self, scope: ScopeId, type_name: Name) -> Vec<Param> {
        let mut found: Vec<&Vec<Param>> = Vec::new();
        let mut next = Some(scope);
        while let Some(id) = next {
            let scope = self.scopes.get(id);
            found.extend(
                scope.slots.defaults.iter().filter(|(name, _)| *name == type_name).map(|(_, params)| params),
            );
            next = scope.parent;
        }
        let mut all: Vec<Param> = Vec::new();
        for param in found.into_iter().rev().flatten() {
            match all.iter_mut().find(|known| known.name == param.name) {
                Some(known) => *known = param.clone(),
                None => all.push(param.clone()),
            }
        }
        all
    }

    /// Whether a value is what some default visible from a scope says.
    pub(crate) fn is_default(&self, scope: ScopeId, type_name: Name, name: Name, value: &Value) -> bool {
        let mut next = Some(scope);
        while let Some(id) = next {
            let scope = self.scopes.get(id);
            let of_type = scope.slots.defaults.iter().filter(|(known, _)| *known == type_name);
            if of_type.flat_map(|(_, params)| params).any(|param| param.name == name && param.value == *value)
            {
                return true;
            }
            next = scope.parent;
        }
        false
    }
}
