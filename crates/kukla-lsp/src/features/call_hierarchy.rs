//! Call hierarchy: which code declares a class or defined type or calls a function, and what that one declares and calls.

use kukla::syntax::Span;
use kukla_check::symbols::{self, Located, Role, Symbol};
use kukla_check::{Snapshot, repository::Definition};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, SymbolKind,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::{path_of, uri_of};
use crate::view::View;

/// The symbol of an item, which the client sends back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Target {
    Class(String),
    Define(String),
    Function(String),
    /// The code of a file outside of all definitions.
    File(String),
}

impl Target {
    fn of(symbol: &Symbol) -> Option<Target> {
        Some(match symbol {
            Symbol::Class(name) => Target::Class(name.to_string()),
            Symbol::ResourceType(name) => Target::Define(name.to_string()),
            Symbol::Function(name) => Target::Function(name.to_string()),
            Symbol::Resource { kind, .. } => Target::Define(kind.to_string()),
            _ => return None,
        })
    }

    fn symbol(&self) -> Option<Symbol> {
        Some(match self {
            Target::Class(name) => Symbol::Class(name.as_str().into()),
            Target::Define(name) => Symbol::ResourceType(name.as_str().into()),
            Target::Function(name) => Symbol::Function(name.as_str().into()),
            Target::File(_) => return None,
        })
    }

    fn definition<'s>(&self, snapshot: &'s Snapshot) -> Option<&'s Arc<Definition>> {
        match self {
            Target::Class(name) => snapshot.index.classes.get(name.as_str()),
            Target::Define(name) => snapshot.index.defines.get(name.as_str()),
            Target::Function(name) => snapshot.index.functions.get(name.as_str()),
            Target::File(_) => None,
        }
    }

    fn item(&self, view: &View<'_>, snapshot: &Snapshot) -> Option<CallHierarchyItem> {
        let data = serde_json::to_value(self).ok();
        let (name, kind) = match self {
            Target::Class(name) => (name.clone(), SymbolKind::CLASS),
            Target::Define(name) => (name.clone(), SymbolKind::STRUCT),
            Target::Function(name) => (name.clone(), SymbolKind::FUNCTION),
            Target::File(path) => {
                let name =
                    Path::new(path).strip_prefix(&snapshot.index.survey.root).unwrap_or(Path::new(path));
                (name.display().to_string(), SymbolKind::FILE)
            }
        };
        let (uri, range, own) = match (self.definition(snapshot), self) {
            (Some(definition), _) => {
                let path = definition.source.name()?;
                let text = definition.source.text();
                let whole = snapshot.texts.get(Path::new(path)).map(|checked| {
                    let nodes = checked.text.tree.elements().filter(|node| !node.kind().is_token());
                    let around = nodes.filter(|node| node.span().contains(definition.span.start));
                    let definitions = around.filter(|node| is_definition(*node));
                    definitions
                        .min_by_key(|node| node.span().len())
                        .map_or(definition.span, |node| node.span())
                });
                let range = view.range_in(text, whole.unwrap_or(definition.span));
                (uri_of(Path::new(path))?, range, view.range_in(text, definition.span))
            }
            (None, Target::File(path)) => {
                let range = view.range_in("", Span::default());
                (uri_of(Path::new(path))?, range, range)
            }
            (None, _) => return None,
        };
        Some(CallHierarchyItem {
            name,
            kind,
            tags: None,
            detail: None,
            uri,
            range,
            selection_range: own,
            data,
        })
    }
}

fn is_definition(node: kukla::syntax::tree::Node<'_>) -> bool {
    use kukla::syntax::SyntaxKind as K;
    matches!(node.kind(), K::ClassDefinition | K::DefineDefinition | K::FunctionDefinition)
}

/// The class, defined type or function at a position.
pub fn prepare(
    session: &mut Session,
    params: &CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>, Refusal> {
    let at = &params.text_document_position_params;
    let view = session.view(&path_of(&at.text_document.uri))?;
    let (Some(occurrence), Some(snapshot)) = (view.symbol_at(at.position), view.snapshot) else {
        return Ok(None);
    };
    let target = Target::of(&occurrence.symbol);
    Ok(target.and_then(|target| target.item(&view, snapshot)).map(|item| vec![item]))
}

fn target_of(item: &CallHierarchyItem) -> Result<Target, Refusal> {
    let data = item.data.clone().unwrap_or_default();
    serde_json::from_value(data).map_err(|_| Refusal::invalid("an item of another server"))
}

/// The code that declares or calls an item.
pub fn incoming(
    session: &mut Session,
    params: &CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>, Refusal> {
    let target = target_of(&params.item)?;
    let view = session.view(&path_of(&params.item.uri))?;
    let (Some(snapshot), Some(symbol)) = (view.snapshot, target.symbol()) else { return Ok(None) };
    let mut callers: BTreeMap<Target, Vec<Located>> = BTreeMap::new();
    for located in symbols::references(snapshot, &symbol) {
        if located.occurrence.role == Role::Definition {
            continue;
        }
        if let Some(caller) = around(snapshot, &located) {
            callers.entry(caller).or_default().push(located);
        }
    }
    let calls = callers.into_iter().filter_map(|(caller, places)| {
        let ranges = places.iter().map(|one| view.range_in(one.source.text(), one.occurrence.span));
        Some(CallHierarchyIncomingCall { from: caller.item(&view, snapshot)?, from_ranges: ranges.collect() })
    });
    Ok(Some(calls.collect()))
}

/// The definition around an occurrence, or its file.
fn around(snapshot: &Snapshot, located: &Located) -> Option<Target> {
    let path = located.source.name()?;
    let file = Target::File(path.to_owned());
    let Some(checked) = snapshot.texts.get(Path::new(path)) else { return Some(file) };
    let start = located.occurrence.span.start;
    let nodes = checked.text.tree.elements().filter(|node| is_definition(*node));
    let inner = nodes.filter(|node| node.span().contains(start)).min_by_key(|node| node.span().len());
    let Some(inner) = inner else { return Some(file) };
    let own = checked
        .text
        .outline
        .definitions
        .iter()
        .find(|one| inner.span().contains(one.span.start) && !nested(inner, one.span));
    Some(own.map_or(file, |definition| target_of_definition(definition)))
}

/// Whether a name belongs to a definition inside of another one.
fn nested(node: kukla::syntax::tree::Node<'_>, name: Span) -> bool {
    node.descendants().skip(1).any(|inner| is_definition(inner) && inner.span().contains(name.start))
}

fn target_of_definition(definition: &Definition) -> Target {
    use kukla_check::repository::Kind;
    let name = definition.name.to_string();
    match definition.kind {
        Kind::Class => Target::Class(name),
        Kind::Define => Target::Define(name),
        Kind::Function | Kind::Alias => Target::Function(name),
    }
}

/// The classes, defined types and functions that an item declares and calls.
pub fn outgoing(
    session: &mut Session,
    params: &CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>, Refusal> {
    let target = target_of(&params.item)?;
    let view = session.view(&path_of(&params.item.uri))?;
    let Some(snapshot) = view.snapshot else { return Ok(None) };
    let path = match (target.definition(snapshot), &target) {
        (Some(definition), _) => PathBuf::from(definition.source.name().unwrap_or_default()),
        (None, Target::File(path)) => PathBuf::from(path),
        (None, _) => return Ok(None),
    };
    let Some(checked) = snapshot.texts.get(&path) else { return Ok(None) };
    let mut calls: BTreeMap<Target, Vec<Span>> = BTreeMap::new();
    for occurrence in snapshot.occurrences(&path) {
        let Some(symbol) = view.resolve(&occurrence.symbol) else { continue };
        let is_call = occurrence.role != Role::Definition && !matches!(symbol, Symbol::Resource { .. });
        let Some(called) = Target::of(&symbol).filter(|_| is_call) else { continue };
        let source = checked.text.source.clone();
        let located = Located { source, occurrence: occurrence.clone() };
        if around(snapshot, &located).as_ref() == Some(&target) {
            calls.entry(called).or_default().push(occurrence.span);
        }
    }
    let text = checked.text.source.text();
    let calls = calls.into_iter().filter_map(|(called, spans)| {
        let ranges = spans.iter().map(|span| view.range_in(text, *span));
        Some(CallHierarchyOutgoingCall { to: called.item(&view, snapshot)?, from_ranges: ranges.collect() })
    });
    Ok(Some(calls.collect()))
}
