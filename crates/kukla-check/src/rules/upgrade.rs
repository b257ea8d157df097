//! What another version of Puppet no longer has.

use kukla::eval::registry::FunctionOrigin;
use kukla::syntax::ast::{self, Expr};
use kukla::syntax::tree::Node;
use kukla::syntax::{Span, SyntaxKind as K, diagnostic};
use kukla::values::Name;

use crate::finding::Fix;
use crate::repository::facts;
use crate::rule::rules;
use crate::walk::Walk;

rules! {
    RULES;

    /// A fact is asked for by the name it had before facts were structured. Puppet 8 no longer sends those.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// notice($facts['osfamily'])
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// notice($facts['os']['family'])
    /// ```
    LEGACY_FACT = "legacy-fact": Warning Target, "The fact `{name}` is no longer there";

    /// A function is called that later versions no longer have: those of Hiera 3, and what puppetlabs-stdlib 9 has dropped.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// notice(hiera('key'))
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// notice(lookup('key'))
    /// ```
    REMOVED_FUNCTION = "removed-function": Warning Target, "The function `{name}` is no longer there";
}

/// Functions that went, and what stands in for them.
const GONE: &[(&str, &str)] = &[
    ("hiera", "lookup"),
    ("hiera_array", "lookup('key', Array, 'unique')"),
    ("hiera_hash", "lookup('key', Hash, 'hash')"),
    ("hiera_include", "lookup('key', Array, 'unique').include"),
    ("is_array", "$x =~ Array"),
    ("is_bool", "$x =~ Boolean"),
    ("is_float", "$x =~ Float"),
    ("is_hash", "$x =~ Hash"),
    ("is_integer", "$x =~ Integer"),
    ("is_ip_address", "$x =~ Stdlib::IP::Address"),
    ("is_numeric", "$x =~ Numeric"),
    ("is_string", "$x =~ String"),
    ("validate_absolute_path", "a parameter of type Stdlib::Absolutepath"),
    ("validate_array", "a parameter of type Array"),
    ("validate_bool", "a parameter of type Boolean"),
    ("validate_hash", "a parameter of type Hash"),
    ("validate_integer", "a parameter of type Integer"),
    ("validate_re", "a parameter of type Pattern[/…/]"),
    ("validate_string", "a parameter of type String"),
    ("has_key", "'key' in $hash"),
    ("type3x", "type"),
];

impl Walk<'_> {
    /// `$osfamily`, `$::osfamily`.
    pub fn check_legacy_variable(&mut self, variable: ast::Variable<'_>, name: &str) {
        if self.asks.target.is_none() || !facts::is_legacy(name) || self.index.facts.own.contains(name) {
            return;
        }
        let token = variable.syntax();
        let path = facts::today(name).map(keys);
        let fix = path.as_ref().map(|path| {
            let text = match token.kind() {
                K::VariableName => format!("facts{path}"),
                // `"$x"` without braces takes no keys.
                _ if is_bare_interpolation(token) => format!("${{facts{path}}}"),
                _ => format!("$facts{path}"),
            };
            Fix { span: token.span(), text, is_safe: true }
        });
        self.legacy(token.span(), name, path, fix);
    }

    /// `$facts['osfamily']`.
    pub fn check_legacy_fact(&mut self, access: ast::Access<'_>, name: &str) {
        if self.asks.target.is_none() || !facts::is_legacy(name) || self.index.facts.own.contains(name) {
            return;
        }
        let path = facts::today(name).map(keys);
        let left = access.left().span();
        let whole = access.span();
        let fix = path.as_ref().map(|path| Fix {
            span: Span::new(left.end, whole.end),
            text: path.clone(),
            is_safe: true,
        });
        self.legacy(whole, name, path, fix);
    }

    fn legacy(&mut self, span: Span, name: &str, path: Option<String>, fix: Option<Fix>) {
        let mut wrong = diagnostic!(span, LEGACY_FACT { name });
        wrong.hints.extend(path.map(|path| format!("it is `$facts{path}` now")));
        self.report_with(wrong, fix);
    }

    /// Calls of what is gone.
    pub fn check_removed_function(&mut self, name: &str, span: Span, function: Expr<'_>) {
        if self.asks.target.is_none() {
            return;
        }
        let instead = GONE.iter().find(|(gone, _)| *gone == name).map(|(_, instead)| *instead);
        let former = kukla::registry()
            .get(Name::new(name))
            .is_some_and(|found| found.origin == FunctionOrigin::FormerStdlib);
        if instead.is_none() && !former {
            return;
        }
        let mut wrong = diagnostic!(span, REMOVED_FUNCTION { name });
        wrong.hints.extend(instead.map(|instead| format!("in its place there is `{instead}`")));
        let is_one_to_one = name == "hiera" && matches!(function, Expr::Name(_));
        let fix = is_one_to_one.then(|| Fix { span, text: "lookup".into(), is_safe: false });
        self.report_with(wrong, fix);
    }
}

/// `os.family` as keys: `['os']['family']`.
fn keys(path: &str) -> String {
    path.split('.').map(|key| format!("['{key}']")).collect()
}

fn is_bare_interpolation(token: Node<'_>) -> bool {
    let tree = token.tree();
    let before = tree.token_before(token);
    before.is_some_and(|before| matches!(before.kind(), K::DqStart | K::DqText | K::HeredocText))
        && before.is_some_and(|before| before.span().end == token.start())
}
