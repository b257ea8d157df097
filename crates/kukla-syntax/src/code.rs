//! The rules a program can break, as rows of tables.

use std::fmt::{self, Display};

use crate::problem::{Problem, ProblemKind};

/// How bad something is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The program cannot be used.
    Error,
    /// The program can be used, but probably does not do what was meant.
    Warning,
    /// The program can be used today, but not for ever.
    Deprecation,
}

impl Severity {
    /// The severity's name in lower case, as the machine interface spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Deprecation => "deprecation",
        }
    }
}

impl Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Puppet's `strict` setting: what becomes of questionable but workable code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Strict {
    /// Say nothing.
    Off,
    /// Warn.
    Warning,
    /// Refuse, which is the default since Puppet 8.
    #[default]
    Error,
}

impl std::str::FromStr for Strict {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Strict, Problem> {
        match text {
            "off" => Ok(Strict::Off),
            "warning" => Ok(Strict::Warning),
            "error" => Ok(Strict::Error),
            _ => Err(Problem::new(
                ProblemKind::Invalid,
                format!("'{text}' is not one of 'off', 'warning', 'error'"),
            )),
        }
    }
}

/// One rule a program can break: its name, its severity, its message and its explanation.
///
/// Codes are declared with [`codes!`](crate::codes!) and used with [`diagnostic!`](crate::diagnostic!). There is one for each
/// rule, even where Puppet reports many rules under one name; that name is next to ours.
#[derive(Debug)]
pub struct Code {
    /// The upper-case name, as in `kukla explain NAME`.
    pub name: &'static str,
    /// The name of the issue under which Puppet reports it.
    pub issue: &'static str,
    /// The severity, unless the `strict` setting decides it.
    pub severity: Severity,
    /// Whether the `strict` setting decides the severity.
    pub follows_strict: bool,
    /// The message, with `{name}` where a fact belongs.
    pub message: &'static str,
    /// The meaning of the rule and how to satisfy it: the doc comment of its declaration.
    pub explanation: &'static str,
}

impl Code {
    /// The severity under a `strict` setting; `None` means not to report at all.
    pub const fn severity_under(&self, strict: Strict) -> Option<Severity> {
        match (self.follows_strict, strict) {
            (false, _) => Some(self.severity),
            (true, Strict::Error) => Some(Severity::Error),
            (true, Strict::Warning) => Some(Severity::Warning),
            (true, Strict::Off) => None,
        }
    }
}

impl Code {
    /// The explanation as Markdown, without the blank that a doc comment leaves in front of each line.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.explanation.lines().map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
        lines.join("\n").trim_end().to_owned()
    }
}

impl PartialEq for Code {
    /// A rule is itself and no other, whatever their names.
    fn eq(&self, other: &Code) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Code {}

/// Declares a table of [`Code`]s.
///
/// The first line names the table, a `&[&Code]` that lists them all. Then each code has
///
/// - a doc comment, which is its explanation: what the rule means and how to satisfy it, with an example. The line of the example
///   that breaks the rule is marked `# error`, or `# warning`; a test runs it and sees that it breaks this rule and no other;
/// - its name and, after `as`, the name of the issue under which Puppet reports it where that is another one;
/// - its severity: `Error`, `Warning`, `Deprecation`, or `Strict` where the `strict` setting decides;
/// - its message, with `{name}` for each fact. The words are Puppet's where people's tests and filters know them. The fact
///   `{cause}` is the message of the diagnostic given as the cause.
///
/// ```
/// kukla_syntax::codes! {
///     pub TABLE;
///     /// An integer cannot be divided by zero.
///     ///
///     /// ```puppet
///     /// 1 / 0    # error
///     /// ```
///     DIVISION_BY_ZERO as DIV_BY_ZERO: Error, "Division by {divisor}";
/// }
/// let wrong = kukla_syntax::diagnostic!(DIVISION_BY_ZERO { divisor: 0 });
/// assert_eq!(wrong.message(), "Division by 0");
/// assert_eq!((TABLE[0].name, wrong.issue), ("DIVISION_BY_ZERO", "DIV_BY_ZERO"));
/// ```
#[macro_export]
macro_rules! codes {
    (
        $vis:vis $table:ident;
        $( $(#[doc = $doc:literal])+ $name:ident $(as $issue:ident)?: $severity:ident, $message:literal; )*
    ) => {
        $(
            $(#[doc = $doc])+
            $vis static $name: $crate::Code = $crate::Code {
                name: stringify!($name),
                issue: $crate::codes!(@issue $name $($issue)?),
                severity: $crate::codes!(@severity $severity),
                follows_strict: $crate::codes!(@strict $severity),
                message: $message,
                explanation: concat!($($doc, "\n"),+),
            };
        )*
        /// Every code of this table, in the order of declaration.
        $vis static $table: &[&$crate::Code] = &[$(&$name),*];
    };
    (@issue $name:ident) => { stringify!($name) };
    (@issue $name:ident $issue:ident) => { stringify!($issue) };
    (@severity Strict) => { $crate::Severity::Error };
    (@severity $severity:ident) => { $crate::Severity::$severity };
    (@strict Strict) => { true };
    (@strict $severity:ident) => { false };
}

/// Makes a [`Diagnostic`](crate::Diagnostic) from a code, the facts its message names and, where it is known already, a span.
///
/// A fact is anything that can be printed, or a place. Where a result is wanted, `Err(diagnostic!(…).into())` fits all the
/// results in use; [`bail!`](crate::bail!) also returns it.
///
/// ```
/// use kukla_syntax::{Span, codes::ILLEGAL_NUMBER, diagnostic};
/// let value = "1x";
/// let wrong = diagnostic!(Span::new(0, 2), ILLEGAL_NUMBER { value }; hint: "a number ends with a digit");
/// assert_eq!(wrong.message(), "Illegal number '1x'");
/// ```
#[macro_export]
macro_rules! diagnostic {
    ($code:ident $( { $($fact:ident $(: $value:expr)?),* $(,)? } )? $(; hint: $($hint:tt)+)?) => {
        $crate::Diagnostic::new(
            &$code,
            vec![$( $( (stringify!($fact), $crate::Fact::of(&$crate::diagnostic!(@fact $fact $($value)?))) ),* )?],
        )
        $( .hint(format!($($hint)+)) )?
    };
    ($span:expr, $code:ident $($rest:tt)*) => {
        $crate::diagnostic!($code $($rest)*).within_text($span)
    };
    (@fact $fact:ident) => { $fact };
    (@fact $fact:ident $value:expr) => { $value };
}

/// Returns the error that [`diagnostic!`](crate::diagnostic!) would make.
#[macro_export]
macro_rules! bail {
    ($($diagnostic:tt)+) => { return Err($crate::diagnostic!($($diagnostic)+).into()) };
}
