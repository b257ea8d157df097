//! Code lenses: how often a definition is used, and what a change does.

use kukla_check::repository::{Kind, Shape};
use kukla_check::symbols::{self, Role, Symbol};
use lsp_types::{CodeLens, CodeLensParams, Command};

use crate::features::references;
use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;

/// The lenses of the definitions in a document.
pub fn code_lens(session: &mut Session, params: &CodeLensParams) -> Result<Option<Vec<CodeLens>>, Refusal> {
    let view = session.view(&path_of(&params.text_document.uri))?;
    let (Some(snapshot), Some(uri)) = (view.snapshot, view.uri()) else { return Ok(None) };
    let Some(text) = view.parsed().filter(|text| !text.is_broken) else { return Ok(None) };
    let mut lenses = Vec::new();
    for definition in &text.outline.definitions {
        let name = definition.name.clone();
        let symbol = match definition.kind {
            Kind::Class => Symbol::Class(name),
            Kind::Define => Symbol::ResourceType(name),
            Kind::Function => Symbol::Function(name),
            Kind::Alias => Symbol::DataType(name),
        };
        let mut uses = symbols::references(snapshot, &symbol);
        uses.retain(|one| one.occurrence.role != Role::Definition);
        let range = view.range(definition.span);
        let count = uses.len();
        let title = if count == 1 { "1 reference".to_owned() } else { format!("{count} references") };
        let locations = references::locations(&view, &uses);
        let arguments = vec![
            serde_json::to_value(&uri).unwrap_or_default(),
            serde_json::to_value(range.start).unwrap_or_default(),
            serde_json::to_value(locations).unwrap_or_default(),
        ];
        // The editor carries this command out, as it does for other language servers.
        let command = Command { title, command: "kukla.showReferences".into(), arguments: Some(arguments) };
        lenses.push(CodeLens { range, command: Some(command), data: None });
        if snapshot.index.survey.shape == Shape::Control && definition.kind != Kind::Alias {
            let arguments = vec![serde_json::json!({"uri": uri})];
            let command = Command {
                title: "What does this change do?".into(),
                command: "kukla.diff".into(),
                arguments: Some(arguments),
            };
            lenses.push(CodeLens { range, command: Some(command), data: None });
        }
    }
    Ok(Some(lenses))
}
