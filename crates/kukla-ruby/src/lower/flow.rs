//! Conditions, loops, `case`, `begin`.

use ruby_prism as prism;

use super::captured::{TRANSPARENT, key};
use super::{Lowerer, line_of};
use crate::program::{
    Arg, Arguments, Begin, BodyKind, Case, FlipFlop, Node, Param, Params, Rescue, VariableSlot, While,
};

impl Lowerer {
    /// A condition, in which a regular expression means `$_` and a range is a flip-flop (prism has seen to that).
    pub(super) fn condition(&mut self, node: &prism::Node<'_>) -> Node {
        self.expression(node)
    }

    pub(super) fn if_node(&mut self, node: &prism::IfNode<'_>) -> Node {
        let condition = self.condition(&node.predicate());
        let yes = self.maybe_statements(node.statements());
        let no = self.maybe(node.subsequent());
        Node::If(Box::new((condition, yes, no)))
    }

    pub(super) fn while_node(
        &mut self,
        condition: &prism::Node<'_>,
        statements: Option<prism::StatementsNode<'_>>,
        until: bool,
        body_first: bool,
    ) -> Node {
        self.scope_mut().loops += 1;
        let condition = self.condition(condition);
        let code = self.maybe_statements(statements);
        self.scope_mut().loops -= 1;
        Node::While(Box::new(While { condition, code, until, body_first }))
    }

    pub(super) fn for_node(&mut self, node: &prism::ForNode<'_>) -> Node {
        let collection = self.expression(&node.collection());
        self.needs_number();
        let label = self.block_label();
        let line = line_of(&node.location());
        let key = key(&node.location(), TRANSPARENT);
        let body = self.scope(BodyKind::Block, None, &label, line, key, |lowerer| {
            let slot = lowerer.scope_mut().locals;
            lowerer.scope_mut().locals += 1;
            let target = lowerer.target(&node.index());
            let rest = Param { name: None, place: VariableSlot::Local(slot), pattern: None };
            let assign = Node::ForTarget(Box::new((target, slot)));
            let code = lowerer.maybe_statements(node.statements());
            let params = Params { rest: Some(rest), ..Params::default() };
            (params, Node::Seq(Box::new([assign, code])))
        });
        Node::For(Box::new((collection, body, line)))
    }

    pub(super) fn at_exit(&mut self, node: &prism::PostExecutionNode<'_>) -> Node {
        self.needs_number();
        let line = line_of(&node.location());
        let once = self.constant();
        let key = key(&node.location(), TRANSPARENT);
        let label = self.block_label();
        let body = self.scope(BodyKind::Block, None, &label, line, key, |lowerer| {
            (Params::default(), lowerer.maybe_statements(node.statements()))
        });
        Node::AtExit(body, once)
    }

    pub(super) fn case(&mut self, node: &prism::CaseNode<'_>) -> Node {
        let subject = node.predicate().map(|subject| self.expression(&subject));
        let whens = node.conditions().iter().filter_map(|when| {
            let when = when.as_when_node()?;
            let conditions = self.mixed(&when.conditions());
            Some((conditions, self.maybe_statements(when.statements())))
        });
        let whens = whens.collect();
        let otherwise =
            node.else_clause().map_or(Node::Nil, |other| self.maybe_statements(other.statements()));
        Node::Case(Box::new(Case { subject, whens, otherwise, line: line_of(&node.location()) }))
    }

    fn mixed(&mut self, nodes: &prism::NodeList<'_>) -> Box<[Arg]> {
        let args = nodes.iter().map(|node| match node.as_splat_node() {
            Some(splat) => Arg::Splat(self.splat_value(&splat)),
            None => Arg::One(self.expression(&node)),
        });
        args.collect()
    }

    pub(super) fn begin(&mut self, node: &prism::BeginNode<'_>) -> Node {
        let code = self.maybe_statements(node.statements());
        let mut rescues = Vec::new();
        let mut next = node.rescue_clause();
        while let Some(clause) = next {
            rescues.push(Rescue {
                classes: self.mixed(&clause.exceptions()),
                target: clause.reference().map(|target| self.target(&target)),
                code: self.maybe_statements(clause.statements()),
            });
            next = clause.subsequent();
        }
        let otherwise = node.else_clause().map(|clause| self.maybe_statements(clause.statements()));
        let ensure = node.ensure_clause().map(|clause| self.maybe_statements(clause.statements()));
        if rescues.is_empty() && otherwise.is_none() && ensure.is_none() {
            return code;
        }
        Node::Begin(Box::new(Begin { code, rescues: rescues.into(), otherwise, ensure }))
    }

    pub(super) fn rescue_modifier(&mut self, node: &prism::RescueModifierNode<'_>) -> Node {
        let code = self.expression(&node.expression());
        let rescue =
            Rescue { classes: Box::new([]), target: None, code: self.expression(&node.rescue_expression()) };
        Node::Begin(Box::new(Begin { code, rescues: Box::new([rescue]), otherwise: None, ensure: None }))
    }

    /// The value of `return`, `break` and `next`.
    pub(super) fn jump_value(&mut self, node: Option<prism::ArgumentsNode<'_>>) -> Node {
        let Some(node) = node else { return Node::Nil };
        let list = node.arguments();
        match self.arguments(Some(node)) {
            Arguments::Plain(nodes) if nodes.len() == 1 => nodes.into_vec().remove(0),
            _ => self.array(&list),
        }
    }

    pub(super) fn flip_flop(&mut self, node: &prism::FlipFlopNode<'_>) -> Node {
        let name = format!("%flip{}", node.location().start());
        let state = self.hidden(&name);
        let begin = self.maybe(node.left());
        let end = self.maybe(node.right());
        Node::FlipFlop(Box::new(FlipFlop { state, begin, end, exclusive: node.is_exclude_end() }))
    }
}
