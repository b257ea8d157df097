//! Findings of rules, and their fixes.

use kukla::Diagnostic;
use kukla::syntax::Span;

/// A problem that a rule reports.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The message and its position.
    pub diagnostic: Diagnostic,
    /// The fix, if one is known.
    pub fix: Option<Fix>,
}

/// A change to the text of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The span that is replaced.
    pub span: Span,
    /// The replacement.
    pub text: String,
    /// Whether the result certainly has the same or the intended meaning; a guess at a name is not safe.
    pub is_safe: bool,
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Finding {
        Finding { diagnostic, fix: None }
    }
}

impl Finding {
    /// The finding with a fix, if one is known.
    #[must_use]
    pub fn with_fix(mut self, fix: Option<Fix>) -> Finding {
        self.fix = fix;
        self
    }
}
