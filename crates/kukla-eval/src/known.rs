//! The definitions of an environment by name, as far as files have been loaded.

use std::sync::Arc;

use kukla_values::types::TypeAlias;
use kukla_values::{Name, Type};
use rustc_hash::FxHashMap;

use crate::error::{Failure, Location};
use crate::program::{AliasDefinition, Class, Define, Definition, NodeDefinition, NodeMatch, Place, Program};
use crate::registry::Function;

/// Definitions by name, as far as files have been loaded.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub classes: FxHashMap<Name, Option<Arc<Class>>>,
    pub defines: FxHashMap<Name, Option<Arc<Define>>>,
    pub functions: FxHashMap<Name, Option<Function>>,
    pub aliases: FxHashMap<Name, Option<Arc<KnownAlias>>>,
    pub nodes: Vec<Arc<NodeDefinition>>,
}

impl Known {
    /// Drops the classes and defined types of a file that turned out to be unusable.
    pub fn forget(&mut self, program: &Program) {
        for definition in &program.definitions {
            match definition {
                Definition::Class(class) => drop(self.classes.remove(&class.name)),
                Definition::Define(define) => drop(self.defines.remove(&define.name)),
                _ => {}
            }
        }
    }

    /// Makes a definition known, unless its name is taken.
    pub fn add(&mut self, definition: &Definition) -> Result<(), Failure> {
        match definition {
            Definition::Class(class) => {
                let (name, place) = (class.name, &class.place);
                if let Some(Some(known)) = self.classes.get(&name) {
                    return Err(taken(
                        place,
                        format!("Class '{name}' is already defined{}; cannot redefine", at(&known.place)),
                    ));
                }
                if let Some(Some(known)) = self.defines.get(&name) {
                    let known = at(&known.place);
                    let message = format!(
                        "Definition '{name}' is already defined{known}; cannot be redefined as a class"
                    );
                    return Err(taken(place, message));
                }
                if let Some(known) = self.node_named(name.as_str()) {
                    let known = at(&known.place);
                    let message =
                        format!("Node '{name}' is already defined{known}; cannot be redefined as a class");
                    return Err(taken(place, message));
                }
                self.classes.insert(name, Some(Arc::clone(class)));
            }
            Definition::Define(define) => {
                let (name, place) = (define.name, &define.place);
                if let Some(Some(known)) = self.classes.get(&name) {
                    let known = at(&known.place);
                    let message = format!(
                        "'{name}' is already defined{known} as a class; cannot redefine as a definition"
                    );
                    return Err(taken(place, message));
                }
                if let Some(Some(known)) = self.defines.get(&name) {
                    return Err(redefined("type", &name, &known.place));
                }
                self.defines.insert(name, Some(Arc::clone(define)));
            }
            Definition::Function(function) => {
                if let Some(Some(Function::Puppet(known))) = self.functions.get(&function.name) {
                    return Err(redefined("function", &function.name, &known.place));
                }
                self.functions.insert(function.name, Some(Function::Puppet(Arc::clone(function))));
            }
            Definition::TypeAlias(alias) => {
                let lower = Name::new(&alias.name.to_lowercase());
                if Type::builtin(&lower).is_some() {
                    let message = format!(
                        "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/{lower}'. Originally set by Puppet-Type-System/Static-Loader."
                    );
                    return Err(Failure::new("ARGUMENT_ERROR", message));
                }
                if RESOURCE_TYPES.contains(&lower.as_str()) {
                    let message = format!(
                        "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/{lower}'. Set at unknown location"
                    );
                    return Err(Failure::new("ARGUMENT_ERROR", message));
                }
                if let Some(Some(known)) = self.aliases.get(&lower) {
                    return Err(redefined("type", &lower, &known.definition.place));
                }
                self.aliases.insert(lower, Some(Arc::new(KnownAlias::new(Arc::clone(alias)))));
            }
            Definition::Node(node) => {
                for each in &node.matches {
                    let title = each.title();
                    if let Some(known) = self.node_named(&title) {
                        let known = at(&known.place);
                        return Err(taken(
                            &node.place,
                            format!("Node '{title}' is already defined{known}; cannot redefine"),
                        ));
                    }
                    // Nodes and classes share their names.
                    if let NodeMatch::Name(name) = each
                        && let Some(Some(known)) = self.classes.get(&Name::new(name))
                    {
                        let known = at(&known.place);
                        let message = format!(
                            "Class '{name}' is already defined{known}; cannot be redefined as a node"
                        );
                        return Err(taken(&node.place, message));
                    }
                }
                self.nodes.push(Arc::clone(node));
            }
            Definition::Plan(_) => {}
        }
        Ok(())
    }

    fn node_named(&self, title: &str) -> Option<&Arc<NodeDefinition>> {
        self.nodes.iter().find(|node| node.matches.iter().any(|each| each.title() == title))
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

/// Where something stands, after what it is.
fn at(place: &Place) -> String {
    match place.source.name() {
        Some(file) => format!(" (file: {file}, line: {})", place.line()),
        None => format!(" (line: {})", place.line()),
    }
}

/// The failure for a name that is taken.
#[cold]
fn taken(place: &Place, message: String) -> Failure {
    let mut failure = Failure::new("PARSE_ERROR", message);
    failure.location = Some(Location { source: place.source.clone(), span: place.span });
    failure.no_column = true;
    failure
}

#[cold]
fn redefined(what: &str, name: &str, known: &Place) -> Failure {
    let at = known.source.line_column(known.span.start);
    let file = known.source.name().map_or_else(|| "string:".to_owned(), |file| format!("file:{file}"));
    let (name, line, column) = (name.replace("::", "/"), at.line, at.column);
    let message = format!(
        "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{what}/{name}'. Originally set at {file}?line={line}&pos={column}."
    );
    Failure::new("ARGUMENT_ERROR", message)
}

/// A type alias and, once it was resolved, the type.
#[derive(Debug)]
pub struct KnownAlias {
    /// The definition.
    pub definition: Arc<AliasDefinition>,
    /// The type that stands for it; created before its right-hand side is evaluated, so that it may refer to itself.
    pub ty: Arc<TypeAlias>,
}

impl KnownAlias {
    fn new(definition: Arc<AliasDefinition>) -> KnownAlias {
        let ty = kukla_values::types::TypeAlias::new(definition.name.as_str());
        KnownAlias { definition, ty }
    }

    /// Whether it is the set of types of a module, whose members are known by their full names.
    pub(crate) fn is_module_set(&self) -> bool {
        self.definition.place.source.name().is_some_and(|file| file.ends_with("/types/init_typeset.pp"))
    }

    /// The type, as a value of an expression that names it.
    pub fn as_type(&self) -> Type {
        match self.ty.resolved() {
            ty @ Type::Object(object) if object.name.as_deref() == Some(self.definition.name.as_str()) => {
                ty.clone()
            }
            set @ Type::TypeSet(named) if named.name == self.definition.name.as_str() => set.clone(),
            _ => Type::Alias(Arc::clone(&self.ty)),
        }
    }
}
