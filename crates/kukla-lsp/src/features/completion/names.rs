//! Names of classes, types, functions and variables.

use kukla::eval::registry::FunctionOrigin;
use kukla::values::{Name, Shown, Str};
use kukla_check::repository::facts;
use kukla_check::symbols::{Owner, Role, Symbol};
use lsp_types::CompletionItemKind as Kind;
use rustc_hash::FxHashSet;

use super::Item;
use super::context::Cursor;
use crate::features::documentation::capitalize;
use crate::view::View;

/// The rank of a name: those of the same module come first.
fn rank(view: &View<'_>, name: &str) -> u32 {
    let module = name.split("::").next().unwrap_or(name);
    let is_own = view.module().is_some_and(|own| own.name == module);
    match view.index().and_then(|index| index.survey.module(module)) {
        _ if is_own => 10,
        Some(module) if module.is_third_party => 30,
        _ => 20,
    }
}

/// Classes.
pub fn classes(view: &View<'_>) -> Vec<Item> {
    let classes = view.index().into_iter().flat_map(|index| index.classes.keys());
    let item = |name: &Str| {
        Item::new(name.to_string(), Kind::CLASS).rank(rank(view, name)).of(Symbol::Class(name.clone()))
    };
    classes.map(item).collect()
}

/// Resource types and statements, each with a body to fill in.
pub fn statements(view: &View<'_>) -> Vec<Item> {
    let index = view.index();
    let mut items: Vec<Item> = Vec::new();
    for name in index.into_iter().flat_map(|index| index.resource_names()) {
        let is_common =
            matches!(name, "file" | "package" | "service" | "exec" | "user" | "group" | "cron" | "notify");
        let is_define = index.is_some_and(|index| index.defines.contains_key(name));
        let own = if is_define { rank(view, name) } else { 25 };
        let item = Item::new(name, Kind::STRUCT)
            .rank(if is_common { 5 } else { own })
            .snippet(format!("{name} {{ '${{1:title}}':\n  $0\n}}"))
            .of(Symbol::ResourceType(name.into()));
        items.push(if is_define { item.detail("defined type") } else { item.detail("resource type") });
    }
    const SNIPPETS: &[(&str, &str)] = &[
        ("if", "if ${1:condition} {\n  $0\n}"),
        ("unless", "unless ${1:condition} {\n  $0\n}"),
        ("case", "case ${1:value} {\n  ${2:option}: {\n    $0\n  }\n  default: {}\n}"),
        ("class", "class ${1:name} (\n  $2\n) {\n  $0\n}"),
        ("define", "define ${1:name} (\n  $2\n) {\n  $0\n}"),
        ("function", "function ${1:name}($2) >> ${3:Any} {\n  $0\n}"),
        ("node", "node '${1:name}' {\n  $0\n}"),
        ("type", "type ${1:Name} = ${0:Type}"),
        ("include", "include $0"),
        ("contain", "contain $0"),
        ("require", "require $0"),
    ];
    items.extend(
        SNIPPETS.iter().map(|(word, snippet)| Item::new(*word, Kind::KEYWORD).rank(15).snippet(*snippet)),
    );
    items
}

/// The names and words of expressions.
pub fn expressions(view: &View<'_>) -> Vec<Item> {
    let mut items = functions(view, false);
    items.extend(types(view));
    let words = ["true", "false", "undef", "default", "and", "or", "in", "elsif", "else"];
    items.extend(words.map(|word| Item::new(word, Kind::KEYWORD).rank(40)));
    items
}

/// Functions; as methods without those that take no receiver.
pub fn functions(view: &View<'_>, as_methods: bool) -> Vec<Item> {
    let Some(index) = view.index() else { return Vec::new() };
    let item = |name: &str| {
        let own = index.functions.contains_key(name);
        let builtin = kukla::registry().get(Name::new(name));
        let is_core = builtin.is_some_and(|found| matches!(found.origin, FunctionOrigin::Core));
        let rank = if own {
            rank(view, name)
        } else if is_core {
            32
        } else {
            35
        };
        let is_statement =
            matches!(name, "include" | "contain" | "require" | "notice" | "warning" | "err" | "fail");
        let takes_block = matches!(
            name,
            "each"
                | "map"
                | "filter"
                | "reduce"
                | "any"
                | "all"
                | "with"
                | "then"
                | "tap"
                | "lest"
                | "reverse_each"
                | "flat_map"
        );
        let parameters = if name == "reduce" { "$memo, $value" } else { "$value" };
        let snippet = match (as_methods, takes_block) {
            (true, true) => format!("{name} |${{1:{}}}| {{\n  $0\n}}", parameters.replace('$', "\\$")),
            (true, false) => format!("{name}($0)"),
            (false, _) if is_statement => format!("{name} $0"),
            (false, _) => format!("{name}($0)"),
        };
        Item::new(name, Kind::FUNCTION).rank(rank).snippet(snippet).of(Symbol::Function(name.into()))
    };
    index.function_names().into_iter().map(item).collect()
}

/// Data types and references to resource types.
pub fn types(view: &View<'_>) -> Vec<Item> {
    const BUILTIN: &[&str] = &[
        "Any",
        "Array",
        "Binary",
        "Boolean",
        "Callable",
        "CatalogEntry",
        "Class",
        "Collection",
        "Data",
        "Default",
        "Deferred",
        "Enum",
        "Error",
        "Float",
        "Hash",
        "Init",
        "Integer",
        "Iterable",
        "Iterator",
        "NotUndef",
        "Numeric",
        "Object",
        "Optional",
        "Pattern",
        "Regexp",
        "Resource",
        "RichData",
        "Runtime",
        "Scalar",
        "ScalarData",
        "SemVer",
        "SemVerRange",
        "Sensitive",
        "String",
        "Struct",
        "Timespan",
        "Timestamp",
        "Tuple",
        "Type",
        "TypeSet",
        "Undef",
        "URI",
        "Variant",
    ];
    let mut items: Vec<Item> =
        BUILTIN.iter().map(|name| Item::new(*name, Kind::TYPE_PARAMETER).rank(22)).collect();
    let Some(index) = view.index() else { return items };
    items.extend(index.types.names().map(|name| {
        let symbol = Symbol::DataType(kukla_check::repository::plain(name));
        Item::new(name, Kind::TYPE_PARAMETER).rank(rank(view, &name.to_lowercase())).of(symbol)
    }));
    items.extend(index.resource_names().into_iter().map(|name| {
        Item::new(capitalize(name), Kind::STRUCT).rank(36).of(Symbol::ResourceType(name.into()))
    }));
    items
}

/// Variables that are visible at the cursor: those around it first, then facts, then those of classes.
pub fn variables(view: &View<'_>, offset: u32, cursor: &Cursor<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    let mut seen: FxHashSet<Str> = FxHashSet::default();
    let index = view.index();
    if let Some((class, _)) = cursor.word.rsplit_once("::").filter(|(class, _)| !class.is_empty()) {
        let class = class.trim_start_matches("::");
        let lineage = index.map(|index| index.lineage(class).0).unwrap_or_default();
        for class_of in lineage {
            let parameters = class_of.parameters.iter().map(|one| (&one.name, one.ty.as_deref()));
            let variables = class_of.variables.iter().map(|name| (name, None));
            for (name, ty) in parameters.chain(variables) {
                let item = Item::new(format!("{class}::{name}"), Kind::VARIABLE).rank(5);
                items.push(item.detail(ty.unwrap_or_default()));
            }
        }
    }
    let owner = owner_at(view, offset);
    for one in view.occurrences() {
        let Symbol::Variable { owner: own, name } = &one.symbol else { continue };
        let is_set = matches!(one.role, Role::Definition | Role::Write);
        let written = view.text()[..one.span.start as usize].ends_with('$');
        let is_local = match own {
            Owner::Block(_, start) => *start <= offset && one.span.start < offset,
            other => owner.as_ref().is_none_or(|owner| owner == other),
        };
        if is_set && written && is_local && seen.insert(name.clone()) {
            let details = view.parameter(&Symbol::Variable { owner: own.clone(), name: name.clone() });
            let ty = details.and_then(|details| details.ty).unwrap_or_default();
            items.push(Item::new(name.to_string(), Kind::VARIABLE).rank(1).detail(ty));
        }
    }
    for name in ["facts", "trusted", "server_facts", "title", "name", "module_name", "environment"] {
        items.push(Item::new(name, Kind::VARIABLE).rank(8));
    }
    for name in index.into_iter().flat_map(|index| index.variables.iter()) {
        items.push(Item::new(name.to_string(), Kind::VARIABLE).rank(12).detail("top scope"));
    }
    if cursor.word.is_empty() || cursor.word.contains(':') {
        let modules = index.into_iter().flat_map(|index| index.classes.keys());
        items.extend(
            modules.map(|class| Item::new(format!("{class}::"), Kind::CLASS).rank(rank(view, class) + 10)),
        );
    }
    items
}

/// The owner of the variables at an offset, outside of lambdas.
fn owner_at(view: &View<'_>, offset: u32) -> Option<Owner> {
    use kukla::syntax::SyntaxKind as K;
    let text = view.parsed()?;
    let is_scope = |kind| matches!(kind, K::ClassDefinition | K::DefineDefinition | K::FunctionDefinition);
    let around = text.tree.elements().filter(|node| is_scope(node.kind()) && node.span().contains(offset));
    let node = around.min_by_key(|node| node.span().len())?;
    let name = text.outline.definitions.iter().filter(|one| node.span().contains(one.span.start));
    let own = name.max_by_key(|one| one.span.start == node.start())?;
    Some(match own.kind {
        kukla_check::repository::Kind::Class => Owner::Class(own.name.clone()),
        kukla_check::repository::Kind::Define => Owner::Define(own.name.clone()),
        _ => Owner::Function(own.name.clone()),
    })
}

/// The keys of a fact, by the path that leads to it; the facts themselves for an empty path.
pub fn fact_keys(view: &View<'_>, path: &str) -> Vec<Item> {
    if let Some(value) = crate::features::node::fact_value(view, path)
        && let Some(hash) = value.as_hash()
    {
        let keys = hash.iter().filter_map(|(key, value)| Some((key.as_str()?, value)));
        return keys
            .map(|(key, value)| {
                let shown = crate::features::documentation::shorten(&Shown::of(value).to_string(), 40);
                Item::new(key, Kind::FIELD).rank(5).detail(shown)
            })
            .collect();
    }
    if path.is_empty() {
        let names = view.index().into_iter().flat_map(|index| index.facts.names());
        return names.map(|name| Item::new(name, Kind::FIELD).rank(10)).collect();
    }
    let inside = facts::inside(path).unwrap_or_default();
    inside.iter().map(|name| Item::new(*name, Kind::FIELD).rank(10)).collect()
}
