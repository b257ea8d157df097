//! Rules: what can be wrong with a repository, as rows of tables.

use kukla::syntax::{Code, Severity};

/// When a rule is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// With `--strict`: what it reports is likely, not certain.
    Strict,
    /// With `--unused`.
    Unused,
    /// With `--target`: what another version of Puppet no longer has.
    Target,
}

/// A rule. What it says is a [`Code`], as everywhere; its name is the one of `kukla explain`, of configurations and of comments.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// What it says.
    pub code: &'static Code,
    /// When it is asked.
    pub when: When,
}

impl Rule {
    /// Its name, in lower case with dashes.
    pub fn name(&self) -> &'static str {
        self.code.name
    }

    /// How bad it is, in one word.
    pub fn severity(&self) -> Severity {
        self.code.severity
    }
}

/// Declares a table of rules, much as `kukla_syntax::codes!` declares codes.
///
/// A doc comment says what the rule means, what is `Wrong:` and what is `Right:`, each with examples; those are tests. An example
/// is the site manifest unless its first line names another file of the repository.
macro_rules! rules {
    (
        $table:ident;
        $( $(#[doc = $doc:literal])+ $name:ident = $text:literal: $severity:ident $when:ident, $message:literal; )*
    ) => {
        $(
            $(#[doc = $doc])+
            pub static $name: kukla::syntax::Code = kukla::syntax::Code {
                name: $text,
                issue: $text,
                severity: kukla::syntax::Severity::$severity,
                follows_strict: false,
                message: $message,
                explanation: concat!($($doc, "\n"),+),
            };
        )*
        /// Every rule of this table, in the order of declaration.
        pub static $table: &[$crate::rule::Rule] =
            &[$($crate::rule::Rule { code: &$name, when: $crate::rule::When::$when }),*];
    };
}
pub(crate) use rules;
