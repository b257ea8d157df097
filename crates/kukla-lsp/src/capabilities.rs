//! The abilities of client and server.

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions, CompletionOptionsCompletionItem,
    DiagnosticOptions, DocumentLinkOptions, DocumentOnTypeFormattingOptions, ExecuteCommandOptions,
    HoverProviderCapability, ImplementationProviderCapability, InitializeParams, InitializeResult,
    InlayHintOptions, InlayHintServerCapabilities, LinkedEditingRangeServerCapabilities, OneOf,
    RenameOptions, SelectionRangeProviderCapability, SemanticTokensFullOptions, SemanticTokensOptions,
    ServerCapabilities, ServerInfo, SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, TypeDefinitionProviderCapability,
    WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use crate::features::{commands, semantic_tokens};
use crate::positions::Encoding;

/// The abilities of a client that the server depends on.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// The unit of columns.
    pub encoding: Encoding,
    /// Whether it asks for diagnostics, so that they are not sent unasked.
    pub pulls_diagnostics: bool,
    /// Whether it asks for diagnostics again on request.
    pub refreshes_diagnostics: bool,
    /// Whether it shows related places of diagnostics.
    pub shows_related: bool,
    /// Whether it reports changes of files.
    pub watches_files: bool,
    /// Whether completions may have placeholders.
    pub has_snippets: bool,
    /// Whether symbols of a document may have children.
    pub nests_symbols: bool,
    /// Whether definitions may name the range that leads to them.
    pub links_definitions: bool,
    /// Whether an edit may create and rename files.
    pub changes_files: bool,
    /// Whether edits may name the version of the text that they are for.
    pub versions_edits: bool,
}

impl Client {
    /// The abilities that a client announces.
    pub fn of(params: &InitializeParams) -> Client {
        let all = &params.capabilities;
        let text = all.text_document.clone().unwrap_or_default();
        let workspace = all.workspace.clone().unwrap_or_default();
        let offered = all.general.as_ref().and_then(|general| general.position_encodings.clone());
        let completion = text.completion.and_then(|completion| completion.completion_item);
        let edits = workspace.workspace_edit.unwrap_or_default();
        let operations = edits.resource_operations.unwrap_or_default();
        let watching = workspace.did_change_watched_files;
        let refresh = workspace.diagnostic.and_then(|diagnostic| diagnostic.refresh_support);
        Client {
            encoding: Encoding::choose(&offered.unwrap_or_default()),
            pulls_diagnostics: text.diagnostic.is_some(),
            refreshes_diagnostics: refresh.unwrap_or(false),
            shows_related: text
                .publish_diagnostics
                .is_none_or(|diagnostics| diagnostics.related_information != Some(false)),
            watches_files: watching.and_then(|watching| watching.dynamic_registration).unwrap_or(false),
            has_snippets: completion.and_then(|item| item.snippet_support).unwrap_or(false),
            nests_symbols: text
                .document_symbol
                .and_then(|symbol| symbol.hierarchical_document_symbol_support)
                .unwrap_or(false),
            links_definitions: text
                .definition
                .and_then(|definition| definition.link_support)
                .unwrap_or(false),
            changes_files: operations.contains(&lsp_types::ResourceOperationKind::Create)
                && operations.contains(&lsp_types::ResourceOperationKind::Rename),
            versions_edits: edits.document_changes.unwrap_or(false),
        }
    }
}

/// The answer to `initialize`.
pub fn answer(client: &Client) -> serde_json::Value {
    let result = InitializeResult {
        capabilities: server(client),
        server_info: Some(ServerInfo {
            name: "kukla".into(),
            version: Some(env!("CARGO_PKG_VERSION").into()),
        }),
    };
    let mut result = serde_json::to_value(result).unwrap_or_default();
    // The crate has no field for it.
    result["capabilities"]["typeHierarchyProvider"] = true.into();
    result
}

fn server(client: &Client) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        diagnostic_provider: Some(lsp_types::DiagnosticServerCapabilities::Options(DiagnosticOptions {
            identifier: Some("kukla".into()),
            inter_file_dependencies: true,
            workspace_diagnostics: true,
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            resolve_provider: Some(true),
            trigger_characters: Some(
                ["$", ":", "'", "\"", "[", "/", ".", ">", "@", "{", "%"].map(str::to_owned).into(),
            ),
            completion_item: Some(CompletionOptionsCompletionItem { label_details_support: Some(true) }),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(vec!["(".into(), ",".into()]),
            retrigger_characters: None,
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        definition_provider: Some(OneOf::Left(true)),
        declaration_provider: Some(lsp_types::DeclarationCapability::Simple(true)),
        type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(lsp_types::CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![
                CodeActionKind::QUICKFIX,
                CodeActionKind::REFACTOR_EXTRACT,
                CodeActionKind::REFACTOR_REWRITE,
                CodeActionKind::SOURCE_FIX_ALL,
            ]),
            resolve_provider: Some(false),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(DocumentOnTypeFormattingOptions {
            first_trigger_character: "}".into(),
            more_trigger_character: Some(vec!["\n".into()]),
        }),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        folding_range_provider: Some(lsp_types::FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::NAMES.iter().map(|name| (*name).to_owned()).collect(),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        call_hierarchy_provider: Some(lsp_types::CallHierarchyServerCapability::Simple(true)),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: semantic_tokens::legend(),
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            }
            .into(),
        ),
        linked_editing_range_provider: Some(LinkedEditingRangeServerCapabilities::Simple(true)),
        inlay_hint_provider: Some(OneOf::Right(InlayHintServerCapabilities::Options(InlayHintOptions {
            resolve_provider: Some(false),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }))),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}
