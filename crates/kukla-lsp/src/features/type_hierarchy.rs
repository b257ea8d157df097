//! Type hierarchy: the classes that a class inherits from, and those that inherit from it.

use std::path::Path;

use kukla::values::Str;
use kukla_check::symbols::Symbol;
use lsp_types::{
    SymbolKind, TypeHierarchyItem, TypeHierarchyPrepareParams, TypeHierarchySubtypesParams,
    TypeHierarchySupertypesParams,
};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::{path_of, uri_of};
use crate::view::View;

/// The class at a position.
pub fn prepare(
    session: &mut Session,
    params: &TypeHierarchyPrepareParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, Refusal> {
    let at = &params.text_document_position_params;
    let view = session.view(&path_of(&at.text_document.uri))?;
    let Some(occurrence) = view.symbol_at(at.position) else { return Ok(None) };
    let Symbol::Class(name) = occurrence.symbol else { return Ok(None) };
    Ok(item(&view, &name).map(|item| vec![item]))
}

/// The class that a class inherits from.
pub fn supertypes(
    session: &mut Session,
    params: &TypeHierarchySupertypesParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, Refusal> {
    let view = session.view(&path_of(&params.item.uri))?;
    let name = Str::from(params.item.name.as_str());
    let parent = view.index().and_then(|index| index.classes.get(&name)?.parent.clone());
    Ok(Some(parent.and_then(|parent| item(&view, &parent)).into_iter().collect()))
}

/// The classes that inherit from a class.
pub fn subtypes(
    session: &mut Session,
    params: &TypeHierarchySubtypesParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, Refusal> {
    let view = session.view(&path_of(&params.item.uri))?;
    let Some(index) = view.index() else { return Ok(None) };
    let heirs = index
        .classes
        .values()
        .filter(|class| class.parent.as_ref().is_some_and(|parent| *parent == *params.item.name));
    let mut names: Vec<Str> = heirs.map(|class| class.name.clone()).collect();
    names.sort();
    Ok(Some(names.iter().filter_map(|name| item(&view, name)).collect()))
}

fn item(view: &View<'_>, name: &Str) -> Option<TypeHierarchyItem> {
    let class = view.index()?.classes.get(name)?;
    let range = view.range_in(class.source.text(), class.span);
    Some(TypeHierarchyItem {
        name: name.to_string(),
        kind: SymbolKind::CLASS,
        tags: None,
        detail: class.parent.as_ref().map(|parent| format!("inherits {parent}")),
        uri: uri_of(Path::new(class.source.name()?))?,
        range,
        selection_range: range,
        data: None,
    })
}
