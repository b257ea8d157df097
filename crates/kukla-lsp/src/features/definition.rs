//! Definition, declaration, type definition and implementation.

use kukla::syntax::Span;
use kukla::world::World;
use kukla_check::symbols::{self, DefinitionPlace, Symbol};
use lsp_types::{GotoDefinitionParams, GotoDefinitionResponse, Location, LocationLink, Range};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::{path_of, uri_of};
use crate::view::View;

/// The definition of the name at a position.
pub fn definition(
    session: &mut Session,
    params: &GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, Refusal> {
    at(session, params, |view, symbol| {
        let places = view.snapshot.map(|snapshot| symbols::definitions(snapshot, symbol)).unwrap_or_default();
        match (symbol, places.is_empty()) {
            // The parameters of a resource type of the agent are in its file.
            (Symbol::Attribute { kind, .. }, true) => view
                .snapshot
                .map(|snapshot| symbols::definitions(snapshot, &Symbol::ResourceType(kind.clone())))
                .unwrap_or_default(),
            _ => places,
        }
    })
}

/// The definition of the type of the name at a position: the alias of a parameter, the type of a resource.
pub fn type_definition(
    session: &mut Session,
    params: &GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, Refusal> {
    at(session, params, |view, symbol| {
        let Some(snapshot) = view.snapshot else { return Vec::new() };
        let of_type = |text: &str| {
            let is_part = |c: char| c.is_alphanumeric() || c == ':' || c == '_';
            let names = text.split(|c: char| !is_part(c)).filter(|name| !name.is_empty());
            let names = names.map(|name| Symbol::DataType(kukla_check::repository::plain(name)));
            names.flat_map(|name| symbols::definitions(snapshot, &name)).collect::<Vec<_>>()
        };
        match symbol {
            Symbol::Resource { kind, .. } => {
                symbols::definitions(snapshot, &Symbol::ResourceType(kind.clone()))
            }
            Symbol::Variable { .. } => {
                view.parameter(symbol).and_then(|one| one.ty).map(|ty| of_type(&ty)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    })
}

/// The implementations of the name at a position: the values of a parameter in data, the classes that inherit from a class, the providers of
/// a resource type.
pub fn implementation(
    session: &mut Session,
    params: &GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, Refusal> {
    at(session, params, |view, symbol| {
        let Some(snapshot) = view.snapshot else { return Vec::new() };
        match symbol {
            Symbol::Variable { owner: symbols::Owner::Class(class), name } => {
                symbols::data_entries(snapshot, &format!("{class}::{name}"))
            }
            Symbol::DataKey(key) => symbols::data_entries(snapshot, key),
            Symbol::Class(name) => {
                let heirs =
                    snapshot.index.classes.values().filter(|class| class.parent.as_ref() == Some(name));
                let mut heirs: Vec<_> = heirs.map(|class| Symbol::Class(class.name.clone())).collect();
                heirs.sort_by(|one, other| one.name().cmp(other.name()));
                heirs.iter().flat_map(|heir| symbols::definitions(snapshot, heir)).collect()
            }
            Symbol::ResourceType(name) => providers(view, name),
            _ => Vec::new(),
        }
    })
}

fn providers(view: &View<'_>, kind: &str) -> Vec<DefinitionPlace> {
    let prefix = format!("puppet/provider/{kind}/");
    let modules = view.index().map(|index| &index.survey.modules);
    let files = modules.into_iter().flatten().flat_map(|module| {
        let own = module.ruby.iter().filter(|path| path.starts_with(&prefix));
        own.map(|path| module.root.join("lib").join(path))
    });
    files.map(|path| DefinitionPlace { path, source: None, span: Span::default() }).collect()
}

fn at(
    session: &mut Session,
    params: &GotoDefinitionParams,
    find: impl Fn(&View<'_>, &Symbol) -> Vec<DefinitionPlace>,
) -> Result<Option<GotoDefinitionResponse>, Refusal> {
    let at = &params.text_document_position_params;
    let view = session.view(&path_of(&at.text_document.uri))?;
    let Some(occurrence) = view.symbol_at(at.position) else { return Ok(None) };
    let places = find(&view, &occurrence.symbol);
    let found: Vec<Location> =
        places.iter().filter_map(|place| location(&view, place, &occurrence.symbol)).collect();
    if found.is_empty() {
        return Ok(None);
    }
    if !view.session.client.links_definitions {
        return Ok(Some(GotoDefinitionResponse::Array(found)));
    }
    let origin = view.range(occurrence.span);
    let links = found.into_iter().map(|location| LocationLink {
        origin_selection_range: Some(origin),
        target_uri: location.uri,
        target_range: location.range,
        target_selection_range: location.range,
    });
    Ok(Some(GotoDefinitionResponse::Link(links.collect())))
}

/// The location of a definition. In a file of another language, the place of the name is looked for.
pub fn location(view: &View<'_>, place: &DefinitionPlace, symbol: &Symbol) -> Option<Location> {
    if let Some(source) = &place.source {
        return view.location(source, place.span);
    }
    let uri = uri_of(&place.path)?;
    let range = match symbol {
        Symbol::Template(_) | Symbol::File(_) => Range::default(),
        _ => {
            let bytes = view.session.world.read(&place.path).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let name = match symbol {
                Symbol::Fact(path) => path.split('.').next().unwrap_or(path),
                other => other.name(),
            };
            let span = find_in_ruby(&text, name).unwrap_or_default();
            view.range_in(&text, span)
        }
    };
    Some(Location { uri, range })
}

/// The place of a name in Ruby code: that of its symbol, else of its string.
fn find_in_ruby(text: &str, name: &str) -> Option<Span> {
    let patterns = [format!("(:{name}"), format!(":{name}"), format!("'{name}'"), format!("\"{name}\"")];
    patterns.iter().find_map(|pattern| {
        let at = text.find(pattern)? + pattern.find(name)?;
        Some(Span::new(at as u32, (at + name.len()) as u32))
    })
}
