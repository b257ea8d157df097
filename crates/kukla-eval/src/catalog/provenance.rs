//! Provenance: how the attributes of resources got their values. Nothing is recorded unless someone asks.

use std::sync::Arc;

use kukla_catalog::Catalog;
use kukla_values::{Name, Str};

use super::builder::{CatalogBuilder, Param, ResourceId};
use crate::error::Location;
use crate::program::{Call, Callee, Expr, Kind, Variable, VariableTarget};
use crate::vm::Vm;

/// How an attribute was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
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
}

/// A place in data that a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataPlace {
    /// The key as the data has it.
    pub key: Str,
    /// The file or URI, if the level has any.
    pub file: Option<Str>,
    /// The line of the key, from one, where known.
    pub line: Option<u32>,
    /// The level of the hierarchy.
    pub level: Str,
    /// Whether the value was encrypted there.
    pub encrypted: bool,
}

/// How a value came to be that of an attribute.
#[derive(Clone, Debug)]
pub struct Trail {
    /// How it was set.
    pub how: How,
    /// Where in the code.
    pub location: Option<Location>,
    /// Where in data, highest level first.
    pub data: Arc<[DataPlace]>,
    /// The parameter it was passed through: of what, and its name.
    pub through: Option<(String, Name)>,
    /// How that parameter got the value.
    pub from: Option<Arc<Trail>>,
    /// What was set before and is no more.
    pub replaced: Option<Arc<Trail>>,
}

impl Trail {
    fn new(how: How, location: Option<Location>) -> Trail {
        Trail { how, location, data: Arc::default(), through: None, from: None, replaced: None }
    }
}

/// What is remembered while a catalog is compiled for someone who wants to know where its values come from.
#[derive(Debug, Default)]
pub struct Recorder {
    /// Where the answer of the last lookup came from.
    pub found: Arc<[DataPlace]>,
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
}

impl Param {
    /// Says how the attribute is going to be set, if that is recorded.
    pub(super) fn mark(&mut self, how: How) {
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
    /// The trail of something set at a place, if trails are recorded; `expr` is what gave the value.
    pub(super) fn trail(
        &self,
        how: How,
        expr: Option<&Expr>,
        location: Option<&Location>,
    ) -> Option<Arc<Trail>> {
        let recorder = self.recorder.as_ref()?;
        let mut trail = Trail::new(how, location.cloned());
        match expr.map(|expr| &expr.unwrapped().kind) {
            Some(Kind::Variable(variable)) => {
                if let Some((owner, name, from)) = self.parameter_behind(variable) {
                    trail.through = Some((owner, name));
                    trail.from = from;
                }
            }
            Some(Kind::Call(call)) if is_lookup(call) => trail.data = Arc::clone(&recorder.found),
            _ => {}
        }
        Some(Arc::new(trail))
    }

    /// The parameter of a class or define that a variable is.
    fn parameter_behind(&self, variable: &Variable) -> Option<(String, Name, Option<Arc<Trail>>)> {
        let (scope, name) = match variable.target {
            VariableTarget::Local(name) => (self.scopes.holder(self.at, name)?, name),
            VariableTarget::Class(class, name) => (self.scopes.class(class)?, name),
            VariableTarget::Top(_) => return None,
        };
        let resource = self.catalog.get(self.scopes.get(scope).slots.resource?);
        let param = resource.params.iter().find(|param| param.name == name)?;
        Some((resource.reference(), name, param.trail.clone()))
    }

    /// Records that the data gave a parameter of a class.
    pub(super) fn record_data(&mut self, id: ResourceId, name: Name) {
        let Some(recorder) = &self.recorder else { return };
        let mut trail = Trail::new(How::Data, None);
        trail.data = Arc::clone(&recorder.found);
        self.catalog.set_trail(id, name, Arc::new(trail));
    }

    /// Records that a parameter has the value of its default.
    pub(super) fn record_default(&mut self, id: ResourceId, name: Name, default: &Expr) {
        let location = self.recorder.is_some().then(|| self.location(default.span));
        if let Some(trail) = self.trail(How::ParameterDefault, Some(default), location.as_ref()) {
            self.catalog.set_trail(id, name, trail);
        }
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
            });
        }
        all
    }
}

fn is_lookup(call: &Call) -> bool {
    let Callee::Function(callee) = &call.callee else { return false };
    matches!(callee.name.as_str(), "lookup" | "hiera" | "hiera_array" | "hiera_hash")
}
