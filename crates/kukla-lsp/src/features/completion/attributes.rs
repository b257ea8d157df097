//! Attributes of resources, and their values.

use kukla::catalog::types::METAPARAMETERS;
use kukla::values::Type;
use kukla_check::repository::{Definition, Resource, plain};
use lsp_types::CompletionItemKind as Kind;
use std::sync::Arc;

use super::Item;
use super::context::ResourceBody;
use crate::view::View;

/// The definition of a class that a resource body declares.
fn class(view: &View<'_>, body: &ResourceBody<'_>) -> Option<Arc<Definition>> {
    let title = body.title?.trim_matches(['\'', '"']);
    view.index()?.classes.get(&plain(title)).cloned()
}

/// The names of the attributes that a resource can have and does not have yet, required ones first.
pub fn names(view: &View<'_>, body: &ResourceBody<'_>) -> Vec<Item> {
    let Some(index) = view.index() else { return Vec::new() };
    let present = body.names();
    let mut items: Vec<Item> = Vec::new();
    let of_definition = |definition: &Definition| {
        let parameters = definition.parameters.iter().map(|parameter| {
            let rank = if parameter.has_default { 10 } else { 1 };
            let ty = parameter.ty.as_deref().unwrap_or("Any");
            let detail = if parameter.has_default { ty.to_owned() } else { format!("{ty} (required)") };
            Item::new(parameter.name.to_string(), Kind::FIELD).rank(rank).detail(detail)
        });
        parameters.collect::<Vec<_>>()
    };
    if body.kind == "class" {
        items.extend(class(view, body).map(|class| of_definition(&class)).unwrap_or_default());
    } else {
        match index.resource(&body.kind, false) {
            Resource::Define(define) => items.extend(of_definition(&define)),
            Resource::Native(native) => {
                let namevar = native.namevar();
                items.extend(native.attributes().map(|name| {
                    let rank = match name {
                        "ensure" => 2,
                        name if name == namevar => 20,
                        _ => 10,
                    };
                    Item::new(name, Kind::PROPERTY).rank(rank)
                }));
            }
            Resource::Elsewhere | Resource::Missing => {}
        }
    }
    let is_usual = |name: &str| matches!(name, "require" | "before" | "notify" | "subscribe");
    items.extend(METAPARAMETERS.iter().map(|name| {
        Item::new(*name, Kind::PROPERTY).rank(if is_usual(name) { 30 } else { 40 }).detail("metaparameter")
    }));
    items.retain(|item| !present.contains(&item.label.as_str()));
    items
        .into_iter()
        .map(|item| {
            let snippet = format!("{} => $0,", item.label);
            item.snippet(snippet)
        })
        .collect()
}

/// The values that an attribute takes.
pub fn values(view: &View<'_>, body: &ResourceBody<'_>, attribute: &str) -> Vec<Item> {
    let Some(index) = view.index() else { return Vec::new() };
    let definition =
        if body.kind == "class" { class(view, body) } else { index.defines.get(body.kind.as_str()).cloned() };
    if let Some(parameter) = definition.as_ref().and_then(|definition| definition.parameter(attribute)) {
        let ty = parameter.ty.as_ref().and_then(|ty| index.types.read(ty));
        return ty.map(|ty| of_type(&ty)).unwrap_or_default();
    }
    native(&body.kind, attribute).iter().map(|value| Item::new(*value, Kind::ENUM_MEMBER).rank(1)).collect()
}

/// The usual values of attributes of resource types of the agent.
fn native(kind: &str, attribute: &str) -> &'static [&'static str] {
    match (kind, attribute) {
        ("file", "ensure") => &["file", "directory", "link", "absent", "present"],
        ("package", "ensure") => &["installed", "latest", "absent", "purged", "present", "held"],
        ("service", "ensure") => &["running", "stopped"],
        ("service", "enable") => &["true", "false", "mask", "manual", "delayed"],
        (_, "ensure") => &["present", "absent"],
        ("exec", "logoutput") => &["on_failure", "true", "false"],
        (_, "loglevel") => {
            &["debug", "info", "notice", "warning", "err", "alert", "emerg", "crit", "verbose"]
        }
        (
            _,
            "recurse" | "purge" | "force" | "replace" | "backup" | "refreshonly" | "hasstatus" | "hasrestart"
            | "managehome" | "system" | "allowdupe" | "noop" | "show_diff",
        ) => &["true", "false"],
        _ => &[],
    }
}

/// The values of a type that can be listed.
pub fn of_type(ty: &Type) -> Vec<Item> {
    let mut values = Vec::new();
    collect(ty, &mut values, 0);
    values.into_iter().map(|value| Item::new(value, Kind::ENUM_MEMBER).rank(1)).collect()
}

fn collect(ty: &Type, values: &mut Vec<String>, depth: usize) {
    if depth > 8 {
        return;
    }
    match ty.unaliased() {
        Type::Boolean(only) => match only {
            Some(value) => values.push(value.to_string()),
            None => values.extend(["true".to_owned(), "false".to_owned()]),
        },
        Type::Literal(text) => values.push(format!("'{text}'")),
        Type::Enum(list) => values.extend(list.values.iter().map(|text| format!("'{text}'"))),
        Type::Optional(inner) => {
            if let Some(inner) = inner {
                collect(inner, values, depth + 1);
            }
            values.push("undef".to_owned());
        }
        Type::Variant(all) => all.iter().for_each(|one| collect(one, values, depth + 1)),
        Type::Undef => values.push("undef".to_owned()),
        _ => {}
    }
}
