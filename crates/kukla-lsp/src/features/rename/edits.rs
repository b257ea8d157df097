//! The edits of a rename.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use kukla::syntax::{Source, Span};
use lsp_types::{
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, RenameFile,
    ResourceOp, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use crate::outbox::Refusal;
use crate::positions::{Lines, Positions};
use crate::uris::uri_of;
use crate::view::View;

/// The replacements in one text, by the span that each replaces.
#[derive(Debug)]
struct Replacements {
    source: Source,
    spans: BTreeMap<(u32, u32), String>,
}

/// Replacements in files, and new names of files.
#[derive(Debug, Default)]
pub struct Edits {
    texts: BTreeMap<PathBuf, Replacements>,
    files: Vec<(PathBuf, PathBuf)>,
}

impl Edits {
    /// Replaces a span of a text; the same replacement counts once.
    pub fn replace(&mut self, source: &Source, span: Span, text: &str) {
        let path = PathBuf::from(source.name().unwrap_or_default());
        let entry = self.texts.entry(path);
        let entry = entry.or_insert_with(|| Replacements { source: source.clone(), spans: BTreeMap::new() });
        entry.spans.insert((span.start, span.end), text.to_owned());
    }

    /// Gives a file another path.
    pub fn rename_file(&mut self, from: PathBuf, to: PathBuf) {
        self.files.push((from, to));
    }

    /// The edit of the protocol.
    pub fn finish(self, view: &View<'_>) -> Result<WorkspaceEdit, Refusal> {
        let client = &view.session.client;
        if !self.files.is_empty() && !client.changes_files {
            return Err(Refusal::failed(
                "the file of the definition must be renamed, too, and this editor cannot rename files",
            ));
        }
        let mut changes: Vec<(PathBuf, Uri, Vec<TextEdit>)> = Vec::new();
        for (path, Replacements { source, spans }) in self.texts {
            let Some(uri) = uri_of(&path) else { continue };
            let lines = Lines::of(source.text());
            let positions = Positions { text: source.text(), lines: &lines, encoding: view.encoding() };
            let edits = spans.into_iter().map(|((start, end), new_text)| TextEdit {
                range: positions.range(Span::new(start, end)),
                new_text,
            });
            changes.push((path, uri, edits.collect()));
        }
        if !client.versions_edits && self.files.is_empty() {
            // The type of the protocol; a URI never changes.
            #[allow(clippy::mutable_key_type)]
            let changes: HashMap<Uri, Vec<TextEdit>> =
                changes.into_iter().map(|(_, uri, edits)| (uri, edits)).collect();
            return Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() });
        }
        let version = |path: &Path| view.session.world.get(path).map(|document| document.version);
        let edits = changes.into_iter().map(|(path, uri, edits)| {
            DocumentChangeOperation::Edit(TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier { uri, version: version(&path) },
                edits: edits.into_iter().map(OneOf::Left).collect(),
            })
        });
        let files = self.files.iter().filter_map(|(from, to)| {
            let rename = RenameFile {
                old_uri: uri_of(from)?,
                new_uri: uri_of(to)?,
                options: None,
                annotation_id: None,
            };
            Some(DocumentChangeOperation::Op(ResourceOp::Rename(rename)))
        });
        let operations = edits.chain(files).collect();
        Ok(WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(operations)),
            ..WorkspaceEdit::default()
        })
    }
}
