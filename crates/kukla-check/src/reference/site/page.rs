//! The pages of a site.

use std::fmt::Write;

use super::text::{escape, html, inline};
use super::{Site, SiteModule, User};
use crate::reference::docstring::Docstring;
use crate::reference::entry::{Attribute, Definition, FunctionKind, Origin, Overload};
use crate::reference::markdown::{anchor, parameters_of};
use crate::reference::signature;
use crate::reference::tag::Tag;

/// Adds formatted text to a page. Writing to a string cannot fail.
macro_rules! put {
    ($page:expr, $($format:tt)+) => {{
        let _ = write!($page, $($format)+);
    }};
}

/// A page around its contents. `up` leads from the page to the directory of the site.
fn frame(site: &Site, up: &str, title: &str, body: &str) -> String {
    let site_title = escape(&site.title);
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<title>{title}</title>\n<link rel=\"stylesheet\" href=\"{up}style.css\">\n<script>const UP = \"{up}\";</script>\n\
         <script src=\"{up}names.js\" defer></script>\n<script src=\"{up}search.js\" defer></script>\n</head>\n<body>\n<header><a \
         class=\"home\" href=\"{up}index.html\">{site_title}</a><div class=\"search\"><input id=\"search\" type=\"search\" placeholder=\"Search \
         (press /)\" aria-label=\"Search\" autocomplete=\"off\"><ol id=\"results\" hidden></ol></div></header>\n{body}</body>\n</html>\n"
    )
}

/// The page of all modules.
pub fn index(site: &Site) -> String {
    let mut body = format!("<main class=\"wide\">\n<h1>{}</h1>\n", escape(&site.title));
    for (title, is_third_party) in [("Modules", false), ("Third-party modules", true)] {
        let mut modules =
            site.modules.iter().filter(|module| module.is_third_party == is_third_party).peekable();
        if modules.peek().is_none() {
            continue;
        }
        put!(
            body,
            "<h2>{title}</h2>\n<div class=\"scroll\"><table>\n<tr><th>module<th>classes<th>defined types<th>functions<th>types<th>tasks, plans<th>summary\n"
        );
        for module in modules {
            let reference = &module.reference;
            let number = |n: usize| if n == 0 { String::new() } else { n.to_string() };
            put!(
                body,
                "<tr><td><a href=\"{0}.html\">{0}</a><td class=\"n\">{1}<td class=\"n\">{2}<td class=\"n\">{3}<td class=\"n\">{4}<td class=\"n\">{5}<td>{6}\n",
                escape(&module.name),
                number(reference.classes.len()),
                number(reference.defines.len()),
                number(reference.functions.len()),
                number(reference.types.len() + reference.aliases.len() + reference.data_types.len()),
                number(reference.tasks.len() + reference.plans.len()),
                inline(&module.summary),
            );
        }
        body.push_str("</table></div>\n");
    }
    body.push_str("</main>\n");
    frame(site, "", &site.title, &body)
}

/// The names that the search knows: name, kind, page and summary of each.
pub fn names(site: &Site) -> String {
    let mut rows = Vec::new();
    for module in &site.modules {
        rows.push((module.name.clone(), "module", format!("{}.html", module.name), module.summary.clone()));
        for section in sections(site, module) {
            for entry in section.entries {
                rows.push((entry.name.clone(), section.kind, link(&module.name, &entry.name), entry.summary));
                let parameters = entry.parameters.into_iter();
                rows.extend(parameters.map(|name| {
                    (
                        format!("{}::{name}", entry.name),
                        "parameter",
                        format!("{}.html#{}", module.name, parameter_id(&entry.name, &name)),
                        String::new(),
                    )
                }));
            }
        }
    }
    let rows: Vec<String> = rows
        .into_iter()
        .map(|(name, kind, page, summary)| serde_json::json!([name, kind, page, summary]).to_string())
        .collect();
    format!("const NAMES = [\n{}\n];\n", rows.join(",\n")).replace("</", "<\\/")
}

/// The entries of one kind.
struct Section {
    title: &'static str,
    kind: &'static str,
    entries: Vec<Entry>,
}

/// An entry: what the lists need, and its part of the page.
struct Entry {
    name: String,
    summary: String,
    is_private: bool,
    parameters: Vec<String>,
    html: String,
}

/// The page of a module.
pub fn module(site: &Site, module: &SiteModule) -> String {
    let sections = sections(site, module);
    let mut body = String::from("<nav>\n");
    for section in &sections {
        put!(body, "<h2>{}</h2>\n<ul>\n", section.title);
        for entry in &section.entries {
            let class = if entry.is_private { " class=\"private\"" } else { "" };
            put!(body, "<li><a{class} href=\"#{}\">{}</a>\n", anchor(&entry.name), escape(&entry.name));
        }
        body.push_str("</ul>\n");
    }
    put!(body, "</nav>\n<main>\n<h1>{}</h1>\n<p>{}</p>\n", escape(&module.name), inline(&module.summary));
    for section in &sections {
        for entry in &section.entries {
            put!(body, "<section id=\"{}\">\n{}</section>\n", anchor(&entry.name), entry.html);
        }
    }
    body.push_str("</main>\n");
    frame(site, "", &format!("{} – {}", module.name, site.title), &body)
}

fn link(module: &str, name: &str) -> String {
    format!("{module}.html#{}", anchor(name))
}

fn parameter_id(of: &str, name: &str) -> String {
    anchor(&format!("{of}--{name}"))
}

/// The path of the page with the code of a file.
pub fn source_path(module: &SiteModule, file: &str) -> String {
    format!("source/{}/{file}.html", module.name)
}

/// The page with the code of a file.
pub fn source(site: &Site, module: &SiteModule, file: &str, text: &str) -> String {
    let up = "../".repeat(source_path(module, file).matches('/').count());
    let name = std::path::Path::new(&module.path).join(file).to_string_lossy().into_owned();
    let mut body = format!("<main class=\"wide\">\n<h1>{}</h1>\n<pre class=\"source\">", escape(&name));
    for (at, line) in text.lines().enumerate() {
        put!(body, "<span id=\"L{0}\"><a href=\"#L{0}\">{0}</a>{1}\n</span>", at + 1, escape(line));
    }
    body.push_str("</pre>\n</main>\n");
    frame(site, &up, &name, &body)
}

fn sections(site: &Site, module: &SiteModule) -> Vec<Section> {
    let reference = &module.reference;
    let definitions = |all: &[Definition], kind: &'static str| -> Vec<Entry> {
        all.iter().map(|one| definition(site, module, one, kind)).collect()
    };
    let functions = reference.functions.iter().map(|one| {
        let kind = match one.kind {
            FunctionKind::Puppet => "function",
            FunctionKind::Ruby4x => "Ruby function",
            FunctionKind::Ruby3x => "legacy Ruby function",
        };
        let mut out = heading(site, module, &one.name, kind, &one.origin, &one.docstring);
        let whole = || {
            vec![Overload {
                parameters: one.parameters.clone(),
                docstring: one.docstring.clone(),
                ..Overload::default()
            }]
        };
        let overloads = if one.overloads.len() > 1 { one.overloads.clone() } else { whole() };
        let is_overloaded = overloads.len() > 1;
        for overload in overloads {
            put!(out, "<pre><code>{}</code></pre>\n", escape(&signature(&one.name, &overload)));
            if is_overloaded {
                out.push_str(&html(&overload.docstring.text));
            }
            tag_table(&mut out, &one.name, &overload.docstring, |_| String::new());
            for tag in overload.docstring.named("return") {
                put!(
                    out,
                    "<p>Returns <code>{}</code> {}</p>\n",
                    escape(tag.ty().unwrap_or_default()),
                    inline(tag.text.as_deref().unwrap_or_default())
                );
            }
            if is_overloaded {
                examples(&mut out, &overload.docstring);
            }
        }
        examples(&mut out, &one.docstring);
        entry(&one.name, &one.docstring, Vec::new(), out)
    });
    let aliases = reference.aliases.iter().map(|one| {
        let mut out = heading(site, module, &one.name, "type alias", &one.origin, &one.docstring);
        put!(out, "<pre><code>{}</code></pre>\n", escape(&one.alias_of));
        examples(&mut out, &one.docstring);
        entry(&one.name, &one.docstring, Vec::new(), out)
    });
    let data_types = reference.data_types.iter().map(|one| {
        let mut out = heading(site, module, &one.name, "data type", &one.origin, &one.docstring);
        tag_table(&mut out, &one.name, &one.docstring, |_| String::new());
        entry(&one.name, &one.docstring, Vec::new(), out)
    });
    let types = reference.types.iter().map(|one| {
        let mut out = heading(site, module, &one.name, "resource type", &one.origin, &one.docstring);
        used_by(&mut out, site, &one.name);
        let providers: Vec<&str> = reference
            .providers
            .iter()
            .filter(|provider| provider.type_name == one.name)
            .map(|provider| provider.name.as_str())
            .collect();
        if !providers.is_empty() {
            put!(out, "<p>Providers: {}</p>\n", escape(&providers.join(", ")));
        }
        attributes(&mut out, &one.name, "Properties", &one.properties);
        attributes(&mut out, &one.name, "Parameters", &parameters_of(one, !providers.is_empty()));
        examples(&mut out, &one.docstring);
        let names = one.properties.iter().chain(&one.parameters).map(|one| one.name.clone()).collect();
        entry(&one.name, &one.docstring, names, out)
    });
    let tasks = reference.tasks.iter().map(|one| {
        let mut out = heading(site, module, &one.name, "task", &one.origin, &one.docstring);
        tag_table(&mut out, &one.name, &one.docstring, |_| String::new());
        entry(
            &one.name,
            &Docstring { text: one.docstring.text.clone(), ..Docstring::default() },
            Vec::new(),
            out,
        )
    });
    let mut sections = vec![
        Section { title: "Classes", kind: "class", entries: definitions(&reference.classes, "class") },
        Section {
            title: "Defined types",
            kind: "defined type",
            entries: definitions(&reference.defines, "defined type"),
        },
        Section { title: "Resource types", kind: "resource type", entries: types.collect() },
        Section { title: "Functions", kind: "function", entries: functions.collect() },
        Section { title: "Data types", kind: "data type", entries: data_types.chain(aliases).collect() },
        Section { title: "Tasks", kind: "task", entries: tasks.collect() },
        Section { title: "Plans", kind: "plan", entries: definitions(&reference.plans, "plan") },
    ];
    sections.retain(|section| !section.entries.is_empty());
    for section in &mut sections {
        section.entries.sort_by(|a, b| a.name.cmp(&b.name));
    }
    sections
}

fn entry(name: &str, docstring: &Docstring, parameters: Vec<String>, html: String) -> Entry {
    let first = || docstring.text.lines().next().unwrap_or_default().to_owned();
    let summary = docstring.tag_text("summary").map_or_else(first, str::to_owned);
    Entry { name: name.to_owned(), summary, is_private: docstring.is_private(), parameters, html }
}

fn source_link(module: &SiteModule, origin: &Origin) -> String {
    let line = origin.line.max(1);
    let path = escape(&source_path(module, &origin.file));
    format!("<a class=\"source\" href=\"{path}#L{line}\">{}:{line}</a>", escape(&origin.file))
}

/// The name, the source link, the description and the remarks.
fn heading(
    _: &Site,
    module: &SiteModule,
    name: &str,
    kind: &str,
    origin: &Origin,
    docstring: &Docstring,
) -> String {
    let mut out = String::new();
    let private = if docstring.is_private() { " <span class=\"kind\">private</span>" } else { "" };
    put!(
        out,
        "<h3><a href=\"#{}\">{}</a> <span class=\"kind\">{kind}</span>{private} {}</h3>\n",
        anchor(name),
        escape(name),
        source_link(module, origin)
    );
    if let Some(summary) = docstring.tag_text("summary") {
        put!(out, "<p class=\"summary\">{}</p>\n", inline(summary));
    }
    out.push_str(&html(&docstring.text));
    for (label, name) in
        [("Deprecated", "deprecated"), ("To do", "todo"), ("Note", "note"), ("Since", "since")]
    {
        if let Some(text) = docstring.tag_text(name) {
            put!(out, "<p class=\"remark {name}\"><strong>{label}</strong> {}</p>\n", inline(text));
        }
    }
    let see: Vec<String> = docstring
        .named("see")
        .map(|tag| {
            inline(
                [&tag.subject, &tag.text].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ").trim(),
            )
        })
        .collect();
    if !see.is_empty() {
        put!(out, "<p>See also: {}</p>\n", see.join(", "));
    }
    out
}

fn examples(out: &mut String, docstring: &Docstring) {
    for tag in docstring.named("example") {
        let (name, code) =
            (tag.subject.as_deref().unwrap_or_default(), tag.text.as_deref().unwrap_or_default());
        put!(
            out,
            "<h4>Example {}</h4>\n<pre><code>{}</code></pre>\n",
            inline(name),
            escape(code.trim_matches('\n'))
        );
    }
}

fn definition(site: &Site, module: &SiteModule, one: &Definition, kind: &str) -> Entry {
    let mut out = heading(site, module, &one.name, kind, &one.origin, &one.docstring);
    if let Some(parent) = &one.inherits {
        put!(out, "<p>Inherits {}</p>\n", name_link(site, parent));
    }
    let mut uses: Vec<&str> = one.uses.iter().map(|used| used.name.as_str()).collect();
    uses.sort_unstable();
    uses.dedup();
    uses.retain(|name| site.homes.contains_key(*name));
    if !uses.is_empty() {
        let links: Vec<String> = uses.into_iter().map(|name| name_link(site, name)).collect();
        put!(out, "<p>Uses {}</p>\n", links.join(", "));
    }
    used_by(&mut out, site, &one.name);
    examples(&mut out, &one.docstring);
    if !one.parameters.is_empty() {
        out.push_str("<h4>Parameters</h4>\n<dl>\n");
    }
    for parameter in &one.parameters {
        let tag = one.docstring.parameter(&parameter.name);
        let ty = tag.and_then(Tag::ty).unwrap_or("Any");
        let default = match &parameter.default {
            Some(default) => format!(" = <code>{}</code>", escape(default)),
            None if kind == "class" && site.bindings.of(&one.name, &parameter.name).is_empty() => {
                " <span class=\"kind\">required</span>".into()
            }
            None => String::new(),
        };
        put!(
            out,
            "<dt id=\"{}\"><code><b>{}</b> {}</code>{default}</dt>\n<dd>{}",
            parameter_id(&one.name, &parameter.name),
            escape(&parameter.name),
            escape(ty),
            html(tag.and_then(|tag| tag.text.as_deref()).unwrap_or_default())
        );
        let bindings = if kind == "class" { site.bindings.of(&one.name, &parameter.name) } else { &[] };
        if !bindings.is_empty() {
            out.push_str("<table class=\"data\">\n");
            for binding in bindings {
                let value = if ty.contains("Sensitive") { "(sensitive)" } else { &binding.value };
                put!(
                    out,
                    "<tr><td><code>{}</code><td>{}<td>{}:{}\n",
                    escape(value),
                    escape(&binding.level),
                    escape(&binding.file),
                    binding.line
                );
            }
            out.push_str("</table>\n");
        }
        out.push_str("</dd>\n");
    }
    if !one.parameters.is_empty() {
        out.push_str("</dl>\n");
    }
    entry(&one.name, &one.docstring, one.parameters.iter().map(|one| one.name.clone()).collect(), out)
}

fn name_link(site: &Site, name: &str) -> String {
    match site.homes.get(name) {
        Some(module) => format!("<a href=\"{}\">{}</a>", link(module, name), escape(name)),
        None => escape(name),
    }
}

fn used_by(out: &mut String, site: &Site, name: &str) {
    let users: &[User] = site.users.get(name).map_or(&[], Vec::as_slice);
    if users.is_empty() {
        return;
    }
    let links: Vec<String> = users
        .iter()
        .map(|user| {
            let place =
                site.module(&user.module).map(|module| source_link(module, &user.origin)).unwrap_or_default();
            format!("<li>{} {place}", name_link(site, &user.name))
        })
        .collect();
    put!(
        out,
        "<details><summary>Used by {}</summary>\n<ul>\n{}\n</ul></details>\n",
        users.len(),
        links.join("\n")
    );
}

/// The tags of parameters as a list.
fn tag_table(out: &mut String, of: &str, docstring: &Docstring, more: impl Fn(&str) -> String) {
    if !docstring.has("param") {
        return;
    }
    out.push_str("<dl>\n");
    for tag in docstring.named("param") {
        let name = tag.subject.as_deref().unwrap_or_default();
        put!(
            out,
            "<dt id=\"{}\"><code><b>{}</b> {}</code></dt>\n<dd>{}{}</dd>\n",
            parameter_id(of, name),
            escape(name),
            escape(&tag.type_names().join(", ")),
            html(tag.text.as_deref().unwrap_or_default()),
            more(name)
        );
    }
    out.push_str("</dl>\n");
}

fn attributes(out: &mut String, of: &str, title: &str, attributes: &[Attribute]) {
    if attributes.is_empty() {
        return;
    }
    put!(out, "<h4>{title}</h4>\n<dl>\n");
    let mut sorted: Vec<&Attribute> = attributes.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    for one in sorted {
        let ty = one.data_type.as_deref().unwrap_or_default();
        let namevar = if one.is_namevar { " <span class=\"kind\">namevar</span>" } else { "" };
        put!(
            out,
            "<dt id=\"{}\"><code><b>{}</b> {}</code>{namevar}",
            parameter_id(of, &one.name),
            escape(&one.name),
            escape(ty)
        );
        if let Some(default) = &one.default {
            put!(out, " = <code>{}</code>", escape(&default.text()));
        }
        put!(out, "</dt>\n<dd>{}", html(&one.description));
        if !one.values.is_empty() {
            put!(out, "<p>Values: <code>{}</code></p>\n", escape(&one.values.join(", ")));
        }
        out.push_str("</dd>\n");
    }
    out.push_str("</dl>\n");
}
