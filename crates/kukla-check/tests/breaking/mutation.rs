//! The mutations of a text.

use kukla::syntax::ast::{self, Expr};
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, Span, SyntaxKind as K, Tree};

/// A change of a text.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The kind of the mutation.
    pub kind: &'static str,
    /// The span that is replaced.
    pub span: Span,
    /// The replacement.
    pub text: String,
    /// Whether a definition is changed, so that the error is where other code uses it.
    pub is_definition: bool,
}

/// A value that almost nothing accepts.
const WRONG: &str = "{ 'wrong' => [1] }";

/// The mutations of a manifest or a template.
pub fn of_code(tree: &Tree) -> Vec<Mutation> {
    let mut mutations = Mutations::default();
    let mut targets = Vec::new();
    let mut attributes = Vec::new();
    for node in tree.elements() {
        match node.kind() {
            K::Variable | K::VariableName => mutations.variable(node, &targets),
            K::Assignment => {
                if let Some(assignment) = ast::Assignment::cast(node) {
                    targets.push(assignment.left().syntax().index());
                }
            }
            K::Parameter => {
                if let Some(parameter) = ast::Parameter::cast(node) {
                    targets.extend(parameter.name_token().map(|token| token.index()));
                    mutations.parameter(parameter);
                }
            }
            K::ClassDefinition | K::DefineDefinition | K::FunctionDefinition => mutations.definition(node),
            K::Resource => mutations.resource(node, &mut attributes),
            K::Attribute if !attributes.contains(&node.index()) => mutations.attribute(node, "attribute"),
            K::TypeName => mutations.rename("data type or reference", node.span(), node.text(), false),
            K::Call | K::StatementCall => mutations.call(node),
            K::MethodCall => {
                if let Some(token) = ast::MethodCall::cast(node).and_then(ast::MethodCall::name_token) {
                    mutations.rename("function", token.span(), token.text(), false);
                }
            }
            K::Access => mutations.access(node),
            _ => {}
        }
    }
    // Children come before their parents, so that a target is known only after its name was visited.
    mutations
        .all
        .retain(|one| !(one.kind == "variable" && targets.iter().any(|at| is_at(tree, *at, one.span))));
    mutations.all
}

fn is_at(tree: &Tree, index: u32, span: Span) -> bool {
    tree.element(index).is_some_and(|node| node.span() == span)
}

/// The mutations of a YAML or JSON file: keys, and values replaced by one of the wrong type, at any depth.
pub fn of_data(source: &Source) -> Vec<Mutation> {
    let mut mutations = Mutations::default();
    let mut start = 0;
    let is_json = source.name().is_some_and(|name| name.ends_with(".json"));
    for line in source.text().split_inclusive('\n') {
        let at = start;
        start += line.len() as u32;
        let indent = line.len() - line.trim_start_matches([' ', '-']).len();
        // Lines with several entries are not changed.
        let is_single = !is_json || line.matches("\":").count() == 1;
        let Some((key, value)) = entry(&line[indent..], is_json).filter(|_| is_single) else { continue };
        let is_top = indent == if is_json { 2 } else { 0 };
        let from = at + indent as u32;
        let kind = if is_top { "data key" } else { "data key inside" };
        mutations.rename(kind, Span::new(from, from + key.len() as u32), key, true);
        let written = value.trim().trim_end_matches(',');
        if written.is_empty() || written.starts_with(['&', '*', '|', '>', '#']) {
            continue;
        }
        let begin = from + (key.len() + value.len() - value.trim_start().len()) as u32 + 1;
        let is_list = written.starts_with(['[', '{']);
        // Values of several lines are not changed.
        if is_list && !written.ends_with([']', '}']) {
            continue;
        }
        let wrong = if is_list { "-7" } else { r#"{"wrong": [1]}"# };
        let kind = if is_top { "data value" } else { "data value inside" };
        mutations.add(kind, Span::new(begin, begin + written.len() as u32), wrong.into(), true);
    }
    mutations.all
}

/// The key at the beginning of a line, and the text after it.
fn entry(line: &str, is_json: bool) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':').filter(|(_, value)| !value.starts_with(':')).or_else(|| {
        let at = line.find(": ").or_else(|| line.trim_end().strip_suffix(':').map(str::len))?;
        Some((&line[..at], &line[at + 1..]))
    })?;
    let bare = if is_json { key.strip_prefix('"')?.strip_suffix('"')? } else { key };
    let is_key =
        !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:".contains(&byte));
    is_key.then_some((key, value))
}

/// The mutations of a hierarchy: its keys, and the interpolations of its levels.
pub fn of_hierarchy(source: &Source) -> Vec<Mutation> {
    let mut mutations = Mutations::default();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        let at = start;
        start += line.len() as u32;
        let indent = line.len() - line.trim_start_matches([' ', '-']).len();
        if line[indent..].starts_with('#') {
            continue;
        }
        if let Some((key, value)) = entry(&line[indent..], false) {
            let from = at + indent as u32;
            mutations.rename("hierarchy's key", Span::new(from, from + key.len() as u32), key, false);
            let written = value.trim();
            if !written.is_empty() && !matches!(key, "name" | "version") {
                let begin = from + (key.len() + value.len() - value.trim_start().len()) as u32 + 1;
                let kind = "hierarchy's value";
                mutations.add(
                    kind,
                    Span::new(begin, begin + written.len() as u32),
                    "{wrong: [1]}".into(),
                    false,
                );
            }
        }
        for (open, _) in line.match_indices("%{") {
            let Some(length) = line[open..].find('}') else { continue };
            let span = Span::new(at + open as u32 + 2, at + (open + length) as u32);
            mutations.rename("hierarchy's fact", span, &line[open + 2..open + length], false);
        }
    }
    mutations.all
}

#[derive(Default)]
struct Mutations {
    all: Vec<Mutation>,
}

impl Mutations {
    fn add(&mut self, kind: &'static str, span: Span, text: String, is_definition: bool) {
        self.all.push(Mutation { kind, span, text, is_definition });
    }

    /// Adds a typo of a name, of a kind that depends on its position.
    fn rename(&mut self, kind: &'static str, span: Span, written: &str, is_definition: bool) {
        let start =
            written.rfind(['/', ':', '$', '.']).filter(|at| at + 3 < written.len()).map_or(0, |at| at + 1);
        let start = if start == 0 {
            written.find(|letter: char| letter.is_ascii_alphanumeric()).unwrap_or(0)
        } else {
            start
        };
        let (before, name) = written.split_at(start);
        let quote = name.len() - name.trim_end_matches(['\'', '"']).len();
        let (name, after) = name.split_at(name.len() - quote);
        let letters: Vec<char> = name.chars().collect();
        let middle = letters.len() / 2;
        let slip: String = match span.start % 4 {
            _ if letters.len() < 4 => format!("{name}x"),
            0 => format!("{name}x"),
            1 => letters
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != middle)
                .map(|(_, letter)| *letter)
                .collect(),
            2 if letters[middle] != letters[middle - 1] => {
                let mut letters = letters.clone();
                letters.swap(middle, middle - 1);
                letters.into_iter().collect()
            }
            _ => format!(
                "{}other_{}",
                letters[0].to_lowercase().filter(|_| letters[0].is_lowercase()).collect::<String>(),
                name.to_lowercase()
            ),
        };
        // Names of types begin with a capital letter.
        let slip = if letters.first().is_some_and(|first| first.is_uppercase()) {
            slip[..1].to_uppercase() + &slip[1..]
        } else {
            slip
        };
        self.add(kind, span, format!("{before}{slip}{after}"), is_definition);
    }

    fn variable(&mut self, node: Node<'_>, targets: &[u32]) {
        let name = node.text().trim_start_matches('$');
        let is_given =
            matches!(name, "facts" | "title" | "name" | "trusted" | "module_name" | "server_facts");
        if is_given || targets.contains(&node.index()) || name.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        let is_fact = kukla::facts::machine::legacy_names()
            .iter()
            .any(|(fact, _)| *fact == name.trim_start_matches("::"));
        self.rename(if is_fact { "fact" } else { "variable" }, node.span(), node.text(), false);
    }

    fn parameter(&mut self, parameter: ast::Parameter<'_>) {
        if let Some(token) = parameter.name_token() {
            self.rename("parameter's definition", token.span(), token.text(), true);
        }
        if let Some(default) = parameter.default() {
            self.value("wrong type: default", default, true);
        }
    }

    /// Replaces a literal by another value.
    fn value(&mut self, kind: &'static str, value: Expr<'_>, is_definition: bool) {
        match value {
            Expr::String(_) | Expr::Number(_) | Expr::Boolean(_) | Expr::Name(_) => {
                self.add(kind, value.span(), WRONG.into(), is_definition);
            }
            Expr::Array(_) | Expr::Hash(_) => self.add(kind, value.span(), "-7".into(), is_definition),
            _ => {}
        }
    }

    fn definition(&mut self, node: Node<'_>) {
        let (kind, token) = match Expr::cast(node) {
            Some(Expr::ClassDefinition(class)) => {
                if let Some(token) = class.parent_token() {
                    self.rename("class", token.span(), token.text(), false);
                }
                ("class's definition", class.name_token())
            }
            Some(Expr::DefineDefinition(define)) => ("define's definition", define.name_token()),
            Some(Expr::FunctionDefinition(function)) => ("function's definition", function.name_token()),
            _ => return,
        };
        if let Some(token) = token {
            self.rename(kind, token.span(), token.text(), true);
        }
    }

    fn resource(&mut self, node: Node<'_>, attributes: &mut Vec<u32>) {
        let Some(resource) = ast::Resource::cast(node) else { return };
        let name = match resource.type_expr() {
            Some(Expr::Name(name)) => {
                self.rename("resource type", name.span(), name.name(), false);
                name.name()
            }
            _ if resource.is_class() => "class",
            _ => return,
        };
        let is_define = name == "class" || name.contains("::");
        for body in resource.bodies() {
            if let (true, Expr::String(title)) = (name == "class", body.title()) {
                self.rename("class", title.span(), title.syntax().text(), false);
            }
            for attribute in body.attributes() {
                attributes.push(attribute.syntax().index());
                self.attribute(attribute.syntax(), if is_define { "parameter" } else { "attribute" });
                if is_define {
                    self.add("dropped parameter", attribute.span(), String::new(), false);
                }
            }
        }
    }

    fn attribute(&mut self, node: Node<'_>, kind: &'static str) {
        let Some(attribute) = ast::Attribute::cast(node) else { return };
        // Attributes are visited before the resource they belong to, and again with it.
        let name = attribute.name_token();
        self.all.retain(|one| one.span != name.span() || one.kind != "attribute");
        self.rename(kind, name.span(), name.text(), false);
        let span = attribute.value().span();
        self.all.retain(|one| one.span != span || !one.kind.starts_with("wrong type"));
        self.value("wrong type: value", attribute.value(), false);
    }

    fn call(&mut self, node: Node<'_>) {
        let Some(Expr::Call(call)) = Expr::cast(node) else { return };
        let Expr::Name(name) = call.function() else { return };
        let arguments: Vec<Expr<'_>> = call.arguments().collect();
        match name.name() {
            "include" | "contain" | "require" => {
                for argument in arguments.iter().filter(|one| matches!(one, Expr::String(_) | Expr::Name(_)))
                {
                    self.rename("class", argument.span(), argument.syntax().text(), false);
                }
                return;
            }
            "template" | "epp" | "file" => {
                if let Some(Expr::String(file)) = arguments.first() {
                    self.rename("template or file", file.span(), file.syntax().text(), false);
                }
                if let (true, Some(Expr::Hash(given))) = (name.name() == "epp", arguments.get(1)) {
                    for entry in given.entries() {
                        self.rename(
                            "template's parameter",
                            entry.key().span(),
                            entry.key().syntax().text(),
                            false,
                        );
                    }
                }
            }
            "lookup" | "hiera" => {
                if let Some(Expr::String(key)) = arguments.first() {
                    self.rename("key", key.span(), key.syntax().text(), false);
                }
            }
            "fail" => return,
            _ => {}
        }
        if node.kind() == K::Call {
            self.rename("function", name.span(), name.name(), false);
        }
        if let [.., before, last] = &arguments[..] {
            self.add("dropped argument", Span::new(before.span().end, last.span().end), String::new(), false);
        }
        if let Some(last) = arguments.last() {
            let end = Span::new(last.span().end, last.span().end);
            self.add("wrong arity", end, format!(", {WRONG}, {WRONG}, {WRONG}"), false);
        }
        for argument in &arguments {
            self.value("wrong type: argument", *argument, false);
        }
    }

    fn access(&mut self, node: Node<'_>) {
        let Some(Expr::Access(access)) = Expr::cast(node) else { return };
        let Some(Expr::String(key)) = access.keys().next() else { return };
        let mut left = access.left();
        while let Expr::Access(inner) = left {
            left = inner.left();
        }
        let kind = match left {
            Expr::Variable(variable) if matches!(variable.name(), "facts" | "::facts" | "trusted") => "fact",
            Expr::Variable(_) => "key",
            Expr::Type(name) if name.name() == "Class" => "class",
            Expr::Type(_) => "title of a reference",
            _ => return,
        };
        self.rename(kind, key.span(), key.syntax().text(), false);
    }
}
