//! The catalog half of the evaluator: classes, defines, resources, collectors, relationships.

use kukla_syntax::Span;
use kukla_values::Value;

use crate::error::{Flow, Raise};
use crate::program::{Arrow, CollectExpr, DefaultsExpr, Expr, OverrideExpr, ResourceExpr};
use crate::vm::Vm;

/// What a named scope holds for the catalog: its resource, resource defaults, tags.
#[derive(Debug, Default)]
pub struct ScopeSlots {}

/// The catalog being built.
#[derive(Debug, Default)]
pub struct CatalogBuilder {}

impl Vm<'_> {
    /// `type { title: ... }`.
    pub(crate) fn eval_resource(&mut self, _resource: &ResourceExpr, _span: Span) -> Flow {
        Err(no_catalog())
    }

    /// `Type { ... }`.
    pub(crate) fn eval_defaults(&mut self, _defaults: &DefaultsExpr, _span: Span) -> Flow {
        Err(no_catalog())
    }

    /// `Type[title] { ... }`.
    pub(crate) fn eval_override(&mut self, _change: &OverrideExpr, _span: Span) -> Flow {
        Err(no_catalog())
    }

    /// `Type <| ... |>`.
    pub(crate) fn eval_collect(&mut self, _collect: &CollectExpr, _span: Span) -> Flow {
        Err(no_catalog())
    }

    /// `a -> b`.
    pub(crate) fn eval_relationship(&mut self, _arrow: Arrow, _operands: &[Expr; 2], _span: Span) -> Flow {
        Err(no_catalog())
    }

    /// `File['/x']['mode']`: the value of an attribute (any value may stand in the brackets; only text can be right).
    pub(crate) fn resource_attribute(&mut self, name: &str, title: &str, _key: &Value, span: Span) -> Flow {
        let message = format!("Resource not found: {name}['{title}']");
        Err(self.fail(span, "UNKNOWN_RESOURCE", message))
    }
}

fn no_catalog() -> Raise {
    Raise::runtime("this needs a catalog, which cannot be built yet")
}
