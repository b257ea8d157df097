//! The fixes of findings: one at a time, or all of a file.

use kukla::syntax::Span;
use kukla_check::Fix;
use lsp_types::{CodeAction, CodeActionKind, TextEdit};

use super::{edit_of, touches};
use crate::features::diagnostics;
use crate::view::View;

/// The fixes of the findings in a span.
pub fn fixes(view: &View<'_>, span: Span) -> Vec<CodeAction> {
    let findings = view.analysis.map(|analysis| analysis.findings(&view.path)).unwrap_or_default();
    let mut actions = Vec::new();
    for finding in findings {
        let Some(fix) = &finding.fix else { continue };
        let Some(diagnostic) = diagnostics::of_finding(view, finding) else { continue };
        if !touches(view.positions().span(diagnostic.range), span) {
            continue;
        }
        let title = match fix.text.is_empty() {
            true => format!("Remove `{}`", shown(&view.text()[fix.span.range()])),
            false => format!("Replace with `{}`", shown(&fix.text)),
        };
        let edit = TextEdit { range: view.range(fix.span), new_text: fix.text.clone() };
        actions.push(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![diagnostic]),
            edit: edit_of(view, vec![edit]),
            is_preferred: Some(fix.is_safe),
            ..CodeAction::default()
        });
    }
    for finding in diagnostics::lint(view) {
        if finding.fix.is_empty() || !touches(view.positions().span(finding.diagnostic.range), span) {
            continue;
        }
        let edits = finding.fix.iter().map(|edit| TextEdit {
            range: view.range(Span::new(edit.start as u32, edit.end as u32)),
            new_text: edit.text.clone(),
        });
        let edits = edits.collect();
        actions.push(CodeAction {
            title: format!("Fix: {} ({})", finding.diagnostic.message, finding.name),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![finding.diagnostic]),
            edit: edit_of(view, edits),
            ..CodeAction::default()
        });
    }
    actions
}

fn shown(text: &str) -> String {
    crate::features::documentation::shorten(text.trim(), 40)
}

/// One action for all safe fixes of the checker and the linter.
pub fn fix_all(view: &View<'_>) -> Option<CodeAction> {
    let findings = view.analysis.map(|analysis| analysis.findings(&view.path)).unwrap_or_default();
    let safe: Vec<&Fix> =
        findings.iter().filter_map(|finding| finding.fix.as_ref()).filter(|fix| fix.is_safe).collect();
    let (mut text, made) = kukla_check::fix::apply(view.text(), &safe);
    let mut count = made.len();
    if view.language == Some(crate::workspace::Language::Manifest) && view.session.settings.lint {
        let path = view.path.to_string_lossy();
        let table = kukla::style::LintTable::find(&*view.session.world, &view.path).unwrap_or_default();
        if let Ok(selection) = table.selection(None) {
            let outcome = selection.apply(&text, &path, &path, Some(kukla::lint::fix::Limits::default()));
            let fixed = outcome.findings.iter().filter(|one| one.kind == kukla::lint::Kind::Fixed);
            count += fixed.count();
            text = outcome.fixed.unwrap_or(text);
        }
    }
    if text == view.text() {
        return None;
    }
    let whole = Span::new(0, view.text().len() as u32);
    let edit = TextEdit { range: view.range(whole), new_text: text };
    Some(CodeAction {
        title: format!("Fix all {count} findings that can be fixed safely"),
        kind: Some(CodeActionKind::SOURCE_FIX_ALL),
        edit: edit_of(view, vec![edit]),
        ..CodeAction::default()
    })
}
