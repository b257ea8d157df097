//! `return` and `next` where they come last: the value simply is the result, and nothing has to be unwound.

use crate::program::{BodyKind, Node};

/// The code of a body with jumps at its end replaced by their values.
pub(super) fn tail(node: Node, kind: BodyKind) -> Node {
    kukla_syntax::deep(|| tail_here(node, kind))
}

fn tail_here(node: Node, kind: BodyKind) -> Node {
    match node {
        Node::Return(value) if matches!(kind, BodyKind::Method | BodyKind::Lambda) => tail(*value, kind),
        Node::Next(value) if matches!(kind, BodyKind::Block | BodyKind::Lambda) => tail(*value, kind),
        Node::If(parts) => {
            let (condition, yes, no) = *parts;
            Node::If(Box::new((condition, tail(yes, kind), tail(no, kind))))
        }
        Node::Case(mut case) => {
            for (_, code) in &mut case.whens {
                *code = tail(std::mem::replace(code, Node::Nil), kind);
            }
            case.otherwise = tail(case.otherwise, kind);
            Node::Case(case)
        }
        Node::Seq(nodes) => sequence(nodes.into_vec(), kind, MOST_EARLY),
        node => node,
    }
}

/// How many early ends of one sequence are replaced: each makes the code nest one level deeper.
const MOST_EARLY: u32 = 16;

/// `if a; return b; end; c` becomes `if a; b; else c; end`.
fn sequence(mut nodes: Vec<Node>, kind: BodyKind, most: u32) -> Node {
    let early = nodes.iter().position(|node| match node {
        Node::If(parts) => matches!(parts.2, Node::Nil) && leaves(&parts.1, kind),
        _ => false,
    });
    if let Some(at) = early
        && most > 0
        && at + 1 < nodes.len()
    {
        let rest = nodes.split_off(at + 1);
        if let Some(Node::If(parts)) = nodes.pop() {
            let (condition, yes, _) = *parts;
            let no = sequence(rest, kind, most - 1);
            nodes.push(Node::If(Box::new((condition, tail(yes, kind), no))));
        }
    } else if let Some(last) = nodes.pop() {
        nodes.push(tail(last, kind));
    }
    match nodes.len() {
        0 => Node::Nil,
        1 => nodes.remove(0),
        _ => Node::Seq(nodes.into()),
    }
}

fn leaves(node: &Node, kind: BodyKind) -> bool {
    match node {
        Node::Return(_) => matches!(kind, BodyKind::Method | BodyKind::Lambda),
        Node::Next(_) => matches!(kind, BodyKind::Block | BodyKind::Lambda),
        Node::Seq(nodes) => nodes.last().is_some_and(|last| leaves(last, kind)),
        _ => false,
    }
}
