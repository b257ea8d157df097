//! Calls, `super`, blocks given to them.

use ruby_prism as prism;

use super::captured::{BLOCK, key};
use super::tail::tail;
use super::{Lowerer, SuperArgument, line_of, read};
use crate::program::{
    Arg, Arguments, BlockArg, BodyId, BodyKind, Call, Node, Op, Operator, Pair, Super, VariableSlot,
};

fn operator(name: &[u8]) -> Option<Operator> {
    Some(match name {
        b"+" => Operator::Add,
        b"-" => Operator::Subtract,
        b"*" => Operator::Multiply,
        b"/" => Operator::Divide,
        b"%" => Operator::Modulo,
        b"<" => Operator::Less,
        b"<=" => Operator::LessEqual,
        b">" => Operator::Greater,
        b">=" => Operator::GreaterEqual,
        b"==" => Operator::Equal,
        b"!=" => Operator::NotEqual,
        b"<<" => Operator::ShiftLeft,
        b"[]" => Operator::Index,
        b"&" => Operator::And,
        b"|" => Operator::Or,
        _ => return None,
    })
}

impl Lowerer {
    /// A call of a method on a value.
    pub(super) fn send(&mut self, receiver: Node, name: &[u8], args: Vec<Node>, line: u32) -> Node {
        Node::Call(Box::new(Call {
            own: matches!(receiver, Node::This),
            receiver: Some(receiver),
            name: self.name(name),
            args: Arguments::Plain(args.into()),
            block: None,
            site: self.site(),
            line,
            safe: false,
            variable: false,
            assignment: false,
        }))
    }

    /// A binary operator, as `a += b` has it too.
    pub(super) fn operator(&mut self, left: Node, name: &[u8], right: Node, line: u32) -> Node {
        match operator(name) {
            Some(operator) => {
                let (name, site) = (self.name(name), self.site());
                Node::Op(Box::new(Op { operator, left, right, name, site, line }))
            }
            None => self.send(left, name, vec![right], line),
        }
    }

    pub(super) fn call(&mut self, node: &prism::CallNode<'_>) -> Node {
        let name = node.name();
        let name = name.as_slice();
        let location = node.message_loc().unwrap_or_else(|| node.location());
        let line = line_of(&location);
        let given: Vec<_> = node.arguments().map_or_else(Vec::new, |args| args.arguments().iter().collect());
        if node.block().is_none()
            && !node.is_safe_navigation()
            && let (Some(receiver), [only]) = (node.receiver(), given.as_slice())
            && operator(name).is_some()
            && !matches!(
                only,
                prism::Node::SplatNode { .. }
                    | prism::Node::KeywordHashNode { .. }
                    | prism::Node::ForwardingArgumentsNode { .. }
            )
            && (!matches!(receiver, prism::Node::SelfNode { .. }))
        {
            let left = self.expression(&receiver);
            let right = self.expression(only);
            return self.operator(left, name, right, line);
        }
        let receiver = node.receiver().map(|receiver| self.expression(&receiver));
        let own = node.is_ignore_visibility() || matches!(receiver, None | Some(Node::This));
        let args = self.arguments(node.arguments());
        let block = self.block_argument(node.block(), &given, name);
        let call = Box::new(Call {
            receiver,
            name: self.name(name),
            args,
            block,
            site: self.site(),
            line,
            safe: node.is_safe_navigation(),
            own,
            variable: node.is_variable_call(),
            assignment: node.is_attribute_write(),
        });
        if name == b"!" && call.receiver.is_some() && given.is_empty() && call.block.is_none() {
            return Node::Not(call);
        }
        Node::Call(call)
    }

    pub(super) fn arguments(&mut self, node: Option<prism::ArgumentsNode<'_>>) -> Arguments {
        let Some(node) = node else { return Arguments::Plain(Box::new([])) };
        self.argument_list(&node.arguments())
    }

    fn argument_list(&mut self, nodes: &prism::NodeList<'_>) -> Arguments {
        let plain = nodes.iter().all(|node| {
            !matches!(
                node,
                prism::Node::SplatNode { .. }
                    | prism::Node::KeywordHashNode { .. }
                    | prism::Node::ForwardingArgumentsNode { .. }
            )
        });
        if plain {
            return Arguments::Plain(self.list(nodes));
        }
        let mut args = Vec::new();
        for node in nodes {
            if let Some(splat) = node.as_splat_node() {
                args.push(Arg::Splat(self.splat_value(&splat)));
            } else if let Some(keywords) = node.as_keyword_hash_node() {
                args.push(Arg::Keywords(self.pairs(&keywords.elements())));
            } else if node.as_forwarding_arguments_node().is_some() {
                args.push(Arg::Splat(read(self.method_variable(b"*"))));
                args.push(Arg::Keywords(Box::new([Pair::Splat(read(self.method_variable(b"**")))])));
            } else {
                args.push(Arg::One(self.expression(&node)));
            }
        }
        Arguments::Mixed(args.into())
    }

    fn block_argument(
        &mut self,
        node: Option<prism::Node<'_>>,
        given: &[prism::Node<'_>],
        name: &[u8],
    ) -> Option<BlockArg> {
        let Some(node) = node else {
            let forwards = given.iter().any(|node| node.as_forwarding_arguments_node().is_some());
            return forwards.then(|| BlockArg::Pass(read(self.method_variable(b"&"))));
        };
        if let Some(block) = node.as_block_node() {
            return Some(BlockArg::Literal(self.block(&block, name == b"lambda")));
        }
        let pass = node.as_block_argument_node()?;
        Some(BlockArg::Pass(match pass.expression() {
            Some(value) => self.expression(&value),
            None => read(self.method_variable(b"&")),
        }))
    }

    pub(super) fn block(&mut self, node: &prism::BlockNode<'_>, lambda: bool) -> BodyId {
        self.needs_number();
        let kind = if lambda { BodyKind::Lambda } else { BodyKind::Block };
        let label = self.block_label();
        let line = line_of(&node.location());
        self.scope(kind, None, &label, line, key(&node.location(), BLOCK), |lowerer| {
            let params = lowerer.block_parameters(node.parameters());
            let code = lowerer.maybe(node.body());
            // A block given to `lambda` may end up as a proc all the same if a program redefines `lambda`.
            (params, tail(code, BodyKind::Block))
        })
    }

    pub(super) fn lambda(&mut self, node: &prism::LambdaNode<'_>) -> Node {
        self.needs_number();
        let label = self.block_label();
        let line = line_of(&node.location());
        let key = key(&node.location(), BLOCK);
        Node::Lambda(self.scope(BodyKind::Lambda, None, &label, line, key, |lowerer| {
            let params = lowerer.block_parameters(node.parameters());
            let code = lowerer.maybe(node.body());
            (params, tail(code, BodyKind::Lambda))
        }))
    }

    /// `block in name`, as backtraces call blocks.
    pub(super) fn block_label(&self) -> String {
        let home =
            self.scopes.iter().rev().find(|scope| !matches!(scope.kind, BodyKind::Block | BodyKind::Lambda));
        let blocks = self
            .scopes
            .iter()
            .rev()
            .take_while(|scope| matches!(scope.kind, BodyKind::Block | BodyKind::Lambda));
        let name = home.map_or_else(String::new, |scope| match scope.kind {
            BodyKind::Program | BodyKind::Eval => "<main>".into(),
            _ => String::from_utf8_lossy(&scope.method).into_owned(),
        });
        match blocks.count() {
            0 => format!("block in {name}"),
            more => format!("block ({} levels) in {name}", more + 1),
        }
    }

    pub(super) fn explicit_super(&mut self, node: &prism::SuperNode<'_>) -> Node {
        let given: Vec<_> = node.arguments().map_or_else(Vec::new, |args| args.arguments().iter().collect());
        let args = self.arguments(node.arguments());
        let block = self.block_argument(node.block(), &given, b"super");
        Node::Super(Box::new(Super { args, block, implicit: false, line: line_of(&node.location()) }))
    }

    pub(super) fn implicit_super(&mut self, node: &prism::ForwardingSuperNode<'_>) -> Node {
        let home = self.scopes.iter().rev().find(|scope| scope.kind == BodyKind::Method);
        let given = home.map_or_else(Vec::new, |scope| scope.arguments.clone());
        let mut args = Vec::new();
        let mut pairs = Vec::new();
        let mut only_plain = true;
        for argument in &given {
            match argument {
                SuperArgument::One(name) => args.push(Arg::One(read(self.method_variable(name)))),
                SuperArgument::Rest(name) => {
                    only_plain = false;
                    args.push(Arg::Splat(read(self.method_variable(name))));
                }
                SuperArgument::Keyword(name) => {
                    let value = read(self.method_variable(name));
                    pairs.push(Pair::One(Node::Symbol(self.name(name)), value));
                }
                SuperArgument::KeywordRest(name) => {
                    pairs.push(Pair::Splat(read(self.method_variable(name))));
                }
            }
        }
        let args = if only_plain && pairs.is_empty() {
            Arguments::Plain(
                args.into_iter()
                    .filter_map(|arg| if let Arg::One(node) = arg { Some(node) } else { None })
                    .collect(),
            )
        } else {
            if !pairs.is_empty() {
                args.push(Arg::Keywords(pairs.into()));
            }
            Arguments::Mixed(args.into())
        };
        let block = node.block().map(|block| BlockArg::Literal(self.block(&block, false)));
        let implicit = home_is_missing(self);
        Node::Super(Box::new(Super { args, block, implicit, line: line_of(&node.location()) }))
    }

    /// Where a value that a call needs only for a moment lives.
    pub(super) fn hidden(&mut self, name: &str) -> VariableSlot {
        self.method_variable(name.as_bytes())
    }
}

/// Whether no method is around the code: `super` in a block may be run by `define_method`, where it must name its arguments.
fn home_is_missing(lowerer: &Lowerer) -> bool {
    !lowerer.scopes.iter().any(|scope| scope.kind == BodyKind::Method)
}
