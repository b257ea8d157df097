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

/// What is asked for beyond what is always said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asks {
    /// What is likely, not only what is certain.
    pub strict: bool,
    /// What nothing uses.
    pub unused: bool,
    /// What a version no longer has.
    pub target: Option<Target>,
}

/// A version to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Puppet 8, and OpenVox 8.
    Puppet8,
    /// OpenVox 9.
    Openvox9,
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
