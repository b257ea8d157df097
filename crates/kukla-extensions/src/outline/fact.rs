//! Custom facts.

use kukla_ruby::outline::{DocComment, Expr, Outline};
use kukla_syntax::Span;

/// A fact that a file adds with `Facter.add`.
#[derive(Clone, Debug)]
pub struct FactOutline {
    /// The name; `None` if it is computed.
    pub name: Option<String>,
    /// The position of the call.
    pub span: Span,
    /// The comment above the call.
    pub doc: Option<DocComment>,
}

/// The facts that a file adds.
pub fn facts(outline: &Outline) -> Vec<FactOutline> {
    let mut facts = Vec::new();
    outline.each_call(|node, call| {
        let is_facter = call.receiver.as_ref().is_some_and(|receiver| {
            matches!(&receiver.expr, Expr::Constant(path) if path.trim_start_matches("::") == "Facter")
        });
        if call.name == "add" && is_facter {
            let name = call.args.first().and_then(|name| name.literal());
            facts.push(FactOutline { name, span: node.span, doc: outline.doc_comment(node.span) });
        }
    });
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_calls_of_facter() {
        let outline = Outline::new(
            "# The first.\nFacter.add(:one) do\n  setcode { 1 }\nend\nFacter.add 'two' do\nend\nFacter.add(\n  # a comment (:no)\n  \"three\",\n  weight: 1\n)\n# Facter.add(:no)\nx = <<~E\n  Facter.add(:no)\nE\n%w[a b].each { |name| Facter.add(\"x_#{name}\") }\nFacter.add(NAME)\nother.add(:no)\n",
        );
        let facts = facts(&outline);
        let names: Vec<Option<&str>> = facts.iter().map(|fact| fact.name.as_deref()).collect();
        assert_eq!(names, [Some("one"), Some("two"), Some("three"), None, None]);
        assert_eq!(facts[0].doc.as_ref().map(|doc| doc.text.as_str()), Some("The first."));
        assert_eq!(outline.line(facts[2].span.start), 7);
    }
}
