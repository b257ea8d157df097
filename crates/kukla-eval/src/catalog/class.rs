//! Classes: `include`, `require`, `contain`, inheritance, and their evaluation, which happens once.

use std::borrow::Cow;
use std::sync::Arc;

use kukla_catalog::ResourceKind;
use kukla_syntax::{bail, diagnostic};
use kukla_values::types::capitalize;
use kukla_values::{Array, Name, Str, Type, Value};
use rustc_hash::FxHashSet;

use super::builder::{Building, CatalogBuilder, CodeOrigin, Param, ResourceId, flat};
use super::kind::{Resolved, ResourceDefinition};
use super::private::may_inherit;
use super::resource::Declaration;
use crate::codes::{
    CIRCULAR_INHERITANCE, NO_CLASS_NAME, PARENT_NOT_EVALUATED, RESOURCE_AS_CLASS, UNKNOWN_CLASS,
    UNKNOWN_PARENT_CLASS, UNKNOWN_STAGE, UNSPECIFIC_CLASS, UNSPECIFIC_CLASS_RESOURCE,
};
use crate::error::{Flow, Raise, Raised, Stage};
use crate::profile::SpotKind;
use crate::program::{Class, Define, ResourceForm};
use crate::scope::{Position, ScopeId, ScopeKind};
use crate::unit::{Defined, DefinitionPlace};
use crate::vm::Vm;

impl Vm<'_> {
    /// `include(classes)`: declares classes that are not declared yet.
    pub fn include(&mut self, names: &[Value]) -> Flow {
        let names = class_names(names)?;
        self.include_named(&names)?;
        Ok(references(&names))
    }

    /// `require(classes)`: includes classes and has the container wait for them.
    pub fn require(&mut self, names: &[Value]) -> Flow {
        let names = class_names(names)?;
        self.include_named(&names)?;
        if let Some(id) = self.container().filter(|_| !names.is_empty()) {
            let require = Name::new("require");
            let current = self.catalog.get(id).value("require").map(flat).unwrap_or_default();
            let mut all: Array = current.into_iter().filter(|value| !value.is_undef()).collect();
            all.extend(names.iter().map(|name| class_type(name)));
            let set = self.catalog.set_value(id, require, all.into());
            debug_assert!(set.is_ok(), "only tags can be refused");
        }
        Ok(references(&names))
    }

    /// `contain(classes)`: includes classes and contains them in the container.
    pub fn contain(&mut self, names: &[Value]) -> Flow {
        let names = class_names(names)?;
        let included = self.include_named(&names)?;
        if let Some(container) = self.container() {
            for id in included.into_iter().filter(|id| *id != container) {
                self.catalog.contain(container, id);
            }
        }
        Ok(references(&names))
    }

    /// Includes classes by absolute name, all of them before any is evaluated; those that already were come first.
    fn include_named(&mut self, names: &[Str]) -> Flow<Vec<ResourceId>> {
        let mut classes = Vec::with_capacity(names.len());
        let mut already = Vec::new();
        for name in names {
            if &**name == "::" {
                // The class without a name: the site manifest.
                already.extend(self.catalog.find("Class", "main"));
                continue;
            }
            let class = self.find_class(name)?.ok_or_else(|| self.unknown_class(name))?;
            self.may_use_class(&class)?;
            classes.push(class);
        }
        let mut newly = Vec::new();
        for class in &classes {
            match self.scopes.class(class.name).and_then(|scope| self.catalog.scope(scope).resource) {
                Some(id) => already.push(id),
                None => newly.push(self.declare_class(class, None, self.scope())?),
            }
        }
        self.record_inclusions(&newly);
        for &id in &newly {
            self.evaluate(id)?;
        }
        already.extend(newly);
        Ok(already)
    }

    #[cold]
    pub(super) fn unknown_class(&self, name: &str) -> Raise {
        let wrong = diagnostic!(UNKNOWN_CLASS { name, node: self.node().name });
        if let Some((place, belongs)) = self.environment().misplaced_definition(name) {
            let name = name.trim_start_matches("::");
            let wrong = wrong.label(place, format!("'{name}' is defined here, where it is not looked for"));
            return wrong.hint(format!("move it to {belongs}")).into();
        }
        match self.environment().near_class(name) {
            Some(near) => wrong.hint(format!("there is a class '{near}'")).into(),
            None => wrong.into(),
        }
    }

    /// The resource of a class, which is made unless it exists. With parameters it must not exist.
    pub(super) fn declare_class(
        &mut self,
        class: &Arc<Defined<Class>>,
        params: Option<Vec<Param>>,
        scope: ScopeId,
    ) -> Flow<ResourceId> {
        let title = capitalize(&class.name);
        if params.is_none()
            && let Some(id) = self.catalog.find("Class", &title)
        {
            return Ok(id);
        }
        let resolved = Resolved {
            definition: ResourceDefinition::Class(Arc::clone(class)),
            type_name: Name::new("Class"),
        };
        let declaration = Declaration {
            form: ResourceForm::Regular,
            location: None,
            kind: ResourceKind::Unknown,
            origin: CodeOrigin::Class(class.name),
            scope,
            given: None,
        };
        let resource =
            self.catalog.prepare(&resolved, title, params.unwrap_or_default(), &declaration, true)?;
        self.declare_parent(class, scope)?;
        self.catalog.tag_catalog(&resource);
        self.catalog.add_resource(resource, scope)
    }

    /// Declares the class that another one inherits.
    pub(super) fn declare_parent(&mut self, class: &Arc<Defined<Class>>, scope: ScopeId) -> Flow<()> {
        let mut above = Arc::clone(class);
        let mut chain = FxHashSet::from_iter([class.name]);
        while let Some(parent) = self.parent_class(&above)? {
            self.budget().check_depth(chain.len())?;
            self.charge(1)?;
            if !chain.insert(parent.name) {
                let wrong = diagnostic!(CIRCULAR_INHERITANCE { name: class.name });
                return Err(wrong.on_line_of(Some(class.place().location())).into());
            }
            above = parent;
        }
        match self.parent_class(class)? {
            Some(parent) => self.enter(|vm| vm.declare_class(&parent, None, scope).map(drop)),
            None => Ok(()),
        }
    }

    fn parent_class(&mut self, class: &Defined<Class>) -> Flow<Option<Arc<Defined<Class>>>> {
        let Some(name) = class.parent else { return Ok(None) };
        let environment = self.environment().name;
        let missing = || {
            let wrong = diagnostic!(UNKNOWN_PARENT_CLASS { name, environment });
            wrong.on_line_of(Some(class.place().location()))
        };
        let Some(parent) = self.find_class(&name)? else {
            let mut wrong = missing();
            let near = self.environment().near_class(&name);
            wrong.hints.extend(near.map(|near| format!("there is a class '{near}'")));
            return Err(wrong.into());
        };
        may_inherit(class, &parent)?;
        Ok(Some(parent))
    }

    /// Evaluates the code behind a resource, once.
    pub(crate) fn evaluate(&mut self, id: ResourceId) -> Flow<()> {
        if std::mem::replace(&mut self.catalog.get_mut(id).evaluated, true) {
            return Ok(());
        }
        self.catalog.add_scope_tags(id);
        let definition = self.catalog.get(id).definition.clone();
        self.enter(|vm| match definition {
            ResourceDefinition::Class(class) => vm.profiled(
                SpotKind::Class,
                || class.name.as_str().into(),
                |vm| vm.evaluate_class(id, &class),
            ),
            ResourceDefinition::Define(define) => vm.profiled(
                SpotKind::Define,
                || define.name.as_str().into(),
                |vm| vm.evaluate_define(id, &define),
            ),
            ResourceDefinition::Node(node) => vm.evaluate_node(id, &node),
            ResourceDefinition::Native(_) | ResourceDefinition::Main => Ok(()),
        })
    }

    fn evaluate_class(&mut self, id: ResourceId, class: &Arc<Defined<Class>>) -> Flow<()> {
        let mut outer = self.catalog.get(id).scope;
        let mut inherited = None;
        if let Some(parent) = self.parent_class(class)? {
            if let Some(parent_id) = self.catalog.find("Class", &capitalize(&parent.name)) {
                self.evaluate(parent_id)?;
            }
            let Some(scope) = self.scopes.class(parent.name) else {
                // The parent is being evaluated, and has not come as far as its own scope.
                bail!(PARENT_NOT_EVALUATED { name: parent.name });
            };
            (inherited, outer) = (Some(scope), scope);
        }
        let caller = self.scopes.get(outer).module;
        let (kind, origin) = (ScopeKind::Class(class.name), CodeOrigin::Class(class.name));
        let scope = self.open_scope(kind, outer, id, origin);
        let opened = self.scopes.get_mut(scope);
        opened.inherits = inherited;
        opened.module = class.unit.module;
        opened.caller_module = caller;
        opened.private = class.params.iter().filter(|param| param.private).map(|param| param.name).collect();
        if !opened.private.is_empty() {
            self.scopes.has_private = true;
        }
        self.catalog.add_class(&class.name);
        self.inside(&class.unit, Position::named(scope), |vm| {
            let label = vm.catalog.get(id).reference().into();
            vm.bind_attributes(id, scope, &class.params, Some(class.name), label)
                .map_err(|raise| blame_definition(raise, class.place()))?;
            vm.catalog.contain_in_stage(id)?;
            ends_with_return(vm.eval(&class.body))
        })
    }

    fn evaluate_define(&mut self, id: ResourceId, define: &Arc<Defined<Define>>) -> Flow<()> {
        let resource = self.catalog.get(id);
        let (outer, label) = (resource.scope, Str::from(resource.reference()));
        let caller = self.scopes.get(outer).module;
        let (kind, origin) = (ScopeKind::Define(define.name), CodeOrigin::Define(define.name));
        let scope = self.open_scope(kind, outer, id, origin);
        let opened = self.scopes.get_mut(scope);
        opened.module = define.unit.module;
        opened.caller_module = caller;
        opened.label = Some(label.clone());
        self.inside(&define.unit, Position::named(scope), |vm| {
            vm.bind_attributes(id, scope, &define.params, None, label)
                .map_err(|raise| blame_definition(raise, define.place()))?;
            ends_with_return(vm.eval(&define.body))
        })
    }
}

impl CatalogBuilder {
    /// The tags of classes are tags of the catalog.
    pub(super) fn tag_catalog(&mut self, class: &Building) {
        self.tag_table.merge(&mut self.tags, &class.tags);
    }

    /// Lists a class as evaluated.
    pub(super) fn add_class(&mut self, name: &str) {
        self.classes.push(name.into());
        self.tag_table.add_if_valid(&mut self.tags, name);
    }

    /// A class is contained in its stage: its own, else that of the class that declared it, else `main`.
    pub(super) fn contain_in_stage(&mut self, id: ResourceId) -> Flow<()> {
        let resource = self.get(id);
        let outer = self.scope(resource.scope).resource.map(|outer| self.get(outer));
        let named = resource.value("stage").or_else(|| outer?.value("stage")).map(super::tags::text);
        let title = named.as_deref().unwrap_or("main");
        let Some(stage) = self.find("Stage", title) else {
            let own = resource.value("stage").map_or_else(|| "main".into(), super::tags::text);
            bail!(UNKNOWN_STAGE { stage: own, resource: resource.reference() });
        };
        if !self.get(stage).is_main() && self.get(id).value("stage").is_none() {
            let title = self.get(stage).title.clone();
            let set = self.set_value(id, Name::new("stage"), title.into());
            debug_assert!(set.is_ok(), "only tags can be refused");
        }
        self.contain(stage, id);
        Ok(())
    }
}

/// `return()` and `next()` end the body of a class or define.
pub(super) fn ends_with_return(result: Flow) -> Flow<()> {
    match result {
        Ok(_) => Ok(()),
        Err(raise) => match raise.reason() {
            Raised::Return(..) | Raised::Next(..) => Ok(()),
            _ => Err(raise),
        },
    }
}

fn class_type(name: &str) -> Value {
    let name = name.strip_prefix("::").unwrap_or(name);
    Value::of_type(Type::Class(Some(name.into())))
}

fn references(names: &[Str]) -> Value {
    Value::Array(names.iter().map(|name| class_type(name)).collect())
}

/// A name in lower case; most are already.
pub(crate) fn lower_case(name: &str) -> Cow<'_, str> {
    match name.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        true => name.into(),
        false => name.to_lowercase().into(),
    }
}

/// Class names out of what `include` and its like were given, absolute and in lower case.
fn class_names(values: &[Value]) -> Flow<Vec<Str>> {
    let absolute = |name: &str| -> Str {
        let mut text = Str::with_capacity(name.len() + 2);
        if !name.starts_with(':') {
            text.push_str("::");
        }
        text.push_str(&lower_case(name));
        text
    };
    let name = |value: Value| match &value {
        Value::Undef => bail!(NO_CLASS_NAME { value: "undef" }),
        Value::String(name) if name.is_empty() => bail!(NO_CLASS_NAME { value: "empty string" }),
        Value::String(name) => Ok(absolute(name)),
        Value::Type(ty) => match &**ty {
            Type::Class(Some(name)) => Ok(absolute(name)),
            Type::Class(None) => bail!(UNSPECIFIC_CLASS),
            Type::Resource(None) => bail!(UNSPECIFIC_CLASS_RESOURCE { name: "Resource[]" }),
            Type::Resource(Some(resource)) if resource.name.eq_ignore_ascii_case("class") => {
                match &resource.title {
                    Some(title) => Ok(absolute(title)),
                    None => bail!(UNSPECIFIC_CLASS_RESOURCE { name: "Resource['class']" }),
                }
            }
            Type::Resource(Some(resource)) => {
                bail!(RESOURCE_AS_CLASS { name: resource.name };
                    hint: "if the resource is a statement of its own, delete the comma before it")
            }
            other => bail!(NO_CLASS_NAME { value: other }),
        },
        other => bail!(NO_CLASS_NAME { value: Type::of_generalized(other) }),
    };
    values.iter().flat_map(flat).map(name).collect()
}

/// Data that a parameter asks for and that is not there is missed at the head of the definition.
#[cold]
fn blame_definition(mut raise: Raise, place: DefinitionPlace<'_>) -> Raise {
    if let Raised::Error(failure) = raise.reason_mut()
        && failure.stage == Stage::Data
        && failure.position.is_none()
    {
        failure.position = Some(place.location().into());
        failure.line_only = true;
    }
    raise
}
