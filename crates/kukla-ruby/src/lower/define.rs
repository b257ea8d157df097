//! Definitions: methods, classes, modules, aliases; and `defined?`.

use ruby_prism as prism;

use super::captured::{CLASS, DEF, key};
use super::tail::tail;
use super::{Lowerer, line_of};
use crate::program::{BodyKind, ClassDefinition, ConstParent, ConstTarget, Defined, Node, Params};

/// How many levels `defined?` goes into an expression. Each asks again about all further in.
const MOST_ASKED: u32 = 64;

impl Lowerer {
    pub(super) fn def(&mut self, node: &prism::DefNode<'_>) -> Node {
        let name = node.name();
        let receiver = node.receiver().map(|receiver| self.expression(&receiver));
        let label = String::from_utf8_lossy(name.as_slice()).into_owned();
        let line = line_of(&node.location());
        let key = key(&node.location(), DEF);
        let body = self.scope(BodyKind::Method, Some(name.as_slice()), &label, line, key, |lowerer| {
            let params = lowerer.method_parameters(node.parameters());
            let code = lowerer.maybe(node.body());
            (params, tail(code, BodyKind::Method))
        });
        let name = self.id(&name);
        match receiver {
            Some(receiver) => Node::DefOn(Box::new((receiver, name, body))),
            None => Node::Def(name, body),
        }
    }

    fn class_body(
        &mut self,
        label: &str,
        location: &prism::Location<'_>,
        body: Option<prism::Node<'_>>,
    ) -> crate::program::BodyId {
        let key = key(location, CLASS);
        self.scope(BodyKind::Class, Some(label.as_bytes()), label, line_of(location), key, |lowerer| {
            (Params::default(), lowerer.maybe(body))
        })
    }

    fn definition(&mut self, path: &prism::Node<'_>) -> ConstTarget {
        let line = line_of(&path.location());
        if let Some(constant) = path.as_constant_read_node() {
            return ConstTarget { parent: ConstParent::Lexical, name: self.id(&constant.name()), line };
        }
        match path.as_constant_path_node() {
            Some(path) => self.path_target(&path),
            None => ConstTarget { parent: ConstParent::Lexical, name: 0, line },
        }
    }

    pub(super) fn class(&mut self, node: &prism::ClassNode<'_>) -> Node {
        let target = self.definition(&node.constant_path());
        let superclass = node.superclass().map(|superclass| self.expression(&superclass));
        let label = format!("<class:{}>", String::from_utf8_lossy(node.name().as_slice()));
        let body = self.class_body(&label, &node.location(), node.body());
        Node::Class(Box::new(ClassDefinition { target, superclass, body, is_module: false }))
    }

    pub(super) fn module(&mut self, node: &prism::ModuleNode<'_>) -> Node {
        let target = self.definition(&node.constant_path());
        let label = format!("<module:{}>", String::from_utf8_lossy(node.name().as_slice()));
        let body = self.class_body(&label, &node.location(), node.body());
        Node::Class(Box::new(ClassDefinition { target, superclass: None, body, is_module: true }))
    }

    pub(super) fn singleton_class(&mut self, node: &prism::SingletonClassNode<'_>) -> Node {
        let object = self.expression(&node.expression());
        let body = self.class_body("singleton class", &node.location(), node.body());
        Node::SingletonClass(Box::new((object, body)))
    }

    pub(super) fn alias_global(&mut self, node: &prism::AliasGlobalVariableNode<'_>) -> Node {
        let name = |lowerer: &mut Lowerer, node: prism::Node<'_>| lowerer.name(node.location().as_slice());
        let new = name(self, node.new_name());
        let old = name(self, node.old_name());
        Node::AliasGlobal(new, old)
    }

    /// How `defined?` looks at an expression.
    pub(super) fn defined(&mut self, node: &prism::Node<'_>) -> Defined {
        self.asking += 1;
        // The receiver of a call is asked about and evaluated, and so is the receiver's own.
        let defined = match self.asking > MOST_ASKED {
            true => Defined::Always("expression"),
            false => kukla_syntax::deep(|| self.defined_here(node)),
        };
        self.asking -= 1;
        defined
    }

    fn defined_here(&mut self, node: &prism::Node<'_>) -> Defined {
        match node {
            prism::Node::NilNode { .. } => Defined::Always("nil"),
            prism::Node::SelfNode { .. } => Defined::Always("self"),
            prism::Node::TrueNode { .. } => Defined::Always("true"),
            prism::Node::FalseNode { .. } => Defined::Always("false"),
            prism::Node::LocalVariableReadNode { .. } | prism::Node::ItLocalVariableReadNode { .. } => {
                Defined::Always("local-variable")
            }
            prism::Node::YieldNode { .. } => Defined::Yield,
            prism::Node::SuperNode { .. } | prism::Node::ForwardingSuperNode { .. } => Defined::Super,
            _ => self.defined_further(node),
        }
    }

    fn defined_further(&mut self, node: &prism::Node<'_>) -> Defined {
        if let Some(n) = node.as_parentheses_node() {
            let Some(body) = n.body() else { return Defined::Always("nil") };
            if let Some(statements) = body.as_statements_node() {
                let list = statements.body();
                if list.len() == 1
                    && let Some(only) = list.first()
                {
                    return self.defined(&only);
                }
                return Defined::Always("expression");
            }
            return self.defined(&body);
        }
        if let Some(n) = node.as_statements_node() {
            if n.body().len() == 1
                && let Some(only) = n.body().first()
            {
                return self.defined(&only);
            }
            return Defined::Always("expression");
        }
        if let Some(n) = node.as_instance_variable_read_node() {
            return Defined::Ivar(self.id(&n.name()));
        }
        if let Some(n) = node.as_global_variable_read_node() {
            return Defined::Gvar(self.id(&n.name()));
        }
        if let Some(n) = node.as_class_variable_read_node() {
            return Defined::Cvar(self.id(&n.name()));
        }
        if let Some(n) = node.as_numbered_reference_read_node() {
            return Defined::Group(n.number());
        }
        if let Some(n) = node.as_back_reference_read_node() {
            return Defined::BackReference(n.name().as_slice().get(1).copied().unwrap_or(b'&'));
        }
        if let Some(n) = node.as_constant_read_node() {
            return Defined::Const(self.id(&n.name()));
        }
        if let Some(n) = node.as_constant_path_node() {
            let name = n.name().map_or(0, |name| self.id(&name));
            let parent = n.parent().map(|parent| (Box::new(self.defined(&parent)), self.expression(&parent)));
            return Defined::ConstPath(parent, name);
        }
        if let Some(n) = node.as_call_node() {
            let receiver =
                n.receiver().map(|receiver| (Box::new(self.defined(&receiver)), self.expression(&receiver)));
            let own = matches!(receiver, None | Some((_, Node::This)));
            let args = n.arguments().map_or_else(Vec::new, |args| {
                args.arguments().iter().map(|arg| self.defined(&arg)).collect()
            });
            if n.block().is_some_and(|block| block.as_block_node().is_some()) {
                return Defined::Always("expression");
            }
            return Defined::Call(receiver, self.id(&n.name()), args.into(), own);
        }
        if let Some(n) = node.as_array_node() {
            let elements = n.elements().iter().map(|element| self.defined(&element)).collect();
            return Defined::All(elements, "expression");
        }
        if let Some(n) = node.as_hash_node() {
            let mut parts = Vec::new();
            for element in &n.elements() {
                if let Some(pair) = element.as_assoc_node() {
                    parts.push(self.defined(&pair.key()));
                    parts.push(self.defined(&pair.value()));
                }
            }
            return Defined::All(parts.into(), "expression");
        }
        match node {
            prism::Node::LocalVariableWriteNode { .. }
            | prism::Node::LocalVariableAndWriteNode { .. }
            | prism::Node::LocalVariableOrWriteNode { .. }
            | prism::Node::LocalVariableOperatorWriteNode { .. }
            | prism::Node::InstanceVariableWriteNode { .. }
            | prism::Node::InstanceVariableAndWriteNode { .. }
            | prism::Node::InstanceVariableOrWriteNode { .. }
            | prism::Node::InstanceVariableOperatorWriteNode { .. }
            | prism::Node::GlobalVariableWriteNode { .. }
            | prism::Node::GlobalVariableAndWriteNode { .. }
            | prism::Node::GlobalVariableOrWriteNode { .. }
            | prism::Node::GlobalVariableOperatorWriteNode { .. }
            | prism::Node::ClassVariableWriteNode { .. }
            | prism::Node::ClassVariableAndWriteNode { .. }
            | prism::Node::ClassVariableOrWriteNode { .. }
            | prism::Node::ClassVariableOperatorWriteNode { .. }
            | prism::Node::ConstantWriteNode { .. }
            | prism::Node::ConstantAndWriteNode { .. }
            | prism::Node::ConstantOrWriteNode { .. }
            | prism::Node::ConstantOperatorWriteNode { .. }
            | prism::Node::ConstantPathWriteNode { .. }
            | prism::Node::CallAndWriteNode { .. }
            | prism::Node::CallOrWriteNode { .. }
            | prism::Node::CallOperatorWriteNode { .. }
            | prism::Node::IndexAndWriteNode { .. }
            | prism::Node::IndexOrWriteNode { .. }
            | prism::Node::IndexOperatorWriteNode { .. }
            | prism::Node::MultiWriteNode { .. } => Defined::Always("assignment"),
            _ => Defined::Always("expression"),
        }
    }
}
