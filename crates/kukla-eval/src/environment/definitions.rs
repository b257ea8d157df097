//! The table of definitions by name, as far as files have been loaded.

use std::sync::Arc;

use kukla_catalog::types::is_metaparameter;
use kukla_syntax::{Code, Fact, diagnostic};
use kukla_values::{Name, Type};
use rustc_hash::FxHashMap;

use super::alias::LoadedAlias;
use crate::codes::{
    BUILT_IN_TYPE_REDEFINED, CLASS_REDEFINED, CLASS_REDEFINED_AS_DEFINE, CLASS_REDEFINED_AS_NODE,
    DEFINE_REDEFINED_AS_CLASS, ENTITY_REDEFINED, METAPARAMETER_AS_PARAMETER, NODE_REDEFINED,
    NODE_REDEFINED_AS_CLASS, RESOURCE_TYPE_REDEFINED,
};
use crate::error::Diagnostic;
use crate::program::{Class, Define, Definition, NodeDefinition, NodeMatch, Params, Program};
use crate::registry::Function;
use crate::remark::Remarks;
use crate::unit::{Defined, DefinitionPlace, Unit};

/// Definitions by name, as far as files have been loaded.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub classes: FxHashMap<Name, Search<Arc<Defined<Class>>>>,
    pub defines: FxHashMap<Name, Search<Arc<Defined<Define>>>>,
    pub functions: FxHashMap<Name, Search<Function>>,
    pub aliases: FxHashMap<Name, Search<Arc<LoadedAlias>>>,
    pub nodes: Vec<Arc<Defined<NodeDefinition>>>,
    /// Which of the nodes has a title.
    node_titles: FxHashMap<String, usize>,
}

/// The outcome of a search for a name.
#[derive(Debug)]
pub(super) enum Search<T> {
    /// The definition.
    Found(T),
    /// Nothing; the remarks are about the files that were searched.
    Absent(Remarks),
}

impl<T: Remarked> Search<T> {
    pub fn is_found(&self) -> bool {
        matches!(self, Search::Found(_))
    }

    /// The definition, if there is one; the remarks that its users have to make are added to `heard`.
    pub fn get(&self, heard: &mut Remarks) -> Option<T> {
        match self {
            Search::Found(found) => {
                if let Some(unit) = found.unit() {
                    heard.extend(&unit.remarks);
                }
                Some(found.clone())
            }
            Search::Absent(remarks) => {
                heard.extend(remarks);
                None
            }
        }
    }
}

/// A definition that may have remarks.
pub(super) trait Remarked: Clone {
    /// The unit that it is written in, if it is Puppet code.
    fn unit(&self) -> Option<&Unit>;
}

impl<T> Remarked for Arc<Defined<T>> {
    fn unit(&self) -> Option<&Unit> {
        Some(&self.unit)
    }
}

impl Remarked for Arc<LoadedAlias> {
    fn unit(&self) -> Option<&Unit> {
        Some(&self.definition.unit)
    }
}

impl Remarked for Function {
    fn unit(&self) -> Option<&Unit> {
        match self {
            Function::Puppet(function) => Some(&function.unit),
            Function::Builtin(_) | Function::Foreign(_) => None,
        }
    }
}

impl Definitions {
    /// Drops the classes and defined types of a file that turned out to be unusable.
    pub fn remove(&mut self, program: &Program) {
        for definition in &program.definitions {
            match definition {
                Definition::Class(class) => drop(self.classes.remove(&class.name)),
                Definition::Define(define) => drop(self.defines.remove(&define.name)),
                _ => {}
            }
        }
    }

    /// Adds a definition, unless its name is taken.
    pub fn add(&mut self, unit: &Arc<Unit>, definition: &Definition) -> Result<(), Box<Diagnostic>> {
        match definition {
            Definition::Class(class) => {
                let name = class.name;
                check_parameter_names(name, &class.params)?;
                let place = DefinitionPlace { unit, span: class.span };
                if let Some(Search::Found(known)) = self.classes.get(&name) {
                    return Err(taken(&CLASS_REDEFINED, &name, place, known.place()));
                }
                if let Some(Search::Found(known)) = self.defines.get(&name) {
                    return Err(taken(&DEFINE_REDEFINED_AS_CLASS, &name, place, known.place()));
                }
                if let Some(known) = self.node_named(name.as_str()) {
                    return Err(taken(&NODE_REDEFINED_AS_CLASS, &name, place, known.place()));
                }
                self.classes.insert(name, Search::Found(Defined::new(unit, class)));
            }
            Definition::Define(define) => {
                let name = define.name;
                check_parameter_names(name, &define.params)?;
                let place = DefinitionPlace { unit, span: define.span };
                if let Some(Search::Found(known)) = self.classes.get(&name) {
                    return Err(taken(&CLASS_REDEFINED_AS_DEFINE, &name, place, known.place()));
                }
                if let Some(Search::Found(known)) = self.defines.get(&name) {
                    return Err(redefined("type", &name, known.place()));
                }
                self.defines.insert(name, Search::Found(Defined::new(unit, define)));
            }
            Definition::Function(function) => {
                let lower = Name::new(&function.name.to_lowercase());
                if let Some(Search::Found(Function::Puppet(known))) = self.functions.get(&lower) {
                    return Err(redefined("function", &lower, known.place()));
                }
                let known = Function::Puppet(Defined::new(unit, function));
                self.functions.insert(lower, Search::Found(known));
            }
            Definition::TypeAlias(alias) => {
                let lower = Name::new(&alias.name.to_lowercase());
                if Type::builtin(&lower).is_some() {
                    return Err(Box::new(diagnostic!(BUILT_IN_TYPE_REDEFINED { name: lower })));
                }
                if RESOURCE_TYPES.contains(&lower.as_str()) {
                    return Err(Box::new(diagnostic!(RESOURCE_TYPE_REDEFINED { name: lower })));
                }
                if let Some(Search::Found(known)) = self.aliases.get(&lower) {
                    return Err(redefined("type", &lower, known.definition.place()));
                }
                // Defined types and aliases share their names within what is loaded together.
                if let Some(Search::Found(known)) = self.defines.get(&lower)
                    && (known.unit.module.is_none() && unit.module.is_none()
                        || Arc::ptr_eq(&known.unit, unit))
                {
                    return Err(redefined("type", &lower, known.place()));
                }
                let known = Arc::new(LoadedAlias::new(Defined::new(unit, alias)));
                self.aliases.insert(lower, Search::Found(known));
            }
            Definition::Node(node) => {
                for each in &node.matches {
                    let title = each.title();
                    if let Some(known) = self.node_named(&title) {
                        let place = DefinitionPlace { unit, span: node.span };
                        return Err(taken(&NODE_REDEFINED, &title, place, known.place()));
                    }
                    // Nodes and classes share their names.
                    if let NodeMatch::Name(name) = each
                        && let Some(Search::Found(known)) = self.classes.get(&Name::new(name))
                    {
                        let place = DefinitionPlace { unit, span: node.span };
                        return Err(taken(&CLASS_REDEFINED_AS_NODE, name, place, known.place()));
                    }
                }
                for each in &node.matches {
                    self.node_titles.insert(each.title(), self.nodes.len());
                }
                self.nodes.push(Defined::new(unit, node));
            }
            Definition::Plan(_) => {}
        }
        Ok(())
    }

    fn node_named(&self, title: &str) -> Option<&Arc<Defined<NodeDefinition>>> {
        self.node_titles.get(title).map(|&at| &self.nodes[at])
    }
}

/// Resource types whose names stay theirs.
const RESOURCE_TYPES: &[&str] = &[
    "component",
    "exec",
    "file",
    "filebucket",
    "group",
    "node",
    "notify",
    "package",
    "resources",
    "schedule",
    "service",
    "stage",
    "tidy",
    "user",
    "whit",
];

/// A parameter named like a metaparameter must have a default.
fn check_parameter_names(owner: Name, params: &Params) -> Result<(), Box<Diagnostic>> {
    match params.iter().find(|param| is_metaparameter(&param.name) && param.default.is_none()) {
        Some(param) => {
            let wrong = diagnostic!(METAPARAMETER_AS_PARAMETER { name: param.name, owner });
            Err(Box::new(wrong))
        }
        None => Ok(()),
    }
}

/// The failure for a name that is taken.
#[cold]
fn taken(
    code: &'static Code,
    name: &str,
    place: DefinitionPlace<'_>,
    known: DefinitionPlace<'_>,
) -> Box<Diagnostic> {
    let earlier = known.location();
    let wrong = Diagnostic::new(code, vec![("name", Fact::of(name)), ("earlier", Fact::of(&earlier))]);
    Box::new(wrong.on_line_of(Some(place.location())).label(earlier, "first defined here"))
}

#[cold]
fn redefined(what: &str, name: &str, known: DefinitionPlace<'_>) -> Box<Diagnostic> {
    let at = known.unit.source.line_column(known.span.point);
    let file = known.file().map_or_else(|| "string:".to_owned(), |file| format!("file:{file}"));
    let earlier = format!("{file}?line={}&pos={}", at.line, at.column);
    let wrong = diagnostic!(ENTITY_REDEFINED { what, name, earlier });
    Box::new(wrong.label(known.location(), "first defined here"))
}
