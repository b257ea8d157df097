//! Rename: of classes, defined types, functions, type aliases, variables, parameters and data keys, with their files, data keys and
//! documentation. What cannot be renamed with certainty is refused, with the reason.

mod class;
mod edits;
mod name;
mod variable;

use kukla::syntax::SyntaxKind as K;
use kukla_check::Snapshot;
use kukla_check::symbols::{Occurrence, Owner, Symbol};
use lsp_types::{PrepareRenameResponse, RenameParams, TextDocumentPositionParams, WorkspaceEdit};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;
use crate::view::View;

pub use edits::Edits;

/// The name at a position, if it can be renamed.
pub fn prepare(
    session: &mut Session,
    params: &TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>, Refusal> {
    let view = session.view(&path_of(&params.text_document.uri))?;
    let Some(occurrence) = view.symbol_at(params.position) else { return Ok(None) };
    check_kind(&view, &occurrence.symbol)?;
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
        range: view.range(occurrence.span),
        placeholder: view.text()[occurrence.span.range()].to_owned(),
    }))
}

/// The edits that rename the name at a position.
pub fn rename(session: &mut Session, params: &RenameParams) -> Result<Option<WorkspaceEdit>, Refusal> {
    let at = &params.text_document_position;
    let view = session.view(&path_of(&at.text_document.uri))?;
    let Some(occurrence) = view.symbol_at(at.position) else { return Ok(None) };
    let Some(snapshot) = view.snapshot else { return Ok(None) };
    check_kind(&view, &occurrence.symbol)?;
    let new = params.new_name.trim();
    let renaming = Renaming { view: &view, snapshot, symbol: &occurrence.symbol };
    renaming.refuse_broken()?;
    let edits = match &occurrence.symbol {
        Symbol::Class(_) | Symbol::ResourceType(_) | Symbol::Function(_) | Symbol::DataType(_) => {
            renaming.definition(new)?
        }
        Symbol::Variable { owner, name } => {
            renaming.variable(owner, name, &plain_variable(new, &occurrence, &view))?
        }
        Symbol::DataKey(key) => renaming.data_key(key, new)?,
        other => return Err(Refusal::failed(format!("a {} cannot be renamed", other.kind()))),
    };
    edits.finish(&view).map(Some)
}

/// The new name of a variable, which users may write as at the position: with `$`, or as a key with the class before it.
fn plain_variable(new: &str, occurrence: &Occurrence, view: &View<'_>) -> String {
    let new = new.strip_prefix('$').unwrap_or(new);
    let is_key = view.text()[occurrence.span.range()].contains("::");
    let last = new.rsplit_once("::").filter(|_| is_key).map(|(_, last)| last);
    last.unwrap_or(new).to_owned()
}

/// A symbol under a new name.
struct Renaming<'r> {
    view: &'r View<'r>,
    snapshot: &'r Snapshot,
    symbol: &'r Symbol,
}

/// Refuses symbols that the repository does not define.
fn check_kind(view: &View<'_>, symbol: &Symbol) -> Result<(), Refusal> {
    let Some(snapshot) = view.snapshot else {
        return Err(Refusal::failed("the repository has not been read"));
    };
    let index = &snapshot.index;
    let definition = match symbol {
        Symbol::Class(name) => index.classes.get(name),
        Symbol::ResourceType(name) => index.defines.get(name),
        Symbol::Function(name) => index.functions.get(name),
        Symbol::DataType(name) => index.aliases.get(name),
        Symbol::Variable { owner: Owner::Class(name), .. } => index.classes.get(name),
        Symbol::Variable { owner: Owner::Define(name), .. } => index.defines.get(name),
        Symbol::Variable { owner: Owner::Function(name), .. } => index.functions.get(name),
        Symbol::Variable { owner: Owner::Block(..) | Owner::Template(_), .. } | Symbol::DataKey(_) => {
            return Ok(());
        }
        Symbol::Variable { owner: Owner::Top, name } if index.variables.contains(name) => return Ok(()),
        other => {
            return Err(Refusal::failed(format!(
                "the {} `{}` cannot be renamed: it is not defined in Puppet code of this repository",
                other.kind(),
                other.name()
            )));
        }
    };
    let Some(definition) = definition else {
        let message = format!(
            "the {} `{}` is not defined in Puppet code of this repository",
            symbol.kind(),
            symbol.name()
        );
        return Err(Refusal::failed(message));
    };
    let path = definition.source.name().unwrap_or_default();
    let module =
        index.survey.modules.iter().find(|module| std::path::Path::new(path).starts_with(&module.root));
    match module {
        Some(module) if module.is_third_party => Err(Refusal::failed(format!(
            "`{}` belongs to the third-party module `{}`, which would be overwritten",
            symbol.name(),
            module.name
        ))),
        _ => Ok(()),
    }
}

impl Renaming<'_> {
    /// Refuses to rename while a text that may contain the name cannot be read.
    fn refuse_broken(&self) -> Result<(), Refusal> {
        let word = self.symbol.last_part();
        let broken = self.snapshot.texts.iter().filter(|(_, checked)| checked.text.is_broken);
        let mut mentions = broken.filter(|(_, checked)| name::has_word(checked.text.source.text(), word));
        match mentions.next() {
            Some((path, _)) => Err(Refusal::failed(format!(
                "{} has syntax errors and mentions `{word}`; correct it first",
                self.relative(path)
            ))),
            None => Ok(()),
        }
    }

    /// A path as messages show it.
    fn relative(&self, path: &std::path::Path) -> String {
        let root = &self.snapshot.index.survey.root;
        path.strip_prefix(root).unwrap_or(path).display().to_string()
    }

    /// Renames a data key that is not a parameter.
    fn data_key(&self, key: &str, new: &str) -> Result<Edits, Refusal> {
        name::check_key(new)?;
        let index = &self.snapshot.index;
        if index.data.keys.contains(new) {
            return Err(Refusal::failed(format!("there is a data key `{new}` already")));
        }
        let is_computed = |(head, tail): &&(String, String)| {
            key.len() >= head.len() + tail.len()
                && key.starts_with(head.as_str())
                && key.ends_with(tail.as_str())
        };
        if let Some((head, tail)) = index.computed_keys.iter().find(is_computed) {
            let message = format!("code looks up a computed key, `{head}…{tail}`, which may be `{key}`");
            return Err(Refusal::failed(message));
        }
        let dotted = format!("{key}.");
        if let Some(found) = index.looked_up.iter().find(|one| one.starts_with(&dotted)) {
            return Err(Refusal::failed(format!("code looks up a part of the key, `{found}`")));
        }
        let mut edits = Edits::default();
        for located in kukla_check::symbols::references(self.snapshot, self.symbol) {
            edits.replace(&located.source, located.occurrence.span, new);
        }
        Ok(edits)
    }

    /// The strings of code that contain a word, apart from those that a search has found.
    fn strings_with<'s>(
        &'s self,
        word: &'s str,
        path: Option<&'s std::path::Path>,
    ) -> impl Iterator<Item = (&'s std::path::Path, String)> + 's {
        let texts =
            self.snapshot.texts.iter().filter(move |(own, _)| path.is_none_or(|path| path == own.as_path()));
        texts.flat_map(move |(path, checked)| {
            let has = name::has_word(checked.text.source.text(), word);
            let elements = checked.text.tree.elements().filter(move |_| has);
            let strings = elements.filter(|node| {
                matches!(
                    node.kind(),
                    K::SqString | K::DqString | K::DqStart | K::DqText | K::DqEnd | K::HeredocText
                )
            });
            strings.map(move |node| (path.as_path(), node.text().to_owned()))
        })
    }
}
