//! Exported resources: what the catalogs of other nodes offer to collectors such as `Sshkey <<| |>>`.

use kukla_catalog::{Exported, Resource};
use kukla_syntax::{bail, diagnostic};
use kukla_values::{Name, Str, Value, compare};

use super::builder::{Param, ResourceId};
use super::collect::{Condition, Wanted};
use super::resource::Declaration;
use crate::codes::{DUPLICATE_EXPORTED_RESOURCE, EXPORTS_UNAVAILABLE};
use crate::error::{Flow, Raise};
use crate::program::ResourceForm;
use crate::vm::Vm;

impl Vm<'_> {
    /// Declares the resources of other nodes that a collector wants, where the collector stands.
    ///
    /// Several collectors may find the same one; that anything else has its name is an error.
    pub(super) fn import(&mut self, at: usize) -> Flow<Vec<ResourceId>> {
        let Wanted::Matching(search) = &self.catalog.collectors[at].what else { return Ok(Vec::new()) };
        let (resolved, scope) = (search.resolved.clone(), search.scope);
        if let Some(tracker) = self.tracker() {
            tracker.collected(&resolved.type_name);
        }
        let Some(exports) = &self.environment().exports else { return Ok(Vec::new()) };
        let found = exports
            .of(&resolved.type_name, &self.node().name)
            .map_err(|reason| Raise::from(diagnostic!(EXPORTS_UNAVAILABLE { reason })))?;
        let fits = |each: &Exported| search.query.as_ref().is_none_or(|query| offers(query, &each.resource));
        let wanted: Vec<_> = found.into_iter().filter(|each| fits(each)).collect();
        let mut new = Vec::new();
        for each in wanted {
            let Resource { title, .. } = &each.resource;
            let from: Str = each.node.as_str().into();
            if let Some(existing) = self.catalog.find(&resolved.type_name, title) {
                if self.catalog.imported.get(&existing) == Some(&from) {
                    continue;
                }
                bail!(DUPLICATE_EXPORTED_RESOURCE { resource: each.resource.reference() });
            }
            let declaration = Declaration {
                form: ResourceForm::Regular,
                location: None,
                kind: resolved.definition.kind(),
                origin: self.catalog.scope(scope).origin,
                scope,
                given: None,
            };
            let params = params(&each.resource, &declaration);
            let resource = self.catalog.prepare(&resolved, title.clone(), params, &declaration, false)?;
            let id = self.catalog.add_resource(resource, scope)?;
            self.catalog.imported.insert(id, from);
            new.push(id);
        }
        Ok(new)
    }
}

fn params(resource: &Resource, declaration: &Declaration) -> Vec<Param> {
    let is_secret = |name: &Str| resource.sensitive_parameters.contains(name);
    let param = |(name, value): &(Str, Value)| {
        let value = if is_secret(name) {
            Value::Sensitive(std::sync::Arc::new(value.clone()))
        } else {
            value.clone()
        };
        Param::unwritten(Name::new(name), value, declaration.origin)
    };
    resource.parameters.iter().map(param).collect()
}

/// Whether a query fits a resource of another catalog.
fn offers(query: &Condition, resource: &Resource) -> bool {
    let value = |name: Name| match name.as_str() {
        "title" => resource.title.clone().into(),
        name => resource.get(name).cloned().unwrap_or_default(),
    };
    match query {
        Condition::Equal(name, wanted) => match value(*name) {
            Value::Array(values) => values.iter().any(|each| compare::equals(each, wanted)),
            value => compare::equals(&value, wanted),
        },
        Condition::NotEqual(name, wanted) => !compare::equals(&value(*name), wanted),
        Condition::Tagged(tags) => tags.iter().any(|(tag, _)| resource.tags.iter().any(|has| has == tag)),
        Condition::And(both) => both.iter().all(|each| offers(each, resource)),
        Condition::Or(both) => both.iter().any(|each| offers(each, resource)),
        Condition::Nothing => false,
    }
}
