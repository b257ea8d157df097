//! Functions of both APIs, with their signatures.

use kukla_ruby::outline::{Block, Call, DocComment, Expr, Node, Outline, ParameterKind};
use kukla_syntax::Span;

/// The APIs that functions are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionApi {
    /// `Puppet::Functions.create_function`
    Modern,
    /// `newfunction`
    Legacy,
}

/// A function that a file defines.
#[derive(Clone, Debug)]
pub struct FunctionOutline {
    /// The name.
    pub name: String,
    /// The API it is written for.
    pub api: FunctionApi,
    /// The position of the call that defines it.
    pub span: Span,
    /// The position of the name.
    pub name_span: Span,
    /// The comment above it, or the `:doc` option of the legacy API.
    pub doc: Option<DocComment>,
    /// The ways to call it; empty if they are not literal.
    pub signatures: Vec<SignatureOutline>,
}

/// One way to call a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignatureOutline {
    /// The method that a `dispatch` names.
    pub method: Option<String>,
    /// The parameters in order.
    pub parameters: Vec<ParameterOutline>,
    /// The lambda it takes.
    pub block: Option<BlockOutline>,
    /// The type of the result, if it is declared.
    pub returns: Option<String>,
    /// The position of the `dispatch`, or of whatever else tells the signature.
    pub span: Span,
    /// The comment above the `dispatch`.
    pub doc: Option<DocComment>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterOutline {
    /// The name; empty if it is not known.
    pub name: String,
    /// The type in Puppet's notation.
    pub ty: String,
    /// How many arguments it takes.
    pub count: ParameterCount,
}

/// The number of arguments that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterCount {
    /// Exactly one.
    One,
    /// One or none.
    Optional,
    /// Any number.
    Repeated,
    /// At least one.
    RequiredRepeated,
}

/// The lambda that a function takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockOutline {
    /// The type in Puppet's notation, if it is declared.
    pub ty: Option<String>,
    /// Whether the lambda can be left out.
    pub is_optional: bool,
}

impl SignatureOutline {
    /// The smallest number of arguments.
    pub fn required(&self) -> usize {
        let is_required = |one: &&ParameterOutline| {
            matches!(one.count, ParameterCount::One | ParameterCount::RequiredRepeated)
        };
        self.parameters.iter().filter(is_required).count()
    }

    /// Whether the last parameter takes all remaining arguments.
    pub fn takes_rest(&self) -> bool {
        let is_repeated = |one: &ParameterOutline| {
            matches!(one.count, ParameterCount::Repeated | ParameterCount::RequiredRepeated)
        };
        self.parameters.iter().any(is_repeated)
    }

    /// A signature known only by its number of arguments, as Ruby counts them: -1 less the minimum if there may be more.
    fn with_arity(arity: i64, span: Span) -> Option<SignatureOutline> {
        let required = usize::try_from(if arity < 0 { -arity - 1 } else { arity }).ok()?;
        // More arguments than any function has; the text is not to be trusted.
        if required > 1_000 {
            return None;
        }
        let any = |count: ParameterCount| ParameterOutline { name: String::new(), ty: "Any".into(), count };
        let mut parameters = vec![any(ParameterCount::One); required];
        if arity < 0 {
            match parameters.last_mut() {
                Some(last) => last.count = ParameterCount::RequiredRepeated,
                None => parameters.push(any(ParameterCount::Repeated)),
            }
        }
        Some(SignatureOutline { parameters, span, ..SignatureOutline::default() })
    }
}

/// The functions that a file defines.
pub fn functions(outline: &Outline) -> Vec<FunctionOutline> {
    let mut functions = Vec::new();
    outline.each_call(|node, call| {
        let api = match call.name.as_str() {
            "create_function" if is_functions(call.receiver.as_ref()) => FunctionApi::Modern,
            "newfunction" if call.receiver.is_none() || is_functions(call.receiver.as_ref()) => {
                FunctionApi::Legacy
            }
            _ => return,
        };
        let Some((name, name_span)) = call.args.first().and_then(|arg| Some((arg.literal()?, arg.span)))
        else {
            return;
        };
        let comment = outline.doc_comment(node.span);
        let (doc, signatures) = match api {
            FunctionApi::Modern => {
                (comment, call.block.as_deref().map(|block| modern(outline, &name, block)))
            }
            FunctionApi::Legacy => {
                (option(call, "doc").and_then(doc_option).or(comment), legacy(call).map(|one| vec![one]))
            }
        };
        let signatures = signatures.unwrap_or_default();
        functions.push(FunctionOutline { name, api, span: node.span, name_span, doc, signatures });
    });
    functions
}

/// Whether a call is made on `Puppet::Functions` or `Puppet::Parser::Functions`.
fn is_functions(receiver: Option<&Node>) -> bool {
    let path = match receiver.map(|receiver| &receiver.expr) {
        Some(Expr::Constant(path)) => path.trim_start_matches("::"),
        _ => return false,
    };
    matches!(path, "Puppet::Functions" | "Puppet::Parser::Functions" | "Parser::Functions" | "Functions")
}

/// An option of a call: an entry of the hash among its arguments.
fn option<'c>(call: &'c Call, key: &str) -> Option<&'c Node> {
    call.args.iter().find_map(|arg| arg.entry(key))
}

fn doc_option(value: &Node) -> Option<DocComment> {
    Some(DocComment { span: value.span, text: value.literal()? })
}

/// The signatures of a function for today's API: one for each `dispatch`, else that of the method with its name.
fn modern(outline: &Outline, name: &str, block: &Block) -> Vec<SignatureOutline> {
    let statements = block.body.statements();
    let is_dispatch =
        |node: &Node| node.as_call().is_some_and(|call| call.receiver.is_none() && call.name == "dispatch");
    let (mut dispatches, mut has_local_types) = (0, false);
    block.body.walk(|node| {
        dispatches += usize::from(is_dispatch(node));
        has_local_types |= node.as_call().is_some_and(|call| call.name == "local_types");
        true
    });
    let direct: Vec<&Node> = statements.iter().filter(|node| is_dispatch(node)).collect();
    // Types of the function's own are not known here, nor how often a `dispatch` inside of other code is reached.
    if has_local_types || direct.len() != dispatches {
        return Vec::new();
    }
    if direct.is_empty() {
        return method(name, statements).into_iter().collect();
    }
    direct.into_iter().map(|node| dispatch(outline, node)).collect::<Option<_>>().unwrap_or_default()
}

/// The signature of a `dispatch`. `None` if its parameters are not literal.
fn dispatch(outline: &Outline, node: &Node) -> Option<SignatureOutline> {
    let call = node.as_call()?;
    let mut signature = SignatureOutline {
        method: call.args.first().and_then(|name| name.literal()),
        span: node.span,
        doc: outline.doc_comment(node.span),
        ..SignatureOutline::default()
    };
    let body = &call.block.as_deref()?.body;
    let statements = body.statements();
    let mut is_literal = true;
    body.walk(|node| {
        let is_word = |call: &Call| {
            call.receiver.is_none() && (call.name.ends_with("param") || call.name == "return_type")
        };
        let is_direct = || statements.iter().any(|statement| std::ptr::eq(statement, node));
        is_literal &= !node.as_call().is_some_and(is_word) || is_direct();
        true
    });
    for call in statements.iter().filter_map(Node::as_call).filter(|call| call.receiver.is_none()) {
        let text = |at: usize| call.args.get(at).and_then(|arg| arg.literal());
        let count = match call.name.as_str() {
            "param" | "required_param" => ParameterCount::One,
            "optional_param" => ParameterCount::Optional,
            "repeated_param" | "optional_repeated_param" => ParameterCount::Repeated,
            "required_repeated_param" => ParameterCount::RequiredRepeated,
            "block_param" | "required_block_param" | "optional_block_param" => {
                let is_optional = call.name == "optional_block_param";
                // One argument is the name, two are the type and the name.
                let ty = text(0).filter(|_| call.args.len() > 1);
                signature.block = Some(BlockOutline { ty, is_optional });
                continue;
            }
            "return_type" => {
                signature.returns = text(0);
                continue;
            }
            // Filled in by the compiler: callers do not pass these.
            "scope_param" | "cache_param" | "compiler_param" | "script_compiler_param" => continue,
            other if other.ends_with("param") => return None,
            _ => continue,
        };
        let (ty, name) = (text(0)?, text(1).unwrap_or_default());
        signature.parameters.push(ParameterOutline { name, ty, count });
    }
    is_literal.then_some(signature)
}

/// The signature of a function without a `dispatch`: that of the method with its name.
fn method(name: &str, statements: &[Node]) -> Option<SignatureOutline> {
    let last = name.rsplit("::").next().unwrap_or(name);
    let methods = || {
        statements.iter().filter_map(|node| match &node.expr {
            Expr::Method(method) if !method.on_self => Some((node.span, method)),
            _ => None,
        })
    };
    // A method `call` gets all arguments, whatever other methods there are.
    if last != "call" && methods().any(|(_, method)| method.name == "call") {
        return None;
    }
    let (span, method) = methods().find(|(_, method)| method.name == last)?;
    let parameters = &method.code.parameters;
    if let [only] = &parameters[..]
        && only.kind == ParameterKind::Rest
    {
        return SignatureOutline::with_arity(checked_count(&method.code, &only.name)?, span);
    }
    let parameters = parameters.iter().map(|parameter| {
        let count = match parameter.kind {
            ParameterKind::Required => ParameterCount::One,
            ParameterKind::Optional => ParameterCount::Optional,
            ParameterKind::Rest => ParameterCount::Repeated,
            ParameterKind::Keyword | ParameterKind::KeywordRest | ParameterKind::Block => return None,
        };
        Some(ParameterOutline { name: parameter.name.clone(), ty: "Any".into(), count })
    });
    let parameters = parameters.collect::<Option<_>>()?;
    Some(SignatureOutline { parameters, span, ..SignatureOutline::default() })
}

/// The signature of a function for the legacy API: its `:arity`, or the number of arguments it insists on first of all.
fn legacy(call: &Call) -> Option<SignatureOutline> {
    if let Some(arity) = option(call, "arity") {
        return match arity.expr {
            Expr::Integer(count) => SignatureOutline::with_arity(count, arity.span),
            _ => None,
        };
    }
    let block = call.block.as_deref()?;
    let [arguments] = &block.parameters[..] else { return None };
    SignatureOutline::with_arity(checked_count(block, &arguments.name)?, block.body.span)
}

/// The number of arguments for which a body goes on, if its first statement raises for all others.
fn checked_count(body: &Block, arguments: &str) -> Option<i64> {
    let Expr::If(test, yes, no) = &body.body.statements().first()?.expr else { return None };
    let test = test.as_call()?;
    let size = test.receiver.as_ref()?.as_call()?;
    let is_size = matches!(size.name.as_str(), "size" | "length" | "count")
        && size.args.is_empty()
        && matches!(&size.receiver.as_ref()?.expr, Expr::Local(name) if name == arguments);
    let refusal = match test.name.as_str() {
        "!=" => yes,
        "==" => no,
        _ => return None,
    };
    let raises = refusal
        .statements()
        .first()?
        .as_call()
        .is_some_and(|call| call.receiver.is_none() && matches!(call.name.as_str(), "raise" | "fail"));
    match &test.args[..] {
        [Node { expr: Expr::Integer(count), .. }] if is_size && raises => Some(*count),
        _ => None,
    }
}

/// The parts of a legacy function's file that Puppet inspects before it runs the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LegacyFile {
    /// Whether it calls `newfunction`.
    pub calls_newfunction: bool,
    /// The first method that it defines, which Puppet does not allow.
    pub method: Option<LegacyMethod>,
}

/// A method in the file of a legacy function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegacyMethod {
    /// Its name and the column of the name, unless the name is an operator or begins like a constant.
    pub name: Option<(String, u32)>,
}

/// Inspects the file of a legacy function. `None` if it has syntax errors.
pub fn legacy_file(outline: &Outline) -> Option<LegacyFile> {
    if outline.has_errors() {
        return None;
    }
    let mut file = LegacyFile::default();
    outline.body().walk(|node| {
        match &node.expr {
            // Arguments without parentheses make it something else to Puppet.
            Expr::Call(call) => {
                let is_call = call.args.is_empty() || call.has_parentheses;
                file.calls_newfunction |= is_call && call.name == "newfunction";
            }
            Expr::Method(method) if file.method.is_none() => {
                let is_plain = method.name.starts_with(|c: char| c.is_lowercase() || c == '_');
                let name = || (method.name.clone(), outline.column(method.name_span.start));
                file.method = Some(LegacyMethod { name: is_plain.then(name) });
            }
            _ => {}
        }
        true
    });
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> FunctionOutline {
        let mut functions = functions(&Outline::new(text));
        assert_eq!(functions.len(), 1, "{text}");
        functions.remove(0)
    }

    /// The required number of arguments, the number of parameters, and whether more are allowed.
    type Arity = (usize, usize, bool);

    /// Checks the first signature of a function for each piece of code in it.
    fn assert_arities(in_function: impl Fn(&str) -> String, cases: &[(&str, Option<Arity>)]) {
        for (code, expected) in cases {
            let function = only(&in_function(code));
            let arity = |one: &SignatureOutline| (one.required(), one.parameters.len(), one.takes_rest());
            assert_eq!(function.signatures.first().map(arity), *expected, "{code}");
        }
    }

    #[test]
    fn dispatches() {
        let function = only(
            "# frozen_string_literal: true

# Does a thing.
#
# @example Call it
#   a::b(1)
Puppet::Functions.create_function(:'a::b') do
  # @param x The first.
  dispatch :one do
    param 'String', :x
    optional_param('Integer[0]',
                   :y)
    repeated_param \"Any\", :z
    return_type 'Boolean'
  end

  dispatch(:many) {
    required_repeated_param <<~TYPE.strip, :xs
      Any
    TYPE
    block_param
  }
end
",
        );
        assert_eq!((function.name.as_str(), function.api), ("a::b", FunctionApi::Modern));
        assert_eq!(function.doc.as_ref().map(|doc| doc.text.lines().count()), Some(4));
        // A type that is computed cannot be read, and then nor can the function.
        assert!(function.signatures.is_empty());
        let function = only(
            "Puppet::Functions.create_function(:'a::b') do
  # @param x The first.
  dispatch :one do
    param 'String', :x # optional_param 'Any', :no
    optional_param('Integer[0]',
                   :y)
    repeated_param \"Any\", :z
    return_type 'Boolean'
  end

  dispatch(:many) {
    required_repeated_param <<~TYPE, :xs
      Variant[
        String
      ]
    TYPE
    optional_block_param 'Callable[1]', :block
  }
  argument_mismatch :wrong do
    param 'Any', :x
  end
  def one(x, y = 1, *z); end
end
",
        );
        let [one, many] = &function.signatures[..] else { panic!("{:?}", function.signatures) };
        let parameter = |name: &str, ty: &str, count: ParameterCount| ParameterOutline {
            name: name.into(),
            ty: ty.into(),
            count,
        };
        assert_eq!(
            one.parameters,
            [
                parameter("x", "String", ParameterCount::One),
                parameter("y", "Integer[0]", ParameterCount::Optional),
                parameter("z", "Any", ParameterCount::Repeated),
            ]
        );
        assert_eq!((one.required(), one.takes_rest(), &one.block), (1, true, &None));
        assert_eq!((one.method.as_deref(), one.returns.as_deref()), (Some("one"), Some("Boolean")));
        assert_eq!(one.doc.as_ref().map(|doc| doc.text.as_str()), Some("@param x The first."));
        assert_eq!(
            many.parameters,
            [parameter("xs", "Variant[\n  String\n]\n", ParameterCount::RequiredRepeated)]
        );
        assert_eq!(many.block, Some(BlockOutline { ty: Some("Callable[1]".into()), is_optional: true }));
    }

    #[test]
    fn signatures_that_are_computed_are_not_read() {
        let inside = |code: &str| {
            only(&format!("Puppet::Functions.create_function(:a) do\n{code}\nend")).signatures.len()
        };
        assert_eq!(inside("dispatch(:a) { param 'String', :x }"), 1);
        assert_eq!(inside("dispatch(:a) { param \"Enum[#{NAMES}]\", :x }"), 0);
        assert_eq!(inside("dispatch(:a) { %w[x y].each { |n| param 'String', n } }"), 0);
        assert_eq!(inside("%w[String Integer].each { |t| dispatch(:a) { param t, :x } }"), 0);
        assert_eq!(inside("local_types { type 'T = String' }\ndispatch(:a) { param 'T', :x }"), 0);
        assert_eq!(inside("dispatch(:a) { scope_param; param 'String', :x; }"), 1);
        assert_eq!(inside("dispatch(:a) { other_param 'String', :x; }"), 0);
    }

    #[test]
    fn options_of_legacy_functions_come_in_any_order() {
        let head = "module Puppet::Parser::Functions\n  newfunction(";
        let in_function = |options: &str| format!("{head}{options}) do |args|\n    x\n  end\nend");
        let cases = [
            (":a, :type => :rvalue, :arity => 2", Some((2, 2, false))),
            (":a,\n :arity => -2,\n :doc => 'arity: 9',\n :type => :rvalue", Some((1, 1, true))),
            ("'a', arity: -1", Some((0, 1, true))),
            (":a, :doc => <<-EOS\n  :arity => 3\n  EOS\n", None),
            (":a, arity: N", None),
        ];
        assert_arities(in_function, &cases);
        let function = only(&format!("{head}:a, :doc => <<-EOS\n    Text.\n  EOS\n  ) {{ |args| 1 }}\nend"));
        assert_eq!(function.doc.map(|doc| doc.text), Some("    Text.\n".into()));
        assert_eq!(function.api, FunctionApi::Legacy);
    }

    #[test]
    fn a_check_of_the_number_of_arguments_is_a_signature() {
        let head = "Puppet::Parser::Functions.newfunction(:a, :type => :rvalue) do |args|\n";
        let in_function = |body: &str| format!("{head}{body}\nend");
        let cases = [
            ("raise(E, 'no') if args.size != 1\nx", Some((1, 1, false))),
            ("# comment\nunless args.length == 2\n  raise E, 'no'\nend", Some((2, 2, false))),
            ("raise(E, \"no: \" \\\n  \"#{args.size} for 1\") if args.size !=\n  3\nx", Some((3, 3, false))),
            ("if args.size != 1\n  x = 1\nend", None),
            ("raise(E, 'no') if other.size != 1", None),
            ("x\nraise(E, 'no') if args.size != 1", None),
        ];
        assert_arities(in_function, &cases);
    }

    #[test]
    fn the_method_of_a_function_is_its_signature() {
        let in_function = |body: &str| format!("Puppet::Functions.create_function(:'a::b') do\n{body}\nend");
        let cases = [
            ("def b(x,\n      y = f(1, 2))\nend", Some((1, 2, false))),
            ("def helper(z); end\ndef b(x, *more); end", Some((1, 2, true))),
            ("def b(*args)\n  raise(E, 'a' +\n 'b') if args.size != 1\nend", Some((1, 1, false))),
            ("def b(*args)\n  x\nend", None),
            ("def b(x, &block); end", None),
            ("def call(scope, *args); end\ndef b(x); end", None),
            ("def b; end", Some((0, 0, false))),
        ];
        assert_arities(in_function, &cases);
    }

    #[test]
    fn text_that_looks_like_a_function_defines_none() {
        let text = "# newfunction(:a)\nx = \"create_function(:b)\"\nother.create_function(:c) { }\nnewfunction(name) { }\n";
        assert!(functions(&Outline::new(text)).is_empty());
    }

    #[test]
    fn files_of_legacy_functions() {
        let file = |text: &str| legacy_file(&Outline::new(text));
        let made = file("newfunction(:a) do |args|\n  1\nend").unwrap();
        assert!(made.calls_newfunction && made.method.is_none());
        assert!(!file("newfunction :a do |args|\nend").unwrap().calls_newfunction);
        let named = file("newfunction(:a) do\nend\nif x\n  def b; end\nend").unwrap().method.unwrap();
        assert_eq!(named.name, Some(("b".into(), 6)));
        assert_eq!(file("def +(x); end").unwrap().method, Some(LegacyMethod { name: None }));
        assert_eq!(file("def ("), None);
    }
}
