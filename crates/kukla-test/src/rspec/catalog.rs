//! A compiled catalog as matchers look at it.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use kukla::catalog::resource::ResourceKind;
use kukla::catalog::{Resource, ResourceRef};
use kukla::extensions::resource_type::Judge;
use kukla::values::Value;
use kukla::{Catalog, Node, Site};

/// A catalog with all that can be asked of it.
pub struct CompiledCatalog {
    /// The catalog.
    pub catalog: Catalog,
    site: Arc<Site>,
    node: Node,
    judge: Rc<RefCell<Judge>>,
    refusals: OnceCell<Vec<String>>,
    cycles: OnceCell<Vec<Vec<String>>>,
    /// The relationships that resource types of modules add, by the resource and the attribute (`require`, `before` …).
    pub added: RefCell<BTreeMap<(u32, String), Vec<ResourceRef>>>,
}

impl CompiledCatalog {
    /// A catalog that a site has compiled for a node.
    pub fn new(catalog: Catalog, site: Arc<Site>, node: Node, judge: Rc<RefCell<Judge>>) -> CompiledCatalog {
        CompiledCatalog {
            catalog,
            site,
            node,
            judge,
            refusals: OnceCell::new(),
            cycles: OnceCell::new(),
            added: RefCell::default(),
        }
    }

    /// The messages of resources that an agent would refuse.
    pub fn refusals(&self) -> &[String] {
        self.refusals.get_or_init(|| {
            let refused = self.site.validate_with(&mut self.judge.borrow_mut(), &self.node, &self.catalog);
            refused.iter().map(|refused| refused.diagnostic.message()).collect()
        })
    }

    /// The dependency cycles.
    pub fn cycles(&self) -> &[Vec<String>] {
        self.cycles.get_or_init(|| self.catalog.cycles())
    }

    /// The index of a resource by its title or an alias. The attribute that names it is not a title of its own.
    pub fn titled(&self, type_name: &str, title: &str) -> Option<u32> {
        let written = |title: &str| self.catalog.position_as_written(&format!("{type_name}[{title}]"));
        let is_alias = |resource: &Resource| {
            resource.type_name == type_name && resource.get("alias").and_then(Value::as_str) == Some(title)
        };
        written(title).or_else(|| written(without_slash(title)).filter(|_| type_name == "File")).or_else(
            || self.catalog.resources.iter().position(is_alias).and_then(|at| u32::try_from(at).ok()),
        )
    }

    /// The index of a resource that a reference means: by its title, or by the attribute that names it.
    pub fn position(&self, type_name: &str, title: &str) -> Option<u32> {
        if let Some(at) = self.titled(type_name, title) {
            return Some(at);
        }
        let namevar = self.namevar(type_name)?;
        let wanted = if type_name == "File" { without_slash(title) } else { title };
        let named = |resource: &Resource| {
            let name = resource.get(&namevar).and_then(Value::as_str).unwrap_or(resource.title.as_str());
            let name = if type_name == "File" { without_slash(name) } else { name };
            resource.type_name == type_name && name == wanted
        };
        self.catalog.resources.iter().position(named).and_then(|at| u32::try_from(at).ok())
    }

    /// The first attribute that names resources of a type; `None` for classes and defined types.
    pub fn namevar(&self, type_name: &str) -> Option<String> {
        let known = self.site.environment.resource_type(&type_name.to_lowercase())?;
        known.namevars.first().map(|name| (*name).to_owned())
    }

    /// The name of a resource: the attribute that names it, or its title.
    pub fn name_of(&self, at: u32) -> String {
        let resource = &self.catalog.resources[at as usize];
        let namevar = match resource.kind {
            ResourceKind::CompilableType => self.namevar(&resource.type_name),
            _ => None,
        };
        let name = namevar.and_then(|namevar| Some(resource.get(&namevar)?.as_str()?.to_owned()));
        let name = name.unwrap_or_else(|| resource.title.as_str().to_owned());
        if resource.type_name == "File" { without_slash(&name).to_owned() } else { name }
    }

    /// The first reference in a relationship attribute that leads nowhere, with the resource that has it.
    pub fn missing_dependency(&self) -> Option<String> {
        for resource in &self.catalog.resources {
            for attribute in ["require", "subscribe", "notify", "before"] {
                for target in resource.related(attribute) {
                    if self.position(target.type_name(), target.title()).is_none() {
                        let file = resource.file.as_deref().unwrap_or_default();
                        let line = resource.line.map(|line| line.to_string()).unwrap_or_default();
                        return Some(format!("{target} used at {file}:{line} in {}", resource.reference()));
                    }
                }
            }
        }
        None
    }

    /// A resource and all that contain it.
    pub fn with_containers(&self, at: u32) -> Vec<u32> {
        let mut all = vec![at];
        let mut next = 0;
        while let Some(inner) = all.get(next).copied() {
            for edge in self.catalog.edges.iter().filter(|edge| edge.target == inner) {
                if !all.contains(&edge.source) {
                    all.push(edge.source);
                }
            }
            next += 1;
        }
        all
    }
}

/// A path without the slashes at its end.
pub fn without_slash(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() { path } else { trimmed }
}
