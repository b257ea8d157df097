//! The occurrences of names in a manifest or an EPP template.

use kukla::catalog::types::is_metaparameter;
use kukla::syntax::ast::{self, Expr, Segment};
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, Span, SyntaxKind as K, Tree};
use kukla::values::Str;
use rustc_hash::FxHashSet;

use super::{Occurrence, Owner, Role, Symbol};
use crate::repository::{definition::assigned, literal, plain};

/// Every occurrence of a name in a tree, in the order of the text. `module` is the module of the text, and `template` the name of a template.
pub fn occurrences(
    tree: &Tree,
    source: &Source,
    module: Option<&str>,
    template: Option<&str>,
) -> Vec<Occurrence> {
    let file: Str = source.name().unwrap_or_default().into();
    let mut finder = Finder {
        found: Vec::new(),
        scopes: Vec::new(),
        handled: FxHashSet::default(),
        written: FxHashSet::default(),
        around: Vec::new(),
        module,
        file,
    };
    let root = tree.root();
    let owner = match root.kind() {
        K::Template => Owner::Template(template.map_or_else(|| finder.file.clone(), Str::from)),
        _ => Owner::Top,
    };
    let own = ast::Template::cast(root).into_iter().flat_map(|template| template.parameters());
    let own = own.map(|parameter| Str::from(parameter.name()));
    finder.scopes.push(Scope {
        end: root.end_index(),
        owner,
        names: assigned(root).into_iter().chain(own).collect(),
        is_lambda: false,
    });
    for node in root.descendants().skip(1) {
        finder.leave(node.index());
        finder.visit(node);
    }
    finder.found.sort_by_key(|one| (one.span.start, one.span.end));
    finder.found.dedup();
    finder.found
}

/// A scope around the current element.
struct Scope {
    /// The index of the first element after it.
    end: u32,
    owner: Owner,
    /// The variables that it sets.
    names: FxHashSet<Str>,
    /// Whether it sees the scope around it.
    is_lambda: bool,
}

struct Finder<'t> {
    found: Vec<Occurrence>,
    scopes: Vec<Scope>,
    /// Elements that belong to a construct around them, which has been visited.
    handled: FxHashSet<u32>,
    /// Variables that are assigned.
    written: FxHashSet<u32>,
    /// The classes around, each with the index of the first element after it.
    around: Vec<(&'t str, u32)>,
    module: Option<&'t str>,
    file: Str,
}

impl<'t> Finder<'t> {
    /// Leaves the scopes that end before an element.
    fn leave(&mut self, index: u32) {
        while self.scopes.len() > 1 && self.scopes.last().is_some_and(|scope| scope.end <= index) {
            self.scopes.pop();
        }
        while self.around.last().is_some_and(|(_, end)| *end <= index) {
            self.around.pop();
        }
    }

    fn add(&mut self, symbol: Symbol, span: Span, role: Role) {
        if !span.is_empty() {
            self.found.push(Occurrence { symbol, span, role });
        }
    }

    fn visit(&mut self, node: Node<'t>) {
        if self.handled.contains(&node.index()) {
            return;
        }
        match node.kind() {
            K::Variable | K::VariableName => self.variable(node),
            K::TypeName => {
                self.add(Symbol::Capitalized(plain(node.text())), without_colons(node), Role::Read);
            }
            K::Parameter => self.parameter(node),
            K::Lambda => {
                if let Some(lambda) = ast::Lambda::cast(node) {
                    let names = names(lambda.parameters(), lambda.body());
                    let owner = Owner::Block(self.file.clone(), node.start());
                    self.scopes.push(Scope { end: node.end_index(), owner, names, is_lambda: true });
                }
            }
            _ => {
                if let Some(expr) = Expr::cast(node) {
                    self.expression(expr, node);
                }
            }
        }
    }

    fn expression(&mut self, expr: Expr<'t>, node: Node<'t>) {
        match expr {
            Expr::ClassDefinition(class) => {
                let parts: Vec<&str> = self.around.iter().map(|(name, _)| *name).collect();
                let name = plain(&ast::nested_name(&parts, class.name()));
                self.name(class.name_token(), Symbol::Class(name.clone()), Role::Definition);
                if let (Some(token), Some(parent)) = (class.parent_token(), class.parent()) {
                    self.name(Some(token), Symbol::Class(plain(parent)), Role::Read);
                }
                self.around.push((class.name(), node.end_index()));
                self.enter(node, Owner::Class(name), names(class.parameters(), class.body()));
            }
            Expr::DefineDefinition(define) => {
                let parts: Vec<&str> = self.around.iter().map(|(name, _)| *name).collect();
                let name = plain(&ast::nested_name(&parts, define.name()));
                self.name(define.name_token(), Symbol::ResourceType(name.clone()), Role::Definition);
                self.enter(node, Owner::Define(name), names(define.parameters(), define.body()));
            }
            Expr::FunctionDefinition(function) => {
                let name = plain(function.name());
                self.name(function.name_token(), Symbol::Function(name.clone()), Role::Definition);
                self.enter(node, Owner::Function(name), names(function.parameters(), function.body()));
            }
            Expr::PlanDefinition(plan) => {
                let owner = Owner::Block(self.file.clone(), node.start());
                self.enter(node, owner, names(plan.parameters(), plan.body()));
            }
            Expr::NodeDefinition(definition) => {
                let owner = Owner::Block(self.file.clone(), node.start());
                self.enter(node, owner, names(std::iter::empty(), definition.body()));
            }
            Expr::TypeAlias(alias) => {
                if let Expr::Type(name) = alias.left() {
                    let symbol = Symbol::DataType(plain(name.name()));
                    self.name(Some(name.syntax()), symbol, Role::Definition);
                }
            }
            Expr::Assignment(assignment) => self.targets(assignment.left()),
            Expr::Resource(resource) => self.resource(resource),
            Expr::ResourceDefaults(defaults) => {
                if let Expr::Type(kind) = defaults.type_expr() {
                    self.attributes(&plain(kind.name()), defaults.attributes());
                }
            }
            Expr::ResourceOverride(change) => {
                if let Expr::Access(access) = change.resources()
                    && let Expr::Type(kind) = access.left()
                {
                    self.attributes(&plain(kind.name()), change.attributes());
                }
            }
            Expr::Collector(collector) => {
                if let Expr::Type(kind) = collector.type_expr() {
                    self.attributes(&plain(kind.name()), collector.attributes());
                }
            }
            Expr::Access(access) => self.access(access),
            Expr::Call(call) => {
                if let Expr::Name(name) = call.function() {
                    let symbol = Symbol::Function(plain(name.name()));
                    self.name(Some(name.syntax()), symbol, Role::Read);
                    self.arguments(name.name(), &call.arguments().collect::<Vec<_>>());
                }
            }
            Expr::MethodCall(call) => {
                self.name(call.name_token(), Symbol::Function(plain(call.name())), Role::Read);
                let arguments = [call.receiver()].into_iter().chain(call.arguments());
                self.arguments(call.name(), &arguments.collect::<Vec<_>>());
            }
            Expr::String(text) => self.source_file(&text.value(), string_span(node)),
            _ => {}
        }
    }

    fn enter(&mut self, node: Node<'t>, owner: Owner, names: FxHashSet<Str>) {
        self.scopes.push(Scope { end: node.end_index(), owner, names, is_lambda: false });
    }

    /// A name that an element around it tells the meaning of.
    fn name(&mut self, token: Option<Node<'t>>, symbol: Symbol, role: Role) {
        if let Some(token) = token {
            self.handled.insert(token.index());
            self.add(symbol, without_colons(token), role);
        }
    }

    /// A string or name with that meaning.
    fn literal(&mut self, expr: Expr<'t>, role: Role, symbol: impl Fn(&str) -> Symbol) {
        let Some(text) = literal::text(expr) else { return };
        let node = expr.unwrap_parens().syntax();
        let span = string_span(node);
        let colons = if text.starts_with("::") { 2 } else { 0 };
        self.handled.insert(node.index());
        self.add(symbol(&text), Span::new(span.start + colons, span.end), role);
    }

    fn parameter(&mut self, node: Node<'t>) {
        let Some(parameter) = ast::Parameter::cast(node) else { return };
        let Some((token, scope)) = parameter.name_token().zip(self.scopes.last()) else { return };
        let symbol = Symbol::Variable { owner: scope.owner.clone(), name: parameter.name().into() };
        self.handled.insert(token.index());
        self.add(symbol, Span::new(token.start() + 1, token.span().end), Role::Definition);
    }

    fn variable(&mut self, node: Node<'t>) {
        let text = node.text();
        let (name, start) = match text.strip_prefix('$') {
            Some(name) => (name, node.start() + 1),
            None => (text, node.start()),
        };
        if name.is_empty() || name.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        let role = if self.written.contains(&node.index()) { Role::Write } else { Role::Read };
        let end = node.span().end;
        let (owner, name, start) = match name.rsplit_once("::") {
            Some(("", name)) => (Owner::Top, name, end - name.len() as u32),
            Some((class, name)) => {
                let class_end = end - name.len() as u32 - 2;
                let leading = if class.starts_with("::") { 2 } else { 0 };
                let span = Span::new(start + leading, class_end);
                self.add(Symbol::Class(plain(class)), span, Role::Read);
                (Owner::Class(plain(class)), name, class_end + 2)
            }
            None => (self.owner_of(name), name, start),
        };
        self.add(Symbol::Variable { owner, name: name.into() }, Span::new(start, end), role);
    }

    /// The owner of a variable without a module in its name.
    fn owner_of(&self, name: &str) -> Owner {
        for scope in self.scopes.iter().rev() {
            if scope.names.contains(name) {
                return scope.owner.clone();
            }
            match scope.owner {
                _ if scope.is_lambda => {}
                // It may come from a class that this one inherits from, or from the code that renders a template.
                Owner::Class(_) | Owner::Template(_) => return scope.owner.clone(),
                _ => return Owner::Top,
            }
        }
        Owner::Top
    }

    fn targets(&mut self, left: Expr<'t>) {
        match left {
            Expr::Variable(variable) => {
                self.written.insert(variable.syntax().index());
            }
            Expr::Array(array) => array.elements().for_each(|element| self.targets(element)),
            Expr::Hash(hash) => hash.entries().for_each(|entry| self.targets(entry.key())),
            _ => {}
        }
    }

    fn resource(&mut self, resource: ast::Resource<'t>) {
        let kind = match resource.type_expr() {
            None => None,
            Some(Expr::Name(name)) => {
                let kind = plain(name.name());
                self.name(Some(name.syntax()), Symbol::ResourceType(kind.clone()), Role::Read);
                Some(kind)
            }
            Some(_) => return,
        };
        for body in resource.bodies() {
            let titles: Vec<Expr<'t>> = match body.title().unwrap_parens() {
                Expr::Array(array) => array.elements().collect(),
                other => vec![other],
            };
            let mut class = None;
            for title in titles {
                match &kind {
                    None => {
                        class = class.or_else(|| literal::text(title));
                        self.literal(title, Role::Write, |name| Symbol::Class(plain(name)));
                    }
                    Some(kind) => self.literal(title, Role::Write, |title| Symbol::Resource {
                        kind: kind.clone(),
                        title: title.into(),
                    }),
                }
            }
            match (&kind, class) {
                (Some(kind), _) => self.attributes(kind, body.attributes()),
                (None, Some(class)) => {
                    for attribute in body.attributes().filter(|one| !is_metaparameter(one.name())) {
                        let owner = Owner::Class(plain(&class));
                        let symbol = Symbol::Variable { owner, name: attribute.name().into() };
                        self.attribute(attribute, symbol);
                    }
                }
                (None, None) => {}
            }
        }
    }

    fn attributes(&mut self, kind: &Str, attributes: impl Iterator<Item = ast::Attribute<'t>>) {
        for attribute in attributes {
            let symbol = Symbol::Attribute { kind: kind.clone(), name: attribute.name().into() };
            self.attribute(attribute, symbol);
        }
    }

    fn attribute(&mut self, attribute: ast::Attribute<'t>, symbol: Symbol) {
        if attribute.operator() == ast::AttributeOp::Splat {
            return;
        }
        let token = attribute.name_token();
        self.handled.insert(token.index());
        self.add(symbol, token.span(), Role::Write);
    }

    /// `Type[title]`, or `$facts['os']['family']`.
    fn access(&mut self, access: ast::Access<'t>) {
        match access.left() {
            Expr::Type(name) if name.name().trim_start_matches("::").eq_ignore_ascii_case("class") => {
                for key in access.keys() {
                    self.literal(key, Role::Read, |name| Symbol::Class(plain(name)));
                }
            }
            Expr::Type(name) => {
                let kind = plain(name.name());
                for key in access.keys() {
                    let is_text = matches!(key.unwrap_parens(), Expr::String(_) | Expr::Name(_));
                    if is_text {
                        let kind = kind.clone();
                        self.literal(key, Role::Read, |title| Symbol::Resource {
                            kind: kind.clone(),
                            title: title.into(),
                        });
                    }
                }
            }
            _ => {
                if let Some((path, key)) = fact_path(access) {
                    self.literal(key, Role::Read, |_| Symbol::Fact(path.as_str().into()));
                }
            }
        }
    }

    /// The arguments of functions that take names.
    fn arguments(&mut self, function: &str, arguments: &[Expr<'t>]) {
        match function {
            "include" | "contain" | "require" | "realize" => {
                for argument in arguments {
                    self.classes(*argument);
                }
            }
            "lookup" | "hiera" | "hiera_array" | "hiera_hash" | "hiera_include" => {
                if let Some(key) = arguments.first() {
                    self.literal(*key, Role::Read, |key| Symbol::DataKey(key.into()));
                }
            }
            "fact" | "getvar" => {
                if let Some(key) = arguments.first()
                    && let Some(text) = literal::text(*key)
                {
                    let path = text.strip_prefix("facts.").map(str::to_owned);
                    let path = if function == "fact" { Some(text) } else { path };
                    if let Some(path) = path {
                        self.literal(*key, Role::Read, |_| Symbol::Fact(path.as_str().into()));
                    }
                }
            }
            "template" => {
                for argument in arguments {
                    self.template(*argument);
                }
            }
            "epp" => {
                let name = arguments.first().and_then(|name| self.template(*name));
                let hash = arguments.get(1).map(|hash| hash.unwrap_parens());
                if let (Some(name), Some(Expr::Hash(hash))) = (name, hash) {
                    for entry in hash.entries() {
                        let owner = Owner::Template(name.clone());
                        self.literal(entry.key(), Role::Write, |key| Symbol::Variable {
                            owner: owner.clone(),
                            name: key.into(),
                        });
                    }
                }
            }
            "file" | "binary_file" | "find_file" => {
                for argument in arguments {
                    let is_relative = literal::text(*argument).is_some_and(|path| !path.starts_with('/'));
                    if is_relative {
                        self.literal(*argument, Role::Read, |path| Symbol::File(path.into()));
                    }
                }
            }
            "create_resources" | "ensure_resource" | "ensure_resources" => {
                if let Some(kind) = arguments.first() {
                    self.literal(*kind, Role::Read, |kind| match plain(kind) {
                        class if class == "class" => Symbol::Capitalized(class),
                        kind => Symbol::ResourceType(kind),
                    });
                }
            }
            _ => {}
        }
    }

    fn classes(&mut self, argument: Expr<'t>) {
        match argument.unwrap_parens() {
            Expr::Array(array) => array.elements().for_each(|element| self.classes(element)),
            other => self.literal(other, Role::Read, |name| Symbol::Class(plain(name))),
        }
    }

    /// The template that an argument names.
    fn template(&mut self, argument: Expr<'t>) -> Option<Str> {
        if let Some(text) = literal::text(argument) {
            self.literal(argument, Role::Read, |name| Symbol::Template(name.into()));
            return Some(text.as_str().into());
        }
        let Expr::Interpolated(text) = argument else { return None };
        let mut segments = text.segments();
        match (segments.next()?, segments.next()?, segments.next()) {
            (Segment::Expr(Expr::Variable(name)), Segment::Text(path, span), None)
                if name.name() == "module_name" =>
            {
                let name: Str = format!("{}{path}", self.module?).into();
                self.add(Symbol::Template(name.clone()), Span::new(span.start + 1, span.end - 1), Role::Read);
                Some(name)
            }
            _ => None,
        }
    }

    /// `puppet:///modules/nginx/motd`
    fn source_file(&mut self, text: &str, span: Span) {
        const PREFIX: &str = "puppet:///modules/";
        if let Some(path) = text.strip_prefix(PREFIX)
            && span.len() as usize == text.len()
        {
            let span = Span::new(span.start + PREFIX.len() as u32, span.end);
            self.add(Symbol::File(path.into()), span, Role::Read);
        }
    }
}

/// The variables that parameters and a body set.
fn names<'t>(
    parameters: impl Iterator<Item = ast::Parameter<'t>>,
    body: Option<ast::Block<'t>>,
) -> FxHashSet<Str> {
    let own = body.map(|body| assigned(body.syntax())).unwrap_or_default();
    parameters.map(|parameter| Str::from(parameter.name())).chain(own).collect()
}

/// The path of a fact that an access names, and its last key.
fn fact_path<'t>(access: ast::Access<'t>) -> Option<(String, Expr<'t>)> {
    let mut keys = Vec::new();
    let mut at = access;
    loop {
        let mut own = at.keys();
        let key = own.next()?;
        if own.next().is_some() {
            return None;
        }
        keys.push(key);
        match at.left() {
            Expr::Access(inner) => at = inner,
            Expr::Variable(variable) if matches!(variable.name(), "facts" | "::facts") => break,
            _ => return None,
        }
    }
    let path: Option<Vec<String>> = keys.iter().rev().map(|key| literal::text(*key)).collect();
    Some((path?.join("."), *keys.first()?))
}

/// The span of a name without leading colons.
fn without_colons(token: Node<'_>) -> Span {
    let quoted = string_span(token);
    let colons = if token.tree().text()[quoted.range()].starts_with("::") { 2 } else { 0 };
    Span::new(quoted.start + colons, quoted.end)
}

/// The span of a string without its quotes.
fn string_span(node: Node<'_>) -> Span {
    let span = node.span();
    match node.kind() {
        K::SqString | K::DqString if span.len() >= 2 => Span::new(span.start + 1, span.end - 1),
        _ => span,
    }
}
