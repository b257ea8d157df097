//! What can be said about a text without running it.

use kukla_syntax::{Diagnostic, Parse, Source, Strict};

use crate::files;

/// What decides how a text is judged, apart from the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Puppet's `strict` setting.
    pub strict: Strict,
    /// Whether it is a template; by its name, unless said otherwise.
    pub epp: Option<bool>,
    /// Puppet's `tasks` setting: whether `plan` and `apply` are keywords.
    pub tasks: bool,
}

/// A text, read and judged.
#[derive(Debug)]
pub struct Analysis {
    /// The tree.
    pub parse: Parse,
    /// All that is wrong, the grammar's objections first.
    pub diagnostics: Vec<Diagnostic>,
    ungrammatical: bool,
}

impl Analysis {
    /// Reads and judges a text.
    pub fn new(source: &Source, rules: &Rules) -> Self {
        let epp = rules.epp.unwrap_or_else(|| source.name().is_some_and(files::is_template));
        let mut parse = if epp {
            kukla_syntax::parse_epp(source)
        } else {
            kukla_syntax::parse_with(source, kukla_syntax::ParseOptions { tasks: rules.tasks })
        };
        let ungrammatical = !parse.is_ok();
        let diagnostics = std::mem::take(&mut parse.diagnostics);
        Self { parse, diagnostics, ungrammatical }
    }

    /// Is the text no program at all, so that its tree means nothing?
    pub fn has_no_tree(&self) -> bool {
        self.ungrammatical
    }
}
