//! Scopes: which variables there are, and what is known of them.

use kukla::values::{Str, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Walk;

/// What a scope is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// A site manifest.
    Top,
    /// A node definition.
    Node,
    /// The class of that name.
    Class(Str),
    /// The defined type of that name.
    Define(Str),
    /// A function.
    Function,
    /// A lambda, which sees what is around it.
    Lambda,
    /// A template; closed, if it declares what it takes and so sees nothing of who renders it.
    Template {
        /// Whether it declares its parameters.
        is_closed: bool,
    },
}

/// A scope.
#[derive(Debug)]
pub struct Scope {
    /// What it is of.
    pub kind: ScopeKind,
    /// The variables that have been set so far, and what they are.
    pub variables: FxHashMap<Str, Type>,
    /// The variables that are set somewhere in it.
    pub assigned: FxHashSet<Str>,
}

impl Scope {
    /// A scope in which these variables are set.
    pub fn new(kind: ScopeKind, assigned: Vec<Str>) -> Scope {
        Scope { kind, variables: FxHashMap::default(), assigned: assigned.into_iter().collect() }
    }
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub enum Known {
    /// It is there, and is this.
    As(Type),
    /// There is none.
    Nothing,
}

/// Variables that are always there.
pub const ALWAYS: &[&str] = &[
    "caller_module_name",
    "clientcert",
    "clientnoop",
    "clientversion",
    "environment",
    "facts",
    "module_name",
    "name",
    "server_facts",
    "serverip",
    "serverip6",
    "servername",
    "serverversion",
    "title",
    "trusted",
];

impl Walk<'_> {
    /// What is known of the variable of a name without a module.
    pub fn local(&mut self, name: &str) -> Known {
        let narrowed = self.narrowed.iter().rev().find(|known| known.name == name);
        let mut class = None;
        for (at, scope) in self.scopes.iter().enumerate().rev() {
            if let Some(ty) = scope.variables.get(name) {
                let ty = narrowed.filter(|known| known.depth > at).map_or(ty, |known| &known.ty);
                return Known::As(ty.clone());
            }
            // Bodies run from top to bottom; site manifests are several, in an order of their own.
            if scope.assigned.contains(name) && scope.kind == ScopeKind::Top {
                return Known::As(Type::Any);
            }
            match &scope.kind {
                ScopeKind::Lambda => continue,
                ScopeKind::Template { is_closed: false } => {
                    // It sees the variables of whoever renders it.
                    let is_set = self.index.set_names.contains(name);
                    self.asked.variables.insert(name.into(), is_set);
                    if is_set || !self.complete {
                        return Known::As(Type::Any);
                    }
                }
                ScopeKind::Class(name) => class = Some(name.clone()),
                // What is given to a defined type is there as a variable, metaparameters too.
                ScopeKind::Define(_) if kukla::catalog::types::is_metaparameter(name) => {
                    return Known::As(Type::Any);
                }
                _ => {}
            }
            break;
        }
        if let Some(class) = class {
            // Its own variables have been looked at, in their order.
            let Some(class) = self.index.classes.get(&class) else { return Known::As(Type::Any) };
            if let Some(parent) = class.parent.clone() {
                match self.of_class(&parent, name) {
                    Known::Nothing => {}
                    known => return known,
                }
            }
        }
        let in_node = self.scopes.iter().any(|scope| {
            matches!(scope.kind, ScopeKind::Top | ScopeKind::Node) && scope.assigned.contains(name)
        });
        if in_node || self.index.variables.contains(name) {
            return Known::As(Type::Any);
        }
        if matches!(name, "name" | "title" | "module_name" | "caller_module_name" | "environment") {
            return Known::As(Type::STRING);
        }
        if ALWAYS.contains(&name) || self.index.facts.has(name) {
            return Known::As(Type::Any);
        }
        Known::Nothing
    }

    /// What is known of a variable of a class or of those that it inherits from.
    pub fn of_class(&mut self, class: &str, name: &str) -> Known {
        let (lineage, is_whole) = self.index.lineage(class);
        for class in &lineage {
            self.ask(crate::repository::Kind::Class, &class.name, Some(class));
            if let Some(parameter) = class.parameter(name) {
                let ty = parameter.ty.as_ref().and_then(|text| self.index.types.read(text));
                return Known::As(ty.unwrap_or(Type::Any));
            }
            if class.variables.iter().any(|variable| variable == name) {
                return Known::As(Type::Any);
            }
        }
        if !is_whole || matches!(name, "name" | "title" | "module_name" | "caller_module_name") {
            return Known::As(Type::Any);
        }
        Known::Nothing
    }

    /// Sets a variable.
    pub fn assign(&mut self, name: &str, ty: Type) {
        let Some(scope) = self.scopes.last_mut() else { return };
        scope.variables.insert(name.into(), ty);
    }

    /// Does something while more is known of a variable.
    pub fn knowing<T>(&mut self, facts: Vec<(Str, Type)>, body: impl FnOnce(&mut Self) -> T) -> T {
        let (before, depth) = (self.narrowed.len(), self.scopes.len());
        self.narrowed.extend(facts.into_iter().map(|(name, ty)| super::Narrowed { name, ty, depth }));
        let done = body(self);
        self.narrowed.truncate(before);
        done
    }
}
