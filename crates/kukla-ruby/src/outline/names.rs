//! The names that a text uses and defines.

use kukla_syntax::{Span, deep};

use super::Outline;
use super::node::{Call, Expr, Node, Target};

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameUse {
    /// The name; of a constant its whole path, as written.
    pub name: String,
    /// The position.
    pub span: Span,
    /// Whether it is a call without a receiver.
    pub is_own: bool,
}

/// The kinds of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
    /// A class.
    Class,
    /// A module.
    Module,
    /// A constant with any other value.
    Constant,
    /// A method.
    Method,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The kind of the definition.
    pub kind: DefinitionKind,
    /// The name without the namespace.
    pub name: String,
    /// The classes and modules around it, such as `A::B`; empty at the top.
    pub namespace: String,
    /// The position of the whole definition.
    pub span: Span,
    /// The position of the name.
    pub name_span: Span,
}

/// The names that a text uses and defines.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The methods it calls.
    pub calls: Vec<NameUse>,
    /// The constants it uses, except inside `defined?`.
    pub constants: Vec<NameUse>,
    /// The libraries it requires by a literal name.
    pub libraries: Vec<NameUse>,
    /// The classes, modules, constants and methods it defines.
    pub definitions: Vec<Definition>,
}

/// Methods that define methods named by their symbols and strings.
const DEFINERS: &[&str] = &[
    "alias_method",
    "attr",
    "attr_accessor",
    "attr_reader",
    "attr_writer",
    "def_delegator",
    "def_delegators",
    "define_method",
    "define_singleton_method",
    "delegate",
    "new",
];

impl Outline {
    /// The names that the text uses and defines.
    pub fn names(&self) -> Names {
        let mut names = Names::default();
        names.add(self.body(), "");
        names
    }
}

impl Names {
    /// The names of the methods that are defined.
    pub fn methods(&self) -> impl Iterator<Item = &str> {
        self.defined(|kind| kind == DefinitionKind::Method)
    }

    /// The names of the constants that are defined, classes and modules included, without their namespaces.
    pub fn defined_constants(&self) -> impl Iterator<Item = &str> {
        self.defined(|kind| kind != DefinitionKind::Method)
    }

    fn defined(&self, is_meant: impl Fn(DefinitionKind) -> bool) -> impl Iterator<Item = &str> {
        let definitions = self.definitions.iter().filter(move |definition| is_meant(definition.kind));
        definitions.map(|definition| definition.name.as_str())
    }

    fn add(&mut self, node: &Node, namespace: &str) {
        match &node.expr {
            // Code that only asks whether something exists does not need it.
            Expr::Defined(_) => return,
            Expr::Constant(path) => {
                self.constants.push(NameUse { name: path.clone(), span: node.span, is_own: false });
            }
            Expr::Call(call) => self.add_call(call, node.span, namespace),
            Expr::Method(method) => {
                self.define(DefinitionKind::Method, &method.name, namespace, node.span, method.name_span);
            }
            Expr::Alias(new, _) => {
                self.define(DefinitionKind::Method, new, namespace, node.span, node.span);
            }
            Expr::Assign(assign) => {
                if let Target::Constant(path) = &assign.target {
                    self.define_path(DefinitionKind::Constant, path, namespace, node.span, node.span);
                }
            }
            Expr::Namespace(inner) => {
                let kind = if inner.is_class { DefinitionKind::Class } else { DefinitionKind::Module };
                self.define_path(kind, &inner.name, namespace, node.span, inner.name_span);
                if let Some(superclass) = &inner.superclass {
                    deep(|| self.add(superclass, namespace));
                }
                let namespace = joined(namespace, &inner.name);
                return deep(|| self.add(&inner.body, &namespace));
            }
            _ => {}
        }
        node.each_child(&mut |child| deep(|| self.add(child, namespace)));
    }

    fn add_call(&mut self, call: &Call, span: Span, namespace: &str) {
        let words = || call.args.iter().filter_map(|arg| Some((arg.literal()?, arg.span)));
        if DEFINERS.contains(&call.name.as_str()) {
            for (word, name_span) in words() {
                self.define(DefinitionKind::Method, &format!("{word}="), namespace, span, name_span);
                self.define(DefinitionKind::Method, &word, namespace, span, name_span);
            }
        }
        if call.name == "require" && call.receiver.is_none() {
            let uses = words().map(|(name, span)| NameUse { name, span, is_own: true });
            self.libraries.extend(uses);
        }
        let is_own = call.receiver.is_none();
        self.calls.push(NameUse { name: call.name.clone(), span: call.name_span, is_own });
    }

    fn define(&mut self, kind: DefinitionKind, name: &str, namespace: &str, span: Span, name_span: Span) {
        let (name, namespace) = (name.to_owned(), namespace.to_owned());
        self.definitions.push(Definition { kind, name, namespace, span, name_span });
    }

    /// A definition whose name may have a namespace of its own: `class A::B`.
    fn define_path(
        &mut self,
        kind: DefinitionKind,
        path: &str,
        namespace: &str,
        span: Span,
        name_span: Span,
    ) {
        match path.rsplit_once("::") {
            Some((above, name)) => self.define(kind, name, &joined(namespace, above), span, name_span),
            None => self.define(kind, path, namespace, span, name_span),
        }
    }
}

/// A path seen from a namespace. One that begins at the top, or has nothing before its `::`, is complete.
fn joined(namespace: &str, path: &str) -> String {
    match path.strip_prefix("::") {
        Some(top) => top.to_owned(),
        None if namespace.is_empty() || path.is_empty() => path.to_owned(),
        None => format!("{namespace}::{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_used_and_defined() {
        let outline = Outline::new(
            "require 'set'\nclass A::B < C\n  attr_reader :x\n  def y\n    D::E.z(x)\n  end\n  F = 1\nend\ndefined?(G)\n",
        );
        let names = outline.names();
        let uses = |list: &[NameUse]| {
            let line = |used: &NameUse| (used.name.clone(), outline.line(used.span.start));
            list.iter().map(line).collect::<Vec<_>>()
        };
        assert_eq!(uses(&names.libraries), [("set".into(), 1)]);
        assert_eq!(uses(&names.constants), [("C".into(), 2), ("D::E".into(), 5)]);
        assert!(uses(&names.calls).contains(&("z".into(), 5)));
        assert_eq!(names.methods().collect::<Vec<_>>(), ["x=", "x", "y"]);
        assert_eq!(names.defined_constants().collect::<Vec<_>>(), ["B", "F"]);
        let namespaces: Vec<&str> = names.definitions.iter().map(|one| one.namespace.as_str()).collect();
        assert_eq!(namespaces, ["A", "A::B", "A::B", "A::B", "A::B"]);
    }
}
