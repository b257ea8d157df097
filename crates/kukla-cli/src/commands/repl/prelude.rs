//! The statements of a session that assign, define or declare something, which run before each new line.

use kukla::eval::function::Quality;
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, SyntaxKind, parse};

/// Statements that run before each new one.
#[derive(Debug, Default)]
pub struct Prelude {
    statements: Vec<Statement>,
}

#[derive(Debug)]
struct Statement {
    /// The variable or definition that it introduces, if a later statement can replace it.
    subject: Option<String>,
    text: String,
}

impl Prelude {
    /// All statements.
    pub fn text(&self) -> String {
        self.statements.iter().map(|s| format!("{}\n", s.text)).collect()
    }

    /// All statements except those that `code` replaces.
    pub fn without_redefined(&self, code: &str) -> String {
        let replacements = statements(code);
        let remains = |old: &&Statement| {
            !replacements.iter().any(|new| old.subject.is_some() && new.subject == old.subject)
        };
        self.statements.iter().filter(remains).map(|s| format!("{}\n", s.text)).collect()
    }

    /// Adds the statements of a line that are worth remembering; returns whether there are any.
    pub fn remember(&mut self, code: &str) -> bool {
        let new = statements(code);
        self.statements
            .retain(|old| !new.iter().any(|new| old.subject.is_some() && new.subject == old.subject));
        let any = !new.is_empty();
        self.statements.extend(new);
        any
    }

    /// The variables that are assigned.
    pub fn variables(&self) -> Vec<String> {
        let subjects = self.statements.iter().filter_map(|s| s.subject.clone());
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
    fn assignments_definitions_and_declarations_are_remembered() {
        let mut prelude = Prelude::default();
        assert!(prelude.remember("$x = 1 notice($x)"));
        assert!(!prelude.remember("$x + 1"));
        assert!(prelude.remember("function f($a) { $a }"));
        assert!(prelude.remember("notify { 'a': }"));
        assert!(prelude.remember("include stdlib"));
        assert_eq!(prelude.text(), "$x = 1\nfunction f($a) { $a }\nnotify { 'a': }\ninclude stdlib\n");
        assert_eq!(prelude.variables(), ["$x"]);
    }

    #[test]
    fn later_statements_replace_earlier_ones() {
        let mut prelude = Prelude::default();
        prelude.remember("$x = 1");
        assert_eq!(prelude.without_redefined("$x = 2"), "");
        prelude.remember("$x = 2");
        assert_eq!(prelude.text(), "$x = 2\n");
    }
}
