//! A pattern as a tree.

use std::sync::Arc;

use super::fold::Folded;
use super::set::Set;

/// A part of a pattern.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Nothing.
    Empty,
    /// A text.
    Text(Vec<u32>),
    /// A text whose case does not matter.
    Folded(Arc<Folded>),
    /// Any character of a set.
    Set(Arc<Set>),
    /// A dot.
    Any {
        /// Whether it matches a newline too.
        newline: bool,
    },
    /// One after the other.
    Sequence(Vec<Node>),
    /// The first of them that lets the rest match.
    Choice(Vec<Node>),
    /// `x*`, `x{2,3}?` and the like.
    Repeat(Box<Repeat>),
    /// A group that captures.
    Group(usize, Box<Node>),
    /// `(?>x)`: what it matched first is final.
    Atomic(Box<Node>),
    /// `(?=x)`, `(?!x)`, `(?<=x)`, `(?<!x)`.
    Look(Box<Look>),
    /// `(?~x)`: the longest text without an `x` in it.
    Absent(Box<Node>),
    /// A place.
    At(Boundary),
    /// `\K`: the match begins here.
    Keep,
    /// `\1`, `\k<name>`.
    Backref(Backref),
    /// `\g<name>`: the pattern of a group; group 0 is the whole.
    Call(usize),
    /// `(?(1)yes|no)`.
    Condition(Box<Condition>),
}

/// How often something may follow itself.
#[derive(Clone, Debug)]
pub(super) struct Repeat {
    pub node: Node,
    pub min: u32,
    pub max: Option<u32>,
    pub greedy: bool,
}

/// A look around.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub node: Node,
    pub negative: bool,
    /// Whether it looks back, and then by how many characters.
    pub behind: Option<usize>,
}

/// A mention of what groups captured.
#[derive(Clone, Debug)]
pub(super) struct Backref {
    /// The groups, the one to try first at the front.
    pub groups: Vec<usize>,
    pub ignore_case: bool,
    /// Whether it occurs before the end of a group it mentions.
    pub early: bool,
    /// The depth of recursion meant, relative to the current one.
    pub level: Option<i64>,
}

/// A choice that depends on whether a group took part.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub group: usize,
    /// Whether the group is given by its number.
    pub numbered: bool,
    /// How many branches were written; only two make sense.
    pub branches: usize,
    pub yes: Node,
    pub no: Node,
}

/// A position in a text that a boundary assertion matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boundary {
    /// `^`
    LineStart,
    /// `$`
    LineEnd,
    /// `\A`
    TextStart,
    /// `\z`
    TextEnd,
    /// `\Z`: the end, or before a newline there.
    TextEndOrNewline,
    /// `\G`: where the search began.
    SearchStart,
    /// `\b`, `\B`
    Word { ascii: bool, boundary: bool },
}

/// A whole pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub root: Node,
    /// How many groups capture.
    pub groups: usize,
    /// Whether a class matches texts of several characters because it holds one that equals them, although the pattern does not
    /// speak of any beyond ASCII.
    pub expands: bool,
    /// Names of groups with the numbers of the groups so named.
    pub names: Vec<(crate::Str, Vec<usize>)>,
}

impl Node {
    /// The parts directly inside.
    pub fn children(&self) -> Vec<&Node> {
        match self {
            Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter().collect(),
            Node::Repeat(repeat) => vec![&repeat.node],
            Node::Group(_, node) | Node::Atomic(node) | Node::Absent(node) => vec![node],
            Node::Look(look) => vec![&look.node],
            Node::Condition(condition) => vec![&condition.yes, &condition.no],
            _ => Vec::new(),
        }
    }

    /// The parts directly inside, to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut Node> {
        match self {
            Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter_mut().collect(),
            Node::Repeat(repeat) => vec![&mut repeat.node],
            Node::Group(_, node) | Node::Atomic(node) | Node::Absent(node) => vec![node],
            Node::Look(look) => vec![&mut look.node],
            Node::Condition(condition) => vec![&mut condition.yes, &mut condition.no],
            _ => Vec::new(),
        }
    }

    /// Whether this or any part inside is of a kind.
    pub fn any(&self, kind: &dyn Fn(&Node) -> bool) -> bool {
        kind(self) || self.children().into_iter().any(|child| child.any(kind))
    }
}
