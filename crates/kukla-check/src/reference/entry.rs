//! The entries of a reference: everything that code defines for others to use.

use kukla::syntax::Span;

use super::docstring::Docstring;

/// Where something is defined.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Its file, as it was named to the reader.
    pub file: String,
    /// Its line, from one; zero for a whole file.
    pub line: u32,
    /// The position of its name in the file.
    pub name_span: Span,
}

/// A parameter of Puppet code or of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// Its name. `*` and `&` before it mark those that take all remaining arguments, and a lambda.
    pub name: String,
    /// Its type as written.
    pub ty: Option<String>,
    /// Its default as written.
    pub default: Option<String>,
    /// The position of its name.
    pub span: Span,
}

/// A class, a defined type or a plan.
#[derive(Clone, Debug, Default)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub origin: Origin,
    /// Its documentation; each parameter has a tag.
    pub docstring: Docstring,
    /// Its documentation as written.
    pub written: Docstring,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The class it inherits from.
    pub inherits: Option<String>,
    /// The classes, defined types and resource types that its code declares by name.
    pub uses: Vec<Use>,
    /// Its code.
    pub source: String,
}

/// A class, defined type or resource type that code declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Its name in lower case.
    pub name: String,
    /// The line of the declaration.
    pub line: u32,
}

/// The language and API of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// The Puppet language.
    #[default]
    Puppet,
    /// `Puppet::Functions`
    Ruby4x,
    /// `Puppet::Parser::Functions`
    Ruby3x,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its language and API.
    pub kind: FunctionKind,
    /// Where it is defined.
    pub origin: Origin,
    /// Its documentation.
    pub docstring: Docstring,
    /// Its documentation as written.
    pub written: Docstring,
    /// Its parameters, if it has one signature.
    pub parameters: Vec<Parameter>,
    /// Its signatures in Ruby, as far as there are any. With exactly one, the function itself has its parameters and tags.
    pub overloads: Vec<Overload>,
    /// Its code.
    pub source: String,
}

/// One of several signatures of a function.
#[derive(Clone, Debug, Default)]
pub struct Overload {
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its documentation; each parameter has a tag.
    pub docstring: Docstring,
    /// Its documentation as written.
    pub written: Docstring,
    /// Its line.
    pub line: u32,
}

/// A type alias.
#[derive(Clone, Debug, Default)]
pub struct TypeAlias {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub origin: Origin,
    /// Its documentation.
    pub docstring: Docstring,
    /// The type it is another name of, as written.
    pub alias_of: String,
}

/// A data type that is defined in Ruby.
#[derive(Clone, Debug, Default)]
pub struct DataType {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub origin: Origin,
    /// Its documentation; each attribute has a tag.
    pub docstring: Docstring,
    /// The defaults of attributes.
    pub defaults: Vec<(String, Literal)>,
    /// Its functions.
    pub functions: Vec<DataTypeFunction>,
}

/// A function of a data type.
#[derive(Clone, Debug, Default)]
pub struct DataTypeFunction {
    /// Its name.
    pub name: String,
    /// Its documentation.
    pub docstring: Docstring,
}

/// A resource type that is defined in Ruby.
#[derive(Clone, Debug, Default)]
pub struct ResourceType {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub origin: Origin,
    /// Its documentation.
    pub docstring: Docstring,
    /// Its properties.
    pub properties: Vec<Attribute>,
    /// Its parameters.
    pub parameters: Vec<Attribute>,
    /// Its checks, as `exec` has them.
    pub checks: Vec<Attribute>,
    /// Its features: name and description.
    pub features: Vec<(String, String)>,
}

/// A property, parameter or check of a resource type.
#[derive(Clone, Debug, Default)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The values it takes.
    pub values: Vec<String>,
    /// Values with another name: the name and the value.
    pub aliases: Vec<(String, String)>,
    /// Its data type.
    pub data_type: Option<String>,
    /// Whether it names the resource.
    pub is_namevar: bool,
    /// Its default.
    pub default: Option<Literal>,
    /// The features that a provider must have.
    pub required_features: Option<String>,
}

/// A provider of a resource type.
#[derive(Clone, Debug, Default)]
pub struct Provider {
    /// Its name.
    pub name: String,
    /// The resource type.
    pub type_name: String,
    /// Where it is defined.
    pub origin: Origin,
    /// Its documentation.
    pub docstring: Docstring,
    /// The conditions under which it can be used.
    pub confines: Vec<(String, String)>,
    /// The features it has.
    pub features: Vec<String>,
    /// The systems it is the default for, each a list of conditions.
    pub defaults: Vec<Vec<(String, String)>>,
    /// The commands it needs.
    pub commands: Vec<(String, String)>,
}

/// A task.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub origin: Origin,
    /// Its documentation; each parameter has a tag.
    pub docstring: Docstring,
    /// Whether it can run without effect.
    pub supports_noop: Literal,
    /// How it gets its parameters.
    pub input_method: Literal,
    /// Its metadata.
    pub source: String,
}

/// A literal value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Literal {
    /// `nil`
    #[default]
    Nil,
    /// `true` or `false`
    Boolean(bool),
    /// A number as Ruby prints it.
    Number(String),
    /// A string or symbol.
    Text(String),
    /// An array.
    Array(Vec<Literal>),
    /// A hash.
    Hash(Vec<(Literal, Literal)>),
}

impl Literal {
    /// The text of a string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Literal::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key of a hash.
    pub fn entry(&self, key: &str) -> Option<&Literal> {
        let Literal::Hash(entries) = self else { return None };
        entries.iter().rev().find(|(name, _)| name.as_text() == Some(key)).map(|(_, value)| value)
    }

    /// The value as Ruby's `to_s` prints it.
    pub fn text(&self) -> String {
        match self {
            Literal::Nil => String::new(),
            Literal::Text(text) => text.clone(),
            other => other.inspect(),
        }
    }

    /// The value as Ruby's `inspect` prints it.
    fn inspect(&self) -> String {
        match self {
            Literal::Nil => "nil".into(),
            Literal::Boolean(value) => value.to_string(),
            Literal::Number(text) => text.clone(),
            Literal::Text(text) => quote(text),
            Literal::Array(all) => {
                format!("[{}]", all.iter().map(Literal::inspect).collect::<Vec<_>>().join(", "))
            }
            Literal::Hash(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| format!("{}=>{}", key.inspect(), value.inspect()));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A string as Ruby's `inspect` prints it.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '#' if matches!(rest.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            c if c.is_ascii_control() => out.push_str(&format!("\\x{:02X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
