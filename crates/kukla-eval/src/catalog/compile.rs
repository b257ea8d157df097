//! The order of a compilation.

use std::sync::Arc;

use kukla_catalog::Catalog;
use kukla_syntax::{NAMELESS, bail, diagnostic};
use kukla_values::{Name, Value};

use super::builder::{CodeOrigin, Param, ResourceId};
use super::kind::{Resolved, ResourceDefinition};
use super::provenance::AttributeSource;
use super::resource::Declaration;
use super::tags::InvalidTag;
use crate::codes::{DECLARED_HERE, ENDLESS_DECLARATIONS, ILLEGAL_JUMP};
use crate::error::{Diagnostic, Flow, ForeignException, Frame, Raise, Raised, Stage};
use crate::program::ResourceForm;
use crate::scope::ScopeId;
use crate::unit::Unit;
use crate::variable::SETTINGS;
use crate::vm::Vm;

/// The resources that come before the site manifest's and belong to no code: the main stage and the settings.
pub(super) const OWN: usize = 2;

/// Options for the contents of a catalog.
#[derive(Clone, Copy, Debug, Default)]
pub struct OutputOptions {
    /// Keep resources that nothing realised.
    pub keep_virtual: bool,
    /// Evaluation ends with the catalog, which may take what it needs from what it was built from.
    pub is_last: bool,
}

impl Vm<'_> {
    /// Compiles the catalog of the node from the site manifest's programs, whose definitions the environment knows.
    pub fn compile(&mut self, manifests: &[Arc<Unit>]) -> Result<Catalog, Box<Diagnostic>> {
        self.compile_as(manifests, OutputOptions::default())
    }

    /// Compiles the catalog of the node, saying what it is to contain.
    pub fn compile_as(
        &mut self,
        manifests: &[Arc<Unit>],
        output: OutputOptions,
    ) -> Result<Catalog, Box<Diagnostic>> {
        self.build(manifests).and_then(|()| self.finish(output)).map_err(Raise::into_diagnostic)
    }

    fn build(&mut self, manifests: &[Arc<Unit>]) -> Flow<()> {
        self.begin()?;
        self.evaluate_main(manifests)?;
        self.evaluate_node_definition()?;
        self.evaluate_node_classes()?;
        self.evaluate_generators()
    }

    /// Sets up what every catalog has: the main stage, the settings, the class of the site manifest.
    pub fn begin(&mut self) -> Flow<()> {
        self.check_node()?;
        let node = self.node();
        for (name, _) in &node.classes {
            if !kukla_catalog::tags::is_valid(name) {
                return Err(InvalidTag(name.to_lowercase()).refuse(None));
            }
            self.catalog.add_class(name);
        }
        let stage = self.resource_type("stage")?;
        if let Some(stage) = stage {
            self.add_own(stage, "main")?;
        }
        let class = |definition| Resolved { definition, type_name: Name::new("Class") };
        if let Some(settings) = self.autoload_class(Name::new(SETTINGS))? {
            let id = self.add_own(class(ResourceDefinition::Class(settings)), "Settings")?;
            self.catalog.get_mut(id).evaluated = false;
            self.evaluate(id)?;
        }
        let main = self.add_own(class(ResourceDefinition::Main), "main")?;
        self.catalog.scope_mut(ScopeId::TOP).resource = Some(main);
        self.catalog.contain_in_stage(main)
    }

    fn add_own(&mut self, resolved: Resolved, title: &str) -> Flow<ResourceId> {
        let declaration = Declaration {
            form: ResourceForm::Regular,
            location: None,
            kind: resolved.definition.kind(),
            origin: CodeOrigin::Main,
            scope: ScopeId::TOP,
            given: None,
        };
        let mut resource = self.catalog.prepare(&resolved, title.into(), Vec::new(), &declaration, false)?;
        resource.evaluated = true;
        self.catalog.add(resource).map_err(Raise::from)
    }

    /// Evaluates the site manifest; the value is that of its last expression.
    pub fn evaluate_main(&mut self, manifests: &[Arc<Unit>]) -> Flow {
        for unit in manifests {
            self.check_parameter_types(unit)?;
        }
        let mut last = Value::Undef;
        for unit in manifests {
            last = self.in_manifest(unit, |vm| vm.enter(|vm| vm.eval(&unit.program.main)))?;
        }
        Ok(last)
    }

    /// The types of parameters are known from the start, whether or not what they belong to is ever declared.
    fn check_parameter_types(&mut self, unit: &Arc<Unit>) -> Flow<()> {
        self.in_unit(unit, |vm| {
            unit.program.parameter_types().try_for_each(|ty| vm.eval_type_expr(ty).map(drop))
        })
    }

    /// Declares the classes a node classifier assigns: first those with parameters, then the others.
    fn evaluate_node_classes(&mut self) -> Flow<()> {
        let scope = self.scopes.node().unwrap_or(ScopeId::TOP);
        let node = self.node();
        let (with, without): (Vec<_>, Vec<_>) = node
            .classes
            .iter()
            .partition(|(_, params)| params.as_ref().is_some_and(|params| !params.is_empty()));
        let mut found = Vec::new();
        for (name, params) in with.into_iter().chain(without) {
            let class = self.find_class(name)?.ok_or_else(|| named(self.unknown_class(name), "ERROR"))?;
            found.push((class, params.as_ref().filter(|params| !params.is_empty())));
        }
        for (class, params) in found {
            let given = params.map(|params| {
                let param = |(name, value): (&Value, &Value)| {
                    let name = Name::new(&super::tags::text(name));
                    let mut param = Param::unwritten(name, value.clone(), CodeOrigin::Class(class.name));
                    param.trail = self.trail(AttributeSource::Classifier, None, None);
                    param
                };
                params.iter().map(param).collect::<Vec<_>>()
            });
            self.may_use_class(&class)?;
            self.may_set(
                &ResourceDefinition::Class(Arc::clone(&class)),
                given.as_deref().unwrap_or_default(),
            )?;
            if given.is_some() || self.scopes.class(class.name).is_none() {
                self.declare_class(&class, given, scope)
                    .map_err(|raise| named(raise, "DUPLICATE_RESOURCE_ERROR"))?;
            }
        }
        Ok(())
    }

    /// Asks collectors and evaluates defines in rounds, until a round brings nothing new.
    pub fn evaluate_generators(&mut self) -> Flow<()> {
        for _ in 0..=1000 {
            let collected = self.evaluate_collectors()?;
            let evaluated = self.evaluate_waiting()?;
            if !collected && !evaluated {
                return Ok(());
            }
        }
        bail!(ENDLESS_DECLARATIONS)
    }

    /// Evaluates the defines (and classes) declared so far, unless they are virtual.
    fn evaluate_waiting(&mut self) -> Flow<bool> {
        let all = std::mem::take(&mut self.catalog.waiting);
        let (waiting, ready): (Vec<_>, Vec<_>) = all
            .into_iter()
            .filter(|&id| !self.catalog.get(id).evaluated)
            .partition(|&id| self.catalog.get(id).is_virtual);
        self.catalog.waiting = waiting;
        for &id in &ready {
            self.evaluate(id).map_err(|raise| self.blame_declaration(raise, id))?;
        }
        Ok(!ready.is_empty())
    }

    /// An error in a defined type also names the declaration of the resource.
    #[cold]
    fn blame_declaration(&self, raise: Raise, id: ResourceId) -> Raise {
        let resource = self.catalog.get(id);
        if let Raised::Break(location) = raise.reason() {
            let mut wrong = diagnostic!(ILLEGAL_JUMP { word: "break" }).reported_as(NAMELESS);
            wrong.frame = Frame::Construct("Object".into());
            return wrong.on_line_of(location.clone()).into();
        }
        let inner = raise.into_diagnostic();
        let mut outer = diagnostic!(DECLARED_HERE { resource: resource.reference() });
        match inner.stage {
            Stage::Foreign(ForeignException::Fatal) => return inner.into(),
            Stage::Foreign(ForeignException::Standard) | Stage::Data => {}
            stage => outer.stage = stage,
        }
        outer.frame = Frame::Construct("Resource Statement".into());
        outer.on_line_of(resource.location.clone()).because(inner).into()
    }
}

/// An error with the name that Puppet gives it outside of any expression, where it has none otherwise.
fn named(mut raise: Raise, issue: &'static str) -> Raise {
    if let Raised::Error(wrong) = raise.reason_mut()
        && wrong.is_nameless()
    {
        wrong.issue = issue;
    }
    raise
}
