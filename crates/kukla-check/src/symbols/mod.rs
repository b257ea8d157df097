//! Symbols: everything that code and data name, where they name it, and what a name means.
//!
//! Occurrences are found in the tree of one text at a time, without the index; the index then [resolves](resolve()) them. Nothing is stored:
//! a search reads only the texts that contain the name.

mod data;
mod erb;
mod manifest;
mod resolve;
mod search;

use kukla::syntax::{Source, Span};
use kukla::values::Str;

pub use data::{data_occurrences, interpolations};
pub use erb::erb_occurrences;
pub use manifest::occurrences;
pub use resolve::{DefinitionPlace, data_entries, definitions, resolve, symbol_at};
pub use search::{references, renderers};

/// Something that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A class.
    Class(Str),
    /// A resource type: a defined type, or one of the agent.
    ResourceType(Str),
    /// A function.
    Function(Str),
    /// A data type: an alias, or a built-in one.
    DataType(Str),
    /// A name in capitals, which may be that of a data type or of a resource type; resolving tells which.
    Capitalized(Str),
    /// A variable or a parameter.
    Variable {
        /// The part of the program that sets it.
        owner: Owner,
        /// Its name.
        name: Str,
    },
    /// An attribute of a resource type that is not a defined type.
    Attribute {
        /// The resource type.
        kind: Str,
        /// Its name.
        name: Str,
    },
    /// A resource.
    Resource {
        /// Its type.
        kind: Str,
        /// Its title.
        title: Str,
    },
    /// A key of Hiera data.
    DataKey(Str),
    /// A fact, by its path: `os.family`.
    Fact(Str),
    /// A template, by `module/name`.
    Template(Str),
    /// A file of a module, by `module/name`.
    File(Str),
}

/// The part of a program that a variable belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The top scope, or something outside of the code.
    Top,
    /// A class, or one that it inherits from; resolving tells which.
    Class(Str),
    /// A defined type.
    Define(Str),
    /// A function.
    Function(Str),
    /// An EPP template, by `module/name` or by its path.
    Template(Str),
    /// A lambda or node definition, by its file and offset.
    Block(Str, u32),
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It is defined.
    Definition,
    /// It gets a value, or is declared.
    Write,
    /// It is used.
    Read,
}

/// One use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The symbol that is named.
    pub symbol: Symbol,
    /// The span of the name, without quotes and `$`.
    pub span: Span,
    /// How it is used.
    pub role: Role,
}

/// An occurrence in one of the texts of a repository.
#[derive(Clone, Debug)]
pub struct Located {
    /// The text.
    pub source: Source,
    /// The occurrence, with its symbol resolved.
    pub occurrence: Occurrence,
}

impl Symbol {
    /// The last part of its name, as it appears in texts, apart from its case.
    pub fn last_part(&self) -> &str {
        let name = self.name();
        match self {
            Symbol::Fact(path) => path.rsplit('.').next().unwrap_or(name),
            Symbol::Template(_) | Symbol::File(_) | Symbol::Resource { .. } | Symbol::DataKey(_) => name,
            _ => name.rsplit("::").next().unwrap_or(name),
        }
    }

    /// Its name.
    pub fn name(&self) -> &Str {
        match self {
            Symbol::Class(name)
            | Symbol::ResourceType(name)
            | Symbol::Function(name)
            | Symbol::DataType(name)
            | Symbol::Capitalized(name)
            | Symbol::DataKey(name)
            | Symbol::Fact(name)
            | Symbol::Template(name)
            | Symbol::File(name)
            | Symbol::Variable { name, .. }
            | Symbol::Attribute { name, .. }
            | Symbol::Resource { title: name, .. } => name,
        }
    }

    /// The kind of symbol, as messages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Symbol::Class(_) => "class",
            Symbol::ResourceType(_) => "resource type",
            Symbol::Function(_) => "function",
            Symbol::DataType(_) | Symbol::Capitalized(_) => "data type",
            Symbol::Variable { .. } => "variable",
            Symbol::Attribute { .. } => "attribute",
            Symbol::Resource { .. } => "resource",
            Symbol::DataKey(_) => "data key",
            Symbol::Fact(_) => "fact",
            Symbol::Template(_) => "template",
            Symbol::File(_) => "file",
        }
    }
}
