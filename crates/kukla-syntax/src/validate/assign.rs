//! Assignments and variables.

use super::codes::*;
use super::label::with_article;
use super::{Checker, at, at_node};
use crate::ast::{self, Expr};
use crate::tree::Node;
use crate::{SyntaxKind as K, diagnostic};

impl<'t> Checker<'_, 't> {
    pub(super) fn assignment(&mut self, node: Node<'t>) {
        let Some(assignment) = ast::Assignment::cast(node) else { return };
        self.assignable(assignment.left());
        self.value(assignment.right());
    }

    fn assignable(&mut self, left: Expr<'t>) {
        match left {
            Expr::Variable(variable) => {
                let name = variable.name();
                if is_numeric(name) {
                    self.report(diagnostic!(at(left), ILLEGAL_NUMERIC_ASSIGNMENT { name }));
                }
                if name.contains("::") {
                    self.report(diagnostic!(at(left), CROSS_SCOPE_ASSIGNMENT { name }));
                }
            }
            Expr::Access(_) => {
                self.report(
                    diagnostic!(at(left), ILLEGAL_INDEXED_ASSIGNMENT; hint: "values never change; make a new one with `+`"),
                );
            }
            Expr::Array(array) => array.elements().for_each(|element| self.assignable(element)),
            _ => {
                let construct = with_article(left);
                self.report(diagnostic!(at(left), ILLEGAL_ASSIGNMENT { construct }));
            }
        }
    }

    pub(super) fn variable(&mut self, token: Node<'t>) {
        // A parameter's name has rules of its own.
        if self.around(token).is_some_and(|parent| {
            parent.kind() == K::Parameter
                && ast::Parameter::cast(parent).and_then(ast::Parameter::name_token) == Some(token)
        }) {
            return;
        }
        let text = token.text();
        let name = text.strip_prefix('$').unwrap_or(text);
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            if !is_numeric(name) {
                self.report(diagnostic!(at_node(token), ILLEGAL_NUMERIC_VAR_NAME { name }));
            }
        } else if !is_variable_name(name) {
            let wrong = diagnostic!(at_node(token), ILLEGAL_VAR_NAME { name });
            let better = lower_initials(name);
            self.report(match is_variable_name(&better) {
                true => wrong
                    .label(at_node(token), "names begin with a lower-case letter or `_`")
                    .hint(format!("write `${better}`")),
                false => wrong,
            });
        }
    }

    pub(super) fn parameter(&mut self, node: Node<'t>) {
        let Some(parameter) = ast::Parameter::cast(node) else { return };
        let name = parameter.name();
        let digits = name.strip_prefix("0x").unwrap_or(name);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            self.report(diagnostic!(at_node(node), ILLEGAL_NUMERIC_PARAMETER { name }));
        }
        if !is_parameter_name(name) {
            let wrong = diagnostic!(at_node(node), ILLEGAL_PARAM_NAME { name });
            let better = lower_initials(name);
            let token = parameter.name_token().filter(|_| is_parameter_name(&better));
            self.report(match token {
                Some(token) => wrong
                    .focus_on(token.span(), "names begin with a lower-case letter")
                    .hint(format!("write `${better}`")),
                None => wrong,
            });
        }
        if let Some(default) = parameter.default() {
            self.no_assignment(default.syntax());
        }
    }

    /// A default value may not assign, except inside a lambda, whose variables are its own.
    fn no_assignment(&mut self, default: Node<'t>) {
        let mut skip_to = 0;
        for node in default.descendants() {
            if node.index() < skip_to {
                continue;
            }
            match node.kind() {
                K::Lambda => skip_to = node.end_index(),
                K::Assignment => {
                    self.report(diagnostic!(at_node(node), ILLEGAL_ASSIGNMENT_CONTEXT));
                    skip_to = node.end_index();
                }
                _ => {}
            }
        }
    }
}

/// `0`, or digits that do not begin with `0`.
fn is_numeric(name: &str) -> bool {
    name == "0"
        || (!name.is_empty() && !name.starts_with('0') && name.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_parameter_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && is_word(name)
}

/// Segments that begin with a lower-case letter; the last may begin with `_`.
fn is_variable_name(name: &str) -> bool {
    has_segments(name.strip_prefix("::").unwrap_or(name), is_parameter_name)
}

/// Segments that begin with a lower-case letter.
pub(super) fn is_qualified_name(name: &str) -> bool {
    has_segments(name, is_name_segment)
}

/// Whether a name is made of segments, of which the last is as it may be.
fn has_segments(name: &str, is_last: impl Fn(&str) -> bool) -> bool {
    let mut rest = name;
    // Segments end where a word does, and looking for text takes longer.
    loop {
        let end = rest.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'));
        let Some(end) = end else { return is_last(rest) };
        match rest[end..].strip_prefix("::") {
            Some(after) if rest.as_bytes()[0].is_ascii_lowercase() => rest = after,
            _ => return false,
        }
    }
}

/// One segment of a name: a lower-case letter, then letters, digits and `_`.
fn is_name_segment(segment: &str) -> bool {
    segment.starts_with(|c: char| c.is_ascii_lowercase()) && is_word(segment)
}

/// A name whose segments begin with lower-case letters.
fn lower_initials(name: &str) -> String {
    let mut segments = name.split("::").map(|segment| {
        let mut letters = segment.chars();
        let first = letters.next().map(|first| first.to_ascii_lowercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    let first = segments.next().unwrap_or_default();
    segments.fold(first, |name, segment| name + "::" + &segment)
}
