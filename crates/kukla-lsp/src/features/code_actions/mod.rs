//! Code actions: the fixes of findings, and changes that an editor offers at a position.

mod create;
mod document;
mod fixes;
mod rewrite;
mod suppress;

use std::collections::HashMap;
use std::path::Path;

use kukla::syntax::Span;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, CreateFile,
    CreateFileOptions, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Position, Range, ResourceOp, TextDocumentEdit, TextEdit, Uri,
    WorkspaceEdit,
};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::{path_of, uri_of};
use crate::view::View;

/// The actions in a part of a document.
pub fn code_actions(
    session: &mut Session,
    params: &CodeActionParams,
) -> Result<Option<CodeActionResponse>, Refusal> {
    let view = session.view(&path_of(&params.text_document.uri))?;
    let span = view.positions().span(params.range);
    let mut actions = fixes::fixes(&view, span);
    actions.extend(create::missing_definitions(&view, span));
    actions.extend(create::missing_template(&view, span));
    actions.extend(rewrite::missing_parameters(&view, span));
    actions.extend(rewrite::legacy_fact(&view, span));
    actions.extend(rewrite::extract_parameter(&view, span));
    actions.extend(document::parameters(&view, span));
    actions.extend(suppress::suppress(&view, span));
    actions.extend(fixes::fix_all(&view));
    let is_wanted = |action: &CodeAction| match (&params.context.only, &action.kind) {
        (Some(only), Some(kind)) => only
            .iter()
            .any(|wanted| kind == wanted || kind.as_str().starts_with(&format!("{}.", wanted.as_str()))),
        (Some(_), None) => false,
        // A change of the whole file is offered only to those that ask for it.
        (None, kind) => kind.as_ref() != Some(&CodeActionKind::SOURCE_FIX_ALL),
    };
    actions.retain(is_wanted);
    Ok(Some(actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()))
}

/// An edit of the document.
fn edit_of(view: &View<'_>, edits: Vec<TextEdit>) -> Option<WorkspaceEdit> {
    // The type of the protocol; a URI never changes.
    #[allow(clippy::mutable_key_type)]
    let changes: HashMap<Uri, Vec<TextEdit>> = [(view.uri()?, edits)].into();
    Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}

/// An edit that creates a file with a text.
fn creation_of(path: &Path, text: String) -> Option<WorkspaceEdit> {
    let uri = uri_of(path)?;
    let options = CreateFileOptions { overwrite: None, ignore_if_exists: Some(true) };
    let create = CreateFile { uri: uri.clone(), options: Some(options), annotation_id: None };
    let start = Position::default();
    let edit = TextEdit { range: Range { start, end: start }, new_text: text };
    let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: None };
    let operations = vec![
        DocumentChangeOperation::Op(ResourceOp::Create(create)),
        DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits: vec![OneOf::Left(edit)] }),
    ];
    Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        ..WorkspaceEdit::default()
    })
}

/// An action with an edit.
fn action(title: String, kind: CodeActionKind, edit: Option<WorkspaceEdit>) -> Option<CodeAction> {
    Some(CodeAction { title, kind: Some(kind), edit: Some(edit?), ..CodeAction::default() })
}

fn touches(one: Span, other: Span) -> bool {
    one.start <= other.end && other.start <= one.end
}
