//! Diagnostics: the findings of the checker in all files of a repository, and those of the linter in open ones.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use kukla::lint::{Edit, Kind};
use kukla::style::LintTable;
use kukla::syntax::{Severity, SourcePosition, Span};
use kukla_check::Finding;
use lsp_types::{
    CodeDescription, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    FullDocumentDiagnosticReport, Location, NumberOrString, PublishDiagnosticsParams, Range,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport, WorkspaceDiagnosticParams, WorkspaceDiagnosticReport,
    WorkspaceDiagnosticReportResult, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::{path_of, uri_of};
use crate::view::View;
use crate::workspace::Language;

/// The source of findings of the checker.
pub const CHECK: &str = "kukla";
/// The source of findings of the linter.
pub const LINT: &str = "kukla lint";

/// The diagnostics that the client has.
#[derive(Debug, Default)]
pub struct Published {
    /// The fingerprints of diagnostics by file.
    prints: FxHashMap<PathBuf, u64>,
    /// The versions of the open texts that they are about.
    open: FxHashMap<PathBuf, u64>,
}

/// A diagnostic of the checker.
pub fn of_finding(view: &View<'_>, finding: &Finding) -> Option<lsp_types::Diagnostic> {
    let diagnostic = &finding.diagnostic;
    let position = diagnostic.shown_position()?;
    let mut message = diagnostic.message();
    for hint in &diagnostic.hints {
        message.push_str("\nhelp: ");
        message.push_str(hint);
    }
    let related = diagnostic.labels.iter().filter(|label| !label.message.is_empty());
    let related = related.filter_map(|label| {
        let uri = uri_of(Path::new(label.position.file()?))?;
        let range = range_of(view, &label.position)?;
        Some(DiagnosticRelatedInformation {
            location: Location { uri, range },
            message: label.message.clone(),
        })
    });
    let related: Vec<_> = related.collect();
    let name = diagnostic.code.name;
    Some(lsp_types::Diagnostic {
        range: range_of(view, position)?,
        severity: Some(severity(diagnostic.severity)),
        code: Some(NumberOrString::String(name.into())),
        code_description: page(view, name)
            .and_then(|page| page.parse().ok())
            .map(|href| CodeDescription { href }),
        source: Some(CHECK.into()),
        message,
        related_information: (view.session.client.shows_related && !related.is_empty()).then_some(related),
        tags: tags(name, diagnostic.severity),
        data: None,
    })
}

/// The page that explains a rule.
fn page(view: &View<'_>, name: &str) -> Option<String> {
    let base = view.session.settings.rule_pages.as_ref()?;
    let page = if name.chars().any(char::is_lowercase) { "rules" } else { "codes" };
    Some(format!("{}/{page}.html#{}", base.trim_end_matches('/'), name.to_lowercase()))
}

fn range_of(view: &View<'_>, position: &SourcePosition) -> Option<Range> {
    let own = |location: &kukla::syntax::Location| location.source.text() == view.text();
    match position {
        SourcePosition::At(location) if own(location) => Some(view.range(location.span)),
        SourcePosition::At(location) => Some(view.range_in(location.source.text(), location.span)),
        SourcePosition::Line { line, .. } => {
            let span = view.source.line_span(line.unwrap_or(1)).unwrap_or_default();
            Some(view.range(span))
        }
        SourcePosition::Within(span) => Some(view.range(*span)),
    }
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning | Severity::Deprecation => DiagnosticSeverity::WARNING,
    }
}

fn tags(name: &str, severity: Severity) -> Option<Vec<DiagnosticTag>> {
    if name.starts_with("unused") || name.starts_with("unreachable") {
        return Some(vec![DiagnosticTag::UNNECESSARY]);
    }
    let is_old = severity == Severity::Deprecation
        || name.starts_with("legacy")
        || name.starts_with("removed")
        || name.starts_with("deprecated");
    is_old.then(|| vec![DiagnosticTag::DEPRECATED])
}

/// A finding of the linter, with the changes that fix it.
#[derive(Clone, Debug)]
pub struct LintFinding {
    /// The diagnostic.
    pub diagnostic: lsp_types::Diagnostic,
    /// The changes that fix it.
    pub fix: Vec<Edit>,
    /// The name of the check.
    pub name: &'static str,
}

/// The findings of the linter in a manifest.
pub fn lint(view: &View<'_>) -> Vec<LintFinding> {
    if view.language != Some(Language::Manifest) || !view.session.settings.lint {
        return Vec::new();
    }
    let table = LintTable::find(&*view.session.world, &view.path).unwrap_or_default();
    let Ok(selection) = table.selection(None) else { return Vec::new() };
    let path = view.path.to_string_lossy();
    let outcome = selection.apply(view.text(), &path, &path, None);
    let remaining =
        outcome.findings.into_iter().filter(|one| matches!(one.kind, Kind::Error | Kind::Warning));
    let found = remaining.map(|reported| {
        let finding = reported.finding;
        let severity = match reported.kind {
            Kind::Error => DiagnosticSeverity::WARNING,
            _ => DiagnosticSeverity::INFORMATION,
        };
        let diagnostic = lsp_types::Diagnostic {
            range: view.range(Span::new(finding.start, finding.end)),
            severity: Some(severity),
            code: Some(NumberOrString::String(finding.code.name.into())),
            source: Some(LINT.into()),
            message: finding.message(),
            ..lsp_types::Diagnostic::default()
        };
        LintFinding { diagnostic, fix: finding.fix, name: finding.code.name }
    });
    // Where the text has a syntax error, the checker says more.
    found.filter(|found| found.name != kukla::lint::SYNTAX.name).collect()
}

/// The diagnostics of a file.
pub fn of_view(view: &View<'_>) -> Vec<lsp_types::Diagnostic> {
    let mut found: Vec<lsp_types::Diagnostic> = match view.analysis {
        Some(analysis) => {
            analysis.findings(&view.path).iter().filter_map(|finding| of_finding(view, finding)).collect()
        }
        // A text that is not in any directory.
        None => {
            let diagnostics = view.parsed().map(|text| text.diagnostics.clone()).unwrap_or_default();
            diagnostics.into_iter().filter_map(|one| of_finding(view, &Finding::from(one))).collect()
        }
    };
    if view.version.is_some() {
        found.extend(lint(view).into_iter().map(|finding| finding.diagnostic));
    }
    found
}

fn fingerprint(diagnostics: &[lsp_types::Diagnostic]) -> u64 {
    let mut hasher = FxHasher::default();
    serde_json::to_string(diagnostics).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

/// Sends the diagnostics that have changed, or tells a client that asks for them to ask again.
pub fn publish(session: &mut Session) {
    let open: FxHashMap<PathBuf, u64> = session.world.open_versions();
    let before = std::mem::replace(&mut session.published.open, open);
    let open = &session.published.open;
    let mut edited: FxHashSet<PathBuf> = open
        .iter()
        .filter(|(path, version)| before.get(*path) != Some(*version))
        .map(|(path, _)| path.clone())
        .collect();
    edited.extend(before.into_keys().filter(|path| !open.contains_key(path)));
    let changed = session.take_changed();
    if session.client.pulls_diagnostics {
        // The client asks for the texts that it has edited in any case.
        let is_elsewhere = changed.iter().any(|path| !edited.contains(path));
        if is_elsewhere && session.client.refreshes_diagnostics {
            session.outbox.request::<lsp_types::request::WorkspaceDiagnosticRefresh>(());
        }
        return;
    }
    for path in std::mem::take(&mut session.orphans) {
        session.published.prints.remove(&path);
        if let Some(uri) = uri_of(&path) {
            let params = PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None };
            session.outbox.notify::<lsp_types::notification::PublishDiagnostics>(params);
        }
    }
    let mut paths: Vec<PathBuf> = edited.into_iter().chain(changed).collect();
    paths.sort();
    paths.dedup();
    for path in paths {
        let (diagnostics, version) = match session.view(&path) {
            Ok(view) => (of_view(&view), view.version),
            // The file has been removed.
            Err(_) => (Vec::new(), None),
        };
        let print = fingerprint(&diagnostics);
        let known = session.published.prints.get(&path).copied();
        let is_empty = diagnostics.is_empty() && version.is_none();
        if known == Some(print) || known.is_none() && is_empty {
            continue;
        }
        match is_empty {
            true => session.published.prints.remove(&path),
            false => session.published.prints.insert(path.clone(), print),
        };
        if let Some(uri) = uri_of(&path) {
            let params = PublishDiagnosticsParams { uri, diagnostics, version };
            session.outbox.notify::<lsp_types::notification::PublishDiagnostics>(params);
        }
    }
}

/// Answers a client that asks for the diagnostics of a file.
pub fn pull(
    session: &mut Session,
    params: &DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult, Refusal> {
    let path = path_of(&params.text_document.uri);
    let items = session.view(&path).map(|view| of_view(&view)).unwrap_or_default();
    let result_id = format!("{:x}", fingerprint(&items));
    let report = if params.previous_result_id.as_ref() == Some(&result_id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(result_id),
                items,
            },
        })
    };
    Ok(report.into())
}

/// Answers a client that asks for the diagnostics of all files.
pub fn pull_all(
    session: &mut Session,
    params: &WorkspaceDiagnosticParams,
) -> Result<WorkspaceDiagnosticReportResult, Refusal> {
    session.refresh_all();
    let known: FxHashMap<PathBuf, &str> = params
        .previous_result_ids
        .iter()
        .map(|previous| (path_of(&previous.uri), previous.value.as_str()))
        .collect();
    let mut paths: FxHashSet<PathBuf> =
        session.analyses().iter().flat_map(|analysis| analysis.files()).collect();
    paths.extend(known.keys().cloned());
    let mut paths: Vec<PathBuf> = paths.into_iter().collect();
    paths.sort();
    let mut items = Vec::new();
    for path in paths {
        let Some(uri) = uri_of(&path) else { continue };
        let (diagnostics, version) = match session.view(&path) {
            Ok(view) => (of_view(&view), view.version.map(i64::from)),
            Err(_) => (Vec::new(), None),
        };
        let result_id = format!("{:x}", fingerprint(&diagnostics));
        items.push(if known.get(&path) == Some(&result_id.as_str()) {
            WorkspaceDocumentDiagnosticReport::Unchanged(WorkspaceUnchangedDocumentDiagnosticReport {
                uri,
                version,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
            })
        } else {
            WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
                uri,
                version,
                full_document_diagnostic_report: FullDocumentDiagnosticReport {
                    result_id: Some(result_id),
                    items: diagnostics,
                },
            })
        });
    }
    Ok(WorkspaceDiagnosticReportResult::Report(WorkspaceDiagnosticReport { items }))
}
