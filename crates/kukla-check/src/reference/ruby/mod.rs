//! Entries that are written in Ruby: functions of both APIs, resource types, providers and data types.

mod data_type;
mod function;
mod provider;
mod resource_api;
mod resource_type;
mod source;

use kukla::syntax::deep;
use kukla_ruby::outline::{Call, Expr, Node, Outline};

use self::source::Code;
use super::Reference;
use super::docstring::Docstring;
use super::entry::Origin;

/// Whether a text may have entries: most Ruby code defines nothing for Puppet code to use.
pub fn may_define(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "create_function",
        "newfunction",
        "newtype",
        "newparam",
        "newproperty",
        "provide",
        "register_type",
        "create_type",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

/// Reads the entries of a Ruby file.
pub fn read(file: &str, text: &str, outline: &Outline, reference: &mut Reference) {
    if !outline.has_errors() {
        let code = Code::new(text, outline);
        Reader { file, code }.statements(outline.body(), reference);
    }
}

struct Reader<'t> {
    file: &'t str,
    code: Code<'t>,
}

impl<'t> Reader<'t> {
    /// Reads the statements of a body, and those of modules, classes and conditions in it.
    fn statements(&self, body: &'t Node, reference: &mut Reference) {
        for statement in body.statements() {
            match &statement.expr {
                Expr::Call(call) => self.call(statement, call, reference),
                Expr::Namespace(namespace) => deep(|| self.statements(&namespace.body, reference)),
                Expr::If(_, yes, no) => deep(|| {
                    self.statements(yes, reference);
                    self.statements(no, reference);
                }),
                _ => {}
            }
        }
    }

    fn call(&self, statement: &'t Node, call: &'t Call, reference: &mut Reference) {
        match call.name.as_str() {
            "create_function" | "newfunction" => self.function(statement, call, reference),
            "newtype" => self.resource_type(statement, call, reference),
            "newparam" | "newproperty" | "ensurable" => self.type_addition(statement, call, reference),
            "provide" => self.provider(statement, call, reference),
            "register_type" => self.resource_api(statement, call, reference),
            "create_type" => self.data_type(statement, call, reference),
            _ => {}
        }
    }

    fn receiver(&self, call: &Call) -> Option<&'t str> {
        call.receiver.as_ref().map(|receiver| self.code.source(receiver))
    }

    /// The arguments of a call. YARD leaves out the last one before a comma and a closing parenthesis.
    fn arguments(&self, call: &'t Call) -> &'t [Node] {
        let Some((last, others)) = call.args.split_last() else { return &[] };
        let rest = self.code.text.get(last.span.end as usize..).unwrap_or_default();
        let has_comma =
            call.has_parentheses && call.block_argument.is_none() && rest.trim_start().starts_with(',');
        if has_comma { others } else { &call.args }
    }

    /// The first argument of a call, as the name of what it defines.
    fn name(&self, call: &'t Call) -> Option<String> {
        self.code.string(self.arguments(call).first()?)
    }

    fn origin(&self, statement: &Node, call: &Call) -> Origin {
        Origin {
            file: self.file.to_owned(),
            line: self.code.outline.line(statement.span.start),
            name_span: call.args.first().map_or(statement.span, |name| name.span),
        }
    }

    /// The comment of a statement as documentation.
    fn comment(&self, statement: &Node) -> Option<Docstring> {
        self.code.comment(statement).map(|comment| Docstring::read(&comment.text, comment.line))
    }

    /// The description that code gives itself, by `desc` or `@doc`, and its line: the first one inside of a statement.
    fn description(&self, statement: &'t Node) -> Option<(String, u32)> {
        let mut found: Option<&'t Node> = None;
        let mut is_found = false;
        statement.walk(|node| {
            match &node.expr {
                _ if is_found => {}
                Expr::Assign(assign)
                    if assign.operator.is_none()
                        && assign.target == kukla_ruby::outline::Target::InstanceVariable("@doc".into()) =>
                {
                    (found, is_found) = (assign.value.as_ref(), true);
                }
                Expr::Call(call) if call.name == "desc" && self.arguments(call).len() == 1 => {
                    (found, is_found) = (call.args.first(), true);
                }
                _ => {}
            }
            !is_found
        });
        let text = found?;
        let line = self.code.outline.line(text.span.start);
        let starts_below = u32::from(self.code.source(text).starts_with("<<"));
        Some((source::scrub(&self.code.string(text)?), line + starts_below))
    }

    /// The entries of the hash that an argument is: the nodes of keys and values.
    fn pairs(argument: Option<&'t Node>) -> impl Iterator<Item = (&'t Node, &'t Node)> {
        let pairs = match argument.map(|argument| &argument.expr) {
            Some(Expr::Hash(pairs)) => &pairs[..],
            _ => &[],
        };
        let is_pair = |(key, _): &&(Node, Node)| !matches!(key.expr, Expr::Splat(_));
        pairs.iter().filter(is_pair).map(|(key, value)| (key, value))
    }

    /// The calls that are statements of a block.
    fn calls(call: &'t Call) -> impl Iterator<Item = (&'t Node, &'t Call)> {
        let body = call.block.as_deref().map(|block| block.body.statements()).unwrap_or_default();
        body.iter().filter_map(|statement| Some((statement, statement.as_call()?)))
    }
}
