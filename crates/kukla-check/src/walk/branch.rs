//! `if`, `unless`, `case` and selectors, and the types of variables that follow from their tests.

use kukla::syntax::Span;
use kukla::syntax::ast::{self, BinaryOp, Expr};
use kukla::values::{Str, Type};

use super::Walk;
use super::scope::CertainVariables;
use crate::overlap::{kinds, kinds_of, may_be};
use crate::repository::literal;

/// Types of variables that follow from a test.
type Facts = Vec<(Str, Type)>;

impl Walk<'_> {
    /// Walks through a block that runs under a condition, and notes the variables that it certainly sets.
    fn conditional(
        &mut self,
        test: Span,
        facts: Facts,
        block: Option<ast::Block<'_>>,
        set: &mut Vec<CertainVariables>,
    ) -> Type {
        let before = self.scopes.last().map(|scope| scope.variables.clone()).unwrap_or_default();
        let (ty, certain) = self.after_test(test, |walk| {
            walk.with_types(facts, |walk| match block {
                Some(block) => walk.body(block.statements()),
                None => Type::Undef,
            })
        });
        set.push(certain);
        if let Some(scope) = self.scopes.last_mut() {
            let after = std::mem::replace(&mut scope.variables, before);
            let new = after.into_iter().filter(|(name, _)| !scope.variables.contains_key(name));
            self.branched.extend(new);
        }
        ty
    }

    /// Makes the variables visible that branches have set, beginning with the branch at `from`; branches do not see each other's.
    fn merge(&mut self, from: usize) {
        let Some(scope) = self.scopes.last_mut() else { return };
        for (name, ty) in self.branched.drain(from..) {
            let other = scope.variables.get(&name).cloned().unwrap_or(Type::Undef);
            scope.variables.insert(name, Type::variant([ty, other]));
        }
    }

    pub(super) fn choice(&mut self, choice: ast::If<'_>) -> Type {
        let from = self.branched.len();
        let mut types = Vec::new();
        let mut otherwise: Facts = Vec::new();
        let mut set = Vec::new();
        for branch in choice.branches() {
            let test = branch.test();
            self.questioned = questioned_variable(test);
            self.with_types(otherwise.clone(), |walk| walk.infer(test));
            self.questioned = None;
            let (mut holds, fails) = (otherwise.clone(), self.types_from_test(test, false));
            holds.extend(self.with_types(otherwise.clone(), |walk| walk.types_from_test(test, true)));
            let unset = unset_variable(test);
            let known = self.forget(unset.as_deref());
            types.push(self.conditional(test.span(), holds, branch.block(), &mut set));
            self.remember(known);
            otherwise.extend(fails);
        }
        types.push(self.conditional(choice.span(), otherwise, choice.else_block(), &mut set));
        self.merge(from);
        self.set_by_all(set);
        union(types)
    }

    pub(super) fn unless(&mut self, unless: ast::Unless<'_>) -> Type {
        if let Expr::Variable(variable) = unless.test().unwrap_parens() {
            self.questioned = Some(variable.name().into());
        }
        self.infer(unless.test());
        self.questioned = None;
        let (holds, fails) =
            (self.types_from_test(unless.test(), true), self.types_from_test(unless.test(), false));
        let from = self.branched.len();
        let mut set = Vec::new();
        let known = self.forget(tested_variable(unless.test()).as_deref());
        let fails = self.conditional(unless.test().span(), fails, unless.block(), &mut set);
        self.remember(known);
        let types = [fails, self.conditional(unless.test().span(), holds, unless.else_block(), &mut set)];
        self.merge(from);
        self.set_by_all(set);
        union(types)
    }

    pub(super) fn case(&mut self, case: ast::Case<'_>) -> Type {
        let subject = self.infer(case.test());
        let variable = variable_name(case.test());
        let from = self.branched.len();
        let mut types = vec![];
        let mut has_default = false;
        let mut set = Vec::new();
        for option in case.options() {
            let values: Vec<Expr<'_>> = option.values().collect();
            let mut shown = Vec::new();
            for value in &values {
                has_default |= matches!(value, Expr::Default(_));
                let ty = self.infer(*value);
                self.check_option(&subject, case.test(), *value, &ty);
                shown.push(self.matched_type(*value, &ty));
            }
            let facts = match (&variable, shown.into_iter().collect::<Option<Vec<Type>>>()) {
                (Some(name), Some(types)) if !types.is_empty() => vec![(name.clone(), Type::variant(types))],
                // An option of unknown type shows nothing about the variable.
                _ => Vec::new(),
            };
            types.push(self.conditional(case.test().span(), facts, option.block(), &mut set));
        }
        self.merge(from);
        if has_default {
            self.set_by_all(set);
        } else {
            types.push(Type::Undef);
        }
        union(types)
    }

    pub(super) fn selector(&mut self, selector: ast::Selector<'_>) -> Type {
        let subject = self.infer(selector.left());
        let variable = variable_name(selector.left());
        let mut types = Vec::new();
        for entry in selector.entries() {
            let ty = self.infer(entry.matching());
            self.check_option(&subject, selector.left(), entry.matching(), &ty);
            let shown = self.matched_type(entry.matching(), &ty);
            let facts = variable.clone().zip(shown).into_iter().collect();
            let (ty, _) = self.after_test(selector.left().span(), |walk| {
                walk.with_types(facts, |walk| walk.infer(entry.value()))
            });
            types.push(ty);
        }
        union(types)
    }

    /// The type of a value that an option of a `case` or selector matches.
    fn matched_type(&self, option: Expr<'_>, ty: &Type) -> Option<Type> {
        match option {
            Expr::Type(_) | Expr::Access(_) => match ty {
                Type::Type(Some(ty)) => Some((**ty).clone()),
                _ => None,
            },
            // Strings match without regard to case.
            Expr::String(_) | Expr::Name(_) => Some(Type::STRING),
            Expr::Number(_) | Expr::Boolean(_) | Expr::Undef(_) => Some(ty.clone()),
            Expr::Regex(_) => Some(Type::STRING),
            _ => None,
        }
    }

    /// The types of variables that follow from a test that holds, or that fails.
    pub(super) fn types_from_test(&mut self, test: Expr<'_>, holds: bool) -> Facts {
        match test.unwrap_parens() {
            Expr::Not(not) => self.types_from_test(not.inner(), !holds),
            Expr::Variable(variable) => {
                let Some(ty) = self.known_type(variable.name()) else { return Vec::new() };
                let ty = if holds { without(&ty, kinds::UNDEF) } else { falsy(&ty) };
                vec![(variable.name().into(), ty)]
            }
            Expr::Binary(binary) => match (binary.operator(), holds) {
                (BinaryOp::And, true) | (BinaryOp::Or, false) => {
                    let mut facts = self.types_from_test(binary.left(), holds);
                    facts.extend(self.types_from_test(binary.right(), holds));
                    facts
                }
                (BinaryOp::Match, _) | (BinaryOp::NoMatch, _) => {
                    self.types_from_match(binary, holds == (binary.operator() == BinaryOp::Match))
                }
                (BinaryOp::Equal, _) | (BinaryOp::NotEqual, _) => {
                    self.types_from_equality(binary, holds == (binary.operator() == BinaryOp::Equal))
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn types_from_match(&mut self, binary: ast::Binary<'_>, holds: bool) -> Facts {
        let Some(name) = variable_name(binary.left()) else { return Vec::new() };
        let right = binary.right().unwrap_parens();
        let ty = match right {
            Expr::Type(_) | Expr::Access(_) => self.index.types.read(right.syntax().text()),
            Expr::Regex(_) if holds => Some(Type::STRING),
            _ => None,
        };
        let Some(ty) = ty else { return vec![(name, Type::Any)] };
        let known = self.known_type(&name);
        if holds {
            // The type known so far may be more specific than that of the test.
            let ty = match known {
                Some(known) if ty.covers(&known) => known,
                _ => ty,
            };
            return vec![(name, ty)];
        }
        match known.as_ref().map(Type::unaliased) {
            Some(Type::Variant(types)) => {
                let rest: Vec<Type> = types.iter().filter(|part| !ty.covers(part)).cloned().collect();
                vec![(name, if rest.is_empty() { Type::Any } else { Type::variant(rest) })]
            }
            Some(Type::Optional(Some(inner))) if ty.covers(&Type::Undef) => vec![(name, (**inner).clone())],
            Some(Type::Optional(Some(inner))) if ty.covers(inner) => vec![(name, Type::Undef)],
            _ => Vec::new(),
        }
    }

    fn types_from_equality(&mut self, binary: ast::Binary<'_>, holds: bool) -> Facts {
        let (Some(name), Some(value)) = (variable_name(binary.left()), literal::value(binary.right())) else {
            return Vec::new();
        };
        let Some(known) = self.known_type(&name) else { return Vec::new() };
        let is_undef = value == kukla::Value::Undef;
        match (holds, is_undef) {
            (true, true) => vec![(name, Type::Undef)],
            (true, false) => vec![(name, without(&known, kinds::UNDEF))],
            (false, true) => vec![(name, without(&known, kinds::UNDEF))],
            (false, false) => Vec::new(),
        }
    }

    /// The type of a local variable, without a report if it is not set.
    fn known_type(&mut self, name: &str) -> Option<Type> {
        if name.contains("::") {
            return None;
        }
        match self.local(name) {
            super::scope::VariableState::Set(ty) => Some(ty),
            super::scope::VariableState::Unset => None,
        }
    }

    /// Reports an option of a `case` that can never match.
    fn check_option(&mut self, subject: &Type, test: Expr<'_>, option: Expr<'_>, ty: &Type) {
        let value = match option {
            Expr::String(_) | Expr::Name(_) | Expr::Number(_) | Expr::Boolean(_) => ty,
            _ => return,
        };
        if !matches!(test.unwrap_parens(), Expr::Variable(_)) {
            return;
        }
        let folded = match value {
            Type::Literal(text) => Type::enumeration([text.clone()], true),
            other => other.clone(),
        };
        let is_possible = match &folded {
            Type::Enum(_) => may_match(subject, &folded),
            other => may_be(subject, other),
        };
        if !is_possible {
            self.impossible_option(option, subject);
        }
    }
}

/// Whether a string, compared without regard to case, may be of a type.
pub fn may_match(subject: &Type, folded: &Type) -> bool {
    match subject.unaliased() {
        Type::Enum(values) if !values.values.is_empty() => values.values.iter().any(|value| {
            matches!(folded, Type::Enum(one) if one.values.iter().any(|text| text.eq_ignore_ascii_case(value)))
        }),
        Type::Optional(Some(ty)) => may_match(ty, folded),
        Type::Variant(types) => types.iter().any(|ty| may_match(ty, folded)),
        other => kinds_of(other) & kinds::STRING != 0,
    }
}

fn variable_name(expr: Expr<'_>) -> Option<Str> {
    match expr.unwrap_parens() {
        Expr::Variable(variable) if !variable.name().contains("::") => Some(variable.name().into()),
        // `if $x = f()`, and an access to it, show nothing about a variable.
        _ => None,
    }
}

/// The variable of a test that it is defined: `defined('$name')`.
fn tested_variable(test: Expr<'_>) -> Option<String> {
    let Expr::Call(call) = test.unwrap_parens() else { return None };
    let is_defined = matches!(call.function(), Expr::Name(name) if name.name() == "defined");
    let name = call.arguments().next().filter(|_| is_defined).and_then(literal::text)?;
    name.strip_prefix('$').map(str::to_owned)
}

/// The variable of a test that it has no value, before which a fact or a classifier may have set it.
fn questioned_variable(test: Expr<'_>) -> Option<Str> {
    match test.unwrap_parens() {
        Expr::Not(not) => variable_name(not.inner().unwrap_parens()),
        Expr::Binary(binary)
            if binary.operator() == BinaryOp::Equal
                && matches!(literal::value(binary.right()), Some(kukla::Value::Undef)) =>
        {
            variable_name(binary.left())
        }
        _ => None,
    }
}

/// The variable of a test that it is not defined.
fn unset_variable(test: Expr<'_>) -> Option<String> {
    match test.unwrap_parens() {
        Expr::Not(not) => tested_variable(not.inner()),
        Expr::Binary(binary) if binary.operator() == BinaryOp::And => {
            unset_variable(binary.left()).or_else(|| unset_variable(binary.right()))
        }
        _ => None,
    }
}

/// A type without the parts that consist of these kinds alone.
fn without(ty: &Type, kind: u32) -> Type {
    match ty.unaliased() {
        Type::Optional(Some(inner)) if kind & kinds::UNDEF != 0 => without(inner, kind),
        Type::Variant(types) => {
            let rest: Vec<Type> =
                types.iter().filter(|ty| kinds_of(ty) & !kind != 0).map(|ty| without(ty, kind)).collect();
            if rest.is_empty() { Type::Any } else { Type::variant(rest) }
        }
        Type::Undef if kind & kinds::UNDEF != 0 => Type::Any,
        _ => ty.clone(),
    }
}

/// The part of a type that is not true.
fn falsy(ty: &Type) -> Type {
    match kinds_of(ty) & (kinds::UNDEF | kinds::BOOLEAN) {
        kinds::UNDEF => Type::Undef,
        kinds::BOOLEAN => Type::Boolean(Some(false)),
        0 => Type::Any,
        _ => Type::variant([Type::Undef, Type::Boolean(Some(false))]),
    }
}

/// The union of types; `Any` if one of them is.
pub fn union(types: impl IntoIterator<Item = Type>) -> Type {
    // An expression that never returns has no value.
    let types: Vec<Type> = types.into_iter().filter(|ty| !matches!(ty, Type::Unit)).collect();
    if types.is_empty() || types.iter().any(|ty| matches!(ty, Type::Any)) {
        Type::Any
    } else {
        Type::variant(types)
    }
}
