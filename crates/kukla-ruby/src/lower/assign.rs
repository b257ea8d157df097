//! Assignments of every form.

use ruby_prism as prism;

use super::{Lowerer, line_of};
use crate::program::{
    Arguments, Call, CallAssign, Combine, ConstAssign, ConstParent, ConstTarget, MultiTarget, Name, Node,
    Target, VariableSlot,
};

impl Lowerer {
    /// The target of an assignment, in multiple assignments, `for`, `rescue =>` and patterns.
    pub(super) fn target(&mut self, node: &prism::Node<'_>) -> Target {
        if let Some(n) = node.as_local_variable_target_node() {
            return Target::Variable(self.place(n.name().as_slice(), n.depth()));
        }
        if let Some(n) = node.as_instance_variable_target_node() {
            return Target::Ivar(self.id(&n.name()));
        }
        if let Some(n) = node.as_global_variable_target_node() {
            return Target::Gvar(self.id(&n.name()));
        }
        if let Some(n) = node.as_class_variable_target_node() {
            return Target::Cvar(self.id(&n.name()));
        }
        if let Some(n) = node.as_constant_target_node() {
            let line = line_of(&n.location());
            return Target::Const(Box::new(ConstTarget {
                parent: ConstParent::Lexical,
                name: self.id(&n.name()),
                line,
            }));
        }
        if let Some(n) = node.as_constant_path_target_node() {
            let target = self.const_target(n.parent(), n.name(), line_of(&n.location()));
            return Target::Const(Box::new(target));
        }
        if let Some(n) = node.as_call_target_node() {
            let receiver = self.expression(&n.receiver());
            let own = n.is_ignore_visibility() || matches!(receiver, Node::This);
            return Target::Call(Box::new(Call {
                receiver: Some(receiver),
                name: self.id(&n.name()),
                args: Arguments::Plain(Box::new([])),
                block: None,
                site: self.site(),
                line: line_of(&n.location()),
                safe: n.is_safe_navigation(),
                own,
                variable: false,
                assignment: true,
            }));
        }
        if let Some(n) = node.as_index_target_node() {
            let receiver = self.expression(&n.receiver());
            let own = matches!(receiver, Node::This);
            return Target::Call(Box::new(Call {
                receiver: Some(receiver),
                name: self.name(b"[]="),
                args: self.arguments(n.arguments()),
                block: None,
                site: self.site(),
                line: line_of(&n.location()),
                safe: false,
                own,
                variable: false,
                assignment: true,
            }));
        }
        if let Some(n) = node.as_multi_target_node() {
            let multi = kukla_syntax::deep(|| self.multi_target(&n.lefts(), n.rest(), &n.rights()));
            return Target::Multi(Box::new(multi));
        }
        if let Some(n) = node.as_splat_node() {
            return match n.expression() {
                Some(inner) => self.target(&inner),
                None => Target::Variable(VariableSlot::Nowhere),
            };
        }
        if let Some(n) = node.as_required_parameter_node() {
            return Target::Variable(self.place(n.name().as_slice(), 0));
        }
        Target::Variable(VariableSlot::Nowhere)
    }

    pub(super) fn multi_target(
        &mut self,
        lefts: &prism::NodeList<'_>,
        rest: Option<prism::Node<'_>>,
        rights: &prism::NodeList<'_>,
    ) -> MultiTarget {
        MultiTarget {
            lefts: lefts.iter().map(|node| self.target(&node)).collect(),
            rest: rest.map(|node| self.target(&node)),
            rights: rights.iter().map(|node| self.target(&node)).collect(),
        }
    }

    /// `wanted` says whether anyone looks at the value of the assignment.
    pub(super) fn multi_write(&mut self, node: &prism::MultiWriteNode<'_>, wanted: bool) -> Node {
        let target = self.multi_target(&node.lefts(), node.rest(), &node.rights());
        let value = self.expression(&node.value());
        Node::MultiAssign(Box::new((target, value, wanted)))
    }

    pub(super) fn constant_path(&mut self, node: &prism::ConstantPathNode<'_>) -> Node {
        let parent = node.parent().map(|parent| self.expression(&parent));
        let name = node.name().map_or(0, |name| self.id(&name));
        Node::ConstPath(Box::new((parent, name, self.constant(), line_of(&node.location()))))
    }

    pub(super) fn const_target(
        &mut self,
        parent: Option<prism::Node<'_>>,
        name: Option<prism::ConstantId<'_>>,
        line: u32,
    ) -> ConstTarget {
        let parent = match parent {
            Some(parent) => ConstParent::Of(self.expression(&parent)),
            None => ConstParent::Top,
        };
        ConstTarget { parent, name: name.map_or(0, |name| self.id(&name)), line }
    }

    pub(super) fn path_target(&mut self, node: &prism::ConstantPathNode<'_>) -> ConstTarget {
        self.const_target(node.parent(), node.name(), line_of(&node.location()))
    }

    pub(super) fn constant_write(&mut self, node: &prism::ConstantWriteNode<'_>) -> Node {
        let value = self.expression(&node.value());
        let target = self.lexical(&node.name(), line_of(&node.location()));
        Node::SetConst(Box::new((target, value)))
    }

    fn lexical(&mut self, name: &prism::ConstantId<'_>, line: u32) -> ConstTarget {
        ConstTarget { parent: ConstParent::Lexical, name: self.id(name), line }
    }

    pub(super) fn constant_assign(
        &mut self,
        name: &prism::ConstantId<'_>,
        combine: Combine,
        value: &prism::Node<'_>,
        line: u32,
    ) -> Node {
        let target = self.lexical(name, line);
        let value = self.expression(value);
        Node::ConstAssign(Box::new(ConstAssign { target, combine, value }))
    }

    pub(super) fn path_assign(
        &mut self,
        path: &prism::ConstantPathNode<'_>,
        combine: Combine,
        value: &prism::Node<'_>,
    ) -> Node {
        let target = self.path_target(path);
        let value = self.expression(value);
        Node::ConstAssign(Box::new(ConstAssign { target, combine, value }))
    }

    #[expect(clippy::too_many_arguments, reason = "what three kinds of prism nodes have in common")]
    pub(super) fn attribute_assign(
        &mut self,
        receiver: Option<prism::Node<'_>>,
        read: &prism::ConstantId<'_>,
        write: &prism::ConstantId<'_>,
        combine: Combine,
        value: &prism::Node<'_>,
        safe: bool,
        location: &prism::Location<'_>,
    ) -> Node {
        let names = (self.id(read), self.id(write));
        let args = Arguments::Plain(Box::new([]));
        self.call_assign(receiver, args, names, combine, value, safe, location)
    }

    pub(super) fn index_assign(
        &mut self,
        receiver: Option<prism::Node<'_>>,
        args: Option<prism::ArgumentsNode<'_>>,
        combine: Combine,
        value: &prism::Node<'_>,
        location: &prism::Location<'_>,
    ) -> Node {
        let names = (self.name(b"[]"), self.name(b"[]="));
        let args = self.arguments(args);
        self.call_assign(receiver, args, names, combine, value, false, location)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one form of assignment")]
    fn call_assign(
        &mut self,
        receiver: Option<prism::Node<'_>>,
        args: Arguments,
        (read, write): (Name, Name),
        combine: Combine,
        value: &prism::Node<'_>,
        safe: bool,
        location: &prism::Location<'_>,
    ) -> Node {
        let receiver = receiver.map(|node| self.expression(&node));
        let own = matches!(receiver, None | Some(Node::This));
        Node::CallAssign(Box::new(CallAssign {
            receiver,
            args,
            read,
            write,
            read_site: self.site(),
            write_site: self.site(),
            combine,
            value: self.expression(value),
            safe,
            own,
            line: line_of(location),
        }))
    }

    pub(super) fn match_write(&mut self, node: &prism::MatchWriteNode<'_>) -> Node {
        let call = self.call(&node.call());
        let targets = node.targets().iter().filter_map(|target| {
            let variable = target.as_local_variable_target_node()?;
            let name = variable.name();
            Some((self.id(&name), self.place(name.as_slice(), variable.depth())))
        });
        let targets = targets.collect();
        Node::MatchWrite(Box::new((call, targets)))
    }
}
