//! Exported resources: what the catalogs of other nodes offer to collectors such as `Sshkey <<| |>>`.

use kukla_catalog::{ExportQuery, ExportedResource, Filter, Resource};
use kukla_syntax::{deep, diagnostic};
use kukla_values::shown::holds_secret;
use kukla_values::{Name, Str, Value};

use super::builder::{Param, ResourceId};
use super::collect::{self, Condition};
use super::resource::Declaration;
use super::tags;
use crate::codes::{DUPLICATE_EXPORTED_RESOURCE, EXPORTS_UNAVAILABLE};
use crate::error::{Diagnostic, Flow, Raise};
use crate::program::ResourceForm;
use crate::vm::Vm;

impl Vm<'_> {
    /// Declares the resources of other nodes that a collector selects, in the collector's scope.
    ///
    /// Several collectors may find the same one; that anything else has its name is an error.
    pub(super) fn import(&mut self, at: usize) -> Flow<Vec<ResourceId>> {
        let collect::CollectorTarget::Matching(search) = &self.catalog.collectors[at].what else {
            return Ok(Vec::new());
        };
        let (resolved, scope) = (search.resolved.clone(), search.scope);
        if let Some(tracker) = self.tracker() {
            tracker.collected(&resolved.type_name);
        }
        let Some(exports) = &self.environment().exports else { return Ok(Vec::new()) };
        let wanted = ExportQuery {
            type_name: resolved.type_name.as_str().into(),
            node: self.node().name.as_str().into(),
            filter: search.query.as_ref().map(filter),
        };
        let found = exports.find(&wanted).map_err(|why| Raise::from(unavailable(&why)))?;
        let mut new = Vec::new();
        for each in found {
            let ExportedResource { node: from, resource: Resource { title, .. } } = &*each;
            if let Some(existing) = self.catalog.find(&resolved.type_name, title) {
                if self.catalog.imported.get(&existing) == Some(from) {
                    continue;
                }
                return Err(self.clash(&each, existing));
            }
            let declaration = Declaration {
                form: ResourceForm::Regular,
                location: None,
                kind: resolved.definition.kind(),
                origin: self.catalog.scope(scope).origin,
                scope,
                given: None,
            };
            let params = self.imported_params(&each.resource, &declaration);
            let resource = self.catalog.prepare(&resolved, title.clone(), params, &declaration, false)?;
            let id = self.catalog.add_resource(resource, scope)?;
            self.catalog.imported.insert(id, from.clone());
            new.push(id);
        }
        Ok(new)
    }

    /// The attributes of an exported resource. What is secret in the catalog that exports it is secret here, too.
    fn imported_params(&mut self, resource: &Resource, declaration: &Declaration) -> Vec<Param> {
        let param = |(name, value): &(Str, Value)| {
            let value = match (resource.is_sensitive(name), holds_secret(value)) {
                (true, _) => Value::Sensitive(std::sync::Arc::new(value.clone())),
                (false, true) => self.read_rich_data(value),
                (false, false) => value.clone(),
            };
            Param::unwritten(Name::new(name), value, declaration.origin)
        };
        resource.parameters.iter().map(param).collect()
    }

    /// The error for an exported resource of another node that is already declared.
    fn clash(&self, each: &ExportedResource, existing: ResourceId) -> Raise {
        let (from, own) = (&each.node, &self.node().name);
        let wrong = diagnostic!(DUPLICATE_EXPORTED_RESOURCE { resource: each.resource.reference() });
        let (wrong, other) = match self.catalog.imported.get(&existing) {
            Some(other) => (wrong, format!("'{other}' exports it too")),
            None => {
                let place = self.catalog.get(existing).location.clone();
                let wrong = wrong.label_if_known(place, "it is declared here as well");
                (wrong, format!("the catalog of '{own}' declares it itself"))
            }
        };
        wrong
            .hint(format!("'{from}' exports it, and {other}; a title with the name of the node is its own"))
            .into()
    }
}

/// The error where exported resources of other nodes are not available.
fn unavailable(why: &Diagnostic) -> Diagnostic {
    let wrong = diagnostic!(EXPORTS_UNAVAILABLE { reason: why.message() });
    why.hints.iter().fold(wrong, |wrong, hint| wrong.hint(hint.as_str()))
}

/// The query of a collector, as others are asked.
fn filter(query: &Condition) -> Filter {
    let equal = |name: &Name, value: &Value| match name.as_str() {
        "title" => Filter::Title(tags::text(value).into()),
        "tag" => Filter::Tagged(tags::text(value).to_lowercase().into()),
        name => Filter::Attribute(name.into(), value.clone()),
    };
    match query {
        Condition::Equal(name, value) => equal(name, value),
        Condition::NotEqual(name, value) => Filter::Not(Box::new(equal(name, value))),
        Condition::Tagged(tags) => match &tags[..] {
            [(tag, _)] => Filter::Tagged(tag.as_str().into()),
            tags => Filter::Any(tags.iter().map(|(tag, _)| Filter::Tagged(tag.as_str().into())).collect()),
        },
        Condition::And(both) => {
            let parts = both.iter().flat_map(|each| match deep(|| filter(each)) {
                Filter::All(parts) => parts,
                part => vec![part],
            });
            Filter::All(parts.collect())
        }
        Condition::Or(both) => {
            let parts = both.iter().flat_map(|each| match deep(|| filter(each)) {
                Filter::Any(parts) => parts,
                part => vec![part],
            });
            Filter::Any(parts.collect())
        }
        Condition::Nothing => Filter::Any(Vec::new()),
    }
}
