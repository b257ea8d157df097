//! Scopes as the catalog sees them: whose code they belong to, and which resource defaults hold in them.

use kukla_values::Name;

use super::builder::{CatalogBuilder, CodeOrigin, Param, ResourceId};
use crate::scope::{ScopeId, ScopeKind};
use crate::vm::Vm;

/// A named scope as the catalog sees it.
#[derive(Debug, Default)]
pub(super) struct CodeScope {
    /// The scope it was declared from.
    pub outer: Option<ScopeId>,
    /// The resource whose code it belongs to.
    pub resource: Option<ResourceId>,
    /// The code it belongs to.
    pub origin: CodeOrigin,
    /// The resource defaults set in it, by type.
    pub defaults: Vec<(Name, Vec<Param>)>,
}

/// All named scopes; the top scope is there from the start.
#[derive(Debug)]
pub(super) struct CodeScopes(Vec<CodeScope>);

impl Default for CodeScopes {
    fn default() -> CodeScopes {
        CodeScopes(vec![CodeScope::default()])
    }
}

impl Vm<'_> {
    /// Opens a scope for the code of a resource, for variables and catalog alike.
    pub(super) fn open_scope(
        &mut self,
        kind: ScopeKind,
        outer: ScopeId,
        resource: ResourceId,
        origin: CodeOrigin,
    ) -> ScopeId {
        let id = self.scopes.open(kind, Some(outer));
        let all = &mut self.catalog.scopes.0;
        debug_assert_eq!(id.index(), all.len(), "no scope is opened elsewhere");
        all.push(CodeScope { outer: Some(outer), resource: Some(resource), origin, defaults: Vec::new() });
        id
    }
}

impl CatalogBuilder {
    pub(super) fn scope(&self, id: ScopeId) -> &CodeScope {
        &self.scopes.0[id.index()]
    }

    pub(super) fn scope_mut(&mut self, id: ScopeId) -> &mut CodeScope {
        &mut self.scopes.0[id.index()]
    }

    /// A scope, the one it was declared from, and so on.
    pub(super) fn scopes_from(&self, id: ScopeId) -> impl Iterator<Item = &CodeScope> {
        std::iter::successors(Some(self.scope(id)), |scope| scope.outer.map(|outer| self.scope(outer)))
    }

    /// The class, define or node that a resource was declared in.
    pub(super) fn declared_in(&self, id: ResourceId) -> Option<ResourceId> {
        self.scope(self.get(id).scope).resource.filter(|&outer| outer != id)
    }
}
