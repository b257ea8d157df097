//! What a conversation remembers: the statements that assign, define or declare something.

use kukla::eval::function::Quality;
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, SyntaxKind, parse};

/// Statements to run again before each new one.
#[derive(Debug, Default)]
pub struct Memory {
    kept: Vec<Statement>,
}

#[derive(Debug)]
struct Statement {
    /// What it gives a value or meaning to, if a later statement may take its place.
    subject: Option<String>,
    text: String,
}

impl Memory {
    /// Everything that is remembered.
    pub fn text(&self) -> String {
        self.kept.iter().map(|s| format!("{}\n", s.text)).collect()
    }

    /// What is remembered, but for the things that `code` is about to say anew.
    pub fn without_what(&self, code: &str) -> String {
        let anew = statements(code);
        let stays =
            |old: &&Statement| !anew.iter().any(|new| old.subject.is_some() && new.subject == old.subject);
        self.kept.iter().filter(stays).map(|s| format!("{}\n", s.text)).collect()
    }

    /// Keeps what is worth keeping; whether there was anything.
    pub fn remember(&mut self, code: &str) -> bool {
        let new = statements(code);
        self.kept.retain(|old| !new.iter().any(|new| old.subject.is_some() && new.subject == old.subject));
        let any = !new.is_empty();
        self.kept.extend(new);
        any
    }

    /// The variables that have been assigned.
    pub fn variables(&self) -> Vec<String> {
        let subjects = self.kept.iter().filter_map(|s| s.subject.clone());
        subjects.filter(|s| s.starts_with('$')).collect()
    }
}

fn statements(code: &str) -> Vec<Statement> {
    let parsed = parse(&Source::unnamed(code));
    parsed.tree.root().children().filter_map(statement).collect()
}

fn statement(node: Node<'_>) -> Option<Statement> {
    use SyntaxKind as K;
    let text = node.text().to_owned();
    let head = || text.split(['{', '(', '=']).next().unwrap_or_default().trim().to_owned();
    let subject = match node.kind() {
        K::Assignment | K::ClassDefinition | K::DefineDefinition | K::FunctionDefinition | K::TypeAlias => {
            Some(head())
        }
        K::Resource
        | K::UntitledResource
        | K::Virtual
        | K::Collector
        | K::Relationship
        | K::NodeDefinition => None,
        K::Call | K::StatementCall | K::BareCall => {
            let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let declares = kukla::registry().is(&name, Quality::ChangesCatalog);
            declares.then_some(())?;
            None
        }
        _ => return None,
    };
    Some(Statement { subject, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept() {
        let mut memory = Memory::default();
        assert!(memory.remember("$x = 1 notice($x)"));
        assert!(!memory.remember("$x + 1"));
        assert!(memory.remember("function f($a) { $a }"));
        assert!(memory.remember("notify { 'a': }"));
        assert!(memory.remember("include stdlib"));
        assert_eq!(memory.text(), "$x = 1\nfunction f($a) { $a }\nnotify { 'a': }\ninclude stdlib\n");
        assert_eq!(memory.variables(), ["$x"]);
    }

    #[test]
    fn said_anew() {
        let mut memory = Memory::default();
        memory.remember("$x = 1");
        assert_eq!(memory.without_what("$x = 2"), "");
        memory.remember("$x = 2");
        assert_eq!(memory.text(), "$x = 2\n");
    }
}
