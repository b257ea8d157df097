//! `case/in`, `=>` and `in`.

use ruby_prism as prism;

use super::{Lowerer, line_of};
use crate::program::{Arm, ArrayPattern, CaseIn, FindPattern, HashPattern, HashRest, Node, Pattern, Target};

impl Lowerer {
    pub(super) fn case_in(&mut self, node: &prism::CaseMatchNode<'_>) -> Node {
        let subject = self.maybe(node.predicate());
        let arms = node.conditions().iter().filter_map(|arm| {
            let arm = arm.as_in_node()?;
            let (pattern, guard) = self.guarded(&arm.pattern());
            Some(Arm { pattern, guard, code: self.maybe_statements(arm.statements()) })
        });
        let arms = arms.collect();
        let otherwise = node.else_clause().map(|clause| self.maybe_statements(clause.statements()));
        Node::CaseIn(Box::new(CaseIn { subject, arms, otherwise, line: line_of(&node.location()) }))
    }

    /// A pattern with `if` or `unless` after it, which prism reads as a conditional around the pattern.
    fn guarded(&mut self, node: &prism::Node<'_>) -> (Pattern, Option<(Node, bool)>) {
        fn first<'p>(statements: Option<prism::StatementsNode<'p>>) -> Option<prism::Node<'p>> {
            statements.and_then(|all| all.body().first())
        }
        if let Some(guard) = node.as_if_node()
            && let Some(inner) = first(guard.statements())
        {
            let pattern = self.pattern(&inner);
            return (pattern, Some((self.condition(&guard.predicate()), false)));
        }
        if let Some(guard) = node.as_unless_node()
            && let Some(inner) = first(guard.statements())
        {
            let pattern = self.pattern(&inner);
            return (pattern, Some((self.condition(&guard.predicate()), true)));
        }
        (self.pattern(node), None)
    }

    pub(super) fn pattern(&mut self, node: &prism::Node<'_>) -> Pattern {
        kukla_syntax::deep(|| self.pattern_here(node))
    }

    fn pattern_here(&mut self, node: &prism::Node<'_>) -> Pattern {
        if node.as_local_variable_target_node().is_some() {
            return Pattern::Bind(self.target(node));
        }
        if let Some(n) = node.as_capture_pattern_node() {
            let inner = self.pattern(&n.value());
            let target = self.target(&n.target().as_node());
            return Pattern::Capture(Box::new(inner), target);
        }
        if let Some(n) = node.as_alternation_pattern_node() {
            let mut all = vec![n.right()];
            let mut left = n.left();
            while let Some(inner) = left.as_alternation_pattern_node() {
                all.push(inner.right());
                left = inner.left();
            }
            all.push(left);
            return Pattern::Alternatives(all.iter().rev().map(|one| self.pattern(one)).collect());
        }
        if let Some(n) = node.as_array_pattern_node() {
            return Pattern::Array(Box::new(ArrayPattern {
                constant: n.constant().map(|constant| self.expression(&constant)),
                pre: n.requireds().iter().map(|part| self.pattern(&part)).collect(),
                rest: n.rest().map(|rest| self.splat_target(&rest)),
                post: n.posts().iter().map(|part| self.pattern(&part)).collect(),
            }));
        }
        if let Some(n) = node.as_find_pattern_node() {
            return Pattern::Find(Box::new(FindPattern {
                constant: n.constant().map(|constant| self.expression(&constant)),
                left: self.splat_target(&n.left().as_node()),
                middle: n.requireds().iter().map(|part| self.pattern(&part)).collect(),
                right: self.splat_target(&n.right().as_node()),
            }));
        }
        if let Some(n) = node.as_hash_pattern_node() {
            return self.hash_pattern(&n);
        }
        if let Some(n) = node.as_pinned_variable_node() {
            return Pattern::Value(self.expression(&n.variable()));
        }
        if let Some(n) = node.as_pinned_expression_node() {
            return Pattern::Value(self.expression(&n.expression()));
        }
        if let Some(n) = node.as_implicit_node() {
            return self.pattern(&n.value());
        }
        if let Some(n) = node.as_parentheses_node()
            && let Some(body) = n.body()
        {
            return self.pattern(&body);
        }
        if let Some(n) = node.as_statements_node()
            && let Some(first) = n.body().first()
        {
            return self.pattern(&first);
        }
        Pattern::Value(self.expression(node))
    }

    fn splat_target(&mut self, node: &prism::Node<'_>) -> Option<Target> {
        let splat = node.as_splat_node()?;
        Some(self.target(&splat.expression()?))
    }

    fn hash_pattern(&mut self, node: &prism::HashPatternNode<'_>) -> Pattern {
        let constant = node.constant().map(|constant| self.expression(&constant));
        let pairs = node.elements().iter().filter_map(|element| {
            let pair = element.as_assoc_node()?;
            let key = pair.key();
            let name = key.as_symbol_node()?;
            let name = self.name(name.unescaped());
            Some((name, Some(self.pattern(&pair.value()))))
        });
        let pairs: Box<[_]> = pairs.collect();
        let empty = pairs.is_empty() && node.rest().is_none();
        let rest = match node.rest() {
            None => HashRest::Open,
            Some(rest) => match rest.as_assoc_splat_node() {
                Some(splat) => match splat.value() {
                    Some(target) => HashRest::Bind(self.target(&target)),
                    None => HashRest::Open,
                },
                None => HashRest::Closed,
            },
        };
        Pattern::Hash(Box::new(HashPattern { constant, pairs, rest, empty }))
    }
}
