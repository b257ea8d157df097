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

use super::COMMANDS;

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
    names: Vec<String>,
    variables: Vec<String>,
    facts: Hash,
}

impl Assistant {
    /// Completes the facts of a node, keywords, commands, and the names that code can use.
    pub fn new(facts: &Hash, mut names: Vec<String>) -> Self {
        names.extend(facts.keys().filter_map(Value::as_str).map(|name| format!("${name}")));
        names.extend(KEYWORDS.into_iter().map(str::to_owned));
        names.extend(["$facts", "$trusted", "$environment"].map(str::to_owned));
        names.sort();
        names.dedup();
        Self { names, variables: Vec::new(), facts: facts.clone() }
    }

    /// Sets the variables that are assigned.
    pub fn set_variables(&mut self, variables: Vec<String>) {
        self.variables = variables;
    }

    /// The candidates for the end of a text, and where the text that they replace starts.
    fn candidates(&self, before: &str) -> (usize, Vec<String>) {
        if before.starts_with(':') && !before.contains(' ') {
            let commands = COMMANDS.iter().filter(|name| name.starts_with(before));
            return (0, commands.map(|name| (*name).to_owned()).collect());
        }
        if let Some(path) = before.strip_prefix(":facts ") {
            return (before.len() - path.len(), self.fact_paths(path));
        }
        if let Some(found) = self.fact_key(before) {
            return found;
        }
        let start = before.rfind(|c: char| !c.is_alphanumeric() && !"_:$".contains(c));
        let start = start.map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let word = &before[start..];
        if word.is_empty() {
            return (before.len(), Vec::new());
        }
        let names = self.variables.iter().chain(&self.names);
        (start, names.filter(|name| name.starts_with(word)).cloned().collect())
    }

    /// The dotted names of facts that start with a text, one level deeper than it.
    fn fact_paths(&self, text: &str) -> Vec<String> {
        let (above, start) = text.rsplit_once('.').map_or(("", text), |(above, start)| (above, start));
        let inside = if above.is_empty() { Some(&self.facts) } else { self.dig(&mut above.split('.')) };
        let names = inside.into_iter().flat_map(|hash| hash.keys()).filter_map(Value::as_str);
        let names = names.filter(|name| name.starts_with(start));
        names.map(|name| if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") }).collect()
    }

    /// The keys of an unfinished access such as `$facts['os']['fam`.
    fn fact_key(&self, before: &str) -> Option<(usize, Vec<String>)> {
        let access = before.rfind("$facts[")? + "$facts".len();
        let (done, open) = before[access..].rsplit_once('[')?;
        let quote = open.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let start = &open[1..];
        if start.contains(quote) {
            return None;
        }
        let keys: Vec<&str> = done.split(']').map(|key| key.trim_start_matches('[')).collect();
        let mut keys = keys.iter().map(|key| key.trim_matches(['\'', '"'])).filter(|key| !key.is_empty());
        let inside = self.dig(&mut keys)?;
        let names = inside.keys().filter_map(Value::as_str).filter(|name| name.starts_with(start));
        let names = names.map(|name| format!("{name}{quote}]")).collect();
        Some((before.len() - start.len(), names))
    }

    /// The hash of facts that keys lead to.
    fn dig(&self, keys: &mut dyn Iterator<Item = &str>) -> Option<&Hash> {
        let mut inside = &self.facts;
        for key in keys {
            let Value::Hash(deeper) = inside.get(key)? else { return None };
            inside = deeper;
        }
        Some(inside)
    }
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.candidates(line.get(..pos).unwrap_or(line)))
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
    fn names_facts_and_commands_are_completed() {
        let os: Hash = [("family", "Debian"), ("name", "Debian")].into_iter().collect();
        let mut facts = Hash::new();
        facts.insert("os", Value::Hash(os));
        facts.insert("kernel", Value::from("Linux"));
        let mut assistant =
            Assistant::new(&facts, vec!["ntp::server".into(), "Integer".into(), "lookup".into()]);
        assistant.set_variables(vec!["$own".into()]);
        let complete = |text: &str| {
            let (start, names) = assistant.candidates(text);
            names.into_iter().map(|name| format!("{}{name}", &text[..start])).collect::<Vec<_>>()
        };
        assert_eq!(complete("include ntp::"), ["include ntp::server"]);
        assert_eq!(complete("$x =~ Int"), ["$x =~ Integer"]);
        assert_eq!(complete("$o"), ["$own", "$os"]);
        assert_eq!(complete("é look"), ["é lookup"]);
        assert_eq!(complete("$facts['os']['fa"), ["$facts['os']['family']"]);
        assert_eq!(complete("$facts[\"ke"), ["$facts[\"kernel\"]"]);
        assert_eq!(complete(":facts os.n"), [":facts os.name"]);
        assert_eq!(complete(":fa"), [":facts"]);
        assert_eq!(complete("$facts['no']['x"), Vec::<String>::new());
    }

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
