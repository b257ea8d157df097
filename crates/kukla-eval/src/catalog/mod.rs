//! The catalog half of the evaluator: classes, defines, resources, collectors, relationships.

/// What a named scope holds for the catalog: its resource, resource defaults, tags.
#[derive(Debug, Default)]
pub struct ScopeSlots {}

/// The catalog being built.
#[derive(Debug, Default)]
pub struct CatalogBuilder {}
