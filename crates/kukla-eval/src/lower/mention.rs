//! The names in a text that other files may define, for reading ahead of a compilation.

use kukla_values::{Name, Str, Value};

use super::Lowering;
use crate::program::{Callee, CalleeName, Expr, Kind, Mention, ResourceBody};

impl Lowering<'_> {
    /// The definitions of nodes are not looked into: of all that they name, a node uses what one of them does.
    pub(super) fn mention(&mut self, mention: Mention) {
        if !self.is_in_node {
            self.mentions.insert(mention);
        }
    }

    pub(super) fn mention_resources(&mut self, type_name: &Expr, bodies: &[ResourceBody]) {
        match word(type_name).map(Str::as_str) {
            Some("class") => bodies.iter().for_each(|body| self.mention_declared(&body.title)),
            Some(_) => self.mention_declared(type_name),
            None => {}
        }
    }

    pub(super) fn mention_called(&mut self, callee: &Callee, args: &[Expr]) {
        let Callee::Function(CalleeName { name: function, .. }) = callee else { return };
        let first = args.get(..1).unwrap_or_default();
        match function.as_str() {
            "include" | "contain" | "require" => args.iter().for_each(|name| self.mention_declared(name)),
            "create_resources" | "ensure_resource" | "ensure_resources" => {
                first.iter().for_each(|name| self.mention_declared(name));
            }
            "template" | "epp" => {
                let file = first.iter().filter_map(word).next();
                file.into_iter().for_each(|file| self.mention(Mention::Template(Name::new(file))));
            }
            _ => self.mention(Mention::Function(*function)),
        }
    }

    fn mention_declared(&mut self, name: &Expr) {
        if let Kind::Array(names) = &name.kind {
            return names.iter().for_each(|name| self.mention_declared(name));
        }
        if let Some(name) = word(name) {
            let name = name.strip_prefix("::").unwrap_or(name).to_lowercase();
            self.mention(Mention::Declared(Name::new(&name)));
        }
    }
}

/// The text of a name or a plain string.
fn word(expr: &Expr) -> Option<&Str> {
    match &expr.kind {
        Kind::Name(text) | Kind::Literal(Value::String(text)) => Some(text),
        _ => None,
    }
}
