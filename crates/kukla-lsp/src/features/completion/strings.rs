//! Completion inside of strings: titles, facts, data keys, templates, files, values.

use kukla_check::repository::plain;
use kukla_check::symbols::Symbol;
use lsp_types::CompletionItemKind as Kind;

use super::context::{Cursor, is_part};
use super::{Item, Items, attributes, names};
use crate::view::View;

/// The completions in the string at the cursor.
pub fn complete<'v>(view: &'v View<'_>, cursor: &Cursor<'v>) -> Option<Items<'v>> {
    let (start, quote) = cursor.string?;
    let typed = cursor.string_text()?;
    if quote == '"' && (cursor.head().ends_with('$') || cursor.head().ends_with("${")) {
        let offset = cursor.before.len() as u32;
        return Some(Items { items: names::variables(view, offset, cursor), prefix: cursor.word });
    }
    let items = |items: Vec<Item>| Some(Items { items, prefix: typed });
    if let Some(path) = typed.strip_prefix("puppet:///modules/") {
        return Some(Items { items: module_files(view, Directory::Files), prefix: path });
    }
    if "puppet:///modules/".starts_with(typed) && typed.len() >= 3 {
        return items(vec![Item::new("puppet:///modules/", Kind::FILE).rank(1)]);
    }
    let head = cursor.before[..start].trim_end();
    if head.ends_with(['{', ','])
        && let Some(parameters) = template_parameters(view, cursor)
    {
        return items(parameters);
    }
    if let Some(left) = head.strip_suffix('[') {
        return items(in_brackets(view, left));
    }
    if let Some(function) = called(head) {
        let found = match function {
            "lookup" | "hiera" | "hiera_array" | "hiera_hash" | "hiera_include" => data_keys(view),
            "template" => module_files(view, Directory::Templates(".erb")),
            "epp" => module_files(view, Directory::Templates(".epp")),
            "file" | "binary_file" => module_files(view, Directory::Files),
            "fact" => fact_paths(view, typed),
            "include" | "contain" | "require" | "defined" | "ensure_packages" => names::classes(view),
            _ => Vec::new(),
        };
        return items(found);
    }
    let word = head.trim_end_matches(',').trim_end();
    let previous = &word[word.trim_end_matches(is_part).len()..];
    if matches!(previous, "include" | "contain" | "require") || head.ends_with("class {") {
        return items(names::classes(view));
    }
    // The value of an attribute, without the quotes that are there already.
    let outside = Cursor { before: &cursor.before[..start], string: None, word: "", ..cursor.clone() };
    let resource = outside.resource()?;
    let values = attributes::values(view, &resource, resource.value_of()?);
    let values = values.into_iter().filter_map(|mut item| {
        let is_text =
            item.label.starts_with('\'') || !matches!(item.label.as_str(), "true" | "false" | "undef");
        item.label = item.label.trim_matches('\'').to_owned();
        is_text.then_some(item)
    });
    items(values.collect())
}

/// The parameters of the EPP template whose hash of parameters the cursor is in.
pub fn template_parameters(view: &View<'_>, cursor: &Cursor<'_>) -> Option<Vec<Item>> {
    let (_, head) = cursor.brace()?;
    let call = head.strip_suffix(',')?.trim_end();
    let quote = call.chars().next_back().filter(|c| matches!(c, '\'' | '"'))?;
    let (before, name) = call[..call.len() - 1].rsplit_once(quote)?;
    if called(before)? != "epp" {
        return None;
    }
    let name = if name.ends_with(".epp") { name.to_owned() } else { format!("{name}.epp") };
    let parameters = view.index()?.templates.get(&name)?.as_ref()?;
    let item = |parameter: &kukla_check::repository::Parameter| {
        let rank = if parameter.has_default { 10 } else { 1 };
        let ty = parameter.ty.as_deref().unwrap_or("Any");
        Item::new(parameter.name.to_string(), Kind::FIELD).rank(rank).detail(ty)
    };
    Some(parameters.iter().map(item).collect())
}

/// The function that the argument at the end of a text is for.
fn called(head: &str) -> Option<&str> {
    let open = head.strip_suffix('(')?.trim_end();
    let start = open.trim_end_matches(is_part).len();
    Some(&open[start..])
}

/// Titles of resources, or keys of facts.
fn in_brackets(view: &View<'_>, left: &str) -> Vec<Item> {
    let start = left.trim_end_matches(is_part).len();
    let name = &left[start..];
    if left.ends_with(']') || name == "facts" {
        return fact_path(left).map(|path| names::fact_keys(view, &path)).unwrap_or_default();
    }
    if name.eq_ignore_ascii_case("class") {
        return names::classes(view);
    }
    if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Vec::new();
    }
    let kind = plain(name);
    let titles = view.index().and_then(|index| index.titles.get(&kind));
    let titles = titles.into_iter().flat_map(|titles| titles.known.iter());
    titles.map(|title| Item::new(title.to_string(), Kind::REFERENCE).rank(5)).collect()
}

/// The path of the fact that `$facts['a']['b']` names; empty for `$facts`.
fn fact_path(left: &str) -> Option<String> {
    let at = left.rfind("facts")?;
    let mut steps = Vec::new();
    let mut rest = &left[at + "facts".len()..];
    while let Some(inside) = rest.strip_prefix('[') {
        let end = inside.find(']')?;
        steps.push(inside[..end].trim_matches(['\'', '"']));
        rest = &inside[end + 1..];
    }
    rest.is_empty().then(|| steps.join("."))
}

/// The paths of facts, as far as a path has been typed.
fn fact_paths(view: &View<'_>, typed: &str) -> Vec<Item> {
    let (head, _) = typed.rsplit_once('.').unwrap_or_default();
    let keys = names::fact_keys(view, head);
    let full = |mut item: Item| {
        if !head.is_empty() {
            item.label = format!("{head}.{}", item.label);
        }
        item
    };
    keys.into_iter().map(full).collect()
}

/// The keys of data, and the parameters that could have one.
pub fn data_keys(view: &View<'_>) -> Vec<Item> {
    let Some(index) = view.index() else { return Vec::new() };
    let keys = index.data.keys.iter().map(|key| Item::new(key, Kind::PROPERTY).rank(5));
    let parameters = index.classes.values().flat_map(|class| {
        class.parameters.iter().map(|parameter| {
            Item::new(format!("{}::{}", class.name, parameter.name), Kind::PROPERTY).rank(15)
        })
    });
    keys.chain(parameters).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Directory {
    Files,
    /// The templates with this ending first.
    Templates(&'static str),
}

/// The templates or files of modules, by `module/name`.
fn module_files(view: &View<'_>, directory: Directory) -> Vec<Item> {
    let own = view.module().map(|module| module.name.as_str());
    let modules = view.index().into_iter().flat_map(|index| &index.survey.modules);
    let mut items = Vec::new();
    for module in modules {
        let files = if directory == Directory::Files { &module.files } else { &module.templates };
        let near = if own == Some(module.name.as_str()) { 5 } else { 20 };
        items.extend(files.iter().map(|path| {
            let name = format!("{}/{path}", module.name);
            let is_other = matches!(directory, Directory::Templates(ending) if !path.ends_with(ending));
            let symbol = Symbol::Template(name.as_str().into());
            Item::new(name, Kind::FILE).rank(near + u32::from(is_other) * 10).of(symbol)
        }));
    }
    items
}
