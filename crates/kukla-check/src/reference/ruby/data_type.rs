//! Data types that are written in Ruby.

use kukla::syntax::ast::{self, Expr as PuppetExpr, Manifest};
use kukla::syntax::{ParseOptions, Source};
use kukla_ruby::outline::{Call, Node};

use super::super::Reference;
use super::super::docstring::Docstring;
use super::super::entry::{DataType, DataTypeFunction, Literal};
use super::super::tag::Tag;
use super::Reader;

impl<'t> Reader<'t> {
    /// `Puppet::DataTypes.create_type('Name') do interface '…' end`
    pub(super) fn data_type(&self, statement: &'t Node, call: &'t Call, reference: &mut Reference) {
        let is_type = matches!(self.receiver(call), Some("Puppet::DataTypes" | "DataTypes"));
        let Some(name) = self.name(call).filter(|_| is_type) else { return };
        let mut docstring = self.comment(statement).unwrap_or_default();
        let interface = self.interface(call);
        let attributes: Vec<(String, Option<String>, Option<Literal>)> =
            interface.entries("attributes").map(|(name, about)| (name, about.ty(), about.value())).collect();
        // Attributes without a tag get one; tags without an attribute go.
        docstring.tags.retain(|tag| {
            tag.name != "param" || attributes.iter().any(|(name, ..)| tag.subject.as_deref() == Some(name))
        });
        let mut defaults = Vec::new();
        for (name, ty, default) in &attributes {
            match docstring.parameter_mut(name) {
                Some(tag) => tag.types = Some(vec![ty.clone().or_else(|| Some("Any".into()))]),
                None => {
                    let ty = ty.clone().or_else(|| Some("Any".into()));
                    docstring.tags.push(Tag::of_code("param", Some(name), ty));
                }
            }
            defaults.extend(default.clone().map(|default| (name.clone(), default)));
        }
        let functions =
            interface.entries("functions").map(|(name, about)| self.data_type_function(name, about));
        let functions = functions.collect();
        let origin = self.origin(statement, call);
        reference.data_types.push(DataType { name, origin, docstring, defaults, functions });
    }

    fn data_type_function(&self, name: String, about: &Interface) -> DataTypeFunction {
        let mut docstring = Docstring::default();
        let (parameters, returns) = about.signature();
        docstring.tags.push(Tag::of_code("return", None, Some(returns)));
        for (at, ty) in parameters.into_iter().enumerate() {
            docstring.tags.push(Tag::of_code("param", Some(&format!("param{}", at + 1)), Some(ty)));
        }
        DataTypeFunction { name, docstring }
    }

    /// The interface that the block of a data type declares.
    fn interface(&self, call: &'t Call) -> Interface {
        let mut found = None;
        let Some(block) = &call.block else { return Interface::Other };
        block.body.walk(|node| {
            if let (None, Some(call)) = (&found, node.as_call())
                && call.name == "interface"
                && let Some(text) = call.args.first().and_then(|text| self.code.string(text))
            {
                found = Interface::read(&text);
            }
            found.is_none()
        });
        found.unwrap_or(Interface::Other)
    }
}

/// A part of an interface, which is a hash in Puppet's notation.
enum Interface {
    Hash(Vec<(String, Interface)>),
    Literal(Literal),
    /// A type as written.
    Type(String),
    Other,
}

impl Interface {
    fn read(text: &str) -> Option<Interface> {
        let source = Source::unnamed(format!("$interface = {{ {text} }}"));
        let parse = kukla::syntax::parse_with(&source, ParseOptions::default());
        let manifest = Manifest::of(&parse.tree).filter(|_| parse.is_ok())?;
        match manifest.statements().next()? {
            PuppetExpr::Assignment(assignment) => Some(Interface::of(assignment.right())),
            _ => None,
        }
    }

    fn of(expr: PuppetExpr<'_>) -> Interface {
        let text = |text: String| Interface::Literal(Literal::Text(text));
        match expr {
            PuppetExpr::Hash(hash) => Interface::Hash(
                hash.entries()
                    .map(|entry: ast::HashEntry<'_>| {
                        let key = match Interface::of(entry.key()) {
                            Interface::Literal(key) => key.text(),
                            Interface::Type(text) => text,
                            _ => String::new(),
                        };
                        (key, kukla::syntax::deep(|| Interface::of(entry.value())))
                    })
                    .collect(),
            ),
            PuppetExpr::Access(_) | PuppetExpr::Type(_) => Interface::Type(expr.syntax().text().to_owned()),
            PuppetExpr::String(string) => text(string.value().into_owned()),
            PuppetExpr::Name(name) => text(name.name().to_owned()),
            PuppetExpr::Boolean(value) => Interface::Literal(Literal::Boolean(value.value())),
            PuppetExpr::Number(_) | PuppetExpr::Negate(_) => {
                Interface::Literal(Literal::Number(expr.syntax().text().to_owned()))
            }
            PuppetExpr::Default(_) => text("default".into()),
            PuppetExpr::Array(array) => Interface::Literal(Literal::Array(
                array
                    .elements()
                    .map(|element| match Interface::of(element) {
                        Interface::Literal(literal) => literal,
                        Interface::Type(text) => Literal::Text(text),
                        _ => Literal::Nil,
                    })
                    .collect(),
            )),
            _ => Interface::Other,
        }
    }

    /// The entries of the hash under a key.
    fn entries(self: &Interface, key: &str) -> impl Iterator<Item = (String, &Interface)> {
        let inner = match self {
            Interface::Hash(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        };
        let entries = match inner {
            Some(Interface::Hash(entries)) => &entries[..],
            _ => &[],
        };
        entries.iter().map(|(name, value)| (name.clone(), value))
    }

    /// The type of an attribute.
    fn ty(&self) -> Option<String> {
        match self {
            Interface::Type(text) => Some(text.clone()),
            Interface::Literal(Literal::Text(text)) => Some(text.clone()),
            Interface::Hash(entries) => {
                entries.iter().find(|(name, _)| name == "type").and_then(|(_, ty)| ty.ty())
            }
            _ => None,
        }
    }

    /// The default of an attribute.
    fn value(&self) -> Option<Literal> {
        let Interface::Hash(entries) = self else { return None };
        match entries.iter().find(|(name, _)| name == "value").map(|(_, value)| value) {
            Some(Interface::Literal(literal)) => Some(literal.clone()),
            Some(Interface::Type(text)) => Some(Literal::Text(text.clone())),
            _ => None,
        }
    }

    /// The types of the parameters and of the result of a function.
    fn signature(&self) -> (Vec<String>, String) {
        let Interface::Type(text) = self else { return (Vec::new(), "Any".into()) };
        let inner =
            text.strip_prefix("Callable[").and_then(|rest| rest.strip_suffix(']')).unwrap_or_default();
        let source = Source::unnamed(format!("$types = [ {inner} ]"));
        let parse = kukla::syntax::parse_with(&source, ParseOptions::default());
        let Some(PuppetExpr::Assignment(assignment)) =
            Manifest::of(&parse.tree).and_then(|one| one.statements().next())
        else {
            return (Vec::new(), "Any".into());
        };
        let PuppetExpr::Array(array) = assignment.right() else { return (Vec::new(), "Any".into()) };
        let elements: Vec<PuppetExpr<'_>> = array.elements().collect();
        let written = |expr: &PuppetExpr<'_>| expr.syntax().text().to_owned();
        // `Callable[[parameters], result]` or `Callable[parameters]`
        match &elements[..] {
            [PuppetExpr::Array(parameters), result, ..] => {
                (parameters.elements().map(|one| written(&one)).collect(), written(result))
            }
            parameters => (parameters.iter().map(written).collect(), "Any".into()),
        }
    }
}
