//! Which variables closures share, found before anything is lowered: those live in environments, all others on the stack.

use ruby_prism as prism;
use ruby_prism::Visit;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::nesting::{DEEPEST, LONGEST_NUMBER, TOO_DEEP, dispatch};

/// A scope, by the place of its node in the text and what it is.
pub(super) type Key = (u32, u32, u8);

pub(super) const PROGRAM: u8 = 0;
pub(super) const DEF: u8 = 1;
pub(super) const BLOCK: u8 = 2;
pub(super) const CLASS: u8 = 3;
/// `for` and `END`: run as a block, but without variables of their own.
pub(super) const TRANSPARENT: u8 = 4;

/// The facts about a scope.
#[derive(Default)]
pub(super) struct Facts {
    /// The variables that closures use.
    pub captured: FxHashSet<Vec<u8>>,
    /// Whether anything may use all of them, as `binding` does.
    pub all: bool,
}

pub(super) fn key(location: &prism::Location<'_>, kind: u8) -> Key {
    (location.start(), location.end(), kind)
}

/// The captured variables of all scopes in a tree, and how deep it nests; an error if that is too deep, or a number too long.
pub(super) fn find(node: &prism::Node<'_>) -> Result<(FxHashMap<Key, Facts>, usize), &'static str> {
    let mut finder = Finder {
        stack: vec![(PROGRAM, Facts::default())],
        done: FxHashMap::default(),
        depth: 0,
        deepest: 0,
        has_long_number: false,
    };
    finder.visit(node);
    if let Some((_, facts)) = finder.stack.pop() {
        finder.done.insert((0, 0, PROGRAM), facts);
    }
    match finder.deepest > DEEPEST {
        true => Err(TOO_DEEP),
        false if finder.has_long_number => Err("numeric literal too long"),
        false => Ok((finder.done, finder.deepest)),
    }
}

struct Finder {
    stack: Vec<(u8, Facts)>,
    done: FxHashMap<Key, Facts>,
    /// How many nodes are being visited inside of each other, and the most there were.
    depth: usize,
    deepest: usize,
    has_long_number: bool,
}

/// Whether a call may look at all variables around it.
fn looks_around(node: &prism::CallNode<'_>) -> bool {
    match node.name().as_slice() {
        b"binding" | b"eval" | b"local_variables" => true,
        b"instance_eval" | b"class_eval" | b"module_eval" => node.arguments().is_some(),
        _ => false,
    }
}

impl Finder {
    fn scope(&mut self, key: Key, walk: impl FnOnce(&mut Finder)) {
        self.stack.push((key.2, Facts::default()));
        walk(self);
        if let Some((_, facts)) = self.stack.pop() {
            self.done.insert(key, facts);
        }
    }

    /// Notes the use of a variable, a number of scopes up.
    fn used(&mut self, name: &[u8], mut depth: u32) {
        let mut crossed = false;
        for (kind, facts) in self.stack.iter_mut().rev() {
            if *kind == TRANSPARENT {
                crossed = true;
            } else if depth > 0 {
                crossed = true;
                depth -= 1;
            } else {
                if crossed {
                    facts.captured.insert(name.to_vec());
                }
                return;
            }
        }
    }

    /// Everything that is visible here may be used.
    fn all(&mut self) {
        for (kind, facts) in self.stack.iter_mut().rev() {
            facts.all = true;
            if !matches!(*kind, BLOCK | TRANSPARENT) {
                return;
            }
        }
    }

    fn number(&mut self, location: &prism::Location<'_>) {
        self.has_long_number |= location.end() - location.start() > LONGEST_NUMBER;
    }

    /// The parameters of the method are used from here.
    fn forwarded(&mut self) {
        if matches!(self.stack.last(), Some((BLOCK | TRANSPARENT, _))) {
            self.all();
        }
    }
}

macro_rules! variables {
    ($($visit:ident $node:ident),* $(,)?) => {
        $(fn $visit(&mut self, node: &prism::$node<'pr>) {
            self.used(node.name().as_slice(), node.depth());
            prism::$visit(self, node);
        })*
    };
}

impl<'pr> Visit<'pr> for Finder {
    fn visit(&mut self, node: &prism::Node<'pr>) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth <= DEEPEST {
            kukla_syntax::deep(|| dispatch(self, node));
        }
        self.depth -= 1;
    }

    /// The only kind of node that holds another of its kind by name, so that going to the next one is not counted otherwise.
    fn visit_rescue_node(&mut self, node: &prism::RescueNode<'pr>) {
        node.exceptions().iter().for_each(|class| self.visit(&class));
        if let Some(target) = node.reference() {
            self.visit(&target);
        }
        if let Some(statements) = node.statements() {
            self.visit_statements_node(&statements);
        }
        if let Some(next) = node.subsequent() {
            self.visit(&next.as_node());
        }
    }

    variables! {
        visit_local_variable_read_node LocalVariableReadNode,
        visit_local_variable_write_node LocalVariableWriteNode,
        visit_local_variable_target_node LocalVariableTargetNode,
        visit_local_variable_and_write_node LocalVariableAndWriteNode,
        visit_local_variable_or_write_node LocalVariableOrWriteNode,
        visit_local_variable_operator_write_node LocalVariableOperatorWriteNode,
    }

    fn visit_call_node(&mut self, node: &prism::CallNode<'pr>) {
        if looks_around(node) {
            self.all();
        }
        prism::visit_call_node(self, node);
    }

    fn visit_integer_node(&mut self, node: &prism::IntegerNode<'pr>) {
        self.number(&node.location());
    }

    fn visit_rational_node(&mut self, node: &prism::RationalNode<'pr>) {
        self.number(&node.location());
    }

    fn visit_flip_flop_node(&mut self, node: &prism::FlipFlopNode<'pr>) {
        let name = format!("%flip{}", node.location().start()).into_bytes();
        let home = self.stack.iter_mut().rev().find(|(kind, _)| !matches!(*kind, BLOCK | TRANSPARENT));
        if let Some((_, facts)) = home {
            facts.captured.insert(name);
        }
        prism::visit_flip_flop_node(self, node);
    }

    fn visit_forwarding_super_node(&mut self, node: &prism::ForwardingSuperNode<'pr>) {
        self.forwarded();
        prism::visit_forwarding_super_node(self, node);
    }

    fn visit_forwarding_arguments_node(&mut self, _: &prism::ForwardingArgumentsNode<'pr>) {
        self.forwarded();
    }

    fn visit_splat_node(&mut self, node: &prism::SplatNode<'pr>) {
        if node.expression().is_none() {
            self.forwarded();
        }
        prism::visit_splat_node(self, node);
    }

    fn visit_assoc_splat_node(&mut self, node: &prism::AssocSplatNode<'pr>) {
        if node.value().is_none() {
            self.forwarded();
        }
        prism::visit_assoc_splat_node(self, node);
    }

    fn visit_block_argument_node(&mut self, node: &prism::BlockArgumentNode<'pr>) {
        if node.expression().is_none() {
            self.forwarded();
        }
        prism::visit_block_argument_node(self, node);
    }

    fn visit_def_node(&mut self, node: &prism::DefNode<'pr>) {
        if let Some(receiver) = node.receiver() {
            self.visit(&receiver);
        }
        self.scope(key(&node.location(), DEF), |finder| {
            if let Some(parameters) = node.parameters() {
                finder.visit_parameters_node(&parameters);
            }
            if let Some(body) = node.body() {
                finder.visit(&body);
            }
        });
    }

    fn visit_block_node(&mut self, node: &prism::BlockNode<'pr>) {
        self.scope(key(&node.location(), BLOCK), |finder| prism::visit_block_node(finder, node));
    }

    fn visit_lambda_node(&mut self, node: &prism::LambdaNode<'pr>) {
        self.scope(key(&node.location(), BLOCK), |finder| prism::visit_lambda_node(finder, node));
    }

    fn visit_class_node(&mut self, node: &prism::ClassNode<'pr>) {
        self.visit(&node.constant_path());
        if let Some(superclass) = node.superclass() {
            self.visit(&superclass);
        }
        self.scope(key(&node.location(), CLASS), |finder| {
            if let Some(body) = node.body() {
                finder.visit(&body);
            }
        });
    }

    fn visit_module_node(&mut self, node: &prism::ModuleNode<'pr>) {
        self.visit(&node.constant_path());
        self.scope(key(&node.location(), CLASS), |finder| {
            if let Some(body) = node.body() {
                finder.visit(&body);
            }
        });
    }

    fn visit_singleton_class_node(&mut self, node: &prism::SingletonClassNode<'pr>) {
        self.visit(&node.expression());
        self.scope(key(&node.location(), CLASS), |finder| {
            if let Some(body) = node.body() {
                finder.visit(&body);
            }
        });
    }

    fn visit_for_node(&mut self, node: &prism::ForNode<'pr>) {
        self.visit(&node.collection());
        self.scope(key(&node.location(), TRANSPARENT), |finder| {
            finder.visit(&node.index());
            if let Some(statements) = node.statements() {
                finder.visit_statements_node(&statements);
            }
        });
    }

    fn visit_post_execution_node(&mut self, node: &prism::PostExecutionNode<'pr>) {
        self.scope(key(&node.location(), TRANSPARENT), |finder| {
            prism::visit_post_execution_node(finder, node);
        });
    }
}
