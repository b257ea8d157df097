//! What a program names, as far as its text shows: for telling beforehand what it would not find.

use ruby_prism::{self as prism, Visit};

use crate::class::ClassId;
use crate::error::{Result, Unwind};
use crate::library::sources::SOURCES;
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::Value;

/// A name and the line it stands in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// The name; of a constant its whole path, as written.
    pub name: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether it is asked of the object whose code this is: no receiver is named.
    pub is_own: bool,
}

/// What a program names.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The methods it calls.
    pub calls: Vec<Named>,
    /// The constants it asks for.
    pub constants: Vec<Named>,
    /// The libraries it requires by a fixed name.
    pub libraries: Vec<Named>,
    /// The methods it defines, by any of the ways that name them.
    pub methods: Vec<String>,
    /// The constants it defines, without what they are in.
    pub own_constants: Vec<String>,
}

/// Methods whose symbols and strings name methods that are then there.
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

/// Surveys a program; of one with mistakes, what can be read.
pub fn survey(source: &[u8]) -> Survey {
    let result = prism::parse(source);
    let mut surveyor = Surveyor { found: Survey::default() };
    surveyor.visit(&result.node());
    surveyor.found
}

/// What Puppet looks for in the text of a function for its old API before it runs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OldFunction {
    /// Whether `newfunction` is called.
    pub is_made: bool,
    /// The first method that it defines, which it must not.
    pub defines: Option<DefinedMethod>,
}

/// A method that a text defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinedMethod {
    /// Its name and the column of that, unless the name is an operator or begins like a constant.
    pub name: Option<(String, u32)>,
}

/// Surveys the text of a function for Puppet's old API; nothing of one with mistakes.
pub fn old_function(source: &[u8]) -> Option<OldFunction> {
    let result = prism::parse(source);
    if result.errors().next().is_some() {
        return None;
    }
    let mut found = OldFunction::default();
    found.visit(&result.node());
    Some(found)
}

impl<'pr> Visit<'pr> for OldFunction {
    fn visit_call_node(&mut self, node: &prism::CallNode<'pr>) {
        // Arguments without parentheses make it something else to Puppet.
        let is_call = node.arguments().is_none() || node.opening_loc().is_some();
        self.is_made |= is_call && node.name().as_slice() == b"newfunction";
        prism::visit_call_node(self, node);
    }

    fn visit_def_node(&mut self, node: &prism::DefNode<'pr>) {
        if self.defines.is_none() {
            let name = text(node.name().as_slice());
            let is_plain = name.starts_with(|c: char| c.is_lowercase() || c == '_');
            self.defines =
                Some(DefinedMethod { name: is_plain.then(|| (name, node.name_loc().start_column())) });
        }
        prism::visit_def_node(self, node);
    }
}

struct Surveyor {
    found: Survey,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn named(name: String, location: &prism::Location<'_>) -> Named {
    Named { name, line: location.start_line().max(1) as u32, is_own: false }
}

impl Surveyor {
    /// The symbols and strings among the arguments of a call.
    fn words(node: &prism::CallNode<'_>) -> Vec<String> {
        let Some(args) = node.arguments() else { return Vec::new() };
        let word = |node: prism::Node<'_>| match (node.as_symbol_node(), node.as_string_node()) {
            (Some(symbol), _) => Some(text(symbol.unescaped())),
            (_, Some(string)) => Some(text(string.unescaped())),
            _ => None,
        };
        args.arguments().iter().filter_map(word).collect()
    }

    fn defined_constant(&mut self, path: &prism::Node<'_>) {
        let name = match (path.as_constant_read_node(), path.as_constant_path_node()) {
            (Some(plain), _) => Some(plain.name()),
            (_, Some(path)) => path.name(),
            _ => None,
        };
        self.found.own_constants.extend(name.map(|name| text(name.as_slice())));
    }
}

impl<'pr> Visit<'pr> for Surveyor {
    fn visit_call_node(&mut self, node: &prism::CallNode<'pr>) {
        let name = text(node.name().as_slice());
        if DEFINERS.contains(&name.as_str()) {
            for word in Self::words(node) {
                self.found.methods.push(format!("{word}="));
                self.found.methods.push(word);
            }
        }
        if name == "require" && node.receiver().is_none() {
            let libraries = Self::words(node).into_iter().map(|word| named(word, &node.location()));
            let libraries: Vec<Named> = libraries.collect();
            self.found.libraries.extend(libraries);
        }
        let place = node.message_loc().unwrap_or_else(|| node.location());
        let call = named(name, &place);
        self.found.calls.push(Named { is_own: node.receiver().is_none(), ..call });
        prism::visit_call_node(self, node);
    }

    fn visit_def_node(&mut self, node: &prism::DefNode<'pr>) {
        self.found.methods.push(text(node.name().as_slice()));
        prism::visit_def_node(self, node);
    }

    fn visit_alias_method_node(&mut self, node: &prism::AliasMethodNode<'pr>) {
        if let Some(symbol) = node.new_name().as_symbol_node() {
            self.found.methods.push(text(symbol.unescaped()));
        }
    }

    fn visit_class_node(&mut self, node: &prism::ClassNode<'pr>) {
        self.defined_constant(&node.constant_path());
        if let Some(superclass) = node.superclass() {
            self.visit(&superclass);
        }
        if let Some(body) = node.body() {
            self.visit(&body);
        }
    }

    fn visit_module_node(&mut self, node: &prism::ModuleNode<'pr>) {
        self.defined_constant(&node.constant_path());
        if let Some(body) = node.body() {
            self.visit(&body);
        }
    }

    fn visit_constant_write_node(&mut self, node: &prism::ConstantWriteNode<'pr>) {
        self.found.own_constants.push(text(node.name().as_slice()));
        prism::visit_constant_write_node(self, node);
    }

    fn visit_constant_or_write_node(&mut self, node: &prism::ConstantOrWriteNode<'pr>) {
        self.found.own_constants.push(text(node.name().as_slice()));
        prism::visit_constant_or_write_node(self, node);
    }

    fn visit_constant_read_node(&mut self, node: &prism::ConstantReadNode<'pr>) {
        let constant = named(text(node.name().as_slice()), &node.location());
        self.found.constants.push(constant);
    }

    fn visit_constant_path_node(&mut self, node: &prism::ConstantPathNode<'pr>) {
        let written = text(node.location().as_slice());
        if written.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b':' | b'_')) {
            let constant = named(written, &node.location());
            self.found.constants.push(constant);
        } else {
            prism::visit_constant_path_node(self, node);
        }
    }

    /// What is only asked for need not be there.
    fn visit_defined_node(&mut self, _: &prism::DefinedNode<'pr>) {}
}

impl Ruby<'_> {
    /// Whether any class or module has a method of that name.
    pub fn has_method(&self, name: &str) -> bool {
        let Some(name) = self.symbols.existing(name) else { return false };
        self.state.classes.iter().any(|class| {
            class.methods.contains_key(&name) || class.native.is_some_and(|native| native.contains_key(&name))
        })
    }

    /// Whether there is a constant of that path; a name alone may be one of any module.
    pub fn has_constant(&mut self, path: &str) -> Result<bool> {
        let path = path.strip_prefix("::").unwrap_or(path);
        let mut within = ClassId::OBJECT;
        for (at, word) in path.split("::").enumerate() {
            let name = self.symbols.intern(word);
            let value = match self.find_constant_in(within, name, false)? {
                Some(value) => value,
                None if at == 0 => match self.constant_of_any(name) {
                    Some(value) => value,
                    None => return Ok(false),
                },
                None => return Ok(false),
            };
            match value {
                Value::Class(class) => within = class,
                _ => return Ok(true),
            }
        }
        Ok(true)
    }

    fn constant_of_any(&self, name: Symbol) -> Option<Value> {
        let constant = self.state.classes.iter().find_map(|class| class.constants.get(&name));
        constant.map(|constant| constant.value.clone())
    }

    /// Whether `require` would find something of that name.
    pub fn has_library(&mut self, feature: &str) -> Result<bool> {
        match self.require(feature) {
            Ok(_) => Ok(true),
            Err(unwind) => match *unwind {
                Unwind::Raise(exception) => Ok(!self.is_a(&exception, ClassId::LOAD_ERROR)),
                other => Err(Box::new(other)),
            },
        }
    }

    /// Loads every library that comes with the interpreter.
    pub fn require_all(&mut self) -> Result<()> {
        SOURCES.iter().try_for_each(|library| self.require(library.name).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::survey;

    #[test]
    fn names_calls_constants_and_definitions() {
        let found = survey(b"require 'set'\nclass A::B < C\n  attr_reader :x\n  def y\n    D::E.z(x)\n  end\nend\ndefined?(F)");
        let names = |list: &[super::Named]| list.iter().map(|n| (n.name.clone(), n.line)).collect::<Vec<_>>();
        assert_eq!(names(&found.libraries), [("set".into(), 1)]);
        assert_eq!(names(&found.constants), [("C".into(), 2), ("D::E".into(), 5)]);
        assert_eq!(found.own_constants, ["B"]);
        assert_eq!(found.methods, ["x=", "x", "y"]);
        assert!(names(&found.calls).contains(&("z".into(), 5)));
    }
}
