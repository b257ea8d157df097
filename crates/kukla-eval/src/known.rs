//! The definitions of an environment by name, as far as files have been loaded.

use std::sync::Arc;

use kukla_syntax::{Code, Fact};
use kukla_values::types::TypeAlias;
use kukla_values::{Name, Type};
use rustc_hash::FxHashMap;

use crate::codes::{
    CLASS_REDEFINED, CLASS_REDEFINED_AS_DEFINE, CLASS_REDEFINED_AS_NODE, DEFINE_REDEFINED_AS_CLASS,
    NODE_REDEFINED, NODE_REDEFINED_AS_CLASS,
};
use crate::error::{Diagnostic, Location};
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
    pub fn add(&mut self, definition: &Definition) -> Result<(), Box<Diagnostic>> {
        match definition {
            Definition::Class(class) => {
                let (name, place) = (class.name, &class.place);
                if let Some(Some(known)) = self.classes.get(&name) {
                    return Err(taken(&CLASS_REDEFINED, &name, place, &known.place));
                }
                if let Some(Some(known)) = self.defines.get(&name) {
                    return Err(taken(&DEFINE_REDEFINED_AS_CLASS, &name, place, &known.place));
                }
                if let Some(known) = self.node_named(name.as_str()) {
                    return Err(taken(&NODE_REDEFINED_AS_CLASS, &name, place, &known.place));
                }
                self.classes.insert(name, Some(Arc::clone(class)));
            }
            Definition::Define(define) => {
                let (name, place) = (define.name, &define.place);
                if let Some(Some(known)) = self.classes.get(&name) {
                    return Err(taken(&CLASS_REDEFINED_AS_DEFINE, &name, place, &known.place));
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
                    return Err(Box::new(Diagnostic::said("ARGUMENT_ERROR", message)));
                }
                if RESOURCE_TYPES.contains(&lower.as_str()) {
                    let message = format!(
                        "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/{lower}'. Set at unknown location"
                    );
                    return Err(Box::new(Diagnostic::said("ARGUMENT_ERROR", message)));
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
                        return Err(taken(&NODE_REDEFINED, &title, &node.place, &known.place));
                    }
                    // Nodes and classes share their names.
                    if let NodeMatch::Name(name) = each
                        && let Some(Some(known)) = self.classes.get(&Name::new(name))
                    {
                        return Err(taken(&CLASS_REDEFINED_AS_NODE, name, &node.place, &known.place));
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

/// The failure for a name that is taken.
#[cold]
fn taken(code: &'static Code, name: &str, place: &Place, known: &Place) -> Box<Diagnostic> {
    let location = |place: &Place| Location { source: place.source.clone(), span: place.span };
    let earlier = location(known);
    let wrong = Diagnostic::new(code, vec![("name", Fact::of(name)), ("earlier", Fact::of(&earlier))]);
    Box::new(wrong.on_line_of(Some(location(place))).label(earlier, "first defined here"))
}

#[cold]
fn redefined(what: &str, name: &str, known: &Place) -> Box<Diagnostic> {
    let at = known.source.line_column(known.span.start);
    let file = known.source.name().map_or_else(|| "string:".to_owned(), |file| format!("file:{file}"));
    let (name, line, column) = (name.replace("::", "/"), at.line, at.column);
    let message = format!(
        "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{what}/{name}'. Originally set at {file}?line={line}&pos={column}."
    );
    Box::new(Diagnostic::said("ARGUMENT_ERROR", message))
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
