//! Resources, their defaults and overrides, and collectors.

use std::sync::Arc;

use kukla::syntax::ast::{self, AttributeOp, Expr};
use kukla::values::{Str, Type};

use super::Walk;
use crate::repository::{Definition, Kind, Resource, literal, plain};

impl Walk<'_> {
    pub(super) fn resource(&mut self, resource: ast::Resource<'_>) -> Type {
        let kind = match resource.type_expr() {
            None => None,
            Some(Expr::Name(name)) => {
                let name_text = plain(name.name());
                self.check_resource_name(name.name(), name.span());
                Some(self.resource_kind(&name_text))
            }
            Some(Expr::String(text)) => Some(self.resource_kind(&plain(&text.value()))),
            Some(other) => {
                self.infer(other);
                for body in resource.bodies() {
                    self.infer(body.title());
                    self.attribute_values(body.attributes());
                }
                return Type::Any;
            }
        };
        // The attributes of the body `default` apply to all others.
        let is_default = resource.bodies().any(|body| matches!(body.title(), Expr::Default(_)));
        for body in resource.bodies() {
            self.infer(body.title());
            let given = self.attribute_values(body.attributes());
            self.check_repeated_attributes(&given);
            match &kind {
                None => self.class_declaration(body, &given),
                Some(Resource::Define(define)) => self.check_parameters(define, body, &given, is_default),
                Some(Resource::Native(native)) => self.check_attributes(native, &given),
                Some(_) => {}
            }
        }
        Type::Any
    }

    /// The definition of a resource type, which is recorded as a dependency.
    pub fn resource_kind(&mut self, name: &str) -> Resource {
        let kind = self.index.resource(name, self.complete);
        let define = match &kind {
            Resource::Define(define) => Some(Arc::clone(define)),
            _ => None,
        };
        if matches!(kind, Resource::Elsewhere | Resource::Missing) {
            self.dependencies.unknown.insert(name.into());
        }
        self.record_dependency(Kind::Define, name, define.as_deref());
        kind
    }

    fn class_declaration(&mut self, body: ast::ResourceBody<'_>, given: &[(ast::Attribute<'_>, Type)]) {
        let names: Vec<Expr<'_>> = match body.title().unwrap_parens() {
            Expr::Array(array) => array.elements().collect(),
            other => vec![other],
        };
        for name in names {
            let Some(text) = literal::text(name) else { continue };
            let is_there = self.check_class_name(&text, name.span());
            if is_there && let Some(class) = self.class(&plain(&text)) {
                self.check_parameters(&class, body, given, false);
            }
        }
    }

    /// Attributes with the types of their values.
    fn attribute_values<'t>(
        &mut self,
        attributes: impl Iterator<Item = ast::Attribute<'t>>,
    ) -> Vec<(ast::Attribute<'t>, Type)> {
        attributes
            .map(|attribute| {
                let ty = self.infer(attribute.value());
                self.check_relationships(attribute);
                self.check_tags(attribute);
                (attribute, ty)
            })
            .collect()
    }

    pub(super) fn resource_defaults(&mut self, defaults: ast::ResourceDefaults<'_>) -> Type {
        let given = self.attribute_values(defaults.attributes());
        if let Expr::Type(name) = defaults.type_expr() {
            self.check_resource_name(name.name(), name.span());
            self.attributes_of(&plain(name.name()), &given);
        }
        Type::Any
    }

    pub(super) fn resource_override(&mut self, change: ast::ResourceOverride<'_>) -> Type {
        self.infer(change.resources());
        self.check_references(change.resources());
        let given = self.attribute_values(change.attributes());
        if let Expr::Access(access) = change.resources()
            && let Expr::Type(name) = access.left()
        {
            self.attributes_of(&plain(name.name()), &given);
        }
        Type::Any
    }

    pub(super) fn collector(&mut self, collector: ast::Collector<'_>) -> Type {
        let given = self.attribute_values(collector.attributes());
        if let Some(condition) = collector.query().and_then(ast::Query::condition) {
            self.query(condition);
        }
        if let Expr::Type(name) = collector.type_expr() {
            self.check_resource_name(name.name(), name.span());
            self.attributes_of(&plain(name.name()), &given);
        }
        Type::Any
    }

    /// Walks through a query, where the left operand of a comparison is the name of an attribute.
    fn query(&mut self, condition: Expr<'_>) {
        match condition.unwrap_parens() {
            Expr::Binary(binary) if matches!(binary.operator(), ast::BinaryOp::And | ast::BinaryOp::Or) => {
                self.query(binary.left());
                self.query(binary.right());
            }
            Expr::Binary(binary) => {
                self.infer(binary.right());
            }
            _ => {}
        }
    }

    /// Checks the attributes of defaults, overrides and collectors.
    fn attributes_of(&mut self, name: &Str, given: &[(ast::Attribute<'_>, Type)]) {
        match self.resource_kind(name) {
            Resource::Define(define) => self.check_attribute_types(&define, given),
            Resource::Native(native) => self.check_attributes(&native, given),
            Resource::Elsewhere | Resource::Missing => {}
        }
    }

    /// Whether more attributes come from a hash, so that not all of them are known.
    pub fn is_open(given: &[(ast::Attribute<'_>, Type)]) -> bool {
        given.iter().any(|(attribute, _)| attribute.operator() == AttributeOp::Splat)
    }

    /// A class or defined type, as messages name it.
    pub fn title_of(definition: &Definition) -> String {
        let kind = definition.kind.name();
        format!("{kind} `{}`", definition.name)
    }
}
