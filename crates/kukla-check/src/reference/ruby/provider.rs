//! Providers of resource types.

use kukla_ruby::outline::{Call, Expr, Node};

use super::super::Reference;
use super::super::docstring::Docstring;
use super::super::entry::Provider;
use super::Reader;

impl<'t> Reader<'t> {
    /// `Puppet::Type.type(:type).provide(:name) do … end`
    pub(super) fn provider(&self, statement: &'t Node, call: &'t Call, reference: &mut Reference) {
        let Some(of) = call.receiver.as_ref().and_then(|receiver| receiver.as_call()) else { return };
        if of.name != "type" || self.receiver(of) != Some("Puppet::Type") {
            return;
        }
        let (Some(type_name), Some(name)) = (self.name(of), self.name(call)) else { return };
        let docstring = match self.description(statement) {
            Some((text, line)) => Docstring::read(&text, line),
            None => self.comment(statement).unwrap_or_default(),
        };
        let origin = self.origin(statement, call);
        let mut provider = Provider { name, type_name, origin, docstring, ..Provider::default() };
        for (_, call) in Self::calls(call) {
            match call.name.as_str() {
                "confine" => self.texts(call).for_each(|pair| put(&mut provider.confines, pair)),
                "commands" => self.texts(call).for_each(|pair| put(&mut provider.commands, pair)),
                "has_feature" | "has_features" => {
                    provider
                        .features
                        .extend(self.arguments(call).iter().map(|one| self.code.string_or_source(one)));
                }
                "defaultfor" => {
                    for argument in
                        self.arguments(call).iter().filter(|one| matches!(one.expr, Expr::Hash(_)))
                    {
                        provider.defaults.push(self.pairs_as_text(argument).collect());
                    }
                }
                _ => {}
            }
        }
        reference.providers.push(provider);
    }

    fn texts(&self, call: &'t Call) -> impl Iterator<Item = (String, String)> {
        self.arguments(call).first().into_iter().flat_map(|argument| self.pairs_as_text(argument))
    }

    fn pairs_as_text(&self, argument: &'t Node) -> impl Iterator<Item = (String, String)> {
        Self::pairs(Some(argument))
            .map(|(key, value)| (self.code.string_or_source(key), self.code.string_or_source(value)))
    }
}

fn put(pairs: &mut Vec<(String, String)>, (key, value): (String, String)) {
    match pairs.iter_mut().find(|(name, _)| *name == key) {
        Some(known) => known.1 = value,
        None => pairs.push((key, value)),
    }
}
