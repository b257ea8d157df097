//! Provenance: how the attributes of resources got their values. Nothing is recorded unless someone asks.

use std::path::Path;
use std::sync::Arc;

use kukla_catalog::{Catalog, ResourceRef};
use kukla_hiera::ValueOrigin;
use kukla_syntax::Span;
use kukla_values::{Name, Str, Value};
use rustc_hash::FxHashMap;

use super::builder::{CatalogBuilder, Param, ResourceId};
use super::relate::DrawnRelationship;
use crate::error::Location;
use crate::function::Quality;
use crate::program::{Call, Callee, Expr, Kind, Segment, Variable, VariableTarget};
use crate::scope::{Position, ScopeId, VariableSearch};
use crate::vm::Vm;

/// How an attribute was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeSource {
    /// Written where the resource is declared, or given to a function that declares it.
    Manifest,
    /// By a resource default.
    Default,
    /// By an override.
    Override,
    /// By a collector.
    Collector,
    /// By the node classifier.
    Classifier,
    /// By the default of a parameter.
    ParameterDefault,
    /// From data.
    Data,
    /// By an assignment to a variable.
    Variable,
    /// By a function that gives it to its lambda.
    Lambda,
}

/// How a value came to be that of an attribute, a parameter or a variable.
#[derive(Clone, Debug)]
pub struct Trail {
    /// How it was set.
    pub how: AttributeSource,
    /// Where in the code.
    pub location: Option<Location>,
    /// The parts it was made of: none if it is written there.
    pub parts: Arc<[Part]>,
    /// The value that was set before.
    pub replaced: Option<Arc<Trail>>,
}

/// Where the data has a value, highest level first; empty if the value is the default of the lookup.
pub type DataOrigins = Arc<[Arc<ValueOrigin>]>;

/// Something that a value was made of.
#[derive(Clone, Debug)]
pub enum Part {
    /// Data, highest level first.
    Data(DataOrigins),
    /// A parameter of a class or define: of what, its name, and how it got its value.
    Parameter(ResourceRef, Name, Option<Arc<Trail>>),
    /// A variable and how it got its value.
    Variable(Name, Option<Arc<Trail>>),
    /// A file of a module: a template that was rendered, a file that was read.
    File(Str),
}

impl Trail {
    fn new(how: AttributeSource, location: Option<Location>, parts: Vec<Part>) -> Trail {
        Trail { how, location, parts: parts.into(), replaced: None }
    }
}

/// The origins of values, recorded while a catalog is compiled if someone asks for them.
#[derive(Debug, Default)]
pub struct Recorder {
    /// Where the answer of the last lookup came from.
    found: DataOrigins,
    /// Where the last answer to each lookup in the code came from.
    lookups: Vec<(Location, DataOrigins)>,
    /// The calls in the code that read files of modules, and what came in with them.
    files: Vec<(Location, Str, Vec<Part>)>,
    /// How variables got their values; a value tells whether the place still holds the same variable.
    variables: FxHashMap<(Position, Name), (Value, Arc<Trail>)>,
    /// The calls with a lambda, its parameters, and what they were last given.
    lambdas: Vec<(Location, Vec<Name>, Vec<Part>)>,
    /// The calls that declare classes.
    inclusions: FxHashMap<ResourceId, Arc<Trail>>,
}

impl Recorder {
    /// Notes where the answer to a lookup came from that is made at a place in the code.
    fn note(&mut self, location: Location, found: DataOrigins) {
        match self.lookups.iter_mut().find(|(known, _)| is_same(known, &location)) {
            Some((_, places)) => *places = Arc::clone(&found),
            None => self.lookups.push((location, Arc::clone(&found))),
        }
        self.found = found;
    }
}

fn is_same(one: &Location, other: &Location) -> bool {
    one.span == other.span && one.source.name() == other.source.name()
}

/// The attributes of a resource and how they got their values; none is known for what the compiler adds by itself.
#[derive(Debug)]
pub struct Provenance {
    /// The type of the resource.
    pub type_name: Str,
    /// Its title.
    pub title: Str,
    /// Where it is declared.
    pub location: Option<Location>,
    /// Its attributes in the order of the catalog.
    pub parameters: Vec<(Str, Option<Arc<Trail>>)>,
    /// The defines, classes and node whose code declares it, innermost first.
    pub containers: Vec<ResourceRef>,
    /// If it is a class that a function such as `include` declares: the call, and the data that it is given.
    pub inclusion: Option<Arc<Trail>>,
}

impl Param {
    /// Says how the attribute is going to be set, if that is recorded.
    pub(super) fn mark(&mut self, how: AttributeSource) {
        if let Some(trail) = &mut self.trail {
            Arc::make_mut(trail).how = how;
        }
    }
}

impl CatalogBuilder {
    fn set_trail(&mut self, id: ResourceId, name: Name, trail: Arc<Trail>) {
        if let Some(param) = self.get_mut(id).params.iter_mut().find(|param| param.name == name) {
            param.trail = Some(trail);
        }
    }
}

impl Vm<'_> {
    /// Keeps how attributes get their values from now on, for [`Vm::provenance`].
    pub fn record_provenance(&mut self) {
        self.recorder = Some(Box::default());
    }

    /// Notes where the answer to the lookup that is being made came from, if someone wants to know.
    pub(crate) fn note_lookup(&mut self, origins: &[Arc<ValueOrigin>]) {
        let location = self.recorder.is_some().then(|| self.call_location());
        if let (Some(location), Some(recorder)) = (location, &mut self.recorder) {
            recorder.note(location, origins.into());
        }
    }

    /// Notes a file that is read for the call being made, and the variables that it uses by itself, if someone wants to know.
    pub fn note_file<'n>(&mut self, path: &Path, variables: impl Iterator<Item = &'n str>) {
        let Some(recorder) = &self.recorder else { return };
        let location = self.call_location();
        let named = |name| self.named_part(recorder, VariableTarget::Local(name), name, &location);
        let file = Str::from(path.to_string_lossy().as_ref());
        let mut parts = vec![Part::File(file.clone())];
        parts.extend(variables.filter_map(Name::existing).map(named));
        if let Some(recorder) = &mut self.recorder {
            recorder.files.retain(|(known, other, _)| *other != file || !is_same(known, &location));
            recorder.files.push((location, file, parts));
        }
    }

    /// The trail of something set at a place, if trails are recorded; `expr` is what gave the value.
    pub(super) fn trail(
        &self,
        how: AttributeSource,
        expr: Option<&Expr>,
        location: Option<&Location>,
    ) -> Option<Arc<Trail>> {
        let recorder = self.recorder.as_ref()?;
        let mut parts = Vec::new();
        if let Some(expr) = expr {
            self.collect_parts(recorder, expr, &mut parts);
        }
        Some(Arc::new(Trail::new(how, location.cloned(), parts)))
    }

    /// Adds the parts of an expression's value: the variables and lookups in it.
    fn collect_parts(&self, recorder: &Recorder, expr: &Expr, parts: &mut Vec<Part>) {
        let mut all = |exprs: &mut dyn Iterator<Item = &Expr>| {
            exprs.for_each(|expr| self.collect_parts(recorder, expr, parts));
        };
        match &expr.kind {
            Kind::Variable(variable) => {
                let part = self.variable_part(recorder, variable, expr);
                let known = parts.iter().any(|other| match (other, &part) {
                    (Part::Variable(one, _), Part::Variable(other, _)) => one == other,
                    (Part::Parameter(owner, one, _), Part::Parameter(of, other, _)) => {
                        owner == of && one == other
                    }
                    _ => false,
                });
                if !known {
                    parts.push(part);
                }
            }
            Kind::Call(call) if self.is_lookup(call) => {
                let location = self.location(expr.span);
                let made = recorder.lookups.iter().find(|(known, _)| is_same(known, &location));
                match made {
                    // The value is the default of the lookup, which is one of the arguments.
                    Some((_, places)) if places.is_empty() => {
                        all(&mut call.args.iter());
                        parts.push(Part::Data(Arc::clone(places)));
                    }
                    Some((_, places)) => parts.push(Part::Data(Arc::clone(places))),
                    None => all(&mut call.args.iter()),
                }
            }
            Kind::Call(call) => {
                all(&mut call.args.iter());
                let location = self.location(expr.span);
                let read = recorder.files.iter().filter(|(known, ..)| is_same(known, &location));
                parts.extend(read.flat_map(|(.., parts)| parts.iter().cloned()));
            }
            Kind::Interpolate(segments) => all(&mut segments.iter().filter_map(|segment| match segment {
                Segment::Expr(expr) => Some(expr),
                Segment::Text(_) => None,
            })),
            Kind::Array(exprs) | Kind::Block(exprs) => all(&mut exprs.iter()),
            Kind::Hash(entries) => all(&mut entries.iter().flat_map(|(key, value)| [key, value])),
            Kind::Unfold(inner) | Kind::Parens(inner) | Kind::Not(inner) | Kind::Negate(inner) => {
                all(&mut std::iter::once(&**inner));
            }
            Kind::Arithmetic(_, both) | Kind::And(both) | Kind::Or(both) => all(&mut both.iter()),
            Kind::Access(access) => all(&mut std::iter::once(&access.left).chain(&access.keys)),
            Kind::Selector(selector) => all(&mut selector.options.iter().map(|(_, value)| value)),
            Kind::If(branch) => all(&mut [&branch.then, &branch.otherwise].into_iter()),
            Kind::Case(case) => all(&mut case.options.iter().map(|option| &option.then)),
            _ => {}
        }
    }

    /// Whether a call looks up data, so that the origin of the data is more useful than the arguments.
    fn is_lookup(&self, call: &Call) -> bool {
        let Callee::Function(callee) = &call.callee else { return false };
        self.environment().registry.is(callee.name.as_str(), Quality::LooksUp)
    }

    /// A variable as part of a value: a parameter, something assigned, or what a lambda was given.
    fn variable_part(&self, recorder: &Recorder, variable: &Variable, expr: &Expr) -> Part {
        self.named_part(recorder, variable.target, variable.name, &self.location(expr.span))
    }

    /// A variable that is used at a place, as part of a value.
    fn named_part(
        &self,
        recorder: &Recorder,
        target: VariableTarget,
        shown: Name,
        location: &Location,
    ) -> Part {
        let unknown = Part::Variable(shown, None);
        let (holder, name) = match target {
            VariableTarget::Local(name) => (self.scopes.holder(self.position(), name), name),
            VariableTarget::Class(class, name) => (self.scopes.class(class).map(Position::named), name),
            VariableTarget::Top(name) => (Some(Position::named(ScopeId::TOP)), name),
        };
        let Some(holder) = holder else { return unknown };
        if holder.is_named()
            && let Some(id) = self.catalog.scope(holder.scope).resource
            && let resource = self.catalog.get(id)
            && let Some(param) = resource.params.iter().find(|param| param.name == name)
        {
            return Part::Parameter(resource.reference(), name, param.trail.clone());
        }
        if let Some((value, trail)) = recorder.variables.get(&(holder, name))
            && matches!(self.scopes.find(holder, name), VariableSearch::Value(current) if current == value)
        {
            return Part::Variable(name, Some(Arc::clone(trail)));
        }
        if holder.is_named() {
            return unknown;
        }
        let around = recorder.lambdas.iter().filter(|(place, names, _)| {
            place.source.name() == location.source.name()
                && place.span.start <= location.span.start
                && location.span.end <= place.span.end
                && names.contains(&name)
        });
        match around.min_by_key(|(place, ..)| place.span.end - place.span.start) {
            Some((place, _, parts)) => {
                let trail = Trail::new(AttributeSource::Lambda, Some(place.clone()), parts.clone());
                Part::Variable(name, Some(Arc::new(trail)))
            }
            None => unknown,
        }
    }

    /// Records the call that has just declared classes, with the lookups in it.
    pub(super) fn record_inclusions(&mut self, classes: &[ResourceId]) {
        let Some(recorder) = &self.recorder else { return };
        let location = self.call_location();
        let is_within = |inner: &Location| {
            inner.source.name() == location.source.name()
                && location.span.start <= inner.span.start
                && inner.span.end <= location.span.end
        };
        let lookups = recorder.lookups.iter().filter(|(place, _)| is_within(place));
        let parts = lookups.map(|(_, origins)| Part::Data(Arc::clone(origins))).collect();
        let trail = Arc::new(Trail::new(AttributeSource::Manifest, Some(location), parts));
        if let Some(recorder) = &mut self.recorder {
            recorder.inclusions.extend(classes.iter().map(|id| (*id, Arc::clone(&trail))));
        }
    }

    /// Records what the lambda of a call is about to be given.
    pub(crate) fn record_lambda(&mut self, call: &Call) {
        let (Some(recorder), Some(lambda)) = (&self.recorder, &call.lambda) else { return };
        let mut parts = Vec::new();
        call.args.iter().for_each(|arg| self.collect_parts(recorder, arg, &mut parts));
        let location = self.location(lambda.span);
        let names = lambda.params.iter().map(|param| param.name).collect();
        if let Some(recorder) = &mut self.recorder {
            recorder.lambdas.retain(|(known, ..)| !is_same(known, &location));
            recorder.lambdas.push((location, names, parts));
        }
    }

    /// Records what a variable was just assigned.
    pub(crate) fn record_variable(&mut self, name: Name, value: &Expr, span: Span) {
        let location = self.recorder.is_some().then(|| self.location(span));
        let Some(trail) = self.trail(AttributeSource::Variable, Some(value), location.as_ref()) else {
            return;
        };
        let at = self.position();
        if let (VariableSearch::Value(value), Some(recorder)) =
            (self.scopes.find(at, name), &mut self.recorder)
        {
            recorder.variables.insert((at, name), (value.clone(), trail));
        }
    }

    /// Records that the data gave a parameter of a class.
    pub(super) fn record_data(&mut self, id: ResourceId, name: Name) {
        let Some(recorder) = &self.recorder else { return };
        let trail = Trail::new(AttributeSource::Data, None, vec![Part::Data(Arc::clone(&recorder.found))]);
        self.catalog.set_trail(id, name, Arc::new(trail));
    }

    /// Records that a parameter has the value of its default.
    pub(super) fn record_default(&mut self, id: ResourceId, name: Name, default: &Expr) {
        let location = self.recorder.is_some().then(|| self.location(default.span));
        if let Some(trail) = self.trail(AttributeSource::ParameterDefault, Some(default), location.as_ref()) {
            self.catalog.set_trail(id, name, trail);
        }
    }

    /// The relationships that arrows drew, if origins are recorded.
    pub fn drawn_relationships(&mut self) -> Vec<DrawnRelationship> {
        std::mem::take(&mut self.catalog.drawn)
    }

    /// How the attributes of a catalog got their values, as far as that was recorded.
    pub fn provenance(&self, catalog: &Catalog) -> Vec<Provenance> {
        let mut all = Vec::with_capacity(catalog.resources.len());
        for resource in &catalog.resources {
            let Some(id) = self.catalog.find(&resource.type_name, &resource.title) else { continue };
            let built = self.catalog.get(id);
            let trail = |name: &Str| {
                let own = built
                    .param(name)
                    .or_else(|| built.param("name").filter(|_| *name == built.definition.namevar()));
                (name.clone(), own.and_then(|param| param.trail.clone()))
            };
            all.push(Provenance {
                type_name: resource.type_name.clone(),
                title: resource.title.clone(),
                location: built.location.clone(),
                parameters: resource.parameters.iter().map(|(name, _)| trail(name)).collect(),
                containers: self
                    .catalog
                    .containers_of(id)
                    .map(|id| self.catalog.get(id).reference())
                    .collect(),
                inclusion: self.recorder.as_ref().and_then(|recorder| recorder.inclusions.get(&id).cloned()),
            });
        }
        all
    }
}
