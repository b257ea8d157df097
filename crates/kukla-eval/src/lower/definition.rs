//! Classes, defines, functions, types and nodes.

use std::sync::Arc;

use kukla_syntax::{Span, ast};
use kukla_values::{Name, Value};

use super::{Lowering, span_of};
use crate::coverage::{DefinitionKind, MarkKind};
use crate::lambda::RESERVED;
use crate::program::{
    Access, AliasDefinition, Class, Define, Definition, Expr, Kind, Lambda, Mention, NodeDefinition,
    NodeMatch, Param, Params, PuppetFunction, TypeExpr, TypeName,
};

impl Lowering<'_> {
    /// A name within the classes around it, in lower case.
    fn qualified(&self, name: &str) -> Name {
        let name = name.strip_prefix("::").unwrap_or(name).to_lowercase();
        match self.container {
            Some(container) => Name::new(&format!("{container}::{name}")),
            None => Name::new(&name),
        }
    }

    pub(super) fn class(&mut self, class: ast::ClassDefinition<'_>) {
        let name = self.qualified(class.name());
        let span = class.span().pointing_at(class.puppet_offset());
        let owner = self.owner.replace(name);
        let params = self.params(class.parameters());
        let parent = class
            .parent()
            .map(|parent| Name::new(&parent.strip_prefix("::").unwrap_or(parent).to_lowercase()));
        if let Some(parent) = parent {
            self.mention(Mention::Declared(parent));
        }
        // A class is known before the ones inside it.
        let at = self.definitions.len();
        let outer = self.container.replace(name);
        let body = self.body(class.body());
        let body = self.marked(MarkKind::Definition(DefinitionKind::Class, name), span, body);
        self.container = outer;
        self.owner = owner;
        let class = Class { name, span, params, parent, body, private: class.is_private() };
        self.definitions.insert(at, Definition::Class(Arc::new(class)));
    }

    pub(super) fn define(&mut self, define: ast::DefineDefinition<'_>) {
        let name = self.qualified(define.name());
        let span = define.span().pointing_at(define.puppet_offset());
        let owner = self.owner.replace(name);
        let params = self.params(define.parameters());
        let body = self.body(define.body());
        let body = self.marked(MarkKind::Definition(DefinitionKind::Define, name), span, body);
        self.owner = owner;
        let define = Define { name, span, params, body, private: define.is_private() };
        self.definitions.push(Definition::Define(Arc::new(define)));
    }

    pub(super) fn function(&mut self, function: ast::FunctionDefinition<'_>) {
        let span = function.span().pointing_at(function.puppet_offset());
        let name = Name::new(function.name().trim_start_matches("::"));
        let owner = self.owner.replace(name);
        let params = self.params(function.parameters());
        let returns = function.return_type().map(|ty| self.type_expr(ty));
        let body = self.block(function.body());
        let body = self.marked(MarkKind::Definition(DefinitionKind::Function, name), span, body);
        self.owner = owner;
        let lambda = self.made_lambda(span, params, returns, body);
        self.definitions.push(Definition::Function(Arc::new(PuppetFunction { name, span, lambda })));
    }

    pub(super) fn plan(&mut self, plan: ast::PlanDefinition<'_>) {
        let span = plan.span().pointing_at(plan.puppet_offset());
        let params = self.params(plan.parameters());
        let body = self.block(plan.body());
        let lambda = self.made_lambda(span, params, None, body);
        let name = Name::new(plan.name());
        self.definitions.push(Definition::Plan(Arc::new(PuppetFunction { name, span, lambda })));
    }

    pub(super) fn node(&mut self, node: ast::NodeDefinition<'_>) {
        let span = node.span().pointing_at(node.puppet_offset());
        let mut matches = Vec::new();
        for host in node.hosts() {
            matches.push(match &self.expr(host).kind {
                Kind::Literal(Value::Regexp(regexp)) => NodeMatch::Regexp(regexp.clone()),
                Kind::Literal(Value::Default) => NodeMatch::Default,
                Kind::Literal(Value::String(name)) | Kind::Name(name) => {
                    NodeMatch::Name(Name::new(&name.to_lowercase()))
                }
                _ => NodeMatch::Name(Name::new(host.syntax().text())),
            });
        }
        self.is_in_node = true;
        let body = self.body(node.body());
        self.is_in_node = false;
        let title = matches.first().map(NodeMatch::title).unwrap_or_default();
        let body = self.marked(MarkKind::Definition(DefinitionKind::Node, Name::new(&title)), span, body);
        let node = NodeDefinition { matches: matches.into(), span, body };
        self.definitions.push(Definition::Node(Arc::new(node)));
    }

    pub(super) fn type_alias(&mut self, alias: ast::TypeAlias<'_>) {
        // A type mapping concerns the Ruby runtime; there is nothing to map here.
        let Some(name) = alias.name() else { return };
        let span = alias.span().pointing_at(alias.puppet_offset());
        let right = alias.right();
        let ty = match (right, alias.object_hash()) {
            (ast::Expr::Hash(hash), None) => {
                let hash = self.expr(ast::Expr::Hash(hash));
                self.object("Object", hash)
            }
            (ast::Expr::Type(base), Some(hash)) if matches!(base.name(), "Object" | "TypeSet") => {
                let hash = self.expr(ast::Expr::Hash(hash));
                self.object(base.name(), hash)
            }
            (parent, Some(hash)) => {
                let parent = self.expr(parent);
                let mut hash = self.expr(ast::Expr::Hash(hash));
                let kind = Kind::Literal("parent".into());
                let key = Expr { span: parent.span, node: parent.node, kind };
                if let Kind::Hash(entries) = std::mem::replace(&mut hash.kind, Kind::Nop) {
                    let mut entries = entries.into_vec();
                    entries.push((key, parent));
                    hash.kind = Kind::Hash(entries.into());
                }
                self.object("Object", hash)
            }
            (right, None) => self.expr(right),
        };
        let name = Name::new(name.trim_start_matches("::"));
        self.definitions.push(Definition::TypeAlias(Arc::new(AliasDefinition { name, span, ty })));
    }

    pub(super) fn params<'t>(&mut self, params: impl Iterator<Item = ast::Parameter<'t>>) -> Params {
        params
            .map(|param| Param {
                span: param.span().pointing_at(param.puppet_offset()),
                name: Name::new(param.name()),
                ty: param.type_expr().map(|ty| self.type_expr(ty)),
                default: param.default().map(|default| self.default(param.name(), default)),
                captures_rest: param.captures_rest(),
                private: param.is_private(),
            })
            .collect()
    }

    fn default(&mut self, param: &str, default: ast::Expr<'_>) -> Expr {
        let expr = self.expr(default);
        if self.marks.is_none() {
            return expr;
        }
        self.marked(MarkKind::Default(self.owner, Name::new(param)), expr.span, expr)
    }

    pub(super) fn type_expr(&mut self, ty: ast::Expr<'_>) -> TypeExpr {
        let expr = self.expr(ty);
        let slot = match &expr.kind {
            Kind::TypeName(name) => Some(name.slot),
            Kind::Constant(constant) => Some(constant.slot),
            _ => None,
        };
        TypeExpr { expr, slot }
    }

    pub(super) fn lambda(&mut self, written: ast::Lambda<'_>) -> Arc<Lambda> {
        let params = self.params(written.parameters());
        let returns = written.return_type().map(|ty| self.type_expr(ty));
        let body = self.block(written.body());
        let span = written.span().pointing_at(written.puppet_offset());
        Arc::new(self.made_lambda(span, params, returns, body))
    }

    fn made_lambda(&mut self, span: Span, params: Params, returns: Option<TypeExpr>, body: Expr) -> Lambda {
        let positional = params.iter().all(|param| {
            param.default.is_none() && !param.captures_rest && !RESERVED.contains(&param.name.as_str())
        });
        let plain = positional && returns.is_none() && params.iter().all(|param| param.ty.is_none());
        let mut types = params.iter().filter_map(|param| param.ty.as_ref()).chain(&returns);
        let constant = types.all(|ty| ty.slot.is_some());
        let signature = constant.then(|| self.questions.ask_signature());
        Lambda { span, params, returns, body, plain, positional, signature }
    }

    /// `Object[{ ... }]`.
    fn object(&mut self, name: &str, hash: Expr) -> Expr {
        let (span, node) = (hash.span, hash.node);
        let left = Expr { span, node, kind: self.type_named(name) };
        Expr { span, node, kind: Kind::Access(Box::new(Access { left, keys: Box::new([hash]) })) }
    }

    /// The name of a type.
    pub(super) fn type_name(&mut self, name: ast::TypeReference<'_>) -> Kind {
        self.type_named(name.name())
    }

    fn type_named(&mut self, name: &str) -> Kind {
        let lower = Name::new(&name.trim_start_matches("::").to_lowercase());
        if name.contains("::") {
            self.mention(Mention::Type(lower));
        }
        Kind::TypeName(Box::new(TypeName { name: Name::new(name), lower, slot: self.questions.ask_type() }))
    }

    pub(super) fn span(&self, expr: ast::Expr<'_>) -> Span {
        span_of(expr)
    }
}
