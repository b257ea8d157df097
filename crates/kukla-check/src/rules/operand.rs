//! Invalid operands and comparisons, and values of built-in attributes.

use std::sync::LazyLock;

use kukla::catalog::types::NativeType;
use kukla::syntax::ast::{self, AttributeOp, BinaryOp, Expr};
use kukla::syntax::diagnostic;
use kukla::values::Type;
use kukla::values::codes::NOT_NUMERIC;
use rustc_hash::FxHashMap;

use crate::describe::describe;
use crate::overlap::{kinds, kinds_of, may_be};
use crate::rule::rules;
use crate::walk::Walk;

rules! {
    RULES;

    /// An operator has an operand of a type that it never accepts.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $ports = [80, 443]
    /// notice($ports * 2)
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $ports = [80, 443]
    /// notice($ports + [8080])
    /// ```
    WRONG_OPERAND = "wrong-operand": Error Always, "`{operator}` cannot be applied to {operand}";

    /// Two compared values are never equal, or an option of a `case` or selector never matches.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class web(Enum['http', 'https'] $protocol = 'http') {
    ///   if $protocol == 'ftp' { notice('old') }
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class web(Enum['http', 'https'] $protocol = 'http') {
    ///   if $protocol == 'https' { notice('new') }
    /// }
    /// ```
    IMPOSSIBLE_COMPARISON = "impossible-comparison": Warning Always, "{left} is never {right}";

    /// An attribute of a built-in resource type has a value that the agent refuses.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// service { 'ntp': ensure => runing }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// service { 'ntp': ensure => running }
    /// ```
    WRONG_ATTRIBUTE_VALUE = "wrong-attribute-value": Error Always, "`{resource}`: {mismatch}";
}

/// The types of attributes of built-in types, as far as they fit into a line.
const VALUES: &[(&str, &str, &str)] = &[
    ("exec", "refreshonly", BOOLEAN),
    ("exec", "timeout", "Variant[Numeric, Pattern[/\\A[0-9.]+\\z/], Tuple[Variant[Numeric, String]]]"),
    ("exec", "tries", "Variant[Integer[1], Pattern[/\\A[0-9]+\\z/]]"),
    ("exec", "try_sleep", "Variant[Numeric[0], Pattern[/\\A[0-9.]+\\z/]]"),
    ("file", "force", SWITCH),
    ("file", "links", "Enum['follow', 'manage']"),
    (
        "file",
        "mode",
        "Pattern[/\\A[0-7]{1,4}\\z/, /\\A([ugoa]*[-=+][-=+rstwxXugo]*)(,[ugoa]*[-=+][-=+rstwxXugo]*)*\\z/]",
    ),
    ("file", "purge", SWITCH),
    ("file", "replace", SWITCH),
    ("file", "show_diff", SWITCH),
    ("group", "ensure", "Enum['present', 'absent']"),
    ("group", "gid", "Variant[Integer[0], Pattern[/\\A[0-9]+\\z/]]"),
    ("group", "system", SWITCH),
    ("mount", "ensure", "Enum['defined', 'present', 'unmounted', 'absent', 'mounted']"),
    ("service", "enable", "Variant[Boolean, Enum['true', 'false', 'manual', 'mask', 'delayed']]"),
    ("service", "ensure", "Variant[Boolean, Enum['running', 'stopped', 'true', 'false']]"),
    ("service", "hasrestart", BOOLEAN),
    ("service", "hasstatus", BOOLEAN),
    ("user", "allowdupe", SWITCH),
    ("user", "ensure", "Enum['present', 'absent', 'role']"),
    ("user", "managehome", SWITCH),
    ("user", "system", SWITCH),
    ("user", "uid", "Variant[Integer[0], Pattern[/\\A[0-9]+\\z/]]"),
];

const BOOLEAN: &str = "Variant[Boolean, Enum['true', 'false']]";
const SWITCH: &str = "Variant[Boolean, Enum['true', 'false', 'yes', 'no']]";

static TYPES: LazyLock<FxHashMap<(&str, &str), Type>> = LazyLock::new(|| {
    let read = |(resource, attribute, text): &(&'static str, &'static str, &str)| {
        Some(((*resource, *attribute), Type::parse(text).ok()?))
    };
    VALUES.iter().filter_map(read).collect()
});

impl Walk<'_> {
    /// Reports operands that an operator does not accept.
    pub fn check_operands(&mut self, binary: ast::Binary<'_>, left: &Type, right: &Type) {
        let operator = binary.operator();
        let (allowed_left, allowed_right) = match operator {
            BinaryOp::Add | BinaryOp::Subtract => {
                (kinds::NUMBER | kinds::ARRAY | kinds::HASH | kinds::STRING | kinds::OTHER, kinds::ALL)
            }
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
                (kinds::NUMBER | kinds::STRING | kinds::OTHER, kinds::NUMBER | kinds::STRING | kinds::OTHER)
            }
            BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual => (
                kinds::NUMBER | kinds::STRING | kinds::TYPE | kinds::OTHER,
                kinds::NUMBER | kinds::STRING | kinds::TYPE | kinds::OTHER,
            ),
            // On the right of a match, a type takes any value.
            BinaryOp::Match | BinaryOp::NoMatch
                if kinds_of(right) & !(kinds::REGEXP | kinds::STRING) == 0 =>
            {
                (kinds::STRING, kinds::ALL)
            }
            BinaryOp::Equal | BinaryOp::NotEqual => return self.check_equality(binary, left, right),
            _ => return,
        };
        for (side, ty, allowed) in
            [(binary.left(), left, allowed_left), (binary.right(), right, allowed_right)]
        {
            if kinds_of(ty) & allowed == 0 {
                let operand = display_type(ty);
                self.report(diagnostic!(side.span(), WRONG_OPERAND { operator: operator.text(), operand }));
                return;
            }
            let is_text = matches!(ty.unaliased(), Type::Literal(text) if text.trim().parse::<f64>().is_err() && !text.starts_with("0x"));
            let is_number = matches!(
                operator,
                BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo | BinaryOp::Subtract | BinaryOp::Add
            );
            let others = kinds_of(if std::ptr::eq(ty, left) { right } else { left });
            if is_text && is_number && others & (kinds::ARRAY | kinds::HASH | kinds::OTHER) == 0 {
                let operand = format!("the string {}", side.syntax().text());
                let wrong = diagnostic!(side.span(), WRONG_OPERAND { operator: operator.text(), operand });
                self.report(wrong.hint("concatenate strings by interpolation: \"${a}${b}\""));
                return;
            }
        }
    }

    fn check_equality(&mut self, binary: ast::Binary<'_>, left: &Type, right: &Type) {
        // Only declared types are compared with literals.
        let (Expr::Variable(_), Some(value)) =
            (binary.left().unwrap_parens(), crate::repository::literal::value(binary.right()))
        else {
            return;
        };
        if matches!(value, kukla::Value::Undef | kukla::Value::Array(_) | kukla::Value::Hash(_)) {
            return;
        }
        let is_possible = match right {
            Type::Literal(text) => crate::walk::may_match(left, &Type::enumeration([text.clone()], true)),
            _ => {
                kinds_of(right) & kinds::NUMBER != 0 && kinds_of(left) & kinds::NUMBER != 0
                    || may_be(left, right)
            }
        };
        if !is_possible {
            let (name, value) = (binary.left().syntax().text(), binary.right().syntax().text());
            let wrong = diagnostic!(
                binary.span(),
                IMPOSSIBLE_COMPARISON { left: format!("`{name}`"), right: format!("`{value}`") }
            );
            self.report(wrong.hint(format!("it is {}", display_type(left))));
        }
    }

    /// Reports an option that never matches.
    pub fn impossible_option(&mut self, option: Expr<'_>, subject: &Type) {
        let right = format!("`{}`", option.syntax().text());
        let wrong = diagnostic!(option.span(), IMPOSSIBLE_COMPARISON { left: "The matched value", right });
        self.report(wrong.hint(format!("it is {}", display_type(subject))));
    }

    /// Checks accesses to `undef`, numbers and similar values.
    pub fn check_access(&mut self, access: ast::Access<'_>, left: &Type) {
        let kinds = kinds_of(left);
        let without_parts = kinds::UNDEF | kinds::BOOLEAN | kinds::NUMBER | kinds::REGEXP;
        if kinds & !without_parts == 0 && kinds != 0 && !matches!(left, Type::Unit) {
            let operand = display_type(left);
            self.report(diagnostic!(access.left().span(), WRONG_OPERAND { operator: "[]", operand }));
        }
    }

    /// Reports a text as the index of an array.
    pub fn check_index(&mut self, left: &Type, key: Expr<'_>) {
        if kinds_of(left) != kinds::ARRAY {
            return;
        }
        if let Some(value) = crate::repository::literal::text(key).filter(|text| text.parse::<f64>().is_err())
        {
            let wrong = diagnostic!(key.span(), NOT_NUMERIC { value });
            self.report(wrong.hint(format!("an array is indexed by numbers: it is {}", display_type(left))));
        }
    }

    /// Reports a value that an attribute of a built-in type does not accept.
    pub fn check_attribute_value(&mut self, native: &NativeType, attribute: ast::Attribute<'_>, ty: &Type) {
        if matches!(attribute.name(), "source") {
            self.check_source(attribute);
        }
        let Some(expected) = TYPES.get(&(native.name, attribute.name())) else { return };
        if attribute.operator() != AttributeOp::Set
            || matches!(ty, Type::Undef)
            || may_be(expected, ty)
            || kinds_of(ty) & (kinds::SENSITIVE | kinds::OTHER) != 0
        {
            return;
        }
        let mismatch = match attribute.name() {
            "mode" => {
                format!(
                    "attribute 'mode' expects an octal or symbolic mode as a string, got {}",
                    display_type(ty)
                )
            }
            name => describe(&format!("attribute '{name}'"), expected, ty),
        };
        let span = attribute.value().span();
        let mut wrong = diagnostic!(span, WRONG_ATTRIBUTE_VALUE { resource: native.name, mismatch });
        if let (Type::Literal(text), Some(values)) = (ty, enum_values(expected))
            && let Some(hint) = crate::suggest::hint(text, values.iter().map(String::as_str))
        {
            wrong = wrong.hint(hint);
        }
        if attribute.name() == "mode" && kinds_of(ty) == kinds::INTEGER {
            wrong =
                wrong.hint(format!("write the mode as a string: '{}'", attribute.value().syntax().text()));
        }
        self.report(wrong);
    }
}

fn enum_values(ty: &Type) -> Option<Vec<String>> {
    match ty {
        Type::Enum(values) => Some(values.values.iter().map(|value| value.to_string()).collect()),
        Type::Variant(types) => types.iter().find_map(enum_values),
        _ => None,
    }
}

/// The maximum length of a type in a message.
const LONG: usize = 60;

/// A type in a message.
fn display_type(ty: &Type) -> String {
    match ty {
        Type::Undef => "undef".into(),
        Type::Literal(text) => format!("'{text}'"),
        // A long type is shown without its parameters.
        other if other.to_string().len() > LONG => other.generalized().to_string(),
        other => other.to_string(),
    }
}
