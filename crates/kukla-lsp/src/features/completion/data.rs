//! Completion in data files, in hiera.yaml and in ERB templates.

use kukla_check::symbols;
use lsp_types::CompletionItemKind as Kind;

use super::{Item, Items, attributes, names, strings};
use crate::view::View;
use crate::workspace::Language;

/// The completions in a data file or a hierarchy.
pub fn in_data<'v>(view: &'v View<'_>, offset: u32) -> Option<Items<'v>> {
    let before = view.text().get(..offset as usize)?;
    let line = before.rsplit('\n').next().unwrap_or(before);
    if let Some(open) = line.rfind("%{").filter(|open| !line[*open..].contains('}')) {
        return Some(in_interpolation(view, &line[open + 2..]));
    }
    let is_hierarchy = view.path.file_name().is_some_and(|name| name == "hiera.yaml");
    let typed = line.trim_start().trim_start_matches("- ").trim_start_matches(['"', '\'']);
    if is_hierarchy {
        return (!typed.contains(':')).then(|| Items { items: hierarchy_keys(line), prefix: typed });
    }
    let index = view.index()?;
    let is_top = match view.language {
        Some(Language::Json) => line.trim_start().starts_with('"') && !line.contains("\":"),
        _ => !line.starts_with([' ', '\t', '-', '#']),
    };
    if let Some((key, value)) = split_key(line) {
        let (class, name) = key.rsplit_once("::")?;
        let parameter = index.classes.get(class)?.parameter(name)?.clone();
        let ty = index.types.read(parameter.ty.as_ref()?)?;
        let mut items = attributes::of_type(&ty);
        // Data has no quotes around words.
        items.iter_mut().for_each(|item| item.label = item.label.trim_matches('\'').to_owned());
        return Some(Items { items, prefix: value.trim_start_matches(['"', '\'']) });
    }
    if !is_top {
        return None;
    }
    let mut items = Vec::new();
    for class in index.classes.values() {
        let is_own = index
            .survey
            .modules
            .iter()
            .any(|module| !module.is_third_party && class.name.starts_with(module.name.as_str()));
        for parameter in &class.parameters {
            let key = format!("{}::{}", class.name, parameter.name);
            let required = if parameter.has_default { 20 } else { 10 };
            let rank = if is_own { required } else { required + 20 };
            let ty = parameter.ty.as_deref().unwrap_or("Any");
            let item = Item::new(key.clone(), Kind::PROPERTY).rank(rank).detail(ty);
            items.push(match view.language {
                Some(Language::Json) => item,
                _ => item.snippet(format!("{key}: $0")),
            });
        }
    }
    items.push(
        Item::new("lookup_options", Kind::KEYWORD)
            .rank(30)
            .snippet("lookup_options:\n  ${1:key}:\n    merge: ${2|first,unique,hash,deep|}"),
    );
    Some(Items { items, prefix: typed })
}

/// The key of a line and the beginning of its value.
fn split_key(line: &str) -> Option<(&str, &str)> {
    let at = line.match_indices(':').map(|(at, _)| at).find(|at| {
        let after = &line[at + 1..];
        (after.starts_with(' ') || after.is_empty()) && !line[..*at].ends_with(':')
    })?;
    Some((line[..at].trim().trim_matches(['"', '\'']), line[at + 1..].trim_start()))
}

fn hierarchy_keys(line: &str) -> Vec<Item> {
    const TOP: &[&str] = &["version", "defaults", "hierarchy", "default_hierarchy"];
    const LEVEL: &[&str] = &[
        "name",
        "path",
        "paths",
        "glob",
        "globs",
        "uri",
        "uris",
        "mapped_paths",
        "datadir",
        "data_hash",
        "lookup_key",
        "data_dig",
        "hiera3_backend",
        "options",
    ];
    let keys = if line.starts_with([' ', '-']) { LEVEL } else { TOP };
    keys.iter().map(|key| Item::new(*key, Kind::KEYWORD).rank(5).snippet(format!("{key}: $0"))).collect()
}

/// Functions and variables of interpolations.
fn in_interpolation<'v>(view: &View<'_>, inside: &'v str) -> Items<'v> {
    if let Some((function, argument)) = inside.split_once('(') {
        let prefix = argument.trim_start_matches(['\'', '"']);
        let is_lookup = matches!(function.trim(), "lookup" | "alias" | "hiera");
        return Items { items: if is_lookup { strings::data_keys(view) } else { Vec::new() }, prefix };
    }
    let path = inside.trim_start().trim_start_matches("::");
    if let Some(path) = path.strip_prefix("facts.") {
        let (head, last) = path.rsplit_once('.').unwrap_or(("", path));
        return Items { items: names::fact_keys(view, head), prefix: last };
    }
    let mut items: Vec<Item> = ["lookup", "alias", "literal", "scope"]
        .map(|name| Item::new(name, Kind::FUNCTION).rank(10).snippet(format!("{name}('$0')")))
        .into();
    items.extend(
        ["facts.", "trusted.", "trusted.certname", "environment", "module_name", "calling_module"]
            .map(|name| Item::new(name, Kind::VARIABLE).rank(5)),
    );
    Items { items, prefix: path }
}

/// The completions in an ERB template: the variables of the code that renders it.
pub fn in_erb<'v>(view: &'v View<'_>, offset: u32) -> Option<Items<'v>> {
    let before = view.text().get(..offset as usize)?;
    let open = before.rfind("<%")?;
    if before[open..].contains("%>") {
        return None;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let start = before.trim_end_matches(is_part).len();
    if !before[..start].ends_with('@') {
        return None;
    }
    let snapshot = view.snapshot?;
    let module = view.module()?;
    let inside = view.path.strip_prefix(module.root.join("templates")).ok()?;
    let name = format!("{}/{}", module.name, inside.to_str()?);
    let mut items = Vec::new();
    for by in symbols::renderers(snapshot, &name) {
        let index = &snapshot.index;
        let Some(definition) = index.classes.get(by).or_else(|| index.defines.get(by)) else { continue };
        let parameters = definition.parameters.iter().map(|one| (&one.name, one.ty.as_deref()));
        let variables = definition.variables.iter().map(|name| (name, None));
        items.extend(parameters.chain(variables).map(|(name, ty)| {
            Item::new(name.to_string(), Kind::VARIABLE).rank(5).detail(ty.unwrap_or_default())
        }));
    }
    let facts = view.index().into_iter().flat_map(|index| index.facts.names());
    items.extend(facts.map(|name| Item::new(name, Kind::VARIABLE).rank(30).detail("fact")));
    Some(Items { items, prefix: &before[start..] })
}
