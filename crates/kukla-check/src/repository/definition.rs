//! The outline of a manifest: its definitions as other files see them.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use kukla::catalog::types::is_metaparameter;
use kukla::syntax::ast::{self, Expr, Manifest};
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, Span, SyntaxKind as K, Tree};
use kukla::values::{Str, Value};
use rustc_hash::FxHasher;

use super::always::{Body, Owner};
use super::demand::{self, Use};
use super::literal;

/// The kind of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A class.
    Class,
    /// A defined type.
    Define,
    /// A function.
    Function,
    /// A type alias.
    Alias,
}

impl Kind {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Class => "class",
            Kind::Define => "defined type",
            Kind::Function => "function",
            Kind::Alias => "type alias",
        }
    }
}

/// A class, a defined type, a function or a type alias.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its kind.
    pub kind: Kind,
    /// Its full name in lower case.
    pub name: Str,
    /// The span of its name.
    pub span: Span,
    /// The text that contains it.
    pub source: Source,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The class that it inherits from.
    pub parent: Option<Str>,
    /// The variables that its body sets.
    pub variables: Vec<Str>,
    /// The declared return type of a function, or the type that an alias names.
    pub ty: Option<Str>,
    /// The ERB templates that its body always renders, and the spans of the calls.
    pub rendered: Vec<(Str, Span)>,
    fingerprint: OnceLock<Fingerprint>,
}

/// Numbers that change with a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// Changes whenever the definition means something else to its users.
    pub meaning: u64,
    /// Changes whenever the definition, or a part of it that messages point at, is elsewhere.
    pub place: u64,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Str,
    /// Its type as written.
    pub ty: Option<Str>,
    /// Whether it has a default.
    pub has_default: bool,
    /// Its default, if that is a literal.
    pub default: Option<Value>,
    /// Whether it is meant to be a string: its default is one, or the title of a resource.
    pub is_text: bool,
    /// Whether it takes all remaining arguments.
    pub rest: bool,
    /// Its span.
    pub span: Span,
    /// The uses of its value that happen whenever the body runs.
    pub uses: Vec<Use>,
}

impl Definition {
    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Whether Puppet may load it: a file of a module may only define names that begin with the name of the file.
    pub fn may_be_loaded(&self) -> bool {
        let path = self.source.name().unwrap_or_default();
        let parts: Vec<&str> = path.split('/').collect();
        let Some(at) = parts.iter().rposition(|part| *part == "manifests") else { return true };
        if !matches!(self.kind, Kind::Class | Kind::Define) || at == 0 || !self.name.contains("::") {
            return true;
        }
        let inside = parts[at + 1..].iter().map(|part| part.trim_end_matches(".pp"));
        let names: Vec<&str> =
            std::iter::once(parts[at - 1]).chain(inside.filter(|part| *part != "init")).collect();
        let is_module = self.name.starts_with(&format!("{}::", names[0]));
        let own = names.join("::");
        !is_module || self.name == own || self.name.starts_with(&format!("{own}::"))
    }

    /// Numbers that change whenever the definition changes for its users.
    pub fn fingerprint(&self) -> Fingerprint {
        *self.fingerprint.get_or_init(|| Fingerprint { meaning: self.meaning(), place: self.place() })
    }

    fn meaning(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (self.kind, &self.name, self.source.name(), &self.parent).hash(&mut hasher);
        (&self.variables, &self.ty).hash(&mut hasher);
        self.rendered.iter().for_each(|(template, _)| template.hash(&mut hasher));
        for parameter in &self.parameters {
            (&parameter.name, &parameter.ty, parameter.has_default, parameter.rest).hash(&mut hasher);
            parameter.uses.iter().for_each(|one| one.hash_meaning(&mut hasher));
        }
        hasher.finish()
    }

    fn place(&self) -> u64 {
        let mut hasher = FxHasher::default();
        let line = |span: Span| (span, self.source.lines().line(span.start));
        line(self.span).hash(&mut hasher);
        self.rendered.iter().for_each(|(_, span)| line(*span).hash(&mut hasher));
        for parameter in &self.parameters {
            (line(parameter.span), &parameter.uses).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// The definitions of a text, and the other names that matter to other files.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The definitions, in order.
    pub definitions: Vec<Arc<Definition>>,
    /// Variables set at the top or in node definitions.
    pub variables: Vec<Str>,
    /// Resource types that have defaults or overrides.
    pub defaulted: Vec<Str>,
    /// Data keys that are looked up by literal names.
    pub looked_up: Vec<String>,
    /// The literal beginnings and ends of computed data keys.
    pub computed_keys: Vec<(String, String)>,
    /// Classes that are declared with parameters.
    pub declared: Vec<Str>,
    /// Declared resources, by type and title. The title is `None` if it is computed, or if the resource may have another name.
    pub resources: Vec<(Str, Option<Str>)>,
    /// Whether some resources have a computed type.
    pub has_computed_types: bool,
    /// The literal beginnings and ends of computed titles, by type.
    pub computed_titles: Vec<(Str, (String, String))>,
    /// Resources that also have a computed name, by type and title.
    pub renamed: Vec<(Str, Str)>,
    /// Resources whose title and attributes are all literals.
    pub literal_resources: Vec<LiteralResource>,
    /// Pairs of a class and a class that it always requires.
    pub requires: Vec<(Str, Str)>,
    /// The names of all variables that are set anywhere, including parameters and those of lambdas.
    pub set_names: Vec<Str>,
    /// Templates that are rendered by literal names, with the class or defined type that renders them.
    pub renders: Vec<(String, Str)>,
    /// EPP templates that get parameters whose names are computed; an empty name means any template.
    pub open_templates: Vec<String>,
    /// Names that a text with syntax errors may define, in lower case.
    pub uncertain_names: Vec<Str>,
    /// Strings that could be the name of a template or file, once per occurrence.
    pub paths: Vec<String>,
    /// The literal beginnings and ends of computed strings of that kind.
    pub computed_paths: Vec<(String, String)>,
    /// Its bodies, with the declarations that they always make.
    pub bodies: Vec<Body>,
}

/// A resource whose title and attributes are all literals, without its metaparameters.
#[derive(Clone, Debug)]
pub struct LiteralResource {
    /// Its type.
    pub kind: Str,
    /// Its title.
    pub title: Str,
    /// The span of its title.
    pub span: Span,
    /// Its attributes: name, value and span of the value.
    pub attributes: Vec<(Str, Value, Span)>,
}

impl LiteralResource {
    fn of(kind: &Str, title: Expr<'_>, body: ast::ResourceBody<'_>) -> Option<LiteralResource> {
        let attribute = |attribute: ast::Attribute<'_>| {
            let value = attribute.value();
            let is_set = attribute.operator() == ast::AttributeOp::Set;
            is_set.then(|| Some((attribute.name().into(), literal::value(value)?, value.span()))).flatten()
        };
        let attributes = body.attributes().filter(|one| !is_metaparameter(one.name())).map(attribute);
        Some(LiteralResource {
            kind: kind.clone(),
            title: literal::text(title)?.into(),
            span: title.span(),
            attributes: attributes.collect::<Option<Vec<_>>>()?,
        })
    }
}

impl Outline {
    /// Reads the outline of a tree.
    pub fn of(tree: &Tree, source: &Source) -> Outline {
        let mut outline = Outline::default();
        let Some(manifest) = Manifest::of(tree) else {
            tree.elements().for_each(|node| outline.add_nested_template(node));
            return outline;
        };
        outline.variables = assigned(manifest.syntax());
        outline.bodies.push(Body::new(Owner::Top, None, source, manifest.statements()));
        for statement in manifest.statements() {
            if let Expr::NodeDefinition(node) = statement {
                outline.variables.extend(node.body().into_iter().flat_map(|body| assigned(body.syntax())));
                outline.bodies.push(Body::new(Owner::Node, None, source, node.statements()));
            }
        }
        outline.add_definitions(manifest.syntax(), &mut Vec::new(), source);
        for node in tree.elements() {
            outline.add_path(node);
            if let Some(assignment) = ast::Assignment::cast(node) {
                targets(assignment.left(), &mut outline.set_names);
            } else if let Some(parameter) = ast::Parameter::cast(node) {
                outline.set_names.push(parameter.name().into());
            }
            let left = match Expr::cast(node) {
                Some(Expr::Resource(resource)) if resource.is_class() => {
                    let titles = resource.bodies().map(|body| body.title());
                    outline.declared.extend(titles.filter_map(literal::text).map(|name| plain(&name)));
                    continue;
                }
                Some(Expr::Resource(resource)) => {
                    outline.add_resource(resource);
                    continue;
                }
                Some(Expr::Call(call)) => {
                    outline.add_generated(call);
                    if let Expr::Name(name) = call.function() {
                        outline.add_template_call(name.name(), call.arguments().collect());
                    }
                    match lookup_key(call) {
                        Some(Expr::Interpolated(key)) => {
                            outline.computed_keys.extend(ends(key.syntax().text()))
                        }
                        Some(key) => outline.looked_up.extend(literal::text(key)),
                        None => {}
                    }
                    continue;
                }
                Some(Expr::MethodCall(call)) => {
                    let arguments = [call.receiver()].into_iter().chain(call.arguments());
                    outline.add_template_call(call.name(), arguments.collect());
                    continue;
                }
                Some(Expr::ResourceDefaults(defaults)) => defaults.type_expr(),
                Some(Expr::ResourceOverride(change)) => match change.resources() {
                    Expr::Access(access) => access.left(),
                    other => other,
                },
                Some(Expr::Collector(collector)) => {
                    outline.add_collector(collector);
                    if collector.attributes().next().is_none() {
                        continue;
                    }
                    collector.type_expr()
                }
                _ => continue,
            };
            if let Expr::Type(name) = left {
                outline.defaulted.push(plain(name.name()));
            }
        }
        outline
    }

    /// The outline of a text with syntax errors: the names that it may define.
    pub fn uncertain(source: &Source) -> Outline {
        let mut outline = Outline { has_computed_types: true, ..Outline::default() };
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
        let mut words = source
            .text()
            .split(|letter: char| !is_word(letter) && letter != '$')
            .filter(|word| !word.is_empty());
        let mut before = "";
        for word in &mut words {
            let word = word.trim_end_matches(':');
            if matches!(before, "class" | "define" | "function" | "type") {
                outline.uncertain_names.push(plain(word));
            }
            if let Some(name) = word.strip_prefix('$') {
                outline.set_names.push(name.into());
                outline.variables.push(name.into());
            }
            before = word;
        }
        outline
    }

    /// Adds the names that a template sets in the templates that it renders.
    fn add_nested_template(&mut self, node: Node<'_>) {
        match Expr::cast(node) {
            Some(Expr::Call(call)) if let Expr::Name(name) = call.function() => {
                self.add_template_call(name.name(), call.arguments().collect());
            }
            Some(Expr::MethodCall(call)) => {
                let arguments = [call.receiver()].into_iter().chain(call.arguments());
                self.add_template_call(call.name(), arguments.collect());
            }
            Some(Expr::Assignment(assignment)) => targets(assignment.left(), &mut self.set_names),
            _ => {}
        }
    }

    /// Adds the names that a call of `epp` or `inline_epp` sets in the template.
    fn add_template_call(&mut self, function: &str, arguments: Vec<Expr<'_>>) {
        if !matches!(function, "epp" | "inline_epp") {
            return;
        }
        let [template, parameters, ..] = arguments.as_slice() else { return };
        let keys: Option<Vec<String>> = match parameters.unwrap_parens() {
            Expr::Hash(hash) => hash.entries().map(|entry| literal::text(entry.key())).collect(),
            _ => None,
        };
        match keys {
            Some(keys) => self.set_names.extend(keys.iter().map(|key| Str::from(key.as_str()))),
            None => self.open_templates.push(literal::text(*template).unwrap_or_default()),
        }
    }

    /// Adds a string that could be the name of a template or file.
    fn add_path(&mut self, node: Node<'_>) {
        match Expr::cast(node) {
            Some(Expr::String(text)) if node.kind() == K::SqString || node.text().contains('/') => {
                let text = text.value();
                if text.contains('/') && text.starts_with(|first: char| first.is_ascii_lowercase()) {
                    self.paths.push(text.into_owned());
                }
            }
            // Other interpolated strings are paths on nodes.
            Some(Expr::Interpolated(text))
                if node.text().contains(".erb") || node.text().starts_with("\"${module_name}/") =>
            {
                self.computed_paths.push(literal_ends(text));
            }
            _ => {}
        }
    }

    fn add_resource(&mut self, resource: ast::Resource<'_>) {
        let Some(Expr::Name(kind)) = resource.type_expr() else { return };
        let kind = plain(kind.name());
        let has_default = resource.bodies().any(|body| matches!(body.title(), Expr::Default(_)));
        for body in resource.bodies() {
            // References may use the name of a resource instead of its title.
            let is_name = |name: &str| {
                matches!(name, "alias" | "name" | "*")
                    || matches!((kind.as_str(), name), ("file", "path") | ("exec", "command"))
            };
            let names = body.attributes().filter(|attribute| is_name(attribute.name()));
            let names: Option<Vec<String>> =
                names.map(|attribute| literal::text(attribute.value())).collect();
            let titles: Vec<Expr<'_>> = match body.title().unwrap_parens() {
                Expr::Array(array) => array.elements().collect(),
                other => vec![other],
            };
            for title in titles {
                if !has_default {
                    self.literal_resources.extend(LiteralResource::of(&kind, title, body));
                }
                match &names {
                    Some(names) => {
                        self.add_title(&kind, title);
                        self.resources
                            .extend(names.iter().map(|name| (kind.clone(), Some(name.as_str().into()))));
                    }
                    None => {
                        let title = literal::text(title).map(Str::from);
                        self.renamed.extend(title.map(|title| (kind.clone(), title)));
                        self.resources.push((kind.clone(), None));
                    }
                }
            }
        }
    }

    /// Adds collectors of exported resources: those of other nodes may have any title.
    fn add_collector(&mut self, collector: ast::Collector<'_>) {
        if let Expr::Type(kind) = collector.type_expr()
            && collector.query().is_some_and(ast::Query::is_exported)
        {
            self.resources.push((plain(kind.name()), None));
        }
    }

    fn add_title(&mut self, kind: &Str, title: Expr<'_>) {
        match title {
            Expr::Interpolated(text) => self.computed_titles.push((kind.clone(), literal_ends(text))),
            _ => self.resources.push((kind.clone(), literal::text(title).map(Str::from))),
        }
    }

    /// Adds the resources that functions create.
    fn add_generated(&mut self, call: ast::Call<'_>) {
        let Expr::Name(name) = call.function() else { return };
        let mut arguments = call.arguments();
        let (kind, titles) = match name.name() {
            "create_resources" | "ensure_resource" | "ensure_resources" => {
                (arguments.next().and_then(literal::text), arguments.next())
            }
            "ensure_packages" | "stdlib::ensure_packages" => (Some("package".to_owned()), arguments.next()),
            _ => return,
        };
        match (kind, titles) {
            (Some(kind), Some(titles)) => self.add_titles(&plain(&kind), titles),
            (Some(kind), None) => self.resources.push((plain(&kind), None)),
            (None, _) => self.has_computed_types = true,
        }
    }

    /// Adds the titles in an array, or in the keys of a hash.
    fn add_titles(&mut self, kind: &Str, titles: Expr<'_>) {
        match titles.unwrap_parens() {
            Expr::Array(array) => array.elements().for_each(|title| self.add_title(kind, title)),
            Expr::Hash(hash) => hash.entries().for_each(|entry| self.add_title(kind, entry.key())),
            title => self.add_title(kind, title),
        }
    }

    /// Adds definitions at any depth; the name of an enclosing class becomes a prefix of theirs.
    fn add_definitions<'t>(&mut self, node: Node<'t>, around: &mut Vec<&'t str>, source: &Source) {
        for child in node.children() {
            match child.kind() {
                K::ClassDefinition | K::DefineDefinition | K::FunctionDefinition | K::TypeAlias => {
                    self.add_definition(child, around, source);
                }
                kind if kind.is_token() => {}
                K::Block
                | K::If
                | K::Else
                | K::Elsif
                | K::Unless
                | K::Case
                | K::CaseOption
                | K::NodeDefinition => {
                    self.add_definitions(child, around, source);
                }
                _ => {}
            }
        }
    }

    /// Adds the templates that a body renders by literal names.
    fn add_templates(&mut self, body: Node<'_>, by: &Str) {
        for node in body.descendants() {
            if let Some(Expr::Call(call)) = Expr::cast(node)
                && matches!(call.function(), Expr::Name(name) if name.name() == "template")
            {
                for argument in call.arguments() {
                    match (template(argument, by), argument) {
                        (Some(name), _) => self.renders.push((name, by.clone())),
                        (None, Expr::Interpolated(_)) => {
                            self.computed_paths.extend(ends(argument.syntax().text()));
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn add_definition<'t>(&mut self, node: Node<'t>, around: &mut Vec<&'t str>, source: &Source) {
        let Some(expr) = Expr::cast(node) else { return };
        let made = match expr {
            Expr::ClassDefinition(class) => {
                let full = ast::nested_name(around, class.name());
                let mut made = definition(Kind::Class, &full, class.name_token(), source);
                made.parameters = class.parameters().map(parameter).collect();
                made.rendered = demand::note(&made.name, &mut made.parameters, class.statements());
                made.parent = class.parent().map(plain);
                let parent = made.parent.clone();
                self.bodies.push(Body::new(
                    Owner::Class(made.name.clone()),
                    parent,
                    source,
                    class.statements(),
                ));
                made.variables = class.body().map(|body| assigned(body.syntax())).unwrap_or_default();
                self.add_templates(node, &made.name);
                for statement in class.statements() {
                    if let Expr::Call(call) = statement
                        && let Expr::Name(name) = call.function()
                        && name.name() == "require"
                    {
                        let required = call.arguments().filter_map(literal::text);
                        self.requires.extend(required.map(|name| (plain(&full), plain(&name))));
                    }
                }
                if let Some(body) = class.body() {
                    around.push(class.name());
                    self.add_definitions(body.syntax(), around, source);
                    around.pop();
                }
                made
            }
            Expr::DefineDefinition(define) => {
                let full = ast::nested_name(around, define.name());
                let mut made = definition(Kind::Define, &full, define.name_token(), source);
                made.parameters = define.parameters().map(parameter).collect();
                made.rendered = demand::note(&made.name, &mut made.parameters, define.statements());
                let owner = Owner::Define(made.name.clone());
                self.bodies.push(Body::new(owner, None, source, define.statements()));
                self.add_templates(node, &made.name);
                made
            }
            Expr::FunctionDefinition(function) => {
                let mut made = definition(Kind::Function, function.name(), function.name_token(), source);
                self.bodies.push(Body::new(Owner::Function, None, source, function.statements()));
                made.parameters =
                    function.parameters().filter(|one| !one.is_block()).map(parameter).collect();
                made.ty = function.return_type().map(|ty| ty.syntax().text().into());
                made
            }
            Expr::TypeAlias(alias) => {
                let Some(name) = alias.name() else { return };
                let mut made = definition(Kind::Alias, name, Some(alias.left().syntax()), source);
                let right = alias.right();
                let is_plain =
                    alias.object_hash().is_none() && matches!(right, Expr::Type(_) | Expr::Access(_));
                made.ty = is_plain.then(|| right.syntax().text().into());
                made
            }
            _ => return,
        };
        self.definitions.push(Arc::new(made));
    }
}

/// The name of the template that an argument names: `'web/site.erb'`, or `"${module_name}/site.erb"`.
pub fn template(expr: Expr<'_>, by: &str) -> Option<String> {
    let Expr::Interpolated(text) = expr else { return literal::text(expr) };
    let mut segments = text.segments();
    match (segments.next()?, segments.next()?, segments.next()) {
        (ast::Segment::Expr(Expr::Variable(name)), ast::Segment::Text(path, _), None)
            if name.name() == "module_name" =>
        {
            Some(format!("{}{path}", by.split("::").next()?))
        }
        _ => None,
    }
}

/// The key that a call looks up.
fn lookup_key(call: ast::Call<'_>) -> Option<Expr<'_>> {
    let Expr::Name(name) = call.function() else { return None };
    let is_lookup =
        matches!(name.name(), "lookup" | "hiera" | "hiera_array" | "hiera_hash" | "hiera_include");
    if !is_lookup {
        return None;
    }
    call.arguments().next()
}

/// The literal beginning and end of a text with interpolations, unless both are empty.
fn ends(text: &str) -> Option<(String, String)> {
    let text = text.trim_matches('"');
    let head = text.split('$').next().unwrap_or_default();
    let tail = text.rsplit('}').next().filter(|tail| tail.len() < text.len()).unwrap_or_default();
    (!head.is_empty() || !tail.is_empty()).then(|| (head.to_owned(), tail.to_owned()))
}

/// The literal beginning and end of an interpolated string.
fn literal_ends(text: ast::InterpolatedString<'_>) -> (String, String) {
    let segments: Vec<ast::Segment<'_>> = text.segments().collect();
    let written = |segment: Option<&ast::Segment<'_>>| match segment {
        Some(ast::Segment::Text(text, _)) => text.to_string(),
        _ => String::new(),
    };
    (written(segments.first()), written(segments.last()))
}

fn definition(kind: Kind, name: &str, token: Option<Node<'_>>, source: &Source) -> Definition {
    Definition {
        kind,
        name: plain(name),
        span: token.map(Node::span).unwrap_or_default(),
        source: source.clone(),
        parameters: Vec::new(),
        parent: None,
        variables: Vec::new(),
        ty: None,
        rendered: Vec::new(),
        fingerprint: OnceLock::new(),
    }
}

/// A name in the form used for lookups: lower case, without leading colons.
pub fn plain(name: &str) -> Str {
    name.strip_prefix("::").unwrap_or(name).to_lowercase().into()
}

/// A parameter as other files see it.
pub fn parameter(parameter: ast::Parameter<'_>) -> Parameter {
    let default = parameter.default();
    Parameter {
        name: parameter.name().into(),
        ty: parameter.type_expr().map(|ty| ty.syntax().text().into()),
        has_default: default.is_some(),
        is_text: default.is_some_and(|default| match default {
            Expr::Variable(variable) => matches!(variable.name(), "title" | "name"),
            other => matches!(other, Expr::String(_) | Expr::Interpolated(_)),
        }),
        default: default.and_then(literal::value),
        rest: parameter.captures_rest(),
        span: parameter.name_token().map(Node::span).unwrap_or_default(),
        uses: Vec::new(),
    }
}

/// The variables that a body sets at any depth, except in parts with a scope of their own.
pub fn assigned(body: Node<'_>) -> Vec<Str> {
    fn within(node: Node<'_>, found: &mut Vec<Str>) {
        for child in node.children() {
            match child.kind() {
                kind if kind.is_token() => {}
                K::ClassDefinition
                | K::DefineDefinition
                | K::FunctionDefinition
                | K::NodeDefinition
                | K::PlanDefinition
                | K::Lambda => {}
                K::Assignment => {
                    if let Some(assignment) = ast::Assignment::cast(child) {
                        targets(assignment.left(), found);
                    }
                    kukla::syntax::deep(|| within(child, found));
                }
                _ => kukla::syntax::deep(|| within(child, found)),
            }
        }
    }
    let mut found = Vec::new();
    within(body, &mut found);
    found
}

fn targets(left: Expr<'_>, found: &mut Vec<Str>) {
    match left {
        Expr::Variable(variable) => found.push(variable.name().into()),
        Expr::Array(array) => array.elements().for_each(|element| targets(element, found)),
        Expr::Hash(hash) => hash.entries().for_each(|entry| targets(entry.key(), found)),
        // `[$a, $b] = Class[x]` sets the variables whose names the array lists.
        _ => {}
    }
}
