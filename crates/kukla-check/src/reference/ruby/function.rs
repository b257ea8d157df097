//! Functions that are written in Ruby.

use kukla_ruby::outline::{Call, Expr, Method, Node, ParameterKind};

use super::super::Reference;
use super::super::docstring::Docstring;
use super::super::entry::{Function, FunctionKind, Overload, Parameter};
use super::super::puppet::format_source;
use super::super::tag::Tag;
use super::Reader;

impl<'t> Reader<'t> {
    pub(super) fn function(&self, statement: &'t Node, call: &'t Call, reference: &mut Reference) {
        let kind = match self.receiver(call) {
            Some("Puppet::Parser::Functions") => FunctionKind::Ruby3x,
            None if call.name == "newfunction" => FunctionKind::Ruby3x,
            Some("Puppet::Functions") => FunctionKind::Ruby4x,
            _ => return,
        };
        let Some(name) = self.name(call) else { return };
        let mut function = Function {
            name,
            kind,
            origin: self.origin(statement, call),
            docstring: self.comment(statement).unwrap_or_default(),
            source: format_source(super::super::docstring::strip(self.code.source(statement))),
            ..Function::default()
        };
        match kind {
            FunctionKind::Ruby3x => self.legacy(call, &mut function),
            _ => self.modern(call, &mut function),
        }
        reference.functions.push(function);
    }

    /// Completes a function of the legacy API, which is documented by its option `:doc`.
    fn legacy(&self, call: &'t Call, function: &mut Function) {
        let doc = Self::pairs(self.arguments(call).get(1))
            .find(|(key, _)| self.code.string(key).as_deref() == Some("doc"));
        if let Some((_, value)) = doc
            && let Some(text) = self.code.string(value)
        {
            let starts_below = u32::from(self.code.source(value).starts_with("<<"));
            let line = self.code.outline.line(value.span.start) + starts_below;
            function.docstring = Docstring::read(&super::source::scrub(&text), line);
        }
        function.written = function.docstring.clone();
        let any = || Some(vec![Some("Any".to_owned())]);
        for tag in function.docstring.tags.iter_mut().filter(|tag| tag.name == "param") {
            if tag.types.as_ref().is_none_or(Vec::is_empty) {
                tag.types = any();
            }
        }
        function.parameters = function
            .docstring
            .named("param")
            .map(|tag| Parameter { name: tag.subject.clone().unwrap_or_default(), ..Parameter::default() })
            .collect();
        add_return(&mut function.docstring);
    }

    /// Completes a function of today's API: each `dispatch` has its own documentation.
    fn modern(&self, call: &'t Call, function: &mut Function) {
        function.written = function.docstring.clone();
        function.docstring.tags.retain(|tag| !matches!(tag.name.as_str(), "param" | "return" | "overload"));
        let last = function.name.rsplit("::").next().unwrap_or_default();
        let body = call.block.as_deref().map(|block| block.body.statements()).unwrap_or_default();
        let (mut overloads, mut method) = (Vec::new(), None);
        for statement in body {
            match &statement.expr {
                Expr::Call(call)
                    if call.name == "dispatch" && self.arguments(call).len() == 1 && call.block.is_some() =>
                {
                    overloads.push(self.dispatch(statement, call));
                }
                Expr::Method(one) if one.name == last => method = Some((statement, one)),
                _ => {}
            }
        }
        if overloads.is_empty()
            && let Some((statement, method)) = method
        {
            overloads.push(self.method(statement, method));
        }
        if let [overload] = &overloads[..] {
            function.parameters = overload.parameters.clone();
            let tags = overload.docstring.sorted_tags();
            function.docstring.tags.extend(tags.into_iter().cloned());
        }
        function.overloads = overloads;
    }

    /// The signature that a `dispatch` declares.
    fn dispatch(&self, statement: &'t Node, call: &'t Call) -> Overload {
        let mut overload = self.overload(statement);
        let mut block = None;
        for (_, call) in Self::calls(call) {
            let text =
                |at: usize| self.arguments(call).get(at).and_then(|argument| self.code.string(argument));
            match call.name.as_str() {
                "return_type" => {
                    if !overload.docstring.has("return") {
                        overload.docstring.tags.push(Tag::of_code("return", None, Some("Any".into())));
                    }
                    let tag = overload.docstring.tags.iter_mut().find(|tag| tag.name == "return");
                    if let Some(tag) = tag {
                        tag.types = Some(vec![text(0)]);
                    }
                }
                "block_param" | "required_block_param" | "optional_block_param" => {
                    block = block.or(Some(call));
                }
                "param"
                | "required_param"
                | "optional_param"
                | "repeated_param"
                | "optional_repeated_param"
                | "required_repeated_param"
                    if self.arguments(call).len() == 2 =>
                {
                    let sort = Sort {
                        is_optional: call.name.contains("optional"),
                        is_repeated: call.name.contains("repeated"),
                        is_block: false,
                    };
                    let span = self.arguments(call)[1].span;
                    let name = text(1).unwrap_or_default();
                    overload.add(Parameter { name, ty: text(0), default: None, span }, sort);
                }
                _ => {}
            }
        }
        // Wherever it is declared, the lambda comes last.
        if let Some(call) = block {
            let text =
                |at: usize| self.arguments(call).get(at).and_then(|argument| self.code.string(argument));
            let (name, ty) = match self.arguments(call).len() {
                0 => (Some("block".to_owned()), Some("Callable".to_owned())),
                1 => (text(0), Some("Callable".to_owned())),
                2 => (text(1), text(0)),
                _ => (None, None),
            };
            if let (Some(name), Some(ty)) = (name, ty) {
                let is_optional = call.name.contains("optional");
                let sort = Sort { is_optional, is_repeated: false, is_block: true };
                let span = self.arguments(call).last().map_or(call.name_span, |name| name.span);
                overload.add(Parameter { name, ty: Some(ty), default: None, span }, sort);
            }
        }
        add_return(&mut overload.docstring);
        overload
    }

    /// The signature of a function without a `dispatch`: that of the method with its name.
    fn method(&self, statement: &'t Node, method: &'t Method) -> Overload {
        let mut overload = self.overload(statement);
        for parameter in &method.code.parameters {
            let default = parameter.default.as_ref().map(|default| match self.code.source(default) {
                "nil" => "undef".to_owned(),
                ":default" => "default".to_owned(),
                other => other.to_owned(),
            });
            let sort = match parameter.kind {
                ParameterKind::Required
                | ParameterKind::Optional
                | ParameterKind::Rest
                | ParameterKind::Block => Sort {
                    is_optional: parameter.kind == ParameterKind::Optional,
                    is_repeated: parameter.kind == ParameterKind::Rest,
                    is_block: parameter.kind == ParameterKind::Block,
                },
                ParameterKind::Keyword | ParameterKind::KeywordRest => continue,
            };
            let span = method.name_span;
            overload.add(Parameter { name: parameter.name.clone(), ty: None, default, span }, sort);
        }
        add_return(&mut overload.docstring);
        overload
    }

    fn overload(&self, statement: &'t Node) -> Overload {
        let written = self.comment(statement).unwrap_or_default();
        let line = self.code.outline.line(statement.span.start);
        Overload { parameters: Vec::new(), docstring: written.clone(), written, line }
    }
}

/// How a parameter takes arguments.
#[derive(Clone, Copy)]
struct Sort {
    is_optional: bool,
    is_repeated: bool,
    is_block: bool,
}

impl Overload {
    /// Adds a parameter, and the type that the code declares to its tag.
    fn add(&mut self, mut parameter: Parameter, sort: Sort) {
        let name = match sort {
            Sort { is_repeated: true, .. } => format!("*{}", parameter.name),
            Sort { is_block: true, .. } => format!("&{}", parameter.name),
            _ => parameter.name.clone(),
        };
        let tag = self.docstring.parameter_mut(&parameter.name);
        let documented = || tag.as_ref().and_then(|tag| tag.ty().map(str::to_owned));
        let ty = parameter.ty.clone().or_else(documented).unwrap_or_else(|| "Any".into());
        let ty = if sort.is_optional { format!("Optional[{ty}]") } else { ty };
        match tag {
            Some(tag) => {
                tag.subject = Some(name.clone());
                tag.types = Some(vec![Some(ty)]);
            }
            None => self.docstring.tags.push(Tag::of_code("param", Some(&name), Some(ty))),
        }
        parameter.name = name;
        self.parameters.push(parameter);
    }
}

/// Adds the tag of the result if there is none.
fn add_return(docstring: &mut Docstring) {
    match docstring.tags.iter_mut().find(|tag| tag.name == "return") {
        Some(tag) => tag.types = tag.types.take().or_else(|| Some(vec![Some("Any".into())])),
        None => docstring.tags.push(Tag::of_code("return", None, Some("Any".into()))),
    }
}
