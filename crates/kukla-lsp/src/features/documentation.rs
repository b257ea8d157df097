//! Documentation in Markdown, for hovers and completions.

use std::path::Path;

use kukla::syntax::Source;
use kukla::values::{Name, Shown, Type};
use kukla_check::reference::Reference;
use kukla_check::reference::docstring::Docstring;
use kukla_check::reference::entry;
use kukla_check::repository::{Callee, Definition, Form, Kind, Resource, facts};
use kukla_check::symbols::{self, Owner, Symbol};

use crate::view::{ParameterDetails, View};

/// The documentation of a resolved symbol; `None` if nothing is known of it.
pub fn of_symbol(view: &View<'_>, symbol: &Symbol) -> Option<String> {
    let index = view.index()?;
    match symbol {
        Symbol::Class(name) => index.classes.get(name).map(|class| of_definition(view, class)),
        Symbol::ResourceType(name) => of_resource_type(view, name),
        Symbol::Function(name) => of_function(view, name),
        Symbol::DataType(name) | Symbol::Capitalized(name) => match index.aliases.get(name) {
            Some(alias) => Some(of_definition(view, alias)),
            None => Some(format!("```puppet\ntype {}\n```", capitalize(name))),
        },
        Symbol::Variable { owner, name } => of_variable(view, symbol, owner, name),
        Symbol::Attribute { kind, name } => of_attribute(view, kind, name),
        Symbol::Resource { kind, title } => Some(format!("```puppet\n{}['{title}']\n```", capitalize(kind))),
        Symbol::DataKey(key) => Some(of_data_key(view, key)),
        Symbol::Fact(path) => Some(of_fact(view, path)),
        Symbol::Template(name) => {
            let parameters = index.templates.get(name.as_str()).and_then(Option::as_ref);
            let list = parameters.map(|list| {
                let list: Vec<String> = list
                    .iter()
                    .map(|one| parameter_text(&one.name, one.ty.as_deref(), one.has_default))
                    .collect();
                format!("\n\n```puppet\n<%- | {} | -%>\n```", list.join(", "))
            });
            Some(format!("Template `{name}`{}", list.unwrap_or_default()))
        }
        Symbol::File(name) => Some(format!("File `{name}`")),
    }
}

/// A name with capitals, as references have it.
pub fn capitalize(name: &str) -> String {
    let parts = name.split("::").map(|part| {
        let mut letters = part.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    });
    parts.collect::<Vec<_>>().join("::")
}

fn parameter_text(name: &str, ty: Option<&str>, has_default: bool) -> String {
    let ty = ty.map(|ty| format!("{ty} ")).unwrap_or_default();
    let default = if has_default { " = …" } else { "" };
    format!("{ty}${name}{default}")
}

/// The entry of a definition in the reference of its file.
pub fn reference_of(view: &View<'_>, source: &Source) -> Reference {
    let mut reference = Reference::default();
    let path = source.name().unwrap_or_default();
    let texts = view.snapshot.map(|snapshot| &snapshot.texts);
    if let Some(checked) = texts.and_then(|texts| texts.get(Path::new(path))) {
        reference.add_manifest(path, &checked.text.source, &checked.text.tree);
    }
    reference
}

/// The documentation of a definition in Puppet.
pub fn of_definition(view: &View<'_>, definition: &Definition) -> String {
    let reference = reference_of(view, &definition.source);
    let is_it = |name: &str| name.trim_start_matches("::").eq_ignore_ascii_case(&definition.name);
    match definition.kind {
        Kind::Class | Kind::Define => {
            let all = if definition.kind == Kind::Class { &reference.classes } else { &reference.defines };
            let keyword = if definition.kind == Kind::Class { "class" } else { "define" };
            match all.iter().find(|entry| is_it(&entry.name)) {
                Some(entry) => {
                    let parent = entry.inherits.as_ref().map(|parent| format!(" inherits {parent}"));
                    let head = format!("{keyword} {}", entry.name);
                    let code = signature(&head, &entry.parameters, &parent.unwrap_or_default());
                    document(&code, &entry.docstring, &entry.parameters)
                }
                None => format!("```puppet\n{keyword} {}\n```", definition.name),
            }
        }
        Kind::Function => match reference.functions.iter().find(|entry| is_it(&entry.name)) {
            Some(entry) => {
                let returns = definition.ty.as_ref().map(|ty| format!(" >> {ty}"));
                let head = format!("function {}", entry.name);
                let code = signature(&head, &entry.parameters, &returns.unwrap_or_default());
                document(&code, &entry.docstring, &entry.parameters)
            }
            None => format!("```puppet\nfunction {}\n```", definition.name),
        },
        Kind::Alias => match reference.aliases.iter().find(|entry| is_it(&entry.name)) {
            Some(entry) => {
                let code = format!("type {} = {}", entry.name, entry.alias_of);
                document(&code, &entry.docstring, &[])
            }
            None => format!("```puppet\ntype {}\n```", capitalize(&definition.name)),
        },
    }
}

fn signature(head: &str, parameters: &[entry::Parameter], tail: &str) -> String {
    if parameters.is_empty() {
        return format!("{head}{tail}");
    }
    let lines = parameters.iter().map(|one| {
        let ty = one.ty.as_ref().map(|ty| format!("{ty} ")).unwrap_or_default();
        let default = one.default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
        let (mark, name) = match one.name.strip_prefix(['*', '&']) {
            Some(name) => (&one.name[..1], name),
            None => ("", one.name.as_str()),
        };
        format!("  {ty}{mark}${name}{default},\n")
    });
    format!("{head} (\n{}){tail}", lines.collect::<String>())
}

/// A signature with documentation under it.
fn document(code: &str, docstring: &Docstring, parameters: &[entry::Parameter]) -> String {
    let mut out = format!("```puppet\n{code}\n```");
    let summary = docstring.tag_text("summary").unwrap_or_default().trim();
    for text in [summary, docstring.text.trim()] {
        if !text.is_empty() {
            out.push_str("\n\n");
            out.push_str(text);
        }
    }
    let mut is_first = true;
    for parameter in parameters {
        let name = parameter.name.trim_start_matches(['*', '&']);
        let text = docstring.parameter(name).and_then(|tag| tag.text.as_deref()).unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        out.push_str(if is_first { "\n\n" } else { "\n" });
        is_first = false;
        out.push_str(&format!("- `${name}`: {}", text.replace('\n', "\n  ")));
    }
    if let Some(returned) = docstring.tag_text("return").map(str::trim).filter(|text| !text.is_empty()) {
        out.push_str(&format!("\n\nReturns: {returned}"));
    }
    if docstring.is_private() {
        out.push_str("\n\n*Private: not meant for other modules.*");
    }
    for example in docstring.named("example") {
        let text = example.text.as_deref().unwrap_or_default().trim_matches('\n');
        out.push_str(&format!("\n\n```puppet\n{text}\n```"));
    }
    out
}

/// A type, in which aliases are named without their definitions.
pub fn type_name(ty: &Type) -> String {
    kukla_check::without_definitions(&ty.to_string())
}

/// The text of a signature of a function.
pub fn form_text(name: &str, form: &Form) -> String {
    let parameters = form.parameters.iter().enumerate().map(|(at, (parameter, ty))| {
        let is_last = at + 1 == form.parameters.len();
        let star = if form.rest && is_last { "*" } else { "" };
        let optional = if at >= form.required && star.is_empty() { " = …" } else { "" };
        format!("{} {star}${parameter}{optional}", type_name(ty))
    });
    let returns = form.returns.as_ref().map(|ty| format!(" >> {}", type_name(ty))).unwrap_or_default();
    format!("{name}({}){returns}", parameters.collect::<Vec<_>>().join(", "))
}

/// The documentation of a function.
pub fn of_function(view: &View<'_>, name: &str) -> Option<String> {
    let index = view.index()?;
    let callee = index.function(name, false);
    let forms = index.forms(&callee);
    let code: Vec<String> = forms.iter().map(|form| form_text(name, form)).collect();
    let code = format!("```puppet\n{}\n```", code.join("\n"));
    match callee {
        Callee::Builtin(function) => Some(format!("{code}\n\n{}", builtin_text(function.builtin.doc))),
        Callee::Puppet(definition) => Some(of_definition(view, &definition)),
        Callee::Ruby(_) => {
            let place =
                symbols::definitions(view.snapshot?, &Symbol::Function(name.into())).into_iter().next()?;
            let reference = ruby_reference(view, &place.path);
            let entry = reference.functions.iter().find(|entry| entry.name == name);
            let text = entry.map(|entry| entry.docstring.text.trim().to_owned()).unwrap_or_default();
            Some(format!("{code}\n\n{text}"))
        }
        Callee::Elsewhere | Callee::Missing => {
            let known = kukla::registry().get(Name::new(name))?;
            Some(builtin_text(known.builtin.doc))
        }
    }
}

/// The documentation of a built-in function, without the blank that begins each line of a doc comment.
fn builtin_text(doc: &str) -> String {
    let lines: Vec<&str> = doc.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n").trim().to_owned()
}

/// The reference of a file in Ruby.
fn ruby_reference(view: &View<'_>, path: &Path) -> Reference {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Reference::default();
    };
    Reference::of_files(&*view.session.world, directory, &[name.to_string_lossy().into_owned()])
}

fn of_resource_type(view: &View<'_>, name: &str) -> Option<String> {
    let index = view.index()?;
    match index.resource(name, false) {
        Resource::Define(define) => Some(of_definition(view, &define)),
        Resource::Native(native) => {
            let mut out = format!("```puppet\n{name} {{ '…': }}\n```");
            if let Some(path) = index.ruby_type(name) {
                let reference = ruby_reference(view, path);
                if let Some(entry) = reference.types.iter().find(|entry| entry.name == name) {
                    out.push_str(&format!("\n\n{}", entry.docstring.text.trim()));
                }
            }
            let list =
                |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            out.push_str(&format!("\n\nProperties: {}", list(&native.properties)));
            out.push_str(&format!("\n\nParameters: {}", list(&native.parameters)));
            Some(out)
        }
        Resource::Elsewhere | Resource::Missing => None,
    }
}

fn of_attribute(view: &View<'_>, kind: &str, name: &str) -> Option<String> {
    let index = view.index()?;
    if kukla::catalog::types::is_metaparameter(name) {
        return Some(format!("Metaparameter `{name}`"));
    }
    let Resource::Native(native) = index.resource(kind, false) else { return None };
    let role = match native.attribute(name)? {
        kukla::catalog::types::AttributeKind::Property => "Property",
        _ => "Parameter",
    };
    let mut out = format!("{role} `{name}` of `{kind}`");
    if native.namevar() == name {
        out.push_str(", which names the resource");
    }
    if let Some(path) = index.ruby_type(kind) {
        let reference = ruby_reference(view, path);
        let entry = reference.types.iter().find(|entry| entry.name == kind);
        let attribute = entry.and_then(|entry| {
            let all = entry.properties.iter().chain(&entry.parameters).chain(&entry.checks);
            all.into_iter().find(|attribute| attribute.name == name)
        });
        if let Some(attribute) = attribute {
            out.push_str(&format!("\n\n{}", attribute.description.trim()));
            if !attribute.values.is_empty() {
                out.push_str(&format!("\n\nValues: {}", attribute.values.join(", ")));
            }
        }
    }
    Some(out)
}

/// A parameter with its default and its documentation.
fn documented_parameter(view: &View<'_>, symbol: &Symbol) -> Option<ParameterDetails> {
    let Symbol::Variable { owner, name } = symbol else { return None };
    let mut details = view.parameter(symbol)?;
    let definition = view.definition_of(owner)?;
    let reference = reference_of(view, &definition.source);
    let is_it = |own: &str| own.trim_start_matches("::").eq_ignore_ascii_case(&definition.name);
    let entries = reference
        .classes
        .iter()
        .chain(&reference.defines)
        .map(|one| (&one.name, &one.parameters, &one.docstring));
    let functions = reference.functions.iter().map(|one| (&one.name, &one.parameters, &one.docstring));
    let (_, parameters, docstring) = entries.chain(functions).find(|(own, ..)| is_it(own))?;
    details.default = parameters.iter().find(|one| one.name == **name).and_then(|one| one.default.clone());
    details.doc = docstring.parameter(name).and_then(|tag| tag.text.clone());
    Some(details)
}

fn of_variable(view: &View<'_>, symbol: &Symbol, owner: &Owner, name: &str) -> Option<String> {
    let from = match owner {
        Owner::Class(class) => format!("class `{class}`"),
        Owner::Define(define) => format!("defined type `{define}`"),
        Owner::Function(function) => format!("function `{function}`"),
        Owner::Template(template) => format!("template `{template}`"),
        Owner::Top => "the top scope".into(),
        Owner::Block(..) => "this block".into(),
    };
    let Some(parameter) = documented_parameter(view, symbol) else {
        return Some(format!("```puppet\n${name}\n```\n\nVariable of {from}"));
    };
    let mut out = format!("```puppet\n{}\n```\n\nParameter of {from}", parameter.text());
    if let Some(text) = parameter.doc {
        out.push_str(&format!("\n\n{}", text.trim()));
    }
    if let Owner::Class(class) = owner {
        out.push_str(&data_values(view, &format!("{class}::{name}")));
    }
    Some(out)
}

/// The values that data files have for a key.
fn data_values(view: &View<'_>, key: &str) -> String {
    const MOST: usize = 8;
    let Some(snapshot) = view.snapshot else { return String::new() };
    let mut lines = Vec::new();
    for file in &snapshot.data.files {
        let root = snapshot.index.survey.root.as_path();
        let path = Path::new(&file.path).strip_prefix(root).unwrap_or(Path::new(&file.path));
        for entry in file.entries.iter().filter(|entry| entry.key == key) {
            let is_secret = matches!(entry.value.as_str(), Some(text) if text.contains("ENC["));
            let value = if is_secret {
                "(encrypted)".into()
            } else {
                shorten(&Shown::of(&entry.value).to_string(), 80)
            };
            lines.push(format!("- `{}`: `{}`", path.display(), value.replace('`', "'")));
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    format!("\n\nIn data:\n{}", lines.join("\n"))
}

/// A text of at most that many characters.
pub fn shorten(text: &str, most: usize) -> String {
    let line = text.replace('\n', " ");
    if line.chars().count() <= most {
        return line;
    }
    let start: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{start}…")
}

fn of_data_key(view: &View<'_>, key: &str) -> String {
    format!("Data key `{key}`{}", data_values(view, key))
}

/// The documentation of a fact, with its value on the chosen node.
fn of_fact(view: &View<'_>, path: &str) -> String {
    let mut out = format!("Fact `{path}`");
    if let Some(structured) = facts::structured_name(path) {
        out.push_str(&format!("\n\nLegacy fact, now `$facts['{}']`", structured.replace('.', "']['")));
    }
    if let Some((node, value)) = crate::features::node::fact(view, path) {
        let value = shorten(&Shown::of(&value).to_string(), 200).replace('`', "'");
        out.push_str(&format!("\n\nOn `{node}`: `{value}`"));
    }
    out
}
