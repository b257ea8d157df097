//! Exported resources: what the catalogs of nodes offer to collectors of other nodes.

use std::fmt::Debug;
use std::sync::Arc;

use kukla_syntax::{Diagnostic, deep};
use kukla_values::{Str, Value};

use crate::Resource;

/// A resource that the catalog of some node exports.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedResource {
    /// The node.
    pub node: Str,
    /// The resource.
    pub resource: Resource,
}

/// The query of a collector: `Sshkey <<| tag == 'web' |>>` in the catalog of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportQuery {
    /// The capitalised type, as `Apache::Vhost`.
    pub type_name: Str,
    /// The node that asks; what it exports itself is not for the store to give.
    pub node: Str,
    /// The condition on the resources; all of the type if there is none.
    pub filter: Option<Filter>,
}

/// The query of a collector. Text is compared byte for byte, as PuppetDB does it; tags are in lower case.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// It has this title.
    Title(Str),
    /// It has this tag.
    Tagged(Str),
    /// An attribute has this value, all of it: a list is not the same as one of its elements.
    Attribute(Str, Value),
    /// Resources that do not match this.
    Not(Box<Filter>),
    /// Resources that match all of these.
    All(Vec<Filter>),
    /// Resources that match one of these.
    Any(Vec<Filter>),
}

impl Filter {
    /// Whether a resource is like that.
    pub fn matches(&self, resource: &Resource) -> bool {
        match self {
            Filter::Title(title) => resource.title == *title,
            Filter::Tagged(tag) => resource.tags.contains(tag),
            // A collector must not find out a secret by guessing it.
            Filter::Attribute(name, wanted) => resource.open_value(name).unwrap_or(&Value::Undef) == wanted,
            Filter::Not(filter) => !deep(|| filter.matches(resource)),
            Filter::All(filters) => filters.iter().all(|each| deep(|| each.matches(resource))),
            Filter::Any(filters) => filters.iter().any(|each| deep(|| each.matches(resource))),
        }
    }
}

impl ExportQuery {
    /// Whether a resource of a node is wanted.
    pub fn matches(&self, node: &str, resource: &Resource) -> bool {
        resource.exported
            && self.node != node
            && resource.type_name == self.type_name
            && self.filter.as_ref().is_none_or(|filter| filter.matches(resource))
    }
}

/// A source of exported resources: a database, or the catalogs of nodes.
pub trait Exports: Send + Sync + Debug {
    /// The resources of other nodes that match a collector, by node name and then in the order of their catalogs; or the reason for
    /// a failure.
    fn find(&self, wanted: &ExportQuery) -> Result<Vec<Arc<ExportedResource>>, Box<Diagnostic>>;

    /// PuppetDB's answer to a query, a text in PQL or an array; `None` from sources that only have exports.
    fn query(&self, _query: &Value) -> Option<Result<Value, Box<Diagnostic>>> {
        None
    }
}
