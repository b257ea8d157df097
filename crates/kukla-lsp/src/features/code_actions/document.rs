//! Documents parameters: adds the `@param` tags that the comment above a definition lacks.

use kukla::syntax::Span;
use kukla_check::reference::docstring::Docstring;
use lsp_types::{CodeAction, CodeActionKind, TextEdit};

use super::{action, edit_of, touches};
use crate::features::documentation;
use crate::view::View;

/// Adds the missing tags of the definition at a position.
pub fn parameters(view: &View<'_>, span: Span) -> Option<CodeAction> {
    let text = view.parsed().filter(|text| !text.is_broken)?;
    let head = |start: u32| {
        let node = text.tree.elements().filter(|node| {
            use kukla::syntax::SyntaxKind as K;
            matches!(node.kind(), K::ClassDefinition | K::DefineDefinition | K::FunctionDefinition)
                && node.span().contains(start)
        });
        node.min_by_key(|node| node.span().len())
    };
    let definition = text.outline.definitions.iter().find(|one| {
        // Anywhere before the body.
        let end = one.parameters.last().map_or(one.span.end, |last| last.span.end);
        touches(Span::new(one.span.start, end), span)
    })?;
    let node = head(definition.span.start)?;
    let reference = documentation::reference_of(view, &text.source);
    let is_it = |name: &str| name.trim_start_matches("::").eq_ignore_ascii_case(&definition.name);
    let classes = reference.classes.iter().chain(&reference.defines);
    let written: &Docstring = classes
        .filter(|entry| is_it(&entry.name))
        .map(|entry| &entry.written)
        .chain(reference.functions.iter().filter(|entry| is_it(&entry.name)).map(|entry| &entry.written))
        .next()?;
    let missing: Vec<&str> = definition
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .filter(|name| written.parameter(name).is_none())
        .collect();
    if missing.is_empty() {
        return None;
    }
    let line = text.source.line_column(node.start()).line;
    let start = text.source.lines().line_start(line)?;
    let indent: String =
        view.text()[start as usize..].chars().take_while(|c| c.is_whitespace() && *c != '\n').collect();
    let is_bare = !view.text()[..start as usize]
        .trim_end_matches('\n')
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .trim_start()
        .starts_with('#');
    let mut new_text = if is_bare { format!("{indent}# @summary\n{indent}#\n") } else { String::new() };
    for name in &missing {
        new_text.push_str(&format!("{indent}# @param {name}\n"));
    }
    let edit = TextEdit { range: view.range(Span::at(start)), new_text };
    let title = match missing.as_slice() {
        [one] => format!("Document the parameter `{one}`"),
        more => format!("Document {} parameters", more.len()),
    };
    action(title, CodeActionKind::REFACTOR_REWRITE, edit_of(view, vec![edit]))
}
