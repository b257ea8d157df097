//! The symbols of a document and of a whole workspace.

use kukla::syntax::ast::{self, Expr};
use kukla::syntax::tree::Node;
use kukla::syntax::{Span, SyntaxKind as K};
use kukla_check::repository::Kind;
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, OneOf, SymbolInformation, SymbolKind,
    WorkspaceSymbol, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;
use crate::view::View;

/// The symbols of a document.
pub fn of_document(
    session: &mut Session,
    params: &DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, Refusal> {
    let view = session.view(&path_of(&params.text_document.uri))?;
    let symbols = match view.parsed() {
        Some(text) => children(&view, text.tree.root()),
        None => data_keys(&view),
    };
    if view.session.client.nests_symbols {
        return Ok(Some(DocumentSymbolResponse::Nested(symbols)));
    }
    let mut flat = Vec::new();
    if let Some(uri) = view.uri() {
        flatten(&uri, symbols, None, &mut flat);
    }
    Ok(Some(DocumentSymbolResponse::Flat(flat)))
}

fn flatten(
    uri: &lsp_types::Uri,
    symbols: Vec<DocumentSymbol>,
    container: Option<&str>,
    flat: &mut Vec<SymbolInformation>,
) {
    for symbol in symbols {
        #[allow(deprecated)]
        flat.push(SymbolInformation {
            name: symbol.name.clone(),
            kind: symbol.kind,
            tags: None,
            deprecated: None,
            location: lsp_types::Location { uri: uri.clone(), range: symbol.range },
            container_name: container.map(str::to_owned),
        });
        flatten(uri, symbol.children.unwrap_or_default(), Some(&symbol.name), flat);
    }
}

/// A symbol of a document.
fn symbol(
    view: &View<'_>,
    name: &str,
    detail: &str,
    kind: SymbolKind,
    whole: Span,
    own: Span,
    children: Vec<DocumentSymbol>,
) -> DocumentSymbol {
    // Some clients refuse a symbol without a name, and one whose name is outside of it.
    let name = if name.trim().is_empty() { "?".to_owned() } else { name.to_owned() };
    let own = if own.is_empty() || own.start < whole.start || own.end > whole.end { whole } else { own };
    #[allow(deprecated)]
    DocumentSymbol {
        name,
        detail: (!detail.is_empty()).then(|| detail.to_owned()),
        kind,
        tags: None,
        deprecated: None,
        range: view.range(whole),
        selection_range: view.range(own),
        children: (!children.is_empty()).then_some(children),
    }
}

/// The symbols in a node of the tree.
fn children(view: &View<'_>, node: Node<'_>) -> Vec<DocumentSymbol> {
    kukla::syntax::deep(|| node.children().flat_map(|child| of_node(view, child)).collect())
}

fn of_node(view: &View<'_>, node: Node<'_>) -> Vec<DocumentSymbol> {
    if node.kind().is_token() {
        return Vec::new();
    }
    let whole = node.span();
    let span = |token: Option<Node<'_>>| token.map(Node::span).unwrap_or(whole);
    let with_parameters = |parameters: Vec<ast::Parameter<'_>>, body: Option<ast::Block<'_>>| {
        let mut inside: Vec<DocumentSymbol> = parameters
            .into_iter()
            .map(|one| {
                let detail = one.type_expr().map_or("", |ty| ty.syntax().text());
                let name = format!("${}", one.name());
                let own = span(one.name_token());
                symbol(view, &name, detail, SymbolKind::FIELD, one.span(), own, Vec::new())
            })
            .collect();
        inside.extend(body.into_iter().flat_map(|body| children(view, body.syntax())));
        inside
    };
    match Expr::cast(node) {
        Some(Expr::ClassDefinition(class)) => {
            let inside = with_parameters(class.parameters().collect(), class.body());
            let own = span(class.name_token());
            vec![symbol(view, class.name(), "class", SymbolKind::CLASS, whole, own, inside)]
        }
        Some(Expr::DefineDefinition(define)) => {
            let inside = with_parameters(define.parameters().collect(), define.body());
            let own = span(define.name_token());
            vec![symbol(view, define.name(), "define", SymbolKind::STRUCT, whole, own, inside)]
        }
        Some(Expr::FunctionDefinition(function)) => {
            let inside = with_parameters(function.parameters().collect(), function.body());
            let own = span(function.name_token());
            vec![symbol(view, function.name(), "function", SymbolKind::FUNCTION, whole, own, inside)]
        }
        Some(Expr::PlanDefinition(plan)) => {
            let inside = with_parameters(plan.parameters().collect(), plan.body());
            let own = span(plan.name_token());
            vec![symbol(view, plan.name(), "plan", SymbolKind::FUNCTION, whole, own, inside)]
        }
        Some(Expr::NodeDefinition(definition)) => {
            let hosts: Vec<&str> = definition.hosts().map(|host| host.syntax().text()).collect();
            let inside = definition.body().map(|body| children(view, body.syntax())).unwrap_or_default();
            let own = definition.hosts().next().map_or(whole, |host| host.span());
            vec![symbol(view, &hosts.join(", "), "node", SymbolKind::MODULE, whole, own, inside)]
        }
        Some(Expr::TypeAlias(alias)) => {
            let right = alias.right().syntax().text();
            let name = alias.name().unwrap_or_default();
            let kind = SymbolKind::TYPE_PARAMETER;
            vec![symbol(view, name, right, kind, whole, alias.left().span(), Vec::new())]
        }
        Some(Expr::Resource(resource)) => {
            let kind = resource.type_expr().map_or("class", |ty| ty.syntax().text());
            let of_body = |body: ast::ResourceBody<'_>| {
                let title = body.title().syntax().text();
                let span = body.span();
                let inside = children(view, body.syntax());
                let name = format!("{kind}: {}", title.trim_matches(['\'', '"']));
                symbol(view, &name, "", SymbolKind::OBJECT, span, body.title().span(), inside)
            };
            resource.bodies().map(of_body).collect()
        }
        Some(Expr::Assignment(assignment)) => {
            let mut found = match assignment.left() {
                Expr::Variable(variable) => {
                    let (name, own) = (variable.syntax().text(), variable.span());
                    vec![symbol(view, name, "", SymbolKind::VARIABLE, whole, own, Vec::new())]
                }
                _ => Vec::new(),
            };
            found.extend(children(view, assignment.right().syntax()));
            found
        }
        _ if node.kind() == K::Parameters => children(view, node),
        _ => children(view, node),
    }
}

/// The keys of a data file.
fn data_keys(view: &View<'_>) -> Vec<DocumentSymbol> {
    let path = view.path.to_string_lossy();
    let files = view.snapshot.map(|snapshot| &snapshot.data.files);
    let Some(file) = files.into_iter().flatten().find(|file| *file.path == *path) else { return Vec::new() };
    if file.source.text() != view.text() {
        return Vec::new();
    }
    let ends = file.entries.iter().skip(1).map(|entry| entry.span.start);
    let ends = ends.chain([view.text().len() as u32]);
    let keys = file.entries.iter().zip(ends).map(|(entry, end)| {
        // An entry ends before the next one.
        let text = &view.text()[entry.span.start as usize..(end.max(entry.span.end)) as usize];
        let whole = Span::new(entry.span.start, entry.span.start + text.trim_end().len() as u32);
        symbol(view, &entry.key, "", SymbolKind::KEY, whole, entry.span, Vec::new())
    });
    keys.collect()
}

/// The most symbols of an answer.
const MOST: usize = 500;

/// The symbols of all repositories that match a query: all letters of the query, in their order.
pub fn of_workspace(
    session: &mut Session,
    params: &WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, Refusal> {
    session.refresh_all();
    let query = params.query.to_lowercase();
    let mut found: Vec<(usize, WorkspaceSymbol)> = Vec::new();
    for analysis in session.analyses() {
        let Some(snapshot) = analysis.snapshot() else { continue };
        let index = &snapshot.index;
        let tables = [&index.classes, &index.defines, &index.functions, &index.aliases];
        for definition in tables.into_iter().flat_map(|table| table.values()) {
            let Some(rank) = rank(&definition.name, &query) else { continue };
            let path = std::path::PathBuf::from(definition.source.name().unwrap_or_default());
            let Some(uri) = crate::uris::uri_of(&path) else { continue };
            let encoding = session.client.encoding;
            let lines = crate::positions::Lines::of(definition.source.text());
            let positions =
                crate::positions::Positions { text: definition.source.text(), lines: &lines, encoding };
            let kind = match definition.kind {
                Kind::Class => SymbolKind::CLASS,
                Kind::Define => SymbolKind::STRUCT,
                Kind::Function => SymbolKind::FUNCTION,
                Kind::Alias => SymbolKind::TYPE_PARAMETER,
            };
            let name = definition.source.text().get(definition.span.range());
            let is_nested = name.is_none_or(|name| !name.eq_ignore_ascii_case(&definition.name));
            let name = name.filter(|_| !is_nested).unwrap_or(&definition.name).to_owned();
            let symbol = WorkspaceSymbol {
                name,
                kind,
                tags: None,
                container_name: definition.name.rsplit_once("::").map(|(module, _)| module.to_owned()),
                location: OneOf::Left(lsp_types::Location { uri, range: positions.range(definition.span) }),
                data: None,
            };
            found.push((rank, symbol));
        }
    }
    found.sort_by(|(one, first), (other, second)| one.cmp(other).then_with(|| first.name.cmp(&second.name)));
    found.truncate(MOST);
    let found = found.into_iter().map(|(_, symbol)| symbol).collect();
    Ok(Some(WorkspaceSymbolResponse::Nested(found)))
}

/// How well a name matches a query, zero for best; `None` if it does not.
fn rank(name: &str, query: &str) -> Option<usize> {
    if query.is_empty() || name == query {
        return Some(0);
    }
    let last = name.rsplit("::").next().unwrap_or(name);
    if last.starts_with(query) || name.starts_with(query) {
        return Some(1);
    }
    if name.contains(query) {
        return Some(2);
    }
    let mut letters = name.chars();
    query.chars().all(|wanted| letters.any(|letter| letter == wanted)).then_some(3)
}
