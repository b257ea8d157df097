//! What is wrong with a program, as data: which rule, where, in which words, and what might help.

use std::fmt::{self, Display};

use crate::span::Span;

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
    type Err = String;

    fn from_str(text: &str) -> Result<Strict, String> {
        match text {
            "off" => Ok(Strict::Off),
            "warning" => Ok(Strict::Warning),
            "error" => Ok(Strict::Error),
            _ => Err(format!("'{text}' is not one of 'off', 'warning', 'error'")),
        }
    }
}

/// One rule a program can break: its name, its severity, its message and its explanation.
///
/// Codes carry the names of Puppet's issues. They are declared with [`codes!`](crate::codes!).
#[derive(Debug)]
pub struct Code {
    /// The upper-case name, as in `kukla explain NAME`.
    pub name: &'static str,
    /// The severity, unless the `strict` setting decides it.
    pub severity: Severity,
    /// Whether the `strict` setting decides the severity.
    pub follows_strict: bool,
    /// The message, with `{name}` where a fact belongs.
    pub message: &'static str,
    /// What the rule means and how to satisfy it: the doc comment of its declaration.
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

    /// The message with each `{name}` replaced by the fact of that name.
    pub fn format(&self, facts: &[(&str, &dyn Display)]) -> String {
        let mut message = String::with_capacity(self.message.len() + 16);
        let mut rest = self.message;
        while let Some(open) = rest.find('{') {
            let (before, inside) = rest.split_at(open);
            message.push_str(before);
            let fact = inside[1..].find('}').and_then(|close| {
                let (_, value) = facts.iter().find(|(name, _)| *name == &inside[1..=close])?;
                Some((close, value))
            });
            match fact {
                Some((close, value)) => {
                    message.push_str(&value.to_string());
                    rest = &inside[close + 2..];
                }
                None => {
                    message.push('{');
                    rest = &inside[1..];
                }
            }
        }
        message.push_str(rest);
        message
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.name == other.name
    }
}

impl Eq for Code {}

/// A place that helps to understand a diagnostic, and what to know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be said about it.
    pub message: String,
}

/// One thing that is wrong at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that was broken.
    pub code: &'static Code,
    /// How bad it is.
    pub severity: Severity,
    /// Where it is.
    pub span: Span,
    /// What is wrong, in the words people's filters know from Puppet.
    pub message: String,
    /// Other places that matter.
    pub labels: Vec<Label>,
    /// What might help.
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic with the code's own severity. [`diagnostic!`](crate::diagnostic!) also formats the message.
    pub fn new(code: &'static Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity,
            span,
            message: message.into(),
            labels: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// Adds something that might help.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hints.push(hint.into());
        self
    }

    /// Adds another place that matters.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Whether the program cannot be used because of this.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Declares a table of [`Code`]s.
///
/// The first line names the table, a `&[&Code]` that lists them all. The doc comment of a code is its explanation. The
/// severity is `Error`, `Warning`, `Deprecation`, or `Strict` where the `strict` setting decides.
///
/// ```
/// kukla_syntax::codes! {
///     pub TABLE;
///     /// An operand of an arithmetic operator is neither a number nor a string that spells one.
///     NOT_NUMERIC: Error, "The value '{value}' cannot be converted to Numeric.";
/// }
/// assert_eq!(TABLE[0].format(&[("value", &"x")]), "The value 'x' cannot be converted to Numeric.");
/// ```
#[macro_export]
macro_rules! codes {
    (
        $vis:vis $table:ident;
        $( $(#[doc = $doc:literal])+ $name:ident: $severity:ident, $message:literal; )*
    ) => {
        $(
            $(#[doc = $doc])+
            $vis static $name: $crate::Code = $crate::Code {
                name: stringify!($name),
                severity: $crate::codes!(@severity $severity),
                follows_strict: $crate::codes!(@strict $severity),
                message: $message,
                explanation: concat!($($doc, "\n"),+),
            };
        )*
        /// Every code of this table, in the order of declaration.
        $vis static $table: &[&$crate::Code] = &[$(&$name),*];
    };
    (@severity Strict) => { $crate::Severity::Error };
    (@severity $severity:ident) => { $crate::Severity::$severity };
    (@strict Strict) => { true };
    (@strict $severity:ident) => { false };
}

/// Makes a [`Diagnostic`] from a span, a code and the facts its message names.
///
/// ```
/// use kukla_syntax::{Span, codes::ILLEGAL_NUMBER, diagnostic};
/// let value = "1x";
/// let wrong = diagnostic!(Span::new(0, 2), ILLEGAL_NUMBER { value }; hint: "a number ends with a digit");
/// assert_eq!(wrong.message, "Illegal number '1x'");
/// ```
#[macro_export]
macro_rules! diagnostic {
    ($span:expr, $code:ident $( { $($fact:ident $(: $value:expr)?),* $(,)? } )? $(; hint: $($hint:tt)+)?) => {
        $crate::Diagnostic::new(
            &$code,
            $span,
            $code.format(&[$( $( (stringify!($fact), &$crate::diagnostic!(@fact $fact $($value)?)) ),* )?]),
        )
        $( .hint(format!($($hint)+)) )?
    };
    (@fact $fact:ident) => { $fact };
    (@fact $fact:ident $value:expr) => { $value };
}
