//! The effect of a change on every node: two sides compiled, their catalogs compared, equal changes grouped.
//!
//! | from | to | handed on |
//! | --- | --- | --- |
//! | two catalogs of a node | its changes | [`Changes`] |
//! | a node on both sides | its outcome | [`Compared`] |
//! | all nodes | the report | [`FleetDifference`] |
//!
//! A report holds nothing that must not be shown: values of sensitive attributes are left out when it is made, not when it is
//! rendered.

mod cache;
mod changes;
mod compare;
mod condition;
mod contents;
mod document;
mod files;
mod fleet;
mod groups;
mod inputs;
mod reasons;
mod rules;

pub use cache::DiffCache;
pub use changes::{
    AttributeChange, Changes, DeclarationPosition, Kind, Relation, RelationKind, ResourceChange, SOME_SECRET,
};
pub use compare::{Comparison, Sides, Subject};
pub use document::{changes as changes_document, document};
pub use files::{Files, Tree};
pub use fleet::{
    Compared, Counts, Denied, Failure, FileDifference, FileStatus, FleetDifference, NodeDifference, Outcome,
    Reason,
};
pub use groups::Group;
pub use kukla_catalog::difference::PartChange;
pub use reasons::{Evidence, Surroundings};
pub use rules::{Rule, Rules};
