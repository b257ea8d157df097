//! Suppresses a finding with a comment that names the rule and has room for the reason.

use kukla::syntax::Span;
use lsp_types::{CodeAction, CodeActionKind, TextEdit};

use super::{action, edit_of, touches};
use crate::features::diagnostics;
use crate::view::View;

/// The comments that suppress the findings at a position.
pub fn suppress(view: &View<'_>, span: Span) -> Vec<CodeAction> {
    let findings = view.analysis.map(|analysis| analysis.findings(&view.path)).unwrap_or_default();
    let mut actions = Vec::new();
    let mut seen = Vec::new();
    for finding in findings {
        let Some(diagnostic) = diagnostics::of_finding(view, finding) else { continue };
        let own = view.positions().span(diagnostic.range);
        let name = finding.diagnostic.code.name;
        let is_rule = kukla_check::rules::find(name).is_some();
        if !touches(own, span) || seen.contains(&name) || !is_rule {
            continue;
        }
        seen.push(name);
        let comment = format!("# kukla: ignore[{name}] reason");
        if let Some(mut action) = before_line(view, own.start, name, &comment) {
            action.diagnostics = Some(vec![diagnostic]);
            actions.push(action);
        }
    }
    let mut lint_seen = Vec::new();
    for finding in diagnostics::lint(view) {
        let own = view.positions().span(finding.diagnostic.range);
        if !touches(own, span) || lint_seen.contains(&finding.name) {
            continue;
        }
        lint_seen.push(finding.name);
        let line = view.lines.line(own.start);
        let Some(range) = view.lines.range(view.text(), line) else { continue };
        let new_text = format!(" # lint:ignore:{} reason", finding.name);
        let edit = TextEdit { range: view.range(Span::at(range.end as u32)), new_text };
        let title = format!("Suppress `{}` in this line", finding.name);
        if let Some(mut action) = action(title, CodeActionKind::QUICKFIX, edit_of(view, vec![edit])) {
            action.diagnostics = Some(vec![finding.diagnostic]);
            actions.push(action);
        }
    }
    actions
}

fn before_line(view: &View<'_>, offset: u32, name: &str, comment: &str) -> Option<CodeAction> {
    let line = view.lines.line(offset);
    let range = view.lines.range(view.text(), line)?;
    let text = &view.text()[range.clone()];
    let indent: String = text.chars().take_while(|c| c.is_whitespace()).collect();
    let at = range.start as u32;
    let edit = TextEdit { range: view.range(Span::at(at)), new_text: format!("{indent}{comment}\n") };
    let title = format!("Suppress `{name}` in this line");
    action(title, CodeActionKind::QUICKFIX, edit_of(view, vec![edit]))
}
