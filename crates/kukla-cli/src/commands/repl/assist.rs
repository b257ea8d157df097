//! Help while typing: completion of names, and unfinished statements that continue on the next line.

use kukla::syntax::codes::{
    HEREDOC_WITHOUT_END_TAGGED_LINE, HEREDOC_WITHOUT_TEXT, SYNTAX_ERROR, UNCLOSED_MLCOMMENT, UNCLOSED_QUOTE,
};
use kukla::syntax::{Code, Source, parse};
use kukla::values::{Hash, Value};
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

const KEYWORDS: [&str; 16] = [
    "and", "case", "class", "default", "define", "else", "elsif", "false", "function", "if", "in", "or",
    "true", "type", "undef", "unless",
];

/// Codes of errors that more text can fix.
static UNFINISHED: [&Code; 4] =
    [&UNCLOSED_QUOTE, &UNCLOSED_MLCOMMENT, &HEREDOC_WITHOUT_END_TAGGED_LINE, &HEREDOC_WITHOUT_TEXT];

/// The names that can be completed.
#[derive(Debug)]
pub struct Assistant {
    fixed: Vec<String>,
    variables: Vec<String>,
}

impl Assistant {
    /// Completes functions, keywords and facts.
    pub fn new(facts: &Hash) -> Self {
        let functions = kukla::registry().names().into_iter().map(|n| n.as_str().to_owned());
        let facts = facts.keys().filter_map(Value::as_str).map(|name| format!("${name}"));
        let keywords = KEYWORDS.into_iter().map(str::to_owned);
        let builtin = ["$facts", "$trusted", "$environment"].map(str::to_owned);
        let mut fixed: Vec<String> = functions.chain(facts).chain(keywords).chain(builtin).collect();
        fixed.sort();
        fixed.dedup();
        Self { fixed, variables: Vec::new() }
    }

    /// Sets the variables that are assigned.
    pub fn set_variables(&mut self, variables: Vec<String>) {
        self.variables = variables;
    }
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..pos).unwrap_or(line);
        let start = before.rfind(|c: char| !c.is_alphanumeric() && !"_:$".contains(c)).map_or(0, |at| at + 1);
        let word = before.get(start..).unwrap_or_default();
        if word.is_empty() {
            return Ok((pos, Vec::new()));
        }
        let names = self.variables.iter().chain(&self.fixed);
        Ok((start, names.filter(|name| name.starts_with(word)).cloned().collect()))
    }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if is_unfinished(context.input()) {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

/// Whether more text could complete the program. An empty line ends it.
fn is_unfinished(text: &str) -> bool {
    if text.trim_start().starts_with(':') || text.ends_with('\n') {
        return false;
    }
    let end = text.trim_end().len();
    parse(&Source::unnamed(text)).diagnostics.iter().any(|d| {
        let at_end = d.is(&SYNTAX_ERROR) && d.span().start as usize >= end;
        d.is_error() && (at_end || UNFINISHED.iter().any(|code| d.is(code)))
    })
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_code() {
        for text in ["if true {", "[1,", "'abc", "1 +", "@(END)\n  text", "class a"] {
            assert!(is_unfinished(text), "{text}");
        }
        for text in ["1", "1 1", "$x = )", "if true { 1 }", ":type [", "[1,\n"] {
            assert!(!is_unfinished(text), "{text}");
        }
    }
}
