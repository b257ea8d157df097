//! Resources, defaults, overrides and collectors.

use kukla_syntax::ast;
use kukla_values::Name;

use super::Lowering;
use crate::program::{
    Attribute, AttributeOperation, CollectExpr, DefaultsExpr, Expr, Kind, OverrideExpr, Query, ResourceBody,
    ResourceExpr,
};

impl Lowering<'_> {
    pub(super) fn resource(&mut self, resource: ast::Resource<'_>) -> Kind {
        let type_name = match resource.type_expr() {
            Some(ty) => self.expr(ty),
            None => Expr {
                span: resource.span().pointing_at(resource.puppet_offset()),
                node: resource.syntax().index(),
                kind: Kind::Name("class".into()),
            },
        };
        let bodies = resource.bodies().map(|body| ResourceBody {
            span: body.span().pointing_at(body.puppet_offset()),
            title: self.expr(body.title()),
            attributes: self.attributes(body.attributes()),
        });
        let bodies: Box<[ResourceBody]> = bodies.collect();
        self.mention_resources(&type_name, &bodies);
        Kind::Resource(Box::new(ResourceExpr { form: resource.form(), type_name, bodies, is_value: true }))
    }

    pub(super) fn defaults(&mut self, defaults: ast::ResourceDefaults<'_>) -> Kind {
        Kind::Defaults(Box::new(DefaultsExpr {
            form: defaults.form(),
            ty: self.expr(defaults.type_expr()),
            attributes: self.attributes(defaults.attributes()),
        }))
    }

    pub(super) fn overriding(&mut self, change: ast::ResourceOverride<'_>) -> Kind {
        Kind::Override(Box::new(OverrideExpr {
            form: change.form(),
            resources: self.expr(change.resources()),
            attributes: self.attributes(change.attributes()),
        }))
    }

    pub(super) fn collector(&mut self, collector: ast::Collector<'_>) -> Kind {
        let query = collector.query();
        Kind::Collect(Box::new(CollectExpr {
            ty: self.expr(collector.type_expr()),
            exported: query.is_some_and(ast::Query::is_exported),
            query: query.and_then(ast::Query::condition).map(|condition| self.query(condition)),
            overrides: self.attributes(collector.attributes()),
        }))
    }

    fn query(&mut self, condition: ast::Expr<'_>) -> Query {
        match condition {
            ast::Expr::Paren(paren) => self.query(paren.inner()),
            ast::Expr::Binary(binary) => {
                let span = binary.span().pointing_at(binary.puppet_offset());
                match (binary.operator(), attribute_name(binary.left())) {
                    (ast::BinaryOp::And, _) => {
                        Query::And(Box::new([self.query(binary.left()), self.query(binary.right())]))
                    }
                    (ast::BinaryOp::Or, _) => {
                        Query::Or(Box::new([self.query(binary.left()), self.query(binary.right())]))
                    }
                    (ast::BinaryOp::Equal, Some(name)) => Query::Equal(name, self.expr(binary.right()), span),
                    (ast::BinaryOp::NotEqual, Some(name)) => {
                        Query::NotEqual(name, self.expr(binary.right()), span)
                    }
                    _ => Query::Other(self.expr(condition)),
                }
            }
            other => Query::Other(self.expr(other)),
        }
    }

    fn attributes<'t>(&mut self, attributes: impl Iterator<Item = ast::Attribute<'t>>) -> Box<[Attribute]> {
        attributes
            .map(|attribute| {
                let value = self.expr(attribute.value());
                let name = || Name::new(attribute.name());
                let operation = match attribute.operator() {
                    ast::AttributeOp::Set => AttributeOperation::Set(name(), value),
                    ast::AttributeOp::Append => AttributeOperation::Add(name(), value),
                    ast::AttributeOp::Splat => AttributeOperation::Splat(value),
                };
                Attribute { span: attribute.span().pointing_at(attribute.puppet_offset()), operation }
            })
            .collect()
    }
}

fn attribute_name(expr: ast::Expr<'_>) -> Option<Name> {
    match expr.unwrap_parens() {
        ast::Expr::Name(name) => Some(Name::new(name.name())),
        ast::Expr::String(text) => Some(Name::new(&text.value())),
        _ => None,
    }
}
