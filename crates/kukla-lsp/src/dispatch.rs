//! The methods of the protocol, and the features that answer them.

use kukla::syntax::contain;
use lsp_server::{Notification, Request};
use lsp_types::notification as note;
use lsp_types::request as ask;
use lsp_types::{Registration, RegistrationParams};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::features::*;
use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;

/// The result of a request.
type Answer = Result<Value, Refusal>;

/// Answers a request, unless the client has withdrawn it.
pub fn request(session: &mut Session, request: Request) {
    let Request { id, method, params } = request;
    let begun = kukla::world::World::elapsed(&*session.world);
    let answer = if session.open.is_cancelled(&id) {
        Some(Err(Refusal::cancelled()))
    } else if method == "workspace/executeCommand" {
        // A command may take long, so it answers by itself.
        match read(params) {
            Ok(params) => commands::execute(session, &id, params),
            Err(refusal) => Some(Err(refusal)),
        }
    } else {
        let answered = contain(|| answer(session, &method, params));
        Some(answered.unwrap_or_else(|panic| Err(internal(&panic.to_string()))))
    };
    let took = kukla::world::World::elapsed(&*session.world).saturating_sub(begun);
    session.outbox.log().time(&method, took);
    if let Some(answer) = answer {
        session.open.remove(&id);
        session.outbox.respond(id, answer);
    }
}

fn internal(panic: &str) -> Refusal {
    let message = format!("a mistake in Kukla: {panic}; please report it, with the log of `kukla lsp --log`");
    Refusal { code: lsp_server::ErrorCode::InternalError as i32, message }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, Refusal> {
    serde_json::from_value(params).map_err(|error| Refusal::invalid(error.to_string()))
}

/// Reads the parameters of a method, and writes the result of the feature.
fn with<R: ask::Request>(
    params: Value,
    feature: impl FnOnce(R::Params) -> Result<R::Result, Refusal>,
) -> Answer
where
    R::Params: DeserializeOwned,
    R::Result: Serialize,
{
    let result = feature(read(params)?)?;
    serde_json::to_value(result).map_err(|error| internal(&error.to_string()))
}

fn answer(session: &mut Session, method: &str, params: Value) -> Answer {
    let s = session;
    match method {
        "textDocument/diagnostic" => {
            with::<ask::DocumentDiagnosticRequest>(params, |p| diagnostics::pull(s, &p))
        }
        "workspace/diagnostic" => {
            with::<ask::WorkspaceDiagnosticRequest>(params, |p| diagnostics::pull_all(s, &p))
        }
        "textDocument/documentSymbol" => {
            with::<ask::DocumentSymbolRequest>(params, |p| symbols::of_document(s, &p))
        }
        "workspace/symbol" => with::<ask::WorkspaceSymbolRequest>(params, |p| symbols::of_workspace(s, &p)),
        "textDocument/definition" => with::<ask::GotoDefinition>(params, |p| definition::definition(s, &p)),
        "textDocument/declaration" => with::<ask::GotoDeclaration>(params, |p| definition::definition(s, &p)),
        "textDocument/typeDefinition" => {
            with::<ask::GotoTypeDefinition>(params, |p| definition::type_definition(s, &p))
        }
        "textDocument/implementation" => {
            with::<ask::GotoImplementation>(params, |p| definition::implementation(s, &p))
        }
        "textDocument/references" => with::<ask::References>(params, |p| references::references(s, &p)),
        "textDocument/documentHighlight" => {
            with::<ask::DocumentHighlightRequest>(params, |p| highlight::highlight(s, &p))
        }
        "textDocument/hover" => with::<ask::HoverRequest>(params, |p| hover::hover(s, &p)),
        "textDocument/signatureHelp" => {
            with::<ask::SignatureHelpRequest>(params, |p| signature_help::signature_help(s, &p))
        }
        "textDocument/completion" => with::<ask::Completion>(params, |p| completion::completion(s, &p)),
        "completionItem/resolve" => with::<ask::ResolveCompletionItem>(params, |p| completion::resolve(s, p)),
        "textDocument/prepareRename" => with::<ask::PrepareRenameRequest>(params, |p| rename::prepare(s, &p)),
        "textDocument/rename" => with::<ask::Rename>(params, |p| rename::rename(s, &p)),
        "textDocument/codeAction" => {
            with::<ask::CodeActionRequest>(params, |p| code_actions::code_actions(s, &p))
        }
        "textDocument/formatting" => with::<ask::Formatting>(params, |p| formatting::document(s, &p)),
        "textDocument/rangeFormatting" => with::<ask::RangeFormatting>(params, |p| formatting::range(s, &p)),
        "textDocument/onTypeFormatting" => {
            with::<ask::OnTypeFormatting>(params, |p| formatting::on_type(s, &p))
        }
        "textDocument/semanticTokens/full" => {
            with::<ask::SemanticTokensFullRequest>(params, |p| semantic_tokens::full(s, &p))
        }
        "textDocument/semanticTokens/range" => {
            with::<ask::SemanticTokensRangeRequest>(params, |p| semantic_tokens::range(s, &p))
        }
        "textDocument/inlayHint" => {
            with::<ask::InlayHintRequest>(params, |p| inlay_hints::inlay_hints(s, &p))
        }
        "textDocument/foldingRange" => with::<ask::FoldingRangeRequest>(params, |p| folding::folding(s, &p)),
        "textDocument/selectionRange" => {
            with::<ask::SelectionRangeRequest>(params, |p| selection_range::selection_range(s, &p))
        }
        "textDocument/documentLink" => {
            with::<ask::DocumentLinkRequest>(params, |p| document_links::document_links(s, &p))
        }
        "textDocument/codeLens" => with::<ask::CodeLensRequest>(params, |p| code_lens::code_lens(s, &p)),
        "textDocument/linkedEditingRange" => {
            with::<ask::LinkedEditingRange>(params, |p| linked_editing::linked_editing(s, &p))
        }
        "textDocument/prepareCallHierarchy" => {
            with::<ask::CallHierarchyPrepare>(params, |p| call_hierarchy::prepare(s, &p))
        }
        "callHierarchy/incomingCalls" => {
            with::<ask::CallHierarchyIncomingCalls>(params, |p| call_hierarchy::incoming(s, &p))
        }
        "callHierarchy/outgoingCalls" => {
            with::<ask::CallHierarchyOutgoingCalls>(params, |p| call_hierarchy::outgoing(s, &p))
        }
        "textDocument/prepareTypeHierarchy" => {
            with::<ask::TypeHierarchyPrepare>(params, |p| type_hierarchy::prepare(s, &p))
        }
        "typeHierarchy/supertypes" => {
            with::<ask::TypeHierarchySupertypes>(params, |p| type_hierarchy::supertypes(s, &p))
        }
        "typeHierarchy/subtypes" => {
            with::<ask::TypeHierarchySubtypes>(params, |p| type_hierarchy::subtypes(s, &p))
        }
        _ => Err(Refusal {
            code: lsp_server::ErrorCode::MethodNotFound as i32,
            message: format!("unknown method {method}"),
        }),
    }
}

/// Takes a notification. One that cannot be read is logged, and nothing else: there is nobody to tell.
pub fn notification(session: &mut Session, notification: Notification) {
    let Notification { method, params } = notification;
    match contain(|| take(session, &method, params)) {
        Ok(Ok(())) => {}
        Ok(Err(refusal)) => session.outbox.log().line(|| format!("{method}: {}", refusal.message)),
        Err(panic) => session.outbox.log().line(|| format!("{method}: {panic}")),
    }
}

fn take(session: &mut Session, method: &str, params: Value) -> Result<(), Refusal> {
    use lsp_types::notification::Notification as _;
    match method {
        note::Initialized::METHOD => register(session),
        note::DidOpenTextDocument::METHOD => {
            let text = read::<lsp_types::DidOpenTextDocumentParams>(params)?.text_document;
            session.open(path_of(&text.uri), text.language_id, text.version, text.text);
        }
        note::DidChangeTextDocument::METHOD => {
            let params: lsp_types::DidChangeTextDocumentParams = read(params)?;
            let text = params.text_document;
            session.change(&path_of(&text.uri), text.version, params.content_changes);
        }
        note::DidCloseTextDocument::METHOD => {
            let params: lsp_types::DidCloseTextDocumentParams = read(params)?;
            session.close(&path_of(&params.text_document.uri));
        }
        note::DidSaveTextDocument::METHOD => {
            let params: lsp_types::DidSaveTextDocumentParams = read(params)?;
            session.saved(&path_of(&params.text_document.uri));
        }
        note::DidChangeWatchedFiles::METHOD => {
            let params: lsp_types::DidChangeWatchedFilesParams = read(params)?;
            session.files_changed(&params.changes);
        }
        note::DidChangeConfiguration::METHOD => {
            let params: lsp_types::DidChangeConfigurationParams = read(params)?;
            session.configure(params.settings);
        }
        note::DidChangeWorkspaceFolders::METHOD => {
            let event = read::<lsp_types::DidChangeWorkspaceFoldersParams>(params)?.event;
            let added = event.added.iter().map(|folder| path_of(&folder.uri)).collect();
            let removed: Vec<_> = event.removed.iter().map(|folder| path_of(&folder.uri)).collect();
            session.change_folders(added, &removed);
        }
        // The protocol says to ignore those that begin with a dollar sign, and clients send others early.
        _ => {}
    }
    Ok(())
}

/// Asks the client to report changes of files.
fn register(session: &Session) {
    if !session.client.watches_files {
        return;
    }
    let options = serde_json::json!({"watchers": [{"globPattern": "**/*"}]});
    let registration = Registration {
        id: "files".into(),
        method: "workspace/didChangeWatchedFiles".into(),
        register_options: Some(options),
    };
    let params = RegistrationParams { registrations: vec![registration] };
    session.outbox.request::<ask::RegisterCapability>(params);
}
