//! Scopes: the variables that are set, and their types.

use kukla::syntax::Span;
use kukla::values::{Str, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Walk;
use crate::repository::Question;

/// The kind of a scope.
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
    /// A lambda, which sees the scopes around it.
    Lambda,
    /// A template; closed if it declares parameters, so that it does not see the variables of the code that renders it.
    Template {
        /// Whether it declares its parameters.
        is_closed: bool,
    },
}

/// A scope.
#[derive(Debug)]
pub struct Scope {
    /// Its kind.
    pub kind: ScopeKind,
    /// The variables that have been set so far, and their types.
    pub variables: FxHashMap<Str, Type>,
    /// The variables that are set anywhere in it.
    pub assigned: FxHashSet<Str>,
    /// The variables that are certainly set by now, and where; `None` for those that Puppet sets.
    pub certain: CertainVariables,
}

impl Scope {
    /// A scope in which these variables are set somewhere.
    pub fn new(kind: ScopeKind, assigned: Vec<Str>) -> Scope {
        let own: &[&str] = match kind {
            ScopeKind::Class(_) | ScopeKind::Define(_) => {
                &["name", "title", "module_name", "facts", "trusted", "server_facts"]
            }
            ScopeKind::Node => &["name", "title", "facts", "trusted", "server_facts"],
            ScopeKind::Top => {
                &["name", "title", "module_name", "environment", "facts", "trusted", "server_facts"]
            }
            ScopeKind::Function | ScopeKind::Lambda => &["facts", "trusted", "server_facts"],
            ScopeKind::Template { .. } => &[],
        };
        Scope {
            kind,
            variables: FxHashMap::default(),
            assigned: assigned.into_iter().collect(),
            certain: own.iter().map(|name| ((*name).into(), None)).collect(),
        }
    }
}

/// Variables that are certainly set, and where.
pub type CertainVariables = FxHashMap<Str, Option<Span>>;

/// The state of a variable.
#[derive(Clone, Debug)]
pub enum VariableState {
    /// It is set, and has this type.
    Set(Type),
    /// It is not set.
    Unset,
}

/// Variables that are always set.
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
    /// The state of a variable without a module in its name.
    pub fn local(&mut self, name: &str) -> VariableState {
        let narrowed = self.narrowed.iter().rev().find(|known| known.name == name);
        let mut class = None;
        for (at, scope) in self.scopes.iter().enumerate().rev() {
            if let Some(ty) = scope.variables.get(name) {
                let ty = narrowed.filter(|known| known.depth > at).map_or(ty, |known| &known.ty);
                return VariableState::Set(ty.clone());
            }
            // Bodies run from top to bottom; several site manifests run in an unknown order.
            if scope.assigned.contains(name) && scope.kind == ScopeKind::Top {
                return VariableState::Set(Type::Any);
            }
            match &scope.kind {
                ScopeKind::Lambda => continue,
                ScopeKind::Template { is_closed: false } => {
                    // It sees the variables of the code that renders it.
                    let is_set = self.index.set_names.contains(name);
                    self.dependencies.variables.insert(name.into(), is_set);
                    if is_set || !self.complete || self.has_computed_parameters() {
                        return VariableState::Set(Type::Any);
                    }
                }
                ScopeKind::Class(name) => class = Some(name.clone()),
                // The attributes of a defined type are variables in it, including metaparameters.
                ScopeKind::Define(_) if kukla::catalog::types::is_metaparameter(name) => {
                    return VariableState::Set(Type::Any);
                }
                _ => {}
            }
            break;
        }
        if let Some(class) = class {
            // The variables of the class itself have been checked above, in their order.
            let Some(class) = self.index.classes.get(&class) else { return VariableState::Set(Type::Any) };
            if let Some(parent) = class.parent.clone() {
                match self.of_class(&parent, name) {
                    VariableState::Unset => {}
                    known => return known,
                }
            }
        }
        let in_node = self.scopes.iter().any(|scope| {
            matches!(scope.kind, ScopeKind::Top | ScopeKind::Node) && scope.assigned.contains(name)
        });
        if in_node || self.index.variables.contains(name) {
            return VariableState::Set(Type::Any);
        }
        if matches!(name, "name" | "title" | "module_name" | "caller_module_name" | "environment") {
            return VariableState::Set(Type::STRING);
        }
        if ALWAYS.contains(&name) || self.index.facts.has(name) {
            return VariableState::Set(Type::Any);
        }
        VariableState::Unset
    }

    /// Whether some code passes parameters with computed names to this template.
    fn has_computed_parameters(&mut self) -> bool {
        let open = &self.index.open_templates;
        let path = self.source.name().unwrap_or_default();
        let inside = path.rsplit_once("/templates/").map_or(path, |(_, inside)| inside);
        let name = self.module.map(|module| format!("{module}/{inside}")).unwrap_or_default();
        self.depend_on(Question::OpenTemplate(name.clone()));
        open.contains("") || open.contains(&name)
    }

    /// The state of a variable of a class or of its ancestors.
    pub fn of_class(&mut self, class: &str, name: &str) -> VariableState {
        let (lineage, is_whole) = self.index.lineage(class);
        for class in &lineage {
            self.record_dependency(crate::repository::Kind::Class, &class.name, Some(class));
            if let Some(parameter) = class.parameter(name) {
                let ty = parameter.ty.as_ref().and_then(|text| self.index.types.read(text));
                return VariableState::Set(ty.unwrap_or(Type::Any));
            }
            if class.variables.iter().any(|variable| variable == name) {
                return VariableState::Set(Type::Any);
            }
        }
        if !is_whole || matches!(name, "name" | "title" | "module_name" | "caller_module_name") {
            return VariableState::Set(Type::Any);
        }
        VariableState::Unset
    }

    /// Sets a variable, and reports it if it is certainly set already.
    pub fn assign(&mut self, name: &str, span: Span, ty: Type) {
        let Some(scope) = self.scopes.last_mut() else { return };
        scope.variables.insert(name.into(), ty);
        match scope.certain.get(name).copied() {
            Some(first) => self.reassigned(name, span, first),
            None => {
                scope.certain.insert(name.into(), Some(span));
            }
        }
    }

    /// Sets a parameter.
    pub fn set_parameter(&mut self, name: &str, span: Span, ty: Type) {
        let Some(scope) = self.scopes.last_mut() else { return };
        scope.variables.insert(name.into(), ty);
        scope.certain.insert(name.into(), Some(span));
    }

    /// Runs `body`, which is evaluated or not after a test. Returns its result and the variables that it certainly sets.
    pub fn after_test<T>(&mut self, test: Span, body: impl FnOnce(&mut Self) -> T) -> (T, CertainVariables) {
        let before = self.scopes.last().map(|scope| scope.certain.clone()).unwrap_or_default();
        self.tests.push(test);
        let done = body(self);
        self.tests.pop();
        let Some(scope) = self.scopes.last_mut() else { return (done, CertainVariables::default()) };
        let mut after = std::mem::replace(&mut scope.certain, before);
        after.retain(|name, _| !scope.certain.contains_key(name));
        (done, after)
    }

    /// Makes a variable one that may be set again, as where a test shows that it is not set. Returns what was known of it.
    pub fn forget(&mut self, name: Option<&str>) -> Option<(Str, Option<Span>)> {
        self.scopes.last_mut()?.certain.remove_entry(name?)
    }

    /// Restores what was known of a variable.
    pub fn remember(&mut self, known: Option<(Str, Option<Span>)>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.certain.extend(known);
        }
    }

    /// Marks the variables that all of these alternatives set, one of which is certainly evaluated.
    pub fn set_by_all(&mut self, alternatives: Vec<CertainVariables>) {
        let Some(scope) = self.scopes.last_mut() else { return };
        let mut alternatives = alternatives.into_iter();
        let Some(first) = alternatives.next() else { return };
        let others: Vec<CertainVariables> = alternatives.collect();
        let common =
            first.into_iter().filter(|(name, _)| others.iter().all(|other| other.contains_key(name)));
        scope.certain.extend(common);
    }

    /// Runs `body` while more is known about the types of variables.
    pub fn with_types<T>(&mut self, facts: Vec<(Str, Type)>, body: impl FnOnce(&mut Self) -> T) -> T {
        let (before, depth) = (self.narrowed.len(), self.scopes.len());
        self.narrowed.extend(facts.into_iter().map(|(name, ty)| super::Narrowed { name, ty, depth }));
        let done = body(self);
        self.narrowed.truncate(before);
        done
    }
}
