//! Rules: the problems that can be reported in a repository, as tables.

use kukla::syntax::{Code, Severity};

/// The condition under which a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// With `--strict`: likely problems, not only certain ones.
    Strict,
    /// With `--unused`.
    Unused,
    /// With `--docs`: documentation.
    Docs,
    /// With `--target`: features that another version of Puppet no longer has.
    Target,
}

/// The rules to apply beyond those that always apply.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleSelection {
    /// Likely problems, not only certain ones.
    pub strict: bool,
    /// Unused definitions, variables, data keys and files.
    pub unused: bool,
    /// Missing, wrong and stale documentation.
    pub docs: bool,
    /// Features that a version no longer has.
    pub target: Option<Target>,
}

/// The version that a repository is to be upgraded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Puppet 8, and OpenVox 8.
    Puppet8,
    /// OpenVox 9.
    Openvox9,
}

/// A rule. Its text is a [`Code`], as everywhere; its name is used by `kukla explain`, configurations and suppression comments.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its message and explanation.
    pub code: &'static Code,
    /// The condition under which it applies.
    pub when: When,
}

impl Rule {
    /// Its name, in lower case with dashes.
    pub fn name(&self) -> &'static str {
        self.code.name
    }

    /// Its default severity.
    pub fn severity(&self) -> Severity {
        self.code.severity
    }
}

/// Declares a table of rules, as `kukla_syntax::codes!` declares codes.
///
/// A doc comment explains the rule, with examples that are `Wrong:` and `Right:`; they are tests. An example is the site
/// manifest unless its first line names another file of the repository.
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
