//! Creates what a text names and nothing defines: a class, a defined type, a function, a template, in the file where Puppet looks for it.

use kukla::syntax::Span;
use kukla::world::World;
use kukla_check::repository::{Callee, Resource, Shape};
use kukla_check::symbols::{self, Symbol};
use lsp_types::{CodeAction, CodeActionKind};
use std::path::PathBuf;

use super::{action, creation_of, touches};
use crate::view::View;

/// The file of a definition, by its name; `None` if its module is not in the repository.
fn file_of(view: &View<'_>, name: &str, directory: &str) -> Option<PathBuf> {
    let survey = &view.index()?.survey;
    let (module, inside) = name.split_once("::").unwrap_or((name, "init"));
    let root = match survey.module(module) {
        Some(module) if !module.is_third_party => module.root.clone(),
        Some(_) => return None,
        // A new module beside the others.
        None if survey.shape == Shape::Control => {
            let own = survey.modulepath.iter().find(|path| path.starts_with(&survey.root))?;
            own.join(module)
        }
        None => return None,
    };
    let path = root.join(directory).join(format!("{}.pp", inside.replace("::", "/")));
    (!view.session.world.exists(&path)).then_some(path)
}

/// Actions that create the missing class, defined type or function at a position.
pub fn missing_definitions(view: &View<'_>, span: Span) -> Vec<CodeAction> {
    let Some(index) = view.index().filter(|_| view.session.client.changes_files) else { return Vec::new() };
    let here = view.occurrences().into_iter().filter(|one| touches(one.span, span));
    let create = |one: symbols::Occurrence| {
        let (name, directory, text) = match &one.symbol {
            Symbol::Class(name) if !index.classes.contains_key(name) => {
                (name, "manifests", format!("# @summary\nclass {name} {{\n}}\n"))
            }
            Symbol::ResourceType(name)
                if name.contains("::") && matches!(index.resource(name, true), Resource::Missing) =>
            {
                (name, "manifests", format!("# @summary\ndefine {name} (\n) {{\n}}\n"))
            }
            Symbol::Function(name)
                if name.contains("::") && matches!(index.function(name, true), Callee::Missing) =>
            {
                (name, "functions", format!("# @summary\nfunction {name}() >> Any {{\n}}\n"))
            }
            _ => return None,
        };
        let path = file_of(view, name, directory)?;
        let inside = path.strip_prefix(&index.survey.root).unwrap_or(&path).display().to_string();
        let title = format!("Create the {} `{name}` in {inside}", one.symbol.kind());
        action(title, CodeActionKind::QUICKFIX, creation_of(&path, text))
    };
    here.filter_map(create).collect()
}

/// An action that creates the missing template or file at a position.
pub fn missing_template(view: &View<'_>, span: Span) -> Option<CodeAction> {
    let snapshot = view.snapshot.filter(|_| view.session.client.changes_files)?;
    let mut here = view.occurrences().into_iter().filter(|one| touches(one.span, span));
    let one = here.find(|one| matches!(one.symbol, Symbol::Template(_) | Symbol::File(_)))?;
    if !symbols::definitions(snapshot, &one.symbol).is_empty() {
        return None;
    }
    let directory = if matches!(one.symbol, Symbol::File(_)) { "files" } else { "templates" };
    let (module, inside) = one.symbol.name().split_once('/')?;
    let module = snapshot.index.survey.module(module).filter(|module| !module.is_third_party)?;
    let path = module.root.join(directory).join(inside);
    let text = if inside.ends_with(".epp") { "<%- | | -%>\n" } else { "" };
    let title = format!("Create the {} `{}`", one.symbol.kind(), one.symbol.name());
    action(title, CodeActionKind::QUICKFIX, creation_of(&path, text.to_owned()))
}
