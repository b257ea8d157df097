//! Calls of functions.

use kukla::syntax::Span;
use kukla::syntax::ast::{self, Expr};
use kukla::values::Type;

use super::Walk;
use crate::overlap::{kinds, kinds_of, may_be};
use crate::repository::{Callee, Form, Kind, literal};
use crate::walk::branch::union;

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Argument<'t> {
    /// The expression.
    pub expr: Expr<'t>,
    /// Its type.
    pub ty: Type,
}

impl Form {
    /// Whether these arguments may match the signature.
    pub fn accepts(&self, arguments: &[Argument<'_>]) -> bool {
        self.takes(arguments.len())
            && arguments
                .iter()
                .enumerate()
                .all(|(at, argument)| self.parameter(at).is_none_or(|(_, ty)| may_be(ty, &argument.ty)))
    }
}

impl Walk<'_> {
    pub(super) fn call(&mut self, call: ast::Call<'_>) -> Type {
        let function = call.function();
        // The arguments of `defined` may be missing.
        let is_defined = matches!(function, Expr::Name(name) if name.name() == "defined");
        let (arguments, is_whole) = if is_defined {
            let named = call.arguments().map(|expr| Argument { expr, ty: self.infer_defined(expr) });
            (named.collect(), true)
        } else {
            self.arguments(call.arguments())
        };
        let name = match function {
            Expr::Name(name) => name,
            // `Integer('1')` creates a value.
            Expr::Type(_) | Expr::Access(_) => {
                self.infer(function);
                if let Some(lambda) = call.lambda() {
                    self.lambda(lambda, &[]);
                }
                return Type::Any;
            }
            _ => return Type::Any,
        };
        let ty = self.infer_call(name.name(), name.span(), call.span(), &arguments, is_whole, call.lambda());
        self.special(name.name(), call.span(), &arguments, call.lambda().is_some());
        self.check_removed_function(name.name(), name.span(), function);
        ty
    }

    pub(super) fn method_call(&mut self, call: ast::MethodCall<'_>) -> Type {
        let receiver = call.receiver();
        let ty = self.infer(receiver);
        let (rest, is_whole) = self.arguments(call.arguments());
        let mut arguments = vec![Argument { expr: receiver, ty }];
        arguments.extend(rest);
        let name = call.name();
        let span = call.name_token().map(|token| token.span()).unwrap_or(call.span());
        let is_whole = is_whole && !matches!(receiver, Expr::Unfold(_));
        let ty = self.infer_call(name, span, call.span(), &arguments, is_whole, call.lambda());
        self.special(name, call.span(), &arguments, call.lambda().is_some());
        ty
    }

    /// Walks through an argument of `defined`, which may name something missing; only the computed parts are checked.
    fn infer_defined(&mut self, expr: Expr<'_>) -> Type {
        match expr {
            Expr::Type(_) => Type::Type(None),
            Expr::Access(access) if let Expr::Type(name) = access.left() => {
                // The resource may be missing, but not its type.
                self.check_type_name(name.name(), name.span());
                for key in access.keys().filter(|key| literal::text(*key).is_none()) {
                    self.infer(key);
                }
                Type::Type(None)
            }
            Expr::Unfold(_) => Type::Any,
            other => self.infer(other),
        }
    }

    /// The arguments, and whether their number is known.
    fn arguments<'t>(&mut self, written: ast::Arguments<'t>) -> (Vec<Argument<'t>>, bool) {
        let mut is_whole = true;
        let mut arguments = Vec::new();
        for expr in written {
            is_whole &= !matches!(expr, Expr::Unfold(_));
            let ty = self.infer(expr);
            arguments.push(Argument { expr, ty });
        }
        (arguments, is_whole)
    }

    fn infer_call(
        &mut self,
        name: &str,
        span: Span,
        whole: Span,
        arguments: &[Argument<'_>],
        is_whole: bool,
        lambda: Option<ast::Lambda<'_>>,
    ) -> Type {
        let element = arguments.first().map(|first| element_of(&first.ty)).unwrap_or(Type::Any);
        let given = match name {
            "each" | "map" | "filter" | "any" | "all" | "flat_map" | "unique" => {
                self.lambda_types(lambda, element)
            }
            "with" | "then" => arguments.iter().map(|argument| argument.ty.clone()).collect(),
            _ => Vec::new(),
        };
        let body = lambda.map(|lambda| self.lambda(lambda, &given));
        if matches!(name, "fail" | "return" | "break" | "next") {
            return Type::Unit;
        }
        // An object of the repository may have an attribute of that name.
        let receiver = arguments.first().filter(|_| arguments.len() == 1 && span != whole);
        let may_be_attribute = receiver.is_some_and(|one| kinds_of(&one.ty) & kinds::OTHER != 0);
        let forms = self.forms(name, span, may_be_attribute);
        if forms.is_empty() {
            return Type::Any;
        }
        if is_whole && !self.check_call(name, whole, &forms, arguments, lambda.is_some()) {
            return Type::Any;
        }
        match (name, body) {
            ("with", Some(body)) => return body,
            ("map", Some(body)) if !matches!(body, Type::Any) => return Type::array(body),
            _ => {}
        }
        if name == "assert_type"
            && let Some(Argument { ty: Type::Type(Some(ty)), .. }) = arguments.first()
        {
            return (**ty).clone();
        }
        let fitting = forms.iter().filter(|form| !is_whole || form.accepts(arguments));
        union(fitting.map(|form| form.returns.clone().unwrap_or(Type::Any)))
    }

    fn lambda_types(&self, lambda: Option<ast::Lambda<'_>>, element: Type) -> Vec<Type> {
        // With two parameters, the first one is an index or a key.
        match lambda.map(|lambda| lambda.parameters().count()) {
            Some(1) => vec![element],
            _ => Vec::new(),
        }
    }

    /// The signatures of a function; empty if they are unknown. Reports an unknown function.
    fn forms(&mut self, name: &str, span: Span, may_be_attribute: bool) -> Vec<Form> {
        let callee = self.index.function(name, self.complete);
        if matches!(callee, Callee::Elsewhere | Callee::Missing) {
            self.dependencies.unknown.insert(name.strip_prefix("::").unwrap_or(name).into());
        }
        match &callee {
            Callee::Builtin(_) | Callee::Ruby(_) => {}
            Callee::Puppet(function) => {
                self.record_dependency(Kind::Function, &function.name, Some(function))
            }
            Callee::Elsewhere => {
                self.record_dependency(Kind::Function, name, None);
                self.likely_unknown_function(name, span);
            }
            Callee::Missing => {
                self.record_dependency(Kind::Function, name, None);
                match may_be_attribute && self.index.has_object_types() {
                    true => self.likely_unknown_function(name, span),
                    false => self.unknown_function(name, span),
                }
            }
        }
        self.index.forms(&callee)
    }

    /// Checks functions whose arguments are names.
    fn special(&mut self, name: &str, span: Span, arguments: &[Argument<'_>], has_lambda: bool) {
        match name {
            "include" | "require" | "contain" => {
                for argument in arguments {
                    self.class_names(argument.expr);
                }
            }
            "create_resources" | "ensure_resource" | "ensure_resources" => {
                if let Some(first) = arguments.first()
                    && let Some(ty) = literal::text(first.expr)
                {
                    // `@` and `@@` make the resources virtual or exported.
                    self.check_resource_name(ty.trim_start_matches('@'), first.expr.span());
                }
                if name == "create_resources" {
                    self.check_created(arguments);
                }
            }
            "template" | "epp" | "file" => self.check_files(name, arguments),
            "inline_template" => self.check_inline_template(arguments),
            "lookup" | "hiera" => self.check_lookup(name, arguments, has_lambda),
            "pick" => self.check_pick(arguments),
            "break" | "next" | "return" => self.check_jump(name, span),
            "call" => {
                if let Some(first) = arguments.first()
                    && let Some(called) = literal::text(first.expr)
                {
                    self.forms(&called, first.expr.span(), false);
                }
            }
            "realize" => arguments.iter().for_each(|argument| self.check_references(argument.expr)),
            _ => {}
        }
    }

    /// Checks the classes that arguments of `include` and similar functions name.
    fn class_names(&mut self, expr: Expr<'_>) {
        match expr.unwrap_parens() {
            Expr::Array(array) => array.elements().for_each(|element| self.class_names(element)),
            other => {
                if let Some(name) = literal::text(other) {
                    self.check_class_name(&name, other.span());
                    self.check_included_class(&name, other.span());
                }
            }
        }
    }
}

/// The type of the elements of a collection.
fn element_of(ty: &Type) -> Type {
    match ty.unaliased() {
        Type::Array(array) if !matches!(array.element, Type::Unit) => array.element.clone(),
        Type::Tuple(tuple) if !tuple.types.is_empty() => union(tuple.types.iter().cloned()),
        _ => Type::Any,
    }
}
