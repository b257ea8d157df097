//! Every kind of expression, and to whom it goes.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use ruby_prism as prism;

use super::literal::explicit_encoding;
use super::{Lowerer, line_of, read, write};
use crate::program::{Arg, Combine, LineMark, Literal, Node, Pair, Range};
use crate::text::Encoding;

/// At this number of levels of nesting, an expression makes sure that there is enough stack for the next ones.
const DEEP: u32 = 16;

/// Goes by the kind of a node.
macro_rules! by_kind {
    ($node:expr, { $($variant:ident $as:ident => |$n:ident| $body:expr),* $(,)? }) => {
        match $node {
            $(prism::Node::$variant { .. } => match $node.$as() {
                Some($n) => $body,
                None => Node::Nil,
            },)*
            _ => Node::Nil,
        }
    };
}

impl Lowerer {
    /// Statements, of which the last gives the value.
    pub(super) fn statements(&mut self, list: &prism::NodeList<'_>) -> Node {
        let last = list.len().saturating_sub(1);
        let mut nodes = Vec::with_capacity(list.len());
        let mut first = Vec::new();
        for (at, node) in list.iter().enumerate() {
            nodes.extend(self.mark(&node));
            if let Some(begin) = node.as_pre_execution_node() {
                first.push(self.maybe_statements(begin.statements()));
            } else if at < last
                && let Some(multi) = node.as_multi_write_node()
            {
                nodes.push(self.multi_write(&multi, false));
            } else {
                nodes.push(self.expression(&node));
            }
        }
        if !first.is_empty() {
            first.append(&mut nodes);
            nodes = first;
        }
        match nodes.len() {
            0 => Node::Nil,
            1 => nodes.remove(0),
            _ => Node::Seq(nodes.into()),
        }
    }

    /// A node that counts before a statement, if the program counts what runs.
    fn mark(&mut self, node: &prism::Node<'_>) -> Option<Node> {
        let marks = self.marks.as_mut()?;
        let location = node.location();
        let number = |line: i32| u32::try_from(line).unwrap_or_default();
        let line = number(location.start_line());
        // The text of a template is one statement over all its lines; other statements count where they begin.
        let is_text = node.as_call_node().is_some_and(|call| call.name().as_slice() == b"<<");
        let last = if is_text { number(location.end_line()) } else { line };
        let count = Arc::<AtomicU32>::default();
        marks.push(LineMark { line, last, count: Arc::clone(&count) });
        Some(Node::Mark(count))
    }

    pub(super) fn maybe_statements(&mut self, statements: Option<prism::StatementsNode<'_>>) -> Node {
        statements.map_or(Node::Nil, |statements| self.statements(&statements.body()))
    }

    pub(super) fn maybe(&mut self, node: Option<prism::Node<'_>>) -> Node {
        node.map_or(Node::Nil, |node| self.expression(&node))
    }

    pub(super) fn boxed(&mut self, node: &prism::Node<'_>) -> Box<Node> {
        Box::new(self.expression(node))
    }

    pub(super) fn list(&mut self, nodes: &prism::NodeList<'_>) -> Box<[Node]> {
        nodes.iter().map(|node| self.expression(&node)).collect()
    }

    /// Any expression.
    pub(super) fn expression(&mut self, node: &prism::Node<'_>) -> Node {
        self.depth += 1;
        let lowered = kukla_syntax::deep(|| self.expression_here(node));
        self.depth -= 1;
        if self.depth % DEEP == DEEP - 1 { Node::Deep(Box::new(lowered)) } else { lowered }
    }

    fn expression_here(&mut self, node: &prism::Node<'_>) -> Node {
        by_kind!(node, {
            StatementsNode as_statements_node => |n| self.statements(&n.body()),
            ParenthesesNode as_parentheses_node => |n| self.maybe(n.body()),
            NilNode as_nil_node => |_n| Node::Nil,
            TrueNode as_true_node => |_n| Node::True,
            FalseNode as_false_node => |_n| Node::False,
            SelfNode as_self_node => |_n| Node::This,
            IntegerNode as_integer_node => |n| self.integer(&n.value()),
            FloatNode as_float_node => |n| Node::Float(n.value()),
            RationalNode as_rational_node => |n| self.rational(&n),
            ImaginaryNode as_imaginary_node => |n| Node::Imaginary(self.boxed(&n.numeric())),
            StringNode as_string_node => |n| self.string(n.unescaped(), n.is_frozen(), explicit_encoding(&n)),
            SymbolNode as_symbol_node => |n| Node::Symbol(self.name(n.unescaped())),
            XStringNode as_x_string_node => |n| {
                let text = self.string(n.unescaped(), false, None);
                Node::Command(Box::new([text]), line_of(&n.location()))
            },
            InterpolatedStringNode as_interpolated_string_node => |n| Node::Interpolated(self.parts(&n.parts())),
            InterpolatedSymbolNode as_interpolated_symbol_node => |n| Node::InterpolatedSymbol(self.parts(&n.parts())),
            InterpolatedXStringNode as_interpolated_x_string_node => |n| {
                Node::Command(self.parts(&n.parts()), line_of(&n.location()))
            },
            RegularExpressionNode as_regular_expression_node => |n| self.regexp(&n),
            InterpolatedRegularExpressionNode as_interpolated_regular_expression_node => |n| self.interpolated_regexp(&n),
            MatchLastLineNode as_match_last_line_node => |n| self.match_last_line(n.unescaped(), n.flags(), line_of(&n.location())),
            EmbeddedStatementsNode as_embedded_statements_node => |n| self.maybe_statements(n.statements()),
            EmbeddedVariableNode as_embedded_variable_node => |n| self.expression(&n.variable()),
            ArrayNode as_array_node => |n| self.array(&n.elements()),
            HashNode as_hash_node => |n| Node::Hash(self.pairs(&n.elements())),
            KeywordHashNode as_keyword_hash_node => |n| Node::Hash(self.pairs(&n.elements())),
            RangeNode as_range_node => |n| {
                let ends = (self.maybe(n.left()), self.maybe(n.right()));
                let whole = |node: &Node| match node {
                    Node::Int(number) => Some(Some(*number)),
                    Node::Nil => Some(None),
                    _ => None,
                };
                if let (Some(begin), Some(end)) = (whole(&ends.0), whole(&ends.1)) {
                    let literal = Literal::Range(begin, end, n.is_exclude_end());
                    return Node::Literal(self.literal(literal));
                }
                Node::Range(Box::new(Range { begin: ends.0, end: ends.1, exclusive: n.is_exclude_end(), line: line_of(&n.location()) }))
            },
            SourceFileNode as_source_file_node => |_n| {
                let file = self.file.clone();
                self.string(file.as_bytes(), self.frozen_strings, Some(Encoding::Utf8))
            },
            SourceLineNode as_source_line_node => |n| Node::Int(i64::from(line_of(&n.location()))),
            SourceEncodingNode as_source_encoding_node => |_n| self.source_encoding(),
            ImplicitNode as_implicit_node => |n| self.expression(&n.value()),

            LocalVariableReadNode as_local_variable_read_node => |n| read(self.place(n.name().as_slice(), n.depth())),
            LocalVariableWriteNode as_local_variable_write_node => |n| {
                let place = self.place(n.name().as_slice(), n.depth());
                write(place, self.expression(&n.value()))
            },
            LocalVariableAndWriteNode as_local_variable_and_write_node => |n| {
                let place = self.place(n.name().as_slice(), n.depth());
                Node::And(Box::new((read(place), write(place, self.expression(&n.value())))))
            },
            LocalVariableOrWriteNode as_local_variable_or_write_node => |n| {
                let place = self.place(n.name().as_slice(), n.depth());
                Node::Or(Box::new((read(place), write(place, self.expression(&n.value())))))
            },
            LocalVariableOperatorWriteNode as_local_variable_operator_write_node => |n| {
                let place = self.place(n.name().as_slice(), n.depth());
                let value = self.expression(&n.value());
                write(place, self.operator(read(place), n.binary_operator().as_slice(), value, line_of(&n.location())))
            },
            ItLocalVariableReadNode as_it_local_variable_read_node => |_n| read(self.place(b"it", 0)),

            InstanceVariableReadNode as_instance_variable_read_node => |n| self.ivar(&n.name()),
            InstanceVariableWriteNode as_instance_variable_write_node => |n| {
                let value = self.expression(&n.value());
                self.set_ivar(&n.name(), value)
            },
            InstanceVariableAndWriteNode as_instance_variable_and_write_node => |n| {
                let value = self.expression(&n.value());
                Node::And(Box::new((self.ivar(&n.name()), self.set_ivar(&n.name(), value))))
            },
            InstanceVariableOrWriteNode as_instance_variable_or_write_node => |n| {
                let value = self.expression(&n.value());
                Node::Or(Box::new((self.ivar(&n.name()), self.set_ivar(&n.name(), value))))
            },
            InstanceVariableOperatorWriteNode as_instance_variable_operator_write_node => |n| {
                let old = self.ivar(&n.name());
                let value = self.expression(&n.value());
                let value = self.operator(old, n.binary_operator().as_slice(), value, line_of(&n.location()));
                self.set_ivar(&n.name(), value)
            },

            GlobalVariableReadNode as_global_variable_read_node => |n| self.gvar(n.name().as_slice()),
            GlobalVariableWriteNode as_global_variable_write_node => |n| {
                let value = self.boxed(&n.value());
                Node::SetGvar(self.id(&n.name()), value)
            },
            GlobalVariableAndWriteNode as_global_variable_and_write_node => |n| {
                let (name, value) = (self.id(&n.name()), self.boxed(&n.value()));
                Node::And(Box::new((self.gvar(n.name().as_slice()), Node::SetGvar(name, value))))
            },
            GlobalVariableOrWriteNode as_global_variable_or_write_node => |n| {
                let (name, value) = (self.id(&n.name()), self.boxed(&n.value()));
                Node::Or(Box::new((self.gvar(n.name().as_slice()), Node::SetGvar(name, value))))
            },
            GlobalVariableOperatorWriteNode as_global_variable_operator_write_node => |n| {
                let old = self.gvar(n.name().as_slice());
                let value = self.expression(&n.value());
                let value = self.operator(old, n.binary_operator().as_slice(), value, line_of(&n.location()));
                Node::SetGvar(self.id(&n.name()), Box::new(value))
            },
            NumberedReferenceReadNode as_numbered_reference_read_node => |n| Node::Group(n.number()),
            BackReferenceReadNode as_back_reference_read_node => |n| {
                Node::BackReference(n.name().as_slice().get(1).copied().unwrap_or(b'&'))
            },

            ClassVariableReadNode as_class_variable_read_node => |n| Node::Cvar(self.id(&n.name()), line_of(&n.location())),
            ClassVariableWriteNode as_class_variable_write_node => |n| {
                let value = self.boxed(&n.value());
                Node::SetCvar(self.id(&n.name()), line_of(&n.location()), value)
            },
            ClassVariableAndWriteNode as_class_variable_and_write_node => |n| {
                let (name, value, line) = (self.id(&n.name()), self.boxed(&n.value()), line_of(&n.location()));
                Node::And(Box::new((Node::Cvar(name, line), Node::SetCvar(name, line, value))))
            },
            ClassVariableOrWriteNode as_class_variable_or_write_node => |n| {
                let (name, value, line) = (self.id(&n.name()), self.boxed(&n.value()), line_of(&n.location()));
                Node::Or(Box::new((Node::CvarOrNil(name), Node::SetCvar(name, line, value))))
            },
            ClassVariableOperatorWriteNode as_class_variable_operator_write_node => |n| {
                let (name, line) = (self.id(&n.name()), line_of(&n.location()));
                let value = self.expression(&n.value());
                let value = self.operator(Node::Cvar(name, line), n.binary_operator().as_slice(), value, line);
                Node::SetCvar(name, line, Box::new(value))
            },

            ConstantReadNode as_constant_read_node => |n| {
                Node::Const(self.id(&n.name()), self.constant(), line_of(&n.location()))
            },
            ConstantPathNode as_constant_path_node => |n| self.constant_path(&n),
            ConstantWriteNode as_constant_write_node => |n| self.constant_write(&n),
            ConstantPathWriteNode as_constant_path_write_node => |n| {
                let target = self.path_target(&n.target());
                Node::SetConst(Box::new((target, self.expression(&n.value()))))
            },
            ConstantAndWriteNode as_constant_and_write_node => |n| self.constant_assign(&n.name(), Combine::And, &n.value(), line_of(&n.location())),
            ConstantOrWriteNode as_constant_or_write_node => |n| self.constant_assign(&n.name(), Combine::Or, &n.value(), line_of(&n.location())),
            ConstantOperatorWriteNode as_constant_operator_write_node => |n| {
                let with = Combine::With(self.id(&n.binary_operator()), self.site());
                self.constant_assign(&n.name(), with, &n.value(), line_of(&n.location()))
            },
            ConstantPathAndWriteNode as_constant_path_and_write_node => |n| self.path_assign(&n.target(), Combine::And, &n.value()),
            ConstantPathOrWriteNode as_constant_path_or_write_node => |n| self.path_assign(&n.target(), Combine::Or, &n.value()),
            ConstantPathOperatorWriteNode as_constant_path_operator_write_node => |n| {
                let with = Combine::With(self.id(&n.binary_operator()), self.site());
                self.path_assign(&n.target(), with, &n.value())
            },
            ShareableConstantNode as_shareable_constant_node => |n| self.expression(&n.write()),

            CallAndWriteNode as_call_and_write_node => |n| self.attribute_assign(
                n.receiver(), &n.read_name(), &n.write_name(), Combine::And, &n.value(), n.is_safe_navigation(), &n.location()),
            CallOrWriteNode as_call_or_write_node => |n| self.attribute_assign(
                n.receiver(), &n.read_name(), &n.write_name(), Combine::Or, &n.value(), n.is_safe_navigation(), &n.location()),
            CallOperatorWriteNode as_call_operator_write_node => |n| {
                let with = Combine::With(self.id(&n.binary_operator()), self.site());
                self.attribute_assign(n.receiver(), &n.read_name(), &n.write_name(), with, &n.value(), n.is_safe_navigation(), &n.location())
            },
            IndexAndWriteNode as_index_and_write_node => |n| self.index_assign(n.receiver(), n.arguments(), Combine::And, &n.value(), &n.location()),
            IndexOrWriteNode as_index_or_write_node => |n| self.index_assign(n.receiver(), n.arguments(), Combine::Or, &n.value(), &n.location()),
            IndexOperatorWriteNode as_index_operator_write_node => |n| {
                let with = Combine::With(self.id(&n.binary_operator()), self.site());
                self.index_assign(n.receiver(), n.arguments(), with, &n.value(), &n.location())
            },
            MultiWriteNode as_multi_write_node => |n| self.multi_write(&n, true),

            CallNode as_call_node => |n| self.call(&n),
            SuperNode as_super_node => |n| self.explicit_super(&n),
            ForwardingSuperNode as_forwarding_super_node => |n| self.implicit_super(&n),
            YieldNode as_yield_node => |n| {
                let args = self.arguments(n.arguments());
                Node::Yield(Box::new((args, line_of(&n.location()))))
            },
            LambdaNode as_lambda_node => |n| self.lambda(&n),

            AndNode as_and_node => |n| Node::And(Box::new((self.expression(&n.left()), self.expression(&n.right())))),
            OrNode as_or_node => |n| Node::Or(Box::new((self.expression(&n.left()), self.expression(&n.right())))),
            IfNode as_if_node => |n| self.if_node(&n),
            ElseNode as_else_node => |n| self.maybe_statements(n.statements()),
            UnlessNode as_unless_node => |n| {
                let condition = self.condition(&n.predicate());
                let no = self.maybe_statements(n.statements());
                let yes = n.else_clause().map_or(Node::Nil, |other| self.maybe_statements(other.statements()));
                Node::If(Box::new((condition, yes, no)))
            },
            WhileNode as_while_node => |n| self.while_node(&n.predicate(), n.statements(), false, n.is_begin_modifier()),
            UntilNode as_until_node => |n| self.while_node(&n.predicate(), n.statements(), true, n.is_begin_modifier()),
            ForNode as_for_node => |n| self.for_node(&n),
            CaseNode as_case_node => |n| self.case(&n),
            CaseMatchNode as_case_match_node => |n| self.case_in(&n),
            MatchRequiredNode as_match_required_node => |n| {
                let value = self.expression(&n.value());
                Node::Match(Box::new((value, self.pattern(&n.pattern()))), true, line_of(&n.location()))
            },
            MatchPredicateNode as_match_predicate_node => |n| {
                let value = self.expression(&n.value());
                Node::Match(Box::new((value, self.pattern(&n.pattern()))), false, line_of(&n.location()))
            },
            MatchWriteNode as_match_write_node => |n| self.match_write(&n),
            FlipFlopNode as_flip_flop_node => |n| self.flip_flop(&n),
            BeginNode as_begin_node => |n| self.begin(&n),
            RescueModifierNode as_rescue_modifier_node => |n| self.rescue_modifier(&n),
            BreakNode as_break_node => |n| {
                let value = Box::new(self.jump_value(n.arguments()));
                self.needs_number();
                Node::Break(value, self.scope_mut().loops > 0)
            },
            NextNode as_next_node => |n| Node::Next(Box::new(self.jump_value(n.arguments()))),
            ReturnNode as_return_node => |n| {
                let value = Box::new(self.jump_value(n.arguments()));
                self.needs_number();
                Node::Return(value)
            },
            RedoNode as_redo_node => |_n| Node::Redo,
            RetryNode as_retry_node => |_n| Node::Retry,

            DefNode as_def_node => |n| self.def(&n),
            ClassNode as_class_node => |n| self.class(&n),
            ModuleNode as_module_node => |n| self.module(&n),
            SingletonClassNode as_singleton_class_node => |n| self.singleton_class(&n),
            AliasMethodNode as_alias_method_node => |n| {
                Node::Alias(Box::new((self.expression(&n.new_name()), self.expression(&n.old_name()))))
            },
            AliasGlobalVariableNode as_alias_global_variable_node => |n| self.alias_global(&n),
            UndefNode as_undef_node => |n| Node::Undef(self.list(&n.names())),
            DefinedNode as_defined_node => |n| Node::Defined(Box::new(self.defined(&n.value()))),
            PreExecutionNode as_pre_execution_node => |n| self.maybe_statements(n.statements()),
            PostExecutionNode as_post_execution_node => |n| self.at_exit(&n),
            SplatNode as_splat_node => |n| {
                let value = self.maybe(n.expression());
                Node::ArrayOf(Box::new([Arg::Splat(value)]))
            },
        })
    }

    pub(super) fn array(&mut self, elements: &prism::NodeList<'_>) -> Node {
        let plain = elements
            .iter()
            .all(|node| !matches!(node, prism::Node::SplatNode { .. } | prism::Node::KeywordHashNode { .. }));
        if plain {
            return Node::Array(self.list(elements));
        }
        let args = elements.iter().map(|node| match node.as_splat_node() {
            Some(splat) => Arg::Splat(self.splat_value(&splat)),
            None => Arg::One(self.expression(&node)),
        });
        Node::ArrayOf(args.collect())
    }

    pub(super) fn splat_value(&mut self, splat: &prism::SplatNode<'_>) -> Node {
        match splat.expression() {
            Some(value) => self.expression(&value),
            None => read(self.method_variable(b"*")),
        }
    }

    pub(super) fn pairs(&mut self, elements: &prism::NodeList<'_>) -> Box<[Pair]> {
        let pairs = elements.iter().filter_map(|element| {
            if let Some(pair) = element.as_assoc_node() {
                let key = match pair.key().as_string_node() {
                    // Keys are frozen, so one string does for all times.
                    Some(text) => self.string(text.unescaped(), true, explicit_encoding(&text)),
                    None => self.expression(&pair.key()),
                };
                return Some(Pair::One(key, self.expression(&pair.value())));
            }
            let splat = element.as_assoc_splat_node()?;
            Some(Pair::Splat(match splat.value() {
                Some(value) => self.expression(&value),
                None => read(self.method_variable(b"**")),
            }))
        });
        pairs.collect()
    }

    fn ivar(&mut self, name: &prism::ConstantId<'_>) -> Node {
        Node::Ivar(self.id(name), self.site())
    }

    fn set_ivar(&mut self, name: &prism::ConstantId<'_>, value: Node) -> Node {
        Node::SetIvar(self.id(name), self.site(), Box::new(value))
    }

    fn gvar(&mut self, name: &[u8]) -> Node {
        Node::Gvar(self.name(name))
    }
}
