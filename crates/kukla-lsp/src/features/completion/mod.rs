//! Completion: names, attributes, values, titles, facts, keys and paths, also in incomplete code.

mod attributes;
pub mod context;
mod data;
mod names;
mod strings;

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionParams, CompletionResponse,
    CompletionTextEdit, Documentation, InsertTextFormat, MarkupContent, MarkupKind, TextEdit,
};
use serde::{Deserialize, Serialize};

use kukla::syntax::Span;
use kukla::values::Str;
use kukla_check::symbols::Symbol;

use crate::features::documentation;
use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;
use crate::view::View;
use crate::workspace::Language;
use context::Cursor;

/// The most items of an answer; the client asks again as the user types.
const MOST: usize = 300;

/// The symbol of an item, which the client sends back to get its documentation.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Subject {
    path: String,
    kind: SubjectKind,
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SubjectKind {
    Class,
    ResourceType,
    Function,
    DataType,
}

/// An item before it has its place.
#[derive(Clone, Debug)]
pub struct Item {
    /// The text that is shown, filtered and inserted.
    pub label: String,
    /// The text that is inserted instead, with placeholders.
    pub snippet: Option<String>,
    /// Its kind.
    pub kind: CompletionItemKind,
    /// A remark beside it.
    pub detail: Option<String>,
    /// Its rank: smaller ones come first.
    pub rank: u32,
    /// Its symbol.
    pub symbol: Option<Symbol>,
}

impl Item {
    /// An item.
    pub fn new(label: impl Into<String>, kind: CompletionItemKind) -> Item {
        Item { label: label.into(), snippet: None, kind, detail: None, rank: 50, symbol: None }
    }

    /// The item with a remark.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Item {
        self.detail = Some(detail.into());
        self
    }

    /// The item with a rank.
    #[must_use]
    pub fn rank(mut self, rank: u32) -> Item {
        self.rank = rank;
        self
    }

    /// The item with placeholders.
    #[must_use]
    pub fn snippet(mut self, snippet: impl Into<String>) -> Item {
        self.snippet = Some(snippet.into());
        self
    }

    /// The item of a symbol.
    #[must_use]
    pub fn of(mut self, symbol: Symbol) -> Item {
        self.symbol = Some(symbol);
        self
    }
}

/// Items, and the text before the cursor that they replace.
#[derive(Debug, Default)]
pub struct Items<'t> {
    /// The items.
    pub items: Vec<Item>,
    /// The text that is there already.
    pub prefix: &'t str,
}

/// The completions at a position.
pub fn completion(
    session: &mut Session,
    params: &CompletionParams,
) -> Result<Option<CompletionResponse>, Refusal> {
    let at = &params.text_document_position;
    // The index of the last analysis is good enough, and at hand.
    let view = session.completion_view(&path_of(&at.text_document.uri))?;
    let offset = view.offset(at.position);
    let found = match view.language {
        Some(Language::Manifest) => in_code(&view, offset, false),
        Some(Language::Epp) => in_code(&view, offset, true),
        Some(Language::Erb) => data::in_erb(&view, offset),
        Some(Language::Yaml | Language::Json) => data::in_data(&view, offset),
        None => None,
    };
    let Some(Items { mut items, prefix }) = found else { return Ok(None) };
    let typed = prefix.to_lowercase();
    items.retain(|item| matches(&item.label, &typed));
    items.sort_by(|one, other| one.rank.cmp(&other.rank).then_with(|| one.label.cmp(&other.label)));
    items.dedup_by(|one, other| one.label == other.label && one.kind == other.kind);
    let is_incomplete = items.len() > MOST;
    items.truncate(MOST);
    let span = Span::new(offset - prefix.len() as u32, offset);
    let range = view.range(span);
    let has_snippets = view.session.client.has_snippets;
    let path = view.path.to_string_lossy().into_owned();
    let items = items.into_iter().map(|item| {
        let snippet = item.snippet.filter(|_| has_snippets);
        let new_text = snippet.clone().unwrap_or_else(|| item.label.clone());
        CompletionItem {
            kind: Some(item.kind),
            detail: item.detail,
            sort_text: Some(format!("{:03} {}", item.rank, item.label)),
            filter_text: Some(item.label.clone()),
            insert_text_format: snippet.map(|_| InsertTextFormat::SNIPPET),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text })),
            data: item.symbol.as_ref().and_then(|symbol| subject(&path, symbol)),
            label: item.label,
            ..CompletionItem::default()
        }
    });
    let list = CompletionList { is_incomplete, items: items.collect() };
    Ok(Some(CompletionResponse::List(list)))
}

/// Whether a label fits to what has been typed: all its letters, in their order.
fn matches(label: &str, typed: &str) -> bool {
    let mut letters = label.chars().flat_map(char::to_lowercase);
    typed.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

fn subject(path: &str, symbol: &Symbol) -> Option<serde_json::Value> {
    let kind = match symbol {
        Symbol::Class(_) => SubjectKind::Class,
        Symbol::ResourceType(_) => SubjectKind::ResourceType,
        Symbol::Function(_) => SubjectKind::Function,
        Symbol::DataType(_) => SubjectKind::DataType,
        _ => return None,
    };
    let subject = Subject { path: path.to_owned(), kind, name: symbol.name().to_string() };
    serde_json::to_value(subject).ok()
}

/// An item with its documentation.
pub fn resolve(session: &mut Session, mut item: CompletionItem) -> Result<CompletionItem, Refusal> {
    let Some(data) = &item.data else { return Ok(item) };
    let Ok(Subject { path, kind, name }) = serde_json::from_value(data.clone()) else { return Ok(item) };
    let name = Str::from(name.as_str());
    let symbol = match kind {
        SubjectKind::Class => Symbol::Class(name),
        SubjectKind::ResourceType => Symbol::ResourceType(name),
        SubjectKind::Function => Symbol::Function(name),
        SubjectKind::DataType => Symbol::DataType(name),
    };
    let view = session.completion_view(std::path::Path::new(&path))?;
    item.documentation = documentation::of_symbol(&view, &symbol)
        .map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
    Ok(item)
}

fn in_code<'v>(view: &'v View<'_>, offset: u32, is_template: bool) -> Option<Items<'v>> {
    let cursor = Cursor::new(view.text(), offset as usize, is_template);
    if cursor.in_comment {
        return None;
    }
    if cursor.string.is_some() {
        return strings::complete(view, &cursor);
    }
    let head = cursor.head();
    if head.ends_with('$') || head.ends_with("${") {
        return Some(Items { items: names::variables(view, offset, &cursor), prefix: cursor.word });
    }
    if head.ends_with('.') && !head.ends_with("..") {
        return Some(Items { items: names::functions(view, true), prefix: cursor.word });
    }
    let previous = cursor.previous_word();
    if matches!(previous, "include" | "contain" | "require" | "inherits") {
        return Some(Items { items: names::classes(view), prefix: cursor.word });
    }
    if head.trim_end().ends_with(['{', ','])
        && let Some(parameters) = strings::template_parameters(view, &cursor)
    {
        let quoted = parameters.into_iter().map(|item| {
            let snippet = format!("'{}' => $0,", item.label);
            item.snippet(snippet)
        });
        return Some(Items { items: quoted.collect(), prefix: cursor.word });
    }
    if let Some(resource) = cursor.resource() {
        let items = match resource.value_of() {
            None => attributes::names(view, &resource),
            Some(attribute) => {
                let mut items = attributes::values(view, &resource, attribute);
                items.extend(names::expressions(view));
                items
            }
        };
        return Some(Items { items, prefix: cursor.word });
    }
    if cursor.word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Some(Items { items: names::types(view), prefix: cursor.word });
    }
    let mut items = names::expressions(view);
    if cursor.begins_statement() {
        items.extend(names::statements(view));
    }
    Some(Items { items, prefix: cursor.word })
}
