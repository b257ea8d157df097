//! Collectors: `User <| title == 'me' |> { shell => '/bin/sh' }`, `<<| |>>`, and `realize`.
//!
//! A collector is asked again and again until nothing new turns up, because its resources may be declared after it. What
//! it has found once it leaves alone from then on, so its overrides are applied once to each resource.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use kukla_syntax::{Span, bail, diagnostic};
use kukla_values::value::HostObject;
use kukla_values::{Name, Str, Value, compare};
use rustc_hash::FxHashSet;

use super::builder::{Building, CatalogBuilder, CodeOrigin, Kindred, Param, ResourceId, flat};
use super::kind::Resolved;
use super::overrides::Override;
use super::provenance::AttributeSource;
use super::relate::RelationOperand;
use super::resource::Declaration;
use super::tags::Tagged;
use crate::codes::{
    COLLECTED_CLASSES, COLLECTING_WITHOUT_STORE, COLLECTOR_WITHOUT_TYPE, COMPUTED_QUERY, NUMBER_AS_TAG,
    UNKNOWN_COLLECTED_TYPE,
};
use crate::error::{Flow, Location};
use crate::program::{CollectExpr, Expr, Kind, Query, ResourceForm};
use crate::scope::ScopeId;
use crate::vm::Vm;

/// A collector at work.
#[derive(Debug)]
pub(crate) struct Collector {
    pub what: CollectorTarget,
    /// The resources found, in order.
    pub collected: Vec<ResourceId>,
    known: FxHashSet<ResourceId>,
    /// The references that a chain uses if nothing is found.
    pub instead: Option<Vec<RelationOperand>>,
}

/// The resources that a collector collects.
#[derive(Debug)]
pub(crate) enum CollectorTarget {
    /// Resources of a type that a query fits.
    Matching(Box<Search>),
    /// Certain resources; those that were not found yet.
    Certain(Vec<Value>),
}

/// A search for resources.
#[derive(Debug)]
pub(crate) struct Search {
    pub resolved: Resolved,
    pub query: Option<Condition>,
    exported: bool,
    overrides: Option<Changes>,
    /// Its position in the code.
    pub scope: ScopeId,
    /// Whether others were asked for what they export.
    asked: bool,
    /// The state of the catalog when it last searched.
    looked: SearchState,
}

/// The state of the catalog at the last search; resources that have not changed since need not be examined again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SearchState {
    resources: usize,
    /// How often resources of the type were changed until then.
    changes: u64,
    /// How often resources were tagged until then.
    tag_changes: u64,
}

impl Search {
    /// The title that whatever is found must have.
    fn title(&self) -> Option<&str> {
        self.query.as_ref().and_then(Condition::title)
    }
}

/// The overrides of a collector.
#[derive(Clone, Debug)]
struct Changes {
    params: Vec<Param>,
    origin: CodeOrigin,
    location: Location,
    scope: ScopeId,
}

/// A query with its values.
#[derive(Debug)]
pub(crate) enum Condition {
    Equal(Name, Value),
    NotEqual(Name, Value),
    /// One of these tags, in lower case and by their numbers.
    Tagged(Vec<(String, u32)>),
    And(Box<[Condition; 2]>),
    Or(Box<[Condition; 2]>),
    /// Something that no resource fits.
    Nothing,
}

impl Condition {
    /// The title that whatever fits must have.
    fn title(&self) -> Option<&str> {
        match self {
            Condition::Equal(name, Value::String(title)) if name.as_str() == "title" => Some(title),
            Condition::And(both) => both[0].title().or_else(|| both[1].title()),
            _ => None,
        }
    }
}

/// A collector as the value of an expression: good for nothing but a relationship.
#[derive(Debug)]
pub(super) struct CollectorValue {
    pub at: usize,
    type_name: Name,
    exported: bool,
}

impl HostObject for CollectorValue {
    fn class_name(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self.exported {
            true => "Puppet::Pops::Evaluator::Collectors::ExportedCollector",
            false => "Puppet::Pops::Evaluator::Collectors::CatalogCollector",
        })
    }

    fn text(&self) -> Str {
        let sort = if self.exported { "Exported" } else { "Catalog" };
        ecow::eco_format!("{sort}-Collector[{}]", self.type_name)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Vm<'_> {
    pub(crate) fn eval_collect(&mut self, expr: &CollectExpr, span: Span) -> Flow {
        if expr.exported && !self.environment().settings.storeconfigs {
            self.warn_at(span, &diagnostic!(COLLECTING_WITHOUT_STORE));
        }
        let type_name = match &expr.ty.kind {
            Kind::TypeName(name) => name.name.to_lowercase().into(),
            Kind::Name(name) => name.to_lowercase(),
            _ => bail!(COLLECTOR_WITHOUT_TYPE),
        };
        if type_name == "class" {
            bail!(COLLECTED_CLASSES);
        }
        let Some(resolved) = self.resource_type(&type_name)? else {
            bail!(UNKNOWN_COLLECTED_TYPE { name: type_name });
        };
        let overrides = match expr.overrides.is_empty() {
            true => None,
            false => {
                let mut params = self.eval_attributes(&expr.overrides)?;
                self.may_set(&resolved.definition, &params)?;
                self.catalog.share(&mut params);
                params.iter_mut().for_each(|param| param.mark(AttributeSource::Collector));
                let (origin, location) = (self.origin(), self.location(span));
                Some(Changes { params, origin, location, scope: self.scope() })
            }
        };
        let query = match &expr.query {
            Some(query) => Some(self.condition(query)?),
            None => None,
        };
        let (exported, scope, type_name) = (expr.exported, self.scope(), resolved.type_name);
        let search = Search {
            resolved,
            query,
            exported,
            overrides,
            scope,
            asked: false,
            looked: SearchState::default(),
        };
        let at = self.catalog.add_collector(CollectorTarget::Matching(Box::new(search)));
        Ok(Value::Host(Arc::new(CollectorValue { at, type_name, exported })))
    }

    /// `realize(references)`: makes certain virtual resources real, once they are declared.
    pub fn realize(&mut self, references: &[Value]) -> Flow<()> {
        let wanted = CollectorTarget::Certain(references.iter().flat_map(flat).collect());
        self.catalog.add_collector(wanted);
        Ok(())
    }

    fn condition(&mut self, query: &Query) -> Flow<Condition> {
        Ok(match query {
            Query::And(both) => {
                Condition::And(Box::new([self.condition(&both[0])?, self.condition(&both[1])?]))
            }
            Query::Or(both) => {
                Condition::Or(Box::new([self.condition(&both[0])?, self.condition(&both[1])?]))
            }
            Query::Equal(name, value, _) if name.as_str() == "tag" => {
                let mut tags = Vec::new();
                for tag in flat_once(self.query_value(value)?) {
                    if matches!(tag, Value::Integer(_) | Value::Float(_)) {
                        bail!(NUMBER_AS_TAG);
                    }
                    let word = super::tags::text(&tag).to_lowercase();
                    let number = self.catalog.tag_table.intern(&word);
                    tags.push((word, number));
                }
                Condition::Tagged(tags)
            }
            Query::Equal(name, value, _) => Condition::Equal(*name, self.query_value(value)?),
            Query::NotEqual(name, value, _) => Condition::NotEqual(*name, self.query_value(value)?),
            Query::Other(expr) => {
                self.eval(expr)?;
                Condition::Nothing
            }
        })
    }

    /// A value that a query compares with; only simple expressions can stand there.
    fn query_value(&mut self, expr: &Expr) -> Flow {
        let mut simple = expr.unwrapped();
        if let Kind::Constant(constant) = &simple.kind {
            simple = constant.expr.unwrapped();
        }
        let class = match &simple.kind {
            Kind::Variable(_) | Kind::Match(_) | Kind::Interpolate(_) | Kind::Name(_) | Kind::Access(_) => {
                None
            }
            Kind::Literal(Value::Array(_)) | Kind::Array(_) => Some("LiteralList"),
            Kind::Literal(Value::Hash(_)) | Kind::Hash(_) => Some("LiteralHash"),
            Kind::Literal(_) => None,
            Kind::Arithmetic(..) => Some("ArithmeticExpression"),
            Kind::Call(_) => Some("CallNamedFunctionExpression"),
            _ => Some("Expression"),
        };
        match class {
            // Puppet names the class of its own syntax tree.
            Some(class) => bail!(COMPUTED_QUERY { class }),
            None => self.eval(expr),
        }
    }

    /// Asks every collector once; whether one of them found something new.
    pub(super) fn evaluate_collectors(&mut self) -> Flow<bool> {
        let mut found = false;
        for at in 0..self.catalog.collectors.len() {
            found |= self.evaluate_collector(at)?;
        }
        Ok(found)
    }

    fn evaluate_collector(&mut self, at: usize) -> Flow<bool> {
        let mut asks_others = false;
        if let CollectorTarget::Matching(search) = &self.catalog.collectors[at].what
            && search.exported
        {
            if !self.environment().settings.storeconfigs {
                return Ok(false);
            }
            asks_others = !search.asked;
        }
        let mut new = self.catalog.found_by(at);
        if asks_others {
            new.extend(self.import(at)?);
        }
        self.collect(at, new)
    }

    fn collect(&mut self, at: usize, mut new: Vec<ResourceId>) -> Flow<bool> {
        for &id in &new {
            self.catalog.get_mut(id).is_virtual = false;
        }
        new.retain(|id| !self.catalog.collectors[at].known.contains(id));
        if new.is_empty() {
            return Ok(false);
        }
        if let CollectorTarget::Matching(search) = &self.catalog.collectors[at].what
            && let Some(changes) = search.overrides.clone()
        {
            let resolved = search.resolved.clone();
            self.catalog.overriding.insert(changes.origin);
            for &id in &new {
                self.change(id, &resolved, &changes)?;
            }
        }
        let collector = &mut self.catalog.collectors[at];
        collector.known.extend(&new);
        collector.collected.extend(new);
        Ok(true)
    }

    /// Overrides a collected resource. The defaults at the collector count as part of the override.
    fn change(&mut self, id: ResourceId, resolved: &Resolved, changes: &Changes) -> Flow<()> {
        let declaration = Declaration {
            form: ResourceForm::Regular,
            location: Some(changes.location.clone()),
            kind: resolved.definition.kind(),
            origin: changes.origin,
            scope: changes.scope,
            given: None,
        };
        let reference = self.catalog.get(id).reference();
        let Building { params, origin, location, .. } = self.catalog.prepare(
            resolved,
            reference.title().clone(),
            changes.params.clone(),
            &declaration,
            true,
        )?;
        self.add_override(reference, Override { params, origin, location })
    }
}

impl CatalogBuilder {
    fn add_collector(&mut self, what: CollectorTarget) -> usize {
        let collector = Collector { what, collected: Vec::new(), known: FxHashSet::default(), instead: None };
        self.collectors.push(collector);
        self.collectors.len() - 1
    }

    /// The resources that a collector finds and has not found before.
    fn found_by(&mut self, at: usize) -> Vec<ResourceId> {
        if let CollectorTarget::Matching(search) = &self.collectors[at].what
            && search.title().is_some()
        {
            self.index_titles(search.resolved.type_name);
        }
        let collector = &self.collectors[at];
        match &collector.what {
            CollectorTarget::Certain(references) => {
                let (mut new, mut left) = (Vec::new(), Vec::new());
                for reference in references {
                    match self.find_value(reference) {
                        Some(id) => new.push(id),
                        None => left.push(reference.clone()),
                    }
                }
                self.collectors[at].what = CollectorTarget::Certain(left);
                new
            }
            CollectorTarget::Matching(search) => {
                let kindred = self.of_type(search.resolved.type_name);
                let all = match (kindred, search.title()) {
                    (None, _) => &[][..],
                    (Some(kindred), Some(title)) => kindred.titled(title),
                    (Some(kindred), None) => kindred.all(),
                };
                let looked = SearchState {
                    resources: all.len(),
                    changes: kindred.map_or(0, Kindred::changes),
                    tag_changes: self.tag_changes,
                };
                let is_as_it_was = looked.changes == search.looked.changes
                    && looked.tag_changes == search.looked.tag_changes
                    || search.query.is_none() && !search.exported;
                let from = if is_as_it_was { search.looked.resources } else { 0 };
                let mut tagged = Tagged::default();
                let wanted = |id: &ResourceId| {
                    !collector.known.contains(id)
                        && (!search.exported || self.get(*id).exported)
                        && search.query.as_ref().is_none_or(|query| self.fits(query, *id, &mut tagged))
                };
                let new =
                    all[from..].iter().copied().filter(|id| !self.is_hidden(*id)).filter(wanted).collect();
                if let CollectorTarget::Matching(search) = &mut self.collectors[at].what {
                    search.looked = looked;
                    search.asked = true;
                }
                new
            }
        }
    }

    /// Collectors see what was declared, not what every catalog has, nor what it no longer has.
    fn is_hidden(&self, id: ResourceId) -> bool {
        self.get(id).is_main() || self.is_removed(id)
    }

    fn fits(&self, query: &Condition, id: ResourceId, tagged: &mut Tagged) -> bool {
        let resource = self.get(id);
        let value = |name: Name| match name.as_str() {
            "title" => resource.given_title(),
            _ => resource
                .params
                .iter()
                .find(|param| param.name == name)
                .map(|p| p.value.clone())
                .unwrap_or_default(),
        };
        match query {
            Condition::Equal(name, wanted) => match value(*name) {
                Value::Array(values) => values.iter().any(|each| compare::equals(each, wanted)),
                value => compare::equals(&value, wanted),
            },
            Condition::NotEqual(name, wanted) => !compare::equals(&value(*name), wanted),
            Condition::Tagged(tags) => {
                tags.iter().any(|(_, number)| self.is_tagged_within(id, *number, tagged))
            }
            Condition::And(both) => self.fits(&both[0], id, tagged) && self.fits(&both[1], id, tagged),
            Condition::Or(both) => self.fits(&both[0], id, tagged) || self.fits(&both[1], id, tagged),
            Condition::Nothing => false,
        }
    }

    /// The references that `realize` was given and nobody declared.
    pub(super) fn unrealized(&self) -> Vec<String> {
        let mut all = Vec::new();
        for collector in &self.collectors {
            if let CollectorTarget::Certain(references) = &collector.what {
                all.extend(references.iter().map(super::tags::text));
            }
        }
        all
    }
}

fn flat_once(value: Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values.into_iter().collect(),
        other => vec![other],
    }
}
