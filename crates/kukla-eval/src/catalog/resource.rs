//! Resource expressions: `file { '/x': mode => '0644' }` in all their forms.

use std::sync::Arc;

use kukla_catalog::{ResourceKind, ResourceRef};
use kukla_syntax::{Span, bail, diagnostic};
use kukla_values::types::ResourceType;
use kukla_values::types::capitalize;
use kukla_values::{Array, Name, Str, Type, Value, meter};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::builder::{Building, CatalogBuilder, CodeOrigin, Param, ResourceId};
use super::kind::{Resolved, ResourceDefinition};
use super::parameters::handed_over;
use super::tags::TagSet;
use crate::codes::{
    ATTRIBUTE_GIVEN_TWICE, DUPLICATE_ATTRIBUTE, DUPLICATE_DECLARATION, DUPLICATE_TITLE,
    EMPTY_STRING_TITLE_AT, EXPORTING_WITHOUT_STORE, ILLEGAL_RESOURCE_TYPE, ILLEGAL_TITLE_TYPE_AT,
    MISSING_TITLE, MISSING_TITLE_AT, STAGE_OF_RESOURCE, UNKNOWN_DECLARED_CLASS, UNKNOWN_RESOURCE,
    UNKNOWN_RESOURCE_KIND, UNKNOWN_RESOURCE_PARAMETER,
};
use crate::error::{Flow, Location, Raise};
use crate::program::{Kind, ResourceExpr, ResourceForm};
use crate::scope::ScopeId;
use crate::vm::Vm;
use kukla_values::codes::UNKNOWN_RESOURCE_TYPE;

/// The maximal number of enclosing resources that an error names.
const MAX_SHOWN: usize = 20;

/// Up to this number of attributes, comparing each with all is faster than a table.
const FEW_PARAMS: usize = 32;

/// The titles of one body: nearly always one.
pub(super) type Titles = SmallVec<[Str; 1]>;

/// A resource about to be declared.
pub(super) struct Declaration {
    pub form: ResourceForm,
    pub location: Option<Location>,
    pub kind: ResourceKind,
    pub origin: CodeOrigin,
    pub scope: ScopeId,
    /// The title as it was written, where that is not a string.
    pub given: Option<Value>,
}

impl Vm<'_> {
    pub(crate) fn eval_resource(&mut self, expr: &ResourceExpr, span: Span) -> Flow {
        let type_name = self.resource_type_name(expr)?;
        if expr.form == ResourceForm::Exported && !self.environment().settings.storeconfigs {
            self.warn_at(span, &diagnostic!(EXPORTING_WITHOUT_STORE));
        }
        let mut used = FxHashSet::default();
        let mut bodies: SmallVec<[(Titles, Vec<Param>); 1]> = SmallVec::with_capacity(expr.bodies.len());
        let mut defaults = Vec::new();
        for body in &expr.bodies {
            let title = self.eval(&body.title)?;
            if title.is_undef() {
                let mut wrong = diagnostic!(MISSING_TITLE);
                wrong.hints.extend(self.missing_key(&body.title));
                return Err(self.fail(body.title.span, wrong));
            }
            let is_single = expr.bodies.len() == 1 && !matches!(title, Value::Array(_));
            let given: SmallVec<[Value; 1]> = match title {
                Value::Array(_) => super::builder::flat(&title).into(),
                title => SmallVec::from_buf([title]),
            };
            let mut titles = Titles::with_capacity(given.len());
            let mut is_default = false;
            for (index, title) in given.into_iter().enumerate() {
                let title = match title {
                    Value::String(title) if title.is_empty() => {
                        return Err(self.fail(body.title.span, diagnostic!(EMPTY_STRING_TITLE_AT { index })));
                    }
                    Value::String(title) => Some(title),
                    Value::Default => None,
                    Value::Undef => {
                        return Err(self.fail(body.title.span, diagnostic!(MISSING_TITLE_AT { index })));
                    }
                    other => {
                        let actual = Type::of_generalized(&other);
                        let wrong = diagnostic!(ILLEGAL_TITLE_TYPE_AT { index, actual });
                        return Err(self.fail(body.title.span, wrong));
                    }
                };
                if !is_single && !used.insert(title.clone()) {
                    let title = title.as_deref().unwrap_or("default");
                    return Err(self.fail(span, diagnostic!(DUPLICATE_TITLE { title })));
                }
                match title {
                    Some(title) => titles.push(title),
                    None => is_default = true,
                }
            }
            let params = self.eval_attributes(&body.attributes)?;
            if let Some(twice) = repeated(&params) {
                return Err(self.fail(span, diagnostic!(DUPLICATE_ATTRIBUTE { name: twice })));
            }
            if is_default {
                defaults.clone_from(&params);
            }
            bodies.push((titles, params));
        }
        self.catalog.share(&mut defaults);
        let mut references = expr.is_value.then(Array::new);
        for (titles, params) in bodies {
            let params = if defaults.is_empty() { params } else { with_defaults(&defaults, params) };
            let location = Some(self.location(span));
            self.declare(expr.form, &type_name, titles, params, location, None, references.as_mut())?;
        }
        Ok(references.map(Value::Array).unwrap_or_default())
    }

    /// The name of the type in front of the braces. Puppet takes a name or a type; any expression that gives one will do.
    fn resource_type_name(&mut self, expr: &ResourceExpr) -> Flow<Str> {
        if let Kind::Name(name) = &expr.type_name.kind {
            return Ok(name.clone());
        }
        let span = expr.type_name.span;
        let value = self.eval(&expr.type_name)?;
        let actual = match &value {
            Value::String(name) => return Ok(name.clone()),
            Value::Type(ty) => match &**ty {
                Type::Class(None) => return Ok("class".into()),
                Type::Resource(Some(resource)) if resource.title.is_none() => {
                    return Ok(resource.name.clone());
                }
                Type::Reference(_) => {
                    return Err(self.fail(span, diagnostic!(UNKNOWN_RESOURCE_TYPE { name: ty })));
                }
                Type::Class(_) | Type::Resource(_) => ty.to_string(),
                _ => Type::of_generalized(&value).to_string(),
            },
            other => Type::of_generalized(other).to_string(),
        };
        Err(self.fail(span, diagnostic!(ILLEGAL_RESOURCE_TYPE { actual })))
    }

    /// Declares a resource for each title and adds references to them to a list, if there is one. A title that is not a string, which only
    /// hashes can have, comes with its text.
    #[expect(clippy::too_many_arguments, reason = "each is a part of one declaration")]
    pub(super) fn declare(
        &mut self,
        form: ResourceForm,
        type_name: &str,
        titles: Titles,
        mut params: Vec<Param>,
        location: Option<Location>,
        given: Option<Value>,
        mut references: Option<&mut Array>,
    ) -> Flow<()> {
        if titles.len() > 1 {
            self.catalog.share(&mut params);
        }
        let (scope, origin) = (self.scope(), self.origin());
        let mut declaration = Declaration { form, location, kind: ResourceKind::Class, origin, scope, given };
        if type_name.eq_ignore_ascii_case("class") {
            return self.declare_classes(titles, params, declaration, references);
        }
        let Some(resolved) = self.resource_type(type_name)? else {
            return Err(self.unknown_resource_type(type_name));
        };
        declaration.kind = resolved.definition.kind();
        if let ResourceDefinition::Define(define) = &resolved.definition {
            self.may_use_define(define)?;
            self.may_set(&resolved.definition, &params)?;
        }
        let last = titles.len().saturating_sub(1);
        for (at, mut title) in titles.into_iter().enumerate() {
            if resolved.type_name.as_str() == "Class" {
                title = capitalize(&title);
            }
            if let Some(references) = &mut references {
                references.push(reference(&resolved.type_name, &title));
            }
            let params = if at == last { std::mem::take(&mut params) } else { params.clone() };
            let resource = self.catalog.prepare(&resolved, title, params, &declaration, true)?;
            self.catalog.add_resource(resource, scope)?;
        }
        Ok(())
    }

    /// Classes declared like resources are evaluated at once.
    fn declare_classes(
        &mut self,
        titles: Titles,
        params: Vec<Param>,
        declaration: Declaration,
        mut references: Option<&mut Array>,
    ) -> Flow<()> {
        let mut classes = Vec::with_capacity(titles.len());
        for title in titles {
            let class = self.find_class(&title)?;
            classes.push((title, class));
        }
        for (title, class) in classes {
            let Some(class) = class else {
                // The class without a name is the site manifest, which is declared from the beginning.
                if title.trim_start_matches("::").is_empty() {
                    bail!(DUPLICATE_DECLARATION { resource: "Class[main]", earlier: "" });
                }
                bail!(UNKNOWN_DECLARED_CLASS { name: title });
            };
            let name = class.name;
            let resolved = Resolved {
                definition: ResourceDefinition::Class(Arc::clone(&class)),
                type_name: Name::new("Class"),
            };
            self.may_use_class(&class)?;
            self.may_set(&resolved.definition, &params)?;
            let title = capitalize(&name);
            let resource =
                self.catalog.prepare(&resolved, title.clone(), params.clone(), &declaration, true)?;
            self.declare_parent(&class, declaration.scope)?;
            self.catalog.tag_catalog(&resource);
            let id = self.catalog.add_resource(resource, declaration.scope)?;
            if self.scopes.class(name).is_none() {
                self.evaluate(id)?;
            }
            if let Some(references) = &mut references {
                references.push(reference("Class", &title));
            }
        }
        Ok(())
    }

    #[cold]
    fn unknown_resource_type(&self, type_name: &str) -> Raise {
        let failure = diagnostic!(UNKNOWN_RESOURCE_KIND { name: type_name });
        match self.environment().near_resource_type(type_name) {
            Some(near) => failure.hint(format!("there is a resource type '{near}'")).into(),
            None => failure.into(),
        }
    }
}

impl CatalogBuilder {
    /// A resource with its attributes, those that resource defaults add, and its first tags.
    pub(super) fn prepare(
        &mut self,
        resolved: &Resolved,
        title: Str,
        params: Vec<Param>,
        declaration: &Declaration,
        uses_defaults: bool,
    ) -> Flow<Building> {
        let Declaration { form, location, kind, origin, scope, given } = declaration;
        let mut resource = Building {
            definition: resolved.definition.clone(),
            type_name: resolved.type_name,
            title,
            given: given.clone().map(Box::new),
            params,
            tags: TagSet::for_resource(),
            location: location.clone(),
            kind: *kind,
            exported: *form == ResourceForm::Exported,
            is_virtual: *form != ResourceForm::Regular,
            evaluated: false,
            checked: false,
            has_scope_tags: false,
            sensitive: Vec::new(),
            scope: *scope,
            origin: *origin,
            containers: SmallVec::new(),
            contents: Vec::new(),
        };
        if let Some(twice) = repeated(&resource.params) {
            let wrong = diagnostic!(ATTRIBUTE_GIVEN_TWICE { name: twice, resource: resource.reference() });
            return Err(wrong.on_line_of(resource.location).into());
        }
        let table = &mut self.tag_table;
        let mut tags = std::mem::take(&mut resource.tags);
        let mut tagged = Ok(());
        if let Some(tag) = resource.value("tag") {
            tagged = table.add_value(&mut tags, tag);
        }
        table.add_name(&mut tags, resource.type_name);
        match &resource.definition {
            // The title of a class is its name with capitals, which tags do not have.
            ResourceDefinition::Class(class) => table.add_name(&mut tags, class.name),
            _ if resource.is_main() || given.is_some() => {}
            _ => table.add_if_valid(&mut tags, &resource.title),
        }
        if uses_defaults {
            for default in self.defaults_for(*scope, resource.type_name) {
                if resource.params.iter().any(|param| param.name == default.name) {
                    continue;
                }
                if default.name.as_str() == "tag" && tagged.is_ok() {
                    tagged = self.tag_table.add_value(&mut tags, &default.value);
                }
                resource.params.push(default);
            }
        }
        resource.tags = tags;
        match tagged {
            Ok(()) => Ok(resource),
            Err(tag) => Err(tag.refuse(resource.location)),
        }
    }

    /// Puts a resource into the catalog, inside the class or define of a scope.
    pub(super) fn add_resource(&mut self, resource: Building, scope: ScopeId) -> Flow<ResourceId> {
        let is_class = resource.is_class();
        let is_stage = resource.type_name.as_str() == "Stage";
        let waits = !matches!(resource.definition, ResourceDefinition::Native(_));
        let staged = !is_class && resource.value("stage").is_some();
        let id = self.add(resource).map_err(Raise::from)?;
        if waits {
            self.waiting.push(id);
        }
        if staged {
            bail!(STAGE_OF_RESOURCE { resource: self.get(id).reference() });
        }
        // A stage contains classes and is contained in nothing; a class is contained in its stage.
        if !is_stage
            && !is_class
            && let Some(container) = self.scope(scope).resource
        {
            self.contain(container, id);
        }
        Ok(id)
    }

    /// The defines, classes and node that the code of a scope is in, innermost first.
    #[cold]
    pub(crate) fn containers(&self, scope: ScopeId) -> Vec<String> {
        let innermost = self.scope(scope).resource.filter(|id| !self.get(*id).is_main());
        let all = innermost.into_iter().flat_map(|id| std::iter::once(id).chain(self.containers_of(id)));
        all.take(MAX_SHOWN).map(|id| self.get(id).reference().to_string()).collect()
    }

    /// The defines, classes and node whose code declares a resource, innermost first, without the main class.
    pub(super) fn containers_of(&self, id: ResourceId) -> impl Iterator<Item = ResourceId> {
        let above = move |id: &ResourceId| self.declared_in(*id).filter(|id| !self.get(*id).is_main());
        std::iter::successors(above(&id), above)
    }
}

impl Vm<'_> {
    /// The class, define or node whose code is being evaluated.
    pub(crate) fn container(&self) -> Option<ResourceId> {
        self.catalog.scope(self.scope()).resource
    }

    /// The value of an attribute of a declared resource: `File['/x']['mode']`.
    pub(crate) fn resource_attribute(
        &mut self,
        type_name: &str,
        title: &str,
        key: &Value,
        span: Span,
    ) -> Flow {
        let reference = ResourceRef::written(type_name, title);
        let shown = if reference.type_name() == "Class" { "Class" } else { type_name };
        let Some(id) = self.catalog.find_reference(&reference) else {
            let resource = format!("{shown}['{title}']");
            return Err(self.fail(span, diagnostic!(UNKNOWN_RESOURCE { resource })));
        };
        let resource = self.catalog.get(id);
        let name = match key {
            Value::String(name) if resource.definition.accepts(name) => name,
            _ => {
                let resource = format!("{}['{title}']", reference.type_name());
                let name = super::tags::text(key);
                return Err(self.fail(span, diagnostic!(UNKNOWN_RESOURCE_PARAMETER { resource, name })));
            }
        };
        self.may_read(&resource.definition, name)?;
        if let Some(value) = resource.value(name) {
            return Ok(handed_over(value.clone()));
        }
        let defaults = self.catalog.defaults_for(resource.scope, resource.type_name);
        let default = defaults.into_iter().find(|param| param.name.as_str() == name.as_str());
        Ok(default.map(|param| handed_over(param.value)).unwrap_or_default())
    }
}

fn reference(type_name: &str, title: &Str) -> Value {
    let reference = ResourceType::new(type_name.into(), Some(title.clone()));
    Value::of_type(Type::Resource(Some(Arc::new(reference))))
}

/// The attribute that is given twice.
fn repeated(params: &[Param]) -> Option<Name> {
    if params.len() > FEW_PARAMS {
        let mut names = FxHashSet::default();
        return params.iter().map(|param| param.name).find(|name| !names.insert(*name));
    }
    let before = |at: usize| params[..at].iter().any(|earlier| earlier.name == params[at].name);
    (1..params.len()).find(|&at| before(at)).map(|at| params[at].name)
}

/// The attributes of the `default:` body, with those of another body on top.
fn with_defaults(defaults: &[Param], params: Vec<Param>) -> Vec<Param> {
    let mut all = defaults.to_vec();
    meter::work(defaults.len().saturating_mul(params.len()) / 16);
    for param in params {
        match all.iter_mut().find(|default| default.name == param.name) {
            Some(default) => *default = param,
            None => all.push(param),
        }
    }
    all
}
