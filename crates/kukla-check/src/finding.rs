//! What a rule has found, and what would mend it.

use kukla::Diagnostic;
use kukla::syntax::Span;

/// Something that is wrong.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What and where.
    pub diagnostic: Diagnostic,
    /// What would mend it.
    pub fix: Option<Fix>,
}

/// A change of the text that a finding is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
    /// Whether it surely means the same or what was meant; a guess at a name is not.
    pub is_safe: bool,
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Finding {
        Finding { diagnostic, fix: None }
    }
}

impl Finding {
    /// With a change that would mend it, if one is known.
    #[must_use]
    pub fn with_fix(mut self, fix: Option<Fix>) -> Finding {
        self.fix = fix;
        self
    }
}
