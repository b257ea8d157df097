//! The reference as JSON, as puppet-strings writes it.

use super::Reference;
use super::docstring::Docstring;
use super::entry::{
    Attribute, DataType, Definition, Function, FunctionKind, Literal, Origin, Overload, Parameter, Provider,
    ResourceType, Task, TypeAlias,
};
use super::markdown::{data_type_signature, parameters_of, selected};
use super::signature;
use super::tag::Tag;

/// A JSON value; members of objects keep their order.
enum Json {
    Null,
    Plain(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// The whole document, with a line feed at its end.
pub fn document(reference: &Reference) -> String {
    fn list<T>(all: &[T], name: impl Fn(&T) -> &str, make: impl Fn(&T) -> Json) -> Json {
        let mut sorted: Vec<&T> = all.iter().collect();
        sorted.sort_by(|a, b| name(a).cmp(name(b)));
        Json::List(sorted.into_iter().map(make).collect())
    }
    let providers = |ty: &ResourceType| -> Vec<&Provider> {
        let mut own: Vec<&Provider> =
            reference.providers.iter().filter(|one| one.type_name == ty.name).collect();
        own.sort_by(|a, b| a.name.cmp(&b.name));
        own
    };
    let document = object([
        ("puppet_classes", list(&reference.classes, |one| &one.name, definition)),
        ("data_types", list(&reference.data_types, |one| &one.name, data_type)),
        ("data_type_aliases", list(&reference.aliases, |one| &one.name, alias)),
        ("defined_types", list(&reference.defines, |one| &one.name, definition)),
        ("resource_types", list(&reference.types, |one| &one.name, |ty| resource_type(ty, &providers(ty)))),
        ("providers", list(&reference.providers, |one| &one.name, provider)),
        ("puppet_functions", list(&reference.functions, |one| &one.name, function)),
        ("puppet_tasks", list(&reference.tasks, |one| &one.name, task)),
        ("puppet_plans", list(&reference.plans, |one| &one.name, definition)),
    ]);
    let mut out = String::new();
    document.write(&mut out, 0);
    out.push('\n');
    out
}

impl Json {
    fn write(&self, out: &mut String, level: usize) {
        let line = |out: &mut String, level: usize| {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", level));
        };
        match self {
            Json::Null => out.push_str("null"),
            Json::Plain(text) => out.push_str(text),
            Json::Text(text) => out.push_str(&serde_json::Value::String(text.clone()).to_string()),
            Json::List(all) => {
                out.push('[');
                for (at, one) in all.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    line(out, level + 1);
                    kukla::syntax::deep(|| one.write(out, level + 1));
                }
                if all.is_empty() {
                    out.push('\n');
                }
                line(out, level);
                out.push(']');
            }
            Json::Object(members) if members.is_empty() => out.push_str("{}"),
            Json::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    line(out, level + 1);
                    Json::Text(key.clone()).write(out, level + 1);
                    out.push_str(": ");
                    kukla::syntax::deep(|| value.write(out, level + 1));
                }
                line(out, level);
                out.push('}');
            }
        }
    }
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn text(text: impl Into<String>) -> Json {
    Json::Text(text.into())
}

/// The members that every entry begins with.
fn head(name: &str, origin: &Origin) -> Vec<(String, Json)> {
    vec![
        ("name".into(), text(name)),
        ("file".into(), text(&origin.file)),
        ("line".into(), Json::Plain(origin.line.to_string())),
    ]
}

fn literal(value: &Literal) -> Json {
    match value {
        Literal::Nil => Json::Null,
        Literal::Boolean(value) => Json::Plain(value.to_string()),
        Literal::Number(number) => Json::Plain(number.clone()),
        Literal::Text(value) => text(value),
        Literal::Array(all) => Json::List(all.iter().map(literal).collect()),
        Literal::Hash(entries) => {
            Json::Object(entries.iter().map(|(key, value)| (key.text(), literal(value))).collect())
        }
    }
}

fn types(tag: &Tag) -> Option<Json> {
    let types = tag.types.as_ref()?;
    Some(Json::List(types.iter().map(|ty| ty.as_ref().map_or(Json::Null, text)).collect()))
}

fn tag(tag: &Tag) -> Json {
    let mut members = vec![("tag_name".to_owned(), text(&tag.name))];
    let optional = |value: &Option<String>| value.as_ref().map_or(Json::Null, text);
    if let Some(pair) = &tag.pair {
        members.push(("opt_name".into(), optional(&pair.subject)));
        members.push(("opt_text".into(), optional(&pair.text)));
        members.extend(types(pair).map(|types| ("opt_types".into(), types)));
        members.push(("parent".into(), optional(&tag.subject)));
    }
    members.extend(tag.text.as_ref().map(|value| ("text".into(), text(value))));
    members.extend(types(tag).map(|types| ("types".into(), types)));
    members.extend(tag.subject.as_ref().map(|value| ("name".into(), text(value))));
    Json::Object(members)
}

fn docstring(docstring: &Docstring) -> Json {
    let mut members = vec![("text".to_owned(), text(&docstring.text))];
    let is_public = |one: &&Tag| one.name == "api" && one.text.as_deref() == Some("public");
    let tags: Vec<Json> =
        docstring.sorted_tags().into_iter().filter(|one| !is_public(one)).map(tag).collect();
    if !tags.is_empty() {
        members.push(("tags".into(), Json::List(tags)));
    }
    Json::Object(members)
}

fn defaults(parameters: &[Parameter]) -> Option<(String, Json)> {
    let mut members: Vec<(String, Json)> = Vec::new();
    for parameter in parameters {
        if let Some(default) = &parameter.default {
            members.retain(|(name, _)| *name != parameter.name);
            members.push((parameter.name.clone(), text(default)));
        }
    }
    (!members.is_empty()).then(|| ("defaults".to_owned(), Json::Object(members)))
}

fn source(source: &str) -> Option<(String, Json)> {
    (!source.is_empty()).then(|| ("source".to_owned(), text(source)))
}

fn definition(one: &Definition) -> Json {
    let mut members = head(&one.name, &one.origin);
    members.extend(one.inherits.as_ref().map(|parent| ("inherits".to_owned(), text(parent))));
    members.push(("docstring".into(), docstring(&one.docstring)));
    members.extend(defaults(&one.parameters));
    members.extend(source(&one.source));
    Json::Object(members)
}

fn function(one: &Function) -> Json {
    let mut members = head(&one.name, &one.origin);
    let kind = match one.kind {
        FunctionKind::Puppet => "puppet",
        FunctionKind::Ruby4x => "ruby4x",
        FunctionKind::Ruby3x => "ruby3x",
    };
    members.push(("type".into(), text(kind)));
    let write = |overload: &Overload| {
        object([
            ("signature", text(signature(&one.name, overload))),
            ("docstring", docstring(&selected(&overload.docstring))),
        ])
    };
    let only = Overload {
        parameters: one.parameters.clone(),
        docstring: one.docstring.clone(),
        ..Overload::default()
    };
    let is_overloaded = one.overloads.len() > 1;
    let signatures =
        if is_overloaded { one.overloads.iter().map(write).collect() } else { vec![write(&only)] };
    members.push(("signatures".into(), Json::List(signatures)));
    let mut whole = docstring(&one.docstring);
    if is_overloaded && let Json::Object(members) = &mut whole {
        let overloads = one.overloads.iter().map(|overload| overload_tag(&one.name, overload));
        add_overloads(members, &one.docstring, overloads.collect());
    }
    members.push(("docstring".into(), whole));
    members.extend(defaults(&one.parameters));
    members.extend(source(&one.source));
    Json::Object(members)
}

/// The overloads are tags of the function, among the others by name.
fn add_overloads(members: &mut Vec<(String, Json)>, docstring: &Docstring, overloads: Vec<Json>) {
    let is_before = |one: &&&Tag| {
        one.name.as_str() < "overload" && !(one.name == "api" && one.text.as_deref() == Some("public"))
    };
    let before = docstring.sorted_tags().iter().filter(is_before).count();
    match members.iter_mut().find(|(key, _)| key == "tags") {
        Some((_, Json::List(tags))) => drop(tags.splice(before..before, overloads)),
        _ => members.push(("tags".into(), Json::List(overloads))),
    }
}

fn overload_tag(name: &str, overload: &Overload) -> Json {
    let mut members = vec![
        ("tag_name".to_owned(), text("overload")),
        ("signature".to_owned(), text(signature(name, overload))),
        ("docstring".to_owned(), docstring(&overload.docstring)),
    ];
    members.extend(defaults(&overload.parameters));
    members.push(("name".into(), text(name)));
    Json::Object(members)
}

fn alias(one: &TypeAlias) -> Json {
    let mut members = head(&one.name, &one.origin);
    members.push(("docstring".into(), docstring(&one.docstring)));
    members.push(("alias_of".into(), text(&one.alias_of)));
    Json::Object(members)
}

fn data_type(one: &DataType) -> Json {
    let mut members = head(&one.name, &one.origin);
    members.push(("docstring".into(), docstring(&selected(&one.docstring))));
    if !one.defaults.is_empty() {
        let entries = one.defaults.iter().map(|(name, value)| (name.clone(), literal(value)));
        members.push(("defaults".into(), Json::Object(entries.collect())));
    }
    let functions = one.functions.iter().map(|function| {
        object([
            ("name", text(&function.name)),
            ("signature", text(data_type_signature(&one.name, function))),
            ("docstring", docstring(&function.docstring)),
        ])
    });
    members.push(("functions".into(), Json::List(functions.collect())));
    Json::Object(members)
}

fn attribute(one: &Attribute) -> Json {
    let mut members = vec![("name".to_owned(), text(&one.name))];
    let mut add = |key: &str, value: Option<Json>| members.extend(value.map(|value| (key.to_owned(), value)));
    add("description", (!one.description.is_empty()).then(|| text(&one.description)));
    let values = || Json::List(one.values.iter().map(text).collect());
    add("values", (!one.values.is_empty()).then(values));
    add("data_type", one.data_type.as_ref().map(text));
    let aliases = || Json::Object(one.aliases.iter().map(|(new, old)| (new.clone(), text(old))).collect());
    add("aliases", (!one.aliases.is_empty()).then(aliases));
    add("isnamevar", one.is_namevar.then(|| Json::Plain("true".into())));
    add("required_features", one.required_features.as_ref().map(text));
    add("default", one.default.as_ref().map(literal));
    Json::Object(members)
}

fn resource_type(one: &ResourceType, providers: &[&Provider]) -> Json {
    let mut members = head(&one.name, &one.origin);
    members.push(("docstring".into(), docstring(&one.docstring)));
    let mut add = |key: &str, mut all: Vec<Attribute>| {
        all.sort_by(|a, b| a.name.cmp(&b.name));
        if !all.is_empty() {
            members.push((key.to_owned(), Json::List(all.iter().map(attribute).collect())));
        }
    };
    add("properties", one.properties.clone());
    add("parameters", parameters_of(one, !providers.is_empty()));
    add("checks", one.checks.clone());
    let mut features: Vec<&(String, String)> = one.features.iter().collect();
    features.sort_by(|a, b| a.0.cmp(&b.0));
    if !features.is_empty() {
        let feature = |(name, description): &(String, String)| {
            let mut members = vec![("name".to_owned(), text(name))];
            if !description.is_empty() {
                members.push(("description".into(), text(description)));
            }
            Json::Object(members)
        };
        members.push(("features".into(), Json::List(features.into_iter().map(feature).collect())));
    }
    if !providers.is_empty() {
        members.push(("providers".into(), Json::List(providers.iter().map(|one| provider(one)).collect())));
    }
    Json::Object(members)
}

fn provider(one: &Provider) -> Json {
    let Origin { file, line, .. } = &one.origin;
    let mut members = vec![
        ("name".to_owned(), text(&one.name)),
        ("type_name".to_owned(), text(&one.type_name)),
        ("file".to_owned(), text(file)),
        ("line".to_owned(), Json::Plain(line.to_string())),
        ("docstring".to_owned(), docstring(&one.docstring)),
    ];
    let pairs = |pairs: &[(String, String)]| {
        Json::Object(pairs.iter().map(|(key, value)| (key.clone(), text(value))).collect())
    };
    if !one.confines.is_empty() {
        members.push(("confines".into(), pairs(&one.confines)));
    }
    if !one.features.is_empty() {
        members.push(("features".into(), Json::List(one.features.iter().map(text).collect())));
    }
    if !one.defaults.is_empty() {
        let pair = |(key, value): &(String, String)| Json::List(vec![text(key), text(value)]);
        let lists = one.defaults.iter().map(|list| Json::List(list.iter().map(pair).collect()));
        members.push(("defaults".into(), Json::List(lists.collect())));
    }
    if !one.commands.is_empty() {
        members.push(("commands".into(), pairs(&one.commands)));
    }
    Json::Object(members)
}

fn task(one: &Task) -> Json {
    let tags = one.docstring.tags.iter().map(|tag| {
        let types = tag.types.iter().flatten().map(|ty| ty.as_ref().map_or(Json::Null, text));
        object([
            ("name", text(tag.subject.clone().unwrap_or_default())),
            ("tag_name", text("param")),
            ("text", text(tag.text.clone().unwrap_or_default())),
            ("types", Json::List(types.collect())),
        ])
    });
    let mut members = head(&one.name, &one.origin);
    let docstring = object([("text", text(&one.docstring.text)), ("tags", Json::List(tags.collect()))]);
    members.push(("docstring".into(), docstring));
    members.push(("source".into(), text(&one.source)));
    members.push(("supports_noop".into(), literal(&one.supports_noop)));
    members.push(("input_method".into(), literal(&one.input_method)));
    Json::Object(members)
}
