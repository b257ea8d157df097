//! Rules as tables: names, explanations, defaults, and the functions that check them.

use kukla_syntax::Code;

use crate::manifest::Manifest;
use crate::report::Report;
use crate::settings::Settings;

/// The function of a rule. `Err` if a resource declaration does not end; puppet-lint reports nothing but that.
pub type Check = fn(&Manifest<'_>, &Settings, &mut Report) -> Done;

/// The result of the function of a rule.
pub type Done = Result<(), Unfinished>;

/// The token at which a resource declaration does not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished(pub crate::token::At);

impl From<crate::token::At> for Unfinished {
    fn from(at: crate::token::At) -> Unfinished {
        Unfinished(at)
    }
}

/// The effect of a rule's fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fix {
    /// The rule has none.
    None,
    /// It changes blanks, line ends and the form of comments; the syntax tree stays the same.
    Layout,
    /// It writes the same value in another form, such as `'a'` for `"a"`.
    Form,
    /// It changes the value or the name that the code uses into what was meant, as the rule explains. What a catalog asks for stays the same.
    Value,
    /// It asks for another state of the system, such as `installed` for `latest`, or for another value of a parameter.
    State,
}

/// A lint rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, default severity, message and explanation.
    pub code: &'static Code,
    /// The project that it comes from: `puppet-lint`, or a plugin.
    pub origin: &'static str,
    /// Whether it is on unless switched off.
    pub by_default: bool,
    /// The effect of its fix.
    pub fix: Fix,
    /// Whether the formatter settles what it asks for.
    pub formatted: bool,
    /// Its function.
    pub check: Check,
}

impl Rule {
    /// Its name, as in `--only-checks` and `lint:ignore`.
    pub fn name(&self) -> &'static str {
        self.code.name
    }
}

/// Declares a table of rules.
///
/// A row has the doc comment that explains the rule, with examples that are `Wrong:` and `Right:` (they are tests, and a fix of the first
/// gives the second), the name, the severity, the origin, `on` or `off`, the effect of the fix, whether the formatter settles it, the function,
/// and the message.
macro_rules! rules {
    (
        $table:ident;
        $( $(#[doc = $doc:literal])+ $name:ident = $text:literal: $severity:ident, $origin:literal, $state:ident, $fix:ident $($formatted:ident)?, $check:path, $message:literal; )*
    ) => {
        $(
            $(#[doc = $doc])+
            pub static $name: kukla_syntax::Code = kukla_syntax::Code {
                name: $text,
                issue: $text,
                severity: kukla_syntax::Severity::$severity,
                follows_strict: false,
                message: $message,
                explanation: concat!($($doc, "\n"),+),
            };
        )*
        /// Every rule of this table, in the order of declaration.
        pub static $table: &[$crate::rule::Rule] = &[$($crate::rule::Rule {
            code: &$name,
            origin: $origin,
            by_default: $crate::rule::is_on(stringify!($state)),
            fix: $crate::rule::Fix::$fix,
            formatted: !stringify!($($formatted)?).is_empty(),
            check: $check,
        }),*];
    };
}
pub(crate) use rules;

pub(crate) const fn is_on(state: &str) -> bool {
    state.len() == 2
}

/// Another message of a rule.
pub(crate) const fn another(code: &'static Code, message: &'static str) -> Code {
    Code {
        name: code.name,
        issue: code.issue,
        severity: code.severity,
        follows_strict: false,
        message,
        explanation: code.explanation,
    }
}
