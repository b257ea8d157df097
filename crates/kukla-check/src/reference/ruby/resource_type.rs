//! Resource types that are written in Ruby.

use kukla_ruby::outline::{Call, Node};

use super::super::Reference;
use super::super::docstring::Docstring;
use super::super::entry::{Attribute, Literal, ResourceType};
use super::super::tag;
use super::{Reader, source};

/// The description of `ensure` where the type gives none.
const ENSURE: &str = "The basic property that the resource should be in.";

impl<'t> Reader<'t> {
    /// `Puppet::Type.newtype(:name) do … end`
    pub(super) fn resource_type(&self, statement: &'t Node, call: &'t Call, reference: &mut Reference) {
        let is_type = matches!(self.receiver(call), Some("Puppet::Type" | "Type"));
        let Some(name) = self.name(call).filter(|_| is_type) else { return };
        let ty = self.type_of(name, statement, call, reference);
        if let Some((text, line)) = self.description(statement) {
            ty.docstring = Docstring::read(&text, line);
            ty.add_directives();
        }
        for (node, call) in Self::calls(call) {
            let name = || self.name(call);
            match call.name.as_str() {
                "newproperty" => ty.properties.extend(name().map(|name| self.attribute(name, node, call))),
                "newparam" => ty.parameters.extend(name().map(|name| self.attribute(name, node, call))),
                "newcheck" => ty.checks.extend(name().map(|name| self.attribute(name, node, call))),
                "feature" => {
                    let text = self.arguments(call).get(1).and_then(|text| self.code.string(text));
                    if let (Some(name), Some(text)) = (name(), text) {
                        ty.features.push((name, source::scrub(&text).replace('\n', " ")));
                    }
                }
                "ensurable" => ty.properties.push(self.ensurable(node, call)),
                _ => {}
            }
        }
        ty.choose_namevar();
    }

    /// `Puppet::Type.type(:name).newparam(:name) do … end`
    pub(super) fn type_addition(&self, statement: &'t Node, call: &'t Call, reference: &mut Reference) {
        let Some(of) = call.receiver.as_ref().and_then(|receiver| receiver.as_call()) else { return };
        let is_type = of.name == "type" && matches!(self.receiver(of), Some("Puppet::Type" | "Type"));
        let Some(type_name) = self.name(of).filter(|_| is_type) else { return };
        let name = if call.name == "ensurable" { Some("ensure".to_owned()) } else { self.name(call) };
        let Some(name) = name else { return };
        let attribute = self.attribute(name, statement, call);
        let ty = self.type_of(type_name, statement, call, reference);
        match call.name.as_str() {
            "newparam" => ty.parameters.push(attribute),
            _ => ty.properties.push(attribute),
        }
        ty.choose_namevar();
    }

    /// The type of a name, which may be defined in several places.
    fn type_of<'r>(
        &self,
        name: String,
        statement: &Node,
        call: &Call,
        reference: &'r mut Reference,
    ) -> &'r mut ResourceType {
        let at = reference.types.iter().position(|ty| ty.name == name).unwrap_or_else(|| {
            let docstring = self.comment(statement).unwrap_or_default();
            let mut ty = ResourceType {
                name,
                origin: self.origin(statement, call),
                docstring,
                ..ResourceType::default()
            };
            ty.add_directives();
            reference.types.push(ty);
            reference.types.len() - 1
        });
        &mut reference.types[at]
    }

    fn ensurable(&self, node: &'t Node, call: &'t Call) -> Attribute {
        if call.block.is_none() {
            return Attribute {
                name: "ensure".into(),
                description: ENSURE.into(),
                values: vec!["present".into(), "absent".into()],
                default: Some(Literal::Text("present".into())),
                ..Attribute::default()
            };
        }
        let mut attribute = self.attribute("ensure".into(), node, call);
        if attribute.description.is_empty() {
            attribute.description = ENSURE.into();
        }
        attribute
    }

    fn attribute(&self, name: String, node: &'t Node, call: &'t Call) -> Attribute {
        let description = self.description(node).map(|(text, _)| text).unwrap_or_default();
        let mut attribute = Attribute { name, description, ..Attribute::default() };
        if call.block.is_none() {
            return attribute;
        }
        for (_, call) in Self::calls(call) {
            let text =
                |at: usize| self.arguments(call).get(at).map(|argument| self.code.string_or_source(argument));
            match call.name.as_str() {
                "newvalue" => attribute.values.extend(text(0)),
                "newvalues" => {
                    attribute
                        .values
                        .extend(self.arguments(call).iter().map(|value| self.code.string_or_source(value)));
                }
                "aliasvalue" => {
                    if let (Some(new), Some(old)) = (text(0), text(1)) {
                        attribute.add_alias(new, old);
                    }
                }
                "defaultto" => {
                    if let Some(default) = text(0) {
                        attribute.default = Some(Literal::Text(default));
                    }
                }
                "isnamevar" => attribute.is_namevar = true,
                "defaultvalues" if attribute.name == "ensure" => {
                    attribute.values.extend(["present".to_owned(), "absent".to_owned()]);
                    attribute.default = Some(Literal::Text("present".into()));
                }
                _ => {}
            }
        }
        let option = |name: &str| {
            let mut pairs = Self::pairs(self.arguments(call).get(1));
            pairs.find(|(key, _)| self.code.string(key).as_deref() == Some(name)).map(|(_, value)| value)
        };
        attribute.required_features = option("required_features").and_then(|value| self.code.string(value));
        if option("parent").is_some_and(|value| self.code.source(value) == "Puppet::Parameter::Boolean") {
            for value in ["true", "false", "yes", "no"] {
                if !attribute.values.iter().any(|known| known == value) {
                    attribute.values.push(value.into());
                }
            }
        }
        attribute
    }
}

impl Attribute {
    fn add_alias(&mut self, new: String, old: String) {
        if !self.values.contains(&new) {
            self.values.push(new.clone());
        }
        match self.aliases.iter_mut().find(|(name, _)| *name == new) {
            Some(known) => known.1 = old,
            None => self.aliases.push((new, old)),
        }
    }
}

impl ResourceType {
    /// Adds the attributes that directives of the documentation describe.
    fn add_directives(&mut self) {
        for directive in &self.docstring.directives {
            // Their text has the form of a `@param`.
            let Some(Ok(tag)) = tag::read("param", &directive.text, 0) else { continue };
            let attribute = Attribute {
                values: tag.type_names().into_iter().map(str::to_owned).collect(),
                description: tag.text.unwrap_or_default(),
                name: tag.subject.unwrap_or_default(),
                ..Attribute::default()
            };
            match directive.name.as_str() {
                "puppet.type.param" => self.parameters.push(attribute),
                "puppet.type.property" => self.properties.push(attribute),
                _ => {}
            }
        }
    }

    /// Without a declared namevar, the attribute `name` is it.
    fn choose_namevar(&mut self) {
        if self.properties.iter().chain(&self.parameters).any(|one| one.is_namevar) {
            return;
        }
        let property = self.properties.iter_mut().rfind(|one| one.name == "name");
        let chosen = property.or_else(|| self.parameters.iter_mut().find(|one| one.name == "name"));
        if let Some(chosen) = chosen {
            chosen.is_namevar = true;
        }
    }
}
